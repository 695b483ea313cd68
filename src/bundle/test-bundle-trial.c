/* SPDX-License-Identifier: MIT */
#include "bundle/test-bundle-trial.h"

#include "testing/random.h"

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

/* What cannot be is an error of the input: fixed places in each other's way. */
static bool plan_whole(struct bundle_trial *t)
{
	enum memplan_status status;

	t->whole = memplan_new();
	memplan_set(t->whole, "steps", "1000");
	memplan_set(
		t->whole, "together", t->concurrent ? "concurrent" : "serial");
	for (uint32_t i = 0; i < t->n; i++) {
		struct part *part = &t->parts[i];

		memplan_join(t->whole, t->by_plans ? part->again : part->m,
			part->name);
	}
	status = memplan_plan(t->whole);
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
