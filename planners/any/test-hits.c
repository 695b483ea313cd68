/*
 * What is in the way of a buffer, and what that costs, against a look at each
 * part at each base, on random problems of every kind.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/hits.h"

#include "planners/any/testing.h"

enum {
	PROBLEMS = 60,
	BASES = 256, /* beyond all that is placed */
	TOP = 120    /* that begins below this */
};

static const struct random_shape shapes[] = {
	{.buffers = 60},
	{.buffers = 60, .aligned = true},
	{.buffers = 12, .parts = true, .aligned = true},
	{.buffers = 12, .parts = true, .streams = 3},
	{.buffers = 12, .parts = true, .apart = true, .choices = true},
	{.buffers = 12, .apart = true},
};

struct scene {
	struct placed placed;
	struct hits hits;
	uint64_t weight[64];
	uint64_t cost[BASES];
	bool is_never[BASES];
};

static void find_costs(struct scene *s)
{
	for (uint64_t base = 0; base < BASES; base++)
		for (uint32_t i = 0; i < s->placed.last; i++) {
			if (!mp_testing_placed_meets(&s->placed, base, i))
				continue;
			if (s->weight[i] == HITS_NEVER)
				s->is_never[base] = true;
			else
				s->cost[base] += s->weight[i];
		}
}

static void build(struct scene *s, uint64_t seed, uint32_t shape)
{
	struct placed *p = &s->placed;
	uint64_t random = ~seed;

	*s = (struct scene){.weight = {0}};
	mp_testing_place(p, seed, &shapes[shape], TOP);
	cr_assert(mp_planner_hits_init(
		&s->hits, &p->conflicts, s->weight, &p->arena));
	for (uint32_t i = 0; i < p->last; i++)
		s->weight[i] = mp_testing_below(&random, 16)
				       ? 1 + mp_testing_below(&random, 9)
				       : HITS_NEVER;
	find_costs(s);
}

/* A bucket that is sorted is swept base by base, another one at once. */
static void check_bucket(struct scene *s, uint32_t bucket, bool is_sorted)
{
	struct hits *h = &s->hits;
	uint64_t align = s->placed.problem.buffers[s->placed.last].align;
	uint64_t base = num_up((uint64_t)bucket << h->shift, align);
	uint64_t end = ((uint64_t)bucket + 1) << h->shift;
	uint64_t least = mp_planner_hits_least(h, bucket);

	if (is_sorted)
		mp_planner_hits_sort(h, bucket);
	else
		mp_planner_hits_pass(h, bucket);
	for (; base < end && base <= h->most; base += align) {
		cr_assert_geq(s->cost[base], least);
		if (is_sorted)
			mp_planner_hits_sweep(h, base);
		if (!is_sorted && base + align < end && base + align <= h->most)
			continue;
		cr_assert_eq(h->cost, s->cost[base]);
		cr_assert_eq(h->n_never > 0, s->is_never[base]);
	}
	for (uint32_t i = h->first_leave[bucket];
		is_sorted && i + 1 < h->first_leave[bucket + 1]; i++)
		cr_assert_leq(h->leave[i].low, h->leave[i + 1].low);
	mp_planner_hits_pass(h, bucket);
}

static void check_owners(struct scene *s, uint64_t base)
{
	const struct hits *h = &s->hits;
	bool is_hit[64] = {false};

	for (uint32_t i = 0; i < h->n; i++)
		is_hit[h->owner[i]] |= mp_planner_hits_at(h, i, base);
	for (uint32_t i = 0; i < s->placed.last; i++)
		cr_assert_eq(is_hit[i],
			mp_testing_placed_meets(&s->placed, base, i));
}

static void check(uint64_t seed, uint32_t shape)
{
	uint64_t random = seed, align, most;
	struct scene s;

	build(&s, seed, shape);
	align = s.placed.problem.buffers[s.placed.last].align;
	for (int k = 0; k < 3; k++) {
		most = mp_testing_below(&random, BASES);
		cr_assert(mp_planner_hits_find(&s.hits, s.placed.last, most));
		for (uint32_t b = 0; b < s.hits.n_buckets; b++)
			check_bucket(&s, b, mp_testing_below(&random, 2) == 0);
		check_owners(&s, most / align * align);
	}
	mp_arena_free(&s.placed.arena);
}

Test(hits, cost_what_is_in_the_way)
{
	for (uint32_t shape = 0; shape < countof(shapes); shape++)
		for (uint64_t seed = 0; seed < PROBLEMS; seed++)
			check(seed, shape);
}
