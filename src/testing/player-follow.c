/*
 * Graphs for a budget, and what it makes of them: what was put in becomes ops
 * and tensors of the player. A tensor that came back is another one to it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "testing/player.h"

/* Sizes that are larger than all of a random graph, so that only these tensors
 * make its peak. */
enum {
	RESTING = 900,
	PASSING = 700
};

/* A tensor that nothing is said of. */
static bool is_plain(const struct play *play, uint32_t i)
{
	const struct play_tensor *t = &play->tensors[i];

	for (uint32_t k = 0; k < play->n_tensors; k++)
		if (play->tensors[k].of == i)
			return false;
	for (uint32_t k = 0; k < play->n_pairs; k++)
		if (play->apart[k][0] == i || play->apart[k][1] == i)
			return false;
	return t->kind == KIND_ACTIVATION && t->producer != NONE &&
	       t->of == NONE && t->group == NONE && t->choice == NONE &&
	       !t->placed && !t->pinned && !t->external && !t->to_end &&
	       !t->from_start && t->size > 0;
}

static uint32_t find_output(const struct play *play, uint32_t op)
{
	for (uint32_t i = 0; i < play->n_listed; i++)
		if ((play->ops[op].outputs & PLAY_BIT(i)) && is_plain(play, i))
			return i;
	return NONE;
}

static bool uses(const struct play_op *op, uint32_t tensor)
{
	return op->inputs & PLAY_BIT(tensor);
}

bool mp_testing_player_add_rest(struct play *play)
{
	uint32_t last = play->n_ops - 1;

	for (uint32_t op = 0; op + 1 < last; op++) {
		uint32_t rests = find_output(play, op);

		for (uint32_t k = op + 1; rests != NONE && k < last; k++) {
			uint32_t passes = find_output(play, k);

			if (uses(&play->ops[k], rests) || passes == NONE ||
				uses(&play->ops[last], passes))
				continue;
			play->tensors[rests].size = RESTING;
			play->tensors[passes].size = PASSING;
			play->ops[last].inputs |= PLAY_BIT(rests);
			return true;
		}
	}
	return false;
}

static uint64_t bits_of(const struct ids *ids)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < ids->n; i++)
		bits |= PLAY_BIT(ids->at[i]);
	return bits;
}

/* Tensors are called t0, t1 and so on; what was put in for one t0@2, t0@host.
 * Temporaries have names of their own. */
static struct play_tensor start_from(
	const struct play *play, const struct tensor *tensor)
{
	struct play_tensor t = {.of = NONE, .choice = NONE, .group = NONE};
	uint32_t from;

	if (tensor->kind != KIND_TEMPORARY &&
		sscanf(tensor->name, "t%u", &from) == 1 &&
		from < play->n_listed)
		t = play->tensors[from];
	if (tensor->kind == KIND_TEMPORARY || !strchr(tensor->name, '@'))
		return t;
	t.placed = t.pinned = t.from_start = false;
	t.lifelong = NULL;
	return t;
}

/* A tensor that names no pool has list 0, but lies where the rest of its group
 * may: it keeps what the player knows of it. */
static void take_pools(struct play_tensor *t, const struct pool_list *list)
{
	t->n_pools = list->n;
	for (uint32_t i = 0; i < list->n; i++)
		t->pools[i] = list->at[i];
}

static struct play_tensor follow_tensor(
	const struct play *play, const struct graph *graph, uint32_t i)
{
	const struct tensor *tensor = &graph->tensors[i];
	struct play_tensor t = start_from(play, tensor);

	t.size = tensor->size;
	t.kind = tensor->kind;
	t.producer = tensor->producer;
	t.external = tensor->external;
	t.to_end = mp_graph_tensor_to_end(tensor);
	if (t.pinned) {
		t.start = tensor->start;
		t.end = tensor->end;
	}
	if (graph->n_pools > 0 && (tensor->pools != 0 || t.n_pools == 0))
		take_pools(&t, &graph->pool_lists[tensor->pools]);
	return t;
}

static void follow_op(struct play *play, const struct op *op, uint32_t k)
{
	struct play_op *o = &play->ops[k];

	*o = (struct play_op){.inputs = bits_of(&op->inputs),
		.outputs = bits_of(&op->outputs),
		.temporaries = bits_of(&op->temporaries),
		.after = (uint32_t)bits_of(&op->after),
		.stream = op->stream,
		.taker = NONE,
		.given = NONE};
	if (op->n_inplace + op->n_unequal == 0)
		return;
	o->taker = op->inplace[0].output;
	o->given = op->inplace[0].input;
}

/* Ops are called op0, op1 and so on. */
static uint32_t follow_place(const struct graph *graph, uint32_t op)
{
	char name[16];
	uint32_t k = 0;

	snprintf(name, sizeof(name), "op%u", op);
	while (k < graph->n_ops && strcmp(graph->ops[k].name, name) != 0)
		k++;
	return k;
}

static void follow_loops(struct play *play, const struct graph *graph)
{
	for (uint32_t i = 0; i < play->n_loops; i++) {
		struct play_loop *loop = &play->loops[i];

		loop->first = follow_place(graph, loop->first);
		loop->last = follow_place(graph, loop->last);
	}
}

bool mp_testing_player_follow(struct play *play, const struct graph *graph)
{
	struct play before = *play;

	if (graph->n_ops > PLAY_MOST_OPS || graph->n_tensors > PLAY_TENSORS)
		return false;
	play->n_ops = play->n_steps = graph->n_ops;
	play->n_streams = graph->n_streams;
	play->n_tensors = graph->n_tensors;
	play->n_listed = 0;
	for (uint32_t i = 0; i < graph->n_tensors; i++) {
		play->tensors[i] = follow_tensor(&before, graph, i);
		play->n_listed += play->tensors[i].kind != KIND_TEMPORARY;
	}
	for (uint32_t i = 0; i < graph->ties.n_gaps; i++) {
		const struct lifetime_gap *gap = &graph->ties.gaps[i];

		play->tensors[gap->tensor].pause = gap->start;
		play->tensors[gap->tensor].resume = gap->end;
	}
	for (uint32_t k = 0; k < graph->n_ops; k++)
		follow_op(play, &graph->ops[k], k);
	follow_loops(play, graph);
	return true;
}
