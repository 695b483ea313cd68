/*
 * What is said of all orders, and of all plans of one, against brute force: on
 * random graphs with every feature, all orders are tried, and all places on a
 * grid.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "lifetime/lifetime.h"
#include "order/search/certify.h"
#include "problem/bound.h"
#include "street/street.h"
#include "testing/player.h"

enum {
	GRAPHS = 2000,
	MOST_OPS = 6,
	MOST_BUFFERS = 7,
	MOST_TRIES = 200000, /* places of buffers, in the search for a plan */
};

struct trial {
	uint64_t seed;
	struct play play;
	char text[PLAY_JSON];
	memplan *m;
};

static bool is_free_to_order(const struct play *play)
{
	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (play->tensors[i].pinned)
			return false;
	return play->has_ops && play->n_ops <= MOST_OPS;
}

static void begin(struct trial *t, uint64_t seed)
{
	static const char *const inplace[] = {"on", "off", "equal"};

	t->seed = seed;
	mp_testing_player_random(&t->play, seed);
	mp_testing_player_print(&t->play, t->text);
	t->m = memplan_new();
	memplan_set(t->m, "inplace", inplace[seed / 3 % 3]);
	memplan_set(t->m, "steps", "2000");
	memplan_input(t->m, "graph", "g", t->text, strlen(t->text));
}

/* ----------------------------------------------------------- orders */

/* The least peak of all orders; the first `depth` ops are chosen. */
static uint64_t least_of(const struct graph *graph, uint32_t *order,
	uint32_t depth, bool inplace, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct lifetime_options options = {.inplace = inplace};
	struct schedule *schedule;
	uint64_t least = UINT64_MAX, other;

	if (depth == graph->n_ops) {
		if (!mp_graph_is_order(graph, order, arena))
			return UINT64_MAX;
		schedule = mp_lifetime(
			graph, order, &options, arena, arena->error);
		cr_assert(schedule, "%s", arena->error->text);
		other = schedule->problem.theoretical_min;
		mp_arena_rewind(arena, mark);
		return other;
	}
	for (uint32_t i = depth; i < graph->n_ops; i++) {
		uint32_t first = order[depth], op = order[i];

		order[depth] = op;
		order[i] = first;
		other = least_of(graph, order, depth + 1, inplace, arena);
		least = other < least ? other : least;
		order[i] = op;
		order[depth] = first;
	}
	return least;
}

static uint64_t least_of_all(const memplan *m, bool inplace)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	uint32_t order[PLAY_OPS];
	uint64_t least;

	for (uint32_t i = 0; i < mp_street_graph(m)->n_ops; i++)
		order[i] = i;
	least = least_of(mp_street_graph(m), order, 0, inplace, &arena);
	mp_arena_free(&arena);
	return least;
}

/* Whatever is claimed of one op or two, no more than that is confirmed. */
static void expect_refused(struct trial *t, uint64_t bytes, bool inplace)
{
	uint32_t n = mp_street_graph(t->m)->n_ops;

	for (uint32_t i = 0; i < 2 * n * n; i++) {
		const uint32_t ops[] = {i % n, i / n % n};
		struct order_bound claim = {
			bytes, "set", {ops, 2}, i / n / n == 1, inplace};
		struct error e = {0};
		struct arena arena = {.error = &e};
		bool confirmed = false;

		claim.ops.n = ops[0] == ops[1] ? 1 : 2;
		mp_order_certify_claim(
			mp_street_graph(t->m), &claim, &confirmed, &arena, &e);
		cr_assert_not(confirmed, "seed %llu: %llu of ops %u %u\n%s",
			(unsigned long long)t->seed, (unsigned long long)bytes,
			ops[0], ops[1], t->text);
		mp_arena_free(&arena);
	}
}

Test(order_bound, holds_for_every_order, .timeout = 600)
{
	static struct trial t;
	uint32_t bound = 0, met = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		uint64_t claimed = 0, least;

		mp_testing_player_random(&t.play, seed);
		if (!is_free_to_order(&t.play))
			continue;
		begin(&t, seed);
		memplan_set(t.m, "order", "auto");
		cr_assert_eq(memplan_plan(t.m), MEMPLAN_OK, "seed %llu: %s",
			(unsigned long long)seed, memplan_error(t.m));
		memplan_number(t.m, "lower_bound_order", &claimed);
		least = least_of_all(t.m, t.m->options.inplace);
		cr_assert_leq(claimed, least, "seed %llu: %llu > %llu\n%s",
			(unsigned long long)seed, (unsigned long long)claimed,
			(unsigned long long)least, t.text);
		expect_refused(&t, least + 1, t.m->options.inplace);
		expect_refused(&t, least_of_all(t.m, true) + 1, true);
		bound += claimed > 0;
		met += claimed == least;
		memplan_free(t.m);
	}
	cr_assert(
		bound > GRAPHS / 20 && met > bound / 5, "%u of %u", met, bound);
}

/* ----------------------------------------------------------- places */

struct search {
	const struct problem *problem;
	uint64_t height; /* a plan has to end below or there */
	uint64_t offsets[MOST_BUFFERS];
	uint32_t tries;
	bool gave_up;
};

static bool collide(const struct search *s, uint32_t a, uint32_t b)
{
	const struct problem *p = s->problem;
	const struct buffer *x = &p->buffers[a], *y = &p->buffers[b];

	for (uint32_t i = x->first_part; i < x->first_part + x->n_parts; i++)
		for (uint32_t k = y->first_part; k < y->first_part + y->n_parts;
			k++) {
			uint64_t low = s->offsets[a] + p->parts[i].base;
			uint64_t other = s->offsets[b] + p->parts[k].base;

			if (mp_problem_conflict(p, i, k) &&
				low < other + p->parts[k].size &&
				other < low + p->parts[i].size)
				return true;
		}
	return false;
}

/* Can the buffers from this one on be placed? */
static bool place(struct search *s, uint32_t buffer)
{
	const struct buffer *b = &s->problem->buffers[buffer];
	bool fixed = b->offset != NO_OFFSET, clear;

	if (buffer == s->problem->n_buffers)
		return true;
	for (uint64_t at = fixed ? b->offset : 0; at + b->size <= s->height;
		at += b->align) {
		s->gave_up = s->gave_up || s->tries == 0;
		if (s->gave_up)
			return false;
		s->tries--;
		s->offsets[buffer] = at;
		clear = true;
		for (uint32_t i = 0; i < buffer && clear; i++)
			clear = !collide(s, i, buffer);
		if (clear && place(s, buffer + 1))
			return true;
		if (fixed)
			break;
	}
	return false;
}

/* Every part begins at a multiple of the alignment behind its buffer, or the
 * input says where: so the grid is fine enough. */
static bool search_below(const struct problem *p, uint64_t bound, bool *known)
{
	struct search s = {p, bound - 1, {0}, MOST_TRIES, false};
	bool found;

	*known = false;
	if (p->n_buffers == 0 || p->n_buffers > MOST_BUFFERS)
		return false;
	found = place(&s, 0);
	*known = !s.gave_up;
	return found;
}

Test(order_bound, no_plan_is_below_the_bound, .timeout = 600)
{
	static struct trial t;
	uint32_t n_known = 0, n_streams = 0, n_branches = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		const struct problem *p;
		bool known;

		begin(&t, seed);
		cr_assert_eq(memplan_plan(t.m), MEMPLAN_OK, "seed %llu: %s",
			(unsigned long long)seed, memplan_error(t.m));
		p = t.m->plan.problem;
		cr_assert_not(search_below(p, t.m->plan.lower_bound, &known),
			"seed %llu: below %llu\n%s", (unsigned long long)seed,
			(unsigned long long)t.m->plan.lower_bound, t.text);
		n_known += known;
		n_streams += known && p->n_streams > 1;
		n_branches += known && p->choice;
		memplan_free(t.m);
	}
	cr_assert(n_known > GRAPHS / 10 && n_streams > GRAPHS / 50 &&
			  n_branches > GRAPHS / 50,
		"%u, %u, %u", n_known, n_streams, n_branches);
}
