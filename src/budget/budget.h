/*
 * What to give up for a while so that a problem fits a budget: tensors that
 * rest between two uses are copied out and back, or made again by their op.
 * Then from a graph and these detours to a graph that has them as ops, and from
 * the plan of such a graph back to them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUDGET_BUDGET_H
#define MP_BUDGET_BUDGET_H

#include <stdatomic.h>

#include "base/watch.h"
#include "problem/schedule.h"

/* How a detour of a tensor is paid for. */
enum detour_mode {
	DETOUR_NONE,  /* no copies: only recomputing, if that is allowed */
	DETOUR_SYNC,  /* compute waits for every copy */
	DETOUR_SEMI,  /* copies run beside the op behind, or before */
	DETOUR_ASYNC, /* copies run beside compute, in one queue */
};

enum {
	DETOUR_OPS = 24, /* that run again for one tensor, at most */
};

/* Their names, as options spell them. */
extern const char *const mp_detour_modes[DETOUR_ASYNC + 1];

/* A tensor that is not in the arena for a while. */
struct detour {
	uint32_t tensor;
	uint32_t last_use, next_use; /* steps */
	uint32_t out_step;	     /* its bytes are free behind this step */
	uint32_t in_step;	     /* and its own again before this one */
	uint32_t out_turn, in_turn;  /* among those of one step, from 1 on; 0:
					in the sequence of the list, and what
					runs again last */
	bool recompute;	     /* its op runs again; else it is copied back */
	bool written;	     /* it is copied out, for the first time */
	const uint32_t *ops; /* those that run again, its own last */
	uint32_t n_ops;
};

struct budget_job {
	const struct schedule *schedule;
	enum detour_mode mode;
	bool recompute; /* ops may run again */
	uint64_t write_rate, read_rate;
	uint64_t target; /* bytes that the load of no step may exceed */
	uint64_t work;	 /* to spend on improving a choice, about 1 ns each */
	uint32_t forward_end; /* first step of the backward pass; 0: none */
	const bool *tied;     /* of a tensor: it may not leave; NULL: none is */
	struct watch watch;   /* told of every choice */
	const atomic_bool *stop; /* set from outside to end the work; or NULL */
	struct arena *arena;

	/* What came out. */
	struct detour *detours; /* by tensor, then by step */
	uint32_t n_detours;
	uint64_t nanoseconds;  /* of the run */
	uint64_t before;       /* of the run without detours */
	uint64_t reached;      /* greatest load that is left */
	uint32_t reached_step; /* first step that has it */
};

/* Fills what came out; reached is at most target if that was found. With copies
 * it is found if there is any choice; the time added is small, but need not be
 * the least. It is at most that of copying every rest that spans forward_end,
 * where that meets the target, and that of any mode before. False: memory is
 * out. */
bool mp_budget_choose(struct budget_job *job);

/* The graph with the detours put in. An op copies a tensor out behind its last
 * use, and another op copies it back, or makes it again, before its next. To
 * the rest of the street these are ops and tensors like any other: it plans,
 * verifies and writes them.
 *
 * The ops are listed in the given order. What comes back is a tensor of its
 * own, NAME@2 and so on, that later ops read. The detours of a tensor are in
 * the order of steps, and no op of that order uses a tensor while it is away.
 * A tensor with a fixed lifetime takes none: it lives from its first step to
 * its last, and gaps begin and end with theirs. Names and lists that do not
 * change are shared.
 *
 * In a graph with several streams copies wait for the op listed before them,
 * and the op listed behind them waits for them. Or they are beside: writes and
 * reads have a stream each. A write waits for the last use of its tensor, and
 * the next op of each stream behind its step waits for it; a read waits for all
 * that is listed before it, and its readers wait for it. */
bool mp_budget_rewrite_detours(const struct graph *graph, const uint32_t *order,
	const struct detour *detours, uint32_t n, bool beside,
	struct graph *result, struct arena *arena, struct error *e);

/* The other way round: an order of the graph and detours, with which the graph
 * rewritten may be that of a plan file. */
struct found_detours {
	const uint32_t *order; /* NULL: there are none */
	const struct detour *detours;
	uint32_t n;
	bool beside; /* copies have streams of their own */
};

/* Both graphs are linked. False: memory is out. */
bool mp_budget_find_detours(const struct graph *graph, const struct graph *plan,
	struct found_detours *found, struct arena *arena);

#endif
