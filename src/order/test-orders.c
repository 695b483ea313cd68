/*
 * Every row of the order table on random graphs: a legal order, the same again,
 * never below the least peak that brute force finds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/order.h"

#include <criterion/criterion.h>
#include <string.h>

#include "testing/random-graph.h"

static struct order_job job_of(const struct graph *graph, bool inplace,
	struct arena *arena, struct error *e)
{
	return (struct order_job){.graph = graph,
		.inplace = inplace,
		.steps = 1000000,
		.arena = arena,
		.error = e};
}

static void expect_legal(
	const struct order_row *row, const struct order_job *job, uint64_t seed)
{
	cr_assert(job->n_alternatives > 0 &&
		  job->n_alternatives <= ORDER_ALTERNATIVES);
	for (uint32_t i = 0; i < job->n_alternatives; i++)
		cr_assert(mp_graph_is_order(
				  job->graph, job->alternatives[i], job->arena),
			"%s, seed %lu: alternative %u is no order", row->name,
			(unsigned long)seed, i);
}

/* auto ends with the order of the input, whatever its peak. */
static bool is_given(const struct order_job *job, uint32_t choice,
	const struct order_row *row)
{
	struct order_job keep =
		job_of(job->graph, job->inplace, job->arena, job->error);

	cr_assert(mp_order_find("keep")->run(&keep, 0));
	return strcmp(row->name, "auto") == 0 && choice > 0 &&
	       choice + 1 == job->n_alternatives &&
	       memcmp(job->alternatives[choice], keep.alternatives[0],
		       sizeof(uint32_t) * job->graph->n_ops) == 0;
}

static void expect_sound(const struct order_row *row,
	const struct order_job *job, uint64_t least, uint64_t seed)
{
	uint64_t peak;

	for (uint32_t i = 0; i < job->n_alternatives; i++) {
		cr_assert(mp_testing_peak(job->graph, job->alternatives[i],
			job->inplace, &peak, job->arena));
		cr_assert_geq(peak, least, "%s, seed %lu: %lu beats %lu",
			row->name, (unsigned long)seed, (unsigned long)peak,
			(unsigned long)least);
		cr_assert(job->found == 0 || job->found == peak ||
				  is_given(job, i, row),
			"%s, seed %lu: alternative %u of %u needs %lu, not %lu",
			row->name, (unsigned long)seed, i, job->n_alternatives,
			(unsigned long)peak, (unsigned long)job->found);
		cr_assert_leq(job->bound.bytes, least,
			"%s, seed %lu: bound %lu above %lu", row->name,
			(unsigned long)seed, (unsigned long)job->bound.bytes,
			(unsigned long)least);
	}
}

static void expect_repeatable(
	const struct order_row *row, const struct order_job *first)
{
	struct order_job again = job_of(
		first->graph, first->inplace, first->arena, first->error);

	cr_assert(row->run(&again, row->variant));
	cr_assert_eq(again.n_alternatives, first->n_alternatives);
	for (uint32_t i = 0; i < first->n_alternatives; i++)
		cr_assert_eq(
			memcmp(again.alternatives[i], first->alternatives[i],
				sizeof(uint32_t) * first->graph->n_ops),
			0);
}

static bool is_never_worse(const struct order_row *row)
{
	static const char *const names[] = {"auto", "portfolio", "search"};

	for (uint32_t i = 0; i < countof(names); i++)
		if (strcmp(row->name, names[i]) == 0)
			return true;
	return false;
}

static void expect_no_worse_than_keep(
	const struct order_row *row, const struct order_job *job, uint64_t seed)
{
	struct order_job keep =
		job_of(job->graph, job->inplace, job->arena, job->error);
	uint64_t kept, peak;

	cr_assert(mp_order_find("keep")->run(&keep, 0));
	cr_assert(mp_testing_peak(job->graph, keep.alternatives[0],
		job->inplace, &kept, job->arena));
	for (uint32_t i = 0; i < job->n_alternatives; i++) {
		cr_assert(mp_testing_peak(job->graph, job->alternatives[i],
			job->inplace, &peak, job->arena));
		cr_assert_leq(peak, kept, "%s, seed %lu: %lu is more than %lu",
			row->name, (unsigned long)seed, (unsigned long)peak,
			(unsigned long)kept);
	}
}

/* With in-place pairs brute force takes longer. */
static bool is_inplace(uint64_t seed)
{
	return seed % 8 == 0;
}

static void choose(uint64_t seed, struct random_traits *traits)
{
	traits->n_ops = is_inplace(seed) ? 6 : 12;
	traits->pinned = seed % 3 == 0;
}

static void try_rows(
	const struct graph *graph, uint64_t seed, struct arena *arena)
{
	bool inplace = is_inplace(seed);
	uint64_t least;

	cr_assert(mp_testing_random_least_peak(graph, inplace, &least, arena));
	for (uint32_t i = 0; i < mp_n_orders; i++) {
		struct arena_mark mark = mp_arena_mark(arena);
		struct order_job job =
			job_of(graph, inplace, arena, arena->error);

		cr_assert(mp_orders[i].run(&job, mp_orders[i].variant));
		expect_legal(&mp_orders[i], &job, seed);
		expect_sound(&mp_orders[i], &job, least, seed);
		if (is_never_worse(&mp_orders[i]))
			expect_no_worse_than_keep(&mp_orders[i], &job, seed);
		if (seed % 16 == 0)
			expect_repeatable(&mp_orders[i], &job);
		mp_arena_rewind(arena, mark);
	}
}

Test(orders, are_legal_repeatable_and_never_below_the_optimum)
{
	cr_assert(mp_testing_each_graph(5000, choose, try_rows));
}

Test(orders, count_the_ops_that_moved)
{
	static const struct {
		uint32_t ops[5], moved;
	} cases[] = {
		{{0, 1, 2, 3, 4}, 0},
		{{4, 0, 1, 2, 3}, 1},
		{{1, 2, 3, 4, 0}, 1},
		{{1, 0, 3, 2, 4}, 2},
		{{4, 3, 2, 1, 0}, 4},
	};
	struct error e = {0};
	struct arena arena = {.error = &e};
	uint32_t moved;

	for (uint32_t i = 0; i < countof(cases); i++) {
		cr_assert(mp_order_moved(cases[i].ops, 5, &moved, &arena));
		cr_assert_eq(moved, cases[i].moved);
	}
	mp_arena_free(&arena);
}

/* Out of memory anywhere is an error that says so, and nothing worse. */
Test(orders, survive_without_memory)
{
	struct error e = {0}, lack;
	struct arena arena = {.error = &e}, small;
	struct random_traits traits = mp_testing_random_all;
	struct graph graph;
	bool fine;

	traits.n_ops = 100;
	graph.n_ops = 0;
	for (uint64_t seed = 0; graph.n_ops < 60; seed++)
		cr_assert(mp_testing_random_graph(
			seed, &traits, &graph, &arena, &e));
	for (uint32_t i = 0; i < mp_n_orders; i++) {
		uint64_t limit = 1;

		do {
			struct order_job job;

			lack = (struct error){0};
			small = (struct arena){.limit = limit, .error = &lack};
			job = job_of(&graph, true, &small, &lack);
			fine = mp_orders[i].run(&job, mp_orders[i].variant);
			cr_assert_eq(fine, lack.code == MEMPLAN_OK);
			cr_assert(fine || lack.code == MEMPLAN_ENOMEM);
			mp_arena_free(&small);
			limit += limit / 4 + 20000;
		} while (!fine);
	}
	mp_arena_free(&arena);
}

/* Interrupted before it began, auto still has an order. */
Test(orders, have_one_when_interrupted)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct graph graph;
	struct order_job job;
	atomic_bool stop = true;

	cr_assert(mp_testing_random_graph(
		3, &mp_testing_random_all, &graph, &arena, &e));
	job = job_of(&graph, true, &arena, &e);
	job.stop = &stop;
	cr_assert(mp_order_find("auto")->run(&job, 0));
	cr_assert(mp_graph_is_order(&graph, job.alternatives[0], &arena));
	mp_arena_free(&arena);
}

/* Where any peak up to a given one will do, that is what comes, and the input's
 * order where it will do itself. */
static void stop_at_a_peak(
	const struct graph *graph, uint64_t seed, struct arena *arena)
{
	const struct order_row *row = mp_order_find("auto");
	struct order_job least, some, keep;
	uint64_t kept, peak;

	(void)seed;
	least = some = keep = job_of(graph, false, arena, arena->error);
	cr_assert(row->run(&least, row->variant));
	cr_assert(mp_order_find("keep")->run(&keep, 0));
	cr_assert(mp_testing_peak(
		graph, keep.alternatives[0], false, &kept, arena));
	some.peak = (least.found + kept) / 2;
	cr_assert(row->run(&some, row->variant));
	cr_assert(mp_testing_peak(
		graph, some.alternatives[0], false, &peak, arena));
	cr_assert_leq(peak, some.peak);
	cr_assert(peak < kept ||
		  memcmp(some.alternatives[0], keep.alternatives[0],
			  sizeof(uint32_t) * graph->n_ops) == 0);
}

Test(orders, stop_at_a_peak)
{
	cr_assert(mp_testing_each_graph(500, choose, stop_at_a_peak));
}
