/*
 * Protobuf's wire format: see proto.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/wire/proto.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "input/wire/wire.h"

enum {
	MOST_NUMBER = (1 << 29) - 1, /* of a field */
};

struct proto mp_input_proto_file(const struct input_file *file, struct error *e)
{
	const unsigned char *at = (const unsigned char *)file->bytes;

	assert(at || file->length == 0);
	return mp_input_proto_message(
		file, e, (struct proto_bytes){at, file->length});
}

bool mp_input_proto_fail(
	struct proto *proto, size_t place, const char *format, ...)
{
	va_list arguments;

	proto->failed = true;
	proto->at = proto->end; /* the walk ends here */
	if (!proto->error)
		return false;
	va_start(arguments, format);
	mp_input_wire_fail(proto->error, proto->file, place, format, arguments);
	va_end(arguments);
	return false;
}

/* ---------------------------------------------------------- numbers */

static bool fail_here(
	struct proto *p, const unsigned char *byte, const char *sentence)
{
	return mp_input_proto_fail(
		p, mp_input_proto_place(p, byte), "%s", sentence);
}

/* At most 10 bytes, of which the last has one bit. */
static bool take_varint(struct proto *p, uint64_t *value)
{
	const unsigned char *first = p->at;
	uint64_t bits;

	assert(first);
	*value = 0;
	if (p->end - first > 1 && first[0] > 0x7f && first[1] < 0x80) {
		*value = (first[0] & 0x7f) | (uint64_t)first[1] << 7;
		p->at += 2;
		return true;
	}
	for (unsigned shift = 0; p->at < p->end; shift += 7) {
		bits = *p->at++;
		if (shift == 63 && bits > 1)
			return fail_here(
				p, first, "a number has more than 64 bits");
		*value |= (bits & 0x7f) << shift;
		if (bits < 0x80)
			return true;
	}
	return fail_here(p, first, "a number reaches beyond its message");
}

static bool take_fixed(struct proto *p, size_t n, uint64_t *value)
{
	if ((size_t)(p->end - p->at) < n)
		return mp_input_proto_fail(p, mp_input_proto_place(p, p->at),
			"a number of %zu bytes reaches beyond its message", n);
	*value = 0;
	for (size_t i = 0; i < n; i++)
		*value |= (uint64_t)p->at[i] << 8 * i;
	p->at += n;
	return true;
}

bool mp_input_proto_number_any(
	struct proto *numbers, enum proto_wire wire, uint64_t *value)
{
	assert(wire != PROTO_BYTES && numbers->at != numbers->end);
	if (wire == PROTO_VARINT)
		return take_varint(numbers, value);
	return take_fixed(numbers, wire == PROTO_64 ? 8 : 4, value);
}

double mp_input_proto_float(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof(value));
	return (double)value;
}

/* ----------------------------------------------------------- fields */

static bool take_bytes(struct proto *p, struct proto_field *field)
{
	size_t place = mp_input_proto_place(p, p->at);
	uint64_t length;

	if (!take_varint(p, &length))
		return false;
	if (length > (uint64_t)(p->end - p->at))
		return mp_input_proto_fail(p, place,
			"a length of %llu reaches beyond its message",
			(unsigned long long)length);
	field->bytes = (struct proto_bytes){p->at, (size_t)length};
	p->at += length;
	return true;
}

static bool take_payload(struct proto *p, struct proto_field *field)
{
	const unsigned char *first = p->at;
	bool fine;

	if (field->wire == PROTO_BYTES)
		return take_bytes(p, field);
	if (field->wire == PROTO_VARINT)
		fine = take_varint(p, &field->value);
	else
		fine = take_fixed(
			p, field->wire == PROTO_64 ? 8 : 4, &field->value);
	field->bytes = (struct proto_bytes){first, (size_t)(p->at - first)};
	return fine;
}

bool mp_input_proto_next_any(struct proto *p, struct proto_field *field)
{
	uint64_t key;

	assert(p->at != p->end);
	field->place = mp_input_proto_place(p, p->at);
	field->value = 0;
	if (!take_varint(p, &key))
		return false;
	if (key >> 3 == 0 || key >> 3 > MOST_NUMBER)
		return mp_input_proto_fail(p, field->place,
			"a field has the number %llu",
			(unsigned long long)(key >> 3));
	field->number = (uint32_t)(key >> 3);
	field->wire = (uint8_t)(key & 7);
	if (field->wire > PROTO_BYTES && field->wire != PROTO_32)
		return mp_input_proto_fail(p, field->place,
			"field %u has the wire type %u, which is none",
			field->number, field->wire);
	return take_payload(p, field);
}

bool mp_input_proto_unexpected(struct proto *proto,
	const struct proto_field *field, enum proto_wire wire)
{
	return mp_input_proto_fail(proto, field->place,
		"field %u has the wire type %u, not %u", field->number,
		field->wire, (unsigned)wire);
}

bool mp_input_proto_is(struct proto_bytes bytes, const char *text)
{
	return bytes.n == strlen(text) &&
	       (bytes.n == 0 || memcmp(bytes.at, text, bytes.n) == 0);
}
