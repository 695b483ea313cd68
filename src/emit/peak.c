/* SPDX-License-Identifier: MIT */
#include "emit/peak.h"

#include <stdlib.h>

static int largest_first(const void *a, const void *b)
{
	const struct alive *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? 1 : -1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static bool is_alive(const struct item *item, uint32_t step)
{
	return item->buffer != NONE && item->start <= step && step < item->end;
}

struct alive *mp_peak_alive(
	const struct problem *p, uint32_t *n, struct arena *arena)
{
	struct alive *alive = NEW(arena, struct alive, p->n_items);

	*n = 0;
	for (uint32_t i = 0; alive && i < p->n_items; i++) {
		if (!is_alive(&p->items[i], p->peak_step))
			continue;
		alive[*n].item = i;
		alive[*n].size = mp_item_rounded(p, &p->items[i]);
		*n += 1;
	}
	if (alive && *n > 0)
		qsort(alive, *n, sizeof(*alive), largest_first);
	return alive;
}

const struct step *mp_peak_op(const struct problem *p)
{
	if (p->peak_step >= p->n_ops)
		return NULL;
	return &p->ops[p->order[p->peak_step]];
}
