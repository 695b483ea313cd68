/*
 * Where tensors were while they were not in the arena: an arrow from where each
 * leaves to where it is back.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/svg/svg.h"

/* The middle of where a tensor's bytes lie. */
static uint64_t middle(const struct picture *picture, uint32_t tensor)
{
	const struct chains *chains = &picture->labels->chains;
	const struct part *part =
		&picture->schedule->problem.parts[chains->home[tensor]];

	return mp_emit_svg_y(picture, picture->plan->offsets[part->buffer] +
					      part->base + part->size / 2);
}

static void tip(struct sink *sink, uint64_t x, uint64_t y, const char *shape)
{
	mp_sink_text(sink, "<path class=\"tip\" d=\"M");
	mp_emit_svg_fixed(sink, x);
	mp_sink_text(sink, " ");
	mp_emit_svg_fixed(sink, y);
	mp_sink_print(sink, "%s\"/>\n", shape);
}

static void arrow(const struct picture *picture, const struct way *way)
{
	const struct schedule *s = picture->schedule;
	uint64_t x0 = mp_emit_svg_x(picture, s->stay[way->old].end);
	uint64_t x1 = mp_emit_svg_x(picture, s->stay[way->back].start);
	uint64_t y0 = middle(picture, way->old);
	uint64_t y1 = middle(picture, way->back);
	struct sink *sink = picture->sink;

	mp_sink_text(sink, "<path class=\"way\" d=\"M");
	mp_emit_svg_fixed(sink, x0);
	mp_sink_text(sink, " ");
	mp_emit_svg_fixed(sink, y0);
	mp_sink_text(sink, "L");
	mp_emit_svg_fixed(sink, x1);
	mp_sink_text(sink, " ");
	mp_emit_svg_fixed(sink, y1);
	mp_sink_text(sink, "\"/>\n");
	tip(sink, x0, y0, "l-5 -5h10z");
	tip(sink, x1, y1, "l-5 5h10z");
}

void mp_emit_svg_ways(const struct picture *picture)
{
	for (uint32_t i = 0; i < picture->ways->n; i++)
		arrow(picture, &picture->ways->at[i]);
}
