/*
 * chart: the load over the steps for a terminal of 80 columns, and what makes
 * its peak; in plain ASCII too, for serial consoles.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <inttypes.h>

#include "emit/report.h"
#include "emit/rows.h"

enum {
	COLUMNS = 66, /* of the curve */
	ROWS = 16,
	LABEL_EVERY = 4, /* rows */
	MARGIN = 12,	 /* of sizes at its left */
	EIGHTHS = 8,	 /* of a row */
	MAKERS = 3,	 /* of the peak that are named */
	NAME = 34,	 /* characters that a line has room for */
};

/* Bytes for what a terminal can show. */
struct glyphs {
	const char *filled[EIGHTHS + 1]; /* eighths of a row, from below */
	const char *edge, *corner, *floor, *mark;
	bool ascii;
};

static const struct glyphs blocks = {
	{" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586",
		"\u2587", "\u2588"},
	"\u2502", "\u2514", "\u2500", "\u25b2", false};
static const struct glyphs plain = {
	{" ", "_", "_", ".", ".", ":", ":", "#", "#"}, "|", "+", "-", "^",
	true};

struct chart {
	const struct schedule *schedule;
	const struct glyphs *glyphs;
	struct sink *sink;
	uint32_t width;		/* columns of the curve */
	uint64_t load[COLUMNS]; /* greatest of the steps of a column */
	uint32_t peak;		/* first column of the peak */
};

/* ------------------------------------------------------------ curve */

/* Few steps have several columns each, many share one. */
static void measure(struct chart *c)
{
	const struct problem *p = &c->schedule->problem;

	c->width = p->n_steps < COLUMNS ? COLUMNS / p->n_steps * p->n_steps
					: COLUMNS;
	for (uint32_t i = 0; i < c->width; i++) {
		uint32_t from = (uint32_t)((uint64_t)i * p->n_steps / c->width);
		uint32_t to =
			(uint32_t)(((uint64_t)i + 1) * p->n_steps / c->width);

		for (uint32_t k = from; k < to || k == from; k++) {
			if (k == p->peak_step && c->peak == NONE)
				c->peak = i;
			c->load[i] = num_max(c->load[i], p->load[k]);
		}
	}
}

/* How full a row is. What holds bytes is never empty; division comes first
 * where a product could overflow. */
static uint32_t eighths(const struct chart *c, uint32_t column, uint32_t row)
{
	uint64_t most = c->schedule->problem.listed_min;
	uint64_t unit = most / (ROWS * EIGHTHS), load = c->load[column];
	uint64_t full = most < UINT32_MAX ? load * (ROWS * EIGHTHS) / most
					  : load / unit;

	if (load > 0 && full == 0)
		full = 1;
	if (full <= row * EIGHTHS)
		return 0;
	full -= row * EIGHTHS;
	return full < EIGHTHS ? (uint32_t)full : EIGHTHS;
}

static void margin(const struct chart *c, uint32_t row)
{
	uint64_t most = c->schedule->problem.listed_min;
	uint64_t low = most < UINT32_MAX ? most * (row + 1) / ROWS
					 : most / ROWS * (row + 1);

	if ((row + 1) % LABEL_EVERY == 0)
		mp_sink_print(c->sink, "%*s", MARGIN, mp_emit_unit(low).text);
	else
		mp_sink_print(c->sink, "%*s", MARGIN, "");
	mp_sink_print(c->sink, " %s", c->glyphs->edge);
}

static void curve(const struct chart *c)
{
	for (uint32_t row = ROWS; row-- > 0;) {
		uint32_t n = c->width;

		margin(c, row);
		while (n > 0 && eighths(c, n - 1, row) == 0)
			n--;
		for (uint32_t i = 0; i < n; i++)
			mp_sink_text(
				c->sink, c->glyphs->filled[eighths(c, i, row)]);
		mp_sink_text(c->sink, "\n");
	}
}

static void axis(const struct chart *c)
{
	const struct problem *p = &c->schedule->problem;

	mp_sink_print(c->sink, "%*s %s", MARGIN, "0", c->glyphs->corner);
	for (uint32_t i = 0; i < c->width; i++)
		mp_sink_text(c->sink,
			i == c->peak ? c->glyphs->mark : c->glyphs->floor);
	mp_sink_print(c->sink, "\n%*s %-*" PRId64 " %*" PRId64 "\n", MARGIN,
		mp_problem_axis(p), (int)c->width / 2, mp_problem_time(p, 0),
		(int)(c->width - c->width / 2), mp_problem_time(p, p->n_steps));
}

/* ------------------------------------------------------------ words */

/* At most so many characters. The ellipsis is memplan's own, so that it has a
 * spelling. The sink of what is cut never grows. */
static void words(const struct chart *c, const char *text, uint32_t most)
{
	char cut[4 * COLUMNS + 1];
	struct sink sink = {.bytes = cut, .room = sizeof(cut)};
	uint32_t point;

	assert(most <= COLUMNS);
	mp_sink_plain(&sink, text, most);
	cut[sink.length] = '\0';
	if (!c->glyphs->ascii)
		mp_sink_text(c->sink, cut);
	for (text = cut; c->glyphs->ascii && (point = mp_text_next(&text));) {
		char letter = point < 0x80 ? (char)point : '?';

		if (point == 0x2026)
			mp_sink_text(c->sink, "..");
		else
			mp_sink_write(c->sink, &letter, 1);
	}
}

static void makers(const struct chart *c, struct arena *scratch)
{
	const struct schedule *s = c->schedule;
	struct labels labels;
	uint32_t n;
	struct alive *alive =
		mp_emit_peak_alive(s, s->problem.peak_step, &n, scratch);

	if (!alive || !mp_emit_labels_find(&labels, s, scratch))
		return;
	mp_sink_print(c->sink, "%*s %s %s in %u tensor%s at ", MARGIN, "",
		c->glyphs->mark, mp_emit_unit(s->problem.listed_min).text, n,
		mp_text_plural(n));
	words(c, mp_emit_step(s, s->problem.peak_step).text, NAME);
	mp_sink_text(c->sink, "\n");
	for (uint32_t i = 0; i < n && i < MAKERS; i++) {
		mp_sink_print(c->sink, "%*s %u %10s %5s %%  ", MARGIN, "",
			i + 1, mp_emit_unit(alive[i].size).text,
			mp_emit_percent(alive[i].size, s->problem.listed_min)
				.text);
		words(c, mp_emit_label(&labels, alive[i].tensor).text,
			NAME + 4);
		mp_sink_text(c->sink, "\n");
	}
}

static void draw(const struct results *results, const struct glyphs *glyphs,
	struct sink *sink, struct arena *scratch)
{
	struct chart c = {.schedule = results->schedule,
		.glyphs = glyphs,
		.sink = sink,
		.peak = NONE};

	words(&c, c.schedule->graph->name, NAME);
	if (c.schedule->problem.listed_min == 0) {
		mp_sink_text(sink, ": no tensor takes any bytes\n");
		return;
	}
	mp_sink_print(sink, ": bytes alive over %u step%s",
		c.schedule->problem.n_steps,
		mp_text_plural(c.schedule->problem.n_steps));
	if (c.schedule->graph->n_ops > 0) {
		mp_sink_text(sink, ", order ");
		words(&c, c.schedule->order_name, NAME);
	}
	mp_sink_text(sink, "\n\n");
	measure(&c);
	curve(&c);
	axis(&c);
	makers(&c, scratch);
}

void mp_emit_chart(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	draw(results, &blocks, sink, scratch);
}

void mp_emit_chart_ascii(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	draw(results, &plain, sink, scratch);
}
