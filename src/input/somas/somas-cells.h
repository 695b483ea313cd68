/*
 * Cells and references in SOMAS's dumps of its model. Only for somas-info.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_SOMAS_SOMAS_CELLS_H
#define MP_INPUT_SOMAS_SOMAS_CELLS_H

#include "input/somas/somas-dump.h"

enum reference {
	REF_TENSOR,
	REF_CONTROL,
	REF_PARAMETER,
};

/* Records that the line should have `what`; always false. */
bool mp_input_somas_info_cut_off(const struct somas *s, const char *what);

/* Takes a cell like "#512S": bytes. */
bool mp_input_somas_info_size(struct text *line, uint64_t *size);

bool mp_input_somas_info_lifelong(
	struct text cell, enum somas_lifelong *lifelong);

/* Takes "%3T", "%3CT" or "%3P" and the separator after it. */
bool mp_input_somas_info_reference(
	struct somas *s, struct text *list, enum reference *kind, uint64_t *id);

#endif
