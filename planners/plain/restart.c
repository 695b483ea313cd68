/*
 * The orders of preference of the runs: see inside.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/inside.h"

#include <assert.h>

#include "base/prng.h"
#include "base/search.h"
#include "base/sort.h"

enum {
	/* Failures of the shortest run, to which one is added for each 256
	 * items. Set on MiniMalloc's instances: docs/planners-tried.md. */
	BASE = 150,
	ITEMS_PER_FAILURE = 256,

	VALUE_BITS = 20, /* of sizes and rooms: two of them fit a value */

	/* A value times 1024 plus noise of up to a quarter of that, times 100
	 * to 1,124 by blame. */
	FACTOR_BITS = 10,
	NOISE = 512,
	LEAST_BLAME = 100,
};

bool mp_planner_restarts_new(struct restarts *r, const struct puzzle *puzzle,
	const uint32_t *lifetime, uint64_t seed, struct nogoods *nogoods,
	struct arena *arena)
{
	uint32_t n = puzzle->n_items;
	size_t room = num_max(n, puzzle->n_sections);

	*r = (struct restarts){.lifetime = lifetime, .random = seed};
	r->base = BASE + n / ITEMS_PER_FAILURE;
	r->value = NEW(arena, uint64_t, room);
	r->blame = NEW(arena, uint64_t, n);
	r->order = NEW(arena, uint32_t, room);
	r->heat = NEW(arena, uint64_t, n);
	r->turn = NEW(arena, uint32_t, n);
	r->spare = NEW(arena, uint32_t, n);
	return r->value && r->blame && r->order && r->heat && r->turn &&
	       r->spare &&
	       mp_planner_plateau_new(&r->plateau, puzzle, nogoods, arena);
}

/* Of the sequence 1, 1, 2, 1, 1, 2, 4, 1, ... the term i, from 1 on. */
static uint64_t luby(uint64_t i)
{
	uint64_t power = 1;

	assert(i > 0);
	for (;;) {
		while (2 * power - 1 < i)
			power *= 2;
		if (2 * power - 1 == i)
			return power;
		i -= power - 1;
		power = 1;
	}
}

/* Which items are preferred. */
enum rule {
	HOT_AND_LARGE, /* large, over sections with little room first */
	LONG,
	LARGE_AREA,
	LARGE,
	LONG_LIVED, /* in steps, not in sections */
	SHORT,
	LONG_AND_SMALL,
	N_RULES,
};

static uint64_t value_of(enum rule rule, uint64_t sections, uint64_t lifetime,
	uint64_t size, uint64_t heat)
{
	switch (rule) {
	case LONG:
		return sections << VALUE_BITS | size;
	case LARGE_AREA:
		return sections * size;
	case LARGE:
		return size;
	case LONG_LIVED:
		return lifetime << VALUE_BITS | size;
	case SHORT:
		return (UINT64_C(1) << 40) / sections;
	case LONG_AND_SMALL:
		return (sections << VALUE_BITS) / (size + 1);
	case HOT_AND_LARGE:
		return heat << VALUE_BITS | size;
	case N_RULES:
		break;
	}
	return 0;
}

/* The shift that cuts numbers up to this one to VALUE_BITS. */
static uint32_t shift_to_bits(int64_t greatest)
{
	uint32_t shift = 0;

	while (greatest >> shift >> VALUE_BITS > 0)
		shift++;
	return shift;
}

/* The heat of an item: the less room in its tightest section, the more. From
 * the last section down, a stack has the sections with less room than all that
 * are before them; the last one before an item's end is its tightest. So long
 * lifetimes cost no more than short ones. */
static void fill_heat(struct restarts *r)
{
	struct horizon *h = &r->plateau.horizon;
	const struct puzzle *puzzle = h->puzzle;
	uint32_t *stack = r->order + puzzle->n_sections, n = 0, shift;
	int64_t most = 0;

	mp_planner_horizon_reset(h);
	for (uint32_t s = 0; s < puzzle->n_sections; s++)
		most = h->room[s] > most ? h->room[s] : most;
	shift = shift_to_bits(most);
	for (uint32_t s = puzzle->n_sections; s-- > 0;) {
		for (; n > 0 && h->room[*stack] >= h->room[s]; n--)
			stack++;
		*--stack = s;
		n++;
		for (uint32_t i = puzzle->first[s]; i < puzzle->first[s + 1];
			i++) {
			uint32_t k = mp_search_u32(stack, n, puzzle->end[i]);
			int64_t least = h->room[stack[k - 1]];

			r->heat[i] = (uint64_t)((most - least) >> shift);
		}
	}
}

/* Sums the failures of the sections of each item; returns the greatest sum. */
static uint64_t sum_blame(struct restarts *r)
{
	const struct puzzle *puzzle = r->plateau.horizon.puzzle;
	const uint32_t *blame = r->plateau.blame;
	uint64_t *upto = r->value; /* of a section: the sum to its end */
	uint64_t most = 1, sum = 0;

	for (uint32_t s = 0; s < puzzle->n_sections; s++)
		upto[s] = sum += blame[s];
	for (uint32_t i = 0; i < puzzle->n_items; i++) {
		uint32_t start = puzzle->start[i];

		r->blame[i] = upto[puzzle->end[i] - 1] -
			      (start ? upto[start - 1] : 0);
		most = num_max(most, r->blame[i]);
	}
	return most;
}

/* The first runs follow the rules as they are, later ones with noise, and
 * every second cycle of them with blame. */
static void fill_values(struct restarts *r)
{
	const struct puzzle *puzzle = r->plateau.horizon.puzzle;
	uint32_t cycle = r->n_runs / N_RULES, shift;
	enum rule rule = (enum rule)(r->n_runs % N_RULES);
	uint64_t most = cycle % 2 == 1 ? sum_blame(r) : 0;
	uint64_t noise = cycle ? mp_prng(&r->random) % NOISE : 0, factor;
	int64_t greatest = 0;

	for (uint32_t i = 0; i < puzzle->n_items; i++)
		if (puzzle->size[i] > greatest)
			greatest = puzzle->size[i];
	shift = shift_to_bits(greatest);
	for (uint32_t i = 0; i < puzzle->n_items; i++) {
		r->value[i] = value_of(rule, puzzle->end[i] - puzzle->start[i],
			r->lifetime[i], (uint64_t)puzzle->size[i] >> shift,
			r->heat[i]);
		factor = 1 << FACTOR_BITS;
		if (noise)
			factor += mp_prng(&r->random) % noise - noise / 2;
		if (most)
			factor = factor * (LEAST_BLAME +
						  (r->blame[i] << FACTOR_BITS) /
							  most) >>
				 FACTOR_BITS;
		r->value[i] = r->value[i] * factor;
	}
}

static void fill_turns(struct restarts *r)
{
	uint32_t n = r->plateau.horizon.puzzle->n_items;

	fill_values(r);
	for (uint32_t i = 0; i < n; i++) {
		r->order[i] = i;
		r->value[i] = ~r->value[i];
	}
	mp_sort_radix(r->order, r->spare, n, r->value);
	for (uint32_t i = 0; i < n; i++)
		r->turn[r->order[i]] = i;
}

enum plateau_answer mp_planner_restarts_solve(
	struct restarts *r, uint64_t max_nodes)
{
	enum plateau_answer answer = PLATEAU_SPENT;
	uint64_t failures, random;

	fill_heat(r);
	while (answer == PLATEAU_SPENT && max_nodes > 0 &&
		!r->plateau.stopped) {
		random = r->random;
		fill_turns(r);
		failures = r->base * luby(r->n_runs + 1);
		answer = mp_planner_plateau_run(&r->plateau, r->turn, failures);
		if (r->plateau.stopped) {
			r->random = random;
			break;
		}
		r->n_runs++;
		max_nodes -= num_min(max_nodes, r->plateau.nodes + 1);
	}
	return answer;
}
