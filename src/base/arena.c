/*
 * An arena is a list of blocks; the first block still has room. A large block
 * grows in place where the system can do that. What is freed after a mark stays
 * in its block for what comes next: the stages of a run take the same pages one
 * after the other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/num.h"
#include "base/pages.h"
#include "base/sink-text.h"

enum {
	BLOCK_BYTES = 64 * 1024, /* least bytes of a block */
	KEPT = 2 << 20,		 /* most bytes of a block that is kept */
	UNIT = 16,		 /* alignment of every allocation */
	GROW_FIRST = 16, /* first room of a growing array, in elements */
};

struct arena_block {
	struct arena_block *next;
	size_t used, size; /* bytes behind this header */
	size_t touched;	   /* those from here on are still zero */
	size_t room;	   /* of pages: to so many bytes, with this header, the
			      block may grow; 0: it is no pages */
};

/* The header, rounded so that the bytes behind it are aligned. */
static const size_t HEADER =
	(sizeof(struct arena_block) + UNIT - 1) & ~(size_t)(UNIT - 1);

static char *bytes_of(struct arena_block *block)
{
	return (char *)block + HEADER;
}

static bool has_room(const struct arena *arena, uint64_t bytes)
{
	for (; arena; arena = arena->parent)
		if (arena->limit != 0 && arena->held + bytes > arena->limit)
			return false;
	return true;
}

/* By the whole run. */
static uint64_t held_in_all(const struct arena *arena)
{
	while (arena->parent)
		arena = arena->parent;
	return arena->beside + arena->held;
}

static void *out_of_memory(struct arena *arena, uint64_t bytes)
{
	mp_fail(arena->error, MEMPLAN_ENOMEM,
		"out of memory: %llu byte%s more than the %llu held%s",
		(unsigned long long)bytes, mp_text_plural(bytes),
		(unsigned long long)held_in_all(arena),
		has_room(arena, bytes) ? "" : ", over max-memory");
	return NULL;
}

static void count_taken(struct arena *arena, uint64_t bytes)
{
	for (; arena; arena = arena->parent) {
		arena->held += bytes;
		arena->peak = num_max(arena->peak, arena->held);
	}
}

static void count_given(struct arena *arena, uint64_t bytes)
{
	for (; arena; arena = arena->parent) {
		assert(arena->held >= bytes);
		arena->held -= bytes;
	}
}

static void free_block(struct arena *arena, struct arena_block *block)
{
	count_given(arena, HEADER + block->size);
	mp_guard_open(bytes_of(block), block->size);
	if (block->room == 0)
		free(block);
	else
		mp_pages_give(block, block->room);
}

static struct arena_block *add_block(struct arena *arena, size_t size)
{
	struct arena_block *block = NULL;
	size_t bytes = HEADER + size, room = 0;

	if (has_room(arena, bytes))
		block = arena->held + bytes < PAGES_FROM
				? calloc(1, bytes)
				: mp_pages_take(bytes, &room);
	if (!block)
		return out_of_memory(arena, bytes);
	block->size = size;
	block->room = room;
	block->next = arena->blocks;
	arena->blocks = block;
	count_taken(arena, bytes);
	mp_guard_close(bytes_of(block), size);
	return block;
}

/* Grows the newest block in place, for so many more bytes than it has in use.
 * False: it cannot. */
static bool grow_block(struct arena *arena, size_t bytes)
{
	struct arena_block *block = arena->blocks;
	size_t old = HEADER + block->size, more;

	more = num_max(block->used + bytes - block->size, BLOCK_BYTES);
	if (old >= block->room || more > block->room - old ||
		!has_room(arena, more) ||
		!mp_pages_grow(block, old, old + more))
		return false;
	mp_guard_close(bytes_of(block) + block->size, more);
	block->size += more;
	count_taken(arena, more);
	return true;
}

void *mp_arena_alloc(struct arena *arena, size_t count, size_t size)
{
	struct arena_block *block = arena->blocks;
	uint64_t wanted, bytes;
	char *memory;

	assert(arena->error);
	if (!num_mul(count, size, &wanted) || wanted > SIZE_MAX / 2)
		return out_of_memory(arena, NUM_MAX_BYTES);
	bytes = (wanted + GUARD_BYTES + UNIT - 1) & ~(uint64_t)(UNIT - 1);
	if (!block || (bytes > block->size - block->used &&
			      !grow_block(arena, bytes)))
		block = add_block(arena, num_max(bytes, BLOCK_BYTES));
	if (!block)
		return NULL;
	memory = bytes_of(block) + block->used;
	mp_guard_open(memory, wanted);
	if (block->used < block->touched)
		memset(memory, 0,
			num_min(wanted, block->touched - block->used));
	block->used += bytes;
	block->touched = num_max(block->touched, block->used);
	return memory;
}

void *mp_arena_double(
	struct arena *arena, const void *array, uint32_t *room, size_t size)
{
	uint32_t wanted = *room ? *room * 2 : GROW_FIRST;
	void *larger;

	if (*room > UINT32_MAX / 2)
		return out_of_memory(arena, NUM_MAX_BYTES);
	larger = mp_arena_alloc(arena, wanted, size);
	if (!larger)
		return NULL;
	if (*room > 0)
		memcpy(larger, array, *room * size);
	*room = wanted;
	return larger;
}

void *mp_arena_copy(
	struct arena *arena, const void *array, size_t count, size_t size)
{
	void *copy = mp_arena_alloc(arena, count, size);

	if (copy && count > 0)
		memcpy(copy, array, count * size);
	return copy;
}

char *mp_arena_text(struct arena *arena, const char *text, size_t length)
{
	char *copy = NEW(arena, char, length + 1);

	if (copy && length)
		memcpy(copy, text, length);
	return copy;
}

char *mp_arena_u64(struct arena *arena, uint64_t value)
{
	uint32_t digits = mp_text_digits(value);
	char *text = NEW(arena, char, digits + 1);

	for (; text && digits > 0; value /= 10)
		text[--digits] = (char)('0' + value % 10);
	return text;
}

char *mp_arena_print(struct arena *arena, const char *format, ...)
{
	va_list arguments, again;
	int length;
	char *text = NULL;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	if (length >= 0)
		text = NEW(arena, char, (size_t)length + 1);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	va_end(arguments);
	return text;
}

struct arena_mark mp_arena_mark(const struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	if (block && block->used == 0 && block->next)
		block = block->next; /* a block that is kept may be trimmed */
	return (struct arena_mark){block, block ? block->used : 0};
}

static void empty(struct arena_block *block, size_t used)
{
	assert(used <= block->used);
	mp_guard_close(bytes_of(block) + used, block->used - used);
	block->used = used;
}

/* One large page is kept: stages that take it in turn pay for it once. */
void mp_arena_rewind(struct arena *arena, struct arena_mark mark)
{
	struct arena_block *block, *kept = NULL;

	while (arena->blocks != mark.block) {
		block = arena->blocks;
		assert(block); /* the mark is of this arena, and holds */
		arena->blocks = block->next;
		if (mark.block && !kept && block->room > 0 &&
			block->size < KEPT)
			kept = block;
		else
			free_block(arena, block);
	}
	if (mark.block)
		empty(mark.block, mark.used);
	if (kept) {
		empty(kept, 0);
		kept->next = arena->blocks;
		arena->blocks = kept;
	}
}

void mp_arena_trim(struct arena *arena)
{
	struct arena_block *block = arena->blocks;
	size_t bytes, left;

	if (!block || block->room == 0)
		return;
	if (block->used == 0) {
		arena->blocks = block->next;
		free_block(arena, block);
		return;
	}
	bytes = HEADER + block->size;
	left = mp_pages_shrink(block, bytes, HEADER + block->used);
	count_given(arena, bytes - left);
	mp_guard_open((char *)block + left, bytes - left);
	block->size = left - HEADER;
	if (block->touched > block->size)
		block->touched = block->size;
}

void mp_arena_free(struct arena *arena)
{
	mp_arena_rewind(arena, (struct arena_mark){NULL, 0});
}

/* Behind all blocks, as marks of the arena know of none of them. */
void mp_arena_adopt(struct arena *arena, struct arena *other)
{
	struct arena_block **last = &arena->blocks;

	assert(!other->parent);
	while (*last)
		last = &(*last)->next;
	*last = other->blocks;
	count_taken(arena, other->held);
	other->blocks = NULL;
	other->held = 0;
}

struct arena mp_arena_within(struct arena *parent, struct error *error)
{
	return (struct arena){
		.error = error, .parent = parent, .threads = parent->threads};
}

void mp_arena_put_within(struct arena *arena, struct arena *parent)
{
	assert(!arena->parent);
	arena->parent = parent;
	count_taken(parent, arena->held);
}

struct arena mp_arena_beside(const struct arena *arena)
{
	struct arena beside = {.error = arena->error,
		.threads = arena->threads,
		.beside = held_in_all(arena)};
	uint64_t left = UINT64_MAX;

	for (const struct arena *a = arena; a; a = a->parent)
		if (a->limit != 0)
			left = num_min(left,
				a->limit > a->held ? a->limit - a->held : 1);
	if (left != UINT64_MAX)
		beside.limit = left;
	return beside;
}
