/*
 * A subproblem: some buffers of a problem in one memory. It is a problem, which
 * any planner takes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/problem.h"

#include <assert.h>
#include <string.h>

#include "problem/branches.h"

static uint32_t count_parts(
	const struct problem *p, const uint32_t *buffers, uint32_t n)
{
	uint32_t parts = 0;

	for (uint32_t i = 0; i < n; i++)
		parts += p->buffers[buffers[i]].n_parts;
	return parts;
}

/* The claims of a plan file are about the whole problem. */
static void take_labels(
	struct problem *sub, const struct problem *p, uint64_t alignment)
{
	*sub = *p;
	sub->alignment = alignment;
	sub->n_parts = 0;
	sub->pools = NULL;
	sub->pool_lists = NULL;
	sub->pool_list = NULL;
	sub->n_pools = 0;
	sub->antichain = NULL;
	sub->n_antichain = 0;
}

uint64_t mp_problem_subproblem_size(
	const struct problem *problem, uint32_t part, uint64_t alignment)
{
	const struct part *p = &problem->parts[part];
	const struct buffer *buffer = &problem->buffers[p->buffer];
	uint64_t end = p->base + p->size, top = num_up(end, alignment);

	if (top == end || mp_problem_is_reserved(problem, p->buffer))
		return p->size;
	for (uint32_t i = 0; i < buffer->n_parts; i++) {
		const struct part *other =
			&problem->parts[buffer->first_part + i];

		if (other->base >= end)
			top = num_min(top, other->base);
	}
	return top - p->base;
}

static void add_part(
	struct problem *sub, const struct problem *p, uint32_t part, uint32_t i)
{
	struct part *copy = &sub->parts[sub->n_parts++];

	*copy = p->parts[part];
	copy->buffer = i;
	copy->size = mp_problem_subproblem_size(p, part, sub->alignment);
	sub->buffers[i].size =
		num_max(sub->buffers[i].size, copy->base + copy->size);
}

static void add_buffer(struct problem *sub, const struct problem *p,
	uint32_t whole, uint32_t i)
{
	const struct buffer *from = &p->buffers[whole];
	struct buffer *to = &sub->buffers[i];

	*to = *from;
	to->size = 0;
	if (!mp_problem_is_reserved(p, whole))
		to->align = num_max(from->align, sub->alignment);
	to->first_part = sub->n_parts;
	for (uint32_t k = 0; k < from->n_parts; k++)
		add_part(sub, p, from->first_part + k, i);
}

/* Rows of the tables of streams, in the order of the parts. */
static bool take_streams(struct problem *sub, const struct problem *p,
	const uint32_t *buffers, struct arena *arena)
{
	size_t n = p->n_streams;
	uint32_t *stream = NEW(arena, uint32_t, sub->n_parts);
	uint32_t *born = NEW(arena, uint32_t, sub->n_parts);
	uint32_t *free = NEW(arena, uint32_t, sub->n_parts * n);
	size_t at = 0;

	if (!stream || !born || !free)
		return false;
	for (uint32_t i = 0; i < sub->n_buffers; i++) {
		const struct buffer *from = &p->buffers[buffers[i]];
		size_t first = from->first_part, count = from->n_parts;

		memcpy(stream + at, p->stream + first, count * sizeof(*stream));
		memcpy(born + at, p->born + first, count * sizeof(*born));
		memcpy(free + at * n, p->free + first * n,
			count * n * sizeof(*free));
		at += count;
	}
	sub->stream = stream;
	sub->born = born;
	sub->free = free;
	return true;
}

/* The numbers that the schedule has for the buffers. */
static bool take_names(struct problem *sub, const struct problem *p,
	const uint32_t *buffers, struct arena *arena)
{
	uint32_t *whole = NEW(arena, uint32_t, sub->n_buffers);

	for (uint32_t i = 0; whole && i < sub->n_buffers; i++)
		whole[i] = mp_problem_whole(p, buffers[i]);
	sub->whole = whole;
	return whole != NULL;
}

/* Reserved ranges come after all other buffers, here too. */
static void take_reserved(
	struct problem *sub, const struct problem *p, const uint32_t *buffers)
{
	uint32_t n = sub->n_buffers, first = n;

	while (first > 0 && mp_problem_is_reserved(p, buffers[first - 1]))
		first--;
	sub->first_reserved = first;
	sub->n_reserved = n - first;
}

bool mp_problem_take_apart(struct problem *sub, const struct problem *p,
	const uint32_t *at, struct arena *arena, struct arena *scratch)
{
	struct tensor_pair *pairs;
	uint32_t n = 0;

	sub->first_apart = sub->apart = NULL;
	if (!p->apart)
		return true;
	pairs = NEW(scratch, struct tensor_pair, p->first_apart[p->n_buffers]);
	for (uint32_t i = 0; pairs && i < p->n_buffers; i++)
		for (uint32_t k = p->first_apart[i]; k < p->first_apart[i + 1];
			k++) {
			uint32_t a = at[i], b = at[p->apart[k]];

			if (a != NONE && b != NONE && a != b)
				pairs[n++] = (struct tensor_pair){a, b};
		}
	return pairs && mp_problem_keep_apart(sub, pairs, n, arena, scratch);
}

bool mp_problem_fence(const struct problem *p, const bool *pairs,
	struct problem *fenced, struct arena *arena, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	uint32_t known = p->apart ? p->first_apart[p->n_buffers] : 0, n = 0;
	struct tensor_pair *apart =
		NEW(scratch, struct tensor_pair, (size_t)known + p->n_costs);
	bool fine = apart != NULL;

	*fenced = *p;
	for (uint32_t i = 0; fine && known > 0 && i < p->n_buffers; i++)
		for (uint32_t k = p->first_apart[i]; k < p->first_apart[i + 1];
			k++)
			apart[n++] = (struct tensor_pair){i, p->apart[k]};
	for (uint32_t i = 0; fine && i < p->n_costs; i++)
		if (pairs[i])
			apart[n++] = (struct tensor_pair){
				p->costs[i].a, p->costs[i].b};
	fine = fine && (n == 0 || mp_problem_keep_apart(
					  fenced, apart, n, arena, scratch));
	mp_arena_rewind(scratch, mark);
	return fine;
}

/* Those between two buffers that are taken, and how many they are. */
static const struct costly_pair *take_costs(const struct costly_pair *from,
	uint32_t *n, const uint32_t *at, struct arena *arena)
{
	struct costly_pair *costs = NEW(arena, struct costly_pair, *n);
	uint32_t taken = 0;

	for (uint32_t i = 0; costs && i < *n; i++) {
		struct costly_pair pair = from[i];

		pair.a = at[pair.a];
		pair.b = at[pair.b];
		if (pair.a != NONE && pair.b != NONE)
			costs[taken++] = pair;
	}
	*n = taken;
	return costs;
}

static bool take_all_costs(struct problem *sub, const struct problem *p,
	const uint32_t *at, struct arena *arena)
{
	sub->costs = take_costs(p->costs, &sub->n_costs, at, arena);
	sub->bank_costs =
		take_costs(p->bank_costs, &sub->n_bank_costs, at, arena);
	return sub->costs && sub->bank_costs;
}

/* NULL if no buffer that is taken is of a branch. */
static bool take_branches(struct problem *sub, const struct problem *p,
	const uint32_t *buffers, struct arena *arena)
{
	uint32_t *choice = NEW(arena, uint32_t, sub->n_buffers);
	uint32_t *branch = NEW(arena, uint32_t, sub->n_buffers);
	bool chosen = false;

	if (!choice || !branch)
		return false;
	for (uint32_t i = 0; i < sub->n_buffers; i++) {
		choice[i] = p->choice[buffers[i]];
		branch[i] = p->branch[buffers[i]];
		chosen |= choice[i] != NONE;
	}
	sub->choice = chosen ? choice : NULL;
	sub->branch = chosen ? branch : NULL;
	return true;
}

static bool take_relations(struct problem *sub, const struct problem *p,
	const uint32_t *buffers, struct arena *arena)
{
	struct arena scratch = mp_arena_beside(arena);
	uint32_t *at = NEW(&scratch, uint32_t, p->n_buffers);
	bool fine = at != NULL;

	for (uint32_t i = 0; at && i < p->n_buffers; i++)
		at[i] = NONE;
	for (uint32_t i = 0; at && i < sub->n_buffers; i++)
		at[buffers[i]] = i;
	take_reserved(sub, p, buffers);
	fine = fine && take_names(sub, p, buffers, arena) &&
	       mp_problem_take_apart(sub, p, at, arena, &scratch) &&
	       take_all_costs(sub, p, at, arena) &&
	       (!p->choice || take_branches(sub, p, buffers, arena));
	mp_arena_free(&scratch);
	return fine;
}

/* --------------------------------------------------------- branches */

/* Parts of the problem of one way, as parts of the one of all ways. */
static bool take_antichain(struct problem *sub, const struct problem *way,
	const uint32_t *buffers, struct arena *arena)
{
	uint32_t *parts = NEW(arena, uint32_t, way->n_antichain);

	for (uint32_t i = 0; parts && i < way->n_antichain; i++) {
		uint32_t part = way->antichain[i];
		uint32_t buffer = way->parts[part].buffer;

		parts[i] = sub->buffers[buffers[buffer]].first_part + part -
			   way->buffers[buffer].first_part;
	}
	sub->antichain = parts;
	sub->n_antichain = way->n_antichain;
	sub->theoretical_min = way->theoretical_min;
	return parts != NULL;
}

/* With several streams and choices, an antichain that counts every branch is no
 * bound. The antichain of one branch combination is: of each choice the branch
 * with most bytes. */
static bool weigh_one_way(
	struct problem *sub, struct arena *arena, struct error *e)
{
	struct arena scratch = mp_arena_beside(arena);
	struct problem all = *sub, way;
	struct branch_loads loads;
	uint32_t *buffers = NEW(&scratch, uint32_t, sub->n_buffers), n = 0;
	bool fine = buffers && mp_problem_branches_init(&loads, sub, &scratch);

	for (uint32_t i = 0; fine && i < sub->n_buffers; i++)
		if (mp_problem_branches_have(sub, i))
			mp_problem_branches_add(
				&loads, i, sub->buffers[i].size);
	for (uint32_t i = 0; fine && i < sub->n_buffers; i++)
		if (mp_problem_branches_take(&loads, i))
			buffers[n++] = i;
	all.choice = all.branch = NULL;
	fine = fine && mp_problem_subproblem(&all, buffers, n, sub->alignment,
			       &way, &scratch, e);
	fine = fine && take_antichain(sub, &way, buffers, arena);
	mp_arena_free(&scratch);
	return fine;
}

bool mp_problem_subproblem(const struct problem *problem,
	const uint32_t *buffers, uint32_t n, uint64_t alignment,
	struct problem *sub, struct arena *arena, struct error *e)
{
	for (uint32_t i = 0; i < n; i++)
		assert(buffers[i] < problem->n_buffers &&
			(i == 0 || buffers[i - 1] < buffers[i]));
	assert(alignment >= problem->alignment);
	take_labels(sub, problem, alignment);
	sub->n_buffers = n;
	sub->buffers = NEW(arena, struct buffer, n);
	sub->parts = NEW(arena, struct part, count_parts(problem, buffers, n));
	if (!sub->buffers || !sub->parts)
		return false;
	for (uint32_t i = 0; i < n; i++)
		add_buffer(sub, problem, buffers[i], i);
	if (!take_relations(sub, problem, buffers, arena) ||
		!mp_problem_measure(sub, arena, e))
		return false;
	if (problem->n_streams > 1 &&
		(!take_streams(sub, problem, buffers, arena) ||
			!(sub->choice ? weigh_one_way(sub, arena, e)
				      : mp_problem_antichain(sub, arena))))
		return false;
	mp_problem_assert(sub);
	return true;
}
