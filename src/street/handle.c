/*
 * The public handle: made, told what to do, interrupted, freed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

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

enum memplan_status memplan_set(
	memplan *m, const char *option, const char *value)
{
	mp_street_options_set(&m->options, option, value, &m->error);
	m->arena.limit = m->sink.limit = m->options.max_memory;
	return m->error.code;
}

enum memplan_status memplan_input(memplan *m, const char *role,
	const char *name, const void *bytes, size_t length)
{
	static const char *const roles[N_ROLES] = {
		"graph", "tensor-size", "resize-info", "cost-info", "solution"};

	for (uint32_t i = 0; i < N_ROLES; i++)
		if (strcmp(role, roles[i]) == 0) {
			name = mp_arena_text(&m->arena, name, strlen(name));
			m->input.files[i] =
				(struct input_file){name, bytes, length};
			m->has_graph = false;
			return m->error.code;
		}
	mp_fail(&m->error, MEMPLAN_EUSAGE, "%s: unknown role '%s'", name, role);
	return m->error.code;
}

void memplan_on_progress(memplan *m,
	void (*call)(void *context, const struct memplan_progress *progress),
	void *context)
{
	m->on_progress = call;
	m->progress_context = context;
}

void memplan_interrupt(memplan *m)
{
	atomic_store_explicit(&m->stop, true, memory_order_relaxed);
}
