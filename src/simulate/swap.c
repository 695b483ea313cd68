/*
 * Feature maps of a training graph, and the requests and the problem that are
 * left when they are swapped.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/simulate.h"

#include <assert.h>

#include "base/sink-text.h"

typedef void take_use(void *context, uint32_t buffer, uint32_t step);

/* The buffers of what the op at a step reads, then of what it writes. */
static void each_use(
	const struct schedule *s, uint32_t step, take_use *take, void *context)
{
	const struct op *op = mp_schedule_op(s, step);
	const struct ids *lists[] = {&op->inputs, &op->outputs};

	for (size_t k = 0; k < countof(lists); k++)
		for (uint32_t i = 0; i < lists[k]->n; i++) {
			uint32_t buffer = s->stay[lists[k]->at[i]].buffer;

			if (buffer != NONE)
				take(context, buffer, step);
		}
}

/* ----------------------------------------------------- forward pass */

static bool ends_forward(const struct op *op)
{
	const char *type = op->type ? op->type : op->name;

	return (mp_text_mentions(type, "softmax") ||
		       mp_text_mentions(type, "loss")) &&
	       !mp_text_mentions(type, "back") &&
	       !mp_text_mentions(type, "grad");
}

/* Bytes that are not in use, but will be. */
struct dormancy {
	const struct problem *problem;
	uint32_t *last;	 /* use so far of a buffer; NONE: none yet */
	int64_t *change; /* of a step: bytes more than at the one before */
};

static void wake(void *context, uint32_t buffer, uint32_t step)
{
	struct dormancy *d = context;
	int64_t size = (int64_t)d->problem->buffers[buffer].size;
	uint32_t last = d->last[buffer];

	d->last[buffer] = step;
	if (last == NONE || last >= step)
		return;
	d->change[last + 1] += size;
	d->change[step] -= size;
}

static uint32_t guess_forward_end(const struct schedule *s, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct dormancy d = {.problem = &s->problem};
	int64_t dormant = 0, most = 0;
	uint32_t at = 0;

	d.last = NEW(arena, uint32_t, s->problem.n_buffers);
	d.change = NEW(arena, int64_t, (size_t)s->problem.n_steps + 1);
	if (!d.last || !d.change)
		return 0;
	for (uint32_t i = 0; i < s->problem.n_buffers; i++)
		d.last[i] = NONE;
	for (uint32_t k = 0; k < s->graph->n_ops; k++)
		each_use(s, k, wake, &d);
	for (uint32_t k = 0; k < s->problem.n_steps; k++) {
		dormant += d.change[k];
		if (dormant > most) {
			most = dormant;
			at = k;
		}
	}
	mp_arena_rewind(arena, mark);
	return at;
}

uint32_t mp_simulate_swap_forward_end(
	const struct schedule *s, bool *sure, struct arena *arena)
{
	for (uint32_t k = s->graph->n_ops; k-- > 0;)
		if (ends_forward(mp_schedule_op(s, k))) {
			*sure = true;
			return k + 1;
		}
	*sure = false;
	return guess_forward_end(s, arena);
}

/* ----------------------------------------------------- feature maps */

struct finder {
	const struct schedule *schedule;
	const struct requests *requests;
	struct copies *copies;
	uint32_t *last, *next; /* uses of a buffer; NONE: none */
	bool *excluded;	       /* a buffer that is not to be moved, or is
				  listed */
};

/* What is left is made by an op of the forward pass, has its bytes from there
 * on only, and is not for the caller to keep. Members of a group stay too, so
 * that they lie next to each other. */
static void exclude(struct finder *f)
{
	const struct schedule *s = f->schedule;

	for (uint32_t i = 0; i < s->graph->n_tensors; i++) {
		const struct tensor *tensor = &s->graph->tensors[i];
		const struct stay *stay = &s->stay[i];

		if (stay->buffer != NONE &&
			(tensor->producer == NONE ||
				mp_graph_tensor_from_start(tensor) ||
				tensor->kind == KIND_WEIGHT ||
				tensor->kind == KIND_STATE ||
				tensor->kind == KIND_TEMPORARY))
			f->excluded[stay->buffer] = true;
	}
	for (uint32_t i = 0; i < s->graph->ties.n_groups; i++) {
		const struct ids *members = &s->graph->ties.groups[i].members;

		for (uint32_t k = 0; k < members->n; k++)
			if (s->stay[members->at[k]].buffer != NONE)
				f->excluded[s->stay[members->at[k]].buffer] =
					true;
	}
}

/* The last use of the forward pass, and the first of the backward pass. */
static void note(void *context, uint32_t buffer, uint32_t step)
{
	struct finder *f = context;

	if (step < f->copies->forward_end)
		f->last[buffer] = step;
	else if (f->next[buffer] == NONE)
		f->next[buffer] = step;
}

/* A buffer of several parts stays, and so does one that the input lets die
 * between its uses. */
static void add_map(void *context, uint32_t buffer, uint32_t step)
{
	struct finder *f = context;
	const struct buffer *b = &f->schedule->problem.buffers[buffer];
	struct copies *c = f->copies;

	if (f->last[buffer] != step || f->next[buffer] == NONE ||
		f->excluded[buffer] || b->n_parts != 1 || b->start > step ||
		b->end <= f->next[buffer])
		return;
	f->excluded[buffer] = true;
	c->at[c->n++] = (struct copy){.buffer = buffer,
		.bytes = f->requests->bytes[buffer],
		.last_use = step,
		.next_use = f->next[buffer]};
}

static bool fill_costs(
	const struct schedule *s, struct copies *c, struct arena *arena)
{
	uint64_t *cost = NEW(arena, uint64_t, s->problem.n_steps);

	if (!cost)
		return false;
	for (uint32_t k = 0; k < s->problem.n_steps; k++)
		cost[k] = mp_schedule_op(s, k)->cost_us * 1000;
	c->cost = cost;
	return true;
}

static bool find_maps(struct finder *f, struct arena *arena)
{
	const struct schedule *s = f->schedule;
	struct arena_mark mark = mp_arena_mark(arena);

	f->last = NEW(arena, uint32_t, s->problem.n_buffers);
	f->next = NEW(arena, uint32_t, s->problem.n_buffers);
	f->excluded = NEW(arena, bool, s->problem.n_buffers);
	if (!f->last || !f->next || !f->excluded)
		return false;
	for (uint32_t i = 0; i < s->problem.n_buffers; i++)
		f->last[i] = f->next[i] = NONE;
	exclude(f);
	for (uint32_t k = 0; k < s->problem.n_steps; k++)
		each_use(s, k, note, f);
	for (uint32_t k = 0; k < f->copies->forward_end; k++)
		each_use(s, k, add_map, f);
	mp_arena_rewind(arena, mark);
	return true;
}

bool mp_simulate_swap_maps(const struct schedule *schedule,
	const struct requests *requests, struct copies *copies,
	struct arena *arena, struct error *e)
{
	struct finder f = {
		.schedule = schedule, .requests = requests, .copies = copies};

	if (schedule->graph->n_ops == 0)
		return mp_fail(e, MEMPLAN_EUSAGE, "%s: swapping needs ops",
			schedule->graph->name);
	assert(schedule->problem.n_streams == 1);
	assert(copies->forward_end <= schedule->problem.n_steps);
	assert(copies->write_rate > 0 && copies->read_rate > 0);
	copies->n_steps = schedule->problem.n_steps;
	copies->at = NEW(arena, struct copy, schedule->problem.n_buffers);
	return copies->at && fill_costs(schedule, copies, arena) &&
	       find_maps(&f, arena) && mp_simulate_copies_init(copies, arena);
}

/* --------------------------------------------------------- requests */

struct merge {
	const struct requests *from;
	struct requests *to;
	const struct copies *copies;
	uint32_t out, in; /* copies merged in so far */
	uint32_t n;	  /* events */
};

/* Copies that end or begin with one step are in order: every mode keeps the
 * order of its queue. */
static void merge_step(struct merge *w, uint32_t step)
{
	const struct copies *c = w->copies;
	uint32_t *events = w->to->events;

	w->to->first[step] = w->n;
	for (; w->in < c->n && c->at[c->in[w->in]].in_step == step; w->in++)
		events[w->n++] = c->at[c->in[w->in]].buffer * 2;
	for (uint32_t i = w->from->first[step]; i < w->from->first[step + 1];
		i++)
		events[w->n++] = w->from->events[i];
	for (; w->out < c->n && c->at[w->out].out_step == step; w->out++)
		events[w->n++] = c->at[w->out].buffer * 2 + 1;
}

bool mp_simulate_swap_requests(const struct requests *from,
	const struct copies *copies, struct requests *requests,
	struct arena *arena)
{
	struct merge w = {from, requests, copies, 0, 0, 0};
	size_t n_events = from->first[from->n_steps] + (size_t)copies->n * 2;

	*requests = *from;
	requests->n_requests += copies->n;
	requests->events = NEW(arena, uint32_t, n_events);
	requests->first = NEW(arena, uint32_t, (size_t)from->n_steps + 1);
	if (!requests->events || !requests->first)
		return false;
	for (uint32_t k = 0; k < from->n_steps; k++)
		merge_step(&w, k);
	requests->first[from->n_steps] = w.n;
	return true;
}

/* ---------------------------------------------------------- problem */

/* The parts of a buffer, cut to steps [start, end), as a buffer of its own. */
static void cut_buffer(const struct problem *p, struct problem *s,
	uint32_t from, uint32_t to, uint32_t start, uint32_t end)
{
	const struct buffer *whole = &p->buffers[from];
	struct buffer *piece = &s->buffers[to];

	*piece = *whole;
	piece->start = (uint32_t)num_max(whole->start, start);
	piece->end = (uint32_t)num_min(whole->end, end);
	piece->first_part = s->n_parts;
	piece->n_parts = 0;
	for (uint32_t i = 0; i < whole->n_parts; i++) {
		struct part part = p->parts[whole->first_part + i];

		part.start = (uint32_t)num_max(part.start, start);
		part.end = (uint32_t)num_min(part.end, end);
		part.buffer = to;
		if (part.start >= part.end)
			continue;
		s->parts[s->n_parts++] = part;
		piece->n_parts++;
	}
}

/* Which buffer each buffer of the swapped problem is a piece of: first come
 * those of tensors, then what comes back, then the reserved ranges. */
static uint32_t *list_wholes(const struct problem *problem,
	const struct copies *copies, struct arena *arena)
{
	uint32_t n = problem->n_buffers, own = n - problem->n_reserved;
	uint32_t *whole = NEW(arena, uint32_t, (size_t)n + copies->n);

	for (uint32_t i = 0; whole && i < n; i++)
		whole[i < own ? i : i + copies->n] = i;
	for (uint32_t i = 0; whole && i < copies->n; i++)
		whole[own + i] = copies->at[i].buffer;
	return whole;
}

/* What comes back may lie in the pools that the buffer might. */
static bool list_pools(const struct problem *problem, const uint32_t *whole,
	struct problem *swapped, struct arena *arena)
{
	if (!problem->pools)
		return true;
	swapped->pool_list = NEW(arena, uint16_t, swapped->n_buffers);
	if (!swapped->pool_list)
		return false;
	for (uint32_t i = 0; i < swapped->n_buffers; i++)
		swapped->pool_list[i] = problem->pool_list[whole[i]];
	return true;
}

/* It is of the buffer's branch. */
static bool list_branches(const struct problem *problem, const uint32_t *whole,
	struct problem *swapped, struct arena *arena)
{
	uint32_t *choice, *branch;

	if (!problem->choice)
		return true;
	choice = NEW(arena, uint32_t, swapped->n_buffers);
	branch = NEW(arena, uint32_t, swapped->n_buffers);
	if (!choice || !branch)
		return false;
	for (uint32_t i = 0; i < swapped->n_buffers; i++) {
		choice[i] = problem->choice[whole[i]];
		branch[i] = problem->branch[whole[i]];
	}
	swapped->choice = choice;
	swapped->branch = branch;
	return true;
}

/* Buffers that are apart are so before and after their copies. */
static bool keep_apart(const struct problem *problem,
	const struct copies *copies, struct problem *swapped,
	struct arena *arena)
{
	uint32_t n = problem->n_buffers, n_pairs = 0;
	uint32_t own = n - problem->n_reserved;
	struct tensor_pair *pairs;
	uint32_t *back;

	if (!problem->apart)
		return true;
	back = NEW(arena, uint32_t, n);
	pairs = NEW(
		arena, struct tensor_pair, 3 * (size_t)problem->first_apart[n]);
	if (!back || !pairs)
		return false;
	for (uint32_t i = 0; i < copies->n; i++)
		back[copies->at[i].buffer] = own + i;
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t k = problem->first_apart[a];
			k < problem->first_apart[a + 1]; k++) {
			uint32_t b = problem->apart[k];

			pairs[n_pairs++] = (struct tensor_pair){a, b};
			if (back[a] != 0)
				pairs[n_pairs++] =
					(struct tensor_pair){back[a], b};
			if (back[a] != 0 && back[b] != 0)
				pairs[n_pairs++] =
					(struct tensor_pair){back[a], back[b]};
		}
	return mp_problem_keep_apart(swapped, pairs, n_pairs, arena, arena);
}

bool mp_simulate_swap_problem(const struct problem *problem,
	const struct copies *copies, struct problem *swapped,
	struct arena *arena, struct error *e)
{
	uint32_t n = problem->n_buffers, own = n - problem->n_reserved;
	uint32_t *out = NEW(arena, uint32_t, n);
	uint32_t *whole = list_wholes(problem, copies, arena);

	*swapped = (struct problem){.name = problem->name,
		.alignment = problem->alignment,
		.margins = problem->margins,
		.n_steps = problem->n_steps,
		.n_streams = 1,
		.n_choices = problem->n_choices,
		.sites = problem->sites,
		.first_reserved = own + copies->n,
		.n_reserved = problem->n_reserved,
		.pools = problem->pools,
		.pool_lists = problem->pool_lists,
		.n_pools = problem->n_pools};
	swapped->buffers = NEW(arena, struct buffer, (size_t)n + copies->n);
	swapped->parts = NEW(arena, struct part, (size_t)problem->n_parts * 2);
	if (!out || !whole || !swapped->buffers || !swapped->parts)
		return false;
	for (uint32_t i = 0; i < n; i++)
		out[i] = problem->n_steps;
	for (uint32_t i = 0; i < copies->n; i++)
		out[copies->at[i].buffer] = copies->at[i].out_step + 1;
	swapped->n_buffers = n + copies->n;
	for (uint32_t i = 0; i < swapped->n_buffers; i++) {
		bool back = i >= own && i < own + copies->n;

		cut_buffer(problem, swapped, whole[i], i,
			back ? copies->at[i - own].in_step : 0,
			back ? problem->n_steps : out[whole[i]]);
	}
	return list_pools(problem, whole, swapped, arena) &&
	       list_branches(problem, whole, swapped, arena) &&
	       keep_apart(problem, copies, swapped, arena) &&
	       mp_problem_measure(swapped, arena, e);
}
