/*
 * Fuzz target of the reader of dsa-solver's files: a problem and, behind a byte
 * 0x1e, perhaps a solution.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include "input/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input_file files[2];
	struct input input = {0};

	if (mp_testing_fuzz_split(data, size, files, 2) == 2)
		input.files[ROLE_SOLUTION] = files[1];
	input.files[ROLE_MAIN] = files[0];
	mp_testing_fuzz_read(&input, mp_input_read);
	return 0;
}
