/* SPDX-License-Identifier: MIT */
#include "bundle/test-bundle-trial.h"

#include "base/num.h"
#include "testing/random.h"

enum {
	TRIES = 6, /* to find tensors that can have one offset */
};

static void make_part(struct bundle_trial *t, uint32_t i)
{
	struct part *part = &t->parts[i];

	uint64_t seed = mp_prng(&t->random) >> 16;

	mp_testing_player_random(&part->play, seed);
	if (seed >> 40 & 1)
		mp_testing_player_add_loops(&part->play, seed);
	part->play.alignment = t->alignment;
	mp_testing_player_print(&part->play, part->text);
	snprintf(part->name, sizeof(part->name), "net %c", (char)('a' + i));
}

static void plan_part(struct bundle_trial *t, struct part *part)
{
	part->m = memplan_new();
	memplan_set(part->m, "steps", "1000");
	memplan_set(part->m, "name", part->name);
	memplan_set(part->m, "inplace", "equal");
	memplan_input(
		part->m, "graph", part->name, part->text, strlen(part->text));
	cr_assert_eq(memplan_plan(part->m), MEMPLAN_OK, "seed %llu: %s\n%s",
		(unsigned long long)t->seed, memplan_error(part->m),
		part->text);
	write_plan(part->m, part->plan);
	part->again = memplan_new();
	memplan_input(part->again, "graph", part->name, part->plan,
		strlen(part->plan));
	cr_assert_eq(memplan_plan(part->again), MEMPLAN_OK, "%s\n%s",
		memplan_error(part->again), part->plan);
}

static enum memplan_status plan_joined(struct bundle_trial *t)
{
	char name[16];

	t->whole = memplan_new();
	snprintf(name, sizeof(name), "t%u", t->same);
	if (t->same != NONE)
		memplan_set(t->whole, "same-offsets", name);
	memplan_set(t->whole, "steps", "1000");
	memplan_set(
		t->whole, "together", t->concurrent ? "concurrent" : "serial");
	for (uint32_t i = 0; i < t->n; i++) {
		struct part *part = &t->parts[i];

		memplan_join(t->whole, t->by_plans ? part->again : part->m,
			part->name);
	}
	return memplan_plan(t->whole);
}

bool mp_bundle_trial_is_kept(
	const struct play *play, const struct play_tensor *t)
{
	uint8_t policy = t->kind == KIND_INPUT	  ? play->inputs
			 : t->kind == KIND_OUTPUT ? play->outputs
						  : POLICY_INSIDE;

	if (t->pinned)
		return false;
	return t->kind == KIND_STATE || t->kind == KIND_WEIGHT ||
	       policy == POLICY_THROUGHOUT ||
	       (t->lifelong && strcmp(t->lifelong, "all") == 0);
}

/* How many graphs keep a tensor of that number, and what is a name for bytes of
 * it. */
static uint32_t count_kept(const struct bundle_trial *t, uint32_t tensor)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct play *play = &t->parts[i].play;
		const struct play_tensor *at = &play->tensors[tensor];

		n += tensor < play->n_listed && at->of == NONE &&
		     mp_testing_player_takes_bytes(at) &&
		     mp_bundle_trial_is_kept(play, at);
	}
	return n;
}

/* A tensor by chance, rather one that several graphs keep; NONE: none. */
static uint32_t choose_same(struct bundle_trial *t)
{
	uint32_t n = PLAY_TENSORS;

	for (uint32_t i = 0; i < t->n; i++)
		n = (uint32_t)num_min(n, t->parts[i].play.n_listed);
	if (mp_testing_below(&t->random, 3) == 0)
		return NONE;
	for (uint32_t i = 0; i < n && mp_testing_below(&t->random, 4) > 0; i++)
		if (count_kept(t, i) > 1)
			return i;
	return mp_testing_below(&t->random, n);
}

/* What cannot have one offset is a wrong option: then without it. What cannot
 * be is an error of the input: fixed places in each other's way. */
static bool plan_whole(struct bundle_trial *t)
{
	enum memplan_status status;

	t->same = choose_same(t);
	for (uint32_t i = 1;; i++) {
		status = plan_joined(t);
		if (t->same == NONE || status != MEMPLAN_EUSAGE)
			break;
		memplan_free(t->whole);
		t->same = i < TRIES ? choose_same(t) : NONE;
	}
	t->refused = status == MEMPLAN_EINPUT ? memplan_error(t->whole) : NULL;
	cr_assert(status == MEMPLAN_OK || t->refused, "seed %llu: %s\n%s%s",
		(unsigned long long)t->seed, memplan_error(t->whole),
		t->parts[0].text, t->parts[1].text);
	return !t->refused;
}

bool mp_bundle_trial_make(struct bundle_trial *t, uint64_t seed)
{
	t->seed = t->random = seed;
	t->concurrent = mp_testing_below(&t->random, 3) == 0;
	t->by_plans = mp_testing_below(&t->random, 2);
	t->alignment = UINT64_C(1) << mp_testing_below(&t->random, 7);
	t->n = 2 + mp_testing_below(&t->random, MOST_PARTS - 1);
	for (uint32_t i = 0; i < t->n; i++) {
		make_part(t, i);
		plan_part(t, &t->parts[i]);
	}
	return plan_whole(t);
}

void mp_bundle_trial_release(struct bundle_trial *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		memplan_free(t->parts[i].m);
		memplan_free(t->parts[i].again);
	}
	memplan_free(t->whole);
}
