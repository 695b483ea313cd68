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
	struct schedule *schedule;
	struct problem problem; /* that of the schedule */
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

/* Links the fixture's graph and makes its problem; free the arena. */
static inline bool mp_testing_lifetime(
	struct fixture *f, const uint32_t *order, bool inplace)
{
	struct lifetime_options options = {.inplace = inplace};

	f->arena.error = &f->error;
	if (!mp_graph_link(&f->graph, &f->arena, &f->error))
		return false;
	f->schedule =
		mp_lifetime(&f->graph, order, &options, &f->arena, &f->error);
	if (f->schedule)
		f->problem = f->schedule->problem;
	return f->schedule != NULL;
}

#endif
