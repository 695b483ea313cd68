/*
 * Fuzz target of the reader of XLA's dumps: a buffer assignment and, behind a
 * byte 0x1e, perhaps its lifetimes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include "input/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input_file files[2];
	struct input input = {0};

	if (mp_testing_fuzz_split(data, size, files, 2) == 2)
		input.files[ROLE_LIVE_RANGE] = files[1];
	input.files[ROLE_MAIN] = files[0];
	mp_input_xla_recognise(&files[0]);
	mp_testing_fuzz_read(&input, mp_input_xla_read);
	return 0;
}
