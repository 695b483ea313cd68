/*
 * Bounds of fewer parts. Of parts that look alike, as micro-batches do, only
 * the first two and the last one stay, and a search proves a bound for these.
 * It holds for all of them: the ops that stay cost no less where there are
 * others too.
 *
 * A sum of gradients that goes hands on the sum before it: its result is that
 * sum then. So take a set of ops that have run. If what stands for several sums
 * is alive between those that stay, one of these sums is alive too, as each is
 * used by what makes the next one. All have the same size.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/sort.h"
#include "order/search/alike-parts.h"

struct fewer {
	struct search *s;
	struct parts parts;
	bool *gone;	/* of an op */
	uint32_t *ops;	/* those that stay */
	uint32_t *root; /* of a tensor: the one that stands for it */
	uint32_t n;
};

static void drop_parts(struct fewer *f)
{
	enum {
		FIRST = 2
	};
	const struct parts *p = &f->parts;
	uint32_t nth = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		struct ids ops = mp_order_parts_ops(p, p->all[i].name);
		bool follows = i > 0 && p->all[i - 1].kind == p->all[i].kind;
		bool is_last =
			i + 1 == p->n || p->all[i + 1].kind != p->all[i].kind;

		nth = follows ? nth + 1 : 0;
		if (p->all[i].kind == NONE || nth < FIRST || is_last)
			continue;
		for (uint32_t k = 0; k < ops.n; k++)
			f->gone[ops.at[k]] = true;
	}
	for (uint32_t op = 0; op < f->s->view->n_ops; op++)
		if (!f->gone[op])
			f->ops[f->n++] = op;
}

/* What an input of the op has that is as large; NONE: none has. */
static uint32_t handed_on(const struct fewer *f, uint32_t op, uint64_t size)
{
	struct ids inputs = mp_lists_at(&f->s->view->inputs, op);

	for (uint32_t i = 0; i < inputs.n; i++)
		if (f->s->view->size[inputs.at[i]] == size &&
			f->root[inputs.at[i]] != NONE)
			return f->root[inputs.at[i]];
	return NONE;
}

static void find_roots(struct fewer *f)
{
	const struct view *view = f->s->view;

	for (uint32_t t = 0; t < view->n_tensors; t++)
		f->root[t] = t;
	for (uint32_t i = 0; i < view->n_ops; i++) {
		uint32_t op = f->s->order[i];
		struct ids outputs = mp_lists_at(&view->outputs, op);

		for (uint32_t k = 0; f->gone[op] && k < outputs.n; k++)
			f->root[outputs.at[k]] =
				handed_on(f, op, view->size[outputs.at[k]]);
	}
}

/* The places of the ops that stay in the order of the search. */
static uint32_t *order_of(const struct fewer *f)
{
	struct search *s = f->s;
	uint32_t *number = NEW(s->arena, uint32_t, s->view->n_ops);
	uint32_t *order = NEW(s->arena, uint32_t, f->n), n = 0;

	if (!number || !order)
		return NULL;
	for (uint32_t i = 0; i < f->n; i++)
		number[f->ops[i]] = i;
	for (uint32_t i = 0; i < s->view->n_ops; i++)
		if (!f->gone[s->order[i]])
			order[n++] = number[s->order[i]];
	return order;
}

/* A search of all orders has no ops that prove it. */
static void take_bound(struct fewer *f, const struct search *inner)
{
	struct order_bound bound = inner->bound;
	uint32_t ops[MOST_BOUND_OPS];

	if (bound.ops.n == 0 || bound.bytes > f->s->peak)
		return;
	for (uint32_t i = 0; i < bound.ops.n; i++)
		ops[i] = f->ops[bound.ops.at[i]];
	bound.ops.at = ops;
	mp_order_search_raise(f->s, bound);
}

static bool search_fewer(struct fewer *f)
{
	enum {
		PART = 8 /* of the budget, on top of what is left */
	};
	struct search *s = f->s, inner;
	uint32_t *order = order_of(f);
	struct view view;
	struct view_of of = {{f->ops, f->n}, f->root, s->view->to_end};

	if (!order || !mp_order_view_some(&view, s->view, &of, s->arena))
		return false;
	/* Pairs may have gone that save bytes. */
	for (uint32_t i = 0; i < f->n; i++)
		view.credit[i] = s->view->credit[f->ops[i]];
	if (!mp_order_search_init_within(
		    &inner, s, &view, order, s->budget / PART) ||
		!mp_order_search_first(&inner))
		return false;
	take_bound(f, &inner);
	return true;
}

static bool run_fewer(struct fewer *f)
{
	struct search *s = f->s;

	f->gone = NEW(s->arena, bool, s->view->n_ops);
	f->ops = NEW(s->arena, uint32_t, s->view->n_ops);
	f->root = NEW(s->arena, uint32_t, s->view->n_tensors);
	if (!f->gone || !f->ops || !f->root ||
		!mp_order_parts_find(&f->parts, s))
		return false;
	drop_parts(f);
	if (f->n > s->view->n_ops / 2)
		return true;
	find_roots(f);
	return search_fewer(f);
}

bool mp_order_search_bound_fewer(struct search *s)
{
	enum {
		SMALL = 32 /* one in so many of the peak is no gap for that */
	};
	struct arena_mark mark = mp_arena_mark(s->arena);
	struct fewer f = {.s = s};
	bool done;

	if (s->peak - num_min(s->peak, s->bound.bytes) <= s->peak / SMALL ||
		s->view->pinned)
		return true;
	done = run_fewer(&f);
	mp_arena_rewind(s->arena, mark);
	return done;
}
