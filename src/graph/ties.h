/*
 * Relations between tensors: aliases, contiguous groups, gaps in lifetimes,
 * pairs kept apart, costs of reuse, reserved ranges, exclusive branches. A
 * graph and the problems made of it share them: tensors of the graph and items
 * of the problem have the same indices. Most graphs have none.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_TIES_H
#define MP_GRAPH_TIES_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lists.h"
#include "base/search.h"
#include "graph/pool.h"

/* A view, reference or slice: the tensor is bytes [offset, offset + its size)
 * of another tensor. Both are in one buffer. */
struct tensor_alias {
	uint32_t tensor, of;
	uint64_t offset;
	uint32_t root; /* the tensor at the end of the chain of aliases */
	uint64_t base; /* first byte within the root */
	bool writes;   /* the tensor's producer changes those bytes; else the
			  alias is only a name for them */
};

/* An edge between ops: `reader` reads the older contents of bytes that the
 * producer of the alias overwrites, so it runs before that producer. */
struct write_wait {
	uint32_t alias, older; /* tensors */
	uint32_t reader;       /* op */
};

/* A contiguous group: tensors that lie one after the other, each at its own
 * alignment and with its own lifetime, as a collective or a concatenation
 * needs. */
struct tensor_group {
	const char *name; /* or NULL */
	struct ids members;
	uint64_t before, after; /* guards: bytes left free before the first and
				   after the last member while they live */
};

/* In steps [start, end) of its lifetime a tensor needs only its bytes
 * [low, high), or none. */
struct lifetime_gap {
	uint32_t tensor;
	uint32_t start, end;
	uint64_t low, high; /* low = high: none */
};

/* Two tensors that never share a byte, whenever they live. */
struct tensor_pair {
	uint32_t a, b;
};

/* What it costs if two tensors share a byte, at whatever time: paid once. */
struct reuse_cost {
	uint32_t a, b;
	uint64_t cost; /* the costs of all pairs sum to at most NUM_MAX_BYTES */
};

/* Bytes of the arena, or of one of several pools, that no tensor may use. */
struct reserved_range {
	const char *name; /* or NULL */
	uint64_t offset, size;
	uint16_t pools; /* index into pool_lists: a list of one pool */
};

/* Exclusive branches: only one branch of a choice runs, so tensors of two of
 * its branches are never alive together. What is in a choice that stands in a
 * branch is of that branch too. */
struct tensor_branch {
	uint32_t tensor;
	uint32_t choice, branch; /* numbered from 0 */
};

/* The branch of an earlier choice that a choice stands in: the choice is made
 * only if that branch runs. choice NONE: it stands in none. */
struct choice_site {
	uint32_t choice, branch;
};

/* The pool of the range; 0 in a graph without pools. */
static inline uint32_t mp_graph_ties_pool(
	const struct pool_list *lists, const struct reserved_range *range)
{
	assert(!lists || lists[range->pools].n > 0);
	return lists ? lists[range->pools].at[0] : 0;
}

struct ties {
	const struct tensor_alias *aliases; /* at most one a tensor, ascending
					       by it */
	const struct tensor_group *groups;  /* at most one a tensor; none of
					       aliased ones */
	const struct lifetime_gap *gaps;    /* of pinned tensors that are no
					       aliases: inside their lifetimes,
					       ascending and apart */
	const struct tensor_pair *apart;
	const struct reuse_cost *costs;
	const struct ids *same;	 /* sets of tensors that begin at one offset:
				    of the graphs of a bundle, one of each, in
				    the sequence of the graphs */
	const uint32_t *same_as; /* of a tensor: the largest of its set, else
				    itself; NULL: there are no sets */
	const struct reserved_range *reserved;
	const struct tensor_branch *branches; /* at most one a tensor;
						 ascending by choice, branch,
						 tensor */
	const struct choice_site *sites; /* of a choice; NULL: none stands in
					    another */
	uint32_t n_aliases, n_groups, n_gaps, n_apart, n_costs, n_same,
		n_reserved, n_branches, n_sites;
};

/* How many choices are numbered. */
static inline uint32_t mp_graph_ties_choices(const struct ties *ties)
{
	uint32_t n = ties->n_branches;

	n = n ? ties->branches[n - 1].choice + 1 : 0;
	return ties->n_sites > n ? ties->n_sites : n;
}

static inline struct choice_site mp_graph_ties_site(
	const struct ties *ties, uint32_t choice)
{
	assert(ties->sites || ties->n_sites == 0);
	return choice < ties->n_sites ? ties->sites[choice]
				      : (struct choice_site){NONE, 0};
}

/* The tensor's entry in aliases, or NULL if it is no alias. */
static inline const struct tensor_alias *mp_graph_ties_alias(
	const struct ties *ties, uint32_t tensor)
{
	uint32_t i = mp_search_key_u32(ties->aliases, sizeof(*ties->aliases),
		offsetof(struct tensor_alias, tensor), ties->n_aliases, tensor);

	if (i < ties->n_aliases && ties->aliases[i].tensor == tensor)
		return &ties->aliases[i];
	return NULL;
}

/* The gap of the tensor that has the step, or NULL. Gaps ascend by tensor, then
 * by step. */
static inline const struct lifetime_gap *mp_graph_ties_gap(
	const struct ties *ties, uint32_t tensor, uint32_t step)
{
	uint32_t low = 0, high = ties->n_gaps;

	while (low < high) {
		uint32_t i = low + (high - low) / 2;
		const struct lifetime_gap *gap = &ties->gaps[i];

		if (gap->tensor < tensor ||
			(gap->tensor == tensor && gap->end <= step))
			low = i + 1;
		else
			high = i;
	}
	return low < ties->n_gaps && ties->gaps[low].tensor == tensor &&
			       ties->gaps[low].start <= step
		       ? &ties->gaps[low]
		       : NULL;
}

/* Marks the tensors of groups. */
static inline void mp_graph_ties_mark_groups(
	const struct ties *ties, bool *marked)
{
	for (uint32_t i = 0; i < ties->n_groups; i++)
		for (uint32_t k = 0; k < ties->groups[i].members.n; k++)
			marked[ties->groups[i].members.at[k]] = true;
}

/* Sorts them as a graph has them. */
void mp_graph_ties_sort_branches(struct tensor_branch *branches, uint32_t n);

/* Gives a graph these branches, of which it knows the number, and the sites of
 * its choices. */
void mp_graph_ties_set_branches(struct ties *ties,
	struct tensor_branch *branches, const struct choice_site *sites,
	uint32_t n_choices);

/* Numbers the branches of all choices from 1, and fills in that of each tensor,
 * 0: none. NULL if there are no branches. False only if memory is out. */
bool mp_graph_ties_number_branches(const struct ties *ties, uint32_t n_tensors,
	uint32_t **number, struct arena *arena);

struct tensor;

/* Gives the tensors of a graph their sets of one offset. A tensor is in one at
 * most. False only if memory is out. */
bool mp_graph_ties_set_same(struct ties *ties, const struct tensor *tensors,
	uint32_t n_tensors, const struct ids *sets, uint32_t n,
	struct arena *arena);

/* The ties of a graph on their way into another one. */
struct moved_ties {
	const struct ties *from;
	const uint32_t *tensor; /* its new number; NONE: it is left out */
	uint32_t first_step;	/* its step 0 there */
	const char *prefix;	/* of the names of groups; NULL: none */
};

/* Fills in the ties of one or several graphs, without reserved ranges. Each
 * graph has choices of its own. */
bool mp_graph_ties_join(const struct moved_ties *moved, uint32_t n,
	struct ties *to, struct arena *arena);

#endif
