/*
 * The buffers and allocations of an HloProto: see hlo.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/xla/hlo.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"

/* Numbers of fields. */
enum {
	BUFFER_ID = 1,
	BUFFER_AT = 3,

	ALLOCATION_INDEX = 1,
	ALLOCATION_SIZE = 2,
	ALLOCATION_IS_LOCAL = 3,
	ALLOCATION_IS_PARAMETER = 5,
	ALLOCATION_IS_OUTPUT = 7,
	ALLOCATION_ASSIGNED = 9,
	ALLOCATION_IS_CONSTANT = 12,

	ASSIGNED_BUFFER = 1,
	ASSIGNED_OFFSET = 2,
	ASSIGNED_SIZE = 3,
};

/* ---------------------------------------------------------- buffers */

static bool read_buffer(
	struct hlo *h, const struct proto_field *at, struct hlo_buffer *buffer)
{
	struct proto p = mp_input_hlo_begin(h, at->bytes);
	struct proto_field field;
	bool fine = true;

	*buffer = (struct hlo_buffer){.place = at->place, .tensor = NONE};
	while (fine && mp_input_proto_next(&p, &field)) {
		if (field.number == BUFFER_ID)
			fine = mp_input_hlo_number(&p, &field, &buffer->id);
		else if (field.number == BUFFER_AT)
			fine = mp_input_hlo_bytes(&p, &field, &buffer->at);
	}
	return !p.failed;
}

static bool read_allocation(struct hlo *h, const struct proto_field *at,
	struct hlo_allocation *allocation)
{
	struct proto p = mp_input_hlo_begin(h, at->bytes);
	struct proto_field field;
	bool fine = true;
	uint64_t is;

	*allocation = (struct hlo_allocation){
		.message = at->bytes, .is_temporary = true};
	while (fine && mp_input_proto_next(&p, &field)) {
		switch (field.number) {
		case ALLOCATION_INDEX:
			fine = mp_input_hlo_number(
				&p, &field, &allocation->index);
			break;
		case ALLOCATION_SIZE:
			fine = mp_input_hlo_number(
				&p, &field, &allocation->size);
			break;
		case ALLOCATION_IS_LOCAL:
		case ALLOCATION_IS_PARAMETER:
		case ALLOCATION_IS_OUTPUT:
		case ALLOCATION_IS_CONSTANT:
			fine = mp_input_hlo_number(&p, &field, &is);
			allocation->is_temporary &= is == 0;
		}
	}
	return !p.failed &&
	       (allocation->size <= NUM_MAX_BYTES ||
		       mp_input_proto_fail(&p, at->place,
			       "an allocation of more than 2^62 bytes"));
}

static int by_id(const void *left, const void *right)
{
	const struct hlo_buffer *a = left, *b = right;

	return mp_sort_compare_two(a->id, b->id, a->place, b->place);
}

static int by_index(const void *left, const void *right)
{
	const struct hlo_allocation *a = left, *b = right;

	return mp_sort_compare_two(a->index, b->index, (uintptr_t)a->message.at,
		(uintptr_t)b->message.at);
}

struct hlo_buffer *mp_input_hlo_buffer(const struct hlo *h, uint64_t id)
{
	uint32_t i = mp_search_key_u64(h->buffers, sizeof(*h->buffers),
		offsetof(struct hlo_buffer, id), h->n_buffers, id);

	return i < h->n_buffers && h->buffers[i].id == id ? &h->buffers[i]
							  : NULL;
}

static bool sort(struct hlo *h)
{
	struct proto p = mp_input_hlo_begin(h, (struct proto_bytes){NULL, 0});

	if (h->n_buffers > 0)
		qsort(h->buffers, h->n_buffers, sizeof(*h->buffers), by_id);
	if (h->n_allocations > 0)
		qsort(h->allocations, h->n_allocations, sizeof(*h->allocations),
			by_index);
	for (uint32_t i = 1; i < h->n_buffers; i++)
		if (h->buffers[i].id == h->buffers[i - 1].id)
			return mp_input_proto_fail(&p, h->buffers[i].place,
				"there are two buffers %llu",
				(unsigned long long)h->buffers[i].id);
	for (uint32_t i = 1; i < h->n_allocations; i++)
		if (h->allocations[i].index == h->allocations[i - 1].index)
			return mp_input_proto_fail(&p,
				mp_input_proto_place(
					&p, h->allocations[i].message.at),
				"there are two allocations %llu",
				(unsigned long long)h->allocations[i].index);
	return true;
}

/* ------------------------------------------------------- assignment */

static bool count_parts(struct hlo *h, struct proto p)
{
	struct proto_field field;

	while (mp_input_proto_next(&p, &field)) {
		h->n_buffers += field.number == ASSIGNMENT_BUFFER;
		h->n_allocations += field.number == ASSIGNMENT_ALLOCATION;
		h->n_traces += field.number == ASSIGNMENT_TRACE;
		if (h->n_buffers > HLO_MOST || h->n_allocations > HLO_MOST ||
			h->n_traces > HLO_MOST)
			return mp_input_proto_fail(&p, field.place,
				"more than %d buffers, allocations or traces",
				HLO_MOST);
	}
	return !p.failed;
}

static bool make_room(struct hlo *h)
{
	h->buffers = NEW(h->scratch, struct hlo_buffer, h->n_buffers);
	h->allocations =
		NEW(h->scratch, struct hlo_allocation, h->n_allocations);
	h->traces = NEW(h->scratch, struct proto_bytes, h->n_traces);
	h->parts.tensors = NEW(h->arena, struct tensor, h->n_buffers);
	return h->buffers && h->allocations && h->traces && h->parts.tensors &&
	       mp_names_init(&h->names, h->n_buffers, h->scratch);
}

static bool read_parts(struct hlo *h, struct proto p)
{
	struct proto_field field;
	uint32_t buffer = 0, allocation = 0, trace = 0;
	bool fine = true;

	while (fine && mp_input_proto_next(&p, &field)) {
		if (field.number < ASSIGNMENT_ALLOCATION &&
			field.number != ASSIGNMENT_BUFFER)
			continue;
		if (!mp_input_proto_expect(&p, &field, PROTO_BYTES))
			return false;
		if (field.number == ASSIGNMENT_BUFFER)
			fine = read_buffer(h, &field, &h->buffers[buffer++]);
		else if (field.number == ASSIGNMENT_ALLOCATION)
			fine = read_allocation(
				h, &field, &h->allocations[allocation++]);
		else if (field.number == ASSIGNMENT_TRACE)
			h->traces[trace++] = field.bytes;
	}
	return fine && !p.failed && sort(h);
}

bool mp_input_hlo_assignment(struct hlo *h, struct proto assignment)
{
	return count_parts(h, assignment) && make_room(h) &&
	       read_parts(h, assignment);
}

/* ----------------------------------------------------------- places */

/* The place of a buffer in an allocation. */
struct assigned {
	uint64_t buffer, offset, size;
};

static bool read_assigned(struct proto p, struct assigned *to)
{
	struct proto_field field;
	bool fine = true;

	*to = (struct assigned){0, 0, 0};
	while (fine && mp_input_proto_next(&p, &field)) {
		if (field.number == ASSIGNED_BUFFER)
			fine = mp_input_hlo_number(&p, &field, &to->buffer);
		else if (field.number == ASSIGNED_OFFSET)
			fine = mp_input_hlo_number(&p, &field, &to->offset);
		else if (field.number == ASSIGNED_SIZE)
			fine = mp_input_hlo_number(&p, &field, &to->size);
	}
	return !p.failed;
}

/* A buffer of an allocation: a tensor. There is room for one of each buffer. */
static bool add_tensor(struct hlo *h, const struct hlo_allocation *allocation,
	const struct proto_field *at, const struct assigned *assigned)
{
	struct proto p = mp_input_hlo_begin(h, at->bytes);
	struct hlo_buffer *buffer = mp_input_hlo_buffer(h, assigned->buffer);
	uint64_t end;

	if (!buffer || buffer->tensor != NONE)
		return mp_input_proto_fail(&p, at->place,
			buffer ? "buffer %llu has a second place"
			       : "there is no buffer %llu",
			(unsigned long long)assigned->buffer);
	if (!num_add(assigned->offset, assigned->size, &end) ||
		end > allocation->size)
		return mp_input_proto_fail(&p, at->place,
			"buffer %llu reaches beyond allocation %llu",
			(unsigned long long)assigned->buffer,
			(unsigned long long)allocation->index);
	assert(h->parts.n_tensors < h->n_buffers);
	buffer->tensor = h->parts.n_tensors++;
	h->parts.tensors[buffer->tensor] = (struct tensor){.producer = NONE,
		.pinned = true,
		.placed = true,
		.start = NONE,
		.offset = assigned->offset,
		.size = assigned->size,
		.pools = (uint16_t)h->parts.n_pools};
	return true;
}

/* Does a trace name a buffer of the allocation? What is wrong in it is told by
 * add_pool(). */
static bool is_traced(
	const struct hlo *h, const struct hlo_allocation *allocation)
{
	struct proto p =
		mp_input_proto_message(h->file, NULL, allocation->message);
	const struct hlo_buffer *buffer;
	struct proto_field field;
	struct assigned assigned;

	while (mp_input_proto_next(&p, &field)) {
		if (field.number != ALLOCATION_ASSIGNED ||
			field.wire != PROTO_BYTES ||
			!read_assigned(mp_input_proto_message(
					       h->file, NULL, field.bytes),
				&assigned))
			continue;
		buffer = mp_input_hlo_buffer(h, assigned.buffer);
		if (buffer && buffer->is_traced)
			return true;
	}
	return false;
}

static bool add_pool(struct hlo *h, const struct hlo_allocation *allocation)
{
	struct proto p = mp_input_hlo_begin(h, allocation->message);
	struct proto_field field;
	struct assigned assigned;

	if (h->parts.n_pools == MOST_POOLS)
		return mp_input_proto_fail(&p, mp_input_proto_place(&p, p.at),
			"more than %d allocations of temporaries", MOST_POOLS);
	if (!mp_input_xla_add_pool(&h->parts, allocation->index, h->arena))
		return false;
	while (mp_input_proto_next(&p, &field)) {
		if (field.number != ALLOCATION_ASSIGNED)
			continue;
		if (!mp_input_proto_expect(&p, &field, PROTO_BYTES) ||
			!read_assigned(mp_input_hlo_begin(h, field.bytes),
				&assigned) ||
			!add_tensor(h, allocation, &field, &assigned))
			return false;
	}
	return !p.failed;
}

bool mp_input_hlo_place(struct hlo *h)
{
	for (uint32_t i = 0; i < h->n_allocations; i++) {
		const struct hlo_allocation *allocation = &h->allocations[i];

		if (!allocation->is_temporary)
			continue;
		if (!is_traced(h, allocation))
			h->n_left_out++;
		else if (!add_pool(h, allocation))
			return false;
	}
	return true;
}
