/*
 * The profile of an order, and how a shift changes it: see shift.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/shift.h"

#include <string.h>

/* ---------------------------------------------------------- profile */

static bool dies_at(const struct shifts *d, uint32_t tensor, uint32_t at)
{
	const struct life *life = &d->lives[tensor];

	return life->dies == d->try ? life->dies_at == at
				    : life->last == d->order[at];
}

/* What in-place pairs save at a step of now, with the changes. Where several
 * pairs of an op compete, it may be too much: what is found is measured. */
static uint64_t saved_inplace(const struct shifts *d, uint32_t at)
{
	const struct view *view = d->s->view;
	uint32_t op = d->order[at];
	uint64_t saved = 0;

	if (!view->pairs)
		return 0;
	for (uint32_t i = view->first_pair[op]; i < view->first_pair[op + 1];
		i++)
		if (dies_at(d, view->pairs[i].input, at))
			saved += mp_order_view_shared(view, &view->pairs[i]);
	return num_min(saved, view->out[op]);
}

static uint64_t cost_at(const struct shifts *d, uint32_t at)
{
	const struct view *view = d->s->view;

	return d->alive[at] + view->out[d->order[at]] - saved_inplace(d, at) +
	       (view->pinned ? view->pinned[at] : 0);
}

/* The profile of the order as it is. */
static void profile(struct shifts *d)
{
	const struct view *view = d->s->view;

	d->alive[0] = view->always + view->at_start;
	for (uint32_t i = 0; i < view->n_ops; i++) {
		uint32_t op = d->order[i];
		struct ids inputs = mp_lists_at(&view->inputs, op);

		d->costs[i] = cost_at(d, i);
		d->alive[i + 1] = d->alive[i] + view->out[op] - view->dead[op];
		for (uint32_t k = 0; k < inputs.n; k++)
			if (dies_at(d, inputs.at[k], i))
				d->alive[i + 1] -= d->lives[inputs.at[k]].size;
	}
}

/* ---------------------------------------------------------- changes */

/*
 * The others keep their order, and so do those that move. So a tensor dies at
 * another op only if some of each use it.
 */

static void change_death(
	struct shifts *d, uint32_t tensor, uint32_t from, uint32_t to)
{
	struct life *life = &d->lives[tensor];

	life->dies = d->try;
	life->dies_at = to;
	d->gain[from] += life->size;
	d->gain[to] -= life->size;
	d->changes[d->n_changes++] = (struct change){tensor, from, to};
}

/* The last user in the range that does not move; NONE: there is none. */
static uint32_t last_other(struct shifts *d, uint32_t tensor)
{
	struct ids users = mp_lists_at(&d->s->view->users, tensor);
	uint32_t last = NONE;

	for (uint32_t i = 0; i < users.n; i++) {
		uint32_t at = d->place[users.at[i]];

		if (at >= d->from && at <= d->to && d->moves[at] != d->try &&
			(last == NONE || at > last))
			last = at;
	}
	d->work += users.n;
	return last;
}

/* Those that move run first: what dies at one of them may die at another op. */
static void change_pulled(struct shifts *d, uint32_t at)
{
	struct ids inputs = mp_lists_at(&d->s->view->inputs, d->order[at]);
	uint32_t other;

	for (uint32_t k = 0; k < inputs.n; k++) {
		if (d->lives[inputs.at[k]].last != d->order[at])
			continue;
		other = last_other(d, inputs.at[k]);
		if (other != NONE)
			change_death(d, inputs.at[k], at, other);
	}
	d->work += inputs.n;
}

/* They run last: the last one that uses what dies at another op has it now. */
static void change_pushed(struct shifts *d, uint32_t at)
{
	struct ids inputs = mp_lists_at(&d->s->view->inputs, d->order[at]);

	for (uint32_t k = 0; k < inputs.n; k++) {
		const struct life *life = &d->lives[inputs.at[k]];
		uint32_t last = d->place[life->last];

		if (last <= d->to && d->moves[last] != d->try &&
			last >= d->from && life->dies != d->try)
			change_death(d, inputs.at[k], last, at);
	}
	d->work += inputs.n;
}

/* Where pairs save other bytes than before. */
static void change_saved(struct shifts *d)
{
	for (uint32_t i = 0; i < 2 * d->n_changes; i++) {
		const struct change *change = &d->changes[i / 2];
		uint32_t at = i % 2 ? change->from : change->to;

		d->extra[at] = cost_at(d, at) - d->costs[at];
	}
}

static void forget_changes(struct shifts *d)
{
	for (uint32_t i = 0; i < d->n_changes; i++) {
		const struct change *change = &d->changes[i];

		d->gain[change->from] = d->gain[change->to] = 0;
		d->extra[change->from] = d->extra[change->to] = 0;
	}
	d->n_changes = 0;
}

/* ------------------------------------------------------------ moves */

static void mark(struct shifts *d, struct ids ops)
{
	for (uint32_t i = 0; i < ops.n; i++)
		d->moves[d->place[ops.at[i]]] = d->try;
	d->work += ops.n;
}

/* Finds what the last op of the range waits for, backward. */
static void find_pulled(struct shifts *d)
{
	d->moves[d->to] = d->try;
	for (uint32_t i = d->to + 1; i-- > d->from;)
		if (d->moves[i] == d->try) {
			mark(d, mp_lists_at(&d->s->view->before, d->order[i]));
			d->movers[d->n_movers++] = i;
		}
}

/* Finds what waits for its first op. */
static void find_pushed(struct shifts *d)
{
	d->moves[d->from] = d->try;
	for (uint32_t i = d->from; i <= d->to; i++)
		if (d->moves[i] == d->try) {
			mark(d, mp_lists_at(&d->s->view->behind, d->order[i]));
			d->movers[d->n_movers++] = i;
		}
}

/* Puts the op with this step now at a step, behind so many bytes. Returns those
 * behind it. */
static inline uint64_t put(
	struct shifts *d, uint32_t at, uint32_t to, uint64_t now)
{
	now -= d->alive[at];
	d->ops[to] = d->order[at];
	d->ops_costs[to] = d->costs[at] + d->extra[at] + now;
	now += d->alive[at + 1] + d->gain[at];
	d->ops_alive[to] = now;
	return now;
}

static uint64_t put_others(struct shifts *d, uint32_t to, uint64_t now)
{
	for (uint32_t i = d->from; i <= d->to; i++)
		if (d->moves[i] != d->try)
			now = put(d, i, to++, now);
	return now;
}

/* What the last op of the range waits for moves to its start. */
static void pull(struct shifts *d)
{
	uint64_t now = d->alive[d->from];

	for (uint32_t i = 0; i < d->n_movers; i++)
		now = put(d, d->movers[d->n_movers - 1 - i], d->from + i, now);
	put_others(d, d->from + d->n_movers, now);
}

/* What waits for its first op moves to its end. */
static void push(struct shifts *d)
{
	uint64_t now = put_others(d, d->from, d->alive[d->from]);

	for (uint32_t i = 0; i < d->n_movers; i++)
		now = put(d, d->movers[i], d->to + 1 - d->n_movers + i, now);
}

/* Pinned bytes belong to a step, whatever op it has. */
static void stay_pinned(struct shifts *d)
{
	const uint64_t *pinned = d->s->view->pinned;

	for (uint32_t i = d->from; pinned && i <= d->to; i++)
		d->ops_costs[i] += pinned[i] - pinned[d->place[d->ops[i]]];
}

/* ------------------------------------------------------------ tries */

/* Those that move and are at that end of the range stay. */
static void trim_range(struct shifts *d, bool pulls)
{
	while (d->n_movers > 0 && pulls &&
		d->movers[d->n_movers - 1] == d->from) {
		d->n_movers--;
		d->from++;
	}
	while (d->n_movers > 0 && !pulls &&
		d->movers[d->n_movers - 1] == d->to) {
		d->n_movers--;
		d->to--;
	}
}

bool mp_order_shift_try(
	struct shifts *d, uint32_t from, uint32_t to, bool pulls)
{
	d->try++;
	d->n_movers = 0;
	d->from = from;
	d->to = to;
	d->work += SHIFT_WORK + to - from;
	if (pulls)
		find_pulled(d);
	else
		find_pushed(d);
	trim_range(d, pulls);
	if (d->n_movers == 0)
		return false;
	forget_changes(d);
	for (uint32_t i = 0; i < d->n_movers; i++)
		if (pulls)
			change_pulled(d, d->movers[i]);
		else
			change_pushed(d, d->movers[d->n_movers - 1 - i]);
	if (d->s->view->pairs)
		change_saved(d);
	if (pulls)
		pull(d);
	else
		push(d);
	stay_pinned(d);
	return true;
}

void mp_order_shift_accept(struct shifts *d)
{
	size_t n = d->to - d->from + 1;

	for (uint32_t i = 0; i < d->n_changes; i++)
		d->lives[d->changes[i].tensor].last =
			d->order[d->changes[i].to];
	for (uint32_t i = d->from; i <= d->to; i++)
		d->place[d->ops[i]] = i;
	memcpy(d->order + d->from, d->ops + d->from, n * sizeof(*d->order));
	memcpy(d->costs + d->from, d->ops_costs + d->from,
		n * sizeof(*d->costs));
	memcpy(d->alive + d->from + 1, d->ops_alive + d->from,
		n * sizeof(*d->alive));
}

/* ------------------------------------------------------------ start */

void mp_order_shift_begin(struct shifts *d)
{
	const struct search *s = d->s;
	struct ids inputs;

	d->try++;
	forget_changes(d);
	memcpy(d->order, s->order, sizeof(*d->order) * s->view->n_ops);
	memcpy(d->place, s->place, sizeof(*d->place) * s->view->n_ops);
	for (uint32_t i = 0; i < s->view->n_ops; i++) {
		inputs = mp_lists_at(&s->view->inputs, s->order[i]);
		for (uint32_t k = 0; k < inputs.n; k++)
			d->lives[inputs.at[k]].last = s->order[i];
	}
	profile(d);
}

bool mp_order_shift_init(struct shifts *d, struct search *s)
{
	uint32_t n = s->view->n_ops, n_tensors = s->view->n_tensors;
	struct arena *arena = s->arena;

	*d = (struct shifts){.s = s};
	d->order = NEW(arena, uint32_t, n);
	d->place = NEW(arena, uint32_t, n);
	d->costs = NEW(arena, uint64_t, n);
	d->alive = NEW(arena, uint64_t, (size_t)n + 1);
	d->lives = NEW(arena, struct life, n_tensors);
	d->ops = NEW(arena, uint32_t, n);
	d->ops_costs = NEW(arena, uint64_t, n);
	d->ops_alive = NEW(arena, uint64_t, n);
	d->moves = NEW(arena, uint32_t, n);
	d->movers = NEW(arena, uint32_t, n);
	d->changes = NEW(arena, struct change, n_tensors);
	d->gain = NEW(arena, uint64_t, n);
	d->extra = NEW(arena, uint64_t, n);
	for (uint32_t t = 0; d->lives && t < n_tensors; t++)
		d->lives[t] =
			(struct life){.size = s->view->size[t], .last = NONE};
	return d->order && d->place && d->costs && d->alive && d->lives &&
	       d->ops && d->ops_costs && d->ops_alive && d->moves &&
	       d->movers && d->changes && d->gain && d->extra;
}
