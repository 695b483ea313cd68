/*
 * One arena. With one stream, a sweep in ascending order of address lays the
 * parts on a skyline over the steps. A part is valid if the skyline under it is
 * nowhere above the base of the part. The skyline never falls, so every overlap
 * shows at the upper of the two parts: n log n time, no pairs. Only steps at
 * which a part is born count: if two lifetimes overlap, the later birth is in
 * both.
 *
 * With several streams, or with branches, a skyline that is too high is only a
 * suspicion: then pairs of parts are compared.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/verify.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "verify/inside.h"
#include "verify/verify-skyline.h"

struct placed {
	uint64_t low, high; /* bytes [low, high) of the arena */
	uint32_t part;
};

static int by_address(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	/* Sorts by address; nearly all addresses differ. */
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return mp_sort_compare(a->part, b->part);
}

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

static bool fail_overlap(
	const struct check *c, const struct placed *a, const struct placed *b)
{
	const struct problem *p = c->problem;
	const struct part *x = &p->parts[a->part], *y = &p->parts[b->part];
	uint64_t base = c->base ? c->base[c->spaces->of[x->buffer]] : 0;
	char place[80];

	return mp_fail(c->error, c->code,
		"%s: tensors '%.80s' and '%.80s' overlap: both are alive in "
		"steps [%lld, %lld) and hold bytes [%llu, %llu)%s",
		p->name, mp_problem_part_label(p, a->part),
		mp_problem_part_label(p, b->part),
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

	assert(a != b);
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

/* Placed parts that may reach above the address of the sweep, lowest first. */
struct reaching {
	uint32_t *at;
	uint32_t n;
};

/* Compares a part with all parts below it that reach above its base. With one
 * stream an overlap is certain, and this only finds the pair for the message.
 * False: a pair is in conflict. */
static bool check_pairs_below(const struct check *c,
	const struct placed *placed, const struct placed *next,
	struct reaching *reaching)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < reaching->n; i++) {
		const struct placed *before = &placed[reaching->at[i]];

		if (before->high <= next->low)
			continue;
		if (in_conflict(c->problem, before->part, next->part))
			return fail_overlap(c, before, next);
		reaching->at[kept++] = reaching->at[i];
	}
	reaching->n = kept;
	return true;
}

/* ----------------------------------------------------------- checks */

static bool check_overlaps(const struct check *c, struct placed *placed,
	uint32_t n, struct arena *scratch)
{
	const struct problem *p = c->problem;
	struct verify_skyline skyline;
	struct reaching reaching = {NEW(scratch, uint32_t, n), 0};
	uint32_t start, end;

	if (!reaching.at || !mp_verify_skyline(&skyline, p, scratch))
		return false;
	qsort(placed, n, sizeof(*placed), by_address);
	for (uint32_t i = 0; i < n; i++) {
		start = skyline.births[p->parts[placed[i].part].start];
		end = skyline.births[p->parts[placed[i].part].end];
		assert(i == 0 || placed[i - 1].low <= placed[i].low);
		if (mp_verify_top(&skyline, start, end) > placed[i].low &&
			!check_pairs_below(c, placed, &placed[i], &reaching))
			return false;
		reaching.at[reaching.n++] = i;
		mp_verify_raise(&skyline, start, end, placed[i].high);
	}
	return true;
}

bool mp_verify_check_buffer(const struct check *c, uint32_t i)
{
	const struct problem *p = c->problem;
	const struct buffer *buffer = &p->buffers[i];
	const char *name = mp_problem_part_label(p, buffer->first_part);
	uint64_t offset = c->offsets[i], end;

	assert(i < p->n_buffers);
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

/* ------------------------------------------------------------ apart */

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

uint64_t mp_verify_check_size(const struct check *c, uint32_t part)
{
	const struct problem *p = c->problem;
	uint32_t buffer = p->parts[part].buffer;
	uint64_t end = p->parts[part].base + p->parts[part].size, rest;
	const struct space *space;

	if (!c->spaces || (buffer >= p->first_reserved &&
				  buffer - p->first_reserved < p->n_reserved))
		return p->parts[part].size;
	space = &c->spaces->at[c->spaces->of[buffer]];
	rest = end % p->pools[space->pool].alignment;
	if (rest == 0)
		return p->parts[part].size;
	end += p->pools[space->pool].alignment - rest;
	return num_min(end, next_base(p, part)) - p->parts[part].base;
}

static struct placed place_of_part(const struct check *c, uint32_t part)
{
	uint32_t buffer = c->problem->parts[part].buffer;
	uint64_t base = c->base ? c->base[c->spaces->of[buffer]] : 0;
	uint64_t low = base + c->offsets[buffer] + c->problem->parts[part].base;

	return (struct placed){low, low + mp_verify_check_size(c, part), part};
}

/* True if parts of the two buffers share a byte, whatever their lifetimes. */
static bool share_bytes(const struct check *c, uint32_t a, uint32_t b,
	uint32_t *part, uint32_t *other)
{
	const struct buffer *x = &c->problem->buffers[a];
	const struct buffer *y = &c->problem->buffers[b];

	for (uint32_t i = x->first_part; i < x->first_part + x->n_parts; i++)
		for (uint32_t k = y->first_part; k < y->first_part + y->n_parts;
			k++) {
			struct placed one = place_of_part(c, i);
			struct placed two = place_of_part(c, k);

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
			return false;
	return true;
}

bool mp_verify_check_pairs(const struct check *c, struct arena *scratch)
{
	const struct problem *p = c->problem;
	struct placed *placed = NEW(scratch, struct placed, p->n_parts);
	uint32_t n = 0;

	if (!placed)
		return false;
	assert(p->n_parts == 0 || (p->parts && p->buffers));
	for (uint32_t i = 0; i < p->n_parts; i++)
		if (c->offsets[p->parts[i].buffer] != NO_OFFSET)
			placed[n++] = place_of_part(c, i);
	return n == 0 ||
	       (check_overlaps(c, placed, n, scratch) && check_apart(c));
}

/* ------------------------------------------------------- one memory */

bool mp_verify_check_buffer_quietly(
	const struct buffer *buffer, uint64_t offset)
{
	uint64_t end;

	return num_add(offset, buffer->size, &end) &&
	       offset % buffer->align == 0 &&
	       (buffer->offset == NO_OFFSET || buffer->offset == offset);
}

static bool check_one_memory(
	const struct check *c, bool all, struct arena *scratch)
{
	const struct problem *p = c->problem;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		if ((all || c->offsets[i] != NO_OFFSET) &&
			!mp_verify_check_buffer_quietly(
				&p->buffers[i], c->offsets[i]))
			return mp_verify_check_buffer(c, i);
	return mp_verify_check_pairs(c, scratch);
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
	valid = offsets && check_one_memory(&c, false, scratch);
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
	bool valid = check_one_memory(&c, true, scratch);

	mp_arena_rewind(scratch, mark);
	return valid;
}
