/*
 * Streams that run as late as allowed: only when the program waits. Then the
 * last stream runs first, each as far as events let it. So two pieces of work
 * that no event orders run in another order than the program asked for. The
 * default stream runs after all others, which do not wait for it.
 *
 * Moods: first-stream-first turns that order round. seed=N takes pieces of work
 * of all streams at random, and does some whenever the program calls: an order
 * that nothing enforces is then kept in some runs only.
 *
 * Work that touches bytes which are not there, or not any more, is a fault of
 * its device, which stays.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_STAND_IN_QUEUES_H
#define MP_LOADER_STAND_IN_QUEUES_H

#include <stddef.h>

#include "kernels.h"

enum {
	DEVICES = 2,
};

enum kind {
	LAUNCH,
	COPY,
	ALLOCATE,
	RELEASE,
	RECORD,
	WAIT,
};

struct event {
	unsigned long asked, happened; /* how often it was recorded */
	unsigned long n_jobs;	       /* in queues */
	int device, is_destroyed;
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

struct queue {
	struct job *jobs;
	size_t first, n, room;
	const void *context;
	int device, is_destroyed, is_capturing, is_invalid;
};

/* A new stream. NULL: there are too many, or memory is out. */
struct queue *new_queue(const void *context, int device);

/* Its work goes on. */
void free_queue(struct queue *queue);

/* The default stream of a device. */
struct queue *default_queue(int device);

/* Appends an entry. False: memory is out. */
int add_job(struct queue *queue, struct job job);

/* Runs one stream as far as it goes, and what it waits for. */
void run_until_empty(struct queue *queue);

/* Runs everything of a context; NULL: of all. */
void run_all(const void *context);

/* With the mood "seed", runs some of what is there. */
void run_some(void);

/* Drops what a context still has to do, and its streams. */
void drop_all(const void *context);

/* Is a launch in a queue of the context? Has it streams that were not
 * destroyed? */
int has_launches(const void *context);
int has_queues(const void *context);

/* Did the device's work touch what it may not? */
int has_fault(int device);

#endif
