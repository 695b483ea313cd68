/*
 * Dumps of XLA.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/testing.h"

#define ASSIGNMENT                                                             \
	"BufferAssignment:\n"                                                  \
	"allocation 0: size 64, parameter 0, shape |f32[16]|:\n"               \
	" value: <0 p @0> (size=64,offset=0): f32[16]{0}\n"                    \
	"allocation 1: size 300, preallocated-temp:\n"
#define A " value: <1 a @0> (size=100,offset=0): f32[25]{0}\n"
#define B " value: <2 b{0} @0> (size=100,offset=192): f32[25]{0}\n"
#define SEQUENCE                                                               \
	"HloLiveRange (max 2):\n  InstructionSequence:\n    0:a\n"             \
	"    1:b\n  BufferLiveRange:\n"
#define RANGES                                                                 \
	SEQUENCE "    a{}:0-1\n    b{0}:1-2\n  Live ranges at 1 (peak):\n"

static bool read_both(struct run *run, const char *main, const char *ranges)
{
	const char *texts[N_ROLES] = {
		[ROLE_MAIN] = main, [ROLE_LIVE_RANGE] = ranges};

	return run_texts(run, texts, 0);
}

static const struct {
	const char *main, *ranges, *words;
} refusals[] = {
	{ASSIGNMENT A, NULL, "name it with live-range"},
	{ASSIGNMENT A, "", "it has no live ranges"},
	{ASSIGNMENT A, "a{}:0-1", "it has no live ranges"},
	{ASSIGNMENT, RANGES, "no allocation of temporaries"},
	{"BufferAssignment:\n" A, RANGES, "no allocation of temporaries"},
	{ASSIGNMENT A A, RANGES,
		":6: ranges.txt has one live range of value "
		"'a', which is listed twice"},
	{ASSIGNMENT " value: <3 c @0> (size=1,offset=0):", RANGES,
		":5: ranges.txt has no live range of value 'c'"},
	{ASSIGNMENT " value: <1 a @0> (size=1,offset=300):", RANGES,
		":5: a value needs its place within"},
	{ASSIGNMENT " value: <1 a @0> (size=99999999999999999999,offset=0):",
		RANGES, ":5: a value needs its place"},
	{ASSIGNMENT " value: <1", RANGES, ":5: a value needs its place"},
	{"BufferAssignment:\nallocation x: size 3", RANGES,
		":2: 'x' must be a number"},
	{"BufferAssignment:\nallocation 1: size y, constant:", RANGES,
		":2: size 'y' must be"},
	{ASSIGNMENT A "allocation 1: size 300, preallocated-temp:\n" B, RANGES,
		":7: there are two allocations 1"},
	{ASSIGNMENT A, SEQUENCE "    a{}:1-0", "'a{}' must be a value"},
	{ASSIGNMENT A, SEQUENCE "    a{}:2-2", "must be a value and its"},
	{ASSIGNMENT A, SEQUENCE "    a{}:0-3", "must be a value and its"},
	{ASSIGNMENT A, SEQUENCE "    a", "must be a value and its"},
	{ASSIGNMENT A, SEQUENCE "    a{}:0-1\n    a{}:0-1", "listed twice"},
	{ASSIGNMENT A, "HloLiveRange\n  InstructionSequence:\n    1:a",
		":3: '1' must be step 0"},
};

Test(xla, refuses_with_line_and_reason)
{
	for (uint32_t i = 0; i < countof(refusals); i++)
		expect_refusal(
			(const char *[N_ROLES]){[ROLE_MAIN] = refusals[i].main,
				[ROLE_LIVE_RANGE] = refusals[i].ranges},
			refusals[i].words);
}

Test(xla, values_have_their_places_and_lives)
{
	struct run run;

	cr_assert(
		read_both(&run, ASSIGNMENT A B, RANGES), "%s", run.error.text);
	cr_assert_eq(run.graph.n_tensors, 2);
	cr_assert_eq(run.graph.n_ops, 2);
	cr_expect_eq(run.graph.alignment, 64);
	cr_expect_eq(run.graph.n_pools, 0);
	cr_expect_str_eq(run.graph.tensors[0].name, "a");
	cr_expect_str_eq(run.graph.tensors[1].name, "b{0}");
	cr_expect_eq(run.graph.tensors[0].start, 0);
	cr_expect_eq(run.graph.tensors[0].end, 2);
	cr_expect_eq(run.graph.tensors[1].start, 1);
	cr_expect_eq(run.graph.tensors[1].end, 2);
	cr_expect_eq(run.graph.tensors[1].offset, 192);
	run_close(&run);
}

Test(xla, values_at_one_place_are_aliases)
{
	struct run run;

	cr_assert(
		read_both(&run,
			ASSIGNMENT A " value: <2 b{0} @0> (size=200,offset=0):",
			RANGES),
		"%s", run.error.text);
	cr_assert_eq(run.graph.ties.n_aliases, 1);
	cr_expect_eq(run.graph.ties.aliases[0].tensor, 0);
	cr_expect_eq(run.graph.ties.aliases[0].of, 1);
	run_close(&run);
}

Test(xla, allocations_are_pools)
{
	struct run run;

	cr_assert(read_both(&run,
			  ASSIGNMENT A
			  "allocation 9: size 300, preallocated-temp:\n" B,
			  RANGES),
		"%s", run.error.text);
	cr_assert_eq(run.graph.n_pools, 2);
	cr_expect_str_eq(run.graph.pools[1].name, "allocation9");
	cr_expect_eq(run.graph.pool_lists[run.graph.tensors[1].pools].at[0], 1);
	run_close(&run);
}

/* Of a loop: "(phi)" stands behind the name. Without a colour there is no @. */
Test(xla, values_of_loops_are_values)
{
	struct run run;

	cr_assert(read_both(&run,
			  ASSIGNMENT
			  " value: <1 a> (size=100,offset=0): f32[25]{0}\n"
			  " value: <2 b{0} (phi) @0> (size=100,offset=192): ",
			  RANGES),
		"%s", run.error.text);
	cr_assert_eq(run.graph.n_tensors, 2);
	cr_expect_str_eq(run.graph.tensors[0].name, "a");
	cr_expect_str_eq(run.graph.tensors[1].name, "b{0}");
	cr_expect_eq(run.graph.tensors[1].offset, 192);
	run_close(&run);
}

/* A file that is cut off within its first line is none of XLA's. */
Test(xla, any_prefix_and_any_memory_limit_end_well)
{
	const char *texts[N_ROLES] = {
		[ROLE_MAIN] = ASSIGNMENT A B, [ROLE_LIVE_RANGE] = RANGES};
	size_t least[N_ROLES] = {[ROLE_MAIN] = strlen("BufferAssignment:")};
	struct run run;
	bool fine = false;

	for (uint32_t role = 0; role < N_ROLES; role++) {
		size_t lengths[N_ROLES] = {[ROLE_MAIN] = strlen(ASSIGNMENT A B),
			[ROLE_LIVE_RANGE] = strlen(RANGES)};

		while (lengths[role] > least[role]) {
			lengths[role]--;
			if (!run_read(&run, texts, lengths, 0))
				cr_expect_eq(run.error.code, MEMPLAN_EINPUT);
			run_close(&run);
		}
	}
	for (uint64_t limit = 1; !fine; limit += 97) {
		fine = run_texts(&run, texts, limit);
		cr_expect(fine || run.error.code == MEMPLAN_ENOMEM, "%s",
			run.error.text);
		run_close(&run);
	}
}
