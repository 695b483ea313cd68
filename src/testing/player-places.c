/*
 * Checks that every tensor lies where it may: pools, alignment, ranges, groups.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/player.h"

static bool are_disjoint(
	const struct play_tensor *a, const struct play_tensor *b)
{
	return mp_testing_player_at(a) >= mp_testing_player_at(b) + b->size ||
	       mp_testing_player_at(b) >= mp_testing_player_at(a) + a->size;
}

static bool may_lie_there(const struct play *play, const struct play_tensor *t)
{
	for (uint32_t i = 0; i < t->n_pools; i++)
		if (t->pools[i] == play->spaces[t->space].pool)
			return true;
	return play->n_pools == 0;
}

static bool check_pool(struct play *play, uint32_t i)
{
	const struct play_tensor *t = &play->tensors[i];

	if (!may_lie_there(play, t))
		return mp_testing_player_complain(
			play, "in a pool that may not hold it", i, i);
	return play->n_pools == 0 || t->of != NONE ||
	       t->offset % play->pools[play->spaces[t->space].pool].alignment ==
		       0 ||
	       mp_testing_player_complain(play, "askew in its pool", i, i);
}

static bool is_in_range(const struct play *play, const struct play_tensor *t,
	const uint64_t *range, uint32_t pool)
{
	return (play->n_pools == 0 || play->spaces[t->space].pool == pool) &&
	       t->offset - t->before < range[0] + range[1] &&
	       range[0] < t->offset + t->size + t->after;
}

static uint64_t room_of(const struct play *play, const struct play_tensor *t)
{
	return play->n_pools > 0 ? play->spaces[t->space].size
				 : play->arena_size;
}

static bool check_place(struct play *play, uint32_t i)
{
	const struct play_tensor *t = &play->tensors[i];

	if (t->offset < t->before || t->offset + t->size > room_of(play, t))
		return mp_testing_player_complain(
			play, "beyond the arena", i, i);
	if (!check_pool(play, i))
		return false;
	if (t->placed && t->offset != t->fixed)
		return mp_testing_player_complain(
			play, "not where it is fixed", i, i);
	if (t->of == NONE && t->offset % play->alignment != 0)
		return mp_testing_player_complain(play, "askew", i, i);
	if (t->align && t->offset % t->align != 0)
		return mp_testing_player_complain(
			play, "askew by its own alignment", i, i);
	if (t->of != NONE &&
		mp_testing_player_at(t) !=
			mp_testing_player_at(&play->tensors[t->of]) + t->at)
		return mp_testing_player_complain(
			play, "not where its alias is", i, t->of);
	for (uint32_t k = 0; k < play->n_ranges; k++)
		if (is_in_range(play, t, play->ranges[k], play->range_pools[k]))
			return mp_testing_player_complain(
				play, "in reserved range", i, k);
	return true;
}

/* An alignment that is right in every pool that may hold the member. */
static uint64_t member_alignment(
	const struct play *play, const struct play_tensor *t)
{
	uint64_t align = num_max(play->alignment, t->align);

	for (uint32_t i = 0; i < t->n_pools; i++)
		align = num_max(align, play->pools[t->pools[i]].alignment);
	return align;
}

static bool check_group(struct play *play, const struct play_group *group)
{
	uint32_t last = NONE;

	for (uint32_t i = 0; i < group->n; i++) {
		const struct play_tensor *t = &play->tensors[group->members[i]];
		uint64_t at;

		if (!mp_testing_player_takes_bytes(t))
			continue;
		at = last == NONE
			     ? t->offset
			     : num_up(play->tensors[last].offset +
					       num_up(play->tensors[last].size,
						       play->alignment),
				       member_alignment(play, t));
		if (t->offset != at ||
			(last != NONE && t->space != play->tensors[last].space))
			return mp_testing_player_complain(
				play, "torn off", group->members[i], last);
		last = group->members[i];
	}
	return true;
}

/* Blocks of a pool share its capacity. */
static bool check_pools(struct play *play)
{
	uint64_t sums[PLAY_POOLS] = {0}, sum = 0;

	for (uint32_t i = 0; i < play->n_spaces; i++) {
		const struct play_space *space = &play->spaces[i];
		const struct play_pool *pool = &play->pools[space->pool];

		sum += space->size;
		sums[space->pool] += space->size;
		if ((pool->chunk && space->size > pool->chunk) ||
			(pool->capacity && sums[space->pool] > pool->capacity))
			return mp_testing_player_complain(
				play, "larger than its pool", i, space->pool);
	}
	return play->n_pools == 0 || sum == play->arena_size ||
	       mp_testing_player_complain(play, "pools and their sum", 0, 0);
}

bool mp_testing_player_check_places(struct play *play)
{
	if (!check_pools(play))
		return false;
	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (mp_testing_player_takes_bytes(&play->tensors[i]) &&
			!check_place(play, i))
			return false;
	for (uint32_t i = 0; i < play->n_groups; i++)
		if (!check_group(play, &play->groups[i]))
			return false;
	for (uint32_t i = 0; i < play->n_pairs; i++) {
		uint32_t a = play->apart[i][0], b = play->apart[i][1];

		if (mp_testing_player_takes_bytes(&play->tensors[a]) &&
			mp_testing_player_takes_bytes(&play->tensors[b]) &&
			!are_disjoint(&play->tensors[a], &play->tensors[b]))
			return mp_testing_player_complain(
				play, "not apart", a, b);
	}
	return true;
}
