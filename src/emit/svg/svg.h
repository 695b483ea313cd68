/*
 * Pictures over steps: what their files share. Coordinates are hundredths
 * of a unit of the picture, as integers, so that the bytes are the same
 * everywhere.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_SVG_SVG_H
#define MP_EMIT_SVG_SVG_H

#include "base/sink-text.h"
#include "emit/emit.h"
#include "emit/inside.h"
#include "emit/labels.h"
#include "emit/report.h"

enum {
	SVG_WIDTH = 1280,
	SVG_HEIGHT = 800,
	MAP_LEFT = 92, /* the map of steps and addresses */
	MAP_TOP = 92,
	MAP_WIDTH = 1008,
	MAP_HEIGHT = 636,
	SVG_KINDS = KIND_TEMPORARY + 1,
	SVG_RECTANGLES = 20000, /* of a picture at most */
	SVG_UNIT = 100,		/* of a coordinate */
	SVG_BASELINE = 400,	/* of letters, below the middle of a line */
	SVG_LEGEND_BASE = 7900, /* of the words of a legend */
	SVG_KEY_SIDE = 13,	/* of a square before them */
	SVG_KEY_WIDTH = 22,	/* of a line before them */
	SVG_KEY_STEP = 120,	/* from a line's words to the next */
};

struct svg_map;

struct frame {
	uint32_t left, top, width, height;
};

struct picture {
	const struct plan *plan;
	const struct results *results; /* of a timeline; else NULL */
	const struct schedule *schedule;
	struct sink *sink;
	struct arena *scratch;
	struct frame frame;	     /* in which steps and bytes are drawn */
	const struct lane *lane;     /* the memory that a map is of */
	const struct labels *labels; /* of its rectangles */
	uint32_t most;		     /* rectangles in it */
	bool bare;		     /* steps have no numbers in this frame */
	uint64_t top;		     /* bytes at its upper edge, not 0 */
	uint32_t shift;		     /* of bytes, so that products fit */
	uint32_t drawn, parts; /* rectangles so far, and how many it would be */
	struct svg_map *map;   /* of svg-map.c */
};

/* Makes that many bytes the upper edge; false if there are none. */
bool mp_emit_svg_scale(struct picture *picture, uint64_t top);

uint64_t mp_emit_svg_x(const struct picture *picture, uint32_t step);
uint64_t mp_emit_svg_y(const struct picture *picture, uint64_t bytes);

/* Writes ` name="12.5"`. */
void mp_emit_svg_number(
	struct sink *sink, const char *name, uint64_t hundredths);

/* Writes "12.5". */
void mp_emit_svg_fixed(struct sink *sink, uint64_t hundredths);

/* What is written between the two is the text. */
void mp_emit_svg_text(
	struct sink *sink, const char *class, uint64_t x, uint64_t y);
void mp_emit_svg_text_end(struct sink *sink);

/* Words that need no escapes. */
void mp_emit_svg_words(struct sink *sink, const char *class, uint64_t x,
	uint64_t y, const char *words);

/* Words of a legend, behind a line of a class or an area. */
void mp_emit_svg_key_line(
	struct sink *sink, const char *class, uint32_t x, const char *words);
void mp_emit_svg_key_area(struct sink *sink, const char *class, uint32_t x,
	uint32_t width, const char *words);

/* The first element, closed by its owner: "TITLE of NAME" on paper. */
void mp_emit_svg_open(
	const struct picture *picture, const char *title, uint32_t height);

/* Two lines at the top: the plan's name, and what it is. */
void mp_emit_svg_heading(const struct picture *picture);

/* The frame, with a title along its axis of bytes; NULL: it has none. */
void mp_emit_svg_frame(const struct picture *picture, const char *title);

/* The title of the axis of steps. */
void mp_emit_svg_time(const struct picture *picture);

/* Over the map: the bytes alive, the theoretical minimum, and where it is
 * reached. */
void mp_emit_svg_loads(const struct picture *picture);

/* Names of the graphs of a bundle, below the axis. */
void mp_emit_svg_graphs(const struct picture *picture);

/* What kinds there are, at the top; after the maps, as it tells what they left
 * out. Returns where it ends. */
uint32_t mp_emit_svg_legend(const struct picture *picture);

/* The whole picture of a plan in several memories: a panel each. */
void mp_emit_svg_pools(
	const struct plan *plan, struct sink *sink, struct arena *scratch);

/* In the middle of the frame: why it is empty. */
void mp_emit_svg_nothing(const struct picture *picture, const char *why);

/* Bytes of every step. Beyond two points a unit of the picture the greatest
 * value of each group of neighbours; what passes the upper edge is cut. The end
 * of what never falls stays up. */
void mp_emit_svg_curve(const struct picture *picture, const char *class,
	const uint64_t *values, bool falls);

/* One number of bytes, all along. */
void mp_emit_svg_level(
	const struct picture *picture, const char *class, uint64_t bytes);

/* The rectangles, and beneath them a raster of those that are too many. */
bool mp_emit_svg_map(struct picture *picture);

/* Their names, where they fit; goes over all else. */
void mp_emit_svg_labels(const struct picture *picture);

#endif
