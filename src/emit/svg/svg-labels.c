/*
 * Names in the rectangles of a map: in those that have room for the whole name,
 * along the longer side. The tensors that make the peak have a number in any
 * case.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/svg/map.h"

enum {
	LETTER = 600,	   /* width of a letter */
	MARGIN = 800,	   /* beside a label, both sides together */
	LINE = 1300,	   /* height of a line */
	SIZE_LETTERS = 11, /* room for a size below the name */
	NAME_DOWN = 380,   /* from the middle of a rectangle to the base */
	TWO_UP = 200,	   /* from the middle up to the base of the first of two
			     lines */
	BADGE_ROOM = 2000, /* of a number, with what separates it */
};

/* What fits along a side of so many hundredths, with all of its letters; those
 * of East Asia take the room of two. */
static bool fits(const char *name, uint64_t side)
{
	uint64_t width = MARGIN;
	uint32_t point;

	while ((point = mp_text_next(&name)) != 0)
		width += point < 0x1100 ? LETTER : 2 * LETTER;
	return width <= side;
}

/* Dark letters are for light rectangles, in the dark those on dark ones. */
static const char *class_of(const struct svg_map *m, uint32_t k)
{
	const struct picture *picture = m->picture;
	const struct part *part = &picture->schedule->problem.parts[k];
	uint32_t step = picture->peak->step;

	if (picture->peak->rank[k] == 1)
		return "w";
	return part->start <= step && step < part->end ? "n" : "o";
}

static void across(const struct svg_map *m, const struct tile *tile,
	const char *name, uint64_t indent)
{
	const struct box *box = &tile->box;
	struct sink *sink = m->picture->sink;
	uint64_t size = m->picture->schedule->problem.parts[tile->part].size;
	bool two = box->height >= 3 * LINE &&
		   box->width >= MARGIN + indent + SIZE_LETTERS * LETTER;
	uint64_t x = box->x + MARGIN / 2 + indent;
	uint64_t y = box->y + box->height / 2;
	const char *class = class_of(m, tile->part);

	mp_emit_svg_text(sink, class, x, two ? y - TWO_UP : y + NAME_DOWN);
	mp_sink_xml(sink, name);
	mp_emit_svg_text_end(sink);
	if (!two)
		return;
	mp_sink_print(sink, "<text class=\"s %s\"", class);
	mp_emit_svg_number(sink, "x", x);
	mp_emit_svg_number(sink, "y", y + LINE - TWO_UP);
	mp_sink_text(sink, ">");
	mp_sink_unit(sink, size);
	mp_emit_svg_text_end(sink);
}

/* From the bottom to the top. */
static void upwards(const struct svg_map *m, const struct tile *tile,
	const char *name, uint64_t indent)
{
	const struct box *box = &tile->box;
	struct sink *sink = m->picture->sink;

	mp_sink_print(sink, "<text class=\"%s\" transform=\"translate(",
		class_of(m, tile->part));
	mp_emit_svg_fixed(sink, box->x + box->width / 2 + NAME_DOWN);
	mp_sink_text(sink, " ");
	mp_emit_svg_fixed(sink, box->y + box->height - MARGIN / 2 - indent);
	mp_sink_text(sink, ") rotate(-90)\">");
	mp_sink_xml(sink, name);
	mp_emit_svg_text_end(sink);
}

/* The number lies where the name begins, or in the middle of what is too small
 * for it. */
static void badge(const struct svg_map *m, const struct tile *tile)
{
	const struct box *box = &tile->box;
	uint64_t x = box->x + box->width / 2, y = box->y + box->height / 2;

	if (box->width >= BADGE_ROOM + MARGIN && box->width >= box->height)
		x = box->x + MARGIN / 2 + BADGE_ROOM / 2 - 100;
	else if (box->height >= BADGE_ROOM + MARGIN)
		y = box->y + box->height - MARGIN / 2 - BADGE_ROOM / 2 + 100;
	mp_emit_svg_badge(
		m->picture->sink, m->picture->peak->rank[tile->part], x, y);
}

static void label(const struct svg_map *m, const struct tile *tile)
{
	const struct box *box = &tile->box;
	const char *name = m->picture->labels->of_part[tile->part];
	bool ranked = m->picture->peak->rank[tile->part] > 0;
	uint64_t indent = ranked ? BADGE_ROOM : 0;

	if (!name)
		return;
	name = mp_emit_labels_short(m->picture->schedule, name);
	if (box->height >= LINE && box->width >= indent &&
		fits(name, box->width - indent))
		across(m, tile, name, indent);
	else if (box->width >= LINE && box->height >= indent &&
		 fits(name, box->height - indent))
		upwards(m, tile, name, indent);
}

void mp_emit_svg_labels(const struct picture *picture)
{
	const struct svg_map *m = picture->map;

	mp_sink_text(picture->sink, "<g class=\"labels\">\n");
	for (uint32_t i = 0; i < m->n_drawn; i++)
		label(m, &m->tiles[i]);
	mp_sink_text(picture->sink, "</g>\n");
	for (uint32_t i = 0; i < m->n_drawn; i++)
		if (picture->peak->rank[m->tiles[i].part] > 0)
			badge(m, &m->tiles[i]);
}
