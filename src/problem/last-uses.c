/* SPDX-License-Identifier: MIT */
#include "problem/last-uses.h"

const struct step *mp_problem_last_uses_op(
	const struct last_uses *w, uint32_t step)
{
	return &w->problem->ops[w->problem->order[step]];
}

/* ------------------------------------------------------------ parts */

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

static void note_use(struct last_uses *w, uint32_t part, uint32_t step)
{
	uint32_t stream =
		w->n_streams > 1 ? mp_problem_last_uses_op(w, step)->stream : 0;
	uint32_t *last = &w->used[(size_t)part * w->n_streams + stream];

	if (step + 1 > *last)
		*last = step + 1;
}

/* Uses of an item of several parts belong to the part alive at their step. */
static bool is_at(const struct part *part, uint32_t step, bool alone)
{
	return alone || (part->start <= step && step < part->end);
}

static void tie(struct last_uses *w, uint32_t index, uint32_t at, bool alone)
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

static void tie_item(struct last_uses *w, uint32_t index, bool chain)
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

static bool tie_items(struct last_uses *w, struct arena *arena)
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

/* ---------------------------------------------------------- streams */

static void fill_clock(struct last_uses *w, uint32_t step, uint32_t place)
{
	const struct step *op = mp_problem_last_uses_op(w, step);
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

static bool fill_clocks(struct last_uses *w, struct arena *arena)
{
	size_t n = w->problem->n_ops;
	uint32_t *count = NEW(arena, uint32_t, w->n_streams);

	w->place = NEW(arena, uint32_t, n);
	w->clock = NEW(arena, uint32_t, n * w->n_streams);
	if (!count || !w->place || !w->clock)
		return false;
	for (uint32_t i = 0; i < n; i++)
		fill_clock(
			w, i, ++count[mp_problem_last_uses_op(w, i)->stream]);
	return true;
}

/* Does what runs at step a surely end before what runs at step b begins? */
bool mp_problem_last_uses_before(
	const struct last_uses *w, uint32_t a, uint32_t b)
{
	if (w->n_streams == 1)
		return a < b;
	return a != b &&
	       w->clock[(size_t)b * w->n_streams +
			mp_problem_last_uses_op(w, a)->stream] >= w->place[a];
}

/* Of the last uses on each stream keeps those that no other one follows. */
static void pack_uses(struct last_uses *w, uint32_t part)
{
	uint32_t *used = w->used + (size_t)part * w->n_streams;
	uint32_t n = 0, kept = 0;

	for (uint32_t k = 0; k < w->n_streams; k++)
		if (used[k])
			used[n++] = used[k] - 1;
	for (uint32_t i = 0; i < n; i++) {
		bool followed = false;

		for (uint32_t k = 0; k < n && !followed; k++)
			followed = mp_problem_last_uses_before(
				w, used[i], used[k]);
		if (!followed)
			w->kept[kept++] = used[i];
	}
	for (uint32_t i = 0; i < kept; i++)
		used[i] = w->kept[i];
	w->n_used[part] = kept;
}

bool mp_problem_last_uses_init(
	struct last_uses *w, const struct problem *p, struct arena *arena)
{
	size_t n = p->n_parts;

	*w = (struct last_uses){.problem = p};
	w->n_streams = p->n_streams > 1 && p->n_ops > 0 ? p->n_streams : 1;
	w->step = NEW(arena, uint32_t, p->n_ops);
	w->first = NEW(arena, uint32_t, n);
	w->last = NEW(arena, uint32_t, n);
	w->writer = NEW(arena, uint32_t, n);
	w->used = NEW(arena, uint32_t, n * w->n_streams);
	w->n_used = NEW(arena, uint32_t, n);
	w->kept = NEW(arena, uint32_t, w->n_streams);
	if (!w->step || !w->first || !w->last || !w->writer || !w->used ||
		!w->n_used || !w->kept ||
		!mp_problem_uses_init(&w->uses, p, arena) ||
		!tie_items(w, arena))
		return false;
	for (uint32_t i = 0; i < p->n_ops; i++)
		w->step[p->order[i]] = i;
	if (w->n_streams > 1 && !fill_clocks(w, arena))
		return false;
	for (uint32_t i = 0; i < n; i++)
		pack_uses(w, i);
	return true;
}

bool mp_problem_last_uses_cross(
	const struct last_uses *w, uint32_t part, uint32_t stream)
{
	const uint32_t *used = w->used + (size_t)part * w->n_streams;

	for (uint32_t i = 0; i < w->n_used[part] && w->n_streams > 1; i++)
		if (mp_problem_last_uses_op(w, used[i])->stream != stream)
			return true;
	return false;
}
