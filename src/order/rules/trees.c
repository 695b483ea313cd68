/*
 * trees: the best order of a tree (Liu, An application of generalized tree
 * pebbling to sparse matrix factorization, 1987), for any graph. The parent of
 * an op is the one of the ops that wait for it which can run earliest. From the
 * leaves on, the orders of subtrees are merged by their segments, see
 * order/search/inside.h, and then their parent runs. Where each op has one that
 * waits for it, and tensors have one user, no order is better. Else tensors of
 * several users die at the one that can run last, and the order is made legal.
 *
 * The segments of a subtree are in a pairing heap (Fredman, Sedgewick, Sleator
 * and Tarjan 1986), the last one first: merged subtrees take one step, and the
 * op behind them joins its last segments.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "order/inside.h"
#include "order/rows.h"

/* Ops that run without a pause; bytes are relative to its begin. */
struct piece {
	int64_t hill, end;
	uint32_t last;	       /* op; the first one is the segment's name */
	uint32_t child, other; /* in the heap; NONE: none */
};

struct trees {
	const struct view *view;
	uint32_t *order; /* legal; in the end the result */
	uint32_t *depth; /* of an op: most ops that run before it, of which each
			    waits for the last one */
	int64_t *freed;	 /* of an op: bytes of inputs that die at it */
	uint32_t *next;	 /* of an op: the next one of its segment, or NONE */
	uint32_t *heap;	 /* of an op: segments of what runs before it */
	uint32_t forest; /* those of all roots */
	struct piece *pieces;
};

/* ------------------------------------------------------------- tree */

static void find_depths(struct trees *t)
{
	for (uint32_t i = 0; i < t->view->n_ops; i++) {
		uint32_t op = t->order[i];
		struct ids before = mp_lists_at(&t->view->before, op);

		for (uint32_t k = 0; k < before.n; k++)
			t->depth[op] = (uint32_t)num_max(t->depth[op],
				(uint64_t)t->depth[before.at[k]] + 1);
	}
}

/* The one that waits for the op and can run earliest; NONE: none waits. */
static uint32_t parent_of(const struct trees *t, uint32_t op)
{
	struct ids list = mp_lists_at(&t->view->behind, op);
	uint32_t parent = NONE;

	for (uint32_t i = 0; i < list.n; i++)
		if (parent == NONE || t->depth[list.at[i]] < t->depth[parent])
			parent = list.at[i];
	return parent;
}

/* Tensors die at the user that can run last. */
static void find_freed(struct trees *t)
{
	const struct view *view = t->view;

	for (uint32_t tensor = 0; tensor < view->n_tensors; tensor++) {
		struct ids users = mp_lists_at(&view->users, tensor);
		uint32_t last = NONE;

		for (uint32_t i = 0; i < users.n; i++)
			if (last == NONE ||
				t->depth[users.at[i]] > t->depth[last])
				last = users.at[i];
		if (last != NONE)
			t->freed[last] += (int64_t)view->size[tensor];
	}
}

/* --------------------------------------------------------- segments */

/* Of segments of different subtrees, which runs first? */
static bool runs_first(const struct trees *t, uint32_t a, uint32_t b)
{
	const struct piece *x = &t->pieces[a], *y = &t->pieces[b];
	bool up = x->end > 0;

	if (up != (y->end > 0))
		return !up;
	if (!up)
		return x->hill < y->hill;
	return x->hill - x->end > y->hill - y->end;
}

static uint32_t meld(struct trees *t, uint32_t a, uint32_t b)
{
	uint32_t top = a, under = b;

	if (a == NONE || b == NONE)
		return a == NONE ? b : a;
	if (runs_first(t, a, b)) {
		top = b;
		under = a;
	}
	t->pieces[under].other = t->pieces[top].child;
	t->pieces[top].child = under;
	return top;
}

/* The heap without its top: two by two, and then all from the back. */
static uint32_t without_top(struct trees *t, uint32_t top)
{
	uint32_t at = t->pieces[top].child, pairs = NONE, heap = NONE;

	while (at != NONE) {
		uint32_t with = t->pieces[at].other;
		uint32_t then = with == NONE ? NONE : t->pieces[with].other;
		uint32_t pair = meld(t, at, with);

		t->pieces[pair].other = pairs;
		pairs = pair;
		at = then;
	}
	while (pairs != NONE) {
		at = t->pieces[pairs].other;
		heap = meld(t, heap, pairs);
		pairs = at;
	}
	return heap;
}

/* The second segment runs behind the first: does a pause between the two never
 * help? It may where they fall to a higher hill, or rise to a lower one. */
static bool are_one(const struct piece *x, const struct piece *y)
{
	if (x->end <= 0)
		return y->end <= 0 && x->end + y->hill <= x->hill;
	return y->end <= 0 || x->end + y->hill >= x->hill;
}

/* The op runs behind its subtrees, and is one segment with the last ones of
 * theirs where no pause helps. */
static uint32_t add_op(struct trees *t, uint32_t op)
{
	const struct view *view = t->view;
	int64_t out = (int64_t)view->out[op];
	int64_t need = out - (int64_t)num_min(view->out[op], view->credit[op]);
	int64_t end = out - (int64_t)view->dead[op] - t->freed[op];
	uint32_t heap = t->heap[op];

	t->pieces[op] = (struct piece){.hill = need,
		.end = end,
		.last = op,
		.child = NONE,
		.other = NONE};
	t->next[op] = NONE;
	while (heap != NONE && are_one(&t->pieces[heap], &t->pieces[op])) {
		struct piece *before = &t->pieces[heap];
		struct piece *own = &t->pieces[op];
		uint32_t rest = without_top(t, heap);

		t->next[before->last] = op;
		before->last = own->last;
		before->hill = before->hill > before->end + own->hill
				       ? before->hill
				       : before->end + own->hill;
		before->end += own->end;
		before->child = NONE;
		op = heap;
		heap = rest;
	}
	return meld(t, heap, op);
}

static void merge_subtrees(struct trees *t)
{
	uint32_t n = t->view->n_ops;

	memset(t->heap, 0xff, sizeof(*t->heap) * n);
	t->forest = NONE;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t op = t->order[i], parent = parent_of(t, op);
		uint32_t heap = add_op(t, op);

		if (parent == NONE)
			t->forest = meld(t, t->forest, heap);
		else
			t->heap[parent] = meld(t, t->heap[parent], heap);
	}
}

/* Ranks ops: segments come out of the heap from the last one to the first. */
static void rank_ops(struct trees *t, uint32_t *rank)
{
	uint32_t at = t->view->n_ops;

	while (t->forest != NONE) {
		uint32_t top = t->forest, n = 0;

		for (uint32_t op = top; op != NONE; op = t->next[op])
			n++;
		at -= n;
		n = 0;
		for (uint32_t op = top; op != NONE; op = t->next[op])
			rank[op] = at + n++;
		t->forest = without_top(t, top);
	}
}

/* -------------------------------------------------------------- row */

bool mp_order_trees(struct order_job *job, int variant)
{
	uint32_t n = job->graph->n_ops;
	uint32_t *order = NEW(job->arena, uint32_t, n);
	struct trees t = {.order = order};
	uint32_t *rank;
	struct arena_mark mark;

	(void)variant;
	t.view = mp_order_view(job);
	mark = mp_arena_mark(job->arena);
	rank = NEW(job->arena, uint32_t, n);
	t.depth = NEW(job->arena, uint32_t, n);
	t.freed = NEW(job->arena, int64_t, n);
	t.next = NEW(job->arena, uint32_t, n);
	t.heap = NEW(job->arena, uint32_t, n);
	t.pieces = NEW(job->arena, struct piece, n);
	if (!order || !t.view || !rank || !t.depth || !t.freed || !t.next ||
		!t.heap || !t.pieces)
		return false;
	for (uint32_t op = 0; op < n; op++)
		rank[op] = op;
	if (!mp_order_first_ready(job->graph, rank, order, job->arena))
		return false;
	find_depths(&t);
	find_freed(&t);
	merge_subtrees(&t);
	rank_ops(&t, rank);
	if (!mp_order_first_ready(job->graph, rank, order, job->arena))
		return false;
	mp_arena_rewind(job->arena, mark);
	job->alternatives[0] = order;
	job->n_alternatives = 1;
	return true;
}
