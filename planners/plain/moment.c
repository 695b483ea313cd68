/*
 * Groups of a moment, by the sums of sets: see moment.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/moment.h"

#include <assert.h>

#include "base/num.h"
#include "base/sort.h"

enum {
	FIRST_SIZE = 3,	   /* members of half a group, or more if need be */
	MOST_SETS = 12000, /* that may be half a group */
	MOST_GROUPS = 4096
};

static uint64_t lowest_bits(uint32_t n)
{
	assert(n > 0 && n <= MOMENT_MOST);
	return UINT64_MAX >> (MOMENT_MOST - n);
}

/* Are all sets of at most so many of n few? */
static bool are_few_sets(uint32_t n, uint32_t most)
{
	uint64_t all = 0, some = 1;

	for (uint32_t k = 0; k < n && k < most && all <= MOST_SETS; k++) {
		some = some * (n - k) / (k + 1);
		all += some;
	}
	return all <= MOST_SETS;
}

/* All sets of at most so many; returns how many there are. A set is followed by
 * those that have one more member, behind its last. */
static uint32_t list_sets(
	struct moment *m, const int64_t *size, enum side side, uint32_t most)
{
	struct set *sets = m->unsorted;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n[side]; i++)
		sets[n++] =
			(struct set){UINT64_C(1) << i, size[m->item[side][i]]};
	for (uint32_t k = 0;
		k < n && (uint32_t)__builtin_popcountll(sets[k].members) < most;
		k++) {
		uint32_t last = 63 - (uint32_t)__builtin_clzll(sets[k].members);

		for (uint32_t i = last + 1; i < m->n[side]; i++)
			sets[n++] =
				(struct set){sets[k].members | UINT64_C(1) << i,
					sets[k].size + size[m->item[side][i]]};
	}
	assert(n <= MOST_SETS);
	for (uint32_t k = 0; k < n; k++) {
		m->order[k] = k;
		m->sums[k] = (uint64_t)sets[k].size;
	}
	mp_sort_radix(m->order, m->spare, n, m->sums);
	for (uint32_t k = 0; k < n; k++)
		m->sets[side][k] = sets[m->order[k]];
	m->n_sets[side] = n;
	return n;
}

/* False: one of the moment is in no group. */
static bool match_sets(struct moment *m)
{
	struct group in = {{0, 0}};
	uint32_t first = 0;

	m->n_groups = 0;
	for (uint32_t k = 0; k < m->n_sets[GONE]; k++) {
		const struct set *gone = &m->sets[GONE][k];
		uint32_t i;

		while (first < m->n_sets[COME] &&
			m->sets[COME][first].size < gone->size)
			first++;
		for (i = first; i < m->n_sets[COME] &&
				m->sets[COME][i].size == gone->size &&
				m->n_groups < MOST_GROUPS;
			i++) {
			uint64_t come = m->sets[COME][i].members;

			m->groups[m->n_groups++] =
				(struct group){{gone->members, come}};
			in.of[GONE] |= gone->members;
			in.of[COME] |= come;
		}
	}
	return in.of[GONE] == lowest_bits(m->n[GONE]) &&
	       in.of[COME] == lowest_bits(m->n[COME]);
}

struct group mp_planner_moment_all(const struct moment *m)
{
	return (struct group){
		{lowest_bits(m->n[GONE]), lowest_bits(m->n[COME])}};
}

/* Large sets have the same sum by chance, so they are there only if smaller
 * ones will not do. */
void mp_planner_moment_groups(
	struct moment *m, const int64_t *size, uint64_t *looks)
{
	uint32_t all = (uint32_t)num_max(m->n[GONE], m->n[COME]);
	uint32_t most = FIRST_SIZE;

	while (!are_few_sets(all, most))
		most--;
	do {
		*looks += list_sets(m, size, GONE, most);
		*looks += list_sets(m, size, COME, most);
	} while (!match_sets(m) && most++ < all && are_few_sets(all, most));
}

bool mp_planner_moment_init(struct moment *m, struct arena *arena)
{
	m->order = NEW(arena, uint32_t, MOST_SETS);
	m->spare = NEW(arena, uint32_t, MOST_SETS);
	m->sums = NEW(arena, uint64_t, MOST_SETS);
	m->unsorted = NEW(arena, struct set, MOST_SETS);
	m->sets[GONE] = NEW(arena, struct set, MOST_SETS);
	m->sets[COME] = NEW(arena, struct set, MOST_SETS);
	m->groups = NEW(arena, struct group, MOST_GROUPS);
	return m->order && m->spare && m->sums && m->unsorted &&
	       m->sets[GONE] && m->sets[COME] && m->groups;
}
