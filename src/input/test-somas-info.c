/*
 * SOMAS's dumps of its model.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/testing.h"

#define TENSOR(id, size, offset, life)                                         \
	"%" id "T\t#" size "S\t#100S\t&" offset "\tCommon\t" life              \
	"\t0\t3\tnode\n"
#define NODE(id, in, out, given, stream)                                       \
	"$" id "\tnode" id "\t0\tinputs[" in "]\toutputs[" out                 \
	"]\tworkspace[]\tctrl_inputs[" given                                   \
	"]\tctrl_outputs[]\tstreamID[@" stream "]\n"
#define NONE_LONG "LifeLongNone"
#define HEAD "All Parameters:\n\n%0P\t#8S\tw\t0\n\n\nAll Tensors:\n\nindex:\n"

static const struct refusal info_refusals[] = {
	{HEAD "%0T\t#512S\t#1", ":9: the line is cut off or not what it"},
	{HEAD "%0T\t#512\t#1S\t&0\t", ":9: the line is cut off or not what it "
				      "should be: sizes like #512S"},
	{HEAD "%0T\t#-1S\t#1S\t&0\t", "sizes like #512S"},
	{HEAD "%0T\t#512S\t#1S\t&-3\t", "an offset like &512"},
	{HEAD TENSOR("0", "512", "4611686018427387904", NONE_LONG),
		":9: offset and size exceed 2^62"},
	{HEAD TENSOR("0", "512", "0", "Forever"), "LifeLongNone, -GraphAll"},
	{HEAD TENSOR("0", "512", "0", NONE_LONG)
			TENSOR("0", "512", "0", NONE_LONG),
		":10: tensor 0 is listed in line 9 too"},
	{HEAD NODE("0", "", "%7T, ", "", "0"),
		":9: no line above says what tensor 7 is"},
	{HEAD "$0\tnode\t0\tinputs[%0", ":9: the line is cut off or not what "
					"it should be: ] behind a list"},
	{HEAD "$0\tnode\t0\tinputs[]\n", "streamID[@N] of a node"},
	{HEAD "$0\tnode\t0\twhat[]\n", "lists like inputs[...]"},
	{HEAD "$0\tnode\t0\tinputs[%0X]\n", "T, CT or P behind an id"},
	{HEAD NODE("0", "", "", "", "0") NODE("0", "", "", "", "0"),
		":10: node 0 is listed in line 9 too"},
	{HEAD NODE("0", "", "", "", "x"), "a stream like streamID[@0]"},
	{HEAD TENSOR("0", "512", "0", NONE_LONG) TENSOR(
		 "1", "512", "512", NONE_LONG) NODE("0", "", "%0T, %1T, ", "",
		 "0") "union tensors: [%0T %1T ]\n",
		":12: tensors 0 and 1 have the same bytes, yet lie at 0 and 5"},
	{HEAD TENSOR("0", "512", "0", NONE_LONG) NODE("0", "%0T, ", "", "", "0")
			NODE("1", "", "%0T, ", "", "0"),
		":10: node 0 uses tensor 0, which node 'node1' makes later"},
	{HEAD TENSOR("0", "512", "0", NONE_LONG), "no nodes or no tensors"},
	{HEAD "stm0 stmx\n", ":9: the line is cut off or not what it should"},
	{HEAD "Total Memory Size after reused:-1\n", "the size behind"},
};

Test(somas_info, refuses_with_line_and_reason)
{
	expect_refusals(info_refusals, countof(info_refusals));
}

/* Node 2 on stream 1 has an event from node 1; 1 is written anew as 2. */
#define INFO(total)                                                            \
	HEAD TENSOR("0", "512", "0", "LifeLongGraphStart") TENSOR(             \
		"1", "512", "512", NONE_LONG) TENSOR("2", "512", "512",        \
		NONE_LONG) TENSOR("3", "0", "0",                               \
		"LifeLongGraphEnd") "%4CT\t#0S\t#0S\t&"                        \
				    "0\tControl\tLifeLongNone\t1\t2\tn\n"      \
				    "\n\nAll Nodes:\n\n" NODE("0", "%0P, ",    \
					    "%0T, ", "",                       \
					    "0") "$1\ta b\t1\tinputs[%0T, "    \
						 "]\toutputs[%1T, "            \
						 "]\tworkspace[]\t"            \
						 "ctrl_inputs[]\tctrl_"        \
						 "outputs[%4CT, "              \
						 "]\tstreamID[@0]\n" NODE("2", \
							 "%1T, ",              \
							 "%2T, %3T, ",         \
							 "%4CT, ",             \
							 "6") "\nAll Union "   \
							      "Tensors "       \
							      "Info:"          \
							      "\n\nunion "     \
							      "tensors: [%1T " \
							      "%2T ]\n"        \
							      "\nAll "         \
							      "Original "      \
							      "Contiguous "    \
							      "Tensors "       \
							      "Info:\n\n"      \
							      "contiguous "    \
							      "tensors: [%0T " \
							      "%3T ]\n"        \
							      "\nAll "         \
							      "Processed "     \
							      "Contiguous "    \
							      "Tensors "       \
							      "Info:\n\n"      \
							      "contiguous "    \
							      "tensors: [%0T " \
							      "%2T ]\n\nAll "  \
							      "Stream "        \
							      "Groups:"        \
							      "\n\nstm0 stm6 " \
							      "\n"             \
							      "\nTotal "       \
							      "Memory Size "   \
							      "after "         \
							      "reused:" total

Test(somas_info, is_a_graph_with_events_unions_and_offsets)
{
	struct run run;
	const struct graph *g = &run.graph;

	read_text(&run, INFO("1024"));
	cr_expect_eq(g->n_ops, 3);
	cr_expect_str_eq(g->ops[1].name, "a b");
	cr_expect_eq(g->n_streams, 2);
	cr_expect_eq(g->n_tensors, 3, "1 and 2 are one");
	cr_expect_eq(tensor_called(&run, "1")->producer, 1);
	cr_expect_eq(readers_of(&run, "1").n, 1);
	cr_expect(tensor_called(&run, "1")->placed);
	cr_expect_eq(tensor_called(&run, "1")->offset, 512);
	cr_expect(tensor_called(&run, "0")->from_start);
	cr_expect_eq(g->ops[2].after.n, 2, "an event and a group of streams");
	cr_expect_eq(g->ties.n_groups, 1);
	cr_expect_eq(g->ties.groups[0].members.n, 2);
	cr_expect(warned(&run, "the first is 2, which is one with 1"));
	run_close(&run);
}

Test(somas_info, without_a_solution_nothing_is_placed)
{
	struct run run;

	read_text(&run, INFO("0"));
	cr_expect_not(tensor_called(&run, "1")->placed);
	run_close(&run);
}

/* On Ascend, 512 bytes more are in the sizes of the first and the last of a
 * list, and the first begins behind them; 4 has the bytes of 0 and stays in
 * front of them. */
#define GUARDED                                                                \
	HEAD TENSOR("0", "1024", "512", NONE_LONG) TENSOR("1", "512", "1024",  \
		NONE_LONG) TENSOR("2", "1024", "1536", NONE_LONG) TENSOR("3",  \
		"1536", "3072", NONE_LONG) TENSOR("4", "512", "0", NONE_LONG)  \
		NODE("0", "", "%0T, %1T, %2T, %3T, ", "", "0")                 \
			NODE("1", "%0T, %1T, %2T, ", "%4T, ", "", "0")

static void expect_guards(const struct run *run, uint32_t group, uint32_t n)
{
	const struct tensor_group *g = &run->graph.ties.groups[group];

	cr_assert_lt(group, run->graph.ties.n_groups);
	cr_expect_eq(g->members.n, n);
	cr_expect(g->before == 512 && g->after == 512);
}

Test(somas_info, guards_are_no_bytes_of_the_tensors)
{
	struct run run;

	read_text(&run, GUARDED "union tensors: [%0T %4T ]\n"
				"All Original Contiguous Tensors Info:\n"
				"contiguous tensors: [%0T %1T %2T ]\n"
				"contiguous tensors: [%3T ]\n"
				"All Processed Contiguous Tensors Info:\n"
				"contiguous tensors: [%0T %1T %2T ]\n"
				"contiguous tensors: [%3T ]\n");
	for (const char *id = "0123"; *id; id++)
		cr_expect_eq(tensor_called(&run, (char[]){*id, 0})->size, 512);
	cr_expect_eq(tensor_called(&run, "0")->offset, 512);
	expect_guards(&run, 0, 3);
	expect_guards(&run, 1, 1);
	run_close(&run);
}

/* On processors: 0 -> 1 -> 3 and 0 -> 2, each on a stream of its own. */
Test(somas_info, chains_of_nodes_are_streams)
{
	struct run run;
	const struct graph *g = &run.graph;

	read_text(&run,
		HEAD TENSOR("0", "512", "0", NONE_LONG) TENSOR("1", "512", "0",
			NONE_LONG) TENSOR("2", "512", "0", NONE_LONG)
			TENSOR("3", "512", "0", NONE_LONG) NODE("0", "",
				"%0T, ", "", "0") NODE("1", "%0T, ", "%1T, ",
				"", "1") NODE("2", "%0T, ", "%2T, ", "", "2")
				NODE("3", "%1T, ", "%3T, ", "", "3"));
	cr_assert_eq(g->n_ops, 4);
	cr_expect_eq(g->n_streams, 2);
	cr_expect_eq(g->ops[1].stream, g->ops[0].stream);
	cr_expect_neq(g->ops[2].stream, g->ops[0].stream);
	cr_expect_eq(g->ops[3].stream, g->ops[1].stream);
	run_close(&run);
}

/* Up to 2021: addresses, whether lifelong, and no lists. */
Test(somas_info, collectives_have_lists_where_none_are_told)
{
	struct run run;

	read_text(&run, HEAD
		"%0T\t#1024S\t#100S\t&512\t&0x7f00\tRefNodeInput\t0\t0"
		"\t1\tn\n%1T\t#1024S\t#100S\t&1024\t&0\tCommon\t1\t0"
		"\t1\tn\n" NODE("0", "", "%0T, %1T, ", "",
			"0") "$1\tall\t1\tinputs[%0P, %0T, %1T, ]\toutputs[]\t"
			     "workspace[]\tstreamID[@0]\n");
	cr_expect_eq(tensor_called(&run, "1")->offset, 1024);
	cr_expect(tensor_called(&run, "1")->to_end);
	cr_expect_not(tensor_called(&run, "0")->to_end);
	cr_expect_eq(run.graph.ties.n_groups, 1);
	expect_guards(&run, 0, 2);
	run_close(&run);
}

Test(somas_info, survives_cuts_memory_limits_and_changes)
{
	expect_robust((const char *[N_ROLES]){INFO("1024")});
	expect_robust((const char *[N_ROLES]){
		GUARDED "contiguous tensors: [%0T %1T %2T ]\n"});
	expect_mutations(INFO("1024"), 2000);
	expect_mutations(GUARDED "contiguous tensors: [%0T %1T %2T ]\n", 2000);
}
