/*
 * What SOMAS's dumps have in common: nodes in order of execution, tensors,
 * which node uses which, and the graph that follows. Used by somas_*.c alone.
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
	SOMAS_GUARD = 512, /* in front of and behind what collectives read */
};

/* From when to when a tensor lives, by its number in the dump. */
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
	bool sure; /* of the stream */
};

struct somas_tensor {
	uint64_t id, size, offset;
	uint64_t original;	/* bytes without padding; 0: not said */
	uint64_t before, after; /* that stay free around it */
	const char *text;	/* the id */
	uint64_t source;	/* as one line says; others must say so too */
	enum somas_lifelong lifelong;
	uint32_t line;
	uint32_t same_as; /* has the bytes of this one; itself if of none */
	bool placed;
};

/* A node writes or reads a tensor. */
struct somas_use {
	uint32_t node, tensor;
	uint32_t line;
	bool writes;
};

/* A node waits for another one, or a stream for another one. */
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
	uint32_t n_unions; /* tensors with the bytes of unknown others */
	uint32_t room;	   /* lines, and words and references in them */
	struct names node_ids, tensor_ids;
	struct arena *arena, *scratch;
	struct error *error;
};

/* The main file, and room for as many of each as it can name: no more nodes and
 * references than room. */
bool mp_input_somas_open(struct somas *s, const struct input *input,
	struct arena *arena, struct arena *scratch, struct error *e);

/* The node of that id, which is made if it is not there; NONE: no memory. */
uint32_t mp_input_somas_node(struct somas *s, uint64_t id);

/* Likewise; the new tensor has line 0. */
uint32_t mp_input_somas_tensor(struct somas *s, uint64_t id);

/* The tensor of that id, or NONE. */
uint32_t mp_input_somas_find(const struct somas *s, uint64_t id);

void mp_input_somas_use(
	struct somas *s, uint32_t node, uint32_t tensor, bool writes);

/* The tensor that stands for all that have its bytes: the first of them. */
uint32_t mp_input_somas_root(struct somas *s, uint32_t tensor);

/* The two have the same bytes. */
void mp_input_somas_unite(struct somas *s, uint32_t a, uint32_t b);

/* Streams of one op each become few, if each op has its own. */
bool mp_input_somas_chain(struct graph *graph, struct arena *scratch);

/* All of it as a graph. */
bool mp_input_somas_graph(
	struct somas *s, uint64_t alignment, struct graph *graph);

#endif
