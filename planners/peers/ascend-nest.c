/*
 * Level 2 of ascend: nesting. A child goes into a larger block if their
 * members live at different times. Members of the child that conflict with
 * those are split off into a clone, which stays in the list. Children are
 * placed left to right, and a gap that one leaves is never filled.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/peers/ascend.h"

#include <assert.h>
#include <string.h>

#include "base/heap.h"

enum {
	DEEPEST = 100, /* levels of nesting, as in GE */
	SLACK = 512,   /* bytes, as in GE: two rounded halves may exceed the
			  rounded whole */
};

struct nest {
	struct ascend *ascend;
	enum ascend_nesting nesting;
	struct keyed *keyed; /* scratch of the sort, and the list before it */
	uint32_t *before;
	uint32_t behind;   /* list position behind the child at hand */
	uint32_t n_clones; /* made of it; they stand at that position */
};

/* ------------------------------------------------------------- sort */

/* Small keys first; of equal ones, as they stand in the list. */
static struct keyed key_of(const struct nest *nest, uint32_t position)
{
	const struct block *block =
		&nest->ascend->blocks[nest->ascend->list[position]];
	struct keyed keyed = {~block->size, ~(uint64_t)block->begin, position};

	if (nest->nesting == NEST_ASCENDING)
		keyed.second = (uint64_t)block->n_members << 32 | block->begin;
	return keyed;
}

static void sort_from(struct nest *nest, uint32_t from)
{
	struct ascend *a = nest->ascend;

	for (uint32_t i = from; i < a->n_blocks; i++) {
		nest->keyed[i] = key_of(nest, i);
		nest->before[i] = a->list[i];
	}
	mp_keyed_sort(nest->keyed + from, a->n_blocks - from);
	for (uint32_t i = from; i < a->n_blocks; i++)
		a->list[i] = nest->before[nest->keyed[i].op];
	mp_planner_job_step(a->job, a->n_blocks - from);
}

/* ---------------------------------------------------------- members */

/* Divides the members of the child into those that are alive together with a
 * member of the parent, and the others. Both lists are in order of birth, so
 * that one walk is enough. */
static void divide_members(struct ascend *a, const struct block *parent,
	const struct block *child, struct block *meets, struct block *clear)
{
	const struct buffer *buffers = a->problem->buffers;
	uint32_t other = parent->first, after;

	for (uint32_t i = child->first; i != NONE; i = after) {
		after = a->next[i];
		a->next[i] = NONE;
		while (other != NONE && buffers[other].end <= buffers[i].start)
			other = a->next[other];
		mp_planner_ascend_join(a,
			other != NONE && buffers[other].start < buffers[i].end
				? meets
				: clear,
			i);
	}
}

/* Adds a clone right behind the child in the list. */
static void add_clone(struct nest *nest, const struct block *clone)
{
	struct ascend *a = nest->ascend;
	uint32_t at = nest->behind + nest->n_clones++;

	assert(at <= a->n_blocks && a->n_blocks < a->problem->n_buffers);
	memmove(a->list + at + 1, a->list + at,
		sizeof(*a->list) * (a->n_blocks - at));
	a->list[at] = a->n_blocks;
	a->blocks[a->n_blocks++] = *clone;
}

/* Leaves the child with the members that do not conflict with the parent's.
 * False: there would be none. */
static bool split_off_conflicts(
	struct nest *nest, uint32_t parent, uint32_t child)
{
	struct ascend *a = nest->ascend;
	const struct block *outer = &a->blocks[parent];
	struct block *inner = &a->blocks[child];
	struct block meets = *inner, clear;

	if (inner->begin >= outer->end || outer->begin >= inner->end)
		return true;
	meets.first = meets.last = NONE;
	meets.size = meets.n_members = 0;
	clear = meets;
	divide_members(a, outer, inner, &meets, &clear);
	if (clear.first == NONE)
		return false;
	*inner = clear;
	if (meets.first != NONE)
		add_clone(nest, &meets);
	return true;
}

/* ---------------------------------------------------------- nesting */

/* Places the child behind the other children of the parent, if there is room.
 */
static bool append_child(struct ascend *a, uint32_t parent, uint32_t child)
{
	struct block *outer = &a->blocks[parent], *inner = &a->blocks[child];
	uint64_t slack = inner->size > SLACK ? SLACK : 0;

	if (outer->filled + inner->size > outer->size + slack)
		return false;
	outer->filled += inner->size;
	inner->parent = parent;
	a->nested[a->n_nested++] = child;
	if (outer->first_child == NONE)
		outer->first_child = child;
	else
		a->blocks[outer->last_child].next_sibling = child;
	outer->last_child = child;
	return true;
}

/* Tries the tree below a root as parents: the children of a block first, then
 * the block itself. A block in conflict is skipped with all below it. */
static void nest_block(struct nest *nest, uint32_t root, uint32_t child)
{
	struct ascend *a = nest->ascend;
	uint32_t at = root, depth = 1;

	for (;;) {
		bool open = depth <= DEEPEST &&
			    split_off_conflicts(nest, at, child);

		if (open && a->blocks[at].first_child != NONE) {
			at = a->blocks[at].first_child;
			depth++;
			continue;
		}
		if (open && append_child(a, at, child))
			return;
		/* Up to the next sibling. The children of parents on the way
		 * had no room: the parents are tried themselves. */
		while (at != root && a->blocks[at].next_sibling == NONE) {
			at = a->blocks[at].parent;
			depth--;
			if (append_child(a, at, child))
				return;
		}
		if (at == root)
			return;
		at = a->blocks[at].next_sibling;
	}
}

static bool fill_block(struct nest *nest, uint32_t position)
{
	struct ascend *a = nest->ascend;
	uint32_t root = a->list[position];

	for (uint32_t i = position + 1; i < a->n_blocks; i++) {
		const struct block *block = &a->blocks[a->list[i]];

		if (!mp_planner_job_step(a->job, 1 + block->n_members / 8))
			return false;
		if (block->parent != NONE || block->first_child != NONE)
			continue;
		nest->behind = i + 1;
		nest->n_clones = 0;
		nest_block(nest, root, a->list[i]);
		if (nest->n_clones > 0)
			sort_from(nest, i + 1);
	}
	return true;
}

/* The rule of 2020: of two blocks the smaller goes into the larger, whole, and
 * never into a child of it. */
static void nest_pair(struct ascend *a, uint32_t one, uint32_t other)
{
	bool swap = a->blocks[one].size < a->blocks[other].size;
	uint32_t parent = swap ? other : one, child = swap ? one : other;
	const struct block *outer = &a->blocks[parent];
	const struct block *inner = &a->blocks[child];

	if (inner->first_child != NONE || outer->parent != NONE ||
		inner->parent != NONE)
		return;
	if (inner->begin >= outer->end || outer->begin >= inner->end)
		append_child(a, parent, child);
}

static void nest_unsorted(struct ascend *a)
{
	for (uint32_t i = 0; i < a->n_blocks; i++)
		for (uint32_t k = i + 1; k < a->n_blocks; k++) {
			if (!mp_planner_job_step(a->job, 1))
				return;
			nest_pair(a, i, k);
		}
}

bool mp_planner_ascend_nest(struct ascend *a, enum ascend_nesting nesting)
{
	struct nest nest = {.ascend = a, .nesting = nesting};
	uint32_t n = a->problem->n_buffers;

	for (uint32_t i = 0; i < a->n_blocks; i++)
		a->list[i] = i;
	if (nesting == NEST_UNSORTED)
		nest_unsorted(a);
	if (nesting == NEST_NOT || nesting == NEST_UNSORTED)
		return true;
	nest.keyed = NEW(a->job->arena, struct keyed, n);
	nest.before = NEW(a->job->arena, uint32_t, n);
	if (!nest.keyed || !nest.before)
		return false;
	sort_from(&nest, 0);
	for (uint32_t i = 0; i < a->n_blocks; i++)
		if (a->blocks[a->list[i]].parent == NONE &&
			!fill_block(&nest, i))
			break;
	return true;
}
