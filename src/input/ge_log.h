/*
 * What the reader of GE's log is made of. Used by ge_log.c and ge_log_graph.c
 * alone.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GE_LOG_H
#define MP_GE_LOG_H

#include "input/lines.h"
#include "names.h"

/* Topological ids; greater ones than the last but one mean "never". */
#define GE_NEVER UINT64_C(4294967294)

/* What the lines say of one output or workspace. */
struct ge_tensor {
	const char *id;
	uint64_t offset, size;
	uint64_t plain;	      /* bytes without padding, or 0 */
	uint64_t begin, last; /* topological ids, both inclusive */
	uint32_t line;	      /* that set it */
	bool reference;	      /* it has the bytes of the one set before it */
	bool timeless;	      /* no line says when it lives */
	bool adjacent;	      /* must stay beside others */
};

/* What all lines must agree on. */
struct ge_label {
	struct text text;
	uint32_t line; /* 0: not seen yet */
};

struct ge_log {
	struct text_lines lines;
	struct ge_tensor *tensors;
	uint32_t n;
	struct names names;
	struct ge_label graph, memory, batch, stream;
	bool several_streams;
	uint64_t total; /* bytes that GE says it takes */
	bool has_total;
	struct arena *arena;
	struct error *error;
};

/* The parts of "GRAPH name[N] optype[T] output[0] offset to [512] ...". */
struct ge_place {
	struct text graph, name, kind, index, offset;
	struct text rest; /* behind the name */
};

/* Takes what stands behind "Set " apart; false if something is missing. */
bool mp_ge_split(struct text line, struct ge_place *place);

/* "conv:0" is the first output, "conv:workspace:0" a temporary. NULL, with an
 * error, if it is neither. */
const char *mp_ge_name(const struct ge_log *log, const struct ge_place *place);

/* The text in the brackets behind a key; false if there is no such key. */
bool mp_ge_find(struct text text, const char *key, struct text *value);

/* The same, which must be a number up to the limit; what it is, is an error of
 * the line. */
bool mp_ge_number(const struct ge_log *log, struct text text, const char *key,
	uint64_t limit, uint64_t *value);

/* The same: "3", "3--7" or "3-7", of which the first or the greatest counts. */
bool mp_ge_id(const struct ge_log *log, struct text text, const char *key,
	bool greatest, uint64_t *value);

/* Bytes with padding, which releases spell in two ways. */
bool mp_ge_size(const struct ge_log *log, struct text text, uint64_t *size);

bool mp_ge_is(struct text text, const char *what);

/* The tensors become those of a graph. */
bool mp_ge_log_graph(
	struct ge_log *log, uint64_t alignment, struct graph *graph);

#endif
