/*
 * Random problems, and the least height by placing all buffers in all orders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/random-problem.h"

#include <assert.h>

#include "testing/random.h"

enum {
	MOST_STREAMS = 4,
	MOST_STEPS = 64,
	MOST_PARTS = 3, /* of a buffer */
};

const struct random_shape mp_testing_not_plain[SHAPES_NOT_PLAIN] = {
	{.buffers = 60, .steps = 40, .aligned = true},
	{.buffers = 60, .steps = 40, .gaps = true},
	{.buffers = 60, .steps = 40, .parts = true, .fixed = true},
	{.buffers = 12, .steps = 40, .streams = 2, .apart = true},
};

/* ---------------------------------------------------------- streams */

/* Ops on streams: the stream of each, and the ops that surely run after it. */
struct schedule {
	uint32_t n_steps, n_streams;
	uint32_t stream[MOST_STEPS], position[MOST_STEPS];
	uint64_t behind[MOST_STEPS]; /* ops that surely run later, as bits */
};

static void make_schedule(struct schedule *s, uint64_t *state)
{
	uint32_t count[MOST_STREAMS] = {0};

	for (uint32_t i = 0; i < s->n_steps; i++) {
		s->stream[i] = mp_testing_below(state, s->n_streams);
		s->position[i] = count[s->stream[i]]++;
	}
	for (uint32_t i = s->n_steps; i-- > 0;)
		for (uint32_t j = i + 1; j < s->n_steps; j++)
			if (s->stream[j] == s->stream[i] ||
				mp_testing_one_in(state, 6))
				s->behind[i] |= UINT64_C(1) << j | s->behind[j];
}

/* The first op of a stream that surely runs behind all the uses. */
static uint32_t first_behind(
	const struct schedule *s, uint64_t uses, uint32_t stream)
{
	uint64_t common = UINT64_MAX;

	for (uint32_t i = 0; i < s->n_steps; i++)
		if (uses >> i & 1)
			common &= s->behind[i];
	for (uint32_t i = 0; i < s->n_steps; i++)
		if (s->stream[i] == stream && (common >> i & 1))
			return i;
	return s->n_steps;
}

struct tables {
	uint32_t *stream, *born, *free;
};

/* A part that one op makes and later ops use. */
static void make_part_of_ops(struct part *part, uint32_t index, uint32_t op,
	const struct schedule *s, struct tables *tables, uint64_t *state)
{
	uint64_t uses = UINT64_C(1) << op;
	uint32_t step;

	for (uint32_t i = op + 1; i < s->n_steps; i++)
		if ((s->behind[op] >> i & 1) && mp_testing_one_in(state, 4))
			uses |= UINT64_C(1) << i;
	part->start = op;
	part->end = 0;
	tables->stream[index] = s->stream[op];
	tables->born[index] = s->position[op];
	for (uint32_t t = 0; t < s->n_streams; t++) {
		step = first_behind(s, uses, t);
		part->end = step > part->end ? step : part->end;
		tables->free[index * s->n_streams + t] =
			step == s->n_steps ? UINT32_MAX : s->position[step];
	}
}

/* ---------------------------------------------------------- buffers */

static void make_part(struct problem *p, uint32_t index,
	const struct schedule *s, struct tables *tables, uint64_t *state)
{
	struct part *part = &p->parts[index];
	uint32_t start = mp_testing_below(state, p->n_steps);

	if (p->n_streams > 1) {
		make_part_of_ops(part, index, start, s, tables, state);
		return;
	}
	part->start = start;
	part->end = start + 1 + mp_testing_below(state, p->n_steps - start);
}

/* Parts are stacked, and at times share bytes one after the other. */
static void make_buffer(struct problem *p, uint32_t n_parts, uint64_t most,
	const struct schedule *s, struct tables *tables, uint64_t *state)
{
	struct buffer *buffer = &p->buffers[p->n_buffers];

	*buffer = (struct buffer){
		0, p->alignment, NO_OFFSET, UINT32_MAX, 0, p->n_parts, n_parts};
	for (uint32_t i = 0; i < n_parts; i++) {
		struct part *part = &p->parts[p->n_parts];

		make_part(p, p->n_parts, s, tables, state);
		part->buffer = p->n_buffers;
		part->base = buffer->size;
		part->size = p->alignment * (1 + mp_testing_below(state, most));
		if (i > 0 &&
			!mp_problem_conflict(p, p->n_parts - 1, p->n_parts))
			part->base = part[-1].base;
		for (uint32_t k = buffer->first_part; k < p->n_parts; k++)
			if (mp_problem_conflict(p, k, p->n_parts))
				part->base = num_max(part->base,
					p->parts[k].base + p->parts[k].size);
		buffer->size = num_max(buffer->size, part->base + part->size);
		if (part->start < buffer->start)
			buffer->start = part->start;
		if (part->end > buffer->end)
			buffer->end = part->end;
		p->n_parts++;
	}
	p->n_buffers++;
}

/* All of the last buffer is in use whenever some is: its parts are the whole,
 * before a gap and behind it. */
static void make_gaps(struct problem *p)
{
	struct buffer *buffer = &p->buffers[p->n_buffers - 1];
	struct part *parts = &p->parts[buffer->first_part];
	uint32_t n = 0;

	assert(p->n_streams == 1);
	buffer->size = parts->size;
	buffer->start = parts->start;
	buffer->end = parts->end;
	for (uint32_t i = 0; i < buffer->n_parts; i++) {
		if (n > 0 && parts[i].start <= buffer->end)
			continue;
		parts[n] = parts[i];
		parts[n].base = 0;
		parts[n].size = buffer->size;
		buffer->end = parts[n++].end;
	}
	buffer->n_parts = n;
	p->n_parts = buffer->first_part + n;
}

static bool buffers_conflict(const struct problem *p, uint32_t a, uint32_t b)
{
	const struct buffer *x = &p->buffers[a], *y = &p->buffers[b];

	for (uint32_t i = 0; i < x->n_parts; i++)
		for (uint32_t k = 0; k < y->n_parts; k++)
			if (mp_problem_conflict(
				    p, x->first_part + i, y->first_part + k))
				return true;
	return false;
}

/* Fixes a buffer above all fixed ones that it conflicts with. */
static void fix_buffer(struct problem *p, uint32_t index, uint64_t *state)
{
	struct buffer *buffer = &p->buffers[index];
	uint64_t low = p->alignment * mp_testing_below(state, 8);

	for (uint32_t i = 0; i < index; i++)
		if (p->buffers[i].offset != NO_OFFSET &&
			buffers_conflict(p, i, index))
			low = num_max(
				low, p->buffers[i].offset + p->buffers[i].size);
	buffer->offset = num_up(low, buffer->align);
}

/* The heaviest set of parts that may all be alive together. The load of
 * envelopes is no lower bound where there are several streams. */
static uint64_t heaviest_set(const struct problem *p)
{
	uint64_t heaviest = 0;

	assert(p->n_parts < 64);
	for (uint64_t set = 0; set < UINT64_C(1) << p->n_parts; set++) {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < p->n_parts; i++) {
			if (!(set >> i & 1))
				continue;
			sum += p->parts[i].size;
			for (uint32_t k = 0; k < i; k++)
				if ((set >> k & 1) &&
					!mp_problem_conflict(p, i, k))
					sum = 0, i = p->n_parts;
		}
		heaviest = num_max(heaviest, sum);
	}
	return heaviest;
}

static bool make_tables(struct problem *p, uint32_t most, struct tables *tables,
	struct arena *arena)
{
	size_t n = (size_t)most * MOST_PARTS;

	p->buffers = NEW(arena, struct buffer, most);
	p->parts = NEW(arena, struct part, n);
	tables->stream = NEW(arena, uint32_t, n);
	tables->born = NEW(arena, uint32_t, n);
	tables->free = NEW(arena, uint32_t, n * p->n_streams);
	if (p->n_streams > 1) {
		p->stream = tables->stream;
		p->born = tables->born;
		p->free = tables->free;
	}
	return p->buffers && p->parts && tables->stream && tables->born &&
	       tables->free;
}

/* Lists every pair apart both ways round. */
static bool keep_apart(struct problem *p, uint64_t *state, struct arena *arena)
{
	size_t n = p->n_buffers;
	bool *apart = NEW(arena, bool, n *n);
	uint32_t *first = NEW(arena, uint32_t, n + 1);
	uint32_t *list = NEW(arena, uint32_t, n * n);

	if (!apart || !first || !list)
		return false;
	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++)
			apart[a * n + b] = apart[b * n + a] =
				mp_testing_one_in(state, 5);
	for (size_t a = 0; a < n; a++) {
		first[a + 1] = first[a];
		for (uint32_t b = 0; b < n; b++)
			if (apart[a * n + b])
				list[first[a + 1]++] = b;
	}
	p->first_apart = first;
	p->apart = list;
	return true;
}

/* Some pairs count by all of their bytes, some by a tensor in each. */
static bool make_costs(struct problem *p, uint64_t *state, struct arena *arena)
{
	size_t n = p->n_buffers;
	struct costly_pair *costs = NEW(arena, struct costly_pair, n * n);

	p->costs = costs;
	for (uint32_t a = 0; costs && a < n; a++)
		for (uint32_t b = a + 1; b < n; b++) {
			int64_t below = (int64_t)p->buffers[a].size;
			int64_t above = (int64_t)p->buffers[b].size;

			if (!mp_testing_one_in(state, 2))
				continue;
			if (mp_testing_one_in(state, 4))
				below -= mp_testing_below(
					state, p->buffers[a].size);
			costs[p->n_costs++] = (struct costly_pair){.a = a,
				.b = b,
				.below = below,
				.above = above,
				.cost = 1 + mp_testing_below(state, 5)};
		}
	return costs != NULL;
}

static bool nest_choice(struct problem *p, uint64_t *state, struct arena *arena)
{
	struct choice_site *sites =
		NEW(arena, struct choice_site, p->n_choices);

	if (!sites)
		return false;
	sites[0] = (struct choice_site){NONE, 0};
	sites[1] = (struct choice_site){0, mp_testing_below(state, 3)};
	p->sites = sites;
	return true;
}

static struct extent some_bytes(const struct buffer *b, uint64_t *state)
{
	uint64_t base = mp_testing_below(state, (uint32_t)b->size);

	return (struct extent){
		base, 1 + mp_testing_below(state, (uint32_t)(b->size - base))};
}

/* A few banks, and pairs of tensors that are used together; some are of one
 * buffer. */
static bool make_banks(struct problem *p, uint64_t *state, struct arena *arena)
{
	uint32_t n = p->n_buffers;
	struct costly_pair *costs = NEW(arena, struct costly_pair, n * n);

	p->banks.size = 1 + mp_testing_below(state, 5);
	p->banks.count = 1 + mp_testing_below(state, 5);
	p->costs = costs;
	for (uint32_t a = 0; costs && a < n; a++)
		for (uint32_t b = a; b < n; b++)
			if (mp_testing_one_in(state, a == b ? 4 : 2))
				costs[p->n_costs++] = (struct costly_pair){
					.a = a,
					.b = b,
					.cost = 1 + mp_testing_below(state, 3),
					.of_a = some_bytes(
						&p->buffers[a], state),
					.of_b = some_bytes(
						&p->buffers[b], state)};
	return costs != NULL;
}

static bool choose_branches(
	struct problem *p, uint64_t *state, struct arena *arena)
{
	uint32_t *choice = NEW(arena, uint32_t, p->n_buffers);
	uint32_t *branch = NEW(arena, uint32_t, p->n_buffers);

	if (!choice || !branch)
		return false;
	p->n_choices = 2;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		choice[i] = mp_testing_below(state, 3)
				    ? mp_testing_below(state, 2)
				    : UINT32_MAX;
		branch[i] = mp_testing_below(state, 3);
	}
	p->choice = choice;
	p->branch = branch;
	return true;
}

static void decorate_buffers(
	struct problem *p, const struct random_shape *shape, uint64_t *state)
{
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		if (shape->aligned && mp_testing_one_in(state, 3))
			p->buffers[i].align <<= mp_testing_below(state, 4);
		if (shape->fixed && mp_testing_one_in(state, 4))
			fix_buffer(p, i, state);
	}
}

bool mp_testing_random_problem(uint64_t seed, const struct random_shape *shape,
	struct problem *problem, struct arena *arena)
{
	uint64_t state = seed;
	uint32_t most = shape->buffers ? shape->buffers : 7;
	uint32_t n = 1 + mp_testing_below(&state, most);
	struct schedule schedule = {0};
	struct tables tables;

	*problem = (struct problem){.name = "random"};
	problem->alignment = shape->alignment ? shape->alignment : 1;
	problem->n_streams = shape->streams ? shape->streams : 1;
	problem->n_steps =
		1 + mp_testing_below(&state, shape->steps ? shape->steps : 8);
	if (!make_tables(problem, most, &tables, arena))
		return false;
	schedule.n_steps = problem->n_steps;
	schedule.n_streams = problem->n_streams;
	assert(problem->n_steps <= MOST_STEPS &&
		problem->n_streams <= MOST_STREAMS);
	make_schedule(&schedule, &state);
	for (uint32_t i = 0; i < n; i++) {
		bool several = shape->parts && mp_testing_one_in(&state, 3);

		make_buffer(problem,
			several || shape->gaps
				? 2 + mp_testing_below(&state, MOST_PARTS - 1)
				: 1,
			shape->size ? shape->size : 16, &schedule, &tables,
			&state);
		if (shape->gaps)
			make_gaps(problem);
	}
	if ((shape->apart && !keep_apart(problem, &state, arena)) ||
		(shape->costs && !make_costs(problem, &state, arena)) ||
		(shape->banks && !make_banks(problem, &state, arena)) ||
		(shape->choices && !choose_branches(problem, &state, arena)) ||
		(shape->nested && !nest_choice(problem, &state, arena)))
		return false;
	decorate_buffers(problem, shape, &state);
	if (!mp_problem_measure(problem, arena, arena->error))
		return false;
	if (problem->n_streams > 1)
		problem->theoretical_min = heaviest_set(problem);
	return true;
}

/* ------------------------------------------------------ brute force */

static bool parts_overlap(const struct problem *problem,
	const uint64_t *offsets, uint32_t a, uint32_t b)
{
	const struct part *x = &problem->parts[a], *y = &problem->parts[b];
	uint64_t low = offsets[x->buffer] + x->base;
	uint64_t other = offsets[y->buffer] + y->base;

	return mp_problem_conflict(problem, a, b) && low < other + y->size &&
	       other < low + x->size;
}

bool mp_testing_overlap(const struct problem *problem, const uint64_t *offsets,
	uint32_t a, uint32_t b)
{
	const struct buffer *x = &problem->buffers[a];
	const struct buffer *y = &problem->buffers[b];

	for (uint32_t i = 0; i < x->n_parts; i++)
		for (uint32_t k = 0; k < y->n_parts; k++)
			if (parts_overlap(problem, offsets, x->first_part + i,
				    y->first_part + k))
				return true;
	return false;
}

struct brute {
	const struct problem *problem;
	uint64_t *offsets;
	uint32_t *order; /* free buffers, permuted */
	uint32_t n, n_fixed;
};

static bool buffer_fits(const struct brute *w, uint32_t upto, uint32_t buffer)
{
	for (uint32_t i = 0; i < upto; i++)
		if (mp_testing_overlap(
			    w->problem, w->offsets, w->order[i], buffer))
			return false;
	return true;
}

/* Sizes are small here, so every multiple of the alignment is tried. Gives up
 * at the best height. */
static uint64_t try_order(struct brute *w, uint64_t best)
{
	const struct problem *p = w->problem;
	uint64_t height = 0;

	for (uint32_t i = 0; i < w->n && height < best; i++) {
		uint32_t buffer = w->order[i];

		if (i >= w->n_fixed)
			for (w->offsets[buffer] = 0;
				!buffer_fits(w, i, buffer);)
				w->offsets[buffer] += p->buffers[buffer].align;
		height = num_max(
			height, w->offsets[buffer] + p->buffers[buffer].size);
	}
	return height;
}

/* The next permutation in lexicographic order; false after the last. */
static bool next_permutation(uint32_t *order, uint32_t n)
{
	uint32_t i, k, swap;

	for (i = n - 1; n > 1 && i > 0 && order[i - 1] > order[i]; i--)
		;
	if (n < 2 || i == 0)
		return false;
	for (k = n - 1; order[k] < order[i - 1]; k--)
		;
	swap = order[k], order[k] = order[i - 1], order[i - 1] = swap;
	for (k = n - 1; i < k; i++, k--)
		swap = order[k], order[k] = order[i], order[i] = swap;
	return true;
}

static void fixed_first(struct brute *w)
{
	for (uint32_t i = 0; i < w->problem->n_buffers; i++) {
		w->offsets[i] = w->problem->buffers[i].offset;
		if (w->offsets[i] != NO_OFFSET)
			w->order[w->n++] = i;
	}
	w->n_fixed = w->n;
	for (uint32_t i = 0; i < w->problem->n_buffers; i++)
		if (w->problem->buffers[i].offset == NO_OFFSET)
			w->order[w->n++] = i;
}

static bool has_whole_parts(const struct problem *p)
{
	for (uint32_t i = 0; i < p->n_parts; i++)
		if (p->parts[i].size != p->buffers[p->parts[i].buffer].size)
			return false;
	return true;
}

uint64_t mp_testing_brute_height(
	const struct problem *problem, bool *exact, struct arena *arena)
{
	struct brute work = {.problem = problem};
	uint64_t height = UINT64_MAX;

	*exact = has_whole_parts(problem);
	work.offsets = NEW(arena, uint64_t, problem->n_buffers);
	work.order = NEW(arena, uint32_t, problem->n_buffers);
	if (!work.offsets || !work.order)
		return 0;
	fixed_first(&work);
	do
		height = num_min(height, try_order(&work, height));
	while (height > problem->theoretical_min &&
		next_permutation(
			work.order + work.n_fixed, work.n - work.n_fixed));
	return height;
}
