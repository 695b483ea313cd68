/*
 * Logs of GE and of SOMAS: graphs that are read, warnings, and lines that are
 * refused.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/testing.h"

/* ----------------------------------------------------------- ge-log */

#define SET(name, where, offset, size, begin, end)                             \
	"12:00 [IMAS]Set g name[" name "] optype[Add] " where " offset to "    \
	"[" offset "] streamid[0] memtype[2] size[9999] realsize[" size        \
	"] noalignsize[100] life time begin[" begin "] life time end[" end     \
	"] child[0:1:0:0:1] isref[0] batch[], block_type[0]\n"

#define SET_A SET("a", "output[0]", "0", "512", "1", "2")

static const struct refusal ge_refusals[] = {
	{"[IMAS]Set g name[a] optype[Add] output[0] off",
		":1: the line is cut"},
	{SET_A "[IMAS]Set g name[b] output[0] offset to [0] size[1]",
		":2: the line is cut off: no 'realsize[...]'"},
	{"[IMAS]Set g name[b] output[0] offset to [0] realsize[1] size[2]",
		":1: the line is cut off: no 'life time begin[...]'"},
	{"[IMAS]Set g name[b] output[0] offset to [0] realsize[1] life time "
	 "begin[3] life time end[4",
		":1: the line is cut off: no 'life time end[...]'"},
	{"[IMAS]Set g name[b] output[0] offset to [0] realsize[1] life time "
	 "begin[3] life time end[4] isr",
		":1: the line is cut off: no 'isref[...]'"},
	{SET("a", "output[0]", "-1", "512", "1", "2"),
		":1: offset '-1' must be an integer"},
	{SET("a", "output[0]", "4611686018427387904", "512", "1", "2"),
		":1: offset and size exceed 2^62"},
	{SET("a", "output[0]", "0", "99999999999999999999", "1", "2"),
		":1: realsize '99999999999999999999' must be an integer"},
	{SET("a", "output[0]", "0", "512", "4", "2"),
		":1: 'a:0' ends at 2, before it begins at 4"},
	{SET("a", "output[0]", "0", "512", "4294967296", "2"),
		":1: life time begin '4294967296' must be ids"},
	{SET("a", "output[0]", "0", "512", "1", "2--x"),
		":1: life time end '2--x' must be ids"},
	{SET("a", "output[x]", "0", "512", "1", "2"), ":1: 'output[x]' must"},
	{SET("a", "scratch[0]", "0", "512", "1", "2"), ":1: 'scratch[0]' must"},
	{SET("a\001", "output[0]", "0", "512", "1", "2"), ":1: the name holds"},
	{SET_A SET("a", "output[0]", "512", "512", "1", "2"),
		":2: 'a:0' is set again, and otherwise than by line 1"},
	{SET_A "[IMAS]Set h name[b] output[0] offset to [0] realsize[1] life "
	       "time begin[3] life time end[4] isref[0]",
		": several graphs, each a plan of its own: name one with "
		"--graph: 'g', 'h'"},
	{SET("a", "output[0]", "0", "512", "1", "-2"),
		":1: life time end '-2' must be ids"},
	{"[IMAS]AfterAssignMemory : g memoffset[512], memtype[2]\n",
		"no line '[IMAS]Set ...' in it"},
	{SET_A "[IMAS]AfterAssignMemory : g memoffset[x], memtype[2]\n",
		":2: memoffset 'x' must be"},
	{SET_A "[IMAS]Continuous input : Set g name[a] output[0] offs",
		":2: the line is cut off"},
};

Test(ge_log, refuses_with_line_and_reason)
{
	expect_refusals(ge_refusals, countof(ge_refusals));
}

static const char ge_text[] = "noise [INFO] x\n" SET(
	"a[1] b", "output[0]", "0", "512", "1--3", "2") SET("c", "workspace[1]",
	"512", "1024", "3", "3") SET("c", "output[0]", "0", "512", "3",
	"4--9--6") "[EVENT] [IMAS]Set g name[d] output[0] offset to [0] "
		   "streamid[3] "
		   "memtype[2] size[1] realsize[512] life time begin[5-7] life "
		   "time "
		   "end[12] isref[1] [IMAS]Set g name[e] output[1] offset to "
		   "[2048] "
		   "streamid[0] realsize[512] life time begin[11] life time "
		   "end[4294967295] isref[0]\r\n"
		   "[IMAS]Continuous input : Set g name[c] optype[X] "
		   "workspace[1] offset "
		   "to [1024] stream_id[0] memtype[2] size[0] realsize[700] "
		   "nopadding[1]\n"
		   "[IMAS]Atomic output : Set g name[f] optype[X] output[0] "
		   "offset to "
		   "[4096] stream_id[0] memtype[2] size[512] real_size[512] "
		   "batch[].\n"
		   "[IMAS]SetAtomicCleanAttr : Set g atomic_node name[z] "
		   "output[0] offset "
		   "to [1 2 ] streamid[0] size[3 4 ]\n"
		   "[IMAS]Something else\n"
		   "[IMAS]AfterAssignMemory : g memoffset[8192], memtype[2], "
		   "x[1]\n";

Test(ge_log, reads_what_GE_says_of_each_tensor)
{
	struct run run;
	const struct tensor *t;

	read_text(&run, ge_text);
	cr_expect_str_eq(run.graph.name, "g");
	cr_expect_eq(run.graph.n_tensors, 5);
	cr_expect_eq(run.graph.alignment, 512);
	t = tensor_called(&run, "a[1] b:0");
	cr_expect(t->placed && t->pinned && t->size == 512 && t->offset == 0);
	cr_expect_eq(run.graph.times[t->start], 1);
	cr_expect_eq(run.graph.times[t->end], 3, "last id 2 is closed");
	t = tensor_called(&run, "c:0");
	cr_expect_eq(run.graph.times[t->end], 13, "the reference d is in it");
	t = tensor_called(&run, "c:workspace:1");
	cr_expect(t->offset == 1024 && t->size == 700, "moved, no padding");
	t = tensor_called(&run, "e:1");
	cr_expect_eq(run.graph.times[t->end], 13, "never ends: the last step");
	t = tensor_called(&run, "f:0");
	cr_expect_eq(run.graph.times[t->start], 0, "no life time: throughout");
	cr_expect(warned(&run, "(1 in all): 'd:0' with 'c:0'"));
	cr_expect(warned(&run, "several streams"));
	cr_expect(warned(&run, "(1 in all): 'f:0'"));
	cr_expect(warned(&run, "(1 in all): 'c:workspace:1'"));
	cr_expect(warned(&run,
		"takes 8192 bytes of memory type '2', the tensors reach 4608"));
	run_close(&run);
}

Test(ge_log, offsets_between_lines_of_512_keep_the_others_aligned)
{
	struct run run;

	read_text(&run, SET_A SET("b", "output[0]", "544", "512", "1", "2"));
	cr_expect_eq(run.graph.alignment, 32);
	cr_expect_eq(tensor_called(&run, "a:0")->align, 512);
	cr_expect_eq(tensor_called(&run, "b:0")->align, 0);
	run_close(&run);
}

Test(ge_log, the_same_line_twice_is_once)
{
	struct run run;

	read_text(&run, SET_A SET_A);
	cr_expect_eq(run.graph.n_tensors, 1);
	run_close(&run);
}

/* A line with all that tells tensors apart. */
#define LINE(                                                                  \
	name, where, offset, stream, memory, size, begin, end, child, batch)   \
	"[IMAS]Set g name[" name "] optype[Add] " where " offset to [" offset  \
	"] streamid[" stream "] memtype[" memory "] size[" size                \
	"] realsize[" size "] noalignsize[" size "] life time begin[" begin    \
	"] life time end[" end "] child[" child "] isref[0] batch[" batch      \
	"], block_type[0]\n"

#define PLAIN(name, offset, size, begin, end)                                  \
	LINE(name, "output[0]", offset, "0", "2", size, begin, end,            \
		"0:1:0:0:1", "")

static bool read_graph(struct run *run, const char *text, const char *graph)
{
	struct input input = {.graph = graph};

	*run = (struct run){0};
	run->arena.error = &run->error;
	input.files[ROLE_MAIN] =
		(struct input_file){"ge.log", text, strlen(text)};
	return mp_input_read(&input, &run->graph, &run->arena, &run->error);
}

Test(ge_log, reads_the_graph_that_is_named)
{
	static const char text[] = SET_A
		"[IMAS]Set h name[b] output[0] offset to [0] memtype[2] "
		"realsize[64] life time begin[3] life time end[4] isref[0]\n"
		"[IMAS]AfterAssignMemory : h memoffset[512], memtype[2]\n";
	struct run run;

	cr_assert(read_graph(&run, text, "h"), "%s", run.error.text);
	cr_expect_str_eq(run.graph.name, "h");
	cr_expect_eq(run.graph.n_tensors, 1);
	cr_expect_eq(run.error.n_warnings, 0, "64 bytes reach 512, rounded");
	run_close(&run);
	cr_expect_not(read_graph(&run, text, "i"));
	cr_expect(strstr(
		run.error.text, "no graph 'i' in it; there is 'g', 'h'"));
	run_close(&run);
	cr_expect_not(read_graph(&run, "id,lower,upper,size\n1,0,1,1\n", "h"));
	cr_expect_eq(run.error.code, MEMPLAN_EUSAGE);
	run_close(&run);
}

#define FROM(process) "[INFO] GE(" process ",python3):2026 [b.cc:1]7 S:"

/* Both compile g: lines of the second come between a tensor and its reference,
 * and say otherwise. */
Test(ge_log, reads_the_lines_of_one_process)
{
	struct run run;

	read_text(&run,
		FROM("41") SET_A FROM("42")
			SET("a", "output[0]", "512", "512", "1", "2") FROM(
				"41") "[IMAS]Set g name[r] output[0] offset to "
				      "[0] memtype[2] "
				      "realsize[512] life time begin[3] life "
				      "time end[4] isref[1]\n" FROM(
					      "42") "[IMAS]AfterAssignMemory : "
						    "g memoffset[9], "
						    "memtype[2]\n");
	cr_expect_eq(run.graph.n_tensors, 1);
	expect_life(&run, "a:0", 1, 5);
	cr_expect(warned(&run, "several processes: the lines of 41 are read; "
			       "grep '(42,' keeps those"));
	cr_expect_not(warned(&run, "takes 9 bytes"));
	run_close(&run);
}

Test(ge_log, each_memory_type_is_a_pool)
{
	struct run run;

	read_text(&run, PLAIN("a", "0", "512", "1", "2") LINE("b", "output[0]",
				"0", "0", "17", "512", "1", "2", "0:1:0:0:1",
				"") LINE("c", "output[0]", "0", "0", "77",
				"512", "1", "2", "0:1:0:0:1", ""));
	cr_assert_eq(run.graph.n_pools, 3);
	cr_expect_str_eq(run.graph.pools[0].name, "hbm");
	cr_expect_str_eq(run.graph.pools[1].name, "p2p_ddr");
	cr_expect_str_eq(run.graph.pools[2].name, "memtype_77");
	for (uint32_t i = 0; i < 3; i++) {
		const struct pool_list *list =
			&run.graph.pool_lists[run.graph.tensors[i].pools];

		cr_expect(list->n == 1 && list->at[0] == i);
	}
	run_close(&run);
}

Test(ge_log, what_GE_does_not_share_lives_throughout)
{
	struct run run;

	read_text(&run, PLAIN("a", "0", "512", "0", "9") LINE("alone",
				"output[0]", "512", "0", "2", "512", "3", "4",
				"0:0:0:0:1", "") LINE("shared", "output[0]",
				"1024", "0", "2", "512", "3", "4", "0:0:0:0:1",
				"") PLAIN("b", "1024", "64", "5", "6"));
	expect_life(&run, "alone:0", 0, 10);
	expect_life(&run, "shared:0", 3, 5);
	cr_expect(warned(
		&run, "shares none of the 512 bytes of these, 0 of them"));
	run_close(&run);
}

/* Two streams: the ends of 'a' are 3 and never, and 'b' has its bytes from 5
 * on; no tensor has those of 'c'. */
Test(ge_log, several_ends_last_until_the_bytes_are_given_away)
{
	struct run run;

	read_text(&run,
		LINE("a", "output[0]", "0", "1", "2", "1024", "1",
			"3--4294967295", "0:1:0:0:1", "") PLAIN("early", "1024",
			"512", "4", "4") PLAIN("b", "512", "512", "5", "7")
			PLAIN("later", "0", "512", "6", "7")
				LINE("c", "output[0]", "2048", "1", "2", "512",
					"1", "3--6", "0:1:0:0:1", ""));
	expect_life(&run, "a:0", 1, 5);
	expect_life(&run, "c:0", 1, 7);
	cr_expect(warned(&run, "by stream, and are taken to live until GE "
			       "gives their bytes away (1 in all): 'a:0'"));
	run_close(&run);
	read_text(&run,
		LINE("a", "output[0]", "0", "0", "2", "1024", "1", "3--6",
			"0:1:0:0:1", "") PLAIN("b", "512", "512", "5", "7"));
	expect_life(&run, "a:0", 1, 7);
	run_close(&run);
}

/* The area that GE makes for the larger batch is not a tensor. */
Test(ge_log, batches_are_branches)
{
	struct run run;

	read_text(&run,
		PLAIN("x", "0", "512", "0", "1") LINE("n", "workspace[0]",
			"512", "0", "2", "1024", "1", "3", "0:1:1:0:1",
			"L") LINE("n", "output[0]", "512", "0", "2", "512", "1",
			"2", "1:1:0:0:1", "L") LINE("n", "workspace[0]", "1024",
			"0", "2", "512", "1", "1", "1:1:0:0:1", "L")
			LINE("m", "output[0]", "512", "0", "2", "512", "1", "2",
				"1:1:0:0:1", "S"));
	cr_assert_eq(run.graph.n_tensors, 4);
	cr_expect_eq(tensor_called(&run, "n:workspace:0")->size, 512);
	cr_assert_eq(run.graph.ties.n_branches, 3);
	cr_expect_eq(run.graph.ties.branches[1].branch, 0);
	cr_expect_eq(run.graph.ties.branches[2].branch, 1);
	cr_expect_eq(run.graph.ties.branches[2].tensor, 3);
	run_close(&run);
}

#define MOVE(name, offset, size, nopadding)                                    \
	"[IMAS]Continuous input : Set g name[" name "] optype[X] output[0] "   \
	"offset to [" offset                                                   \
	"] stream_id[0] memtype[2] size[0] realsize[" size                     \
	"] nopadding[" nopadding "]\n"

/* 'b' and 'd' have no lines of their own: they live as their neighbours do. */
Test(ge_log, neighbours_are_groups)
{
	struct run run;

	read_text(&run,
		PLAIN("a", "0", "1024", "2", "4") PLAIN("c", "1024", "1024",
			"3", "4") PLAIN("e", "4096", "1024", "2",
			"4") "[Assign][Memory:Input:Continuous]start for "
			     "Current node x\n" MOVE("a", "0", "600", "1") MOVE(
				     "b", "600", "424",
				     "1") "[Assign][Memory:Input:Continuous]"
					  "start for Current node y\n" MOVE("c",
						  "1024", "512", "0") MOVE("d",
						  "1536", "512", "0") MOVE("e",
						  "4096", "512", "0"));
	cr_expect_eq(run.graph.alignment, 8);
	cr_assert_eq(run.graph.ties.n_groups, 2);
	cr_expect_eq(run.graph.ties.groups[0].members.n, 2);
	cr_expect_eq(run.graph.ties.groups[1].members.n, 2);
	expect_life(&run, "b:0", 2, 5);
	expect_life(&run, "d:0", 3, 5);
	cr_expect(warned(&run, "beside each other, which a plan of memplan's "
			       "own need not (1 in all): 'e:0'"));
	run_close(&run);
}

/* Both turns of a pool are one, and GE's never is 64 bits wide here. */
Test(ge_log, prefetched_buffers_are_one)
{
	struct run run;

	read_text(&run,
		PLAIN("a", "0", "512", "0", "18446744073709551615") LINE("p",
			"output[0]", "1024", "0", "2", "1024", "0", "0",
			"0:0:0:0:0", "") LINE("q", "output[0]", "1536", "0",
			"2", "1024", "0", "0", "0:0:0:0:0", "") LINE("r",
			"output[0]", "4096", "0", "2", "512", "0", "0",
			"0:0:0:0:0", "") PLAIN("b", "512", "512", "2", "-1"));
	cr_expect_eq(run.graph.n_tensors, 4);
	cr_expect_eq(tensor_called(&run, "p:0")->size, 1536);
	expect_life(&run, "p:0", 0, 3);
	expect_life(&run, "r:0", 0, 3);
	expect_life(&run, "b:0", 2, 3);
	run_close(&run);
}

Test(ge_log, survives_cuts_memory_limits_and_changes)
{
	static const char rich[] = LINE("a", "output[0]", "0", "1", "2", "1024",
		"1", "3--9", "0:1:0:0:1", "") PLAIN("b", "512", "512", "5", "7")
		LINE("c", "output[0]", "0", "0", "17", "64", "1", "2",
			"0:1:0:0:1", "") MOVE("b", "512", "512", "0")
			MOVE("d", "1024", "512", "0");

	expect_robust((const char *[N_ROLES]){ge_text});
	expect_robust((const char *[N_ROLES]){rich});
	expect_mutations(ge_text, 2000);
	expect_mutations(rich, 2000);
}
