/*
 * What an input says of several tensors at once. A graph and the problems made
 * of it share it: tensors of the one and items of the other have the same
 * indices. Nearly all graphs have none of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_TIES_H
#define MP_GRAPH_TIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lists.h"
#include "graph/pool.h"

/* Bytes [offset, offset + size of the tensor) of another one are the tensor's:
 * a view, a reference, a slice. Both are one buffer. */
struct tensor_alias {
	uint32_t tensor, of;
	uint64_t offset;
	uint32_t root; /* of, or what that is an alias of, and so on */
	uint64_t base; /* bytes from the root's first one */
	bool writes;   /* the tensor's producer changes those bytes; else it
			  only gives them a name */
};

/* The alias is written over bytes that another tensor has too, which an op
 * reads: that one runs before. */
struct write_wait {
	uint32_t alias, older; /* tensors */
	uint32_t reader;       /* op */
};

/* Tensors that lie one behind the other, each at its own alignment, and live
 * each by itself: what a collective or a concatenation needs. */
struct tensor_group {
	const char *name; /* or NULL */
	struct ids members;
	uint64_t before, after; /* bytes that are left free in front of the
				   first and behind the last, while they live */
};

/* In steps [start, end) of its lifetime a tensor needs its bytes [low, high)
 * only, or none. */
struct lifetime_gap {
	uint32_t tensor;
	uint32_t start, end;
	uint64_t low, high; /* low = high: none */
};

/* These two never have a byte in common, whenever they live. */
struct tensor_pair {
	uint32_t a, b;
};

/* Bytes of the arena, or of one of several memories, that are somebody else's
 * throughout. */
struct reserved_range {
	const char *name; /* or NULL */
	uint64_t offset, size;
	uint16_t pools; /* the list of its one pool, as of a tensor */
};

/* Of a choice only one branch runs: tensors of two branches of it are never
 * alive together. */
struct tensor_branch {
	uint32_t tensor;
	uint32_t choice, branch; /* numbered from 0 */
};

/* The one pool that the range is in; 0 where there are none. */
static inline uint32_t mp_graph_ties_pool(
	const struct pool_list *lists, const struct reserved_range *range)
{
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
	const struct reserved_range *reserved;
	const struct tensor_branch *branches; /* at most one a tensor;
						 ascending by choice, branch,
						 tensor */
	uint32_t n_aliases, n_groups, n_gaps, n_apart, n_reserved, n_branches;
};

/* What the tensor is an alias of, or NULL. */
static inline const struct tensor_alias *mp_graph_ties_alias(
	const struct ties *ties, uint32_t tensor)
{
	uint32_t low = 0, high = ties->n_aliases;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ties->aliases[middle].tensor < tensor)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < ties->n_aliases && ties->aliases[low].tensor == tensor)
		return &ties->aliases[low];
	return NULL;
}

#endif
