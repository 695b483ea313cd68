/*
 * Simulators: rows that replay the requests of a problem on an online
 * allocator and say how much memory it would have taken; and swapping, which
 * lets tensors leave the memory for a while. An online allocator sees one
 * request after the other and knows nothing of what comes; docs/simulate.md has
 * the rules of each row and their sources.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_SIMULATE_SIMULATE_H
#define MP_SIMULATE_SIMULATE_H

#include "problem/results.h"
#include "problem/schedule.h"

/* --------------------------------------------------------- requests */

/*
 * What an online allocator is asked, in order: the buffers of a problem as
 * requests to allocate and to free. Within a step: outputs are allocated, then
 * temporaries; the op runs; then what dies is freed.
 */

/* When, and in which order within a step, buffers are freed. */
enum release_rule {
	BY_LIFETIME, /* at the end of the lifetime: in the order that the input
			gives; without one temporaries, then inputs, then
			outputs that no op reads */
	BY_COUNT,    /* when the last reader has run, as a reference count would
			have it: inputs, then outputs, then temporaries */
};

struct requests {
	uint32_t n_buffers, n_steps;
	uint32_t n_requests; /* to allocate; a swapped buffer has two */
	uint32_t *events;    /* buffer * 2, and 1 more if it is freed */
	uint32_t *first;     /* n_steps + 1: step k has events [k], [k + 1) */
	uint64_t *bytes;     /* of a buffer, as the input says, not rounded */
	bool *persistent;    /* of a buffer: weights and states */
};

/* Every buffer is allocated once and freed once. */
bool mp_simulate_requests_init(struct requests *requests,
	const struct schedule *schedule, enum release_rule rule,
	struct arena *arena);

/* ------------------------------------------------------- simulators */

struct allocator;

/* What MindSpore's pool is told, in bytes. */
struct pool_settings {
	uint64_t initial;   /* held from the start, half of it for weights and
			       states; 0: nothing */
	uint64_t increment; /* regions are multiples of it; not 0 */
	uint64_t most;	    /* held at any time; 0: no limit */
};

struct simulator {
	const char *name;
	const char *summary;
	const struct allocator *allocator;
	int variant;
	enum release_rule rule;
};

extern const struct simulator mp_simulators[];
extern const uint32_t mp_n_simulators;

/* Replays requests on one row, up to one that it refuses. With a timeline, the
 * result has two numbers for every step. */
bool mp_simulate_row(const struct simulator *row,
	const struct requests *requests, const struct pool_settings *settings,
	bool timeline, struct simulation *result, struct arena *arena,
	struct error *e);

/* ----------------------------------------------------------- copies */

/*
 * When copies to slower memory and back run, and how long a run then takes.
 * Each of a set of buffers is written out behind its last use of the forward
 * pass and read back for its first use of the backward pass; its bytes belong
 * to others in between. The modes are those of HeuristicAllocator's swap
 * simulation; docs/swap.md. Times are nanoseconds, so that they are the same
 * anywhere.
 */
struct copy {
	uint64_t bytes;
	uint32_t buffer;   /* the caller's */
	uint32_t last_use; /* step, before forward_end */
	uint32_t next_use; /* step, from forward_end on */

	/* What a mode decides. */
	uint32_t out_step; /* its bytes are free behind this step */
	uint32_t in_step;  /* and its own again before this one */
};

struct copies {
	uint32_t n_steps;
	uint32_t forward_end;		/* first step of the backward pass */
	uint64_t write_rate, read_rate; /* bytes a second, at least 1 */
	const uint64_t *cost;		/* nanoseconds of each step */
	uint32_t n;
	struct copy *at; /* in the order in which they are written out */
	uint32_t *in;	 /* their indices, by step of the next use */

	/* Scratch of the modes. */
	uint64_t *read, *write; /* of a step: time of its copies */
	uint64_t *start;	/* of a step: when, if no op ever waits */
	uint64_t *ready;	/* of a step: when its reads are over */
	uint64_t *done;		/* of a write: when it is over */
	uint32_t *begun;	/* of a step: the one that begins its reads */
};

struct copy_mode {
	const char *name;
	const char *summary;
	/* Fills the steps of all copies; returns the time of the whole run. */
	uint64_t (*run)(struct copies *copies);
};

extern const struct copy_mode mp_copy_modes[];
extern const uint32_t mp_n_copy_modes;

/* Makes the scratch, and in from at. */
bool mp_simulate_copies_init(struct copies *copies, struct arena *arena);

/* --------------------------------------------------------- swapping */

/*
 * Swapping feature maps, simulated: tensors that the forward pass makes and the
 * backward pass reads are copied out and back by the rules of a copy mode, and
 * what remains is replayed on every simulator.
 */

/* The first step behind the forward pass: behind the last op of a type that
 * is a loss or a softmax and not its gradient; *sure is false if there is none,
 * and the step is then the one with most bytes that are not in use but will be.
 */
uint32_t mp_simulate_swap_forward_end(
	const struct schedule *schedule, bool *sure, struct arena *arena);

/* The feature maps, in the order of their last forward use; what is moved are
 * the bytes of the requests. The caller has set forward_end and the rates. */
bool mp_simulate_swap_maps(const struct schedule *schedule,
	const struct requests *requests, struct copies *copies,
	struct arena *arena, struct error *e);

/* Requests by lifetime, but every copy's buffer is freed behind its out_step
 * and allocated again before its in_step. */
bool mp_simulate_swap_requests(const struct requests *from,
	const struct copies *copies, struct requests *requests,
	struct arena *arena);

/* A problem without ops and tensors in which each copied buffer is two: first
 * its own index, its second life behind all others, in the order of copies. */
bool mp_simulate_swap_problem(const struct problem *problem,
	const struct copies *copies, struct problem *swapped,
	struct arena *arena, struct error *e);

#endif
