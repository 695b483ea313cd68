/*
 * A problem as text: what the digest of a proof is of. Only what a bound
 * depends on, and which tensors lie where in which buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/sink-text.h"
#include "problem/schedule.h"
#include "proof/inside.h"

uint64_t mp_proof_fixed(const struct problem *p, uint32_t buffer)
{
	if (!mp_problem_is_reserved(p, buffer) && mp_problem_is_given(p))
		return NO_OFFSET;
	return p->buffers[buffer].offset;
}

static void write_part(
	struct sink *sink, const struct problem *p, uint32_t part)
{
	const struct part *at = &p->parts[part];

	mp_sink_print(sink, "part %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64,
		at->base, at->size, mp_problem_time(p, at->start),
		mp_problem_time(p, at->end));
	if (p->n_streams > 1) {
		mp_sink_print(sink, " %u %u", p->stream[part], p->born[part]);
		for (uint32_t k = 0; k < p->n_streams; k++)
			mp_sink_print(sink, " %u",
				p->free[(size_t)part * p->n_streams + k]);
	}
	mp_sink_text(sink, "\n");
}

static void write_buffer(
	struct sink *sink, const struct problem *p, uint32_t i, uint64_t fixed)
{
	const struct buffer *buffer = &p->buffers[i];

	mp_sink_print(sink, "buffer %" PRIu64, buffer->align);
	if (fixed == NO_OFFSET)
		mp_sink_text(sink, " -");
	else
		mp_sink_print(sink, " %" PRIu64, fixed);
	if (p->choice && p->choice[i] != NONE)
		mp_sink_print(sink, " %u %u", p->choice[i], p->branch[i]);
	mp_sink_text(sink, "\n");
	for (uint32_t k = 0; k < buffer->n_parts; k++)
		write_part(sink, p, buffer->first_part + k);
}

static void write_tensors(struct sink *sink, const struct schedule *s)
{
	for (uint32_t t = 0; t < s->graph->n_tensors; t++) {
		const struct tensor *tensor = &s->graph->tensors[t];

		if (s->stay[t].buffer == NONE)
			continue;
		mp_sink_print(sink, "tensor %u %" PRIu64 " ", s->stay[t].buffer,
			s->stay[t].base);
		mp_sink_json(sink, tensor->id ? tensor->id
					      : mp_graph_tensor_label(tensor));
		mp_sink_text(sink, "\n");
	}
}

void mp_proof_problem(const struct problem *p, struct sink *sink)
{
	bool is_plan = mp_problem_is_given(p);

	mp_sink_print(sink, "memplan.problem 1\nstreams %u\n", p->n_streams);
	for (uint32_t i = 0; i < p->n_buffers; i++)
		write_buffer(sink, p, i,
			is_plan && !mp_problem_is_reserved(p, i)
				? NO_OFFSET
				: p->buffers[i].offset);
	for (uint32_t i = 0; p->apart && i < p->n_buffers; i++)
		for (uint32_t k = p->first_apart[i]; k < p->first_apart[i + 1];
			k++)
			if (i < p->apart[k])
				mp_sink_print(
					sink, "apart %u %u\n", i, p->apart[k]);
	if (p->schedule)
		write_tensors(sink, p->schedule);
	mp_sink_text(sink, "end\n");
}
