/*
 * Fuzz target of the reader of XLA's HloProto.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include "input/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {0};

	input.files[ROLE_MAIN] =
		(struct input_file){"a", (const char *)data, size};
	mp_input_hlo_recognise(&input.files[ROLE_MAIN]);
	mp_testing_fuzz_read(&input, mp_input_hlo_read);
	return 0;
}
