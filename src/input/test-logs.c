/* SPDX-License-Identifier: MIT */
#include "input/testing.h"

/* ------------------------------------------------------------------ ge-log */

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
		":2: graph 'h', but line 1 has 'g'"},
	{SET_A "[IMAS]Set g name[b] output[0] offset to [0] memtype[17] "
	       "realsize[1] life time begin[3] life time end[4] isref[0]",
		":2: memory type '17', but line 1 has '2'"},
	{SET_A "[IMAS]Set g name[b] output[0] offset to [0] batch[x] "
	       "realsize[1] life time begin[3] life time end[4] isref[0]\n"
	       "[IMAS]Set g name[c] output[0] offset to [0] batch[y] "
	       "realsize[1] life time begin[3] life time end[4] isref[0]\n",
		":3: batch label 'y', but line 2 has 'x'"},
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
	cr_expect(warned(&run, "takes 8192 bytes, the tensors reach 4608"));
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

Test(ge_log, survives_every_cut_and_every_memory_limit)
{
	expect_robust((const char *[N_ROLES]){ge_text});
}
