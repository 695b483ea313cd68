/*
 * svg: the plan as a picture: steps from left to right, addresses from bottom
 * to top, one rectangle a part, over it the bytes alive at each step. Pure
 * text, readable in a browser, on paper, light and dark.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/svg.h"

#include "emit/rows.h"

enum {
	NAME_MOST = 70,	   /* characters of the plan's name */
	CURVE_MOST = 2020, /* points of the load curve */
	ADDRESS_TICKS = 8, /* at most */
	STEP_TICKS = 12,
	RIGHT = MAP_LEFT + MAP_WIDTH,
	BOTTOM = MAP_TOP + MAP_HEIGHT,
};

static const char style[] =
	"text{font:12px Helvetica,Arial,sans-serif;fill:#24292f}\n"
	".h{font-size:20px;font-weight:bold}\n"
	".g{fill:#57606a}\n"
	".e{text-anchor:end}\n"
	".m{text-anchor:middle}\n"
	".b{font-weight:bold}\n"
	".map rect{stroke:#fff;stroke-width:.6}\n"
	".map .n{stroke:none}\n"
	".labels text{font-size:11px;fill:#10151b;"
	"pointer-events:none;paint-order:stroke;stroke:#fff;"
	"stroke-width:2.4;stroke-opacity:.6}\n"
	".labels .s{font-size:10px;fill-opacity:.75}\n"
	".k0{fill:#8db8e8}\n"
	".k1{fill:#7cc5a1}\n"
	".k2{fill:#f2a58c}\n"
	".k3{fill:#c3b1e1}\n"
	".k4{fill:#e3c567}\n"
	".k5{fill:#b9bec5}\n"
	".t1{fill-opacity:.86}\n"
	".t2{fill-opacity:.72}\n"
	".rest{fill:#c9d6e4}\n"
	".frame{fill:#f6f8fa}\n"
	".grid{stroke:#d0d7de;stroke-width:1;fill:none}\n"
	".axis{stroke:#57606a;stroke-width:1;fill:none}\n"
	".halo{stroke:#fff;stroke-opacity:.75;stroke-width:4;fill:none}\n"
	".load{stroke:#1f2328;stroke-width:1.6;fill:none}\n"
	".low{stroke:#0a7d3c;stroke-width:1.6;stroke-dasharray:7 4;"
	"fill:none}\n"
	".top{stroke:#cf222e;stroke-width:1.6;fill:none}\n"
	".peak{fill:#0a7d3c}\n"
	".paper{fill:#fff}\n"
	"@media screen and (prefers-color-scheme:dark){\n"
	".paper{fill:#0d1117}.frame{fill:#161b22}\n"
	"text{fill:#e6edf3}.g{fill:#9198a1}\n"
	".grid{stroke:#30363d}.axis{stroke:#9198a1}\n"
	".map rect{stroke:#0d1117}.rest{fill:#3d5069}\n"
	".halo{stroke:#0d1117}.load{stroke:#f0f6fc}\n"
	".low{stroke:#3fb950}.top{stroke:#ff7b72}.peak{fill:#3fb950}\n"
	"}\n";

/* -------------------------------------------------------------- coordinates */

uint64_t mp_svg_x(const struct picture *picture, uint32_t step)
{
	uint32_t n = picture->problem->n_steps;

	return MAP_LEFT * 100 +
	       (uint64_t)step * (MAP_WIDTH * 100) / (n ? n : 1);
}

uint64_t mp_svg_y(const struct picture *picture, uint64_t bytes)
{
	return BOTTOM * 100 - (bytes >> picture->shift) * (MAP_HEIGHT * 100) /
				      (picture->top >> picture->shift);
}

void mp_svg_fixed(struct sink *sink, uint64_t hundredths)
{
	uint64_t rest = hundredths % 100;

	mp_sink_u64(sink, hundredths / 100);
	if (rest == 0)
		return;
	mp_sink_text(sink, ".");
	mp_sink_u64(sink, rest / 10);
	if (rest % 10)
		mp_sink_u64(sink, rest % 10);
}

void mp_svg_number(struct sink *sink, const char *name, uint64_t hundredths)
{
	mp_sink_text(sink, " ");
	mp_sink_text(sink, name);
	mp_sink_text(sink, "=\"");
	mp_svg_fixed(sink, hundredths);
	mp_sink_text(sink, "\"");
}

static void open_text(
	struct sink *sink, const char *class, uint64_t x, uint64_t y)
{
	mp_sink_print(sink, "<text class=\"%s\"", class);
	mp_svg_number(sink, "x", x);
	mp_svg_number(sink, "y", y);
	mp_sink_text(sink, ">");
}

static void close_text(struct sink *sink)
{
	mp_sink_text(sink, "</text>\n");
}

static void level(struct sink *sink, const char *class, uint64_t y)
{
	mp_sink_print(sink, "<path class=\"%s\" d=\"M%u ", class, MAP_LEFT);
	mp_svg_fixed(sink, y);
	mp_sink_print(sink, "h%u\"/>\n", MAP_WIDTH);
}

/* ------------------------------------------------------------------ heading */

static void heading(const struct picture *picture)
{
	const struct problem *p = picture->problem;
	struct sink *sink = picture->sink;

	open_text(sink, "h", MAP_LEFT * 100, 3400);
	mp_sink_xml_cut(sink, p->name, NAME_MOST);
	close_text(sink);
	open_text(sink, "g", MAP_LEFT * 100, 5500);
	mp_sink_print(
		sink, "%u tensors, %u steps, order ", p->n_items, p->n_steps);
	mp_sink_xml_cut(sink, p->order_name, NAME_MOST);
	mp_sink_text(sink, ", planner ");
	mp_sink_xml_cut(sink, picture->plan->planner, NAME_MOST);
	mp_sink_text(sink, ": arena = ");
	mp_sink_ratio(sink, picture->plan->arena_size, p->theoretical_min, 3);
	mp_sink_text(sink, " \303\227 theoretical minimum");
	close_text(sink);
}

/* ------------------------------------------------------------------- legend */

static bool has_kind(const struct problem *p, uint32_t kind)
{
	for (uint32_t i = 0; i < p->n_items; i++)
		if (p->items[i].kind == kind && p->items[i].buffer != NONE)
			return true;
	return false;
}

static void legend(const struct picture *picture)
{
	struct sink *sink = picture->sink;
	uint32_t x = MAP_LEFT;

	for (uint32_t kind = 0; kind < SVG_KINDS; kind++) {
		if (!has_kind(picture->problem, kind))
			continue;
		mp_sink_print(sink,
			"<rect class=\"k%u\" x=\"%u\" y=\"68\" width=\"13\" "
			"height=\"13\"/>\n",
			kind, x);
		open_text(sink, "g", (x + 19) * 100, 7900);
		mp_sink_text(sink, mp_text_kind(kind));
		close_text(sink);
		x += 100;
	}
	mp_sink_print(sink, "<path class=\"load\" d=\"M%u 75h22\"/>\n", x);
	open_text(sink, "g", (x + 28) * 100, 7900);
	mp_sink_text(sink, "bytes alive");
	close_text(sink);
	if (picture->hidden == 0)
		return;
	open_text(sink, "g e", RIGHT * 100, 7900);
	mp_sink_print(sink,
		"the %u largest of %u rectangles; the others are the pale area",
		picture->problem->n_parts - picture->hidden,
		picture->problem->n_parts);
	close_text(sink);
}

/* --------------------------------------------------------------------- axes */

/* 1, 2, 5, 10, 20, ... 500, then the same of the next unit. */
static uint64_t tick_size(uint64_t top, uint32_t *unit)
{
	static const uint32_t sizes[] = {1, 2, 5, 10, 20, 50, 100, 200, 500};

	for (*unit = 0; *unit < 6; *unit += 1)
		for (uint32_t i = 0; i < countof(sizes); i++)
			if (top / ((uint64_t)sizes[i] << (10 * *unit)) <=
				ADDRESS_TICKS)
				return (uint64_t)sizes[i] << (10 * *unit);
	return UINT64_C(1) << 60;
}

static void addresses(const struct picture *picture)
{
	static const char *const units[] = {
		"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	struct sink *sink = picture->sink;
	uint32_t unit;
	uint64_t size = tick_size(picture->top, &unit);

	for (uint64_t at = 0; at <= picture->top; at += size) {
		level(sink, "grid", mp_svg_y(picture, at));
		open_text(sink, "g e", (MAP_LEFT - 8) * 100,
			mp_svg_y(picture, at) + 400);
		mp_sink_u64(sink, at >> (10 * unit));
		mp_sink_text(sink, at ? " " : "");
		mp_sink_text(sink, at ? units[unit] : "");
		close_text(sink);
	}
	mp_sink_print(sink,
		"<text class=\"g m\" transform=\"translate(20 %u) rotate(-90)"
		"\">address</text>\n",
		MAP_TOP + MAP_HEIGHT / 2);
}

static uint32_t step_tick(uint32_t n_steps)
{
	uint64_t size = 1;

	for (uint32_t i = 0; n_steps / size > STEP_TICKS; i++)
		size = i % 3 == 1 ? size / 2 * 5 : size * 2;
	return (uint32_t)size;
}

static void steps(const struct picture *picture)
{
	const struct problem *p = picture->problem;
	struct sink *sink = picture->sink;
	uint32_t size = step_tick(p->n_steps);

	for (uint64_t k = 0; k <= p->n_steps; k += size) {
		mp_sink_text(sink, "<path class=\"axis\" d=\"M");
		mp_svg_fixed(sink, mp_svg_x(picture, (uint32_t)k));
		mp_sink_print(sink, " %uv5\"/>\n", BOTTOM);
		open_text(sink, "g m", mp_svg_x(picture, (uint32_t)k),
			(BOTTOM + 20) * 100);
		mp_sink_i64(sink, mp_problem_time(p, (uint32_t)k));
		close_text(sink);
	}
	open_text(sink, "g m", (MAP_LEFT + MAP_WIDTH / 2) * 100,
		(BOTTOM + 44) * 100);
	mp_sink_text(sink, p->times ? "time" : "step");
	close_text(sink);
}

static void frame(const struct picture *picture)
{
	mp_sink_print(picture->sink,
		"<rect class=\"frame\" x=\"%u\" y=\"%u\" width=\"%u\" "
		"height=\"%u\"/>\n",
		MAP_LEFT, MAP_TOP, MAP_WIDTH, MAP_HEIGHT);
	addresses(picture);
	steps(picture);
}

/* -------------------------------------------------------------------- lines */

/* Beyond that many steps the greatest load of each group of neighbours. */
static void curve(const struct picture *picture, const char *class)
{
	const struct problem *p = picture->problem;
	struct sink *sink = picture->sink;
	uint32_t group = p->n_steps / CURVE_MOST + 1, end;
	uint64_t most;

	mp_sink_print(
		sink, "<path class=\"%s\" d=\"M%u %u", class, MAP_LEFT, BOTTOM);
	for (uint32_t k = 0; k < p->n_steps; k = end) {
		most = 0;
		end = p->n_steps - k < group ? p->n_steps : k + group;
		for (uint32_t i = k; i < end; i++)
			most = num_max(most, p->load[i]);
		mp_sink_text(sink, "V");
		mp_svg_fixed(sink, mp_svg_y(picture, most));
		mp_sink_text(sink, "H");
		mp_svg_fixed(sink, mp_svg_x(picture, end));
	}
	mp_sink_print(sink, "V%u\"/>\n", BOTTOM);
}

static void note(
	struct sink *sink, const char *title, uint64_t bytes, uint64_t y)
{
	open_text(sink, "b", (RIGHT + 10) * 100, y);
	mp_sink_text(sink, title);
	close_text(sink);
	open_text(sink, "g", (RIGHT + 10) * 100, y + 1600);
	mp_sink_u64(sink, bytes);
	mp_sink_text(sink, " bytes");
	close_text(sink);
	open_text(sink, "g", (RIGHT + 10) * 100, y + 3200);
	mp_sink_unit(sink, bytes);
	close_text(sink);
}

static void peak_mark(const struct picture *picture)
{
	const struct problem *p = picture->problem;
	struct sink *sink = picture->sink;

	mp_sink_text(sink, "<path class=\"peak\" d=\"M");
	mp_svg_fixed(sink, (mp_svg_x(picture, p->peak_step) +
				   mp_svg_x(picture, p->peak_step + 1)) /
				   2);
	mp_sink_print(sink,
		" %ul5 9h-10z\"><title>peak at step %lld</title></path>\n",
		BOTTOM + 1, (long long)mp_problem_time(p, p->peak_step));
}

/* The notes beside the two lines keep clear of each other. */
static void lines(const struct picture *picture)
{
	const struct problem *p = picture->problem;
	struct sink *sink = picture->sink;
	uint64_t top = mp_svg_y(picture, picture->plan->arena_size);
	uint64_t low = mp_svg_y(picture, p->theoretical_min);

	curve(picture, "halo");
	curve(picture, "load");
	level(sink, "low", low);
	peak_mark(picture);
	if (picture->plan->arena_size == p->theoretical_min) {
		note(sink, "arena, at its minimum", picture->plan->arena_size,
			top + 400);
		return;
	}
	level(sink, "top", top);
	note(sink, "arena", picture->plan->arena_size, top + 400);
	note(sink, "theoretical minimum", p->theoretical_min,
		num_max(low + 400, top + 6000));
}

static void nothing(struct sink *sink)
{
	open_text(sink, "g m", (MAP_LEFT + MAP_WIDTH / 2) * 100,
		(MAP_TOP + MAP_HEIGHT / 2) * 100);
	mp_sink_text(sink, "no tensor takes any bytes");
	close_text(sink);
}

static void opening(const struct picture *picture)
{
	struct sink *sink = picture->sink;

	mp_sink_print(sink,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u "
		"%u\" width=\"%u\" height=\"%u\" role=\"img\">\n<title>Memory "
		"plan of ",
		SVG_WIDTH, SVG_HEIGHT, SVG_WIDTH, SVG_HEIGHT);
	mp_sink_xml_cut(sink, picture->problem->name, NAME_MOST);
	mp_sink_print(sink,
		"</title>\n<style>\n%s</style>\n<rect class=\"paper\" "
		"width=\"%u\" height=\"%u\"/>\n",
		style, SVG_WIDTH, SVG_HEIGHT);
}

bool mp_emit_svg(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct problem *p = plan->problem;
	struct picture picture = {.plan = plan,
		.problem = p,
		.sink = sink,
		.scratch = scratch,
		.top = num_max(plan->arena_size, p->theoretical_min)};
	bool empty = picture.top == 0;

	picture.top += empty;
	while (picture.top >> picture.shift >= UINT64_C(1) << 40)
		picture.shift++;
	opening(&picture);
	heading(&picture);
	frame(&picture);
	if (!empty && !mp_svg_map(&picture))
		return false;
	legend(&picture);
	if (empty) {
		nothing(sink);
	} else {
		lines(&picture);
		mp_svg_labels(&picture);
	}
	mp_sink_text(sink, "</svg>\n");
	return e->code == MEMPLAN_OK;
}
