/*
 * Streams that run late: when the program waits, and then the last stream
 * first, each as far as the events let it. So what is not ordered by events
 * happens in another order than it was asked for. The default stream runs after
 * all others: they do not wait for it.
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

/* NULL: no more streams, or no memory. */
struct queue *new_queue(void);
void free_queue(struct queue *queue);

/* NULL is the default stream. False without memory. */
int add_job(struct queue *queue, struct job job);

/* The default stream alone. */
void run_default(void);

/* Everything; false if a stream waits for an event that is never recorded. */
int run_all(void);

#endif
