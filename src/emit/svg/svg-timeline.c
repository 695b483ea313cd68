/*
 * timeline-svg: what online allocators hold over the steps, one panel each, all
 * to one scale, with the static plan's arena in every panel.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/svg/svg.h"

#include <stdio.h>

#include "emit/rows.h"

enum {
	LEFT = 84, /* of the first panel */
	TOP = 122,
	WIDTH = 520,
	HEIGHT = 150,
	COLUMNS = 2,
	RIGHTWARDS = 624, /* from panel to panel */
	DOWNWARDS = 214,
	BETWEEN = DOWNWARDS - HEIGHT,
	BELOW = 60, /* the last panels' axes */
	NAME_ROOM = 124,
	LEGEND_BASE = 79,
	TITLE_ABOVE = 10, /* the frame */
	BEYOND_RIGHT = 8, /* the frame's edges, of a note in it */
	BEYOND_BELOW = 17,
	TIMES_MOST = 4, /* the arena, that the scale stretches to */
};

/* ----------------------------------------------------------- legend */

static void line_of_bytes(struct legend *legend, const char *class,
	const char *text, uint64_t bytes)
{
	char words[PIECE_ROOM + 64];

	snprintf(words, sizeof(words), "%s %s", text, mp_emit_unit(bytes).text);
	mp_emit_svg_key_line(legend, class, words);
}

static void legend(const struct picture *picture)
{
	struct legend legend = {picture->sink, LEFT, LEGEND_BASE};
	uint64_t least = picture->schedule->problem.theoretical_min;
	uint64_t arena = picture->plan->arena_size;

	mp_emit_svg_key_area(&legend, "used", "in use");
	mp_emit_svg_key_line(&legend, "held", "reserved");
	mp_emit_svg_key_line(&legend, "load", "bytes alive");
	if (arena == least) {
		line_of_bytes(&legend, "low",
			"the static plan's arena, at its minimum:", arena);
		return;
	}
	line_of_bytes(&legend, "top", "the static plan's arena:", arena);
	line_of_bytes(&legend, "low", "theoretical minimum:", least);
}

/* ----------------------------------------------------------- panels */

static void panel_title(
	const struct picture *picture, const struct simulation *s)
{
	struct sink *sink = picture->sink;
	uint32_t x = picture->frame.left, y = picture->frame.top - TITLE_ABOVE;

	mp_emit_svg_words(sink, "b", x * SVG_UNIT, y * SVG_UNIT, s->name);
	mp_emit_svg_text(sink, "g", (x + NAME_ROOM) * SVG_UNIT, y * SVG_UNIT);
	mp_sink_print(sink, "%s reserved, ", mp_emit_unit(s->reserved).text);
	mp_sink_ratio(sink, s->reserved,
		picture->schedule->problem.theoretical_min, 3);
	mp_sink_print(sink, " \303\227 minimum; %s in use",
		mp_emit_unit(s->in_use).text);
	mp_emit_svg_text_end(sink);
}

static void panel_beyond(
	const struct picture *picture, const struct simulation *s)
{
	const struct frame *frame = &picture->frame;
	struct sink *sink = picture->sink;

	mp_emit_svg_text(sink, "g e",
		(frame->left + frame->width - BEYOND_RIGHT) * SVG_UNIT,
		(frame->top + BEYOND_BELOW) * SVG_UNIT);
	mp_sink_print(sink, "\342\206\221 %s reserved, beyond the scale",
		mp_emit_unit(s->reserved).text);
	mp_emit_svg_text_end(sink);
}

static void panel(const struct picture *picture, const struct simulation *s)
{
	const struct schedule *schedule = picture->schedule;
	struct sink *sink = picture->sink;

	panel_title(picture, s);
	mp_emit_svg_frame(picture, "bytes");
	mp_sink_print(sink, "<g>\n<title>%s\nreserved %s\nin use %s</title>\n",
		s->name, mp_emit_bytes(s->reserved).text,
		mp_emit_bytes(s->in_use).text);
	mp_emit_svg_curve(picture, "used", s->in_use_at, true);
	mp_emit_svg_curve(picture, "load", schedule->problem.load, true);
	mp_emit_svg_curve(picture, "held", s->reserved_at, false);
	if (picture->plan->arena_size > schedule->problem.theoretical_min)
		mp_emit_svg_level(picture, "top", picture->plan->arena_size);
	mp_emit_svg_level(picture, "low", schedule->problem.theoretical_min);
	mp_sink_text(sink, "</g>\n");
	if (s->reserved > picture->top)
		panel_beyond(picture, s);
}

static void panels(struct picture *picture)
{
	uint32_t n = picture->results->n_simulations;

	for (uint32_t i = 0; i < n; i++) {
		picture->frame.left = LEFT + i % COLUMNS * RIGHTWARDS;
		picture->frame.top = TOP + i / COLUMNS * DOWNWARDS;
		panel(picture, &picture->results->simulations[i]);
		if (i + COLUMNS >= n)
			mp_emit_svg_time(picture);
	}
}

/* A pool that takes a gigabyte at once must not flatten all others. */
static uint64_t upper_edge(const struct results *results)
{
	const struct plan *plan = results->plan;
	uint64_t arena = num_max(plan->arena_size, plan->problem->listed_min);
	uint64_t top = arena, reserved;

	for (uint32_t i = 0; i < results->n_simulations; i++) {
		reserved = results->simulations[i].reserved;
		if (reserved / TIMES_MOST <= arena)
			top = num_max(top, reserved);
	}
	return top + top / 16;
}

void mp_emit_timeline_svg(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	struct picture picture = {.plan = results->plan,
		.results = results,
		.schedule = results->schedule,
		.sink = sink,
		.scratch = scratch,
		.frame = {LEFT, TOP, WIDTH, HEIGHT}};
	bool holds = mp_emit_svg_scale(&picture, upper_edge(results));
	uint32_t n = results->n_simulations;
	bool empty = !holds || n == 0 || !results->simulations[0].in_use_at;
	uint32_t n_rows = empty ? 1 : (n + COLUMNS - 1) / COLUMNS;

	mp_emit_svg_open(&picture, "Online allocators beside the plan",
		TOP + n_rows * DOWNWARDS - BETWEEN + BELOW);
	mp_emit_svg_heading(&picture);
	if (empty) {
		mp_emit_svg_frame(&picture, "bytes");
		mp_emit_svg_nothing(
			&picture, holds ? "nothing was simulated"
					: "no tensor takes any bytes");
	} else {
		legend(&picture);
		panels(&picture);
	}
	mp_sink_text(sink, "</svg>\n");
}
