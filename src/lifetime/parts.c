/*
 * Makes buffers, which are stacks of parts, of tensors that share bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/inside.h"

#include <assert.h>
#include <stddef.h>

#include "base/search.h"
#include "base/sink-text.h"
#include "base/threads.h"

enum {
	LEAST_CUT = 20000 /* tensors of a loop for several threads */
};

static void add_part(struct sharing *s, const struct rectangle *bytes)
{
	struct problem *p = s->problem;
	struct buffer *buffer = &p->buffers[p->n_buffers];

	if (!s->brief)
		p->parts[p->n_parts] =
			(struct part){bytes->low, bytes->high - bytes->low,
				bytes->start, bytes->end, p->n_buffers};
	p->n_parts++;
	buffer->n_parts++;
	buffer->size = num_max(buffer->size, bytes->high);
	if (bytes->start < buffer->start)
		buffer->start = bytes->start;
	if (bytes->end > buffer->end)
		buffer->end = bytes->end;
}

/* The tensor needs these parts, which are neighbours. */
static void hold(struct sharing *s, uint32_t part, uint32_t n, uint32_t t)
{
	if (mp_lifetime_has_streams(s))
		s->holders.at[s->holders.n++] = (struct holder){part, n, t};
}

static bool torn(struct sharing *s, uint32_t first, uint32_t t)
{
	return mp_graph_fail(s->graph, THING_TENSOR, t, s->error,
		s->graph->claims.present ? MEMPLAN_NO : MEMPLAN_EINPUT,
		"tensors '%.80s' and '%.80s' are bytes of one buffer, but "
		"their offsets do not agree",
		mp_graph_tensor_label(&s->graph->tensors[first]),
		mp_graph_tensor_label(&s->graph->tensors[t]));
}

static bool too_low(struct sharing *s, uint32_t t, uint64_t base)
{
	const struct tensor *tensor = &s->graph->tensors[t];

	return mp_graph_fail(s->graph, THING_TENSOR, t, s->error,
		s->graph->claims.present ? MEMPLAN_NO : MEMPLAN_EINPUT,
		"tensor '%.80s' lies at offset %llu, but %llu byte%s of its "
		"buffer come first",
		mp_graph_tensor_label(tensor),
		(unsigned long long)tensor->offset, (unsigned long long)base,
		mp_text_plural(base));
}

/* Puts a tensor at that base in the buffer. */
static bool place(struct sharing *s, uint32_t first, uint32_t t, uint64_t base)
{
	const struct tensor *tensor = &s->graph->tensors[t];
	struct problem *p = s->problem;
	struct buffer *buffer = &p->buffers[p->n_buffers];

	s->stay[t].buffer = p->n_buffers;
	s->stay[t].base = base;
	buffer->align = num_max(buffer->align, tensor->align);
	if (!tensor->placed)
		return true;
	if (tensor->offset < base)
		return too_low(s, t, base);
	if (buffer->offset != NO_OFFSET &&
		buffer->offset != tensor->offset - base)
		return torn(s, first, t);
	buffer->offset = tensor->offset - base;
	return true;
}

static void begin(struct sharing *s)
{
	struct problem *p = s->problem;

	p->buffers[p->n_buffers] = (struct buffer){
		0, s->graph->alignment, NO_OFFSET, NONE, 0, p->n_parts, 0};
}

/* --------------------------------------------------------- in place */

/* A part that takes over from one of equal size extends it. */
static bool extend(struct sharing *s, const struct rectangle *bytes)
{
	struct problem *p = s->problem;
	struct buffer *buffer = &p->buffers[p->n_buffers];
	struct part *last;

	if (buffer->n_parts == 0)
		return false;
	last = &p->parts[p->n_parts - 1];
	if (last->size != bytes->high || last->end != bytes->start)
		return false;
	last->end = bytes->end;
	if (bytes->end > buffer->end)
		buffer->end = bytes->end;
	return true;
}

/* A tensor and those that take over, one after the other. Where streams run
 * beside each other they have one size, and one part. */
static bool add_chain(struct sharing *s, uint32_t first)
{
	uint32_t part = s->problem->n_parts;
	struct rectangle bytes = {0};

	begin(s);
	for (uint32_t t = first; t != NONE; t = s->taken_by[t]) {
		bytes.high = mp_graph_tensor_rounded(
			s->graph, &s->graph->tensors[t]);
		bytes.start = s->stay[t].start;
		bytes.end = s->stay[t].end;
		if (bytes.start < bytes.end && !extend(s, &bytes))
			add_part(s, &bytes);
		if (!place(s, first, t, 0))
			return false;
		hold(s, part, 1, t);
	}
	assert(s->problem->n_parts > part);
	assert(s->problem->n_parts == part + 1 || !mp_lifetime_has_streams(s));
	s->problem->n_buffers++;
	return true;
}

/* ----------------------------------------------------------- unions */

/* The first part from that byte on. With several streams parts have no bytes in
 * common and ascend. */
static uint32_t part_at(const struct rectangles *parts, uint64_t byte)
{
	return mp_search_key_u64(parts->at, sizeof(*parts->at),
		offsetof(struct rectangle, low), parts->n, byte);
}

/* A part that begins below what is needed may still reach into it. */
static void hold_parts(
	struct sharing *s, const struct tensor_union *all, uint32_t first_part)
{
	for (uint32_t i = 0; mp_lifetime_has_streams(s) && i < all->n_needs;
		i++) {
		const struct rectangle *need = &all->needs[i];
		uint32_t from = part_at(&all->parts, need->low);
		uint32_t to = part_at(&all->parts, need->high);

		if (from > 0 && all->parts.at[from - 1].high > need->low)
			from--;
		hold(s, first_part + from, to - from, all->needed_by[i]);
	}
}

static bool add_union(struct sharing *s, const struct tensor_union *all)
{
	uint32_t first_part = s->problem->n_parts;

	begin(s);
	for (uint32_t i = 0; i < all->parts.n; i++)
		add_part(s, &all->parts.at[i]);
	for (uint32_t i = 0; i < all->members.n; i++)
		if (!place(s, all->members.at[0], all->members.at[i],
			    s->base[all->members.at[i]]))
			return false;
	hold_parts(s, all, first_part);
	s->problem->n_buffers++;
	return true;
}

/* ------------------------------------------------------------ stage */

/* For all parts, and with several streams their holders. */
static bool make_room(struct sharing *s)
{
	struct problem *p = s->problem;
	uint64_t n = s->graph->n_tensors, parts = n, holders = n;

	for (uint32_t i = 0; i < s->n_unions; i++) {
		const struct tensor_union *all = &s->unions[i];

		parts += all->parts.n;
		holders += all->n_needs;
	}
	n += s->graph->ties.n_reserved;
	parts += s->graph->ties.n_reserved;
	p->buffers = NEW(s->arena, struct buffer, n);
	if (!s->brief)
		p->parts = NEW(s->arena, struct part, parts);
	if (mp_lifetime_has_streams(s))
		s->holders.at = NEW(s->scratch, struct holder, holders);
	return p->buffers && (p->parts || s->brief) &&
	       (s->holders.at || !mp_lifetime_has_streams(s));
}

/* A reserved range is a buffer in which no tensor lies. */
static void add_reserved(struct sharing *s)
{
	const struct ties *ties = &s->graph->ties;

	s->problem->first_reserved = s->problem->n_buffers;
	s->problem->n_reserved = ties->n_reserved;
	for (uint32_t i = 0; i < ties->n_reserved; i++) {
		struct rectangle bytes = {
			0, ties->reserved[i].size, 0, s->n_steps};

		begin(s);
		s->problem->buffers[s->problem->n_buffers].align = 1;
		s->problem->buffers[s->problem->n_buffers].offset =
			ties->reserved[i].offset;
		add_part(s, &bytes);
		s->problem->n_buffers++;
	}
}

static void fill_alone(void *context, uint32_t from, uint32_t to)
{
	const struct sharing *s = context;

	for (uint32_t t = from; t < to; t++) {
		const struct tensor *tensor = &s->graph->tensors[t];

		s->problem->buffers[t] = (struct buffer){
			.size = mp_graph_tensor_rounded(s->graph, tensor),
			.align = num_max(s->graph->alignment, tensor->align),
			.offset = tensor->placed ? tensor->offset : NO_OFFSET,
			.start = tensor->start,
			.end = tensor->end,
			.first_part = t,
			.n_parts = 1};
	}
}

bool mp_lifetime_parts_fill(struct sharing *s)
{
	if (!make_room(s))
		return false;
	if (s->alone) {
		s->problem->n_buffers = s->problem->n_parts =
			s->problem->first_reserved = s->graph->n_tensors;
		mp_threads_cut(s->arena->threads, s->graph->n_tensors,
			LEAST_CUT, fill_alone, s);
		return true;
	}
	for (uint32_t t = 0; t < s->graph->n_tensors; t++) {
		bool tied = s->unions && s->union_of[t] != NONE;

		if (s->follows[t] ||
			!mp_lifetime_takes_bytes(&s->graph->tensors[t]))
			continue;
		if (tied ? !add_union(s, &s->unions[s->union_of[t]])
			 : !add_chain(s, t))
			return false;
	}
	add_reserved(s);
	return true;
}
