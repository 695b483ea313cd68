/*
 * The state of the reader of io_info traces, and its events. Only for
 * io-info.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_IO_INFO_EVENTS_H
#define MP_INPUT_IO_INFO_EVENTS_H

#include "input/document/build.h"
#include "input/input.h"

struct trace {
	struct json docs[N_ROLES];
	struct json_at roots[N_ROLES];
	struct graph *graph;
	struct names size_of;	  /* key of tensor_size -> index into sizes */
	struct numbers outputs;	  /* id -> tensor */
	struct names temporaries; /* id -> tensor */
	uint64_t *sizes;
	uint32_t n_outputs, n_temporaries; /* found so far; outputs of all ops
					      come before all temporaries */
	uint32_t first_temporary;
	uint32_t n_output_sizes;  /* keys of tensor_size without a colon */
	uint32_t *reader;	  /* of a tensor: last op + 1 that uses it */
	uint32_t *death;	  /* of a tensor: op + 1 that releases it */
	uint32_t *list, n_list;	  /* outputs or inputs of the op that is read */
	uint32_t *fresh, n_fresh; /* its temporaries */
	uint32_t *dead, n_dead;	  /* tensors that it releases, in order */
	uint32_t n_late; /* releases of tensors that the op does not read */
	struct arena *arena;
	struct error *error;
};

/* A number without leading zeros, below 2^32; moves *text behind it. */
bool mp_input_events_number(const char **text, uint32_t *number);

/* Reads all of tensor_size. */
bool mp_input_events_sizes(struct trace *t);

/* Read the outputs, inputs, temporaries and releases of an op, in this order.
 * The last three add to the list of its inputs. */
bool mp_input_events_outputs(
	struct trace *t, const struct json_at *at, uint32_t op);
bool mp_input_events_inputs(
	struct trace *t, const struct json_at *at, uint32_t op);
bool mp_input_events_take(
	struct trace *t, const struct json_at *at, uint32_t op);
bool mp_input_events_release(
	struct trace *t, const struct json_at *at, uint32_t op);

#endif
