/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "emit/sample.h"

static struct sample s;

/* By hand: under a sanitizer each strstr() walks the whole text. */
static uint32_t count(const char *text, const char *what)
{
	uint32_t n = 0, k;

	for (; *text; text++) {
		for (k = 0; what[k] && text[k] == what[k]; k++)
			;
		n += what[k] == '\0';
	}
	return n;
}

/* Those of the map have a tint, those of the legend none. */
static uint32_t count_rectangles(const char *text)
{
	return count(text, " t0") + count(text, " t1") + count(text, " t2");
}

Test(svg, draws_one_rectangle_a_part)
{
	const char *text;

	sample_chain(&s, 100);
	text = sample_emit(&s, "svg");
	cr_assert_eq(count_rectangles(text), 101);
	cr_assert_eq(count(text, "<title>"), 101 + 2);
	cr_assert(strstr(text, ">theoretical minimum</text>"));
	cr_assert(strstr(text, ">13312 bytes</text>"));
	cr_assert_not(strstr(text, "largest of"));
	sample_free(&s);
}

/* Op 1 starts at a third of the map; tensor 1 is as high as it is large. */
Test(svg, is_to_scale)
{
	sample_chain(&s, 3);
	s.plan.offsets[3] = 0;
	s.problem.n_parts = s.problem.n_buffers = 3;
	s.plan.arena_size = 8192 + 2048;
	cr_assert(strstr(sample_emit(&s, "svg"),
		"x=\"428\" y=\"92\" width=\"672\" height=\"127.2\"><title>"
		"tensor1\nactivation, 2048 bytes (2.00 KiB)\n"
		"at 8192, steps [1, 3)</title>"));
	sample_free(&s);
}

Test(svg, stays_small_and_says_what_it_left_out)
{
	const char *text;

	sample_chain(&s, 30000);
	text = sample_emit(&s, "svg");
	cr_assert_eq(count_rectangles(text), 20000);
	cr_assert(strstr(text, "the 20000 largest of 30001 rectangles"));
	cr_assert(strstr(text, "<path class=\"rest\" d=\"M"));
	cr_assert(s.sink.length < 6000000);
	sample_free(&s);
}

Test(svg, draws_an_empty_plan)
{
	sample_chain(&s, 1);
	s.problem.n_parts = s.problem.n_buffers = 0;
	s.problem.theoretical_min = s.plan.arena_size = 0;
	s.problem.items[0].buffer = s.problem.items[1].buffer = NONE;
	cr_assert(strstr(sample_emit(&s, "svg"), "no tensor takes any bytes"));
	sample_free(&s);
}
