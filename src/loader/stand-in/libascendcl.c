/*
 * A stand-in for libascendcl.so, for tests where there is no NPU: two of them.
 * Memory is the host's. Each rule that it enforces is a line here; the numbers
 * stand where it is enforced. Pages are those of the CANN documentation, with
 * the end of their address.
 *
 *  1 aclInit comes first. Newer runtimes count how often it was called, and
 *    aclFinalizeReference takes one back (8.5 and 9.1, 03_1974). Older ones, as
 *    built with OLD_RUNTIME, have no such function, answer a second aclInit
 *    with 100002, and cannot be initialised again after aclFinalize.
 *  2 aclFinalize ends the runtime for every user of the process (8.5, 03_1974).
 *  3 aclrtSetDevice makes the device's default context current in the thread;
 *    threads share it (9.1, 03_0038).
 *  4 aclrtSetDevice counts, aclrtResetDevice takes one back; at 0 what is on
 *    the device ends, and its contexts cannot be made current (8.0, 03_0040 and
 *    03_0061). With OLD_RUNTIME the first reset ends it: the pages of older
 *    versions speak of no count.
 *  5 Calls act on the context of the calling thread; there may be none (8.0,
 *    03_0061 and 03_0062).
 *  6 aclrtMalloc aligns to 64 bytes and takes no size 0 (8.0 and 9.1, its
 *    page).
 *  7 aclrtFree releases at once and waits for nothing (8.0, 03_0100).
 *  8 aclrtMemcpy is done when it returns, and waits for no stream (8.0 and 9.1,
 *    its page).
 *  9 aclrtSynchronizeDevice waits for the streams of the current context (9.0,
 *    runtime_doc_dev_0014).
 *
 * MEMPLAN_STAND_IN=out-of-memory=N lets the N-th allocation fail, with an error
 * text of several lines, as long as the runtime's own can be; no-leaks forbids
 * that memory is left when a device is reset. The other moods are those of
 * queues.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "live-blocks.h"
#include "moods.h"
#include "queues.h"

enum {
	OK = 0,
	REPEAT_INITIALIZE = 100002,
	UNINITIALIZE = 100001,
	INVALID_DEVICE = 107001,
	INVALID_PARAM = 107002,
	NO_CONTEXT = 107002,
	INTERNAL_ERROR = 500000,
	OUT_OF_MEMORY = 207001,
	DEVICE_FAULT = 507015,
	ALIGN = 1024,
	SKEW = 64, /* keeps blocks off larger alignments */
	MOST_CONTEXTS = 16,
};

#define LONG_TEXT                                                              \
	"EL0004: Failed to allocate memory. Possible Cause: the device has "   \
	"less of it left than the process has asked for, or other processes "  \
	"use it. Solution: free what is not used, or close applications "      \
	"that are not needed.\n        TraceBack (most recent call last):\n"

struct context {
	int device, is_alive;
};

static const char *message = "";
static int n_users, has_ended;
static int n_set[DEVICES]; /* how often each device was set */

/* Those of the devices come first. */
static struct context contexts[MOST_CONTEXTS];
static _Thread_local struct context *current;

static int fail(int code, const char *text)
{
	message = text;
	return code;
}

/* Rules 1 and 5. */
static int check_call(void)
{
	if (n_users == 0)
		return fail(UNINITIALIZE, "the runtime is not initialised");
	if (!current || !current->is_alive)
		return fail(NO_CONTEXT, "the thread has no context");
	run_some();
	return has_fault(current->device)
		       ? fail(DEVICE_FAULT, "a task touched bytes that are "
					    "not there")
		       : OK;
}

const char *aclGetRecentErrMsg(void)
{
	return message;
}

/* ---------------------------------------------------------- runtime */

/* Rule 1. */
int aclInit(const char *config)
{
	if (config)
		return fail(INVALID_PARAM, "no such configuration");
#ifdef OLD_RUNTIME
	if (has_ended)
		return fail(INTERNAL_ERROR, "the runtime was finalised");
	if (n_users > 0)
		return fail(REPEAT_INITIALIZE, "repeated initialisation");
#endif
	n_users++;
	return OK;
}

static void end_device(int device)
{
	n_set[device] = 0;
	for (int i = 0; i < MOST_CONTEXTS; i++)
		if (contexts[i].is_alive && contexts[i].device == device) {
			drop_all(&contexts[i]);
			contexts[i].is_alive = 0;
		}
	give_blocks(device);
}

/* Rule 2. */
int aclFinalize(void)
{
	n_users = 0;
	has_ended = 1;
	for (int i = 0; i < DEVICES; i++)
		end_device(i);
	return OK;
}

#ifndef OLD_RUNTIME
int aclFinalizeReference(uint64_t *left)
{
	if (n_users == 0)
		return fail(UNINITIALIZE, "the runtime is not initialised");
	n_users--;
	if (left)
		*left = (uint64_t)n_users;
	return OK;
}
#endif

/* ---------------------------------------------------------- devices */

/* Rules 3 and 4. */
int aclrtSetDevice(int32_t ordinal)
{
	if (n_users == 0)
		return fail(UNINITIALIZE, "the runtime is not initialised");
	if (ordinal < 0 || ordinal >= DEVICES)
		return fail(INVALID_DEVICE, "invalid device id");
	n_set[ordinal]++;
	contexts[ordinal] = (struct context){ordinal, 1};
	current = &contexts[ordinal];
	return OK;
}

int aclrtGetDevice(int32_t *ordinal)
{
	if (!current || !current->is_alive)
		return fail(NO_CONTEXT, "the thread has no context");
	*ordinal = current->device;
	return OK;
}

int aclrtResetDevice(int32_t ordinal)
{
	if (ordinal < 0 || ordinal >= DEVICES || n_set[ordinal] == 0)
		return fail(INVALID_DEVICE, "invalid device id");
#ifdef OLD_RUNTIME
	n_set[ordinal] = 1;
#endif
	if (--n_set[ordinal] > 0)
		return OK;
	if (has_mood("no-leaks") && has_blocks(ordinal))
		broken("a device is reset, and memory of it was left");
	run_all(&contexts[ordinal]);
	end_device(ordinal);
	return OK;
}

/* Rule 9. */
int aclrtSynchronizeDevice(void)
{
	int code = check_call();

	if (code)
		return code;
	run_all(current);
	return check_call();
}

/* --------------------------------------------------------- contexts */

int aclrtCreateContext(void **context, int32_t ordinal)
{
	if (ordinal < 0 || ordinal >= DEVICES)
		return fail(INVALID_DEVICE, "invalid device id");
	for (int i = DEVICES; i < MOST_CONTEXTS; i++) {
		if (contexts[i].is_alive)
			continue;
		contexts[i] = (struct context){ordinal, 1};
		current = &contexts[i];
		*context = current;
		return OK;
	}
	return fail(OUT_OF_MEMORY, "too many contexts");
}

int aclrtDestroyContext(void *context)
{
	struct context *c = context;

	drop_all(c);
	c->is_alive = 0;
	return OK;
}

int aclrtGetCurrentContext(void **context)
{
	if (!current || !current->is_alive)
		return fail(NO_CONTEXT, "the thread has no context");
	*context = current;
	return OK;
}

/* Rule 4. */
int aclrtSetCurrentContext(void *context)
{
	struct context *c = context;

	if (!c)
		return fail(INVALID_PARAM, "no context");
	if (!c->is_alive)
		return fail(INVALID_PARAM, "the context's device was reset");
	current = c;
	return OK;
}

/* ----------------------------------------------------------- memory */

/* Rule 6. */
int aclrtMalloc(void **address, size_t size, int policy)
{
	static struct calls calls;
	int code = check_call();

	if (code)
		return code;
	if (policy != 0 || size == 0)
		return fail(INVALID_PARAM, "invalid argument");
	if (is_the_call("out-of-memory", &calls))
		return fail(OUT_OF_MEMORY, LONG_TEXT);
	*address = take_block(current->device, size, ALIGN, SKEW, 1);
	return *address ? OK : fail(OUT_OF_MEMORY, "alloc memory failed");
}

/* Rule 7. */
int aclrtFree(void *address)
{
	int code = check_call();

	if (code)
		return code;
	return give_block(address) ? OK : fail(INVALID_PARAM, "no such memory");
}

static int check_copy(
	const void *to, size_t room, const void *from, size_t size, int kind)
{
	int code = check_call(), device;

	if (code)
		return code;
	device = current->device;
	if (size > room || size == 0 || kind < 1 || kind > 3 ||
		is_usable(to, size, device) != (kind != 2) ||
		is_usable(from, size, device) != (kind != 1))
		return fail(INVALID_PARAM, "invalid argument");
	return OK;
}

/* Rule 8. */
int aclrtMemcpy(void *to, size_t room, const void *from, size_t size, int kind)
{
	int code = check_copy(to, room, from, size, kind);

	if (code == OK)
		memmove(to, from, size);
	return code;
}

/* ---------------------------------------------------------- streams */

/* For programs beside memplan, which has no streams here. */

int aclrtCreateStream(void **stream)
{
	int code = check_call();

	if (code)
		return code;
	*stream = new_queue(current, current->device);
	return *stream ? OK : fail(OUT_OF_MEMORY, "too many streams");
}

int aclrtDestroyStream(void *stream)
{
	free_queue(stream);
	return OK;
}

/* Between two places of a device. */
int aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t size,
	int kind, void *stream)
{
	struct job job = {.kind = COPY, .to = to, .size = size};
	int code = check_copy(to, room, from, size, kind);

	if (code)
		return code;
	if (kind != 3)
		return fail(INVALID_PARAM, "invalid argument");
	memcpy(&job.from, &from, sizeof(from));
	return add_job(stream, job) ? OK : fail(OUT_OF_MEMORY, "no memory");
}
