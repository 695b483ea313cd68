/*
 * A tensor lives from the step of its producer through the step of its last
 * reader, so that an output never overlaps an input of the same op.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/inside.h"

#include "base/sink-text.h"

static struct stay natural_span(
	const struct sharing *s, const struct tensor *tensor)
{
	struct stay span = {.buffer = NONE};
	struct ids readers = mp_graph_readers(s->graph, tensor);

	if (tensor->producer != NONE)
		span.start = s->position[tensor->producer];
	span.end = span.start + 1;
	for (uint32_t i = 0; i < readers.n; i++)
		if (s->position[readers.at[i]] >= span.end)
			span.end = s->position[readers.at[i]] + 1;
	if (mp_graph_tensor_to_end(tensor))
		span.end = s->n_steps;
	if (mp_graph_tensor_from_start(tensor))
		span.start = 0;
	return span;
}

static bool pinned_span(const struct sharing *s, uint32_t t, struct stay *span)
{
	const struct tensor *tensor = &s->graph->tensors[t];

	span->start = tensor->start;
	span->end = tensor->end;
	return (tensor->start <= tensor->end && tensor->end <= s->n_steps) ||
	       mp_graph_fail(s->graph, THING_TENSOR, t, s->error,
		       MEMPLAN_EINPUT,
		       "tensor '%s': lifetime [%u, %u) is not within the %u "
		       "step%s",
		       mp_graph_tensor_label(tensor), tensor->start,
		       tensor->end, s->n_steps, mp_text_plural(s->n_steps));
}

bool mp_lifetime_has_step(const struct sharing *s, uint32_t t)
{
	return s->stay[t].start < s->stay[t].end ||
	       mp_graph_fail(s->graph, THING_TENSOR, t, s->error,
		       MEMPLAN_EINPUT,
		       "tensor '%.80s': a lifetime without a step is for one "
		       "that shares bytes in place",
		       mp_graph_tensor_label(&s->graph->tensors[t]));
}

/* A tensor lives until its alias begins, so that no other tensor gets the bytes
 * in between. With several streams the holders of a part ensure that. */
static void reach_aliases(struct sharing *s)
{
	const struct ties *ties = &s->graph->ties;

	if (mp_lifetime_has_streams(s))
		return;
	for (uint32_t i = 0; i < ties->n_aliases; i++) {
		uint32_t of = ties->aliases[i].of;
		uint32_t start = s->stay[ties->aliases[i].tensor].start;

		if (!s->graph->tensors[of].pinned && s->stay[of].end < start)
			s->stay[of].end = start;
	}
}

/* The fixed lifetime of a lifelong tensor must have all steps. */
static bool check_lifelong(const struct sharing *s, uint32_t t)
{
	const struct tensor *tensor = &s->graph->tensors[t];

	return !tensor->from_start || !tensor->to_end ||
	       (s->stay[t].start == 0 && s->stay[t].end == s->n_steps) ||
	       mp_graph_fail(s->graph, THING_TENSOR, t, s->error,
		       MEMPLAN_EINPUT,
		       "tensor '%.80s' is alive throughout, but its lifetime "
		       "is [%u, %u) of %u step%s",
		       mp_graph_tensor_label(tensor), s->stay[t].start,
		       s->stay[t].end, s->n_steps, mp_text_plural(s->n_steps));
}

bool mp_lifetime_spans_find(struct sharing *s)
{
	const struct graph *graph = s->graph;

	for (uint32_t i = 0; i < graph->n_ops; i++)
		s->position[s->order[i]] = i;
	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		const struct tensor *tensor = &graph->tensors[t];

		if (!tensor->pinned)
			s->stay[t] = natural_span(s, tensor);
		else if (!pinned_span(s, t, &s->stay[t]) ||
			 !check_lifelong(s, t))
			return false;
	}
	reach_aliases(s);
	return true;
}
