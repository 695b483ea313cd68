/*
 * What all public calls have in common: errors, structs, input.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

void mp_street_call(memplan *m)
{
	m->error.code = MEMPLAN_OK;
	m->error.text[0] = '\0';
	m->error.line = m->error.column = 0;
}

enum memplan_status mp_street_end(memplan *m)
{
	assert(m->error.code != MEMPLAN_OK || m->plan.problem);
	atomic_store_explicit(&m->stop, false, memory_order_relaxed);
	return m->error.code;
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
	m->before_policies = NULL;
	m->n_read_warnings = 0;
	m->has_graph = false;
}
