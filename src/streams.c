/*
 * Every op has a vector clock: how many ops of each stream are surely over or
 * run by the time it runs (Fidge 1988, Mattern 1989). Along a stream each entry
 * only grows, so that the first op which knows of another is found by walking
 * both streams once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "streams.h"

#include <string.h>

/* ------------------------------------------------------------------ positions
 */

static void list_streams(struct streams *s, const uint32_t *order)
{
	const struct graph *graph = s->graph;
	uint32_t stream;

	for (uint32_t op = 0; op < graph->n_ops; op++)
		s->first[graph->ops[op].stream + 1]++;
	for (uint32_t k = 0; k < s->n; k++)
		s->first[k + 1] += s->first[k];
	for (uint32_t i = 0; i < graph->n_ops; i++) {
		stream = graph->ops[order[i]].stream;
		s->step[order[i]] = i;
		s->at[s->first[stream]++] = order[i];
	}
	for (uint32_t k = s->n; k > 0; k--)
		s->first[k] = s->first[k - 1];
	s->first[0] = 0;
	for (uint32_t k = 0; k < s->n; k++)
		for (uint32_t i = s->first[k]; i < s->first[k + 1]; i++)
			s->position[s->at[i]] = i - s->first[k] + 1;
}

/* -------------------------------------------------------------------- clocks
 */

static void join(uint32_t *clock, const uint32_t *other, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (other[k] > clock[k])
			clock[k] = other[k];
}

static void set_clocks(
	const struct streams *s, const uint32_t *order, uint32_t *clocks)
{
	for (uint32_t i = 0; i < s->graph->n_ops; i++) {
		const struct op *op = &s->graph->ops[order[i]];
		uint32_t *clock = clocks + (size_t)order[i] * s->n;

		for (uint32_t k = 0; k < op->before.n; k++)
			join(clock, clocks + (size_t)op->before.at[k] * s->n,
				s->n);
		clock[op->stream] = s->position[order[i]];
	}
}

/* For every op of stream a: the first op of stream b that knows of it. */
static void walk_pair(
	struct streams *s, uint32_t a, uint32_t b, const uint32_t *clocks)
{
	uint32_t at = s->first[b];

	for (uint32_t i = s->first[a]; i < s->first[a + 1]; i++) {
		uint32_t op = s->at[i];

		while (at < s->first[b + 1] &&
			clocks[(size_t)s->at[at] * s->n + a] < s->position[op])
			at++;
		s->behind[(size_t)op * s->n + b] =
			a == b ? s->position[op] + 1 : at - s->first[b] + 1;
	}
}

bool mp_streams_init(struct streams *streams, const struct graph *graph,
	const uint32_t *order, struct arena *arena)
{
	size_t n = graph->n_ops, cells = n * graph->n_streams;
	uint32_t *clocks;

	*streams = (struct streams){.n = graph->n_streams, .graph = graph};
	streams->position = NEW(arena, uint32_t, n);
	streams->step = NEW(arena, uint32_t, n);
	streams->first = NEW(arena, uint32_t, streams->n + 1);
	streams->at = NEW(arena, uint32_t, n);
	streams->behind = NEW(arena, uint32_t, cells);
	clocks = NEW(arena, uint32_t, cells);
	if (!streams->position || !streams->step || !streams->first ||
		!streams->at || !streams->behind || !clocks)
		return false;
	list_streams(streams, order);
	set_clocks(streams, order, clocks);
	for (uint32_t a = 0; a < streams->n; a++)
		for (uint32_t b = 0; b < streams->n; b++)
			walk_pair(streams, a, b, clocks);
	return true;
}

bool mp_streams_before(const struct streams *streams, uint32_t a, uint32_t b)
{
	uint32_t stream = streams->graph->ops[b].stream;

	return streams->position[b] >=
	       streams->behind[(size_t)a * streams->n + stream];
}

/* --------------------------------------------------------------------- parts
 */

/* Of a part; births are ops as far as they are known. */
struct tables {
	uint32_t *stream, *born, *free, *birth;
};

enum {
	BEFORE_ALL = NONE - 1
};

/* Not free before everything after this op. */
static void use(const struct streams *s, uint32_t *row, uint32_t op)
{
	join(row, s->behind + (size_t)op * s->n, s->n);
}

static void use_throughout(const struct streams *s, uint32_t *row)
{
	for (uint32_t k = 0; k < s->n; k++)
		row[k] = s->first[k + 1] - s->first[k] + 1;
}

/* One behind the last step at which an op touches it; a tensor that none does
 * counts from its start. */
static uint32_t last_touch(const struct streams *s, const struct tensor *t)
{
	uint32_t last = t->start;

	if (t->producer != NONE && s->step[t->producer] + 1 > last)
		last = s->step[t->producer] + 1;
	for (uint32_t i = 0; i < t->readers.n; i++)
		if (s->step[t->readers.at[i]] + 1 > last)
			last = s->step[t->readers.at[i]] + 1;
	return last;
}

/* As long as a pinned tensor outlives who touches it, it is held by all the ops
 * of its steps. */
static void use_pinned(const struct streams *s, uint32_t *row,
	const struct tensor *t, const uint32_t *order)
{
	for (uint32_t i = last_touch(s, t); i < t->end && i < s->graph->n_ops;
		i++)
		use(s, row, order[i]);
}

/* A lifetime that is pinned ends when it says. */
static bool lasts(const struct streams *s, const struct tensor *t)
{
	return mp_tensor_to_end(t) && !(t->pinned && t->end < s->graph->n_ops);
}

/* The op at whose step a tensor is born; NONE: before all of them. */
static uint32_t birth_of(
	const struct streams *s, const struct tensor *t, const uint32_t *order)
{
	if (t->pinned && t->producer == NONE)
		return order[t->start];
	if (t->pinned ? t->start < s->step[t->producer]
		      : mp_tensor_from_start(t))
		return NONE;
	return t->producer;
}

/* Of several births the one that surely comes first is the part's; if there is
 * none, it is there before all ops. */
static void be_born(
	const struct streams *s, struct tables *out, uint32_t part, uint32_t op)
{
	uint32_t first = out->birth[part];

	if (first == BEFORE_ALL || op == NONE) {
		out->birth[part] = BEFORE_ALL;
		return;
	}
	if (first == NONE || mp_streams_before(s, op, first))
		out->birth[part] = op;
	else if (op != first && !mp_streams_before(s, first, op))
		out->birth[part] = BEFORE_ALL;
}

static void add_tensor(const struct streams *s, struct tables *out,
	uint32_t part, const struct tensor *t, const uint32_t *order)
{
	uint32_t *row = out->free + (size_t)part * s->n;

	be_born(s, out, part, birth_of(s, t, order));
	if (t->producer != NONE)
		use(s, row, t->producer);
	for (uint32_t i = 0; i < t->readers.n; i++)
		use(s, row, t->readers.at[i]);
	if (t->pinned)
		use_pinned(s, row, t, order);
	else if (t->producer == NONE && t->readers.n == 0)
		use(s, row, order[0]); /* for its step, as a plan has it */
	if (lasts(s, t))
		use_throughout(s, row);
}

/* What nobody holds is somebody else's throughout. */
static void set_births(
	const struct streams *s, struct tables *out, uint32_t n_parts)
{
	for (uint32_t i = 0; i < n_parts; i++) {
		if (out->birth[i] == NONE) {
			use_throughout(s, out->free + (size_t)i * s->n);
			continue;
		}
		if (out->birth[i] == BEFORE_ALL)
			continue;
		out->stream[i] = s->graph->ops[out->birth[i]].stream;
		out->born[i] = s->position[out->birth[i]];
	}
}

/* --------------------------------------------------------------- envelopes */

/* One behind the last step of any op that does not surely come after. */
static uint32_t envelope_end(const struct streams *s, const uint32_t *row)
{
	uint32_t end = 1;

	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t last;

		if (row[k] <= 1 || s->first[k] == s->first[k + 1])
			continue;
		last = s->step[s->at[s->first[k] + row[k] - 2]] + 1;
		end = last > end ? last : end;
	}
	return end;
}

static void widen(
	const struct streams *s, struct problem *p, const struct tables *tables)
{
	for (uint32_t i = 0; i < p->n_parts; i++) {
		struct part *part = &p->parts[i];
		struct buffer *buffer = &p->buffers[part->buffer];
		uint32_t end = envelope_end(s, tables->free + (size_t)i * s->n);

		if (tables->born[i] == 0)
			part->start = 0;
		part->end = end > part->end ? end : part->end;
		if (part->start < buffer->start)
			buffer->start = part->start;
		if (part->end > buffer->end)
			buffer->end = part->end;
	}
}

bool mp_streams_fill(const struct streams *streams,
	const struct holder *holders, uint32_t n_holders,
	struct problem *problem, struct arena *arena)
{
	struct tables tables;
	size_t n = problem->n_parts;

	tables.stream = NEW(arena, uint32_t, n);
	tables.born = NEW(arena, uint32_t, n);
	tables.birth = NEW(arena, uint32_t, n);
	tables.free = NEW(arena, uint32_t, n * streams->n);
	if (!tables.stream || !tables.born || !tables.birth || !tables.free)
		return false;
	memset(tables.birth, 0xff, sizeof(*tables.birth) * n);
	for (uint32_t i = 0; i < n_holders; i++)
		add_tensor(streams, &tables, holders[i].part,
			&streams->graph->tensors[holders[i].tensor],
			problem->order);
	set_births(streams, &tables, problem->n_parts);
	problem->n_streams = streams->n;
	problem->stream = tables.stream;
	problem->born = tables.born;
	problem->free = tables.free;
	widen(streams, problem, &tables);
	return true;
}
