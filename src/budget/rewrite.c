/*
 * From a graph and detours to a graph that has them as ops.
 *
 * SPDX-License-Identifier: MIT
 */
#include "budget/inside.h"

#include <assert.h>

#include "base/sort.h"

struct writer {
	const struct graph *graph;
	const uint32_t *order;
	const struct detour *detours;
	struct graph *result;
	uint32_t *outs, *ins; /* detours by step: those that write; all */
	uint32_t n_outs, n_ins;
	uint32_t out, in;   /* of these lists: those that are written */
	uint32_t step;	    /* of the order, that is being written */
	uint32_t *place;    /* of an op of the graph: its new index */
	uint32_t n_kept;    /* ops before and with the last one of the graph */
	uint32_t n_named;   /* tensors of the graph before its temporaries */
	uint32_t shift;	    /* what its temporaries move by */
	uint32_t *tensor;   /* of a tensor of the graph: its new index */
	uint32_t *version;  /* of a tensor of the graph: what it is now */
	uint32_t *previous; /* of a tensor of the graph: what it was before */
	uint32_t *count;    /* of a tensor of the graph: its next number */
	uint32_t *host;	    /* of a tensor of the graph: its copy, or NONE */
	bool beside;	    /* copies have streams of their own */
	uint32_t *last_on;  /* of a stream: its last op so far, or NONE */
	uint32_t *waited;   /* of a stream: the last write that an op of it
			       waits for, or NONE */
	uint32_t next_tensor, next_temporary;
	struct tags tags;
	struct arena *arena;
};

/* ---------------------------------------------------------- tensors */

static uint32_t moved(const struct writer *w, uint32_t tensor)
{
	return tensor < w->n_named ? w->version[tensor] : tensor + w->shift;
}

static bool map(struct writer *w, const struct ids *from, struct ids *to)
{
	uint32_t *at = NEW(w->arena, uint32_t, from->n);

	if (!at)
		return false;
	for (uint32_t i = 0; i < from->n; i++)
		at[i] = moved(w, from->at[i]);
	*to = (struct ids){at, from->n};
	return true;
}

static bool one(struct writer *w, uint32_t tensor, struct ids *ids)
{
	uint32_t *at = NEW(w->arena, uint32_t, 1);

	if (!at)
		return false;
	*at = tensor;
	*ids = (struct ids){at, 1};
	return true;
}

static bool add_tensor(struct writer *w, uint32_t from, const char *name,
	uint32_t *next, uint32_t *index)
{
	struct tensor *tensor = &w->result->tensors[*next];

	assert(*next < w->result->n_tensors);
	*tensor = w->graph->tensors[from];
	tensor->name = name;
	tensor->id = tensor->id ? name : NULL;
	tensor->id_is_number = false;
	tensor->to_end = false;
	*index = *next;
	*next += 1;
	return name != NULL;
}

static bool add_copy_outside(struct writer *w, uint32_t tensor)
{
	uint32_t count = 0;
	const char *name =
		mp_budget_tags_name(&w->tags, tensor, "host", &count, w->arena);

	if (!add_tensor(w, tensor, name, &w->next_tensor, &w->host[tensor]))
		return false;
	w->result->tensors[w->host[tensor]].external = true;
	return true;
}

static bool add_version(struct writer *w, uint32_t tensor)
{
	const char *name = mp_budget_tags_name(
		&w->tags, tensor, "", &w->count[tensor], w->arena);

	w->previous[tensor] = w->version[tensor];
	if (!add_tensor(w, tensor, name, &w->next_tensor, &w->version[tensor]))
		return false;
	w->result->tensors[w->version[tensor]].kind = KIND_ACTIVATION;
	return true;
}

/* -------------------------------------------------------------- ops */

static const char *name_op(struct writer *w, const char *what, uint32_t tensor)
{
	return mp_arena_print(w->arena, "%s %s", what, w->tags.of[tensor]);
}

static struct op *add_op(struct writer *w, const char *what, const char *name)
{
	struct op *op = &w->result->ops[w->result->n_ops++];

	*op = (struct op){.type = what, .name = name};
	op->stream = w->graph->ops[w->order[w->step]].stream;
	if (!op->name || (w->n_kept > 0 && w->graph->n_streams > 1 &&
				 !one(w, w->n_kept - 1, &op->after)))
		return NULL;
	return op;
}

/* Writes and reads of a graph with several streams: a stream each, behind those
 * of the graph. */
static uint32_t write_stream(const struct writer *w)
{
	return w->graph->n_streams;
}

static uint32_t read_stream(const struct writer *w)
{
	return w->graph->n_streams + 1;
}

static bool is_copy(const struct writer *w, const struct op *op)
{
	return w->beside && op->stream >= write_stream(w);
}

/* With copies on streams of their own: an op waits for the last write listed
 * before it, unless its stream has. It waits for reads through its inputs. */
static uint32_t wait_for_write(struct writer *w, uint32_t stream)
{
	uint32_t last = w->beside ? w->last_on[write_stream(w)] : NONE;

	if (last == NONE || w->waited[stream] == last)
		return NONE;
	w->waited[stream] = last;
	return last;
}

/* A write begins behind the last use of its tensor. */
static bool begin_write(struct writer *w, const struct detour *d, struct op *op)
{
	op->stream = write_stream(w);
	w->last_on[op->stream] = (uint32_t)(op - w->result->ops);
	return one(w, w->place[w->order[d->last_use]], &op->after);
}

/* A read begins when all that is listed before it is over: then its bytes are
 * free on all streams. */
static bool begin_read(struct writer *w, struct op *op)
{
	uint32_t n = 0, *at = NEW(w->arena, uint32_t, read_stream(w));

	for (uint32_t i = 0; at && i < read_stream(w); i++)
		if (w->last_on[i] != NONE)
			at[n++] = w->last_on[i];
	op->stream = read_stream(w);
	op->after = (struct ids){at, n};
	return at != NULL;
}

static bool copy_out(struct writer *w, const struct detour *d)
{
	struct op *op = add_op(w, "swap-out",
		mp_budget_tags_copy_out(&w->tags, d->tensor, w->arena));

	return op && (!w->beside || begin_write(w, d, op)) &&
	       add_copy_outside(w, d->tensor) &&
	       one(w, w->version[d->tensor], &op->inputs) &&
	       one(w, w->host[d->tensor], &op->outputs);
}

static bool copy_in(struct writer *w, const struct detour *d)
{
	struct op *op = add_op(w, "swap-in", name_op(w, "swap-in", d->tensor));

	return op && (!w->beside || begin_read(w, op)) &&
	       add_version(w, d->tensor) &&
	       one(w, w->host[d->tensor], &op->inputs) &&
	       one(w, w->version[d->tensor], &op->outputs);
}

static bool copy_temporaries(
	struct writer *w, const struct ids *from, struct ids *to)
{
	uint32_t *at = NEW(w->arena, uint32_t, from->n);

	if (!at)
		return false;
	for (uint32_t i = 0; i < from->n; i++) {
		uint32_t t = from->at[i], count = w->next_temporary;
		const char *name =
			mp_budget_tags_name(&w->tags, t, "", &count, w->arena);

		if (!add_tensor(w, t, name, &w->next_temporary, &at[i]))
			return false;
	}
	*to = (struct ids){at, from->n};
	return true;
}

/* An op that runs again has bytes that a write left. */
static bool wait_too(struct writer *w, struct op *op)
{
	uint32_t write = wait_for_write(w, op->stream), *at;

	if (write == NONE)
		return true;
	at = NEW(w->arena, uint32_t, (size_t)op->after.n + 1);
	for (uint32_t i = 0; at && i < op->after.n; i++)
		at[i] = op->after.at[i];
	if (at)
		at[op->after.n] = write;
	op->after.at = at;
	op->after.n++;
	return at != NULL;
}

static bool run_op_again(struct writer *w, uint32_t which)
{
	const struct op *made = &w->graph->ops[which];
	struct op *op = add_op(
		w, "recompute", name_op(w, "recompute", made->outputs.at[0]));

	if (!op || !wait_too(w, op) || !map(w, &made->inputs, &op->inputs) ||
		!copy_temporaries(w, &made->temporaries, &op->temporaries))
		return false;
	for (uint32_t i = 0; i < made->outputs.n; i++)
		if (!add_version(w, made->outputs.at[i]))
			return false;
	op->cost_us = made->cost_us;
	return map(w, &made->outputs, &op->outputs);
}

/* What is made on the way serves only there: others keep to their versions. */
static bool run_again(struct writer *w, const struct detour *d)
{
	for (uint32_t i = 0; i < d->n_ops; i++)
		if (!run_op_again(w, d->ops[i]))
			return false;
	for (uint32_t i = 0; i < d->n_ops; i++) {
		const struct ids *made = &w->graph->ops[d->ops[i]].outputs;

		for (uint32_t k = 0; k < made->n; k++)
			if (made->at[k] != d->tensor)
				w->version[made->at[k]] =
					w->previous[made->at[k]];
	}
	return true;
}

static bool map_pairs(struct writer *w, const struct op *from, struct op *to)
{
	uint32_t n = from->n_inplace + from->n_unequal;
	struct inplace_pair *pairs = NEW(w->arena, struct inplace_pair, n);

	if (!pairs)
		return false;
	for (uint32_t i = 0; i < n; i++)
		pairs[i] =
			(struct inplace_pair){moved(w, from->inplace[i].output),
				moved(w, from->inplace[i].input)};
	to->inplace = pairs;
	return true;
}

/* The list is in a legal order already, so on one stream what an op waits for
 * besides its inputs need not be said again. On several, it waits for what was
 * put in in front of it too, whatever their streams. */
static bool map_after(struct writer *w, const struct op *from, struct ids *to)
{
	uint32_t n_added = w->result->n_ops - w->n_kept, n = 0, write;
	uint32_t *at =
		NEW(w->arena, uint32_t, (size_t)from->after.n + n_added + 1);

	*to = (struct ids){0};
	if (!at || w->graph->n_streams == 1)
		return at;
	for (uint32_t i = 0; i < from->after.n; i++)
		at[n++] = w->place[from->after.at[i]];
	for (uint32_t i = w->n_kept; i < w->n_kept + n_added; i++)
		if (!is_copy(w, &w->result->ops[i]))
			at[n++] = i;
	write = wait_for_write(w, from->stream);
	if (write != NONE)
		at[n++] = write;
	*to = (struct ids){at, n};
	return true;
}

static bool keep_op(struct writer *w, uint32_t which)
{
	const struct op *from = &w->graph->ops[which];
	struct op *op = &w->result->ops[w->result->n_ops];

	*op = *from;
	if (!map_after(w, from, &op->after))
		return false;
	if (w->beside)
		w->last_on[from->stream] = w->result->n_ops;
	w->place[which] = w->result->n_ops++;
	w->n_kept = w->result->n_ops;
	return map(w, &from->inputs, &op->inputs) &&
	       map(w, &from->outputs, &op->outputs) &&
	       map(w, &from->temporaries, &op->temporaries) &&
	       map(w, &from->release, &op->release) && map_pairs(w, from, op);
}

static bool write_step(struct writer *w)
{
	const struct detour *d;

	for (; w->in < w->n_ins; w->in++) {
		d = &w->detours[w->ins[w->in]];
		if (d->in_step > w->step)
			break;
		if (!(d->recompute ? run_again(w, d) : copy_in(w, d)))
			return false;
	}
	if (!keep_op(w, w->order[w->step]))
		return false;
	for (; w->out < w->n_outs; w->out++) {
		d = &w->detours[w->outs[w->out]];
		if (d->out_step > w->step)
			break;
		if (!copy_out(w, d))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------ whole */

/* Before an op copies come back first, so that ops that run again can read
 * them. These come in the order in which they first ran. */
static bool sort_detours(struct writer *w, uint32_t n)
{
	uint32_t *step_of = NEW(w->arena, uint32_t, w->graph->n_ops);
	uint32_t *scratch = NEW(w->arena, uint32_t, n);
	uint64_t *key = NEW(w->arena, uint64_t, n);

	w->outs = NEW(w->arena, uint32_t, n);
	w->ins = NEW(w->arena, uint32_t, n);
	if (!step_of || !scratch || !key || !w->outs || !w->ins)
		return false;
	for (uint32_t k = 0; k < w->graph->n_ops; k++)
		step_of[w->order[k]] = k;
	for (uint32_t i = 0; i < n; i++) {
		const struct detour *d = &w->detours[i];

		assert(d->out_step < d->in_step &&
			d->in_step < w->graph->n_ops);
		w->ins[w->n_ins++] = i;
		if (d->written)
			w->outs[w->n_outs++] = i;
		key[i] = (uint64_t)d->in_step << 32;
		if (d->in_turn)
			key[i] += d->in_turn;
		else if (d->recompute)
			key[i] +=
				step_of[w->graph->tensors[d->tensor].producer] +
				1;
	}
	mp_sort_radix(w->ins, scratch, w->n_ins, key);
	for (uint32_t i = 0; i < n; i++)
		key[i] = (uint64_t)w->detours[i].out_step << 32 |
			 w->detours[i].out_turn;
	mp_sort_radix(w->outs, scratch, w->n_outs, key);
	return true;
}

static bool start_streams(struct writer *w)
{
	uint32_t n = read_stream(w) + 1;

	w->last_on = NEW(w->arena, uint32_t, n);
	w->waited = NEW(w->arena, uint32_t, n);
	for (uint32_t i = 0; w->last_on && w->waited && i < n; i++)
		w->last_on[i] = w->waited[i] = NONE;
	return w->last_on && w->waited;
}

static bool count_room(struct writer *w, uint32_t n)
{
	const struct graph *graph = w->graph;
	uint32_t n_temporaries = 0, n_added = w->n_outs;

	w->shift = w->n_outs;
	while (w->n_named < graph->n_tensors &&
		graph->tensors[w->n_named].kind != KIND_TEMPORARY)
		w->n_named++;
	for (uint32_t i = 0; i < n; i++) {
		const struct detour *d = &w->detours[i];

		n_added += d->recompute ? d->n_ops : 1;
		w->shift += !d->recompute;
		for (uint32_t j = 0; j < d->n_ops; j++) {
			w->shift += graph->ops[d->ops[j]].outputs.n;
			n_temporaries += graph->ops[d->ops[j]].temporaries.n;
		}
	}
	if (!mp_budget_tags_init(
		    &w->tags, graph, w->shift + n_temporaries, w->arena))
		return false;
	w->next_tensor = w->n_named;
	w->next_temporary = graph->n_tensors + w->shift;
	w->result->n_tensors = w->next_temporary + n_temporaries;
	w->result->tensors = NEW(w->arena, struct tensor, w->result->n_tensors);
	w->result->ops =
		NEW(w->arena, struct op, (size_t)graph->n_ops + n_added);
	w->tensor = NEW(w->arena, uint32_t, graph->n_tensors);
	w->version = NEW(w->arena, uint32_t, w->n_named);
	w->previous = NEW(w->arena, uint32_t, w->n_named);
	w->count = NEW(w->arena, uint32_t, w->n_named);
	w->host = NEW(w->arena, uint32_t, w->n_named);
	w->place = NEW(w->arena, uint32_t, graph->n_ops);
	if (!start_streams(w))
		return false;
	return w->result->tensors && w->result->ops && w->tensor &&
	       w->version && w->previous && w->count && w->host && w->place;
}

static void keep_tensors(struct writer *w)
{
	for (uint32_t t = 0; t < w->graph->n_tensors; t++) {
		uint32_t at = t < w->n_named ? t : t + w->shift;

		w->tensor[t] = at;
		w->result->tensors[at] = w->graph->tensors[t];
	}
	for (uint32_t t = 0; t < w->n_named; t++) {
		w->version[t] = t;
		w->count[t] = 2;
		w->result->tensors[t].to_end = false;
	}
}

/* Steps [start, end) of the order, with what was put in between them; those
 * behind the last op are checked with the lifetimes. */
static void move_steps(const struct writer *w, uint32_t *start, uint32_t *end)
{
	uint32_t n = w->graph->n_ops, added = w->result->n_ops - n;
	bool empty = *start >= *end;

	if (*end <= n && *end > 0)
		*end = w->place[w->order[*end - 1]] + 1;
	else if (*end > n)
		*end += added;
	if (empty)
		*start = *end;
	else
		*start = *start < n ? w->place[w->order[*start]]
				    : *start + added;
}

static void move_lifetimes(const struct writer *w)
{
	for (uint32_t t = 0; t < w->graph->n_tensors; t++) {
		struct tensor *tensor = &w->result->tensors[w->tensor[t]];

		if (tensor->pinned)
			move_steps(w, &tensor->start, &tensor->end);
	}
}

static bool move_gaps(const struct writer *w)
{
	struct ties *ties = &w->result->ties;
	struct lifetime_gap *gaps = mp_arena_copy(
		w->arena, ties->gaps, ties->n_gaps, sizeof(*gaps));

	for (uint32_t i = 0; gaps && i < ties->n_gaps; i++)
		move_steps(w, &gaps[i].start, &gaps[i].end);
	ties->gaps = gaps;
	return gaps != NULL;
}

/* Tied tensors take no detour: only temporaries have another index. */
static bool keep_ties(struct writer *w)
{
	struct moved_ties moved = {
		.from = &w->graph->ties, .tensor = w->tensor};

	w->result->ties.reserved = moved.from->reserved;
	w->result->ties.n_reserved = moved.from->n_reserved;
	return mp_graph_ties_join(&moved, 1, &w->result->ties, w->arena) &&
	       move_gaps(w);
}

/* No detour is within a body, and none is of what a loop uses. */
static bool move_loops(struct writer *w)
{
	const struct graph *graph = w->graph;
	struct graph_loop *loops = mp_arena_copy(
		w->arena, graph->loops, graph->n_loops, sizeof(*loops));

	for (uint32_t i = 0; loops && i < graph->n_loops; i++) {
		const struct graph_loop *from = &graph->loops[i];

		loops[i].first = w->place[from->first];
		loops[i].last = w->place[from->last];
		assert(loops[i].last - loops[i].first ==
			from->last - from->first);
	}
	w->result->loops = loops;
	w->result->n_loops = graph->n_loops;
	return loops != NULL;
}

/* What lives to the end does so in its last version. */
static void extend_last(struct writer *w)
{
	for (uint32_t t = 0; t < w->n_named; t++)
		w->result->tensors[w->version[t]].to_end =
			w->graph->tensors[t].to_end;
}

bool mp_budget_rewrite_detours(const struct graph *graph, const uint32_t *order,
	const struct detour *detours, uint32_t n, bool beside,
	struct graph *result, struct arena *arena, struct error *e)
{
	struct writer w = {.graph = graph,
		.order = order,
		.beside = beside && graph->n_streams > 1,
		.detours = detours,
		.result = result,
		.arena = arena};
	*result = (struct graph){.name = graph->name,
		.place = graph->place,
		.alignment = graph->alignment,
		.margins = graph->margins,
		.buckets = graph->buckets,
		.n_buckets = graph->n_buckets,
		.inputs = graph->inputs,
		.outputs = graph->outputs,
		.pools = graph->pools,
		.n_pools = graph->n_pools,
		.pool_lists = graph->pool_lists};
	if (!sort_detours(&w, n) || !count_room(&w, n))
		return false;
	keep_tensors(&w);
	for (; w.step < graph->n_ops; w.step++)
		if (!write_step(&w))
			return false;
	assert(w.in == w.n_ins && w.out == w.n_outs);
	assert(w.next_tensor <= w.n_named + w.shift);
	if (!keep_ties(&w) || !move_loops(&w))
		return false;
	move_lifetimes(&w);
	extend_last(&w);
	return mp_graph_link(result, arena, e) &&
	       mp_graph_constrain(result, arena, e);
}
