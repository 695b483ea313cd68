/*
 * Temporal exclusions: pairs of buffers of which only one is used in a run. A
 * component that exclusions join is a choice with branches if it is complete
 * multipartite: tensors that no exclusion joins are of one branch, and all
 * pairs of two branches are joined. Others are refused.
 *
 * SPDX-License-Identifier: MIT
 */

#include "base/sort.h"
#include "input/dsa/dsa.h"

struct exclusions {
	uint64_t *edges; /* each pair twice, a << 32 | b, ascending */
	uint32_t n_edges, n;
	uint32_t *component; /* of a tensor: the lowest tensor in it */
	uint32_t *branch;    /* the lowest tensor that none joins to it */
	uint32_t *next;	     /* the next tensor of the component; NONE: none */
	uint32_t *count;     /* scratch, one a tensor */
};

static bool make_room(struct exclusions *x, struct arena *arena)
{
	x->component = NEW(arena, uint32_t, x->n);
	x->branch = NEW(arena, uint32_t, x->n);
	x->next = NEW(arena, uint32_t, x->n);
	x->count = NEW(arena, uint32_t, x->n);
	x->edges = NEW(arena, uint64_t, x->n_edges);
	return x->component && x->branch && x->next && x->count && x->edges;
}

/* ------------------------------------------------------- components */

static uint32_t component_of(const struct exclusions *x, uint32_t tensor)
{
	while (x->component[tensor] != tensor)
		tensor = x->component[tensor];
	return tensor;
}

static void join_components(struct exclusions *x)
{
	for (uint32_t t = 0; t < x->n; t++)
		x->component[t] = t;
	for (uint32_t i = 0; i < x->n_edges; i++) {
		uint32_t a = component_of(x, (uint32_t)(x->edges[i] >> 32));
		uint32_t b = component_of(x, (uint32_t)x->edges[i]);
		uint32_t least = a < b ? a : b;

		/* The ends too, so that paths stay short. */
		x->component[a > b ? a : b] = least;
		x->component[x->edges[i] >> 32] = least;
		x->component[(uint32_t)x->edges[i]] = least;
	}
	for (uint32_t t = 0; t < x->n; t++)
		x->component[t] = component_of(x, t);
}

static void list_components(struct exclusions *x)
{
	for (uint32_t t = 0; t < x->n; t++)
		x->count[t] = NONE; /* the tensor behind, of a component */
	for (uint32_t t = x->n; t-- > 0;) {
		x->next[t] = x->count[x->component[t]];
		x->count[x->component[t]] = t;
	}
}

/* --------------------------------------------------------- branches */

/* The edges of a tensor ascend, and so do the tensors of its component: the
 * first of these that is no neighbour is the first of its branch. */
static void find_branches(struct exclusions *x)
{
	uint32_t edge = 0;

	for (uint32_t t = 0; t < x->n; t++) {
		uint32_t at = x->component[t];

		for (; edge < x->n_edges && x->edges[edge] >> 32 == t; edge++)
			if ((uint32_t)x->edges[edge] == at)
				at = x->next[at];
		x->branch[t] = at;
	}
}

/* The sum of the squared sizes of the sets that a tensor each stands for. */
static uint64_t sum_squares(struct exclusions *x, const uint32_t *set)
{
	uint64_t sum = 0;

	for (uint32_t t = 0; t < x->n; t++)
		x->count[t] = 0;
	for (uint32_t t = 0; t < x->n; t++)
		x->count[set[t]]++;
	for (uint32_t t = 0; t < x->n; t++)
		sum += (uint64_t)x->count[t] * x->count[t];
	return sum;
}

/* If none of the edges joins two tensors of one branch, and they are as many as
 * there are pairs of two branches, they are these pairs. */
static bool are_choices(struct exclusions *x)
{
	for (uint32_t i = 0; i < x->n_edges; i++)
		if (x->branch[x->edges[i] >> 32] ==
			x->branch[(uint32_t)x->edges[i]])
			return false;
	return sum_squares(x, x->component) - sum_squares(x, x->branch) ==
	       x->n_edges;
}

/* Choices are numbered as their first tensors come, and so are the branches of
 * each. */
static bool set_branches(
	struct exclusions *x, struct ties *ties, struct arena *arena)
{
	struct tensor_branch *branches = NEW(arena, struct tensor_branch, x->n);
	uint32_t *number = NEW(arena, uint32_t, x->n); /* of a branch */
	uint32_t *choice = NEW(arena, uint32_t, x->n), n_choices = 0;

	if (!branches || !number || !choice)
		return false;
	for (uint32_t t = 0; t < x->n; t++)
		x->count[t] = 0; /* branches of a component */
	for (uint32_t t = 0; t < x->n; t++) {
		uint32_t own = x->component[t];

		if (own == t && x->next[t] == NONE)
			continue;
		if (own == t)
			choice[t] = n_choices++;
		if (x->branch[t] == t)
			number[t] = x->count[own]++;
		branches[ties->n_branches++] = (struct tensor_branch){
			t, choice[own], number[x->branch[t]]};
	}
	mp_graph_ties_sort_branches(branches, ties->n_branches);
	ties->branches = branches;
	return true;
}

/* ------------------------------------------------------- exclusions */

static bool add_edge(struct dsa *d, struct exclusions *x,
	const struct dsa_pair *pair, uint32_t i)
{
	const struct dsa_buffer *a = &d->buffers[pair->a];
	const struct dsa_buffer *b = &d->buffers[pair->b];

	if (a->is_joined || b->is_joined || a->alone || b->alone)
		return mp_fail(d->error, MEMPLAN_EINPUT,
			"%s: buffers %llu and %llu exclude each other, which "
			"memplan cannot plan for buffers that lie at one place "
			"with others or are pinned for all time",
			d->graph->place, (unsigned long long)a->id,
			(unsigned long long)b->id);
	x->edges[2 * i] = (uint64_t)a->tensor << 32 | b->tensor;
	x->edges[2 * i + 1] = (uint64_t)b->tensor << 32 | a->tensor;
	return true;
}

bool mp_input_dsa_exclusions(struct dsa *d, const struct json_at *constraints)
{
	struct exclusions x = {.n = d->graph->n_tensors};
	struct dsa_pair *pairs;
	uint32_t n;

	if (!mp_input_dsa_pairs(
		    d, constraints, "temporal_exclusions", NULL, &pairs, &n))
		return false;
	if (n == 0)
		return true;
	x.n_edges = 2 * n;
	if (!make_room(&x, d->arena))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!add_edge(d, &x, &pairs[i], i))
			return false;
	x.n_edges = mp_sort_unique_u64(x.edges, x.n_edges);
	join_components(&x);
	list_components(&x);
	find_branches(&x);
	if (!are_choices(&x))
		return mp_fail(d->error, MEMPLAN_EINPUT,
			"%s: its temporal exclusions are not branches of "
			"choices, which memplan does not support",
			d->graph->place);
	return set_branches(&x, &d->graph->ties, d->arena);
}
