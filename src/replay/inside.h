/*
 * The state of one replay. replay.c fills it; culprit.c only reads it. A replay
 * writes a different pattern into every tensor when its op runs, and compares
 * the bytes when an op reads them and when the tensor dies. A tie is a tensor
 * and its aliases. A poison is a pattern that is written into a tensor after
 * its last use.
 *
 * Functions that use the device return 0, or 1 once the device has failed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_REPLAY_INSIDE_H
#define MP_REPLAY_INSIDE_H

#include "memplan/replay.h"

#define NO_OP UINT32_MAX
#define NONE UINT32_MAX

enum {
	MOST_CHECKS = 1 << 16, /* comparisons that are queued before their
				  findings are read */
	MOST_LANES = 256,      /* streams of a plan that is poisoned, or runs
				  in other orders */
	MOST_ARRAYS = 48,      /* of the state */
};

/* What happens to a tensor, or to a gap, at one step. */
enum moment {
	BORN,
	DYING, /* its end is the next step */
	POISONED,
	LEAVING, /* of gaps */
	RETURNING,
	N_MOMENTS,
};

/* Tensors or gaps by step, those of a step ascending: the first of it, and the
 * one behind each; NONE behind the last. */
struct by_step {
	uint32_t *first, *next;
};

/* A comparison that is queued on the device and not read back yet: bytes
 * [at, at + size) of a tensor should have the pattern of the owner's key. */
struct check {
	uint32_t run, step, tensor, owner;
	int is_input;
	uint64_t at, size, key;
};

/* Aliases. The bytes of an alias are bytes of its root. Its content is that of
 * the nearest tensor, going up from the alias itself, that an op writes. */
struct ties {
	uint32_t *root; /* of a tensor: what it is an alias of; itself: it is no
			   alias */
	uint32_t *content; /* of a tensor */
	uint64_t *base;	   /* of a tensor: bytes from its root's first */
	uint32_t *end; /* of a root: its last byte's end, with all aliases */
	unsigned char *shared; /* of a root: it has aliases */

	/* A root is cut into pieces at the ends of all aliases that write. Of
	 * each piece, the tensor that wrote it last. No pieces if no alias
	 * writes. */
	uint32_t *first_piece; /* of a root, n_tensors + 1 of them */
	uint64_t *from;	       /* of a piece: bytes from the root's first */
	uint32_t *owner;       /* of a piece */
};

/* Which op waits for which. Lanes are the streams of the plan. An op is two
 * halves, its begin and its end. */
struct waits {
	uint32_t stream[MOST_LANES]; /* of a lane */
	uint32_t n_lanes;   /* 0: one stream, or more than MOST_LANES */
	uint32_t *lane;	    /* of a step */
	uint32_t *position; /* of a step: ops before it in its lane */
	uint32_t *clock;    /* of a step, n_lanes of them: how many halves of a
			       lane are over before it begins */
};

/* An order of the halves under way. */
struct extension {
	uint32_t *first;  /* of a lane, n_lanes + 1 of them: its ops */
	uint32_t *ops;	  /* steps, ascending within a lane */
	uint32_t *over;	  /* of a lane: halves that are over */
	uint32_t *passed; /* of a lane: from how many lanes on it may wait */
};

/* A fixed lifetime may be longer than what ops read and write. The tensor is
 * then compared when certain ops end, in every order but the listed one: of
 * each lane the last op within the lifetime. */
struct holds {
	uint32_t *tensor, *next; /* of a hold; NONE behind the last */
	uint32_t *first;	 /* of a step; NONE: it has none */
	uint32_t n;
};

/* Of a choice only one branch runs. A run takes one combination of branches; in
 * it the tensors of the other branches take no bytes. */
struct choices {
	uint32_t *branches; /* of a choice, numbered from 1: its branches */
	uint32_t *taken;    /* of a choice: which branch; NULL: no choices */
	uint32_t *goals;    /* tensors in branches, where choices stand in
			       branches */
	uint32_t n_goals;
	uint32_t n, n_ways;
	int all; /* every combination runs; else each branch runs at least
		    once, if the goals are few */
};

struct run {
	struct memplan_device *device;
	const struct memplan_replay_plan *plan;
	const struct memplan_replay_options *options;
	struct memplan_replay_result *result;
	const struct memplan_pool *pools; /* of the plan */
	uint32_t n_pools, n_blocks;	  /* n_blocks: allocated so far */
	struct memplan_block *blocks; /* one a pool, and that of the slots */
	uint64_t slots;		      /* address of one finding a check */
	uint32_t *step_of;	      /* of the op of an index */
	uint32_t *producer;	      /* step of a tensor's op, or NO_OP */
	uint32_t *last_read;	      /* step, or NO_OP */
	uint32_t *looked;	      /* step of its latest check */
	uint64_t *key; /* key of the pattern in its bytes now; 0: unwritten */
	uint32_t *poison_at; /* step, or NO_OP: never */
	struct ties ties;
	struct waits waits;
	struct extension extension;
	struct holds holds;
	struct memplan_replay_order order; /* of the run under way */
	unsigned char *away;		   /* a tensor is in a gap */
	struct by_step lists[N_MOMENTS];
	struct check *checks;
	struct memplan_finding *findings;
	struct choices choices;
	uint32_t n_checks, repeat;
	int several_streams;
	int in_one_stream;	   /* although the plan has several */
	void *arrays[MOST_ARRAYS]; /* all of the above */
	uint32_t n_arrays;
	int is_out; /* of memory */
};

/* An array of n elements and one more, zeroed, that the run frees in the end.
 * NULL: memory is out, which the run keeps in mind. */
void *mp_replay_array(struct run *run, size_t n, size_t size);

/* Writers of the bytes of a tensor. */
enum {
	WRITER_OP,
	WRITER_CALLER,
	WRITER_POISON,
	N_WRITERS,
};

/* The key of the pattern that a writer leaves in a tensor in a run. Never 0. */
uint64_t mp_replay_key(const struct run *run, uint32_t repeat, uint32_t tensor,
	uint32_t writer);

/* Fills choices, and sets the number of runs. */
enum memplan_status mp_replay_find_choices(struct run *run);

/* Sets the branch combination of the run that begins. */
void mp_replay_choose(struct run *run);

/* False for external and empty tensors, and for those in branches that this run
 * does not take. */
int mp_replay_takes_bytes(const struct run *run, uint32_t t);

static inline int mp_replay_is_alias(const struct run *run, uint32_t t)
{
	return run->ties.root[t] != t;
}

/* Fills ties. MEMPLAN_EUSAGE: an alias of no tensor, or of itself. */
enum memplan_status mp_replay_tie(struct run *run);

/* Notes that the tensor has written its bytes: from now on they are its
 * content. */
void mp_replay_own(struct run *run, uint32_t t);

/* From byte `at` of the tensor on, up to which byte is the last writer the
 * same? */
uint64_t mp_replay_piece(
	const struct run *run, uint32_t t, uint64_t at, uint32_t *owner);

/* Fills waits. */
enum memplan_status mp_replay_find_waits(struct run *run);

/* The step with which the caller writes the tensor, or what it is bytes of;
 * NO_OP: an op does, or the caller before the first step. */
uint32_t mp_replay_late_birth(const struct run *run, uint32_t t);

/* Is the op of step a over before that of b begins, or are they the same? There
 * are several lanes. */
int mp_replay_is_ordered(const struct run *run, uint32_t a, uint32_t b);

/* Fills holds; poison is chosen. */
enum memplan_status mp_replay_find_holds(struct run *run);

/* Fills extension. */
enum memplan_status mp_replay_prepare_orders(struct run *run);

/* Fills poison_at: the step after which a tensor is poisoned, or at which an
 * output takes its bytes over. MEMPLAN_EUSAGE: too many streams. */
enum memplan_status mp_replay_choose_poison(struct run *run);

/* The address of its bytes on the device. */
struct memplan_range mp_replay_range(const struct run *run, uint32_t t);

/* Fills a tensor. An alias that does not write keeps the bytes that are there.
 */
int mp_replay_is_written(const struct run *run, uint32_t t);

int mp_replay_write(
	struct run *run, uint32_t stream, uint32_t t, uint32_t writer);

/* Compares an input with what its producer left. */
int mp_replay_compare_input(
	struct run *run, uint32_t stream, uint32_t step, uint32_t t);

/* Compares bytes [low, high) of the tensor with the pattern of the tensor that
 * wrote them last, as the plan allows. */
int mp_replay_compare_kept(struct run *run, uint32_t stream, uint32_t step,
	uint32_t t, uint64_t low, uint64_t high);

/* Compares all bytes of the tensor with the patterns of the tensors that wrote
 * them last, unless it was compared in this step. */
int mp_replay_compare_all(
	struct run *run, uint32_t stream, uint32_t step, uint32_t t);

/* Waits for the device, and reads the findings of all comparisons so far. */
int mp_replay_look(struct run *run);

/* The parts of a run. A step begins when its inputs are there, and ends when
 * its outputs are. */
int mp_replay_begin_run(struct run *run);
int mp_replay_begin_step(struct run *run, uint32_t step);
int mp_replay_end_step(struct run *run, uint32_t step);
int mp_replay_end_run(struct run *run);

/* Runs all steps in the listed order. */
int mp_replay_once(struct run *run);

/* Runs them in other orders, if there are streams. */
int mp_replay_other_orders(struct run *run);

/* Finds the writer of the bytes that a comparison found, and keeps it in the
 * result. */
void mp_replay_accuse(const struct run *run, const struct check *check,
	const struct memplan_finding *finding);

#endif
