/*
 * One arena. With one stream, a sweep in order of birth finds out whether parts
 * overlap: see verify-holders.c. Unless it knows that none do, a sweep in
 * ascending order of address decides, and says which. It lays the parts on a
 * skyline over the steps. A part is valid if the skyline under it is nowhere
 * above the base of the part. The skyline never falls, so every overlap shows
 * at the upper of the two parts: n log n time, no pairs. Only steps at which a
 * part is born count: if two lifetimes overlap, the later birth is in both.
 *
 * With several streams, or with branches, a skyline that is too high is only a
 * suspicion: then pairs of parts are compared.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/verify.h"

#include <assert.h>
#include <stdio.h>

#include "base/sort.h"
#include "verify/inside.h"

/* --------------------------------------------------------- messages */

/* " of 'sram'" for a buffer; "" if there are no pools. */
static const char *place_of(
	const struct check *c, uint32_t buffer, char *text, size_t length)
{
	text[0] = '\0';
	if (c->spaces)
		snprintf(text, length, " of '%.60s'",
			c->spaces->at[c->spaces->of[buffer]].name);
	return text;
}

/* The failure is about the first tensor in the part. Always returns false. */
static bool is_about(const struct check *c, uint32_t part)
{
	uint32_t tensor = mp_problem_part_tensor(c->problem, part);

	c->error->subject = tensor == NONE ? 0 : tensor + 1;
	return false;
}

static bool fail_overlap(
	const struct check *c, const struct placed *a, const struct placed *b)
{
	const struct problem *p = c->problem;
	const struct part x = mp_problem_part(p, a->part);
	const struct part y = mp_problem_part(p, b->part);
	uint64_t base = c->base ? c->base[c->spaces->of[x.buffer]] : 0;
	char place[80];

	mp_fail(c->error, c->code,
		"%s: tensors '%.80s' and '%.80s' overlap: both are alive in "
		"steps [%lld, %lld) and hold bytes [%llu, %llu)%s",
		p->name, mp_problem_part_label(p, a->part),
		mp_problem_part_label(p, b->part),
		(long long)mp_problem_time(
			p, x.start > y.start ? x.start : y.start),
		(long long)mp_problem_time(p, x.end < y.end ? x.end : y.end),
		(unsigned long long)(num_max(a->low, b->low) - base),
		(unsigned long long)(num_min(a->high, b->high) - base),
		place_of(c, x.buffer, place, sizeof(place)));
	return is_about(c, a->part);
}

bool mp_verify_conflict(const struct problem *p, uint32_t a, uint32_t b)
{
	const struct part x = mp_problem_part(p, a), y = mp_problem_part(p, b);
	bool a_first, b_first;

	assert(a != b);
	if (x.end <= y.start || y.end <= x.start)
		return false;
	if (p->choice && mp_verify_exclusive(p, x.buffer, y.buffer))
		return false;
	if (p->n_streams <= 1)
		return true;
	a_first = p->born[b] >=
		  p->free[(uint64_t)a * p->n_streams + p->stream[b]];
	b_first = p->born[a] >=
		  p->free[(uint64_t)b * p->n_streams + p->stream[a]];
	return !a_first && !b_first;
}

/* ------------------------------------------------------------ sweep */

/* The placed parts in ascending order of address. NULL: memory is out. */
static uint32_t *sort_parts(
	const struct check *c, uint32_t *n, struct arena *scratch)
{
	uint32_t n_parts = c->problem->n_parts;
	uint32_t *sorted = NEW(scratch, uint32_t, n_parts);
	struct arena_mark mark = mp_arena_mark(scratch);
	uint32_t *spare = NEW(scratch, uint32_t, n_parts);
	uint64_t *low = NEW(scratch, uint64_t, n_parts);

	*n = 0;
	if (!sorted || !spare || !low)
		return NULL;
	for (uint32_t i = 0; i < n_parts; i++) {
		if (c->offsets[mp_problem_part(c->problem, i).buffer] ==
			NO_OFFSET)
			continue;
		low[i] = mp_verify_placed(c, i).low;
		sorted[(*n)++] = i;
	}
	mp_sort_radix(sorted, spare, *n, low);
	for (uint32_t i = 1; i < *n; i++)
		assert(low[sorted[i - 1]] <= low[sorted[i]]);
	mp_arena_rewind(scratch, mark);
	return sorted;
}

/* Compares a part with the parts of a block that reach above its base, and
 * keeps those that do. With one stream an overlap is certain, and this only
 * finds the pair for the message. False: a pair is in conflict. */
static bool check_block(const struct check *c, struct below_block *block,
	const struct placed *next)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < block->n; i++) {
		struct placed before = mp_verify_placed(c, block->parts[i]);

		if (before.high <= next->low)
			continue;
		if (mp_verify_conflict(c->problem, before.part, next->part))
			return fail_overlap(c, &before, next);
		block->parts[kept++] = block->parts[i];
	}
	block->n = kept;
	return true;
}

/* Checks a part against all parts that begin below it. */
static bool check_pairs_below(const struct check *c, struct verify_below *below,
	const struct placed *next)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < below->n_blocks; i++) {
		struct below_block *block = &below->blocks[i];

		if (!mp_verify_are_exclusive(c->problem, block, next->part) &&
			!check_block(c, block, next))
			return false;
		if (block->n > 0 || i + 1 == below->n_blocks)
			below->blocks[kept++] = *block;
	}
	below->n_blocks = kept;
	return true;
}

static bool sweep_by_address(const struct check *c, struct arena *scratch)
{
	const struct problem *p = c->problem;
	struct verify_skyline skyline;
	struct verify_below below;
	uint32_t n, *sorted = sort_parts(c, &n, scratch);

	if (!sorted || !mp_verify_below(&below, n, scratch) ||
		(n > 0 && !mp_verify_skyline(&skyline, p, scratch)))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct placed next = mp_verify_placed(c, sorted[i]);
		struct part life = mp_problem_part(p, next.part);
		uint32_t start = skyline.births[life.start];
		uint32_t end = skyline.births[life.end];

		if (mp_verify_top(&skyline, start, end) > next.low &&
			!check_pairs_below(c, &below, &next))
			return false;
		mp_verify_below_add(&below, p, next.part);
		mp_verify_raise(&skyline, start, end, next.high);
	}
	return true;
}

static bool check_overlaps(const struct check *c, struct arena *scratch)
{
	bool one = c->problem->n_streams <= 1 && !c->problem->choice;
	bool apart = false;

	if (one && !mp_verify_holders(c, &apart, scratch))
		return false;
	return apart || sweep_by_address(c, scratch);
}

/* ----------------------------------------------------------- checks */

/* True if a buffer by itself lies where it may. */
static bool check_buffer(const struct check *c, uint32_t i)
{
	const struct problem *p = c->problem;
	const struct buffer *buffer = &p->buffers[i];
	uint64_t offset = c->offsets[i], end;

	if (!num_add(offset, buffer->size, &end))
		return mp_fail(c->error, c->code,
			"%s: tensor '%.80s': offset %llu is out of range",
			p->name, mp_verify_name(c, i),
			(unsigned long long)offset);
	if ((offset & (buffer->align - 1)) != 0)
		return mp_fail(c->error, c->code,
			"%s: tensor '%.80s': offset %llu is not a multiple of "
			"its alignment %llu",
			p->name, mp_verify_name(c, i),
			(unsigned long long)offset,
			(unsigned long long)buffer->align);
	if (buffer->offset != NO_OFFSET && buffer->offset != offset)
		return mp_fail(c->error, c->code,
			"%s: tensor '%.80s': offset %llu, but the input fixes "
			"it at %llu",
			p->name, mp_verify_name(c, i),
			(unsigned long long)offset,
			(unsigned long long)buffer->offset);
	return true;
}

/* ------------------------------------------------------------ apart */

/* True if parts of the two buffers share a byte, whatever their lifetimes. */
static bool share_bytes(const struct check *c, uint32_t a, uint32_t b,
	uint32_t *part, uint32_t *other)
{
	const struct buffer *x = &c->problem->buffers[a];
	const struct buffer *y = &c->problem->buffers[b];

	for (uint32_t i = x->first_part; i < x->first_part + x->n_parts; i++)
		for (uint32_t k = y->first_part; k < y->first_part + y->n_parts;
			k++) {
			struct placed one = mp_verify_placed(c, i);
			struct placed two = mp_verify_placed(c, k);

			*part = i;
			*other = k;
			if (one.low < two.high && two.low < one.high)
				return true;
		}
	return false;
}

static bool check_apart_of(const struct check *c, uint32_t i)
{
	const struct problem *p = c->problem;
	char place[80];
	uint32_t part, other;

	for (uint32_t k = p->first_apart[i]; k < p->first_apart[i + 1]; k++)
		if (c->offsets[p->apart[k]] != NO_OFFSET &&
			share_bytes(c, i, p->apart[k], &part, &other))
			return mp_fail(c->error, c->code,
				"%s: tensors '%.80s' and '%.80s' share "
				"bytes%s, "
				"but are to be apart",
				p->name, mp_problem_part_label(p, part),
				mp_problem_part_label(p, other),
				place_of(c, i, place, sizeof(place)));
	return true;
}

static bool check_apart(const struct check *c)
{
	const struct problem *p = c->problem;

	for (uint32_t i = 0; p->apart && i < p->n_buffers; i++)
		if (c->offsets[i] != NO_OFFSET && !check_apart_of(c, i))
			return is_about(c, p->buffers[i].first_part);
	return true;
}

/* ------------------------------------------------------------- plan */

/* Checks all buffers, or only those with an offset. */
static bool check_all(struct check *c, bool all, struct arena *scratch)
{
	const struct problem *p = c->problem;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		if ((all || c->offsets[i] != NO_OFFSET) &&
			(!check_buffer(c, i) ||
				(c->spaces && !mp_verify_space(c, i))))
			return is_about(c, p->buffers[i].first_part);
	return (!c->spaces || mp_verify_lay_out(c, scratch)) &&
	       check_overlaps(c, scratch) && check_apart(c);
}

bool mp_verify_spaces(const struct problem *problem,
	const struct spaces *spaces, const uint64_t *offsets,
	enum memplan_status code, struct arena *scratch, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct check c = {.problem = problem,
		.offsets = offsets,
		.spaces = spaces,
		.code = code,
		.error = e};
	bool valid = check_all(&c, true, scratch);

	mp_arena_rewind(scratch, mark);
	return valid;
}

bool mp_verify(const struct problem *problem, const uint64_t *offsets,
	enum memplan_status code, struct arena *scratch, struct error *e)
{
	return mp_verify_spaces(problem, NULL, offsets, code, scratch, e);
}

bool mp_verify_fixed(const struct problem *problem, enum memplan_status code,
	struct arena *scratch, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct spaces spaces = {0};
	struct check c = {.problem = problem,
		.spaces = problem->pools ? &spaces : NULL,
		.code = code,
		.error = e};
	uint64_t *offsets;
	bool valid;

	if (!mp_problem_has_fixed(problem))
		return true;
	c.offsets = offsets = NEW(scratch, uint64_t, problem->n_buffers);
	valid = offsets != NULL;
	for (uint32_t i = 0; valid && i < problem->n_buffers; i++)
		offsets[i] = problem->buffers[i].offset;
	valid = valid &&
		(!c.spaces || mp_verify_pools(problem, &spaces, scratch)) &&
		check_all(&c, false, scratch);
	mp_arena_rewind(scratch, mark);
	return valid;
}
