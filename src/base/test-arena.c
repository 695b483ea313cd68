/*
 * Arenas: marks, limits, large blocks, arrays that grow.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/arena.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/num.h"

Test(arena, gives_zeroed_memory_and_rewinds)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct arena_mark mark;
	char *first = NEW(&arena, char, 100), *second;

	cr_assert(first);
	memset(first, 1, 100);
	mark = mp_arena_mark(&arena);
	second = NEW(&arena, char, 100);
	memset(second, 1, 100);
	mp_arena_rewind(&arena, mark);
	second = NEW(&arena, char, 100);
	for (int i = 0; i < 100; i++)
		cr_assert_eq(second[i], 0);
	cr_assert_eq(first[99], 1);
	mp_arena_free(&arena);
	cr_assert_eq(arena.held, 0);
}

/* Large blocks come from elsewhere, and are no different. */
Test(arena, gives_large_blocks_zeroed_and_counts_them)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct arena_mark mark = mp_arena_mark(&arena);
	size_t sizes[] = {(256 << 10) - 100, 2 << 20, (5 << 20) + 1};

	for (size_t i = 0; i < countof(sizes); i++)
		for (int again = 0; again < 2; again++) {
			char *bytes = NEW(&arena, char, sizes[i]);

			cr_assert(bytes);
			for (size_t k = 0; k < sizes[i]; k++)
				cr_assert_eq(bytes[k], 0);
			memset(bytes, 1, sizes[i]);
			cr_assert_geq(arena.held, sizes[i]);
			mp_arena_rewind(&arena, mark);
			cr_assert_eq(arena.held, 0);
		}
}

static bool is_zero(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != 0)
			return false;
	return true;
}

/* What was freed or given back is zero again, in a block that grows too. */
Test(arena, gives_zeroed_memory_where_others_were)
{
	enum {
		FIRST = 3 << 20
	};
	struct error e = {0};
	struct arena arena = {.error = &e};
	char *first = NEW(&arena, char, FIRST), *bytes;
	struct arena_mark mark = mp_arena_mark(&arena);

	memset(first, 1, FIRST);
	for (size_t size = 1; size < (16 << 20); size = size * 3 + 1000) {
		for (int part = 0; part < 3; part++) {
			bytes = NEW(&arena, char, size);
			cr_assert(is_zero(bytes, size));
			memset(bytes, 2, size);
		}
		mp_arena_rewind(&arena, mark);
		if (size % 2 == 0)
			mp_arena_trim(&arena);
	}
	for (size_t i = 0; i < FIRST; i++)
		cr_assert_eq(first[i], 1);
	mp_arena_free(&arena);
	cr_assert_eq(arena.held, 0);
}

Test(arena, keeps_pages_for_the_next_stage)
{
	enum {
		STAGE = 1 << 20
	};
	struct error e = {0};
	struct arena arena = {.error = &e};
	char *below = NEW(&arena, char, 100), *first, *second;
	uint64_t held = arena.held;
	struct arena_mark mark = mp_arena_mark(&arena);

	first = NEW(&arena, char, STAGE);
	memset(first, 1, STAGE);
	mp_arena_rewind(&arena, mark);
	second = NEW(&arena, char, STAGE);
	cr_assert_eq(second, first);
	cr_assert(is_zero(second, STAGE));
	cr_assert_gt(arena.held, held + STAGE);
	mp_arena_rewind(&arena, mark);
	mark = mp_arena_mark(&arena);
	mp_arena_trim(&arena);
	cr_assert_eq(arena.held, held);
	cr_assert(NEW(&arena, char, STAGE));
	mp_arena_rewind(&arena, mark);
	mp_arena_trim(&arena);
	cr_assert_eq(arena.held, held);
	memset(below, 1, 100);
	mp_arena_free(&arena);
	cr_assert_eq(arena.held, 0);
}

Test(arena, trims_what_is_not_in_use)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct arena_mark mark;
	uint64_t held;
	char *bytes;

	mp_arena_trim(&arena);
	bytes = NEW(&arena, char, 100);
	mp_arena_trim(&arena);
	cr_assert(NEW(&arena, char, 5 << 20));
	held = arena.held;
	mark = mp_arena_mark(&arena);
	cr_assert(NEW(&arena, char, 50 << 20));
	cr_assert_gt(arena.held, 50 << 20);
	mp_arena_rewind(&arena, mark);
	mp_arena_trim(&arena);
	cr_assert_leq(arena.held, held + (4 << 20));
	mp_arena_trim(&arena);
	bytes[99] = 1;
	mp_arena_free(&arena);
	cr_assert_eq(arena.held, 0);
}

/* Bytes of addresses that the process has, where the system says it. */
static rlim_t addresses(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long kib = 0;
	char line[256];

	while (file && kib == 0 && fgets(line, sizeof(line), file))
		sscanf(line, "VmSize: %lu kB", &kib);
	if (file)
		fclose(file);
	return (rlim_t)kib * 1024;
}

/* A block that could grow in place would have taken half of them. */
Test(arena, leaves_addresses_to_others)
{
	struct error e = {0};
	struct arena arena = {.error = &e}, other = arena;
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
	limit.rlim_cur = addresses() + (1 << 30);
	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
	cr_assert(NEW(&arena, char, 8 << 20));
	cr_assert(NEW(&other, char, 600 << 20), "%s", e.text);
	mp_arena_free(&other);
	mp_arena_free(&arena);
}

Test(arena, keeps_its_limit)
{
	struct error e = {0};
	struct arena arena = {.limit = 1 << 20, .error = &e};

	cr_assert(NEW(&arena, char, 1000));
	cr_assert_not(NEW(&arena, char, 1 << 20));
	cr_assert_eq(e.code, MEMPLAN_ENOMEM);
	mp_arena_free(&arena);
}

Test(arena, refuses_counts_that_overflow)
{
	struct error e = {0};
	struct arena arena = {.error = &e};

	cr_assert_not(mp_arena_alloc(&arena, SIZE_MAX / 2, 16));
	cr_assert_eq(e.code, MEMPLAN_ENOMEM);
}

Test(arena, counts_within_its_parent)
{
	struct error e = {0}, own = {0};
	struct arena arena = {.limit = 1 << 20, .error = &e};
	struct arena within = mp_arena_within(&arena, &own);
	char *large = NEW(&within, char, 600000);

	cr_assert(large);
	cr_assert_gt(arena.held, 600000);
	cr_assert_not(NEW(&within, char, 600000));
	cr_assert_eq(own.code, MEMPLAN_ENOMEM);
	cr_assert_eq(e.code, MEMPLAN_OK);
	mp_arena_free(&within);
	cr_assert_eq(arena.held, 0);
	cr_assert(NEW(&within, char, 600000));
	mp_arena_free(&within);
	cr_assert_eq(arena.held, 0);
	cr_assert_gt(arena.peak, 600000);
	mp_arena_free(&arena);
}

/* Of scratch memory beside scratch memory too. */
Test(arena, says_what_the_whole_run_holds)
{
	struct error e = {0};
	struct arena arena = {.limit = 1 << 20, .error = &e}, beside, third;
	struct arena within;
	char held[64];

	cr_assert(NEW(&arena, char, 300000));
	beside = mp_arena_beside(&arena);
	cr_assert(NEW(&beside, char, 400000));
	third = mp_arena_beside(&beside);
	within = mp_arena_within(&third, &e);
	cr_assert_not(NEW(&within, char, 500000));
	snprintf(held, sizeof(held), " more than the %llu held, over ",
		(unsigned long long)(arena.held + beside.held));
	cr_assert(strstr(e.text, held), "%s", e.text);
	mp_arena_free(&beside);
	mp_arena_free(&arena);
}

Test(arena, counts_what_is_put_within_it)
{
	struct error e = {0};
	struct arena arena = {.error = &e}, other = {.error = &e};
	char *own = NEW(&arena, char, 100), *put = NEW(&other, char, 300000);
	uint64_t held = arena.held;

	cr_assert(own && put);
	mp_arena_put_within(&other, &arena);
	cr_assert_eq(arena.held, held + other.held);
	cr_assert_eq(arena.peak, arena.held);
	cr_assert(NEW(&other, char, 300000));
	cr_assert_eq(arena.held, held + other.held);
	mp_arena_free(&other);
	cr_assert_eq(arena.held, held);
	mp_arena_free(&arena);
}

/* A mark from before that holds yet. */
Test(arena, adopts_what_another_has)
{
	struct error e = {0};
	struct arena arena = {.error = &e}, other = {.error = &e};
	char *own = NEW(&arena, char, 100), *adopted = NEW(&other, char, 9000);
	struct arena_mark mark = mp_arena_mark(&arena);
	uint64_t held = arena.held + other.held;

	memset(adopted, 7, 9000);
	mp_arena_adopt(&arena, &other);
	cr_assert(own && other.held == 0 && !other.blocks);
	cr_assert_eq(arena.held, held);
	cr_assert(NEW(&arena, char, 1 << 20));
	mp_arena_rewind(&arena, mark);
	cr_assert(adopted[0] == 7 && adopted[8999] == 7);
	mp_arena_free(&arena);
	cr_assert_eq(arena.held, 0);
}

Test(arena, grows_an_array_and_keeps_its_elements)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	uint32_t *values = NULL, *before, room = 0, copies = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		before = values;
		values = mp_arena_grow(
			&arena, values, i, &room, sizeof(*values));
		cr_assert(values);
		cr_assert_gt(room, i);
		copies += values != before;
		values[i] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		cr_assert_eq(values[i], i);
	cr_assert_leq(copies, 10);
	mp_arena_free(&arena);
}

Test(arena, refuses_an_array_of_more_than_32_bits)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	uint32_t room = UINT32_MAX / 2 + 1;
	char nothing = 0;

	cr_assert_not(mp_arena_grow(&arena, &nothing, room, &room, 1));
	cr_assert_eq(e.code, MEMPLAN_ENOMEM);
	cr_assert_eq(room, UINT32_MAX / 2 + 1);
}

Test(arena, numbers_in_decimal)
{
	struct error e = {0};
	struct arena arena = {.error = &e};

	cr_expect_str_eq(mp_arena_u64(&arena, 0), "0");
	cr_expect_str_eq(mp_arena_u64(&arena, 9070), "9070");
	cr_expect_str_eq(
		mp_arena_u64(&arena, UINT64_MAX), "18446744073709551615");
	mp_arena_free(&arena);
}
