/*
 * What the reader of GE's log is made of. Used by the files ge_log*.c alone.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_GE_LOG_GE_LOG_H
#define MP_INPUT_GE_LOG_GE_LOG_H

#include "base/names.h"
#include "input/lines.h"

/* Topological ids; greater ones than the last but one mean "never". */
#define GE_NEVER UINT64_C(4294967294)

enum {
	GE_GRAIN = 512, /* what GE aligns to */
	GE_MOST_LABELS = 256
};

/* What the lines say of one output or workspace. */
struct ge_tensor {
	const char *id;
	uint64_t offset, size;
	uint64_t plain;	      /* bytes without padding, or 0 */
	uint64_t begin, last; /* topological ids, both inclusive */
	uint64_t least;	      /* the smallest of several ends; else last */
	uint32_t line;	      /* that set it */
	uint32_t of;	      /* whose bytes it has, or NONE */
	uint32_t run;	      /* of neighbours that it is in, or NONE */
	uint32_t label;	      /* of its batch, or NONE */
	uint32_t level;	      /* of nesting of its block */
	uint8_t memory;	      /* of the memory types */
	bool reference : 1;   /* it has the bytes of the one set before it */
	bool timeless : 1;    /* no line says when it lives */
	bool adjacent : 1;    /* must stay beside others */
	bool unpadded : 1;    /* and without padding */
	bool scratch : 1;     /* a workspace */
	bool lone : 1;	      /* GE lets nobody have its bytes */
	bool caller : 1;      /* zero-copied: the caller's memory */
	bool prefetched : 1;  /* lies in a pool of buffers, of unknown time */
	bool cut : 1;	      /* over before the last of its ends */
	bool gone : 1;	      /* read as part of another one */
};

/* Texts that lines have in a field: memory types, labels of batches. */
struct ge_words {
	struct text *at;
	uint32_t n, most;
	uint32_t latest; /* looked up last */
};

/* Neighbours: members [first, first + n) of the log's list of them. */
struct ge_run {
	uint32_t first, n;
	bool broken; /* somebody in it is in another one too */
};

struct ge_total {
	struct text memory;
	uint64_t bytes;
};

struct ge_log {
	struct text_lines lines;
	struct ge_tensor *tensors;
	uint32_t n;
	struct names names;
	struct ge_tensor pending; /* set by the line before; no id: none */
	const char *wanted;	  /* name of the graph to read; NULL: the one
				     that is there */
	struct text graph;	  /* that is read; nothing yet: at NULL */
	struct text line_process; /* id of the one that logs the line, if it
				     says so */
	struct text process;	  /* whose lines are read */
	struct text other;	  /* the first whose lines are not */
	struct ge_words graphs, memories, labels;
	uint32_t *members; /* of all runs */
	struct ge_run *runs;
	uint32_t n_members, n_runs;
	struct text run_kind; /* of the line before, if it was of a run */
	struct text stream;
	bool several_streams;
	struct ge_total totals[MOST_POOLS]; /* that GE says it takes */
	uint32_t n_totals;
	struct arena *arena;
	struct error *error;
};

/* The parts of "GRAPH name[N] optype[T] output[0] offset to [512] ...". */
struct ge_place {
	struct text graph, name, kind, index, offset;
	struct text rest; /* behind the name */
};

/* "3", "3--7" or "3-7". */
struct ge_ids {
	uint64_t first, least, greatest;
};

/* Takes what stands behind "Set " apart; false if something is missing. */
bool mp_input_ge_split(struct text line, struct ge_place *place);

/* "conv:0" is the first output, "conv:workspace:0" a temporary. NULL, with an
 * error, if it is neither. */
const char *mp_input_ge_name(
	const struct ge_log *log, const struct ge_place *place);

/* The text in the brackets behind a key; false if there is no such key. */
bool mp_input_ge_find(struct text text, const char *key, struct text *value);

/* The same, which must be a number up to the limit; what it is, is an error of
 * the line. */
bool mp_input_ge_number(const struct ge_log *log, struct text text,
	const char *key, uint64_t limit, uint64_t *value);

/* The same: ids, of which -1 and what is beyond 32 bits mean "never". */
bool mp_input_ge_ids(const struct ge_log *log, struct text text,
	const char *key, struct ge_ids *ids);

/* Bytes with padding, which releases spell in two ways. */
bool mp_input_ge_size(
	const struct ge_log *log, struct text text, uint64_t *size);

/* "child[LEVEL:REUSED:CONTINUOUS:ZERO_COPY:SAME_STREAM]"; older releases have
 * four of them, and no zero copy. */
void mp_input_ge_flags(struct text text, struct ge_tensor *tensor);

bool mp_input_ge_is(struct text text, const char *what);

/* The index of a text among the words, which it joins; NONE: there is no room
 * for it. */
uint32_t mp_input_ge_word(struct ge_words *words, struct text text);

/* Who logs the line, of which the front is given: "... GE(4711,python3): ..."
 */
void mp_input_ge_find_process(struct ge_log *log, struct text front);

/* True if the entry is of the graph that is read, and of its process: those of
 * one run compile graphs of equal names. */
bool mp_input_ge_chosen(struct ge_log *log, struct text name);

/* There must be one graph to read, and lines of it. */
bool mp_input_ge_check_chosen(const struct ge_log *log);

/* The tensor joins the list, if it is not there alike already. */
bool mp_input_ge_add(struct ge_log *log, const struct ge_tensor *tensor);

/* Likewise what the line before set, now that the next one is known; or NULL.
 */
bool mp_input_ge_add_pending(struct ge_log *log, const struct ge_tensor *next);

/* A line of neighbours places the tensor: it joins the run of the one before,
 * or begins another. */
void mp_input_ge_join_run(
	struct ge_log *log, struct text kind, uint32_t tensor);

/* Neighbours without times live as the others of their run do. */
void mp_input_ge_time_runs(struct ge_log *log);

/* What GE's plan says of lifetimes that lines leave open. */
bool mp_input_ge_settle(struct ge_log *log);

/* References become part of what they refer to, which is told. */
void mp_input_ge_merge_references(struct ge_log *log);

/* Tells what the log leaves open. */
void mp_input_ge_warn(const struct ge_log *log);

/* The tensors become those of a graph. */
bool mp_input_ge_log_graph(
	struct ge_log *log, uint64_t alignment, struct graph *graph);

/* Groups of the runs that hold in the graph; map leads from tensors of the log
 * to those of the graph. The others stay adjacent. */
bool mp_input_ge_group_runs(
	struct ge_log *log, const uint32_t *map, struct graph *graph);

#endif
