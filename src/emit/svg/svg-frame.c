/*
 * What pictures over steps share: paper and style, a frame with its axes,
 * curves and lines in it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/svg/svg.h"

#include <assert.h>
#include <string.h>

enum {
	NAME_MOST = 70,	     /* characters of the plan's name */
	PER_BYTES_TICK = 79, /* units of the picture for a tick, at least */
	PER_STEP_TICK = 84,
	BYTES_TICKS_LEAST = 5, /* that a low frame has, */
	PER_LOW_TICK = 22,     /* but not closer than this */
	NAME_BASE = 3400,      /* of the plan's name, and of what it is */
	WHAT_BASE = 5500,
	TICK_GAP = 8,	   /* between the frame and the sizes at its left */
	TITLE_GAP = 72,	   /* between it and the title of that axis */
	NUMBER_BELOW = 20, /* the frame, of the steps */
	PEAK_ROOM = 6400,  /* beside the number of the peak's step */
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
	".labels .s{font-size:10px;fill-opacity:.8}\n"
	".labels .w{fill:#fff;stroke:none}\n"
	".k0{fill:#8db8e8}\n"
	".k1{fill:#7cc5a1}\n"
	".k2{fill:#f2a58c}\n"
	".k3{fill:#c3b1e1}\n"
	".k4{fill:#7fc8c4}\n"
	".k5{fill:#b9bec5}\n"
	".l0{fill:#8db8e8}.l1{fill:#7cc5a1}.l2{fill:#c3b1e1}"
	".l3{fill:#7fc8c4}\n"
	".l4{fill:#d6a5c9}.l5{fill:#b8cc86}.l6{fill:#c9b29b}"
	".l7{fill:#9fb0d8}\n"
	".l8{fill:#c3c9d0}\n"
	".t1{fill-opacity:.88}\n"
	".t2{fill-opacity:.76}\n"
	".p0{fill-opacity:.42}\n"
	".p1{fill-opacity:.34}\n"
	".p2{fill-opacity:.27}\n"
	".r1{fill:#c8372d}.r2{fill:#e8862e}.r3{fill:#e9c23a}\n"
	".badge{stroke:#fff;stroke-width:1.5}\n"
	"text.d{font-weight:bold;font-size:11px;text-anchor:middle;"
	"fill:#111827;pointer-events:none}\n"
	"text.d1{fill:#fff}\n"
	".rest{fill:#c9d6e4}\n"
	".frame{fill:#f6f8fa}\n"
	".grid{stroke:#e2e6ea;stroke-width:1;fill:none}\n"
	".q{paint-order:stroke;stroke:#f6f8fa;stroke-width:4}\n"
	".axis{stroke:#57606a;stroke-width:1;fill:none}\n"
	".guide{stroke:#24292f;stroke-dasharray:3 3;fill:none}\n"
	".area{fill:#8db8e8;fill-opacity:.45;stroke:#2563a8;"
	"stroke-width:1.4}\n"
	".load{stroke:#1f2328;stroke-width:1.6;fill:none}\n"
	".used{fill:#a9cbef}\n"
	".held{stroke:#0550ae;stroke-width:1.8;fill:none}\n"
	".low{stroke:#0a7d3c;stroke-width:1.6;stroke-dasharray:7 4;"
	"fill:none}\n"
	".top{stroke:#cf222e;stroke-width:1.6;fill:none}\n"
	".way{stroke:#8250df;stroke-width:1.4;stroke-dasharray:4 3;"
	"fill:none}\n"
	".tip{fill:#8250df}\n"
	".peak{fill:#24292f}\n"
	".paper{fill:#fff}\n"
	"@media screen and (prefers-color-scheme:dark){\n"
	".paper{fill:#0d1117}.frame{fill:#161b22}\n"
	"text{fill:#e6edf3}.g{fill:#9198a1}\n"
	".grid{stroke:#252c34}.q{stroke:#161b22}.axis{stroke:#9198a1}\n"
	".map rect,.badge{stroke:#0d1117}.rest{fill:#3d5069}\n"
	".labels .o{fill:#e6edf3;stroke:#0d1117}\n"
	".guide{stroke:#e6edf3}.area{stroke:#7fb2ee}\n"
	".load{stroke:#f0f6fc}\n"
	".used{fill:#23456b}.held{stroke:#58a6ff}\n"
	".low{stroke:#3fb950}.top{stroke:#ff7b72}.peak{fill:#e6edf3}\n"
	".way{stroke:#bc8cff}.tip{fill:#bc8cff}\n"
	"}\n";

/* ------------------------------------------------------------ paper */

void mp_emit_svg_open(
	const struct picture *picture, const char *title, uint32_t height)
{
	struct sink *sink = picture->sink;

	mp_sink_print(sink,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u "
		"%u\" width=\"%u\" height=\"%u\" role=\"img\">\n<title>%s of ",
		SVG_WIDTH, height, SVG_WIDTH, height, title);
	mp_sink_xml_cut(sink, picture->schedule->graph->name, NAME_MOST);
	mp_sink_print(sink,
		"</title>\n<style>\n%s</style>\n<rect class=\"paper\" "
		"width=\"%u\" height=\"%u\"/>\n",
		style, SVG_WIDTH, height);
}

/* What was found, and how good that is. */
static void size(struct sink *sink, const struct plan *plan)
{
	if (plan->spaces.at)
		mp_sink_print(sink, "%u pool%s, together ", plan->spaces.n,
			mp_text_plural(plan->spaces.n));
	else
		mp_sink_text(sink, "arena ");
	mp_emit_svg_bytes(sink, plan->arena_size);
	mp_sink_text(sink, ", ");
	mp_sink_ratio(
		sink, plan->arena_size, plan->problem->theoretical_min, 3);
	mp_sink_text(sink, " \303\227 theoretical minimum");
}

/* "12 345 steps" */
static void count(struct sink *sink, uint32_t n, const char *what)
{
	mp_sink_grouped(sink, n);
	mp_sink_print(sink, " %s%s", what, mp_text_plural(n));
}

static void counts(struct sink *sink, const struct schedule *s)
{
	uint32_t external = mp_graph_count_external(s->graph);

	count(sink, s->graph->n_tensors, "tensor");
	if (external > 0) {
		mp_sink_text(sink, ", ");
		mp_sink_grouped(sink, external);
		mp_sink_text(sink, " of them external,");
	}
	mp_sink_text(sink, " in ");
	count(sink, s->problem.n_buffers, "buffer");
	mp_sink_text(sink, ", ");
	count(sink, s->problem.n_steps, "step");
}

void mp_emit_svg_heading(const struct picture *picture)
{
	const struct schedule *s = picture->schedule;
	struct sink *sink = picture->sink;
	uint32_t left = picture->frame.left * SVG_UNIT;

	mp_emit_svg_text(sink, "h", left, NAME_BASE);
	mp_sink_xml_cut(sink, s->graph->name, NAME_MOST);
	mp_emit_svg_text_end(sink);
	mp_emit_svg_text(sink, "g", left, WHAT_BASE);
	size(sink, picture->plan);
	mp_sink_text(sink, "; ");
	counts(sink, s);
	if (s->graph->n_ops > 0) {
		mp_sink_text(sink, ", order ");
		mp_sink_xml_cut(sink, s->order_name, NAME_MOST);
	}
	mp_sink_text(sink, ", planner ");
	mp_sink_xml_cut(sink, picture->plan->planner, NAME_MOST);
	mp_emit_svg_text_end(sink);
}

/* ------------------------------------------------------ coordinates */

uint32_t mp_emit_svg_bottom(const struct picture *picture)
{
	return picture->frame.top + picture->frame.height;
}

bool mp_emit_svg_scale(struct picture *picture, uint64_t top)
{
	picture->top = top ? top : 1;
	while (picture->top >> picture->shift >= UINT64_C(1) << 40)
		picture->shift++;
	return top > 0;
}

uint64_t mp_emit_svg_x(const struct picture *picture, uint32_t step)
{
	const struct frame *frame = &picture->frame;
	uint32_t n = picture->schedule->problem.n_steps;

	assert(step <= n);
	return frame->left * SVG_UNIT +
	       (uint64_t)step * (frame->width * SVG_UNIT) / (n ? n : 1);
}

uint64_t mp_emit_svg_peak_x(const struct picture *picture)
{
	uint32_t step = picture->peak->step;

	return (mp_emit_svg_x(picture, step) +
		       mp_emit_svg_x(picture, step + 1)) /
	       2;
}

uint64_t mp_emit_svg_y(const struct picture *picture, uint64_t bytes)
{
	assert(bytes <= picture->top);
	assert(picture->top >> picture->shift > 0);
	return mp_emit_svg_bottom(picture) * SVG_UNIT -
	       (bytes >> picture->shift) * (picture->frame.height * SVG_UNIT) /
		       (picture->top >> picture->shift);
}

void mp_emit_svg_fixed(struct sink *sink, uint64_t hundredths)
{
	uint64_t rest = hundredths % 100;
	char decimals[] = {
		'.', (char)('0' + rest / 10), (char)('0' + rest % 10)};

	mp_sink_u64(sink, hundredths / 100);
	if (rest > 0)
		mp_sink_write(sink, decimals, rest % 10 ? 3 : 2);
}

void mp_emit_svg_number(
	struct sink *sink, const char *name, uint64_t hundredths)
{
	mp_sink_text(sink, " ");
	mp_sink_text(sink, name);
	mp_sink_text(sink, "=\"");
	mp_emit_svg_fixed(sink, hundredths);
	mp_sink_text(sink, "\"");
}

void mp_emit_svg_text(
	struct sink *sink, const char *class, uint64_t x, uint64_t y)
{
	mp_sink_print(sink, "<text class=\"%s\"", class);
	mp_emit_svg_number(sink, "x", x);
	mp_emit_svg_number(sink, "y", y);
	mp_sink_text(sink, ">");
}

void mp_emit_svg_text_end(struct sink *sink)
{
	mp_sink_text(sink, "</text>\n");
}

void mp_emit_svg_bytes(struct sink *sink, uint64_t bytes)
{
	mp_sink_grouped(sink, (int64_t)bytes);
	mp_sink_text(sink, bytes == 1 ? " byte" : " bytes");
	if (bytes < 1024)
		return;
	mp_sink_text(sink, " (");
	mp_sink_unit(sink, bytes);
	mp_sink_text(sink, ")");
}

void mp_emit_svg_words(struct sink *sink, const char *class, uint64_t x,
	uint64_t y, const char *words)
{
	assert(!strpbrk(words, "<&"));
	mp_emit_svg_text(sink, class, x, y);
	mp_sink_text(sink, words);
	mp_emit_svg_text_end(sink);
}

void mp_emit_svg_level(
	const struct picture *picture, const char *class, uint64_t bytes)
{
	struct sink *sink = picture->sink;

	mp_sink_print(sink, "<path class=\"%s\" d=\"M%u ", class,
		picture->frame.left);
	mp_emit_svg_fixed(sink, mp_emit_svg_y(picture, bytes));
	mp_sink_print(sink, "h%u\"/>\n", picture->frame.width);
}

/* ------------------------------------------------------------- axes */

/* 1, 2, 5, 10, 20, ... 500, then the same of the next unit. */
/* A distance between ticks, in tenths of a unit of bytes. */
struct tick {
	uint32_t unit; /* 0: bytes, 1: KiB, ... */
	uint64_t tenths;
};

static uint64_t bytes_of(const struct tick *tick, uint64_t n)
{
	uint64_t unit = UINT64_C(1) << (10 * tick->unit);

	return n * tick->tenths / 10 * unit + n * tick->tenths % 10 * unit / 10;
}

/* The unit is that of the upper edge, as mp_sink_unit() has it, so that the
 * axis and the sizes beside it have one. */
static struct tick tick_of(uint64_t top, uint64_t most)
{
	static const uint64_t sizes[] = {
		2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
	struct tick tick = {0, 0};
	uint32_t i = 0;

	while (tick.unit < 6 && top >> (10 * (tick.unit + 1)) != 0)
		tick.unit++;
	if (tick.unit == 0)
		i = 2;
	for (; i < countof(sizes); i++) {
		tick.tenths = sizes[i];
		if (top / bytes_of(&tick, 1) <= most)
			break;
	}
	return tick;
}

static void tick_label(struct sink *sink, const struct tick *tick, uint64_t n)
{
	static const char *const units[] = {
		"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	uint64_t tenths = n * tick->tenths;

	mp_sink_grouped(sink, (int64_t)(tenths / 10));
	if (n > 0 && tick->tenths % 10 > 0)
		mp_sink_print(sink, ".%u", (unsigned)(tenths % 10));
	if (n > 0)
		mp_sink_print(sink, " %s", units[tick->unit]);
}

static void bytes_axis(const struct picture *picture, const char *title)
{
	const struct frame *frame = &picture->frame;
	struct sink *sink = picture->sink;
	uint32_t most = frame->height / PER_BYTES_TICK;
	uint32_t low = frame->height / PER_LOW_TICK;
	struct tick tick;

	if (most < BYTES_TICKS_LEAST)
		most = low < BYTES_TICKS_LEAST ? low : BYTES_TICKS_LEAST;
	tick = tick_of(picture->top, most > 0 ? most : 1);
	for (uint64_t n = 0; bytes_of(&tick, n) <= picture->top; n++) {
		uint64_t at = bytes_of(&tick, n);

		mp_emit_svg_level(picture, "grid", at);
		mp_emit_svg_text(sink, "g e",
			(frame->left - TICK_GAP) * SVG_UNIT,
			mp_emit_svg_y(picture, at) + SVG_BASELINE);
		tick_label(sink, &tick, n);
		mp_emit_svg_text_end(sink);
	}
	mp_sink_print(sink,
		"<text class=\"g m\" transform=\"translate(%u %u) rotate(-90)"
		"\">%s</text>\n",
		frame->left - TITLE_GAP, frame->top + frame->height / 2, title);
}

static uint32_t step_tick(uint32_t n_steps, uint32_t most)
{
	uint64_t size = 1;

	for (uint32_t i = 0; n_steps / size > most; i++)
		size = i % 3 == 1 ? size / 2 * 5 : size * 2;
	return (uint32_t)size;
}

/* The number of the peak's step needs room among the others. */
static bool is_near_peak(const struct picture *picture, uint64_t x)
{
	uint64_t peak;

	if (!picture->peak)
		return false;
	peak = mp_emit_svg_peak_x(picture);
	return (x > peak ? x - peak : peak - x) < PEAK_ROOM;
}

static void step_number(const struct picture *picture, uint32_t step)
{
	uint64_t x = mp_emit_svg_x(picture, step);
	struct sink *sink = picture->sink;

	if (picture->bare || is_near_peak(picture, x))
		return;
	mp_emit_svg_text(sink, "g m", x,
		(mp_emit_svg_bottom(picture) + NUMBER_BELOW) * SVG_UNIT);
	mp_sink_grouped(
		sink, mp_problem_time(&picture->schedule->problem, step));
	mp_emit_svg_text_end(sink);
}

static void steps_axis(const struct picture *picture)
{
	uint32_t n = picture->schedule->problem.n_steps;
	uint32_t size = step_tick(n, picture->frame.width / PER_STEP_TICK);

	for (uint64_t k = 0; k <= n; k += size) {
		mp_sink_text(picture->sink, "<path class=\"axis\" d=\"M");
		mp_emit_svg_fixed(
			picture->sink, mp_emit_svg_x(picture, (uint32_t)k));
		mp_sink_print(picture->sink, " %uv5\"/>\n",
			mp_emit_svg_bottom(picture));
		step_number(picture, (uint32_t)k);
	}
}

void mp_emit_svg_time(const struct picture *picture)
{
	const struct frame *frame = &picture->frame;

	mp_emit_svg_words(picture->sink, "g m",
		(frame->left + frame->width / 2) * SVG_UNIT,
		(mp_emit_svg_bottom(picture) + SVG_TIME_BELOW) * SVG_UNIT,
		mp_problem_axis(&picture->schedule->problem));
}

void mp_emit_svg_frame(const struct picture *picture, const char *title)
{
	const struct frame *frame = &picture->frame;

	mp_sink_print(picture->sink,
		"<rect class=\"frame\" x=\"%u\" y=\"%u\" width=\"%u\" "
		"height=\"%u\"/>\n",
		frame->left, frame->top, frame->width, frame->height);
	if (title)
		bytes_axis(picture, title);
	steps_axis(picture);
}

void mp_emit_svg_nothing(const struct picture *picture, const char *why)
{
	const struct frame *frame = &picture->frame;

	mp_emit_svg_words(picture->sink, "g m",
		(frame->left + frame->width / 2) * SVG_UNIT,
		(frame->top + frame->height / 2) * SVG_UNIT, why);
}

/* ------------------------------------------------------------ lines */

static uint64_t greatest(const uint64_t *values, uint32_t from, uint32_t to)
{
	uint64_t most = 0;

	for (uint32_t k = from; k < to; k++)
		most = num_max(most, values[k]);
	return most;
}

static void trace(const struct picture *picture, const uint64_t *values)
{
	struct sink *sink = picture->sink;
	uint32_t n = picture->schedule->problem.n_steps, end;
	uint32_t group = n / (2 * picture->frame.width + 4) + 1;
	uint64_t most;

	for (uint32_t k = 0; k < n; k = end) {
		end = n - k < group ? n : k + group;
		most = num_min(greatest(values, k, end), picture->top);
		mp_sink_text(sink, "V");
		mp_emit_svg_fixed(sink, mp_emit_svg_y(picture, most));
		mp_sink_text(sink, "H");
		mp_emit_svg_fixed(sink, mp_emit_svg_x(picture, end));
	}
}

void mp_emit_svg_curve(const struct picture *picture, const char *class,
	const uint64_t *values, bool falls)
{
	uint32_t bottom = mp_emit_svg_bottom(picture);

	mp_sink_print(picture->sink, "<path class=\"%s\" d=\"M%u %u", class,
		picture->frame.left, bottom);
	trace(picture, values);
	if (falls)
		mp_sink_print(picture->sink, "V%u", bottom);
	mp_sink_text(picture->sink, "\"/>\n");
}
