/*
 * Calls the caller's progress function, if there is one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>

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
