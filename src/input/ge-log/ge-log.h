/*
 * The state of the reader of GE's log, and its lines. GE is the graph engine of
 * Ascend's CANN. Only for the files ge-log*.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_GE_LOG_GE_LOG_H
#define MP_INPUT_GE_LOG_GE_LOG_H

#include "base/names.h"
#include "input/lines.h"

/* The topological id that means "never", as do greater ones. */
#define GE_NEVER UINT64_C(4294967294)

enum {
	GE_GRAIN = 512, /* what GE aligns to */
	GE_MOST_LABELS = 256
};

/* An output or workspace, as the lines describe it. */
struct ge_tensor {
	const char *id;
	uint64_t offset, size;
	uint64_t plain;	      /* bytes without padding; 0: unknown */
	uint64_t begin, last; /* topological ids, both inclusive */
	uint64_t least;	      /* the smallest of several ends; else last */
	uint32_t line;	      /* the line that set it */
	uint32_t of;	     /* the tensor that it is a reference to, or NONE */
	uint32_t run;	     /* index into runs, or NONE */
	uint32_t label;	     /* of its batch, or NONE */
	uint32_t level;	     /* nesting level of its block */
	uint8_t memory;	     /* index into memories */
	bool reference : 1;  /* has the bytes of the tensor set before it */
	bool timeless : 1;   /* no line says when it lives */
	bool adjacent : 1;   /* must be next to other tensors */
	bool unpadded : 1;   /* adjacent, and without padding */
	bool scratch : 1;    /* a workspace */
	bool lone : 1;	     /* GE lets no other tensor share its bytes */
	bool caller : 1;     /* zero-copied: the caller's memory */
	bool prefetched : 1; /* in a pool of buffers, lifetime unknown */
	bool cut : 1;	     /* ends before the last of its ends */
	bool gone : 1;	     /* merged into another tensor */
};

/* The distinct texts of a field: graphs, memory types, labels of batches. */
struct ge_words {
	struct text *at;
	uint32_t n, most;
	uint32_t latest; /* the one looked up last */
};

/* A run of neighbours, tensors that GE places next to each other: members
 * [first, first + n). */
struct ge_run {
	uint32_t first, n;
	bool broken; /* a tensor of it is in another run too */
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
	struct ge_tensor pending; /* set by the last line; without id: none */
	const char *wanted;	  /* name of the graph to read; NULL: the only
				     one */
	struct text graph;	  /* the graph that is read; at NULL: not found
				     yet */
	struct text line_process; /* process id in the line, or at NULL */
	struct text process;	  /* the process that is read */
	struct text other;	  /* the first other process */
	struct ge_words graphs, memories, labels;
	uint32_t *members; /* of all runs */
	struct ge_run *runs;
	uint32_t n_members, n_runs;
	struct text run_kind; /* of the last line, if it belongs to a run */
	struct text stream;
	bool several_streams;
	struct ge_total totals[MOST_POOLS]; /* bytes that GE says it takes */
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

/* Splits a line after "Set "; false if a part is missing. */
bool mp_input_ge_split(struct text line, struct ge_place *place);

/* The id of a tensor: "conv:0" is the first output of conv, "conv:workspace:0"
 * its first workspace. NULL, with an error, if the line has another kind. */
const char *mp_input_ge_name(
	const struct ge_log *log, const struct ge_place *place);

/* The text in brackets after a key; false if there is no such key. */
bool mp_input_ge_find(struct text text, const char *key, struct text *value);

/* The text in brackets after a key; a line without the key is an error. */
bool mp_input_ge_need(const struct ge_log *log, struct text text,
	const char *key, struct text *value);

/* The bytes after a key, up to NUM_MAX_BYTES; anything else is an error of the
 * line. */
bool mp_input_ge_bytes(const struct ge_log *log, struct text text,
	const char *key, uint64_t *bytes);

/* The ids after a key; -1 and ids beyond 32 bits mean "never". */
bool mp_input_ge_ids(const struct ge_log *log, struct text text,
	const char *key, struct ge_ids *ids);

/* Bytes with padding; the key differs between releases. */
bool mp_input_ge_size(
	const struct ge_log *log, struct text text, uint64_t *size);

/* "child[LEVEL:REUSED:CONTINUOUS:ZERO_COPY:SAME_STREAM]"; older releases have
 * four of them, and no zero copy. */
void mp_input_ge_flags(struct text text, struct ge_tensor *tensor);

/* The index of a text among the words, to which it is added; NONE: they are
 * full. */
uint32_t mp_input_ge_word(struct ge_words *words, struct text text);

/* Finds the process id in the front of a line: "... GE(4711,python3): ..." */
void mp_input_ge_find_process(struct ge_log *log, struct text front);

/* Does the entry belong to the graph that is read, and to its process? Several
 * processes of a run compile graphs of the same name. */
bool mp_input_ge_chosen(struct ge_log *log, struct text name);

/* Fails if there is no graph to read, or several. */
bool mp_input_ge_check_chosen(const struct ge_log *log);

/* A line places the tensor next to others: adds it to the run of the last line,
 * or begins a run. */
void mp_input_ge_join_run(
	struct ge_log *log, struct text kind, uint32_t tensor);

/* Tensors of a run without lifetimes get those of the others. */
void mp_input_ge_time_runs(struct ge_log *log);

/* Settles lifetimes that the lines leave open, with the offsets of GE's plan.
 */
bool mp_input_ge_settle(struct ge_log *log);

/* Merges references into the tensors that they refer to, with a warning. */
void mp_input_ge_merge_references(struct ge_log *log);

/* Warns of what the log leaves open. */
void mp_input_ge_warn(const struct ge_log *log);

/* Makes a graph of the tensors. */
bool mp_input_ge_log_graph(
	struct ge_log *log, uint64_t alignment, struct graph *graph);

/* Makes contiguous groups of runs, where the offsets allow it. map[t] is the
 * tensor of the graph. Tensors of other runs stay marked as adjacent. */
bool mp_input_ge_group_runs(
	struct ge_log *log, const uint32_t *map, struct graph *graph);

#endif
