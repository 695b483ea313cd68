/*
 * A problem of one memory as text: only what a bound depends on, and which
 * tensors lie where in which buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/sink-text.h"
#include "problem/schedule.h"
#include "proof/inside.h"

uint64_t mp_proof_fixed(const struct problem *p, uint32_t buffer)
{
	if (!mp_problem_is_reserved(p, buffer) && mp_problem_is_plan(p))
		return NO_OFFSET;
	return p->buffers[buffer].offset;
}

static void write_part(
	struct sink *sink, const struct problem *p, uint32_t part)
{
	const struct part *at = &p->parts[part];
	size_t row = (size_t)part * p->n_streams;

	mp_sink_print(sink, "part %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64,
		at->base, at->size, mp_problem_time(p, at->start),
		mp_problem_time(p, at->end));
	if (p->n_streams > 1) {
		mp_sink_print(sink, " %u %u", p->stream[part], p->born[part]);
		for (uint32_t k = 0; k < p->n_streams; k++)
			mp_sink_print(sink, " %u", p->free[row + k]);
		mp_sink_text(sink, "\n");
	} else {
		mp_sink_text(sink, " 0 0 1\n");
	}
}

/* From the innermost one to the outermost. */
static void write_branches(
	struct sink *sink, const struct problem *p, uint32_t buffer)
{
	struct choice_site at = {NONE, 0};

	if (p->choice)
		at = (struct choice_site){p->choice[buffer], p->branch[buffer]};
	if (at.choice == NONE)
		mp_sink_text(sink, " -1 -1");
	for (; at.choice != NONE; at = mp_problem_site(p, at.choice))
		mp_sink_print(sink, " %u %u", at.choice, at.branch);
	mp_sink_text(sink, "\n");
}

static void write_buffer(struct sink *sink, const struct problem *p, uint32_t i)
{
	const struct buffer *buffer = &p->buffers[i];
	uint64_t fixed = mp_proof_fixed(p, i);

	mp_sink_print(sink, "buffer %" PRIu64, buffer->align);
	if (fixed == NO_OFFSET)
		mp_sink_text(sink, " -1");
	else
		mp_sink_print(sink, " %" PRIu64, fixed);
	write_branches(sink, p, i);
	for (uint32_t k = 0; k < buffer->n_parts; k++)
		write_part(sink, p, buffer->first_part + k);
}

static void write_apart(struct sink *sink, const struct problem *p)
{
	for (uint32_t i = 0; p->apart && i < p->n_buffers; i++)
		for (uint32_t k = p->first_apart[i]; k < p->first_apart[i + 1];
			k++)
			if (i < p->apart[k])
				mp_sink_print(
					sink, "apart %u %u\n", i, p->apart[k]);
}

/* Tensors with bytes are numbered as a plan file lists them. */
static void write_tensors(
	struct sink *sink, const struct problem *p, const uint32_t *number)
{
	const struct schedule *s = p->schedule;
	uint32_t n = 0;

	for (uint32_t t = 0; t < s->graph->n_tensors; t++) {
		uint32_t buffer = s->stay[t].buffer;

		if (buffer == NONE)
			continue;
		if (number[buffer] != NONE)
			mp_sink_print(sink, "tensor %u %u %" PRIu64 "\n", n,
				number[buffer], s->stay[t].base);
		n++;
	}
}

void mp_proof_problem(
	const struct problem *p, struct sink *sink, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	uint32_t *number = p->schedule ? mp_problem_places(p, scratch) : NULL;

	mp_sink_print(sink, "memory %u\n", p->n_streams);
	for (uint32_t i = 0; i < p->n_buffers; i++)
		write_buffer(sink, p, i);
	write_apart(sink, p);
	if (number)
		write_tensors(sink, p, number);
	mp_sink_text(sink, "end\n");
	mp_arena_rewind(scratch, mark);
}
