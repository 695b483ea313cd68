/*
 * memplan: offline static memory planning for neural-network graphs.
 *
 * One handle is one run: create it, set options, hand in the input, plan, ask
 * for results, free it. Every function that can fail returns a status of
 * memplan/status.h; memplan_error() then has a sentence with a place. Handles
 * share nothing, so each may be used by one thread at a time. The library never
 * exits, prints, or reads files, environment or locale.
 *
 *	memplan *m = memplan_new();
 *	memplan_set(m, "planner", "auto");
 *	memplan_input(m, "graph", "net.json", bytes, length);
 *	if (memplan_plan(m) != MEMPLAN_OK)
 *		complain(memplan_error(m));
 *	memplan_write(m, "header", &text, &length);
 *	memplan_free(m);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MEMPLAN_MEMPLAN_H
#define MEMPLAN_MEMPLAN_H

#include <stddef.h>
#include <stdint.h>

#include "memplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MEMPLAN_API __attribute__((visibility("default")))
#else
#define MEMPLAN_API
#endif

typedef struct memplan memplan;

/* A new handle with default options; NULL when memory is out. */
MEMPLAN_API memplan *memplan_new(void);

/* Frees a handle and all that it gave out. NULL is allowed. */
MEMPLAN_API void memplan_free(memplan *m);

/* Sets an option to a value, spelled as on the command line without its dashes:
 * planner, order, orders, peak, capacity, pools, align, target, inplace,
 * inputs, outputs, name, graph, together, seed, effort, steps, time-limit,
 * threads, max-memory, budget, copy-mode, recompute, minimise-reuse,
 * cross-stream-first, replan, write-rate, read-rate, forward-end. Sizes are
 * bytes, optionally with a unit: 512KiB. */
MEMPLAN_API enum memplan_status memplan_set(
	memplan *m, const char *option, const char *value);

/* Hands in a file's content. The role is "graph" (any format that is one file,
 * or the io_info of a triple), "tensor-size", "resize-info", "cost-info", or
 * "solution": what another solver answered to the "lp" or "mps" format, or
 * what SOMAS's solver answered to a graph out of another of its dumps.
 * The name serves messages and, without its ending, as the plan's name. The
 * bytes are not copied. They must stay until memplan_read(), or what else reads
 * them, has returned. */
MEMPLAN_API enum memplan_status memplan_input(memplan *m, const char *role,
	const char *name, const void *bytes, size_t length);

/* Reads and checks the input and stops there: no order, no plan. */
MEMPLAN_API enum memplan_status memplan_read(memplan *m);

/* Walks the whole street: read, check, order, lifetimes, plan, verify.
 * MEMPLAN_OK: a verified plan is there. MEMPLAN_NO: the capacity is given and
 * proved too small. MEMPLAN_EBUDGET: the capacity is given, no plan that fits
 * was found, and none was ruled out. In both cases the best plan, if any, is
 * still there to be asked for. */
MEMPLAN_API enum memplan_status memplan_plan(memplan *m);

/* Makes a fresh handle one of several graphs in one arena: adds a handle that
 * holds a plan, or that has read its input and not been planned so far. The
 * latter is planned by the whole's memplan_plan(): with the greatest alignment
 * of all, with in-place pairs of equal size only where graphs are concurrent or
 * have several streams, and otherwise by its own options. Its plan and warnings
 * are then its own; its error is the whole's.
 *
 * The name is what the graph is called in the whole, NULL: what it is called;
 * its tensors are then NAME/TENSOR. A name that begins with a dot is a batch
 * and goes behind the graph's own: ".4" makes NET.4 of NET. Where all are
 * batches of one graph, the whole is called as the graph is; and it warns of
 * tensors that a greater batch has smaller.
 *
 * The option together says whether the graphs run in turn ("serial", the
 * default: they share their bytes) or at the same time ("concurrent": each has
 * its own). What a graph keeps between its runs (states, and weights inside the
 * arena) is never shared. Fixed offsets stay, no graph gets bytes that another
 * reserves, pools of one name are one. memplan_plan() lays the graphs out and
 * verifies that, and every other function answers for all of them as for one.
 * The parts must stay for as long as the whole is to be planned.
 *
 * MEMPLAN_EINPUT: two graphs have one name. MEMPLAN_EUSAGE: the handle was
 * neither read nor planned, or its plan was not verified, has another alignment
 * than one that was joined before, or was padded by another target. */
MEMPLAN_API enum memplan_status memplan_join(
	memplan *m, memplan *part, const char *name);

/* Walks the street up to the lifetimes and measures every row of the order
 * table: what the "show" report prints. */
MEMPLAN_API enum memplan_status memplan_survey(memplan *m);

/* Walks the whole street, then replays the same requests on every row of the
 * simulator table: what the "simulate" reports print. With a timeline, also for
 * every step, which the formats "timeline" and "timeline-svg" need. */
MEMPLAN_API enum memplan_status memplan_simulate(memplan *m, int timeline);

/* As memplan_simulate(), and simulates swapping: what the forward pass makes
 * and the backward pass reads is copied out and back, at the rates of the
 * options write-rate and read-rate; the option forward-end says where the
 * passes meet. The "swap" reports print it. */
MEMPLAN_API enum memplan_status memplan_simulate_swap(memplan *m);

/* Walks the whole street, then asks what binds the peak and what would lower
 * it: what the "explain" reports print. Two names or ids of tensors: also why
 * these two can or cannot share bytes; otherwise NULL. */
MEMPLAN_API enum memplan_status memplan_explain(
	memplan *m, const char *tensor, const char *other);

/* Verifies the offsets that the input carries (a plan read back) from scratch.
 * MEMPLAN_NO: invalid, and memplan_error() names the pair. */
MEMPLAN_API enum memplan_status memplan_check(memplan *m);

/* The same, and that it is a plan of that graph: every planned tensor of the
 * graph has an offset in the plan, sizes and order agree, and with lifetimes
 * computed afresh from the graph nothing overlaps. Both handles have their
 * inputs but have not been planned; results are then asked of the graph's.
 * Where the plan is one of several graphs, of that of them which is called as
 * this one is; that the graphs are not in each other's way is for
 * memplan_check(). */
MEMPLAN_API enum memplan_status memplan_check_against(
	memplan *graph, memplan *plan);

/* Takes the offsets that the input carries as they are, unverified: for
 * programs that put a plan to the test. Nothing can be written from such a
 * handle. MEMPLAN_EINPUT: not every tensor has an offset. */
MEMPLAN_API enum memplan_status memplan_take(memplan *m);

/* How far a run is. */
struct memplan_progress {
	const char *phase;   /* "ordering", "planning", "simulating", ... */
	uint64_t arena_size; /* of the best plan so far; 0: none yet */
	uint64_t theoretical_min, lower_bound;
	uint64_t steps_left; /* of the budget, about 100 ns each; 0: unknown */
	const char *row;     /* of a table, that runs; NULL: none to be named */
};

/* Has a function called while a run works, about once a millisecond, in the
 * thread that runs; NULL: none. It can change nothing but may interrupt. */
MEMPLAN_API void memplan_on_progress(memplan *m,
	void (*call)(void *context, const struct memplan_progress *progress),
	void *context);

/* Asks a planner that runs in another thread or below a signal handler to stop
 * with the best plan it has. Safe in signal handlers. */
MEMPLAN_API void memplan_interrupt(memplan *m);

/* The result in the format of that name or file suffix (see memplan_row):
 * bytes owned by the handle, valid until the next call of this function. */
MEMPLAN_API enum memplan_status memplan_write(
	memplan *m, const char *format, const void **bytes, size_t *length);

/* True if memplan_write() knows a format of that name or file suffix. */
MEMPLAN_API int memplan_has_format(const char *format);

/* Two results beside each other, in the form of a row of the table
 * "comparisons". Both handles hold plans. The bytes are owned by the second
 * handle, valid until its next call of this function or memplan_write(). */
MEMPLAN_API enum memplan_status memplan_compare(const memplan *before,
	memplan *after, const char *report, const void **bytes, size_t *length);

/* A number of the result by name: ops, tensors, buffers, alignment, arena_size,
 * streams, theoretical_min, lower_bound, lower_bound_order, total_size, padding
 * (of every tensor, before rounding), base_alignment (what the arena's base
 * must be aligned to), optimal (0, 1), peak_step, steps, cut_short (0, 1),
 * reuse_edges (once asked for). False if there is no such number yet. */
MEMPLAN_API int memplan_number(
	const memplan *m, const char *name, uint64_t *value);

/* A text of the result by name: name, planner, order, bound_kind. NULL if there
 * is none. Owned by the handle. */
MEMPLAN_API const char *memplan_text(const memplan *m, const char *name);

/* One planned tensor. Offsets and sizes are bytes; it is alive in steps
 * [start, end) of the planned order. */
struct memplan_tensor {
	const char *id;	  /* as the input spells it; NULL: none */
	const char *name; /* NULL: none */
	uint64_t offset;  /* from the base of the arena, or of its pool */
	uint64_t size;	  /* as the input says, not rounded */
	uint32_t start, end;
	int external;	   /* the caller's memory: no offset */
	uint32_t kind;	   /* as in struct memplan_entry of memplan/loader.h */
	int is_alias;	   /* its bytes are those of another tensor, ... */
	int writes;	   /* ... and its producer changes them */
	uint32_t alias_of; /* that tensor */
	uint64_t alias_offset; /* and where in it they begin */
	uint32_t choice; /* from 1: of which only one branch runs; 0: none */
	uint32_t branch; /* of it, from 0 */
	uint32_t pool;	 /* the memory from whose base offset counts: see
			    memplan_memory_at() */
};

/* Tensor i, below the number "tensors"; false beyond. Owned by the handle. */
MEMPLAN_API int memplan_tensor_at(
	const memplan *m, uint32_t i, struct memplan_tensor *tensor);

/* One of the memories that the plan takes: a pool, or a block of one; the arena
 * where the input names no pools. */
struct memplan_memory {
	const char *name;  /* "dram", of a block "dram#0"; NULL: the arena */
	uint64_t size;	   /* bytes to allocate */
	uint64_t align;	   /* what its base must be aligned to */
	uint64_t capacity; /* UINT64_MAX: not limited */
	uint64_t theoretical_min; /* most bytes alive there at once; 0 behind
				     memplan_take() */
};

/* Memory i; false beyond the last, and if there is no plan. The name is owned
 * by the handle. */
MEMPLAN_API int memplan_memory_at(
	const memplan *m, uint32_t i, struct memplan_memory *memory);

/* In steps [start, end) of its life a tensor needs its bytes [low, high) only,
 * or none if these are equal. */
struct memplan_gap {
	uint32_t tensor;
	uint32_t start, end;
	uint64_t low, high;
};

/* Gap i, by tensor and then by step; false beyond the last. */
MEMPLAN_API int memplan_gap_at(
	const memplan *m, uint32_t i, struct memplan_gap *gap);

/* One op of the planned order. Its tensors are numbered as those above. */
struct memplan_op {
	const char *name; /* never NULL */
	const uint32_t *inputs, *outputs, *temporaries;
	uint32_t n_inputs, n_outputs, n_temporaries;
	uint32_t index;	       /* in the input */
	const uint32_t *after; /* indices of ops that it waits for */
	uint32_t n_after;
	uint32_t stream;
};

/* The op that runs at a step, below the number "ops"; false beyond, and if
 * there is no plan. Owned by the handle. */
MEMPLAN_API int memplan_op_at(
	const memplan *m, uint32_t step, struct memplan_op *op);

/* What went wrong, as a sentence with its place; "" if nothing did. */
MEMPLAN_API const char *memplan_error(const memplan *m);

/* Where in its file an error with a JSON Pointer stands, from 1; 0: not known.
 * Syntax errors and those of CSV have line and column in their text. */
MEMPLAN_API void memplan_error_place(
	const memplan *m, uint32_t *line, uint32_t *column);

/* Warning i of the run; NULL beyond the last. */
MEMPLAN_API const char *memplan_warning(const memplan *m, uint32_t i);

/* Row i of a table ("planners", "peers", "orders", "inputs", "outputs", "simulators",
 * "targets",
 * "comparisons",
 * "gates", "gate-reports"):
 * its name, and a one-line summary; NULL beyond the last. */
MEMPLAN_API const char *memplan_row(
	const char *table, uint32_t i, const char **summary);

/* Budgets of many graphs, from one file; see docs/formats/budget.md. The caller
 * plans each row's graph with a handle of its own and hands it in:
 *
 *	for (i = 0; memplan_gate_row(g, i, &row); i++) {
 *		memplan_gate_set(g, i, m);
 *		(hand in row.graph, plan)
 *		memplan_gate_judge(g, i, m, NULL);
 *	}
 *	memplan_gate_write(g, "junit", &text, &length);
 */
typedef struct memplan_gate memplan_gate;

/* NULL when memory is out. */
MEMPLAN_API memplan_gate *memplan_gate_new(void);
MEMPLAN_API void memplan_gate_free(memplan_gate *g);

/* Reads the budgets. The bytes must stay until memplan_gate_free(). */
MEMPLAN_API enum memplan_status memplan_gate_read(
	memplan_gate *g, const char *name, const void *bytes, size_t length);

/* What a row names, as the file spells it; NULL: not given. */
struct memplan_budget {
	const char *graph, *batch, *target, *baseline;
};

/* Row i; false beyond the last. */
MEMPLAN_API int memplan_gate_row(
	const memplan_gate *g, uint32_t i, struct memplan_budget *row);

/* Sets the options of row i on a handle. */
MEMPLAN_API enum memplan_status memplan_gate_set(
	const memplan_gate *g, uint32_t i, memplan *m);

/* Judges row i by a planned handle and by that of its baseline (NULL: there is
 * none yet). MEMPLAN_NO: over a limit that fails. */
MEMPLAN_API enum memplan_status memplan_gate_judge(
	memplan_gate *g, uint32_t i, const memplan *m, const memplan *baseline);

/* Row i cannot be judged, and why. */
MEMPLAN_API void memplan_gate_miss(
	memplan_gate *g, uint32_t i, const char *why);

/* The verdicts as a row of the table "gate-reports", named or by the suffix of
 * a file name. Bytes owned by g, valid until the next call. */
MEMPLAN_API enum memplan_status memplan_gate_write(memplan_gate *g,
	const char *report, const void **bytes, size_t *length);

/* True if there is such a report. */
MEMPLAN_API int memplan_gate_has_report(const char *report);

/* What went wrong, as a sentence with its place; "" if nothing did; and where
 * in the file, from 1; 0: not known. */
MEMPLAN_API const char *memplan_gate_error(const memplan_gate *g);
MEMPLAN_API void memplan_gate_error_place(
	const memplan_gate *g, uint32_t *line, uint32_t *column);

/* How many letters must change to make one name of another: for "did you mean".
 * Names beyond 64 bytes are like no other. */
MEMPLAN_API uint32_t memplan_distance(const char *a, const char *b);

/* "1.2.3" */
MEMPLAN_API const char *memplan_version(void);

#ifdef __cplusplus
}
#endif

#endif
