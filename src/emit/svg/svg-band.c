/*
 * The load over the steps, in a band below the map, and what goes through both.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/svg/svg.h"

#include <string.h>

enum {
	HEADROOM = 4,	    /* the part of the scale above the highest line */
	NOTE_ABOVE = 6,	    /* the highest line, of words on the lines */
	NUMBER_BELOW = 20,  /* the band, of the step of the peak */
	NUMBER_SIDE = 5000, /* room on either side of its middle */
	NAME_LEAST = 4,	    /* letters of a graph that are worth writing */
	NAME_MOST = 60,
};

/* Above the highest line there is no curve to lie on. */
static void notes(const struct picture *picture, uint64_t highest)
{
	const struct space *space = &picture->lane->space;
	const struct frame *frame = &picture->frame;
	struct sink *sink = picture->sink;

	mp_emit_svg_text(sink, "g e q",
		(frame->left + frame->width - NOTE_ABOVE) * SVG_UNIT,
		mp_emit_svg_y(picture, highest) - NOTE_ABOVE * SVG_UNIT);
	mp_sink_print(sink, "arena %s", mp_emit_unit(space->size).text);
	if (space->size == space->theoretical_min)
		mp_sink_text(sink, ", at its theoretical minimum");
	else
		mp_sink_print(sink, ", theoretical minimum %s",
			mp_emit_unit(space->theoretical_min).text);
	mp_emit_svg_text_end(sink);
}

/* The triangle on the axis, and the number of its step. */
static void peak_mark(const struct picture *picture)
{
	const struct frame *frame = &picture->frame;
	const struct problem *p = &picture->schedule->problem;
	uint64_t left = frame->left * SVG_UNIT + NUMBER_SIDE;
	uint64_t right = (frame->left + frame->width) * SVG_UNIT - NUMBER_SIDE;
	uint64_t x = mp_emit_svg_peak_x(picture);
	uint32_t bottom = mp_emit_svg_bottom(picture);
	struct sink *sink = picture->sink;

	mp_sink_text(sink, "<path class=\"peak\" d=\"M");
	mp_emit_svg_fixed(sink, x);
	mp_sink_print(sink, " %ul5 8h-10z\"/>\n", bottom + 1);
	mp_emit_svg_text(sink, "m b", num_min(num_max(x, left), right),
		(bottom + NUMBER_BELOW) * SVG_UNIT);
	mp_sink_print(sink, "peak, %s ", mp_problem_axis(p));
	mp_sink_grouped(sink, mp_problem_time(p, picture->peak->step));
	mp_emit_svg_text_end(sink);
}

void mp_emit_svg_band(const struct picture *picture, struct frame frame)
{
	const struct space *space = &picture->lane->space;
	uint64_t highest = num_max(space->size, space->theoretical_min);
	struct picture band = *picture;

	band.frame = frame;
	band.shift = 0;
	mp_emit_svg_scale(&band, highest + highest / HEADROOM);
	mp_emit_svg_frame(&band, "alive");
	mp_emit_svg_curve(&band, "area", picture->lane->load, true);
	mp_emit_svg_level(&band, "low", space->theoretical_min);
	if (space->size != space->theoretical_min)
		mp_emit_svg_level(&band, "top", space->size);
	if (!picture->plan->spaces.at)
		notes(&band, highest);
	if (!band.bare)
		peak_mark(&band);
}

static void down(const struct picture *picture, const char *class, uint64_t x,
	uint32_t bottom)
{
	mp_sink_print(picture->sink, "<path class=\"%s\" d=\"M", class);
	mp_emit_svg_fixed(picture->sink, x);
	mp_sink_print(
		picture->sink, " %uV%u\"/>\n", picture->frame.top, bottom);
}

void mp_emit_svg_guides(const struct picture *picture, uint32_t bottom)
{
	const struct bundle *bundle = &picture->schedule->graph->bundle;
	uint32_t step = 0;

	for (uint32_t i = 0; i + 1 < bundle->n; i++) {
		step += bundle->members[i].n_ops;
		down(picture, "axis", mp_emit_svg_x(picture, step), bottom);
	}
	down(picture, "guide", mp_emit_svg_peak_x(picture), bottom);
}

/* As much of a name as there is room below the graph's steps. */
static void graph_name(struct sink *sink, const char *text, uint64_t x,
	uint64_t width, uint32_t base)
{
	uint64_t room = width / SVG_LETTER;

	if (strlen(text) > room && room < NAME_LEAST)
		return;
	mp_emit_svg_text(sink, "g", x, base * SVG_UNIT);
	mp_sink_xml_cut(sink, text, (uint32_t)num_min(room, NAME_MOST));
	mp_emit_svg_text_end(sink);
}

void mp_emit_svg_graphs(const struct picture *picture, uint32_t below)
{
	const struct bundle *bundle = &picture->schedule->graph->bundle;
	uint32_t base = mp_emit_svg_bottom(picture) + below, first = 0;

	for (uint32_t i = 0; i < bundle->n; i++) {
		const struct bundle_member *member = &bundle->members[i];
		uint64_t from = mp_emit_svg_x(picture, first);

		first += member->n_ops;
		graph_name(picture->sink, member->name, from,
			mp_emit_svg_x(picture, first) - from, base);
	}
}
