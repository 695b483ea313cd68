/*
 * The traces of an HloProto: when buffers are alive, and what they are called.
 * See hlo.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/xla/hlo.h"

#include <stdio.h>
#include <string.h>

#include "base/sink-text.h"

/* Numbers of fields. */
enum {
	AT_INSTRUCTION = 2,
	AT_INDEX = 3,

	TRACE_EVENT = 1,

	EVENT_KIND = 1,
	EVENT_BUFFER = 2,
	EVENT_INSTRUCTION = 4,
	EVENT_SHARES = 5,
};

enum kind {
	ALLOCATE,
	FREE,
	SHARE,
};

enum {
	LONGEST_NAME = 4096,
	MOST_INDICES = 32, /* of a value in tuples */
};

struct event {
	uint64_t kind, buffer, shares;
	struct proto_bytes instruction;
	size_t place;
};

/* ------------------------------------------------------------ names */

static const char *text(struct hlo *h, struct proto_bytes name)
{
	char *copy = mp_arena_text(
		h->arena, (const char *)name.at, num_min(name.n, LONGEST_NAME));

	if (copy)
		mp_text_clean(copy);
	return copy;
}

/* "{0,1}": where in its tuple a value is; else "". */
static bool read_index(
	struct proto *p, const struct proto_field *field, char *to, size_t room)
{
	struct proto numbers = mp_input_proto_numbers(p, field);
	enum proto_wire wire = field->wire == PROTO_BYTES
				       ? PROTO_VARINT
				       : (enum proto_wire)field->wire;
	uint64_t value;

	while (mp_input_proto_number(&numbers, wire, &value)) {
		size_t n = strlen(to);

		if (room - n < 24)
			return mp_input_proto_fail(p, field->place,
				"a value in more than %d tuples", MOST_INDICES);
		snprintf(to + n - (n > 0), room - n + (n > 0), "%c%llu}",
			n > 0 ? ',' : '{', (unsigned long long)value);
	}
	return !numbers.failed;
}

/* The tensor is called like its value in the text dump. A name with an id
 * behind it may be that of another tensor too. */
bool mp_input_hlo_name(struct hlo *h, const struct hlo_buffer *buffer,
	struct proto_bytes instruction)
{
	struct tensor *tensor = &h->parts.tensors[buffer->tensor];
	struct proto p = mp_input_hlo_begin(h, buffer->at);
	char index[24 * MOST_INDICES] = "";
	struct proto_field field;
	struct proto_bytes own = {NULL, 0};
	const char *name;
	bool fine = true;

	while (fine && mp_input_proto_next(&p, &field)) {
		if (field.number == AT_INSTRUCTION)
			fine = mp_input_hlo_bytes(&p, &field, &own);
		else if (field.number == AT_INDEX)
			fine = read_index(&p, &field, index, sizeof(index));
	}
	if (!fine || p.failed)
		return false;
	name = text(h, own.n > 0 ? own : instruction);
	if (!name)
		return false;
	tensor->name = mp_arena_print(h->arena, "%s%s", name, index);
	while (tensor->name &&
		mp_names_add(&h->names, tensor->name, buffer->tensor) != NONE)
		tensor->name = mp_arena_print(h->arena, "%s@%llu", tensor->name,
			(unsigned long long)buffer->id);
	tensor->id = tensor->name;
	return tensor->name != NULL;
}

/* ----------------------------------------------------------- traces */

static bool read_event(
	struct hlo *h, const struct proto_field *at, struct event *event)
{
	struct proto p = mp_input_hlo_begin(h, at->bytes);
	struct proto_field field;
	bool fine = true;

	*event = (struct event){.place = at->place};
	while (fine && mp_input_proto_next(&p, &field)) {
		if (field.number == EVENT_KIND)
			fine = mp_input_hlo_number(&p, &field, &event->kind);
		else if (field.number == EVENT_BUFFER)
			fine = mp_input_hlo_number(&p, &field, &event->buffer);
		else if (field.number == EVENT_INSTRUCTION)
			fine = mp_input_hlo_bytes(
				&p, &field, &event->instruction);
		else if (field.number == EVENT_SHARES)
			fine = mp_input_hlo_number(&p, &field, &event->shares);
	}
	return !p.failed && (event->kind <= SHARE ||
				    mp_input_proto_fail(&p, at->place,
					    "an event of kind %llu",
					    (unsigned long long)event->kind));
}

/* What an instruction allocates is one step, with all that is freed before the
 * next one allocates. */
static bool begin_step(struct hlo *h, struct proto_bytes instruction)
{
	bool same =
		h->instruction.n == instruction.n && instruction.n > 0 &&
		memcmp(h->instruction.at, instruction.at, instruction.n) == 0;

	if (same && !h->frees)
		return true;
	h->parts.ops = mp_arena_grow(h->arena, h->parts.ops, h->parts.n_ops,
		&h->room_ops, sizeof(*h->parts.ops));
	if (!h->parts.ops)
		return false;
	h->instruction = instruction;
	h->frees = false;
	h->parts.ops[h->parts.n_ops] =
		(struct op){.name = text(h, instruction)};
	return h->parts.ops[h->parts.n_ops++].name != NULL;
}

static bool fail_event(
	struct hlo *h, const struct event *event, const char *what)
{
	struct proto p = mp_input_hlo_begin(h, (struct proto_bytes){NULL, 0});

	return mp_input_proto_fail(&p, event->place, "buffer %llu %s",
		(unsigned long long)event->buffer, what);
}

static bool allocate(struct hlo *h, const struct event *event,
	const struct hlo_buffer *buffer)
{
	struct tensor *tensor = &h->parts.tensors[buffer->tensor];

	if (tensor->start != NONE)
		return fail_event(h, event, "is allocated twice");
	tensor->start = h->parts.n_ops - 1;
	return mp_input_hlo_name(h, buffer, event->instruction);
}

/* A buffer in the place of another one; if it has none of its own, the other
 * one lives for it. */
static bool share(
	struct hlo *h, const struct event *event, struct hlo_buffer *buffer)
{
	const struct hlo_buffer *with = mp_input_hlo_buffer(h, event->shares);

	if (buffer->tensor != NONE)
		return allocate(h, event, buffer);
	if (!with)
		return fail_event(h, event, "shares the place of none");
	buffer->tensor = with->tensor;
	return true;
}

static bool release(
	struct hlo *h, const struct event *event, struct hlo_buffer *buffer)
{
	struct tensor *tensor = &h->parts.tensors[buffer->tensor];

	if (tensor->start == NONE)
		return fail_event(h, event, "is freed before it is allocated");
	tensor->end = h->parts.n_ops;
	buffer->is_freed = true;
	h->frees = true;
	return true;
}

/* Buffers that have no place in an allocation of temporaries are passed over.
 */
static bool follow(struct hlo *h, const struct event *event)
{
	struct hlo_buffer *buffer = mp_input_hlo_buffer(h, event->buffer);

	if (h->n_events++ == HLO_MOST)
		return fail_event(h, event, "has an event beyond 2^24");
	if (!buffer)
		return fail_event(h, event, "is none of the assignment");
	if (buffer->tensor == NONE && event->kind != SHARE)
		return true;
	if (event->kind == FREE)
		return release(h, event, buffer);
	return begin_step(h, event->instruction) &&
	       (event->kind == SHARE ? share(h, event, buffer)
				     : allocate(h, event, buffer));
}

/* Calls a function with each event of a trace. A trace says which allocation it
 * is of, but XLA numbers allocations anew after that: what counts is where the
 * buffers lie. */
static bool each_event(struct hlo *h, struct proto_bytes trace,
	bool (*call)(struct hlo *h, const struct event *event))
{
	struct proto p = mp_input_hlo_begin(h, trace);
	struct proto_field field;
	struct event event;
	bool fine = true;

	while (fine && mp_input_proto_next(&p, &field)) {
		if (field.number != TRACE_EVENT)
			continue;
		fine = mp_input_proto_expect(&p, &field, PROTO_BYTES) &&
		       read_event(h, &field, &event) && call(h, &event);
	}
	return fine && !p.failed;
}

static bool mark(struct hlo *h, const struct event *event)
{
	struct hlo_buffer *buffer = mp_input_hlo_buffer(h, event->buffer);

	if (buffer)
		buffer->is_traced = true;
	return true;
}

bool mp_input_hlo_mark(struct hlo *h, struct proto_bytes trace)
{
	return each_event(h, trace, mark);
}

bool mp_input_hlo_trace(struct hlo *h, struct proto_bytes trace)
{
	h->frees = true;
	return each_event(h, trace, follow);
}
