/*
 * What the two formats for TFLM have in common: the offsets.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_TFLITE_TFLM_OFFLINE_H
#define MP_EMIT_TFLITE_TFLM_OFFLINE_H

#include "emit/emit.h"

/* Bytes of the offsets of a plan. */
uint64_t mp_emit_tflm_size(const struct plan *plan);

/* True if TFLM can take the plan; else fails. */
bool mp_emit_tflm_check(const struct plan *plan, struct error *e);

/* Writes the offsets. */
void mp_emit_tflm_offsets(
	const struct plan *plan, struct sink *sink, struct arena *scratch);

#endif
