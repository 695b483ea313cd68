/*
 * The queues of queues.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "queues.h"

#include <stdlib.h>
#include <string.h>

#include "live-blocks.h"
#include "moods.h"

enum {
	MOST_STREAMS = 512,
};

static struct queue *queues[MOST_STREAMS], defaults[DEVICES];
static int faults[DEVICES];

/* ------------------------------------------------------------- jobs */

static int bytes_are_there(const struct job *job, int device)
{
	const char *to = job->to, *from = job->from;

	switch (job->kind) {
	case LAUNCH:
		return kernel_may_run(job->kernel, job->values, device);
	case COPY:
		return is_usable(to, job->size, device) &&
		       (job->staged || is_usable(from, job->size, device));
	case ALLOCATE:
	case RELEASE:
	case RECORD:
	case WAIT:
		break;
	}
	return 1;
}

static void forget_event(struct event *event)
{
	event->n_jobs--;
	if (event->is_destroyed && event->n_jobs == 0)
		free(event);
}

/* False if it has to wait for an event. */
static int run_job(const struct job *job, int device)
{
	if (job->kind == WAIT && job->event->happened < job->wanted)
		return 0;
	if (!bytes_are_there(job, device))
		faults[device] = 1;
	else if (job->kind == LAUNCH)
		run_kernel(job->kernel, job->blocks, job->threads, job->values);
	else if (job->kind == COPY)
		memmove(job->to, job->from, job->size);
	else if (job->kind == ALLOCATE)
		make_ready(job->to);
	else if (job->kind == RELEASE && !give_block(job->from))
		faults[device] = 1;
	else if (job->kind == RECORD)
		job->event->happened++;
	free(job->staged);
	if (job->event)
		forget_event(job->event);
	return 1;
}

/* Runs one entry, if there is one that need not wait. */
static int run_one(struct queue *queue)
{
	if (!queue || queue->first == queue->n || queue->is_capturing ||
		!run_job(&queue->jobs[queue->first], queue->device))
		return 0;
	if (++queue->first == queue->n)
		queue->first = queue->n = 0;
	return 1;
}

static int run_queue(struct queue *queue)
{
	int moved = 0;

	while (run_one(queue))
		moved = 1;
	return moved;
}

/* ------------------------------------------------------------ turns */

static int is_of(const struct queue *queue, const void *context)
{
	return queue && (!context || queue->context == context);
}

static int has_work(const void *context)
{
	for (int i = 0; i < MOST_STREAMS; i++)
		if (is_of(queues[i], context) && queues[i]->n > 0 &&
			!queues[i]->is_capturing)
			return 1;
	return 0;
}

/* Any stream of those that have work, as likely as the others. */
static int run_at_random(const void *context)
{
	int with_work[MOST_STREAMS], n = 0, first;

	for (int i = 0; i < MOST_STREAMS; i++)
		if (is_of(queues[i], context) && queues[i]->n > 0)
			with_work[n++] = i;
	first = n > 0 ? (int)draw((unsigned long)n) : 0;
	for (int i = 0; i < n; i++)
		if (run_one(queues[with_work[(first + i) % n]]))
			return 1;
	return 0;
}

/* One stream as far as it goes. */
static int run_in_turn(const void *context)
{
	int forward = has_mood("first-stream-first");

	for (int i = 0; i < MOST_STREAMS; i++) {
		int k = forward ? i : MOST_STREAMS - 1 - i;

		if (is_of(queues[k], context) && run_queue(queues[k]))
			return 1;
	}
	return 0;
}

static int run_turn(const void *context)
{
	return has_mood("seed") ? run_at_random(context) : run_in_turn(context);
}

static void free_ended(void)
{
	for (int i = 0; i < MOST_STREAMS; i++)
		if (queues[i] && queues[i]->is_destroyed && queues[i]->n == 0) {
			free(queues[i]->jobs);
			free(queues[i]);
			queues[i] = NULL;
		}
}

void run_all(const void *context)
{
	while (has_work(context))
		if (!run_turn(context) && !run_turn(NULL))
			broken("a stream waits for an event that is never "
			       "recorded");
	for (int i = 0; i < DEVICES; i++)
		if (!context || defaults[i].context == context)
			run_queue(&defaults[i]);
	free_ended();
}

void run_until_empty(struct queue *queue)
{
	while (queue->n > 0 && !queue->is_capturing)
		if (!run_one(queue) && !run_turn(NULL))
			broken("a stream waits for an event that is never "
			       "recorded");
}

void run_some(void)
{
	if (!has_mood("seed"))
		return;
	if (draw(4) == 0)
		run_at_random(NULL);
	for (int i = 0; i < DEVICES; i++)
		if (draw(8) == 0)
			run_one(&defaults[i]);
}

/* ---------------------------------------------------------- streams */

int add_job(struct queue *queue, struct job job)
{
	struct job *jobs;

	if (queue->n == queue->room) {
		queue->room = queue->room ? 2 * queue->room : 64;
		jobs = realloc(queue->jobs, queue->room * sizeof(*jobs));
		if (!jobs)
			return 0;
		queue->jobs = jobs;
	}
	queue->jobs[queue->n++] = job;
	if (job.event)
		job.event->n_jobs++;
	return 1;
}

struct queue *new_queue(const void *context, int device)
{
	for (int i = 0; i < MOST_STREAMS; i++) {
		if (queues[i])
			continue;
		queues[i] = calloc(1, sizeof(*queues[i]));
		if (queues[i]) {
			queues[i]->context = context;
			queues[i]->device = device;
		}
		return queues[i];
	}
	return NULL;
}

void free_queue(struct queue *queue)
{
	queue->is_destroyed = 1;
	free_ended();
}

struct queue *default_queue(int device)
{
	defaults[device].device = device;
	return &defaults[device];
}

static void drop_jobs(struct queue *queue)
{
	for (size_t i = queue->first; i < queue->n; i++) {
		free(queue->jobs[i].staged);
		if (queue->jobs[i].event)
			forget_event(queue->jobs[i].event);
	}
	queue->first = queue->n = 0;
}

void drop_all(const void *context)
{
	for (int i = 0; i < MOST_STREAMS; i++) {
		if (!queues[i] || queues[i]->context != context)
			continue;
		drop_jobs(queues[i]);
		queues[i]->is_destroyed = 1;
	}
	for (int i = 0; i < DEVICES; i++)
		if (defaults[i].context == context)
			drop_jobs(&defaults[i]);
	free_ended();
}

int has_launches(const void *context)
{
	for (int i = 0; i < MOST_STREAMS; i++)
		for (size_t k = 0; is_of(queues[i], context) &&
				   k + queues[i]->first < queues[i]->n;
			k++)
			if (queues[i]->jobs[queues[i]->first + k].kind ==
				LAUNCH)
				return 1;
	return 0;
}

int has_queues(const void *context)
{
	for (int i = 0; i < MOST_STREAMS; i++)
		if (is_of(queues[i], context) && !queues[i]->is_destroyed)
			return 1;
	return 0;
}

int has_fault(int device)
{
	return faults[device];
}

/* Frees what is left when the program ends. */
__attribute__((destructor)) static void forget(void)
{
	for (int i = 0; i < DEVICES; i++) {
		drop_jobs(&defaults[i]);
		free(defaults[i].jobs);
		defaults[i] = (struct queue){.jobs = NULL};
	}
}
