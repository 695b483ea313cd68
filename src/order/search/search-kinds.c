/*
 * A bound from many ops of one kind, by one flow. When the first of them runs,
 * all ops have run that each of them waits for, and none of them has. When the
 * last of them has run, all have, and nothing that waits for each of them. That
 * is less than what is known of one member, but holds for all: where hundreds
 * of ops are alike, as the ends of a butterfly are, their tensors are alive at
 * once.
 *
 * The claim is one of a set: for each member a flow of its own is no smaller.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <string.h>

enum {
	MOST_KINDS = 12, /* that are tried */
	AT_ONCE = 64	 /* members looked at: bits of a word */
};

struct common {
	struct search *s;
	bool first;
	uint32_t members[MOST_BOUND_OPS], n;
	uint64_t *reach; /* of an op: bits of members that wait for it, or that
			    it waits for; and its own */
	bool *of_all;	 /* of an op: all do */
};

/* The op at a step of the best order, or counted from its end. */
static uint32_t op_at(const struct search *s, uint32_t i, bool from_end)
{
	return s->order[from_end ? s->view->n_ops - 1 - i : i];
}

/* Those that the best order runs first, or last. */
static void find_members(struct common *c, uint32_t kind)
{
	const struct search *s = c->s;

	for (uint32_t i = 0; i < s->view->n_ops && c->n < MOST_BOUND_OPS; i++) {
		uint32_t op = op_at(s, i, !c->first);

		if (s->kinds.of[op] == kind)
			c->members[c->n++] = op;
	}
}

/* Takes off what some of these members do not wait for, or what does not wait
 * for them. */
static void look_from(struct common *c, const uint32_t *members, uint32_t n)
{
	const struct view *view = c->s->view;
	uint64_t all = UINT64_MAX >> (AT_ONCE - n), others;

	memset(c->reach, 0, sizeof(*c->reach) * view->n_ops);
	for (uint32_t i = 0; i < n; i++)
		c->reach[members[i]] = UINT64_C(1) << i;
	for (uint32_t i = 0; i < view->n_ops; i++) {
		uint32_t op = op_at(c->s, i, c->first);
		struct ids next = c->first ? mp_lists_at(&view->behind, op)
					   : mp_lists_at(&view->before, op);

		others = 0;
		for (uint32_t k = 0; k < next.n; k++)
			others |= c->reach[next.at[k]];
		c->of_all[op] &= others == all;
		c->reach[op] |= others;
	}
}

/* False: some of them cannot be where they must. */
static bool force(struct common *c)
{
	struct cut *cut = &c->s->cut;
	bool fine = true;

	mp_order_cut_reset(cut);
	for (uint32_t i = 0; i < c->n && fine; i++)
		fine = c->first ? mp_order_cut_force_out(cut, c->members[i])
				: mp_order_cut_force_in(cut, c->members[i]);
	for (uint32_t op = 0; op < c->s->view->n_ops && fine; op++)
		if (c->of_all[op])
			fine = c->first ? mp_order_cut_force_in(cut, op)
					: mp_order_cut_force_out(cut, op);
	return fine;
}

/* What each of them needs beside; behind the last one, nothing. */
static uint64_t least_need(const struct common *c)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < c->n; i++)
		least = num_min(
			least, mp_order_search_need(c->s, c->members[i]));
	return c->first ? least : 0;
}

/* Is there an op for all of them? Then it is worth a flow. */
static bool find_common(struct common *c)
{
	uint32_t n_ops = c->s->view->n_ops;
	bool some = true;

	memset(c->of_all, true, n_ops);
	for (uint32_t i = 0; i < c->n && some; i += AT_ONCE) {
		look_from(c, c->members + i,
			(uint32_t)num_min(c->n - i, AT_ONCE));
		some = memchr(c->of_all, 1, n_ops) != NULL;
		mp_order_search_step(
			c->s, (n_ops + c->s->view->n_edges) / OPS_A_STEP);
	}
	return some;
}

static void bound_kind(struct common *c, uint32_t kind, bool first)
{
	struct search *s = c->s;
	uint64_t need;

	c->first = first;
	c->n = 0;
	find_members(c, kind);
	need = least_need(c);
	if (need >= s->peak || !find_common(c) || !force(c))
		return;
	mp_order_search_solve(s, 0, s->peak - need);
	mp_order_search_prove(
		s, s->cut.value + need, (struct ids){c->members, c->n}, first);
}

/* With in-place pairs fewer bytes may be alive while the last one runs than
 * behind it, in the flow of a member. */
bool mp_order_search_bound_kinds(struct search *s)
{
	struct arena_mark mark;
	struct common c = {.s = s};

	if (!mp_order_kinds_find(s))
		return false;
	mark = mp_arena_mark(s->arena);
	c.reach = NEW(s->arena, uint64_t, s->view->n_ops);
	c.of_all = NEW(s->arena, bool, s->view->n_ops);
	if (!c.reach || !c.of_all)
		return false;
	for (uint32_t i = 0; i < num_min(s->kinds.n, MOST_KINDS) &&
			     !s->kinds.bounded && !mp_order_search_done(s);
		i++) {
		bound_kind(&c, s->kinds.at[i].name, true);
		if (!s->view->pairs)
			bound_kind(&c, s->kinds.at[i].name, false);
	}
	s->kinds.bounded = true;
	mp_arena_rewind(s->arena, mark);
	return true;
}
