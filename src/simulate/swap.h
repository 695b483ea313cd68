/*
 * Swapping feature maps, simulated: tensors that the forward pass makes and the
 * backward pass reads are copied out and back by the rules of a copy mode, and
 * what remains is replayed on every simulator.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_SIMULATE_SWAP_H
#define MP_SIMULATE_SWAP_H

#include "problem/results.h"
#include "simulate/copies.h"
#include "simulate/simulate.h"

/* The first step behind the forward pass: behind the last op of a type that
 * is a loss or a softmax and not its gradient; *sure is false if there is none,
 * and the step is then the one with most bytes that are not in use but will be.
 */
uint32_t mp_simulate_swap_forward_end(
	const struct schedule *schedule, bool *sure, struct arena *arena);

/* The feature maps, in the order of their last forward use. The caller has
 * set forward_end and the rates. */
bool mp_simulate_swap_maps(const struct schedule *schedule,
	struct copies *copies, struct arena *arena, struct error *e);

/* Requests in which every copy's buffer is freed behind its out_step and
 * allocated again before its in_step. */
bool mp_simulate_swap_requests(const struct schedule *schedule,
	const struct copies *copies, struct requests *requests,
	struct arena *arena);

/* A problem without ops and tensors in which each copied buffer is two: first
 * its own index, its second life behind all others, in the order of copies. */
bool mp_simulate_swap_problem(const struct problem *problem,
	const struct copies *copies, struct problem *swapped,
	struct arena *arena, struct error *e);

#endif
