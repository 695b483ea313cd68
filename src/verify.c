/*
 * One stream: the parts are taken in ascending order of address and laid on a
 * skyline over the steps. A part is fine if the skyline under it is nowhere
 * above its own base; what lies on top is never lower than what was there, so
 * every overlap shows at the upper of the two parts. n log n, no pairs. Only
 * steps at which a part is born count: two lifetimes that overlap have the
 * later birth in common.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify.h"

#include <stdio.h>
#include <stdlib.h>

#include "verify-skyline.h"

struct placed {
	uint64_t low, high; /* bytes [low, high) of the arena */
	uint32_t part;
};

static int by_address(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->part < b->part ? -1 : a->part > b->part;
}

/* --------------------------------------------------------------- messages */

static const struct item *item_of(const struct problem *p, uint32_t part)
{
	const struct part *wanted = &p->parts[part];

	for (uint32_t i = 0; i < p->n_items; i++)
		if (p->items[i].buffer == wanted->buffer &&
			p->items[i].base >= wanted->base &&
			p->items[i].base < wanted->base + wanted->size &&
			p->items[i].start < wanted->end &&
			wanted->start < p->items[i].end)
			return &p->items[i];
	return NULL;
}

static const char *label_of(const struct problem *p, uint32_t part)
{
	const struct item *item = item_of(p, part);
	uint32_t range = p->parts[part].buffer - p->first_reserved;

	if (item)
		return mp_item_label(item);
	if (range < p->ties.n_reserved && p->ties.reserved[range].name)
		return p->ties.reserved[range].name;
	return "a reserved range";
}

/* What is checked, and what is said of it. */
struct check {
	const struct problem *problem;
	const uint64_t *offsets;
	const struct spaces *spaces; /* several memories, else NULL */
	const uint64_t *base;	     /* of a space, when all are laid end to
					end; or NULL */
	enum memplan_status code;
	struct error *error;
};

/* "" or " of 'sram'" for the buffer of a part. */
static const char *place_of(
	const struct check *c, uint32_t buffer, char *text, size_t length)
{
	text[0] = '\0';
	if (c->spaces)
		snprintf(text, length, " of '%.60s'",
			c->spaces->at[c->spaces->of[buffer]].name);
	return text;
}

static bool overlap(
	const struct check *c, const struct placed *a, const struct placed *b)
{
	const struct problem *p = c->problem;
	const struct part *x = &p->parts[a->part], *y = &p->parts[b->part];
	uint64_t base = c->base ? c->base[c->spaces->of[x->buffer]] : 0;
	char place[80];

	return mp_fail(c->error, c->code,
		"%s: tensors '%.80s' and '%.80s' overlap: both are alive in "
		"steps [%lld, %lld) and hold bytes [%llu, %llu)%s",
		p->name, label_of(p, a->part), label_of(p, b->part),
		(long long)mp_problem_time(
			p, x->start > y->start ? x->start : y->start),
		(long long)mp_problem_time(
			p, x->end < y->end ? x->end : y->end),
		(unsigned long long)(num_max(a->low, b->low) - base),
		(unsigned long long)(num_min(a->high, b->high) - base),
		place_of(c, x->buffer, place, sizeof(place)));
}

static bool in_conflict(const struct problem *p, uint32_t a, uint32_t b)
{
	const struct part *x = &p->parts[a], *y = &p->parts[b];
	bool a_first, b_first;

	if (x->end <= y->start || y->end <= x->start)
		return false;
	if (p->choice && p->choice[x->buffer] != NONE &&
		p->choice[x->buffer] == p->choice[y->buffer] &&
		p->branch[x->buffer] != p->branch[y->buffer])
		return false;
	if (p->n_streams <= 1)
		return true;
	a_first = p->born[b] >=
		  p->free[(uint64_t)a * p->n_streams + p->stream[b]];
	b_first = p->born[a] >=
		  p->free[(uint64_t)b * p->n_streams + p->stream[a]];
	return !a_first && !b_first;
}

/* All placed before `upto`, lowest first: is one of them in the way? With one
 * stream this only runs to name the pair of an overlap that is sure. */
static bool find_pair(
	const struct check *c, const struct placed *placed, uint32_t upto)
{
	for (uint32_t i = 0; i < upto; i++)
		if (placed[i].high > placed[upto].low &&
			in_conflict(
				c->problem, placed[i].part, placed[upto].part))
			return overlap(c, &placed[i], &placed[upto]);
	return true;
}

/* ----------------------------------------------------------------- checks */

static bool check_overlaps(const struct check *c, struct placed *placed,
	uint32_t n, struct arena *scratch)
{
	const struct problem *p = c->problem;
	struct verify_skyline skyline;
	uint32_t start, end;

	if (!mp_verify_skyline(&skyline, p, scratch))
		return false;
	qsort(placed, n, sizeof(*placed), by_address);
	for (uint32_t i = 0; i < n; i++) {
		start = skyline.births[p->parts[placed[i].part].start];
		end = skyline.births[p->parts[placed[i].part].end];
		/* With several streams, or branches of which one runs, a high
		 * skyline is only a suspicion. */
		if (mp_verify_top(&skyline, start, end) > placed[i].low &&
			!find_pair(c, placed, i))
			return false;
		mp_verify_raise(&skyline, start, end, placed[i].high);
	}
	return true;
}

static bool check_buffer(const struct check *c, uint32_t i)
{
	const struct problem *p = c->problem;
	const struct buffer *buffer = &p->buffers[i];
	const char *name = label_of(p, buffer->first_part);
	uint64_t offset = c->offsets[i], end;

	if (!num_add(offset, buffer->size, &end))
		return mp_fail(c->error, c->code,
			"%s: tensor '%.80s': offset %llu is out of range",
			p->name, name, (unsigned long long)offset);
	if (offset % buffer->align != 0)
		return mp_fail(c->error, c->code,
			"%s: tensor '%.80s': offset %llu is not a multiple of "
			"its alignment %llu",
			p->name, name, (unsigned long long)offset,
			(unsigned long long)buffer->align);
	if (buffer->offset != NO_OFFSET && buffer->offset != offset)
		return mp_fail(c->error, c->code,
			"%s: tensor '%.80s': offset %llu, but the input fixes "
			"it at %llu",
			p->name, name, (unsigned long long)offset,
			(unsigned long long)buffer->offset);
	return true;
}

/* ------------------------------------------------------------------- apart */

/* True if parts of the two buffers have a byte in common, whenever they live.
 */
static bool share_bytes(const struct problem *p, uint32_t a, uint32_t b,
	const uint64_t *offsets, uint32_t *part, uint32_t *other)
{
	const struct buffer *x = &p->buffers[a], *y = &p->buffers[b];

	for (uint32_t i = x->first_part; i < x->first_part + x->n_parts; i++)
		for (uint32_t k = y->first_part; k < y->first_part + y->n_parts;
			k++) {
			uint64_t low = offsets[a] + p->parts[i].base;
			uint64_t other_low = offsets[b] + p->parts[k].base;

			*part = i;
			*other = k;
			if (low < other_low + p->parts[k].size &&
				other_low < low + p->parts[i].size)
				return true;
		}
	return false;
}

static bool check_apart(const struct check *c)
{
	const struct problem *p = c->problem;
	uint32_t part, other;

	for (uint32_t i = 0; p->apart && i < p->n_buffers; i++)
		for (uint32_t k = p->first_apart[i]; k < p->first_apart[i + 1];
			k++)
			if (share_bytes(p, i, p->apart[k], c->offsets, &part,
				    &other))
				return mp_fail(c->error, c->code,
					"%s: tensors '%.80s' and '%.80s' share "
					"bytes, but are to be apart",
					p->name, label_of(p, part),
					label_of(p, other));
	return true;
}

static bool buffer_is_fine(const struct buffer *buffer, uint64_t offset)
{
	uint64_t end;

	return num_add(offset, buffer->size, &end) &&
	       offset % buffer->align == 0 &&
	       (buffer->offset == NO_OFFSET || buffer->offset == offset);
}

static uint64_t base_of(const struct check *c, uint32_t buffer)
{
	return c->base ? c->base[c->spaces->of[buffer]] : 0;
}

static bool check(const struct check *c, struct arena *scratch)
{
	const struct problem *p = c->problem;
	struct placed *placed = NEW(scratch, struct placed, p->n_parts);

	if (!placed)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (!buffer_is_fine(&p->buffers[i], c->offsets[i]))
			return check_buffer(c, i);
	for (uint32_t i = 0; i < p->n_parts; i++) {
		uint32_t buffer = p->parts[i].buffer;

		placed[i].part = i;
		placed[i].low = base_of(c, buffer) + c->offsets[buffer] +
				p->parts[i].base;
		placed[i].high = placed[i].low + p->parts[i].size;
	}
	return p->n_parts == 0 ||
	       (check_overlaps(c, placed, p->n_parts, scratch) &&
		       check_apart(c));
}

/* The buffers that the input fixes, by themselves. */
static bool check_fixed(const struct check *c, struct arena *scratch)
{
	const struct problem *p = c->problem;
	struct placed *placed = NEW(scratch, struct placed, p->n_parts);
	uint32_t n = 0;

	if (!placed)
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++) {
		uint32_t buffer = p->parts[i].buffer;
		uint64_t offset = c->offsets[buffer], low;

		if (offset == NO_OFFSET)
			continue;
		if (!buffer_is_fine(&p->buffers[buffer], offset))
			return check_buffer(c, buffer);
		low = offset + p->parts[i].base;
		placed[n++] = (struct placed){low, low + p->parts[i].size, i};
	}
	return n == 0 || check_overlaps(c, placed, n, scratch);
}

bool mp_verify_fixed(
	const struct problem *problem, struct arena *scratch, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	uint64_t *offsets = NEW(scratch, uint64_t, problem->n_buffers);
	struct check c = {.problem = problem,
		.offsets = offsets,
		.code = MEMPLAN_EINPUT,
		.error = e};
	bool valid;

	for (uint32_t i = 0; offsets && i < problem->n_buffers; i++)
		offsets[i] = problem->buffers[i].offset;
	valid = offsets && check_fixed(&c, scratch);
	mp_arena_rewind(scratch, mark);
	return valid;
}

bool mp_verify(const struct problem *problem, const uint64_t *offsets,
	enum memplan_status code, struct arena *scratch, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct check c = {.problem = problem,
		.offsets = offsets,
		.code = code,
		.error = e};
	bool valid = check(&c, scratch);

	mp_arena_rewind(scratch, mark);
	return valid;
}

/* ---------------------------------------------------------- several memories
 */

static bool may_hold(const struct problem *p, uint32_t buffer, uint32_t pool)
{
	const struct pool_list *list = &p->pool_lists[p->pool_list[buffer]];

	for (uint32_t i = 0; i < list->n; i++)
		if (list->at[i] == pool)
			return true;
	return false;
}

/* What one block of the pool may have at most. */
static uint64_t room_of(const struct memory_pool *pool)
{
	return pool->chunk ? num_min(pool->chunk, pool->capacity)
			   : pool->capacity;
}

static bool check_space(const struct check *c, uint32_t i)
{
	const struct problem *p = c->problem;
	const struct space *space = &c->spaces->at[c->spaces->of[i]];
	const struct memory_pool *pool = &p->pools[space->pool];
	const char *name = label_of(p, p->buffers[i].first_part);
	uint64_t offset = c->offsets[i], end;

	if (!may_hold(p, i, space->pool))
		return mp_fail(c->error, c->code,
			"%s: tensor '%.80s' lies in pool '%.60s', which may "
			"not hold it",
			p->name, name, space->name);
	if (offset % pool->alignment != 0)
		return mp_fail(c->error, c->code,
			"%s: tensor '%.80s': offset %llu is not a multiple of "
			"the alignment %llu of pool '%.60s'",
			p->name, name, (unsigned long long)offset,
			(unsigned long long)pool->alignment, space->name);
	if (num_add(offset, p->buffers[i].size, &end) && end <= room_of(pool))
		return true;
	return mp_fail(c->error, c->code,
		"%s: tensor '%.80s': offset %llu and %llu bytes end beyond the "
		"%llu bytes of pool '%.60s'",
		p->name, name, (unsigned long long)offset,
		(unsigned long long)p->buffers[i].size,
		(unsigned long long)room_of(pool), space->name);
}

/* The same without a word: names are sought for messages only. */
static bool space_is_fine(const struct check *c, uint32_t i)
{
	uint32_t k = c->spaces->of[i];
	const struct memory_pool *pool =
		&c->problem->pools[c->spaces->at[k].pool];
	const struct buffer *buffer = &c->problem->buffers[i];

	return buffer_is_fine(buffer, c->offsets[i]) &&
	       may_hold(c->problem, i, c->spaces->at[k].pool) &&
	       c->offsets[i] % pool->alignment == 0 &&
	       c->offsets[i] + buffer->size <= room_of(pool);
}

/* Blocks of one pool share its capacity. */
static bool check_blocks(
	const struct check *c, const uint64_t *size, uint64_t *used)
{
	const struct problem *p = c->problem;

	for (uint32_t k = 0; k < c->spaces->n; k++) {
		uint32_t pool = c->spaces->at[k].pool;

		if (!num_add(used[pool], size[k], &used[pool]) ||
			used[pool] > p->pools[pool].capacity)
			return mp_fail(c->error, c->code,
				"%s: the blocks of pool '%.60s' take more "
				"than its %llu bytes",
				p->name, p->pools[pool].name,
				(unsigned long long)p->pools[pool].capacity);
	}
	return true;
}

/* The spaces end to end are one memory, in which what is apart stays apart. */
static bool lay_out(const struct check *c, uint64_t *base, uint64_t *used)
{
	const struct problem *p = c->problem;
	uint64_t total = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		uint32_t k = c->spaces->of[i];

		base[k] = num_max(base[k], c->offsets[i] + p->buffers[i].size);
	}
	if (!check_blocks(c, base, used))
		return false;
	for (uint32_t k = 0; k < c->spaces->n; k++) {
		uint64_t size = base[k];

		base[k] = total;
		if (!num_add(total, size, &total))
			return mp_fail(c->error, c->code,
				"%s: the pools take more than 2^62 bytes",
				p->name);
	}
	return true;
}

static bool check_spaces(struct check *c, struct arena *scratch)
{
	const struct problem *p = c->problem;
	uint64_t *base = NEW(scratch, uint64_t, c->spaces->n);
	uint64_t *used = NEW(scratch, uint64_t, p->n_pools);

	if (!base || !used)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (!space_is_fine(c, i))
			return check_buffer(c, i) && check_space(c, i);
	if (!lay_out(c, base, used))
		return false;
	c->base = base;
	return check(c, scratch);
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
	bool valid = check_spaces(&c, scratch);

	mp_arena_rewind(scratch, mark);
	return valid;
}
