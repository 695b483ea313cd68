/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "testing/sample-plan.h"

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

	mp_testing_sample_chain(&s, 100);
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert_eq(count_rectangles(text), 101);
	cr_assert_eq(count(text, "<title>"), 101 + 2);
	cr_assert(strstr(text, ">theoretical minimum</text>"));
	cr_assert(strstr(text, ">13312 bytes</text>"));
	cr_assert_not(strstr(text, "largest of"));
	mp_testing_sample_free(&s);
}

/* Op 1 starts at a third of the map; tensor 1 is as high as it is large. */
Test(svg, is_to_scale)
{
	mp_testing_sample_chain(&s, 3);
	s.plan.offsets[3] = 0;
	s.schedule.problem.n_parts = s.schedule.problem.n_buffers = 3;
	s.schedule.stay[3].buffer = NONE;
	s.plan.arena_size = 8192 + 2048;
	cr_assert(strstr(mp_testing_sample_emit(&s, "svg"),
		"x=\"428\" y=\"92\" width=\"672\" height=\"127.2\"><title>"
		"tensor1\nactivation, 2048 bytes (2.00 KiB)\n"
		"at 8192, steps [1, 3)</title>"));
	mp_testing_sample_free(&s);
}

Test(svg, stays_small_and_says_what_it_left_out)
{
	const char *text;

	mp_testing_sample_chain(&s, 30000);
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert_eq(count_rectangles(text), 20000);
	cr_assert(strstr(text, "the 20000 largest of 30001 rectangles"));
	cr_assert(strstr(text, "<path class=\"rest\" d=\"M"));
	cr_assert(s.sink.length < 6000000);
	mp_testing_sample_free(&s);
}

Test(svg, draws_an_empty_plan)
{
	mp_testing_sample_chain(&s, 1);
	s.schedule.problem.n_parts = s.schedule.problem.n_buffers = 0;
	s.schedule.problem.theoretical_min = s.plan.arena_size = 0;
	s.schedule.stay[0].buffer = s.schedule.stay[1].buffer = NONE;
	cr_assert(strstr(mp_testing_sample_emit(&s, "svg"),
		"no tensor takes any bytes"));
	mp_testing_sample_free(&s);
}

/* ------------------------------------------------------------ pools */

/* Tensor i of a chain lies in space i % n; the first one is limited. */
static void scatter(struct space *spaces, uint32_t *of, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		spaces[k] = (struct space){.name = k ? "<slow>" : "fast",
			.capacity = k ? NO_CAPACITY : 32768,
			.alignment = 512,
			.theoretical_min = 4096};
	for (uint32_t i = 0; i < s.schedule.problem.n_buffers; i++) {
		struct space *space = &spaces[of[i] = i % n];

		space->n_buffers++;
		space->size = num_max(space->size,
			s.plan.offsets[i] + s.schedule.problem.buffers[i].size);
	}
	s.plan.spaces = (struct spaces){.at = spaces, .n = n, .of = of};
}

Test(svg, draws_a_panel_a_pool)
{
	struct space spaces[3];
	uint32_t of[101];
	const char *text;

	mp_testing_sample_chain(&s, 100);
	scatter(spaces, of, 3);
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert_eq(count_rectangles(text), 101);
	cr_assert_eq(count(text, "<rect class=\"frame\""), 3);
	cr_assert_eq(count(text, ">&lt;slow&gt;</tspan>"), 2);
	cr_assert_eq(count(text, "<path class=\"cap\" d=\"M92 "), 1);
	cr_assert_eq(count(text, ">step</text>"), 1);
	cr_assert(strstr(text, ": 3 pools, together "));
	mp_testing_sample_free(&s);
}

Test(svg, counts_pools_beyond_the_last_panel)
{
	struct space spaces[20];
	uint32_t of[101];
	const char *text;

	mp_testing_sample_chain(&s, 100);
	scatter(spaces, of, 20);
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert_eq(count(text, "<rect class=\"frame\""), 16);
	cr_assert_eq(count_rectangles(text), 81);
	cr_assert(strstr(text, ">and 4 more pools, with "));
	cr_assert_not(strstr(text, "largest of"));
	mp_testing_sample_free(&s);
}

/* Above what lies there the scale stretches to three times that. */
Test(svg, does_not_flatten_what_lies_in_a_large_pool)
{
	struct space spaces[2];
	uint32_t of[4];
	const char *text;

	mp_testing_sample_chain(&s, 3);
	scatter(spaces, of, 2);
	spaces[0].capacity = spaces[0].size * 100;
	spaces[1].size = spaces[1].theoretical_min = 0;
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert(strstr(text, ">\342\206\221 capacity "));
	cr_assert_eq(count(text, "<path class=\"cap\" d=\"M92 "), 0);
	cr_assert_eq(count(text, ">nothing lies here</text>"), 1);
	mp_testing_sample_free(&s);
}

/* --------------------------------------------------------- timeline */

static const uint64_t in_use[] = {1000, 4000, 2000};
static const uint64_t small[] = {1000, 4000, 4000}, large[] = {9, 99, 999999};

/* Steps 0 to 2 of a chain, on one pool and on another that takes very much. */
static void simulate(struct simulation *at)
{
	at[0] = (struct simulation){.name = "small",
		.reserved = 4000,
		.in_use = 4000,
		.in_use_at = in_use,
		.reserved_at = small};
	at[1] = (struct simulation){.name = "large",
		.reserved = 999999,
		.in_use = 4000,
		.in_use_at = in_use,
		.reserved_at = large};
	mp_testing_sample_chain(&s, 3);
	s.results.simulations = at;
	s.results.n_simulations = 2;
	s.plan.arena_size = 8000;
}

/* The upper edge is a sixteenth above the arena: 8500 bytes on 150 units. */
Test(svg, timeline_is_to_one_scale)
{
	struct simulation at[2];
	const char *text;

	simulate(at);
	text = mp_testing_sample_emit(&s, "timeline-svg");
	cr_assert(strstr(text,
		"<path class=\"used\" d=\"M84 272V254.36H257.33V201.42H430.66"
		"V236.71H604V272\"/>"));
	cr_assert(strstr(text,
		"<path class=\"held\" d=\"M84 272V254.36H257.33V201.42H430.66"
		"V201.42H604\"/>"));
	cr_assert_eq(count(text, "<path class=\"top\""), 2 + 1);
	cr_assert_eq(count(text, ">step</text>"), 2);
	cr_assert(strstr(text, "small\nreserved 4000 bytes (3.91 KiB)\n"));
	mp_testing_sample_free(&s);
}

Test(svg, timeline_cuts_what_is_beyond_the_scale)
{
	struct simulation at[2];
	const char *text;

	simulate(at);
	text = mp_testing_sample_emit(&s, "timeline-svg");
	cr_assert_eq(count(text, "beyond the scale"), 1);
	cr_assert(strstr(text, "976.56 KiB reserved, beyond the scale"));
	cr_assert(strstr(text, "V122H1228\"/>"));
	mp_testing_sample_free(&s);
}

Test(svg, timeline_says_that_it_is_empty)
{
	mp_testing_sample_chain(&s, 3);
	cr_assert(strstr(mp_testing_sample_emit(&s, "timeline-svg"),
		"nothing was simulated"));
	s.schedule.problem.theoretical_min = s.schedule.problem.listed_min = 0;
	s.plan.arena_size = 0;
	cr_assert(strstr(mp_testing_sample_emit(&s, "timeline-svg"),
		"no tensor takes any bytes"));
	mp_testing_sample_free(&s);
}
