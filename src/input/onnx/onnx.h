/*
 * What other rooms see of the reader of ONNX: the ops that it knows.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_ONNX_ONNX_H
#define MP_INPUT_ONNX_ONNX_H

#include <stdint.h>

/* Name of op i of all that have a rule, and what the reader does with it; NULL
 * beyond the last. The texts stay for ever. */
const char *mp_input_onnx_op(uint32_t i, const char **summary);

#endif
