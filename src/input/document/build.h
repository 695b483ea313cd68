/*
 * What the graph and the plan reader share: from JSON to the tensors and ops of
 * a graph. The two formats differ in a few keys only, see build-tensors.c and
 * build-ops.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_DOCUMENT_BUILD_H
#define MP_INPUT_DOCUMENT_BUILD_H

#include "base/names.h"
#include "input/times.h"
#include "json/json.h"

/* How a document may refer to a tensor. */
struct refs {
	struct names numbers; /* ids that are integers, in decimal */
	struct names texts;   /* ids that are strings */
	struct names names;
	bool *shared; /* another tensor has the same name */
};

/* How a document may refer to an op. */
struct op_refs {
	struct json_at at;  /* the list of ops */
	struct names names; /* filled when the first op is called by name */
	bool *shared;	    /* another op has the same name */
};

struct build {
	struct graph *graph;
	struct refs refs;
	struct op_refs op_refs;
	struct names pools;	/* indices of the graph's */
	struct names pool_keys; /* indices of lists of pools, by what is in
				   them */
	struct pool_list *pool_lists; /* those that became the graph's */
	uint32_t n_pool_lists;
	uint64_t pool_alignment; /* least that a pool may ask for */
	bool is_plan;
	uint32_t n_listed;	/* tensors that the document lists */
	uint32_t n_tensors;	/* with the temporaries found so far */
	struct time_span *span; /* of pinned tensors, as the document has it */
	uint32_t *writer;	/* of a tensor: op + 1, as far as read */
	uint32_t *reader;	/* last op + 1 that reads a tensor */
	uint32_t *list;		/* room for any list of indices */
	struct gap_list gaps;	/* in lifetimes, as the document has them */
	uint32_t n_aliases;	/* tensors that are said to be aliases */
	uint32_t *alias_of;	/* of a tensor: its place among them, or NONE;
				   NULL: there are none */
	struct arena *arena;
	struct error *error;
};

enum {
	DECIMAL_TEXT = 24,
};

/* The number in decimal; returns out. */
const char *mp_input_decimal(uint64_t number, char *out);

/* A copy of the number in decimal. */
const char *mp_input_decimal_copy(uint64_t number, struct arena *arena);

/* Format and version, which every document of ours has. */
bool mp_input_build_format(const struct json_at *format,
	const struct json_at *version, const char *wanted);

/* An alignment: a power of two up to 2^30. */
bool mp_input_build_alignment(const struct json_at *at, uint64_t *alignment);

/* The pools, before the tensors that name them; may be absent. */
bool mp_input_build_pools(struct build *b, const struct json_at *at);

/* A list of pools, or of a plan's tensor the one: index into pool_lists. */
bool mp_input_build_pool_list(
	struct build *b, const struct json_at *at, uint16_t *list);
bool mp_input_build_pool(
	struct build *b, const struct json_at *at, uint16_t *list);

/* Tensors and ops; either may be absent. */
bool mp_input_build_graph(struct build *b, const struct json_at *tensors,
	const struct json_at *ops);

/* The graphs of a bundle, once tensors and ops are there; both may be absent.
 */
bool mp_input_build_bundle(struct build *b, const struct json_at *together,
	const struct json_at *graphs);

/* The keys of a graph document that constrain the order, neighbours in its
 * table of keys. */
enum {
	CONSTRAINT_KEEP,
	CONSTRAINT_FIRST,
	CONSTRAINT_LAST,
	CONSTRAINT_BARRIERS,
	CONSTRAINT_DISPLACEMENT,
	N_CONSTRAINTS,
};

/* Reads them, once the ops are there. */
bool mp_input_build_constraints(struct build *b, const struct json_at *found);

/* The keys of a document on what tensors do to each other's bytes, neighbours
 * in its table of keys. */
enum {
	RELATION_APART,
	RELATION_RESERVED,
	RELATION_EXCLUSIVE,
	N_RELATIONS,
};

/* Reads them, once the tensors are there. */
bool mp_input_build_relations(struct build *b, const struct json_at *found);

/* Where inputs and outputs are: the name of a policy. */
bool mp_input_build_policy(const struct json_at *at, uint8_t *policy);

/* Reads the list of groups, once the tensors are there. */
bool mp_input_build_groups(struct build *b, const struct json_at *at);

/* A list of ops. */
bool mp_input_op_refs_list(
	struct build *b, const struct json_at *at, struct ids *ids);

/* What was gathered in the room for lists, as a list of its own. */
bool mp_input_build_keep_list(struct build *b, struct ids *ids, uint32_t n);

/* The stages of the above. */
bool mp_input_build_tensors(struct build *b, const struct json_at *tensors);
bool mp_input_build_ops(struct build *b, const struct json_at *ops);
bool mp_input_build_gaps(
	struct build *b, const struct json_at *at, uint32_t tensor);
bool mp_input_build_aliases(struct build *b, const struct json_at *tensors);
bool mp_input_build_is_alias(const struct build *b, uint32_t tensor);
bool mp_input_refs_fill(struct build *b, const struct json_at *tensors);
bool mp_input_refs_find(
	const struct build *b, const struct json_at *at, uint32_t *tensor);

#endif
