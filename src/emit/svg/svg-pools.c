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
	TOP = 124,   /* of the first panel's frame */
	ROOM = 636,  /* for all frames, if they are few */
	LOW = 132,   /* least height of a frame */
	EMPTY = 36,  /* height of one in which nothing lies */
	BETWEEN = 46,
	BELOW = 60, /* the last panel's axis */
	LINE = 1500,
	NOTE_GAP = 10,	  /* between a frame and a note */
	TITLE_ABOVE = 10, /* the frame */
	REST_BELOW = 44,  /* the last frame */
	CELL = 4,	  /* side of a cell of the raster */
	NAME_MOST = 40,
	RIGHT = MAP_LEFT + MAP_WIDTH,
	TIMES_MOST = 3, /* what is used, that a scale stretches to */
};

struct panels {
	struct picture picture;
	uint32_t n;	 /* that are drawn */
	uint32_t height; /* of one that is not empty */
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
	panels->bottom = TOP - BETWEEN;
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
	mp_sink_print(sink, "</tspan><tspan class=\"g\" dx=\"12\">%s",
		mp_emit_bytes(space->size).text);
	if (space->capacity != NO_CAPACITY)
		mp_sink_print(sink, " of %s, %s %%",
			mp_emit_unit(space->capacity).text,
			mp_emit_percent(space->size, space->capacity).text);
	mp_sink_print(sink, "; minimum %s; %u buffer%s",
		mp_emit_unit(space->theoretical_min).text, space->n_buffers,
		mp_emit_plural(space->n_buffers));
	if (space->planner)
		mp_sink_print(sink, " by %s", space->planner);
	mp_sink_text(sink, "</tspan></text>\n");
}

/* Beside a line, or below the note before it. Returns the place of the next. */
static uint64_t note(const struct picture *picture, const char *title,
	uint64_t bytes, uint64_t least)
{
	uint64_t y =
		num_max(mp_emit_svg_y(picture, num_min(bytes, picture->top)) +
				SVG_BASELINE,
			least);
	struct sink *sink = picture->sink;

	mp_emit_svg_text(sink, "g", (RIGHT + NOTE_GAP) * SVG_UNIT, y);
	mp_sink_print(sink, "%s %s", title, mp_emit_unit(bytes).text);
	mp_emit_svg_text_end(sink);
	return y + LINE;
}

static void lines(const struct picture *picture)
{
	const struct space *space = &picture->lane->space;
	uint64_t next = 0;

	if (space->capacity != NO_CAPACITY && space->capacity > picture->top)
		next = note(picture, "\342\206\221 capacity", space->capacity,
			next);
	else if (space->capacity != NO_CAPACITY) {
		mp_emit_svg_level(picture, "cap", space->capacity);
		next = note(picture, "capacity", space->capacity, next);
	}
	if (space->size == space->theoretical_min) {
		note(picture, "size = minimum", space->size, next);
		return;
	}
	mp_emit_svg_level(picture, "top", space->size);
	next = note(picture, "size", space->size, next);
	note(picture, "minimum", space->theoretical_min, next);
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
	if (mp_emit_svg_scale(picture, upper_edge(&lane.space))) {
		mp_emit_svg_frame(picture, "address");
		if (!mp_emit_svg_map(picture))
			return;
		mp_emit_svg_loads(picture);
		lines(picture);
		mp_emit_svg_labels(picture);
	} else {
		mp_emit_svg_frame(picture, NULL);
		mp_emit_svg_nothing(picture, "nothing lies here");
	}
	picture->frame.top += picture->frame.height + BETWEEN;
	mp_arena_rewind(picture->scratch, mark);
}

static bool has_capacity(const struct panels *panels)
{
	const struct space *spaces = panels->picture.plan->spaces.at;

	for (uint32_t i = 0; i < panels->n; i++)
		if (spaces[i].capacity != NO_CAPACITY)
			return true;
	return false;
}

static void legend(const struct panels *panels)
{
	const struct picture *picture = &panels->picture;
	uint32_t x = mp_emit_svg_legend(picture);

	if (picture->drawn < picture->parts || !has_capacity(panels))
		return;
	mp_emit_svg_key_line(picture->sink, "cap", x, "capacity");
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
	mp_emit_svg_graphs(picture);
	if (spaces->n == panels->n)
		return;
	for (uint32_t i = panels->n; i < spaces->n; i++)
		bytes += spaces->at[i].size;
	mp_emit_svg_text(picture->sink, "g", MAP_LEFT * SVG_UNIT,
		(panels->bottom + REST_BELOW) * SVG_UNIT);
	mp_sink_print(picture->sink, "and %u more pools, with %s",
		spaces->n - panels->n, mp_emit_bytes(bytes).text);
	mp_emit_svg_text_end(picture->sink);
}

void mp_emit_svg_pools(
	const struct plan *plan, struct sink *sink, struct arena *scratch)
{
	struct labels labels;
	struct panels panels = {
		.picture = {.plan = plan,
			.schedule = plan->schedule,
			.sink = sink,
			.scratch = scratch,
			.labels = &labels,
			.frame = {MAP_LEFT, TOP, MAP_WIDTH, ROOM}}};

	if (!mp_emit_labels_find(&labels, plan->schedule, scratch))
		return;
	lay_out(&panels);
	panels.picture.most = SVG_RECTANGLES / (panels.n ? panels.n : 1);
	mp_emit_svg_open(&panels.picture, "Memory plan", panels.bottom + BELOW);
	mp_sink_text(sink, style);
	mp_emit_svg_heading(&panels.picture);
	for (uint32_t i = 0; i < panels.n; i++)
		panel(&panels, i);
	legend(&panels);
	foot(&panels);
	mp_sink_text(sink, "</svg>\n");
}
