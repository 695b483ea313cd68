/*
 * The queues of queues.h. MEMPLAN_STAND_IN=first-stream-first runs streams in
 * the opposite order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "queues.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_STREAMS = 64,
};

struct queue {
	struct job *jobs;
	size_t first, n, room;
};

static struct queue *queues[MOST_STREAMS], default_queue;

int has_mood(const char *name)
{
	const char *mood = getenv("MEMPLAN_STAND_IN");

	return mood && strcmp(mood, name) == 0;
}

/* Runs one entry. False if it has to wait for an event. */
static int run_job(const struct job *job)
{
	switch (job->kind) {
	case LAUNCH:
		run_kernel(job->kernel, job->blocks, job->threads, job->values);
		return 1;
	case COPY:
		memcpy(job->to, job->from, job->size);
		free(job->staged);
		return 1;
	case RELEASE:
		free(job->from);
		return 1;
	case RECORD:
		job->event->happened++;
		return 1;
	case WAIT:
		return job->event->happened >= job->wanted;
	}
	return 0;
}

static int run_queue(struct queue *queue)
{
	int moved = 0;

	while (queue->first < queue->n && run_job(&queue->jobs[queue->first])) {
		queue->first++;
		moved = 1;
	}
	if (queue->first == queue->n)
		queue->first = queue->n = 0;
	return moved;
}

void run_default(void)
{
	run_queue(&default_queue);
}

/* Runs one stream as far as it goes, and tries again whenever another stream
 * has moved. */
int run_all(void)
{
	int forward = has_mood("first-stream-first"), k;

	for (int i = 0; i < MOST_STREAMS; i++) {
		k = forward ? i : MOST_STREAMS - 1 - i;
		if (queues[k] && run_queue(queues[k]))
			i = -1;
	}
	run_default();
	for (int i = 0; i < MOST_STREAMS; i++)
		if (queues[i] && queues[i]->n > 0)
			return 0;
	return 1;
}

int add_job(struct queue *queue, struct job job)
{
	struct job *jobs;

	queue = queue ? queue : &default_queue;
	if (queue->n == queue->room) {
		queue->room = queue->room ? 2 * queue->room : 64;
		jobs = realloc(queue->jobs, queue->room * sizeof(*jobs));
		if (!jobs)
			return 0;
		queue->jobs = jobs;
	}
	queue->jobs[queue->n++] = job;
	return 1;
}

struct queue *new_queue(void)
{
	for (int i = 0; i < MOST_STREAMS; i++) {
		if (queues[i])
			continue;
		queues[i] = calloc(1, sizeof(*queues[i]));
		return queues[i];
	}
	return NULL;
}

void free_queue(struct queue *queue)
{
	for (int i = 0; i < MOST_STREAMS; i++)
		if (queues[i] == queue)
			queues[i] = NULL;
	free(queue->jobs);
	free(queue);
}

/* Frees what is left when the library is unloaded. */
__attribute__((destructor)) static void forget(void)
{
	free(default_queue.jobs);
	default_queue = (struct queue){0};
}
