/*
 * Proofs of bounds on the orders of random graphs, as paths and as sets of ops:
 * each is replayed and holds against brute force. None says more than is true
 * with a line left out or a number changed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order/order.h"
#include "problem/schedule.h"
#include "proof/proof.h"
#include "testing/random-graph.h"
#include "testing/random.h"

enum {
	LONGEST = 1 << 16,
};

struct trial {
	struct arena arena;
	struct error error;
	struct graph graph;
	struct schedule schedule;
	struct sink proof;
	uint64_t least; /* by brute force */
};

/* Every second bound is proved as if a search had found it. */
static void prove_it(struct trial *t, uint64_t seed)
{
	struct random_traits traits = mp_testing_random_all;
	const struct order_row *row = mp_order_find("search");
	bool inplace = seed % 3 == 0;
	struct order_job job = {.graph = &t->graph,
		.inplace = inplace,
		.steps = 100000,
		.arena = &t->arena,
		.error = &t->error};

	memset(t, 0, sizeof(*t));
	t->arena.error = t->proof.error = &t->error;
	traits.pinned = false;
	traits.n_ops = inplace ? 7 : 10;
	traits.apart = inplace && seed % 4 < 2;
	cr_assert(mp_testing_random_graph(
		seed, &traits, &t->graph, &t->arena, &t->error));
	cr_assert(row->run(&job, row->variant));
	cr_assert(mp_testing_random_least_peak(
		&t->graph, inplace, &t->least, &t->arena));
	t->schedule =
		(struct schedule){.graph = &t->graph, .order_bound = job.bound};
	t->schedule.order_bound.inplace = inplace;
	if (seed % 2 == 0)
		t->schedule.order_bound.ops.n = 0;
	mp_sink_write(&t->proof, "memplan.proof 1\n", 16);
	mp_proof_write_order(&t->schedule, &t->proof, &t->arena);
	mp_sink_write(&t->proof, "", 1);
	cr_assert_eq(t->error.code, MEMPLAN_OK, "%s", t->error.text);
}

/* The bound that a text proves of the trial's graph; 0: none. */
static uint64_t proved_by(struct trial *t, const char *text)
{
	uint64_t bound = 0;

	t->error = (struct error){0};
	if (!mp_proof_check_order(&t->graph, t->schedule.order_bound.inplace,
		    "net.proof", text, strlen(text), &bound, &t->arena))
		cr_assert(t->error.code == MEMPLAN_NO ||
				  t->error.code == MEMPLAN_EINPUT,
			"%s", t->error.text);
	return bound;
}

static void end_trial(struct trial *t)
{
	mp_sink_free(&t->proof);
	mp_arena_free(&t->arena);
}

Test(order_proof, of_random_graphs)
{
	uint64_t n = mp_testing_cases(400, 1), sets = 0;

	for (uint64_t seed = 0; seed < n; seed++) {
		struct trial t;

		prove_it(&t, seed);
		cr_assert_leq(t.schedule.order_bound.bytes, t.least);
		cr_assert_eq(proved_by(&t, t.proof.bytes),
			t.schedule.order_bound.bytes, "%llu: %s\n%s",
			(unsigned long long)seed, t.error.text, t.proof.bytes);
		sets += strstr(t.proof.bytes, "\nsets\n") != NULL;
		end_trial(&t);
	}
	cr_assert_gt(sets, n / 3);
}

/* Leaves out the line there. Returns the text behind it. */
static const char *drop_line(const char *text, const char *at, char *to)
{
	const char *end = strchr(at, '\n') + 1;

	memcpy(to, text, (size_t)(at - text));
	strcpy(to + (at - text), end);
	return end;
}

/* The problem has to be that of the graph. */
Test(order_proof, without_any_line)
{
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct trial t;
		char changed[LONGEST];
		const char *bound, *at;

		prove_it(&t, seed);
		cr_assert_lt(t.proof.length, sizeof(changed));
		bound = strstr(t.proof.bytes, "\nbound ");
		for (at = t.proof.bytes + 16; *at != '\0';) {
			bool is_body = at > bound + 1;

			at = drop_line(t.proof.bytes, at, changed);
			cr_assert_leq(proved_by(&t, changed),
				is_body ? t.least : 0, "%llu: %s",
				(unsigned long long)seed, changed);
		}
		end_trial(&t);
	}
}

/* Of a bound that does not hold, nothing is written but a warning. */
Test(order_proof, of_more_than_is_true)
{
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct trial t;

		prove_it(&t, seed);
		cr_assert_eq(t.error.n_warnings, 0);
		t.proof.length = 0;
		t.schedule.order_bound.bytes = t.least + 1;
		mp_proof_write_order(&t.schedule, &t.proof, &t.arena);
		cr_assert_eq(t.proof.length, 0);
		cr_assert_eq(t.error.n_warnings, 1);
		cr_assert(strstr(t.error.warnings[0], "no bound on all orders"),
			"%s", t.error.warnings[0]);
		end_trial(&t);
	}
}

/* The body's numbers, one after the other, one greater or a minus. */
Test(order_proof, with_other_numbers)
{
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct trial t;
		char changed[LONGEST], *at;

		prove_it(&t, seed);
		cr_assert_lt(t.proof.length, sizeof(changed));
		memcpy(changed, t.proof.bytes, t.proof.length);
		at = strstr(changed, "\nbound ");
		for (; at && *at != '\0'; at++) {
			char was = *at;

			if (was < '0' || was > '8')
				continue;
			++*at;
			cr_assert_leq(proved_by(&t, changed), t.least);
			*at = '-';
			cr_assert_leq(proved_by(&t, changed), t.least);
			*at = was;
		}
		end_trial(&t);
	}
}

/* Writes a proof with a text in place of another one. False: it has none. */
static bool replace(
	const struct trial *t, const char *old, const char *new, char *to)
{
	const char *at = strstr(t->proof.bytes, old);

	if (!at)
		return false;
	cr_assert_lt(t->proof.length + strlen(new), LONGEST);
	memcpy(to, t->proof.bytes, (size_t)(at - t->proof.bytes));
	strcpy(to + (at - t->proof.bytes), new);
	strcat(to, at + strlen(old));
	return true;
}

/* What says the same in other words is refused, as by the other checkers. */
Test(order_proof, in_other_words)
{
	static const struct {
		const char *old, *new;
	} texts[] = {{"\nsets\n", "\nsets\nafter 0\n"},
		{"\nsets\n", "\nsets\ngroup 0\n"}, {"\nsets\n", "\nsets \n"},
		{"memplan", "\nmemplan"}, {"\norder ", "\n\t\norder "},
		{"\norder ", "\n\x80\norder "}, {"\nbound ", "\nbound -"},
		{"\nbound ", "\nbound 00000000000000000000"},
		{"\nmember ", "\nmember -"}, {"\npath ", "\npath 0\npath "}};
	uint64_t n[sizeof(texts) / sizeof(*texts)] = {0};

	for (uint64_t seed = 0; seed < 60; seed++) {
		struct trial t;
		char changed[LONGEST];

		prove_it(&t, seed);
		for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
			if (!replace(&t, texts[i].old, texts[i].new, changed))
				continue;
			n[i]++;
			cr_assert_eq(proved_by(&t, changed), 0, "%s", changed);
		}
		end_trial(&t);
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		cr_assert_gt(n[i], 0, "%s", texts[i].old);
}

/* The paths of an op once, in a list that has it twice. */
Test(order_proof, with_an_op_twice)
{
	uint64_t n = 0;

	for (uint64_t seed = 0; seed < 60; seed++) {
		struct trial t;
		char changed[LONGEST], once[32], twice[48];
		const char *at;

		prove_it(&t, seed);
		at = strstr(t.proof.bytes, "\nlast ");
		if (at) {
			unsigned long op = strtoul(at + 6, NULL, 10);

			snprintf(once, sizeof(once), "\nlast %lu", op);
			snprintf(
				twice, sizeof(twice), "\nlast %lu %lu", op, op);
			cr_assert(replace(&t, once, twice, changed));
			cr_assert_eq(proved_by(&t, changed), 0, "%s", changed);
			n++;
		}
		end_trial(&t);
	}
	cr_assert_gt(n, 0);
}

Test(order_proof, of_another_graph)
{
	struct trial a, b;

	prove_it(&a, 1);
	prove_it(&b, 5);
	cr_assert_eq(proved_by(&a, b.proof.bytes), 0);
	cr_assert_eq(a.error.code, MEMPLAN_NO);
	cr_assert_eq(proved_by(&a, "memplan.proof 1\n"), 0);
	cr_assert_eq(a.error.code, MEMPLAN_OK);
	cr_assert_eq(proved_by(&a, "memplan.proof 1\norder 1\n"), 0);
	cr_assert_eq(a.error.code, MEMPLAN_NO);
	cr_assert_eq(proved_by(&a, "memplan.proof 1\norder "), 0);
	cr_assert_eq(a.error.code, MEMPLAN_EINPUT);
	end_trial(&a);
	end_trial(&b);
}
