/*
 * svg: the plan as a picture: steps from left to right, addresses from bottom
 * to top, one rectangle a part, over it the bytes alive at each step. Pure
 * text, readable in a browser, on paper, light and dark.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/svg/svg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "emit/rows.h"

enum {
	RIGHT = MAP_LEFT + MAP_WIDTH,
	KIND_STEP = 100,   /* from the words of a kind to the next */
	NOTE_GAP = 10,	   /* between the map and a note */
	NOTE_LINE = 1600,  /* height of a line of one */
	NOTE_ROOM = 6000,  /* from a note to the next, at least */
	NAME_BELOW = 57,   /* the frame, under the axis: names of graphs */
	NAME_LETTER = 660, /* width of one, at most */
	NAME_LEAST = 4,	   /* letters that are worth writing */
};

/* ----------------------------------------------------------- legend */

static bool has_kind(const struct schedule *s, uint32_t kind)
{
	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		if (s->graph->tensors[i].kind == kind &&
			s->stay[i].buffer != NONE)
			return true;
	return false;
}

uint32_t mp_emit_svg_legend(const struct picture *picture)
{
	struct sink *sink = picture->sink;
	uint32_t x = MAP_LEFT;
	char class[8];

	for (uint32_t kind = 0; kind < SVG_KINDS; kind++) {
		if (!has_kind(picture->schedule, kind))
			continue;
		snprintf(class, sizeof(class), "k%u", kind);
		mp_emit_svg_key_area(
			sink, class, x, SVG_KEY_SIDE, mp_graph_kind_name(kind));
		x += KIND_STEP;
	}
	mp_emit_svg_key_line(sink, "load", x, "bytes alive");
	if (picture->drawn == picture->parts)
		return x + SVG_KEY_STEP;
	mp_emit_svg_text(sink, "g e", RIGHT * SVG_UNIT, SVG_LEGEND_BASE);
	mp_sink_print(sink,
		"the %u largest of %u rectangles; the others are the pale area",
		picture->drawn, picture->parts);
	mp_emit_svg_text_end(sink);
	return x + SVG_KEY_STEP;
}

/* ----------------------------------------------- graphs of a bundle */

static void begins(const struct picture *picture)
{
	const struct bundle *bundle = &picture->schedule->graph->bundle;
	const struct frame *frame = &picture->frame;
	uint32_t step = 0;

	for (uint32_t i = 0; i + 1 < bundle->n; i++) {
		step += bundle->members[i].n_ops;
		mp_sink_text(picture->sink, "<path class=\"axis\" d=\"M");
		mp_emit_svg_fixed(picture->sink, mp_emit_svg_x(picture, step));
		mp_sink_print(picture->sink, " %uv%u\"/>\n", frame->top,
			frame->height);
	}
}

/* As much of a name as there is room below the graph's steps. */
static void name(const struct picture *picture, const char *text, uint64_t x,
	uint64_t width)
{
	uint64_t room = width / NAME_LETTER;

	if (strlen(text) > room && room < NAME_LEAST)
		return;
	mp_emit_svg_text(picture->sink, "g", x,
		(picture->frame.top + picture->frame.height + NAME_BELOW) *
			SVG_UNIT);
	mp_sink_xml_cut(picture->sink, text, (uint32_t)num_min(room, 60));
	mp_emit_svg_text_end(picture->sink);
}

void mp_emit_svg_graphs(const struct picture *picture)
{
	const struct bundle *bundle = &picture->schedule->graph->bundle;
	uint32_t first = 0;

	for (uint32_t i = 0; i < bundle->n; i++) {
		const struct bundle_member *member = &bundle->members[i];
		uint64_t from = mp_emit_svg_x(picture, first);

		first += member->n_ops;
		name(picture, member->name, from,
			mp_emit_svg_x(picture, first) - from);
	}
}

/* ------------------------------------------------------------ lines */

static void note(
	struct sink *sink, const char *title, uint64_t bytes, uint64_t y)
{
	uint32_t x = (RIGHT + NOTE_GAP) * SVG_UNIT;

	mp_emit_svg_words(sink, "b", x, y, title);
	mp_emit_svg_text(sink, "g", x, y + NOTE_LINE);
	mp_sink_print(sink, "%" PRIu64 " bytes", bytes);
	mp_emit_svg_text_end(sink);
	mp_emit_svg_words(
		sink, "g", x, y + 2 * NOTE_LINE, mp_emit_unit(bytes).text);
}

static void peak_mark(const struct picture *picture)
{
	const struct frame *frame = &picture->frame;
	uint32_t step = picture->lane->peak_step;
	struct sink *sink = picture->sink;

	mp_sink_text(sink, "<path class=\"peak\" d=\"M");
	mp_emit_svg_fixed(sink, (mp_emit_svg_x(picture, step) +
					mp_emit_svg_x(picture, step + 1)) /
					2);
	mp_sink_print(sink,
		" %ul5 9h-10z\"><title>peak at step %lld</title></path>\n",
		frame->top + frame->height + 1,
		(long long)mp_problem_time(&picture->schedule->problem, step));
}

void mp_emit_svg_loads(const struct picture *picture)
{
	begins(picture);
	mp_emit_svg_curve(picture, "halo", picture->lane->load, true);
	mp_emit_svg_curve(picture, "load", picture->lane->load, true);
	mp_emit_svg_level(picture, "low", picture->lane->space.theoretical_min);
	peak_mark(picture);
}

/* The notes beside the two lines keep clear of each other. */
static void lines(const struct picture *picture)
{
	const struct schedule *s = picture->schedule;
	struct sink *sink = picture->sink;
	uint64_t top = mp_emit_svg_y(picture, picture->plan->arena_size);
	uint64_t low = mp_emit_svg_y(picture, s->problem.theoretical_min);

	mp_emit_svg_loads(picture);
	if (picture->plan->arena_size == s->problem.theoretical_min) {
		note(sink, "arena, at its minimum", picture->plan->arena_size,
			top + SVG_BASELINE);
		return;
	}
	mp_emit_svg_level(picture, "top", picture->plan->arena_size);
	note(sink, "arena", picture->plan->arena_size, top + SVG_BASELINE);
	note(sink, "theoretical minimum", s->problem.theoretical_min,
		num_max(low + SVG_BASELINE, top + NOTE_ROOM));
}

static void draw_arena(
	const struct plan *plan, struct sink *sink, struct arena *scratch)
{
	const struct schedule *s = plan->schedule;
	struct lane lane;
	struct labels labels;
	struct picture picture = {.plan = plan,
		.schedule = s,
		.sink = sink,
		.scratch = scratch,
		.lane = &lane,
		.labels = &labels,
		.most = SVG_RECTANGLES,
		.frame = {MAP_LEFT, MAP_TOP, MAP_WIDTH, MAP_HEIGHT}};
	bool empty = !mp_emit_svg_scale(&picture,
		num_max(plan->arena_size, s->problem.theoretical_min));

	if (!mp_emit_lane(plan, 0, &lane, scratch) ||
		!mp_emit_labels_find(&labels, s, scratch))
		return;
	mp_emit_svg_open(&picture, "Memory plan", SVG_HEIGHT);
	mp_emit_svg_heading(&picture);
	mp_emit_svg_frame(&picture, "address");
	mp_emit_svg_time(&picture);
	mp_emit_svg_graphs(&picture);
	if (!empty && !mp_emit_svg_map(&picture))
		return;
	mp_emit_svg_legend(&picture);
	if (empty) {
		mp_emit_svg_nothing(&picture, "no tensor takes any bytes");
	} else {
		lines(&picture);
		mp_emit_svg_labels(&picture);
	}
	mp_sink_text(sink, "</svg>\n");
}

void mp_emit_svg(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	if (results->plan->spaces.at)
		mp_emit_svg_pools(results->plan, sink, scratch);
	else
		draw_arena(results->plan, sink, scratch);
}
