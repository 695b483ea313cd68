/*
 * Branch and bound for the heaviest clique: a set of nodes of which no two are
 * joined gives at most its heaviest node, so a partition into such sets, a
 * colouring, bounds what a set of nodes can give. The search ends after a given
 * amount of work; what it has found then is a clique all the same.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/weighted-clique.h"

#include <string.h>

enum {
	STARTS = 32 /* to grow from: the heaviest */
};

/* Nodes in colours: no two nodes of one colour are joined. */
struct colouring {
	uint32_t *node;
	uint64_t *bound; /* what this node and those before it can give */
	uint32_t n;
};

static void keep_if_heavier(struct weighted_graph *g, uint64_t weight)
{
	if (weight <= g->best_weight)
		return;
	g->best_weight = weight;
	g->n_best = g->n_chosen;
	for (uint32_t i = 0; i < g->n_chosen; i++)
		g->best[i] = g->name[g->chosen[i]];
}

/* The first node of the set from a word on; NONE: there is none. */
static uint32_t first_of(
	const struct weighted_graph *g, const uint64_t *set, uint32_t word)
{
	for (; word < g->words; word++)
		if (set[word])
			return word * GRAPH_BITS +
			       (uint32_t)__builtin_ctzll(set[word]);
	return NONE;
}

/* Leaves of the set what is joined to the node. */
static void keep_near(
	const struct weighted_graph *g, uint64_t *set, uint32_t node)
{
	for (uint32_t i = 0; i < g->words; i++)
		set[i] &= mp_problem_node_near(g, node)[i];
}

bool mp_problem_graph_grow(struct weighted_graph *g)
{
	uint64_t *left = NEW(g->scratch, uint64_t, g->words);

	for (uint32_t first = 0; left && first < num_min(g->n, STARTS);
		first++) {
		uint64_t weight = 0;

		g->n_chosen = 0;
		memset(left, 0xff, g->words * sizeof(*left));
		for (uint32_t node = first; node != NONE;
			node = first_of(g, left, 0)) {
			g->chosen[g->n_chosen++] = node;
			weight += g->weight[node];
			keep_near(g, left, node);
			mp_problem_graph_spend(g, g->words);
		}
		keep_if_heavier(g, weight);
	}
	g->n_chosen = 0;
	return left != NULL;
}

static uint32_t count_of(const struct weighted_graph *g, const uint64_t *set)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->words; i++)
		n += (uint32_t)__builtin_popcountll(set[i]);
	return n;
}

/* Gives one colour to nodes of the set, the heaviest first, and takes them out.
 * left: what may still have the colour. */
static void give_colour(struct weighted_graph *g, struct colouring *c,
	uint64_t *set, uint64_t *left)
{
	uint32_t node = first_of(g, set, 0);
	uint64_t before = c->n > 0 ? c->bound[c->n - 1] : 0;
	uint64_t bound = before + g->weight[node];

	memcpy(left, set, g->words * sizeof(*left));
	for (; node != NONE; node = first_of(g, left, node / GRAPH_BITS)) {
		const uint64_t *near = mp_problem_node_near(g, node);

		c->node[c->n] = node;
		c->bound[c->n++] = bound;
		set[node / GRAPH_BITS] &= ~mp_problem_node_bit(node);
		left[node / GRAPH_BITS] &= ~mp_problem_node_bit(node);
		for (uint32_t i = node / GRAPH_BITS; i < g->words; i++)
			left[i] &= ~near[i];
		mp_problem_graph_spend(g, g->words);
	}
}

static bool colour(
	struct weighted_graph *g, const uint64_t *among, struct colouring *c)
{
	uint64_t *set = NEW(g->scratch, uint64_t, g->words);
	uint64_t *left = NEW(g->scratch, uint64_t, g->words);
	uint32_t n = count_of(g, among);

	c->n = 0;
	c->node = NEW(g->scratch, uint32_t, n);
	c->bound = NEW(g->scratch, uint64_t, n);
	if (!set || !left || !c->node || !c->bound)
		return false;
	memcpy(set, among, g->words * sizeof(*set));
	while (c->n < n)
		give_colour(g, c, set, left);
	return true;
}

/* The sets of nodes that go with the chosen ones, which weigh so much. Each
 * call chooses one node more, so the depth is at most their number. */
static bool extend(
	struct weighted_graph *g, const uint64_t *among, uint64_t weight)
{
	struct arena_mark mark = mp_arena_mark(g->scratch);
	uint64_t *rest = NEW(g->scratch, uint64_t, g->words);
	uint64_t *next = NEW(g->scratch, uint64_t, g->words);
	struct colouring c;
	bool fine = rest && next && colour(g, among, &c);

	if (fine)
		memcpy(rest, among, g->words * sizeof(*rest));
	while (fine && c.n-- > 0 && g->work > 0 &&
		weight + c.bound[c.n] > g->best_weight) {
		uint32_t node = c.node[c.n];

		g->chosen[g->n_chosen++] = node;
		keep_if_heavier(g, weight + g->weight[node]);
		memcpy(next, rest, g->words * sizeof(*next));
		keep_near(g, next, node);
		fine = extend(g, next, weight + g->weight[node]);
		g->n_chosen--;
		rest[node / GRAPH_BITS] &= ~mp_problem_node_bit(node);
	}
	mp_arena_rewind(g->scratch, mark);
	return fine;
}

bool mp_problem_graph_bound(struct weighted_graph *g)
{
	struct colouring c;

	g->chosen = NEW(g->scratch, uint32_t, g->n);
	g->all = NEW(g->scratch, uint64_t, g->words);
	for (uint32_t i = 0; g->all && i < g->n; i++)
		g->all[i / GRAPH_BITS] |= mp_problem_node_bit(i);
	if (!g->chosen || !g->all || !colour(g, g->all, &c))
		return false;
	g->most = c.n > 0 ? c.bound[c.n - 1] : 0;
	if (g->work == 0)
		g->most = UINT64_MAX;
	return true;
}

bool mp_problem_graph_search(struct weighted_graph *g)
{
	return g->most <= g->best_weight ||
	       (mp_problem_graph_grow(g) && extend(g, g->all, 0));
}
