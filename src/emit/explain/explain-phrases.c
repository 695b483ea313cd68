/*
 * explain: phrases that several of its tables have.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/explain/explain.h"

#include <assert.h>

void mp_emit_explain_less(struct sink *sink, uint64_t now, uint64_t then)
{
	assert(then <= now);
	mp_sink_print(sink, "%s, %s %% less", mp_emit_bytes(then).text,
		mp_emit_percent(now - then, now).text);
}

static void phrase(struct sink *sink, const struct schedule *s,
	const char *const *phrases, struct phrase phrase)
{
	mp_emit_phrase(sink, phrases[phrase.what],
		phrase.step == NONE ? NULL : mp_emit_step(s, phrase.step).text);
}

void mp_emit_explain_birth(struct sink *sink, const struct uses *uses,
	const struct schedule *s, uint32_t tensor)
{
	const struct tensor_alias *alias =
		mp_graph_ties_alias(&s->graph->ties, tensor);

	assert(tensor < s->graph->n_tensors);
	if (alias)
		mp_sink_print(sink, "bytes of %s, ",
			mp_emit_tensor(s, alias->root).text);
	phrase(sink, s, mp_emit_births, mp_emit_birth(uses, s, tensor));
}

void mp_emit_explain_ending(struct sink *sink, const struct uses *uses,
	const struct schedule *s, uint32_t tensor)
{
	phrase(sink, s, mp_emit_story_ends, mp_emit_story_end(uses, s, tensor));
}
