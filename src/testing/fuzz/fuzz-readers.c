/*
 * Fuzz target of all readers: the bytes are split into the files of the roles,
 * and the first one's content says which reader it is for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include "input/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {0};

	mp_testing_fuzz_split(data, size, input.files, N_ROLES);
	mp_testing_fuzz_read(&input, mp_input_read);
	return 0;
}
