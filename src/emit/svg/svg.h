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
	MAP_LEFT = 88, /* the map of steps and addresses */
	MAP_WIDTH = 1172,
	SVG_KINDS = KIND_TEMPORARY + 1,
	SVG_RECTANGLES = 20000, /* of a picture at most */
	SVG_UNIT = 100,		/* of a coordinate */
	SVG_BASELINE = 400,	/* of letters, below the middle of a line */
	SVG_LETTER = 620,	/* width of one of the usual size, about */
	SVG_TIME_BELOW = 44,	/* a frame: the title of the axis of steps */
	SVG_LEGEND_LINE = 20, /* from one to the next; that of layers has two */
	SVG_LOOP_ROW = 16,    /* of bars for loops */
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
	struct frame frame;	       /* in which steps and bytes are drawn */
	const struct lane *lane;       /* the memory that a map is of */
	const struct labels *labels;   /* of its rectangles */
	const struct peak *peak;       /* what a map marks */
	const struct ways *ways;       /* what a budget moves */
	const struct loop_rows *loops; /* that a map marks */
	const struct layers *paint;    /* colours are layers; NULL: kinds */
	uint32_t most;		       /* rectangles in it */
	bool bare;		       /* steps have no numbers in this frame */
	uint64_t top;		       /* bytes at its upper edge, not 0 */
	uint32_t shift;		       /* of bytes, so that products fit */
	uint32_t drawn, parts; /* rectangles so far, and how many it would be */
	struct svg_map *map;   /* of svg-map.c */
};

/* ------------------------------------------------------ coordinates */

/* Makes that many bytes the upper edge; false if there are none. */
bool mp_emit_svg_scale(struct picture *picture, uint64_t top);

uint64_t mp_emit_svg_x(const struct picture *picture, uint32_t step);
uint64_t mp_emit_svg_y(const struct picture *picture, uint64_t bytes);

/* The first unit below the frame. */
uint32_t mp_emit_svg_bottom(const struct picture *picture);

/* The middle of the peak's step. */
uint64_t mp_emit_svg_peak_x(const struct picture *picture);

/* ------------------------------------------------------------ texts */

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

/* "1 572 864 bytes (1.50 MiB)" */
void mp_emit_svg_bytes(struct sink *sink, uint64_t bytes);

/* ------------------------------------------------------------ frame */

/* The first element, closed by its owner: "TITLE of NAME" on paper. */
void mp_emit_svg_open(
	const struct picture *picture, const char *title, uint32_t height);

/* Two lines at the top: the plan's name, and what it is. */
void mp_emit_svg_heading(const struct picture *picture);

/* The frame, with a title along its axis of bytes; NULL: it has none. */
void mp_emit_svg_frame(const struct picture *picture, const char *title);

/* The title of the axis of steps. */
void mp_emit_svg_time(const struct picture *picture);

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

/* ----------------------------------------------------------- legend */

/* Words behind a line, an area or a triangle that they explain; next is where
 * the words of the next mark may begin, in units. */
struct legend {
	struct sink *sink;
	uint32_t next;
	uint32_t base; /* of the words */
};

void mp_emit_svg_key_line(
	struct legend *legend, const char *class, const char *words);
void mp_emit_svg_key_area(
	struct legend *legend, const char *class, const char *words);

/* What the colours and marks of a map mean; after the maps, as it tells what
 * they left out. */
void mp_emit_svg_legend(const struct picture *picture);

/* ------------------------------------------------------------- peak */

enum {
	PEAK_MAKERS = 3, /* that have a rank, and a colour of their own */
};

/* What is alive at the peak. */
struct peak {
	uint32_t step;
	struct alive *alive; /* largest first */
	uint32_t n;
	uint8_t *rank; /* of a part: 1 to PEAK_MAKERS; 0: none */
};

/* False: memory is out. */
bool mp_emit_svg_peak_find(
	struct peak *peak, const struct schedule *s, struct arena *arena);

/* Two lines: where the peak is, and the tensors that make it. */
void mp_emit_svg_peak(const struct picture *picture);

/* A number on a disc in the colour of its rank. */
void mp_emit_svg_badge(
	struct sink *sink, uint32_t rank, uint64_t x, uint64_t y);

/* ------------------------------------------------------------- band */

/* The load of the picture's memory in a frame of its own below the map's, with
 * the lines that it is measured against. */
void mp_emit_svg_band(const struct picture *picture, struct frame frame);

/* Names of the graphs of a bundle, so far below the picture's frame. */
void mp_emit_svg_graphs(const struct picture *picture, uint32_t below);

/* From the top of the picture's frame to that bottom: the step of the peak, and
 * where each graph of a bundle begins. */
void mp_emit_svg_guides(const struct picture *picture, uint32_t bottom);

/* -------------------------------------------------------------- map */

/* The rectangles, and beneath them a raster of those that are too many. */
bool mp_emit_svg_map(struct picture *picture);

/* Their names, where they fit, and the numbers of the peak's makers; go over
 * all else. */
void mp_emit_svg_labels(const struct picture *picture);

/* Bars of loops, the first row at that height. */
void mp_emit_svg_loops(const struct picture *picture, uint32_t top);

/* Arrows from where a budget moves tensors out to where they are back. */
void mp_emit_svg_ways(const struct picture *picture);

/* The whole picture of a plan in several memories: a panel each. */
void mp_emit_svg_pools(const struct picture *picture);

#endif
