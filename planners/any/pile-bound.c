/* SPDX-License-Identifier: MIT */
#include "planners/any/pile-bound.h"

#include "base/sort.h"

enum {
	PAIRS_A_STEP = 16,  /* pairs of parts that are looked at in 100 ns */
	SUBSETS_A_STEP = 32 /* sets of parts that get one more in 100 ns */
};

/* Where a part ends that lies as low as it can above that height. */
static uint64_t end_above(
	const struct problem *p, uint32_t part, uint64_t height)
{
	const struct part *at = &p->parts[part];
	uint64_t low = height - num_min(height, at->base);

	return num_up(low, p->buffers[at->buffer].align) + at->base + at->size;
}

/* A pile, each time of the part that ends with the fewest bytes lost. */
static uint64_t some_pile(
	const struct problem *p, const uint32_t *parts, uint32_t n)
{
	uint32_t left = (UINT32_C(1) << n) - 1;
	uint64_t height = 0;

	while (left) {
		uint64_t least = UINT64_MAX;
		uint32_t best = 0;

		for (uint32_t i = 0; i < n; i++) {
			uint64_t lost;

			if (!(left >> i & 1))
				continue;
			lost = end_above(p, parts[i], height) - height -
			       p->parts[parts[i]].size;
			if (lost < least)
				best = i;
			least = num_min(least, lost);
		}
		height = end_above(p, parts[best], height);
		left &= ~(UINT32_C(1) << best);
	}
	return height;
}

/* The least bytes of a pile. */
static uint64_t least_pile(const struct problem *p, const uint32_t *parts,
	uint32_t n, uint64_t *ends)
{
	uint32_t all = (UINT32_C(1) << n) - 1;

	ends[0] = 0;
	for (uint32_t set = 1; set <= all; set++) {
		ends[set] = UINT64_MAX;
		for (uint32_t bits = set; bits; bits &= bits - 1) {
			uint32_t i = (uint32_t)__builtin_ctz(bits);
			uint64_t below = ends[set & ~(UINT32_C(1) << i)];

			ends[set] = num_min(
				ends[set], end_above(p, parts[i], below));
		}
	}
	return ends[all];
}

uint64_t mp_planner_pile_work(uint32_t n)
{
	return ((uint64_t)n << n) / SUBSETS_A_STEP + 1;
}

bool mp_planner_pile_raise(struct job *job, const uint32_t *parts, uint32_t n)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint64_t bytes, *ends;

	mp_planner_job_step(job, n > PILE_MOST ? n : n * n / PAIRS_A_STEP + 1);
	if (n > PILE_MOST || mp_planner_pile_work(n) > job->steps ||
		some_pile(job->problem, parts, n) <= job->lower_bound)
		return true;
	ends = NEW(job->arena, uint64_t, UINT64_C(1) << n);
	if (!ends)
		return false;
	bytes = least_pile(job->problem, parts, n, ends);
	mp_planner_job_step(job, mp_planner_pile_work(n));
	mp_planner_job_prove(job, bytes, BOUND_SEARCH);
	mp_arena_rewind(job->arena, mark);
	return true;
}

/* Drops what ends at the step. */
static uint32_t drop_ended(
	const struct problem *p, uint32_t *alive, uint32_t n, uint32_t step)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < n; i++)
		if (p->parts[alive[i]].end > step)
			alive[left++] = alive[i];
	return left;
}

/* A step counts before a part ends, if some has begun since the last one. */
bool mp_planner_pile_raise_steps(struct job *job)
{
	const struct problem *p = job->problem;
	uint32_t *order = NEW(job->arena, uint32_t, p->n_parts);
	uint32_t *alive = NEW(job->arena, uint32_t, p->n_parts);
	uint64_t *key = NEW(job->arena, uint64_t, p->n_parts);
	uint32_t n = 0, at = 0;
	bool fine = order && alive && key;

	for (uint32_t i = 0; fine && i < p->n_parts; i++) {
		order[i] = i;
		key[i] = p->parts[i].start;
	}
	if (fine)
		mp_sort_radix(order, alive, p->n_parts, key);
	while (fine && at < p->n_parts && job->steps > 0) {
		uint32_t next = UINT32_MAX;

		n = drop_ended(p, alive, n, p->parts[order[at]].start);
		for (uint32_t i = 0; i < n; i++)
			if (p->parts[alive[i]].end < next)
				next = p->parts[alive[i]].end;
		while (at < p->n_parts && p->parts[order[at]].start < next) {
			if (p->parts[order[at]].end < next)
				next = p->parts[order[at]].end;
			alive[n++] = order[at++];
		}
		fine = mp_planner_pile_raise(job, alive, n);
	}
	return fine;
}
