/*
 * The reader of dsa-solver's problems: its state, and its parts. Only for this
 * folder; docs/formats/dsa.md.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_DSA_DSA_H
#define MP_INPUT_DSA_DSA_H

#include "base/names.h"
#include "graph/dsa-problem.h"
#include "input/input.h"
#include "input/times.h"
#include "json/json.h"

struct dsa_pool {
	uint64_t id, capacity;
	const char *name;
	bool is_used;
	struct banks banks;
	uint32_t place; /* among the pools of the graph, if used */
};

struct dsa_buffer {
	uint64_t id, size, align;
	const char *name;      /* NULL: none */
	const uint32_t *pools; /* places in the document's list, each once */
	uint32_t n_pools;
	const struct time_span *spans; /* ascending, apart */
	uint32_t n_spans;
	uint32_t first;	 /* the first buffer that lies where this one lies */
	uint32_t tensor; /* of the buffer `first` */
	uint64_t offset;
	bool pinned, alone; /* at that offset; alive throughout */
	bool is_joined;	    /* with another one at its place */
};

/* Two buffers of the document's list. */
struct dsa_pair {
	uint32_t a, b;
};

struct dsa {
	struct graph *graph;
	struct dsa_pool *pools;
	uint32_t n_pools;
	struct names pool_ids, buffer_ids; /* in decimal */
	struct dsa_buffer *buffers;
	uint32_t n_buffers;
	uint64_t alignment; /* of the graph */
	struct arena *arena;
	struct error *error;
};

/* The buffer, or the pool, that an id stands for. */
bool mp_input_dsa_buffer(
	struct dsa *d, const struct json_at *at, uint32_t *buffer);
bool mp_input_dsa_pool(struct dsa *d, const struct json_at *at, uint32_t *pool);

/* Two different buffers. */
bool mp_input_dsa_pair(struct dsa *d, const struct json_at *at,
	const struct json_at *first, const struct json_at *second,
	struct dsa_pair *pair);

/* Pools and buffers as the document lists them. */
bool mp_input_dsa_pools(struct dsa *d, const struct json_at *at);
bool mp_input_dsa_buffers(struct dsa *d, const struct json_at *at);

/* Before mp_input_dsa_tensors(): what makes several buffers one tensor, and
 * what fixes a place. */
bool mp_input_dsa_places(struct dsa *d, const struct json_at *constraints);

/* The tensors and pools of the graph. */
bool mp_input_dsa_tensors(struct dsa *d);

/* After it: what is between tensors, and what they must not touch. */
bool mp_input_dsa_separations(struct dsa *d, const struct json_at *constraints);
bool mp_input_dsa_exclusions(struct dsa *d, const struct json_at *constraints);
bool mp_input_dsa_reserved(struct dsa *d, const struct json_at *pools);
bool mp_input_dsa_penalties(struct dsa *d, const struct json_at *model);

/* A list of pairs under a key of the constraints. Each may have another key,
 * which means nothing here; NULL: it may not. */
bool mp_input_dsa_pairs(struct dsa *d, const struct json_at *constraints,
	const char *key, const char *other, struct dsa_pair **pairs,
	uint32_t *n);

/* 16 hexadecimal digits. NULL: memory is out. */
const char *mp_input_dsa_fingerprint(
	const struct json_at *root, struct arena *arena);

#endif
