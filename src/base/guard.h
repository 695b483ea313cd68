/*
 * Bytes of an arena that no allocation has, for builds with AddressSanitizer:
 * an access beyond an array is found there, though it stays in the arena's
 * block. Nothing in other builds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_GUARD_H
#define MP_BASE_GUARD_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MP_GUARDED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define MP_GUARDED 1
#endif

#ifdef MP_GUARDED
void __asan_poison_memory_region(void const volatile *at, size_t bytes);
void __asan_unpoison_memory_region(void const volatile *at, size_t bytes);

enum {
	GUARD_BYTES = 16 /* behind each allocation */
};

static inline void mp_guard_close(const void *at, size_t bytes)
{
	__asan_poison_memory_region(at, bytes);
}

static inline void mp_guard_open(const void *at, size_t bytes)
{
	__asan_unpoison_memory_region(at, bytes);
}
#else
enum {
	GUARD_BYTES = 0
};

static inline void mp_guard_close(const void *at, size_t bytes)
{
	(void)at;
	(void)bytes;
}

static inline void mp_guard_open(const void *at, size_t bytes)
{
	(void)at;
	(void)bytes;
}
#endif

#endif
