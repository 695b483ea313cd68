/*
 * Which two blocks of a claimed clique may share bytes. Tensors in one part are
 * compared by their bytes, parts of one buffer by theirs, each with the next.
 * Of the parts of different buffers, those that are alive at one step are in
 * conflict. Only the others are compared with all, as far as the work goes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/lists.h"
#include "base/sort.h"
#include "verify/inside.h"
#include "verify/verify.h"

enum {
	MOST_WORK = 1 << 26 /* pairs of parts: about a second */
};

struct sharing {
	const struct problem *problem;
	struct block *blocks;
	uint32_t n;
	uint32_t *sorted, *space; /* blocks: those of one part, or of one
				     buffer, are neighbours */
	uint64_t *key;
	uint64_t work; /* that is left */
	struct verified_clique *clique;
};

static bool name(struct sharing *s, uint32_t a, uint32_t b)
{
	uint32_t first = a < b ? a : b;

	s->clique->sharing[0] = s->blocks[first].tensor;
	s->clique->sharing[1] = s->blocks[a + b - first].tensor;
	return false;
}

/* --------------------------------------------------------- one part */

/* Tensors side by side in one part move together: it counts once. */
static bool compare_in_parts(struct sharing *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		s->sorted[i] = i;
		s->key[i] = s->blocks[i].low;
	}
	mp_sort_radix(s->sorted, s->space, s->n, s->key);
	for (uint32_t i = 0; i < s->n; i++)
		s->key[i] = s->blocks[i].part;
	mp_sort_radix(s->sorted, s->space, s->n, s->key);
	for (uint32_t i = 1; i < s->n; i++) {
		const struct block *a = &s->blocks[s->sorted[i - 1]];
		struct block *b = &s->blocks[s->sorted[i]];

		if (a->part != b->part)
			continue;
		if (a->high > b->low)
			return name(s, s->sorted[i - 1], s->sorted[i]);
		b->counted = true;
	}
	return true;
}

/* ------------------------------------------------------- one buffer */

/* Lists a block of each part by its place in its buffer, or, of reserved
 * ranges, in the memory. */
static void list_parts(struct sharing *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		s->key[i] = s->blocks[i].base;
		if (!s->blocks[i].counted)
			s->sorted[n++] = i;
	}
	s->n = n;
	mp_sort_radix(s->sorted, s->space, n, s->key);
	for (uint32_t i = 0; i < n; i++) {
		const struct block *at = &s->blocks[s->sorted[i]];

		s->key[s->sorted[i]] = at->tensor == NONE ? NONE : at->buffer;
	}
	mp_sort_radix(s->sorted, s->space, n, s->key);
}

static bool compare_in_buffers(struct sharing *s)
{
	list_parts(s);
	for (uint32_t i = 1; i < s->n; i++) {
		uint32_t a = s->sorted[i - 1], b = s->sorted[i];

		if (s->key[a] == s->key[b] &&
			s->blocks[a].base + s->blocks[a].size >
				s->blocks[b].base)
			return name(s, a, b);
	}
	return true;
}

/* ---------------------------------------------------- other buffers */

/* Does it conflict with all others that are alive at a step when it is? */
static bool is_plain(const struct problem *p, const struct block *block)
{
	return block->tensor != NONE && p->n_streams <= 1 &&
	       (!p->choice || p->choice[block->buffer] == NONE);
}

/* The step at which most plain blocks are alive. */
static uint32_t find_step(struct sharing *s, uint32_t *starts, uint32_t *ends)
{
	uint32_t n = 0, ended = 0, most = 0, step = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct block *block = &s->blocks[s->sorted[i]];

		if (!is_plain(s->problem, block))
			continue;
		starts[n] = s->problem->parts[block->part].start;
		ends[n++] = s->problem->parts[block->part].end;
	}
	mp_sort_u32(starts, n);
	mp_sort_u32(ends, n);
	for (uint32_t i = 0; i < n; i++) {
		while (ends[ended] <= starts[i])
			ended++;
		if (i + 1 - ended > most) {
			most = i + 1 - ended;
			step = starts[i];
		}
	}
	return step;
}

static bool has_block(
	const struct problem *p, uint32_t part, const struct block *block)
{
	return p->parts[part].base <= block->base &&
	       block->base + block->held <=
		       p->parts[part].base + p->parts[part].size;
}

static bool spend(struct sharing *s)
{
	if (s->work == 0)
		return false;
	s->work--;
	return true;
}

/* All parts that have the bytes of a block lie where it lies. */
static bool alive_together(
	struct sharing *s, const struct block *a, const struct block *b)
{
	const struct problem *p = s->problem;
	const struct buffer *x = &p->buffers[a->buffer];
	const struct buffer *y = &p->buffers[b->buffer];

	for (uint32_t i = x->first_part; i < x->first_part + x->n_parts; i++)
		for (uint32_t k = y->first_part;
			has_block(p, i, a) && k < y->first_part + y->n_parts;
			k++) {
			if (!spend(s))
				return false;
			if (has_block(p, k, b) && mp_verify_conflict(p, i, k))
				return true;
		}
	return false;
}

static bool are_apart(const struct problem *p, uint32_t a, uint32_t b)
{
	struct ids list;

	if (!p->apart)
		return false;
	list = (struct ids){p->apart + p->first_apart[a],
		p->first_apart[a + 1] - p->first_apart[a]};
	return mp_lists_contain(list, b);
}

/* No tensor lies in a reserved range. */
static bool never_share(
	struct sharing *s, const struct block *a, const struct block *b)
{
	return a->tensor == NONE || b->tensor == NONE ||
	       a->buffer == b->buffer ||
	       are_apart(s->problem, a->buffer, b->buffer) ||
	       alive_together(s, a, b);
}

/* Lists the blocks that are not plain or not alive at the step first. Returns
 * how many they are. */
static uint32_t list_others(struct sharing *s, uint32_t step)
{
	uint32_t n = 0, plain = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct block *block = &s->blocks[s->sorted[i]];
		const struct part *part = &s->problem->parts[block->part];

		if (is_plain(s->problem, block) && part->start <= step &&
			step < part->end)
			s->space[plain++] = s->sorted[i];
		else
			s->sorted[n++] = s->sorted[i];
	}
	for (uint32_t i = 0; i < plain; i++)
		s->sorted[n + i] = s->space[i];
	return n;
}

static bool compare_others(struct sharing *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; k < s->n; k++) {
			uint32_t a = s->sorted[i], b = s->sorted[k];

			if (spend(s) &&
				never_share(s, &s->blocks[a], &s->blocks[b]))
				continue;
			s->clique->is_open = s->work == 0;
			return s->clique->is_open || name(s, a, b);
		}
	return true;
}

bool mp_verify_sharing(const struct problem *problem, struct block *blocks,
	uint32_t n, struct verified_clique *clique, bool *share,
	struct arena *scratch)
{
	struct sharing s = {.problem = problem,
		.blocks = blocks,
		.n = n,
		.sorted = NEW(scratch, uint32_t, n),
		.space = NEW(scratch, uint32_t, n),
		.key = NEW(scratch, uint64_t, n),
		.work = MOST_WORK,
		.clique = clique};
	uint32_t *starts = NEW(scratch, uint32_t, n);
	uint32_t *ends = NEW(scratch, uint32_t, n);

	if (!s.sorted || !s.space || !s.key || !starts || !ends)
		return false;
	*share = !compare_in_parts(&s) || !compare_in_buffers(&s) ||
		 !compare_others(
			 &s, list_others(&s, find_step(&s, starts, ends)));
	return true;
}
