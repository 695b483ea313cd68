/*
 * The public handle: made, set, given its input, interrupted, freed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

memplan *memplan_new(void)
{
	memplan *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->arena.error = &m->error;
	m->sink.error = &m->error;
	mp_street_options_init(&m->options);
	return m;
}

void memplan_free(memplan *m)
{
	if (!m)
		return;
	mp_sink_free(&m->sink);
	mp_arena_free(&m->arena);
	free(m);
}

void mp_street_give(void *to, size_t size, const void *from, size_t own)
{
	size_t both = size < own ? size : own;

	assert(to);
	memcpy(to, from, both);
	memset((char *)to + both, 0, size - both);
}

/* ------------------------------------------------------- call and run */

void mp_street_call(memplan *m)
{
	assert(m);
	m->error.code = MEMPLAN_OK;
	m->error.text[0] = '\0';
	m->error.line = m->error.column = 0;
}

/* How long reading took is known of the input, not of a run. */
static void drop_results(memplan *m)
{
	double read_seconds = m->plan.read_seconds;

	m->plan = (struct plan){.read_seconds = read_seconds};
	m->problem = (struct problem){0};
	m->least_bound = 0;
	m->declined = NULL;
	m->misfit = MISFIT_NONE;
	m->misfit_why = NULL;
	m->has_plan = m->unverified = false;
}

void mp_street_begin(memplan *m)
{
	mp_street_call(m);
	drop_results(m);
}

/* An interrupt that came in the meantime has been obeyed. */
enum memplan_status mp_street_end(memplan *m)
{
	assert(m->error.code != MEMPLAN_OK || m->plan.problem);
	atomic_store_explicit(&m->stop, false, memory_order_relaxed);
	return m->error.code;
}

/* -------------------------------------------------- options and input */

enum memplan_status memplan_set(
	memplan *m, const char *option, const char *value)
{
	assert(option && value);
	mp_street_call(m);
	mp_street_options_set(&m->options, option, value, &m->error);
	m->arena.limit = m->sink.limit = m->options.max_memory;
	return m->error.code;
}

int memplan_option_at(uint32_t i, struct memplan_option *option, size_t size)
{
	const struct memplan_option *row = mp_street_options_row(i);

	if (!row)
		return 0;
	mp_street_give(option, size, row, sizeof(*row));
	return 1;
}

/* What was read makes room for the next input. */
static void forget_input(memplan *m)
{
	drop_results(m);
	mp_arena_free(&m->arena);
	m->input = (struct input){0};
	m->graph = (struct graph){0};
	m->has_graph = false;
	m->error.n_warnings = 0;
}

static uint32_t role_of(const char *role)
{
	static const char *const roles[N_ROLES] = {
		"graph", "tensor-size", "resize-info", "cost-info", "solution"};
	uint32_t i = 0;

	while (i < N_ROLES && strcmp(role, roles[i]) != 0)
		i++;
	return i;
}

enum memplan_status memplan_input(memplan *m, const char *role,
	const char *name, const void *bytes, size_t length)
{
	uint32_t i = role_of(role);

	assert(name && (bytes || length == 0));
	mp_street_call(m);
	if (i == N_ROLES)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			       "%s: unknown role '%s'", name, role),
		       m->error.code;
	if (m->has_graph && !m->joined)
		forget_input(m);
	name = mp_arena_text(&m->arena, name, strlen(name));
	if (name)
		m->input.files[i] = (struct input_file){name, bytes, length};
	return m->error.code;
}

/* ----------------------------------------------------------- progress */

void memplan_on_progress(memplan *m,
	void (*call)(void *context, const struct memplan_progress *progress,
		size_t size),
	void *context)
{
	m->on_progress = call;
	m->progress_context = context;
}

void memplan_interrupt(memplan *m)
{
	assert(m);
	atomic_store_explicit(&m->stop, true, memory_order_relaxed);
}
