/*
 * Plans made by hand, for the tests of emitters: a chain of ops, each of which
 * reads what the one before wrote, with a temporary in the first op. Two
 * regions are used in turn.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_SAMPLE_PLAN_H
#define MP_TESTING_SAMPLE_PLAN_H

#include "emit/emit.h"

struct sample {
	struct error error;
	struct arena arena;
	struct graph graph;
	struct schedule schedule;
	struct plan plan;
	struct results results;
	struct sink sink;
};

/* A plan of n tensors with those names, and one temporary behind them. */
void mp_testing_sample_make(
	struct sample *sample, const char *const *names, uint32_t n);

/* A plan of n tensors with generated names, and one temporary behind them. */
void mp_testing_sample_chain(struct sample *sample, uint32_t n);

/* The output of the row with that name, as text that ends with a NUL. */
const char *mp_testing_sample_emit(struct sample *sample, const char *row);

void mp_testing_sample_free(struct sample *sample);

/* Names that must not break any format. */
extern const char *const mp_testing_sample_hostile[];
extern const uint32_t mp_testing_n_sample_hostile;

#endif
