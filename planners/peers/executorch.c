/*
 * executorch: the greedy planner of ExecuTorch (memory_planning.py), which
 * shares whole objects. Large buffers come first; each goes into the object
 * closest to its size that is free during its lifetime, else into a new one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "planners/any/greedy.h"
#include "planners/peers/rows.h"

/* Objects lie one on the other in the order in which they were opened: the
 * first buffers are the largest, so objects become smaller upwards. */
struct object {
	uint64_t base, size;
};

struct objects {
	struct job *job;
	struct conflicts conflicts;
	struct object *at;
	uint32_t n;
	uint64_t top;
	uint64_t work;
	bool over; /* the others get objects of their own */
};

/* An object is in use if its base is forbidden: a buffer in another object
 * forbids bases of that object only. Of equal objects the first is taken. */
static uint32_t find_object(const struct objects *o, uint64_t align)
{
	const struct range *taken = o->conflicts.taken;
	uint32_t found = NONE, k = 0;

	for (uint32_t i = 0; i < o->n; i++) {
		while (k < o->conflicts.n_taken &&
			taken[k].high <= o->at[i].base)
			k++;
		if (k < o->conflicts.n_taken && taken[k].low <= o->at[i].base)
			continue;
		if (o->at[i].base % align == 0 &&
			(found == NONE || o->at[i].size < o->at[found].size))
			found = i;
	}
	return found;
}

static uint32_t open_object(struct objects *o, const struct buffer *buffer)
{
	uint64_t base = num_up(o->top, buffer->align);

	assert(o->n < o->job->problem->n_buffers);
	o->at[o->n] = (struct object){base, buffer->size};
	o->top = base + buffer->size;
	return o->n++;
}

static bool place_buffer(struct objects *o, uint32_t index, uint64_t *offset)
{
	const struct buffer *buffer = &o->job->problem->buffers[index];
	uint32_t object = NONE;

	if (!o->over && !mp_planner_conflicts_collect(&o->conflicts, index))
		return false;
	o->over = o->over ||
		  !mp_planner_greedy_goes_on(o->job,
			  4 + (o->n + o->conflicts.n_met) / 4, &o->work);
	if (!o->over)
		object = find_object(o, buffer->align);
	if (object == NONE)
		object = open_object(o, buffer);
	*offset = o->at[object].base;
	if (!o->over)
		mp_planner_conflicts_place(&o->conflicts, index, *offset);
	return true;
}

enum outcome mp_planner_executorch_run(struct job *job, int variant)
{
	static const enum rank_key keys[RANK_KEYS] = {RANK_SIZE, RANK_START};
	uint32_t n = job->problem->n_buffers;
	uint32_t *order = NEW(job->arena, uint32_t, n);
	uint64_t *offsets = NEW(job->arena, uint64_t, n);
	struct objects objects = {.job = job};

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (mp_problem_has_fixed(job->problem))
		return mp_planner_job_decline(job, "takes no fixed offsets");
	objects.at = NEW(job->arena, struct object, n);
	if (!order || !offsets || !objects.at ||
		!mp_planner_rank_buffers(
			job->problem, keys, order, job->arena) ||
		!mp_planner_conflicts_init(
			&objects.conflicts, job->problem, job->arena))
		return PLAN_FAILED;
	for (uint32_t i = 0; i < n; i++)
		if (!place_buffer(&objects, order[i], &offsets[order[i]]))
			return PLAN_FAILED;
	if (!mp_planner_job_offer(job, offsets))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}
