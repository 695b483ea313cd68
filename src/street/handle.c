/*
 * The public handle: it is made, gets options and input, is interrupted and
 * freed.
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
	m->run = mp_arena_within(&m->arena, &m->error);
	m->sink.error = &m->error;
	mp_street_options_init(&m->options);
	mp_threads_init(&m->threads, 0);
	return m;
}

void memplan_free(memplan *m)
{
	if (!m)
		return;
	mp_sink_free(&m->sink);
	mp_arena_free(&m->run);
	mp_arena_free(&m->arena);
	mp_threads_free(&m->threads);
	free(m);
}

/* ------------------------------------------------ options and input */

enum memplan_status memplan_set(
	memplan *m, const char *option, const char *value)
{
	assert(option && value);
	mp_street_call(&m->sink);
	mp_street_options_set(&m->options, option, value, &m->error);
	m->arena.limit = m->sink.limit = m->options.max_memory;
	m->arena.threads = m->options.threads > 1 ? &m->threads : NULL;
	mp_threads_set(&m->threads, (int)m->options.threads - 1);
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

enum memplan_status memplan_input(memplan *m, const char *role,
	const char *name, const void *bytes, size_t length)
{
	static const char *const roles[N_ROLES] = {"graph", "tensor-size",
		"resize-info", "cost-info", "solution", "proof", "near",
		"live-range"};
	uint32_t i = 0;

	assert(name && (bytes || length == 0));
	mp_street_call(&m->sink);
	while (i < N_ROLES && strcmp(role, roles[i]) != 0)
		i++;
	if (i == N_ROLES)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			       "%s: unknown role '%s'", name, role),
		       m->error.code;
	if (m->joined)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			       "%s: a handle that joins others has no input",
			       name),
		       m->error.code;
	if (m->has_graph) {
		mp_street_forget_results(m);
		mp_street_forget_input(m);
		m->error.n_warnings = 0;
	}
	name = mp_arena_text(&m->arena, name, strlen(name));
	if (name)
		m->input.files[i] = (struct input_file){name, bytes, length};
	return m->error.code;
}

/* --------------------------------------------------------- progress */

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
