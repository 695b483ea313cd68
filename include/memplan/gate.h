/*
 * Budgets of many graphs, from one file; see docs/formats/budget.md. The caller
 * plans the graph of each row with a handle of its own and hands that in:
 *
 *	for (i = 0; memplan_gate_row(g, i, &row, sizeof(row)); i++) {
 *		m = memplan_new();
 *		memplan_gate_set(g, i, m);
 *		(hand in row.graph, plan)
 *		memplan_gate_judge(g, i, m, NULL);
 *		memplan_free(m);
 *	}
 *	memplan_gate_write(g, "junit", &text, &length);
 *
 * The conventions are those of memplan/memplan.h: errors, lifetime, structs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MEMPLAN_GATE_H
#define MEMPLAN_GATE_H

#include "memplan/memplan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct memplan_gate memplan_gate;

/*
 * Makes a gate without budgets.
 *
 * Returns: the gate; NULL if memory is out.
 * Lifetime: until memplan_gate_free().
 */
MEMPLAN_API memplan_gate *memplan_gate_new(void);

/*
 * Frees a gate and all that it gave out. NULL is allowed.
 */
MEMPLAN_API void memplan_gate_free(memplan_gate *g);

/*
 * Reads the budgets, once. The name serves messages.
 *
 * Returns: MEMPLAN_OK: the rows are there.
 * Errors: MEMPLAN_EINPUT: the file is malformed, contradicts itself or has no
 * budgets. MEMPLAN_EUSAGE: the gate has budgets already.
 * Lifetime: neither is copied; both must stay until memplan_gate_free().
 */
MEMPLAN_API enum memplan_status memplan_gate_read(
	memplan_gate *g, const char *name, const void *bytes, size_t length);

/* What a row names, as the file spells it; NULL: not given. */
struct memplan_budget {
	const char *graph, *batch, *target, *baseline;
};

/*
 * Tells row i.
 *
 * Returns: true; false beyond the last.
 * Lifetime: the texts stay until memplan_gate_free().
 */
MEMPLAN_API int memplan_gate_row(const memplan_gate *g, uint32_t i,
	struct memplan_budget *row, size_t size);

/*
 * Tells option k of row i, which must be there, as memplan_set() takes it. The
 * target is none of them.
 *
 * Returns: true; false beyond the last.
 * Lifetime: the texts stay until memplan_gate_free().
 */
MEMPLAN_API int memplan_gate_option(const memplan_gate *g, uint32_t i,
	uint32_t k, const char **name, const char **value);

/*
 * Sets the options of row i, which must be there, on a handle.
 *
 * Returns: MEMPLAN_OK.
 * Errors: those of memplan_set(); the handle has the text.
 */
MEMPLAN_API enum memplan_status memplan_gate_set(
	const memplan_gate *g, uint32_t i, memplan *m);

/*
 * Judges row i, which must be there, by a planned handle and by that of its
 * baseline; NULL: there is none yet.
 *
 * Returns: MEMPLAN_OK; MEMPLAN_NO: over a limit that fails. The error says
 * which, of several the first.
 * Lifetime: the handles are not needed any more.
 */
MEMPLAN_API enum memplan_status memplan_gate_judge(
	memplan_gate *g, uint32_t i, const memplan *m, const memplan *baseline);

/*
 * Judges row i, which must be there, by the sizes of a plan that the caller
 * keeps elsewhere, in bytes.
 *
 * Returns: MEMPLAN_OK; MEMPLAN_NO: over a limit that fails. The error says
 * which, of several the first.
 * Lifetime: the handle is not needed any more.
 */
MEMPLAN_API enum memplan_status memplan_gate_judge_sizes(memplan_gate *g,
	uint32_t i, uint64_t arena_size, uint64_t theoretical_min,
	uint64_t lower_bound, const memplan *baseline);

/*
 * Notes why row i, which must be there, cannot be judged.
 *
 * Lifetime: the text is copied.
 */
MEMPLAN_API void memplan_gate_miss(
	memplan_gate *g, uint32_t i, const char *why);

/*
 * Writes the verdicts. The report is a row of the table "gate-reports", or a
 * file name with the suffix of one.
 *
 * Returns: MEMPLAN_OK: the bytes are there.
 * Errors: MEMPLAN_EUSAGE: no such report, told even before there are budgets.
 * MEMPLAN_NO: no budgets have been read.
 * Lifetime: the bytes stay until the next call, or memplan_gate_free().
 */
MEMPLAN_API enum memplan_status memplan_gate_write(memplan_gate *g,
	const char *report, const void **bytes, size_t *length);

/*
 * Says what was wrong with the last call of this gate's that returns a status:
 * a sentence with its place.
 *
 * Returns: the sentence; "" if that call succeeded.
 * Lifetime: until the next such call.
 */
MEMPLAN_API const char *memplan_gate_error(const memplan_gate *g);

/*
 * Says where in the file that error is. Both count from 1; 0: not known.
 */
MEMPLAN_API void memplan_gate_error_place(
	const memplan_gate *g, uint32_t *line, uint32_t *column);

#ifdef __cplusplus
}
#endif

#endif
