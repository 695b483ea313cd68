/*
 * memplan: offline static memory planning for neural-network graphs.
 *
 * This header plans a graph and reads the result. memplan/report.h simulates,
 * explains and compares; memplan/gate.h judges many graphs by budgets;
 * memplan/loader.h applies a plan in the program that runs the network.
 *
 *	memplan *m = memplan_new();
 *	const void *text;
 *	size_t n_text;
 *
 *	if (memplan_set(m, "order", "auto") != MEMPLAN_OK ||
 *		memplan_input(m, "graph", "net.json", bytes, n) != MEMPLAN_OK ||
 *		memplan_plan(m) != MEMPLAN_OK ||
 *		memplan_write(m, "header", &text, &n_text) != MEMPLAN_OK)
 *		complain(memplan_error(m));
 *	else
 *		fwrite(text, 1, n_text, stdout);
 *	memplan_free(m);
 *
 * Compile and link: cc net.c $(pkg-config --cflags --libs memplan)
 *
 * Conventions
 *
 * Errors. A function that can fail returns a status of memplan/status.h, and
 * memplan_error() then has a sentence with a place. Errors are not sticky:
 * every such call begins without an error, so a handle can be used on after
 * MEMPLAN_NO, after an unknown option, after anything. Every call may also
 * return MEMPLAN_ENOMEM (out of memory, or more than the option max-memory),
 * and MEMPLAN_EINTERNAL, which is a bug of memplan's; a run that does leaves no
 * results. Handles and other pointers must not be NULL unless a function says
 * that they may.
 *
 * Runs. memplan_plan() and the functions like it (check, survey, simulate,
 * explain) may be called any number of times on one handle, with memplan_set()
 * between them. Each begins with the input as it was read and drops the results
 * of the one before. Options count from the next run on, but graph, target,
 * inputs, outputs, variables, pools, name, replan, dim, value, shape, views and
 * constants, which say how the input is read: they come before memplan_read()
 * or the first run; to change them later, hand in the input again.
 *
 * Lifetime. What a handle gives out (texts, arrays, bytes) belongs to it and
 * stays until its next run, the next memplan_input(), another member that
 * joins it or memplan_free(), whichever is first, unless a function says
 * otherwise.
 *
 * Structs. A struct that may grow is passed with its size: sizeof of what the
 * program was compiled with. The library fills the members that both know and
 * sets further ones to 0. The structs of loader.h, device.h and replay.h have
 * no size: these libraries are static, and are compiled with their headers.
 *
 * Threads. Handles share nothing. A handle may be used by one thread at a time;
 * only memplan_interrupt() may be called from elsewhere. The library has no
 * global state, and never exits, prints, or reads files, environment or locale.
 *
 * Compatibility. Versions are MAJOR.MINOR.PATCH (memplan/version.h). While
 * MAJOR is 0, a new MINOR may change functions and structs, and the soname
 * carries it; a PATCH changes neither. From 1.0.0 on, programs that were
 * compiled and linked with an older MINOR of the same MAJOR keep working:
 * functions stay, structs grow at their ends only, enums get new values only,
 * options and rows of tables keep their names. Files have versions of their
 * own: a plan, a table or a budget that one version wrote is read by every
 * later one. Plans are the same bytes for the same input, options and version;
 * another version may find others.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MEMPLAN_MEMPLAN_H
#define MEMPLAN_MEMPLAN_H

#include <stddef.h>
#include <stdint.h>

#include "memplan/status.h"
#include "memplan/version.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MEMPLAN_API __attribute__((visibility("default")))
#else
#define MEMPLAN_API
#endif

typedef struct memplan memplan;

/* ----------------------------------------------------------- handle */

/*
 * Makes a handle with default options and without input.
 *
 * Returns: the handle; NULL if memory is out.
 * Lifetime: until memplan_free().
 */
MEMPLAN_API memplan *memplan_new(void);

/*
 * Frees a handle and all that it gave out. NULL is allowed.
 */
MEMPLAN_API void memplan_free(memplan *m);

/*
 * Sets an option. The name is that of the command line without its dashes, and
 * so is the value; a switch is off with the value "off" and on with any other.
 * Sizes are bytes, optionally with a unit: 4096, 512KiB, 2GB. A second call
 * replaces the value, but dim, value and shape take one more line each time, or
 * several with newlines between; "off" forgets them.
 * These are the options; memplan_option_at() tells them to programs:
 *
 *   planner PLANNER            planner row; default auto
 *   replan                     place anew what the input has placed already
 *   order ORDER                order row; default keep
 *   peak BYTES                 an order with this peak is enough; it then
 *                              moves few ops; a size in bytes, like 4096 or
 *                              512KiB
 *   capacity BYTES             stop at the first plan that fits; the answer
 *                              is no if none can; a size in bytes, like 4096
 *                              or 512KiB
 *   tight                      make the arena and pools small within their
 *                              capacities
 *   pools NAME=BYTES,...       capacities of pools, or pools for a graph
 *                              without any; a list like sram=256KiB,dram
 *   budget BYTES               copy tensors out and back until a plan fits; a
 *                              size in bytes above 0, like 512MiB
 *   copy-mode none|sync|semi|async
 *                              budget: what runs beside a copy; default sync
 *   recompute                  budget: ops may run again
 *   minimise-reuse             in the capacity, or the arena found: low reuse
 *                              cost, then few overwrites
 *   minimise-banks             in the capacity, or the arena found: tensors
 *                              that an op uses together share few banks
 *   cross-stream-first         minimise-reuse: first those across streams
 *   align BYTES                round sizes and offsets to this power of two;
 *                              a power of two up to 1GiB
 *   target TARGET              alignment and padding of a device or runtime
 *   inplace on|off|equal       honour in-place pairs (of equal size); default
 *                              on
 *   inputs inside|external|throughout
 *                              where the inputs are; else inside, or where a
 *                              plan has them
 *   outputs inside|external|throughout
 *                              where the outputs are; else inside, or where a
 *                              plan has them
 *   variables external|arena   of a TFLite model: beside the arena, or in it;
 *                              default external
 *   seed N                     seed of randomised rows; an integer from 0;
 *                              default 1
 *   effort 0|1|2|3             how much work to spend; a level from 0 to 3;
 *                              default 2
 *   steps N                    work to spend, about 100 ns each; an integer
 *                              from 0
 *   time-limit SECONDS         most time; without steps or an effort, work
 *                              goes on until then; a number of seconds
 *   threads N                  threads; never changes the plan; an integer
 *                              from 1 to 1024; default 1
 *   max-memory BYTES           most memory to take; a size in bytes, like
 *                              4096 or 512KiB
 *   graph NAME                 of the graphs in a log or program, the one to
 *                              read; a name of 1 to 1023 bytes
 *   dim NAME=N                 ONNX: the length of a dimension; may be
 *                              repeated; NAME=N or INPUT:AXIS=N, at most 4095
 *                              bytes together
 *   value NAME=V,...           ONNX: the content of an input; may be
 *                              repeated; NAME=V,..., at most 4095 bytes
 *                              together
 *   shape NAME=2x64:TYPE       ONNX: the shape of a value; may be repeated;
 *                              NAME=2x64:TYPE, at most 4095 bytes together
 *   views alias|alias-slices|inplace|copy
 *                              ONNX: what Reshape and the like are; default
 *                              alias
 *   constants fold|keep        models: ops of constants vanish, or stay;
 *                              default fold
 *   together serial|concurrent|buckets
 *                              several graphs: run in turn, at one time, or
 *                              with one table
 *   same-offsets NAME,...      tensors at one offset in all graphs; may be
 *                              repeated; NAME,..., at most 4095 bytes
 *                              together
 *   name NAME                  name of the plan and of its symbols; a name of
 *                              1 to 63 bytes
 *   orders                     measure every order row
 *   forward-end N              swap: first step of the backward pass, else
 *                              found; a step
 *   mindspore KEY=BYTES,...    settings of MindSpore's pool: init, increase,
 *                              max; a list like
 *                              init=64MiB,increase=64MiB,max=2GiB; default
 *                              increase=1GiB
 *   write-rate BYTES           bytes a second that are copied out; bytes a
 *                              second, like 300MB; default 23381507
 *   read-rate BYTES            bytes a second that are copied in; bytes a
 *                              second, like 300MB; default 23381507
 *
 * Returns: MEMPLAN_OK.
 * Errors: MEMPLAN_EUSAGE: no such option, or not a value of it; the option then
 * keeps the value that it had.
 * Lifetime: both texts are copied.
 */
MEMPLAN_API enum memplan_status memplan_set(
	memplan *m, const char *option, const char *value);

/* What an option serves: bits. */
enum memplan_use {
	MEMPLAN_USE_PLAN = 1 << 0,     /* memplan_plan() */
	MEMPLAN_USE_CHECK = 1 << 1,    /* memplan_check(), _check_against() */
	MEMPLAN_USE_SURVEY = 1 << 2,   /* memplan_survey() */
	MEMPLAN_USE_SIMULATE = 1 << 3, /* memplan_simulate() and _swap() */
	MEMPLAN_USE_EXPLAIN = 1 << 4,  /* memplan_explain() */
	MEMPLAN_USE_COMPARE = 1 << 5,  /* plans for memplan_compare() */
	MEMPLAN_USE_GATE = 1 << 6,     /* plans for memplan_gate_judge() */
	MEMPLAN_USE_TAKE = 1 << 7,     /* memplan_take() */
	MEMPLAN_USE_REPEATED = 1 << 15 /* no use: each value is a line beside
					  those before it */
};

/* An option of memplan_set(). */
struct memplan_option {
	const char *name;
	const char *argument; /* what stands for the value: "BYTES"; "A|B" where
				 it is one of these words; NULL: a switch */
	const char *summary;  /* one line */
	const char *values;   /* "a power of two up to 1GiB"; NULL: a switch, or
				 rows of a table */
	const char *initial;  /* the default; NULL: none */
	const char *table; /* "planners|peers": tables of memplan_row(); their
			      rows are the values; NULL: none */
	uint32_t uses;	   /* bits of enum memplan_use */
};

/*
 * Describes option i, from 0.
 *
 * Returns: true; false beyond the last.
 * Lifetime: the texts stay for ever.
 */
MEMPLAN_API int memplan_option_at(
	uint32_t i, struct memplan_option *option, size_t size);

/*
 * Hands in a file's content. The role is "graph" (any format that is one file,
 * or the io_info of a triple), "tensor-size", "resize-info", "cost-info",
 * "solution": what another solver answered to the "lp" or "mps" format, or what
 * SOMAS's solver answered to a graph out of another of its dumps; "near": an
 * older plan: memplan_plan() keeps its offsets where the arena allows it;
 * "live-range": lifetimes, of a buffer assignment of XLA's; or
 * "proof": what the format "proof" wrote, for memplan_check() and (in the
 * graph's handle, or in that of buckets before it joins them)
 * memplan_check_against(), until which its bytes must stay. The
 * format follows from the content; memplan_row("inputs", ...) lists the
 * formats.
 *
 * The name serves messages and, without its ending, as the plan's name. If the
 * handle has read an input already, this one takes its place: the old one and
 * all results are gone.
 *
 * Returns: MEMPLAN_OK.
 * Errors: MEMPLAN_EUSAGE: no such role.
 * Lifetime: the name is copied. The bytes are not: they must stay until
 * memplan_read(), or the first run where it is not called, has returned. The
 * format "tflite" reads them again: for it they must stay until
 * memplan_write() has returned. If reading fails, the handle has no input any
 * more.
 */
MEMPLAN_API enum memplan_status memplan_input(memplan *m, const char *role,
	const char *name, const void *bytes, size_t length);

/*
 * Reads and checks the input and stops there: no order, no plan. Runs do that
 * by themselves; this is for programs that want to free the bytes early or ask
 * for numbers first. Reading again does nothing.
 *
 * Returns: MEMPLAN_OK; "ops", "tensors" and such numbers are there.
 * Errors: MEMPLAN_EUSAGE: no input, or an option that is not for this one (dim,
 * of no model). MEMPLAN_EINPUT: it is malformed or contradicts itself;
 * memplan_error() and memplan_error_place() say where.
 */
MEMPLAN_API enum memplan_status memplan_read(memplan *m);

/* ------------------------------------------------------------- runs */

/*
 * Plans: reads, orders, computes lifetimes, gives every tensor an offset and
 * verifies the result with code that shares nothing with the planners.
 *
 * Returns: MEMPLAN_OK: a verified plan is there. Once there is one, memory that
 * is out for a planner is no error: a warning names the planner. So it is where
 * memory is out for near, minimise-reuse or minimise-banks: the plan stays; or
 * for their count of reuse edges: the plan has no such number.
 * Errors: MEMPLAN_NO: the capacity (or budget) is proved too small.
 * MEMPLAN_EBUDGET: no plan that fits was found, and none was ruled out. In both
 * cases the best plan, if any, is there and can be asked for. MEMPLAN_EUSAGE:
 * an option that this graph cannot have (a budget without ops). Those of
 * memplan_read().
 */
MEMPLAN_API enum memplan_status memplan_plan(memplan *m);

/*
 * Makes a handle without input the plan of several graphs in one arena, a
 * bundle: adds a member, which is a handle that holds a plan, or one that has
 * only read its input. Once all are added, memplan_plan() plans the latter,
 * lays all out and verifies that, and every other function answers for all
 * graphs as for one.
 *
 * A graph that was only read is planned by its own options, but with the
 * greatest alignment of all, and with in-place pairs of equal size only where
 * graphs are concurrent or have several streams. Its plan and warnings are then
 * its own; its error is the bundle's.
 *
 * The name is what the graph is called in the bundle; NULL: its own name. Its
 * tensors are then called NAME/TENSOR. A name that begins with a dot is a batch
 * and goes behind the graph's own: ".4" makes NET.4 of NET. If all are batches
 * of one graph, the bundle is called as the graph is; and it warns of tensors
 * that a greater batch has smaller.
 *
 * The option together says whether the graphs run in turn ("serial": they share
 * bytes) or at the same time ("concurrent": each has its own). States, and
 * weights inside the arena, are never shared. Fixed offsets stay; pools of one
 * name are one pool; bytes that a graph reserves stay free of the others.
 * "buckets": the graphs have the same ops, and any one of them runs at a time,
 * with the one table of a plan that serves them all. That plan is of one graph,
 * which has the largest size of each tensor, and is made by the options of the
 * bundle; it was verified for each of the graphs. Where the bundle has the
 * order "keep", the graphs must have it too.
 *
 * Returns: MEMPLAN_OK.
 * Errors: MEMPLAN_EINPUT: two graphs have one name. MEMPLAN_EUSAGE: the bundle
 * has an input; the member was neither read nor planned, or its plan was not
 * verified, has another alignment than one that was joined before, or was
 * padded by another target. After an error the bundle is as it was.
 * Lifetime: the name is copied. The member stays the caller's, and must stay,
 * with the input or the plan that it was joined for, for as long as the bundle
 * is to be planned or asked.
 */
MEMPLAN_API enum memplan_status memplan_join(
	memplan *m, memplan *member, const char *name);

/*
 * Verifies the offsets that the input carries (a plan read back) from scratch,
 * and what it says of itself.
 *
 * Returns: MEMPLAN_OK: valid.
 * Errors: MEMPLAN_NO: invalid; memplan_error() names the two tensors or the
 * claim. MEMPLAN_EINPUT: a tensor has no offset. Those of memplan_read().
 */
MEMPLAN_API enum memplan_status memplan_check(memplan *m);

/*
 * As memplan_check(), and verifies that it is a plan of that graph: every
 * planned tensor has an offset in the plan, with lifetimes computed afresh from
 * the graph nothing overlaps, the graph runs on these places, and all that the
 * plan says is what the graph gives. If a budget put ops in, the plan is held
 * against the graph with these ops.
 *
 * If the plan holds several graphs, the handle is one that memplan_join() gave
 * all of them, each with its name there; how they run is the plan's to say.
 * Only of a handle of one graph, the graph of that name is compared, for sizes,
 * offsets, lifetimes and order; use memplan_check() to verify that the graphs
 * do not overlap.
 *
 * No handle has been planned. Results are asked of the graph's handle, and so
 * is the error.
 *
 * Returns: MEMPLAN_OK: it is.
 * Errors: MEMPLAN_NO: it is not. MEMPLAN_EUSAGE: a joined handle was planned,
 * or the plan's handle is the graph's, or joins others. MEMPLAN_EINPUT: a
 * tensor of the plan has no offset. Those of memplan_read(), of any input.
 */
MEMPLAN_API enum memplan_status memplan_check_against(
	memplan *graph, memplan *plan);

/*
 * Asks a run to stop soon, with the best plan that it has. If none is running,
 * the next run stops so. May be called from other threads and signal handlers,
 * as long as the handle is there.
 */
MEMPLAN_API void memplan_interrupt(memplan *m);

/* How far a run is. */
struct memplan_progress {
	const char *phase;   /* "ordering", "planning", "simulating", ... */
	uint64_t arena_size; /* bytes of the best plan so far; 0: none yet */
	uint64_t theoretical_min, lower_bound; /* bytes; 0: not yet known */
	uint64_t steps_left; /* of the budget, about 100 ns each; 0: unknown */
	const char *row;     /* of a table, that runs; NULL: none to be named */
};

/*
 * Has a function called while a run works, about once a millisecond, in the
 * thread that runs. NULL: no more calls. The function gets the context and the
 * size of the struct as the library has it; it may call memplan_interrupt() and
 * nothing else.
 *
 * Lifetime: the struct and its texts stay until the function returns; the
 * context must stay until the last run has.
 */
MEMPLAN_API void memplan_on_progress(memplan *m,
	void (*call)(void *context, const struct memplan_progress *progress,
		size_t size),
	void *context);

/* ---------------------------------------------------------- results */

/*
 * Writes a result. The format is a row's name, or a file name with its suffix;
 * memplan_row("outputs", ...) lists the rows. After MEMPLAN_NO or
 * MEMPLAN_EBUDGET it writes the plan that misses its capacity.
 *
 * Returns: MEMPLAN_OK: the bytes are there.
 * Errors: MEMPLAN_EUSAGE: no such format, told even before there is a result;
 * or one that has no room for this one (several memories, say). MEMPLAN_NO:
 * there is no result that this format could write. MEMPLAN_EINPUT: names of
 * several graphs would clash in a header.
 * Lifetime: the bytes stay until the next call of this function or of
 * memplan_compare() with this handle.
 */
MEMPLAN_API enum memplan_status memplan_write(
	memplan *m, const char *format, const void **bytes, size_t *length);

/*
 * Tells a number of the result. These are of the graph:
 *
 *   ops, tensors, streams
 *   graphs, buckets            of a plan of several; else 0
 *   alignment                  of offsets and sizes
 *   padding                    bytes that are added to each size before it is
 *                              rounded up
 *
 * These are of an order:
 *
 *   buffers, steps
 *   theoretical_min, peak_step the greatest load, and its first step
 *   total_size                 of all tensors, without reuse
 *   lower_bound_order          no order gets below it; of a plan that was read
 *                              it is a claim
 *
 * And these of a plan:
 *
 *   arena_size
 *   lower_bound                proved by this run, or by what a plan that was
 *                              read shows
 *   optimal                    0 or 1: the arena has that size, and no other
 *                              choice of in-place pairs needs less
 *   claimed_bound              what a plan file says, if that is more
 *   cut_short                  0 or 1: a limit of time or an interrupt did it
 *   base_alignment             what the arena's base must be aligned to
 *   states_offset, states_size bytes that outlive a run; if there are any
 *   reuse_cost, bank_cost      of this plan, if the graph says what reuse
 *                              costs, or has pools with banks
 *   reuse_cost_bound, bank_cost_bound
 *                              no plan in as many bytes costs less
 *   reuse_edges                once a reuse format was written
 *
 * Returns: true; false if there is no such number, or not yet.
 */
MEMPLAN_API int memplan_number(
	const memplan *m, const char *name, uint64_t *value);

/*
 * Tells a text of the result: name, planner, order, or bound_kind, which says
 * how lower_bound is proved: "load", "pin", "clique", "search", or "proof" of a
 * plan that came with a proof.
 *
 * Returns: the text; NULL if there is no such text, or not yet.
 */
MEMPLAN_API const char *memplan_text(const memplan *m, const char *name);

/* What a tensor is for; loader.h and the binary table have the same numbers. */
enum memplan_kind {
	MEMPLAN_KIND_ACTIVATION = 0,
	MEMPLAN_KIND_INPUT = 1,
	MEMPLAN_KIND_OUTPUT = 2,
	MEMPLAN_KIND_WEIGHT = 3,
	MEMPLAN_KIND_STATE = 4, /* keeps its bytes from one run to the next */
	MEMPLAN_KIND_TEMPORARY = 5
};

/* One planned tensor. Offsets and sizes are bytes. */
struct memplan_tensor {
	const char *id;	     /* as the input spells it; NULL: none */
	const char *name;    /* NULL: none */
	uint64_t offset;     /* from the base of its memory */
	uint64_t size;	     /* as the input says, not rounded */
	uint32_t start, end; /* alive in steps [start, end) of the order */
	int external;	     /* in the caller's memory: no offset */
	uint32_t kind;	     /* enum memplan_kind */
	int is_alias;	     /* its bytes are those of another tensor */
	int writes;	   /* an alias with new content of the bytes: its op's,
			      or what another graph left in them */
	uint32_t alias_of; /* that tensor; itself if it is no alias */
	uint64_t alias_offset; /* where in that tensor its bytes begin */
	uint32_t choice;       /* from 1: only one branch of it runs; 0: none;
				  see memplan_choice_at() */
	uint32_t branch;       /* of the choice, from 0 */
	uint32_t pool;	       /* its memory: see memplan_memory_at() */
};

/*
 * Tells tensor i of the plan, below the number "tensors".
 *
 * Returns: true; false beyond the last, and if there is no plan.
 */
MEMPLAN_API int memplan_tensor_at(const memplan *m, uint32_t i,
	struct memplan_tensor *tensor, size_t size);

/* One op of the planned order. Tensors are numbered as above. */
struct memplan_op {
	const char *name; /* never NULL */
	const uint32_t *inputs, *outputs, *temporaries;
	uint32_t n_inputs, n_outputs, n_temporaries;
	uint32_t index;	       /* in the input, from 0 */
	const uint32_t *after; /* indices of ops that it waits for */
	uint32_t n_after;
	uint32_t stream; /* below the number "streams" */
};

/*
 * Tells the op that runs at a step, below the number "ops".
 *
 * Returns: true; false beyond the last, and if there is no plan.
 */
MEMPLAN_API int memplan_op_at(
	const memplan *m, uint32_t step, struct memplan_op *op, size_t size);

/* One of the memories that the plan takes: a pool, a block of a pool, or the
 * arena if the graph has no pools. */
struct memplan_memory {
	const char *name;  /* "dram", of a block "dram#0"; NULL: the arena */
	uint64_t size;	   /* bytes to allocate */
	uint64_t align;	   /* what its base must be aligned to */
	uint64_t capacity; /* UINT64_MAX: not limited */
	uint64_t theoretical_min; /* most bytes alive there at once; 0 after
				     memplan_take() */
};

/*
 * Tells memory i.
 *
 * Returns: true; false beyond the last, and if there is no plan.
 */
MEMPLAN_API int memplan_memory_at(const memplan *m, uint32_t i,
	struct memplan_memory *memory, size_t size);

/* In steps [start, end) of the order, within its lifetime, a tensor needs its
 * bytes [low, high) only, counted from its first one; none if these are equal.
 * Other tensors may have the rest. */
struct memplan_gap {
	uint32_t tensor; /* as in memplan_tensor_at() */
	uint32_t start, end;
	uint64_t low, high;
};

/*
 * Tells gap i; gaps are sorted by tensor and then by step.
 *
 * Returns: true; false beyond the last, and if there is no plan.
 */
MEMPLAN_API int memplan_gap_at(
	const memplan *m, uint32_t i, struct memplan_gap *gap, size_t size);

/* A choice that stands in a branch of another one is made only if that branch
 * runs. */
struct memplan_choice {
	uint32_t in_choice; /* from 1; 0: it stands in no branch */
	uint32_t in_branch; /* of that choice, from 0 */
};

/*
 * Tells choice i of the plan, from 1 on. The choice that one stands in has a
 * lower number.
 *
 * Returns: true; false for 0 and beyond the last, and if there is no plan.
 */
MEMPLAN_API int memplan_choice_at(const memplan *m, uint32_t i,
	struct memplan_choice *choice, size_t size);

/* --------------------------------------------------------- messages */

/*
 * Says what was wrong with the last call that returns a status: a sentence with
 * its place, without a newline.
 *
 * Returns: the sentence; "" if that call succeeded.
 * Lifetime: until the next such call.
 */
MEMPLAN_API const char *memplan_error(const memplan *m);

/*
 * Says where in its file that error is, if its sentence has a JSON Pointer;
 * syntax errors and those of CSV have line and column in the sentence. Both
 * count from 1; 0: not known.
 */
MEMPLAN_API void memplan_error_place(
	const memplan *m, uint32_t *line, uint32_t *column);

/*
 * Says where in a text of JSON a value is, by its JSON Pointer, as sentences of
 * memplan_error() have it behind the file's name. For errors that show after
 * memplan_read(), when the handle has no bytes of its input any more:
 * memplan_error_place() does not know their line. The pointer ends at its end
 * or in front of ": ".
 *
 * Returns: 1, and sets line and column, which count from 1; 0: the text is no
 * JSON, or the pointer leads nowhere.
 */
MEMPLAN_API int memplan_json_place(const void *bytes, size_t length,
	const char *pointer, uint32_t *line, uint32_t *column);

/*
 * Says what was odd but no error, in the input and in the last run:
 * warning i.
 *
 * Returns: the sentence; NULL beyond the last.
 */
MEMPLAN_API const char *memplan_warning(const memplan *m, uint32_t i);

/*
 * Names row i of a table, for help and for completion. The table "tables" lists
 * all of them: planners, orders, inputs, outputs, targets, options, ...
 *
 * Returns: the row's name, and sets the summary, one line; NULL beyond the
 * last, and if there is no such table.
 * Lifetime: both stay for ever.
 */
MEMPLAN_API const char *memplan_row(
	const char *table, uint32_t i, const char **summary);

/*
 * Tells the version of the library that runs; MEMPLAN_VERSION is that of the
 * headers that a program was compiled with.
 *
 * Returns: "1.2.3".
 * Lifetime: for ever.
 */
MEMPLAN_API const char *memplan_version(void);

#ifdef __cplusplus
}
#endif

#endif
