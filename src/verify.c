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

#include <stdlib.h>

/* Segment tree over births: who made the skyline here last. A node's value
 * covers all of its births unless a child has a later one; tops only grow. */
struct skyline {
	uint64_t *highest; /* greatest top in the node's range */
	uint64_t *cover;   /* top laid over the whole range */
	uint32_t leaves;   /* a power of two */
	uint32_t *births;  /* steps with a birth before this step */
};

struct placed {
	uint64_t low, high; /* bytes [low, high) of the arena */
	uint32_t part;
};

static bool count_births(
	struct skyline *skyline, const struct problem *p, struct arena *arena)
{
	uint32_t *births = NEW(arena, uint32_t, (size_t)p->n_steps + 1);
	uint32_t n = 0, here;

	if (!births)
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++)
		births[p->parts[i].start] = 1;
	for (uint32_t k = 0; k <= p->n_steps; k++) {
		here = births[k];
		births[k] = n;
		n += here;
	}
	skyline->births = births;
	return true;
}

static bool skyline_init(
	struct skyline *skyline, const struct problem *p, struct arena *arena)
{
	uint32_t leaves = 1;

	if (!count_births(skyline, p, arena))
		return false;
	while (leaves < skyline->births[p->n_steps])
		leaves *= 2;
	skyline->leaves = leaves;
	skyline->highest = NEW(arena, uint64_t, (size_t)leaves * 2);
	skyline->cover = NEW(arena, uint64_t, (size_t)leaves * 2);
	return skyline->highest && skyline->cover;
}

/* The greatest top over births [start, end), walking up from both ends. */
static uint64_t skyline_top(
	const struct skyline *s, uint32_t start, uint32_t end)
{
	uint32_t a = start + s->leaves, b = end - 1 + s->leaves;
	uint64_t top = num_max(s->highest[a], s->highest[b]);

	for (; a / 2 != b / 2; a /= 2, b /= 2) {
		if (a % 2 == 0)
			top = num_max(top, s->highest[a + 1]);
		if (b % 2 == 1)
			top = num_max(top, s->highest[b - 1]);
	}
	for (a = start + s->leaves; a; a /= 2)
		top = num_max(top, s->cover[a]);
	for (b = end - 1 + s->leaves; b; b /= 2)
		top = num_max(top, s->cover[b]);
	return top;
}

static void raise_node(struct skyline *s, uint32_t node, uint64_t top)
{
	s->highest[node] = num_max(s->highest[node], top);
	s->cover[node] = num_max(s->cover[node], top);
}

static void skyline_raise(
	struct skyline *s, uint32_t start, uint32_t end, uint64_t top)
{
	uint32_t a = start + s->leaves, b = end - 1 + s->leaves;

	raise_node(s, a, top);
	raise_node(s, b, top);
	for (; a / 2 != b / 2; a /= 2, b /= 2) {
		if (a % 2 == 0)
			raise_node(s, a + 1, top);
		if (b % 2 == 1)
			raise_node(s, b - 1, top);
		s->highest[a / 2] = num_max(s->highest[a / 2], top);
		s->highest[b / 2] = num_max(s->highest[b / 2], top);
	}
	for (a /= 2; a; a /= 2)
		s->highest[a] = num_max(s->highest[a], top);
}

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

static bool overlap(const struct problem *p, const struct placed *a,
	const struct placed *b, enum memplan_status code, struct error *e)
{
	const struct part *x = &p->parts[a->part], *y = &p->parts[b->part];

	return mp_fail(e, code,
		"%s: tensors '%.80s' and '%.80s' overlap: both are alive in "
		"steps [%lld, %lld) and hold bytes [%llu, %llu)",
		p->name, label_of(p, a->part), label_of(p, b->part),
		(long long)mp_problem_time(
			p, x->start > y->start ? x->start : y->start),
		(long long)mp_problem_time(
			p, x->end < y->end ? x->end : y->end),
		(unsigned long long)num_max(a->low, b->low),
		(unsigned long long)num_min(a->high, b->high));
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
static bool find_pair(const struct problem *p, const struct placed *placed,
	uint32_t upto, enum memplan_status code, struct error *e)
{
	for (uint32_t i = 0; i < upto; i++)
		if (placed[i].high > placed[upto].low &&
			in_conflict(p, placed[i].part, placed[upto].part))
			return overlap(p, &placed[i], &placed[upto], code, e);
	return true;
}

/* ----------------------------------------------------------------- checks */

static bool check_overlaps(const struct problem *p, struct placed *placed,
	uint32_t n, enum memplan_status code, struct arena *scratch,
	struct error *e)
{
	struct skyline skyline;
	uint32_t start, end;

	if (!skyline_init(&skyline, p, scratch))
		return false;
	qsort(placed, n, sizeof(*placed), by_address);
	for (uint32_t i = 0; i < n; i++) {
		start = skyline.births[p->parts[placed[i].part].start];
		end = skyline.births[p->parts[placed[i].part].end];
		/* With several streams, or branches of which one runs, a high
		 * skyline is only a suspicion. */
		if (skyline_top(&skyline, start, end) > placed[i].low &&
			!find_pair(p, placed, i, code, e))
			return false;
		skyline_raise(&skyline, start, end, placed[i].high);
	}
	return true;
}

static bool check_buffer(const struct problem *p, uint32_t i, uint64_t offset,
	enum memplan_status code, struct error *e)
{
	const struct buffer *buffer = &p->buffers[i];
	const char *name = label_of(p, buffer->first_part);
	uint64_t end;

	if (!num_add(offset, buffer->size, &end))
		return mp_fail(e, code,
			"%s: tensor '%.80s': offset %llu is out of range",
			p->name, name, (unsigned long long)offset);
	if (offset % buffer->align != 0)
		return mp_fail(e, code,
			"%s: tensor '%.80s': offset %llu is not a multiple of "
			"its alignment %llu",
			p->name, name, (unsigned long long)offset,
			(unsigned long long)buffer->align);
	if (buffer->offset != NO_OFFSET && buffer->offset != offset)
		return mp_fail(e, code,
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

static bool check_apart(const struct problem *p, const uint64_t *offsets,
	enum memplan_status code, struct error *e)
{
	uint32_t part, other;

	for (uint32_t i = 0; p->apart && i < p->n_buffers; i++)
		for (uint32_t k = p->first_apart[i]; k < p->first_apart[i + 1];
			k++)
			if (share_bytes(
				    p, i, p->apart[k], offsets, &part, &other))
				return mp_fail(e, code,
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

static bool check(const struct problem *p, const uint64_t *offsets,
	enum memplan_status code, struct arena *scratch, struct error *e)
{
	struct placed *placed = NEW(scratch, struct placed, p->n_parts);

	if (!placed)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (!buffer_is_fine(&p->buffers[i], offsets[i]))
			return check_buffer(p, i, offsets[i], code, e);
	for (uint32_t i = 0; i < p->n_parts; i++) {
		placed[i].part = i;
		placed[i].low = offsets[p->parts[i].buffer] + p->parts[i].base;
		placed[i].high = placed[i].low + p->parts[i].size;
	}
	return p->n_parts == 0 ||
	       (check_overlaps(p, placed, p->n_parts, code, scratch, e) &&
		       check_apart(p, offsets, code, e));
}

/* The buffers that the input fixes, by themselves. */
static bool check_fixed(
	const struct problem *p, struct arena *scratch, struct error *e)
{
	struct placed *placed = NEW(scratch, struct placed, p->n_parts);
	uint32_t n = 0;

	if (!placed)
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++) {
		uint64_t offset = p->buffers[p->parts[i].buffer].offset, low;

		if (offset == NO_OFFSET)
			continue;
		if (!buffer_is_fine(&p->buffers[p->parts[i].buffer], offset))
			return check_buffer(p, p->parts[i].buffer, offset,
				MEMPLAN_EINPUT, e);
		low = offset + p->parts[i].base;
		placed[n++] = (struct placed){low, low + p->parts[i].size, i};
	}
	return n == 0 ||
	       check_overlaps(p, placed, n, MEMPLAN_EINPUT, scratch, e);
}

bool mp_verify_fixed(
	const struct problem *problem, struct arena *scratch, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	bool valid = check_fixed(problem, scratch, e);

	mp_arena_rewind(scratch, mark);
	return valid;
}

bool mp_verify(const struct problem *problem, const uint64_t *offsets,
	enum memplan_status code, struct arena *scratch, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	bool valid = check(problem, offsets, code, scratch, e);

	mp_arena_rewind(scratch, mark);
	return valid;
}
