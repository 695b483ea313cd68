/*
 * mend: makes the best plan lower where it is highest. What ends above a target
 * is taken out, with a patch of what lies about it, and search places the patch
 * again: below the target there, and nowhere higher than before. The target
 * goes down from the height of the best plan as long as that succeeds.
 *
 * A patch is as small as it can be at first; where search finds nothing, the
 * next one is twice as large. Search is strong on some hundred items and finds
 * nothing for very many, whatever the size of the problem.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/mend.h"

#include "base/prng.h"
#include "planners/plain/dive.h"
#include "planners/plain/patch.h"
#include "planners/rows.h"

enum {
	LEAST = 64,	   /* items of the first patch at a place */
	NODES = 60,	   /* nodes of search for each item of a patch */
	FIRST_SHARE = 4,   /* a target takes off such a part of what the plan
			      is above the bound */
	MOST_VAIN = 2,	   /* rounds of mending at once that mend nothing */
	LOOKS_A_STEP = 30, /* looks of search in 100 ns */
	ITEMS_A_STEP = 100 /* items that are passed over in 100 ns */
};

struct mender {
	struct job *job;
	struct packing packing;
	int64_t *offset; /* units, one an item */
	int64_t height;
	uint64_t *bytes; /* scratch for offers */
	uint64_t random;
	struct nogoods nogoods;
};

static bool charge_job(void *user, uint64_t looks)
{
	return mp_planner_job_step(user, looks / LOOKS_A_STEP + 1);
}

/* ------------------------------------------------------------ patch */

enum result {
	MENDED,
	AS_IT_WAS,
	NO_MEMORY
};

/* Searches a patch for a plan within it. */
static enum result search(struct mender *m, const struct patch *patch)
{
	struct restarts restarts;

	mp_planner_nogood_clear(&m->nogoods);
	if (!mp_planner_restarts_new(&restarts, &patch->puzzle, patch->lifetime,
		    mp_prng(&m->random), &m->nogoods, m->job->arena))
		return NO_MEMORY;
	restarts.plateau.may_go_on = charge_job;
	restarts.plateau.user = m->job;
	if (mp_planner_restarts_solve(&restarts, (uint64_t)NODES * patch->n) !=
		PLATEAU_YES)
		return AS_IT_WAS;
	for (uint32_t k = 0; k < patch->n; k++)
		m->offset[patch->item[k]] = restarts.plateau.horizon.offset[k];
	return MENDED;
}

/* Searches the patch at the site, and doubles the size for the next try. */
static enum result try_patch(struct mender *m, struct patch_site *site)
{
	struct arena *arena = m->job->arena;
	struct arena_mark mark = mp_arena_mark(arena);
	enum result result = NO_MEMORY;
	struct patch patch;

	if (mp_planner_patch_find(
		    &patch, &m->packing, m->offset, site, arena)) {
		charge_job(m->job, patch.looks);
		result = patch.n > 0 ? search(m, &patch) : AS_IT_WAS;
	}
	site->most =
		(uint32_t)num_min(PATCH_MOST, 2 * num_max(site->most, patch.n));
	mp_arena_rewind(arena, mark);
	return result;
}

/* ----------------------------------------------------------- target */

static bool sticks_out(const struct mender *m, uint32_t item, int64_t target)
{
	return m->offset[item] + m->packing.size[item] > target;
}

static bool may_go_on(const struct mender *m)
{
	return m->job->steps > 0 && !m->job->cut_short;
}

/* Lowers an item and what is above it to the target. */
static enum result mend(struct mender *m, uint32_t item, int64_t target)
{
	struct patch_site site = {
		.item = item, .target = target, .most = LEAST};
	enum result result = AS_IT_WAS;
	uint32_t last = 0;

	while (result == AS_IT_WAS && last < PATCH_MOST && may_go_on(m)) {
		last = site.most;
		site.wide = 2u << mp_prng(&m->random) % 4;
		result = try_patch(m, &site);
	}
	return result;
}

/* Lowers each item that sticks out, or all up to the first that cannot be
 * lowered. n_mended: so many. What is mended is so for good: no section ends
 * higher than before. */
static enum result mend_all(
	struct mender *m, int64_t target, bool go_on, uint32_t *n_mended)
{
	*n_mended = 0;
	for (uint32_t i = 0; i < m->packing.n_items; i++) {
		enum result result;

		if (!sticks_out(m, i, target))
			continue;
		result = mend(m, i, target);
		if (result == NO_MEMORY || (result == AS_IT_WAS && !go_on))
			return result;
		*n_mended += result == MENDED;
	}
	mp_planner_job_step(m->job, m->packing.n_items / ITEMS_A_STEP + 1);
	return MENDED;
}

/* Lowers all items that end above the target, until none is left or none can
 * be lowered. */
static enum result reach(struct mender *m, int64_t target)
{
	enum result result;
	uint32_t n_mended;

	do
		result = mend_all(m, target, false, &n_mended);
	while (result == MENDED && n_mended > 0);
	return result;
}

static void find_height(struct mender *m)
{
	m->height = 0;
	for (uint32_t i = 0; i < m->packing.n_items; i++)
		if (sticks_out(m, i, m->height))
			m->height = m->offset[i] + m->packing.size[i];
}

/* Turns the plan upside down: what was at the bottom can be mended too. */
static void turn_over(struct mender *m)
{
	for (uint32_t i = 0; i < m->packing.n_items; i++)
		m->offset[i] = m->height - m->offset[i] - m->packing.size[i];
}

/* -------------------------------------------------------------- row */

static bool mender_init(struct mender *m, struct job *job)
{
	struct arena *arena = job->arena;

	*m = (struct mender){.job = job, .random = job->seed};
	if (!mp_planner_packing_of(&m->packing, job, arena))
		return false;
	m->offset = NEW(arena, int64_t, m->packing.n_items);
	m->bytes = NEW(arena, uint64_t, m->packing.n_items);
	if (!m->offset || !m->bytes ||
		!mp_planner_nogood_new(&m->nogoods, arena))
		return false;
	for (uint32_t i = 0; i < m->packing.n_items; i++)
		m->offset[i] = (int64_t)(job->best[m->packing.buffer[i]] /
					 m->packing.unit);
	find_height(m);
	return true;
}

/* Offers the plan, if it is lower than it was. */
static bool offer(struct mender *m, int64_t before)
{
	find_height(m);
	if (m->height >= before)
		return true;
	mp_planner_packing_offsets(&m->packing, m->offset, m->bytes);
	return mp_planner_job_offer(m->job, m->bytes);
}

/* The target is a share of what is above the goal lower, and a smaller one
 * where that is out of reach. False: memory is out, or a plan was refused. */
static bool go_lower(struct mender *m)
{
	int64_t goal = mp_planner_packing_goal(&m->packing, m->job);
	int64_t share = FIRST_SHARE, turned = INT64_MAX;

	while (m->height > goal && may_go_on(m)) {
		int64_t before = m->height;
		int64_t less = (before - goal + share - 1) / share;
		enum result result = reach(m, before - less);

		if (result == NO_MEMORY || !offer(m, before))
			return false;
		if (result == MENDED)
			continue;
		share *= 2;
		if (less > 1)
			continue;
		if (m->height == turned)
			break;
		share = FIRST_SHARE;
		turned = m->height;
		turn_over(m);
	}
	return true;
}

/* Each round sees what the last one left, through other patches. */
static bool go_at_once(struct mender *m)
{
	int64_t goal = mp_planner_packing_goal(&m->packing, m->job);
	uint32_t vain = 0, n_mended;

	while (m->height > goal && vain < MOST_VAIN && may_go_on(m)) {
		int64_t before = m->height;

		if (mend_all(m, goal, true, &n_mended) == NO_MEMORY ||
			!offer(m, before))
			return false;
		vain = n_mended > 0 ? 0 : vain + 1;
	}
	return true;
}

enum outcome mp_planner_mend_run(struct job *job, int variant)
{
	struct mender mender;
	enum outcome outcome;
	bool fine;

	if (!mp_planner_job_is_plain(job))
		return PLAN_GAVE_UP;
	if (!mp_planner_dive_first(job, &outcome))
		return outcome;
	fine = mender_init(&mender, job) &&
	       (variant == MEND_AT_ONCE ? go_at_once(&mender)
					: go_lower(&mender));
	mp_planner_nogood_free(&mender.nogoods);
	if (!fine)
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}
