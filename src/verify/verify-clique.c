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

/* A tensor or a reserved range: bytes of a buffer that move together. */
struct block {
	uint64_t base; /* in its buffer; of a reserved range in its memory */
	uint64_t align;
	uint64_t size; /* as its memory rounds it */
	uint64_t held; /* as the problem has it */
	uint32_t buffer;
	uint32_t part;	    /* which these bytes are, of the buffer */
	uint32_t tensor;    /* NONE: a reserved range */
	uint64_t low, high; /* the tensor's own bytes, from the buffer's base */
	bool counted; /* its bytes are those of an earlier tensor's part */
};

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

static bool has_block(
	const struct problem *p, uint32_t part, const struct block *block)
{
	return p->parts[part].base <= block->base &&
	       block->base + block->held <=
		       p->parts[part].base + p->parts[part].size;
}

/* All parts that have the bytes of a block lie where it lies. */
static bool alive_together(
	const struct problem *p, const struct block *a, const struct block *b)
{
	const struct buffer *x = &p->buffers[a->buffer];
	const struct buffer *y = &p->buffers[b->buffer];

	for (uint32_t i = x->first_part; i < x->first_part + x->n_parts; i++)
		for (uint32_t k = y->first_part;
			has_block(p, i, a) && k < y->first_part + y->n_parts;
			k++)
			if (has_block(p, k, b) && mp_verify_conflict(p, i, k))
				return true;
	return false;
}

static bool are_apart(const struct problem *p, uint32_t a, uint32_t b)
{
	if (!p->apart)
		return false;
	for (uint32_t i = p->first_apart[a]; i < p->first_apart[a + 1]; i++)
		if (p->apart[i] == b)
			return true;
	return false;
}

static bool are_disjoint(const struct block *a, const struct block *b)
{
	return a->base + a->size <= b->base || b->base + b->size <= a->base;
}

/* No tensor lies in a reserved range. */
static bool never_share(
	const struct problem *p, const struct block *a, const struct block *b)
{
	if (a->tensor == NONE && b->tensor == NONE)
		return are_disjoint(a, b);
	if (a->tensor == NONE || b->tensor == NONE)
		return true;
	if (a->part == b->part)
		return a->high <= b->low || b->high <= a->low;
	if (a->buffer == b->buffer)
		return are_disjoint(a, b);
	return are_apart(p, a->buffer, b->buffer) || alive_together(p, a, b);
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
				.tensor = NONE};
	return n;
}

/* Names the first two that may share bytes. */
static bool find_sharing(const struct problem *p, const struct block *blocks,
	uint32_t n, struct verified_clique *clique)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++) {
			if (never_share(p, &blocks[i], &blocks[k]))
				continue;
			clique->sharing[0] = blocks[k].tensor;
			clique->sharing[1] = blocks[i].tensor;
			return true;
		}
	return false;
}

/* Tensors side by side in one part move together: it counts once. */
static void count_once(struct block *blocks, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i && !blocks[i].counted; k++)
			blocks[i].counted = blocks[i].tensor != NONE &&
					    blocks[i].part == blocks[k].part;
}

bool mp_verify_clique(const struct problem *p, const struct spaces *spaces,
	const uint64_t *offsets, uint32_t space, struct ids tensors,
	struct verified_clique *clique, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct check c = {.problem = p, .offsets = offsets, .spaces = spaces};
	struct block *blocks =
		NEW(scratch, struct block, (size_t)tensors.n + p->n_reserved);
	uint32_t n;

	*clique = (struct verified_clique){.sharing = {NONE, NONE}};
	if (!blocks)
		return false;
	n = add_tensors(&c, p->schedule, space, tensors, blocks);
	if (n > 0)
		n += add_reserved(&c, space, blocks + n);
	if (!find_sharing(p, blocks, n, clique)) {
		count_once(blocks, n);
		for (uint64_t align = 1; align <= mp_plan_base_alignment(p);
			align *= 2)
			clique->bytes = num_max(
				clique->bytes, bytes_at(blocks, n, align));
	}
	mp_arena_rewind(scratch, mark);
	return true;
}
