/*
 * Ops that are alike are one, for cuts.
 *
 * Ops and tensors are parted into classes: any two of a class have as many
 * neighbours of each kind in each class (an equitable partition, or stable
 * colouring; Hopcroft 1971, Cardon and Crochemore 1982). The classes of a graph
 * of many equal micro-batches, towers or experts are those of one of them. A
 * cheapest set of ops that has run is then one of whole classes, if ops that
 * are forced are alone in theirs: in place of what each op is, in the set or
 * not, its class may have the mean of its ops, as the bytes of a cut are a
 * linear program (Grohe and others, Dimension reduction via colour refinement,
 * 2014). So the flow of a class is that of its ops, and its network is as many
 * times smaller as ops are alike.
 *
 * Classes are refined: one after the other parts those with more or fewer
 * neighbours in it. Of the pieces of a class that was done, all but the largest
 * are to be done, so that a link is looked at a logarithmic number of times.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <string.h>

#include "base/sort.h"

/* Nodes are the ops, then the tensors. */
static uint32_t n_nodes(const struct alike *a)
{
	return a->view->n_ops + a->view->n_tensors;
}

static bool make_classes(struct classes *c, uint32_t n, struct arena *arena)
{
	c->node = NEW(arena, uint32_t, n);
	c->at = NEW(arena, uint32_t, n);
	c->of = NEW(arena, uint32_t, n);
	c->first = NEW(arena, uint32_t, n);
	c->length = NEW(arena, uint32_t, n);
	return c->node && c->at && c->of && c->first && c->length;
}

static void copy_classes(
	struct classes *to, const struct classes *from, uint32_t n)
{
	memcpy(to->node, from->node, sizeof(*to->node) * n);
	memcpy(to->at, from->at, sizeof(*to->at) * n);
	memcpy(to->of, from->of, sizeof(*to->of) * n);
	memcpy(to->first, from->first, sizeof(*to->first) * from->n);
	memcpy(to->length, from->length, sizeof(*to->length) * from->n);
	to->n = from->n;
}

/* ------------------------------------------------------------ split */

static void push(struct alike *a, uint32_t class)
{
	if (a->queued[class])
		return;
	a->queued[class] = true;
	a->queue[a->n_queue++] = class;
}

/* Makes a class of nodes that are in one class, but not all of it. */
static uint32_t part(struct alike *a, const uint32_t *nodes, uint32_t n)
{
	struct classes *c = &a->now;
	uint32_t old = c->of[nodes[0]], new = c->n++;

	c->length[old] -= n;
	c->first[new] = c->first[old] + c->length[old];
	c->length[new] = n;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = c->first[new] + i, from = c->at[nodes[i]];
		uint32_t other = c->node[to];

		c->node[from] = other;
		c->at[other] = from;
		c->node[to] = nodes[i];
		c->at[nodes[i]] = to;
		c->of[nodes[i]] = new;
	}
	return new;
}

/* Parts one class: nodes of it, that ascend by count. Those that were not
 * counted stay; if there are none, those with the lowest count do. */
static void part_class(struct alike *a, const uint32_t *nodes, uint32_t n)
{
	struct classes *c = &a->now;
	uint32_t class = c->of[nodes[0]], first_new = c->n, largest = class;
	bool others = n < c->length[class];

	for (uint32_t i = 0, to; i < n; i = to) {
		for (to = i + 1;
			to < n && a->count[nodes[to]] == a->count[nodes[i]];)
			to++;
		if (i > 0 || others)
			part(a, nodes + i, to - i);
	}
	if (c->n == first_new)
		return;
	for (uint32_t i = first_new; i < c->n; i++)
		if (c->length[i] > c->length[largest])
			largest = i;
	if (a->queued[class])
		largest = class;
	for (uint32_t i = first_new; i < c->n; i++)
		if (i != largest)
			push(a, i);
	if (largest != class)
		push(a, class);
}

static void count_one(struct alike *a, uint32_t node)
{
	if (a->count[node]++ == 0)
		a->touched[a->n_touched++] = node;
}

/* Numbers of neighbours are counted; parts all classes by them. */
static void part_by_count(struct alike *a)
{
	uint32_t n = a->n_touched;
	const uint32_t *of = a->now.of;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t node = a->touched[i];

		a->key[node] = (uint64_t)of[node] << 32 | a->count[node];
	}
	mp_sort_radix(a->touched, a->spare, n, a->key);
	for (uint32_t i = 0, to; i < n; i = to) {
		uint64_t class = a->key[a->touched[i]] >> 32;

		for (to = i + 1;
			to < n && a->key[a->touched[to]] >> 32 == class;)
			to++;
		part_class(a, a->touched + i, to - i);
	}
	for (uint32_t i = 0; i < n; i++)
		a->count[a->touched[i]] = 0;
	a->n_touched = 0;
}

/* Kinds of neighbours: first those of ops, then those of tensors. */
enum neighbours {
	OF_OP_BEFORE,
	OF_OP_BEHIND,
	OF_OP_READ,
	OF_OP_WRITTEN,
	OF_TENSOR_USERS,
	OF_TENSOR_PRODUCER,
};

static void count_neighbours(
	struct alike *a, uint32_t node, enum neighbours kind)
{
	const struct view *view = a->view;
	uint32_t tensor = node - view->n_ops, shift = 0;
	struct ids list = {0};

	switch (kind) {
	case OF_OP_BEFORE:
		list = mp_lists_at(&view->before, node);
		break;
	case OF_OP_BEHIND:
		list = mp_lists_at(&view->behind, node);
		break;
	case OF_OP_READ:
		list = mp_lists_at(&view->inputs, node);
		shift = view->n_ops;
		break;
	case OF_OP_WRITTEN:
		list = mp_lists_at(&view->outputs, node);
		shift = view->n_ops;
		break;
	case OF_TENSOR_USERS:
		list = mp_lists_at(&view->users, tensor);
		break;
	case OF_TENSOR_PRODUCER:
		if (view->producer[tensor] != NONE)
			list = (struct ids){&view->producer[tensor], 1};
	}
	for (uint32_t i = 0; i < list.n; i++)
		count_one(a, list.at[i] + shift);
	a->looks += list.n;
}

/* Parts classes by their neighbours in one, which may be parted by that too:
 * its nodes are those that it began with. */
static void refine_by(struct alike *a, uint32_t class)
{
	uint32_t n = a->now.length[class];
	const uint32_t *nodes = a->now.node + a->now.first[class];
	bool ops = nodes[0] < a->view->n_ops;
	uint32_t kind = ops ? OF_OP_BEFORE : OF_TENSOR_USERS;
	uint32_t last = ops ? OF_OP_WRITTEN : OF_TENSOR_PRODUCER;

	memcpy(a->members, nodes, sizeof(*nodes) * n);
	for (; kind <= last; kind++) {
		a->looks += n;
		for (uint32_t i = 0; i < n; i++)
			count_neighbours(
				a, a->members[i], (enum neighbours)kind);
		part_by_count(a);
	}
}

static void refine(struct alike *a)
{
	while (a->n_queue > 0) {
		uint32_t class = a->queue[--a->n_queue];

		a->queued[class] = false;
		refine_by(a, class);
	}
}

/* ------------------------------------------------------------- find */

/* The ops are one class; tensors of a size are one. */
static void begin(struct alike *a)
{
	const struct view *view = a->view;
	struct classes *c = &a->now;
	uint32_t n = n_nodes(a);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = i - view->n_ops;

		c->node[i] = i;
		a->key[i] = i < view->n_ops
				    ? 0
				    : 2 + 2 * view->size[t] + view->to_end[t];
	}
	mp_sort_radix(c->node, a->spare, n, a->key);
	c->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t node = c->node[i];

		if (i == 0 || a->key[node] != a->key[c->node[i - 1]])
			c->first[c->n++] = i;
		c->at[node] = i;
		c->of[node] = c->n - 1;
		c->length[c->n - 1] = i + 1 - c->first[c->n - 1];
	}
	for (uint32_t i = 0; i < c->n; i++)
		push(a, i);
}

static uint32_t count_op_classes(const struct alike *a)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->now.n; i++)
		n += a->now.node[a->now.first[i]] < a->view->n_ops;
	return n;
}

bool mp_order_alike_init(
	struct alike *a, const struct view *view, struct arena *arena)
{
	uint32_t n = view->n_ops + view->n_tensors;

	*a = (struct alike){.view = view};
	a->queue = NEW(arena, uint32_t, n);
	a->queued = NEW(arena, bool, n);
	a->count = NEW(arena, uint32_t, n);
	a->touched = NEW(arena, uint32_t, n);
	a->spare = NEW(arena, uint32_t, n);
	a->members = NEW(arena, uint32_t, n);
	a->key = NEW(arena, uint64_t, n);
	if (!a->queue || !a->queued || !a->count || !a->touched || !a->spare ||
		!a->members || !a->key || !make_classes(&a->now, n, arena) ||
		!make_classes(&a->base, n, arena))
		return false;
	begin(a);
	refine(a);
	copy_classes(&a->base, &a->now, n);
	a->n_op_classes = count_op_classes(a);
	return true;
}

void mp_order_alike_reset(struct alike *a)
{
	copy_classes(&a->now, &a->base, n_nodes(a));
	a->looks += n_nodes(a);
}

uint64_t mp_order_alike_work(struct alike *a)
{
	enum {
		LOOKS_A_STEP = 8
	};
	uint64_t steps = a->looks / LOOKS_A_STEP;

	a->looks %= LOOKS_A_STEP;
	return steps;
}

bool mp_order_alike_is_alone(const struct classes *classes, uint32_t op)
{
	return classes->length[classes->of[op]] == 1;
}

void mp_order_alike_apart(struct alike *a, uint32_t op)
{
	if (mp_order_alike_is_alone(&a->now, op))
		return;
	push(a, part(a, &op, 1));
	refine(a);
}

/* ------------------------------------------------------------ merge */

/* Numbers classes by their first ops, and by their first tensors. */
static void number_classes(struct alike *a, struct merged *m, uint32_t *first)
{
	const struct view *view = a->view;
	uint32_t *number = a->members, n = 0;

	memset(number, 0xff, sizeof(*number) * a->now.n);
	for (uint32_t i = 0; i < n_nodes(a); i++) {
		if (i == view->n_ops) {
			m->view.n_ops = n;
			n = 0;
		}
		if (number[a->now.of[i]] == NONE) {
			number[a->now.of[i]] = n;
			first[m->view.n_ops + n++] = i;
		}
		m->of[i] = number[a->now.of[i]];
	}
	if (view->n_tensors == 0)
		m->view.n_ops = n;
	m->view.n_tensors = view->n_tensors > 0 ? n : 0;
}

/* Of a node, the number of its op or tensor. */
static uint32_t own_number(const struct alike *a, uint32_t node)
{
	return node < a->view->n_ops ? node : node - a->view->n_ops;
}

/* The lists of the first node of each class, with merged numbers, each once. */
static bool merge_lists(struct alike *a, const struct merged *m,
	const struct lists *from, const uint32_t *first, uint32_t n,
	struct lists *to, struct arena *arena)
{
	struct ids *merged = NEW(arena, struct ids, n);

	if (!merged || !mp_lists_init(to, n, arena))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct ids list = mp_lists_at(from, own_number(a, first[i]));
		uint32_t n_merged;

		for (uint32_t k = 0; k < list.n; k++)
			a->spare[k] = m->of[list.at[k]];
		a->looks += list.n;
		n_merged = mp_sort_unique_u32(a->spare, list.n);
		if (!mp_lists_copy(&merged[i], a->spare, n_merged, arena))
			return false;
		mp_lists_count(to, i, n_merged);
	}
	if (!mp_lists_ready(to, n, arena))
		return false;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < merged[i].n; k++)
			mp_lists_add(to, i, merged[i].at[k]);
	return true;
}

static bool merge_ops(struct alike *a, struct merged *m, const uint32_t *first,
	struct arena *arena)
{
	struct view *view = &m->view;

	if (!merge_lists(a, m, &a->view->before, first, view->n_ops,
		    &view->before, arena) ||
		!merge_lists(a, m, &a->view->behind, first, view->n_ops,
			&view->behind, arena))
		return false;
	view->n_edges = view->behind.first[view->n_ops];
	return true;
}

static bool merge_tensors(struct alike *a, struct merged *m,
	const uint32_t *first, struct arena *arena)
{
	const struct view *view = a->view;
	struct view *to = &m->view;

	to->size = NEW(arena, uint64_t, to->n_tensors);
	to->producer = NEW(arena, uint32_t, to->n_tensors);
	to->to_end = NEW(arena, bool, to->n_tensors);
	if (!to->size || !to->producer || !to->to_end)
		return false;
	for (uint32_t i = 0; i < to->n_tensors; i++) {
		uint32_t t = own_number(a, first[i]);
		uint32_t from = view->producer[t];

		to->size[i] =
			view->size[t] * a->now.length[a->now.of[first[i]]];
		to->producer[i] = from == NONE ? NONE : m->of[from];
		to->to_end[i] = view->to_end[t];
	}
	return merge_lists(a, m, &view->users, first, to->n_tensors, &to->users,
		       arena) &&
	       mp_lists_group(&to->outputs, to->n_ops, to->producer,
		       sizeof(*to->producer), to->n_tensors, arena);
}

bool mp_order_alike_merge(
	struct alike *a, struct merged *m, struct arena *arena)
{
	uint32_t *first = NEW(arena, uint32_t, a->now.n);

	*m = (struct merged){.of = NEW(arena, uint32_t, n_nodes(a))};
	if (!first || !m->of)
		return false;
	number_classes(a, m, first);
	m->view.always = a->view->always;
	a->looks += n_nodes(a);
	return merge_ops(a, m, first, arena) &&
	       merge_tensors(a, m, first + m->view.n_ops, arena);
}
