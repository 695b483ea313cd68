/*
 * The peak in a picture: which tensors make it, in the colours and with the
 * numbers that they have on the page.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "emit/svg/svg.h"

enum {
	BASE = 78,	/* of the first line of words */
	BADGE = 8,	/* radius of a disc */
	LINE_DOWN = 21, /* from the first line to the second */
	DIGIT_DOWN =
		390, /* from the middle of a disc to the base of its digit */
	SIZE_LETTERS = 20, /* of "  1023.99 MiB, 99.9 %" */
	NAME_MOST = 48,
};

/* -------------------------------------------------------- preparing */

static void rank_parts(
	struct peak *peak, const struct schedule *s, uint32_t place)
{
	uint32_t tensor = peak->alive[place].tensor;
	const struct buffer *buffer =
		&s->problem.buffers[s->stay[tensor].buffer];

	for (uint32_t k = buffer->first_part;
		k < buffer->first_part + buffer->n_parts; k++) {
		const struct part *part = &s->problem.parts[k];

		if (part->start <= peak->step && peak->step < part->end &&
			mp_schedule_needs(s, tensor, part) &&
			peak->rank[k] == 0)
			peak->rank[k] = (uint8_t)(place + 1);
	}
}

bool mp_emit_svg_peak_find(
	struct peak *peak, const struct schedule *s, struct arena *arena)
{
	peak->step = s->problem.peak_step;
	peak->alive = mp_emit_peak_alive(s, peak->step, &peak->n, arena);
	peak->rank = NEW(arena, uint8_t, s->problem.n_parts);
	if (!peak->alive || !peak->rank)
		return false;
	for (uint32_t i = 0; i < PEAK_MAKERS && i < peak->n; i++)
		rank_parts(peak, s, i);
	return true;
}

/* ------------------------------------------------------------ words */

void mp_emit_svg_badge(struct sink *sink, uint32_t rank, uint64_t x, uint64_t y)
{
	static const char *const digits[] = {"d d1", "d", "d"};

	assert(rank >= 1 && rank <= PEAK_MAKERS);
	mp_sink_print(sink, "<circle class=\"badge r%u\"", rank);
	mp_emit_svg_number(sink, "cx", x);
	mp_emit_svg_number(sink, "cy", y);
	mp_sink_print(sink, " r=\"%u\"/>", BADGE);
	mp_emit_svg_text(sink, digits[rank - 1], x, y + DIGIT_DOWN);
	mp_sink_print(sink, "%u</text>\n", rank);
}

static void maker(const struct picture *picture, uint32_t place, uint32_t x,
	uint32_t width, uint32_t base)
{
	const struct schedule *s = picture->schedule;
	const struct alive *alive = &picture->peak->alive[place];
	struct sink *sink = picture->sink;
	uint32_t letters = width * SVG_UNIT / SVG_LETTER - SIZE_LETTERS;

	mp_emit_svg_badge(sink, place + 1, (x + BADGE) * SVG_UNIT,
		base * SVG_UNIT - SVG_BASELINE);
	mp_sink_print(sink, "<text x=\"%u\" y=\"%u\"><tspan class=\"b\">",
		x + 3 * BADGE, base);
	mp_sink_xml_cut(sink, picture->labels->of_tensor[alive->tensor],
		letters < NAME_MOST ? letters : NAME_MOST);
	mp_sink_print(sink, "</tspan><tspan class=\"g\" dx=\"8\">%s, %s %%",
		mp_emit_unit(alive->size).text,
		mp_emit_percent(alive->size, s->problem.listed_min).text);
	mp_sink_text(sink, "</tspan></text>\n");
}

void mp_emit_svg_peak(const struct picture *picture)
{
	const struct schedule *s = picture->schedule;
	const struct peak *peak = picture->peak;
	struct sink *sink = picture->sink;
	uint32_t n = peak->n < PEAK_MAKERS ? peak->n : PEAK_MAKERS;
	uint32_t width = MAP_WIDTH / PEAK_MAKERS;

	mp_emit_svg_text(sink, "", MAP_LEFT * SVG_UNIT, BASE * SVG_UNIT);
	mp_sink_print(sink, "The peak, %s, is at ",
		mp_emit_unit(s->problem.listed_min).text);
	mp_sink_xml_cut(sink, mp_emit_step(s, peak->step).text, NAME_MOST);
	mp_sink_text(sink, ". ");
	mp_sink_grouped(sink, peak->n);
	mp_sink_text(sink, peak->n == 1 ? " tensor is" : " tensors are");
	mp_sink_text(sink, " alive there");
	mp_sink_text(sink, n > 1 ? "; the largest:" : ":");
	mp_emit_svg_text_end(sink);
	for (uint32_t i = 0; i < n; i++)
		maker(picture, i, MAP_LEFT + i * width, width,
			BASE + LINE_DOWN);
}
