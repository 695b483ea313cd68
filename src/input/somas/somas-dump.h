/*
 * Dumps of SOMAS, the memory planner of MindSpore: nodes in order of execution,
 * tensors, uses of tensors by nodes, and the graph made of them. Only for
 * somas-*.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_SOMAS_SOMAS_DUMP_H
#define MP_INPUT_SOMAS_SOMAS_DUMP_H

#include "base/names.h"
#include "input/input.h"
#include "input/lines.h"

/* Ids of tensors, nodes and streams stay below this. */
#define SOMAS_MOST UINT64_C(2147483647)

enum {
	SOMAS_GRAIN = 512, /* what SOMAS aligns to */
	SOMAS_GUARD = 512, /* before and after the tensors of a collective */
};

/* How long a tensor lives; the values are those of the dumps. */
enum somas_lifelong {
	LIFELONG_NONE,
	LIFELONG_ALL,
	LIFELONG_START,
	LIFELONG_END,
	N_LIFELONG,
};

struct somas_node {
	uint64_t id; /* nodes run in the order of their ids */
	uint64_t stream;
	const char *name;
	uint32_t line;
	bool sure; /* the stream is known for sure */
};

struct somas_tensor {
	uint64_t id, size, offset;
	uint64_t original;	/* bytes without padding; 0: unknown */
	uint64_t before, after; /* guards around it */
	const char *text;	/* the id */
	uint64_t source;	/* node; all lines must agree */
	enum somas_lifelong lifelong;
	uint32_t line;
	uint32_t same_as; /* parent in a union-find forest of tensors with the
			     same bytes */
	bool placed;
};

/* A node writes or reads a tensor. */
struct somas_use {
	uint32_t node, tensor;
	uint32_t line;
	bool writes;
};

/* `then` waits for `first`: nodes or streams. */
struct somas_wait {
	uint64_t first, then;
};

/* Members of contiguous lists, list by list. */
struct somas_member {
	uint32_t tensor, list;
};

struct somas {
	struct text_lines lines;
	struct somas_node *nodes;
	struct somas_tensor *tensors;
	struct somas_use *uses;
	struct somas_wait *waits, *groups; /* of node ids, of streams */
	struct somas_member *members;
	uint32_t n_nodes, n_tensors, n_uses, n_waits, n_groups, n_members;
	uint32_t n_lists;
	uint32_t n_unions; /* tensors with the bytes of unknown other tensors */
	uint32_t room;	   /* lines, words and references in the file */
	struct names node_ids, tensor_ids;
	struct arena *arena, *scratch;
	struct error *error;
};

/* Opens the main file, and allocates lists for as many nodes, tensors and
 * references as it can have. */
bool mp_input_somas_open(struct somas *s, const struct input *input,
	struct arena *arena, struct arena *scratch, struct error *e);

/* The node of that id, which is added if it is new. NONE: memory is out. */
uint32_t mp_input_somas_node(struct somas *s, uint64_t id);

/* The tensor of that id, which is added, with line 0, if it is new. NONE:
 * memory is out. */
uint32_t mp_input_somas_tensor(struct somas *s, uint64_t id);

/* A tensor that the current line lists, which no other line may; NULL: it does,
 * or memory is out. */
struct somas_tensor *mp_input_somas_list_tensor(struct somas *s, uint64_t id);

/* The tensor of that id, which a line above must list. */
bool mp_input_somas_known(const struct somas *s, uint64_t id, uint32_t *tensor);

/* Adds a tensor to the last contiguous list. */
void mp_input_somas_add_member(struct somas *s, uint32_t tensor);

/* The tensor of that id, or NONE. */
uint32_t mp_input_somas_find(const struct somas *s, uint64_t id);

void mp_input_somas_use(
	struct somas *s, uint32_t node, uint32_t tensor, bool writes);

/* The first of the tensors that have the same bytes. */
uint32_t mp_input_somas_root(struct somas *s, uint32_t tensor);

/* Notes that two tensors have the same bytes. */
void mp_input_somas_unite(struct somas *s, uint32_t a, uint32_t b);

/* Makes a graph of the dump. */
bool mp_input_somas_graph(
	struct somas *s, uint64_t alignment, struct graph *graph);

/* -------------------------------------- lists of dumps of the model */

struct somas_lists {
	struct somas_member *all; /* also those of lists that are replaced */
	uint32_t n;
	struct somas_member *guessed; /* tensors that collectives use; those
					 that one reads or writes are a list
					 each */
	uint32_t n_guessed;
	bool told; /* the dump has contiguous lists */
};

/* Two tensors that have the same bytes. */
struct somas_union {
	uint32_t first, next;
	uint32_t line;
};

bool mp_input_somas_lists_open(
	struct somas_lists *lists, const struct somas *s);

/* Adds a tensor to the list in the current line. */
void mp_input_somas_list(
	struct somas *s, struct somas_lists *lists, uint32_t tensor);

/* Takes the lists of the collectives if the dump has none, and subtracts guards
 * from the sizes of tensors that include them. */
void mp_input_somas_lists_close(struct somas_lists *lists, struct somas *s);

/* Checks that tensors with the same bytes have the same offset. */
bool mp_input_somas_join(
	struct somas *s, const struct somas_union *unions, uint32_t n);

#endif
