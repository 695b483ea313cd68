/*
 * The tree has FAN children a node; node i of a level is around the nodes, or
 * the items, from FAN * i on of the level below.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/range-tree.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"

enum {
	FAN_BITS = 3,
	FAN = 1 << FAN_BITS,
	LEAST_CUT = 5000, /* nodes of a loop for several threads */
	/* A node is opened at most once a level before all of its children are
	 * done. */
	MOST_PENDING = FAN * RANGE_LEVELS
};

static const struct range_node nothing = {NONE, 0, NONE};

static uint32_t n_nodes(const struct range_tree *t, uint32_t level)
{
	return ((t->to - 1) >> FAN_BITS * (level + 1)) + 1;
}

static uint32_t first_node(const struct range_tree *t, uint32_t level)
{
	return t->from >> FAN_BITS * (level + 1);
}

/* Where the children of a node begin, of those from one on. */
static uint32_t first_child(uint32_t node, uint32_t from)
{
	return (uint32_t)num_max((uint64_t)node << FAN_BITS, from);
}

/* Where they end, of which there are n on their level. */
static uint32_t last_child(uint32_t node, uint32_t n)
{
	return (uint32_t)num_min((uint64_t)(node + 1) << FAN_BITS, n);
}

static void widen(struct range_node *node, const struct range_node *by)
{
	if (by->least_end < node->least_end)
		node->least_end = by->least_end;
	if (by->most_end > node->most_end)
		node->most_end = by->most_end;
	if (by->best < node->best)
		node->best = by->best;
}

static struct range_node around_items(const struct range_tree *t, uint32_t node)
{
	struct range_node around = nothing;
	uint32_t last = last_child(node, t->to);

	for (uint32_t i = first_child(node, t->from); i < last; i++) {
		uint32_t end = t->packing->end[i];

		if (t->rank[i] != NONE)
			widen(&around,
				&(struct range_node){end, end, t->rank[i]});
	}
	return around;
}

static struct range_node around_nodes(
	const struct range_tree *t, uint32_t level, uint32_t node)
{
	struct range_node around = nothing;
	uint32_t last = last_child(node, n_nodes(t, level - 1));

	for (uint32_t i = first_child(node, first_node(t, level - 1)); i < last;
		i++)
		widen(&around, &t->level[level - 1][i]);
	return around;
}

/* A level has room for one node more: see mp_planner_range_tree_part(). */
bool mp_planner_range_tree_init(struct range_tree *t,
	const struct packing *packing, struct arena *arena)
{
	uint32_t n;

	assert(packing->n_items > 0);
	*t = (struct range_tree){.packing = packing,
		.to = packing->n_items,
		.rank = NEW(arena, uint32_t, packing->n_items)};
	do {
		n = n_nodes(t, t->n_levels);
		t->level[t->n_levels] =
			NEW(arena, struct range_node, (size_t)n + 1);
		if (!t->level[t->n_levels++])
			return false;
	} while (n > 1);
	return t->rank != NULL;
}

static void fill_lowest(void *context, uint32_t from, uint32_t to)
{
	struct range_tree *t = context;

	for (uint32_t i = from; i < to; i++)
		t->level[0][i] = around_items(t, i);
}

struct ranks {
	uint32_t *rank;
	const uint32_t *order;
};

static void fill_ranks(void *context, uint32_t from, uint32_t to)
{
	const struct ranks *ranks = context;

	for (uint32_t r = from; r < to; r++)
		ranks->rank[ranks->order[r]] = r;
}

static void fill_nodes(struct range_tree *t, struct threads *threads)
{
	mp_threads_cut(threads, n_nodes(t, 0), LEAST_CUT, fill_lowest, t);
	for (uint32_t k = 1; k < t->n_levels; k++)
		for (uint32_t i = 0; i < n_nodes(t, k); i++)
			t->level[k][i] = around_nodes(t, k, i);
}

void mp_planner_range_tree_rank(
	struct range_tree *t, const uint32_t *order, struct threads *threads)
{
	assert(t->from == 0 && t->to == t->packing->n_items);
	mp_threads_cut(threads, t->packing->n_items, FAN * LEAST_CUT,
		fill_ranks, &(struct ranks){t->rank, order});
	fill_nodes(t, threads);
}

void mp_planner_range_tree_values(
	struct range_tree *t, const uint32_t *value, struct threads *threads)
{
	assert(t->from == 0 && t->to == t->packing->n_items);
	memcpy(t->rank, value, sizeof(*value) * t->to);
	fill_nodes(t, threads);
}

/* ------------------------------------------------------------ parts */

/* The node of a level that is around the cut, in either part. */
static void fill_at(struct range_tree *t, uint32_t cut, uint32_t level)
{
	uint32_t i = cut >> FAN_BITS * (level + 1);

	if (i < n_nodes(t, level))
		t->level[level][i] = level > 0 ? around_nodes(t, level, i)
					       : around_items(t, i);
}

/* Moves the nodes of a level behind the cut. */
static void move_nodes(const struct range_tree *t, uint32_t cut, uint32_t level,
	struct range_node *to, const struct range_node *from)
{
	uint32_t i = cut >> FAN_BITS * (level + 1);

	memmove(to + i, from + i, sizeof(*to) * (n_nodes(t, level) - i));
}

/* The two have a node of a level in common, so in the second each lies one
 * place behind that where it was. */
struct range_tree mp_planner_range_tree_part(
	struct range_tree *t, uint32_t from)
{
	struct range_tree part = *t;

	assert(t->from < from && from < t->to);
	part.from = t->to = from;
	for (uint32_t k = 0; k < t->n_levels; k++) {
		part.level[k]++;
		move_nodes(&part, from, k, part.level[k], t->level[k]);
		fill_at(&part, from, k);
		fill_at(t, from, k);
	}
	return part;
}

void mp_planner_range_tree_join(
	struct range_tree *t, const struct range_tree *part)
{
	assert(t->to == part->from);
	t->to = part->to;
	for (uint32_t k = 0; k < t->n_levels; k++) {
		move_nodes(part, part->from, k, t->level[k], part->level[k]);
		fill_at(t, part->from, k);
	}
}

static bool are_alike(const struct range_node *a, const struct range_node *b)
{
	return a->least_end == b->least_end && a->most_end == b->most_end &&
	       a->best == b->best;
}

/* Makes the nodes around an item fit its rank. */
static void follow(struct range_tree *t, uint32_t item, uint64_t *looks)
{
	uint32_t i = item >> FAN_BITS;
	struct range_node *node = &t->level[0][i];
	struct range_node around = around_items(t, i);

	for (uint32_t k = 1;; k++) {
		++*looks;
		if (are_alike(&around, node))
			return;
		*node = around;
		if (k == t->n_levels)
			return;
		i >>= FAN_BITS;
		node = &t->level[k][i];
		around = around_nodes(t, k, i);
	}
}

void mp_planner_range_tree_take(
	struct range_tree *t, uint32_t item, uint64_t *looks)
{
	assert(t->rank[item] != NONE);
	t->rank[item] = NONE;
	follow(t, item, looks);
}

void mp_planner_range_tree_put(
	struct range_tree *t, uint32_t item, uint32_t rank, uint64_t *looks)
{
	assert(rank != NONE);
	t->rank[item] = rank;
	follow(t, item, looks);
}

/* ----------------------------------------------------------- search */

struct search {
	const struct range_tree *tree;
	uint32_t first, last; /* items that start within: [first, last) */
	uint32_t end;	      /* sections */
	uint32_t best;
	uint32_t best_level, best_node; /* around the best */
	uint32_t n_pending;
	struct {
		uint32_t level, node;
	} pending[MOST_PENDING]; /* some item below lies within */
};

/* Looks at n items. A branch on whether one is better would be taken at random,
 * so there is none. */
static inline uint32_t try_n_items(
	const struct search *s, uint32_t first, uint32_t n)
{
	const uint32_t *rank = s->tree->rank + first;
	const uint32_t *end = s->tree->packing->end + first;
	uint32_t best = s->best, within = s->end;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t of = rank[i] | -(uint32_t)(end[i] > within);

		best = of < best ? of : best;
	}
	return best;
}

/* Mostly these are all below a node: a number that the compiler knows. */
static void try_items(struct search *s, uint32_t node)
{
	uint32_t first = (uint32_t)num_max(node << FAN_BITS, s->first);
	uint32_t n = last_child(node, s->last) - first;
	uint32_t best = n == FAN ? try_n_items(s, first, FAN)
				 : try_n_items(s, first, n);

	s->best_level = best < s->best ? 0 : s->best_level;
	s->best_node = best < s->best ? node : s->best_node;
	s->best = best;
}

/* The best is the last, and thus the next. */
static void add_pending(
	struct search *s, uint32_t first, uint32_t level, uint32_t node)
{
	const struct range_node *nodes = s->tree->level[level];
	uint32_t n = s->n_pending++;

	assert(n < MOST_PENDING);
	s->pending[n].level = level;
	s->pending[n].node = node;
	if (n > first &&
		nodes[s->pending[n - 1].node].best < nodes[node].best) {
		s->pending[n].node = s->pending[n - 1].node;
		s->pending[n - 1].node = node;
	}
}

static void open_node(struct search *s, uint32_t level, uint32_t node)
{
	const struct range_node *below = s->tree->level[level - 1];
	uint32_t shift = FAN_BITS * level, n = s->n_pending;
	uint32_t i = (uint32_t)num_max(node << FAN_BITS, s->first >> shift);
	uint32_t last = last_child(node, ((s->last - 1) >> shift) + 1);

	for (; i < last; i++) {
		if (below[i].best >= s->best || below[i].least_end > s->end)
			continue;
		if (below[i].most_end <= s->end && i << shift >= s->first &&
			(i + 1) << shift <= s->last) {
			s->best = below[i].best;
			s->best_level = level - 1;
			s->best_node = i;
		} else {
			add_pending(s, n, level - 1, i);
		}
	}
}

/* The lowest level that has a node around all items that start within. */
static uint32_t lowest_level(const struct search *s)
{
	uint32_t differ = s->first ^ (s->last - 1);

	return (31 - (uint32_t)__builtin_clz(differ | 1)) / FAN_BITS;
}

static void find_best(struct search *s, const struct range_tree *tree,
	uint32_t start, uint32_t end, uint64_t *looks)
{
	s->tree = tree;
	s->end = end;
	s->first = tree->packing->first[start];
	s->last = tree->packing->first[end];
	s->best = NONE;
	s->best_level = s->best_node = 0;
	if (s->first == s->last)
		return;
	s->n_pending = 1;
	s->pending[0].level = lowest_level(s);
	s->pending[0].node = s->first >> FAN_BITS * (s->pending[0].level + 1);
	while (s->n_pending > 0) {
		uint32_t level = s->pending[--s->n_pending].level;
		uint32_t node = s->pending[s->n_pending].node;

		if (tree->level[level][node].best >= s->best ||
			tree->level[level][node].least_end > s->end)
			continue;
		++*looks;
		if (level == 0)
			try_items(s, node);
		else
			open_node(s, level, node);
	}
}

uint32_t mp_planner_range_tree_best(const struct range_tree *tree,
	uint32_t start, uint32_t end, uint64_t *looks)
{
	struct search s;

	find_best(&s, tree, start, end, looks);
	return s.best;
}

/* Goes down to the item of the best rank. What the caller reads of it is on the
 * way from memory meanwhile. */
static uint32_t item_of_best(const struct search *s)
{
	const struct range_tree *t = s->tree;
	uint32_t i = s->best_node;

	for (uint32_t k = s->best_level; k > 0; k--) {
		i = first_child(i, first_node(t, k - 1));
		while (t->level[k - 1][i].best != s->best)
			i++;
	}
	i = first_child(i, t->from);
	__builtin_prefetch(&t->packing->start[i]);
	__builtin_prefetch(&t->packing->end[i]);
	__builtin_prefetch(&t->packing->size[i]);
	while (t->rank[i] != s->best)
		i++;
	return i;
}

uint32_t mp_planner_range_tree_item(const struct range_tree *tree,
	uint32_t start, uint32_t end, uint64_t *looks)
{
	struct search s;

	find_best(&s, tree, start, end, looks);
	return s.best == NONE ? NONE : item_of_best(&s);
}

/* ------------------------------------------------------------ alive */

/* How many items from this one on are below a node that has none alive in a
 * section. */
static uint64_t n_ended(
	const struct range_tree *t, uint64_t item, uint32_t section)
{
	uint64_t n = 1;

	for (uint32_t k = 0; k < t->n_levels && item % (n * FAN) == 0; k++) {
		if (t->level[k][item / (n * FAN)].most_end > section)
			break;
		n *= FAN;
	}
	return n > 1 ? n : 0;
}

uint32_t mp_planner_range_tree_alive(const struct range_tree *t, uint32_t from,
	uint32_t section, uint64_t *looks)
{
	uint64_t i = from, n;

	while (i < t->packing->first[section + 1]) {
		++*looks;
		n = n_ended(t, i, section);
		if (n == 0 && t->rank[i] != NONE &&
			t->packing->end[i] > section)
			return (uint32_t)i;
		i += num_max(n, 1);
	}
	return NONE;
}
