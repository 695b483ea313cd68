/*
 * A graph: what an input says, and nothing that follows from it. Readers fill
 * one, rewrites turn one into another, orders permute its ops, the lifetime
 * stage turns it into a struct problem. Ids are indices into its arrays. The
 * all-zero value of every struct here is its harmless default.
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
#include "graph/members.h"
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
	const char *id;	  /* as the input spells it; NULL: has only a name */
	const char *name; /* NULL: has only an id */
	const char *row;  /* CSV: the row as read, less its offset; or NULL */
	uint64_t size;	  /* bytes, as the input says, not yet rounded */
	uint64_t offset; /* where placed says so: bytes from the arena's base */
	uint32_t start,
		end; /* where pinned says so: alive in steps [start, end) */
	uint32_t producer;  /* op; NONE: made before the first op */
	uint32_t align;	    /* power of two up to 2^30; 0: the graph's alignment
			       serves */
	struct ids readers; /* ops, each once, ascending; by mp_graph_link() */
	uint16_t pools;	    /* which may hold it: index into the graph's
			       pool_lists */
	uint8_t kind;	    /* enum tensor_kind */
	bool id_is_number;  /* id came as a JSON integer */
	bool external;	 /* the caller's memory: orders ops, takes no bytes */
	bool pinned;	 /* the input fixes the lifetime */
	bool placed;	 /* the input fixes the offset */
	bool to_end : 1; /* never released: alive from birth to the end */
	bool from_start : 1; /* alive from before the first op on */
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
	struct ids release; /* tensors that the input frees behind this op, in
			       that order; empty: it does not say */
	const struct inplace_pair *inplace;
	uint32_t n_inplace;
	uint32_t n_unequal; /* pairs behind those, which an option leaves apart
			       as their sizes differ */
	uint32_t stream;    /* 0 unless the input says otherwise */
	uint32_t previous;  /* op before it in its stream, where there are
			       several; NONE: none; mp_graph_link() */
	uint64_t cost_us;   /* measured time in microseconds; 0: unknown */
	struct ids before; /* ops that this one waits for, each once, ascending:
			      producers of inputs and after; mp_graph_link() */
	struct ids behind; /* ops that wait for this one, likewise */
};

/* No order of the ops has a peak below this many bytes. Why, is the kind: "cut"
 * or "set" speak of ops one of which runs last or first of them, which
 * order/search/certificate.h can check; "search" says that orders were ruled
 * out one by one. */
struct order_bound {
	uint64_t bytes;	  /* 0: nothing is claimed */
	const char *kind; /* or NULL */
	struct ids ops;
	bool first;   /* the first of them, not the last */
	bool inplace; /* although in-place pairs share bytes */
};

/* What a plan file claims of itself; NULL members: nothing. Claims are carried
 * so that reading a plan and writing it again gives the same bytes; the
 * verifier trusts none of them. */
struct claims {
	const char *planner; /* name of the row that made the plan */
	const char *order;   /* name of the order */
	struct ids ops;	     /* op indices in execution order */
	uint64_t arena_size, theoretical_min, lower_bound;
	bool present, optimal;
	const char *bound_kind;
	struct order_bound order_bound;
	const struct pool_claim *pools; /* one a pool; or NULL */
};

/* What an order must respect besides who waits for whom. Places are those of
 * the input's list of ops. */
struct constraints {
	const struct ids *keep; /* each: ops that run in this sequence */
	uint32_t n_keep;
	struct ids first;    /* ops that run before all others, in sequence */
	struct ids last;     /* ops that run behind all others, in sequence */
	struct ids barriers; /* ops that nothing passes: what is listed before
				one runs before it, and behind, behind */
	uint32_t max_displacement; /* no op moves farther; 0: as far as it may.
				      Needs a legal list */
};

struct graph {
	const char *name;   /* never NULL */
	const char *place;  /* file name for messages */
	uint64_t alignment; /* of sizes and offsets: a power of two, never 0 */
	struct margins margins; /* added to sizes; of the arena's base */
	uint32_t n_ops, n_tensors;
	uint32_t n_streams; /* one more than the greatest, or 1 where all ops
			       share one; mp_graph_link() */
	struct op *ops;	    /* in the order that the input lists them */
	struct tensor *tensors; /* temporaries behind all named ones */
	uint32_t n_steps; /* without ops: number of steps that lifetimes span */
	const int64_t *times; /* without ops: n_steps + 1 times as the input
				 has them, ascending; NULL: step k is time k */
	const char
		*csv_header; /* CSV: the header as read, less offset; or NULL */
	const uint64_t *solution; /* offsets that another solver found, of the
				     buffer whose first tensor this is; NULL:
				     none */
	struct ties ties;
	const struct write_wait *waits; /* by mp_graph_link() */
	uint32_t n_waits;
	struct bundle bundle;
	uint8_t inputs, outputs; /* enum policy of src/graph/io-policy.h */
	bool was_plan;		 /* lifetimes are a plan's, to be placed anew */
	struct claims claims;
	struct constraints constraints;
	const struct memory_pool *pools; /* several memories, else NULL */
	uint32_t n_pools;
	const struct pool_list *pool_lists; /* list 0 has all pools */
};

/* Alive from before the first op on; behind the last op still. */
bool mp_graph_tensor_from_start(const struct tensor *tensor);
bool mp_graph_tensor_to_end(const struct tensor *tensor);

/* The size with the target's padding, rounded up to the graph's alignment. */
uint64_t mp_graph_tensor_rounded(
	const struct graph *graph, const struct tensor *tensor);

/* The tensor as a person knows it: its name, else its id. Never NULL. */
const char *mp_graph_tensor_label(const struct tensor *tensor);

/* What plans call a kind (enum tensor_kind): "activation". */
const char *mp_graph_kind_name(uint32_t kind);

/* The name of an op, or "(unnamed)". */
const char *mp_graph_op_label(const struct graph *graph, uint32_t op);

/* Checks the references of a graph that a reader has filled (every index in
 * range, one producer a tensor, sums that do not overflow, no cycle: a shortest
 * one is named) and fills readers, before and behind. */
bool mp_graph_link(struct graph *graph, struct arena *arena, struct error *e);

/* Turns the constraints of a linked graph into after edges and links it again.
 */
bool mp_graph_constrain(
	struct graph *graph, struct arena *arena, struct error *e);

/* Nothing is placed any more, and nothing claimed of where it was. An order
 * stays, and outputs may go on taking over the bytes that they took over. */
bool mp_graph_forget_offsets(struct graph *graph, struct arena *arena);

/* True if ops is a permutation of all ops in which every op comes behind all
 * that it waits for. */
bool mp_graph_is_order(
	const struct graph *graph, const uint32_t *ops, struct arena *arena);

#endif
