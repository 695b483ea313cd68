/* SPDX-License-Identifier: MIT */
#include "bundle/replan.h"

#include "problem/assertions.h"

/* What becomes a buffer. */
struct body {
	uint64_t low;	/* where its first byte is in the whole */
	uint64_t align; /* a power of two */
	uint64_t off;	/* if fixed: what to add to get to its fixed place */
	uint32_t n_parts;
	bool fixed;
	bool stack; /* what a graph keeps: solid */
};

struct work {
	struct bodies *bodies;
	const struct joined *parts;
	uint32_t n;
	const struct schedule *schedule; /* of the joined graph */
	const struct problem *whole;	 /* that of the schedule */
	struct body *list;
	uint32_t n_bodies;
	uint32_t *part_of; /* place among the parts of the bodies */
	struct arena *arena, *scratch;
	struct error *error;
};

/* ----------------------------------------------------------- bodies */

/* The bodies of one graph, as far as they have numbers. */
struct numbers {
	const uint32_t
		*root; /* of a buffer of its plan: the one that it goes with */
	uint32_t *of;  /* of a root */
	uint32_t kept;
};

/* A plan's offsets say where its tensors lie; those of a graph, where they
 * must. */
static bool is_fixed(const struct joined *part, uint32_t buffer)
{
	return !part->from_plan &&
	       part->plan->problem->buffers[buffer].offset != NO_OFFSET;
}

/* What is kept and fixed lies by itself, the rest of it is one piece; in
 * several memories it may have to be in several. */
static bool is_stacked(const struct joined *part, uint32_t buffer)
{
	return part->is_kept[buffer] && !is_fixed(part, buffer) &&
	       !part->plan->problem->pools;
}

static uint32_t *number_of(
	struct numbers *numbers, const struct joined *part, uint32_t buffer)
{
	return is_stacked(part, buffer) ? &numbers->kept
					: &numbers->of[numbers->root[buffer]];
}

static void number_tensor(struct work *w, const struct joined *part, uint32_t i,
	struct numbers *numbers)
{
	const struct problem *p = part->plan->problem;
	uint32_t from = part->plan->schedule->stay[i].buffer, *number;
	struct body *body;

	if (from == NONE)
		return;
	number = number_of(numbers, part, from);
	if (*number == NONE)
		*number = w->n_bodies++;
	w->bodies->of[w->schedule->stay[part->tensor[i]].buffer] = *number;
	body = &w->list[*number];
	body->stack = is_stacked(part, from);
	body->fixed = is_fixed(part, from);
	if (body->fixed)
		body->off = p->buffers[from].offset -
			    mp_bundle_joined_offset(part, from);
}

static uint32_t count_stacked(const struct joined *part)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < part->plan->problem->n_buffers; i++)
		n += is_stacked(part, i);
	return n;
}

static bool number_part(struct work *w, const struct joined *part)
{
	const struct problem *p = part->plan->problem;
	struct numbers numbers = {
		.root = mp_bundle_joined_roots(part, w->scratch), .kept = NONE};

	numbers.of = NEW(w->scratch, uint32_t, p->n_buffers);
	if (!numbers.root || !numbers.of)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		numbers.of[i] = NONE;
	for (uint32_t t = 0; t < part->plan->schedule->graph->n_tensors; t++)
		number_tensor(w, part, t, &numbers);
	w->bodies->exact &= !part->from_plan && count_stacked(part) <= 1;
	return true;
}

static void measure(struct work *w)
{
	const struct problem *whole = w->whole;

	for (uint32_t i = 0; i < w->n_bodies; i++)
		w->list[i].low = UINT64_MAX;
	for (uint32_t i = 0; i < whole->n_buffers; i++) {
		const struct buffer *buffer = &whole->buffers[i];
		struct body *body = &w->list[w->bodies->of[i]];

		body->low = num_min(body->low, buffer->offset);
		body->align = num_max(body->align, buffer->align);
		body->n_parts += buffer->n_parts;
	}
	for (uint32_t i = 0; i < w->n_bodies; i++) {
		struct body *body = &w->list[i];

		body->low &= ~(body->align - 1);
		if (body->stack)
			body->n_parts = 1;
	}
}

/* Reserved ranges come last, each a body. */
static bool number(struct work *w)
{
	uint32_t n = w->whole->n_buffers;

	w->list = NEW(w->scratch, struct body, n);
	w->bodies->of = NEW(w->arena, uint32_t, n);
	w->bodies->base = NEW(w->arena, uint64_t, n);
	if (!w->list || !w->bodies->of || !w->bodies->base)
		return false;
	for (uint32_t i = 0; i < w->n; i++)
		if (!number_part(w, &w->parts[i]))
			return false;
	w->bodies->schedule->problem.first_reserved = w->n_bodies;
	for (uint32_t i = w->whole->first_reserved; i < n; i++) {
		w->list[w->n_bodies].fixed = true;
		w->bodies->of[i] = w->n_bodies++;
	}
	measure(w);
	for (uint32_t i = 0; i < n; i++)
		w->bodies->base[i] = w->whole->buffers[i].offset -
				     w->list[w->bodies->of[i]].low;
	return true;
}

/* ---------------------------------------------------------- buffers */

static bool make_buffers(struct work *w)
{
	struct problem *p = &w->bodies->schedule->problem;

	p->n_buffers = w->n_bodies;
	p->n_parts = 0;
	p->buffers = NEW(w->arena, struct buffer, p->n_buffers);
	for (uint32_t i = 0; p->buffers && i < p->n_buffers; i++) {
		const struct body *body = &w->list[i];

		p->buffers[i] = (struct buffer){0, body->align,
			body->fixed ? body->low + body->off : NO_OFFSET, NONE,
			0, p->n_parts, 0};
		p->n_parts += body->n_parts;
	}
	p->parts = NEW(w->arena, struct part, p->n_parts);
	w->part_of = NEW(w->scratch, uint32_t, w->whole->n_parts);
	return p->buffers && p->parts && w->part_of;
}

static void widen(struct buffer *buffer, const struct part *part)
{
	buffer->size = num_max(buffer->size, part->base + part->size);
	if (part->start < buffer->start)
		buffer->start = part->start;
	if (part->end > buffer->end)
		buffer->end = part->end;
}

/* What is kept is solid, so that it can be saved as a whole: bytes between two
 * tensors are not anybody's either, nor those of a pause in a lifetime. */
static void add_part(struct work *w, uint32_t i)
{
	struct problem *p = &w->bodies->schedule->problem;
	struct part part = w->whole->parts[i];
	uint32_t number = w->bodies->of[part.buffer];
	struct buffer *buffer = &p->buffers[number];
	bool stack = w->list[number].stack;

	part.base += w->bodies->base[part.buffer];
	part.buffer = number;
	buffer->n_parts += !stack || buffer->n_parts == 0;
	w->part_of[i] = buffer->first_part + buffer->n_parts - 1;
	widen(buffer, &part);
	if (stack)
		part = (struct part){0, buffer->size, 0, p->n_steps, number};
	p->parts[w->part_of[i]] = part;
}

/* A solid part is there before all ops, and for as long as any of it. */
static void spread_part(struct work *w, uint32_t i, uint32_t *stream,
	uint32_t *born, uint32_t *free)
{
	const struct problem *whole = w->whole;
	uint32_t at = w->part_of[i], n = whole->n_streams;
	bool stack =
		w->list[w->bodies->schedule->problem.parts[at].buffer].stack;

	stream[at] = stack ? 0 : whole->stream[i];
	born[at] = stack ? 0 : whole->born[i];
	for (uint32_t k = 0; k < n; k++) {
		uint32_t from = whole->free[(size_t)i * n + k];

		if (free[(size_t)at * n + k] < from)
			free[(size_t)at * n + k] = from;
	}
}

static bool spread_streams(struct work *w)
{
	struct problem *p = &w->bodies->schedule->problem;
	size_t n = p->n_streams;
	uint32_t *stream, *born, *free;

	if (n <= 1)
		return true;
	stream = NEW(w->arena, uint32_t, p->n_parts);
	born = NEW(w->arena, uint32_t, p->n_parts);
	free = NEW(w->arena, uint32_t, p->n_parts * n);
	if (!stream || !born || !free)
		return false;
	for (uint32_t i = 0; i < w->whole->n_parts; i++)
		spread_part(w, i, stream, born, free);
	p->stream = stream;
	p->born = born;
	p->free = free;
	return true;
}

/* -------------------------------------------------------- relations */

static bool keep_apart(struct work *w)
{
	const struct problem *whole = w->whole;
	struct tensor_pair *pairs;
	uint32_t n = 0;

	if (!whole->apart)
		return true;
	pairs = NEW(w->scratch, struct tensor_pair,
		whole->first_apart[whole->n_buffers]);
	if (!pairs)
		return false;
	for (uint32_t i = 0; i < whole->n_buffers; i++)
		for (uint32_t k = whole->first_apart[i];
			k < whole->first_apart[i + 1]; k++) {
			uint32_t a = w->bodies->of[i];
			uint32_t b = w->bodies->of[whole->apart[k]];

			if (a != b)
				pairs[n++] = (struct tensor_pair){a, b};
		}
	return mp_problem_keep_apart(
		&w->bodies->schedule->problem, pairs, n, w->arena, w->scratch);
}

/* A body is of a branch if all of it is. */
static bool choose(struct work *w)
{
	const struct problem *whole = w->whole;
	uint32_t *choice, *branch;
	bool *seen;

	if (!whole->choice)
		return true;
	choice = NEW(w->arena, uint32_t, w->n_bodies);
	branch = NEW(w->arena, uint32_t, w->n_bodies);
	seen = NEW(w->scratch, bool, w->n_bodies);
	if (!choice || !branch || !seen)
		return false;
	for (uint32_t i = 0; i < whole->n_buffers; i++) {
		uint32_t body = w->bodies->of[i];

		if (!seen[body]) {
			choice[body] = whole->choice[i];
			branch[body] = whole->branch[i];
		} else if (choice[body] != whole->choice[i] ||
			   branch[body] != whole->branch[i]) {
			choice[body] = NONE;
		}
		seen[body] = true;
	}
	w->bodies->schedule->problem.choice = choice;
	w->bodies->schedule->problem.branch = branch;
	return true;
}

static bool list_pools(struct work *w)
{
	const struct problem *whole = w->whole;
	uint16_t *list;

	if (!whole->pools)
		return true;
	list = NEW(w->arena, uint16_t, w->n_bodies);
	for (uint32_t i = 0; list && i < whole->n_buffers; i++)
		list[w->bodies->of[i]] = whole->pool_list[i];
	w->bodies->schedule->problem.pool_list = list;
	return list != NULL;
}

static bool move_tensors(struct work *w)
{
	uint32_t n = w->schedule->graph->n_tensors;
	struct stay *stay = NEW(w->arena, struct stay, n);

	for (uint32_t t = 0; stay && t < n; t++) {
		stay[t] = w->schedule->stay[t];
		if (stay[t].buffer == NONE)
			continue;
		stay[t].base += w->bodies->base[stay[t].buffer];
		stay[t].buffer = w->bodies->of[stay[t].buffer];
	}
	w->bodies->schedule->stay = stay;
	return stay != NULL;
}

/* ------------------------------------------------------------ stage */

static void forget_relations(struct problem *p)
{
	p->first_apart = p->apart = p->choice = p->branch = p->crowd = NULL;
	p->n_crowd = 0;
}

static bool fill(struct work *w)
{
	struct problem *p = &w->bodies->schedule->problem;

	if (!number(w) || !make_buffers(w))
		return false;
	for (uint32_t i = 0; i < w->whole->n_parts; i++)
		add_part(w, i);
	if (!spread_streams(w) || !keep_apart(w) || !choose(w) ||
		!list_pools(w) || !move_tensors(w) ||
		!mp_problem_measure(p, w->arena, w->error))
		return false;
	p->theoretical_min =
		num_max(p->theoretical_min, w->whole->theoretical_min);
	mp_schedule_assert(w->bodies->schedule);
	return true;
}

bool mp_bundle_replan_fill(struct bodies *bodies, const struct joined *parts,
	uint32_t n, const struct schedule *whole, struct arena *arena,
	struct error *e)
{
	struct arena scratch = mp_arena_beside(arena);
	struct work w = {.bodies = bodies,
		.parts = parts,
		.n = n,
		.schedule = whole,
		.whole = &whole->problem,
		.arena = arena,
		.scratch = &scratch,
		.error = e};
	bool filled = false;

	*bodies = (struct bodies){
		.schedule = NEW(arena, struct schedule, 1), .exact = true};
	if (bodies->schedule) {
		*bodies->schedule = *whole;
		bodies->schedule->problem.schedule = bodies->schedule;
		forget_relations(&bodies->schedule->problem);
		filled = fill(&w);
	}
	mp_arena_free(&scratch);
	return filled;
}

void mp_bundle_replan_settle(const struct bodies *bodies,
	const struct schedule *whole, const uint64_t *offsets,
	struct graph *graph)
{
	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		const struct stay *stay = &whole->stay[t];

		if (stay->buffer != NONE)
			graph->tensors[t].offset =
				offsets[bodies->of[stay->buffer]] +
				bodies->base[stay->buffer] + stay->base;
	}
}
