/*
 * What all public calls and runs have in common. A call begins without an
 * error; a run also drops the results of the run before, and derives what it
 * has to do from the handle's options.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------ calls */

void mp_street_call(struct sink *sink)
{
	struct error *e = sink->error;

	assert(e);
	e->code = MEMPLAN_OK;
	e->text[0] = '\0';
	e->line = e->column = 0;
	sink->length = 0;
}

enum memplan_status mp_street_give_bytes(
	const struct sink *sink, const void **bytes, size_t *length)
{
	bool fine = sink->error->code == MEMPLAN_OK;

	*bytes = fine ? sink->bytes : NULL;
	*length = fine ? sink->length : 0;
	return sink->error->code;
}

void mp_street_give(void *to, size_t size, const void *from, size_t own)
{
	size_t both = size < own ? size : own;

	assert(to);
	memcpy(to, from, both);
	memset((char *)to + both, 0, size - both);
}

void mp_street_forget_input(memplan *m)
{
	assert(!m->joined);
	mp_arena_free(&m->arena);
	m->input = (struct input){0};
	m->graph = (struct graph){0};
	m->near = NULL;
	m->before_policies = NULL;
	m->n_read_warnings = 0;
	m->has_graph = false;
}

/* ------------------------------------------------------------- runs */

bool mp_street_has_buckets(const memplan *m)
{
	return m->joined && m->options.together == TOGETHER_BUCKETS;
}

/* The offsets of a plan stay unless a planner is asked for by name; those of
 * joined plans always stay. */
struct run mp_street_run(memplan *m)
{
	const struct options *options = &m->options;
	bool stays = m->joined && !mp_street_has_buckets(m);
	struct run run = {.caller = m,
		.planner = mp_planner_find(options->planner),
		.order = mp_order_find(stays ? "keep" : options->order),
		.capacity = options->capacity,
		.align = options->align,
		.equal = options->equal,
		.spares = options->budget == 0};

	assert(run.planner && run.order);
	run.keeps_offsets = stays || strcmp(run.planner->name, "auto") == 0;
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
	m->brief = NULL;
	m->first = m->own = NULL;
	m->own_least = m->own_pairs = 0;
}

struct run mp_street_begin(memplan *m)
{
	mp_street_call(&m->sink);
	mp_street_forget_results(m);
	return mp_street_run(m);
}

/* What was changed half-way is no result: offsets without the size that they
 * take. */
enum memplan_status mp_street_end(memplan *m)
{
	enum memplan_status code = m->error.code;
	uint32_t n_warnings = m->error.n_warnings;

	assert(code != MEMPLAN_OK || m->results.schedule);
	atomic_store_explicit(&m->stop, false, memory_order_relaxed);
	if (code == MEMPLAN_ENOMEM || code == MEMPLAN_EINTERNAL)
		mp_street_forget_results(m);
	m->error.n_warnings = n_warnings;
	return code;
}

const struct graph *mp_street_graph(const memplan *m)
{
	if (m->planned)
		return m->planned;
	return m->has_graph ? &m->graph : NULL;
}

bool mp_street_unfold(memplan *m)
{
	if (m->brief && !mp_schedule_unfold(m->brief, &m->run))
		return false;
	m->brief = NULL;
	return true;
}

/* --------------------------------------------------------- progress */

static void tell_phase(void *context, uint64_t steps_left)
{
	const memplan *m = context;
	struct memplan_progress progress = {
		.phase = m->phase, .row = m->row, .steps_left = steps_left};

	assert(m->on_progress && m->phase);
	m->on_progress(m->progress_context, &progress, sizeof(progress));
}

struct watch mp_street_enter(memplan *m, const char *phase, const char *row)
{
	struct watch watch = {m->on_progress ? tell_phase : NULL, m};

	m->phase = phase;
	m->row = row;
	mp_watch_tell(&watch, 0);
	return watch;
}

/* A row that has to finish its first pass has no budget until then. */
void mp_street_tell_progress(void *context, const struct job *job)
{
	const memplan *m = context;
	struct memplan_progress progress = {.phase = "planning",
		.arena_size = job->height == UINT64_MAX ? 0 : job->height,
		.theoretical_min = job->problem->theoretical_min,
		.lower_bound = job->lower_bound,
		.steps_left = job->steps > NUM_MAX_BYTES ? 0 : job->steps};

	assert(m->on_progress);
	m->on_progress(m->progress_context, &progress, sizeof(progress));
}
