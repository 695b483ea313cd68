/*
 * Building a graph from JSON, for the readers of graphs and of plans. The two
 * formats differ in a few keys only, see build-tensors.c and build-ops.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_DOCUMENT_BUILD_H
#define MP_INPUT_DOCUMENT_BUILD_H

#include "base/names.h"
#include "base/numbers.h"
#include "input/input.h"
#include "input/times.h"
#include "json/json.h"

/* References to tensors: by id or by name. */
struct refs {
	struct numbers numbers; /* ids that are integers */
	struct names texts;	/* ids that are strings */
	struct names names;	/* filled at the first reference by text */
	bool *shared;		/* of a tensor: another one has the same name */
};

/* References to ops: by index or by name. */
struct op_refs {
	struct json_at at;  /* the list of ops */
	struct names names; /* filled at the first reference by name */
	bool *shared;	    /* of an op: another one has the same name */
};

struct build {
	struct graph *graph;
	struct refs refs;
	struct op_refs op_refs;
	struct names pools;	/* name -> index of the pool */
	struct names pool_keys; /* "0,2," -> index of the list of these pools */
	struct pool_list *pool_lists; /* of the graph */
	uint32_t n_pool_lists;
	uint64_t pool_alignment; /* least alignment of a pool */
	bool is_plan;
	uint32_t n_listed;	/* tensors in the document's list */
	uint32_t n_tensors;	/* with the temporaries found so far */
	struct time_span *span; /* of a pinned tensor: its lifetime as given */
	uint32_t *writer;	/* of a tensor: op + 1, as far as read */
	uint32_t *reader;	/* last op + 1 that reads a tensor */
	uint32_t *list;		/* scratch for a list of indices */
	bool has_op_branches;	/* some op says its branch */
	struct gap_list gaps;	/* as given */
	uint32_t n_aliases;	/* tensors with the key alias */
	uint32_t *alias_of; /* of a tensor: the number of its alias, or NONE;
			       NULL: there are no aliases */
	struct arena *arena;
	struct error *error;
};

enum {
	DECIMAL_TEXT = 24,
};

/* The number in decimal, somewhere in DECIMAL_TEXT bytes of room. */
const char *mp_input_decimal(uint64_t number, char *room);

/* The keys of a document. A graph has the ones up to KEY_LOOPS, a plan
 * those from KEY_FORMAT on. */
enum {
	KEY_KEEP,
	KEY_FIRST,
	KEY_LAST,
	KEY_BARRIERS,
	KEY_DISPLACEMENT,
	KEY_BATCH,
	KEY_ALIGNMENT, /* of a graph; KEY_PLAN_ALIGNMENT of a plan */
	KEY_FORMAT,
	KEY_VERSION,
	KEY_NAME,
	KEY_POOLS,
	KEY_TENSORS,
	KEY_OPS,
	KEY_GROUPS,
	KEY_INPUTS,
	KEY_OUTPUTS,
	KEY_APART,
	KEY_REUSE_COST,
	KEY_RESERVED,
	KEY_EXCLUSIVE,
	KEY_LOOPS,
	KEY_PLAN_ALIGNMENT,
	KEY_ARENA_SIZE,
	KEY_THEORETICAL_MIN,
	KEY_LOWER_BOUND,
	KEY_BOUND_KIND,
	KEY_CLIQUE,
	KEY_OPTIMAL,
	KEY_PAIRS_BOUND,
	KEY_COST_PAID,
	KEY_COST_BOUND,
	KEY_BANK_COST,
	KEY_BANK_BOUND,
	KEY_CUT_SHORT,
	KEY_TARGET,
	KEY_PADDING,
	KEY_BASE_ALIGNMENT,
	KEY_PLANNER,
	KEY_ORDER,
	KEY_TOGETHER,
	KEY_GRAPHS,
	KEY_BUCKETS,
	KEY_SAME,
	N_DOCUMENT_KEYS,
};

static inline const char *mp_input_build_label(
	const struct build *b, uint32_t tensor)
{
	return mp_graph_tensor_label(&b->graph->tensors[tensor]);
}

/* An alignment: a power of two up to 2^30. */
bool mp_input_build_alignment(const struct json_at *at, uint64_t *alignment);

/* Reads which tensors of a plan lie at one offset; may be absent. */
bool mp_input_build_same(struct build *b, const struct json_at *at);

/* Reads the pools, before the tensors that name them; may be absent. */
bool mp_input_build_pools(struct build *b, const struct json_at *at);

/* Reads the pools of a tensor, a list in a graph and one in a plan, as index
 * into pool_lists. */
bool mp_input_build_pool_list(
	struct build *b, const struct json_at *at, uint16_t *list);
bool mp_input_build_pool(
	struct build *b, const struct json_at *at, uint16_t *list);

/* Reads the keys that constrain the order of a graph, after the ops. */
bool mp_input_build_constraints(struct build *b, const struct json_at *found);

/* Reads what only a plan has, last: its margins, results and members. */
bool mp_input_build_results(struct build *b, const struct json_at *found);

/* Reads the relations between tensors, once the tensors are read. */
bool mp_input_build_relations(struct build *b, const struct json_at *found);

/* Reads the loops, after tensors and ops. */
bool mp_input_build_loops(struct build *b, const struct json_at *at);

/* Reads the list of groups, after the tensors. */
bool mp_input_build_groups(struct build *b, const struct json_at *at);

/* Reads a list of ops. */
bool mp_input_op_refs_list(
	struct build *b, const struct json_at *at, struct ids *ids);

/* Parts of a document. */
bool mp_input_build_tensors(struct build *b, const struct json_at *tensors);
bool mp_input_build_ops(struct build *b, const struct json_at *ops);
bool mp_input_build_gaps(
	struct build *b, const struct json_at *at, uint32_t tensor);
bool mp_input_build_aliases(struct build *b, const struct json_at *tensors);
bool mp_input_build_is_alias(const struct build *b, uint32_t tensor);
bool mp_input_refs_fill(struct build *b, const struct json_at *tensors);
bool mp_input_refs_find(
	struct build *b, const struct json_at *at, uint32_t *tensor);

#endif
