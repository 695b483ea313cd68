/*
 * See micro_interpreter.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TOOLS_STUBS_TENSORFLOW_LITE_MICRO_MICRO_MUTABLE_OP_RESOLVER_H
#define MP_TOOLS_STUBS_TENSORFLOW_LITE_MICRO_MICRO_MUTABLE_OP_RESOLVER_H

#include "tensorflow/lite/micro/micro_interpreter.h"

namespace tflite
{
template <unsigned int Most>
class MicroMutableOpResolver : public MicroOpResolver
{
      public:
	TfLiteStatus AddConv2D();
	TfLiteStatus AddCustom(
		const char *name, const TFLMRegistration *registration);
};
} // namespace tflite

#endif
