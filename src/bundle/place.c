/*
 * Where the bytes of each part go. What a part keeps between its runs lies
 * throughout its plan in bytes that nobody else has; it is taken out, and what
 * lies between two such tensors moves down as one piece. Nothing else of a plan
 * changes, so that the rest is as good as it was.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle/join.h"

#include <stdlib.h>

struct slot {
	uint64_t offset;
	uint32_t buffer;
};

static int by_offset(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->buffer < b->buffer ? -1 : a->buffer > b->buffer;
}

static struct slot *sort_slots(const struct plan *plan, struct arena *arena)
{
	uint32_t n = plan->problem->n_buffers;
	struct slot *slots = NEW(arena, struct slot, n);

	for (uint32_t i = 0; slots && i < n; i++)
		slots[i] = (struct slot){plan->offsets[i], i};
	if (slots && n > 0)
		qsort(slots, n, sizeof(*slots), by_offset);
	return slots;
}

/* ------------------------------------------------------------------ one part
 */

static bool find_kept(struct joined *part)
{
	const struct problem *p = part->plan->problem;
	bool any = false;

	for (uint32_t i = 0; i < p->n_items; i++)
		if (mp_item_is_kept(p, &p->items[i])) {
			part->is_kept[p->items[i].buffer] = true;
			any = true;
		}
	return any;
}

/* A plan's offsets say where its tensors lie; those of a graph, where they
 * must. */
static bool check_fixed(const struct joined *part, struct error *e)
{
	const struct problem *p = part->plan->problem;

	for (uint32_t i = 0; i < p->n_items && !part->from_plan; i++) {
		uint32_t buffer = p->items[i].buffer;

		if (buffer != NONE && p->buffers[buffer].offset != NO_OFFSET)
			return mp_fail(e, MEMPLAN_EINPUT,
				"%s: tensor '%.80s' has a fixed offset, but "
				"what a graph keeps between its runs gets a "
				"region of its own, so that all others move",
				part->place, mp_item_label(&p->items[i]));
	}
	return true;
}

/* The least offset from low on that is as much off its alignment as before. */
static uint64_t moved(uint64_t offset, uint64_t low, uint64_t align)
{
	return low + ((offset - low) & (align - 1));
}

static void part_regions(struct joined *part, const struct slot *slots)
{
	const struct problem *p = part->plan->problem;
	uint64_t align = mp_plan_base_alignment(p), from = 0, to = 0;
	bool band = false;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		uint32_t b = slots[i].buffer;
		const struct buffer *buffer = &p->buffers[b];

		if (part->is_kept[b]) {
			part->offsets[b] =
				num_up(part->kept.size, buffer->align);
			part->kept.size = part->offsets[b] + buffer->size;
			band = false;
			continue;
		}
		if (!band) {
			from = slots[i].offset;
			to = moved(from, part->shared.size, align);
			band = true;
		}
		part->offsets[b] = slots[i].offset - from + to;
		part->shared.size = num_max(
			part->shared.size, part->offsets[b] + buffer->size);
	}
}

static bool part_place(
	struct joined *part, struct arena *arena, struct error *e)
{
	const struct plan *plan = part->plan;
	uint32_t n = plan->problem->n_buffers;
	struct slot *slots;

	part->shared = part->kept = (struct extent){0, 0};
	part->offsets = NEW(arena, uint64_t, n);
	part->is_kept = NEW(arena, bool, n);
	if (!part->offsets || !part->is_kept)
		return false;
	if (!find_kept(part)) {
		for (uint32_t i = 0; i < n; i++)
			part->offsets[i] = plan->offsets[i];
		part->shared.size = plan->arena_size;
		return true;
	}
	slots = sort_slots(plan, arena);
	if (!slots || !check_fixed(part, e))
		return false;
	part_regions(part, slots);
	return true;
}

/* ----------------------------------------------------------------- all parts
 */

/* Lays a region behind what is there. */
static bool lay(struct extent *region, uint64_t align, uint64_t *top,
	const struct joined *part, struct error *e)
{
	if (region->size == 0)
		return true;
	return (num_align(*top, align, &region->base) &&
		       num_add(region->base, region->size, top)) ||
	       mp_fail(e, MEMPLAN_EINPUT,
		       "%s: the graphs take more than 2^62 bytes together",
		       part->place);
}

bool mp_join_place(struct joined *parts, uint32_t n, bool concurrent,
	struct arena *arena, struct error *e)
{
	uint64_t align = 1, top = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!part_place(&parts[i], arena, e))
			return false;
		align = num_max(
			align, mp_plan_base_alignment(parts[i].plan->problem));
		if (!concurrent)
			top = num_max(top, parts[i].shared.size);
	}
	for (uint32_t i = 0; i < n; i++)
		if ((concurrent && !lay(&parts[i].shared, align, &top,
					   &parts[i], e)) ||
			!lay(&parts[i].kept, align, &top, &parts[i], e))
			return false;
	return true;
}
