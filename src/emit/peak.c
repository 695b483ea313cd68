/* SPDX-License-Identifier: MIT */
#include "emit/peak.h"

#include <stdlib.h>

#include "emit/tied.h"

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

/* Bytes that several items have are those of the largest alive. */
struct owners {
	const struct problem *problem;
	const uint32_t *keepers;
	uint32_t *owner; /* of a part: item, or NONE */
	uint64_t *bytes; /* of an item */
};

static bool is_better(const struct owners *o, uint32_t item, uint32_t owner)
{
	const struct item *items = o->problem->items;

	return owner == NONE || items[item].size > items[owner].size;
}

static void own(struct owners *o, uint32_t i)
{
	const struct problem *p = o->problem;
	const struct buffer *buffer = &p->buffers[p->items[i].buffer];

	for (uint32_t k = buffer->first_part;
		k < buffer->first_part + buffer->n_parts; k++)
		if (mp_tied_covers(p, &p->items[i], &p->parts[k]) &&
			is_better(o, i, o->owner[k]))
			o->owner[k] = i;
}

static void count_parts(struct owners *o)
{
	const struct problem *p = o->problem;

	for (uint32_t k = 0; k < p->n_parts; k++) {
		const struct part *part = &p->parts[k];

		if (o->keepers[k] == NONE || p->peak_step < part->start ||
			part->end <= p->peak_step)
			continue;
		if (o->owner[k] == NONE)
			o->owner[k] = o->keepers[k];
		o->bytes[o->owner[k]] += part->size;
	}
}

static bool find_bytes(struct owners *o, struct arena *arena)
{
	const struct problem *p = o->problem;

	o->keepers = mp_tied_keepers(p, arena);
	o->owner = NEW(arena, uint32_t, p->n_parts);
	o->bytes = NEW(arena, uint64_t, p->n_items);
	if (!o->keepers || !o->owner || !o->bytes)
		return false;
	for (uint32_t k = 0; k < p->n_parts; k++)
		o->owner[k] = NONE;
	for (uint32_t i = 0; i < p->n_items; i++) {
		const struct item *item = &p->items[i];

		if (!is_alive(item, p->peak_step))
			continue;
		if (mp_tied_by_parts(p, o->keepers, item))
			own(o, i);
		else
			o->bytes[i] = mp_item_rounded(p, item);
	}
	count_parts(o);
	return true;
}

struct alive *mp_peak_alive(
	const struct problem *p, uint32_t *n, struct arena *arena)
{
	struct alive *alive = NEW(arena, struct alive, p->n_items);
	struct owners o = {.problem = p};

	*n = 0;
	if (!alive || !find_bytes(&o, arena))
		return NULL;
	for (uint32_t i = 0; i < p->n_items; i++)
		if (o.bytes[i] > 0)
			alive[(*n)++] = (struct alive){o.bytes[i], i};
	if (*n > 0)
		qsort(alive, *n, sizeof(*alive), largest_first);
	return alive;
}

const struct step *mp_peak_op(const struct problem *p)
{
	if (p->peak_step >= p->n_ops)
		return NULL;
	return &p->ops[p->order[p->peak_step]];
}
