/*
 * From the plan of a rewritten graph back to the detours and the order that it
 * was rewritten with. A plan is not trusted: what is found need not be what
 * the plan is, but the graph can be rewritten with it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "budget/inside.h"

#include <string.h>

enum added {
	KEPT,
	SWAP_OUT,
	SWAP_IN,
	RECOMPUTE,
	N_ADDED
};

static const char *const added[N_ADDED] = {
	[SWAP_OUT] = "swap-out",
	[SWAP_IN] = "swap-in",
	[RECOMPUTE] = "recompute",
};

struct search {
	const struct graph *graph, *plan;
	struct tags called; /* what is added to the graph */
	struct names tags;  /* of the graph's tensors */
	uint32_t *base;	    /* of a tensor of the plan: that of the graph */
	bool *own;	    /* of a tensor of the plan: the graph has its id */
	uint32_t *order;    /* what was found of it */
	uint32_t n_kept;
	bool *is_kept;	  /* of an op of the graph: it is in the order */
	uint32_t n_loose; /* ops from 0 on that are, or are not loose */
	bool *left;	  /* of a tensor: it was copied out */
	uint32_t *out;	  /* of a tensor: step of its last copy out; NONE: none
			     is new */
	uint32_t *turn;	  /* of a tensor: which copy out that is, from 1 on */
	uint32_t *used;	  /* of a tensor: step of its last use by an op of the
			     graph, or NONE */
	bool beside;	  /* a copy has a stream that the graph has not */
	uint32_t n_left;
	struct detour *detours;
	uint32_t n;
	uint32_t *again, n_again; /* ops that run again for one detour */
	struct arena *arena;
};

/* ---------------------------------------------------------- tensors */

/* Tensors of the graph have the id that they had there. */
static bool find_bases(struct search *s)
{
	struct names ids;

	if (!mp_graph_ids(s->graph, &ids, s->arena) ||
		!mp_budget_tags_init(&s->called, s->graph, 0, s->arena) ||
		!mp_names_init(&s->tags, s->graph->n_tensors, s->arena))
		return false;
	for (uint32_t t = 0; t < s->plan->n_tensors; t++) {
		const char *id = s->plan->tensors[t].id;

		s->base[t] = id ? mp_names_find(&ids, id) : NONE;
		s->own[t] = s->base[t] != NONE;
	}
	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		mp_names_add(&s->tags, s->called.of[t], t);
	return true;
}

static bool may_leave(const struct search *s, uint32_t t)
{
	return t != NONE && s->graph->tensors[t].kind != KIND_TEMPORARY &&
	       !s->graph->tensors[t].external;
}

/* ------------------------------------------------------------ added */

/* What has a result of the graph is the graph's own op, whatever it is called.
 * Copies out are what is added without results, as those lie outside: none is
 * called like an op of the graph. */
static bool is_added(
	const struct search *s, const struct op *op, enum added kind)
{
	struct ids made = op->outputs.n ? op->outputs : op->temporaries;

	if (made.n > 0)
		return !s->own[made.at[0]];
	return kind == SWAP_OUT &&
	       mp_names_find(&s->called.ops, op->name) == NONE;
}

/* The op says what it is. What it copies out is what it reads; else it says of
 * which tensor it is. */
static enum added kind_of(
	const struct search *s, const struct op *op, uint32_t *tensor)
{
	for (uint32_t i = SWAP_OUT; op->type && i < N_ADDED; i++) {
		size_t length = strlen(added[i]);

		if (strcmp(op->type, added[i]) != 0 ||
			strncmp(op->name, added[i], length) != 0 ||
			op->name[length] != ' ' ||
			!is_added(s, op, (enum added)i))
			continue;
		if (i != SWAP_OUT)
			*tensor =
				mp_names_find(&s->tags, op->name + length + 1);
		else if (op->inputs.n == 1)
			*tensor = s->base[op->inputs.at[0]];
		return (enum added)i;
	}
	return KEPT;
}

static bool add_detour(struct search *s, uint32_t tensor, bool again)
{
	struct detour *d = &s->detours[s->n];

	if (s->n_kept == 0 || s->n_kept >= s->graph->n_ops)
		return false;
	if (s->used[tensor] == NONE)
		return false;
	*d = (struct detour){.tensor = tensor,
		.last_use = s->used[tensor],
		.out_step = s->n_kept - 1,
		.in_step = s->n_kept,
		.in_turn = ++s->n,
		.recompute = again};
	return true;
}

static bool take_copy_out(struct search *s, const struct op *op, uint32_t t)
{
	if (!may_leave(s, t) || s->left[t] || s->n_kept == 0)
		return false;
	s->beside |= op->stream >= s->graph->n_streams;
	s->left[t] = true;
	s->out[t] = s->n_kept - 1;
	s->turn[t] = ++s->n_left;
	return true;
}

/* The first copy back belongs to the copy out. */
static bool take_copy_in(struct search *s, const struct op *op, uint32_t t)
{
	struct detour *d = &s->detours[s->n];

	if (!may_leave(s, t) || !s->left[t] || op->outputs.n != 1 ||
		!add_detour(s, t, false))
		return false;
	s->base[op->outputs.at[0]] = t;
	if (s->out[t] == NONE)
		return true;
	d->written = true;
	d->out_step = s->out[t];
	d->out_turn = s->turn[t];
	s->out[t] = NONE;
	return d->out_step < d->in_step;
}

/* The outputs of an op that runs again, without external ones, are those of the
 * op. */
static bool name_outputs(
	struct search *s, const struct op *op, const struct op *made)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < made->outputs.n; i++) {
		uint32_t t = made->outputs.at[i];

		if (s->graph->tensors[t].external)
			continue;
		if (n == op->outputs.n)
			return false;
		s->base[op->outputs.at[n++]] = t;
	}
	return n == op->outputs.n;
}

/* An op of the graph, or a copy, reads the tensor. */
static bool is_read(const struct search *s, uint32_t tensor)
{
	struct ids readers =
		mp_graph_readers(s->plan, &s->plan->tensors[tensor]);
	uint32_t t;

	for (uint32_t i = 0; i < readers.n; i++)
		if (kind_of(s, &s->plan->ops[readers.at[i]], &t) != RECOMPUTE)
			return true;
	return false;
}

/* The last op that runs again for a detour makes what other ops read. */
static bool take_again(struct search *s, const struct op *op, uint32_t t)
{
	uint32_t which = t == NONE ? NONE : s->graph->tensors[t].producer;
	uint32_t *ops;

	if (which == NONE || s->n_again == DETOUR_OPS ||
		s->graph->ops[which].outputs.n == 0 ||
		!name_outputs(s, op, &s->graph->ops[which]))
		return false;
	s->again[s->n_again++] = which;
	for (uint32_t i = 0; i < op->outputs.n; i++) {
		if (!is_read(s, op->outputs.at[i]))
			continue;
		ops = mp_arena_copy(
			s->arena, s->again, s->n_again, sizeof(*ops));
		if (!ops || !may_leave(s, s->base[op->outputs.at[i]]) ||
			!add_detour(s, s->base[op->outputs.at[i]], true))
			return false;
		s->detours[s->n - 1].ops = ops;
		s->detours[s->n - 1].n_ops = s->n_again;
		s->n_again = 0;
		return true;
	}
	return true;
}

/* ------------------------------------------------------------- kept */

static bool is_loose(const struct search *s, const struct op *made)
{
	for (uint32_t i = 0; i < made->outputs.n; i++)
		if (!s->graph->tensors[made->outputs.at[i]].external)
			return false;
	return made->temporaries.n == 0;
}

static bool reads_the_same(
	const struct search *s, const struct op *op, const struct op *made)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < made->inputs.n; i++) {
		if (s->graph->tensors[made->inputs.at[i]].external)
			continue;
		if (n == op->inputs.n ||
			s->base[op->inputs.at[n++]] != made->inputs.at[i])
			return false;
	}
	return n == op->inputs.n && strcmp(op->name, made->name) == 0;
}

/* A loose op has no results in the arena: it is the next one like it. */
static uint32_t find_loose(struct search *s, const struct op *op)
{
	const struct graph *g = s->graph;

	while (s->n_loose < g->n_ops &&
		(s->is_kept[s->n_loose] || !is_loose(s, &g->ops[s->n_loose])))
		s->n_loose++;
	for (uint32_t i = s->n_loose; i < g->n_ops; i++)
		if (!s->is_kept[i] && is_loose(s, &g->ops[i]) &&
			reads_the_same(s, op, &g->ops[i]))
			return i;
	return NONE;
}

static void note_uses(struct search *s, const struct ids *tensors)
{
	for (uint32_t i = 0; i < tensors->n; i++)
		s->used[tensors->at[i]] = s->n_kept;
}

static bool keep(struct search *s, const struct op *op)
{
	struct ids made = op->outputs.n ? op->outputs : op->temporaries;
	uint32_t which = NONE, t;

	if (s->n_again > 0 || s->n_kept == s->graph->n_ops)
		return false;
	if (made.n > 0) {
		t = s->base[made.at[0]];
		which = t == NONE ? NONE : s->graph->tensors[t].producer;
	} else {
		which = find_loose(s, op);
	}
	if (which == NONE || s->is_kept[which])
		return false;
	s->is_kept[which] = true;
	note_uses(s, &s->graph->ops[which].inputs);
	note_uses(s, &s->graph->ops[which].outputs);
	s->order[s->n_kept++] = which;
	return true;
}

/* ------------------------------------------------------------ whole */

static bool take(struct search *s, const struct op *op)
{
	uint32_t t = NONE;

	switch (kind_of(s, op, &t)) {
	case SWAP_OUT:
		return take_copy_out(s, op, t);
	case SWAP_IN:
		return take_copy_in(s, op, t);
	case RECOMPUTE:
		return take_again(s, op, t);
	case KEPT:
	case N_ADDED:
		break;
	}
	return keep(s, op);
}

static bool make_room(struct search *s)
{
	const struct graph *g = s->graph;
	uint32_t n = s->plan->n_ops;

	s->base = NEW(s->arena, uint32_t, s->plan->n_tensors);
	s->own = NEW(s->arena, bool, s->plan->n_tensors);
	s->order = NEW(s->arena, uint32_t, n);
	s->is_kept = NEW(s->arena, bool, g->n_ops);
	s->left = NEW(s->arena, bool, g->n_tensors);
	s->out = NEW(s->arena, uint32_t, g->n_tensors);
	s->turn = NEW(s->arena, uint32_t, g->n_tensors);
	s->detours = NEW(s->arena, struct detour, (size_t)n + 1);
	s->again = NEW(s->arena, uint32_t, DETOUR_OPS);
	s->used = NEW(s->arena, uint32_t, g->n_tensors);
	for (uint32_t t = 0; s->used && t < g->n_tensors; t++)
		s->used[t] = NONE;
	return s->used && s->base && s->own && s->order && s->is_kept &&
	       s->left && s->out && s->turn && s->detours && s->again;
}

bool mp_budget_find_detours(const struct graph *graph, const struct graph *plan,
	struct found_detours *found, struct arena *arena)
{
	struct search s = {.graph = graph, .plan = plan, .arena = arena};
	bool fine = graph->n_ops > 0;

	*found = (struct found_detours){0};
	if (!fine)
		return true;
	if (!make_room(&s) || !find_bases(&s))
		return false;
	for (uint32_t i = 0; fine && i < plan->n_ops; i++)
		fine = take(&s, &plan->ops[i]);
	if (arena->error->code != MEMPLAN_OK)
		return false;
	if (!fine || s.n_kept < graph->n_ops ||
		!mp_graph_is_order(graph, s.order, arena))
		return true;
	*found = (struct found_detours){s.order, s.detours, s.n, s.beside};
	return true;
}
