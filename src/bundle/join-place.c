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

/* --------------------------------------------------------- one part */

static bool find_kept(struct joined *part)
{
	const struct schedule *s = part->plan->schedule;
	bool any = false;

	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		if (mp_schedule_is_kept(s, t)) {
			part->is_kept[s->stay[t].buffer] = true;
			any = true;
		}
	return any;
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

static bool part_place(struct joined *part, struct arena *arena)
{
	const struct plan *plan = part->plan;
	uint32_t n = plan->problem->n_buffers;
	struct slot *slots;

	part->shared = part->kept = (struct extent){0, 0};
	part->offsets = NEW(arena, uint64_t, n);
	part->is_kept = NEW(arena, bool, n);
	if (!part->offsets || !part->is_kept)
		return false;
	/* In several memories all is placed anew. */
	if (!find_kept(part) || plan->problem->pools) {
		for (uint32_t i = 0; i < n; i++)
			part->offsets[i] = plan->offsets[i];
		part->shared.size = plan->arena_size;
		return true;
	}
	slots = sort_slots(plan, arena);
	if (!slots)
		return false;
	part_regions(part, slots);
	return true;
}

uint64_t mp_bundle_joined_offset(const struct joined *part, uint32_t buffer)
{
	const struct extent *region =
		part->is_kept[buffer] ? &part->kept : &part->shared;

	return region->base + part->offsets[buffer];
}

static bool of_one_branch(const struct problem *p, uint32_t a, uint32_t b)
{
	return !p->choice ||
	       (p->choice[a] == p->choice[b] &&
		       (p->choice[a] == NONE || p->branch[a] == p->branch[b]));
}

/* What is of another branch may lie there by chance. */
bool mp_bundle_joined_takes_over(
	const struct joined *part, uint32_t output, uint32_t input)
{
	const struct plan *plan = part->plan;
	const struct stay *out = &plan->schedule->stay[output];
	const struct stay *in = &plan->schedule->stay[input];

	if (!part->from_plan || out->buffer == NONE || in->buffer == NONE)
		return mp_schedule_takes_over(plan->schedule, output, input);
	return out->start == in->end &&
	       mp_plan_space(plan, output) == mp_plan_space(plan, input) &&
	       of_one_branch(plan->problem, out->buffer, in->buffer) &&
	       mp_plan_offset(plan, output) == mp_plan_offset(plan, input);
}

static void hand_over(
	const struct joined *part, const struct op *op, uint32_t *root)
{
	const struct stay *stay = part->plan->schedule->stay;

	for (uint32_t o = 0; o < op->outputs.n; o++)
		for (uint32_t i = 0; i < op->inputs.n; i++) {
			uint32_t output = op->outputs.at[o];
			uint32_t input = op->inputs.at[i];

			if (mp_bundle_joined_takes_over(part, output, input))
				root[stay[output].buffer] =
					root[stay[input].buffer];
		}
}

/* In the order of the ops, so that an input has its root when it hands over. */
const uint32_t *mp_bundle_joined_roots(
	const struct joined *part, struct arena *arena)
{
	const struct schedule *s = part->plan->schedule;
	uint32_t *root = NEW(arena, uint32_t, s->problem.n_buffers);

	for (uint32_t i = 0; root && i < s->problem.n_buffers; i++)
		root[i] = i;
	for (uint32_t k = 0; root && k < s->graph->n_ops; k++)
		hand_over(part, mp_schedule_op(s, k), root);
	return root;
}

/* -------------------------------------------------------- all parts */

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

bool mp_bundle_join_place(struct joined *parts, uint32_t n, bool concurrent,
	struct arena *arena, struct error *e)
{
	uint64_t align = 1, top = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!part_place(&parts[i], arena))
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
