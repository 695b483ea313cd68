/*
 * Order auto: its arena is never larger than that of the order of the input,
 * whatever the planner, the pairs and the streams, or that of search; and a
 * peak that was found and not taken is said.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "street/street.h"
#include "testing/planning.h"
#include "testing/random.h"

enum {
	GRAPHS = 300,
	NIGHTLY = 1,
	MOST_OPS = 16,
	LARGER = 120, /* graphs that choose among many pairs */
	OPS = 40,     /* of each of these graphs */
	LATEST = 16,  /* an op of it reads one of so many tensors */
	TEXT = 8192,
};

static char text[TEXT];
static size_t length;

#define STEPS "250000"

#define PUT(...)                                                               \
	(length += (size_t)snprintf(                                           \
		 text + length, sizeof(text) - length, __VA_ARGS__))

/* Op k writes tensor k, and reads up to two before. */
static void put_op(uint64_t *r, uint32_t op, uint32_t n_streams)
{
	uint32_t n = mp_testing_below(r, op < 2 ? op + 1 : 3), in[2];
	bool pair = n > 0 && mp_testing_one_in(r, 2);

	for (uint32_t i = 0; i < n; i++)
		in[i] = op - 1 - mp_testing_below(r, op < 5 ? op : 5);
	PUT("%s{\"stream\":%u,\"outputs\":[%u],\"inputs\":[", op ? "," : "",
		mp_testing_below(r, n_streams), op);
	for (uint32_t i = 0; i < n; i++)
		PUT("%s%u", i ? "," : "", in[i]);
	PUT("]");
	if (pair)
		PUT(",\"inplace\":[[%u,%u]]", op, in[0]);
	PUT("}");
}

static void make_graph(uint64_t seed)
{
	uint64_t r = seed;
	uint32_t n_ops = 3 + mp_testing_below(&r, MOST_OPS - 2);
	uint32_t n_streams =
		mp_testing_one_in(&r, 2) ? 1 : 2 + mp_testing_below(&r, 2);

	length = 0;
	PUT("{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"g\","
	    "\"alignment\":1,\"tensors\":[");
	for (uint32_t t = 0; t < n_ops; t++)
		PUT("%s{\"id\":%u,\"size\":%u%s}", t ? "," : "", t,
			1 + mp_testing_below(&r, 20),
			mp_testing_one_in(&r, 8) ? ",\"kind\":\"output\"" : "");
	PUT("],\"ops\":[");
	for (uint32_t op = 0; op < n_ops; op++)
		put_op(&r, op, n_streams);
	PUT("]}");
	cr_assert_lt(length, sizeof(text));
}

/* Every row in turn, but the one that wants all offsets fixed. */
static const char *planner_of(uint64_t seed)
{
	const struct planner *row =
		mp_testing_row((uint32_t)(seed % (mp_n_planners + mp_n_peers)));

	return strcmp(row->name, "given") == 0 ? "auto" : row->name;
}

/* UINT64_MAX: the row takes no such problem. */
static uint64_t plan(const char *order, const char *planner, const char *steps,
	bool *untaken)
{
	memplan *m = memplan_new();
	uint64_t size = UINT64_MAX;

	memplan_set(m, "order", order);
	memplan_set(m, "planner", planner);
	if (steps)
		memplan_set(m, "steps", steps);
	memplan_input(m, "graph", "g.json", text, length);
	*untaken = false;
	if (memplan_plan(m) == MEMPLAN_OK) {
		size = m->plan.arena_size;
		*untaken = m->plan.schedule->least_peak > 0;
		cr_assert(
			!*untaken || m->plan.schedule->least_peak <
					     m->plan.problem->theoretical_min);
	}
	memplan_free(m);
	return size;
}

Test(auto_order, is_never_larger_than_keep)
{
	uint64_t n = mp_testing_cases(GRAPHS, NIGHTLY);
	uint64_t first = mp_testing_first();
	uint32_t planned = 0, smaller = 0, n_untaken = 0;

	for (uint64_t seed = first; seed < first + n; seed++) {
		const char *planner = planner_of(seed);
		bool untaken;
		uint64_t kept, found;

		make_graph(seed);
		kept = plan("keep", planner, NULL, &untaken);
		cr_assert_not(untaken);
		found = plan("auto", planner, NULL, &untaken);
		cr_assert_leq(found, kept, "seed %llu, %s\n%s",
			(unsigned long long)seed, planner, text);
		planned += kept < UINT64_MAX;
		smaller += found < kept;
		n_untaken += untaken;
	}
	cr_assert_gt(planned, n / 2);
	cr_assert_gt(smaller, n / 10);
	cr_assert_gt(n_untaken, 0);
}

/* One stream, and pairs of unequal size: which are taken decides. */
static void make_larger(uint64_t seed)
{
	uint64_t r = seed;

	length = 0;
	PUT("{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"g\","
	    "\"alignment\":1,\"tensors\":[");
	for (uint32_t t = 0; t < OPS; t++)
		PUT("%s{\"id\":%u,\"size\":%u}", t ? "," : "", t,
			1 + mp_testing_below(
				    &r, mp_testing_one_in(&r, 2) ? 8 : 200));
	PUT("],\"ops\":[{\"outputs\":[0]}");
	for (uint32_t op = 1; op < OPS; op++) {
		uint32_t most = op < LATEST ? op : LATEST;
		uint32_t one = op - 1 - mp_testing_below(&r, most);
		uint32_t other = op - 1 - mp_testing_below(&r, most);

		PUT(",{\"outputs\":[%u],\"inputs\":[%u,%u]", op, one, other);
		if (mp_testing_one_in(&r, 2))
			PUT(",\"inplace\":[[%u,%u]]", op, one);
		PUT("}");
	}
	PUT("]}");
	cr_assert_lt(length, sizeof(text));
}

/* Each of keep and search chooses pairs from its own plan. */
Test(auto_order, is_never_larger_than_keep_and_search_with_pairs)
{
	uint64_t n = mp_testing_cases(LARGER, NIGHTLY);
	uint64_t first = mp_testing_first();
	bool untaken;

	for (uint64_t seed = first; seed < first + n; seed++) {
		uint64_t found, other;

		make_larger(seed);
		found = plan("auto", "auto", STEPS, &untaken);
		other = plan("search", "auto", STEPS, &untaken);
		cr_assert_leq(
			found, other, "seed %llu", (unsigned long long)seed);
		other = plan("keep", "auto", STEPS, &untaken);
		cr_assert_leq(
			found, other, "seed %llu", (unsigned long long)seed);
	}
}
