/*
 * CSV files that are read and refused.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "input/testing.h"

static const struct refusal csv_refusals[] = {
	{"id,lower,upper\na,0,1\n", "net.json:1: the header has no column 's"},
	{"id;lower;upper;size\n", ":1: the header has no column 'id'"},
	{"id,lower,upper,size,size\n", ":1: column 'size' must be named once"},
	{"id,lower,upper,end,size\n", "'end' must be left out"},
	{"id,x,x,lower,upper,size\n", "column 'x' must be named once"},
	{"id,lower,upper,size\na,0,1\n", ":2: 3 cells where the header has 4"},
	{"id,lower,upper,size\na,0,1,2,3\n", ":2: 5 cells"},
	{"id,lower,upper,size,offset\na,0,1,2\n", ":2: 4 cells where the"},
	{"id,lower,upper,size\n\"a\",0,1,2\n", ":2: quoted cells"},
	{"id,lower,upper,size\na,2,1,2\n", ":2: upper '1' must be greater"},
	{"id,lower,upper,size\na,1,1,2\n", "[lower, upper) is empty"},
	{"id,lower,end,size\na,2,1,2\n", ":2: end '1' must be at least lower"},
	{"id,lower,upper,size\na,0,1,-2\n", ":2: size '-2' must be an int"},
	{"id,lower,upper,size\na,0,1,1 2\n", ":2: size '1 2' must be"},
	{"id,lower,upper,size\na,0,1,1_000\n", "size '1_000'"},
	{"id,lower,upper,size\na,0,1,4.0\n", "size '4.0'"},
	{"id,lower,upper,size\na,0,1,\n", ":2: size '' must be"},
	{"id,lower,upper,size\na,0,1,\xef\xbc\x91\n", "must be an integer"},
	{"id,lower,upper,size\na,0,9223372036854775808,1\n",
		":2: upper '9223372036854775808' must be a signed 64-bit"},
	{"id,lower,upper,size\na,0,1,4611686018427387905\n", "size '46116"},
	{"id,lower,upper,size\na,0,1,1\na,0,1,1\n", ":3: id 'a' is taken by l"},
	{"id,lower,upper,size\n,0,1,1\n", ":2: the id is empty"},
	{"id,lower,upper,size\na,0,1,1\n\nb,0,1,1\n", ":3: an empty line"},
	{"id,lower,upper,size\na,0,1,1\001\n",
		":2: the line contains a control"},
	{"id,lower,upper,size\na\xff,0,1,1\n", ":2: not valid UTF-8"},
	{"id,lower,upper,size,gaps\na,0,9,1,3-\n", ":2: gaps '3-' must be"},
	{"id,lower,upper,size,gaps\na,0,9,1,5-3\n",
		":2: gaps '5-3' must start before"},
	{"id,lower,upper,size,gaps\na,0,9,1,2-4 3-5\n",
		":2: gaps '2-4 3-5' must ascend"},
	{"id,lower,upper,size,gaps\na,0,9,1,8-10\n",
		":2: gaps '8-10' must lie within"},
	{"id,lower,upper,size,gaps\na,0,9,1,2-4@0:2\n",
		":2: gaps '2-4@0:2' can only keep"},
	{"id,lower,upper,size,gaps\na,0,9,1,2-4@\n", ":2: gaps '2-4@' must"},
	{"id,lower,upper,size,gaps\na,0,9,1,0-9\n",
		":2: gaps '0-9' must leave"},
	{"id,lower,upper,size,alignment\na,0,1,1,3\n", "alignment '3' must be"},
	{"id,lower,upper,size,offset\na,0,1,1,-2\n", "offset '-2' must be"},
	{"pool,id,lower,upper,size,offset\nx,a,0,1,1,0\n ,b,0,1,1,7\n"
	 "y,c,0,1,1,\n",
		":3: an offset, but in column 'pool' not which of several "
		"memories it counts from"},
};

Test(csv, refuses_with_line_and_reason)
{
	expect_refusals(csv_refusals, countof(csv_refusals));
}

static const char csv_text[] = "size,id,offset,note,end,alignment,start\r\n"
			       "7,b,64,hm,-1,,-9223372036854775808\r\n"
			       "8, a b ,,,9000,16,0\r\n"
			       "0,\xc3\xa9,-1,,5,1,5";

Test(csv, reads_any_order_aliases_and_offsets)
{
	struct run run;
	const struct tensor *t;

	cr_assert(run_texts(&run, (const char *[N_ROLES]){csv_text}, 0), "%s",
		run.error.text);
	t = run.graph.tensors;
	cr_assert_eq(run.graph.n_tensors, 3);
	cr_assert_str_eq(t[0].id, "b");
	cr_assert_str_eq(t[1].name, "a b");
	cr_assert_str_eq(
		run.graph.csv_header, "size,id,note,end,alignment,start");
	cr_assert_str_eq(
		run.graph.csv_rows[0], "7,b,hm,-1,,-9223372036854775808");
	cr_assert_str_eq(run.graph.csv_rows[2], "0,\xc3\xa9,,5,1,5");
	cr_assert(t[0].placed && t[0].offset == 64);
	cr_assert(!t[1].placed && !t[2].placed);
	cr_assert_eq(t[1].align, 16);
	cr_assert_eq(run.graph.n_steps, 4);
	for (uint32_t i = 0; i < 3; i++)
		cr_assert(t[i].pinned);
	cr_assert_eq(run.graph.times[t[0].start], INT64_MIN);
	cr_assert_eq(run.graph.times[t[0].end], 0);
	cr_assert_eq(run.graph.times[t[1].end], 9001);
	cr_assert_eq(run.graph.times[t[2].start], 5);
	cr_assert_eq(run.graph.times[t[2].end], 6);
	run_close(&run);
	expect_robust((const char *[N_ROLES]){csv_text});
}

static const char csv_pools[] = "pool,id,lower,upper,size,offset\n"
				"on chip,a,0,3,4,0\n"
				",b,0,3,4,-1\n"
				"dram#1,c,0,3,4,0\n"
				"on chip,d,0,3,4,4\n";

static void expect_pool(const struct graph *graph, uint32_t t, const char *name)
{
	const struct pool_list *list =
		&graph->pool_lists[graph->tensors[t].pools];

	cr_assert_eq(list->n, 1);
	cr_assert_str_eq(graph->pools[list->at[0]].name, name);
}

Test(csv, reads_pools)
{
	struct run run;

	cr_assert(run_texts(&run, (const char *[N_ROLES]){csv_pools}, 0), "%s",
		run.error.text);
	cr_assert_eq(run.graph.n_pools, 2);
	cr_assert_eq(run.graph.pools[0].capacity, NO_CAPACITY);
	expect_pool(&run.graph, 0, "on chip");
	expect_pool(&run.graph, 2, "dram#1");
	expect_pool(&run.graph, 3, "on chip");
	cr_assert_eq(run.graph.tensors[1].pools, 0);
	cr_assert_eq(run.graph.pool_lists[0].n, 2);
	cr_assert_str_eq(run.graph.csv_header, "id,lower,upper,size");
	cr_assert_not(run.graph.csv_rows);
	run_close(&run);
	expect_robust((const char *[N_ROLES]){csv_pools});
}

/* What a program would print otherwise is kept, with what is wrong with it. */
static const char csv_odd[] = "id,lower,upper,size,offset\n"
			      "a,-3,12,4,0\n"
			      "b,-03,12,4,\n"
			      "c, 0,3,4,\n"
			      "d,-0,3,4,\n"
			      "\xc3\xa9,0,3,9,-1\r\n"
			      "f,0,3,0,7\n"
			      "g,0,3,+4,7\n";

Test(csv, keeps_rows_that_are_not_plain)
{
	static const char *const rows[] = {
		NULL, "b,-03,12,4", "c, 0,3,4", "d,-0,3,4", NULL, NULL};
	char text[sizeof(csv_odd)] = "";
	struct run run;

	memcpy(text, csv_odd, strlen(csv_odd) - strlen("g,0,3,+4,7\n"));
	cr_assert(run_texts(&run, (const char *[N_ROLES]){text}, 0), "%s",
		run.error.text);
	cr_assert_eq(run.graph.n_tensors, countof(rows));
	for (uint32_t i = 0; i < countof(rows); i++) {
		const char *row = run.graph.csv_rows[i];

		cr_assert(rows[i] ? row && strcmp(row, rows[i]) == 0 : !row);
	}
	run_close(&run);
	cr_assert_not(run_texts(&run, (const char *[N_ROLES]){csv_odd}, 0));
	cr_assert(strstr(run.error.text, ":8: size '+4' must be"));
	run_close(&run);
	expect_robust((const char *[N_ROLES]){text});
}

/* Dense times are counted, sparse ones sorted. */
Test(csv, numbers_steps_of_dense_and_of_sparse_times)
{
	char text[8000] = "id,lower,upper,size,gaps\n";
	uint64_t random;
	struct run runs[2];

	for (int sparse = 0; sparse < 2; sparse++) {
		long long unit = sparse ? 1000000007 : 1;

		random = 7;
		text[strlen("id,lower,upper,size,gaps\n")] = '\0';
		for (uint32_t i = 0; i < 60; i++) {
			long long from = mp_testing_below(&random, 90) - 40LL;
			long long to = from + 3 + mp_testing_below(&random, 30);

			sprintf(text + strlen(text), "%u,%lld,%lld,9,", i,
				from * unit, to * unit);
			if (i % 3 == 0)
				sprintf(text + strlen(text), "%lld-%lld",
					(from + 1) * unit, (to - 1) * unit);
			strcat(text, "\n");
		}
		cr_assert(run_texts(&runs[sparse],
				  (const char *[N_ROLES]){text}, 0),
			"%s", runs[sparse].error.text);
	}
	cr_assert_eq(runs[0].graph.n_steps, runs[1].graph.n_steps);
	for (uint32_t k = 0; k <= runs[0].graph.n_steps; k++)
		cr_assert_eq(runs[0].graph.times[k] * 1000000007,
			runs[1].graph.times[k]);
	for (uint32_t i = 0; i < 60; i++) {
		const struct tensor *t = &runs[0].graph.tensors[i];
		const struct tensor *u = &runs[1].graph.tensors[i];

		cr_assert(t->start == u->start && t->end == u->end);
	}
	for (uint32_t i = 0; i < 20; i++) {
		const struct lifetime_gap *t = &runs[0].graph.ties.gaps[i];
		const struct lifetime_gap *u = &runs[1].graph.ties.gaps[i];

		cr_assert(t->start == u->start && t->end == u->end);
	}
	run_close(&runs[0]);
	run_close(&runs[1]);
}

/* Each of the ways to read a row, one after the other. */
Test(csv, finds_ids_that_repeat)
{
	static const char *const texts[] = {
		"id,lower,upper,size\nb,0,1,1\na,0,1,1\nb,0,1,1\n",
		"id,lower,upper,size\nb,0,1,1\na,0,1,01\nb,0,1,1\n",
		"id,lower,upper,size\nb,0,1,1\na,0,1,1\nb,0,1,01\n",
		"id,lower,upper,size\nb,0,1,01\nb,0,1,1"};
	struct run run;

	for (size_t i = 0; i < countof(texts); i++) {
		cr_assert_not(
			run_texts(&run, (const char *[N_ROLES]){texts[i]}, 0));
		cr_assert(strstr(run.error.text, ": id 'b' is taken by line 2"),
			"%s", run.error.text);
		run_close(&run);
	}
}

/* Of so many none could be chosen; that a plan of chunks has them is fine. */
Test(csv, reads_more_pools_than_a_graph_has)
{
	char text[8000] = "id,lower,upper,size,pool,offset\n";
	struct run run;

	for (uint32_t i = 0; i < 100; i++)
		sprintf(text + strlen(text), "%u,0,1,9,dram#%u,0\n", i, i);
	cr_assert(run_texts(&run, (const char *[N_ROLES]){text}, 0), "%s",
		run.error.text);
	cr_assert_eq(run.graph.n_pools, 100);
	run_close(&run);
	strcat(text, "b,0,1,9,,\n");
	cr_assert_not(run_texts(&run, (const char *[N_ROLES]){text}, 0));
	cr_assert(strstr(run.error.text, ":102: column 'pool' is empty, and of "
					 "more than 64 memories none is"));
	run_close(&run);
}
