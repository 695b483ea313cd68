/*
 * Numbers that stand in the file: of small tensors, and of lists in attributes.
 * Large tensors and external data are never touched.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "input/onnx/inside.h"

/* ---------------------------------------------------------- fitting */

/* An IEEE 754 half as a double. */
static double half(uint64_t bits)
{
	uint64_t mantissa = bits & 0x3ff, exponent = bits >> 10 & 31;
	double value;

	if (exponent == 31)
		value = mantissa ? NAN : INFINITY;
	else if (exponent == 0)
		value = ldexp((double)mantissa, -24);
	else
		value = ldexp((double)(mantissa + 1024), (int)exponent - 25);
	return bits >> 15 & 1 ? -value : value;
}

static bool is_signed(uint32_t type)
{
	return type == ONNX_INT8 || type == ONNX_INT16 || type == ONNX_INT32 ||
	       type == ONNX_INT64;
}

/* The lowest bits of a number, as two's complement or not. */
static int64_t wrap(uint32_t type, uint64_t bits)
{
	uint32_t n = mp_input_onnx_bits(type);
	uint64_t mask = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;

	assert(n >= 8 && n <= 64);
	bits &= mask;
	if (is_signed(type) && bits >> (n - 1) & 1)
		bits |= ~mask;
	return (int64_t)bits;
}

union onnx_number mp_input_onnx_fit(uint32_t type, union onnx_number number)
{
	if (type == ONNX_BOOL)
		number.i = number.i != 0;
	else if (mp_input_onnx_class(type) == ONNX_INTEGER)
		number.i = wrap(type, (uint64_t)number.i);
	else if (type == ONNX_FLOAT)
		number.d = (double)(float)number.d;
	return number;
}

/* The bits of an element as a number. */
static union onnx_number number_of(uint32_t type, uint64_t bits)
{
	union onnx_number number = {.i = (int64_t)bits};

	switch (type) {
	case ONNX_INT64:
		break;
	case ONNX_FLOAT:
		number.d = mp_input_proto_float(bits);
		break;
	case ONNX_DOUBLE:
		memcpy(&number.d, &bits, sizeof(bits));
		break;
	case ONNX_FLOAT16:
		number.d = half(bits);
		break;
	case ONNX_BFLOAT16:
		number.d = mp_input_proto_float(bits << 16);
		break;
	default:
		number = mp_input_onnx_fit(type, number);
		break;
	}
	return number;
}

/* ---------------------------------------------------------- tensors */

/* Where numbers of a type stand if not in raw_data. */
static uint32_t field_of(uint32_t type)
{
	switch (type) {
	case ONNX_FLOAT:
		return 4;
	case ONNX_INT64:
		return 7;
	case ONNX_DOUBLE:
		return 10;
	case ONNX_UINT32:
	case ONNX_UINT64:
		return 11;
	default:
		return 5;
	}
}

static enum proto_wire wire_of(uint32_t type)
{
	if (type == ONNX_FLOAT)
		return PROTO_32;
	return type == ONNX_DOUBLE ? PROTO_64 : PROTO_VARINT;
}

struct filling {
	union onnx_number *at;
	uint64_t n, most;
	uint32_t type;
};

/* An element of 1, 2, 4 or 8 bytes, the lowest first. */
static uint64_t bits_at(const unsigned char *at, size_t size)
{
	uint64_t bits = at[0];

	if (size >= 2)
		bits |= (uint64_t)at[1] << 8;
	if (size >= 4)
		bits |= (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
	if (size == 8)
		bits |= (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 |
			(uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
	return bits;
}

static void fill_raw(struct filling *f, struct proto_bytes bytes)
{
	size_t size = mp_input_onnx_bits(f->type) / 8;

	for (; f->n < f->most && bytes.n >= size; f->n++) {
		f->at[f->n] = number_of(f->type, bits_at(bytes.at, size));
		bytes.at += size;
		bytes.n -= size;
	}
}

static bool fill_list(struct filling *f, struct proto numbers)
{
	uint64_t bits;

	while (f->n < f->most &&
		mp_input_proto_number(&numbers, wire_of(f->type), &bits))
		f->at[f->n++] = number_of(f->type, bits);
	return !numbers.failed;
}

/* One field mostly has all numbers. */
static bool fill_lists(struct filling *f, const struct onnx_source *source,
	const struct onnx_tensor *tensor)
{
	struct proto p = mp_input_proto_message(source->file, source->error,
		tensor->n_lists == 1 ? tensor->numbers : tensor->message);
	struct proto_field field;

	if (tensor->n_lists == 1)
		return tensor->list != field_of(f->type) || fill_list(f, p);
	while (mp_input_proto_next(&p, &field))
		if (field.number == field_of(f->type) &&
			!fill_list(f, mp_input_proto_numbers(&p, &field)))
			return false;
	return !p.failed;
}

bool mp_input_onnx_content(const struct onnx_source *source,
	const struct onnx_tensor *tensor, uint64_t n,
	const union onnx_number **content)
{
	struct filling f = {.most = n, .type = tensor->type};

	*content = NULL;
	if (!mp_input_onnx_is_kept(tensor->type, n) || tensor->location ||
		tensor->sparse)
		return true;
	f.at = NEW(source->arena, union onnx_number, n);
	if (!f.at)
		return false;
	if (tensor->raw.at)
		fill_raw(&f, tensor->raw);
	else if (!fill_lists(&f, source, tensor))
		return false;
	if (f.n == n)
		*content = f.at;
	return true;
}

/* ------------------------------------------------------- attributes */

/* The numbers of a repeated field. */
static union onnx_number *read_list(const struct onnx_source *source,
	const struct onnx_attribute *attribute, uint32_t number,
	enum proto_wire wire, uint32_t *n)
{
	struct proto p = mp_input_proto_message(
		source->file, source->error, attribute->message);
	union onnx_number *list = NEW(source->arena, union onnx_number,
		num_min(attribute->most, ONNX_NUMBERS));
	struct proto_field field;
	uint64_t bits;

	*n = 0;
	while (list && mp_input_proto_next(&p, &field)) {
		struct proto numbers = mp_input_proto_numbers(&p, &field);

		if (field.number != number)
			continue;
		while (mp_input_proto_number(&numbers, wire, &bits)) {
			if (*n == ONNX_NUMBERS) {
				mp_input_proto_fail(&p, field.place,
					"a list of more than %d numbers",
					ONNX_NUMBERS);
				return NULL;
			}
			assert(*n < attribute->most);
			if (wire == PROTO_32)
				list[*n].d = mp_input_proto_float(bits);
			else
				list[*n].i = (int64_t)bits;
			++*n;
		}
		if (numbers.failed)
			return NULL;
	}
	return p.failed ? NULL : list;
}

bool mp_input_onnx_attribute_ints(const struct onnx_source *source,
	const struct onnx_attribute *attribute, struct onnx_ints *ints)
{
	ints->at = read_list(source, attribute, 8, PROTO_VARINT, &ints->n);
	ints->given = ints->at != NULL;
	return ints->given;
}

bool mp_input_onnx_attribute_floats(const struct onnx_source *source,
	const struct onnx_attribute *attribute,
	const union onnx_number **content, uint32_t *n)
{
	*content = read_list(source, attribute, 7, PROTO_32, n);
	return *content != NULL;
}
