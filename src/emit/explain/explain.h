/*
 * explain: what the files of the report share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_EXPLAIN_EXPLAIN_H
#define MP_EMIT_EXPLAIN_EXPLAIN_H

#include "base/sink-text.h"
#include "emit/emit.h"
#include "emit/inside.h"
#include "emit/report.h"
#include "emit/story.h"

/* "512 bytes, 50.0 % less" */
void mp_emit_explain_less(struct sink *sink, uint64_t now, uint64_t then);

/* "made at step 3 (conv1)", "kept for step 7 (relu)" and so on. */
void mp_emit_explain_birth(struct sink *sink, const struct uses *uses,
	const struct schedule *s, uint32_t tensor);
void mp_emit_explain_ending(struct sink *sink, const struct uses *uses,
	const struct schedule *s, uint32_t tensor);

/* The greatest load without what the tensor's label names. */
struct bottleneck mp_emit_explain_without(
	const struct labels *labels, uint32_t tensor);

/* Why the two tensors that were asked about can or cannot share bytes. */
void mp_emit_explain_pair(struct sink *sink, const struct results *results,
	const struct uses *uses, const struct labels *labels);

/* What fills each of several memories; nothing for one. */
void mp_emit_explain_pools(struct sink *sink, const struct plan *plan,
	const struct labels *labels, struct arena *scratch);

/* Fills the lane of a memory; what is alive there when most is, largest first.
 * NULL: it failed. */
struct alive *mp_emit_explain_alive(const struct plan *plan, uint32_t space,
	struct lane *lane, uint32_t *n, struct arena *arena);

/* What would lower the peak. */
void mp_emit_explain_advice(struct sink *sink, const struct results *results);

#endif
