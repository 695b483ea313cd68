/*
 * The deaths that can come next.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/set-steps.h"

#include "order/search/certificate.h"

static bool has_pairs(
	const struct graph *graph, const struct order_bound *claim)
{
	for (uint32_t op = 0; op < graph->n_ops; op++)
		for (uint32_t i = 0; i < graph->ops[op].n_inplace; i++)
			if (mp_order_certificate_is_pair(graph, claim, op,
				    &graph->ops[op].inplace[i]))
				return true;
	return false;
}

/* ----------------------------------------------------------- groups */

static bool may_die(const struct set_steps *s, uint32_t t)
{
	const struct graph *g = s->walk->graph;

	return !mp_order_certificate_is_kept(&g->tensors[t]) &&
	       mp_order_certificate_bytes(g, &g->tensors[t]) > 0;
}

/* Without users a tensor dies with the op that writes it. */
static struct ids users_of(const struct set_steps *s, uint32_t t)
{
	struct ids users = mp_lists_at(&s->walk->users, t);
	const struct tensor *tensor = &s->walk->graph->tensors[t];

	return users.n > 0 || tensor->producer == NONE
		       ? users
		       : (struct ids){&tensor->producer, 1};
}

static bool writes_dead(const struct set_steps *s, struct ids outputs)
{
	for (uint32_t i = 0; i < outputs.n; i++)
		if (mp_lists_at(&s->walk->users, outputs.at[i]).n == 0 &&
			may_die(s, outputs.at[i]))
			return true;
	return false;
}

/* Does a tensor die at the op, whatever else runs? */
static bool frees(struct set_steps *s, uint32_t op)
{
	struct ids used = mp_lists_at(&s->walk->used, op);

	s->walk->looks += used.n;
	for (uint32_t i = 0; i < used.n; i++)
		if (s->walk->left[used.at[i]] == 1 && may_die(s, used.at[i]))
			return true;
	return s->dead[op];
}

static void begin_group(struct set_steps *s, uint32_t last)
{
	s->round++;
	s->bytes = 0;
	s->first = s->n_ops;
	s->last = last;
	s->given_up = false;
}

/* If another op frees a tensor, that is a step, with ops of this one only. */
static void enter(struct set_steps *s, uint32_t op)
{
	if (mp_order_walk_ran(s->walk, op) || s->group_of[op] == s->round)
		return;
	s->group_of[op] = s->round;
	s->next[op] = 0;
	s->stack[s->depth++] = op;
	s->given_up = op != s->last && frees(s, op);
}

static bool add_op(struct set_steps *s, uint32_t op)
{
	const struct set_walk *w = s->walk;

	s->ops = mp_arena_grow(
		s->arena, s->ops, s->n_ops, &s->ops_room, sizeof(*s->ops));
	if (!s->ops)
		return false;
	s->ops[s->n_ops++] = op;
	s->bytes += s->writes[op];
	s->given_up = w->alive >= w->claim->bytes ||
		      s->bytes >= w->claim->bytes - w->alive;
	return true;
}

/* Adds the op to the group, behind all that it waits for. False: memory is out.
 */
static bool take(struct set_steps *s, uint32_t op)
{
	s->depth = 0;
	enter(s, op);
	while (s->depth > 0 && !s->given_up) {
		struct ids before;

		s->walk->looks++;
		op = s->stack[s->depth - 1];
		before = s->walk->graph->ops[op].before;
		if (s->next[op] < before.n) {
			enter(s, before.at[s->next[op]++]);
			continue;
		}
		s->depth--;
		if (!add_op(s, op))
			return false;
	}
	return true;
}

/* Makes a group of what must run for the tensor to die. */
static bool take_users(struct set_steps *s, uint32_t t)
{
	struct ids users = users_of(s, t);
	uint32_t last = NONE;

	s->walk->looks += 1 + users.n;
	s->n_left = 0;
	for (uint32_t i = 0; i < users.n; i++)
		if (!mp_order_walk_ran(s->walk, users.at[i])) {
			last = users.at[i];
			s->n_left++;
		}
	begin_group(s, s->n_left == 1 ? last : NONE);
	s->given_up = s->n_left == 0;
	for (uint32_t i = 0; i < users.n && !s->given_up; i++)
		if (!take(s, users.at[i]))
			return false;
	return true;
}

static bool add_step(struct set_steps *s)
{
	s->at = mp_arena_grow(s->arena, s->at, s->n, &s->room, sizeof(*s->at));
	if (!s->at)
		return false;
	s->at[s->n++] = (struct set_step){s->first, s->n_ops - s->first};
	return true;
}

/* ----------------------------------------------------------- deaths */

static bool dies_in_group(struct set_steps *s, uint32_t t)
{
	struct ids users = users_of(s, t);

	s->walk->looks += users.n;
	for (uint32_t i = 0; i < users.n; i++)
		if (!mp_order_walk_ran(s->walk, users.at[i]) &&
			s->group_of[users.at[i]] != s->round)
			return false;
	return may_die(s, t);
}

/* Does one of these die in the group with fewer ops than the tensor, or, listed
 * before it, with the same ones? */
static bool dies_before(struct set_steps *s, struct ids others, uint32_t tensor)
{
	uint32_t size = s->size_of[tensor];

	for (uint32_t i = 0; i < others.n; i++) {
		uint32_t t = others.at[i];

		if (dies_in_group(s, t) &&
			(s->size_of[t] < size ||
				(t < tensor && s->size_of[t] == size)))
			return true;
	}
	return false;
}

static bool is_first(struct set_steps *s, uint32_t tensor)
{
	for (uint32_t i = s->first; i < s->n_ops; i++) {
		const struct op *op = &s->walk->graph->ops[s->ops[i]];
		struct ids used = mp_lists_at(&s->walk->used, s->ops[i]);

		if (dies_before(s, used, tensor) ||
			dies_before(s, op->outputs, tensor) ||
			dies_before(s, op->temporaries, tensor))
			return false;
	}
	return true;
}

/* Fills size_of. any: a tensor may die, within the bound or not. */
static bool find_sizes(struct set_steps *s, bool *any)
{
	*any = false;
	s->walk->looks += 2 * (uint64_t)s->walk->graph->n_tensors;
	for (uint32_t t = 0; t < s->walk->graph->n_tensors; t++) {
		s->size_of[t] = NONE;
		if (!may_die(s, t))
			continue;
		if (!take_users(s, t))
			return false;
		*any |= s->n_left > 0;
		if (!s->given_up)
			s->size_of[t] = s->n_ops - s->first;
		s->n_ops = s->first;
	}
	return true;
}

static bool add_deaths(struct set_steps *s)
{
	for (uint32_t t = 0; t < s->walk->graph->n_tensors; t++) {
		if (s->size_of[t] == NONE)
			continue;
		if (!take_users(s, t))
			return false;
		if (!is_first(s, t))
			s->n_ops = s->first;
		else if (!add_step(s))
			return false;
	}
	return true;
}

static bool add_rest(struct set_steps *s)
{
	begin_group(s, NONE);
	for (uint32_t op = 0; op < s->walk->graph->n_ops; op++)
		if (!s->given_up && !take(s, op))
			return false;
	if (!s->given_up)
		return add_step(s);
	s->n_ops = s->first;
	return true;
}

static bool add_ready(struct set_steps *s)
{
	for (uint32_t op = 0; op < s->walk->graph->n_ops; op++) {
		if (!mp_order_walk_may_run(s->walk, op))
			continue;
		begin_group(s, op);
		if (!add_op(s, op) || !add_step(s))
			return false;
	}
	return true;
}

bool mp_order_steps_find(struct set_steps *s)
{
	bool any;

	if (s->pairs)
		return add_ready(s);
	return find_sizes(s, &any) && (any ? add_deaths(s) : add_rest(s));
}

bool mp_order_steps_init(
	struct set_steps *s, struct set_walk *walk, struct arena *arena)
{
	const struct graph *g = walk->graph;

	*s = (struct set_steps){.walk = walk,
		.pairs = has_pairs(g, walk->claim),
		.writes = NEW(arena, uint64_t, g->n_ops),
		.dead = NEW(arena, bool, g->n_ops),
		.group_of = NEW(arena, uint64_t, g->n_ops),
		.size_of = NEW(arena, uint32_t, g->n_tensors),
		.next = NEW(arena, uint32_t, g->n_ops),
		.stack = NEW(arena, uint32_t, g->n_ops),
		.arena = arena};
	if (!s->writes || !s->dead || !s->group_of || !s->size_of || !s->next ||
		!s->stack)
		return false;
	for (uint32_t op = 0; op < g->n_ops; op++) {
		s->writes[op] = mp_order_certificate_need(
			g, walk->claim, op, walk->left);
		s->dead[op] = writes_dead(s, g->ops[op].outputs) ||
			      writes_dead(s, g->ops[op].temporaries);
	}
	return true;
}

void mp_order_steps_run(const struct set_steps *steps, uint32_t i)
{
	struct set_step step = steps->at[i];

	for (uint32_t k = 0; k < step.n; k++)
		mp_order_walk_run(steps->walk, steps->ops[step.from + k]);
}
