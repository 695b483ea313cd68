/*
 * What is behind the public handle. Seen by the street (memplan.c) and by the
 * answers (answers.c), and by nothing else.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_HANDLE_H
#define MP_HANDLE_H

#include "memplan/memplan.h"

#include "arena.h"
#include "emit/emit.h"
#include "graph.h"
#include "input/input.h"
#include "options.h"
#include "order/order.h"
#include "plan.h"
#include "planner.h"

struct memplan {
	struct options options;
	struct input input;
	struct arena arena;
	struct error error;
	struct graph graph;
	struct problem problem;
	struct plan plan;
	struct sink sink;
	atomic_bool stop;
	uint64_t least_bound; /* of any order that was planned */
	bool has_graph, has_plan;
};

#endif
