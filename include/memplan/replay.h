/*
 * Replay: runs a plan's order on a device without computing anything. Each op
 * fills its outputs and temporaries with patterns that only this op could have
 * written. It compares its inputs, all their bytes, with the patterns of their
 * producers. So an overwrite of a tensor that is still needed shows.
 *
 * Ops of several streams run in them, with events, as the plan says; there a
 * hazard shows if the streams happen to meet. So they also run in one stream,
 * in other orders that the plan allows, which needs no luck.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MEMPLAN_REPLAY_H
#define MEMPLAN_REPLAY_H

#include "memplan/device.h"
#include "memplan/memplan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is replayed: as memplan_tensor_at(), memplan_op_at(),
 * memplan_gap_at() and memplan_choice_at() tell it. Ops stand in execution
 * order; op k is step k. Without ops a tensor is written at its first step and
 * compared after its last. An alias must have what it is an alias of, or what
 * its producer wrote there if it writes. All that the struct points to stays
 * the caller's; replay needs it until it returns. */
struct memplan_replay_plan {
	const struct memplan_tensor *tensors;
	const struct memplan_op *ops;
	uint32_t n_tensors, n_ops, n_steps;
	struct memplan_pool arena;	/* the memory of a plan that has one */
	const struct memplan_gap *gaps; /* steps of a gap ascend */
	uint32_t n_gaps;
	uint32_t n_pools;
	const struct memplan_pool *pools; /* of several memories one a block, as
					     tensors count them in `pool`; NULL:
					     there is one, the arena */
	const struct memplan_choice *choices; /* choice i + 1; NULL: none stands
						 in a branch of another */
	uint32_t n_choices;
};

struct memplan_replay_options {
	uint32_t repeat; /* runs, at least 1; states and weights outlive one. If
			    tensors have choices: of each branch combination */
	uint64_t seed;	 /* of the patterns */
	int poison;	 /* fill tensors that died */
	int measure;	 /* also how fast the device copies */
	uint32_t orders; /* of a plan with several streams: how many orders
			    more than replay takes by itself */
};

/* An order of the begins and ends of ops in one stream. An op begins when all
 * that it waits for has ended. */
enum memplan_order {
	MEMPLAN_AS_LISTED,
	MEMPLAN_STREAM_LAST, /* which: the stream that runs when no other can */
	MEMPLAN_STREAM_FIRST, /* which: the stream that others leave to run */
	MEMPLAN_REVERSED,     /* ops begin the earlier the later they stand */
	MEMPLAN_OP_LATE,      /* which: the step of the op that ends last */
	MEMPLAN_RANDOM,	      /* which: its number */
};

struct memplan_replay_order {
	enum memplan_order kind;
	uint32_t which;
};

/* The writer of bytes that a tensor should not have had. */
enum memplan_writer {
	MEMPLAN_BY_STRANGER, /* no tensor of this plan */
	MEMPLAN_BY_CALLER,   /* writes inputs before the first step */
	MEMPLAN_BY_OP,
	MEMPLAN_BY_POISON,  /* it was taken for dead */
	MEMPLAN_BY_EARLIER, /* the same tensor, in the run before */
};

enum {
	MEMPLAN_OVERWRITES = 16, /* that are told one by one */
	MEMPLAN_NO_STEP = -1,
};

struct memplan_overwrite {
	uint32_t run;	       /* in which it was noticed, from 0 */
	uint32_t step, tensor; /* where it was noticed, in which tensor */
	struct memplan_replay_order order; /* of that run */
	int is_input;	/* of the op; else at the end of its life */
	uint64_t at;	/* bytes from the tensor's begin */
	uint64_t words; /* of 8 bytes that differ */
	enum memplan_writer writer;
	uint32_t culprit;  /* tensor with the pattern that lies there */
	int64_t writer_at; /* step of the op that wrote it; MEMPLAN_NO_STEP */
};

struct memplan_replay_result {
	uint64_t written, checked; /* bytes */
	uint64_t n_overwritten;	   /* comparisons that failed */
	struct memplan_overwrite overwrites[MEMPLAN_OVERWRITES];
	uint32_t runs;	 /* repeat times the branch combinations; of more than
			    64 not all: docs/replay.md */
	uint32_t orders; /* other orders, each with all combinations */
	uint32_t late;	 /* ops that were late in one of them: if all ops of the
			    plan, no overlap was missed */
	double seconds;	 /* of wall time that writing and comparing took */
	double copy_per_second; /* bytes that the device copies on itself; 0:
				   not measured */
};

/* Replays on an open device. MEMPLAN_NO: something was overwritten. On
 * MEMPLAN_EIO the device's text tells why. MEMPLAN_EUSAGE: poison, and more
 * than 256 streams; an alias of no tensor, or of itself; a tensor of no pool;
 * or more runs than UINT32_MAX. MEMPLAN_ENOMEM: memory of the host is out. */
enum memplan_status memplan_replay(struct memplan_device *device,
	const struct memplan_replay_plan *plan,
	const struct memplan_replay_options *options,
	struct memplan_replay_result *result);

#ifdef __cplusplus
}
#endif

#endif
