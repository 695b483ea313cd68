/*
 * Mutants of random graphs: each changes a field or a part of the structure.
 * Some are no legal graphs any more, which is for the reader to say.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/player.h"

/* ----------------------------------------------------------- fields */

/* Each changes one field of the tensor or op that an index names, by a value.
 */

static struct play_tensor *listed(struct play *play, uint32_t i)
{
	return &play->tensors[i % play->n_listed];
}

static struct play_op *op(struct play *play, uint32_t i)
{
	return &play->ops[i % play->n_ops];
}

/* With pools, what took no bytes has none, and what took some takes some: a
 * group may lie where a member with bytes says. */
static void set_size(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = &play->tensors[i % play->n_tensors];
	uint32_t size = value % 4096;

	if (play->n_pools == 0 || (t->n_pools > 0 && size > 0))
		t->size = size;
}

static void set_align(struct play *play, uint32_t i, uint32_t value)
{
	listed(play, i)->align = UINT64_C(1) << value % 12;
}

static void set_offset(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = listed(play, i);

	t->placed = value % 2 == 0;
	t->fixed = value / 2;
}

static void set_view(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = listed(play, i);

	if (t->of != NONE)
		t->at = value % (play->tensors[t->of].size + 1);
}

static void set_start(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = listed(play, i);

	t->start = value % play->n_steps;
	t->pause = t->resume = 0;
}

static void set_end(struct play *play, uint32_t i, uint32_t value)
{
	listed(play, i)->end = value % play->n_steps + 1;
}

/* The player wants a tensor to be alive in front of its gap. */
static void set_gap(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = listed(play, i);

	t->pause = t->start + 1 + value % 16;
	t->resume = t->pause + value / 16 % 16;
}

static void set_window(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = listed(play, i);

	t->low = value % 256 % (t->size + 1);
	t->high = value / 256 % (t->size + 1);
}

static void toggle_input(struct play *play, uint32_t i, uint32_t value)
{
	op(play, i)->inputs ^= PLAY_BIT(value % play->n_listed);
}

static void toggle_after(struct play *play, uint32_t i, uint32_t value)
{
	op(play, i)->after ^= 1u << value % play->n_ops;
}

static void set_stream(struct play *play, uint32_t i, uint32_t value)
{
	op(play, i)->stream = value % play->n_streams;
}

static void set_pair(struct play *play, uint32_t i, uint32_t value)
{
	if (play->n_pairs > 0)
		play->apart[i % play->n_pairs][value % 2] =
			value / 2 % play->n_listed;
}

static void set_range(struct play *play, uint32_t i, uint32_t value)
{
	if (play->n_ranges > 0)
		play->ranges[i % play->n_ranges][value % 2] = value / 2;
}

static void set_capacity(struct play *play, uint32_t i, uint32_t value)
{
	struct play_pool *pool;

	if (play->n_pools == 0)
		return;
	pool = &play->pools[i % play->n_pools];
	if (pool->chunk == 0)
		pool->capacity = value / pool->alignment * pool->alignment;
}

/* -------------------------------------------------------- structure */

static void set_in_place(struct play *play, uint32_t i, uint32_t value)
{
	struct play_op *o = op(play, i);
	uint32_t taker = value % play->n_listed;
	uint32_t given = value / 64 % play->n_listed;

	if ((o->outputs & PLAY_BIT(taker)) == 0 ||
		(o->inputs & PLAY_BIT(given)) == 0)
		taker = given = NONE;
	o->taker = taker;
	o->given = given;
}

static bool is_plain(const struct play *play, const struct play_tensor *t)
{
	return t->kind == KIND_ACTIVATION && !t->pinned && !t->external &&
	       t->of == NONE && play->outputs == POLICY_INSIDE;
}

static void become_output(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = listed(play, i);

	(void)value;
	if (!is_plain(play, t) || t->producer == NONE)
		return;
	t->kind = KIND_OUTPUT;
	t->to_end = true;
}

static void become_lifelong(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = listed(play, i);

	if (!is_plain(play, t))
		return;
	t->lifelong = value % 2 ? "all" : "end";
	t->from_start = value % 2;
	t->to_end = true;
}

/* A tensor and its aliases are of another branch. */
static void set_branch(struct play *play, uint32_t i, uint32_t value)
{
	uint32_t root = mp_testing_player_root(play, i % play->n_listed);

	for (uint32_t t = 0; t < play->n_listed && play->n_choices > 0; t++) {
		if (mp_testing_player_root(play, t) != root)
			continue;
		play->tensors[t].choice = value % play->n_choices;
		play->tensors[t].branch = value / PLAY_CHOICES % PLAY_BRANCHES;
	}
}

static void set_guard(struct play *play, uint32_t i, uint32_t value)
{
	const struct play_group *group;

	if (play->n_groups == 0)
		return;
	group = &play->groups[i % play->n_groups];
	play->tensors[group->members[0]].before = value % 64;
	play->tensors[group->members[group->n - 1]].after = value / 64 % 64;
}

static void swap_members(struct play *play, uint32_t i, uint32_t value)
{
	struct play_group *group;
	uint32_t first, last;

	if (play->n_groups == 0)
		return;
	group = &play->groups[i % play->n_groups];
	first = group->members[0];
	last = group->members[group->n - 1];
	if (first == last || play->tensors[first].before > 0 ||
		play->tensors[last].after > 0)
		return;
	(void)value;
	group->members[0] = last;
	group->members[group->n - 1] = first;
}

/* Prefers another pool. */
static void turn_pools(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = listed(play, i);
	uint32_t first = t->pools[0];

	if (play->n_pools == 0 || !t->names_pools || t->n_pools < 2 ||
		value % 2)
		return;
	for (uint32_t k = 0; k + 1 < t->n_pools; k++)
		t->pools[k] = t->pools[k + 1];
	t->pools[t->n_pools - 1] = first;
}

static void (*const mutants[])(struct play *, uint32_t, uint32_t) = {
	toggle_input, toggle_after, set_stream, set_in_place, set_size,
	set_align, set_offset, set_view, set_pair, set_range, set_capacity,
	become_output, become_lifelong, set_branch, set_guard, swap_members,
	turn_pools, set_start, set_end, set_gap, set_window};

enum {
	OF_OPS = 4,	  /* the first ones */
	OF_LIFETIMES = 4, /* the last ones */
};

static bool has_lifetimes(const struct play *play)
{
	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (play->tensors[i].pinned)
			return true;
	return false;
}

/* The guards of a group are those of its outermost members with bytes, which
 * other sizes may have made others. */
static void settle_guards(struct play *play, const struct play_group *group)
{
	struct play_tensor *first = NULL, *last = NULL;
	uint64_t before = 0, after = 0;

	for (uint32_t i = 0; i < group->n; i++) {
		struct play_tensor *t = &play->tensors[group->members[i]];

		before += t->before;
		after += t->after;
		t->before = t->after = 0;
		if (!mp_testing_player_takes_bytes(t))
			continue;
		first = first ? first : t;
		last = t;
	}
	if (!first)
		return;
	first->before = before;
	last->after = after;
}

/* The lifetimes of the document and its ops must not contradict each other, so
 * each are changed only where there are none of the other. */
void mp_testing_player_mutate(struct play *play, const uint8_t *bytes, size_t n)
{
	uint32_t first = has_lifetimes(play) ? OF_OPS : 0;
	uint32_t end = countof(mutants) - (play->has_ops ? OF_LIFETIMES : 0);

	for (; n >= 4; bytes += 4, n -= 4)
		mutants[first + bytes[0] % (end - first)](
			play, bytes[1], bytes[2] | (uint32_t)bytes[3] << 8);
	for (uint32_t g = 0; g < play->n_groups; g++)
		settle_guards(play, &play->groups[g]);
}
