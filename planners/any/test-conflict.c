/*
 * The three fits against a search of every base, on random problems of every
 * kind, with some of the buffers placed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/conflict.h"

#include "planners/any/testing.h"

enum {
	PROBLEMS = 2000,
	TOP = 60,   /* a placed buffer begins below it */
	BASES = 512 /* beyond all that is placed */
};

static const struct random_shape shapes[] = {
	{.buffers = 6, .aligned = true},
	{.buffers = 5, .parts = true, .aligned = true},
	{.buffers = 5, .parts = true, .streams = 3},
	{.buffers = 6, .parts = true, .apart = true, .choices = true},
};

struct scene {
	struct placed placed;
	bool fits[BASES];
};

static void build(struct scene *s, uint64_t seed, uint32_t shape)
{
	mp_testing_place(&s->placed, seed, &shapes[shape], TOP);
	for (uint64_t base = 0; base < BASES; base++) {
		s->fits[base] = true;
		for (uint32_t i = 0; i < s->placed.last; i++)
			s->fits[base] &=
				!mp_testing_placed_meets(&s->placed, base, i);
	}
}

static uint64_t expected_lowest(const struct scene *s, uint64_t align)
{
	uint64_t base = 0;

	while (!s->fits[base])
		base += align;
	return base;
}

static uint64_t expected_top(const struct scene *s, uint64_t align)
{
	uint64_t base = BASES;

	while (base > 0 && s->fits[base - 1])
		base--;
	return (base + align - 1) / align * align;
}

/* Gaps are runs of bases; the last one has no end. */
static uint64_t expected_best(const struct scene *s, uint64_t align)
{
	uint64_t shortest = UINT64_MAX, found = expected_top(s, align);

	for (uint64_t low = 0, high; low < BASES; low = high) {
		uint64_t base = (low + align - 1) / align * align;

		for (high = low; high < BASES && s->fits[high];)
			high++;
		if (high < BASES && base < high && high - low < shortest) {
			shortest = high - low;
			found = base;
		}
		high++;
	}
	return found;
}

static void check(uint64_t seed, uint32_t shape)
{
	struct scene s;
	uint64_t align, offset;

	build(&s, seed, shape);
	align = s.placed.problem.buffers[s.placed.last].align;
	cr_assert(mp_planner_conflicts_fit(
		&s.placed.conflicts, s.placed.last, FIT_LOWEST, &offset));
	cr_assert_eq(offset, expected_lowest(&s, align), "%u/%llu", shape,
		(unsigned long long)seed);
	cr_assert(mp_planner_conflicts_fit(
		&s.placed.conflicts, s.placed.last, FIT_BEST, &offset));
	cr_assert_eq(offset, expected_best(&s, align), "%u/%llu", shape,
		(unsigned long long)seed);
	cr_assert(mp_planner_conflicts_fit(
		&s.placed.conflicts, s.placed.last, FIT_TOP, &offset));
	cr_assert_eq(offset, expected_top(&s, align), "%u/%llu", shape,
		(unsigned long long)seed);
	mp_planner_conflicts_clear(&s.placed.conflicts);
	cr_assert(mp_planner_conflicts_fit(
		&s.placed.conflicts, s.placed.last, FIT_BEST, &offset));
	cr_assert_eq(offset, 0);
	mp_arena_free(&s.placed.arena);
}

Test(conflict, finds_the_gaps_that_there_are)
{
	for (uint32_t shape = 0; shape < countof(shapes); shape++)
		for (uint64_t seed = 0; seed < PROBLEMS; seed++)
			check(seed, shape);
}

/* Which of the placed buffers the last one would lie on, base by base. */
struct owners {
	bool of[BASES][8];
};

static void note_owner(void *context, uint32_t met, struct range bases)
{
	struct owners *owners = context;

	for (uint64_t i = bases.low; i < bases.high && i < BASES; i++)
		owners->of[i][met] = true;
}

static void check_hits(uint64_t seed, uint32_t shape)
{
	struct owners owners = {0};
	struct scene s;
	uint32_t removed;

	build(&s, seed, shape);
	removed = s.placed.last > 0 ? (uint32_t)(seed % s.placed.last)
				    : s.placed.last;
	if (s.placed.last > 0)
		mp_planner_conflicts_remove(&s.placed.conflicts, removed);
	mp_planner_conflicts_visit(
		&s.placed.conflicts, s.placed.last, note_owner, &owners);
	for (uint64_t base = 0; base < BASES; base++)
		for (uint32_t i = 0; i < s.placed.last; i++)
			cr_assert_eq(owners.of[base][i],
				i != removed && mp_testing_placed_meets(
							&s.placed, base, i),
				"%u/%llu: base %llu, buffer %u", shape,
				(unsigned long long)seed,
				(unsigned long long)base, i);
	mp_arena_free(&s.placed.arena);
}

Test(conflict, names_buffers_in_the_way)
{
	for (uint32_t shape = 0; shape < countof(shapes); shape++)
		for (uint64_t seed = 0; seed < PROBLEMS; seed++)
			check_hits(seed, shape);
}

enum {
	MOST_SORTED = 3000,
	KINDS = 5
};

/* Anything; few values; all but one next to each other; all but two equal, with
 * the least and the greatest; all equal. */
static uint64_t random_low(uint64_t *state, uint32_t kind, uint32_t i)
{
	uint64_t any = (uint64_t)mp_testing_below(state, UINT32_MAX) << 32 |
		       mp_testing_below(state, UINT32_MAX);

	switch (kind) {
	case 0:
		return any;
	case 1:
		return any % 7 << 40;
	case 2:
		return i == 11 ? any | UINT64_C(1) << 63 : any % 500;
	case 3:
		return i == 5 ? UINT64_MAX : i == 13 ? 0 : 77;
	default:
		return 77;
	}
}

/* By insertion, by the first bits, and where too many share these, or there are
 * too many, digit by digit. Equal ones stay in their order. */
Test(conflict, sorts_ranges_whatever_they_are)
{
	static const uint32_t counts[] = {
		0, 1, 2, 19, 20, 21, 63, 64, 300, 1023, 1024, MOST_SORTED};
	static struct range from[MOST_SORTED], ranges[MOST_SORTED],
		scratch[MOST_SORTED];
	uint64_t state = 1;

	for (uint32_t k = 0; k < countof(counts) * KINDS; k++) {
		uint32_t n = counts[k / KINDS];

		for (uint32_t i = 0; i < n; i++)
			from[i] = ranges[i] = (struct range){
				random_low(&state, k % KINDS, i), i};
		mp_planner_ranges_sort(ranges, n, scratch);
		for (uint32_t i = 0; i < n; i++) {
			cr_assert_eq(ranges[i].low, from[ranges[i].high].low);
			cr_assert(i == 0 || ranges[i - 1].low < ranges[i].low ||
				  (ranges[i - 1].low == ranges[i].low &&
					  ranges[i - 1].high < ranges[i].high));
		}
	}
}

/* Many ranges, so that room grows. */
Test(conflict, sorts_what_it_meets)
{
	enum {
		MANY = 1000
	};
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct problem p = {.name = "many", .alignment = 1, .n_steps = 1};
	struct conflicts conflicts;

	p.n_buffers = p.n_parts = MANY + 1;
	p.buffers = NEW(&arena, struct buffer, MANY + 1);
	p.parts = NEW(&arena, struct part, MANY + 1);
	for (uint32_t i = 0; i <= MANY; i++) {
		p.buffers[i] = (struct buffer){1, 1, NO_OFFSET, 0, 1, i, 1};
		p.parts[i] = (struct part){0, 1, 0, 1, i};
	}
	cr_assert(mp_planner_conflicts_init(&conflicts, &p, &arena));
	for (uint32_t i = 0; i < MANY; i++)
		mp_planner_conflicts_place(&conflicts, i, 2 * (i * 387 % MANY));
	cr_assert(mp_planner_conflicts_collect(&conflicts, MANY));
	cr_assert_eq(conflicts.n_taken, MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		cr_assert_eq(conflicts.taken[i].low, 2 * i);
		cr_assert_eq(conflicts.taken[i].high, 2 * i + 1);
	}
	mp_arena_free(&arena);
}
