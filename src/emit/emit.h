/*
 * Emitters: rows that turn a plan into bytes. An emitter knows no planner and
 * writes to a struct sink, never to a file. The owner of the sink decides where
 * the bytes go, and that files appear whole or not at all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_EMIT_H
#define MP_EMIT_EMIT_H

#include "base/sink.h"
#include "problem/results.h"

/* What fails is in the error, which sink and arena share. */
typedef void emit_run(const struct results *results, struct sink *sink,
	struct arena *scratch);

/* What a row needs of the results. */
enum emit_takes {
	TAKES_PLAN,	/* a plan of a whole problem */
	TAKES_BRIEF,	/* a plan, of a brief problem too */
	TAKES_SCHEDULE, /* a schedule, with a plan or without */
	TAKES_TFLITE,	/* a plan in one pool of the TFLite model that the graph
			   was read from, with its bytes */
	TAKES_DSA	/* a plan of a problem of dsa-solver */
};

struct emitter {
	const char *name;    /* what list prints */
	const char *suffix;  /* of the file names that mean this row: ".svg";
				NULL: a report, asked for by name */
	const char *summary; /* ".svg: what it is" */
	emit_run *run;
	enum emit_takes takes;
};

extern const struct emitter mp_emitters[];
extern const uint32_t mp_n_emitters;

/* The row with the longest suffix that ends the file name, or NULL. */
const struct emitter *mp_emit_for(const char *file_name);

/* The row of that name, or NULL. */
const struct emitter *mp_emit_find(const char *name);

/* The page of the row "html" with a second plan beside the first; NULL: none.
 */
void mp_emit_html_pair(const struct plan *plan, const struct plan *second,
	struct sink *sink, struct arena *scratch);

struct alive {
	uint64_t size; /* rounded to the alignment; no byte counts twice */
	uint32_t tensor;
};

/* The tensors that hold bytes at a step, largest first. NULL: no memory. */
struct alive *mp_emit_peak_alive(const struct schedule *s, uint32_t step,
	uint32_t *n, struct arena *arena);

#endif
