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
struct proto mp_input_proto_message(const struct input_file *file,
	struct error *e, struct proto_bytes message);

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
	const unsigned char *at = p->at;
	bool is_number;

	if (at == p->end)
		return false;
	is_number = (at[0] & 0x87) == PROTO_VARINT;
	if (p->end - at < 2 || at[0] < 8 || at[1] > 0x7f ||
		!(is_number || ((at[0] & 0x87) == PROTO_BYTES &&
				       at[1] <= p->end - at - 2)))
		return mp_input_proto_next_any(p, field);
	field->number = at[0] >> 3;
	field->wire = is_number ? PROTO_VARINT : PROTO_BYTES;
	field->value = is_number ? at[1] : 0;
	field->bytes = is_number ? (struct proto_bytes){at + 1, 1}
				 : (struct proto_bytes){at + 2, at[1]};
	field->place = mp_input_proto_place(p, at);
	p->at = field->bytes.at + field->bytes.n;
	return true;
}

/* Records an error at a byte of the file. Always false. */
bool mp_input_proto_fail(struct proto *proto, size_t place, const char *format,
	...) MP_PRINTF(3, 4);

/* Is the field of that wire type? If not, that is an error. */
bool mp_input_proto_expect(struct proto *proto, const struct proto_field *field,
	enum proto_wire wire);

/* Numbers of a repeated field, packed or not: a cursor over them, and the next
 * of them as its bits. */
struct proto mp_input_proto_numbers(
	const struct proto *proto, const struct proto_field *field);
bool mp_input_proto_number(
	struct proto *numbers, enum proto_wire wire, uint64_t *value);

/* The bits of a float as a double. */
double mp_input_proto_float(uint64_t bits);

/* Is it that text? */
bool mp_input_proto_is(struct proto_bytes bytes, const char *text);

#endif
