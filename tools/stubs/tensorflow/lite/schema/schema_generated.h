/*
 * See micro_interpreter.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TOOLS_STUBS_TENSORFLOW_LITE_SCHEMA_SCHEMA_GENERATED_H
#define MP_TOOLS_STUBS_TENSORFLOW_LITE_SCHEMA_SCHEMA_GENERATED_H

namespace tflite
{
struct Model;

const Model *GetModel(const void *bytes);
} // namespace tflite

#endif
