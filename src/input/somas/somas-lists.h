/*
 * Contiguous lists of SOMAS's dumps of its model, the guards around them, and
 * tensors that have the same bytes. Only for somas-info.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_SOMAS_SOMAS_LISTS_H
#define MP_INPUT_SOMAS_SOMAS_LISTS_H

#include "input/somas/somas-dump.h"

struct somas_lists {
	struct somas_member *all; /* also those of lists that are replaced */
	uint32_t n;
	struct somas_member *guessed; /* tensors that collectives use */
	uint32_t n_guessed;
	bool told; /* the dump has contiguous lists */
};

/* Two tensors that have the same bytes. */
struct somas_union {
	uint32_t first, next;
	uint32_t line;
};

bool mp_input_somas_lists_open(
	struct somas_lists *lists, const struct somas *s);

/* Adds a tensor to the list in the current line. */
void mp_input_somas_list(
	struct somas *s, struct somas_lists *lists, uint32_t tensor);

/* Adds a tensor that a collective reads or writes; the two are a list each. */
void mp_input_somas_guess(
	struct somas_lists *lists, uint32_t tensor, uint32_t list);

/* Takes the lists of the collectives if the dump has none, and subtracts guards
 * from the sizes of tensors that include them. */
void mp_input_somas_lists_close(struct somas_lists *lists, struct somas *s);

/* Checks that tensors with the same bytes have the same offset. */
bool mp_input_somas_join(
	struct somas *s, const struct somas_union *unions, uint32_t n);

#endif
