/*
 * ascend: the rows, level 1 (blocks by size classes), and the offsets of the
 * blocks after either level.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/peers/ascend.h"

#include <assert.h>

#include "base/search.h"
#include "base/sort.h"
#include "planners/peers/rows.h"

struct variant {
	enum ascend_classes classes;
	enum ascend_nesting nesting;
	bool oldest_first; /* of free blocks; else the newest */
};

static const struct variant variants[] = {
	[ASCEND_MAX] = {CLASSES_MAX, NEST_NOT, false},
	[ASCEND_BINARY_2020] = {CLASSES_2020, NEST_NOT, false},
	[ASCEND_BINARY_2026] = {CLASSES_2026, NEST_NOT, false},
	[ASCEND_EXACT] = {CLASSES_EXACT, NEST_NOT, false},
	[ASCEND_TWO_LEVEL] = {CLASSES_EXACT, NEST_ASCENDING, false},
	[ASCEND_TWO_LEVEL_2020] = {CLASSES_2020, NEST_UNSORTED, false},
	[ASCEND_RANGE_NEWEST] = {CLASSES_2020, NEST_ASCENDING, false},
	[ASCEND_RANGE_NEWEST_LATE] = {CLASSES_2020, NEST_DESCENDING, false},
	[ASCEND_RANGE_OLDEST] = {CLASSES_2020, NEST_ASCENDING, true},
	[ASCEND_RANGE_OLDEST_LATE] = {CLASSES_2020, NEST_DESCENDING, true},
};

/* Free blocks of each class, in lists that are used as stacks or as queues. */
struct pool {
	uint64_t *sizes; /* distinct classes, ascending */
	uint32_t *head;	 /* block, or NONE */
	uint32_t *tail;
	uint32_t n;
	bool oldest_first;
};

/* ------------------------------------------------------------ sizes */

/* True if the size that the tensors of a buffer have, before rounding, is that
 * of the buffer: a group also has guards. */
static bool is_size_of_tensors(const struct ascend *a, uint32_t buffer)
{
	uint64_t size = a->size[buffer];
	uint64_t all = a->problem->buffers[buffer].size;

	return 0 < size && size <= all && all <= num_up(size, a->grain);
}

static bool find_sizes(struct ascend *a, struct arena *arena)
{
	const struct problem *p = a->problem;

	if (!mp_problem_buffer_uses(p, &a->uses, arena))
		return false;
	a->grain = p->alignment;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		a->grain = num_max(a->grain, p->buffers[i].align);
		a->next[i] = NONE;
	}
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		a->size[i] = a->uses.of[i].bytes;
		if (!is_size_of_tensors(a, i))
			a->size[i] = p->buffers[i].size;
	}
	return true;
}

/* The class size of every buffer; its own size where there is no class. */
static void classify(
	const struct ascend *a, enum ascend_classes rule, uint64_t *classes)
{
	uint64_t ranges[64] = {0};
	uint32_t n = a->problem->n_buffers, n_ranges = 0, k;

	for (uint32_t i = 0; i < n; i++)
		classes[i] = a->size[i];
	switch (rule) {
	case CLASSES_EXACT:
		for (uint32_t i = 0; i < n; i++)
			classes[i] = num_up(a->size[i], a->grain);
		return;
	case CLASSES_MAX:
		for (uint32_t i = 0; i < n; i++)
			ranges[0] = num_max(ranges[0], a->size[i]);
		n_ranges = 1;
		break;
	case CLASSES_2020:
	case CLASSES_2026:
		n_ranges = mp_planner_ascend_ranges(a->size, n, rule, ranges);
		break;
	}
	for (uint32_t i = 0; i < n; i++) {
		k = mp_search_u64(ranges, n_ranges, a->size[i]);
		if (k < n_ranges)
			classes[i] = ranges[k];
	}
}

static bool pool_init(struct pool *pool, const uint64_t *classes, uint32_t n,
	struct arena *arena)
{
	pool->sizes = NEW(arena, uint64_t, n);
	pool->head = NEW(arena, uint32_t, n);
	pool->tail = NEW(arena, uint32_t, n);
	if (!pool->sizes || !pool->head || !pool->tail)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		pool->sizes[i] = classes[i];
		pool->head[i] = NONE;
	}
	pool->n = mp_sort_unique_u64(pool->sizes, n);
	return true;
}

/* ------------------------------------------------------------ turns */

/* Why a buffer ends at a step; these come first. */
enum {
	READ_LAST,  /* the op of this step is the last to read it */
	OTHERWISE,  /* no op determines its end */
	NEVER_READ, /* made by the op of this step, read by none */
	GROUPS,
};

/* The order in which buffers take blocks, and in which they release them: ops
 * in execution order, outputs before temporaries; released in the order of the
 * inputs of their last reader, then buffers that no op has read. Plans depend
 * on it: swapping the inputs of one op changes a plan. */
static bool find_turns(const struct ascend *a, uint32_t *births,
	uint32_t *releases, struct arena *arena)
{
	const struct problem *p = a->problem;
	struct arena_mark mark = mp_arena_mark(arena);
	uint64_t *key = NEW(arena, uint64_t, p->n_buffers);
	uint64_t *turn = NEW(arena, uint64_t, p->n_buffers);
	uint32_t *spare = NEW(arena, uint32_t, p->n_buffers);

	if (!key || !turn || !spare)
		return false;
	/* Tensors that no op makes come before the ops, hence turn 0. */
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		births[i] = i;
		key[i] = (uint64_t)p->buffers[i].start << 32 |
			 a->uses.of[i].made;
	}
	mp_sort_radix(births, spare, p->n_buffers, key);
	/* A tensor read twice by an op is released at the second time. */
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		uint32_t buffer = births[i];
		const struct buffer *b = &p->buffers[buffer];

		releases[i] = i;
		key[buffer] = (uint64_t)b->end * GROUPS + OTHERWISE;
		if (a->uses.n_ops > 0 && b->start + 1 == b->end) {
			key[buffer] = (uint64_t)b->end * GROUPS + NEVER_READ;
			turn[buffer] = i;
		}
		if (a->uses.of[buffer].read != NONE) {
			key[buffer] = (uint64_t)b->end * GROUPS + READ_LAST;
			turn[buffer] = a->uses.of[buffer].read;
		}
	}
	/* The sort is stable: the most important key comes last. */
	mp_sort_radix(releases, spare, p->n_buffers, turn);
	mp_sort_radix(releases, spare, p->n_buffers, key);
	mp_arena_rewind(arena, mark);
	return true;
}

/* ---------------------------------------------------------- level 1 */

static void release_block(struct ascend *a, struct pool *pool, uint32_t index)
{
	struct block *block = &a->blocks[index];
	uint32_t k = mp_search_u64(pool->sizes, pool->n, block->class_size);

	block->next_free = NONE;
	if (pool->head[k] == NONE) {
		pool->head[k] = pool->tail[k] = index;
	} else if (pool->oldest_first) {
		a->blocks[pool->tail[k]].next_free = index;
		pool->tail[k] = index;
	} else {
		block->next_free = pool->head[k];
		pool->head[k] = index;
	}
}

/* A free block of the class, or a new one. */
static uint32_t take_block(
	struct ascend *a, struct pool *pool, uint64_t class_size)
{
	uint32_t k = mp_search_u64(pool->sizes, pool->n, class_size);
	uint32_t index = pool->head[k];

	assert(k < pool->n && pool->sizes[k] == class_size);
	if (index != NONE) {
		pool->head[k] = a->blocks[index].next_free;
		return index;
	}
	a->blocks[a->n_blocks] = (struct block){.class_size = class_size,
		.first = NONE,
		.last = NONE,
		.first_child = NONE,
		.last_child = NONE,
		.next_sibling = NONE,
		.parent = NONE,
		.next_free = NONE};
	return a->n_blocks++;
}

void mp_planner_ascend_join(
	struct ascend *a, struct block *block, uint32_t buffer)
{
	const struct buffer *b = &a->problem->buffers[buffer];

	assert(block->first == NONE || block->end <= b->start);
	if (block->first == NONE) {
		block->first = buffer;
		block->begin = b->start;
	} else {
		a->next[block->last] = buffer;
	}
	block->last = buffer;
	block->end = b->end;
	block->size = num_max(block->size, num_up(a->size[buffer], a->grain));
	block->n_members++;
}

static bool make_blocks(struct ascend *a, const struct variant *variant)
{
	const struct problem *p = a->problem;
	struct arena *arena = a->job->arena;
	struct pool pool = {.oldest_first = variant->oldest_first};
	uint32_t *births = NEW(arena, uint32_t, p->n_buffers), released = 0;
	uint32_t *releases = NEW(arena, uint32_t, p->n_buffers);
	uint32_t *block_of = NEW(arena, uint32_t, p->n_buffers);
	uint64_t *classes = NEW(arena, uint64_t, p->n_buffers);

	if (!births || !releases || !block_of || !classes ||
		!find_turns(a, births, releases, arena))
		return false;
	classify(a, variant->classes, classes);
	if (!pool_init(&pool, classes, p->n_buffers, arena))
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		uint32_t buffer = births[i], step = p->buffers[buffer].start;

		/* A buffer that has ended by this step was born before it. */
		for (; p->buffers[releases[released]].end <= step; released++)
			release_block(a, &pool, block_of[releases[released]]);
		block_of[buffer] = take_block(a, &pool, classes[buffer]);
		mp_planner_ascend_join(a, &a->blocks[block_of[buffer]], buffer);
	}
	return true;
}

/* ----------------------------------------------------------- layout */

/* Sets the offsets of the children in their parents, side by side. A block
 * grows if they are larger together than its largest member, as the slack of
 * level 2 allows. It is nested before its children are. */
static void settle_children(struct ascend *a)
{
	struct block *block;

	for (uint32_t i = 0; i < a->n_blocks; i++)
		a->blocks[i].filled = 0;
	for (uint32_t i = a->n_nested; i-- > 0;) {
		block = &a->blocks[a->nested[i]];
		block->size = num_max(block->size, block->filled);
		a->blocks[block->parent].filled += block->size;
	}
	for (uint32_t i = 0; i < a->n_blocks; i++) {
		block = &a->blocks[i];
		block->size = num_max(block->size, block->filled);
		block->filled = 0;
	}
	for (uint32_t i = 0; i < a->n_nested; i++) {
		block = &a->blocks[a->nested[i]];
		block->offset = a->blocks[block->parent].filled;
		a->blocks[block->parent].filled += block->size;
	}
}

static void lay_out(struct ascend *a, uint64_t *offsets)
{
	uint64_t top = 0;
	struct block *block;

	settle_children(a);
	for (uint32_t i = 0; i < a->n_blocks; i++) {
		block = &a->blocks[a->list[i]];
		if (block->parent != NONE)
			continue;
		block->offset = top;
		top += block->size;
	}
	for (uint32_t i = 0; i < a->n_nested; i++) {
		block = &a->blocks[a->nested[i]];
		block->offset += a->blocks[block->parent].offset;
	}
	for (uint32_t i = 0; i < a->n_blocks; i++)
		for (uint32_t k = a->blocks[i].first; k != NONE; k = a->next[k])
			offsets[k] = a->blocks[i].offset;
}

/* ------------------------------------------------------------- rows */

static bool ascend_init(struct ascend *a, struct job *job)
{
	uint32_t n = job->problem->n_buffers;

	*a = (struct ascend){.job = job, .problem = job->problem};
	a->size = NEW(job->arena, uint64_t, n);
	a->next = NEW(job->arena, uint32_t, n);
	a->blocks = NEW(job->arena, struct block, n);
	a->list = NEW(job->arena, uint32_t, n);
	a->nested = NEW(job->arena, uint32_t, n);
	if (!a->size || !a->next || !a->blocks || !a->list || !a->nested)
		return false;
	return find_sizes(a, job->arena);
}

enum outcome mp_planner_ascend_run(struct job *job, int variant)
{
	const struct variant *row;
	uint64_t *offsets = NEW(job->arena, uint64_t, job->problem->n_buffers);
	struct ascend ascend;

	assert(mp_planner_job_is_sound(job));
	assert(variant >= 0 && (size_t)variant < countof(variants));
	row = &variants[variant];
	if (mp_problem_has_fixed(job->problem) || job->problem->apart)
		return mp_planner_job_decline(
			job, "takes no fixed offsets and no pairs apart");
	if (!offsets || !ascend_init(&ascend, job) ||
		!make_blocks(&ascend, row) ||
		!mp_planner_ascend_nest(&ascend, row->nesting))
		return PLAN_FAILED;
	lay_out(&ascend, offsets);
	if (!mp_planner_job_offer(job, offsets))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}

/* The engine's own choice: the smaller of the two, of equal ones the first. */
enum outcome mp_planner_ascend_choose(struct job *job, int variant)
{
	enum outcome outcome = mp_planner_ascend_run(job, variant);

	if (outcome != PLAN_FOUND)
		return outcome;
	return mp_planner_ascend_run(job, ASCEND_MAX);
}
