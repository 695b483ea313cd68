/*
 * Names of TFLite's operators, and sizes of its types, by their numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/tflite/tflite.h"

static const char *const ops[] = {"ADD", "AVERAGE_POOL_2D", "CONCATENATION",
	"CONV_2D", "DEPTHWISE_CONV_2D", "DEPTH_TO_SPACE", "DEQUANTIZE",
	"EMBEDDING_LOOKUP", "FLOOR", "FULLY_CONNECTED", "HASHTABLE_LOOKUP",
	"L2_NORMALIZATION", "L2_POOL_2D", "LOCAL_RESPONSE_NORMALIZATION",
	"LOGISTIC", "LSH_PROJECTION", "LSTM", "MAX_POOL_2D", "MUL", "RELU",
	"RELU_N1_TO_1", "RELU6", "RESHAPE", "RESIZE_BILINEAR", "RNN", "SOFTMAX",
	"SPACE_TO_DEPTH", "SVDF", "TANH", "CONCAT_EMBEDDINGS", "SKIP_GRAM",
	"CALL", "CUSTOM", "EMBEDDING_LOOKUP_SPARSE", "PAD",
	"UNIDIRECTIONAL_SEQUENCE_RNN", "GATHER", "BATCH_TO_SPACE_ND",
	"SPACE_TO_BATCH_ND", "TRANSPOSE", "MEAN", "SUB", "DIV", "SQUEEZE",
	"UNIDIRECTIONAL_SEQUENCE_LSTM", "STRIDED_SLICE",
	"BIDIRECTIONAL_SEQUENCE_RNN", "EXP", "TOPK_V2", "SPLIT", "LOG_SOFTMAX",
	"DELEGATE", "BIDIRECTIONAL_SEQUENCE_LSTM", "CAST", "PRELU", "MAXIMUM",
	"ARG_MAX", "MINIMUM", "LESS", "NEG", "PADV2", "GREATER",
	"GREATER_EQUAL", "LESS_EQUAL", "SELECT", "SLICE", "SIN",
	"TRANSPOSE_CONV", "SPARSE_TO_DENSE", "TILE", "EXPAND_DIMS", "EQUAL",
	"NOT_EQUAL", "LOG", "SUM", "SQRT", "RSQRT", "SHAPE", "POW", "ARG_MIN",
	"FAKE_QUANT", "REDUCE_PROD", "REDUCE_MAX", "PACK", "LOGICAL_OR",
	"ONE_HOT", "LOGICAL_AND", "LOGICAL_NOT", "UNPACK", "REDUCE_MIN",
	"FLOOR_DIV", "REDUCE_ANY", "SQUARE", "ZEROS_LIKE", "FILL", "FLOOR_MOD",
	"RANGE", "RESIZE_NEAREST_NEIGHBOR", "LEAKY_RELU", "SQUARED_DIFFERENCE",
	"MIRROR_PAD", "ABS", "SPLIT_V", "UNIQUE", "CEIL", "REVERSE_V2", "ADD_N",
	"GATHER_ND", "COS", "WHERE", "RANK", "ELU", "REVERSE_SEQUENCE",
	"MATRIX_DIAG", "QUANTIZE", "MATRIX_SET_DIAG", "ROUND", "HARD_SWISH",
	"IF", "WHILE", "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5",
	"SCATTER_ND", "SELECT_V2", "DENSIFY", "SEGMENT_SUM", "BATCH_MATMUL",
	NULL, "CUMSUM", "CALL_ONCE", "BROADCAST_TO", "RFFT2D", "CONV_3D",
	"IMAG", "REAL", "COMPLEX_ABS", "HASHTABLE", "HASHTABLE_FIND",
	"HASHTABLE_IMPORT", "HASHTABLE_SIZE", "REDUCE_ALL", "CONV_3D_TRANSPOSE",
	"VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "BROADCAST_ARGS",
	"RANDOM_STANDARD_NORMAL", "BUCKETIZE", "RANDOM_UNIFORM", "MULTINOMIAL",
	"GELU", "DYNAMIC_UPDATE_SLICE", "RELU_0_TO_1", "UNSORTED_SEGMENT_PROD",
	"UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_SUM", "ATAN2",
	"UNSORTED_SEGMENT_MIN", "SIGN", "BITCAST", "BITWISE_XOR", "RIGHT_SHIFT",
	"STABLEHLO_LOGISTIC", "STABLEHLO_ADD", "STABLEHLO_DIVIDE",
	"STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM", "STABLEHLO_RESHAPE",
	"STABLEHLO_CLAMP", "STABLEHLO_CONCATENATE",
	"STABLEHLO_BROADCAST_IN_DIM", "STABLEHLO_CONVOLUTION",
	"STABLEHLO_SLICE", "STABLEHLO_CUSTOM_CALL", "STABLEHLO_REDUCE",
	"STABLEHLO_ABS", "STABLEHLO_AND", "STABLEHLO_COSINE",
	"STABLEHLO_EXPONENTIAL", "STABLEHLO_FLOOR", "STABLEHLO_LOG",
	"STABLEHLO_MINIMUM", "STABLEHLO_NEGATE", "STABLEHLO_OR",
	"STABLEHLO_POWER", "STABLEHLO_REMAINDER", "STABLEHLO_RSQRT",
	"STABLEHLO_SELECT", "STABLEHLO_SUBTRACT", "STABLEHLO_TANH",
	"STABLEHLO_SCATTER", "STABLEHLO_COMPARE", "STABLEHLO_CONVERT",
	"STABLEHLO_DYNAMIC_SLICE", "STABLEHLO_DYNAMIC_UPDATE_SLICE",
	"STABLEHLO_PAD", "STABLEHLO_IOTA", "STABLEHLO_DOT_GENERAL",
	"STABLEHLO_REDUCE_WINDOW", "STABLEHLO_SORT", "STABLEHLO_WHILE",
	"STABLEHLO_GATHER", "STABLEHLO_TRANSPOSE", "DILATE",
	"STABLEHLO_RNG_BIT_GENERATOR", "REDUCE_WINDOW", "STABLEHLO_COMPOSITE",
	"STABLEHLO_SHIFT_LEFT", "STABLEHLO_CBRT", "STABLEHLO_CASE"};

/* TFLM unpacks types of fewer than 8 bits. */
static const struct {
	const char *name;
	uint32_t bytes;
} types[] = {{"FLOAT32", 4}, {"FLOAT16", 2}, {"INT32", 4}, {"UINT8", 1},
	{"INT64", 8}, {"STRING", 0}, {"BOOL", 1}, {"INT16", 2},
	{"COMPLEX64", 8}, {"INT8", 1}, {"FLOAT64", 8}, {"COMPLEX128", 16},
	{"UINT64", 8}, {"RESOURCE", 4}, {"VARIANT", 0}, {"UINT32", 4},
	{"UINT16", 2}, {"INT4", 1}, {"BFLOAT16", 2}, {"INT2", 1}, {"UINT4", 1},
	{"FLOAT8_E4M3FN", 1}, {"FLOAT8_E5M2", 1}};

/* The name of a builtin operator; NULL: it is not known. */
static const char *op_name(uint32_t code)
{
	return code < countof(ops) ? ops[code] : NULL;
}

bool mp_input_tflite_type(uint32_t type, const char **name, uint32_t *bytes)
{
	if (type >= countof(types))
		return false;
	*name = types[type].name;
	*bytes = types[type].bytes;
	return true;
}

/* Old files have the code in a byte, new ones in 32 bits; the greater counts.
 */
static bool read_code(struct tflite *m, const struct flat_table *table,
	struct tflite_code *code)
{
	uint64_t old = 0, builtin = 0;
	const char *custom;

	if (!mp_input_flat_number(&m->flat, table, CODE_DEPRECATED, 1, &old) ||
		!mp_input_flat_number(
			&m->flat, table, CODE_BUILTIN, 4, &builtin) ||
		!mp_input_flat_text(
			&m->flat, table, CODE_CUSTOM, &custom, m->arena))
		return false;
	if (old > INT8_MAX || builtin > INT32_MAX)
		return mp_input_flat_fail(&m->flat, table->at,
			"the code of an operator is negative");
	code->code = (uint32_t)num_max(old, builtin);
	code->name = op_name(code->code);
	if (code->code == TFL_CUSTOM && custom)
		code->name = custom;
	if (!code->name)
		code->name = mp_arena_print(m->arena, "OP_%u", code->code);
	return code->name != NULL;
}

bool mp_input_tflite_read_codes(struct tflite *m)
{
	struct flat_vector codes;
	struct flat_table table;

	if (!mp_input_flat_vector(&m->flat, &m->root, MODEL_CODES, 4, &codes))
		return false;
	m->n_codes = codes.n;
	m->codes = NEW(m->arena, struct tflite_code, codes.n);
	if (!m->codes)
		return false;
	for (uint32_t i = 0; i < codes.n; i++)
		if (!mp_input_flat_item(&m->flat, &codes, i, &table) ||
			!read_code(m, &table, &m->codes[i]))
			return false;
	return true;
}
