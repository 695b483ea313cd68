/*
 * A TFLite model on its way to a graph. Tensors of all subgraphs have numbers
 * one after the other; until the model is read, tensors of the graph have the
 * same. Only for tflite-*.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_TFLITE_TFLITE_H
#define MP_INPUT_TFLITE_TFLITE_H

#include "graph/tflite-file.h"
#include "input/input.h"
#include "input/wire/flat.h"

enum {
	TFLITE_MOST = 1 << 24, /* tensors, and ops */
};

/* Fields of tables; docs/formats/tflite.md says where they are defined. */
enum {
	CODE_DEPRECATED = 0,
	CODE_CUSTOM = 1,
	CODE_BUILTIN = 3,

	SUBGRAPH_TENSORS = 0,
	SUBGRAPH_INPUTS = 1,
	SUBGRAPH_OUTPUTS = 2,
	SUBGRAPH_OPS = 3,
	SUBGRAPH_NAME = 4,

	TENSOR_SHAPE = 0,
	TENSOR_TYPE = 1,
	TENSOR_BUFFER = 2,
	TENSOR_NAME = 3,
	TENSOR_IS_VARIABLE = 5,
	TENSOR_SIGNATURE = 7,
	TENSOR_EXTERNAL = 10,

	OP_CODE = 0,
	OP_INPUTS = 1,
	OP_OUTPUTS = 2,
	OP_OPTIONS_TYPE = 3,
	OP_OPTIONS = 4,
	OP_LARGE_CUSTOM_AT = 9,

	BUFFER_DATA = 0,
	BUFFER_AT = 1,

	METADATA_NAME = 0,
	METADATA_BUFFER = 1,
};

/* Builtin operators that this reader must know. */
enum {
	TFL_DEQUANTIZE = 6,
	TFL_RESHAPE = 22,
	TFL_CALL = 31,
	TFL_CUSTOM = 32,
	TFL_IF = 118,
	TFL_WHILE = 119,
	TFL_DENSIFY = 124,
	TFL_CALL_ONCE = 129,
	TFL_READ_VARIABLE = 143,
	TFL_ASSIGN_VARIABLE = 144,
	TFL_DYNAMIC_UPDATE_SLICE = 151,
};

struct tflite_code {
	uint32_t code;
	const char *name; /* "CONV_2D" */
};

enum tflite_storage {
	TFL_ARENA,    /* takes bytes of the arena */
	TFL_CONSTANT, /* its bytes are in the file */
	TFL_VARIABLE, /* keeps its bytes from run to run */
	TFL_UNSIZED,  /* of a type that has no fixed size */
};

/* What this reader knows of a tensor beside the graph. */
struct tflite_tensor {
	uint32_t at;	    /* position of its table */
	uint32_t within;    /* tensor that this one lies in; NONE: none */
	uint32_t reader;    /* last op that reads it; NONE: none so far */
	uint8_t storage;    /* enum tflite_storage */
	bool used, written; /* by ops so far, or by the caller */
	bool returned;	    /* an output of its subgraph */
	bool holds;	    /* other tensors lie in it */
};

struct tflite_subgraph {
	const char *name; /* or NULL */
	struct flat_vector inputs, outputs, ops;
	uint32_t first, n;	 /* its tensors */
	struct choice_site site; /* the branch that it is, or is called in */
	bool called;
};

/* An op of the graph reads or writes a tensor. */
struct tflite_use {
	uint32_t op, tensor;
	bool writes;
};

/* An op of Arm's Ethos-U, and the tensor that it works in. */
struct tflite_npu {
	uint32_t op, scratch;
};

/* An output of an op may have the bytes of an input. */
struct tflite_pair {
	uint32_t op;
	struct inplace_pair tensors;
};

struct tflite {
	const struct input *input;
	struct flat flat;
	struct flat_table root;
	struct flat_vector buffers;
	bool *has_data; /* of each buffer */
	struct tflite_code *codes;
	struct tflite_subgraph *subgraphs;
	struct tflite_tensor *tensors;
	uint32_t n_codes, n_subgraphs, n_tensors;
	uint32_t n_open;	 /* tensors with a dimension that is open */
	uint32_t last_resource;	 /* op that used a resource last, or NONE */
	struct tflite_use *uses; /* op by op */
	struct tflite_pair *pairs;
	struct tflite_npu *npus; /* op by op */
	uint32_t *barriers;
	struct graph_loop *loops;
	struct choice_site *sites; /* of the choices */
	uint32_t n_uses, n_pairs, n_npus, n_barriers, n_loops, n_choices;
	uint32_t room_ops, room_uses, room_pairs, room_npus, room_barriers,
		room_loops, room_sites;
	struct flat_vector offsets; /* of a plan in the model; n = 0: none */
	struct tflite_file *file;
	struct graph *graph;
	struct arena *arena;
	struct error *error;
};

/* --------------------------------------------------- tflite-codes.c */

/* Bytes of an element of that type as TFLM lays it out; 0: it has no fixed
 * size. False: there is no such type. */
bool mp_input_tflite_type(uint32_t type, const char **name, uint32_t *bytes);

/* Fills the operator codes. */
bool mp_input_tflite_read_codes(struct tflite *m);

/* ------------------------------------------------- tflite-tensors.c */

/* Fills the subgraphs, and the tensors of all of them. */
bool mp_input_tflite_read_tensors(struct tflite *m);

/* Leaves out the tensors that no op uses, and says what the others are for. */
bool mp_input_tflite_settle(struct tflite *m);

/* ----------------------------------------------------- tflite-ops.c */

/* A tensor of a list of the subgraph; NONE: the list leaves it open (-1). */
bool mp_input_tflite_tensor(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct flat_vector *list,
	uint32_t i, uint32_t *tensor);

/* Appends an op that reads and writes nothing so far. */
bool mp_input_tflite_add_op(
	struct tflite *m, const char *name, const char *type);

/* The last op reads, or writes, the tensors of a list of the subgraph. What it
 * reads twice is listed once. */
bool mp_input_tflite_reads(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct flat_vector *list);
bool mp_input_tflite_writes(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct flat_vector *list);

/* Leaves out an op that gives constants, if that is wanted. */
bool mp_input_tflite_fold(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct flat_table *table,
	const struct tflite_code *code, bool *folded);

/* Appends an op that runs no other ops. */
bool mp_input_tflite_add_plain(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct flat_table *table,
	const struct tflite_code *code, const char *name);

/* Gives the ops their tensors, which have these numbers in the graph. */
bool mp_input_tflite_link(struct tflite *m, const uint32_t *number);

/* ---------------------------------------------------- tflite-flow.c */

/* Appends the ops of subgraph 0 and of all that it calls. */
bool mp_input_tflite_read_ops(struct tflite *m);

/* Gives the graph the loops and the branches, in which tensors have these
 * numbers. */
bool mp_input_tflite_link_flow(struct tflite *m, const uint32_t *number);

/* ------------------------------------------------- tflite-offsets.c */

/* Fills m->file, and finds the plan that the model may have. */
bool mp_input_tflite_read_file(struct tflite *m);

/* Takes the offsets of that plan. */
bool mp_input_tflite_take_offsets(struct tflite *m);

/* ----------------------------------------------------- tflite-npu.c */

/* Notes that the last op is one of Ethos-U, if it is. */
bool mp_input_tflite_note_npu(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct tflite_code *code,
	const struct flat_vector *inputs);

/* Finds the tensors of such ops that lie in what the ops work in. */
void mp_input_tflite_find_within(struct tflite *m);

/* Makes these aliases in the graph, in which tensors have these numbers. */
bool mp_input_tflite_alias(struct tflite *m, const uint32_t *number);

#endif
