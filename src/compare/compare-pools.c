/*
 * The memories of two plans, beside each other. Pools, and blocks of pools, are
 * matched by name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "compare/compare.h"

#include <string.h>

static struct compared_pool *pool_called(struct comparison *c, const char *name)
{
	for (uint32_t i = 0; i < c->n_pools; i++)
		if (strcmp(c->pools[i].name, name) == 0)
			return &c->pools[i];
	c->pools[c->n_pools].name = name;
	return &c->pools[c->n_pools++];
}

bool mp_compare_pools(struct comparison *c, struct arena *arena)
{
	const struct spaces *old = &c->old->spaces, *new = &c->new->spaces;
	uint32_t n = (old->at ? old->n : 0) + (new->at ? new->n : 0);

	c->n_pools = 0;
	c->pools = NEW(arena, struct compared_pool, n);
	if (!c->pools)
		return false;
	for (uint32_t i = 0; new->at &&i < new->n; i++)
		pool_called(c, new->at[i].name)->new = &new->at[i];
	for (uint32_t i = 0; old->at && i < old->n; i++)
		pool_called(c, old->at[i].name)->old = &old->at[i];
	return true;
}
