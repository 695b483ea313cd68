/*
 * What is true of every problem and every schedule, asserted where one is made.
 * A build without assertions checks nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_ASSERTIONS_H
#define MP_PROBLEM_ASSERTIONS_H

#include "problem/schedule.h"

/* Parts are grouped by buffer and lie within its bytes and its steps, which lie
 * within those of the problem; reserved ranges are the last buffers. */
void mp_problem_assert(const struct problem *problem);

/* That, and: the problem names its tensors from this schedule; each tensor has
 * a lifetime, and a buffer or none; the order names each op once. */
void mp_schedule_assert(const struct schedule *schedule);

#endif
