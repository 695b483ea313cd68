/*
 * What else memplan can say of a graph and its plans. Each of these runs fills
 * the handle; memplan_write() then prints the report as text or JSON. The
 * conventions are those of memplan/memplan.h: errors, lifetime, structs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MEMPLAN_REPORT_H
#define MEMPLAN_REPORT_H

#include "memplan/memplan.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Looks at a graph without planning it: lifetimes, in-place pairs, and the
 * theoretical minimum of every row of the table "orders". The formats are
 * "show", "show-json", "show-chart" and "show-chart-ascii".
 *
 * Returns: MEMPLAN_OK.
 * Errors: those of memplan_read().
 */
MEMPLAN_API enum memplan_status memplan_survey(memplan *m);

/*
 * Plans, then replays the same requests on every row of the table "simulators":
 * models of online allocators. The formats are "simulate" and "simulate-json";
 * if timeline is true, also "timeline" and "timeline-svg": bytes at every step.
 *
 * Returns: MEMPLAN_OK.
 * Errors: those of memplan_plan().
 */
MEMPLAN_API enum memplan_status memplan_simulate(memplan *m, int timeline);

/*
 * Plans, then simulates swapping: what the forward pass makes and the backward
 * pass reads is copied out and back, at the rates of the options write-rate and
 * read-rate; the option forward-end says where the passes meet. The formats are
 * "swap" and "swap-json".
 *
 * Returns: MEMPLAN_OK.
 * Errors: MEMPLAN_EUSAGE: there are no ops, forward-end is none of their steps,
 * or it is not given and was not found. Those of memplan_plan().
 */
MEMPLAN_API enum memplan_status memplan_simulate_swap(memplan *m);

/*
 * Plans, then finds what binds the peak and what would lower it. The formats
 * are "explain" and "explain-json". With the names or ids of two tensors, finds
 * why these two can or cannot share bytes, instead of what would lower the
 * peak; otherwise both are NULL.
 *
 * Returns: MEMPLAN_OK.
 * Errors: MEMPLAN_EUSAGE: no tensor has that name, or both are the same one.
 * Those of memplan_plan().
 */
MEMPLAN_API enum memplan_status memplan_explain(
	memplan *m, const char *tensor, const char *other);

/*
 * Takes the offsets that the input carries as they are, unverified: for
 * programs that put a plan to the test, such as memplan replay. Tensors, ops,
 * gaps and memories can be asked for; memplan_write() writes nothing.
 *
 * Returns: MEMPLAN_OK.
 * Errors: MEMPLAN_EINPUT: a tensor has no offset. Those of memplan_read().
 */
MEMPLAN_API enum memplan_status memplan_take(memplan *m);

/*
 * Writes two plans beside each other, in the form of a row of the table
 * "comparisons". The error is the second handle's.
 *
 * Returns: MEMPLAN_OK: the bytes are there.
 * Errors: MEMPLAN_EUSAGE: no such comparison. MEMPLAN_NO: one of the handles
 * has no plan.
 * Lifetime: the bytes belong to the second handle and stay until its next call
 * of this function or of memplan_write().
 */
MEMPLAN_API enum memplan_status memplan_compare(const memplan *before,
	memplan *after, const char *report, const void **bytes, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
