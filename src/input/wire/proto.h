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

/* What stands behind a number of one or two bytes; NULL: it is longer, or cut
 * off. */
static inline const unsigned char *mp_input_proto_short(
	const unsigned char *at, const unsigned char *end, uint32_t *value)
{
	if (at == end)
		return NULL;
	*value = *at++;
	if (*value < 0x80)
		return at;
	if (at == end || *at > 0x7f)
		return NULL;
	*value = (*value & 0x7f) | (uint32_t)*at << 7;
	return at + 1;
}

/* The next field. False at the end, and after an error, which sets failed. Most
 * keys, numbers and lengths have one or two bytes: inline. */
static inline bool mp_input_proto_next(
	struct proto *p, struct proto_field *field)
{
	const unsigned char *first = p->at, *end = p->end, *content, *at;
	uint32_t key, value;

	if (first == end)
		return false;
	content = mp_input_proto_short(first, end, &key);
	at = content ? mp_input_proto_short(content, end, &value) : NULL;
	if (!at || key < 8)
		return mp_input_proto_next_any(p, field);
	field->place = mp_input_proto_place(p, first);
	field->number = key >> 3;
	field->wire = key & 7;
	if (field->wire == PROTO_BYTES && value <= (size_t)(end - at)) {
		field->value = 0;
		field->bytes = (struct proto_bytes){at, value};
		p->at = at + value;
		return true;
	}
	if (field->wire != PROTO_VARINT)
		return mp_input_proto_next_any(p, field);
	field->value = value;
	field->bytes = (struct proto_bytes){content, (size_t)(at - content)};
	p->at = at;
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
