/*
 * Where the bytes of each member go. What a member keeps between its runs lies
 * throughout its plan in bytes of its own; it is taken out, and what
 * lies between two such tensors moves down as one piece. Nothing else of a plan
 * changes, so that the rest is as good as it was.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/sort.h"
#include "bundle/inside.h"

/* ------------------------------------------------------- one member */

static bool find_kept(struct joined *member)
{
	const struct schedule *s = member->plan->schedule;
	bool any = false;

	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		if (mp_schedule_is_kept(s, t)) {
			member->is_kept[s->stay[t].buffer] = true;
			any = true;
		}
	return any;
}

static void find_regions(struct joined *member, const uint32_t *order)
{
	const struct problem *p = member->plan->problem;
	const uint64_t *plan_offsets = member->plan->offsets;
	uint64_t align = mp_plan_base_alignment(p), from = 0, to = 0;
	bool band = false;

	assert(num_is_pow2(align));
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		uint32_t b = order[i];
		const struct buffer *buffer = &p->buffers[b];

		if (member->is_kept[b]) {
			member->offsets[b] =
				num_up(member->kept.size, buffer->align);
			member->kept.size = member->offsets[b] + buffer->size;
			band = false;
			continue;
		}
		/* To the least offset behind the last band that is as much off
		 * its alignment as before. */
		if (!band) {
			from = plan_offsets[b];
			to = member->shared.size +
			     ((from - member->shared.size) & (align - 1));
			band = true;
		}
		member->offsets[b] = plan_offsets[b] - from + to;
		member->shared.size = num_max(
			member->shared.size, member->offsets[b] + buffer->size);
	}
}

/* In several memories all is placed anew. Where a member stays, its regions are
 * not known before all tensors are there. */
static bool place_member(struct joined *member, bool stays, struct arena *arena)
{
	const struct plan *plan = member->plan;
	uint32_t n = plan->problem->n_buffers;
	uint32_t *order = NEW(arena, uint32_t, n);
	uint32_t *scratch = NEW(arena, uint32_t, n);

	member->shared = member->kept = (struct extent){0, 0};
	member->offsets = NEW(arena, uint64_t, n);
	member->is_kept = NEW(arena, bool, n);
	if (!order || !scratch || !member->offsets || !member->is_kept)
		return false;
	if (!find_kept(member) || plan->problem->pools || stays) {
		for (uint32_t i = 0; i < n; i++)
			member->offsets[i] = plan->offsets[i];
		member->shared.size = stays ? 0 : plan->arena_size;
		return true;
	}
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	mp_sort_radix(order, scratch, n, plan->offsets);
	find_regions(member, order);
	return true;
}

uint64_t mp_bundle_joined_offset(const struct joined *member, uint32_t buffer)
{
	const struct extent *region =
		member->is_kept[buffer] ? &member->kept : &member->shared;

	assert(buffer < member->plan->problem->n_buffers);
	return region->base + member->offsets[buffer];
}

static bool of_one_branch(const struct problem *p, uint32_t a, uint32_t b)
{
	return !p->choice ||
	       (p->choice[a] == p->choice[b] &&
		       (p->choice[a] == NONE || p->branch[a] == p->branch[b]));
}

/* What is of another branch may lie there by chance. */
bool mp_bundle_joined_takes_over(
	const struct joined *member, uint32_t output, uint32_t input)
{
	const struct plan *plan = member->plan;
	const struct stay *out = &plan->schedule->stay[output];
	const struct stay *in = &plan->schedule->stay[input];

	if (!member->from_plan || out->buffer == NONE || in->buffer == NONE)
		return mp_schedule_takes_over(plan->schedule, output, input);
	return out->start == in->end &&
	       mp_plan_space(plan, output) == mp_plan_space(plan, input) &&
	       of_one_branch(plan->problem, out->buffer, in->buffer) &&
	       mp_plan_offset(plan, output) == mp_plan_offset(plan, input);
}

static void hand_over(
	const struct joined *member, const struct op *op, uint32_t *root)
{
	const struct stay *stay = member->plan->schedule->stay;

	for (uint32_t o = 0; o < op->outputs.n; o++)
		for (uint32_t i = 0; i < op->inputs.n; i++) {
			uint32_t output = op->outputs.at[o];
			uint32_t input = op->inputs.at[i];

			if (mp_bundle_joined_takes_over(member, output, input))
				root[stay[output].buffer] =
					root[stay[input].buffer];
		}
}

/* In the order of the ops, so that an input has its root when it hands over. */
const uint32_t *mp_bundle_joined_roots(
	const struct joined *member, struct arena *arena)
{
	const struct schedule *s = member->plan->schedule;
	uint32_t *root = NEW(arena, uint32_t, s->problem.n_buffers);

	for (uint32_t i = 0; root && i < s->problem.n_buffers; i++)
		root[i] = i;
	for (uint32_t k = 0; root && k < s->graph->n_ops; k++)
		hand_over(member, mp_schedule_op(s, k), root);
	return root;
}

/* ------------------------------------------------------ all members */

/* Lays a region behind what is there. */
static bool lay(struct extent *region, uint64_t align, uint64_t *top,
	const struct joined *member, struct error *e)
{
	if (region->size == 0)
		return true;
	return (num_align(*top, align, &region->base) &&
		       num_add(region->base, region->size, top)) ||
	       mp_fail(e, MEMPLAN_EINPUT,
		       "%s: the graphs take more than 2^62 bytes together",
		       member->place);
}

bool mp_bundle_join_place(struct join_work *w)
{
	struct joined *members = w->members;
	uint64_t align = 1, top = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		if (!place_member(&members[i], w->stays, w->arena))
			return false;
		align = num_max(align,
			mp_plan_base_alignment(members[i].plan->problem));
		if (!w->concurrent)
			top = num_max(top, members[i].shared.size);
	}
	for (uint32_t i = 0; i < w->n; i++)
		if ((w->concurrent && !lay(&members[i].shared, align, &top,
					      &members[i], w->error)) ||
			!lay(&members[i].kept, align, &top, &members[i],
				w->error))
			return false;
	return true;
}
