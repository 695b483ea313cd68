/*
 * A stand-in for libascendcl.so, for tests where there is no NPU. Memory is the
 * host's, aligned to 64 bytes and no more, which is what the runtime promises.
 *
 * MEMPLAN_STAND_IN=out-of-memory makes allocations fail.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

enum {
	OK = 0,
	INVALID_PARAM = 107002,
	OUT_OF_MEMORY = 207001,
	INVALID_DEVICE = 107001,
	ALIGN = 64,
	FRONT = 64, /* keeps blocks off larger alignments */
};

static const char *message = "";
static int is_ready, has_device;

API int aclInit(const char *config);
API int aclFinalize(void);
API int aclrtSetDevice(int32_t ordinal);
API int aclrtResetDevice(int32_t ordinal);
API int aclrtSynchronizeDevice(void);
API int aclrtMalloc(void **address, size_t size, int policy);
API int aclrtFree(void *address);
API int aclrtMemcpy(
	void *to, size_t room, const void *from, size_t size, int kind);
API const char *aclGetRecentErrMsg(void);

static int fail(int code, const char *text)
{
	message = text;
	return code;
}

int aclInit(const char *config)
{
	is_ready = config == NULL;
	return is_ready ? OK : fail(INVALID_PARAM, "no such configuration");
}

int aclFinalize(void)
{
	is_ready = 0;
	return OK;
}

int aclrtSetDevice(int32_t ordinal)
{
	has_device = is_ready && ordinal == 0;
	return has_device ? OK : fail(INVALID_DEVICE, "invalid device id");
}

int aclrtResetDevice(int32_t ordinal)
{
	has_device = 0;
	return ordinal == 0 ? OK : fail(INVALID_DEVICE, "invalid device id");
}

int aclrtSynchronizeDevice(void)
{
	return has_device ? OK : fail(INVALID_DEVICE, "no device is set");
}

int aclrtMalloc(void **address, size_t size, int policy)
{
	const char *mood = getenv("MEMPLAN_STAND_IN");
	size_t room = (size + FRONT + 1023) & -(size_t)1024;
	char *memory;

	if (!has_device || policy != 0 || size == 0)
		return fail(INVALID_PARAM, "invalid argument");
	if (mood && strcmp(mood, "out-of-memory") == 0)
		return fail(OUT_OF_MEMORY, "alloc memory failed");
	memory = aligned_alloc(1024, room);
	*address = memory ? memory + FRONT : NULL;
	return memory ? OK : fail(OUT_OF_MEMORY, "alloc memory failed");
}

int aclrtFree(void *address)
{
	free((char *)address - FRONT);
	return OK;
}

int aclrtMemcpy(void *to, size_t room, const void *from, size_t size, int kind)
{
	if (!has_device || size > room || kind < 1 || kind > 3)
		return fail(INVALID_PARAM, "invalid argument");
	memcpy(to, from, size);
	return OK;
}

const char *aclGetRecentErrMsg(void)
{
	return message;
}
