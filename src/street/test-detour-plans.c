/*
 * Plans within a budget, checked against the graphs that had no copies: the
 * detours are found in the plan again.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memplan/memplan.h"
#include "testing/random.h"

enum {
	GRAPHS = 400, /* unless MEMPLAN_PROBLEMS says ten times another */
	NIGHTLY = 10,
	TEXT = 1 << 16,
};

struct trial {
	uint64_t seed, random;
	uint32_t streams;
	bool pools; /* a small one, and one that takes the rest */
	char text[TEXT], plan[TEXT], words[400];
	size_t length;
};

static void say(struct trial *t, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	t->length += (size_t)vsnprintf(
		t->text + t->length, TEXT - t->length, format, arguments);
	va_end(arguments);
	cr_assert_lt(t->length, TEXT);
}

static uint32_t below(struct trial *t, uint32_t n)
{
	return mp_testing_below(&t->random, n);
}

/* Some graphs have names that several tensors have, or that a budget gives. */
static bool is_misnamed(const struct trial *t)
{
	return t->seed % 4 == 1;
}

static void say_tensor(struct trial *t, const char *id, uint32_t i)
{
	static const char *const names[] = {"y", "y@2", "a1@2", "g0@host"};

	say(t, ",{\"id\":\"%s%u\"", id, i);
	if (is_misnamed(t))
		say(t, ",\"name\":\"%s\"", names[below(t, 4)]);
}

/* An op with a random stream and scratch memory; some have no name. */
static void say_op(struct trial *t, const char *name, uint32_t i)
{
	say(t, ",{\"cost_ms\":%u", 1 + below(t, 9));
	say(t, ",\"stream\":%u", below(t, t->streams));
	if (is_misnamed(t) && below(t, 2) > 0)
		say(t, ",\"type\":\"swap-in\",\"name\":\"swap-in a%u\"", i);
	else if (below(t, 3) > 0)
		say(t, ",\"name\":\"%s%u\"", name, i);
	if (below(t, 3) == 0)
		say(t, ",\"temporaries\":[%u]", 1 + below(t, 300));
}

/* An op without results; some look like a copy out. */
static void say_reader(struct trial *t, uint32_t i)
{
	say(t, ",{\"inputs\":[\"a%u\"]", i);
	if (is_misnamed(t))
		say(t, ",\"type\":\"swap-out\",\"name\":\"swap-out a%u%s\"", i,
			i % 2 ? "@" : "");
	say(t, "}");
}

/* Some graphs have a tensor of a fixed lifetime, which may have a gap. */
static void say_fixed(struct trial *t, uint32_t n_ops)
{
	uint32_t start, end;

	if (below(t, 2) > 0)
		return;
	start = below(t, n_ops);
	end = start + 1 + below(t, n_ops - start);
	say(t, ",{\"name\":\"fixed\",\"size\":%u,\"lifetime\":[%u,%u]",
		1 + below(t, 99), start, end);
	if (end - start > 3)
		say(t, ",\"gaps\":[[%u,%u]]", start + 1, end - 1);
	say(t, "}");
}

static void say_pools(struct trial *t)
{
	const char *chunk = below(t, 3) ? "" : ",\"chunk\":2048";

	say(t,
		"\"pools\":[{\"name\":\"near\",\"capacity\":%u},"
		"{\"name\":\"far\"%s}],",
		64 * (1 + below(t, 24)), chunk);
}

/* A training step: what the forward pass makes rests until the backward pass
 * reads it, the first layer's longest. */
static void make_graph(struct trial *t)
{
	uint32_t n = 3 + below(t, 5);

	t->length = 0;
	t->streams = 1 + (t->seed % 3 == 0);
	t->pools = t->seed % 7 < 3;
	say(t,
		"{\"format\":\"memplan.graph\",\"version\":1,\"alignment\":%u,"
		"\"name\":\"step\",",
		1u << below(t, 6));
	if (t->pools)
		say_pools(t);
	say(t,
		"\"tensors\":[{\"name\":\"x\",\"size\":9,"
		"\"kind\":\"input\",\"external\":%s}",
		below(t, 2) ? "true" : "false");
	for (uint32_t i = 0; i < n; i++) {
		say_tensor(t, "g", i);
		say(t, ",\"size\":%u}", 1 + below(t, 300));
		say_tensor(t, "a", i);
		say(t, ",\"size\":%u}", 200 + below(t, 800));
	}
	for (uint32_t i = 0; i < n; i++) {
		say_tensor(t, "w", i);
		say(t, ",\"kind\":\"output\",\"external\":%s",
			below(t, 2) ? "true" : "false");
		say(t, ",\"size\":%u}", 1 + below(t, 50));
	}
	say_fixed(t, 2 * n + 1);
	say(t, "],\"ops\":[{\"inputs\":[\"x\"],\"outputs\":[\"a0\"]}");
	for (uint32_t i = 1; i < n; i++) {
		say_op(t, "f", i);
		say(t, ",\"inputs\":[\"a%u\"],\"outputs\":[\"a%u\"]}", i - 1,
			i);
	}
	say_op(t, "loss", 0);
	say(t, ",\"inputs\":[\"a%u\"],\"outputs\":[\"g%u\"]}", n - 1, n - 1);
	for (uint32_t i = n; i-- > 0;) {
		say_op(t, "b", i);
		say(t, ",\"inputs\":[\"g%u\",\"a%u\"],\"outputs\":[\"w%u\"", i,
			i, i);
		if (i > 0)
			say(t, ",\"g%u\"],\"inplace\":[[\"g%u\",\"g%u\"]",
				i - 1, i - 1, i);
		say(t, "]}");
		if (below(t, 4) == 0)
			say_reader(t, below(t, n));
	}
	say(t, "]}");
}

static memplan *read(const char *name, const char *text)
{
	memplan *m = memplan_new();

	memplan_input(m, "graph", name, text, strlen(text));
	return m;
}

static void write_plan(struct trial *t, memplan *m)
{
	const void *bytes;
	size_t length;

	cr_assert_eq(memplan_write(m, "plan", &bytes, &length), MEMPLAN_OK);
	cr_assert_lt(length, TEXT);
	memcpy(t->plan, bytes, length);
	t->plan[length] = '\0';
}

static bool plan_within(struct trial *t, uint64_t budget)
{
	static const char *const modes[] = {"sync", "semi", "async", "none"};
	static const char *const orders[] = {"keep", "dfs", "auto"};
	char number[24];
	memplan *m = read("step", t->text);
	enum memplan_status status;

	snprintf(number, sizeof(number), "%llu", (unsigned long long)budget);
	memplan_set(m, "budget", number);
	memplan_set(m, "copy-mode", modes[t->seed / 4 % 4]);
	memplan_set(m, "recompute", t->seed % 4 == 3 ? "on" : "off");
	memplan_set(m, "order", orders[t->seed % 5 % 3]);
	memplan_set(m, "steps", "2000");
	status = memplan_plan(m);
	if (status == MEMPLAN_OK)
		write_plan(t, m);
	memplan_free(m);
	return status == MEMPLAN_OK;
}

static enum memplan_status check(struct trial *t)
{
	memplan *graph = read("step", t->text), *plan = read("plan", t->plan);
	enum memplan_status status = memplan_check_against(graph, plan);

	snprintf(t->words, sizeof(t->words), "%s", memplan_error(graph));
	memplan_free(graph);
	memplan_free(plan);
	return status;
}

static uint32_t count(const char *text, const char *word)
{
	uint32_t n = 0;

	for (; (text = strstr(text, word)); n++)
		text += strlen(word);
	return n;
}

/* An op that reads a tensor's first version where it read a later one. */
static bool read_older(struct trial *t)
{
	char *at = strstr(t->plan, "\"ops\": [\n"), *end;

	while ((at = strstr(at, "\"inputs\": ["))) {
		end = strchr(at, ']');
		at = strstr(at, "@2\"");
		if (at && at < end) {
			memmove(at, at + 2, strlen(at + 2) + 1);
			return true;
		}
		at = end;
	}
	return false;
}

struct tally {
	uint32_t planned, pools, copied, again, older;
};

static void expect_own(struct trial *t, struct tally *tally)
{
	cr_assert_eq(check(t), MEMPLAN_OK, "seed %llu: %s\n%s\n%s",
		(unsigned long long)t->seed, t->words, t->text, t->plan);
	tally->planned++;
	tally->pools += t->pools;
	tally->copied += count(t->plan, "\"type\": \"swap-in\"");
	tally->again += count(t->plan, "\"type\": \"recompute\"");
	if (!read_older(t))
		return;
	tally->older++;
	cr_assert_eq(check(t), MEMPLAN_NO, "seed %llu: %s\n%s",
		(unsigned long long)t->seed, t->text, t->plan);
}

Test(detour_plans, are_of_their_graph, .timeout = 3000)
{
	static struct trial t;
	struct tally tally = {0};
	uint64_t n = mp_testing_cases(GRAPHS, NIGHTLY);
	uint64_t first = mp_testing_first();

	for (t.seed = first; t.seed < first + n; t.seed++) {
		memplan *m;
		uint64_t arena = 0;

		t.random = t.seed;
		make_graph(&t);
		m = read("step", t.text);
		cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s\n%s",
			memplan_error(m), t.text);
		memplan_number(m, "arena_size", &arena);
		memplan_free(m);
		for (uint32_t tenths = 6; tenths < 10; tenths++)
			if (plan_within(&t, arena * tenths / 10))
				expect_own(&t, &tally);
	}
	cr_assert_gt(tally.planned, n, "%u", tally.planned);
	cr_assert_gt(tally.pools, n / 4, "%u", tally.pools);
	cr_assert_gt(tally.copied, n, "%u", tally.copied);
	cr_assert_gt(tally.again, n / 2, "%u", tally.again);
	cr_assert_gt(tally.older, n / 2, "%u", tally.older);
}

/* ---------------------------------------------------------- targets */

enum {
	WIRES = 16,
	LAYERS = 8,
	MOST_TEXT = 1 << 16 /* of a result */
};

/* Each op reads two wires and writes both anew: what is alive is hard to pack.
 */
static void make_network(struct trial *t)
{
	t->length = 0;
	say(t, "{\"format\":\"memplan.graph\",\"version\":1,\"alignment\":1,"
	       "\"name\":\"network\",\"tensors\":[");
	for (uint32_t i = 0; i < WIRES * (LAYERS + 1); i++)
		say(t, "%s{\"id\":%u,\"size\":%u}", i ? "," : "", i,
			1 + below(t, 40));
	say(t, "],\"ops\":[");
	for (uint32_t i = 0; i < WIRES; i++)
		say(t, "%s{\"outputs\":[%u]}", i ? "," : "", i);
	for (uint32_t i = 0; i < WIRES * LAYERS; i++) {
		uint32_t other = i ^ (1u << i / WIRES % 4);

		if (i < other)
			say(t, ",{\"inputs\":[%u,%u],\"outputs\":[%u,%u]}", i,
				other, i + WIRES, other + WIRES);
	}
	say(t, "]}");
}

static const char STEPS[] = "400000";

/* Of a plan within a budget; 0: of any. */
struct seen {
	uint64_t arena, load, nanoseconds;
};

static uint64_t number_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static struct seen see(
	const struct trial *t, uint64_t budget, const char *steps)
{
	memplan *m = read("network", t->text);
	struct seen seen = {0};
	char number[24], text[MOST_TEXT];
	const void *bytes;
	size_t length;

	snprintf(number, sizeof(number), "%llu", (unsigned long long)budget);
	if (budget > 0)
		memplan_set(m, "budget", number);
	memplan_set(m, "steps", steps);
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert_eq(memplan_write(m, "result", &bytes, &length), MEMPLAN_OK);
	cr_assert_lt(length, sizeof(text));
	memcpy(text, bytes, length);
	text[length] = '\0';
	seen.arena = number_of(text, "\"arena_size\": ");
	seen.load = number_of(text, "\"theoretical_min\": ");
	seen.nanoseconds = number_of(text, "\"run_nanoseconds\": ");
	memplan_free(m);
	return seen;
}

/* No plan of these is as small as its loads: a lower load is asked for, but not
 * one that is much lower than it has to be. */
Test(detour_plans, take_less_time_with_more_room, .timeout = 300)
{
	static struct trial t;
	uint64_t budgets = 0, loads = 0;

	for (t.seed = 1; t.seed <= 4; t.seed++) {
		uint64_t last = UINT64_MAX;
		struct seen all, now;

		t.random = t.seed;
		make_network(&t);
		all = see(&t, 0, STEPS);
		for (uint32_t parts = 20; parts < 32; parts += 3) {
			uint64_t budget = all.load * parts / 32;

			now = see(&t, budget, STEPS);
			cr_assert_leq(now.arena, budget);
			cr_assert_lt(now.nanoseconds, last);
			last = now.nanoseconds;
			budgets += budget;
			loads += now.load;
		}
		now = see(&t, all.arena, STEPS);
		cr_assert_leq(now.arena, all.arena);
		cr_assert_eq(now.nanoseconds, 0);
	}
	cr_assert_lt(loads * 100, budgets * 98, "%llu of %llu",
		(unsigned long long)loads, (unsigned long long)budgets);
	cr_assert_gt(loads * 100, budgets * 96, "%llu of %llu",
		(unsigned long long)loads, (unsigned long long)budgets);
}

Test(detour_plans, take_no_more_time_with_many_more_steps, .timeout = 300)
{
	static struct trial t = {.seed = 3, .random = 3};
	struct seen few, many;
	uint64_t budget;

	make_network(&t);
	budget = see(&t, 0, STEPS).load * 29 / 32;
	few = see(&t, budget, STEPS);
	many = see(&t, budget, "9223372036854775808");
	cr_assert_gt(many.nanoseconds, 0);
	cr_assert_leq(many.nanoseconds, few.nanoseconds);
}

struct calls {
	memplan *m;
	bool interrupts; /* at the first choice */
	uint32_t n;
};

static void count_call(
	void *context, const struct memplan_progress *progress, size_t size)
{
	struct calls *calls = context;

	cr_assert_geq(size, sizeof(progress->phase));
	if (strcmp(progress->phase, "choosing what to copy") != 0)
		return;
	calls->n++;
	if (calls->interrupts)
		memplan_interrupt(calls->m);
}

static uint32_t count_calls(const struct trial *t, bool interrupts)
{
	struct calls calls = {read("network", t->text), interrupts, 0};
	enum memplan_status status;

	memplan_set(calls.m, "budget", "350");
	memplan_set(calls.m, "steps", STEPS);
	memplan_on_progress(calls.m, count_call, &calls);
	status = memplan_plan(calls.m);
	cr_assert(status == MEMPLAN_OK ||
		  (interrupts && status == MEMPLAN_EBUDGET));
	memplan_free(calls.m);
	return calls.n;
}

/* Then neither a choice nor the number of plans gets better. */
Test(detour_plans, are_chosen_soon_when_interrupted, .timeout = 300)
{
	static struct trial t = {.seed = 3, .random = 3};

	make_network(&t);
	cr_assert_lt(10 * count_calls(&t, true), count_calls(&t, false));
}
