/*
 * The steps of loops: a bar each, those in other loops below them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/svg/svg.h"

enum {
	BAR = 13, /* height of a bar; the rest of its row is free */
	NARROW = 4 * SVG_UNIT, /* bars are joined if they, and what is between
				  them, are less */
	SIDE = 4 * SVG_UNIT,   /* from the end of a bar to its words */
	WORDS_DOWN = 1000,     /* from its upper edge to their base */
	TITLE_LETTERS = 4,     /* "loop" */
	NAMES_MORE = 4,	       /* letters before and between names */
	TITLE_ROOM = 80 * SVG_UNIT, /* of a bar with "123 456 loops" */
};

static const char style[] =
	"<style>\n"
	".loop{fill:#e3e8ee;stroke:#8c96a3;stroke-width:1}\n"
	".loops text{font-size:11px;pointer-events:none}\n"
	"@media screen and (prefers-color-scheme:dark){\n"
	".loop{fill:#262d36;stroke:#6e7681}\n"
	"}\n</style>\n";

/* One body, or several narrow ones in a row. */
struct bar {
	const struct body *first, *last;
	uint32_t n;	      /* 0: no bar */
	uint64_t left, right; /* hundredths */
};

static struct bar bar_of(const struct picture *picture, const struct body *body)
{
	return (struct bar){body, body, 1, mp_emit_svg_x(picture, body->start),
		mp_emit_svg_x(picture, body->end)};
}

static bool is_narrow(const struct bar *bar)
{
	return bar->n > 1 || bar->right - bar->left < NARROW;
}

/* How many loops, if it is not one. */
static void title(struct sink *sink, const struct bar *bar)
{
	if (bar->n == 1) {
		mp_sink_text(sink, "loop");
		return;
	}
	mp_sink_grouped(sink, bar->n);
	mp_sink_text(sink, " loops");
}

static void tooltip(const struct picture *picture, const struct bar *bar)
{
	const struct schedule *s = picture->schedule;
	const struct graph_loop *loop = &s->graph->loops[bar->first->loop];
	struct sink *sink = picture->sink;

	mp_sink_text(sink, "<title>");
	title(sink, bar);
	mp_sink_print(sink, ", steps %s",
		mp_emit_steps(s, bar->first->start, bar->last->end).text);
	if (bar->n == 1) {
		mp_sink_text(sink, "\nop ");
		mp_sink_xml(sink, mp_emit_op(s, loop->first).text);
		mp_sink_text(sink, " to op ");
		mp_sink_xml(sink, mp_emit_op(s, loop->last).text);
	}
	mp_sink_text(sink, "</title>");
}

static uint32_t letters_of(const char *text)
{
	uint32_t n = 0;

	while (mp_text_next(&text) != 0)
		n++;
	return n;
}

/* " first … last", if that many letters have room. */
static void names(
	const struct picture *picture, const struct bar *bar, uint64_t room)
{
	const struct graph *graph = picture->schedule->graph;
	const struct graph_loop *loop = &graph->loops[bar->first->loop];
	struct piece first =
		mp_emit_plain(mp_graph_op_label(graph, loop->first));
	struct piece last = mp_emit_plain(mp_graph_op_label(graph, loop->last));
	struct sink *sink = picture->sink;

	if (letters_of(first.text) + letters_of(last.text) + NAMES_MORE > room)
		return;
	mp_sink_text(sink, " ");
	mp_sink_xml(sink, first.text);
	mp_sink_text(sink, " \342\200\246 ");
	mp_sink_xml(sink, last.text);
}

static void label(
	const struct picture *picture, const struct bar *bar, uint64_t y)
{
	uint64_t room = (bar->right - bar->left - 2 * SIDE) / SVG_LETTER;

	if (bar->right - bar->left < TITLE_ROOM)
		return;
	mp_emit_svg_text(picture->sink, "g", bar->left + SIDE, y + WORDS_DOWN);
	title(picture->sink, bar);
	if (bar->n == 1)
		names(picture, bar, room - TITLE_LETTERS);
	mp_emit_svg_text_end(picture->sink);
}

static void draw(
	const struct picture *picture, const struct bar *bar, uint32_t top)
{
	uint64_t y = (top + bar->first->row * SVG_LOOP_ROW) * SVG_UNIT;
	struct sink *sink = picture->sink;

	mp_sink_text(sink, "<rect class=\"loop\"");
	mp_emit_svg_number(sink, "x", bar->left);
	mp_emit_svg_number(sink, "y", y);
	mp_emit_svg_number(sink, "width", bar->right - bar->left);
	mp_emit_svg_number(sink, "height", BAR * SVG_UNIT);
	mp_sink_text(sink, ">");
	tooltip(picture, bar);
	mp_sink_text(sink, "</rect>\n");
	label(picture, bar, y);
}

/* So bars are not more than the picture has room for, however many loops there
 * are. */
void mp_emit_svg_loops(const struct picture *picture, uint32_t top)
{
	const struct loop_rows *loops = picture->loops;
	struct bar open[LOOP_ROWS] = {{NULL, NULL, 0, 0, 0}};

	if (loops->n == 0)
		return;
	mp_sink_text(picture->sink, style);
	mp_sink_text(picture->sink, "<g class=\"loops\">\n");
	for (uint32_t i = 0; i < loops->n; i++) {
		struct bar next = bar_of(picture, &loops->at[i]);
		struct bar *bar = &open[loops->at[i].row];

		if (bar->n > 0 && is_narrow(bar) && is_narrow(&next) &&
			next.left - bar->right < NARROW) {
			bar->last = next.last;
			bar->right = next.right;
			bar->n++;
			continue;
		}
		if (bar->n > 0)
			draw(picture, bar, top);
		*bar = next;
	}
	for (uint32_t row = 0; row < loops->rows; row++)
		draw(picture, &open[row], top);
	mp_sink_text(picture->sink, "</g>\n");
}
