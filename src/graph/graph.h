/*
 * A graph: the ops and tensors of an input as it lists them. A reader fills it,
 * mp_graph_link() adds the edges between ops, orders permute its ops, and the
 * lifetime stage makes a struct problem of it. Ids are indices into its arrays.
 * The all-zero value of every struct here is a valid default.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_GRAPH_H
#define MP_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/num.h"
#include "graph/pool.h"
#include "graph/target.h"
#include "graph/ties.h"

enum tensor_kind {
	KIND_ACTIVATION, /* lives from its producer to its last reader */
	KIND_INPUT,	 /* alive from the start of the run */
	KIND_OUTPUT,	 /* alive to the end of the run */
	KIND_WEIGHT,	 /* alive throughout; external unless it says not */
	KIND_STATE,	 /* alive throughout and between runs */
	KIND_TEMPORARY,	 /* scratch of its producer, alive during its step */
};

struct tensor {
	const char *id; /* as in the input; NULL: the tensor has only a name */
	const char *name;    /* NULL: has only an id */
	uint64_t size;	     /* bytes, as in the input, not rounded */
	uint64_t offset;     /* if placed: bytes from the base of the arena */
	uint32_t start, end; /* if pinned: alive in steps [start, end) */
	uint32_t producer;   /* op; NONE: made before the first op */
	uint32_t align;	     /* power of two up to 2^30; 0: that of the graph */
	uint16_t pools;	     /* pools that may hold the tensor: index into the
				graph's pool_lists */
	uint8_t kind;	     /* enum tensor_kind */
	bool id_is_number : 1; /* id came as a JSON integer */
	bool external : 1;     /* in the caller's memory: takes no bytes of the
				  arena, but still orders ops */
	bool pinned : 1;       /* the input fixes the lifetime */
	bool placed : 1;       /* the input fixes the offset */
	bool to_end : 1;       /* never released: alive from birth to the end */
	bool from_start : 1;   /* alive from before the first op on */
	bool tied : 1; /* in an alias tree, a group, or apart from another, and
			  so in no in-place pair; by mp_graph_link() */
};

/* The output may take the bytes of the input if the input dies at that op. */
struct inplace_pair {
	uint32_t output, input; /* tensors */
};

struct op {
	const char *name;	/* never NULL; "" when the input has none */
	const char *type;	/* or NULL */
	struct ids inputs;	/* tensors read; duplicates allowed */
	struct ids outputs;	/* tensors written, each by one op only */
	struct ids temporaries; /* tensors of KIND_TEMPORARY */
	struct ids after;	/* ops that must come before this one */
	struct ids release; /* tensors that the input frees after this op, in
			       that order; empty: unknown */
	const struct inplace_pair *inplace;
	uint32_t n_inplace;
	uint32_t n_unequal; /* further pairs, of tensors of different sizes,
			       that an option disables */
	uint32_t stream;    /* 0 unless the input says otherwise */
	uint32_t previous;  /* op before it in its stream, where there are
			       several; NONE: none; mp_graph_link() */
	uint64_t cost_us;   /* measured time in microseconds; 0: unknown */
	struct ids before; /* ops that this one waits for, each once, ascending:
			      producers of inputs and after; mp_graph_link() */
	struct ids behind; /* ops that wait for this one, likewise */
};

enum {
	MOST_BOUND_OPS = 512, /* that a bound on all orders names, */
	MOST_FEW_OPS = 32     /* and one of the kind few */
};

/* A lower bound: no order of the ops has a smaller peak. The kind says why: for
 * "cut" and "set" one of the ops runs last (or first) of them, which
 * order/search/certificate.h can check; for "few" one of the ops costs so much
 * in whatever order they run; for "search" a search ruled out all better
 * orders. */
#define ORDER_BOUND_FEW "few"

struct order_bound {
	uint64_t bytes;	  /* 0: no bound */
	const char *kind; /* or NULL */
	struct ids ops;
	bool first;   /* the first of them, not the last */
	bool inplace; /* the bound counts bytes shared by in-place pairs once */
};

/* The results that a plan file states; NULL: not stated. They are kept so that
 * reading a plan and writing it again gives the same bytes. The verifier trusts
 * none of them. */
struct claims {
	const char *planner; /* name of the row that made the plan */
	const char *order;   /* name of the order */
	struct ids ops;	     /* op indices in execution order */
	uint64_t arena_size, theoretical_min, lower_bound;
	uint64_t pairs_bound; /* 0: none */
	uint64_t reuse_cost, reuse_cost_bound;
	uint64_t bank_cost, bank_cost_bound;
	bool present, cut_short;
	bool optimal, says_optimal; /* says_optimal: the file has the first */
	const char *bound_kind;
	struct ids clique; /* tensors of which no two ever share a byte */
	struct order_bound order_bound;
	const struct pool_claim *pools; /* one a pool; or NULL */
};

/* Constraints on the order of the ops beside their dependences. Places are
 * those in the input's list of ops. */
struct constraints {
	const struct ids *keep; /* lists of ops that run in this sequence */
	uint32_t n_keep;
	struct ids first;    /* ops that run before all others, in sequence */
	struct ids last;     /* ops that run after all others, in sequence */
	struct ids barriers; /* no op may move across one: ops listed before it
				run before it, ops listed after it run after
				it */
	uint32_t max_displacement; /* most places that an op may move; 0: no
				      limit. The list must be a legal order */
};

/* At the end of each iteration `in` takes the value of `out`. In place: `out`
 * is an alias that writes all bytes of `in`, and nothing is copied. */
struct carried_pair {
	uint32_t in, out; /* tensors; NONE: in the caller's memory */
	bool in_place;	  /* by mp_graph_link() */
};

/* A loop: its body, ops [first, last] as the input lists them, runs any number
 * of times. Two loops are one in the other, or have no op in common. */
struct graph_loop {
	uint32_t first, last;
	struct carried_pair *carried;
	uint32_t n_carried;
	uint32_t around; /* the loop around it; NONE; by mp_graph_link() */
};

struct bundle_member {
	const char *name; /* its tensors are called name/tensor */
	uint32_t n_ops, n_tensors;

	/* The regions that a plan file claims, if it does; see
	 * mp_plan_regions(). */
	struct extent shared, kept;
	bool claimed;
};

/* A bundle: several graphs in one arena. It is a graph itself: the ops and
 * tensors of its members, one member after the other. This struct says where
 * each member begins and ends. All zero: a single graph. */
struct bundle {
	const struct bundle_member *members;
	uint32_t n;	 /* members; 0: not a bundle */
	bool concurrent; /* members run at the same time, else in turn */
};

/* One of several graphs that a plan serves with one table: the same ops, on
 * tensors that are no larger. */
struct bucket {
	const char *name;
	uint64_t alone; /* the arena that was found for it alone */
	uint64_t least; /* of a check: no plan of it alone takes less, in that
			   order; 0: unknown */
	bool proved;	/* of a check: it takes that alone, and no less */
};

/* Policies for the inputs and outputs of a network that have no lifetime in the
 * document: in the arena, in the caller's memory, or in the arena and never
 * shared with other tensors. */
enum policy {
	POLICY_INSIDE,	   /* inputs from the start, outputs to the end */
	POLICY_EXTERNAL,   /* the caller's memory: zero copy */
	POLICY_THROUGHOUT, /* in the arena, alive throughout */
	N_POLICIES,
};

struct graph {
	const char *name;   /* never NULL */
	const char *place;  /* file name for messages */
	uint64_t alignment; /* of sizes and offsets: a power of two, never 0 */
	uint64_t batch; /* items that a run takes; 0: the input does not say */
	struct margins margins; /* padding of sizes, alignment of the base */
	uint32_t n_ops, n_tensors;
	uint32_t n_streams; /* one more than the greatest stream, or 1 if all
			       ops run on the same; mp_graph_link() */
	struct op *ops;	    /* in the order that the input lists them */
	struct tensor *tensors; /* temporaries after all named ones */
	struct ids *readers;	/* of a tensor: ops, each once, ascending; NULL:
				   there are no ops. By mp_graph_link() */
	uint32_t n_steps; /* without ops: number of steps that lifetimes span */
	const int64_t *times;	/* without ops: the n_steps + 1 times of the
				   input, ascending; NULL: step k is time k */
	const char *csv_header; /* CSV: the header as read, without the columns
				   offset and pool; or NULL */
	const char **csv_rows;	/* CSV: of a tensor, its row as read, likewise;
				   NULL: it is "id,lower,upper,size" as they
				   are printed. NULL: so are all */
	const uint64_t *solution; /* of the first tensor of a buffer: the
				     offset that another solver found; NULL:
				     none */
	struct ties ties;
	struct graph_loop *loops;
	uint32_t n_loops;
	const uint32_t *loop_of; /* of an op: the innermost loop that has it;
				    NONE; by mp_graph_link(); NULL: no loops */
	const struct write_wait *waits; /* by mp_graph_link() */
	uint32_t n_waits;
	struct bundle bundle;
	const struct bucket *buckets; /* graphs that a plan of it serves */
	uint32_t n_buckets;	      /* 0: only itself */
	uint8_t inputs, outputs;      /* enum policy */
	const char *note;    /* sentence on what the input cannot say; NULL:
				none */
	const char *wanting; /* sentence on what the input leaves open, which
				is 1 meanwhile: to be looked at, not to be
				planned; NULL: nothing */
	bool is_document;    /* read from graph JSON or a plan: things stand in
				its lists by their index */
	uint32_t n_listed;   /* of a document: tensors in its list; the others
				are temporaries of ops */
	bool was_plan;	     /* lifetimes are those of a plan file, its
				offsets were dropped */
	struct claims claims;
	struct constraints constraints;
	const struct memory_pool *pools; /* several memories, else NULL */
	uint32_t n_pools;
	const struct pool_list *pool_lists; /* list 0 has all pools */
	const struct tflite_file *tflite;   /* the model that the graph was read
					       from; or NULL */
	const struct dsa_problem *dsa; /* the same of dsa-solver's problem */
};

/* The ops that read a tensor of the graph, which is linked. */
static inline struct ids mp_graph_readers(
	const struct graph *graph, const struct tensor *tensor)
{
	return graph->readers ? graph->readers[tensor - graph->tensors]
			      : (struct ids){NULL, 0};
}

/* Is the tensor alive before the first op? After the last op? */
bool mp_graph_tensor_from_start(const struct tensor *tensor);
bool mp_graph_tensor_to_end(const struct tensor *tensor);

/* True if the input gives the offset of a tensor. */
bool mp_graph_has_offsets(const struct graph *graph);

/* The size with the target's padding, rounded up to the graph's alignment. */
uint64_t mp_graph_tensor_rounded(
	const struct graph *graph, const struct tensor *tensor);

/* The tensor's name, else its id, for messages. Never NULL. */
const char *mp_graph_tensor_label(const struct tensor *tensor);

/* How many tensors are in the caller's memory. */
uint32_t mp_graph_count_external(const struct graph *graph);

/* The tensors that have an id, by it. */
struct names;
bool mp_graph_ids(
	const struct graph *graph, struct names *names, struct arena *arena);

/* What plans call a kind (enum tensor_kind): "activation". */
const char *mp_graph_kind_name(uint32_t kind);

/* The name of an op, or "(unnamed)". */
const char *mp_graph_op_label(const struct graph *graph, uint32_t op);

/* Is the tensor among its inputs or outputs? */
bool mp_graph_op_uses(const struct op *op, uint32_t tensor);

/* ----------------------------------------------------------- errors */

enum graph_thing {
	THING_TENSOR,
	THING_OP,
	THING_GROUP,
};

/* Records a failure about a tensor, an op or a group, with its place in the
 * input. Always returns false. */
bool mp_graph_fail(const struct graph *graph, enum graph_thing thing,
	uint32_t index, struct error *e, enum memplan_status code,
	const char *format, ...) MP_PRINTF(6, 7);

/* Stages that know only the graph's name begin their messages with it. If the
 * message says that the input is bad, puts the place in the input instead: the
 * file's name, and that of the tensor that the error is about. Always returns
 * false. */
bool mp_graph_fail_at(const struct graph *graph, struct error *e);

/* ------------------------------------------------------------ links */

/* Checks the references of a graph that a reader has filled: every index in
 * range, one producer a tensor, sums of sizes that do not overflow, no cycle of
 * ops (the message names a shortest one). Fills readers, before and behind. */
bool mp_graph_link(struct graph *graph, struct arena *arena, struct error *e);

/* Aligns the graph anew. No pool is aligned to less than the graph.
 * MEMPLAN_EINPUT if the size of a pool is no multiple then. */
bool mp_graph_align(struct graph *graph, uint64_t alignment,
	struct arena *arena, struct error *e);

/* True if the next iteration of a loop needs the tensor as it is when the op
 * ends, which is in the loop. */
bool mp_graph_loop_needs(
	const struct graph *graph, uint32_t op, uint32_t tensor);

/* Turns the constraints of a linked graph into after edges and links it again.
 */
bool mp_graph_constrain(
	struct graph *graph, struct arena *arena, struct error *e);

/* Makes in-place pairs of the outputs that took over the bytes of inputs in a
 * plan that was read. False only if memory is out. */
bool mp_graph_find_pairs(struct graph *graph, struct arena *arena);

/* Drops offsets and the claims about them, so that lifetimes of a plan are
 * placed anew. The order stays, and so do the pairs of the plan. False only if
 * memory is out. */
bool mp_graph_forget_offsets(struct graph *graph, struct arena *arena);

/* Sets the offsets and the order of a linked graph to those of a plan, which is
 * the graph that a plan file was read into. MEMPLAN_NO if they do not match: a
 * tensor without an offset, one too many, another size, an order that breaks a
 * dependence. A plan that serves several graphs may have larger tensors than a
 * graph that does not, and tensors that it lacks; it claims nothing of it. */
bool mp_graph_adopt(struct graph *graph, const struct graph *plan,
	struct arena *arena, struct error *e);

/* True if ops is a legal order: a permutation of all ops in which every op
 * comes after all ops that it waits for. */
bool mp_graph_is_order(
	const struct graph *graph, const uint32_t *ops, struct arena *arena);

/* False if an op reads or writes a tensor outside of the lifetime that the
 * input fixes, with its steps in this order of a linked graph. */
bool mp_graph_check_lifetimes(const struct graph *graph, const uint32_t *order,
	struct arena *scratch, struct error *e);

/* --------------------------------------------------------- policies */

const char *mp_graph_policy_name(enum policy policy);

/* The name of a policy, or NULL: it is the default, which needs no mention. */
const char *mp_graph_policy_said(enum policy policy);

/* The policy of that name, or N_POLICIES. */
enum policy mp_graph_policy_find(const char *name);

/* Applies the policies of the graph. An alias of a tensor in the arena and a
 * member of a contiguous group cannot be external: these stay in the arena,
 * with a warning. */
bool mp_graph_apply_policies(
	struct graph *graph, struct arena *arena, struct error *e);

#endif
