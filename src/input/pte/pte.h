/*
 * A program of ExecuTorch on its way to a graph. Only for pte*.c; the tables
 * are those of ExecuTorch's program.fbs, and docs/formats/pte.md says what
 * becomes of them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_PTE_PTE_H
#define MP_INPUT_PTE_PTE_H

#include "input/input.h"
#include "input/wire/flat.h"

enum {
	PTE_MOST = 1 << 24, /* values, and instructions */

	PROGRAM_PLANS = 1,

	PLAN_NAME = 0,
	PLAN_VALUES = 2,
	PLAN_INPUTS = 3,
	PLAN_OUTPUTS = 4,
	PLAN_CHAINS = 5,
	PLAN_OPERATORS = 6,
	PLAN_BUFFER_SIZES = 8,

	CHAIN_INSTRUCTIONS = 2,

	/* A union: its type, then its table. */
	UNION_TYPE = 0,
	UNION_TABLE = 1,
};

/* A tensor that the program has a place for. */
struct pte_tensor {
	uint64_t size, offset;
	uint32_t value, memory;
	uint32_t first, last; /* instructions that name it; first NONE: none */
	uint8_t kind;	      /* enum tensor_kind */
};

struct pte {
	struct flat flat;
	struct flat_table plan;
	struct graph *graph;
	struct flat_vector values, sizes; /* of the plan; bytes of memories */
	struct pte_tensor *tensors;
	uint32_t *of; /* of a value: its tensor; NONE: it has no place */
	uint32_t n_tensors, n_steps;
	uint32_t *jumps; /* of a step: how many more jumps lead over what is
			    between it and the next one, mod 2^32 */
	struct arena *arena;
	struct error *error;
};

/* Values of the plan that are tensors with a place. */
bool mp_input_pte_read_values(struct pte *p);

/* The instructions become ops; each tensor gets the first and the last one that
 * names it. */
bool mp_input_pte_read_lives(struct pte *p);

#endif
