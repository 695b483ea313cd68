/*
 * When a tensor may be poisoned. In one stream that is the end of its life.
 * With several streams, another stream may still read it, and the next op that
 * takes its bytes waits for the ops that used them, but for no poison. So the
 * last op that uses the tensor poisons it, when the op ends, if all other uses
 * are ordered before that op. Then every op ordered after all uses is also
 * ordered after the poison, and no stream waits for anything that the plan does
 * not ask for. A tensor with last uses in two streams is not poisoned. Of
 * tensors that share bytes, only those that die last are poisoned; with several
 * streams none.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replay/inside.h"

#include <assert.h>

/* clock[k * n_lanes + l]: the steps up to the last one of lane l that is step k
 * or is ordered before it; 0: none. */
struct order {
	const struct run *run;
	uint32_t streams[MOST_LANES];
	uint32_t n_lanes;
	uint32_t *lane; /* of a step */
	uint32_t *clock;
};

/* ----------------------------------------------------- order of ops */

/* False: the streams are too many. */
static int find_lanes(struct order *order)
{
	const struct memplan_replay_plan *plan = order->run->plan;

	for (uint32_t step = 0; step < plan->n_ops; step++) {
		uint32_t lane = 0, stream = plan->ops[step].stream;

		while (lane < order->n_lanes && order->streams[lane] != stream)
			lane++;
		if (lane == MOST_LANES)
			return 0;
		order->streams[lane] = stream;
		order->n_lanes += lane == order->n_lanes;
		order->lane[step] = lane;
	}
	return 1;
}

/* Everything ordered before the earlier step is ordered before this one too. */
static void follow_step(struct order *order, uint32_t step, uint32_t earlier)
{
	uint32_t *clock = order->clock + (size_t)step * order->n_lanes;
	const uint32_t *other;

	assert(step < order->run->plan->n_ops);
	if (earlier >= step)
		return;
	other = order->clock + (size_t)earlier * order->n_lanes;
	for (uint32_t l = 0; l < order->n_lanes; l++)
		if (clock[l] < other[l])
			clock[l] = other[l];
}

/* The same rule as in await_others(). */
static void follow_others(struct order *order, uint32_t step)
{
	const struct memplan_replay_plan *plan = order->run->plan;
	const struct memplan_op *op = &plan->ops[step];

	for (uint32_t i = 0; i < op->n_inputs; i++)
		follow_step(order, step, order->run->producer[op->inputs[i]]);
	for (uint32_t i = 0; i < op->n_after; i++)
		if (op->after[i] < plan->n_ops)
			follow_step(
				order, step, order->run->step_of[op->after[i]]);
}

static void set_clocks(struct order *order)
{
	uint32_t latest[MOST_LANES], lane;

	for (lane = 0; lane < order->n_lanes; lane++)
		latest[lane] = NO_OP;
	for (uint32_t step = 0; step < order->run->plan->n_ops; step++) {
		lane = order->lane[step];
		follow_step(order, step, latest[lane]);
		follow_others(order, step);
		order->clock[(size_t)step * order->n_lanes + lane] = step + 1;
		latest[lane] = step;
	}
}

static int is_ordered(const struct order *order, uint32_t a, uint32_t b)
{
	assert(a <= b && b < order->run->plan->n_ops);
	return order->clock[(size_t)b * order->n_lanes + order->lane[a]] > a;
}

/* -------------------------------------------------------- last uses */

/* The op at the step after the last one takes the bytes over in place. */
static int is_taken_over(const struct run *run, uint32_t t)
{
	return run->last_read[t] != NO_OP &&
	       run->last_read[t] == run->plan->tensors[t].end;
}

/* The plan says that the tensor is dead here, so an op that reads it later
 * reads the poison. */
static int is_use(const struct run *run, uint32_t t, uint32_t step)
{
	return step < run->plan->n_ops &&
	       (step < run->plan->tensors[t].end || is_taken_over(run, t));
}

typedef void visitor(struct order *order, uint32_t t, uint32_t step);

static void keep_last(struct order *order, uint32_t t, uint32_t step)
{
	uint32_t *last = &order->run->poison_at[t];

	if (is_use(order->run, t, step) && (*last == NO_OP || *last < step))
		*last = step;
}

static void keep_ordered(struct order *order, uint32_t t, uint32_t step)
{
	uint32_t *last = &order->run->poison_at[t];

	if (*last != NO_OP && is_use(order->run, t, step) &&
		!is_ordered(order, step, *last))
		*last = NO_OP;
}

/* The caller writes inputs in the stream of the step at which their life
 * begins. */
static void visit_uses(struct order *order, visitor *visit)
{
	const struct memplan_replay_plan *plan = order->run->plan;

	for (uint32_t t = 0; t < plan->n_tensors; t++)
		if (order->run->producer[t] != NO_OP)
			visit(order, t, order->run->producer[t]);
		else if (plan->tensors[t].start > 0)
			visit(order, t, plan->tensors[t].start);
	for (uint32_t step = 0; step < plan->n_ops; step++)
		for (uint32_t i = 0; i < plan->ops[step].n_inputs; i++)
			visit(order, plan->ops[step].inputs[i], step);
}

/* A tensor that lives to the end of the run is compared at the end. */
static void choose_last_uses(struct order *order)
{
	const struct memplan_replay_plan *plan = order->run->plan;

	visit_uses(order, keep_last);
	visit_uses(order, keep_ordered);
	for (uint32_t t = 0; t < plan->n_tensors; t++)
		if (plan->tensors[t].end == plan->n_steps ||
			order->run->ties.shared[order->run->ties.root[t]])
			order->run->poison_at[t] = NO_OP;
}

static void choose_ends(struct run *run)
{
	for (uint32_t t = 0; t < run->plan->n_tensors; t++)
		if (run->plan->tensors[t].end ==
			run->ties.end[run->ties.root[t]])
			run->poison_at[t] = run->plan->tensors[t].end -
					    (is_taken_over(run, t) ? 0 : 1);
}

enum memplan_status mp_replay_choose_poison(struct run *run)
{
	struct order order = {.run = run};
	size_t n = run->plan->n_ops;

	for (uint32_t t = 0; t < run->plan->n_tensors; t++)
		run->poison_at[t] = NO_OP;
	if (!run->options->poison)
		return MEMPLAN_OK;
	if (!run->several_streams) {
		choose_ends(run);
		return MEMPLAN_OK;
	}
	order.lane = mp_replay_array(run, n, sizeof(*order.lane));
	if (run->is_out)
		return MEMPLAN_ENOMEM;
	if (!find_lanes(&order))
		return MEMPLAN_EUSAGE;
	order.clock =
		mp_replay_array(run, n * order.n_lanes, sizeof(*order.clock));
	if (run->is_out)
		return MEMPLAN_ENOMEM;
	set_clocks(&order);
	choose_last_uses(&order);
	return MEMPLAN_OK;
}
