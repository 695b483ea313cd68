/*
 * What reuse costs in a plan, from the graph, the places of its tensors and
 * nothing else.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "verify/verify.h"

/* Where the bytes of a tensor are. */
struct range {
	uint64_t low, high;
	uint32_t space;
};

static struct range range_of(const struct plan *plan, uint32_t tensor)
{
	uint64_t low = mp_plan_offset(plan, tensor);

	return (struct range){low,
		low + plan->schedule->graph->tensors[tensor].size,
		mp_plan_space(plan, tensor)};
}

static bool share_bytes(const struct plan *plan, const struct reuse_cost *cost)
{
	struct range a = range_of(plan, cost->a), b = range_of(plan, cost->b);

	return a.space == b.space && a.low < b.high && b.low < a.high;
}

/* The most bytes that the memory may have; without a capacity, what it has. */
static uint64_t room_of(const struct plan *plan, uint32_t i)
{
	const struct space memory = mp_plan_memory(plan, i);

	if (!plan->spaces.at || memory.capacity == NO_CAPACITY)
		return memory.size;
	return memory.capacity;
}

/* Do they share a byte wherever their buffers lie? */
static bool is_forced(const struct plan *plan, const struct reuse_cost *cost)
{
	const struct schedule *s = plan->schedule;
	const struct tensor *tensors = s->graph->tensors;
	uint64_t room = room_of(plan, mp_plan_space(plan, cost->a)), both;

	if (s->stay[cost->a].buffer == s->stay[cost->b].buffer)
		return true;
	return !num_add(tensors[cost->a].size, tensors[cost->b].size, &both) ||
	       both > room;
}

struct verified_cost mp_verify_cost(const struct plan *plan)
{
	const struct schedule *s = plan->schedule;
	const struct ties *ties = &s->graph->ties;
	struct verified_cost sum = {0, 0, 0};

	assert(plan->offsets);
	for (uint32_t i = 0; i < ties->n_costs; i++) {
		const struct reuse_cost *cost = &ties->costs[i];

		if (s->stay[cost->a].buffer == NONE ||
			s->stay[cost->b].buffer == NONE ||
			!share_bytes(plan, cost))
			continue;
		sum.n_paid++;
		sum.paid += cost->cost;
		if (is_forced(plan, cost))
			sum.forced += cost->cost;
	}
	return sum;
}
