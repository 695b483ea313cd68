/*
 * Plans of random graphs with one mistake: whatever the player objects to, the
 * verifier must refuse too.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "street/test-trial.h"
#include "testing/random.h"
#include "verify/verify.h"

static uint32_t compared; /* runs that had to fail */

/* One tensor moves by one unit, with all that are bytes of it. The player
 * objects to most such plans, and whatever it objects to, the verifier must
 * refuse too. */
static void move(struct trial *t, uint32_t tensor, int64_t by)
{
	struct play *play = &t->play;
	uint32_t root = mp_testing_player_root(play, tensor);

	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (mp_testing_player_root(play, i) == root)
			play->tensors[i].offset += (uint64_t)by;
}

/* Or the tensor moves to another pool, at the same offset. */
static bool change_space(struct trial *t, uint32_t tensor)
{
	struct play *play = &t->play;
	uint32_t root = mp_testing_player_root(play, tensor),
		 n = play->n_spaces;

	if (n < 2)
		return false;
	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (mp_testing_player_root(play, i) == root)
			play->tensors[i].space =
				(play->tensors[i].space + 1) % n;
	return true;
}

static char *copy(char *text, const char *from, const char *end)
{
	memcpy(text, from, (size_t)(end - from));
	return text + (end - from);
}

/* Replaces the name of a pool in the text by that of the player's pool. */
static const char *rewrite_pool(const struct trial *t,
	const struct play_tensor *tensor, const char *from, char **text)
{
	static const char key[] = ", \"pool\": \"";

	if (tensor->size == 0 || strncmp(from, key, strlen(key)) != 0)
		return from;
	*text += sprintf(
		*text, "%s%s", key, t->m->plan.spaces.at[tensor->space].name);
	return strchr(from + strlen(key), '"');
}

/* The plan as text, with the player's offsets. */
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
		text = copy(text, from, at);
		text += sprintf(text, "%llu",
			(unsigned long long)(t->play.tensors[i].size
						     ? t->play.tensors[i].offset
						     : 0));
		from = rewrite_pool(t, &t->play.tensors[i],
			at + strspn(at, "0123456789"), &text);
		at = strchr(from, '\n'); /* behind the offset of an alias */
		text = copy(text, from, at);
		from = at;
	}
	strcpy(text, from);
}

/* The verifier's own run of the graph, on the player's offsets. */
static bool runs(const struct trial *t)
{
	const struct schedule *s = t->m->plan.schedule;
	struct error error = {0};
	struct arena scratch = {.error = &error};
	struct graph graph = *s->graph;
	bool fine;

	graph.tensors = mp_arena_copy(&scratch, graph.tensors, graph.n_tensors,
		sizeof(*graph.tensors));
	for (uint32_t i = 0; i < graph.n_tensors; i++) {
		graph.tensors[i].placed = true;
		graph.tensors[i].offset = t->play.tensors[i].offset;
	}
	fine = mp_verify_run(&graph, s->order, &s->problem, &scratch, &error);
	mp_arena_free(&scratch);
	return fine;
}

/* It must object to what the player objects to, and to nothing else. */
static bool compare_runs(struct trial *t, bool fine)
{
	static const char overwritten[] = "overwritten";

	if (t->play.n_pools > 0 ||
		(!fine && strncmp(t->play.complaint, overwritten,
				  strlen(overwritten)) != 0))
		return false;
	cr_assert_eq(runs(t), fine, "seed %llu: the player says %s\n%s",
		(unsigned long long)t->seed, fine ? "yes" : t->play.complaint,
		t->text);
	return !fine;
}

static bool play_wrong(struct trial *t, uint32_t tensor, bool elsewhere)
{
	bool fine;

	static char wrong[2 * PLAY_JSON], words[PLAY_JSON];

	if (t->play.tensors[tensor].external ||
		t->play.tensors[tensor].size == 0)
		return false;
	if (!elsewhere || !change_space(t, tensor))
		move(t, tensor, (int64_t)t->play.alignment);
	fine = mp_testing_player_run(&t->play);
	compared += compare_runs(t, fine);
	if (fine)
		return false;
	rewrite(t, wrong);
	cr_assert_neq(mp_trial_check(t, wrong, words), MEMPLAN_OK,
		"seed %llu: the player says %s\n%s\n%s\n%s",
		(unsigned long long)t->seed, t->play.complaint, words, t->text,
		wrong);
	return true;
}

static void expect_objections(uint64_t kind, bool elsewhere, uint32_t least)
{
	static struct trial t;
	uint32_t objected = 0;

	for (uint64_t seed = 1; seed <= 1000; seed++) {
		uint64_t random = seed;
		uint32_t tensor;

		if (mp_trial_plan(&t, seed | kind)) {
			mp_trial_take(&t);
			mp_trial_write(t.m, t.plan);
			tensor = mp_testing_below(&random, t.play.n_tensors);
			objected += play_wrong(&t, tensor, elsewhere);
		}
		memplan_free(t.m);
	}
	cr_assert_gt(objected, least, "%u", objected);
}

Test(features, player_and_verifier_object_to_wrong_plans)
{
	compared = 0;
	expect_objections(0, false, 600);
	cr_assert_gt(compared, 100, "%u", compared);
}

Test(features, player_and_verifier_object_to_wrong_plans_of_loops)
{
	compared = 0;
	expect_objections(TRIAL_LOOPS, false, 600);
	cr_assert_gt(compared, 100, "%u", compared);
}

Test(features, player_and_verifier_object_to_wrong_pools)
{
	expect_objections(0, true, 600);
}
