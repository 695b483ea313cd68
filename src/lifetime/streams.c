/*
 * Every op has a vector clock: how many ops of each stream happen before it, or
 * are the op itself (Fidge 1988, Mattern 1989). Along a stream each entry only
 * grows, so one walk along two streams finds, for every op of the one, the
 * first op of the other that it happens before.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/inside.h"

#include <assert.h>
#include <string.h>

/* -------------------------------------------------------- positions */

static bool list_streams(struct streams *s, struct arena *scratch)
{
	const uint32_t *order = s->schedule->order;
	const struct graph *graph = s->graph;

	if (!mp_lists_init(&s->ops, s->n, scratch))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		mp_lists_count(&s->ops, graph->ops[op].stream, 1);
	if (!mp_lists_ready(&s->ops, s->n, scratch))
		return false;
	for (uint32_t i = 0; i < graph->n_ops; i++) {
		s->step[order[i]] = i;
		mp_lists_add(&s->ops, graph->ops[order[i]].stream, order[i]);
	}
	for (uint32_t k = 0; k < s->n; k++)
		for (uint32_t i = 0; i < mp_lists_at(&s->ops, k).n; i++)
			s->position[mp_lists_at(&s->ops, k).at[i]] = i + 1;
	return true;
}

/* ----------------------------------------------------------- clocks */

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

/* Each stream runs its ops in one sequence whatever the order, so another order
 * of the same graph has the same clocks. False: memory is out. */
static bool find_clocks(struct streams *s, const struct problem *like,
	struct schedule *schedule, struct arena *arena)
{
	size_t cells = (size_t)s->graph->n_ops * s->n;
	uint32_t *clocks;

	if (like && like->schedule->graph == s->graph) {
		schedule->clocks = like->schedule->clocks;
		return true;
	}
	clocks = NEW(arena, uint32_t, cells);
	if (clocks)
		set_clocks(s, schedule->order, clocks);
	schedule->clocks = clocks;
	return clocks != NULL;
}

/* For every op of stream a: the first op of stream b that it happens before. */
static void walk_pair(
	struct streams *s, uint32_t a, uint32_t b, const uint32_t *clocks)
{
	struct ids ops = mp_lists_at(&s->ops, a);
	struct ids other = mp_lists_at(&s->ops, b);
	uint32_t at = 0;

	for (uint32_t i = 0; i < ops.n; i++) {
		uint32_t op = ops.at[i];

		while (at < other.n &&
			clocks[(size_t)other.at[at] * s->n + a] < i + 1)
			at++;
		s->behind[(size_t)op * s->n + b] = a == b ? i + 2 : at + 1;
	}
}

bool mp_lifetime_streams_init(struct streams *streams,
	struct schedule *schedule, const struct problem *like,
	struct arena *arena, struct arena *scratch)
{
	const struct graph *graph = schedule->graph;
	size_t n = graph->n_ops, cells = n * graph->n_streams;

	assert(graph->n_streams > 1 && !schedule->clocks);
	*streams = (struct streams){
		.n = graph->n_streams, .graph = graph, .schedule = schedule};
	streams->position = NEW(arena, uint32_t, n);
	streams->step = NEW(scratch, uint32_t, n);
	streams->behind = NEW(scratch, uint32_t, cells);
	if (!streams->position || !streams->step || !streams->behind ||
		!list_streams(streams, scratch) ||
		!find_clocks(streams, like, schedule, arena))
		return false;
	schedule->position = streams->position;
	for (uint32_t a = 0; a < streams->n; a++)
		for (uint32_t b = 0; b < streams->n; b++)
			walk_pair(streams, a, b, schedule->clocks);
	return true;
}

/* ------------------------------------------------------------ parts */

/* Tables of the problem. While holders are added, a row is of a block of parts:
 * 2^level of them from its own on. */
struct tables {
	uint32_t *stream, *born, *free;
	uint32_t *first; /* n_streams a part: the least position at which a
			    holder is born, or NONE */
	uint32_t n_parts;
};

/* The part is free only for ops that this op happens before. */
static void use(const struct streams *s, uint32_t *row, uint32_t op)
{
	join(row, s->behind + (size_t)op * s->n, s->n);
}

static void use_throughout(const struct streams *s, uint32_t *row)
{
	for (uint32_t k = 0; k < s->n; k++)
		row[k] = mp_lists_at(&s->ops, k).n + 1;
}

/* One more than the last step at which an op uses the tensor; its start if none
 * does. */
static uint32_t last_use(const struct streams *s, const struct tensor *t)
{
	struct ids readers = mp_graph_readers(s->graph, t);
	uint32_t last = t->start;

	if (t->producer != NONE && s->step[t->producer] + 1 > last)
		last = s->step[t->producer] + 1;
	for (uint32_t i = 0; i < readers.n; i++)
		if (s->step[readers.at[i]] + 1 > last)
			last = s->step[readers.at[i]] + 1;
	return last;
}

/* After its last use, a tensor with a fixed lifetime is used by the ops of its
 * other steps. */
static void use_pinned(
	const struct streams *s, uint32_t *row, const struct tensor *t)
{
	for (uint32_t i = last_use(s, t); i < t->end && i < s->graph->n_ops;
		i++)
		use(s, row, s->schedule->order[i]);
}

/* A fixed lifetime ends where the input says. */
static bool lasts(const struct streams *s, const struct tensor *t)
{
	return mp_graph_tensor_to_end(t) &&
	       !(t->pinned && t->end < s->graph->n_ops);
}

/* Of a tensor with a fixed lifetime: its producer, or the op of its first step
 * if that one happens before the producer. */
static uint32_t pinned_birth(const struct streams *s, const struct tensor *t)
{
	uint32_t op = s->schedule->order[t->start];

	if (t->producer == NONE)
		return op;
	if (t->start >= s->step[t->producer])
		return t->producer;
	return mp_schedule_before(s->schedule, op, t->producer) ? op : NONE;
}

/* The op with which a tensor is born; NONE: before all ops. */
static uint32_t birth_of(const struct streams *s, const struct tensor *t)
{
	if (t->pinned)
		return pinned_birth(s, t);
	return mp_graph_tensor_from_start(t) ? NONE : t->producer;
}

static void be_born(const struct streams *s, uint32_t *row, uint32_t op)
{
	uint32_t stream, position;

	if (op == NONE) {
		row[0] = 0; /* before all ops */
		return;
	}
	stream = s->graph->ops[op].stream;
	position = s->position[op];
	if (position < row[stream])
		row[stream] = position;
}

static void add_tensor(const struct streams *s, struct tables *out,
	uint32_t part, const struct tensor *t)
{
	uint32_t *row = out->free + (size_t)part * s->n;
	struct ids readers = mp_graph_readers(s->graph, t);

	be_born(s, out->first + (size_t)part * s->n, birth_of(s, t));
	if (t->producer != NONE)
		use(s, row, t->producer);
	for (uint32_t i = 0; i < readers.n; i++)
		use(s, row, readers.at[i]);
	if (t->pinned)
		use_pinned(s, row, t);
	else if (t->producer == NONE && readers.n == 0)
		use(s, row, s->schedule->order[0]); /* alive at step 0 */
	if (lasts(s, t))
		use_throughout(s, row);
}

/* ----------------------------------------------------------- ranges */

static uint32_t level_of(uint32_t n)
{
	return 31 - (uint32_t)__builtin_clz(n);
}

/* The parts of a holder are two blocks of 2^level parts, which may overlap: a
 * part that is held twice is held. */
static void add_holder(const struct streams *s, struct tables *out,
	const struct holder *holder)
{
	const struct tensor *t = &s->graph->tensors[holder->tensor];
	uint32_t rest = holder->n - (UINT32_C(1) << level_of(holder->n));

	add_tensor(s, out, holder->part, t);
	if (rest > 0)
		add_tensor(s, out, holder->part + rest, t);
}

/* Splits blocks of 2 half parts in two. */
static void halve(const struct streams *s, struct tables *out, uint32_t half)
{
	for (uint32_t i = out->n_parts; i-- > half;) {
		uint32_t *first = out->first + (size_t)i * s->n;
		const uint32_t *other = first - (size_t)half * s->n;

		join(out->free + (size_t)i * s->n,
			out->free + (size_t)(i - half) * s->n, s->n);
		for (uint32_t k = 0; k < s->n; k++)
			if (other[k] < first[k])
				first[k] = other[k];
	}
}

static void add_holders(const struct streams *s, struct tables *out,
	const struct holders *holders)
{
	uint32_t level = 0;

	for (uint32_t i = 0; i < holders->n; i++)
		if (level_of(holders->at[i].n) > level)
			level = level_of(holders->at[i].n);
	for (;; level--) {
		for (uint32_t i = 0; i < holders->n; i++)
			if (level_of(holders->at[i].n) == level)
				add_holder(s, out, &holders->at[i]);
		if (level == 0)
			return;
		halve(s, out, UINT32_C(1) << (level - 1));
	}
}

/* ----------------------------------------------------------- births */

/* The op of a row that comes first in the order; NONE: the row has none. */
static uint32_t first_of(const struct streams *s, const uint32_t *row)
{
	uint32_t first = NONE;

	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t op;

		if (row[k] == NONE)
			continue;
		op = mp_lists_at(&s->ops, k).at[row[k] - 1];
		if (first == NONE || s->step[op] < s->step[first])
			first = op;
	}
	return first;
}

/* Does the op happen before all others of the row? */
static bool leads(const struct streams *s, uint32_t op, const uint32_t *row)
{
	const uint32_t *behind = s->behind + (size_t)op * s->n;

	for (uint32_t k = 0; k < s->n; k++)
		if (k != s->graph->ops[op].stream && row[k] < behind[k])
			return false;
	return true;
}

static bool is_born_before_all(const struct streams *s, const uint32_t *row)
{
	for (uint32_t k = 0; k < s->n; k++)
		if (row[k] == 0)
			return true;
	return false;
}

/* A part is born with the op that happens before all other births; if there is
 * none, it is alive before all ops. A part without a holder is alive
 * throughout.
 */
static void set_birth(
	const struct streams *s, struct tables *out, uint32_t part)
{
	const uint32_t *row = out->first + (size_t)part * s->n;
	uint32_t op;

	if (is_born_before_all(s, row))
		return;
	op = first_of(s, row);
	if (op == NONE) {
		use_throughout(s, out->free + (size_t)part * s->n);
	} else if (leads(s, op, row)) {
		out->stream[part] = s->graph->ops[op].stream;
		out->born[part] = s->position[op];
	}
}

/* -------------------------------------------------------- envelopes */

/* One more than the last step of an op for which the part is not free. */
static uint32_t envelope_end(const struct streams *s, const uint32_t *row)
{
	uint32_t end = 1;

	for (uint32_t k = 0; k < s->n; k++) {
		struct ids ops = mp_lists_at(&s->ops, k);
		uint32_t last;

		if (row[k] <= 1 || ops.n == 0)
			continue;
		last = s->step[ops.at[row[k] - 2]] + 1;
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

bool mp_lifetime_streams_fill(const struct streams *streams,
	const struct holders *holders, struct problem *problem,
	struct arena *arena)
{
	struct tables tables = {.n_parts = problem->n_parts};
	size_t n = problem->n_parts, cells = n * streams->n;
	struct arena scratch = mp_arena_beside(arena);

	tables.stream = NEW(arena, uint32_t, n);
	tables.born = NEW(arena, uint32_t, n);
	tables.free = NEW(arena, uint32_t, cells);
	tables.first = NEW(&scratch, uint32_t, cells);
	if (tables.stream && tables.born && tables.free && tables.first) {
		memset(tables.first, 0xff, sizeof(*tables.first) * cells);
		add_holders(streams, &tables, holders);
		for (uint32_t i = 0; i < n; i++)
			set_birth(streams, &tables, i);
		problem->n_streams = streams->n;
		problem->stream = tables.stream;
		problem->born = tables.born;
		problem->free = tables.free;
		widen(streams, problem, &tables);
	}
	mp_arena_free(&scratch);
	return problem->free != NULL;
}
