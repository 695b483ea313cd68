/*
 * A clique that a plan names, checked without the code that finds one: tensors
 * of which no two ever share a byte lie one above the other, with all ranges
 * that the input reserves. At multiples of an alignment each but the highest
 * takes its size rounded up.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/verify.h"

#include "verify/inside.h"

/* The first part that a tensor begins in; NONE: there is none. */
static uint32_t part_of(
	const struct problem *p, const struct schedule *s, uint32_t tensor)
{
	const struct buffer *buffer = &p->buffers[s->stay[tensor].buffer];

	for (uint32_t i = buffer->first_part;
		i < buffer->first_part + buffer->n_parts; i++)
		if (mp_schedule_begins_in(s, tensor, &p->parts[i]))
			return i;
	return NONE;
}

static struct block block_of(const struct check *c, const struct schedule *s,
	uint32_t part, uint32_t tensor)
{
	const struct stay *stay = &s->stay[tensor];
	const struct part *at = &c->problem->parts[part];
	struct placed placed = mp_verify_placed(c, part);

	return (struct block){.base = at->base,
		.size = placed.high - placed.low,
		.held = at->size,
		.align = c->problem->buffers[at->buffer].align,
		.buffer = at->buffer,
		.part = part,
		.tensor = tensor,
		.low = stay->base,
		.high = stay->base + s->graph->tensors[tensor].size};
}

/* The bytes at multiples of an alignment; reserved ranges need not be there. */
static uint64_t bytes_at(const struct block *blocks, uint32_t n, uint64_t align)
{
	uint64_t bytes = 0, rounding = 0, size;

	for (uint32_t i = 0; i < n; i++) {
		if (blocks[i].counted)
			continue;
		if (blocks[i].align < align || blocks[i].base % align != 0) {
			if (blocks[i].tensor != NONE)
				return 0;
			continue;
		}
		size = num_up(blocks[i].size, align);
		rounding = num_max(rounding, size - blocks[i].size);
		bytes += size;
	}
	return bytes - rounding;
}

static uint32_t add_tensors(const struct check *c,
	const struct schedule *schedule, uint32_t space, struct ids tensors,
	struct block *blocks)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < tensors.n; i++) {
		const struct stay *stay = &schedule->stay[tensors.at[i]];
		uint32_t part;

		if (stay->buffer == NONE ||
			(c->spaces && c->spaces->of[stay->buffer] != space))
			continue;
		part = part_of(c->problem, schedule, tensors.at[i]);
		if (part != NONE)
			blocks[n++] =
				block_of(c, schedule, part, tensors.at[i]);
	}
	return n;
}

/* A reserved range is a buffer of its own. */
static uint32_t add_reserved(
	const struct check *c, uint32_t space, struct block *blocks)
{
	const struct problem *p = c->problem;
	uint32_t n = 0;

	for (uint32_t i = p->first_reserved;
		i < p->first_reserved + p->n_reserved; i++)
		if (!c->spaces || c->spaces->of[i] == space)
			blocks[n++] = (struct block){.align = 1,
				.base = c->offsets[i],
				.size = p->buffers[i].size,
				.held = p->buffers[i].size,
				.buffer = i,
				.part = p->buffers[i].first_part,
				.tensor = NONE};
	return n;
}

bool mp_verify_clique(const struct problem *p, const struct spaces *spaces,
	const uint64_t *offsets, uint32_t space, struct ids tensors,
	struct verified_clique *clique, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct check c = {.problem = p, .offsets = offsets, .spaces = spaces};
	struct block *blocks =
		NEW(scratch, struct block, (size_t)tensors.n + p->n_reserved);
	bool share;
	uint32_t n;

	*clique = (struct verified_clique){.sharing = {NONE, NONE}};
	if (!blocks)
		return false;
	n = add_tensors(&c, p->schedule, space, tensors, blocks);
	if (n > 0)
		n += add_reserved(&c, space, blocks + n);
	if (!mp_verify_sharing(p, blocks, n, clique, &share, scratch))
		return false;
	for (uint64_t align = 1; !share && !clique->is_open &&
				 align <= mp_plan_base_alignment(p);
		align *= 2)
		clique->bytes =
			num_max(clique->bytes, bytes_at(blocks, n, align));
	mp_arena_rewind(scratch, mark);
	return true;
}
