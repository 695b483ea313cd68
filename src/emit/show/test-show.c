/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "testing/sample-plan.h"

static struct sample s;

static void survey(void)
{
	s.results.orders = NEW(&s.arena, struct order_result, 2);
	s.results.n_orders = 2;
	s.plan.offsets = NULL;
	s.results.orders[0] = (struct order_result){
		"keep", s.schedule.problem.theoretical_min, 0, NULL, 0, 0.25};
	s.results.orders[1] =
		(struct order_result){"other", 12288, 12000, "cut", 7, 1};
}

Test(show, lists_the_peak_and_the_orders)
{
	mp_testing_sample_chain(&s, 20);
	survey();
	cr_assert_str_eq(mp_testing_sample_emit(&s, "show"),
		"sample\n"
		"  ops          20\n"
		"  tensors      21\n"
		"  buffers      21, aligned to 512 bytes\n"
		"  no reuse     86016 bytes (84.00 KiB)\n"
		"  minimum      13312 bytes (13.00 KiB), at step 6\n"
		"\n"
		"peak at step 6, op op 6: 2 tensors, 13312 bytes (13.00 KiB)\n"
		"  bytes    share      sum  alive   tensor\n"
		"   7168   53.8 %   53.8 %  [6, 8)  tensor6\n"
		"   6144   46.2 %  100.0 %  [5, 7)  tensor5\n"
		"\n"
		"  order  minimum  ratio  ops moved  seconds\n"
		"  keep     13312  1.109          0  0.250\n"
		"  other    12288  1.024          7  1.000\n"
		"  no order needs less than 12000 bytes (11.72 KiB)\n");
	mp_testing_sample_free(&s);
}

Test(show, cuts_a_long_list_and_says_so)
{
	mp_testing_sample_chain(&s, 30);
	for (uint32_t i = 0; i < 30; i++)
		s.schedule.stay[i].start = s.schedule.problem.parts[i].start =
			0;
	for (uint32_t i = 0; i < 30; i++)
		s.schedule.stay[i].end = s.schedule.problem.parts[i].end = 30;
	survey();
	cr_assert(
		strstr(mp_testing_sample_emit(&s, "show"), "  and 10 more, "));
	mp_testing_sample_free(&s);
}

Test(show, has_the_same_for_machines)
{
	const char *text;

	mp_testing_sample_chain(&s, 20);
	survey();
	text = mp_testing_sample_emit(&s, "show-json");
	cr_assert(strstr(text, "\"peak_step\": 6,\n  \"peak_op\": \"op 6\",\n"
			       "  \"peak\": [\n"
			       "    {\"id\": 6, \"name\": \"tensor6\", "
			       "\"label\": \"tensor6\", "
			       "\"size\": 7168, \"start\": 6, \"end\": 8, "
			       "\"kind\": \"activation\"},\n"));
	cr_assert(strstr(text, "{\"name\": \"other\", "
			       "\"theoretical_min\": 12288, "
			       "\"lower_bound\": 12000, "
			       "\"bound_kind\": \"cut\", \"moved\": 7, "
			       "\"seconds\": 1.000}"));
	mp_testing_sample_free(&s);
}

/* Every verdict has a code of its own and a sentence. */
Test(show, has_words_for_all_outcomes_of_pairs)
{
	static struct inplace_outcome outcomes[N_INPLACE];
	char codes[N_INPLACE][32], why[64];
	const char *text;

	mp_testing_sample_chain(&s, 20);
	survey();
	for (uint8_t i = 0; i < N_INPLACE; i++)
		outcomes[i] = (struct inplace_outcome){3, 4, 3, 5, i};
	s.schedule.inplace = outcomes;
	s.schedule.n_inplace = N_INPLACE;
	text = mp_testing_sample_emit(&s, "show-json");
	cr_assert(strstr(text, "\"shared\": 1, \"outcomes\""));
	for (uint32_t i = 1; i < N_INPLACE; i++) {
		text = strstr(text + 1, "\"reason\"");
		cr_assert(text && sscanf(text,
					  "\"reason\": \"%31[a-z-]\", "
					  "\"why\": \"%63[^\"]",
					  codes[i], why) == 2,
			"verdict %u", i);
		cr_assert_gt(strlen(why), 10, "%s", why);
		for (uint32_t k = 1; k < i; k++)
			cr_assert_str_neq(codes[i], codes[k]);
	}
	mp_testing_sample_free(&s);
}
