/*
 * svg: the plan as a picture: steps from left to right, addresses from bottom
 * to top, one rectangle a part, and below it the bytes alive at each step. Pure
 * text, readable in a browser, on paper, light and dark. The colours say what
 * kind of tensor it is, or with the suffix .layers.svg of which layer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/svg/svg.h"

#include "emit/rows.h"

enum {
	MAP_TOP = 140,
	MAP_HEIGHT = 480,
	BAND_TOP = 642,
	BAND_HEIGHT = 100,
	HEIGHT = BAND_TOP + BAND_HEIGHT + SVG_TIME_BELOW + 14,
	NAME_BELOW = 15,  /* the map: names of graphs */
	LOOPS_BELOW = 19, /* the map: loops */
};

static void draw_map(struct picture *picture)
{
	const struct frame band = {MAP_LEFT, BAND_TOP, MAP_WIDTH, BAND_HEIGHT};

	mp_emit_svg_peak(picture);
	picture->bare = true;
	mp_emit_svg_frame(picture, "address");
	if (!mp_emit_svg_map(picture))
		return;
	if (picture->plan->arena_size >
		picture->schedule->problem.theoretical_min)
		mp_emit_svg_level(picture, "top", picture->plan->arena_size);
	picture->bare = false;
	mp_emit_svg_legend(picture);
	mp_emit_svg_band(picture, band);
	mp_emit_svg_loops(picture, mp_emit_svg_bottom(picture) + LOOPS_BELOW);
	mp_emit_svg_guides(picture, BAND_TOP + BAND_HEIGHT);
	mp_emit_svg_graphs(picture, NAME_BELOW);
	mp_emit_svg_ways(picture);
	mp_emit_svg_labels(picture);
}

static void draw_arena(struct picture *picture)
{
	const struct plan *plan = picture->plan;
	struct lane *lane = NEW(picture->scratch, struct lane, 1);
	uint32_t lower = picture->paint ? SVG_LEGEND_LINE : 0;
	uint32_t bars = picture->loops->rows * SVG_LOOP_ROW;
	bool holds;

	if (!lane || !mp_emit_lane(plan, 0, lane, picture->scratch))
		return;
	picture->lane = lane;
	picture->frame = (struct frame){MAP_LEFT, MAP_TOP + lower, MAP_WIDTH,
		MAP_HEIGHT - lower - bars};
	holds = mp_emit_svg_scale(picture,
		num_max(plan->arena_size, plan->problem->theoretical_min));
	mp_emit_svg_open(picture, "Memory plan", HEIGHT);
	mp_emit_svg_heading(picture);
	if (holds) {
		draw_map(picture);
		picture->frame.top = BAND_TOP;
		picture->frame.height = BAND_HEIGHT;
	} else {
		picture->peak = NULL;
		mp_emit_svg_frame(picture, "address");
		mp_emit_svg_nothing(picture, "no tensor takes any bytes");
	}
	mp_emit_svg_time(picture);
	mp_sink_text(picture->sink, "</svg>\n");
}

static void draw(const struct results *results, const struct layers *paint,
	struct sink *sink, struct arena *scratch)
{
	struct labels labels;
	struct peak peak;
	struct ways ways;
	struct loop_rows loops;
	struct picture picture = {.plan = results->plan,
		.schedule = results->plan->schedule,
		.sink = sink,
		.scratch = scratch,
		.labels = &labels,
		.peak = &peak,
		.ways = &ways,
		.loops = &loops,
		.paint = paint,
		.most = SVG_RECTANGLES};

	if (!mp_emit_labels_find(&labels, picture.schedule, scratch) ||
		!mp_emit_svg_peak_find(&peak, picture.schedule, scratch) ||
		!mp_emit_ways_find(
			&ways, picture.schedule, &labels.chains, scratch) ||
		!mp_emit_loop_rows(&loops, picture.schedule, scratch))
		return;
	if (results->plan->spaces.at)
		mp_emit_svg_pools(&picture);
	else
		draw_arena(&picture);
}

void mp_emit_svg(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	draw(results, NULL, sink, scratch);
}

void mp_emit_svg_layers(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	struct layers layers;

	if (mp_emit_layers_find(&layers, results->plan->schedule, scratch))
		draw(results, &layers, sink, scratch);
}
