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

/* Those of the map have a width in front of their tooltip or end. */
static uint32_t count_rectangles(const char *text)
{
	const char *map = strstr(text, "<g class=\"map\">");
	uint32_t n = 0;

	for (; map; map = strstr(map + 1, "<g class=\"map\">")) {
		const char *end = strstr(map, "</g>");

		for (const char *at = map; at < end; at++)
			n += strncmp(at, "<rect ", 6) == 0;
	}
	return n;
}

Test(svg, draws_one_rectangle_a_part)
{
	const char *text;

	mp_testing_sample_chain(&s, 100);
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert_eq(count_rectangles(text), 101);
	cr_assert_eq(count(text, "<title>"), 101 + 1);
	cr_assert(strstr(text, ", theoretical minimum 13.00 KiB</text>"));
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
		"x=\"478.66\" y=\"140\" width=\"781.34\" height=\"96\">"
		"<title>tensor1\nactivation, "
		"2\342\200\257048 bytes (2.00 KiB)\n"
		"at 8\342\200\257192, steps [1, 3)</title>"));
	mp_testing_sample_free(&s);
}

Test(svg, stays_small_and_says_what_it_left_out)
{
	const char *text;

	mp_testing_sample_chain(&s, 30000);
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert_eq(count_rectangles(text), 20000);
	cr_assert(strstr(text, "the 20\342\200\257000 largest of "
			       "30\342\200\257001<"));
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

/* Two tensors of the peak have a number, in the words and in the map, and no
 * other rectangle has its colour. */
Test(svg, ranks_what_makes_the_peak)
{
	const char *text;

	mp_testing_sample_chain(&s, 100);
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert_eq(count(text, "<circle class=\"badge r1\""), 2);
	cr_assert_eq(count(text, "<circle class=\"badge r2\""), 2);
	cr_assert_eq(count(text, "<rect class=\"r1"), 1);
	cr_assert(strstr(text, "The peak, 13.00 KiB, is at step 6 (op 6). "
			       "2 tensors are alive there; the largest:"));
	cr_assert(strstr(text, ">peak, step 6<"));
	mp_testing_sample_free(&s);
}

/* Of 3 tensors over 1172 units the longest name has room, one with many more
 * letters has none; the size goes below a name. */
Test(svg, writes_whole_names_or_none)
{
	static const char long_name[] =
		"a_name_of_a_hundred_letters/a_name_of_a_hundred_letters/"
		"a_name_of_a_hundred_letters/a_name_of_a_hundred_letters";
	static const char *const names[] = {"short", "medium", long_name};
	const char *text, *labels;

	mp_testing_sample_make(&s, names, 3);
	text = mp_testing_sample_emit(&s, "svg");
	labels = strstr(text, "<g class=\"labels\">");
	cr_assert(strstr(labels, ">short<") && strstr(labels, ">medium<"));
	cr_assert_not(strstr(labels, "a_name_of"));
	cr_assert_not(strstr(labels, "\342\200\246"));
	mp_testing_sample_free(&s);
}

/* Tensor 1 leaves at step 3 and is back as tensor 4; tensor 5 comes back for
 * none. An arrow and its place in the legend. */
Test(svg, draws_what_a_budget_moves)
{
	static const char *const names[] = {
		"a", "b", "c", "d", "b@2", "e@2", "f"};
	const char *text;

	mp_testing_sample_make(&s, names, 7);
	s.graph.ops[4].type = s.graph.ops[5].type = "swap-in";
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert_eq(count(text, "<path class=\"way\""), 2);
	cr_assert_eq(count(text, "<path class=\"tip\""), 2);
	cr_assert(strstr(text, ">moved by the budget<"));
	mp_testing_sample_free(&s);
}

/* Of three tensors the first two are branches; the temporary is of none. */
Test(svg, names_branches)
{
	uint32_t choice[] = {7, 7, NONE, NONE}, branch[] = {0, 1, 0, 0};
	const char *text;

	mp_testing_sample_chain(&s, 3);
	cr_assert_not(strstr(mp_testing_sample_emit(&s, "svg"), "branch"));
	mp_testing_sample_free(&s);
	mp_testing_sample_chain(&s, 3);
	s.schedule.problem.choice = choice;
	s.schedule.problem.branch = branch;
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert_eq(count(text, "\nbranch 0 of choice 7</title>"), 1);
	cr_assert_eq(count(text, "\nbranch 1 of choice 7</title>"), 1);
	cr_assert_eq(count(text, " of choice "), 2);
	cr_assert(strstr(text, ">branches may lie over each other<"));
	mp_testing_sample_free(&s);
}

/* ------------------------------------------------------------ loops */

/* The ops of a chain in loops that stand in each other. */
static void nest(struct graph_loop *loops, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		loops[i] = (struct graph_loop){
			.first = i, .last = s.graph.n_ops - 1 - i};
	s.graph.loops = loops;
	s.graph.n_loops = n;
}

/* A loop of ops 1 to 8 of ten, and below it those of ops 2 and 3, and 5 to 7.
 */
Test(svg, draws_a_loop_above_those_in_it)
{
	struct graph_loop loops[] = {{.first = 1, .last = 8},
		{.first = 2, .last = 3}, {.first = 5, .last = 7}};
	const char *text;

	mp_testing_sample_chain(&s, 10);
	s.graph.ops[1].name = "<i>&";
	s.graph.loops = loops;
	s.graph.n_loops = 3;
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert_eq(count(text, "<rect class=\"loop\""), 3 + 1);
	cr_assert(strstr(text, "x=\"205.2\" y=\"607\" width=\"937.6\" "
			       "height=\"13\"><title>loop, steps [1, 9)\n"
			       "op 1 &#39;&lt;i&gt;&amp;&#39; to op 8 "
			       "&#39;op 8&#39;</title>"));
	cr_assert(strstr(text, ">loop &lt;i&gt;&amp; \342\200\246 op 8<"));
	cr_assert(strstr(text, "x=\"322.4\" y=\"623\" width=\"234.4\""));
	cr_assert(strstr(text, "x=\"674\" y=\"623\" width=\"351.6\""));
	cr_assert(strstr(text, ">loop</text>"));
	mp_testing_sample_free(&s);
}

/* Six rows; what is left out is counted. */
Test(svg, draws_no_loops_that_are_too_deep)
{
	struct graph_loop loops[40];
	const char *text;

	mp_testing_sample_chain(&s, 100);
	nest(loops, 40);
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert_eq(count(text, "<rect class=\"loop\""), 6 + 1);
	cr_assert(strstr(text, ">loop, 34 deeper left out<"));
	mp_testing_sample_free(&s);
}

/* 5,000 loops of an op each behind one of 10,000 are 5,001 loops: two bars. */
Test(svg, joins_bars_that_are_too_narrow)
{
	static struct graph_loop loops[5001];
	const char *text;

	mp_testing_sample_chain(&s, 15000);
	nest(loops, 1);
	loops[0].last = 9999;
	for (uint32_t i = 1; i <= 5000; i++)
		loops[i].first = loops[i].last = 9999 + i;
	s.graph.n_loops = 5001;
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert_eq(count(text, "<rect class=\"loop\""), 2 + 1);
	cr_assert(strstr(text, "<title>5\342\200\257000 loops, steps "
			       "[10000, 15000)</title>"));
	cr_assert(strstr(text, ">5\342\200\257000 loops</text>"));
	mp_testing_sample_free(&s);
}

/* An arena of 2.5 GiB has ticks of 0.5 GiB. */
Test(svg, axis_has_the_unit_of_the_arena)
{
	const char *text;

	mp_testing_sample_chain(&s, 3);
	s.plan.arena_size = UINT64_C(5) << 29;
	text = mp_testing_sample_emit(&s, "svg");
	cr_assert(strstr(text, ">0.5 GiB<") && strstr(text, ">2.5 GiB<"));
	cr_assert_eq(count(text, "MiB"), 0);
	mp_testing_sample_free(&s);
}

/* ----------------------------------------------------------- layers */

static const char *const paths[] = {"net/a0/x", "net/a0/y", "net/a1/x",
	"net/a2/x", "net/a3/x", "net/a4/x", "net/a5/x", "net/a6/x", "net/a7/x",
	"net/a8/x", "net/a9/x", "net/a10/x", "net/a11/x", "net/a12/x",
	"net/a13/x", "net/a14/x", "net/a15/x"};

/* Sixteen layers have eight colours. */
Test(svg, neighbouring_layers_share_a_colour)
{
	const char *text;

	mp_testing_sample_chain(&s, countof(paths));
	for (uint32_t i = 0; i < countof(paths); i++)
		s.graph.ops[i].name = paths[i];
	text = mp_testing_sample_emit(&s, "svg-layers");
	cr_assert(strstr(text, ">a0 \342\200\223 1<"));
	cr_assert(strstr(text, ">a10 \342\200\223 11<"));
	cr_assert_not(strstr(text, ">others<"));
	cr_assert_not(strstr(text, ">activation<"));
	mp_testing_sample_free(&s);
}

Test(svg, types_are_layers_of_names_without_paths)
{
	const char *text;

	mp_testing_sample_chain(&s, 6);
	for (uint32_t i = 0; i < 6; i++)
		s.graph.ops[i].type = i % 2 ? "conv" : "relu";
	text = mp_testing_sample_emit(&s, "svg-layers");
	cr_assert(strstr(text, ">conv<") && strstr(text, ">relu<"));
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
	cr_assert_eq(count(text, "<rect class=\"frame\""), 2 * 3);
	cr_assert_eq(count(text, ">&lt;slow&gt;</tspan>"), 2);
	cr_assert_eq(count(text, "<path class=\"cap\""), 2);
	cr_assert_eq(count(text, ">step</text>"), 1);
	cr_assert(strstr(text, ">3 pools, together "));
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
	cr_assert_eq(count(text, "<rect class=\"frame\""), 2 * 16);
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
	cr_assert_eq(count(text, "<path class=\"cap\""), 1); /* legend */
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
