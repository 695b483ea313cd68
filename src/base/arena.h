/*
 * One arena owns the memory of one run, and no other file calls malloc. Stages
 * allocate arrays of known size. Nothing is freed piecewise; everything is
 * freed at once. --max-memory limits the bytes of an arena, and tests use the
 * limit to make allocations fail. An allocation that fails records
 * MEMPLAN_ENOMEM in the arena's error and returns NULL; callers return false
 * and need no message of their own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_ARENA_H
#define MP_BASE_ARENA_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct threads;

struct arena {
	struct arena_block *blocks; /* newest first */
	uint64_t held;		    /* bytes taken from malloc */
	uint64_t peak;		    /* the most that was ever held */
	uint64_t limit;		    /* greatest held; 0: none */
	uint64_t beside;	    /* held by the arena that it stands beside,
				       when it was made: for messages */
	struct error *error;	    /* where a failure is recorded */
	struct arena *parent; /* the parent, which counts these bytes too; NULL:
				 none */
	struct threads *threads; /* that may help where its memory is used;
				    NULL: none. Allocating is for one */
};

/* The end of an arena at some time; see mp_arena_rewind(). */
struct arena_mark {
	struct arena_block *block;
	size_t used;
};

/* Zeroed memory for count elements, aligned for any type. Never NULL for zero
 * elements unless memory is out. */
void *mp_arena_alloc(struct arena *arena, size_t count, size_t size);

/* A copy of a full array in twice as much room, for mp_arena_grow(). */
void *mp_arena_double(
	struct arena *arena, const void *array, uint32_t *room, size_t size);

/* Room for an element after the first n of an array of *room elements: the
 * array itself, or, if it is full, a copy in twice as much room. Begin with
 * NULL and 0. NULL: memory is out. */
static inline void *mp_arena_grow(struct arena *arena, void *array, uint32_t n,
	uint32_t *room, size_t size)
{
	assert(n <= *room);
	return n < *room ? array : mp_arena_double(arena, array, room, size);
}

/* A copy of an array; not NULL for zero elements either. */
void *mp_arena_copy(
	struct arena *arena, const void *array, size_t count, size_t size);

/* A copy of length bytes with a NUL behind. */
char *mp_arena_text(struct arena *arena, const char *text, size_t length);

/* A number in decimal. */
char *mp_arena_u64(struct arena *arena, uint64_t value);

/* Formatted text, as printf makes it. */
char *mp_arena_print(struct arena *arena, const char *format, ...)
	MP_PRINTF(2, 3);

/* Frees everything allocated after the mark: scratch inside a stage. The arena
 * may keep the memory for what is allocated next. */
struct arena_mark mp_arena_mark(const struct arena *arena);
void mp_arena_rewind(struct arena *arena, struct arena_mark mark);

/* Gives such memory back to the system: what follows takes less. */
void mp_arena_trim(struct arena *arena);

void mp_arena_free(struct arena *arena);

/* Makes an empty arena with the rest of the other's limit: for scratch memory
 * that is freed while results are still being allocated. */
struct arena mp_arena_beside(const struct arena *arena);

/* Gives an arena the memory of another one, which is empty then. */
void mp_arena_adopt(struct arena *arena, struct arena *other);

/* Makes an empty arena. Its bytes count in the parent too, so that both limits
 * hold. For memory that grows while a mark of the parent is held. Free it
 * before the parent. */
struct arena mp_arena_within(struct arena *parent, struct error *error);

/* Lets the bytes of an arena count in a parent too from now on, as if it had
 * been made within it. */
void mp_arena_put_within(struct arena *arena, struct arena *parent);

#define NEW(arena, type, count)                                                \
	((type *)mp_arena_alloc((arena), (count), sizeof(type)))

#endif
