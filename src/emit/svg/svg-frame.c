/*
 * What pictures over steps share: paper and style, a frame with its axes,
 * curves and lines in it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/svg/svg.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum {
	NAME_MOST = 70,	     /* characters of the plan's name */
	PER_BYTES_TICK = 79, /* units of the picture for a tick, at least */
	PER_STEP_TICK = 84,
	BYTES_TICKS_LEAST = 5, /* that a low frame has */
	NAME_BASE = 3400,      /* of the plan's name, and of what it is */
	WHAT_BASE = 5500,
	KEY_TOP = 68,	   /* of the squares of a legend */
	KEY_GAP = 6,	   /* between one and its words */
	TICK_GAP = 8,	   /* between the frame and the sizes at its left */
	TITLE_GAP = 72,	   /* between it and the title of that axis */
	NUMBER_BELOW = 20, /* the frame, of the steps */
	TIME_BELOW = 44,   /* of the title of their axis */
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
	".used{fill:#a9cbef}\n"
	".held{stroke:#0550ae;stroke-width:1.8;fill:none}\n"
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
	".used{fill:#23456b}.held{stroke:#58a6ff}\n"
	".low{stroke:#3fb950}.top{stroke:#ff7b72}.peak{fill:#3fb950}\n"
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

void mp_emit_svg_heading(const struct picture *picture)
{
	const struct schedule *s = picture->schedule;
	struct sink *sink = picture->sink;
	uint32_t left = picture->frame.left * SVG_UNIT;

	mp_emit_svg_text(sink, "h", left, NAME_BASE);
	mp_sink_xml_cut(sink, s->graph->name, NAME_MOST);
	mp_emit_svg_text_end(sink);
	mp_emit_svg_text(sink, "g", left, WHAT_BASE);
	mp_sink_print(sink, "%u tensors, %u steps, order ", s->graph->n_tensors,
		s->problem.n_steps);
	mp_sink_xml_cut(sink, s->order_name, NAME_MOST);
	mp_sink_text(sink, ", planner ");
	mp_sink_xml_cut(sink, picture->plan->planner, NAME_MOST);
	if (picture->plan->spaces.at)
		mp_sink_print(
			sink, ": %u pools, together ", picture->plan->spaces.n);
	else
		mp_sink_text(sink, ": arena = ");
	mp_sink_ratio(
		sink, picture->plan->arena_size, s->problem.theoretical_min, 3);
	mp_sink_text(sink, " \303\227 theoretical minimum");
	mp_emit_svg_text_end(sink);
}

/* ------------------------------------------------------ coordinates */

static uint32_t bottom_of(const struct picture *picture)
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

uint64_t mp_emit_svg_y(const struct picture *picture, uint64_t bytes)
{
	assert(bytes <= picture->top);
	assert(picture->top >> picture->shift > 0);
	return bottom_of(picture) * SVG_UNIT -
	       (bytes >> picture->shift) * (picture->frame.height * SVG_UNIT) /
		       (picture->top >> picture->shift);
}

void mp_emit_svg_fixed(struct sink *sink, uint64_t hundredths)
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

void mp_emit_svg_words(struct sink *sink, const char *class, uint64_t x,
	uint64_t y, const char *words)
{
	assert(!strpbrk(words, "<&"));
	mp_emit_svg_text(sink, class, x, y);
	mp_sink_text(sink, words);
	mp_emit_svg_text_end(sink);
}

/* Words stand behind the width of what they explain. */
static void key_words(
	struct sink *sink, uint32_t x, uint32_t width, const char *words)
{
	mp_emit_svg_words(sink, "g", (x + width + KEY_GAP) * SVG_UNIT,
		SVG_LEGEND_BASE, words);
}

void mp_emit_svg_key_line(
	struct sink *sink, const char *class, uint32_t x, const char *words)
{
	mp_sink_print(sink, "<path class=\"%s\" d=\"M%u %uh%u\"/>\n", class, x,
		KEY_TOP + SVG_KEY_SIDE / 2 + 1, SVG_KEY_WIDTH);
	key_words(sink, x, SVG_KEY_WIDTH, words);
}

void mp_emit_svg_key_area(struct sink *sink, const char *class, uint32_t x,
	uint32_t width, const char *words)
{
	mp_sink_print(sink,
		"<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" "
		"height=\"%u\"/>\n",
		class, x, KEY_TOP, width, SVG_KEY_SIDE);
	key_words(sink, x, width, words);
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
static uint64_t tick_size(uint64_t top, uint32_t most, uint32_t *unit)
{
	static const uint32_t sizes[] = {1, 2, 5, 10, 20, 50, 100, 200, 500};

	for (*unit = 0; *unit < 6; *unit += 1)
		for (uint32_t i = 0; i < countof(sizes); i++)
			if (top / ((uint64_t)sizes[i] << (10 * *unit)) <= most)
				return (uint64_t)sizes[i] << (10 * *unit);
	return UINT64_C(1) << 60;
}

static void bytes_axis(const struct picture *picture, const char *title)
{
	static const char *const units[] = {
		"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	const struct frame *frame = &picture->frame;
	struct sink *sink = picture->sink;
	uint32_t unit, most = frame->height / PER_BYTES_TICK;
	uint64_t size = tick_size(picture->top,
		most < BYTES_TICKS_LEAST ? BYTES_TICKS_LEAST : most, &unit);

	for (uint64_t at = 0; at <= picture->top; at += size) {
		mp_emit_svg_level(picture, "grid", at);
		mp_emit_svg_text(sink, "g e",
			(frame->left - TICK_GAP) * SVG_UNIT,
			mp_emit_svg_y(picture, at) + SVG_BASELINE);
		mp_sink_print(sink, "%" PRIu64 "%s%s", at >> (10 * unit),
			at ? " " : "", at ? units[unit] : "");
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

static void steps_axis(const struct picture *picture)
{
	const struct schedule *s = picture->schedule;
	struct sink *sink = picture->sink;
	uint32_t bottom = bottom_of(picture);
	uint32_t size = step_tick(
		s->problem.n_steps, picture->frame.width / PER_STEP_TICK);

	for (uint64_t k = 0; k <= s->problem.n_steps; k += size) {
		mp_sink_text(sink, "<path class=\"axis\" d=\"M");
		mp_emit_svg_fixed(sink, mp_emit_svg_x(picture, (uint32_t)k));
		mp_sink_print(sink, " %uv5\"/>\n", bottom);
		if (picture->bare)
			continue;
		mp_emit_svg_text(sink, "g m",
			mp_emit_svg_x(picture, (uint32_t)k),
			(bottom + NUMBER_BELOW) * SVG_UNIT);
		mp_sink_i64(sink, mp_problem_time(&s->problem, (uint32_t)k));
		mp_emit_svg_text_end(sink);
	}
}

void mp_emit_svg_time(const struct picture *picture)
{
	const struct frame *frame = &picture->frame;

	mp_emit_svg_words(picture->sink, "g m",
		(frame->left + frame->width / 2) * SVG_UNIT,
		(bottom_of(picture) + TIME_BELOW) * SVG_UNIT,
		picture->schedule->problem.times ? "time" : "step");
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
	uint32_t bottom = bottom_of(picture);

	mp_sink_print(picture->sink, "<path class=\"%s\" d=\"M%u %u", class,
		picture->frame.left, bottom);
	trace(picture, values);
	if (falls)
		mp_sink_print(picture->sink, "V%u", bottom);
	mp_sink_text(picture->sink, "\"/>\n");
}
