/*
 * The wire format of FlatBuffers, as far as a reader needs it: tables, vectors
 * and texts. All functions work on the bytes in place, check every position
 * before they look at it, and copy nothing but texts. Positions are bytes from
 * the beginning of the file, which has fewer than 2^31.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_WIRE_FLAT_H
#define MP_INPUT_WIRE_FLAT_H

#include "base/arena.h"
#include "base/file.h"

struct flat {
	const struct input_file *file;
	struct error *error;
	uint64_t left; /* bytes that may still be looked at: parts of a file may
			  be shared, so a small file could describe a huge
			  tree */
};

/* The zero value is a table that is not there. */
struct flat_table {
	uint32_t at;	     /* position */
	uint32_t vtable;     /* position of the list of its fields */
	uint16_t vtable_end; /* bytes of that list */
	uint16_t size;	     /* bytes of the table */
};

/* The zero value is an empty vector. */
struct flat_vector {
	uint32_t at; /* position of the first element */
	uint32_t n;  /* elements */
};

/* Does the file have the four letters that FlatBuffers puts behind the root? */
bool mp_input_flat_has_mark(const struct input_file *file, const char *mark);

/* Opens a file and its root table. */
bool mp_input_flat_open(struct flat *flat, const struct input_file *file,
	struct flat_table *root, struct error *e);

/* A number of 1, 2, 4 or 8 bytes. If the field is absent, the value stays. */
bool mp_input_flat_number(struct flat *flat, const struct flat_table *table,
	uint32_t field, uint32_t width, uint64_t *value);

/* The table that a field refers to; the zero value if it is absent. */
bool mp_input_flat_table(struct flat *flat, const struct flat_table *table,
	uint32_t field, struct flat_table *to);

/* The vector of elements of that width; empty if the field is absent. */
bool mp_input_flat_vector(struct flat *flat, const struct flat_table *table,
	uint32_t field, uint32_t width, struct flat_vector *to);

/* Element i of a vector of tables, which has elements of 4 bytes. */
bool mp_input_flat_item(struct flat *flat, const struct flat_vector *vector,
	uint32_t i, struct flat_table *to);

/* The position of what a field refers to, of which nothing is checked but that
 * it lies in the file; 0: the field is absent. */
bool mp_input_flat_target(struct flat *flat, const struct flat_table *table,
	uint32_t field, uint32_t *at);

/* The highest field that the table has, plus 1. */
uint32_t mp_input_flat_fields(
	const struct flat *flat, const struct flat_table *table);

/* A copy of a text in the arena, with '?' for controls and for what is no
 * UTF-8, and cut at a length of some thousand bytes. NULL: absent or empty. */
bool mp_input_flat_text(struct flat *flat, const struct flat_table *table,
	uint32_t field, const char **text, struct arena *arena);

/* Element i of a vector of numbers of 4 bytes. */
uint32_t mp_input_flat_u32(
	const struct flat *flat, const struct flat_vector *vector, uint32_t i);

/* Position of element i of a vector of elements of 4 bytes. */
static inline uint32_t mp_input_flat_place(
	const struct flat_vector *vector, uint32_t i)
{
	return vector->at + 4 * i;
}

/* Fails with a sentence about what is at a position. Always false. */
bool mp_input_flat_fail(const struct flat *flat, uint32_t at,
	const char *format, ...) MP_PRINTF(3, 4);

#endif
