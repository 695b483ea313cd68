/*
 * What the files of this room share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BATCH_INSIDE_H
#define MP_BATCH_INSIDE_H

#include "batch/batch.h"

enum {
	BATCH_MOST_OUTPUTS = 16,
	BATCH_LONGEST_OUTPUT = 100, /* with a key it is the name of a file */
};

/* Writes what decides the answer, but the bytes of files: a line each, with the
 * input under that name. */
void mp_batch_describe(
	const struct task *task, const char *input, struct sink *sink);

/* What became of a task, in few words. */
const char *mp_batch_verdict(const struct answer *answer);

/* Names of the dimensions, or of the options, that any task has, ascending. */
bool mp_batch_names(const struct sweep *sweep, bool dims, const char ***names,
	uint32_t *n, struct arena *arena);

/* The forms of a sweep. */
void mp_batch_sweep_csv(
	const struct sweep *sweep, struct sink *sink, struct arena *scratch);
void mp_batch_sweep_json(
	const struct sweep *sweep, struct sink *sink, struct arena *scratch);
void mp_batch_sweep_markdown(
	const struct sweep *sweep, struct sink *sink, struct arena *scratch);
void mp_batch_sweep_page(
	const struct sweep *sweep, struct sink *sink, struct arena *scratch);

#endif
