/*
 * For tests: graphs made by hand, with their lifetimes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_SMALL_GRAPH_H
#define MP_TESTING_SMALL_GRAPH_H

#include "lifetime/lifetime.h"

#define IDS(...)                                                               \
	((struct ids){(const uint32_t[]){__VA_ARGS__},                         \
		sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)})

struct fixture {
	struct error error;
	struct arena arena;
	struct graph graph;
	struct problem problem;
};

/* A graph of alignment 1, not yet linked. */
static inline struct graph mp_testing_graph(struct op *ops, uint32_t n_ops,
	struct tensor *tensors, uint32_t n_tensors)
{
	return (struct graph){.name = "test",
		.place = "test",
		.alignment = 1,
		.n_ops = n_ops,
		.n_tensors = n_tensors,
		.ops = ops,
		.tensors = tensors};
}

/* Links the fixture's graph and finds its problem; free the arena. */
static inline bool mp_testing_lifetime(
	struct fixture *f, const uint32_t *order, bool inplace)
{
	struct lifetime_options options = {.inplace = inplace};

	f->arena.error = &f->error;
	return mp_graph_link(&f->graph, &f->arena, &f->error) &&
	       mp_lifetime(&f->graph, order, &options, &f->problem, &f->arena,
		       &f->error);
}

#endif
