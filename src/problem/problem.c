/* SPDX-License-Identifier: MIT */
#include "problem/problem.h"

#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"
#include "problem/branches.h"
#include "problem/schedule.h"

static bool sum_sizes(struct problem *problem, struct error *e)
{
	problem->total_size = 0;
	for (uint32_t i = 0; i < problem->n_buffers; i++)
		if (!num_add(problem->total_size, problem->buffers[i].size,
			    &problem->total_size))
			return mp_fail(e, MEMPLAN_EINPUT,
				"%s: sizes sum to more than 2^62 bytes",
				problem->name);
	return true;
}

/* The bytes alive at each step; NULL: memory is out. */
static uint64_t *find_load(const struct problem *problem, struct arena *arena)
{
	uint64_t *load = NEW(arena, uint64_t, (size_t)problem->n_steps + 1);

	for (uint32_t i = 0; load && i < problem->n_parts; i++) {
		struct part part = mp_problem_part(problem, i);

		if (mp_problem_branches_have(problem, part.buffer))
			continue;
		load[part.start] += part.size;
		load[part.end] -= part.size;
	}
	for (uint32_t k = 1; load && k <= problem->n_steps; k++)
		load[k] += load[k - 1];
	return load;
}

bool mp_problem_measure(
	struct problem *problem, struct arena *arena, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint64_t *load;

	if (!sum_sizes(problem, e))
		return false;
	load = find_load(problem, arena);
	if (!load || (problem->choice &&
			     !mp_problem_branches_load(problem, load, arena)))
		return false;
	problem->theoretical_min = 0;
	problem->peak_step = 0;
	for (uint32_t k = 0; k < problem->n_steps; k++) {
		if (load[k] <= problem->theoretical_min)
			continue;
		problem->theoretical_min = load[k];
		problem->peak_step = k;
	}
	problem->listed_min = problem->theoretical_min;
	if (problem->parts)
		problem->load = load;
	else
		mp_arena_rewind(arena, mark);
	return true;
}

bool mp_problem_unfold(struct problem *problem, struct arena *arena)
{
	struct part *parts;

	if (problem->parts)
		return true;
	assert(problem->n_parts == problem->n_buffers);
	parts = NEW(arena, struct part, problem->n_parts);
	problem->load = find_load(problem, arena);
	if (!parts || !problem->load)
		return false;
	for (uint32_t i = 0; i < problem->n_parts; i++)
		parts[i] = mp_problem_part(problem, i);
	problem->parts = parts;
	return true;
}

bool mp_problem_is_flat(const struct problem *problem)
{
	if (problem->n_parts != problem->n_buffers || problem->apart ||
		problem->choice)
		return false;
	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		const struct buffer *buffer = &problem->buffers[i];

		if (buffer->offset != NO_OFFSET ||
			mp_problem_part(problem, buffer->first_part).base !=
				0 ||
			buffer->align > problem->alignment ||
			buffer->size % problem->alignment != 0)
			return false;
	}
	return true;
}

bool mp_problem_is_aligned(const struct problem *problem)
{
	if (problem->n_parts != problem->n_buffers)
		return false;
	for (uint32_t i = 0; i < problem->n_buffers; i++)
		if (problem->buffers[i].align > problem->alignment)
			return true;
	return false;
}

bool mp_problem_has_fixed(const struct problem *problem)
{
	for (uint32_t i = 0; i < problem->n_buffers; i++)
		if (problem->buffers[i].offset != NO_OFFSET)
			return true;
	return false;
}

bool mp_problem_is_given(const struct problem *problem)
{
	for (uint32_t i = 0; i < problem->n_buffers; i++)
		if (problem->buffers[i].offset == NO_OFFSET)
			return false;
	return problem->n_buffers > 0;
}

bool mp_problem_is_plan(const struct problem *problem)
{
	return mp_problem_is_given(problem->whole && problem->schedule
					   ? &problem->schedule->problem
					   : problem);
}

bool mp_problem_is_plain(const struct problem *problem)
{
	return problem->n_streams <= 1 && mp_problem_is_flat(problem);
}

/* ------------------------------------------------------------ apart */

static int by_first(const void *left, const void *right)
{
	const struct tensor_pair *x = left, *y = right;

	return mp_sort_compare_two(x->a, y->a, x->b, y->b);
}

/* Lists both (a, b) and (b, a), each once, ascending. */
static bool sort_pairs(const struct tensor_pair *pairs, uint32_t n,
	struct tensor_pair **sorted, uint32_t *n_sorted, struct arena *arena)
{
	struct tensor_pair *both =
		NEW(arena, struct tensor_pair, (size_t)n * 2);

	if (!both)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		both[2 * i] = pairs[i];
		both[2 * i + 1] = (struct tensor_pair){pairs[i].b, pairs[i].a};
	}
	qsort(both, (size_t)n * 2, sizeof(*both), by_first);
	*n_sorted = 0;
	for (size_t i = 0; i < (size_t)n * 2; i++)
		if (i == 0 || by_first(&both[i - 1], &both[i]) != 0)
			both[(*n_sorted)++] = both[i];
	*sorted = both;
	return true;
}

bool mp_problem_keep_apart(struct problem *p, const struct tensor_pair *pairs,
	uint32_t n, struct arena *arena, struct arena *scratch)
{
	struct tensor_pair *sorted;
	uint32_t *first = NEW(arena, uint32_t, (size_t)p->n_buffers + 1);
	uint32_t *apart = NEW(arena, uint32_t, (size_t)n * 2);

	if (!first || !apart || !sort_pairs(pairs, n, &sorted, &n, scratch))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		first[sorted[i].a + 1]++;
		apart[i] = sorted[i].b;
	}
	for (uint32_t i = 0; i < p->n_buffers; i++)
		first[i + 1] += first[i];
	if (n == 0)
		return true;
	p->first_apart = first;
	p->apart = apart;
	return true;
}

/* -------------------------------------------------------- conflicts */

/* Do all uses of part a happen before the birth of part b? */
static bool precedes(const struct problem *p, uint32_t a, uint32_t b)
{
	return p->born[b] >= p->free[(uint64_t)a * p->n_streams + p->stream[b]];
}

bool mp_problem_apart(const struct problem *problem, uint32_t a, uint32_t b)
{
	uint32_t first = problem->first_apart[a];

	return mp_lists_contain((struct ids){problem->apart + first,
					problem->first_apart[a + 1] - first},
		b);
}

/* Raises both to the innermost choice that both are in; false: there is none. A
 * choice stands in an earlier one, so the later of two is not around the other.
 */
static bool meet(
	const struct problem *p, struct choice_site *x, struct choice_site *y)
{
	while (x->choice != y->choice && x->choice != NONE &&
		y->choice != NONE) {
		struct choice_site *later = x->choice > y->choice ? x : y;

		*later = mp_problem_site(p, later->choice);
	}
	return x->choice != NONE && x->choice == y->choice;
}

bool mp_problem_exclusive(const struct problem *problem, uint32_t a, uint32_t b)
{
	struct choice_site x = {problem->choice[a], problem->branch[a]};
	struct choice_site y = {problem->choice[b], problem->branch[b]};

	return meet(problem, &x, &y) && x.branch != y.branch;
}

struct choice_site mp_problem_common(const struct problem *problem,
	struct choice_site x, struct choice_site y)
{
	if (!meet(problem, &x, &y))
		return (struct choice_site){NONE, 0};
	return x.branch == y.branch ? x : mp_problem_site(problem, x.choice);
}

bool mp_problem_conflict(const struct problem *problem, uint32_t a, uint32_t b)
{
	const struct part *x = &problem->parts[a], *y = &problem->parts[b];

	if (problem->apart && mp_problem_apart(problem, x->buffer, y->buffer))
		return true;
	if (x->end <= y->start || y->end <= x->start)
		return false;
	if (problem->choice &&
		mp_problem_exclusive(problem, x->buffer, y->buffer))
		return false;
	if (problem->n_streams <= 1)
		return true;
	return !precedes(problem, a, b) && !precedes(problem, b, a);
}

bool mp_problem_has_gap(const struct problem *problem, uint32_t buffer)
{
	const struct buffer *b = &problem->buffers[buffer];

	for (uint32_t i = b->first_part + 1; i < b->first_part + b->n_parts;
		i++) {
		const struct part *part = &problem->parts[i];

		if (part[-1].base == part->base &&
			part[-1].size == part->size &&
			part[-1].end != part->start)
			return true;
	}
	return false;
}

/* ----------------------------------------------------------- labels */

bool mp_problem_is_reserved(const struct problem *problem, uint32_t buffer)
{
	return buffer >= problem->first_reserved &&
	       buffer - problem->first_reserved < problem->n_reserved;
}

uint32_t mp_problem_whole(const struct problem *problem, uint32_t buffer)
{
	assert(buffer < problem->n_buffers);
	return problem->whole ? problem->whole[buffer] : buffer;
}

uint32_t *mp_problem_places(const struct problem *problem, struct arena *arena)
{
	uint32_t n = problem->schedule->problem.n_buffers;
	uint32_t *place = NEW(arena, uint32_t, n);

	for (uint32_t i = 0; place && i < n; i++)
		place[i] = NONE;
	for (uint32_t i = 0; place && i < problem->n_buffers; i++)
		place[mp_problem_whole(problem, i)] = i;
	return place;
}

/* The name of a tensor, or of the reserved range if that is NONE. */
static const char *name_of(const struct problem *problem, uint32_t buffer,
	uint32_t tensor, const char *nameless)
{
	const struct schedule *s = problem->schedule;
	const char *name;

	if (tensor != NONE)
		return mp_graph_tensor_label(&s->graph->tensors[tensor]);
	if (!s || !mp_problem_is_reserved(problem, buffer))
		return nameless;
	name = s->graph->ties
		       .reserved[mp_problem_whole(problem, buffer) -
				 s->problem.first_reserved]
		       .name;
	return name ? name : "a reserved range";
}

const char *mp_problem_label(const struct problem *problem, uint32_t buffer)
{
	uint32_t tensor = NONE;

	if (problem->schedule)
		tensor = mp_schedule_highest(
			problem->schedule, mp_problem_whole(problem, buffer));
	return name_of(problem, buffer, tensor, "?");
}

uint32_t mp_problem_part_tensor(const struct problem *problem, uint32_t part)
{
	struct part p = mp_problem_part(problem, part);

	return problem->schedule ? mp_schedule_tensor_of(problem->schedule, &p,
					   mp_problem_whole(problem, p.buffer))
				 : NONE;
}

const char *mp_problem_part_label(const struct problem *problem, uint32_t part)
{
	return name_of(problem, mp_problem_part(problem, part).buffer,
		mp_problem_part_tensor(problem, part), "a reserved range");
}

bool mp_problem_is_shared(const struct problem *problem, uint32_t buffer)
{
	return problem->schedule &&
	       mp_schedule_count(problem->schedule,
		       mp_problem_whole(problem, buffer)) > 1;
}

int64_t mp_problem_time(const struct problem *problem, uint32_t step)
{
	return problem->times ? problem->times[step] : (int64_t)step;
}

const char *mp_problem_axis(const struct problem *problem)
{
	return problem->times ? "time" : "step";
}

/* ------------------------------------------------------- assertions */

#ifndef NDEBUG

static void assert_part(const struct problem *p, uint32_t i, uint32_t buffer)
{
	const struct part part = mp_problem_part(p, i);
	const struct buffer *whole = &p->buffers[buffer];

	assert(part.buffer == buffer && part.size > 0);
	assert(part.base + part.size <= whole->size);
	assert(part.start < part.end && part.end <= p->n_steps);
	assert(whole->start <= part.start && part.end <= whole->end);
	assert(p->n_streams <= 1 || p->stream[i] < p->n_streams);
}

void mp_problem_assert(const struct problem *p)
{
	uint32_t n = 0;

	assert(num_is_pow2(p->alignment) && p->n_streams > 0);
	assert(p->n_streams == 1 || (p->stream && p->born && p->free));
	assert(!p->choice == !p->branch && !p->apart == !p->first_apart);
	assert(p->parts ? p->load || p->n_steps == 0
			: p->n_parts == p->n_buffers);
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct buffer *buffer = &p->buffers[i];

		assert(buffer->first_part == n && buffer->n_parts > 0);
		assert(num_is_pow2(buffer->align));
		for (uint32_t k = 0; k < buffer->n_parts; k++)
			assert_part(p, n++, i);
		assert(!p->choice || p->choice[i] == NONE ||
			p->choice[i] < p->n_choices);
	}
	for (uint32_t i = 0; p->sites && i < p->n_choices; i++)
		assert(p->sites[i].choice == NONE || p->sites[i].choice < i);
	assert(n == p->n_parts);
	assert(p->n_reserved == 0 ||
		p->first_reserved + p->n_reserved == p->n_buffers);
	assert(p->n_steps == 0 || p->peak_step < p->n_steps);
}

#else

void mp_problem_assert(const struct problem *p)
{
	(void)p;
}

#endif
