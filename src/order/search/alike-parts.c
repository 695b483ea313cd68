/*
 * Parts of a graph that look alike, as micro-batches do, and their order.
 *
 * An op looks like another one if both are alike and so is all that they wait
 * for. The ops of micro-batches do, up to those that join them: each sum of
 * gradients has another number of sums before it. So ops that look like few
 * others join parts, as do those that read parts that look alike. What is left
 * falls apart into the parts.
 *
 * An op that joins two parts, as a sum of gradients does, belongs to the one
 * that comes later. The chain of sums tells which one that is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/alike-parts.h"

#include <stdlib.h>

#include "base/sort.h"

static const uint64_t before_salt = UINT64_C(0x9e3779b97f4a7c15);

/* ------------------------------------------------------------- look */

static uint64_t look_alone(const struct view *view, uint32_t op)
{
	struct ids outputs = mp_lists_at(&view->outputs, op);
	uint64_t sum = mp_lists_at(&view->behind, op).n;

	for (uint32_t i = 0; i < outputs.n; i++)
		sum += mp_order_state_mix(
			view->size[outputs.at[i]] +
			before_salt *
				mp_lists_at(&view->users, outputs.at[i]).n);
	return mp_order_state_mix(sum);
}

/* Ops in the order of the search, each behind all that it waits for. */
static void find_looks(struct parts *p)
{
	const struct search *s = p->s;

	for (uint32_t i = 0; i < s->view->n_ops; i++) {
		uint32_t op = s->order[i];
		struct ids before = mp_lists_at(&s->view->before, op);
		uint64_t sum = look_alone(s->view, op);

		for (uint32_t k = 0; k < before.n; k++)
			sum += mp_order_state_mix(
				p->look[before.at[k]] ^ before_salt);
		p->look[op] = mp_order_state_mix(sum);
	}
}

/* Marks ops that look like too few others. False: memory is out. */
static bool mark_rare(struct parts *p, bool *rare)
{
	uint32_t n = p->s->view->n_ops, to;
	uint32_t *ops = NEW(p->s->arena, uint32_t, n);
	uint32_t *spare = NEW(p->s->arena, uint32_t, n);

	if (!ops || !spare)
		return false;
	for (uint32_t op = 0; op < n; op++)
		ops[op] = op;
	mp_sort_radix(ops, spare, n, p->look);
	for (uint32_t i = 0; i < n; i = to) {
		for (to = i + 1; to < n && p->look[ops[to]] == p->look[ops[i]];)
			to++;
		for (uint32_t k = i; k < to; k++)
			rare[ops[k]] = to - i < FEWEST_PARTS;
	}
	return true;
}

/* ------------------------------------------------------------ parts */

/* The op that stands for the part. */
static uint32_t find_root(uint32_t *of, uint32_t op)
{
	while (of[op] != op)
		op = of[op] = of[of[op]];
	return op;
}

/* Does the op read two parts of which neither knows the other, but that look
 * alike? */
static bool joins_alike(struct parts *p, const uint64_t *least, struct ids ops)
{
	enum {
		MOST = 16 /* ops with more that they wait for are rare */
	};

	for (uint32_t i = 0; i < ops.n && i < MOST; i++)
		for (uint32_t k = 0; k < i; k++)
			if (p->of[ops.at[i]] != NONE &&
				p->of[ops.at[k]] != NONE &&
				least[ops.at[i]] == least[ops.at[k]] &&
				find_root(p->of, ops.at[i]) !=
					find_root(p->of, ops.at[k]))
				return true;
	return ops.n > MOST;
}

/* Puts the op into the part of what it waits for. */
static void join_part(struct parts *p, uint64_t *least, uint32_t op)
{
	struct ids before = mp_lists_at(&p->s->view->before, op);

	p->of[op] = op;
	least[op] = p->look[op];
	for (uint32_t i = 0; i < before.n; i++) {
		if (p->of[before.at[i]] == NONE)
			continue;
		least[op] = num_min(least[op], least[before.at[i]]);
		p->of[find_root(p->of, before.at[i])] = op;
	}
}

static bool find_parts(struct parts *p)
{
	const struct search *s = p->s;
	uint32_t n = s->view->n_ops;
	uint64_t *least = NEW(s->arena, uint64_t, n);
	bool *rare = NEW(s->arena, bool, n);

	if (!least || !rare || !mark_rare(p, rare))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t op = s->order[i];

		p->of[op] = NONE;
		if (!rare[op] && !joins_alike(p, least,
					 mp_lists_at(&s->view->before, op)))
			join_part(p, least, op);
	}
	for (uint32_t op = 0; op < n; op++)
		if (p->of[op] != NONE)
			p->of[op] = find_root(p->of, op);
	return true;
}

/* ------------------------------------------------------------ joins */

/* The parts that the op waits for, at most two: gives how many; more: 3. */
static uint32_t joined_parts(const struct parts *p, uint32_t op, uint32_t two[])
{
	struct ids before = mp_lists_at(&p->s->view->before, op);
	uint32_t n = 0;

	for (uint32_t i = 0; i < before.n; i++) {
		uint32_t part = p->of[before.at[i]];

		if (part == NONE || mp_lists_has((struct ids){two, n}, part))
			continue;
		if (n == 2)
			return n + 1;
		two[n++] = part;
	}
	return n;
}

/* The depth of ops that join among themselves, and of parts the least of what
 * joins them. */
static void find_depths(struct parts *p, uint32_t *depth)
{
	const struct search *s = p->s;

	for (uint32_t i = 0; i < s->view->n_ops; i++) {
		uint32_t op = s->order[i], two[2], n;
		struct ids before = mp_lists_at(&s->view->before, op);

		if (p->of[op] != NONE)
			continue;
		for (uint32_t k = 0; k < before.n; k++)
			if (p->of[before.at[k]] == NONE)
				depth[op] = (uint32_t)num_max(
					depth[op], depth[before.at[k]] + 1);
		n = joined_parts(p, op, two);
		for (uint32_t k = 0; k < n && n <= 2; k++)
			p->rank[two[k]] =
				(uint32_t)num_min(p->rank[two[k]], depth[op]);
	}
}

/* What it is, and what of its part it waits for. */
static uint64_t look_of_join(
	const struct parts *p, const uint32_t *owner, uint32_t op)
{
	struct ids before = mp_lists_at(&p->s->view->before, op);
	uint64_t sum = look_alone(p->s->view, op);

	for (uint32_t i = 0; i < before.n; i++)
		if (owner[before.at[i]] == NONE &&
			p->of[before.at[i]] == owner[op])
			sum += mp_order_state_mix(
				p->look[before.at[i]] ^ before_salt);
	return mp_order_state_mix(sum);
}

static bool is_before(const struct parts *p, uint32_t a, uint32_t b)
{
	return p->rank[a] != p->rank[b] ? p->rank[a] < p->rank[b] : a < b;
}

/* Ops that join one or two parts go to the later one. */
static bool give_joins(struct parts *p)
{
	const struct search *s = p->s;
	uint32_t n_ops = s->view->n_ops, two[2], n;
	uint32_t *depth = NEW(s->arena, uint32_t, n_ops);
	uint32_t *owner = NEW(s->arena, uint32_t, n_ops);

	if (!depth || !owner)
		return false;
	for (uint32_t op = 0; op < n_ops; op++)
		p->rank[op] = n_ops;
	find_depths(p, depth);
	for (uint32_t op = 0; op < n_ops; op++) {
		owner[op] = NONE;
		n = p->of[op] == NONE ? joined_parts(p, op, two) : 0;
		if (n == 1 || n == 2)
			owner[op] = n == 2 && is_before(p, two[0], two[1])
					    ? two[1]
					    : two[0];
	}
	for (uint32_t op = 0; op < n_ops; op++)
		if (p->of[op] != NONE)
			p->sum[p->of[op]] += mp_order_state_mix(p->look[op]);
	for (uint32_t op = 0; op < n_ops; op++)
		if (owner[op] != NONE)
			p->look[op] = look_of_join(p, owner, op);
	for (uint32_t op = 0; op < n_ops; op++)
		if (owner[op] != NONE)
			p->of[op] = owner[op];
	return true;
}

/* ------------------------------------------------------------ kinds */

static int by_kind(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return mp_sort_compare_three(
		x->sum, y->sum, x->rank, y->rank, x->name, y->name);
}

static void list_parts(struct parts *p)
{
	for (uint32_t op = 0; op < p->s->view->n_ops; op++)
		if (mp_order_parts_ops(p, op).n > 0)
			p->all[p->n++] = (struct part){
				op, p->rank[op], NONE, p->sum[op]};
}

/* Parts that are alike get the one in the middle of them as their kind. */
static void find_kinds(struct parts *p)
{
	enum {
		MUCH = 4 /* times as many ops as the others have: it is none of
			    them */
	};
	uint32_t to;

	qsort(p->all, p->n, sizeof(*p->all), by_kind);
	for (uint32_t i = 0; i < p->n; i = to) {
		uint32_t kind, n = 0;

		for (to = i; to < p->n && p->all[to].sum == p->all[i].sum; to++)
			n += mp_order_parts_ops(p, p->all[to].name).n;
		kind = p->all[i + (to - i) / 2].name;
		if (to - i < FEWEST_PARTS ||
			(uint64_t)mp_order_parts_ops(p, kind).n * (to - i) >
				(uint64_t)MUCH * n)
			continue;
		p->n_alike += n;
		p->n_kinds++;
		for (uint32_t k = i; k < to; k++)
			p->all[k].kind = kind;
	}
}

bool mp_order_parts_find(struct parts *p, struct search *s)
{
	uint32_t n = s->view->n_ops;

	*p = (struct parts){.s = s};
	p->look = NEW(s->arena, uint64_t, n);
	p->of = NEW(s->arena, uint32_t, n);
	p->rank = NEW(s->arena, uint32_t, n);
	p->sum = NEW(s->arena, uint64_t, n);
	p->all = NEW(s->arena, struct part, n);
	if (!p->look || !p->of || !p->rank || !p->sum || !p->all)
		return false;
	find_looks(p);
	if (!find_parts(p) || !give_joins(p) ||
		!mp_lists_group(&p->ops, n, p->of, sizeof(*p->of), n, s->arena))
		return false;
	list_parts(p);
	find_kinds(p);
	return true;
}
