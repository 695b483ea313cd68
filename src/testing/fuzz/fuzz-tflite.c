/*
 * Fuzz target of the reader of TFLite models: the bytes are a model. Those of
 * other readers may have the byte that splits files in them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include "input/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {.files = {{"model", (const char *)data, size}}};

	mp_testing_fuzz_read(&input, mp_input_tflite_read);
	return 0;
}
