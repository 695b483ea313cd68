/*
 * Fuzz target of check: a plan, and behind a record separator a graph that it
 * may be a plan of. What check accepts can be planned again as it is, and has
 * an arena of at least the theoretical minimum.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

static uint64_t number(const memplan *m, const char *name)
{
	uint64_t value = 0;

	mp_testing_fuzz_expect(memplan_number(m, name, &value), "no %s", name);
	return value;
}

static bool check(memplan *m)
{
	if (!mp_testing_fuzz_is_fine(m, memplan_check(m)))
		return false;
	mp_testing_fuzz_expect(
		number(m, "theoretical_min") <= number(m, "arena_size") &&
			number(m, "lower_bound") <= number(m, "arena_size"),
		"a bound above the arena");
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input_file files[2] = {{0}};
	bool two = mp_testing_fuzz_split(data, size, files, 2) == 2;
	memplan *plan = mp_testing_fuzz_handle(&files[0]), *graph;

	if (check(plan))
		mp_testing_fuzz_expect(memplan_plan(plan) == MEMPLAN_OK, "%s",
			memplan_error(plan));
	memplan_free(plan);
	if (!two)
		return 0;
	plan = mp_testing_fuzz_handle(&files[0]);
	graph = mp_testing_fuzz_handle(&files[1]);
	mp_testing_fuzz_is_fine(graph, memplan_check_against(graph, plan));
	memplan_free(plan);
	memplan_free(graph);
	return 0;
}
