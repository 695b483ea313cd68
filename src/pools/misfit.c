/*
 * Proofs that buffers do not fit their pools: a buffer larger than each of its
 * pools; a load that exceeds the pools that may hold it; and, for the buffers
 * that only one pool may hold, a proof by a planner.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pools/pools.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sink-text.h"
#include "problem/branches.h"

enum {
	MOST_SETS = 256, /* sets of pools that are looked at */
	LARGEST = 3,	 /* tensors that a message names */
	WHY_TEXT = 480,	 /* bytes of a message */
};

/* Sets of pools, as bits. A plan that is read back may have more than
 * MOST_POOLS pools; it is not checked here, but the verifier checks it. */
struct pool_sets {
	uint64_t at[MOST_SETS];
	uint32_t n;
};

static bool prove_misfit(struct assignment *a, char *why)
{
	a->misfit = MISFIT_PROVED;
	a->why = why;
	return why != NULL;
}

/* ---------------------------------------------------- one by itself */

/* Names the largest pool that may hold the buffer. A chunk that is too small is
 * an error of the input; a capacity that is too small is an answer. */
static bool name_too_large(struct assignment *a, uint32_t buffer)
{
	const struct problem *p = a->problem;
	const struct pool_list *list = &p->pool_lists[p->pool_list[buffer]];
	const struct memory_pool *best = &p->pools[list->at[0]];
	unsigned long long size;

	for (uint32_t i = 1; i < list->n; i++)
		if (mp_graph_pool_room(&p->pools[list->at[i]]) >
			mp_graph_pool_room(best))
			best = &p->pools[list->at[i]];
	size = mp_pools_size(p, best, buffer);
	if (p->buffers[buffer].offset != NO_OFFSET)
		size += p->buffers[buffer].offset;
	if (best->chunk && best->chunk < size && best->chunk < best->capacity)
		return mp_fail(a->error, MEMPLAN_EINPUT,
			"%s: tensor '%.80s'%s takes %llu byte%s, more than the "
			"chunks of %llu of pool '%.60s'",
			p->name, mp_problem_label(p, buffer),
			mp_problem_witness_ties(p, buffer), size,
			mp_text_plural(size), (unsigned long long)best->chunk,
			best->name);
	return prove_misfit(
		a, mp_arena_print(a->arena,
			   "tensor '%.80s'%s needs %llu byte%s of a pool, and "
			   "'%.60s', the largest that may hold it, has %llu",
			   mp_problem_label(p, buffer),
			   mp_problem_witness_ties(p, buffer), size,
			   mp_text_plural(size), best->name,
			   (unsigned long long)mp_graph_pool_room(best)));
}

/* ------------------------------------------------------------ loads */

/* Pools that are large enough for a buffer. */
static uint64_t set_of(const struct assignment *a, uint32_t buffer)
{
	uint64_t set = 0;

	for (uint32_t r = mp_pools_assign_next(a, buffer, 0); r != NONE;
		r = mp_pools_assign_next(a, buffer, r + 1))
		set |= UINT64_C(1) << mp_pools_assign_pool(a, buffer, r);
	return set;
}

static void add_set(struct pool_sets *sets, uint64_t set)
{
	for (uint32_t i = 0; i < sets->n; i++)
		if (sets->at[i] == set)
			return;
	if (sets->n < MOST_SETS)
		sets->at[sets->n++] = set;
}

/* The sets that buffers have, and the unions of two of these. */
static void find_sets(const struct assignment *a, struct pool_sets *sets)
{
	uint32_t n;

	sets->n = 0;
	for (uint32_t i = 0; i < a->problem->n_buffers; i++)
		add_set(sets, set_of(a, i));
	n = sets->n;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			add_set(sets, sets->at[i] | sets->at[k]);
}

/* The sum of the capacities (NO_CAPACITY if one pool has none), and the least
 * alignment. */
static uint64_t room_of(
	const struct problem *p, uint64_t set, uint64_t *alignment)
{
	uint64_t room = 0;

	assert(p->n_pools <= MOST_POOLS);
	*alignment = 0;
	for (uint32_t i = 0; i < p->n_pools; i++) {
		if (!(set >> i & 1))
			continue;
		if (p->pools[i].capacity == NO_CAPACITY ||
			!num_add(room, p->pools[i].capacity, &room))
			return NO_CAPACITY;
		if (*alignment == 0 || p->pools[i].alignment < *alignment)
			*alignment = p->pools[i].alignment;
	}
	return room;
}

static void MP_PRINTF(2, 3) append(char *text, const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;

	assert(used < WHY_TEXT);
	va_start(arguments, format);
	vsnprintf(text + used, WHY_TEXT - used, format, arguments);
	va_end(arguments);
}

static void name_pools(const struct problem *p, uint64_t set, char *text)
{
	const char *between = "";

	for (uint32_t i = 0; i < p->n_pools; i++) {
		if (!(set >> i & 1))
			continue;
		append(text, "%s'%.40s'", between, p->pools[i].name);
		between = " or ";
	}
}

/* The parts alive at the peak. With several streams: parts that may be alive
 * together. Of each choice: the parts of one branch. */
struct peak_parts {
	const struct problem *sub;
	struct branch_loads loads; /* if the problem has branches */
};

static bool is_at_step(const struct problem *sub, uint32_t part)
{
	return sub->parts[part].start <= sub->peak_step &&
	       sub->peak_step < sub->parts[part].end;
}

static bool peak_init(struct peak_parts *peak, struct arena *scratch)
{
	const struct problem *sub = peak->sub;

	if (!sub->choice)
		return true;
	if (!mp_problem_branches_init(&peak->loads, sub, scratch))
		return false;
	for (uint32_t i = 0; i < sub->n_parts; i++)
		if (is_at_step(sub, i) &&
			mp_problem_branches_have(sub, sub->parts[i].buffer))
			mp_problem_branches_add(&peak->loads,
				sub->parts[i].buffer, sub->parts[i].size);
	return true;
}

static bool is_at_peak(const struct peak_parts *peak, uint32_t part)
{
	const struct problem *sub = peak->sub;

	if (sub->n_streams <= 1)
		return is_at_step(sub, part) &&
		       (!sub->choice || mp_problem_branches_take(&peak->loads,
						sub->parts[part].buffer));
	for (uint32_t i = 0; i < sub->n_antichain; i++)
		if (sub->antichain[i] == part)
			return true;
	return false;
}

/* The next part of the peak in descending order of size; NONE: there is none.
 */
static uint32_t next_largest(const struct peak_parts *peak, uint32_t before)
{
	const struct problem *sub = peak->sub;
	uint32_t best = NONE;

	for (uint32_t i = 0; i < sub->n_parts; i++) {
		const struct part *part = &sub->parts[i];

		if (!is_at_peak(peak, i) ||
			(before != NONE &&
				(part->size > sub->parts[before].size ||
					(part->size == sub->parts[before]
								.size &&
						i <= before))))
			continue;
		if (best == NONE || part->size > sub->parts[best].size)
			best = i;
	}
	return best;
}

static void name_largest(const struct peak_parts *peak, char *text)
{
	const struct problem *sub = peak->sub;
	const char *before = "; the largest: ";
	uint32_t part = NONE;

	for (int i = 0; i < LARGEST; i++) {
		part = next_largest(peak, part);
		if (part == NONE)
			return;
		append(text, "%s'%.40s' of %llu", before,
			mp_problem_label(sub, sub->parts[part].buffer),
			(unsigned long long)sub->parts[part].size);
		before = ", ";
	}
}

/* Adds what the smallest plan takes that a planner finds in one block. */
static bool append_smallest(
	struct assignment *a, const struct problem *sub, char *why)
{
	struct job job;

	if (!a->plan(a->context, sub, NO_CAPACITY, &job))
		return false;
	if (job.height != UINT64_MAX)
		append(why, "; the smallest plan found takes %llu",
			(unsigned long long)job.height);
	return true;
}

static bool is_one_block(const struct problem *p, uint64_t set)
{
	for (uint32_t i = 0; i < p->n_pools; i++)
		if (set == UINT64_C(1) << i)
			return p->pools[i].chunk == 0;
	return false;
}

static bool name_overload(struct assignment *a, const struct problem *sub,
	uint64_t set, uint64_t room, struct arena *scratch)
{
	char why[WHY_TEXT] = "what only ";
	struct peak_parts peak = {.sub = sub};

	if (!peak_init(&peak, scratch))
		return false;
	name_pools(a->problem, set, why);
	append(why, " may hold takes %llu byte%s%s, %llu more than there are",
		(unsigned long long)sub->theoretical_min,
		mp_text_plural(sub->theoretical_min),
		sub->n_streams > 1 ? " that may be alive together" : "",
		(unsigned long long)(sub->theoretical_min - room));
	if (sub->n_streams <= 1)
		append(why, ", at %s %lld", mp_problem_axis(sub),
			(long long)mp_problem_time(sub, sub->peak_step));
	name_largest(&peak, why);
	if (is_one_block(a->problem, set) && !append_smallest(a, sub, why))
		return false;
	return prove_misfit(a, mp_arena_text(a->arena, why, strlen(why)));
}

/* Buffers that only this set of pools may hold, as a problem. */
static bool restrict_to(const struct assignment *a, uint64_t set,
	uint64_t alignment, struct problem *sub, struct arena *scratch)
{
	uint32_t *buffers = NEW(scratch, uint32_t, a->problem->n_buffers);
	uint32_t n = 0;

	for (uint32_t i = 0; buffers && i < a->problem->n_buffers; i++)
		if ((set_of(a, i) & ~set) == 0)
			buffers[n++] = i;
	return buffers && mp_problem_subproblem(a->problem, buffers, n,
				  alignment, sub, scratch, a->error);
}

static bool check_set(struct assignment *a, uint64_t set)
{
	struct arena scratch = mp_arena_beside(a->arena);
	uint64_t alignment, room = room_of(a->problem, set, &alignment);
	struct problem sub;
	bool fine = true;

	if (room != NO_CAPACITY) {
		fine = restrict_to(a, set, alignment, &sub, &scratch);
		if (fine && sub.theoretical_min > room)
			fine = name_overload(a, &sub, set, room, &scratch);
	}
	mp_arena_free(&scratch);
	return fine;
}

bool mp_pools_misfit_loads(struct assignment *a)
{
	struct pool_sets sets;

	for (uint32_t i = 0; i < a->problem->n_buffers; i++)
		if (a->rank[i] == NONE)
			return name_too_large(a, i);
	if (a->problem->n_pools > MOST_POOLS)
		return true;
	find_sets(a, &sets);
	for (uint32_t i = 0; i < sets.n && a->misfit == MISFIT_NONE; i++)
		if (!check_set(a, sets.at[i]))
			return false;
	return true;
}

/* ----------------------------------------------------------- forced */

static bool name_forced(struct assignment *a, const struct memory_pool *pool,
	const struct problem *sub, uint64_t bound)
{
	char why[WHY_TEXT] = "";

	append(why,
		"what only pool '%.60s' may hold needs at least %llu byte%s, "
		"%llu more than it has",
		pool->name, (unsigned long long)bound, mp_text_plural(bound),
		(unsigned long long)(bound - pool->capacity));
	return append_smallest(a, sub, why) &&
	       prove_misfit(a, mp_arena_text(a->arena, why, strlen(why)));
}

/* No plan of the pool was found, and none was ruled out. */
static bool name_open(struct assignment *a, const struct memory_pool *pool,
	const struct problem *sub, uint64_t bound)
{
	char why[WHY_TEXT] = "";

	append(why, "%s: what only pool '%.60s' may hold needs at least %llu",
		a->why, pool->name, (unsigned long long)bound);
	if (!append_smallest(a, sub, why))
		return false;
	a->why = mp_arena_text(a->arena, why, strlen(why));
	return a->why != NULL;
}

static bool check_forced(struct assignment *a, uint32_t pool)
{
	const struct memory_pool *at = &a->problem->pools[pool];
	struct arena scratch = mp_arena_beside(a->arena);
	struct problem sub;
	struct job job;
	bool fine = restrict_to(
		a, UINT64_C(1) << pool, at->alignment, &sub, &scratch);

	if (fine && sub.n_buffers > 0) {
		fine = a->plan(a->context, &sub, at->capacity, &job);
		if (fine && job.lower_bound > at->capacity)
			fine = name_forced(a, at, &sub, job.lower_bound);
		else if (fine && job.height > at->capacity)
			fine = name_open(a, at, &sub, job.lower_bound);
	}
	mp_arena_free(&scratch);
	return fine;
}

bool mp_pools_misfit_forced(struct assignment *a)
{
	assert(a->misfit != MISFIT_PROVED);
	if (a->problem->n_pools > MOST_POOLS)
		return true;
	for (uint32_t i = 0;
		i < a->problem->n_pools && a->misfit != MISFIT_PROVED; i++) {
		const struct memory_pool *pool = &a->problem->pools[i];

		if (pool->capacity != NO_CAPACITY && pool->chunk == 0 &&
			!check_forced(a, i))
			return false;
	}
	return true;
}
