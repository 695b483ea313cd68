/* SPDX-License-Identifier: MIT */
#include "play.h"

static bool are_disjoint(
	const struct play_tensor *a, const struct play_tensor *b)
{
	return a->offset >= b->offset + b->size ||
	       b->offset >= a->offset + a->size;
}

static bool check_place(struct play *play, uint32_t i)
{
	const struct play_tensor *t = &play->tensors[i];

	if (t->offset < t->before || t->offset + t->size > play->arena_size)
		return mp_play_complain(play, "beyond the arena", i, i);
	if (t->placed && t->offset != t->fixed)
		return mp_play_complain(play, "not where it is fixed", i, i);
	if (t->of == NONE && t->offset % play->alignment != 0)
		return mp_play_complain(play, "askew", i, i);
	if (t->align && t->offset % t->align != 0)
		return mp_play_complain(
			play, "askew by its own alignment", i, i);
	if (t->of != NONE && t->offset != play->tensors[t->of].offset + t->at)
		return mp_play_complain(
			play, "not where its alias is", i, t->of);
	for (uint32_t k = 0; k < play->n_ranges; k++)
		if (mp_play_low(t) < play->ranges[k][0] + play->ranges[k][1] &&
			play->ranges[k][0] < mp_play_high(t))
			return mp_play_complain(
				play, "in reserved range", i, k);
	return true;
}

static bool check_group(struct play *play, const struct play_group *group)
{
	uint32_t last = NONE;

	for (uint32_t i = 0; i < group->n; i++) {
		const struct play_tensor *t = &play->tensors[group->members[i]];
		uint64_t at, align = num_max(play->alignment, t->align);

		if (!mp_play_takes_bytes(t))
			continue;
		at = last == NONE
			     ? t->offset
			     : num_up(play->tensors[last].offset +
					       num_up(play->tensors[last].size,
						       play->alignment),
				       align);
		if (t->offset != at)
			return mp_play_complain(
				play, "torn off", group->members[i], last);
		last = group->members[i];
	}
	return true;
}

bool mp_play_check_places(struct play *play)
{
	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (mp_play_takes_bytes(&play->tensors[i]) &&
			!check_place(play, i))
			return false;
	for (uint32_t i = 0; i < play->n_groups; i++)
		if (!check_group(play, &play->groups[i]))
			return false;
	for (uint32_t i = 0; i < play->n_pairs; i++) {
		uint32_t a = play->apart[i][0], b = play->apart[i][1];

		if (mp_play_takes_bytes(&play->tensors[a]) &&
			mp_play_takes_bytes(&play->tensors[b]) &&
			!are_disjoint(&play->tensors[a], &play->tensors[b]))
			return mp_play_complain(play, "not apart", a, b);
	}
	return true;
}
