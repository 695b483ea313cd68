/*
 * SOMAS's offline log, input of its solver and output of its solver.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "input/testing.h"
#include "testing/random.h"

/* -------------------------------------------------------- somas-log */

#define EDGE(src, dst, size, lifelong, tid)                                    \
	"Somas EDGE src=n" src ", srcstm=0, dst=n" dst                         \
	", dststm=0, workspace=0, size=" size ", lifelong=" lifelong           \
	", tid=" tid ", start=0, end=9\n"

#define EDGE_1 EDGE("0", "1", "512", "0", "0")

static const struct refusal log_refusals[] = {
	{"Somas EDGE src=n1, srcstm=0, dst=n2, ds",
		":1: the line is cut off: 'dststm=' must follow, at 'ds'"},
	{"Somas EDGE", ":1: the line is cut off: 'src=n' must follow"},
	{"Somas EDGE src=n-1, srcstm=0", ":1: src=n'-1' must be an"},
	{EDGE_1 EDGE("0", "1", "99999999999999999999", "0", "1"),
		":2: size='99999999999999999999'"},
	{EDGE("0", "1", "512", "4", "0"), ":1: lifelong='4'"},
	{EDGE_1 EDGE("0", "2", "513", "0", "0"),
		":2: tensor 0 has another source, size or lifelong in line 1"},
	{EDGE_1 EDGE("1", "2", "512", "0", "0"), ":2: tensor 0 has another"},
	{EDGE("3", "1", "512", "0", "0"),
		":1: node 1 uses tensor 0, which node 'n3' makes later"},
	{EDGE_1 "Somas EDGE src=n0, srcstm=1, dst=n1, dststm=0, workspace=0, "
		"size=1, lifelong=0, tid=1, start=0, end=9",
		":2: node 0 is on stream 1, and on stream 0 in line 1"},
	{"Somas EDGE ERROR src=n4, srcstm=3, dst=nc-1dststm=nc",
		":1: a comma must follow what 'dst=n' says"},
	{EDGE_1 "Somas CONTIGUOUS 0 7", ":2: no line says what tensor 7 is"},
	{EDGE_1 "Somas CONTIGUOUS 0 x", ":2: 'x' must be ids"},
	{EDGE_1 "Somas GROUP 0 99999999999", ":2: '99999999999' must be ids"},
	{EDGE_1 "Somas\n", ":2: 'Somas' must be Somas EDGE, Somas CONTIG"},
};

Test(somas_log, refuses_with_line_and_reason)
{
	expect_refusals(log_refusals, countof(log_refusals));
}

static const char log_text[] =
	"Somas EDGE src=n0, srcstm=3, dst=n2, dststm=3, workspace=0, "
	"size=1000, lifelong=0, tid=0, start=0, end=4\n"
	"Somas EDGE src=n0, srcstm=3, dst=n4, dststm=3, workspace=0, "
	"size=1000, lifelong=0, tid=0, start=0, end=4\r\n"
	"Somas EDGE src=n2, srcstm=7, dst=n4, dststm=7, workspace=0, size=0, "
	"lifelong=2, tid=1, start=2, end=4\n"
	"Somas EDGE ERROR src=n4, srcstm=3, dst=nc, dststm=nc, workspace=0, "
	"size=5, lifelong=1, tid=4, start=4, end=4\n"
	"\n"
	"Somas CONTIGUOUS 0 4\nSomas CONTIGUOUS 4 0\n"
	"Somas GROUP 3 7\n";

Test(somas_log, nodes_are_ops_and_readers_keep_tensors)
{
	struct run run;
	const struct graph *g = &run.graph;

	read_text(&run, log_text);
	cr_expect_eq(g->n_ops, 3);
	cr_expect_str_eq(g->ops[1].name, "n2");
	cr_expect_eq(g->n_streams, 2, "streams 3 and 7 are 0 and 1");
	cr_expect_eq(g->ops[1].stream, 1, "as source, not as reader");
	cr_expect_eq(g->alignment, 512);
	cr_expect_eq(g->n_tensors, 3);
	cr_expect_eq(readers_of(&run, "0").n, 2);
	cr_expect(tensor_called(&run, "1")->from_start);
	cr_expect_not(tensor_called(&run, "1")->to_end);
	cr_expect(tensor_called(&run, "4")->from_start &&
		  tensor_called(&run, "4")->to_end);
	cr_expect_eq(g->ties.n_groups, 1, "the second has the same tensors");
	cr_expect_eq(g->ties.groups[0].members.n, 2);
	cr_expect_eq(g->ops[1].after.n, 0, "stream 3 does not end before 7");
	cr_expect(warned(&run, "of the tensors 0 to 4, 2 are not there"));
	cr_expect(warned(&run, "several streams"));
	run_close(&run);
}

Test(somas_log, stream_groups_order_streams)
{
	struct run run;

	read_text(&run,
		EDGE_1 "Somas EDGE src=n5, srcstm=2, dst=n6, dststm=2, "
		       "workspace=0, size=1, lifelong=0, tid=1, start=5, "
		       "end=6\nSomas GROUP 0 2 9\n");
	cr_assert_eq(run.graph.ops[2].after.n, 1);
	cr_expect_eq(run.graph.ops[2].after.at[0], 1);
	run_close(&run);
}

/* A tensor that has the bytes of another one has no readers in the log, but an
 * end. */
Test(somas_log, tensors_of_unknown_bytes_live_to_their_end)
{
	struct run run;

	read_text(&run,
		EDGE_1 "Somas EDGE ERROR src=n1, srcstm=0, dst=nc, dststm=nc, "
		       "workspace=0, size=8, lifelong=0, tid=1, start=1, "
		       "end=3\nSomas EDGE src=n2, srcstm=0, dst=n3, dststm=0, "
		       "workspace=0, size=8, lifelong=0, tid=2, start=2, "
		       "end=3\n");
	cr_expect_eq(readers_of(&run, "1").n, 1);
	cr_expect_eq(readers_of(&run, "1").at[0], 3);
	cr_expect(warned(&run, "the bytes of 1 tensor are those of others"));
	run_close(&run);
}

Test(somas_log, survives_cuts_memory_limits_and_changes)
{
	expect_robust((const char *[N_ROLES]){log_text});
	expect_mutations(log_text, 2000);
}

/* ---------------------------------------------------- solver output */

#define PLACED(id, size, offset)                                               \
	"\ntensor_id=" id "\tsize=" size "\toffset=" offset                    \
	"\tcontinuous=0\tsize_aligned=1\toffset_aligned=1"

static void expect_output_refusal(const char *output, const char *words)
{
	expect_refusal(
		(const char *[N_ROLES]){
			[ROLE_MAIN] = log_text, [ROLE_SOLUTION] = output},
		words);
}

Test(somas_output, places_the_tensors_of_a_dump)
{
	struct run run;
	const char *texts[N_ROLES] = {[ROLE_MAIN] = log_text,
		[ROLE_SOLUTION] =
			PLACED("0", "1024", "512") PLACED("9", "512", "0")};

	cr_assert(run_texts(&run, texts, 0), "%s", run.error.text);
	cr_expect(tensor_called(&run, "0")->placed);
	cr_expect_eq(tensor_called(&run, "0")->offset, 512);
	cr_expect_eq(tensor_called(&run, "0")->size, 1024);
	cr_expect(tensor_called(&run, "4")->external);
	cr_expect(warned(&run, "caller's memory, 1 in all, the first is 4"));
	cr_expect(warned(&run, "1 tensor left out, as not in net.json;"));
	run_close(&run);
	expect_robust(texts);
}

Test(somas_output, refuses_with_line_and_reason)
{
	expect_output_refusal(PLACED("0", "999", "0"),
		":2: tensor 0 has 999 bytes, in the graph 1000");
	expect_output_refusal(PLACED("0", "1024", "0") PLACED("0", "1024", "0"),
		":3: tensor 0 is placed in line 2 too");
	expect_output_refusal(
		PLACED("9", "1024", "0"), "it places no tensor of net.json");
	expect_output_refusal(PLACED("0", "1024", "-5"), ":2: '-5");
	expect_output_refusal(PLACED("0", "1024", "4611686018427387904"),
		":2: offset and size exceed 2^62");
	expect_output_refusal("tensor_id=0\tsi", ":1: 'si' must begin with");
}

/* ------------------------------------------------------ somas-input */

static const struct refusal input_refusals[] = {
	{"T 0 512 0\nT 1 512", ":2: '' must begin with an integer"},
	{"T 0 -512 0\n", ":1: '-512 0' must begin with an integer"},
	{"T 0 4611686018427387905 0\n", ":1: '4611686018427387905 0' must"},
	{"T 0 1 0\nT 0 1 0\n", ":2: tensor 0 is listed in line 1 too"},
	{"T 0 1 0\nC 0 1\n", ":2: no line above says what tensor 1 is"},
	{"T 0 1 0\nC 0 0\n", ":2: tensor 0 conflicts with itself"},
	{"T 0 1 0\nX 0 0\n", ":2: 'X 0 0' must begin with T, C or S"},
	{"T 0 1 0\nS 0 9\n", ":2: no line above says what tensor 9 is"},
	{"T 0 1 0\nT 1 1 0\n", "no line C says which tensors conflict"},
	{"T 0 1 0\nT 1 1 0\nT 2 1 0\nT 3 1 0\nC 0 2\nC 1 3\nC 2 3\nC 0 1\n",
		"conflict, which no lifetimes on one time line agree with"},
};

Test(somas_input, refuses_with_line_and_reason)
{
	expect_refusals(input_refusals, countof(input_refusals));
}

Test(somas_input, survives_cuts_memory_limits_and_changes)
{
	static const char text[] =
		"T 5 512 0\nT 2 1024 1\nT 7 0 0\nC 2 5\r\nC 7 5\nS 2 7\n";

	expect_robust((const char *[N_ROLES]){text});
	expect_mutations(text, 2000);
}

enum {
	MOST = 12
};

/* Lifetimes that begin in the order of the ids, as nodes run. */
static uint32_t draw_lives(
	uint64_t *state, uint32_t start[MOST], uint32_t end[MOST])
{
	uint32_t n = 2 + mp_testing_below(state, MOST - 1), at = 0;

	for (uint32_t i = 0; i < n; i++) {
		at += mp_testing_below(state, 3);
		start[i] = at;
		end[i] = at + 1 + mp_testing_below(state, 6);
	}
	return n;
}

static bool meet(
	const uint32_t *start, const uint32_t *end, uint32_t a, uint32_t b)
{
	return start[a] < end[b] && start[b] < end[a];
}

static uint32_t print_lives(
	char *text, uint32_t n, const uint32_t *start, const uint32_t *end)
{
	uint32_t pairs = 0;

	for (uint32_t i = 0; i < n; i++)
		text += sprintf(text, "T %u 512 0\n", i);
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++) {
			if (a == b || !meet(start, end, a, b))
				continue;
			text += sprintf(text, "C %u %u\n", a, b);
			pairs++;
		}
	return pairs;
}

static void expect_lives(const struct graph *graph, const uint32_t *start,
	const uint32_t *end, uint32_t trial)
{
	uint32_t found_start[MOST], found_end[MOST], n = graph->n_tensors;

	for (uint32_t i = 0; i < n; i++) {
		found_start[i] = graph->tensors[i].start;
		found_end[i] = graph->tensors[i].end;
	}
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++)
			cr_assert_eq(meet(start, end, a, b),
				meet(found_start, found_end, a, b),
				"%u: tensors %u and %u", trial, a, b);
}

Test(somas_input, finds_lifetimes_with_just_these_conflicts)
{
	uint64_t state = 1;

	for (uint32_t trial = 0; trial < 2000; trial++) {
		uint32_t start[MOST], end[MOST], n;
		char text[8192];
		struct run run;

		n = draw_lives(&state, start, end);
		if (print_lives(text, n, start, end) == 0)
			continue;
		read_text(&run, text);
		cr_assert_eq(run.graph.n_tensors, n);
		expect_lives(&run.graph, start, end, trial);
		run_close(&run);
	}
}
