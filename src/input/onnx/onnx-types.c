/*
 * Element types of ONNX.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "input/onnx/inside.h"

static const struct type_row {
	const char *name;
	uint8_t bits;
	uint8_t kept; /* enum onnx_class */
} types[ONNX_TYPES] = {
	[ONNX_FLOAT] = {"float", 32, ONNX_REAL},
	[ONNX_UINT8] = {"uint8", 8, ONNX_INTEGER},
	[ONNX_INT8] = {"int8", 8, ONNX_INTEGER},
	[ONNX_UINT16] = {"uint16", 16, ONNX_INTEGER},
	[ONNX_INT16] = {"int16", 16, ONNX_INTEGER},
	[ONNX_INT32] = {"int32", 32, ONNX_INTEGER},
	[ONNX_INT64] = {"int64", 64, ONNX_INTEGER},
	[ONNX_STRING] = {"string", 0, ONNX_NO_NUMBER},
	[ONNX_BOOL] = {"bool", 8, ONNX_INTEGER},
	[ONNX_FLOAT16] = {"float16", 16, ONNX_REAL},
	[ONNX_DOUBLE] = {"double", 64, ONNX_REAL},
	[ONNX_UINT32] = {"uint32", 32, ONNX_INTEGER},
	[ONNX_UINT64] = {"uint64", 64, ONNX_INTEGER},
	[14] = {"complex64", 64, ONNX_NO_NUMBER},
	[15] = {"complex128", 128, ONNX_NO_NUMBER},
	[ONNX_BFLOAT16] = {"bfloat16", 16, ONNX_REAL},
	[17] = {"float8e4m3fn", 8, ONNX_NO_NUMBER},
	[18] = {"float8e4m3fnuz", 8, ONNX_NO_NUMBER},
	[19] = {"float8e5m2", 8, ONNX_NO_NUMBER},
	[20] = {"float8e5m2fnuz", 8, ONNX_NO_NUMBER},
	[21] = {"uint4", 4, ONNX_NO_NUMBER},
	[22] = {"int4", 4, ONNX_NO_NUMBER},
	[23] = {"float4e2m1", 4, ONNX_NO_NUMBER},
	[24] = {"float8e8m0", 8, ONNX_NO_NUMBER},
	[25] = {"uint2", 2, ONNX_NO_NUMBER},
	[26] = {"int2", 2, ONNX_NO_NUMBER},
};

uint32_t mp_input_onnx_bits(uint32_t type)
{
	return type < ONNX_TYPES ? types[type].bits : 0;
}

enum onnx_class mp_input_onnx_class(uint32_t type)
{
	return type < ONNX_TYPES ? (enum onnx_class)types[type].kept
				 : ONNX_NO_NUMBER;
}

bool mp_input_onnx_is_kept(uint32_t type, uint64_t n)
{
	enum onnx_class kept = mp_input_onnx_class(type);

	return kept == ONNX_INTEGER ? n <= ONNX_CONTENT
				    : kept == ONNX_REAL && n <= ONNX_REALS;
}

const char *mp_input_onnx_type_name(uint32_t type)
{
	return type < ONNX_TYPES ? types[type].name : NULL;
}

uint32_t mp_input_onnx_type_find(const char *name)
{
	for (uint32_t i = 1; i < ONNX_TYPES; i++)
		if (types[i].name && strcmp(types[i].name, name) == 0)
			return i;
	return ONNX_UNDEFINED;
}
