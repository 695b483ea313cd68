/*
 * The copy modes of HeuristicAllocator's swap simulation.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/simulate.h"

#include <assert.h>

#include "base/lists.h"

/* Sums by step, as the modes that join at steps want them; and the order of the
 * reads: copies of one step stay in order. */
bool mp_simulate_copies_init(struct copies *c, struct arena *arena)
{
	struct lists reads;

	c->read = NEW(arena, uint64_t, (size_t)c->n_steps + 2);
	c->write = NEW(arena, uint64_t, (size_t)c->n_steps + 2);
	c->start = NEW(arena, uint64_t, (size_t)c->n_steps + 2);
	c->ready = NEW(arena, uint64_t, (size_t)c->n_steps + 2);
	c->begun = NEW(arena, uint32_t, (size_t)c->n_steps + 2);
	c->done = NEW(arena, uint64_t, c->n);
	if (!c->read || !c->write || !c->start || !c->ready || !c->begun ||
		!c->done ||
		!mp_lists_group(&reads, c->n_steps, &c->at->next_use,
			sizeof(*c->at), c->n, arena))
		return false;
	c->in = reads.links;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct copy *copy = &c->at[i];

		assert(copy->last_use < c->forward_end);
		assert(copy->next_use >= c->forward_end);
		c->write[copy->last_use] +=
			num_copy_time(copy->bytes, c->write_rate);
		c->read[copy->next_use] +=
			num_copy_time(copy->bytes, c->read_rate);
	}
	return true;
}

/* Compute waits for every copy. */
static uint64_t run_sync(struct copies *c)
{
	uint64_t time = 0;

	for (uint32_t k = 0; k < c->n_steps; k++)
		time += c->cost[k] + c->write[k] + c->read[k];
	for (uint32_t i = 0; i < c->n; i++) {
		c->at[i].out_step = c->at[i].last_use;
		c->at[i].in_step = c->at[i].next_use;
	}
	return time;
}

/* A write runs beside the next op, and both join; a read runs beside the op
 * before its use. Where the passes meet nothing runs beside. */
static uint64_t run_semi(struct copies *c)
{
	uint32_t f = c->forward_end;
	uint64_t time = 0;

	for (uint32_t k = 0; k < f; k++)
		time += num_max(c->cost[k], k > 0 ? c->write[k - 1] : 0);
	time += (f > 0 ? c->write[f - 1] : 0) + c->read[f];
	for (uint32_t k = f; k < c->n_steps; k++)
		time += num_max(c->cost[k], c->read[k + 1]);
	for (uint32_t i = 0; i < c->n; i++) {
		struct copy *copy = &c->at[i];

		copy->out_step = copy->last_use + 1 < f ? copy->last_use + 1
							: copy->last_use;
		copy->in_step = copy->next_use > f ? copy->next_use - 1 : f;
	}
	return time;
}

/* -------------------------------------------------------- one queue */

/* The one queue of writes and reads. */
struct queue {
	struct copies *copies;
	uint64_t now;	  /* of compute */
	uint64_t busy;	  /* the queue is, until then */
	uint32_t queued;  /* writes so far */
	uint32_t written; /* of these, seen to be over */
};

/* The forward pass waits for no write. What is still in the queue when it ends
 * costs no time by itself, but reads queue up behind it. */
static void run_forward(struct queue *q)
{
	struct copies *c = q->copies;

	for (uint32_t k = 0; k < c->forward_end; k++) {
		q->now += c->cost[k];
		while (q->written < q->queued && c->done[q->written] <= q->now)
			c->at[q->written++].out_step = k;
		q->busy = num_max(q->busy, q->now);
		while (q->queued < c->n && c->at[q->queued].last_use == k) {
			q->busy += num_copy_time(
				c->at[q->queued].bytes, c->write_rate);
			c->done[q->queued++] = q->busy;
		}
	}
	while (q->written < c->n)
		c->at[q->written++].out_step = c->forward_end - 1;
}

static void begin_read(struct queue *q, uint32_t *next, uint32_t step)
{
	q->busy += q->copies->read[*next];
	q->copies->begun[*next] = step;
	*next += 1;
}

static void place_reads(struct copies *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		c->at[i].in_step = c->begun[c->at[i].next_use];
}

/* Reads begin as soon as the queue is idle when an op starts, and while they
 * are sure to end beside it. */
static uint64_t run_async(struct copies *c)
{
	struct queue q = {.copies = c};
	uint32_t next = c->forward_end;

	run_forward(&q);
	begin_read(&q, &next, c->forward_end);
	for (uint32_t k = c->forward_end; k < c->n_steps; k++) {
		if (k + 1 == next)
			q.now = num_max(q.now, q.busy);
		q.busy = num_max(q.now, q.busy);
		while (next < c->n_steps && q.busy <= q.now)
			begin_read(&q, &next, k);
		q.now += c->cost[k];
		while (next < c->n_steps && q.busy + c->read[next] <= q.now)
			begin_read(&q, &next, k);
	}
	place_reads(c);
	return q.now;
}

/* For each step, the one with which its reads begin: the last one that lets
 * them end before their step, and before the next reads begin, if no op ever
 * waits. */
static void choose_starts(struct copies *c)
{
	uint32_t f = c->forward_end, at = c->n_steps;
	uint64_t due = UINT64_MAX;

	c->start[f] = 0;
	for (uint32_t k = f; k < c->n_steps; k++)
		c->start[k + 1] = c->start[k] + c->cost[k];
	for (uint32_t k = c->n_steps; k-- > f;) {
		at = at < k ? at : k;
		if (c->read[k] > 0) {
			due = num_min(due, c->start[k]);
			while (at > f && c->start[at] + c->read[k] > due)
				at--;
			due = c->start[at];
		}
		c->begun[k] = at;
	}
}

/* A read begins at the last start of an op that in theory hides it. */
static uint64_t run_late(struct copies *c)
{
	struct queue q = {.copies = c};
	uint32_t next = c->forward_end;

	run_forward(&q);
	choose_starts(c);
	for (uint32_t k = c->forward_end; k < c->n_steps; k++) {
		for (; next < c->n_steps && c->begun[next] <= k; next++) {
			c->ready[next] = 0;
			if (c->read[next] == 0)
				continue;
			q.busy = num_max(q.busy, q.now) + c->read[next];
			c->ready[next] = q.busy;
		}
		q.now = num_max(q.now, c->ready[k]) + c->cost[k];
	}
	place_reads(c);
	return q.now;
}

const struct copy_mode mp_copy_modes[] = {
	{"sync", "every copy by itself, between two ops", run_sync},
	{"semi", "a copy beside one op, and both join", run_semi},
	{"async", "one queue beside compute, reads as early as it is idle",
		run_async},
	{"async-late",
		"one queue beside compute, reads as late as in theory "
		"hides them",
		run_late},
};

const uint32_t mp_n_copy_modes = countof(mp_copy_modes);
