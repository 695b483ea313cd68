/*
 * What the colours and marks of a picture mean.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/svg/svg.h"

enum {
	BASE = 124,	/* of the first line of words */
	SQUARE = 13,	/* side of a square in front of words */
	SQUARE_UP = 11, /* from the base of the words to its top */
	LINE = 22,	/* width of a line in front of them */
	LINE_UP = 4,
	GAP = 6,      /* between one and its words */
	BETWEEN = 18, /* words and the next mark */
	WORDS = 60,   /* characters of an explanation */
	NAME = 17,    /* of the name of a layer */
};

/* The text is cut to that many characters. */
static void words(
	struct legend *legend, uint32_t width, const char *text, uint32_t most)
{
	uint32_t letters = 0, wide = 0, point;

	for (const char *at = text;
		(point = mp_text_next(&at)) != 0 && letters < most; letters++)
		wide += point == 'm' || point == 'w';
	mp_emit_svg_text(legend->sink, "g",
		(legend->next + width + GAP) * SVG_UNIT,
		legend->base * SVG_UNIT);
	mp_sink_xml_cut(legend->sink, text, most);
	mp_emit_svg_text_end(legend->sink);
	legend->next += width + GAP + BETWEEN +
			(letters + wide) * SVG_LETTER / SVG_UNIT;
}

static void area(struct legend *legend, const char *class, const char *text,
	uint32_t most)
{
	mp_sink_print(legend->sink,
		"<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" "
		"height=\"%u\"/>\n",
		class, legend->next, legend->base - SQUARE_UP, SQUARE, SQUARE);
	words(legend, SQUARE, text, most);
}

void mp_emit_svg_key_area(
	struct legend *legend, const char *class, const char *text)
{
	area(legend, class, text, WORDS);
}

void mp_emit_svg_key_line(
	struct legend *legend, const char *class, const char *text)
{
	mp_sink_print(legend->sink, "<path class=\"%s\" d=\"M%u %uh%u\"/>\n",
		class, legend->next, legend->base - LINE_UP, LINE);
	words(legend, LINE, text, WORDS);
}

/* ---------------------------------------------------------- colours */

static bool has_kind(const struct schedule *s, uint32_t kind)
{
	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		if (s->graph->tensors[i].kind == kind &&
			s->stay[i].buffer != NONE)
			return true;
	return false;
}

static void kinds(struct legend *legend, const struct schedule *s)
{
	static const char *const classes[SVG_KINDS] = {
		"k0", "k1", "k2", "k3", "k4", "k5"};

	for (uint32_t kind = 0; kind < SVG_KINDS; kind++)
		if (has_kind(s, kind))
			mp_emit_svg_key_area(legend, classes[kind],
				mp_graph_kind_name(kind));
}

static bool has_others(const struct schedule *s, const struct layers *layers)
{
	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		if (s->stay[i].buffer != NONE &&
			(layers->of_tensor[i] == NONE ||
				layers->colour[layers->of_tensor[i]] ==
					LAYER_COLOURS))
			return true;
	return false;
}

static void layers(struct legend *legend, const struct picture *picture)
{
	static const char *const classes[LAYER_COLOURS + 1] = {
		"l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8"};
	const struct layers *layers = picture->paint;

	for (uint32_t c = 0; c < layers->n_colours; c++)
		area(legend, classes[c], layers->labels[c], NAME);
	if (has_others(picture->schedule, layers))
		area(legend, classes[LAYER_COLOURS], "others", NAME);
}

/* ------------------------------------------------------------ lines */

static bool has_capacity(const struct spaces *spaces)
{
	for (uint32_t i = 0; spaces->at && i < spaces->n; i++)
		if (spaces->at[i].capacity != NO_CAPACITY)
			return true;
	return false;
}

static void lines(struct legend *legend, const struct plan *plan)
{
	mp_emit_svg_key_area(legend, "area", "bytes alive");
	mp_emit_svg_key_line(legend, "low", "minimum");
	if (plan->spaces.at)
		mp_emit_svg_key_line(legend, "top", "size");
	else if (plan->arena_size > plan->problem->theoretical_min)
		mp_emit_svg_key_line(legend, "top", "arena");
	if (has_capacity(&plan->spaces))
		mp_emit_svg_key_line(legend, "cap", "capacity");
	mp_emit_svg_key_line(legend, "guide", "peak");
}

static bool has_pale(const struct picture *picture)
{
	const struct problem *p = &picture->schedule->problem;
	uint32_t step = picture->peak->step;

	for (uint32_t k = 0; k < p->n_parts; k++)
		if (step < p->parts[k].start || step >= p->parts[k].end)
			return true;
	return false;
}

static void loops(struct legend *legend, const struct picture *picture)
{
	const struct loop_rows *loops = picture->loops;
	const char *text = "loop";

	if (loops->n == 0)
		return;
	if (loops->n_deeper > 0)
		text = mp_arena_print(picture->scratch,
			"loop, %u deeper left out", loops->n_deeper);
	if (text)
		mp_emit_svg_key_area(legend, "loop", text);
}

void mp_emit_svg_legend(const struct picture *picture)
{
	struct legend legend = {picture->sink, MAP_LEFT, BASE};

	if (picture->paint) {
		layers(&legend, picture);
		legend.next = MAP_LEFT;
		legend.base += SVG_LEGEND_LINE;
	} else {
		kinds(&legend, picture->schedule);
	}
	if (has_pale(picture))
		mp_emit_svg_key_area(&legend, "k0 p0", "not at the peak");
	lines(&legend, picture->plan);
	if (picture->ways->n > 0 && !picture->plan->spaces.at)
		mp_emit_svg_key_line(&legend, "way", "moved by the budget");
	loops(&legend, picture);
	if (picture->schedule->problem.choice)
		words(&legend, 0, "branches may lie over each other", WORDS);
	if (picture->drawn == picture->parts)
		return;
	mp_emit_svg_key_area(&legend, "rest", "many small ones");
	mp_emit_svg_text(picture->sink, "g", legend.next * SVG_UNIT,
		legend.base * SVG_UNIT);
	mp_sink_text(picture->sink, "drawn: the ");
	mp_sink_grouped(picture->sink, picture->drawn);
	mp_sink_text(picture->sink, " largest of ");
	mp_sink_grouped(picture->sink, picture->parts);
	mp_emit_svg_text_end(picture->sink);
}
