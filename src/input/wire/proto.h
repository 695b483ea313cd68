/*
 * Protobuf's wire format, read in place: a cursor walks the fields of a message
 * and copies nothing. A field lies within its message, or the walk ends with an
 * error that has the byte. Nothing here recurses; readers of nested messages
 * count their depth.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_WIRE_PROTO_H
#define MP_INPUT_WIRE_PROTO_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"

/* Bytes of the file: a text, a message, a list of numbers. */
struct proto_bytes {
	const unsigned char *at;
	size_t n;
};

enum proto_wire {
	PROTO_VARINT = 0,
	PROTO_64 = 1,
	PROTO_BYTES = 2,
	PROTO_32 = 5,
};

struct proto_field {
	uint32_t number;	  /* 1 to 2^29 - 1 */
	uint8_t wire;		  /* enum proto_wire */
	uint64_t value;		  /* of a number, as its bits; of bytes: 0 */
	struct proto_bytes bytes; /* what stands behind the key: of bytes their
				     content without the length */
	size_t place;		  /* of the key in the file */
};

/* A cursor in a message. */
struct proto {
	const struct input_file *file;
	const unsigned char *at, *end;
	struct error *error; /* NULL: errors are not told */
	bool failed;
};

/* All of a file, or a message in it. */
struct proto mp_input_proto_file(
	const struct input_file *file, struct error *e);
static inline struct proto mp_input_proto_message(const struct input_file *file,
	struct error *e, struct proto_bytes message)
{
	return (struct proto){file, message.at,
		message.at ? message.at + message.n : NULL, e, false};
}

/* The place in the file of a byte of it; of NULL, 0. */
static inline size_t mp_input_proto_place(
	const struct proto *proto, const unsigned char *byte)
{
	const unsigned char *first = (const unsigned char *)proto->file->bytes;

	assert(!byte || (byte >= first && byte <= first + proto->file->length));
	return byte ? (size_t)(byte - first) : 0;
}

/* The next field of any kind; there are bytes left. */
bool mp_input_proto_next_any(struct proto *proto, struct proto_field *field);

/* The next field. False at the end, and after an error, which sets failed. Most
 * fields are numbers of one byte, or bytes with a length of one byte: inline.
 */
static inline bool mp_input_proto_next(
	struct proto *p, struct proto_field *field)
{
	const unsigned char *at = p->at, *end = p->end;
	uint32_t key, value;

	if (at == end)
		return false;
	key = at[0];
	value = end - at > 1 ? at[1] : 0x80;
	if ((key | value) > 0x7f || key < 8)
		return mp_input_proto_next_any(p, field);
	if ((key & 7) == PROTO_BYTES && end - at - 2 >= value) {
		field->bytes = (struct proto_bytes){at + 2, value};
		p->at = at + 2 + value;
		value = 0;
	} else if ((key & 7) == PROTO_VARINT) {
		field->bytes = (struct proto_bytes){at + 1, 1};
		p->at = at + 2;
	} else {
		return mp_input_proto_next_any(p, field);
	}
	field->number = key >> 3;
	field->wire = key & 7;
	field->value = value;
	field->place = mp_input_proto_place(p, at);
	return true;
}

/* Records an error at a byte of the file. Always false. */
bool mp_input_proto_fail(struct proto *proto, size_t place, const char *format,
	...) MP_PRINTF(3, 4);

/* Records that the field is not of that wire type. Always false. */
bool mp_input_proto_unexpected(struct proto *proto,
	const struct proto_field *field, enum proto_wire wire);

/* Is the field of that wire type? If not, that is an error. */
static inline bool mp_input_proto_expect(struct proto *proto,
	const struct proto_field *field, enum proto_wire wire)
{
	return field->wire == wire ||
	       mp_input_proto_unexpected(proto, field, wire);
}

/* Numbers of a repeated field, packed or not: a cursor over them, and the next
 * of them as its bits. */
static inline struct proto mp_input_proto_numbers(
	const struct proto *proto, const struct proto_field *field)
{
	return mp_input_proto_message(proto->file, proto->error, field->bytes);
}

bool mp_input_proto_number_any(
	struct proto *numbers, enum proto_wire wire, uint64_t *value);

static inline bool mp_input_proto_number(
	struct proto *numbers, enum proto_wire wire, uint64_t *value)
{
	if (numbers->at == numbers->end)
		return false;
	if (wire != PROTO_VARINT || *numbers->at > 0x7f)
		return mp_input_proto_number_any(numbers, wire, value);
	*value = *numbers->at++;
	return true;
}

/* The bits of a float as a double. */
double mp_input_proto_float(uint64_t bits);

/* Is it that text? */
bool mp_input_proto_is(struct proto_bytes bytes, const char *text);

#endif
