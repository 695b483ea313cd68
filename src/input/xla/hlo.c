/*
 * XLA's HloProto (*.hlo.pb): the same buffer assignment as in the text dump,
 * with the traces of the simulation that packed it; docs/formats/xla.md. The
 * traces say in which sequence buffers were allocated and freed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/xla/hlo.h"

#include <string.h>

#include "base/sink-text.h"
#include "input/rows.h"

enum {
	HLO_ASSIGNMENT = 3, /* number of the field */
	HLO_LAST = 15,	    /* with a tag of one byte */
};

/* Has the message fields of bytes only, and the needed one? Later versions of
 * XLA add fields. */
static bool has_messages(struct proto p, uint32_t needed)
{
	struct proto_field field;
	bool found = false;

	while (mp_input_proto_next(&p, &field)) {
		if (field.number > HLO_LAST || field.wire != PROTO_BYTES)
			return false;
		found |= field.number == needed;
	}
	return found && !p.failed;
}

bool mp_input_hlo_recognise(const struct input_file *file)
{
	struct proto p = mp_input_proto_file(file, NULL);
	struct proto_field field;

	if (!has_messages(p, HLO_ASSIGNMENT))
		return false;
	while (mp_input_proto_next(&p, &field))
		if (field.number == HLO_ASSIGNMENT)
			return has_messages(
				mp_input_proto_message(file, NULL, field.bytes),
				ASSIGNMENT_ALLOCATION);
	return false;
}

static bool find_assignment(struct hlo *h, struct proto *assignment)
{
	struct proto p = mp_input_proto_file(h->file, h->error);
	struct proto_field field;
	bool found = false;

	while (mp_input_proto_next(&p, &field)) {
		if (field.number != HLO_ASSIGNMENT)
			continue;
		if (found)
			return mp_input_proto_fail(
				&p, field.place, "a second buffer assignment");
		if (!mp_input_proto_expect(&p, &field, PROTO_BYTES))
			return false;
		*assignment = mp_input_hlo_begin(h, field.bytes);
		found = true;
	}
	if (!p.failed && !found)
		mp_fail(h->error, MEMPLAN_EINPUT,
			"%s: it has no buffer assignment", h->file->name);
	return !p.failed && found;
}

/* ----------------------------------------------------------- reader */

/* What is never freed is there to the end, also if it has the place of a buffer
 * that was freed; and what no trace names is there from the beginning. */
static bool close_lives(struct hlo *h)
{
	static const char word[] = "buffer";
	const struct proto_bytes unknown = {
		(const unsigned char *)word, strlen(word)};
	uint32_t n = 0;

	for (uint32_t i = 0; i < h->n_buffers; i++) {
		const struct hlo_buffer *buffer = &h->buffers[i];
		struct tensor *tensor;

		if (buffer->tensor == NONE)
			continue;
		tensor = &h->parts.tensors[buffer->tensor];
		if (!buffer->is_freed)
			tensor->end = h->parts.n_ops;
		if (tensor->start != NONE)
			continue;
		tensor->start = 0;
		if (!mp_input_hlo_name(h, buffer, unknown))
			return false;
		n++;
	}
	if (n > 0)
		mp_warn(h->error,
			"%s: %u buffer%s taken to be alive all the time: no "
			"trace names %s",
			h->file->name, n, mp_text_plural(n),
			n == 1 ? "it" : "them");
	return true;
}

static void warn_of_untraced(const struct hlo *h)
{
	uint32_t n = h->n_left_out;

	if (n > 0)
		mp_warn(h->error,
			"%s: %u allocation%s of temporaries left out: no "
			"trace says when %s buffers are alive",
			h->file->name, n, mp_text_plural(n),
			n == 1 ? "its" : "their");
}

static bool read_all(struct hlo *h)
{
	struct proto assignment;

	if (!find_assignment(h, &assignment) ||
		!mp_input_hlo_assignment(h, assignment))
		return false;
	for (uint32_t i = 0; i < h->n_traces; i++)
		if (!mp_input_hlo_mark(h, h->traces[i]))
			return false;
	if (!mp_input_hlo_place(h))
		return false;
	for (uint32_t i = 0; i < h->n_traces; i++)
		if (!mp_input_hlo_trace(h, h->traces[i]))
			return false;
	if (h->parts.n_tensors == 0)
		return mp_fail(h->error, MEMPLAN_EINPUT,
			"%s: it has no trace of an allocation of temporaries",
			h->file->name);
	warn_of_untraced(h);
	return close_lives(h);
}

bool mp_input_hlo_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	struct arena scratch = mp_arena_beside(arena);
	struct hlo h = {.file = &input->files[ROLE_MAIN],
		.error = e,
		.arena = arena,
		.scratch = &scratch};
	bool fine = read_all(&h) && mp_input_xla_fill(&h.parts, graph,
					    input->alignment, arena, e);

	mp_arena_free(&scratch);
	return fine;
}
