/*
 * Other orders of the ops. On a device a hazard between two streams shows only
 * if they happen to meet. So the halves of all ops also run in one stream, in
 * several linear extensions of what waits.c finds.
 *
 * Tensors a and b overlap. Let a be written first, in the listed order. If the
 * plan is wrong, then some use u of a need not end before b is written. In the
 * order that ends u as late as can be, and is as listed otherwise, a is
 * written, then b, and then u finds the bytes of b. So if every op was late
 * once, no overlap is missed; of tensors that share bytes, none that an op
 * would read.
 *
 * The orders by stream and the reversed one come first: they are few, and show
 * most hazards at once. Random ones come last.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replay/inside.h"

#include <assert.h>
#include <string.h>

#define LATER (UINT64_C(1) << 40)

enum {
	MOST_STEPS = 1 << 20, /* in orders with a late op, if no more are
				 asked for */
	MOST_BY_STREAM = 32,  /* streams that come last and first once */
};

#define MOST_BYTES (UINT64_C(1) << 36) /* as MOST_STEPS: written */

/* ------------------------------------------------------ which order */

static uint32_t greatest_common(uint32_t a, uint32_t b)
{
	while (b > 0) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The i-th late op: spread over the plan, each once. */
static uint32_t late_op(const struct run *run, uint32_t i)
{
	uint32_t n = run->plan->n_ops;
	uint32_t stride = (uint32_t)((uint64_t)n * 618 / 1000) | 1;

	while (greatest_common(stride, n) > 1)
		stride += 2;
	return (uint32_t)((run->options->seed % n + (uint64_t)i * stride) % n);
}

/* How many ops take their turn to be late: all, or as many as take a while. */
static uint32_t count_late(const struct run *run)
{
	uint32_t n = run->plan->n_ops, most = MOST_STEPS / n + 1;
	uint64_t bytes = run->result->written + run->result->checked + 1;
	uint64_t runs = MOST_BYTES / (bytes / (run->result->runs + 1) + 1) + 1;

	if (runs < most)
		most = (uint32_t)runs;
	return most < n ? most : n;
}

static uint32_t count_by_stream(const struct run *run)
{
	uint32_t n_lanes = run->waits.n_lanes;

	return n_lanes < MOST_BY_STREAM ? n_lanes : MOST_BY_STREAM;
}

/* Order i of those that come after the listed one. */
static struct memplan_replay_order order_at(const struct run *run, uint32_t i)
{
	uint32_t n_lanes = count_by_stream(run), n = run->plan->n_ops;

	if (i < n_lanes)
		return (struct memplan_replay_order){
			MEMPLAN_STREAM_LAST, run->waits.stream[i]};
	i -= n_lanes;
	if (i < n_lanes)
		return (struct memplan_replay_order){
			MEMPLAN_STREAM_FIRST, run->waits.stream[i]};
	i -= n_lanes;
	if (i == 0)
		return (struct memplan_replay_order){MEMPLAN_REVERSED, 0};
	i -= 1;
	if (i < n)
		return (struct memplan_replay_order){
			MEMPLAN_OP_LATE, late_op(run, i)};
	return (struct memplan_replay_order){MEMPLAN_RANDOM, i - n};
}

/* -------------------------------------------------------- next half */

/* A half of an op is over or not; they alternate along a lane. */
struct cursor {
	const struct run *run;
	const struct extension *x;
	struct memplan_replay_order order;
	uint64_t random;
};

static uint32_t draw(struct cursor *c, uint32_t n)
{
	c->random = c->random * UINT64_C(6364136223846793005) +
		    UINT64_C(1442695040888963407);
	return (uint32_t)((c->random >> 33) % n);
}

static uint32_t step_at(const struct cursor *c, uint32_t lane)
{
	return c->x->ops[c->x->first[lane] + c->x->over[lane] / 2];
}

static int is_end(const struct cursor *c, uint32_t lane)
{
	return c->x->over[lane] % 2 == 1;
}

/* What is over stays so: a lane that was not waited for need not be looked at
 * again until the next op. */
static int is_ready(const struct cursor *c, uint32_t lane)
{
	const struct waits *waits = &c->run->waits;
	const struct extension *x = c->x;
	uint32_t *passed = &x->passed[lane];
	const uint32_t *clock;

	if (x->over[lane] == 2 * (x->first[lane + 1] - x->first[lane]))
		return 0;
	if (is_end(c, lane))
		return 1;
	clock = waits->clock + (size_t)step_at(c, lane) * waits->n_lanes;
	while (*passed < waits->n_lanes && x->over[*passed] >= clock[*passed])
		++*passed;
	return *passed == waits->n_lanes;
}

/* The ready half with the least key comes next. */
static uint64_t key_of(struct cursor *c, uint32_t lane)
{
	uint32_t step = step_at(c, lane);
	uint64_t listed = 2 * (uint64_t)step + (uint64_t)is_end(c, lane);
	int is_its = c->run->waits.stream[lane] == c->order.which;

	switch (c->order.kind) {
	case MEMPLAN_AS_LISTED:
		break;
	case MEMPLAN_STREAM_LAST:
		return listed + (is_its ? LATER : 0);
	case MEMPLAN_STREAM_FIRST:
		return listed + (is_its ? 0 : LATER);
	case MEMPLAN_REVERSED:
		return LATER - listed + (is_end(c, lane) ? LATER : 0);
	case MEMPLAN_OP_LATE:
		return listed +
		       (step == c->order.which && is_end(c, lane) ? LATER : 0);
	case MEMPLAN_RANDOM:
		return draw(c, UINT32_MAX);
	}
	return listed;
}

static uint32_t next_lane(struct cursor *c)
{
	uint32_t next = NONE;
	uint64_t least = 0, key;

	for (uint32_t lane = 0; lane < c->run->waits.n_lanes; lane++) {
		if (!is_ready(c, lane))
			continue;
		key = key_of(c, lane);
		if (next != NONE && key >= least)
			continue;
		next = lane;
		least = key;
	}
	assert(next != NONE);
	return next;
}

/* ------------------------------------------------------------- runs */

static int run_halves(struct run *run, struct cursor *c)
{
	uint32_t n = run->plan->n_ops, lane, step;
	int ends;

	memset(run->extension.over, 0,
		run->waits.n_lanes * sizeof(*run->extension.over));
	memset(run->extension.passed, 0,
		run->waits.n_lanes * sizeof(*run->extension.passed));
	for (uint64_t i = 0; i < 2 * (uint64_t)n; i++) {
		lane = next_lane(c);
		step = step_at(c, lane);
		ends = is_end(c, lane);
		if (ends ? mp_replay_end_step(run, step)
			 : mp_replay_begin_step(run, step))
			return 1;
		run->extension.over[lane]++;
		run->extension.passed[lane] = 0;
	}
	return 0;
}

static int run_order(struct run *run, uint32_t i)
{
	struct cursor c = {.run = run,
		.x = &run->extension,
		.random = run->options->seed + i};

	run->order = c.order = order_at(run, i);
	return mp_replay_begin_run(run) || run_halves(run, &c) ||
	       mp_replay_end_run(run);
}

int mp_replay_other_orders(struct run *run)
{
	uint32_t systematic = 2 * count_by_stream(run) + 1, late, n;
	int failed = 0;

	if (!run->several_streams || run->waits.n_lanes == 0)
		return 0;
	run->in_one_stream = 1;
	late = count_late(run);
	n = systematic + late;
	n = n > UINT32_MAX - run->options->orders ? UINT32_MAX
						  : n + run->options->orders;
	for (uint32_t i = 0; i < n && !failed; i++)
		for (uint32_t way = 0; way < run->choices.n_ways && !failed;
			way++, run->repeat++)
			failed = run_order(run, i);
	run->result->orders = n;
	run->result->late = n - systematic < run->plan->n_ops
				    ? n - systematic
				    : run->plan->n_ops;
	return failed;
}

/* --------------------------------------------------------- lifetime */

/* Ops of a lane in the listed order. */
static void list_ops(struct run *run)
{
	struct extension *x = &run->extension;
	uint32_t n = run->plan->n_ops;

	for (uint32_t step = 0; step < n; step++)
		x->first[run->waits.lane[step] + 1]++;
	for (uint32_t lane = 0; lane < run->waits.n_lanes; lane++)
		x->first[lane + 1] += x->first[lane];
	for (uint32_t step = 0; step < n; step++)
		x->ops[x->first[run->waits.lane[step]] +
			run->waits.position[step]] = step;
}

enum memplan_status mp_replay_prepare_orders(struct run *run)
{
	struct extension *x = &run->extension;
	uint32_t n_lanes = run->waits.n_lanes;

	if (!run->several_streams || n_lanes == 0)
		return MEMPLAN_OK;
	x->first = mp_replay_array(run, n_lanes + 1, sizeof(*x->first));
	x->over = mp_replay_array(run, n_lanes, sizeof(*x->over));
	x->passed = mp_replay_array(run, n_lanes, sizeof(*x->passed));
	x->ops = mp_replay_array(run, run->plan->n_ops, sizeof(*x->ops));
	if (run->is_out)
		return MEMPLAN_ENOMEM;
	list_ops(run);
	return MEMPLAN_OK;
}
