/*
 * A tree over boxes in Morton's order, see pins.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/pins.h"

#include <assert.h>

#include "base/num.h"
#include "base/sort.h"

enum {
	STACK_ROOM = 34,
	FEW_LOOKS = 2000 /* long boxes of little height may take all */
};

/* The bits of a number of 32 bits, each followed by a zero. */
static uint64_t spread(uint64_t bits)
{
	bits = (bits | bits << 16) & UINT64_C(0x0000ffff0000ffff);
	bits = (bits | bits << 8) & UINT64_C(0x00ff00ff00ff00ff);
	bits = (bits | bits << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	bits = (bits | bits << 2) & UINT64_C(0x3333333333333333);
	return (bits | bits << 1) & UINT64_C(0x5555555555555555);
}

static struct pin_box pin_of(const struct problem *problem, uint32_t part)
{
	const struct part *x = &problem->parts[part];
	uint64_t low = problem->buffers[x->buffer].offset + x->base;

	return (struct pin_box){.low = low,
		.high = low + x->size,
		.start = x->start,
		.end = x->end};
}

static struct pin_box around(const struct pin_box *a, const struct pin_box *b)
{
	if (a->start == a->end || b->start == b->end)
		return a->start == a->end ? *b : *a;
	return (struct pin_box){.low = num_min(a->low, b->low),
		.high = num_max(a->high, b->high),
		.start = a->start < b->start ? a->start : b->start,
		.end = a->end > b->end ? a->end : b->end};
}

static bool is_pin(const struct problem *problem, uint32_t part)
{
	return problem->buffers[problem->parts[part].buffer].offset !=
	       NO_OFFSET;
}

/* The middle of a range below a limit, as a number of 32 bits: as many before
 * the point as the limit has. */
static uint64_t middle_of(uint64_t from, uint64_t to, uint64_t limit)
{
	uint32_t zeros = (uint32_t)__builtin_clzll(limit);

	assert(limit > 0 && from < to && to <= limit);
	return (from + (to - from) / 2) << zeros >> 32;
}

/* Parts with fixed offsets in Morton's order of their middles. */
static void sort_pins(const struct problem *problem, uint32_t *order,
	uint32_t *scratch, uint64_t *value)
{
	uint64_t top = 1;
	uint32_t n = 0;

	for (uint32_t i = 0; i < problem->n_parts; i++)
		if (is_pin(problem, i)) {
			order[n++] = i;
			top = num_max(top, pin_of(problem, i).high);
		}
	for (uint32_t k = 0; k < n; k++) {
		struct pin_box pin = pin_of(problem, order[k]);

		value[order[k]] = spread(middle_of(pin.start, pin.end,
					  problem->n_steps)) |
				  spread(middle_of(pin.low, pin.high, top))
					  << 1;
	}
	mp_sort_radix(order, scratch, n, value);
}

static bool fill_leaves(struct pins *pins, const struct problem *problem,
	uint32_t n, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *order = NEW(arena, uint32_t, n);
	uint32_t *scratch = NEW(arena, uint32_t, n);
	uint64_t *value = NEW(arena, uint64_t, problem->n_parts);

	if (!order || !scratch || !value)
		return false;
	sort_pins(problem, order, scratch, value);
	for (uint32_t k = 0; k < pins->n_leaves; k++)
		pins->node[pins->n_leaves + k] =
			k < n ? pin_of(problem, order[k]) : (struct pin_box){0};
	mp_arena_rewind(arena, mark);
	return true;
}

bool mp_planner_pins_init(
	struct pins *pins, const struct problem *problem, struct arena *arena)
{
	uint32_t n = 0;

	*pins = (struct pins){0};
	for (uint32_t i = 0; i < problem->n_parts; i++)
		n += is_pin(problem, i);
	if (n == 0)
		return true;
	pins->n_leaves = 1;
	while (pins->n_leaves < n)
		pins->n_leaves *= 2;
	pins->node = NEW(arena, struct pin_box, 2 * (size_t)pins->n_leaves);
	if (!pins->node || !fill_leaves(pins, problem, n, arena))
		return false;
	for (uint32_t k = pins->n_leaves; --k > 0;)
		pins->node[k] =
			around(&pins->node[2 * k], &pins->node[2 * k + 1]);
	return true;
}

static bool meet(const struct pin_box *a, const struct pin_box *b)
{
	return a->start < b->end && b->start < a->end && a->low < b->high &&
	       b->low < a->high;
}

bool mp_planner_pins_meet(struct pins *pins, const struct pin_box *box)
{
	uint32_t todo[STACK_ROOM], n = 0;
	uint64_t most = pins->looks + FEW_LOOKS;

	if (pins->n_leaves > 0)
		todo[n++] = 1;
	while (n > 0 && pins->looks < most) {
		uint32_t i = todo[--n];

		pins->looks++;
		if (!meet(&pins->node[i], box))
			continue;
		if (i >= pins->n_leaves)
			return true;
		assert(n + 2 <= STACK_ROOM);
		todo[n++] = 2 * i;
		todo[n++] = 2 * i + 1;
	}
	return false;
}
