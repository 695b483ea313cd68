/*
 * Assertions about every problem and every schedule, for the code that makes
 * one. A build without assertions checks nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_ASSERTIONS_H
#define MP_PROBLEM_ASSERTIONS_H

#include "problem/schedule.h"

/* Parts are grouped by buffer and lie within its bytes and its steps, which lie
 * within those of the problem; reserved ranges are the last buffers. */
void mp_problem_assert(const struct problem *problem);

/* The same of its problem, which refers to this schedule. Each tensor has a
 * lifetime, and a buffer or none; the order has ops of the graph. */
void mp_schedule_assert(const struct schedule *schedule);

#endif
