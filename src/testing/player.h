/*
 * For tests: a small graph as a network's author means it, and a player that
 * runs it on the places that a plan gives its tensors. The player knows nothing
 * of lifetimes. It knows which op reads and writes which tensor and which op
 * comes before which, tries every interleaving of all streams, and objects
 * where an op would not find what it reads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_PLAYER_H
#define MP_TESTING_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"
#include "memplan/memplan.h"

enum {
	PLAY_OPS = 8, /* of a random graph; a budget puts more in */
	PLAY_MOST_OPS = 20,
	PLAY_STREAMS = 3, /* at most */
	PLAY_MOST_STREAMS = 5,
	PLAY_LISTED = 40,  /* tensors without temporaries */
	PLAY_TENSORS = 60, /* fewer than bits in a word */
	PLAY_GROUPS = 2,
	PLAY_MEMBERS = 3,
	PLAY_PAIRS = 3,
	PLAY_RANGES = 2,
	PLAY_CHOICES = 3,
	PLAY_BRANCHES = 3,
	PLAY_LOOPS = 3,
	PLAY_CARRIED = 2, /* pairs of a loop */
	PLAY_POOLS = 3,
	PLAY_SPACES = 64,
	PLAY_SPACE_BITS = 40, /* of offsets in one memory */
	PLAY_JSON = 32768,
};

#define PLAY_BIT(i) (UINT64_C(1) << (i))

struct play_tensor {
	uint64_t size, align; /* align 0: the graph's */
	uint64_t fixed;	      /* fixed offset, if placed is set */
	uint64_t offset;      /* of the plan */
	uint32_t producer;    /* op, or NONE */

	uint32_t of; /* the tensor that this one is an alias of, or NONE */
	uint64_t at; /* first byte within that tensor */
	bool writes; /* the producer changes the bytes */

	uint8_t kind; /* enum tensor_kind */
	bool external, placed, from_start, to_end;
	const char *lifelong; /* value in the document, or NULL */

	uint32_t choice, branch; /* choice NONE: it is in no branch */
	uint32_t group;		 /* or NONE */
	uint64_t before, after;	 /* guards: free while the tensor lives */

	bool pinned; /* alive in steps [start, end) */
	uint32_t start, end;
	uint32_t pause, resume; /* a gap; equal: none */
	uint64_t low, high;	/* bytes that are needed in the gap */

	uint32_t pools[PLAY_POOLS], n_pools; /* that may hold it */
	bool names_pools;		     /* the document names the pools */
	uint32_t space;			     /* of the plan */
};

struct play_op {
	uint64_t inputs, outputs, temporaries; /* bit t: tensor t */
	uint32_t after;			       /* bit k: op k */
	uint32_t stream;
	uint32_t taker, given; /* in-place pair; NONE: none */
};

/* Ops [first, last] of the list run any number of times. */
struct play_loop {
	uint32_t first, last, around; /* around NONE: it is in no other */
	uint32_t carried[PLAY_CARRIED][2], n_carried; /* in, out */
};

/* A memory; capacity, chunk or n_banks 0: none. */
struct play_pool {
	uint64_t capacity, alignment, chunk;
	uint64_t bank_size, n_banks;
};

/* A pool of the plan, or a block of one. */
struct play_space {
	uint64_t size;
	uint32_t pool;
};

struct play_group {
	uint32_t members[PLAY_MEMBERS], n;
};

struct play {
	uint64_t alignment;
	uint32_t n_ops, n_steps, n_streams;
	uint32_t n_listed, n_tensors; /* temporaries last, in order of ops */
	uint32_t n_groups, n_pairs, n_ranges, n_choices;
	bool has_ops;
	struct play_op ops[PLAY_MOST_OPS];
	struct play_tensor tensors[PLAY_TENSORS];
	struct play_group groups[PLAY_GROUPS];
	uint32_t apart[PLAY_PAIRS][2];
	uint32_t sites[PLAY_CHOICES][2]; /* of a choice: the earlier one that it
					    stands in, or NONE, and its branch
					  */
	struct play_loop loops[PLAY_LOOPS];
	uint32_t n_loops;
	uint64_t ranges[PLAY_RANGES][2]; /* offset, size */
	uint32_t range_pools[PLAY_RANGES];
	struct play_pool pools[PLAY_POOLS];
	uint32_t n_pools; /* 0: one memory, without a name */
	bool tight; /* some tensors name only a pool that may be too small */
	uint8_t inputs, outputs; /* enum policy */

	uint32_t order[PLAY_MOST_OPS];	       /* of the plan */
	uint64_t arena_size;		       /* of the plan */
	struct play_space spaces[PLAY_SPACES]; /* of the plan */
	uint32_t n_spaces;
	char complaint[200];
};

static inline bool mp_testing_player_takes_bytes(const struct play_tensor *t)
{
	return !t->external && t->size > 0;
}

/* Its first byte, in addresses that no two pools share. */
static inline uint64_t mp_testing_player_at(const struct play_tensor *t)
{
	return ((uint64_t)t->space << PLAY_SPACE_BITS) + t->offset;
}

/* The bytes of a tensor and its guards. */
static inline uint64_t mp_testing_player_low(const struct play_tensor *t)
{
	return mp_testing_player_at(t) - t->before;
}

static inline uint64_t mp_testing_player_high(const struct play_tensor *t)
{
	return mp_testing_player_at(t) + t->size + t->after;
}

/* A graph that follows from the seed. */
void mp_testing_player_random(struct play *play, uint64_t seed);

/* Changes the graph: four bytes a mutant, which say what, where, and to what
 * value. */
void mp_testing_player_mutate(
	struct play *play, const uint8_t *bytes, size_t n);

/* Gives the graph several pools, and each tensor its list of pools. */
void mp_testing_player_add_pools(struct play *play, uint64_t seed);

/* Gives a graph with ops loops, one behind or in another, some of which carry
 * tensors. Before pools. */
void mp_testing_player_add_loops(struct play *play, uint64_t seed);

/* Writes the graph as JSON, into a text of PLAY_JSON bytes. */
void mp_testing_player_print(const struct play *play, char *text);

/* The tensor that an alias is of in the end, or the tensor itself, and how many
 * bytes behind its first the alias begins. */
uint32_t mp_testing_player_root(const struct play *play, uint32_t tensor);
uint64_t mp_testing_player_base(const struct play *play, uint32_t tensor);

/* The tensor that is written where this one is: itself, or what it is a name
 * for bytes of. */
uint32_t mp_testing_player_writer(const struct play *play, uint32_t tensor);

/* The op that makes a tensor, or its base tensor; NONE: none does. */
uint32_t mp_testing_player_maker(const struct play *play, uint32_t tensor);

/* True if the two are bytes of one buffer, and some bytes are of both. */
bool mp_testing_player_overlap(const struct play *play, uint32_t a, uint32_t b);

/* True if the loop has the op, which may be NONE. */
static inline bool mp_testing_player_has(
	const struct play_loop *loop, uint32_t op)
{
	return op != NONE && loop->first <= op && op <= loop->last;
}

/* The innermost loop that has the op; NONE: none has. */
uint32_t mp_testing_player_loop(const struct play *play, uint32_t op);

/* Does the loop put a value into the tensor by one that is written over it? */
static inline bool mp_testing_player_in_place(
	const struct play *play, const uint32_t *pair)
{
	return play->tensors[pair[1]].writes &&
	       play->tensors[pair[1]].of == pair[0];
}

/* True if the tensor is the other one, or an alias below it. */
bool mp_testing_player_is_below(
	const struct play *play, uint32_t tensor, uint32_t above);

/* Adds to before, of every op, the ops that it waits for: bit k for op k. */
void mp_testing_player_order(const struct play *play, uint32_t *before);

/* True if every tensor lies where it may, whatever its lifetime. */
bool mp_testing_player_check_places(struct play *play);

/* What banks cost on the places of the plan. The graph has ops. */
uint64_t mp_testing_player_bank_cost(const struct play *play);

/* Takes the places and the order of the handle's plan. False: it is not a plan
 * of these tensors; complaint says why. */
bool mp_testing_player_take(struct play *play, const memplan *m);

/* Lets a large tensor of a graph with ops rest while another is alive. False:
 * there are no two. */
bool mp_testing_player_add_rest(struct play *play);

/* Makes it the graph that a budget made of it. False: that has too many ops or
 * tensors to be played. */
bool mp_testing_player_follow(struct play *play, const struct graph *graph);

/* Plays it in every way that it may run. False: complaint says what is wrong
 * with the plan. */
bool mp_testing_player_run(struct play *play);

/* Notes what is wrong with two tensors; returns false. */
bool mp_testing_player_complain(
	struct play *play, const char *what, uint32_t a, uint32_t b);

#endif
