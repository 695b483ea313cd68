/*
 * The run of a graph on the places of a plan, where an op uses a tensor that is
 * not there.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "street/street.h"
#include "verify/verify.h"

/* Op 0 makes a, which op 3 reads; in between it has a gap. The other tensors
 * come and go. */
static memplan *plan(const char *gap, uint32_t other)
{
	static char text[1000];
	memplan *m = memplan_new();

	snprintf(text, sizeof(text),
		"{\"format\":\"memplan.graph\",\"version\":1,\"alignment\":1,"
		"\"tensors\":[{\"name\":\"a\",\"size\":8,\"lifetime\":[0,4],"
		"\"gaps\":[%s]},{\"name\":\"b\",\"size\":%u},"
		"{\"name\":\"c\",\"size\":8,\"kind\":\"output\"},"
		"{\"name\":\"d\",\"size\":8,\"kind\":\"output\"}],"
		"\"ops\":[{\"outputs\":[\"a\"]},{\"outputs\":[\"b\"]},"
		"{\"inputs\":[\"b\"],\"outputs\":[\"c\"]},"
		"{\"inputs\":[\"a\"],\"outputs\":[\"d\"]}]}",
		gap, other);
	memplan_input(m, "graph", "gap", text, strlen(text));
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	return m;
}

/* The run of the graph in which op 2 reads tensor a too, or does not. */
static bool runs(const memplan *m, bool uses)
{
	static const uint32_t both[] = {0, 1};
	const struct schedule *s = m->plan.schedule;
	struct error error = {0};
	struct arena scratch = {.error = &error};
	struct graph graph = *s->graph;
	struct op ops[4];
	bool fine;

	memcpy(ops, graph.ops, sizeof(ops));
	if (uses)
		ops[2].inputs = (struct ids){both, 2};
	graph.ops = ops;
	graph.tensors = mp_arena_copy(&scratch, graph.tensors, graph.n_tensors,
		sizeof(*graph.tensors));
	for (uint32_t t = 0; t < graph.n_tensors; t++) {
		graph.tensors[t].placed = true;
		graph.tensors[t].offset = mp_plan_offset(&m->plan, t);
	}
	fine = mp_verify_run(&graph, s->order, &s->problem, &scratch, &error);
	mp_arena_free(&scratch);
	return fine;
}

static void expect(const char *gap, uint32_t other, bool shared, bool fine)
{
	memplan *m = plan(gap, other);

	cr_assert_eq(mp_plan_offset(&m->plan, 0) == mp_plan_offset(&m->plan, 1),
		shared);
	cr_assert(runs(m, false));
	cr_assert_eq(runs(m, true), fine, "gap %s, b has %u", gap, other);
	memplan_free(m);
}

/* Whether or not another tensor has its bytes meanwhile. */
Test(verify_run, finds_uses_in_a_gap)
{
	expect("[1,3]", 8, true, false);
	expect("[1,3]", 0, true, false);
}

/* What the gap keeps may be used. */
Test(verify_run, lets_ops_use_what_a_gap_keeps)
{
	expect("[1,3,0,4]", 4, false, true);
}

/* The run of a graph on the places that it is planned with. */
static void expect_run(const char *text)
{
	memplan *m = memplan_new();
	const struct schedule *s;

	memplan_input(m, "graph", "kept", text, strlen(text));
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	s = m->plan.schedule;
	for (uint32_t t = 0; t < m->graph.n_tensors; t++) {
		m->graph.tensors[t].placed = true;
		m->graph.tensors[t].offset = mp_plan_offset(&m->plan, t);
	}
	cr_assert(mp_verify_run(
			  s->graph, s->order, &s->problem, &m->run, &m->error),
		"%s", memplan_error(m));
	memplan_free(m);
}

/* What an op writes that shares no bytes is there from the first op on. */
Test(verify_run, takes_what_is_never_reused_for_there)
{
	expect_run(
		"{\"format\":\"memplan.graph\",\"version\":1,\"tensors\":["
		"{\"name\":\"a\",\"size\":8},{\"name\":\"b\",\"size\":8}],"
		"\"ops\":[{\"outputs\":[\"a\"]},{\"inputs\":[\"a\"],"
		"\"outputs\":[\"b\"],\"temporaries\":[8],\"reuse\":false}]}");
}

/* A view of it may be in no branch. */
Test(verify_run, has_no_view_of_what_another_branch_writes)
{
	expect_run("{\"format\":\"memplan.graph\",\"version\":1,\"tensors\":["
		   "{\"name\":\"a\",\"size\":8},{\"name\":\"b\",\"size\":8},"
		   "{\"name\":\"v\",\"size\":8,\"alias\":{\"of\":\"a\"}},"
		   "{\"name\":\"w\",\"size\":4,\"alias\":{\"of\":\"v\"}},"
		   "{\"name\":\"y\",\"size\":8,\"kind\":\"output\"}],"
		   "\"exclusive\":[[[\"a\"],[\"b\"]]],"
		   "\"ops\":[{\"outputs\":[\"a\"]},{\"outputs\":[\"b\"]},"
		   "{\"inputs\":[\"a\"],\"outputs\":[\"v\"]},"
		   "{\"inputs\":[\"v\"],\"outputs\":[\"w\"]},"
		   "{\"inputs\":[\"w\",\"b\"],\"outputs\":[\"y\"]}]}");
}

/* The run of two tensors without ops: a has the gaps, and the first 8 bytes of
 * b, which lives as given, begin at an offset. */
static bool runs_beside(const char *gaps, const char *lifetime, uint32_t offset)
{
	char text[500];
	memplan *m = memplan_new();
	const struct schedule *s;
	bool fine;

	snprintf(text, sizeof(text),
		"{\"format\":\"memplan.graph\",\"version\":1,\"alignment\":1,"
		"\"tensors\":[{\"name\":\"a\",\"size\":16,\"lifetime\":[1,5],"
		"\"offset\":0,\"gaps\":[%s]},{\"name\":\"b\",\"size\":8,"
		"\"lifetime\":[%s],\"offset\":16}]}",
		gaps, lifetime);
	memplan_input(m, "graph", "gaps", text, strlen(text));
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	s = m->plan.schedule;
	m->graph.tensors[1].offset = offset;
	fine = mp_verify_run(
		s->graph, s->order, &s->problem, &m->run, &m->error);
	memplan_free(m);
	return fine;
}

/* A gap may last from the start or to the end, and follow another at once. */
Test(verify_run, gives_up_what_no_gap_keeps)
{
	static const struct {
		const char *gaps, *lifetime;
		uint32_t offset;
		bool fine;
	} rows[] = {
		{"[3,5]", "3,5", 0, true},
		{"[3,5]", "2,5", 0, false},
		{"[3,5,0,8]", "3,5", 8, true},
		{"[3,5,0,8]", "3,5", 7, false},
		{"[1,3]", "1,3", 0, true},
		{"[1,3]", "1,4", 0, false},
		{"[1,3,0,8]", "1,3", 8, true},
		{"[1,3,0,8]", "1,3", 7, false},
		{"[1,2],[2,4]", "1,4", 0, true},
		{"[2,3],[3,5]", "2,5", 0, true},
		{"[2,3,0,8],[3,5,8,16]", "3,5", 0, true},
		{"[2,3,0,8],[3,5,8,16]", "2,3", 8, true},
		{"[2,3,0,8],[3,5,8,16]", "2,5", 8, false},
		{"[2,3,0,8],[3,5,8,16]", "2,5", 0, false},
	};

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_assert_eq(runs_beside(rows[i].gaps, rows[i].lifetime,
				     rows[i].offset),
			rows[i].fine, "%u: %s", i, rows[i].gaps);
}

/* Op 0 writes a, and so many more; op 1, on another stream, writes b, which op
 * 2 reads. The run with b in the place of a, after op 0 or at any time. */
static bool runs_on_streams(const char *b, uint32_t more)
{
	static char text[1000000];
	size_t n = 0;
	memplan *m = memplan_new();
	const struct schedule *s;
	bool fine;

	n += (size_t)snprintf(text + n, sizeof(text) - n,
		"{\"format\":\"memplan.graph\",\"version\":1,\"alignment\":1,"
		"\"tensors\":[{\"name\":\"a\",\"size\":8},"
		"{\"name\":\"b\",\"size\":8}");
	for (uint32_t i = 0; i < more; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			",{\"name\":\"c%u\",\"size\":1}", i);
	n += (size_t)snprintf(
		text + n, sizeof(text) - n, "],\"ops\":[{\"outputs\":[\"a\"");
	for (uint32_t i = 0; i < more; i++)
		n += (size_t)snprintf(
			text + n, sizeof(text) - n, ",\"c%u\"", i);
	snprintf(text + n, sizeof(text) - n,
		"]},{\"outputs\":[\"b\"],%s},{\"inputs\":[\"b\"],%s}]}", b, b);
	memplan_input(m, "graph", "streams", text, strlen(text));
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	s = m->plan.schedule;
	for (uint32_t t = 0; t < m->graph.n_tensors; t++) {
		m->graph.tensors[t].placed = true;
		m->graph.tensors[t].offset = t < 2 ? 0 : 6 + t;
	}
	fine = mp_verify_run(
		s->graph, s->order, &s->problem, &m->run, &m->error);
	memplan_free(m);
	return fine;
}

/* However many streams and cells there are. */
Test(verify_run, finds_what_another_stream_may_use)
{
	cr_assert(runs_on_streams("\"stream\":0", 0));
	cr_assert(!runs_on_streams("\"stream\":1", 0));
	cr_assert(runs_on_streams("\"stream\":1,\"after\":[0]", 0));
	cr_assert(!runs_on_streams("\"stream\":2100", 8200));
}
