/* SPDX-License-Identifier: MIT */
#include "emit/reuse.h"

#include "emit/uses.h"
#include "overwrites.h"

/* Edges followed in search of paths: about a second. */
#define MOST_WORK UINT64_C(100000000)

struct work {
	const struct problem *problem;
	uint32_t n_streams;
	struct uses uses;
	uint32_t *step;		/* of an op */
	uint32_t *first, *last; /* of a part: its first and its last item */
	uint32_t *writer; /* of a part: step that writes it first, or NONE */

	/* n_streams a part: the step of the last use on each stream, one on;
	 * 0: none. Then packed: n_used[part] steps. */
	uint32_t *used, *n_used;

	/* Several streams: n_streams a step, how many ops of each are over or
	 * run by then (vector clocks), and its own place in its stream. */
	uint32_t *clock, *place;

	uint32_t *seen; /* of a step: the search that met it last */
	uint32_t *stack;
	uint32_t n_searches;
	uint64_t spent;
};

const char *mp_reuse_order_name(enum reuse_order order)
{
	switch (order) {
	case REUSE_EDGES:
		return "edges";
	case REUSE_STREAMS:
		return "streams";
	case REUSE_LIFETIMES:
		return "lifetimes";
	case REUSE_HAZARD:
		return NULL;
	}
	return NULL;
}

static const struct step *op_at(const struct work *w, uint32_t step)
{
	return &w->problem->ops[w->problem->order[step]];
}

/* ------------------------------------------------------------------- parts */

/* Is the buffer a chain of parts, one behind the other in time? */
static bool is_chain(const struct problem *p, const struct buffer *b)
{
	for (uint32_t i = 1; i < b->n_parts; i++)
		if (p->parts[b->first_part + i].start <
			p->parts[b->first_part + i - 1].end)
			return false;
	return true;
}

/* The first part of a chain that is not over at a step. */
static uint32_t first_alive(
	const struct problem *p, const struct buffer *b, uint32_t step)
{
	uint32_t low = b->first_part, high = b->first_part + b->n_parts;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (p->parts[middle].end <= step)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool touch(const struct item *item, const struct part *part)
{
	return item->start < part->end && part->start < item->end &&
	       item->base < part->base + part->size &&
	       part->base < item->base + num_max(item->size, 1);
}

static void note_use(struct work *w, uint32_t part, uint32_t step)
{
	uint32_t stream = w->n_streams > 1 ? op_at(w, step)->stream : 0;
	uint32_t *last = &w->used[(size_t)part * w->n_streams + stream];

	if (step + 1 > *last)
		*last = step + 1;
}

/* Uses of an item of several parts belong to the part alive at their step. */
static bool is_at(const struct part *part, uint32_t step, bool alone)
{
	return alone || (part->start <= step && step < part->end);
}

static void tie(struct work *w, uint32_t index, uint32_t at, bool alone)
{
	const struct problem *p = w->problem;
	const struct item *item = &p->items[index];
	const struct part *part = &p->parts[at];
	uint32_t born = w->uses.born[index];
	bool born_here = born != NONE && is_at(part, born, alone);

	if (w->first[at] == NONE ||
		item->start < p->items[w->first[at]].start) {
		w->first[at] = index;
		w->writer[at] = born_here ? born : NONE;
	}
	if (w->last[at] == NONE || item->end > p->items[w->last[at]].end)
		w->last[at] = index;
	if (born_here)
		note_use(w, at, born);
	for (uint32_t i = w->uses.first[index]; i < w->uses.first[index + 1];
		i++)
		if (is_at(part, w->uses.steps[i], alone))
			note_use(w, at, w->uses.steps[i]);
}

static void tie_item(struct work *w, uint32_t index, bool chain)
{
	const struct problem *p = w->problem;
	const struct item *item = &p->items[index];
	const struct buffer *b = &p->buffers[item->buffer];
	uint32_t from = chain ? first_alive(p, b, item->start) : b->first_part;
	uint32_t end = from, touched = 0;

	while (end < b->first_part + b->n_parts &&
		(!chain || p->parts[end].start < item->end))
		touched += touch(item, &p->parts[end++]);
	for (uint32_t i = from; i < end; i++)
		if (touch(item, &p->parts[i]))
			tie(w, index, i, touched == 1);
}

static bool tie_items(struct work *w, struct arena *arena)
{
	const struct problem *p = w->problem;
	bool *chain = NEW(arena, bool, p->n_buffers);

	if (!chain)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		chain[i] = is_chain(p, &p->buffers[i]);
	for (uint32_t i = 0; i < p->n_parts; i++)
		w->first[i] = w->last[i] = w->writer[i] = NONE;
	for (uint32_t i = 0; i < p->n_items; i++)
		if (p->items[i].buffer != NONE)
			tie_item(w, i, chain[p->items[i].buffer]);
	return true;
}

/* ----------------------------------------------------------------- streams */

static void fill_clock(struct work *w, uint32_t step, uint32_t place)
{
	const struct step *op = op_at(w, step);
	uint32_t *clock = w->clock + (size_t)step * w->n_streams;

	for (uint32_t i = 0; i < op->n_after; i++) {
		const uint32_t *other =
			w->clock + (size_t)w->n_streams * w->step[op->after[i]];

		for (uint32_t k = 0; k < w->n_streams; k++)
			if (other[k] > clock[k])
				clock[k] = other[k];
	}
	clock[op->stream] = w->place[step] = place;
}

static bool fill_clocks(struct work *w, struct arena *arena)
{
	size_t n = w->problem->n_ops;
	uint32_t *count = NEW(arena, uint32_t, w->n_streams);

	w->place = NEW(arena, uint32_t, n);
	w->clock = NEW(arena, uint32_t, n * w->n_streams);
	if (!count || !w->place || !w->clock)
		return false;
	for (uint32_t i = 0; i < n; i++)
		fill_clock(w, i, ++count[op_at(w, i)->stream]);
	return true;
}

/* Does what runs at step a surely end before what runs at step b begins? */
static bool is_before(const struct work *w, uint32_t a, uint32_t b)
{
	if (w->n_streams == 1)
		return a < b;
	return a != b &&
	       w->clock[(size_t)b * w->n_streams + op_at(w, a)->stream] >=
		       w->place[a];
}

/* Of the last uses on each stream keeps those that no other one follows. */
static void pack_uses(struct work *w, uint32_t part)
{
	uint32_t *used = w->used + (size_t)part * w->n_streams;
	uint32_t n = 0, kept = 0;

	for (uint32_t k = 0; k < w->n_streams; k++)
		if (used[k])
			used[n++] = used[k] - 1;
	for (uint32_t i = 0; i < n; i++) {
		bool followed = false;

		for (uint32_t k = 0; k < n && !followed; k++)
			followed = is_before(w, used[i], used[k]);
		if (!followed)
			w->stack[kept++] = used[i];
	}
	for (uint32_t i = 0; i < kept; i++)
		used[i] = w->stack[i];
	w->n_used[part] = kept;
}

/* ------------------------------------------------------------------- edges */

static bool reads_from(const struct work *w, const struct step *op, uint32_t at)
{
	for (uint32_t i = 0; i < op->n_inputs; i++)
		if (w->problem->items[op->inputs[i]].producer == at)
			return true;
	return false;
}

/* An op waits for the one before it in its stream also if no edge says so. */
static bool is_edge(const struct work *w, uint32_t step, uint32_t at)
{
	const struct step *op = op_at(w, step), *before = &w->problem->ops[at];

	if (w->n_streams == 1 || op->stream != before->stream ||
		w->place[w->step[at]] + 1 != w->place[step])
		return true;
	return reads_from(w, op, at);
}

/* Marks all steps from `least` on from which a path of edges leads here. */
static void search(struct work *w, uint32_t step, uint32_t least)
{
	uint32_t n = 0;

	w->seen[step] = ++w->n_searches;
	w->stack[n++] = step;
	while (n > 0) {
		uint32_t at = w->stack[--n];
		const struct step *op = op_at(w, at);

		w->spent += 1 + op->n_after;
		for (uint32_t i = 0; i < op->n_after; i++) {
			uint32_t before = w->step[op->after[i]];

			if (before < least ||
				w->seen[before] == w->n_searches ||
				!is_edge(w, at, op->after[i]))
				continue;
			w->seen[before] = w->n_searches;
			w->stack[n++] = before;
		}
	}
}

/* ------------------------------------------------------------------ reuses */

static struct reuse reuse_of(const struct work *w, const struct overwrite *o)
{
	struct reuse r = {0};

	r.old = w->last[o->old];
	r.next = w->first[o->next];
	r.low = o->low;
	r.bytes = o->bytes;
	r.last = w->used + (size_t)o->old * w->n_streams;
	r.n_last = w->n_used[o->old];
	r.first = w->writer[o->next];
	r.order = REUSE_STREAMS;
	if (r.n_last == 0 || r.first == NONE)
		r.order = REUSE_LIFETIMES;
	for (uint32_t i = 0; i < r.n_last && r.first != NONE; i++) {
		if (!is_before(w, r.last[i], r.first))
			r.order = REUSE_HAZARD;
		if (w->n_streams > 1 && op_at(w, r.last[i])->stream !=
						op_at(w, r.first)->stream)
			r.crosses = true;
	}
	return r;
}

static bool all_seen(const struct work *w, const struct reuse *r)
{
	for (uint32_t i = 0; i < r->n_last; i++)
		if (w->seen[r->last[i]] != w->n_searches)
			return false;
	return true;
}

/* Neighbours with one writer: one search serves them all. */
static void find_paths(struct work *w, struct reuse *reuses, uint32_t n)
{
	uint32_t least = NONE;

	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < reuses[k].n_last; i++)
			if (reuses[k].order == REUSE_STREAMS &&
				reuses[k].last[i] < least)
				least = reuses[k].last[i];
	if (least == NONE)
		return;
	search(w, reuses->first, least);
	for (uint32_t k = 0; k < n; k++)
		if (reuses[k].order == REUSE_STREAMS && all_seen(w, &reuses[k]))
			reuses[k].order = REUSE_EDGES;
}

static void find_all_paths(struct work *w, struct reuses *reuses)
{
	uint32_t end;

	for (uint32_t i = 0; i < reuses->n && w->spent < MOST_WORK; i = end) {
		for (end = i + 1; end < reuses->n &&
				  reuses->at[end].first == reuses->at[i].first;
			end++)
			;
		find_paths(w, &reuses->at[i], end - i);
	}
	reuses->searched = w->spent < MOST_WORK;
}

static bool prepare(struct work *w, struct arena *arena)
{
	const struct problem *p = w->problem;
	size_t n = p->n_parts;

	w->n_streams = p->n_streams > 1 && p->n_ops > 0 ? p->n_streams : 1;
	w->step = NEW(arena, uint32_t, p->n_ops);
	w->first = NEW(arena, uint32_t, n);
	w->last = NEW(arena, uint32_t, n);
	w->writer = NEW(arena, uint32_t, n);
	w->used = NEW(arena, uint32_t, n * w->n_streams);
	w->n_used = NEW(arena, uint32_t, n);
	w->seen = NEW(arena, uint32_t, p->n_ops);
	w->stack = NEW(arena, uint32_t, (size_t)p->n_ops + w->n_streams);
	if (!w->step || !w->first || !w->last || !w->writer || !w->used ||
		!w->n_used || !w->seen || !w->stack ||
		!mp_uses_init(&w->uses, p, arena) || !tie_items(w, arena))
		return false;
	for (uint32_t i = 0; i < p->n_ops; i++)
		w->step[p->order[i]] = i;
	if (w->n_streams > 1 && !fill_clocks(w, arena))
		return false;
	for (uint32_t i = 0; i < n; i++)
		pack_uses(w, i);
	return true;
}

static void sum_up(struct reuses *reuses)
{
	for (uint32_t i = 0; i < reuses->n; i++) {
		reuses->n_crossing += reuses->at[i].crosses;
		reuses->n_hazards += reuses->at[i].order == REUSE_HAZARD;
		reuses->bytes += reuses->at[i].bytes;
	}
}

bool mp_reuses_find(
	const struct plan *plan, struct reuses *reuses, struct arena *arena)
{
	struct work w = {.problem = plan->problem};
	struct overwrites found;

	*reuses = (struct reuses){0};
	if (!mp_overwrites_find(plan->problem, plan->offsets, &found, arena) ||
		!prepare(&w, arena))
		return false;
	reuses->at = NEW(arena, struct reuse, found.n);
	if (!reuses->at)
		return false;
	for (uint32_t i = 0; i < found.n; i++)
		if (w.last[found.at[i].old] != NONE &&
			w.first[found.at[i].next] != NONE)
			reuses->at[reuses->n++] = reuse_of(&w, &found.at[i]);
	find_all_paths(&w, reuses);
	sum_up(reuses);
	return true;
}
