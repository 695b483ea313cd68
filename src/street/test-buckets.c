/*
 * Buckets: random graphs with everything at once, each in several sizes, with
 * one table. Each size is played in every interleaving at the places of the
 * table. The table is no larger than that of one graph that has the largest
 * size of each tensor.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memplan/memplan.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "testing/player.h"
#include "testing/random.h"

enum {
	CASES = 2500, /* unless MEMPLAN_PROBLEMS says ten times another */
	NIGHTLY = 10,
	MOST = 3, /* buckets of a plan */
};

struct sized {
	struct play play;
	char text[PLAY_JSON];
	memplan *m;
};

struct trial {
	uint64_t seed, random;
	uint32_t n;
	struct sized buckets[MOST], widest;
	memplan *whole;
	enum memplan_status status;
};

/* ------------------------------------------------------------- make */

/* What lies in others, or beside others, keeps its size. */
static bool may_shrink(const struct play *play, uint32_t t)
{
	const struct play_tensor *tensor = &play->tensors[t];

	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (play->tensors[i].of == t)
			return false;
	return tensor->of == NONE && tensor->group == NONE &&
	       tensor->pause == tensor->resume && tensor->size > 0;
}

static void make_bucket(struct trial *t, struct play *play)
{
	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (may_shrink(play, i) && mp_testing_one_in(&t->random, 2))
			play->tensors[i].size = mp_testing_below(
				&t->random, play->tensors[i].size + 1);
	for (uint32_t i = 0; i < play->n_ops; i++)
		if (mp_testing_one_in(&t->random, 8))
			play->ops[i].taker = play->ops[i].given = NONE;
}

/* On several streams, and with the option, pairs are of one size. */
static bool has_pair(
	const struct play *play, const struct play_op *op, bool equal)
{
	if (op->taker == NONE || (play->n_streams <= 1 && !equal))
		return op->taker != NONE;
	return num_up(play->tensors[op->taker].size, play->alignment) ==
	       num_up(play->tensors[op->given].size, play->alignment);
}

static void widen(struct play *widest, const struct play *play, bool equal)
{
	for (uint32_t i = 0; i < play->n_tensors; i++)
		widest->tensors[i].size =
			num_max(widest->tensors[i].size, play->tensors[i].size);
	for (uint32_t i = 0; i < play->n_ops; i++)
		if (!has_pair(play, &play->ops[i], equal))
			widest->ops[i].taker = widest->ops[i].given = NONE;
}

static const char *const inplace[] = {"on", "off", "equal"};

static memplan *new_handle(const struct trial *t)
{
	memplan *m = memplan_new();

	memplan_set(m, "steps", "1000");
	memplan_set(m, "inplace", inplace[t->seed % 3]);
	return m;
}

static void read(const struct trial *t, struct sized *sized)
{
	mp_testing_player_print(&sized->play, sized->text);
	sized->m = new_handle(t);
	memplan_input(
		sized->m, "graph", "g.json", sized->text, strlen(sized->text));
	cr_assert_eq(memplan_read(sized->m), MEMPLAN_OK, "seed %llu: %s\n%s",
		(unsigned long long)t->seed, memplan_error(sized->m),
		sized->text);
}

static void make(struct trial *t, uint64_t seed)
{
	struct play *play = &t->buckets[0].play;

	t->seed = t->random = seed;
	t->n = 2 + mp_testing_below(&t->random, MOST - 1);
	mp_testing_player_random(play, seed);
	if (mp_testing_one_in(&t->random, 2))
		mp_testing_player_add_pools(play, seed);
	for (uint32_t i = 1; i < t->n; i++)
		t->buckets[i].play = *play;
	for (uint32_t i = 0; i < t->n; i++)
		make_bucket(t, &t->buckets[i].play);
	t->widest.play = *play;
	for (uint32_t i = 0; i < t->n; i++)
		widen(&t->widest.play, &t->buckets[i].play,
			strcmp(inplace[seed % 3], "equal") == 0);
	for (uint32_t i = 0; i < t->n; i++)
		read(t, &t->buckets[i]);
	read(t, &t->widest);
}

static memplan *join(const struct trial *t)
{
	memplan *m = new_handle(t);
	char name[16];

	memplan_set(m, "together", "buckets");
	for (uint32_t i = 0; i < t->n; i++) {
		snprintf(name, sizeof(name), ".%u", i);
		cr_assert_eq(memplan_join(m, t->buckets[i].m, name), MEMPLAN_OK,
			"%s", memplan_error(m));
	}
	return m;
}

/* False: a memory is too small for what may lie there only. */
static bool plan(struct trial *t)
{
	t->whole = join(t);
	t->status = memplan_plan(t->whole);
	if (t->widest.play.tight &&
		(t->status == MEMPLAN_NO || t->status == MEMPLAN_EBUDGET))
		return false;
	cr_assert_eq(t->status, MEMPLAN_OK, "seed %llu: %s\n%s",
		(unsigned long long)t->seed, memplan_error(t->whole),
		t->widest.text);
	return true;
}

static void release(struct trial *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		memplan_free(t->buckets[i].m);
	memplan_free(t->widest.m);
	memplan_free(t->whole);
}

/* ----------------------------------------------------------- expect */

static void expect_plays(struct trial *t)
{
	struct play *widest = &t->widest.play;

	cr_assert(mp_testing_player_take(widest, t->whole), "seed %llu: %s",
		(unsigned long long)t->seed, widest->complaint);
	for (uint32_t k = 0; k < t->n; k++) {
		struct play *play = &t->buckets[k].play;

		for (uint32_t i = 0; i < play->n_tensors; i++) {
			play->tensors[i].offset = widest->tensors[i].offset;
			play->tensors[i].space = widest->tensors[i].space;
		}
		memcpy(play->order, widest->order, sizeof(play->order));
		memcpy(play->spaces, widest->spaces, sizeof(play->spaces));
		play->n_spaces = widest->n_spaces;
		play->arena_size = widest->arena_size;
		cr_assert(mp_testing_player_run(play), "seed %llu: %s\n%s",
			(unsigned long long)t->seed, play->complaint,
			t->buckets[k].text);
	}
}

static void expect_no_larger(struct trial *t)
{
	uint64_t whole = 0, widest = 0;

	memplan_number(t->whole, "arena_size", &whole);
	cr_assert_eq(memplan_plan(t->widest.m), MEMPLAN_OK);
	memplan_number(t->widest.m, "arena_size", &widest);
	cr_assert_eq(whole, widest, "seed %llu: %llu, alone %llu",
		(unsigned long long)t->seed, (unsigned long long)whole,
		(unsigned long long)widest);
}

static memplan *read_plan(const char *text, size_t length)
{
	memplan *m = memplan_new();

	memplan_input(m, "graph", "plan.json", text, length);
	return m;
}

/* Each size of the graph by itself, and all of them. */
static void expect_checked(struct trial *t)
{
	const void *bytes;
	size_t length;
	memplan *plan, *all;

	cr_assert_eq(
		memplan_write(t->whole, "plan", &bytes, &length), MEMPLAN_OK);
	plan = read_plan(bytes, length);
	for (uint32_t k = 0; k < t->n; k++)
		cr_assert_eq(memplan_check_against(t->buckets[k].m, plan),
			MEMPLAN_OK, "seed %llu: %s\n%s%.*s",
			(unsigned long long)t->seed,
			memplan_error(t->buckets[k].m), t->buckets[k].text,
			(int)length, (const char *)bytes);
	for (uint32_t k = 0; k < t->n; k++) {
		memplan_free(t->buckets[k].m);
		read(t, &t->buckets[k]);
	}
	all = join(t);
	cr_assert_eq(memplan_check_against(all, plan), MEMPLAN_OK,
		"seed %llu: %s\n%s", (unsigned long long)t->seed,
		memplan_error(all), t->widest.text);
	memplan_free(all);
	memplan_free(plan);
}

static void check_all(void (*expect)(struct trial *t))
{
	static struct trial t;
	uint64_t first = mp_testing_first();
	uint64_t n = mp_testing_cases(CASES, NIGHTLY), planned = 0;

	for (uint64_t seed = first; seed < first + n; seed++) {
		make(&t, seed);
		if (plan(&t)) {
			expect(&t);
			planned++;
		}
		release(&t);
	}
	cr_assert_gt(planned, n * 3 / 4);
}

Test(buckets, run_with_one_table_in_every_interleaving, .timeout = 3000)
{
	check_all(expect_plays);
}

Test(buckets, take_what_the_largest_sizes_take, .timeout = 3000)
{
	check_all(expect_no_larger);
}

Test(buckets, are_checked_one_by_one_and_together, .timeout = 3000)
{
	check_all(expect_checked);
}

#define GRAPH(first, second)                                                   \
	"{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"g\","          \
	"\"alignment\":1,\"tensors\":[{\"name\":\"a\",\"size\":" first         \
	"},{\"name\":\"b\",\"size\":" second                                   \
	"}],\"ops\":[{\"outputs\":[\"a\"]},{\"inputs\":[\"a\"],\"outputs\":"   \
	"[\"b\"]}]}"

/* A plan of a bucket, with the second tensor at that offset. */
#define PLAN(b)                                                                \
	"{\"format\":\"memplan.plan\",\"version\":1,\"alignment\":1,"          \
	"\"buckets\":[{\"name\":\"0\",\"arena_size_alone\":0}],"               \
	"\"tensors\":[{\"id\":0,\"name\":\"a\",\"offset\":0,\"size\":8,"       \
	"\"start\":0,"                                                         \
	"\"end\":2},{\"id\":1,\"name\":\"b\",\"offset\":" b                    \
	",\"size\":8,\"start\":1,\"end\":2}],\"order\":{\"name\":\"keep\","    \
	"\"ops\":[0,1]},\"ops\":[{\"name\":\"\",\"outputs\":[0]},"             \
	"{\"name\":\"\",\"inputs\":[0],\"outputs\":[1]}]}"

static void expect_answer(const char *graph, const char *text,
	enum memplan_status status, const char *words)
{
	memplan *plan = read_plan(text, strlen(text)), *m = memplan_new();

	memplan_input(m, "graph", "g.json", graph, strlen(graph));
	cr_assert_eq(memplan_check_against(m, plan), status, "%s%s",
		memplan_error(m), memplan_error(plan));
	cr_assert(strstr(memplan_error(m), words), "%s", memplan_error(m));
	memplan_free(plan);
	memplan_free(m);
}

Test(buckets, a_size_that_does_not_fit_its_place_is_told)
{
	expect_answer(GRAPH("4", "8"), PLAN("4"), MEMPLAN_OK, "");
	expect_answer(GRAPH("8", "2"), PLAN("8"), MEMPLAN_OK, "");
	expect_answer(GRAPH("5", "8"), PLAN("4"), MEMPLAN_NO,
		"tensors 'a' and 'b' overlap");
	expect_answer(GRAPH("8", "9"), PLAN("8"), MEMPLAN_NO,
		"tensor 'b' has 8 bytes, in the graph 9");
}

/* Both graphs, joined. */
static memplan *join_two(const char *const *texts, memplan **parts)
{
	memplan *m = memplan_new();

	memplan_set(m, "together", "buckets");
	for (uint32_t i = 0; i < 2; i++) {
		parts[i] = memplan_new();
		memplan_input(parts[i], "graph", "g.json", texts[i],
			strlen(texts[i]));
		cr_assert_eq(memplan_read(parts[i]), MEMPLAN_OK, "%s",
			memplan_error(parts[i]));
		memplan_join(m, parts[i], i ? ".1" : ".0");
	}
	return m;
}

static void free_two(memplan *m, memplan **parts)
{
	memplan_free(m);
	memplan_free(parts[0]);
	memplan_free(parts[1]);
}

/* What the plan of both, with `said` of the first in place of its 12 bytes
 * alone, is called: checked with both, or by itself. */
static void expect_alone(const char *said, bool whole,
	enum memplan_status status, const char *words)
{
	static const char *const texts[] = {GRAPH("4", "8"), GRAPH("8", "2")};
	memplan *parts[2], *m = join_two(texts, parts), *plan;
	const void *bytes;
	char text[4096], *at;
	size_t length;

	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert_eq(memplan_write(m, "plan", &bytes, &length), MEMPLAN_OK);
	cr_assert_lt(length, sizeof(text));
	memcpy(text, bytes, length);
	text[length] = '\0';
	free_two(m, parts);
	at = strstr(text, "\"arena_size_alone\": 12}");
	cr_assert(at, "%s", text);
	memcpy(at + strlen("\"arena_size_alone\": "), said, strlen(said));
	plan = read_plan(text, length);
	m = join_two(texts, parts);
	cr_assert_eq(
		whole ? memplan_check_against(m, plan) : memplan_check(plan),
		status, "%s: %s%s", said, memplan_error(m),
		memplan_error(plan));
	if (status == MEMPLAN_OK) {
		memplan_write(whole ? m : plan, "verdict", &bytes, &length);
		cr_assert(strstr(bytes, words), "%s: %s", said,
			(const char *)bytes);
	} else {
		cr_assert(strstr(memplan_error(whole ? m : plan), words),
			"%s: %s", said, memplan_error(whole ? m : plan));
	}
	memplan_free(plan);
	free_two(m, parts);
}

Test(buckets, what_each_takes_alone_is_refuted_or_a_claim)
{
	expect_alone("12", true, MEMPLAN_OK,
		"0 alone: 12 bytes, claimed, at least 12 bytes\n"
		"  bucket 1 alone: 10 bytes, derived again\n");
	expect_alone("13", true, MEMPLAN_OK,
		"alone: 13 bytes, claimed, at least 12 bytes");
	expect_alone("11", true, MEMPLAN_NO,
		"/buckets/0/arena_size_alone: claims 11, the graph takes 12");
	expect_alone("17", true, MEMPLAN_NO, "claims 17, yet the table takes");
	expect_alone("11", false, MEMPLAN_OK, "0 alone: 11 bytes, claimed\n");
	expect_alone("17", false, MEMPLAN_NO, "claims 17, yet the table takes");
}

/* Three ops, of which two wait for none. */
#define FORK(x, a, b, c)                                                       \
	"{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"g\","          \
	"\"alignment\":1,\"tensors\":[{\"name\":\"x\",\"kind\":\"input\","     \
	"\"size\":" x "},{\"name\":\"a\",\"size\":" a                          \
	"},{\"name\":\"b\",\"size\":" b "},{\"name\":\"c\",\"size\":" c        \
	"}],\"ops\":[{\"inputs\":[\"x\"],\"outputs\":[\"a\"]},"                \
	"{\"inputs\":[\"x\"],\"outputs\":[\"b\"]},"                            \
	"{\"inputs\":[\"x\",\"a\"],\"outputs\":[\"c\"]}]}"

/* The order of the input is the best for both together, and not for the second
 * alone: that plan says "auto", which is no order that the second has too. */
Test(buckets, may_have_orders_of_their_own_alone)
{
	static const char *const texts[] = {
		FORK("4", "2", "4", "4"), FORK("2", "3", "4", "2")};
	memplan *parts[2], *m = join_two(texts, parts), *plan;
	const void *bytes;
	size_t length;

	memplan_set(m, "order", "auto");
	for (uint32_t i = 0; i < 2; i++)
		memplan_set(parts[i], "order", "auto");
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert_str_eq(memplan_text(m, "order"), "auto");
	cr_assert_eq(memplan_write(m, "plan", &bytes, &length), MEMPLAN_OK);
	cr_assert(strstr(bytes, "\"arena_size_alone\": 7}"), "%s",
		(const char *)bytes);
	plan = read_plan(bytes, length);
	cr_assert_eq(memplan_read(plan), MEMPLAN_OK);
	free_two(m, parts);
	m = join_two(texts, parts);
	cr_assert_eq(memplan_check_against(m, plan), MEMPLAN_OK, "%s",
		memplan_error(m));
	memplan_free(plan);
	free_two(m, parts);
}

/* A check that knows the file alone could not tell that the second had another
 * order. */
Test(buckets, keep_the_order_alone_too_where_all_keep_it)
{
	static const char *const texts[] = {
		FORK("4", "2", "4", "4"), FORK("2", "3", "4", "2")};
	memplan *parts[2], *m = join_two(texts, parts);

	memplan_set(parts[1], "order", "auto");
	cr_assert_eq(memplan_plan(m), MEMPLAN_EUSAGE);
	cr_assert(strstr(memplan_error(m), "bucket '1': planned in the order"),
		"%s", memplan_error(m));
	memplan_set(parts[1], "order", "keep");
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	free_two(m, parts);
}

static void expect_refused(
	const char *one, const char *other, const char *words)
{
	const char *texts[] = {one, other};
	memplan *parts[2], *m = join_two(texts, parts);

	cr_assert_eq(memplan_plan(m), MEMPLAN_EINPUT);
	cr_assert(strstr(memplan_error(m), words), "%s", memplan_error(m));
	free_two(m, parts);
}

#define TENSORS(rest)                                                          \
	"{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"g\","          \
	"\"tensors\":[" rest "}"

#define BANKS(n) "{\"name\":\"s\",\"banks\":{\"size\":64,\"count\":" n "}}"

Test(buckets, graphs_that_no_table_serves_are_refused)
{
	expect_refused(GRAPH("4", "8"), PLAN("8"), "a plan cannot be a bucket");
	expect_refused(TENSORS("{\"name\":\"a\",\"size\":1,\"kind\":\"input\"}]"
			       ",\"ops\":[{}]"),
		TENSORS("{\"name\":\"b\",\"size\":1,\"kind\":\"input\"}],"
			"\"ops\":[{}]"),
		"tensor 'b' is not as in g.json at 0");
	expect_refused(TENSORS("],\"ops\":[{}]"), TENSORS("],\"ops\":[{},{}]"),
		"its ops are not as in g.json at 0");
	expect_refused(TENSORS("],\"pools\":[" BANKS("2") "],\"ops\":[{}]"),
		TENSORS("],\"pools\":[" BANKS("4") "],\"ops\":[{}]"),
		"its pools are not as in g.json at 0");
	expect_refused(TENSORS("{\"name\":\"a\",\"size\":8,\"kind\":\"input\"},"
			       "{\"name\":\"b\","
			       "\"size\":2,\"alias\":{\"of\":\"a\","
			       "\"offset\":4}}],\"ops\":[{\"inputs\":[\"a\"],"
			       "\"outputs\":[\"b\"]}]"),
		TENSORS("{\"name\":\"a\",\"size\":4,\"kind\":\"input\"},{"
			"\"name\":\"b\","
			"\"size\":1,\"alias\":{\"of\":\"a\","
			"\"offset\":2}}],\"ops\":[{\"inputs\":[\"a\"],"
			"\"outputs\":[\"b\"]}]"),
		"its aliases, or their offsets, are not as in");
}
