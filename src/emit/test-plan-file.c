/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "testing/sample-plan.h"

static struct sample s;

Test(plan, says_what_reading_it_again_needs)
{
	mp_testing_sample_chain(&s, 3);
	s.graph.tensors[1].external = true;
	s.graph.tensors[2].align = 4096;
	cr_assert_str_eq(mp_testing_sample_emit(&s, "plan"),
		"{\n"
		"  \"format\": \"memplan.plan\",\n"
		"  \"version\": 1,\n"
		"  \"name\": \"sample\",\n"
		"  \"arena_size\": 20480,\n"
		"  \"theoretical_min\": 5120,\n"
		"  \"lower_bound\": 5120,\n"
		"  \"bound_kind\": \"load\",\n"
		"  \"optimal\": false,\n"
		"  \"alignment\": 512,\n"
		"  \"planner\": \"linear\",\n"
		"  \"order\": {\"name\": \"keep\", \"ops\": [0, 1, 2]},\n"
		"  \"tensors\": [\n"
		"    {\"id\": 0, \"name\": \"tensor0\", \"offset\": 0, "
		"\"size\": 1000, \"start\": 0, \"end\": 2, "
		"\"kind\": \"input\"},\n"
		"    {\"id\": 2, \"name\": \"tensor2\", \"offset\": 0, "
		"\"size\": 3000, \"start\": 2, \"end\": 3, "
		"\"kind\": \"output\", \"align\": 4096},\n"
		"    {\"id\": \"3\", \"name\": \"0:0\", \"offset\": 16384, "
		"\"size\": 4000, \"start\": 0, \"end\": 1, "
		"\"kind\": \"temporary\"}\n"
		"  ],\n"
		"  \"ops\": [\n"
		"    {\"name\": \"op 0\", \"inputs\": [], \"outputs\": [0], "
		"\"temporaries\": [\"3\"]},\n"
		"    {\"name\": \"op 1\", \"type\": \"conv\", \"inputs\": [0], "
		"\"outputs\": [], \"temporaries\": [], \"cost_us\": 1},\n"
		"    {\"name\": \"op 2\", \"type\": \"conv\", \"inputs\": [], "
		"\"outputs\": [2], \"temporaries\": [], \"cost_us\": 2}\n"
		"  ]\n"
		"}\n");
	mp_testing_sample_free(&s);
}

Test(plan, keeps_what_a_plan_file_claimed)
{
	const char *text;

	mp_testing_sample_chain(&s, 2);
	s.plan.planner = "given";
	s.plan.claimed_bound = s.plan.arena_size;
	s.plan.claimed_kind = "pin";
	s.schedule.problem.claimed_planner = "search";
	text = mp_testing_sample_emit(&s, "plan");
	cr_assert(strstr(text, "\"planner\": \"search\""));
	cr_assert(strstr(text, "\"bound_kind\": \"pin\""));
	text = mp_testing_sample_emit(&s, "result");
	cr_assert(strstr(text, "\"bound_kind\": \"load\""));
	cr_assert(strstr(text, "\"optimal\": false"));
	cr_assert(strstr(text, "\"claimed\": true"));
	mp_testing_sample_free(&s);
}

Test(result, is_one_object_of_numbers)
{
	mp_testing_sample_chain(&s, 20);
	s.plan.seconds = 0.5;
	cr_assert_str_eq(mp_testing_sample_emit(&s, "result"),
		"{\n"
		"  \"name\": \"sample\",\n"
		"  \"ops\": 20,\n"
		"  \"tensors\": 21,\n"
		"  \"buffers\": 21,\n"
		"  \"alignment\": 512,\n"
		"  \"order\": \"keep\",\n"
		"  \"planner\": \"linear\",\n"
		"  \"arena_size\": 23552,\n"
		"  \"theoretical_min\": 13312,\n"
		"  \"lower_bound\": 13312,\n"
		"  \"bound_kind\": \"load\",\n"
		"  \"lower_bound_order\": 0,\n"
		"  \"lower_bound_order_kind\": null,\n"
		"  \"ratio\": 1.769230769,\n"
		"  \"optimal\": false,\n"
		"  \"total_size\": 86016,\n"
		"  \"peak_step\": 6,\n"
		"  \"cut_short\": false,\n"
		"  \"seconds\": 0.500\n"
		"}\n");
	mp_testing_sample_free(&s);
}

Test(csv, builds_rows_of_tensors)
{
	const char *const names[] = {"x", "y", "z"};

	mp_testing_sample_make(&s, names, 3);
	s.graph.tensors[0].id = "=1+1,\"q\"";
	s.graph.tensors[0].id_is_number = false;
	s.graph.tensors[1].external = true;
	cr_assert_str_eq(mp_testing_sample_emit(&s, "csv"),
		"id,lower,upper,size,offset\n"
		"\"'=1+1,\"\"q\"\"\",0,2,1000,0\n"
		"2,2,3,3000,0\n"
		"3,0,1,4000,16384\n");
	mp_testing_sample_free(&s);
}

Test(csv, keeps_rows_of_a_csv)
{
	const char *const names[] = {"x", "y"};

	const char *rows[] = {"8,a,0,1,", "7,b,0,1,red", "7,b,0,1,red"};

	mp_testing_sample_make(&s, names, 2);
	s.graph.csv_header = "size,id,lower,upper,colour";
	s.graph.csv_rows = rows;
	cr_assert_str_eq(mp_testing_sample_emit(&s, "csv"),
		"size,id,lower,upper,colour,offset\n"
		"8,a,0,1,,0\n7,b,0,1,red,8192\n7,b,0,1,red,16384\n");
	mp_testing_sample_free(&s);
}

Test(summary, is_aligned_and_exact)
{
	mp_testing_sample_chain(&s, 20);
	s.plan.seconds = 0.5;
	cr_assert_str_eq(mp_testing_sample_emit(&s, "summary"),
		"sample\n"
		"  ops          20\n"
		"  tensors      21\n"
		"  buffers      21, aligned to 512 bytes\n"
		"  order        keep\n"
		"  planner      linear\n"
		"  arena        23552 bytes (23.00 KiB)\n"
		"  minimum      13312 bytes (13.00 KiB), at step 6\n"
		"  lower bound  13312 bytes (13.00 KiB), alive at once\n"
		"  no reuse     86016 bytes (84.00 KiB), saving 72.6 %\n"
		"  ratio        1.769, not proved optimal\n"
		"  planning     0.500 s\n");
	mp_testing_sample_free(&s);
}
