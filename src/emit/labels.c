/* SPDX-License-Identifier: MIT */
#include "emit/labels.h"

#include <assert.h>

#include "base/sink-text.h"

const char *mp_emit_labels_short(const struct schedule *s, const char *label)
{
	const char *slash = s->graph->bundle.n > 0 ? strchr(label, '/') : NULL;

	return slash ? slash + 1 : label;
}

static const char *name_of(const struct schedule *s, uint32_t tensor)
{
	return mp_graph_tensor_label(&s->graph->tensors[tensor]);
}

/* What is written is short enough: the sink never grows. All tensors of a part
 * are of one member of a bundle. */
static const char *join(const struct schedule *s, const struct chain *chain,
	struct arena *arena)
{
	char text[4 * LABEL_MOST];
	struct sink sink = {.bytes = text, .room = sizeof(text)};

	mp_sink_plain(&sink, name_of(s, chain->first), LABEL_HALF);
	mp_sink_text(&sink, " \u2026 ");
	mp_sink_plain(&sink, mp_emit_labels_short(s, name_of(s, chain->last)),
		LABEL_HALF);
	assert(sink.length < sizeof(text));
	return mp_arena_text(arena, text, sink.length);
}

bool mp_emit_labels_find(
	struct labels *labels, const struct schedule *s, struct arena *arena)
{
	const struct chains *chains = &labels->chains;

	labels->schedule = s;
	labels->of_part = NEW(arena, const char *, s->problem.n_parts);
	labels->of_tensor = NEW(arena, const char *, s->graph->n_tensors);
	if (!labels->of_part || !labels->of_tensor ||
		!mp_problem_chains_find(&labels->chains, s, arena))
		return false;
	for (uint32_t k = 0; k < s->problem.n_parts; k++) {
		const struct chain *chain = &chains->of[k];

		if (chain->n == 0)
			continue;
		labels->of_part[k] = chain->n == 1 ? name_of(s, chain->first)
						   : join(s, chain, arena);
		if (!labels->of_part[k])
			return false;
	}
	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		labels->of_tensor[i] =
			chains->fills[i] ? labels->of_part[chains->home[i]]
					 : name_of(s, i);
	return true;
}

bool mp_emit_labels_several(const struct labels *labels, uint32_t tensor)
{
	const struct chains *chains = &labels->chains;

	assert(tensor < labels->schedule->graph->n_tensors);
	return chains->fills[tensor] && chains->of[chains->home[tensor]].n > 1;
}

void mp_emit_labels_life(const struct labels *labels, uint32_t tensor,
	uint32_t *start, uint32_t *end)
{
	const struct schedule *s = labels->schedule;
	bool several = mp_emit_labels_several(labels, tensor);
	const struct part *part =
		several ? &s->problem.parts[labels->chains.home[tensor]] : NULL;

	*start = several ? part->start : s->stay[tensor].start;
	*end = several ? part->end : s->stay[tensor].end;
}
