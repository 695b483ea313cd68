/*
 * Streams that run as late as allowed: only when the program waits. Then the
 * last stream runs first, each as far as events let it. So two pieces of work
 * that no event orders run in another order than the program asked for. The
 * default stream runs after all others, which do not wait for it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_STAND_IN_QUEUES_H
#define MP_LOADER_STAND_IN_QUEUES_H

#include <stddef.h>

#include "kernels.h"

enum kind {
	LAUNCH,
	COPY,
	RELEASE,
	RECORD,
	WAIT,
};

struct event {
	unsigned long asked, happened; /* how often it was recorded */
};

struct job {
	enum kind kind;
	unsigned blocks, threads; /* LAUNCH */
	const struct kernel *kernel;
	union value values[MOST_PARAMETERS];
	void *to, *from, *staged; /* COPY; the last is freed after it */
	size_t size;
	struct event *event; /* RECORD, WAIT */
	unsigned long wanted;
};

/* Is that the value of MEMPLAN_STAND_IN? */
int has_mood(const char *name);

/* A new stream. NULL: there are too many, or memory is out. */
struct queue *new_queue(void);
void free_queue(struct queue *queue);

/* Appends an entry; NULL is the default stream. False: memory is out. */
int add_job(struct queue *queue, struct job job);

/* Runs the default stream only. */
void run_default(void);

/* Runs everything; false if a stream waits for an event that is never recorded.
 */
int run_all(void);

#endif
