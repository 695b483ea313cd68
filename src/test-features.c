/*
 * Random graphs with everything at once, through the readers, the planners and
 * the emitters, and played in every interleaving.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memplan/memplan.h"
#include "handle.h"
#include "play.h"
#include "prng.h"

enum {
	GRAPHS = 2000, /* unless MEMPLAN_PROBLEMS says ten times another */
	NIGHTLY = 10,
};

static uint64_t n_graphs(void)
{
	const char *wanted = getenv("MEMPLAN_PROBLEMS");

	return wanted ? NIGHTLY * strtoull(wanted, NULL, 10) : GRAPHS;
}

struct trial {
	uint64_t seed;
	struct play play;
	char text[PLAY_JSON];
	char plan[PLAY_JSON]; /* as it is written */
	memplan *m;
	enum memplan_status status;
};

static uint32_t count_rows(void)
{
	const char *summary;
	uint32_t n = 0;

	while (memplan_row("planners", n, &summary))
		n++;
	return n;
}

static bool is_free_to_order(const struct play *play)
{
	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (play->tensors[i].pinned)
			return false;
	return true;
}

/* Every row has its turn, and auto every other time. */
static const char *row_of(const struct trial *t)
{
	const char *summary;
	uint32_t row = (uint32_t)(t->seed / 8 % count_rows());

	return t->seed / 4 % 2 ? "auto"
			       : memplan_row("planners", row, &summary);
}

static enum memplan_status plan_by(struct trial *t, const char *row)
{
	static const char *const inplace[] = {"on", "off", "equal"};
	static const char *const orders[] = {"keep", "auto", "stable-rdfs"};

	t->m = memplan_new();
	memplan_set(t->m, "planner", row);
	memplan_set(t->m, "steps", "2000");
	memplan_set(t->m, "inplace", inplace[t->seed / 3 % 3]);
	if (is_free_to_order(&t->play))
		memplan_set(t->m, "order", orders[t->seed / 5 % 3]);
	memplan_input(t->m, "graph", "g.json", t->text, strlen(t->text));
	return memplan_plan(t->m);
}

/* Some rows leave graphs with fixed places and such to others. The graphs are
 * all legal, but a small memory may be too small for what may lie there only.
 * False: it is. */
static bool plan(struct trial *t, uint64_t seed)
{
	t->seed = seed;
	mp_play_random(&t->play, seed);
	if (seed / 7 % 2 == 0)
		mp_play_add_pools(&t->play, seed);
	mp_play_print(&t->play, t->text);
	t->status = plan_by(t, row_of(t));
	if (t->status == MEMPLAN_EBUDGET || t->status == MEMPLAN_EINPUT) {
		memplan_free(t->m);
		t->status = plan_by(t, "auto");
	}
	if (t->play.tight &&
		(t->status == MEMPLAN_NO || t->status == MEMPLAN_EBUDGET))
		return false;
	cr_assert_eq(t->status, MEMPLAN_OK, "seed %llu: %s\n%s",
		(unsigned long long)seed, memplan_error(t->m), t->text);
	return true;
}

static void take_spaces(struct trial *t)
{
	const struct spaces *spaces = &t->m->plan.spaces;

	cr_assert_eq(spaces->n > 0, t->play.n_pools > 0);
	cr_assert_leq(spaces->n, PLAY_SPACES);
	t->play.n_spaces = spaces->n;
	for (uint32_t i = 0; i < spaces->n; i++)
		t->play.spaces[i] = (struct play_space){
			spaces->at[i].size, spaces->at[i].pool};
}

/* Where the plan has it. */
static void take_plan(struct trial *t)
{
	struct memplan_tensor tensor;
	struct memplan_op op;

	for (uint32_t i = 0; i < t->play.n_tensors; i++) {
		cr_assert(memplan_tensor_at(t->m, i, &tensor));
		cr_assert_eq(tensor.size, t->play.tensors[i].size);
		cr_assert_eq(tensor.external, t->play.tensors[i].external,
			"seed %llu: t%u external %d",
			(unsigned long long)t->seed, i, tensor.external);
		t->play.tensors[i].offset = tensor.offset;
		t->play.tensors[i].space =
			mp_plan_space(&t->m->plan, &t->m->problem.items[i]);
	}
	for (uint32_t i = 0; i < t->play.n_ops; i++) {
		t->play.order[i] = i;
		if (t->play.has_ops && memplan_op_at(t->m, i, &op))
			t->play.order[i] = op.index;
	}
	memplan_number(t->m, "arena_size", &t->play.arena_size);
	take_spaces(t);
}

static void expect_play(struct trial *t)
{
	take_plan(t);
	cr_assert(mp_play_run(&t->play), "seed %llu, %s, order %s: %s\n%s",
		(unsigned long long)t->seed, memplan_text(t->m, "planner"),
		memplan_text(t->m, "order"), t->play.complaint, t->text);
}

static void write_plan(memplan *m, char *text)
{
	const void *bytes;
	size_t length;

	cr_assert_eq(memplan_write(m, "plan", &bytes, &length), MEMPLAN_OK);
	cr_assert_lt(length, PLAY_JSON);
	memcpy(text, bytes, length);
	text[length] = '\0';
}

static enum memplan_status check(const char *text, bool again, char *written)
{
	memplan *m = memplan_new();
	enum memplan_status status;

	memplan_input(m, "graph", "g.json", text, strlen(text));
	status = again ? memplan_plan(m) : memplan_check(m);
	if (again)
		cr_assert_eq(
			status, MEMPLAN_OK, "%s\n%s", memplan_error(m), text);
	if (again)
		write_plan(m, written);
	else if (status != MEMPLAN_OK)
		snprintf(written, 200, "%s", memplan_error(m));
	memplan_free(m);
	return status;
}

static enum memplan_status check_against(
	const struct trial *t, const char *text, char *words)
{
	memplan *graph = memplan_new(), *m = memplan_new();
	enum memplan_status status;

	memplan_input(graph, "graph", "g.json", t->text, strlen(t->text));
	memplan_input(m, "graph", "plan.json", text, strlen(text));
	status = memplan_check_against(graph, m);
	snprintf(words, 200, "%s%s", memplan_error(graph), memplan_error(m));
	memplan_free(graph);
	memplan_free(m);
	return status;
}

/* The plan that was written is one, and read and written again the same. */
static void expect_same_when_read(struct trial *t)
{
	static char again[PLAY_JSON];

	write_plan(t->m, t->plan);
	cr_assert_eq(check_against(t, t->plan, again), MEMPLAN_OK,
		"seed %llu: %s\n%s\n%s", (unsigned long long)t->seed, again,
		t->text, t->plan);
	cr_assert_eq(check(t->plan, false, again), MEMPLAN_OK,
		"seed %llu: %s\n%s\n%s", (unsigned long long)t->seed, again,
		t->text, t->plan);
	check(t->plan, true, again);
	cr_assert_str_eq(t->plan, again, "seed %llu\n%s%s%s",
		(unsigned long long)t->seed, t->text, t->plan, again);
}

/* How many graphs have what. */
struct tally {
	uint32_t streams, aliases, writes, groups, guards, gaps, fixed, apart,
		ranges, branches, states, shared, pools;
	uint32_t spilled, refused;
};

static void count_tensor(struct tally *tally, const struct play_tensor *t)
{
	tally->aliases += t->of != NONE;
	tally->writes += t->writes;
	tally->guards += t->before + t->after > 0;
	tally->gaps += t->pause < t->resume;
	tally->fixed += t->placed;
	tally->states += t->kind == KIND_STATE;
}

static void count(struct tally *tally, const struct play *play)
{
	uint64_t sum = 0;

	tally->streams += play->n_streams > 1;
	tally->groups += play->n_groups;
	tally->apart += play->n_pairs;
	tally->ranges += play->n_ranges;
	tally->branches += play->n_choices;
	for (uint32_t i = 0; i < play->n_tensors; i++) {
		count_tensor(tally, &play->tensors[i]);
		sum += play->tensors[i].of == NONE ? play->tensors[i].size : 0;
	}
	tally->shared += sum > play->arena_size;
	tally->pools += play->n_pools > 0;
}

static void expect_variety(const struct tally *tally, uint64_t n)
{
	const uint32_t counts[] = {tally->streams, tally->aliases,
		tally->writes, tally->groups, tally->guards, tally->gaps,
		tally->fixed, tally->apart, tally->ranges, tally->branches,
		tally->states, tally->shared, tally->pools};

	for (uint32_t i = 0; i < countof(counts); i++)
		cr_assert_gt(counts[i], n / 10, "count %u: %u", i, counts[i]);
	cr_assert_gt(tally->spilled, n / 20, "%u", tally->spilled);
	cr_assert_gt(tally->refused, n / 1000, "%u", tally->refused);
	cr_assert_lt(tally->refused, n / 20, "%u", tally->refused);
}

Test(features, plans_hold_in_every_interleaving, .timeout = 3000)
{
	static struct trial t;
	struct tally tally = {0};
	uint64_t n = n_graphs();

	for (uint64_t seed = 1; seed <= n; seed++) {
		if (plan(&t, seed)) {
			expect_play(&t);
			expect_same_when_read(&t);
			count(&tally, &t.play);
			tally.spilled += t.m->plan.spaces.n_spilled > 0;
		} else {
			tally.refused++;
		}
		memplan_free(t.m);
	}
	expect_variety(&tally, n);
}

/* One tensor moves by one unit, with all that are bytes of it. The player
 * objects to most such plans, and whatever it objects to, the verifier must
 * refuse too. */
static void move(struct trial *t, uint32_t tensor, int64_t by)
{
	struct play *play = &t->play;
	uint32_t root = mp_play_root(play, tensor);

	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (mp_play_root(play, i) == root)
			play->tensors[i].offset += (uint64_t)by;
}

/* The plan as text, with the offsets that the player has. */
static void rewrite(const struct trial *t, char *text)
{
	const char *from = t->plan, *at, *key = "\"offset\": ";
	uint32_t i = 0;

	for (; (at = strstr(from, key)) && i < t->play.n_tensors; i++) {
		while (i < t->play.n_tensors && t->play.tensors[i].external)
			i++;
		if (i == t->play.n_tensors)
			break;
		at += strlen(key);
		memcpy(text, from, (size_t)(at - from));
		text += at - from;
		text += sprintf(text, "%llu",
			(unsigned long long)(t->play.tensors[i].size
						     ? t->play.tensors[i].offset
						     : 0));
		from = at + strspn(at, "0123456789");
		at = strchr(from, '\n'); /* behind the offset of an alias */
		memcpy(text, from, (size_t)(at - from));
		text += at - from;
		from = at;
	}
	strcpy(text, from);
}

Test(features, player_and_verifier_object_to_wrong_plans)
{
	static struct trial t;
	static char wrong[2 * PLAY_JSON], words[PLAY_JSON];
	uint32_t objected = 0, tried = 0;

	for (uint64_t seed = 1; seed <= 1000; seed++) {
		uint64_t random = seed;
		uint32_t i;

		if (!plan(&t, seed)) {
			memplan_free(t.m);
			continue;
		}
		take_plan(&t);
		write_plan(t.m, t.plan);
		i = (uint32_t)(mp_prng(&random) % t.play.n_tensors);
		memplan_free(t.m);
		if (t.play.tensors[i].external || t.play.tensors[i].size == 0)
			continue;
		move(&t, i, (int64_t)t.play.alignment);
		tried++;
		rewrite(&t, wrong);
		if (mp_play_run(&t.play))
			continue;
		objected++;
		cr_assert_neq(check_against(&t, wrong, words), MEMPLAN_OK,
			"seed %llu: the player says %s\n%s\n%s\n%s",
			(unsigned long long)seed, t.play.complaint, words,
			t.text, wrong);
	}
	cr_assert_gt(objected, tried / 2, "%u of %u", objected, tried);
}

/* A view has no op that makes it: who reads it waits for who makes its bytes.
 */
Test(features, readers_of_views_wait_in_every_order)
{
	static const char text[] =
		"{\"format\":\"memplan.graph\",\"version\":1,\"tensors\":["
		"{\"name\":\"a\",\"size\":4},{\"name\":\"b\",\"size\":10},"
		"{\"name\":\"c\",\"size\":5,\"alias\":{\"of\":\"b\"}},"
		"{\"name\":\"d\",\"size\":6,\"kind\":\"output\"}],\"ops\":["
		"{\"inputs\":[\"c\"],\"outputs\":[\"d\"]},"
		"{\"outputs\":[\"a\"]},"
		"{\"inputs\":[\"a\"],\"outputs\":[\"b\"]}]}";
	const char *summary, *order;

	for (uint32_t i = 0; (order = memplan_row("orders", i, &summary));
		i++) {
		memplan *m = memplan_new();

		memplan_set(m, "order", order);
		memplan_input(m, "graph", "v", text, strlen(text));
		cr_expect_eq(memplan_plan(m), MEMPLAN_OK, "%s: %s", order,
			memplan_error(m));
		memplan_free(m);
	}
}

/* A state is kept between runs, whichever branch runs; and so it is where the
 * plan is read back. */
Test(features, states_share_with_no_branch)
{
	static const char text[] =
		"{\"format\":\"memplan.graph\",\"version\":1,\"tensors\":["
		"{\"name\":\"s\",\"size\":512,\"kind\":\"state\"},"
		"{\"name\":\"a\",\"size\":512},{\"name\":\"b\",\"size\":512}],"
		"\"ops\":[{\"inputs\":[\"s\"],\"outputs\":[\"a\"]},"
		"{\"outputs\":[\"b\"]}],"
		"\"exclusive\":[[[\"s\",\"b\"],[\"a\"]]]}";
	struct memplan_tensor s, a;
	memplan *m = memplan_new();

	memplan_input(m, "graph", "states", text, strlen(text));
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert(memplan_tensor_at(m, 0, &s) && memplan_tensor_at(m, 1, &a));
	cr_assert_neq(s.offset, a.offset);
	memplan_free(m);
}
