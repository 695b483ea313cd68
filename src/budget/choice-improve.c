/*
 * Local search. One candidate, or two, goes and may not come back, or comes and
 * may not go; what then misses is added as in the first choice, and what is no
 * longer needed is taken back.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "budget/inside.h"

/* What cannot be chosen together with it goes. */
static void drop_excluded(struct choice *c, uint32_t candidate)
{
	const struct candidate *one = &c->at[candidate];

	for (uint32_t i = 0; c->again && i < c->n; i++) {
		struct candidate *other = &c->at[i];

		if (!other->chosen || i == candidate ||
			!mp_budget_choice_clash(one, other))
			continue;
		mp_budget_choice_toggle(c, i);
	}
}

static void change(struct choice *c, uint32_t candidate)
{
	if (!c->best[candidate])
		drop_excluded(c, candidate);
	c->at[candidate].tried = true;
	mp_budget_choice_toggle(c, candidate);
}

/* Is it better than the best? What came is not taken back: the best choice
 * would be what is left. */
static bool settle(struct choice *c)
{
	mp_budget_choice_add_until_it_fits(c);
	if (mp_budget_choice_keep_best(c))
		return true;
	mp_budget_choice_take_back(c);
	return mp_budget_choice_keep_best(c);
}

/* The second may be the first. */
static bool try_change(struct choice *c, uint32_t first, uint32_t second)
{
	assert(first < c->n && second < c->n);
	for (uint32_t i = 0; i < c->n; i++)
		c->at[i].tried = false;
	change(c, first);
	if (second != first && !c->at[second].tried &&
		c->at[second].chosen == c->best[second])
		change(c, second);
	if (settle(c))
		return true;
	mp_budget_choice_set(c, c->best);
	return false;
}

static bool may_change(const struct choice *c, uint32_t candidate, bool comes)
{
	return c->best[candidate] != comes &&
	       mp_budget_choice_is_open(c, &c->at[candidate]);
}

/* One after the other goes, or comes; true: some were better. */
static bool change_each(struct choice *c, bool comes)
{
	bool better = false;

	for (uint32_t i = 0; i < c->n && c->work > 0; i++)
		if (may_change(c, c->order[i], comes) &&
			try_change(c, c->order[i], c->order[i]))
			better = true;
	return better;
}

static void change_one(struct choice *c)
{
	do
		while (change_each(c, false))
			;
	while (change_each(c, true));
}

static bool change_two(struct choice *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		for (uint32_t j = 0; j < i && c->work > 0; j++)
			if (mp_budget_choice_is_open(c, &c->at[c->order[i]]) &&
				mp_budget_choice_is_open(
					c, &c->at[c->order[j]]) &&
				try_change(c, c->order[i], c->order[j]))
				return true;
	return false;
}

static void search(struct choice *c)
{
	do
		change_one(c);
	while (change_two(c));
}

/* The first search judges by one way to set the windows; where work is left,
 * the second by all. */
void mp_budget_choice_improve(struct choice *c)
{
	mp_budget_choice_set(c, c->best);
	if (c->n_over > 0 && c->job->mode != DETOUR_NONE)
		return; /* nothing can fit */
	c->pace.quick = c->pace.mode >= DETOUR_SEMI;
	search(c);
	if (!c->pace.quick)
		return;
	c->pace.quick = false;
	mp_budget_choice_keep_best(c);
	search(c);
}
