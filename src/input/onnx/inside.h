/*
 * For the files of the ONNX reader only. In the order in which they may call
 * each other, callers last:
 *
 *	onnx-types.c      element types: bits, names
 *	onnx-messages.c   messages of the file as structs, one level at a time
 *	onnx-content.c    numbers in tensors of the file
 *	onnx-formula.c    names of dimensions that are formulas
 *	onnx-bind.c       the options --dim, --value, --shape
 *	onnx-call.c       what a rule asks of its op, and what it answers
 *	onnx-shape-*.c    rules: from shapes of inputs to shapes of outputs
 *	                  (those of onnx-shape-by-data.c need contents too)
 *	onnx-fold.c, onnx-fold-*.c
 *	                  content of outputs from content of inputs
 *	onnx-ops.c        the table of ops: a row has a rule and a fold
 *	onnx-scope.c      values and their names
 *	onnx-emit.c       ops and tensors of the graph to be
 *	onnx-walk.c       walks the nodes of a graph
 *	onnx-flow.c, onnx-loop.c
 *	                  graphs in graphs: If and functions, Loop and Scan
 *	onnx-finish.c     from what was emitted to struct graph
 *	onnx.c            the reader
 *
 * Shapes have no unknown dimensions: those of the inputs are bound by options
 * first. A value without a shape has no rule and no declaration.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_ONNX_INSIDE_H
#define MP_INPUT_ONNX_INSIDE_H

#include <string.h>

#include "base/names.h"
#include "base/num.h"
#include "input/input.h"
#include "input/onnx/onnx.h"
#include "input/wire/proto.h"

enum {
	ONNX_DEPTH = 32,      /* most graphs in graphs, functions included */
	ONNX_RANK = 32,	      /* most dimensions of a shape */
	ONNX_TEXT = 4096,     /* longest name in bytes */
	ONNX_CONTENT = 4096,  /* most integers of a content that is known */
	ONNX_REALS = 64,      /* most reals of one: scales, a range */
	ONNX_NUMBERS = 65536, /* most numbers in a list of an attribute */
	ONNX_NODES = 1 << 20, /* most nodes */
	ONNX_WRITTEN =
		1 << 17, /* most nodes of functions that are written out */
	ONNX_ATTRIBUTES = 1024, /* most attributes of a node */
};

/* Greatest dimension, and greatest stride, pad and the like: products of the
 * two stay below 2^62. */
#define ONNX_DIM (UINT64_C(1) << 40)
#define ONNX_STRIDE (INT64_C(1) << 21)

/* Most bytes of a value. */
#define ONNX_BYTES (UINT64_C(1) << 53)

/* ----------------------------------------------------- onnx-types.c */

enum onnx_type {
	ONNX_UNDEFINED = 0,
	ONNX_FLOAT = 1,
	ONNX_UINT8 = 2,
	ONNX_INT8 = 3,
	ONNX_UINT16 = 4,
	ONNX_INT16 = 5,
	ONNX_INT32 = 6,
	ONNX_INT64 = 7,
	ONNX_STRING = 8,
	ONNX_BOOL = 9,
	ONNX_FLOAT16 = 10,
	ONNX_DOUBLE = 11,
	ONNX_UINT32 = 12,
	ONNX_UINT64 = 13,
	ONNX_BFLOAT16 = 16,
	ONNX_TYPES = 27, /* one more than the last */
};

/* How numbers of a type are kept: as int64_t, as double, or not at all. */
enum onnx_class {
	ONNX_NO_NUMBER,
	ONNX_INTEGER,
	ONNX_REAL,
};

/* Bits of an element; 0: the type has no size, or there is no such type. */
uint32_t mp_input_onnx_bits(uint32_t type);
enum onnx_class mp_input_onnx_class(uint32_t type);

/* Are contents of so many numbers of that type kept? */
bool mp_input_onnx_is_kept(uint32_t type, uint64_t n);

/* "float"; "type 99" has no name: NULL. */
const char *mp_input_onnx_type_name(uint32_t type);

/* The type of that name, or ONNX_UNDEFINED. */
uint32_t mp_input_onnx_type_find(const char *name);

/* -------------------------------------------------- onnx-messages.c */

/* Names that stay in the file. */
struct onnx_names {
	struct proto_bytes *at; /* n 0: not given */
	uint32_t n, room;
};

struct onnx_attribute {
	struct proto_bytes name;
	struct proto_bytes ref; /* of a function: the caller's attribute that
				   stands here; at NULL: none */
	int64_t i;
	double f;
	struct proto_bytes s, t, g; /* text, tensor, graph; at NULL: none */
	struct proto_bytes message; /* all of it, for its lists */
	uint64_t most;		    /* numbers in its lists at most */
};

struct onnx_attributes {
	struct onnx_attribute *at;
	uint32_t n, room;
};

/* A node. Those of a graph take turns in one struct. */
struct onnx_node {
	struct proto_bytes name; /* its own, else that of its first output */
	struct proto_bytes op;	 /* its type */
	const char *type;	 /* as mp_input_onnx_find_rule() found it */
	const struct onnx_rule *rule; /* what it found; NULL: none */
	const char *domain;	      /* "": ONNX's own */
	const char *overload;
	struct onnx_names inputs, outputs;
	struct onnx_attributes attributes;
	size_t place;
	struct onnx_values *values; /* of the walk */
};

/* A dimension as it is declared: a number, a name, or neither. */
struct onnx_dim {
	uint64_t value;
	const char *name; /* NULL: none */
	bool known;
};

/* A value as it is declared. */
struct onnx_declared {
	struct proto_bytes key;		 /* its name in the file */
	struct proto_bytes type_message; /* of mp_input_onnx_parse_type(), which
					    fills all but these and place */
	const char *name;
	uint32_t type;
	bool shaped;	  /* else it may have any rank */
	const char *kind; /* "sequence": it is no tensor; NULL: it is */
	struct onnx_dim *dims;
	uint32_t n_dims;
	size_t place;
};

struct onnx_tensor {
	struct proto_bytes name;
	uint32_t type;
	uint32_t n_dims;
	const char *location;  /* of external data; NULL: none */
	uint64_t sparse_bytes; /* of values and indices of a sparse one */
	bool sparse;
	struct proto_bytes raw; /* its numbers as bytes; at NULL: in lists */
	struct proto_bytes numbers; /* in the last of its fields of numbers */
	uint32_t list;		    /* number of that field */
	uint32_t n_lists;	    /* of such fields */
	struct proto_bytes message;
	size_t place;
	uint64_t dims[ONNX_RANK];
};

struct onnx_declarations {
	struct onnx_declared *at;
	uint32_t n, room;
};

/* A graph, or the body of a function: nodes and weights are read by a walk. */
struct onnx_graph {
	const char *name;
	struct proto_bytes message;
	struct proto_bytes weights; /* from the first initializer on */
	uint32_t node_field;	    /* number of the field of a node */
	struct onnx_declarations inputs, outputs, infos;
	struct onnx_attributes defaults; /* of a function */
	uint32_t n_nodes, n_initializers;
};

struct onnx_function {
	const char *name, *domain, *overload;
	struct proto_bytes message;
	uint32_t opset; /* of ONNX's own domain; 0: as the model's */
};

struct onnx_model {
	struct proto_bytes graph;
	struct onnx_function *functions;
	struct names function_names; /* "domain:name:overload" */
	uint32_t n_functions, room;
	uint64_t ir_version;
	uint32_t opset; /* of ONNX's own domain */
};

/* What parsing needs: the file, where memory comes from, where errors go. */
struct onnx_source {
	const struct input_file *file;
	struct arena *arena;
	struct error *error;
};

/* A message that is being read: its fields one after the other. */
struct onnx_reading {
	const struct onnx_source *source;
	struct proto at;
	struct proto_field field;
};

static inline struct onnx_reading mp_input_onnx_begin(
	const struct onnx_source *source, struct proto_bytes message)
{
	return (struct onnx_reading){.source = source,
		.at = mp_input_proto_message(
			source->file, source->error, message)};
}

/* A copy of a name. NULL: it is too long or not printable, which is an error at
 * the place, or memory is out. */
const char *mp_input_onnx_text(const struct onnx_source *source,
	struct proto_bytes text, size_t place);

static inline struct proto_bytes mp_input_onnx_bytes(const char *text)
{
	return (struct proto_bytes){(const unsigned char *)text, strlen(text)};
}

/* All functions return false after an error that has its byte. */
bool mp_input_onnx_parse_model(
	const struct onnx_source *source, struct onnx_model *model);
/* Types of outputs and values are parsed, those of inputs are not. */
bool mp_input_onnx_parse_graph(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_graph *graph);
bool mp_input_onnx_parse_type(
	const struct onnx_source *source, struct onnx_declared *declared);
bool mp_input_onnx_parse_tensor(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_tensor *tensor);

/* The next node or initializer of a graph; begin with its message or weights.
 * False too where there is none left. */
bool mp_input_onnx_next_node(struct onnx_reading *r,
	const struct onnx_graph *graph, struct onnx_node *node);
bool mp_input_onnx_next_weight(
	struct onnx_reading *r, struct onnx_tensor *tensor);

/* A function becomes a graph with undeclared inputs and outputs. */
bool mp_input_onnx_parse_function(const struct onnx_source *source,
	const struct onnx_function *function, struct onnx_graph *graph);

/* Looks like an ONNX model: the whole top level, or, for the better error, its
 * beginning. */
bool mp_input_onnx_looks_like_model(const struct input_file *file);

/* --------------------------------------------------- onnx-content.c */

/* A number of a content: which of the two the type of the value says. */
union onnx_number {
	int64_t i;
	double d;
};

/* The numbers of a tensor. *content stays NULL if they are not in the file, are
 * too many, or are none. */
bool mp_input_onnx_content(const struct onnx_source *source,
	const struct onnx_tensor *tensor, uint64_t n,
	const union onnx_number **content);

/* A list of integers of an attribute, of at most ONNX_NUMBERS. */
struct onnx_ints {
	const union onnx_number *at;
	uint32_t n;
	bool given;
};

bool mp_input_onnx_attribute_ints(const struct onnx_source *source,
	const struct onnx_attribute *attribute, struct onnx_ints *ints);
bool mp_input_onnx_attribute_floats(const struct onnx_source *source,
	const struct onnx_attribute *attribute,
	const union onnx_number **content, uint32_t *n);

/* The number as the type holds it: rounded or wrapped. */
union onnx_number mp_input_onnx_fit(uint32_t type, union onnx_number number);

/* --------------------------------------------------- onnx-formula.c */

/* The value of the name of n bytes; false: it has none. */
typedef bool onnx_lookup(
	void *context, const char *name, size_t n, uint64_t *value);

/* "past + 1" from the values of its names. False: it is a plain name or no
 * formula, or it has no value that a dimension may have. */
bool mp_input_onnx_formula(
	const char *text, onnx_lookup *lookup, void *context, uint64_t *value);

/* ------------------------------------------------------ onnx-bind.c */

/* A dimension of an input that has no value. */
struct onnx_wish {
	const char *name; /* as --dim takes it: its own, or INPUT:AXIS */
	const char *input;
};

/* What the options say, and what they leave open. */
struct onnx_bindings {
	const struct input *input;
	struct onnx_wish *wishes;
	struct names wish_names; /* a name twice is one wish */
	uint32_t n_wishes, room;
	uint64_t guess; /* what a wish is meanwhile; but axis 0 is 1 */
};

/* Checks that every option names what the top graph has, and parses the types
 * of its inputs if there are options. */
bool mp_input_onnx_check_options(const struct onnx_source *source,
	const struct input *input, const struct onnx_graph *graph);

/* The number that --dim gives a dimension called so; false: none. */
bool mp_input_onnx_bound_dim(
	const struct input *input, const char *name, uint64_t *value);

/* The dimension of an input, by its name or as INPUT:AXIS; a wish if there is
 * none. False: memory is out. */
bool mp_input_onnx_bound_axis(const struct onnx_source *source,
	struct onnx_bindings *bindings, const struct onnx_declared *declared,
	uint32_t axis, uint64_t *value);

/* Leaves out wishes that are formulas of names with values and of other
 * wishes. */
void mp_input_onnx_settle_wishes(struct onnx_bindings *bindings);

/* The content that --value gives an input of n numbers; *content NULL: none. */
bool mp_input_onnx_bound_value(const struct onnx_source *source,
	const struct input *input, const char *name, uint32_t type, uint64_t n,
	const union onnx_number **content);

/* --shape '*=most' */
bool mp_input_onnx_wants_most(const struct input *input);

/* The shape that --shape gives a value; *type is 0 if it names none. True if
 * there is one. */
bool mp_input_onnx_bound_shape(const struct input *input, const char *name,
	uint64_t *dims, uint32_t *n_dims, uint32_t *type);

/* ----------------------------------------------------------- values */

struct onnx_shape {
	const uint64_t *at;
	uint32_t n;
};

enum {
	ONNX_FEW = 4, /* dimensions that need no memory of their own */
};

/* A value of the model: what a name stands for. */
struct onnx_value {
	const char *name; /* with the names of enclosing ops in front */
	struct onnx_shape shape;
	uint64_t n;			  /* elements */
	uint64_t bytes;			  /* as the arena holds them */
	const union onnx_number *content; /* n numbers; NULL: not known */
	const char *fault; /* why it has no bytes: "a sequence"; NULL: it has */
	uint8_t type;	   /* enum onnx_type */
	uint8_t kind;	   /* enum tensor_kind */
	bool shaped;
	bool constant;	   /* the same in every run */
	bool made;	   /* an op that stays produces it */
	bool is_input;	   /* of the whole model */
	uint32_t alias_of; /* value; NONE: no alias */
	uint32_t root;	   /* value that the chain of aliases ends at; itself
			      if it is no alias */
	uint32_t paired;   /* 1 more than the last op that may take its bytes */
	uint64_t alias_offset;
	struct choice_site site; /* its branch */
	uint32_t tensor; /* its number in the graph; NONE: none, then 0 if an
			    op reads or writes it */
	uint64_t few[ONNX_FEW]; /* its shape, if that is short */
};

/* ------------------------------------------------------ onnx-call.c */

struct onnx_result {
	uint64_t dims[ONNX_RANK];
	uint32_t n_dims;
	uint32_t type; /* 0: that of input 0 */
	bool shaped;
	const char *kind; /* it is no tensor: "a sequence"; NULL: it is */
	const union onnx_number *content;
	uint64_t n;
};

enum {
	ONNX_RESULTS = 4096, /* most outputs that a rule gives a shape */
};

/* An op that a rule is asked for. */
struct onnx_call {
	const struct onnx_source *source;
	const struct onnx_node *node;
	const struct onnx_rule *rule;
	const struct onnx_value *const *in; /* NULL: not given */
	struct onnx_result *out; /* n_out, and one that a rule may fill */
	uint32_t n_in, n_out;	 /* n_out at most ONNX_RESULTS */
	uint32_t opset;
	bool most;	  /* --shape '*=most': a shape that depends on data is
			     the largest that it may be */
	bool has_most;	  /* the rule knows it */
	uint32_t unknown; /* input with a content that is needed and unknown;
			   * NONE
			   */
	const char *why;  /* why there is no shape; NULL: see unknown */
	bool wrong;	  /* the op contradicts itself: `why` is an error */
};

/* A rule fills `out` and returns true; else it returns one of these. */
bool mp_input_onnx_wrong(struct onnx_call *call, const char *format, ...)
	MP_PRINTF(2, 3);
bool mp_input_onnx_unknown(struct onnx_call *call, uint32_t input);

/* Is the largest shape wanted? The rule knows it. */
bool mp_input_onnx_takes_most(struct onnx_call *call);

/* The first attribute of that name; NULL: none. */
const struct onnx_attribute *mp_input_onnx_attribute(
	const struct onnx_node *node, const char *name);
const struct onnx_attribute *mp_input_onnx_find_attribute(
	const struct onnx_attributes *list, struct proto_bytes name);

int64_t mp_input_onnx_int(
	const struct onnx_call *call, const char *name, int64_t otherwise);
bool mp_input_onnx_text_is(
	const struct onnx_call *call, const char *name, const char *text);

/* Integers of an attribute; if it is not there, given is false. */
bool mp_input_onnx_ints(
	struct onnx_call *call, const char *name, struct onnx_ints *ints);

/* Integers of input k, or, if it is not given and the name is not NULL, of the
 * attribute. */
bool mp_input_onnx_list(struct onnx_call *call, uint32_t k, const char *name,
	struct onnx_ints *ints);

/* Is element i of a content that is known not 0? */
bool mp_input_onnx_is_set(const struct onnx_value *value, uint64_t i);

/* Input k with its shape, or NULL after a failure. */
const struct onnx_value *mp_input_onnx_in(struct onnx_call *call, uint32_t k);
bool mp_input_onnx_given(const struct onnx_call *call, uint32_t k);

/* The input with a rank of at least `least`. */
const struct onnx_value *mp_input_onnx_ranked(
	struct onnx_call *call, uint32_t k, uint32_t least);

/* An axis from 0; negative ones count from the rank. */
bool mp_input_onnx_axis(
	struct onnx_call *call, int64_t axis, uint32_t rank, uint32_t *place);

/* The axes of a list, marked; each once. */
bool mp_input_onnx_mark_axes(struct onnx_call *call,
	const struct onnx_ints *axes, uint32_t rank, bool *marked);

/* Output k gets a shape and a type (0: that of input 0). */
bool mp_input_onnx_give(struct onnx_call *call, uint32_t k, uint32_t type,
	const uint64_t *dims, uint32_t n);
bool mp_input_onnx_give_like(struct onnx_call *call, uint32_t k, uint32_t type,
	const struct onnx_value *like);

/* One dimension more for output k; first mp_input_onnx_give() with n 0. */
bool mp_input_onnx_push(struct onnx_call *call, uint32_t k, uint64_t dim);

/* Broadcasts b into a; false if they do not fit, and a is lost. */
bool mp_input_onnx_broadcast(
	uint64_t *a, uint32_t *n_a, const uint64_t *b, uint32_t n_b);

/* ------------------------------------------------------------ rules */

enum onnx_trait {
	ONNX_IN_PLACE = 1,  /* output 0 may take the bytes of input 0 */
	ONNX_ANY_PLACE = 2, /* or of any input */
	ONNX_VIEW = 4,	    /* output 0 has the bytes of input 0 */
	ONNX_RANDOM = 8,    /* not the same in every run */
	ONNX_SLICES = 16,   /* outputs are ranges of input 0 */

	ONNX_ALSO_MICROSOFT = 32, /* com.microsoft has the same op */
};

typedef bool onnx_shape_rule(struct onnx_call *call);

/* Fills the content of outputs, which have shapes; leaves NULL what it
 * cannot say. Contents of inputs may be NULL. If memory is out, the source's
 * error says so. */
typedef void onnx_fold_rule(struct onnx_call *call);

/* Ops of another domain than ONNX's own have it in front of their names:
 * "com.microsoft.Attention". */
struct onnx_rule {
	const char *name;
	onnx_shape_rule *shape;
	onnx_fold_rule *fold; /* NULL: none */
	uint32_t traits;
};

/* ------------------------------------------------------ onnx-fold.c */

/* Folds are rules of the table, by what they do. combine and reduce take what
 * they compute from the name of the rule. */
onnx_fold_rule mp_input_onnx_fold_cast, mp_input_onnx_fold_clip,
	mp_input_onnx_fold_combine, mp_input_onnx_fold_concat,
	mp_input_onnx_fold_constant_of_shape, mp_input_onnx_fold_expand,
	mp_input_onnx_fold_gather, mp_input_onnx_fold_gather_elements,
	mp_input_onnx_fold_non_zero, mp_input_onnx_fold_range,
	mp_input_onnx_fold_reduce, mp_input_onnx_fold_same,
	mp_input_onnx_fold_shape, mp_input_onnx_fold_size,
	mp_input_onnx_fold_slice, mp_input_onnx_fold_split,
	mp_input_onnx_fold_tile, mp_input_onnx_fold_transpose,
	mp_input_onnx_fold_where;

/* Room for the content of output k, which has a shape; NULL: it has too many
 * numbers, or memory is out. */
union onnx_number *mp_input_onnx_fold_room(struct onnx_call *call, uint32_t k);

/* The contents of the first n inputs are all known. */
bool mp_input_onnx_fold_known(const struct onnx_call *call, uint32_t n);

/* A walk through a value in the order of another shape: strides in
 * elements, one an axis of that shape. */
struct onnx_steps {
	int64_t first, step[ONNX_RANK];
};

/* The element at the i-th place of the shape. */
uint64_t mp_input_onnx_step(const struct onnx_steps *steps,
	const struct onnx_result *shape, uint64_t i);

/* The walk through a value that is broadcast to the shape. */
struct onnx_steps mp_input_onnx_broadcast_steps(
	const struct onnx_value *value, const struct onnx_result *shape);

/* Elements from one entry of an axis to the next. */
uint64_t mp_input_onnx_stride(const struct onnx_shape *shape, uint32_t axis);

/* ---------------------------------------------------- onnx-slices.c */

/* What Slice takes of each axis, which has dims elements: count elements from
 * `first`, `step` apart. False: the call is wrong, or not known. */
bool mp_input_onnx_slice(struct onnx_call *call, uint32_t rank,
	const uint64_t *dims, int64_t *first, int64_t *step, uint64_t *count);

/* ------------------------------------------------------- onnx-ops.c */

/* The families of rules, one a file. */
struct onnx_family {
	const struct onnx_rule *rules;
	uint32_t n;
};

extern const struct onnx_family mp_input_onnx_plain, mp_input_onnx_windows,
	mp_input_onnx_moves, mp_input_onnx_reductions, mp_input_onnx_matrices,
	mp_input_onnx_generators, mp_input_onnx_recurrent,
	mp_input_onnx_attentions, mp_input_onnx_by_data;

#define ONNX_FAMILY(rows)                                                      \
	{                                                                      \
		rows, countof(rows)                                            \
	}

/* All rules by their names, for mp_input_onnx_find_rule(). */
bool mp_input_onnx_name_rules(struct names *rules, struct arena *arena);

/* Fills the node's type and rule. */
bool mp_input_onnx_find_rule(const struct onnx_source *source,
	const struct names *rules, struct onnx_node *node);

/* The name nearest to the node's type; NULL: none is near. */
const char *mp_input_onnx_nearest(const struct onnx_node *node);

/* ----------------------------------------------------- onnx-scope.c */

struct onnx_list {
	uint32_t *at;
	uint32_t n, room;
};

/* What an optional input of a function stands for that its call leaves out. */
#define ONNX_ABSENT (NONE - 1)

/* What a name of a scope stands for. */
struct onnx_symbol {
	const char *name;
	uint32_t value;	   /* NONE: none yet */
	uint32_t declared; /* output of the graph, then declared value; NONE:
			      neither */
};

/* Names of a graph or of a function. */
struct onnx_scope {
	const struct onnx_scope *outer; /* that it sees the names of; or NULL */
	const struct onnx_scope *caller;      /* around it; NULL: the top */
	const struct onnx_function *function; /* NULL: a graph */
	const struct onnx_graph *graph;
	const char *prefix; /* "NODE/" of the ops around; "" of the top */
	struct names names; /* to symbols */
	struct onnx_symbol *symbols;
	uint32_t n_symbols, room;
	const struct onnx_node *call; /* of a function */
	uint32_t opset;
	uint32_t depth;	 /* 1: the top */
	bool is_written; /* in a function that is written out */
};

struct onnx_pairs {
	struct inplace_pair *at; /* of values */
	uint32_t n, room;
};

struct onnx_op {
	const char *name, *type;
	struct onnx_list inputs, outputs; /* values */
	struct onnx_pairs pairs;
	bool barrier;
};

/* The values of a node: NONE and NULL are those that are not given. */
struct onnx_values {
	uint32_t *in, *out;
	const struct onnx_value **read; /* those of in */
	uint32_t room_in, room_out;
};

struct onnx_build {
	struct onnx_source source;
	const struct input *input;
	struct graph *graph;
	struct onnx_model model;
	struct names rules;	     /* of ops */
	struct onnx_result *results; /* of the op that is being walked, and
					one more */
	uint32_t room_results;
	struct onnx_bindings bindings;
	struct onnx_node *nodes[ONNX_DEPTH + 1]; /* that are being walked, by
						    depth; NULL: none yet */
	struct onnx_value *spare; /* where the next value is, of VALUES */
	struct onnx_value **values;
	struct onnx_op **ops;
	uint32_t n_values, room_values, n_ops, room_ops;
	uint32_t n_nodes, n_written; /* that were walked; those of functions */
	uint64_t parsed;   /* bytes of graphs in graphs and of functions */
	uint64_t contents; /* numbers that are kept */
	struct graph_loop *loops; /* carried are values */
	uint32_t n_loops, room_loops;
	struct choice_site *sites; /* of the choices */
	uint32_t n_choices, room_sites;
	struct choice_site site; /* that is being laid out */
	bool any_type; /* ops may use values without bytes, such as sequences:
			  for tests of shapes */
	uint32_t n_contradictions;    /* rules against declarations */
	const char *contradiction;    /* the first value */
	const char *location;	      /* of external data; NULL: none */
	const struct onnx_dim *batch; /* first dimension of the inputs, which
					 is open in all; NULL: none yet */
	uint64_t batch_items;
	bool no_batch;	 /* there is none */
	bool wants_most; /* --shape '*=most' */
	bool hopeless;	 /* the model fails, and no --dim helps */
};

/* A new value. NULL: memory is out. */
struct onnx_value *mp_input_onnx_value(
	struct onnx_build *build, const char *name, uint32_t *index);

/* A new value that the symbol stands for. NULL after an error: it has a value,
 * or memory is out, or there is no symbol. */
struct onnx_value *mp_input_onnx_make(struct onnx_build *build,
	const struct onnx_scope *scope, struct onnx_symbol *symbol,
	size_t place, uint32_t *index);

/* The name with the scope's prefix. NULL: it is too long, or memory is out. */
const char *mp_input_onnx_prefixed(struct onnx_build *build,
	const struct onnx_scope *scope, struct proto_bytes name);

bool mp_input_onnx_scope_init(struct onnx_build *build,
	struct onnx_scope *scope, const struct onnx_graph *graph);

/* The symbol of a name, valid until the next one is made. NULL: memory is out.
 */
struct onnx_symbol *mp_input_onnx_symbol(struct onnx_build *build,
	struct onnx_scope *scope, struct proto_bytes name);

/* Gives a value a name in the scope; an error if the name is taken. */
bool mp_input_onnx_define(struct onnx_build *build, struct onnx_scope *scope,
	struct proto_bytes name, uint32_t value, size_t place);

/* The value that a name stands for, from the inside out; NONE: none. */
uint32_t mp_input_onnx_find(
	const struct onnx_scope *scope, struct proto_bytes name);

/* Sets type and shape, and counts elements and bytes. False with an error at
 * the place: too large. */
bool mp_input_onnx_set_shape(struct onnx_build *build, struct onnx_value *value,
	uint32_t type, const uint64_t *dims, uint32_t n, size_t place);

/* The declaration of a symbol of the scope; NULL: none. */
const struct onnx_declared *mp_input_onnx_declaration(
	const struct onnx_scope *scope, const struct onnx_symbol *symbol);

/* The shape that a value is declared to have, or that --shape says; type 0: not
 * said. False: neither, or some dimension is not known. */
bool mp_input_onnx_said_shape(const struct onnx_build *build,
	const struct onnx_scope *scope, const struct onnx_symbol *symbol,
	uint64_t *dims, uint32_t *n, uint32_t *type);

/* "model.onnx: node 'x' (Conv), at byte 7: ...". Always false. */
bool mp_input_onnx_fail(const struct onnx_build *build,
	const struct onnx_node *node, const char *format, ...) MP_PRINTF(3, 4);

/* ------------------------------------------------------ onnx-emit.c */

/* A new op; NULL: memory is out. */
struct onnx_op *mp_input_onnx_op_add(
	struct onnx_build *build, const char *name, const char *type);

/* An op reads and writes a value. */
bool mp_input_onnx_reads(struct onnx_build *build, const struct onnx_node *node,
	struct onnx_op *op, uint32_t value);
bool mp_input_onnx_writes(struct onnx_build *build,
	const struct onnx_node *node, struct onnx_op *op, uint32_t value);

/* Output `out` of the newest op may have the bytes of its input `in`, unless an
 * element of the one needs another element of the other: they have as many
 * elements of one width. */
bool mp_input_onnx_pair(struct onnx_build *build, struct onnx_op *op,
	uint32_t out, uint32_t in);

/* The op of a node, with in-place pairs and views. */
bool mp_input_onnx_emit(struct onnx_build *build,
	const struct onnx_scope *scope, struct onnx_call *call);

/* ------------------------------------------------------ onnx-walk.c */

/* Initializers of the scope's graph become values. */
bool mp_input_onnx_initializers(
	struct onnx_build *build, struct onnx_scope *scope);

/* Walks the nodes of a graph; its inputs are defined in the scope. */
bool mp_input_onnx_walk(struct onnx_build *build, struct onnx_scope *scope);

/* Input k of a node; NONE: not given. False: no node before it makes it. */
bool mp_input_onnx_input(struct onnx_build *build,
	const struct onnx_scope *scope, const struct onnx_node *node,
	uint32_t k, uint32_t *value);

/* ----------------------------------------- onnx-flow.c, onnx-loop.c */

/* Walks a node that has graphs, or is a call of a function. *is_flow false: it
 * is neither. */
bool mp_input_onnx_flow(struct onnx_build *build, struct onnx_scope *scope,
	const struct onnx_node *node, bool *is_flow);

/* A graph in an attribute of a node, as a scope without inputs. */
bool mp_input_onnx_open_graph(struct onnx_build *build,
	const struct onnx_scope *scope, const struct onnx_node *node,
	const char *attribute, struct onnx_scope *inner);

/* The value of output k of the scope's graph. */
bool mp_input_onnx_result(struct onnx_build *build,
	const struct onnx_scope *scope, uint32_t k, uint32_t *value);

/* "NAME/SUFFIX", with the scope's prefix: an op of a node with graphs. */
struct onnx_op *mp_input_onnx_flow_op(struct onnx_build *build,
	const struct onnx_scope *scope, const struct onnx_node *node,
	const char *suffix);

bool mp_input_onnx_loop(struct onnx_build *build, struct onnx_scope *scope,
	const struct onnx_node *node);
bool mp_input_onnx_scan(struct onnx_build *build, struct onnx_scope *scope,
	const struct onnx_node *node);

/* ---------------------------------------------------- onnx-finish.c */

/* Fills the graph. */
bool mp_input_onnx_finish(
	struct onnx_build *build, const struct onnx_scope *top);

/* ----------------------------------------------------------- onnx.c */

/* Reads a model up to its values and ops; mp_input_onnx_finish() makes the
 * graph of them. The build has a guess for dimensions without a value; then it
 * has wishes. The scope has the names of the top. */
bool mp_input_onnx_build(const struct input *input, struct graph *graph,
	struct onnx_build *build, struct onnx_scope *top, struct arena *arena,
	struct error *e);

#endif
