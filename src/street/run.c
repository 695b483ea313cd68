/*
 * Begins a run: derives what it has to do from the handle's options, and drops
 * the results of the run before.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

/* The offsets of a plan stay unless a planner is asked for by name; those of
 * joined plans always stay. */
struct run mp_street_run(memplan *m)
{
	const struct options *options = &m->options;
	struct run run = {.caller = m,
		.planner = mp_planner_find(options->planner),
		.order = mp_order_find(m->joined ? "keep" : options->order),
		.capacity = options->capacity,
		.align = options->align,
		.equal = options->equal};

	assert(run.planner && run.order);
	run.keeps_offsets = m->joined || strcmp(run.planner->name, "auto") == 0;
	if (options->budget > 0)
		run.capacity = num_min(run.capacity, options->budget);
	return run;
}

void mp_street_forget_results(memplan *m)
{
	mp_arena_free(&m->run);
	m->run = mp_arena_within(&m->arena, &m->error);
	m->error.n_warnings = m->n_read_warnings;
	m->planned = NULL;
	m->plan = (struct plan){0};
	m->results = (struct results){.read_seconds = m->read_seconds};
	m->found = (struct findings){0};
	m->has_plan = m->unverified = false;
}

struct run mp_street_begin(memplan *m)
{
	mp_street_call(m);
	mp_street_forget_results(m);
	return mp_street_run(m);
}

const struct graph *mp_street_graph(const memplan *m)
{
	if (m->planned)
		return m->planned;
	return m->has_graph ? &m->graph : NULL;
}
