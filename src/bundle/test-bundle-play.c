/*
 * Random graphs with everything at once, several in one arena, and what becomes
 * of their bytes. Each graph is played alone in every interleaving of its
 * streams on the places that the bundle gives it. Then they run: in turn, in
 * every sequence of four runs; at the same time, in any interleaving, so that
 * no byte may be touched by two. What a graph keeps must be there when it runs
 * again. The player knows nothing of lifetimes, nor does this.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle/test-bundle-trial.h"
#include "testing/random.h"

enum {
	BUNDLES = 2000, /* unless MEMPLAN_PROBLEMS says ten times another */
	NIGHTLY = 10,
	RUNS = 4, /* in turn */
	NOT_YET = 0xff,
	OF_ALL = 0xfe, /* bytes that all graphs keep at one offset */
};

/* ----------------------------------------------------------- places */

/* Where the bundle has the tensors of a part; its own order of the ops. A plan
 * says where its tensors lie, not that they must. */
static void take_places(
	const struct bundle_trial *t, struct part *part, uint32_t *next)
{
	struct memplan_tensor tensor;
	struct memplan_op op;

	for (uint32_t i = 0; i < part->play.n_tensors; i++) {
		if (part->play.tensors[i].external)
			continue;
		cr_assert(memplan_tensor_at(
			t->whole, (*next)++, &tensor, sizeof(tensor)));
		cr_assert_eq(tensor.size, part->play.tensors[i].size);
		part->play.tensors[i].offset = tensor.offset;
		part->play.tensors[i].placed &= !t->by_plans;
	}
	for (uint32_t i = 0; i < part->play.n_ops; i++) {
		part->play.order[i] = i;
		if (part->play.has_ops &&
			memplan_op_at(part->m, i, &op, sizeof(op)))
			part->play.order[i] = op.index;
	}
	memplan_number(t->whole, "arena_size", &part->play.arena_size);
	cr_assert_leq(part->play.arena_size, MOST_BYTES);
}

static bool is_in_set(const struct bundle_trial *t, uint32_t part)
{
	return t->same != NONE &&
	       mp_testing_player_takes_bytes(
		       &t->parts[part].play.tensors[t->same]);
}

static void expect_one_offset(const struct bundle_trial *t)
{
	uint64_t offset = UINT64_MAX;

	for (uint32_t i = 0; i < t->n; i++) {
		if (!is_in_set(t, i))
			continue;
		if (offset == UINT64_MAX)
			offset = t->parts[i].play.tensors[t->same].offset;
		cr_assert_eq(t->parts[i].play.tensors[t->same].offset, offset,
			"seed %llu: t%u lies elsewhere in %s\n%s",
			(unsigned long long)t->seed, t->same, t->parts[i].name,
			t->plan);
	}
}

static void place_all(struct bundle_trial *t)
{
	uint32_t next = 0;

	write_plan(t->whole, t->plan);
	for (uint32_t i = 0; i < t->n; i++)
		take_places(t, &t->parts[i], &next);
	expect_one_offset(t);
}

static void play_alone(struct bundle_trial *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct part *part = &t->parts[i];

		cr_assert(mp_testing_player_run(&part->play),
			"seed %llu, %s: %s\n%s%s", (unsigned long long)t->seed,
			part->name, part->play.complaint, part->text, t->plan);
	}
}

/* ------------------------------------------------------------- runs */

/* The owner of the bytes of a tensor while that graph runs. */
static uint8_t owner_of(const struct bundle_trial *t, uint8_t which, uint32_t i)
{
	const struct play *play = &t->parts[which].play;
	uint32_t root = mp_testing_player_root(play, i);

	return root == t->same && mp_bundle_trial_is_kept(
					  play, &play->tensors[root])
		       ? OF_ALL
		       : which;
}

/* The first tensor of the part that lost a byte; NONE: none did. */
static uint32_t lost(const struct bundle_trial *t, uint8_t which)
{
	const struct play *play = &t->parts[which].play;

	for (uint32_t i = 0; i < play->n_tensors; i++) {
		const struct play_tensor *tensor = &play->tensors[i];

		if (!mp_testing_player_takes_bytes(tensor) ||
			!mp_bundle_trial_is_kept(play, tensor))
			continue;
		for (uint64_t b = 0; b < tensor->size; b++)
			if (t->owner[tensor->offset + b] !=
				owner_of(t, which, i))
				return i;
	}
	return NONE;
}

/* A run touches all bytes of all its tensors. True if none of them is
 * another's. */
static bool touch(struct bundle_trial *t, uint8_t which)
{
	const struct play *play = &t->parts[which].play;
	bool alone = true;

	for (uint32_t i = 0; i < play->n_tensors; i++) {
		const struct play_tensor *tensor = &play->tensors[i];

		if (!mp_testing_player_takes_bytes(tensor))
			continue;
		for (uint64_t b = 0; b < tensor->size; b++) {
			uint8_t *owner = &t->owner[tensor->offset + b];
			uint8_t own = owner_of(t, which, i);

			alone &= *owner == NOT_YET || *owner == own;
			*owner = own;
		}
	}
	return alone;
}

/* Returns the tensor that is not there when its graph runs again, or NONE. */
static uint32_t run_in_turn(
	struct bundle_trial *t, uint32_t sequence, uint8_t *which)
{
	uint32_t ran = 0, tensor;

	memset(t->owner, NOT_YET, sizeof(t->owner));
	for (uint32_t k = 0; k < RUNS; k++, sequence /= t->n) {
		*which = (uint8_t)(sequence % t->n);
		tensor = ran >> *which & 1 ? lost(t, *which) : NONE;
		if (tensor != NONE)
			return tensor;
		touch(t, *which);
		ran |= 1u << *which;
	}
	return NONE;
}

static bool run_at_once(struct bundle_trial *t, uint8_t *which)
{
	memset(t->owner, NOT_YET, sizeof(t->owner));
	for (*which = 0; *which < t->n; ++*which)
		if (!touch(t, *which))
			return false;
	return true;
}

static uint32_t count_sequences(const struct bundle_trial *t)
{
	uint32_t n = 1;

	for (uint32_t k = 0; k < RUNS; k++)
		n *= t->n;
	return n;
}

static bool run_all(struct bundle_trial *t, uint32_t *tensor, uint8_t *which)
{
	*tensor = NONE;
	if (t->concurrent)
		return run_at_once(t, which);
	for (uint32_t i = 0; i < count_sequences(t) && *tensor == NONE; i++)
		*tensor = run_in_turn(t, i, which);
	return *tensor == NONE;
}

/* No graph may have bytes that one of them reserves. */
static bool is_reserved(const struct bundle_trial *t, uint64_t byte)
{
	for (uint32_t i = 0; i < t->n; i++)
		for (uint32_t k = 0; k < t->parts[i].play.n_ranges; k++)
			if (byte - t->parts[i].play.ranges[k][0] <
				t->parts[i].play.ranges[k][1])
				return true;
	return false;
}

/* After all runs: has none of them touched reserved bytes? */
static bool leaves_reserved(const struct bundle_trial *t)
{
	for (uint64_t b = 0; b < MOST_BYTES; b++)
		if (t->owner[b] != NOT_YET && is_reserved(t, b))
			return false;
	return true;
}

static void expect_runs(struct bundle_trial *t)
{
	uint32_t tensor;
	uint8_t which = 0;

	cr_assert(run_all(t, &tensor, &which),
		"seed %llu: %s: t%d lost bytes\n%s",
		(unsigned long long)t->seed, t->parts[which].name, (int)tensor,
		t->plan);
	memset(t->owner, NOT_YET, sizeof(t->owner));
	for (uint8_t i = 0; i < t->n; i++)
		touch(t, i);
	cr_assert(leaves_reserved(t), "seed %llu: reserved bytes taken\n%s",
		(unsigned long long)t->seed, t->plan);
}

/* ------------------------------------------------------------ files */

static enum memplan_status check(const char *plan, char *words)
{
	memplan *m = memplan_new();
	enum memplan_status status;

	memplan_input(m, "graph", "nets.json", plan, strlen(plan));
	status = memplan_check(m);
	snprintf(words, 300, "%s", memplan_error(m));
	memplan_free(m);
	return status;
}

static enum memplan_status check_part(
	const struct part *part, const char *plan, char *words)
{
	memplan *graph = memplan_new(), *m = memplan_new();
	enum memplan_status status;

	memplan_set(graph, "inplace", "equal");
	memplan_set(graph, "name", part->name);
	memplan_input(
		graph, "graph", part->name, part->text, strlen(part->text));
	memplan_input(m, "graph", "nets.json", plan, strlen(plan));
	status = memplan_check_against(graph, m);
	snprintf(words, 300, "%s%s", memplan_error(graph), memplan_error(m));
	memplan_free(graph);
	memplan_free(m);
	return status;
}

/* All graphs at once: whatever the plan says is what they say. */
static enum memplan_status check_joined(
	const struct bundle_trial *t, const char *plan, char *words)
{
	memplan *graphs[MOST_PARTS], *whole = memplan_new();
	memplan *m = memplan_new();
	enum memplan_status status;

	for (uint32_t i = t->n; i-- > 0;) {
		const struct part *part = &t->parts[i];

		graphs[i] = memplan_new();
		memplan_input(graphs[i], "graph", part->name, part->text,
			strlen(part->text));
		cr_assert_eq(memplan_read(graphs[i]), MEMPLAN_OK);
		memplan_join(whole, graphs[i], part->name);
	}
	memplan_input(m, "graph", "nets.json", plan, strlen(plan));
	status = memplan_check_against(whole, m);
	snprintf(words, 300, "joined: %s%s", memplan_error(whole),
		memplan_error(m));
	memplan_free(whole);
	memplan_free(m);
	for (uint32_t i = 0; i < t->n; i++)
		memplan_free(graphs[i]);
	return status;
}

static bool has_fixed(const struct play *play)
{
	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (play->tensors[i].fixed)
			return true;
	return false;
}

static enum memplan_status check_all(
	const struct bundle_trial *t, const char *plan, char *words)
{
	enum memplan_status status = check(plan, words);
	bool fixed = false;

	for (uint32_t i = 0; i < t->n; i++)
		fixed |= t->by_plans && has_fixed(&t->parts[i].play);
	for (uint32_t i = 0; i < t->n && status == MEMPLAN_OK && !fixed; i++)
		status = check_part(&t->parts[i], plan, words);
	return status == MEMPLAN_OK && !fixed ? check_joined(t, plan, words)
					      : status;
}

static void expect_same_when_read(struct bundle_trial *t)
{
	static char again[PLAN];
	char words[300];
	memplan *m = memplan_new();

	cr_assert_eq(check_all(t, t->plan, words), MEMPLAN_OK,
		"seed %llu: %s\n%s%s%s", (unsigned long long)t->seed, words,
		t->plan, t->parts[0].text, t->parts[1].text);
	memplan_input(m, "graph", "nets.json", t->plan, strlen(t->plan));
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	write_plan(m, again);
	cr_assert_str_eq(
		t->plan, again, "seed %llu", (unsigned long long)t->seed);
	memplan_free(m);
}

/* Placed anew it has no fixed places any more, but all else is as it was. */
static void expect_runs_when_replaced(struct bundle_trial *t)
{
	memplan *before = t->whole;

	t->whole = memplan_new();
	t->by_plans = true;
	memplan_set(t->whole, "replan", "on");
	memplan_set(t->whole, "steps", "1000");
	memplan_input(t->whole, "graph", "nets.json", t->plan, strlen(t->plan));
	cr_assert_eq(memplan_plan(t->whole), MEMPLAN_OK, "seed %llu: %s\n%s",
		(unsigned long long)t->seed, memplan_error(t->whole), t->plan);
	place_all(t);
	play_alone(t);
	expect_runs(t);
	expect_same_when_read(t);
	memplan_free(t->whole);
	t->whole = before;
}

/* ---------------------------------------------------------- bundles */

struct tally {
	uint32_t concurrent, serial, refused, kept, ranges, branches, apart,
		fixed, streams, loops, same, same_kept;
};

static void count_same(struct tally *tally, const struct bundle_trial *t)
{
	uint32_t n = 0, kept = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		if (!is_in_set(t, i))
			continue;
		n++;
		kept += mp_bundle_trial_is_kept(
			&t->parts[i].play, &t->parts[i].play.tensors[t->same]);
	}
	tally->same += n > 1;
	tally->same_kept += kept > 1;
}

static void count(struct tally *tally, const struct bundle_trial *t)
{
	count_same(tally, t);
	tally->concurrent += t->concurrent;
	tally->serial += !t->concurrent;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct play *play = &t->parts[i].play;
		uint32_t kept = 0, fixed = 0;

		for (uint32_t k = 0; k < play->n_tensors; k++) {
			kept += mp_bundle_trial_is_kept(
				play, &play->tensors[k]);
			fixed += play->tensors[k].placed;
		}
		tally->kept += kept > 0;
		tally->fixed += fixed > 0;
		tally->ranges += play->n_ranges > 0;
		tally->branches += play->n_choices > 0;
		tally->apart += play->n_pairs > 0;
		tally->streams += play->n_streams > 1;
		tally->loops += play->n_loops > 0;
	}
}

static void expect_variety(const struct tally *tally, uint64_t n)
{
	const uint32_t counts[] = {tally->concurrent, tally->serial,
		tally->kept, tally->ranges, tally->branches, tally->apart,
		tally->fixed, tally->streams, tally->loops};

	for (uint32_t i = 0; i < countof(counts); i++)
		cr_assert_gt(counts[i], n / 10, "count %u: %u of %llu", i,
			counts[i], (unsigned long long)n);
	cr_assert_gt(tally->same, n / 20, "%u", tally->same);
	cr_assert_gt(tally->same_kept, n / 100, "%u", tally->same_kept);
	cr_assert_lt(tally->refused, n / 3, "%u refused", tally->refused);
}

/* Random graphs of everything, several in one arena, each time held against one
 * property. */
static void check_bundles(void (*expect)(struct bundle_trial *t))
{
	static struct bundle_trial t;
	struct tally tally = {0};
	uint64_t first = mp_testing_first();
	uint64_t n = mp_testing_cases(BUNDLES, NIGHTLY);

	for (uint64_t seed = first; seed < first + n; seed++) {
		if (mp_bundle_trial_make(&t, seed)) {
			place_all(&t);
			count(&tally, &t);
			expect(&t);
		} else {
			tally.refused++;
		}
		mp_bundle_trial_release(&t);
	}
	expect_variety(&tally, n);
}

Test(bundle_play, graphs_run_alone_in_every_interleaving, .timeout = 3000)
{
	check_bundles(play_alone);
}

Test(bundle_play, what_is_kept_survives_every_sequence, .timeout = 3000)
{
	check_bundles(expect_runs);
}

Test(bundle_play, plans_are_the_same_when_read_and_written_again,
	.timeout = 3000)
{
	check_bundles(expect_same_when_read);
}

Test(bundle_play, plans_that_are_placed_anew_run, .timeout = 3000)
{
	check_bundles(expect_runs_when_replaced);
}
