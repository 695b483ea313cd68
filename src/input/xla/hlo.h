/*
 * XLA's HloProto on its way to a graph. Only for hlo*.c: hlo.c finds the buffer
 * assignment, hlo-assignment.c reads buffers and allocations, hlo-traces.c what
 * a simulation of them did, step by step.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_XLA_HLO_H
#define MP_INPUT_XLA_HLO_H

#include "base/names.h"
#include "input/wire/proto.h"
#include "input/xla/xla.h"

enum {
	ASSIGNMENT_BUFFER = 1,
	ASSIGNMENT_ALLOCATION = 3,
	ASSIGNMENT_TRACE = 4,

	HLO_MOST = 1 << 24, /* buffers, allocations, traces, events */
};

/* A logical buffer. */
struct hlo_buffer {
	uint64_t id;
	struct proto_bytes at; /* where it is defined */
	size_t place;
	uint32_t tensor; /* NONE: it has no place among temporaries */
	bool is_traced, is_freed;
};

struct hlo_allocation {
	uint64_t index, size;
	struct proto_bytes message;
	bool is_temporary;
};

struct hlo {
	const struct input_file *file;
	struct error *error;
	struct hlo_buffer *buffers;	    /* by id */
	struct hlo_allocation *allocations; /* by index */
	struct proto_bytes *traces;
	uint32_t n_buffers, n_allocations, n_traces, n_events, room_ops;
	uint32_t n_left_out; /* allocations of temporaries without a trace */
	struct names names;  /* of tensors */
	struct proto_bytes instruction; /* of the step at hand */
	bool frees; /* the step at hand has freed a buffer */
	struct xla_parts parts;
	struct arena *arena, *scratch;
};

static inline struct proto mp_input_hlo_begin(
	const struct hlo *h, struct proto_bytes message)
{
	return mp_input_proto_message(h->file, h->error, message);
}

/* The value of a field, which must be a number or bytes. */
static inline bool mp_input_hlo_number(
	struct proto *p, const struct proto_field *field, uint64_t *to)
{
	*to = field->value;
	return mp_input_proto_expect(p, field, PROTO_VARINT);
}

static inline bool mp_input_hlo_bytes(struct proto *p,
	const struct proto_field *field, struct proto_bytes *to)
{
	*to = field->bytes;
	return mp_input_proto_expect(p, field, PROTO_BYTES);
}

/* Reads buffers and allocations, and lists the traces. */
bool mp_input_hlo_assignment(struct hlo *h, struct proto assignment);

/* The buffer of that id; NULL: none. */
struct hlo_buffer *mp_input_hlo_buffer(const struct hlo *h, uint64_t id);

/* The buffers of each allocation of temporaries that has a traced one become
 * tensors of a pool. */
bool mp_input_hlo_place(struct hlo *h);

/* Buffers that the trace names are traced. */
bool mp_input_hlo_mark(struct hlo *h, struct proto_bytes trace);

/* Names the tensor of a buffer, which the instruction makes. */
bool mp_input_hlo_name(struct hlo *h, const struct hlo_buffer *buffer,
	struct proto_bytes instruction);

/* Steps and lifetimes. */
bool mp_input_hlo_trace(struct hlo *h, struct proto_bytes trace);

#endif
