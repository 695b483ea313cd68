/*
 * Changes that could lower the peak, by what the loads say.
 *
 * SPDX-License-Identifier: MIT
 */
#include "advise/advise.h"

#include <assert.h>

#include "base/sink-text.h"

struct work {
	const struct graph *graph;
	const struct schedule *s;
	struct candidates *found;
	uint32_t peak;		 /* step */
	uint32_t *position;	 /* of an op in the order */
	uint64_t *before, *from; /* greatest load before a step; from it on */
	uint64_t all_cost;	 /* of the ops, where it is known */
	bool *tied;		 /* a tensor */
};

/* A tensor between its uses. */
struct gap {
	uint32_t from, to; /* steps that use it: last up to the peak, and first
			      behind it; NONE: no such use */
};

static uint64_t rounded(const struct work *w, uint32_t tensor)
{
	return mp_graph_tensor_rounded(w->graph, &w->graph->tensors[tensor]);
}

static bool alive_at(const struct stay *stay, uint32_t step)
{
	return stay->buffer != NONE && stay->start <= step && step < stay->end;
}

static bool is_at_peak(const struct work *w, uint32_t tensor)
{
	return alive_at(&w->s->stay[tensor], w->peak);
}

/* The peak if the bytes were gone in steps [start, end), the peak among them.
 */
static uint64_t without(
	const struct work *w, uint64_t bytes, uint32_t start, uint32_t end)
{
	uint64_t outside = num_max(w->before[start], w->from[end]);

	assert(start <= w->peak);
	assert(end > w->peak && end <= w->s->problem.n_steps);
	return num_max(outside, w->s->problem.theoretical_min - bytes);
}

/* Keeps the candidates of a kind sorted: the lowest estimate first, then the
 * lowest item. */
static void offer(struct work *w, const struct advice *advice)
{
	struct advice *at = w->found->at[advice->kind];
	uint32_t *n = &w->found->n[advice->kind], i = *n;

	if (advice->peak >= w->s->problem.theoretical_min)
		return;
	for (; i > 0 && at[i - 1].peak > advice->peak; i--)
		if (i < CANDIDATES_MOST)
			at[i] = at[i - 1];
	if (i == CANDIDATES_MOST)
		return;
	at[i] = *advice;
	*n += *n < CANDIDATES_MOST;
}

/* --------------------------------------------------------- in place */

static bool may_die(const struct tensor *tensor)
{
	return tensor->kind != KIND_OUTPUT && tensor->kind != KIND_WEIGHT &&
	       tensor->kind != KIND_STATE && !tensor->to_end;
}

/* An output that took over another input's bytes has nothing to gain. */
static bool shares_already(
	const struct work *w, const struct op *op, uint32_t output)
{
	for (uint32_t i = 0; i < op->inputs.n; i++)
		if (w->s->stay[op->inputs.at[i]].buffer ==
			w->s->stay[output].buffer)
			return true;
	return false;
}

/* Ops that still read an input while they write: sums over many of its bytes,
 * and moves to other places. Frameworks spell types in many ways, so parts of
 * words must do. */
static bool reads_while_it_writes(const char *type)
{
	static const char *const words[] = {"conv", "pool", "mm", "matmul",
		"gemm", "linear", "dense", "fullyconnected", "attention",
		"transpose", "permute", "gather", "concat", "sort", "resize",
		"upsample", "cumsum", "raster"};

	for (uint32_t i = 0; i < countof(words); i++)
		if (mp_text_mentions(type, words[i]))
			return true;
	return false;
}

static void offer_pair(
	struct work *w, uint32_t op, uint32_t input, uint32_t output)
{
	const struct stay *in = &w->s->stay[input];
	uint32_t step = w->peak;

	if (w->tied[input] || w->tied[output] || !is_at_peak(w, input) ||
		in->end != step + 1 || in->start == step ||
		!may_die(&w->graph->tensors[input]) || !is_at_peak(w, output) ||
		w->graph->tensors[output].size != w->graph->tensors[input].size)
		return;
	offer(w, &(struct advice){ADVICE_INPLACE, op, input, output, step, step,
			 without(w, rounded(w, output), step, step + 1)});
}

static void find_inplace(struct work *w)
{
	uint32_t op = w->s->order[w->peak];
	const struct op *o = &w->graph->ops[op];

	if (reads_while_it_writes(o->type))
		return;
	for (uint32_t i = 0; i < o->outputs.n; i++) {
		if (shares_already(w, o, o->outputs.at[i]))
			continue;
		for (uint32_t k = 0; k < o->inputs.n; k++)
			offer_pair(w, op, o->inputs.at[k], o->outputs.at[i]);
	}
}

/* ------------------------------------------------------------- move */

static uint32_t first_behind(const struct work *w, const struct op *op)
{
	uint32_t step = w->s->problem.n_steps;

	for (uint32_t i = 0; i < op->behind.n; i++)
		if (w->position[op->behind.at[i]] < step)
			step = w->position[op->behind.at[i]];
	return step;
}

/* One more than the last step that the op waits for. */
static uint32_t behind_all_before(const struct work *w, const struct op *op)
{
	uint32_t step = 0;

	for (uint32_t i = 0; i < op->before.n; i++)
		if (w->position[op->before.at[i]] >= step)
			step = w->position[op->before.at[i]] + 1;
	return step;
}

/* Bytes of some tensors, and the largest of these. */
struct sum {
	uint64_t bytes, most;
	uint32_t largest;
};

static void add(const struct work *w, struct sum *sum, uint32_t t)
{
	uint64_t bytes = rounded(w, t);

	sum->bytes += bytes;
	if (bytes <= sum->most)
		return;
	sum->most = bytes;
	sum->largest = t;
}

/* The op would run right before the step `to`. */
static void offer_move(struct work *w, uint32_t from, uint32_t to,
	const struct sum *gain, uint64_t loss)
{
	struct advice advice = {ADVICE_MOVE, w->s->order[from], gain->largest,
		NONE, from, to, 0};

	if (gain->bytes <= loss)
		return;
	advice.peak = from < to ? without(w, gain->bytes - loss, from, to)
				: without(w, gain->bytes - loss, to, from + 1);
	offer(w, &advice);
}

/* The outputs at the peak are made later. Inputs that now die before it would
 * have to wait for the op. */
static void offer_later(struct work *w, uint32_t step)
{
	const struct op *op = &w->graph->ops[w->s->order[step]];
	uint32_t to = first_behind(w, op);
	struct sum gain = {0, 0, NONE};
	uint64_t loss = 0;

	if (to <= w->peak)
		return;
	for (uint32_t i = 0; i < op->outputs.n; i++)
		if (is_at_peak(w, op->outputs.at[i]))
			add(w, &gain, op->outputs.at[i]);
	for (uint32_t i = 0; i < op->inputs.n; i++) {
		const struct stay *stay = &w->s->stay[op->inputs.at[i]];

		if (stay->buffer != NONE && stay->end <= w->peak)
			loss += rounded(w, op->inputs.at[i]);
	}
	offer_move(w, step, to, &gain, loss);
}

/* Is it at the peak for this op alone? */
static bool waits_for(const struct work *w, uint32_t t, uint32_t step)
{
	const struct tensor *tensor = &w->graph->tensors[t];
	struct ids readers = mp_graph_readers(w->graph, tensor);
	bool alone = is_at_peak(w, t) && w->s->stay[t].end == step + 1 &&
		     may_die(tensor);

	for (uint32_t k = 0; alone && k < readers.n; k++)
		alone = w->position[readers.at[k]] == step ||
			w->position[readers.at[k]] < w->peak;
	return alone;
}

static void offer_earlier(struct work *w, uint32_t step)
{
	const struct op *op = &w->graph->ops[w->s->order[step]];
	uint32_t to = behind_all_before(w, op);
	struct sum gain = {0, 0, NONE};
	uint64_t loss = 0;

	if (to > w->peak)
		return;
	for (uint32_t i = 0; i < op->inputs.n; i++)
		if (waits_for(w, op->inputs.at[i], step))
			add(w, &gain, op->inputs.at[i]);
	for (uint32_t i = 0; i < op->outputs.n; i++)
		if (w->s->stay[op->outputs.at[i]].end > step + 1)
			loss += rounded(w, op->outputs.at[i]);
	offer_move(w, step, to, &gain, loss);
}

/* ----------------------------------------------- recompute and swap */

static struct gap gap_of(const struct work *w, const struct tensor *tensor)
{
	struct gap gap = {NONE, NONE};
	struct ids readers = mp_graph_readers(w->graph, tensor);
	uint32_t step;

	if (tensor->producer != NONE &&
		w->position[tensor->producer] <= w->peak)
		gap.from = w->position[tensor->producer];
	for (uint32_t i = 0; i < readers.n; i++) {
		step = w->position[readers.at[i]];
		if (step > w->peak)
			gap.to = step < gap.to ? step : gap.to;
		else if (gap.from == NONE || step > gap.from)
			gap.from = step;
	}
	return gap;
}

/* All that the op reads and writes is still there at the step, and it may run
 * twice without harm: it writes activations only, and reads nothing that others
 * may have written over. */
static bool may_run_again(const struct work *w, uint32_t op, uint32_t step)
{
	const struct op *o = &w->graph->ops[op];
	const struct tensor *tensors = w->graph->tensors;

	if (o->cost_us > w->all_cost / 10)
		return false;
	for (uint32_t i = 0; i < o->outputs.n; i++)
		if (w->tied[o->outputs.at[i]] ||
			tensors[o->outputs.at[i]].kind != KIND_ACTIVATION)
			return false;
	for (uint32_t i = 0; i < o->inputs.n; i++) {
		const struct stay *stay = &w->s->stay[o->inputs.at[i]];

		if (w->tied[o->inputs.at[i]] ||
			tensors[o->inputs.at[i]].kind == KIND_WEIGHT ||
			(stay->buffer != NONE && !alive_at(stay, step)))
			return false;
	}
	return true;
}

static void offer_gap(struct work *w, uint32_t t)
{
	const struct tensor *tensor = &w->graph->tensors[t];
	struct gap gap = gap_of(w, tensor);
	struct advice advice = {
		ADVICE_SWAP, tensor->producer, t, NONE, gap.from, gap.to, 0};

	if (gap.from == NONE || gap.to == NONE || gap.from == w->peak ||
		!may_die(tensor))
		return;
	advice.peak = without(w, rounded(w, t), gap.from + 1, gap.to);
	if (advice.op == NONE)
		advice.op = 0;
	offer(w, &advice);
	advice.kind = ADVICE_RECOMPUTE;
	if (tensor->producer != NONE &&
		may_run_again(w, tensor->producer, gap.to))
		offer(w, &advice);
}

/* ------------------------------------------------------------ stage */

/* What shares bytes with others, lies beside others, or has gaps already, is
 * not to be had one by one. */
static void mark_tied(struct work *w)
{
	const struct ties *ties = &w->graph->ties;

	for (uint32_t i = 0; i < ties->n_aliases; i++) {
		w->tied[ties->aliases[i].tensor] = true;
		w->tied[ties->aliases[i].root] = true;
	}
	mp_graph_ties_mark_groups(ties, w->tied);
	for (uint32_t i = 0; i < ties->n_gaps; i++)
		w->tied[ties->gaps[i].tensor] = true;
}

static bool prepare(struct work *w, struct arena *arena)
{
	const struct problem *p = &w->s->problem;
	uint32_t n_ops = w->graph->n_ops;

	w->position = NEW(arena, uint32_t, n_ops);
	w->before = NEW(arena, uint64_t, (size_t)p->n_steps + 1);
	w->from = NEW(arena, uint64_t, (size_t)p->n_steps + 1);
	w->tied = NEW(arena, bool, w->graph->n_tensors);
	if (!w->position || !w->before || !w->from || !w->tied)
		return false;
	mark_tied(w);
	for (uint32_t k = 0; k < n_ops; k++) {
		w->position[w->s->order[k]] = k;
		w->all_cost += w->graph->ops[k].cost_us;
	}
	for (uint32_t k = 0; k < p->n_steps; k++)
		w->before[k + 1] = num_max(w->before[k], p->load[k]);
	for (uint32_t k = p->n_steps; k-- > 0;)
		w->from[k] = num_max(w->from[k + 1], p->load[k]);
	return true;
}

bool mp_advise_candidates_find(const struct schedule *schedule,
	struct candidates *candidates, struct arena *arena)
{
	const struct graph *graph = schedule->graph;
	struct arena_mark mark = mp_arena_mark(arena);
	struct work w = {.graph = graph,
		.s = schedule,
		.found = candidates,
		.peak = schedule->problem.peak_step};

	*candidates = (struct candidates){0};
	if (!prepare(&w, arena))
		return false;
	find_inplace(&w);
	if (graph->n_streams <= 1) {
		for (uint32_t k = 0; k < w.peak; k++)
			offer_later(&w, k);
		for (uint32_t k = w.peak + 1; k < schedule->problem.n_steps;
			k++)
			offer_earlier(&w, k);
		for (uint32_t t = 0; t < graph->n_tensors; t++)
			if (!w.tied[t] && is_at_peak(&w, t))
				offer_gap(&w, t);
	}
	if (graph->batch > 1)
		candidates->at[ADVICE_BATCH][candidates->n[ADVICE_BATCH]++] =
			(struct advice){ADVICE_BATCH, 0, NONE, NONE, 0, 0, 0};
	mp_arena_rewind(arena, mark);
	return true;
}
