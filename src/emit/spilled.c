/*
 * Buffers that lie elsewhere than in the first pool of their list.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inside.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/sort.h"
#include "emit/json-text.h"
#include "emit/report.h"

enum {
	NAMED = 3, /* in text */
};

struct spilled {
	uint32_t tensor; /* the largest of the buffer */
	uint64_t size;	 /* of the buffer */
	const char *pool;
	uint32_t buffer;
};

struct spills {
	struct labels labels;
	struct spilled *at;
	uint32_t n;
};

static int by_size(const void *left, const void *right)
{
	const struct spilled *a = left, *b = right;

	return mp_sort_compare_two(b->size, a->size, a->buffer, b->buffer);
}

static bool is_spilled(const struct plan *plan, uint32_t buffer)
{
	const struct schedule *s = plan->schedule;
	const struct space *space = &plan->spaces.at[plan->spaces.of[buffer]];

	assert(plan->spaces.of[buffer] < plan->spaces.n);
	return s->problem.pool_lists[s->problem.pool_list[buffer]].at[0] !=
	       space->pool;
}

/* Of tensors of a buffer that take as much: the first. */
static bool find(
	const struct plan *plan, struct spills *spills, struct arena *scratch)
{
	const struct schedule *s = plan->schedule;
	uint32_t n = s->problem.n_buffers;
	uint32_t *largest = NEW(scratch, uint32_t, n);

	assert(plan->spaces.at);
	*spills = (struct spills){.at = NEW(scratch, struct spilled, n)};
	if (!largest || !spills->at ||
		!mp_emit_labels_find(&spills->labels, s, scratch))
		return false;
	for (uint32_t i = 0; i < n; i++)
		largest[i] = NONE;
	for (uint32_t i = 0; i < s->graph->n_tensors; i++) {
		const struct tensor *tensors = s->graph->tensors;
		uint32_t buffer = s->stay[i].buffer;

		if (buffer != NONE &&
			(largest[buffer] == NONE ||
				tensors[i].size >
					tensors[largest[buffer]].size))
			largest[buffer] = i;
	}
	for (uint32_t i = 0; i < n; i++)
		if (is_spilled(plan, i))
			spills->at[spills->n++] = (struct spilled){largest[i],
				s->problem.buffers[i].size,
				plan->spaces.at[plan->spaces.of[i]].name, i};
	if (spills->n > 0)
		qsort(spills->at, spills->n, sizeof(*spills->at), by_size);
	return true;
}

void mp_emit_spilled_text(
	struct sink *sink, const struct plan *plan, struct arena *scratch)
{
	struct spills spills;

	if (plan->spaces.n_spilled == 0 || !find(plan, &spills, scratch))
		return;
	mp_sink_text(sink, "    the largest: ");
	for (uint32_t i = 0; i < spills.n && i < NAMED; i++) {
		const struct spilled *at = &spills.at[i];

		mp_sink_print(sink, "%s%s (%" PRIu64 ") in %s",
			i > 0 ? ", " : "",
			mp_emit_label(&spills.labels, at->tensor).text,
			at->size, mp_emit_plain(at->pool).text);
	}
	mp_sink_text(sink, "\n");
}

void mp_emit_spilled_json(
	struct sink *sink, const struct plan *plan, struct arena *scratch)
{
	struct spills spills;

	if (!plan->spaces.at || !find(plan, &spills, scratch))
		return;
	mp_emit_json_open(sink, JSON_LINE, "spilled_buffers");
	for (uint32_t i = 0; i < spills.n; i++) {
		const struct spilled *at = &spills.at[i];

		mp_emit_json_item(sink, i);
		mp_emit_json_tensor(
			sink, &plan->schedule->graph->tensors[at->tensor]);
		mp_emit_json_label(sink, &spills.labels, at->tensor);
		mp_emit_json_number(sink, ", ", "bytes", at->size);
		mp_emit_json_text(sink, ", ", "pool", at->pool);
		mp_sink_text(sink, "}");
	}
	mp_emit_json_close(sink, spills.n);
}
