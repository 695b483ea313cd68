/*
 * What the lines of SOMAS's dumps of its model are made of. Used by
 * somas-info.c alone.
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

/* Records that something else was expected; always false. */
bool mp_input_somas_info_cut_off(const struct somas *s, const char *what);

/* Up to the next tab, which goes too. */
struct text mp_input_somas_info_cell(struct text *line);

/* A cell "#512S": bytes. */
bool mp_input_somas_info_size(struct text *line, uint64_t *size);

bool mp_input_somas_info_lifelong(
	struct text cell, enum somas_lifelong *lifelong);

/* "%3T", "%3CT" or "%3P", and what separates it from the next. */
bool mp_input_somas_info_reference(
	struct somas *s, struct text *list, enum reference *kind, uint64_t *id);

#endif
