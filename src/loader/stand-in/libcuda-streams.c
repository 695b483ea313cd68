/*
 * Streams, events and captures of the stand-in for libcuda.so.1.
 *
 * SPDX-License-Identifier: MIT
 */
#include "libcuda.h"

#include <stdlib.h>

enum {
	NON_BLOCKING = 1,
	DISABLE_TIMING = 2,
	GLOBAL = 0,
	RELAXED = 2,
};

/* --------------------------------------------------------- captures */

static struct queue *captured; /* one at a time */
static int mode;

/* Rule 11, but for the mode that forbids only what the capturing thread calls.
 */
int check_unsafe_call(int code)
{
	int failed = check_call();

	if (failed || !captured || mode == RELAXED)
		return failed;
	captured->is_invalid = 1;
	return code;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, int capture_mode)
{
	int code = check_call();

	if (code)
		return code;
	if (captured || !stream || capture_mode == 1)
		return INVALID_VALUE;
	captured = stream;
	captured->is_capturing = 1;
	captured->is_invalid = 0;
	mode = capture_mode;
	return OK;
}

/* What was captured is dropped: nothing here launches graphs. */
CUresult cuStreamEndCapture(CUstream stream, void **graph)
{
	struct queue *queue = stream;
	int is_invalid;

	if (!queue || queue != captured)
		return INVALID_VALUE;
	is_invalid = queue->is_invalid;
	queue->is_capturing = 0;
	queue->first = queue->n = 0;
	captured = NULL;
	*graph = is_invalid ? NULL : queue;
	return is_invalid ? CAPTURE_INVALIDATED : OK;
}

/* ---------------------------------------------------------- streams */

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
	int code = check_call();

	if (code)
		return code;
	if (flags != NON_BLOCKING)
		return INVALID_VALUE;
	*stream = new_queue(current_context(), current_context()->device);
	return *stream ? OK : OUT_OF_MEMORY;
}

/* Rule 9. */
CUresult cuStreamDestroy_v2(CUstream stream)
{
	struct queue *queue = stream;

	if (!queue || queue->is_destroyed)
		return INVALID_HANDLE;
	free_queue(queue);
	return OK;
}

CUresult cuStreamSynchronize(CUstream stream)
{
	int code = check_call();

	if (code == OK)
		run_until_empty(stream);
	return code;
}

/* ----------------------------------------------------------- events */

static int alive;

int n_events(void)
{
	return alive;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
	int code = check_call();
	struct event *made;

	if (code)
		return code;
	if (flags != DISABLE_TIMING)
		return INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	*event = made;
	if (!made)
		return OUT_OF_MEMORY;
	made->device = current_context()->device;
	alive++;
	return OK;
}

/* Rule 9. */
CUresult cuEventDestroy_v2(CUevent event)
{
	struct event *e = event;

	alive--;
	if (e->n_jobs == 0)
		free(e);
	else
		e->is_destroyed = 1;
	return OK;
}

/* Rule 4. */
CUresult cuEventRecord(CUevent event, CUstream stream)
{
	struct queue *queue = stream;
	struct event *e = event;
	int code = check_call();

	if (code)
		return code;
	if (!queue || queue->context != current_context() ||
		e->device != queue->device)
		return INVALID_HANDLE;
	e->asked++;
	return add_job(queue, (struct job){.kind = RECORD, .event = e})
		       ? OK
		       : OUT_OF_MEMORY;
}

/* Rule 10. */
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
	struct event *e = event;
	struct queue *queue = stream;
	struct job job = {.kind = WAIT, .event = e};
	int code = check_call();

	if (code)
		return code;
	if (!queue || flags != 0)
		return INVALID_VALUE;
	job.wanted = e->asked;
	return add_job(queue, job) ? OK : OUT_OF_MEMORY;
}
