/*
 * Where the graphs of a bundle begin in a picture over steps, which count
 * through all of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/svg/svg.h"

#include <string.h>

enum {
	BELOW = 57,   /* units below the frame, under the axis */
	LETTER = 660, /* width of one, at most */
	LEAST = 4,    /* letters that are worth writing */
};

void mp_emit_svg_begins(const struct picture *picture)
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
	uint64_t room = width / LETTER;

	if (strlen(text) > room && room < LEAST)
		return;
	mp_emit_svg_text(picture->sink, "g", x,
		(picture->frame.top + picture->frame.height + BELOW) *
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
