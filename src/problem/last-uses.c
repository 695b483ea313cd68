/* SPDX-License-Identifier: MIT */
#include "problem/last-uses.h"

/* ------------------------------------------------------------ parts */

/* Is the buffer a chain: does each part begin after the one before it? */
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
	return b->first_part +
	       mp_search_key_u32(p->parts + b->first_part, sizeof(*p->parts),
		       offsetof(struct part, end), b->n_parts, step + 1);
}

static void note_use(struct last_uses *w, uint32_t part, uint32_t step)
{
	uint32_t stream = w->n_streams > 1
				  ? mp_schedule_op(w->schedule, step)->stream
				  : 0;
	uint32_t *last = &w->used[(size_t)part * w->n_streams + stream];

	if (step + 1 > *last)
		*last = step + 1;
}

/* Uses of a tensor of several parts belong to the part alive at their step. */
static bool is_at(const struct part *part, uint32_t step, bool alone)
{
	return alone || (part->start <= step && step < part->end);
}

static void tie(struct last_uses *w, uint32_t index, uint32_t at, bool alone)
{
	const struct stay *stay = w->schedule->stay;
	const struct part *part = &w->schedule->problem.parts[at];
	uint32_t born = w->uses.born[index];
	bool born_here = born != NONE && is_at(part, born, alone);

	if (w->first[at] == NONE ||
		stay[index].start < stay[w->first[at]].start) {
		w->first[at] = index;
		w->writer[at] = born_here ? born : NONE;
	}
	if (w->last[at] == NONE || stay[index].end > stay[w->last[at]].end)
		w->last[at] = index;
	if (born_here)
		note_use(w, at, born);
	for (uint32_t i = w->uses.first[index]; i < w->uses.first[index + 1];
		i++)
		if (is_at(part, w->uses.steps[i], alone))
			note_use(w, at, w->uses.steps[i]);
}

static void tie_tensor(struct last_uses *w, uint32_t index, bool chain)
{
	const struct problem *p = &w->schedule->problem;
	const struct stay *stay = &w->schedule->stay[index];
	const struct buffer *b = &p->buffers[stay->buffer];
	uint32_t from = chain ? first_alive(p, b, stay->start) : b->first_part;
	uint32_t end = from, touched = 0;

	while (end < b->first_part + b->n_parts &&
		(!chain || p->parts[end].start < stay->end))
		touched +=
			mp_schedule_needs(w->schedule, index, &p->parts[end++]);
	for (uint32_t i = from; i < end; i++)
		if (mp_schedule_needs(w->schedule, index, &p->parts[i]))
			tie(w, index, i, touched == 1);
}

static bool tie_tensors(struct last_uses *w, struct arena *arena)
{
	const struct schedule *s = w->schedule;
	const struct problem *p = &s->problem;
	bool *chain = NEW(arena, bool, p->n_buffers);

	if (!chain)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		chain[i] = is_chain(p, &p->buffers[i]);
	for (uint32_t i = 0; i < p->n_parts; i++)
		w->first[i] = w->last[i] = w->writer[i] = NONE;
	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		if (s->stay[t].buffer != NONE)
			tie_tensor(w, t, chain[s->stay[t].buffer]);
	return true;
}

/* ---------------------------------------------------------- streams */

bool mp_problem_last_uses_before(
	const struct last_uses *w, uint32_t a, uint32_t b)
{
	if (w->n_streams == 1)
		return a < b;
	return mp_schedule_before(
		w->schedule, w->schedule->order[a], w->schedule->order[b]);
}

/* Keeps those last uses of streams that happen before no other one. */
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
	struct last_uses *w, const struct schedule *s, struct arena *arena)
{
	uint32_t n_streams = s->problem.n_streams;
	size_t n = s->problem.n_parts;

	*w = (struct last_uses){.schedule = s};
	w->n_streams = n_streams > 1 && s->graph->n_ops > 0 ? n_streams : 1;
	w->first = NEW(arena, uint32_t, n);
	w->last = NEW(arena, uint32_t, n);
	w->writer = NEW(arena, uint32_t, n);
	w->used = NEW(arena, uint32_t, n * w->n_streams);
	w->n_used = NEW(arena, uint32_t, n);
	w->kept = NEW(arena, uint32_t, w->n_streams);
	if (!w->first || !w->last || !w->writer || !w->used || !w->n_used ||
		!w->kept || !mp_problem_uses_init(&w->uses, s, arena) ||
		!tie_tensors(w, arena))
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
		if (mp_schedule_op(w->schedule, used[i])->stream != stream)
			return true;
	return false;
}
