/*
 * Graph JSON, plan JSON and io_info traces that are read and refused.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/testing.h"

/* ------------------------------------------------------------ graph */

#define GRAPH "{\"format\":\"memplan.graph\",\"version\":1,"
#define A "{\"name\":\"a\",\"size\":8}"
#define WITH_A GRAPH "\"tensors\":[" A "],\"ops\":["

static const struct refusal graph_refusals[] = {
	{"{}", "net.json: 'format' is missing"},
	{"[]", "net.json: an io_info trace needs"},
	{"{\"format\":\"x\",\"version\":1,\"tensors\":[]}",
		"/format: must be \"memplan.graph\", not \"x\""},
	{"{\"budgets\":[],\"format\":\"memplan.budget\",\"version\":1}",
		"must be \"memplan.graph\", not \"memplan.budget\""},
	{"{\"format\":\"memplan.graph\",\"tensors\":[]}", "'version' is miss"},
	{"{\"format\":\"memplan.graph\",\"version\":\"1\",\"tensors\":[]}",
		"/version: must be an integer"},
	{"{\"format\":\"memplan.graph\",\"version\":2.0,\"tensors\":[]}",
		"without fraction or exponent: write 2"},
	{"{\"format\":\"memplan.graph\",\"version\":2,\"tensors\":[]}",
		"/version: must be 1"},
	{GRAPH "\"tensors\":[],\"aligment\":1}",
		"unknown key 'aligment'; did you mean 'alignment'?"},
	{GRAPH "\"tensors\":[],\"alignment\":3}",
		"/alignment: must be a power of two from 1 to 1073741824"},
	{GRAPH "\"tensors\":[],\"alignment\":0}",
		"/alignment: must be a power"},
	{GRAPH "\"tensors\":[],\"groups\":[[1]]}",
		"/groups/0: must be an object"},
	{GRAPH "\"tensors\":[{\"id\":1,\"name\":\"a\",\"size\":8,"
	       "\"lifetime\":[0,2]}],\"groups\":[{\"members\":[1]},"
	       "{\"members\":[\"a\"]}]}",
		"/groups/1/members/0: tensor 'a' is in group 0 too"},
	{GRAPH "\"tensors\":[{\"name\":\"a\",\"size\":8,\"lifetime\":[0,2],"
	       "\"alias\":{\"of\":\"b\"}},{\"name\":\"b\",\"size\":8,"
	       "\"lifetime\":[0,2],\"alias\":{\"of\":\"a\"}}]}",
		"/tensors/0: tensor 'a', alias of 'b', is in the end its own"},
	{GRAPH "\"tensors\":[{\"name\":\"a\",\"size\":8,\"lifetime\":[0,2]},"
	       "{\"name\":\"b\",\"size\":8,\"lifetime\":[0,2],"
	       "\"alias\":{\"of\":\"a\",\"offset\":1}}]}",
		"/tensors/1/alias: bytes [1, 9) of tensor 'a' are not all"},
	{GRAPH "\"tensors\":{}}", "/tensors: must be a list, not an object"},
	{GRAPH "\"tensors\":[{\"size\":1}]}", "/tensors/0: needs an id or a"},
	{GRAPH "\"tensors\":[{\"id\":1}]}", "/tensors/0: 'size' is missing"},
	{GRAPH "\"tensors\":[{\"id\":1,\"size\":-1}]}",
		"net.json: /tensors/0/size: must be an integer from 0 to "
		"9007199254740992"},
	{GRAPH "\"tensors\":[{\"id\":1,\"size\":128.0}]}", "write 128"},
	{GRAPH "\"tensors\":[{\"id\":1,\"size\":1e3}]}", "write 1000"},
	{GRAPH "\"tensors\":[{\"id\":1,\"size\":1.5}]}", "must be an integer"},
	{GRAPH "\"tensors\":[{\"id\":1,\"size\":\"8\"}]}", ", not a string"},
	{GRAPH "\"tensors\":[{\"id\":1,\"size\":null}]}", ", not null"},
	{GRAPH "\"tensors\":[{\"id\":1,\"size\":true}]}", "not true or false"},
	{GRAPH "\"tensors\":[{\"id\":1.0,\"size\":1}]}", "/tensors/0/id: must"},
	{GRAPH "\"tensors\":[" A
	       ",{\"name\":\"b\",\"size\":1,\"kind\":\"wt\"}]}",
		"/tensors/1/kind: unknown kind 'wt'"},
	{GRAPH "\"tensors\":[" A "]}", "/tensors/0: needs a lifetime"},
	{GRAPH "\"tensors\":[{\"id\":1,\"size\":1,\"lifetime\":[2,2]}]}",
		"/tensors/0/lifetime: a lifetime [start, end) must start"},
	{GRAPH "\"tensors\":[{\"id\":1,\"size\":1,\"lifetime\":[2]}]}",
		"must be [start, end)"},
	{GRAPH "\"tensors\":[{\"id\":1,\"size\":1},{\"id\":1,\"size\":1}]}",
		"/tensors/1: tensor 0 has the id '1' too"},
	{WITH_A "{\"inputs\":[\"b\"]}]}",
		"/ops/0/inputs/0: no tensor is called 'b'"},
	{WITH_A "{\"inputs\":[7]}]}",
		"/ops/0/inputs/0: no tensor has the id 7"},
	{WITH_A "{}]}", "/tensors/0: no op produces tensor 'a': give it the "
			"kind input"},
	{WITH_A "{\"outputs\":[\"a\"]},{\"outputs\":[\"a\"]}]}",
		"tensor 'a' is produced twice"},
	{WITH_A "{\"name\":\"f\",\"inputs\":[\"a\"],\"outputs\":[\"a\"]}]}",
		"in a cycle of 1: 'f' (op 0)"},
	{WITH_A "{\"outputs\":[\"a\"],\"after\":[1]}]}", "there is no op 1"},
	{WITH_A "{\"outputs\":[\"a\"],\"after\":[\"g\"]}]}", "no op is called"},
	{WITH_A "{\"outputs\":[\"a\"],\"after\":[\"g\"]},{\"name\":\"g\"},"
		"{\"name\":\"g\"}]}",
		"several ops are called 'g'"},
	{WITH_A "{\"outputs\":[\"a\"],\"inplace\":[[\"a\",\"a\"]]}]}",
		"/ops/0/inplace/0/1: must be an input of this op"},
	{WITH_A "{\"outputs\":[\"a\"],\"cost_ms\":-1}]}", "/cost_ms: must be"},
	{WITH_A "{\"outputs\":[\"a\"],\"temporaries\":[{\"align\":8}]}]}",
		"/ops/0/temporaries/0: 'size' is missing"},
	{GRAPH "\"tensors\":[{\"name\":\"a\",\"size\":8,\"lifetime\":[0,2]}],"
	       "\"ops\":[{}]}",
		"/tensors/0: a lifetime must lie within the steps"},
	{GRAPH "\"tensors\":[{\"name\":\"a\",\"size\":8,\"offset\":100}],"
	       "\"ops\":[]}",
		"/tensors/0/offset: must be a multiple of the alignment 512"},
	{GRAPH "\"tensors\":[{\"id\":1,\"name\":\"a\",\"size\":8},"
	       "{\"id\":2,\"name\":\"a\",\"size\":8}],"
	       "\"ops\":[{\"outputs\":[\"a\"]}]}",
		"several tensors are called 'a'"},
};

Test(graph_json, refuses_with_pointer_and_reason)
{
	expect_refusals(graph_refusals, countof(graph_refusals));
}

static const char graph_text[] =
	GRAPH "\"name\":\"n\",\"alignment\":64,\"tensors\":["
	      "{\"id\":7,\"size\":100,\"kind\":\"input\"},"
	      "{\"id\":\"w/x\",\"name\":\"w\",\"size\":10,\"kind\":\"weight\"},"
	      "{\"id\":9,\"size\":100,\"align\":256,\"offset\":512},"
	      "{\"id\":10,\"size\":0,\"kind\":\"output\",\"external\":false}],"
	      "\"ops\":[{\"name\":\"f\",\"type\":\"t\",\"inputs\":[7,\"w\"],"
	      "\"outputs\":[9],\"temporaries\":[5,{\"size\":6,\"align\":128}],"
	      "\"inplace\":[[9,7]],\"cost_ms\":0.5},"
	      "{\"name\":\"g\",\"inputs\":[9,\"w/x\"],\"outputs\":[10],"
	      "\"after\":[\"f\",0]}]}";

Test(graph_json, reads_every_field)
{
	struct run run;
	const struct tensor *t;
	const struct op *ops;

	cr_assert(run_texts(&run, (const char *[N_ROLES]){graph_text}, 0), "%s",
		run.error.text);
	t = run.graph.tensors;
	ops = run.graph.ops;
	cr_assert_str_eq(run.graph.name, "n");
	cr_assert_eq(run.graph.alignment, 64);
	cr_assert_eq(run.graph.n_tensors, 6);
	cr_assert(t[0].id_is_number && strcmp(t[0].name, "7") == 0);
	cr_assert(t[1].external && !t[1].id_is_number);
	cr_assert(t[2].placed && t[2].offset == 512 && t[2].align == 256);
	cr_assert_eq(t[3].kind, KIND_OUTPUT);
	cr_assert_str_eq(t[5].id, "0:1");
	cr_assert(t[5].kind == KIND_TEMPORARY && t[5].align == 128);
	cr_assert(t[4].size == 5 && t[5].size == 6 && t[5].producer == 0);
	cr_assert_eq(ops[0].cost_us, 500);
	cr_assert_eq(ops[0].inputs.at[1], 1);
	cr_assert(
		ops[0].inplace[0].output == 2 && ops[0].inplace[0].input == 0);
	cr_assert(ops[1].after.n == 2 && ops[1].before.n == 1);
	run_close(&run);
	expect_robust((const char *[N_ROLES]){graph_text});
}

/* The one without bytes names a pool that the other does not. */
Test(graph_json, aligns_groups_by_pools_of_members_that_have_bytes)
{
	struct run run;
	static const char text[] =
		GRAPH "\"alignment\":1,\"pools\":["
		      "{\"name\":\"p\",\"alignment\":64},{\"name\":\"q\"}],"
		      "\"tensors\":["
		      "{\"id\":1,\"size\":0,\"lifetime\":[0,1],"
		      "\"pools\":[\"q\"]},"
		      "{\"id\":2,\"size\":5,\"lifetime\":[0,1]}],"
		      "\"groups\":[{\"members\":[1,2],\"before\":9}]}";

	cr_assert(run_texts(&run, (const char *[N_ROLES]){text}, 0), "%s",
		run.error.text);
	cr_expect_eq(run.graph.tensors[1].align, 64);
	run_close(&run);
}

/* ------------------------------------------------------------- plan */

#define PLAN "{\"format\":\"memplan.plan\",\"version\":1,\"alignment\":8,"

static const struct refusal plan_refusals[] = {
	{PLAN "\"arena\":1,\"tensors\":[]}", "unknown key 'arena'"},
	{PLAN "\"tensors\":[{\"id\":1,\"size\":8,\"start\":0,\"end\":1}]}",
		"/tensors/0: 'offset' is missing"},
	{PLAN "\"tensors\":[{\"id\":1,\"offset\":0,\"size\":8,\"start\":1,"
	      "\"end\":1}]}",
		"/tensors/0: a lifetime [start, end) must start"},
	{PLAN "\"order\":{\"name\":\"keep\",\"ops\":[-1]},\"tensors\":[]}",
		"/order/ops/0: must be an integer"},
};

static const char plan_text[] = PLAN
	"\"arena_size\":16,\"lower_bound\":16,\"bound_kind\":\"load\","
	"\"optimal\":true,\"planner\":\"auto\",\"theoretical_min\":16,"
	"\"order\":{\"name\":\"dfs\",\"ops\":[1,0]},\"tensors\":["
	"{\"id\":1,\"name\":\"a\",\"offset\":0,\"size\":8,\"start\":0,"
	"\"end\":2},"
	"{\"id\":\"1:0\",\"name\":\"t\",\"offset\":8,\"size\":8,\"start\":0,"
	"\"end\":1,\"kind\":\"temporary\"}],"
	"\"ops\":[{\"name\":\"g\",\"inputs\":[1]},{\"name\":\"f\","
	"\"outputs\":[1],\"temporaries\":[\"1:0\"],\"cost_us\":3}]}";

Test(plan_json, refuses_with_pointer_and_reason)
{
	expect_refusals(plan_refusals, countof(plan_refusals));
}

Test(plan_json, is_a_graph_that_knows_its_answers)
{
	struct run run;
	const struct tensor *t;

	cr_assert(run_texts(&run, (const char *[N_ROLES]){plan_text}, 0), "%s",
		run.error.text);
	t = run.graph.tensors;
	cr_assert(t[0].pinned && t[0].placed && t[1].offset == 8);
	cr_assert(t[1].kind == KIND_TEMPORARY && t[1].producer == 1);
	cr_assert_str_eq(run.graph.claims.order, "dfs");
	cr_assert_eq(run.graph.claims.ops.at[0], 1);
	cr_assert_eq(run.graph.ops[1].cost_us, 3);
	run_close(&run);
	expect_robust((const char *[N_ROLES]){plan_text});
}

/* ---------------------------------------------------------- io_info */

#define OP(id, in, out, release)                                               \
	"{\"op\":\"" id "th:1:Conv\",\"id\":" id ",\"inputs\":[" in            \
	"],\"outputs\":[" out "],\"temporary\":[],\"release\":[" release "]}"
#define TWO_OPS "[" OP("0", "", "0", "") "," OP("1", "0", "1", "0") "]"
#define SIZES "{\"0\":8,\"1\":16,\"0:0\":4,\"0:2\":5}"
#define EVENTS                                                                 \
	"[[[\"alloc\",\"0:2\"],[\"alloc\",\"0:0\"],[\"free\",\"0:2\"]],"       \
	"[[\"free\",\"0:0\"]]]"

static const struct {
	const char *texts[N_ROLES];
	const char *words;
} trace_refusals[] = {
	{{TWO_OPS, SIZES}, "needs its resize_info file"},
	{{TWO_OPS, SIZES, "[[]]"}, "resize.json: lists 1 op, but net.json has"},
	{{TWO_OPS, "{\"0\":8}", "[[],[]]"},
		"/1/outputs/0: sizes.json has no size for '1'"},
	{{TWO_OPS, "{\"0\":8,\"01\":8}", "[[],[]]"},
		"sizes.json: /01: must be"},
	{{TWO_OPS, "{\"0:1:2\":8}", "[[],[]]"}, "/0:1:2: must be called"},
	{{TWO_OPS, "{\"9:0\":8}", "[[],[]]"}, "/9:0: net.json has no op 9"},
	{{TWO_OPS, SIZES, "[[[\"free\",\"0:0\"]],[]]"},
		"resize.json: /0/0/1: '0:0' is freed but was not allocated"},
	{{TWO_OPS, SIZES, "[[[\"alloc\",\"0:7\"]],[]]"},
		"/0/0/1: sizes.json has no size for '0:7'"},
	{{TWO_OPS, SIZES, "[[],[[\"alloc\",\"0:0\"]]]"},
		"is a temporary of op 0, but op 1 allocates it"},
	{{TWO_OPS, SIZES,
		 "[[[\"alloc\",\"0:0\"],[\"free\",\"0:0\"],"
		 "[\"free\",\"0:0\"]],[]]"},
		"'0:0' was released by op 0 already"},
	{{TWO_OPS, SIZES, "[[[\"grow\",\"0:0\"]],[]]"}, "must be \"alloc\" or"},
	{{"[" OP("0", "3", "0", "") "]", "{\"0\":8}", "[[]]"},
		"net.json: /0/inputs/0: no op up to here makes a tensor 3"},
	{{"[" OP("0", "", "0", "0,0") "]", "{\"0\":8}", "[[]]"},
		"/0/release/1: '0' was released by op 0 already"},
	{{"[" OP("0", "", "0", "0") "," OP("1", "0", "1", "") "]", SIZES,
		 "[[],[]]"},
		"/1/inputs/0: '0' is read after op 0 released it"},
	{{"[" OP("0", "", "0", "") "," OP("1", "", "0", "") "]", SIZES,
		 "[[],[]]"},
		"/1/outputs/0: '0' is made twice"},
	{{"[" OP("5", "", "0", "") "]", "{\"0\":8}", "[[]]"},
		"/0/id: must be 0"},
	{{TWO_OPS, SIZES, EVENTS, "{\"2\":1}"},
		"costs.json: /2: must be called by the index"},
	{{WITH_A "]}", SIZES}, "sizes.json goes with an io_info trace"},
};

Test(io_info, refuses_with_pointer_and_reason)
{
	for (size_t i = 0; i < countof(trace_refusals); i++)
		expect_refusal(
			trace_refusals[i].texts, trace_refusals[i].words);
}

Test(io_info, reads_a_trace)
{
	static const char *const texts[N_ROLES] = {
		TWO_OPS, SIZES, EVENTS, "{\"1\":0.25}"};
	struct run run;
	const struct tensor *t;

	cr_assert(run_texts(&run, texts, 0), "%s", run.error.text);
	t = run.graph.tensors;
	cr_assert_eq(run.graph.n_tensors, 4);
	cr_assert_eq(run.graph.alignment, 512);
	cr_assert_str_eq(run.graph.name, "net");
	cr_assert_str_eq(run.graph.ops[0].type, "Conv");
	cr_assert_str_eq(t[2].id, "0:2");
	cr_assert_str_eq(t[3].id, "0:0");
	cr_assert_eq(mp_graph_readers(&run.graph, &t[2]).n, 0);
	cr_assert_eq(mp_graph_readers(&run.graph, &t[3]).at[0], 1);
	cr_assert(!t[0].to_end && t[1].to_end && !t[3].to_end);
	cr_assert_eq(run.graph.ops[1].cost_us, 250);
	cr_assert_eq(run.error.n_warnings, 1);
	run_close(&run);
	expect_robust(texts);
}
