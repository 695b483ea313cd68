/*
 * The rectangles of a picture: one a part. Of very many the largest are drawn,
 * the rest becomes a raster, so that the file stays small and nothing that
 * holds bytes looks free.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"
#include "emit/inside.h"
#include "emit/svg/map.h"

enum {
	CELL = 4,	 /* side of a cell of the raster */
	NAME_MOST = 120, /* characters of a name in a tooltip */
	TINTS = 3,
	HOVER_LEAST = 100, /* smallest side that a pointer can find */
	EDGE_LEAST = 300,  /* smallest side that has an edge drawn around */
};

/* -------------------------------------------------------- preparing */

static struct tile tile_of(const struct picture *picture, uint32_t k)
{
	const struct part *part = &picture->schedule->problem.parts[k];
	uint64_t low = picture->plan->offsets[part->buffer] + part->base;
	uint64_t x = mp_emit_svg_x(picture, part->start);
	uint64_t y = mp_emit_svg_y(picture, low + part->size);
	struct box box = {x, y, mp_emit_svg_x(picture, part->end) - x,
		mp_emit_svg_y(picture, low) - y};

	return (struct tile){box, box.width * box.height, k};
}

static int largest_first(const void *a, const void *b)
{
	const struct tile *x = a, *y = b;

	return mp_sort_compare_two(y->area, x->area, x->part, y->part);
}

static int by_part(const void *a, const void *b)
{
	const struct tile *x = a, *y = b;

	return mp_sort_compare(x->part, y->part);
}

static bool prepare(struct svg_map *m)
{
	struct picture *picture = m->picture;
	uint32_t n = picture->schedule->problem.n_parts;

	m->tiles = NEW(picture->scratch, struct tile, n);
	if (!m->tiles)
		return false;
	for (uint32_t k = 0; k < n; k++)
		if (mp_emit_lane_of(picture->plan,
			    &picture->schedule->problem.parts[k]) ==
			picture->lane->index)
			m->tiles[m->n++] = tile_of(picture, k);
	m->n_drawn = m->n < picture->most ? m->n : picture->most;
	picture->drawn += m->n_drawn;
	picture->parts += m->n;
	if (m->n == m->n_drawn)
		return true;
	qsort(m->tiles, m->n, sizeof(*m->tiles), largest_first);
	qsort(m->tiles, m->n_drawn, sizeof(*m->tiles), by_part);
	return true;
}

/* ----------------------------------------------------------- raster */

static uint32_t cell_of(uint64_t at, uint32_t edge, uint32_t n)
{
	assert(at >= (uint64_t)edge * SVG_UNIT && n > 0);
	uint64_t cell = (at - (uint64_t)edge * SVG_UNIT) / (CELL * SVG_UNIT);

	return cell < n ? (uint32_t)cell : n - 1;
}

static void shade(const struct svg_map *m, bool *cells, const struct box *box)
{
	const struct frame *frame = &m->picture->frame;
	uint32_t left = cell_of(box->x, frame->left, m->columns);
	uint32_t right = cell_of(box->x + box->width, frame->left, m->columns);
	uint32_t high = cell_of(box->y, frame->top, m->rows);
	uint32_t low = cell_of(box->y + box->height, frame->top, m->rows);

	for (uint32_t row = high; row <= low; row++)
		for (uint32_t column = left; column <= right; column++)
			cells[row * m->columns + column] = true;
}

/* Cells side by side become one subpath. */
static void raster_row(const struct svg_map *m, const bool *cells, uint32_t row)
{
	const struct frame *frame = &m->picture->frame;
	uint32_t first;

	for (uint32_t column = 0; column < m->columns; column++) {
		first = column;
		while (column < m->columns && cells[column])
			column++;
		if (column > first)
			mp_sink_print(m->picture->sink, "M%u %uh%uv%uh-%uz",
				frame->left + first * CELL,
				frame->top + row * CELL,
				(column - first) * CELL, CELL,
				(column - first) * CELL);
	}
}

static bool raster(struct svg_map *m)
{
	const struct picture *picture = m->picture;
	bool *cells;

	m->columns = picture->frame.width / CELL;
	m->rows = picture->frame.height / CELL;
	cells = NEW(picture->scratch, bool, (size_t)m->rows * m->columns);
	if (!cells)
		return false;
	for (uint32_t i = m->n_drawn; i < m->n; i++)
		shade(m, cells, &m->tiles[i].box);
	mp_sink_text(picture->sink, "<path class=\"rest\" d=\"");
	for (uint32_t row = 0; row < m->rows; row++)
		raster_row(m, cells + row * m->columns, row);
	mp_sink_text(picture->sink, "\"/>\n");
	return true;
}

/* ------------------------------------------------------- rectangles */

/* All tensors of a rectangle that several have: each is to be found. */
static void members(const struct svg_map *m, uint32_t k)
{
	const struct labels *labels = m->picture->labels;
	const struct graph *graph = m->picture->schedule->graph;
	struct ids list = mp_lists_at(&labels->chains.members, k);
	struct sink *sink = m->picture->sink;

	if (labels->chains.of[k].n < 2)
		return;
	mp_sink_print(sink, "\n%u tensor%s", labels->chains.of[k].n,
		mp_text_plural(labels->chains.of[k].n));
	for (uint32_t i = 0; i < list.n; i++) {
		mp_sink_text(sink, i > 0 ? ", " : ": ");
		mp_sink_xml_cut(sink,
			mp_graph_tensor_label(&graph->tensors[list.at[i]]),
			NAME_MOST);
	}
}

/* Rectangles of two branches of a choice may lie over each other. */
static void branch(struct sink *sink, const struct problem *p, uint32_t buffer)
{
	if (p->choice && p->choice[buffer] != NONE)
		mp_sink_print(sink, "\nbranch %u of choice %u",
			p->branch[buffer], p->choice[buffer]);
}

static void tooltip(const struct svg_map *m, uint32_t k)
{
	const struct schedule *s = m->picture->schedule;
	const struct labels *labels = m->picture->labels;
	const struct part *part = &s->problem.parts[k];
	struct sink *sink = m->picture->sink;

	mp_sink_text(sink, "<title>");
	mp_sink_xml_cut(sink, labels->of_part[k], LABEL_MOST);
	mp_sink_text(sink, "\n");
	mp_sink_text(sink, mp_graph_kind_name(labels->chains.of[k].kind));
	mp_sink_text(sink, ", ");
	mp_emit_svg_bytes(sink, part->size);
	mp_sink_text(sink, "\nat ");
	mp_sink_grouped(
		sink, (int64_t)(m->picture->plan->offsets[part->buffer] +
				part->base));
	mp_sink_text(sink, ", steps [");
	mp_sink_grouped(sink, mp_problem_time(&s->problem, part->start));
	mp_sink_text(sink, ", ");
	mp_sink_grouped(sink, mp_problem_time(&s->problem, part->end));
	mp_sink_text(sink, ")");
	branch(sink, &s->problem, part->buffer);
	members(m, k);
	mp_sink_text(sink, "</title>");
}

/* The class that is its colour, and the letter of a kind or layer. */
static void colour(const struct svg_map *m, uint32_t part)
{
	const struct picture *picture = m->picture;
	const struct chain *chain = &picture->labels->chains.of[part];
	const struct layers *paint = picture->paint;
	struct sink *sink = picture->sink;
	uint32_t layer = NONE;

	if (picture->peak->rank[part] > 0) {
		mp_sink_text(sink, "r");
		mp_sink_u64(sink, picture->peak->rank[part]);
		return;
	}
	if (paint && chain->n > 0)
		layer = paint->of_tensor[chain->first];
	mp_sink_text(sink, paint ? "l" : "k");
	if (paint)
		mp_sink_u64(sink,
			layer == NONE ? LAYER_COLOURS : paint->colour[layer]);
	else
		mp_sink_u64(sink, chain->kind);
}

/* The tint only separates neighbours; what is not alive at the peak is pale. */
static void tint(const struct svg_map *m, uint32_t k)
{
	const struct picture *picture = m->picture;
	const struct part *part = &picture->schedule->problem.parts[k];
	uint32_t step = picture->peak->step;
	bool alive = part->start <= step && step < part->end;

	if (picture->peak->rank[k] > 0)
		return;
	mp_sink_text(picture->sink, alive ? " t" : " p");
	mp_sink_u64(picture->sink, k * 7 % TINTS);
}

static void rectangle(const struct svg_map *m, const struct tile *tile)
{
	const char *label = m->picture->labels->of_part[tile->part];
	struct sink *sink = m->picture->sink;
	bool thin =
		tile->box.width < EDGE_LEAST || tile->box.height < EDGE_LEAST;

	mp_sink_text(sink, "<rect class=\"");
	colour(m, tile->part);
	tint(m, tile->part);
	mp_sink_text(sink, thin ? " n\"" : "\"");
	mp_emit_svg_number(sink, "x", tile->box.x);
	mp_emit_svg_number(sink, "y", tile->box.y);
	mp_emit_svg_number(sink, "width", tile->box.width);
	mp_emit_svg_number(sink, "height", tile->box.height);
	if (!label || tile->box.width < HOVER_LEAST ||
		tile->box.height < HOVER_LEAST) {
		mp_sink_text(sink, "/>\n");
		return;
	}
	mp_sink_text(sink, ">");
	tooltip(m, tile->part);
	mp_sink_text(sink, "</rect>\n");
}

bool mp_emit_svg_map(struct picture *picture)
{
	struct svg_map *m = NEW(picture->scratch, struct svg_map, 1);

	if (!m)
		return false;
	m->picture = picture;
	picture->map = m;
	if (!prepare(m) || (m->n_drawn < m->n && !raster(m)))
		return false;
	mp_sink_text(picture->sink, "<g class=\"map\">\n");
	for (uint32_t i = 0; i < m->n_drawn; i++)
		rectangle(m, &m->tiles[i]);
	mp_sink_text(picture->sink, "</g>\n");
	return true;
}
