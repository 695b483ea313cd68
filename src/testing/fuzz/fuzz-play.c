/*
 * Fuzz target that knows what a graph is: a random graph of everything, of
 * which the bytes change some fields. Each plan that memplan makes of it is
 * played in every interleaving. The written plan is checked against the graph,
 * by the verifier's own run of it, and with its proof, which is replayed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "testing/player.h"

/* ------------------------------------------------------------- play */

static void set_planner(memplan *m, uint64_t seed)
{
	static const char *const inplace[] = {"on", "off", "equal"};
	static const char *const rows[] = {"auto", "greedy-size", "linear",
		"dive", "search", "somas", "greedy-breadth"};

	memplan_set(m, "inplace", inplace[seed % countof(inplace)]);
	memplan_set(m, "planner", rows[seed / 3 % countof(rows)]);
}

/* ------------------------------------------------------------ check */

struct copy {
	char *bytes;
	size_t length;
};

static struct copy copy_of(memplan *m, const char *format)
{
	const void *bytes;
	struct copy copy = {0};

	mp_testing_fuzz_expect(
		memplan_write(m, format, &bytes, &copy.length) == MEMPLAN_OK,
		"%s: %s", format, memplan_error(m));
	copy.bytes = malloc(copy.length + 1);
	mp_testing_fuzz_expect(copy.bytes, "no memory");
	memcpy(copy.bytes, bytes, copy.length);
	copy.bytes[copy.length] = '\0';
	return copy;
}

static uint64_t number_of(const memplan *m, const char *name)
{
	uint64_t number = 0;

	memplan_number(m, name, &number);
	return number;
}

/* A plan has blocks where the graph has the pool, so it has another problem. */
static bool has_blocks(const struct play *play)
{
	for (uint32_t i = 0; i < play->n_pools; i++)
		if (play->pools[i].chunk > 0)
			return true;
	return false;
}

/* What was called optimal is so by the proof, and nothing is left a claim. */
static void check(memplan *m, const struct play *play,
	const struct input_file *graph, uint64_t seed)
{
	bool proved = !has_blocks(play);
	struct copy plan = copy_of(m, "plan");
	struct copy proof = proved ? copy_of(m, "proof") : (struct copy){0};
	struct input_file file = {"plan.json", plan.bytes, plan.length};
	memplan *written = mp_testing_fuzz_handle(&file);
	memplan *own = mp_testing_fuzz_handle(graph);
	bool optimal =
		number_of(m, "lower_bound") == number_of(m, "arena_size");

	set_planner(own, seed);
	if (proved)
		memplan_input(
			own, "proof", "plan.proof", proof.bytes, proof.length);
	mp_testing_fuzz_expect(
		memplan_check_against(own, written) == MEMPLAN_OK, "%s\n%s\n%s",
		memplan_error(own), graph->bytes, plan.bytes);
	mp_testing_fuzz_expect(!optimal || !proved ||
				       number_of(own, "lower_bound") ==
					       number_of(own, "arena_size"),
		"optimal without a proof\n%s\n%s\n%s", graph->bytes, plan.bytes,
		proof.bytes ? proof.bytes : "");
	memplan_free(written);
	memplan_free(own);
	free(plan.bytes);
	free(proof.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct play play;
	static char text[PLAY_JSON];
	struct input_file file = {"g.json", text, 0};
	uint64_t seed = 0;
	memplan *m;

	if (size < sizeof(seed))
		return 0;
	memcpy(&seed, data, sizeof(seed));
	mp_testing_player_random(&play, seed);
	if (seed >> 61 & 1)
		mp_testing_player_add_loops(&play, seed);
	if (seed >> 60 & 1)
		mp_testing_player_add_pools(&play, seed);
	mp_testing_player_mutate(
		&play, data + sizeof(seed), size - sizeof(seed));
	mp_testing_player_print(&play, text);
	file.length = strlen(text);
	m = mp_testing_fuzz_handle(&file);
	set_planner(m, seed >> 32);
	if (mp_testing_fuzz_is_fine(m, memplan_plan(m))) {
		mp_testing_fuzz_expect(mp_testing_player_take(&play, m) &&
					       mp_testing_player_run(&play),
			"%s\n%s", play.complaint, text);
		check(m, &play, &file, seed >> 32);
	}
	memplan_free(m);
	return 0;
}
