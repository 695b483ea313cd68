/*
 * One trial of the random tests: plans a graph, plays it and checks it back.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/test-trial.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

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
	if (t->seed / 11 % 5 == 0)
		memplan_set(t->m, "minimise-reuse", "");
	if (t->seed / 17 % 5 == 0)
		memplan_set(t->m, "minimise-banks", "");
	if (is_free_to_order(&t->play))
		memplan_set(t->m, "order", orders[t->seed / 5 % 3]);
	memplan_input(t->m, "graph", "g.json", t->text, strlen(t->text));
	return memplan_plan(t->m);
}

bool mp_trial_make(struct trial *t, uint64_t seed)
{
	t->seed = seed;
	mp_testing_player_random(&t->play, seed);
	if (seed & TRIAL_LOOPS)
		mp_testing_player_add_loops(&t->play, seed);
	if (seed / 7 % 2 == 0)
		mp_testing_player_add_pools(&t->play, seed);
	return t->play.has_ops;
}

/* Some rows leave graphs with fixed places and such to others. The graphs are
 * all legal, but a small memory may be too small for what may lie there only.
 * False: it is. */
bool mp_trial_plan(struct trial *t, uint64_t seed)
{
	mp_trial_make(t, seed);
	mp_testing_player_print(&t->play, t->text);
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

/* Where the plan puts the tensors. */
void mp_trial_take(struct trial *t)
{
	cr_assert(mp_testing_player_take(&t->play, t->m), "seed %llu: %s\n%s",
		(unsigned long long)t->seed, t->play.complaint, t->text);
}

void mp_trial_write(memplan *m, char *text)
{
	const void *bytes;
	size_t length;

	cr_assert_eq(memplan_write(m, "plan", &bytes, &length), MEMPLAN_OK);
	cr_assert_lt(length, PLAY_JSON);
	memcpy(text, bytes, length);
	text[length] = '\0';
}

enum memplan_status mp_trial_check(
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

enum memplan_status mp_trial_check_alone(const char *text, char *words)
{
	memplan *m = memplan_new();
	enum memplan_status status;

	memplan_input(m, "graph", "g.json", text, strlen(text));
	status = memplan_check(m);
	snprintf(words, 200, "%s", memplan_error(m));
	memplan_free(m);
	return status;
}

void mp_trial_plan_text(const char *text, char *plan)
{
	memplan *m = memplan_new();

	memplan_input(m, "graph", "g.json", text, strlen(text));
	cr_assert_eq(
		memplan_plan(m), MEMPLAN_OK, "%s\n%s", memplan_error(m), text);
	mp_trial_write(m, plan);
	memplan_free(m);
}
