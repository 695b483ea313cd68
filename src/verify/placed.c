/*
 * Where a part lies, and what it is called.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/inside.h"

/* The base of the next part of the same buffer; UINT64_MAX: there is none. */
static uint64_t next_base(const struct problem *p, uint32_t part)
{
	const struct buffer *buffer = &p->buffers[p->parts[part].buffer];
	uint64_t end = p->parts[part].base + p->parts[part].size;
	uint64_t next = UINT64_MAX;

	for (uint32_t i = buffer->first_part;
		i < buffer->first_part + buffer->n_parts; i++)
		if (p->parts[i].base >= end && p->parts[i].base < next)
			next = p->parts[i].base;
	return next;
}

/* The bytes of a part in the space of its buffer: a pool may round sizes up
 * more than the problem does. */
static uint64_t size_of(
	const struct check *c, uint32_t part, const struct part *it)
{
	const struct problem *p = c->problem;
	uint64_t end = it->base + it->size, rest;
	const struct space *space;

	if (!c->spaces || mp_problem_is_reserved(p, it->buffer))
		return it->size;
	space = &c->spaces->at[c->spaces->of[it->buffer]];
	rest = end % p->pools[space->pool].alignment;
	if (rest == 0)
		return it->size;
	end += p->pools[space->pool].alignment - rest;
	return num_min(end, next_base(p, part)) - it->base;
}

struct placed mp_verify_placed(const struct check *c, uint32_t part)
{
	struct part it = mp_problem_part(c->problem, part);
	uint64_t base = c->base ? c->base[c->spaces->of[it.buffer]] : 0;
	uint64_t low = base + c->offsets[it.buffer] + it.base;

	return (struct placed){low, low + size_of(c, part, &it), part};
}

const char *mp_verify_name(const struct check *c, uint32_t buffer)
{
	return mp_problem_part_label(
		c->problem, c->problem->buffers[buffer].first_part);
}
