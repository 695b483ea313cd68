/*
 * Greedy planners of TFLite, XLA, TVM and MLIR: each is an order of buffers and
 * a choice of gap. docs/planners.md names the sources.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "planners/any/greedy.h"
#include "planners/peers/rows.h"

static const struct greedy_rule rules[] = {
	[TFLITE_GREEDY] = {{RANK_WHOLE, RANK_SIZE, RANK_START}, FIT_BEST},
	[TFLM_GREEDY] = {{RANK_SIZE, RANK_LAST}, FIT_LOWEST},
	[XLA_SPATIAL] = {{RANK_SIZE, RANK_LIFETIME}, FIT_BEST},
	[XLA_TEMPORAL] = {{RANK_LIFETIME, RANK_SIZE}, FIT_BEST},
	[TVM_SIZE] = {{RANK_SIZE, RANK_CONFLICTS}, FIT_TOP},
	[TVM_CONFLICTS] = {{RANK_CONFLICTS, RANK_SIZE}, FIT_TOP},
	[MLIR_BEST] = {{RANK_START, RANK_SIZE}, FIT_BEST},
};

enum outcome mp_planner_peer_greedy_run(struct job *job, int variant)
{
	assert(variant >= 0 && (size_t)variant < countof(rules));
	return mp_planner_greedy_follow(job, &rules[variant]);
}

/* The rule and the one behind it: the smaller plan stays. */
enum outcome mp_planner_peer_greedy_better(struct job *job, int variant)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	enum outcome first = mp_planner_peer_greedy_run(job, variant), second;

	mp_arena_rewind(job->arena, mark);
	if (first == PLAN_FAILED || first == PLAN_OPTIMAL)
		return first;
	second = mp_planner_peer_greedy_run(job, variant + 1);
	return second == PLAN_GAVE_UP ? first : second;
}
