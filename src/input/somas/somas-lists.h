/*
 * What SOMAS's dumps of its model say of neighbours: contiguous lists, the
 * guards around them, and tensors that have the same bytes. Used by
 * somas-info.c alone.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_SOMAS_SOMAS_LISTS_H
#define MP_INPUT_SOMAS_SOMAS_LISTS_H

#include "input/somas/somas-dump.h"

struct somas_lists {
	struct somas_member *all; /* of the lists as they were, too */
	uint32_t n;
	struct somas_member *guessed; /* what collectives read and write */
	uint32_t n_guessed;
	bool told; /* the dump speaks of contiguous lists */
};

/* Tensors that have the same bytes, as a line says. */
struct somas_union {
	uint32_t first, next;
	uint32_t line;
};

bool mp_input_somas_lists_open(
	struct somas_lists *lists, const struct somas *s);

/* A tensor of the list that the line of the dump is. */
void mp_input_somas_list(
	struct somas *s, struct somas_lists *lists, uint32_t tensor);

/* A tensor that a collective reads or writes: one list each. */
void mp_input_somas_guess(
	struct somas_lists *lists, uint32_t tensor, uint32_t list);

/* Lists follow from the collectives if the dump has none; guards are told
 * apart from the tensors that they are counted to. */
void mp_input_somas_lists_close(struct somas_lists *lists, struct somas *s);

/* Those that have the same bytes must lie at the same offset. */
bool mp_input_somas_join(
	struct somas *s, const struct somas_union *unions, uint32_t n);

#endif
