/*
 * FlatBuffers' wire format: see flat.h. A table begins with its distance to a
 * list of 16-bit numbers (its vtable): bytes of the list, bytes of the table,
 * and where each field lies in the table, 0 if it is absent. A reference is the
 * distance from itself to what it refers to.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/wire/flat.h"

#include <stdarg.h>

#include "base/num.h"
#include "base/sink-text.h"
#include "input/wire/wire.h"

enum {
	MARK_AT = 4, /* the four letters stand behind the reference to the root
		      */
	MARK_SIZE = 4,
	LIST_HEAD = 4,	  /* bytes of a vtable in front of its fields */
	MOST_TEXT = 4095, /* bytes of a text */
	SHARED = 16,	  /* how often each byte may be looked at, on average */
	SHARED_MORE = 1 << 16,
};

/* ------------------------------------------------------------ bytes */

bool mp_input_flat_fail(
	const struct flat *flat, uint32_t at, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	mp_input_wire_fail(flat->error, flat->file, at, format, arguments);
	va_end(arguments);
	return false;
}

/* References reach 2 GiB; what lies behind is weights. */
static uint32_t size_of(const struct flat *flat)
{
	return (uint32_t)num_min(flat->file->length, INT32_MAX);
}

/* Are there so many bytes from that position on? */
static bool fits(const struct flat *flat, uint32_t at, uint64_t n)
{
	return at <= size_of(flat) && n <= size_of(flat) - at;
}

static uint64_t number_at(const struct flat *flat, uint32_t at, uint32_t width)
{
	const unsigned char *bytes =
		(const unsigned char *)flat->file->bytes + at;
	uint64_t value = 0;

	assert(fits(flat, at, width));
	for (uint32_t i = width; i-- > 0;)
		value = value << 8 | bytes[i];
	return value;
}

static uint32_t u16_at(const struct flat *flat, uint32_t at)
{
	return (uint32_t)number_at(flat, at, 2);
}

static uint32_t u32_at(const struct flat *flat, uint32_t at)
{
	return (uint32_t)number_at(flat, at, 4);
}

static bool charge(struct flat *flat, uint32_t at, uint64_t bytes)
{
	if (bytes > flat->left)
		return mp_input_flat_fail(flat, at,
			"the file refers to the same bytes more than %d times",
			SHARED);
	flat->left -= bytes;
	return true;
}

/* Where the reference at a position leads to. */
static bool follow(const struct flat *flat, uint32_t at, uint32_t *to)
{
	uint32_t distance = u32_at(flat, at);

	if (distance < 4 || distance > size_of(flat) - at ||
		!fits(flat, at + distance, 4))
		return mp_input_flat_fail(flat, at,
			"a reference over %u byte%s leads out of the file",
			distance, mp_text_plural(distance));
	*to = at + distance;
	return true;
}

/* ----------------------------------------------------------- tables */

static bool open_table(struct flat *flat, uint32_t at, struct flat_table *table)
{
	int64_t list = (int64_t)at - (int32_t)u32_at(flat, at);
	uint32_t n, size;

	if (list < 0 || !fits(flat, (uint32_t)list, LIST_HEAD))
		return mp_input_flat_fail(flat, at,
			"the list of the fields of a table lies outside of the "
			"file");
	n = u16_at(flat, (uint32_t)list);
	size = u16_at(flat, (uint32_t)list + 2);
	if (n < LIST_HEAD || n % 2 != 0 || !fits(flat, (uint32_t)list, n))
		return mp_input_flat_fail(flat, (uint32_t)list,
			"a list of fields of %u byte%s is cut off or odd", n,
			mp_text_plural(n));
	if (size < 4 || !fits(flat, at, size))
		return mp_input_flat_fail(flat, at,
			"a table of %u byte%s reaches beyond the file", size,
			mp_text_plural(size));
	*table = (struct flat_table){
		at, (uint32_t)list, (uint16_t)n, (uint16_t)size};
	return charge(flat, at, (uint64_t)size + n);
}

/* Where a field of that width lies; 0: it is absent. */
static bool find_field(const struct flat *flat, const struct flat_table *table,
	uint32_t field, uint32_t width, uint32_t *at)
{
	uint32_t slot = LIST_HEAD + 2 * field, offset = 0;

	if (table->at != 0 && slot + 2 <= table->vtable_end)
		offset = u16_at(flat, table->vtable + slot);
	*at = offset ? table->at + offset : 0;
	return offset == 0 || (offset >= 4 && offset + width <= table->size) ||
	       mp_input_flat_fail(flat, table->vtable + slot,
		       "field %u lies at byte %u of a table of %u", field,
		       offset, table->size);
}

uint32_t mp_input_flat_fields(
	const struct flat *flat, const struct flat_table *table)
{
	uint32_t n = (table->vtable_end - (uint32_t)LIST_HEAD) / 2;

	while (n > 0 &&
		u16_at(flat, table->vtable + LIST_HEAD + 2 * n - 2) == 0)
		n--;
	return n;
}

bool mp_input_flat_has_mark(const struct input_file *file, const char *mark)
{
	return file->length >= MARK_AT + MARK_SIZE &&
	       memcmp(file->bytes + MARK_AT, mark, MARK_SIZE) == 0;
}

bool mp_input_flat_open(struct flat *flat, const struct input_file *file,
	struct flat_table *root, struct error *e)
{
	uint32_t at = 0;

	*flat = (struct flat){.file = file, .error = e};
	if (file->length < MARK_AT + MARK_SIZE)
		return mp_fail(e, MEMPLAN_EINPUT,
			"%s: a FlatBuffers file has at least 8 bytes, not %llu",
			file->name, (unsigned long long)file->length);
	flat->left = (uint64_t)size_of(flat) * SHARED + SHARED_MORE;
	return follow(flat, 0, &at) && open_table(flat, at, root);
}

/* ----------------------------------------------------------- fields */

bool mp_input_flat_number(struct flat *flat, const struct flat_table *table,
	uint32_t field, uint32_t width, uint64_t *value)
{
	uint32_t at;

	assert(width == 1 || width == 2 || width == 4 || width == 8);
	if (!find_field(flat, table, field, width, &at))
		return false;
	if (at != 0)
		*value = number_at(flat, at, width);
	return true;
}

bool mp_input_flat_target(struct flat *flat, const struct flat_table *table,
	uint32_t field, uint32_t *to)
{
	uint32_t at;

	*to = 0;
	return find_field(flat, table, field, 4, &at) &&
	       (at == 0 || follow(flat, at, to));
}

bool mp_input_flat_table(struct flat *flat, const struct flat_table *table,
	uint32_t field, struct flat_table *to)
{
	uint32_t at;

	*to = (struct flat_table){0};
	return mp_input_flat_target(flat, table, field, &at) &&
	       (at == 0 || open_table(flat, at, to));
}

bool mp_input_flat_item(struct flat *flat, const struct flat_vector *vector,
	uint32_t i, struct flat_table *to)
{
	uint32_t at = 0;

	assert(i < vector->n);
	return follow(flat, mp_input_flat_place(vector, i), &at) &&
	       open_table(flat, at, to);
}

bool mp_input_flat_vector(struct flat *flat, const struct flat_table *table,
	uint32_t field, uint32_t width, struct flat_vector *to)
{
	uint32_t at, n;

	*to = (struct flat_vector){0};
	if (!mp_input_flat_target(flat, table, field, &at))
		return false;
	if (at == 0)
		return true;
	n = u32_at(flat, at);
	if (!fits(flat, at + 4, (uint64_t)n * width))
		return mp_input_flat_fail(flat, at,
			"a vector of %u element%s of %u byte%s reaches beyond "
			"the file",
			n, mp_text_plural(n), width, mp_text_plural(width));
	*to = (struct flat_vector){at + 4, n};
	/* Bytes are weights: nothing looks at them. */
	return charge(flat, at, width == 1 ? 4 : 4 + (uint64_t)n * width);
}

uint32_t mp_input_flat_u32(
	const struct flat *flat, const struct flat_vector *vector, uint32_t i)
{
	assert(i < vector->n);
	return u32_at(flat, mp_input_flat_place(vector, i));
}

bool mp_input_flat_text(struct flat *flat, const struct flat_table *table,
	uint32_t field, const char **text, struct arena *arena)
{
	struct flat_vector bytes;
	uint32_t n;
	char *copy;

	*text = NULL;
	if (!mp_input_flat_vector(flat, table, field, 1, &bytes))
		return false;
	n = bytes.n < MOST_TEXT ? bytes.n : MOST_TEXT;
	if (!charge(flat, bytes.at, n))
		return false;
	if (n == 0)
		return true;
	copy = mp_arena_text(arena, flat->file->bytes + bytes.at, n);
	if (!copy)
		return false;
	mp_text_clean(copy);
	*text = *copy ? copy : NULL;
	return true;
}
