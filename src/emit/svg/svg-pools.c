/*
 * svg of a plan in several memories: a panel each, one below the other over the
 * same steps. Each has a scale of its own, as a fast memory is small.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/svg/svg.h"

#include <assert.h>

enum {
	PANELS = 16, /* at most; the others are counted */
	TOP = 162,   /* of the first panel's map, if there are no loops */
	ROOM = 640,  /* for all panels, if they are few */
	LOW = 184,   /* least height of one */
	EMPTY = 36,  /* height of one in which nothing lies */
	BAND = 52,   /* height of a panel's band */
	GAP = 8,     /* between its map and that */
	BETWEEN = 40,
	LOOPS_ABOVE = 24, /* the first panel's map: the last row of loops */
	BELOW = 66,	  /* the last panel's map, to the edge */
	TITLE_ABOVE = 8,  /* the map */
	REST_BELOW = 44,  /* the last panel: what is not drawn */
	NAME_BELOW = 58,  /* the last panel: names of graphs */
	CELL = 4,	  /* side of a cell of the raster */
	NAME_MOST = 40,
	TIMES_MOST = 3, /* what is used, that a scale stretches to */
};

struct panels {
	struct picture picture;
	uint32_t n;	 /* that are drawn */
	uint32_t height; /* of one that is not empty */
	uint32_t top;	 /* of the first one */
	uint32_t bottom; /* of the last one */
};

static const char style[] =
	"<style>\n"
	".cap{stroke:#8250df;stroke-width:1.6;stroke-dasharray:2 3;fill:none}\n"
	"@media screen and (prefers-color-scheme:dark){\n"
	".cap{stroke:#bc8cff}\n"
	"}\n</style>\n";

/* ----------------------------------------------------------- layout */

static uint32_t height_of(const struct panels *panels, uint32_t i)
{
	assert(i < panels->n);
	return panels->picture.plan->spaces.at[i].size > 0 ? panels->height
							   : EMPTY;
}

static void lay_out(struct panels *panels)
{
	const struct spaces *spaces = &panels->picture.plan->spaces;
	uint32_t filled = 0, between;

	panels->n = spaces->n < PANELS ? spaces->n : PANELS;
	for (uint32_t i = 0; i < panels->n; i++)
		filled += spaces->at[i].size > 0;
	between = filled > 1 ? BETWEEN * (filled - 1) : 0;
	panels->height = LOW;
	if (filled > 0 && between + filled * LOW < ROOM)
		panels->height = (ROOM - between) / filled;
	panels->height -= panels->height % CELL;
	panels->top = TOP;
	if (panels->picture.paint)
		panels->top += SVG_LEGEND_LINE;
	panels->top += panels->picture.loops->rows * SVG_LOOP_ROW;
	panels->bottom = panels->top - BETWEEN;
	for (uint32_t i = 0; i < panels->n; i++)
		panels->bottom += BETWEEN + height_of(panels, i);
}

/* ------------------------------------------------------------ words */

static void panel_title(const struct picture *picture)
{
	const struct space *space = &picture->lane->space;
	struct sink *sink = picture->sink;
	uint32_t x = picture->frame.left, y = picture->frame.top - TITLE_ABOVE;

	mp_sink_print(
		sink, "<text x=\"%u\" y=\"%u\"><tspan class=\"b\">", x, y);
	mp_sink_xml_cut(sink, space->name, NAME_MOST);
	mp_sink_text(sink, "</tspan><tspan class=\"g\" dx=\"12\">");
	mp_emit_svg_bytes(sink, space->size);
	if (space->capacity != NO_CAPACITY)
		mp_sink_print(sink, " of %s, %s %%",
			mp_emit_unit(space->capacity).text,
			mp_emit_percent(space->size, space->capacity).text);
	mp_sink_print(sink, "; minimum %s; %u buffer%s",
		mp_emit_unit(space->theoretical_min).text, space->n_buffers,
		mp_text_plural(space->n_buffers));
	if (space->planner)
		mp_sink_print(sink, " by %s", space->planner);
	mp_sink_text(sink, "</tspan></text>\n");
}

/* Lines in the map; the words of those in both are the band's. */
static void lines(const struct picture *picture)
{
	const struct space *space = &picture->lane->space;

	if (space->capacity != NO_CAPACITY && space->capacity <= picture->top)
		mp_emit_svg_level(picture, "cap", space->capacity);
	if (space->size > space->theoretical_min)
		mp_emit_svg_level(picture, "top", space->size);
}

/* ----------------------------------------------------------- panels */

/* A capacity that is far away must not flatten what is there. */
static uint64_t upper_edge(const struct space *space)
{
	uint64_t top = num_max(space->size, space->theoretical_min);

	if (space->capacity / TIMES_MOST <= top)
		top = num_max(top, space->capacity);
	return top;
}

/* The map and below it the band. */
static bool fill(struct picture *picture, const struct frame *panel)
{
	const struct frame band = {panel->left,
		panel->top + panel->height - BAND, panel->width, BAND};
	bool bare = picture->bare;

	picture->frame.height = panel->height - BAND - GAP;
	picture->bare = true;
	mp_emit_svg_scale(picture, upper_edge(&picture->lane->space));
	mp_emit_svg_frame(picture, "address");
	if (!mp_emit_svg_map(picture))
		return false;
	lines(picture);
	picture->bare = bare;
	mp_emit_svg_band(picture, band);
	mp_emit_svg_guides(picture, panel->top + panel->height);
	mp_emit_svg_labels(picture);
	return true;
}

static void panel(struct panels *panels, uint32_t i)
{
	struct picture *picture = &panels->picture;
	struct arena_mark mark = mp_arena_mark(picture->scratch);
	struct lane lane;

	if (!mp_emit_lane(picture->plan, i, &lane, picture->scratch))
		return;
	picture->lane = &lane;
	picture->frame.height = height_of(panels, i);
	picture->bare = i + 1 < panels->n;
	picture->shift = 0;
	panel_title(picture);
	if (lane.space.size > 0) {
		const struct frame whole = picture->frame;

		if (!fill(picture, &whole))
			return;
		picture->frame = whole;
	} else {
		mp_emit_svg_frame(picture, NULL);
		mp_emit_svg_nothing(picture, "nothing lies here");
	}
	picture->lane = NULL;
	picture->frame.top += picture->frame.height + BETWEEN;
	mp_arena_rewind(picture->scratch, mark);
}

/* The axis of steps is the last panel's; below it, the pools that were left
 * out. */
static void foot(struct panels *panels)
{
	struct picture *picture = &panels->picture;
	const struct spaces *spaces = &picture->plan->spaces;
	uint64_t bytes = 0;

	picture->frame.top -= picture->frame.height + BETWEEN;
	mp_emit_svg_time(picture);
	mp_emit_svg_graphs(picture, NAME_BELOW);
	if (spaces->n == panels->n)
		return;
	for (uint32_t i = panels->n; i < spaces->n; i++)
		bytes += spaces->at[i].size;
	mp_emit_svg_text(picture->sink, "g", MAP_LEFT * SVG_UNIT,
		(panels->bottom + REST_BELOW) * SVG_UNIT);
	mp_sink_print(picture->sink, "and %u more pools, with ",
		spaces->n - panels->n);
	mp_emit_svg_bytes(picture->sink, bytes);
	mp_emit_svg_text_end(picture->sink);
}

void mp_emit_svg_pools(const struct picture *picture)
{
	struct panels panels = {.picture = *picture};
	struct sink *sink = picture->sink;

	lay_out(&panels);
	panels.picture.frame =
		(struct frame){MAP_LEFT, panels.top, MAP_WIDTH, ROOM};
	panels.picture.most = SVG_RECTANGLES / (panels.n ? panels.n : 1);
	mp_emit_svg_open(&panels.picture, "Memory plan", panels.bottom + BELOW);
	mp_sink_text(sink, style);
	mp_emit_svg_heading(&panels.picture);
	if (picture->peak->n > 0)
		mp_emit_svg_peak(&panels.picture);
	mp_emit_svg_loops(&panels.picture,
		panels.top - LOOPS_ABOVE - picture->loops->rows * SVG_LOOP_ROW);
	for (uint32_t i = 0; i < panels.n; i++)
		panel(&panels, i);
	mp_emit_svg_legend(&panels.picture);
	foot(&panels);
	mp_sink_text(sink, "</svg>\n");
}
