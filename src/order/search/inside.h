/*
 * The search for an order of least peak, and what its passes use: minimum cuts,
 * the networks that solve them, segments of profiles, and the state of the
 * exact search.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_INSIDE_H
#define MP_ORDER_SEARCH_INSIDE_H

#include "base/max-flow.h"
#include "order/order.h"
#include "order/view.h"

/* ------------------------------------------------------------- cuts */

/*
 * Minimum cuts: the set of ops that have run with the fewest bytes alive. The
 * bytes alive between two steps depend only on that set, and are a submodular
 * function of it: a tensor counts if its producer is in the set and not all of
 * its users are. So the minimum over all sets that contain some ops and exclude
 * others is a minimum cut (Picard 1976), and a flow of the same value proves
 * it.
 *
 * A set is closed: with an op it contains its predecessors. Forcing an op in
 * forces its predecessors in; forcing an op out forces its successors out.
 */

enum cut_side {
	CUT_FREE,
	CUT_IN,
	CUT_OUT,
};

struct cut {
	const struct view *view;
	uint8_t *side;	     /* of an op: enum cut_side, as forced */
	bool *in;	     /* of an op: it is in the smallest of the cheapest
				sets */
	uint64_t value;	     /* bytes of that set, or the limit or more */
	uint64_t most_steps; /* of a flow, which then gives up: no set costs
				less than value, but `in` may cost more */
	bool gave_up;
	uint64_t work;	 /* work so far, in steps of a job */
	uint32_t *nodes; /* scratch: of an op and of a tensor, its node */
	uint32_t *stack; /* scratch */
	struct network *net;
};

/* The cut stays where it is. tied: its networks record ties. */
bool mp_order_cut_init(struct cut *cut, const struct view *view, bool tied,
	struct arena *arena);

/* No op is forced. */
void mp_order_cut_reset(struct cut *cut);

/* False if the op is forced to the other side already. */
bool mp_order_cut_force_in(struct cut *cut, uint32_t op);
bool mp_order_cut_force_out(struct cut *cut, uint32_t op);

/* Forces nothing but the sides that ops are on when some of these have run, as
 * bits say, and the others have not, of which `next` runs now; NONE: none does.
 * Of more than 32 ops all have run, or none. False: that cannot be. */
bool mp_order_cut_moment(
	struct cut *cut, struct ids ops, uint32_t ran, uint32_t next);

/* Likewise, when an op runs: its predecessors are in, and it is out. */
void mp_order_cut_op(struct cut *cut, uint32_t op);

/* Finds value and in. If the value is limit or more, it need not be the minimum
 * and `in` is not filled. Every op in the set that was not forced costs `price`
 * bytes more, which value includes. */
void mp_order_cut_solve(struct cut *cut, uint64_t price, uint64_t limit);

/* ---------------------------------------------------------- network */

/*
 * The flow network of a cut: a node for every op that is not forced, and for
 * every tensor with several such users. Tensors of ops forced in become
 * supplies, those used by ops forced out become demands; a tensor between the
 * two is alive in any case. All networks of a cut take the same memory, one
 * after the other.
 */

/* Which part of the network a tensor became. */
enum tie_kind {
	TIE_FIXED,  /* alive in any case */
	TIE_SUPPLY, /* part of the supply of a node */
	TIE_DEMAND, /* part of the demand of a node */
	TIE_EDGE,   /* part of an edge, forward */
	TIE_WAIT,   /* an edge, backward: tensor and user are ops */
};

struct network_tie {
	enum tie_kind kind;
	uint32_t at;	 /* node or edge */
	uint32_t tensor; /* TIE_WAIT: the op that waits */
	uint32_t user;	 /* op; NONE: the tensor is kept to the end;
			    TIE_WAIT: the op that is waited for */
};

struct network {
	const struct cut *cut;
	struct flow flow;
	struct flow_edge *edges;
	struct flow_capacity *capacities;
	uint32_t n_edges, n_nodes;
	uint64_t *supply, *demand; /* of a node, as the network begins */
	uint64_t fixed;		   /* bytes alive in any case */
	uint32_t *edge_of; /* of an op: the edge to it from the op that is being
			      added */
	bool *reached;	   /* scratch: of a node */
	struct network_tie *ties; /* NULL: not recorded */
	uint32_t n_ties;
};

/* Makes the network of a cut with its forced ops; every free op in the set
 * costs price bytes. */
void mp_order_cut_build(struct cut *cut, uint64_t price);

/* ------------------------------------------------------------ kinds */

/*
 * Kinds of ops: ops are of one kind if they and what is around them look alike,
 * as the same op of several micro-batches, towers or experts does. A set of one
 * kind often bounds the peak best. Of these kinds, the one comes first of which
 * an op surely has the most bytes alive before it: tensors of ops that it waits
 * for, of which a user waits for it.
 */

struct kind {
	uint32_t name;
	uint32_t op;   /* its last one in the order when kinds were found */
	uint64_t sure; /* bytes surely alive while that op runs */
};

struct kinds {
	uint32_t *of; /* of an op: the name of its kind, below n_ops; NULL: not
			 found yet */
	struct kind *at; /* those of several ops that are
			    worth a try, the greatest sure first */
	uint32_t n, next;
	bool bounded; /* by one flow each */
};

struct search;

/* Finds the kinds of the search, if that is not done. False: memory is out. */
bool mp_order_kinds_find(struct search *s);

/* Steps of the best order with ops of a kind. */
struct kind_steps {
	uint32_t first, last;
	uint32_t dearest; /* the first of those that cost most */
	uint32_t n;
};

/* Those of the next kind. False: there is none left. */
bool mp_order_kinds_next(struct search *s, struct kind_steps *at);

/* ------------------------------------------------------------ alike */

/* Nodes of a graph, its ops and then its tensors, in classes: each is a range
 * of a list of all. */
struct classes {
	uint32_t *node, *at;	  /* the list; and of a node, its place */
	uint32_t *of;		  /* of a node: its class */
	uint32_t *first, *length; /* of a class */
	uint32_t n;
};

/*
 * Classes of ops that are alike, as those of several equal micro-batches are,
 * and of tensors: any two of a class have as many neighbours in each class.
 * Where ops of a class are forced to no side, a cut has all of them on one.
 */
struct alike {
	const struct view *view;
	struct classes base, now; /* of the graph; and with ops taken apart */
	uint32_t n_op_classes;	  /* of the graph */
	uint64_t looks;		  /* at nodes and neighbours, not charged yet */
	uint32_t *queue, n_queue; /* classes that others are to be parted by */
	bool *queued;		  /* of a class */

	/* Scratch. */
	uint32_t *count; /* of a node: its neighbours in a class */
	uint32_t *touched, n_touched;
	uint32_t *spare, *members;
	uint64_t *key;
};

/* Finds the classes. False: memory is out. */
bool mp_order_alike_init(
	struct alike *a, const struct view *view, struct arena *arena);

/* The work since the last call, in steps of a job. */
uint64_t mp_order_alike_work(struct alike *a);

/* No op is taken apart. */
void mp_order_alike_reset(struct alike *a);

/* Is the op the only one of its class? */
bool mp_order_alike_is_alone(const struct classes *classes, uint32_t op);

/* Takes an op out of its class, and apart what that tells apart. */
void mp_order_alike_apart(struct alike *a, uint32_t op);

/* A graph with an op for each class, of which cuts are as those of the graph
 * where only ops that are alone are forced. */
struct merged {
	struct view view; /* as much of it as cuts use */
	uint32_t *of;	  /* of an op of the graph, that of its class */
};

/* False: memory is out. */
bool mp_order_alike_merge(
	struct alike *a, struct merged *m, struct arena *arena);

/* --------------------------------------------------------- some ops */

/* What a view of some ops has of a graph. */
struct view_of {
	struct ids ops;	      /* ascending */
	const uint32_t *root; /* of a tensor: the one that stands for it; NONE:
				 none does */
	const bool *to_end;   /* of a tensor that stands for itself */
};

/* Makes the view of some ops. False: memory is out. */
bool mp_order_view_some(struct view *to, const struct view *view,
	const struct view_of *of, struct arena *arena);

/* ----------------------------------------------------------- search */

/*
 * The search for an order of least peak. Its passes share the best order so far
 * and the best lower bound on the peak of every order; each pass improves one
 * of them. A pass stops when the two meet or when the budget of steps is spent.
 */

struct search {
	const struct view *view;
	uint32_t *order; /* the best so far */
	uint32_t *place; /* of an op in it */
	uint64_t *costs; /* of its steps */
	uint64_t peak;	 /* the greatest of them */
	bool refined;	 /* cut refinement cannot improve it */
	uint32_t *late;	 /* an order to be offered behind the shifts; or NULL */
	uint64_t *seen;	 /* of an op: its least cost in any order measured, or
			    the bytes of its cut */
	uint64_t enough; /* stop at an order of at most this peak */
	uint64_t budget; /* of work, and what is left of it */
	uint64_t steps;
	uint64_t all_steps; /* what the user allowed for a graph of few ops */
	uint64_t set_words; /* of 8 bytes: all sets that few keeps for a target
			     */
	const atomic_bool *stop;
	struct watch watch;
	struct order_bound bound;
	uint32_t *members; /* ops of the bound */
	struct kinds kinds;
	struct alike *alike; /* NULL: not found yet */
	struct cut cut;
	struct live live;
	uint32_t *trial;       /* scratch: an order to be offered */
	uint64_t *trial_costs; /* scratch: of its steps */
	struct arena *arena;
};

/* Starts from an order. */
bool mp_order_search_init(struct search *s, const struct view *view,
	const uint32_t *order, uint64_t steps, struct arena *arena);

/* The same within another search, in its arena, which stops it too. */
bool mp_order_search_init_within(struct search *inner, const struct search *s,
	const struct view *view, const uint32_t *order, uint64_t steps);

enum {
	OPS_A_STEP = 4 /* ops of a profile measured in one step of a job, about
			  100 ns */
};

/* Counts work. False: the budget is spent. */
bool mp_order_search_step(struct search *s, uint64_t work);

/* True if the budget is spent, or the peak is optimal or low enough. */
bool mp_order_search_done(const struct search *s);

/* The cost of every step of s->trial, in s->trial_costs; gives the peak. */
uint64_t mp_order_search_measure(struct search *s);

/* Makes s->trial, which was measured, the best order. */
void mp_order_search_accept(struct search *s, uint64_t peak);

/* Measures s->trial and accepts it if its peak is lower, or if it is equal and
 * fewer steps have it. False: it was not accepted. */
bool mp_order_search_take(struct search *s);

/* Measures s->late, if there is one, and accepts it if its peak is lower. */
void mp_order_search_offer_late(struct search *s);

/* Raises the bound to so many bytes, if that is higher: by cuts, as one of the
 * ops runs last (or first) of them; without ops, by a search of all orders. */
void mp_order_search_prove(
	struct search *s, uint64_t bytes, struct ids ops, bool first);

/* The same, as each order of the ops has a step that costs so much. */
void mp_order_search_prove_few(
	struct search *s, uint64_t bytes, struct ids ops);

/* Takes a bound, if it is higher than the one that there is. */
void mp_order_search_raise(struct search *s, struct order_bound bound);

/* Solves s->cut, with no more steps than are left, and counts the work. */
void mp_order_search_solve(struct search *s, uint64_t price, uint64_t limit);

/* A lower bound on what an op adds to the bytes alive before it: its outputs
 * less what in-place pairs can save. Of several pairs with the same output only
 * one can save, but the credit counts all. */
static inline uint64_t mp_order_search_need(const struct search *s, uint32_t op)
{
	return s->view->out[op] -
	       num_min(s->view->out[op], s->view->credit[op]);
}

/* The passes. False: memory is out. */

/* search-bound.c: minimum cuts before single ops, the most expensive ops first,
 * one of each kind, until `patience` in a row have improved nothing. */
bool mp_order_search_bound_cut(struct search *s, uint32_t patience);

/* search-bound.c: minimum cuts for sets of ops, one of which runs last or
 * first; sets of one kind for so many kinds, and sets that grow from so
 * many steps. */
bool mp_order_search_bound_set(
	struct search *s, uint32_t kinds, uint32_t seeds);

/* If the bound is of two to four ops, one of which runs last: cuts for ops that
 * wait for the last one, one of which runs first of these. */
bool mp_order_search_bound_behind(struct search *s);

/* search-kinds.c: one flow for up to 512 ops of one kind; once, for each of
 * some kinds. */
bool mp_order_search_bound_kinds(struct search *s);

/* search-refine.c: reorders around the peak as minimum cuts say. */
bool mp_order_search_refine(struct search *s);

/* search-shift.c: moves ops around steps that cost too much, by chance; takes
 * two thirds of the steps that are left. */
bool mp_order_search_shift(struct search *s);

/* search-parts.c: runs parts that look alike one after the other, each as one
 * of them that is searched by itself. Takes that order if it is near the bound,
 * or keeps it for later. */
bool mp_order_search_parts(struct search *s);

/* search-fewer.c: a search of fewer parts, of those that look alike, for a
 * bound. */
bool mp_order_search_bound_fewer(struct search *s);

/* search.c: the stages that a graph gets first. */
bool mp_order_search_first(struct search *s);

/* search-hills.c: merges independent parts around the peak optimally. */
bool mp_order_search_hills(struct search *s);

/* search-window.c: exact search around the peak, of so many nodes a try. */
bool mp_order_search_windows(struct search *s, uint64_t nodes);

/* search-few.c: exact search over the order of a few ops, the others cut. */
bool mp_order_search_few(struct search *s);

/* search.c: all passes again without the smallest tensors. */
bool mp_order_search_dust(struct search *s);

/* ----------------------------------------------------- exact search */

/*
 * Exact search in a window, a range of steps of the best order: is there an
 * order of its ops, with the other ops left in place, in which no step of the
 * window costs more than a threshold? Depth-first over the sets of ops that
 * have run, each visited once.
 */

enum exact_outcome {
	EXACT_FOUND,   /* s->trial is such an order */
	EXACT_REFUTED, /* there is none */
	EXACT_GAVE_UP, /* no nodes or steps are left */
	EXACT_FAILED,  /* memory is out */
};

/* Searches steps [from, to) of s->order. After EXACT_REFUTED, *next is the
 * smallest cost that exceeded the threshold: no lower threshold has an order.
 */
enum exact_outcome mp_order_exact_window(struct search *s, uint32_t from,
	uint32_t to, uint64_t threshold, uint64_t nodes, uint64_t *next);

/* --------------------------------------------------------- segments */

/*
 * Segments of a memory profile. A run is a sequence of ops that shares no
 * tensor with other ops. It is cut into segments where it may pause for other
 * ops; within a segment a pause never helps (Abdel-Wahab and Kameda 1978, Liu
 * 1987).
 *
 * A hill is a maximum of the profile, a valley a minimum. A run is cut at its
 * lowest valley. Before it, each segment ends at a new minimum. After it, a
 * segment reaches over the highest hill to the lowest valley that follows, and
 * so on.
 */

/* An op of a run. Bytes are relative to the begin of the run and may be
 * negative. */
struct point {
	uint32_t step; /* of the op: the caller's index */
	int64_t cost;  /* bytes alive while it runs */
	int64_t after; /* bytes alive after it */

	/* Scratch: of a segment that has an end here, its hill; of one that
	 * has its hill here, its other end. */
	uint32_t hill, end;
};

/* Points [from, to), which run without a pause. To merge several runs, falling
 * segments run first, the one with the smallest key first; then rising ones,
 * the one with the greatest key first. This keeps the order of the segments of
 * a run. */
struct segment {
	uint32_t from, to;
	bool up;     /* rising: it ends higher than it began */
	int64_t key; /* height of its hill above its start; if up, above its
			end */
};

/* Cuts n points, at least one. Segments number them from `first` on. Returns
 * the number of segments, at most n, not in the order of the run. */
uint32_t mp_order_segments_cut(struct point *points, uint32_t n, uint32_t first,
	struct segment *segments);

/* ------------------------------------------------------------ state */

/*
 * The state of the exact search: which ops of a window have run, updated op by
 * op forward and backward.
 *
 * Lazy: an op without predecessors and inputs. It does not run by itself, but
 * right before the first op that waits for it. Glued: ops of a chain that lead
 * only to each other and share no tensor with other ops are contracted into one
 * move where segments say that they may run without a pause.
 */

/* The ops glued behind an op. Bytes relative to those alive after that op. */
struct rest {
	int64_t cost;  /* the greatest cost of one of them; very low if none */
	int64_t after; /* bytes alive after the last of them */
};

struct state {
	const struct view *view;

	/* Of an op. */
	bool *inside; /* it is in the window and has not run */
	bool *lazy;
	uint32_t *waits; /* predecessors that have not run, without lazy ones */
	uint64_t *extra; /* bytes of lazy predecessors that have not run */
	uint64_t *freed; /* bytes that die at it, if it runs next */
	uint64_t *key;	 /* its part of the hash */
	uint32_t *bit;	 /* its place in ran */
	uint32_t *slot;	 /* its place in ready, or NONE */
	uint32_t *glued; /* the op that runs right after it, or NONE */
	struct rest *rest; /* of the ops glued behind it */

	uint32_t *left;	 /* of a tensor: users that have not run */
	uint32_t *ready; /* ops that may run next, without lazy ones; those
			    made ready last are at the end */
	uint32_t n_ready;
	uint32_t *path; /* the window's ops that have run */
	uint32_t length;
	uint64_t now;  /* bytes alive, without pinned tensors */
	uint64_t *ran; /* the window's ops that have run, as bits */
	uint32_t n_words;
	uint64_t hash; /* of that set */
	uint64_t work; /* list entries visited */
};

/* The state in which the steps before the window [from, to) have run. */
bool mp_order_state_init(struct state *state, const struct view *view,
	const uint32_t *order, uint32_t from, uint32_t to, struct arena *arena);

/* Runs the lazy ops that a ready op still waits for, the op, and those glued to
 * it. */
void mp_order_state_run(struct state *state, uint32_t op);

/* Undoes ops until the path has this length. */
void mp_order_state_retreat(struct state *state, uint32_t length);

/* A lower bound on the cost of a ready op and those glued to it; exact without
 * in-place pairs. */
uint64_t mp_order_state_cost(const struct state *state, uint32_t op);

/* Bytes alive after them. */
uint64_t mp_order_state_after(const struct state *state, uint32_t op);

/* A bijective hash of 64 bits: the mixing step of splitmix64. */
uint64_t mp_order_state_mix(uint64_t number);

/* ------------------------------------------------------------ moves */

/* Ops of which the last one frees a tensor. */
struct move {
	uint64_t cost;	  /* the greatest of a step, if they run next */
	uint64_t after;	  /* bytes alive after them */
	uint32_t from, n; /* the ops, in a list of all moves */
};

/* The moves of the exact search. The caller takes off those that it does not
 * need any more. */
struct moves {
	struct state *state;
	const uint32_t *order, *place; /* the best order, and of an op in it */
	uint32_t to;		       /* the end of the window in it */
	bool lost;	   /* some were left out that have to be tried */
	struct move *at;   /* n of them */
	uint32_t *ops;	   /* theirs */
	uint32_t n, n_ops; /* how many */
	uint32_t room, ops_room;

	/* Scratch; marks are numbers of rounds. */
	uint32_t first;	  /* move of this round */
	uint64_t round;	  /* one for a state */
	uint64_t taking;  /* one for a group */
	uint64_t *looked; /* of an op */
	uint64_t *grows;  /* of an op that frees nothing, as do those before
			     it */
	uint64_t *tried;  /* of a tensor */
	uint64_t *taken;  /* of an op: the last group that it is in */
	uint32_t *ready;  /* a copy */
	uint32_t *grown;  /* ops that grow */
	uint32_t *group;  /* ops */
	uint32_t n_grown, n_group;
	struct arena *arena;
};

/* For a window of the best order that ends there. False: memory is out. */
bool mp_order_moves_init(struct moves *moves, struct state *state,
	const struct search *s, uint32_t to, struct arena *arena);

/* Adds all moves of the state. False: memory is out. */
bool mp_order_moves_find(struct moves *moves);

#endif
