/*
 * Fuzz target of the reader of ONNX: the last byte is options, the others are
 * the model.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include "input/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {0};

	if (size == 0)
		return 0;
	input.files[ROLE_MAIN] =
		(struct input_file){"a", (const char *)data, size - 1};
	input.views = (enum views)(data[size - 1] % N_VIEWS);
	input.keeps_constants = data[size - 1] / N_VIEWS % 2;
	if (data[size - 1] / N_VIEWS / 2 % 2)
		input.shapes = "*=most";
	input.dims = "a=3\nb=2";
	mp_input_onnx_recognise(&input.files[ROLE_MAIN]);
	mp_testing_fuzz_read(&input, mp_input_onnx_read);
	return 0;
}
