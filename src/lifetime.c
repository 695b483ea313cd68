/*
 * A tensor is born at its producer's step and lives through its last reader's
 * step, so that an output never overlaps an input of the same op. In-place
 * pairs are the exception: there the output takes over the input's bytes at
 * that very step, and the two become parts of one buffer, one behind the other
 * in time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime.h"

#include "antichain.h"
#include "streams.h"

struct span {
	uint32_t start, end;
};

/* What the stage knows while it runs; indices are tensors unless said. */
struct work {
	const struct graph *graph;
	const uint32_t *order;
	uint32_t *position; /* of an op in the order */
	uint32_t n_steps;
	struct span *span; /* lifetime of a tensor */
	uint32_t *heir;	   /* tensor that takes over in place, or NONE */
	bool *is_heir;	   /* it took over from another */
	uint32_t *part_of; /* part that a tensor is in; only with streams */
	struct streams streams; /* what happens before what; likewise */
	struct problem *problem;
	struct arena *arena, *scratch;
	struct error *error;
};

static bool takes_bytes(const struct tensor *tensor)
{
	return !tensor->external && tensor->size > 0;
}

/* ------------------------------------------------------------------- spans */

static bool lives_to_end(const struct tensor *t)
{
	return t->to_end || t->kind == KIND_OUTPUT || t->kind == KIND_WEIGHT ||
	       t->kind == KIND_STATE;
}

static struct span natural_span(const struct work *w, const struct tensor *t)
{
	struct span span = {0, 0};

	if (t->producer != NONE)
		span.start = w->position[t->producer];
	span.end = span.start + 1;
	for (uint32_t i = 0; i < t->readers.n; i++)
		if (w->position[t->readers.at[i]] >= span.end)
			span.end = w->position[t->readers.at[i]] + 1;
	if (lives_to_end(t))
		span.end = w->n_steps;
	if (t->kind == KIND_INPUT || t->kind == KIND_WEIGHT ||
		t->kind == KIND_STATE)
		span.start = 0;
	return span;
}

static bool find_spans(struct work *w)
{
	const struct graph *graph = w->graph;

	for (uint32_t i = 0; i < graph->n_ops; i++)
		w->position[w->order[i]] = i;
	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		const struct tensor *tensor = &graph->tensors[t];

		w->span[t] = natural_span(w, tensor);
		if (!tensor->pinned)
			continue;
		w->span[t] = (struct span){tensor->start, tensor->end};
		if (tensor->start >= tensor->end || tensor->end > w->n_steps)
			return mp_fail(w->error, MEMPLAN_EINPUT,
				"%s: tensor '%s': lifetime [%u, %u) is not "
				"within the %u steps",
				graph->place, mp_tensor_label(tensor),
				tensor->start, tensor->end, w->n_steps);
	}
	return true;
}

/* ---------------------------------------------------------------- in place */

static bool free_to_share(const struct tensor *tensor)
{
	return takes_bytes(tensor) && !tensor->pinned;
}

/* Offsets that the input fixes decide by themselves who shares. */
static bool placed_alike(const struct tensor *a, const struct tensor *b)
{
	return a->placed == b->placed && a->offset == b->offset;
}

static uint64_t rounded(const struct work *w, uint32_t t)
{
	uint64_t a = w->graph->alignment;

	return (w->graph->tensors[t].size + a - 1) & ~(a - 1);
}

static bool has_streams(const struct work *w)
{
	return w->graph->n_streams > 1;
}

/* Where streams run beside each other, to be listed last is not to be last: all
 * other users must surely be done. And the two must be one part. */
static bool dies_for_sure(
	const struct work *w, const struct inplace_pair *pair, uint32_t op)
{
	const struct tensor *in = &w->graph->tensors[pair->input];

	if (in->producer != NONE &&
		!mp_streams_before(&w->streams, in->producer, op))
		return false;
	for (uint32_t i = 0; i < in->readers.n; i++)
		if (in->readers.at[i] != op &&
			!mp_streams_before(&w->streams, in->readers.at[i], op))
			return false;
	return rounded(w, pair->input) == rounded(w, pair->output);
}

/* May the output take the input's bytes at this step? The input must die here,
 * must have lived before, and neither may share at this op already. What must
 * outlive the run does not die at its last step. */
static bool may_take_over(
	const struct work *w, const struct inplace_pair *pair, uint32_t step)
{
	const struct tensor *in = &w->graph->tensors[pair->input];
	const struct tensor *out = &w->graph->tensors[pair->output];

	return pair->input != pair->output && free_to_share(in) &&
	       free_to_share(out) && placed_alike(in, out) &&
	       !lives_to_end(in) && w->span[pair->input].start < step &&
	       w->span[pair->input].end == step + 1 &&
	       w->span[pair->output].start == step &&
	       out->producer == w->order[step] &&
	       w->heir[pair->input] == NONE && !w->is_heir[pair->output] &&
	       (!has_streams(w) || dies_for_sure(w, pair, w->order[step]));
}

/* At the step itself both hold the bytes; counting them once, the larger of the
 * two has them. An output that would live for that step only stays apart. */
static void take_over(
	struct work *w, const struct inplace_pair *pair, uint32_t step)
{
	bool larger = rounded(w, pair->output) >= rounded(w, pair->input);

	if (!larger && w->span[pair->output].end == step + 1)
		return;
	w->heir[pair->input] = pair->output;
	w->is_heir[pair->output] = true;
	if (larger)
		w->span[pair->input].end = step;
	else
		w->span[pair->output].start = step + 1;
}

static void share_in_place(struct work *w)
{
	const struct op *op;

	for (uint32_t step = 0; step < w->graph->n_ops; step++) {
		op = &w->graph->ops[w->order[step]];
		for (uint32_t i = 0; i < op->n_inplace; i++)
			if (may_take_over(w, &op->inplace[i], step))
				take_over(w, &op->inplace[i], step);
	}
}

/* ----------------------------------------------------------------- buffers */

static struct part part_of(const struct work *w, uint32_t t, uint32_t buffer)
{
	struct part part = {0};

	part.size = rounded(w, t);
	part.start = w->span[t].start;
	part.end = w->span[t].end;
	part.buffer = buffer;
	return part;
}

/* Two parts of equal size, one taking over from the other, are one part. */
static bool extends(const struct part *last, const struct part *next)
{
	return last->size == next->size && last->end == next->start;
}

static void widen(
	struct buffer *buffer, const struct part *part, const struct tensor *t)
{
	buffer->size = num_max(buffer->size, part->size);
	buffer->align = num_max(buffer->align, t->align);
	buffer->start =
		part->start < buffer->start ? part->start : buffer->start;
	buffer->end = part->end > buffer->end ? part->end : buffer->end;
	if (t->placed)
		buffer->offset = t->offset;
}

/* The tensor and all that take over from it, one after the other. */
static void add_buffer(struct work *w, uint32_t first)
{
	struct problem *p = w->problem;
	struct buffer *buffer = &p->buffers[p->n_buffers];
	struct part next;

	*buffer = (struct buffer){
		0, w->graph->alignment, NO_OFFSET, NONE, 0, p->n_parts, 0};
	for (uint32_t t = first; t != NONE; t = w->heir[t]) {
		next = part_of(w, t, p->n_buffers);
		widen(buffer, &next, &w->graph->tensors[t]);
		p->items[t].buffer = p->n_buffers;
		if (buffer->n_parts > 0 &&
			extends(&p->parts[p->n_parts - 1], &next)) {
			p->parts[p->n_parts - 1].end = next.end;
		} else {
			p->parts[p->n_parts++] = next;
			buffer->n_parts++;
		}
		if (has_streams(w))
			w->part_of[t] = p->n_parts - 1;
	}
	p->n_buffers++;
}

static struct item item_of(const struct work *w, uint32_t t)
{
	const struct tensor *tensor = &w->graph->tensors[t];
	struct item item = {0};

	item.id = tensor->id;
	item.name = tensor->name;
	item.row = tensor->row;
	item.size = tensor->size;
	item.align = tensor->align;
	item.buffer = NONE;
	item.start = w->span[t].start;
	item.end = w->span[t].end;
	item.producer = tensor->producer;
	item.kind = tensor->kind; /* the two enums agree, see below */
	item.id_is_number = tensor->id_is_number;
	item.external = tensor->external;
	return item;
}

_Static_assert((int)KIND_ACTIVATION == (int)ITEM_ACTIVATION &&
		       (int)KIND_INPUT == (int)ITEM_INPUT &&
		       (int)KIND_OUTPUT == (int)ITEM_OUTPUT &&
		       (int)KIND_WEIGHT == (int)ITEM_WEIGHT &&
		       (int)KIND_STATE == (int)ITEM_STATE &&
		       (int)KIND_TEMPORARY == (int)ITEM_TEMPORARY,
	"kinds of tensors and items agree");

static bool fill_buffers(struct work *w)
{
	struct problem *p = w->problem;
	uint32_t n = w->graph->n_tensors;

	p->items = NEW(w->arena, struct item, n);
	p->buffers = NEW(w->arena, struct buffer, n);
	p->parts = NEW(w->arena, struct part, n);
	if (!p->items || !p->buffers || !p->parts)
		return false;
	p->n_items = n;
	for (uint32_t t = 0; t < n; t++)
		p->items[t] = item_of(w, t);
	for (uint32_t t = 0; t < n; t++)
		if (takes_bytes(&w->graph->tensors[t]) && !w->is_heir[t])
			add_buffer(w, t);
	return true;
}

/* ------------------------------------------------------------------ labels */

static struct step step_of(const struct op *op)
{
	struct step step = {0};

	step.name = op->name;
	step.type = op->type;
	step.inputs = op->inputs.at;
	step.n_inputs = op->inputs.n;
	step.outputs = op->outputs.at;
	step.n_outputs = op->outputs.n;
	step.temporaries = op->temporaries.at;
	step.n_temporaries = op->temporaries.n;
	step.release = op->release.at;
	step.n_release = op->release.n;
	step.after = op->before.at;
	step.n_after = op->before.n;
	step.stream = op->stream;
	step.cost_us = op->cost_us;
	return step;
}

static bool fill_steps(struct work *w)
{
	struct problem *p = w->problem;

	p->n_ops = w->graph->n_ops;
	p->ops = NEW(w->arena, struct step, p->n_ops);
	if (!p->ops)
		return false;
	for (uint32_t op = 0; op < p->n_ops; op++)
		p->ops[op] = step_of(&w->graph->ops[op]);
	p->order = w->order;
	for (uint32_t i = 0; i < p->n_ops; i++)
		p->reordered |= w->order[i] != i;
	return true;
}

static void fill_labels(struct work *w)
{
	const struct graph *graph = w->graph;
	struct problem *p = w->problem;

	p->name = graph->name;
	p->alignment = graph->alignment;
	p->n_steps = w->n_steps;
	p->n_streams = 1;
	p->times = graph->times;
	p->csv_header = graph->csv_header;
	p->claimed_planner = graph->claims.planner;
	p->claimed_bound = graph->claims.lower_bound;
	p->claimed_bound_kind = graph->claims.bound_kind;
}

/* ------------------------------------------------------------------- stage */

static bool prepare_streams(struct work *w)
{
	w->part_of = NEW(w->scratch, uint32_t, w->graph->n_tensors);
	if (!w->part_of)
		return false;
	for (uint32_t t = 0; t < w->graph->n_tensors; t++)
		w->part_of[t] = NONE;
	return mp_streams_init(&w->streams, w->graph, w->order, w->scratch);
}

static bool prepare(struct work *w)
{
	uint32_t n = w->graph->n_tensors;

	w->n_steps = w->graph->n_ops ? w->graph->n_ops : w->graph->n_steps;
	if (w->n_steps == 0 && n > 0)
		w->n_steps = 1;
	w->position = NEW(w->scratch, uint32_t, w->graph->n_ops);
	w->span = NEW(w->scratch, struct span, n);
	w->heir = NEW(w->scratch, uint32_t, n);
	w->is_heir = NEW(w->scratch, bool, n);
	if (!w->position || !w->span || !w->heir || !w->is_heir)
		return false;
	for (uint32_t t = 0; t < n; t++)
		w->heir[t] = NONE;
	return !has_streams(w) || prepare_streams(w);
}

/* Loads are those of the listed order; the least arena is that of any timing.
 */
static bool spread_streams(struct work *w)
{
	return mp_streams_fill(&w->streams, w->part_of, w->problem, w->arena) &&
	       mp_antichain(w->problem, w->arena, w->error);
}

static bool fill_problem(struct work *w, bool inplace)
{
	if (!prepare(w) || !find_spans(w))
		return false;
	if (inplace)
		share_in_place(w);
	fill_labels(w);
	return fill_buffers(w) && fill_steps(w) &&
	       mp_problem_measure(w->problem, w->arena, w->error) &&
	       (!has_streams(w) || spread_streams(w));
}

bool mp_lifetime(const struct graph *graph, const uint32_t *order,
	const struct lifetime_options *options, struct problem *problem,
	struct arena *arena, struct error *e)
{
	struct arena scratch = mp_arena_beside(arena);
	struct work w = {.graph = graph,
		.order = order,
		.problem = problem,
		.arena = arena,
		.scratch = &scratch,
		.error = e};
	bool filled;

	*problem = (struct problem){0};
	filled = fill_problem(&w, options->inplace);
	mp_arena_free(&scratch);
	return filled;
}
