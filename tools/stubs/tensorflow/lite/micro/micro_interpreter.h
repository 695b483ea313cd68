/*
 * What the program of docs/howto/tflm.md needs of TensorFlow Lite for
 * Microcontrollers: declarations, for a compiler where it is not at hand.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TOOLS_STUBS_TENSORFLOW_LITE_MICRO_MICRO_INTERPRETER_H
#define MP_TOOLS_STUBS_TENSORFLOW_LITE_MICRO_MICRO_INTERPRETER_H

#include <cstddef>
#include <cstdint>

#include "tensorflow/lite/schema/schema_generated.h"

enum TfLiteStatus {
	kTfLiteOk,
	kTfLiteError,
};

struct TfLiteTensor {
	union {
		int8_t *int8;
		float *f;
	} data;
};

struct TFLMRegistration;

namespace tflite
{
class MicroOpResolver
{
};

class MicroInterpreter
{
      public:
	MicroInterpreter(const Model *model, const MicroOpResolver &ops,
		uint8_t *arena, size_t size);
	TfLiteStatus AllocateTensors();
	TfLiteStatus Invoke();
	TfLiteTensor *input(size_t index);
	size_t arena_used_bytes() const;
};
} // namespace tflite

#endif
