/*
 * A callback for progress: long work calls it now and then. It cannot change
 * the work. All zero: there is no callback.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_WATCH_H
#define MP_BASE_WATCH_H

#include <stdint.h>

struct watch {
	void (*tell)(void *context, uint64_t steps_left);
	void *context;
};

/* The work left is in units of about 100 ns; 0: not known. */
static inline void mp_watch_tell(const struct watch *watch, uint64_t steps_left)
{
	if (watch->tell)
		watch->tell(watch->context, steps_left);
}

#endif
