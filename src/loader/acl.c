/*
 * Ascend devices, through the runtime (ACL). This file declares the runtime's
 * functions itself, so that no toolkit is needed to build it.
 *
 * There are no kernels: patterns are made and compared on the host, and copied.
 *
 * The runtime aligns allocations to 64 bytes only, so this file makes larger
 * alignments. The runtime's rule for cutting up a block is that a piece of n
 * bytes takes the next multiple of 32, and 32 more; the block keeps that room
 * behind its last piece.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>

#include "loader/rows.h"

enum {
	BASE_ALIGN = 64,
	PIECE_ALIGN = 32,
	PIECE_TAIL = 32,
	HUGE_FIRST = 0,	     /* ACL_MEM_MALLOC_HUGE_FIRST */
	TO_DEVICE = 1,	     /* ACL_MEMCPY_HOST_TO_DEVICE */
	FROM_DEVICE = 2,     /* ACL_MEMCPY_DEVICE_TO_HOST */
	ON_DEVICE = 3,	     /* ACL_MEMCPY_DEVICE_TO_DEVICE */
	INIT_AGAIN = 100002, /* ACL_ERROR_REPEAT_INITIALIZE */
	STAGE = 4
		<< 20, /* bytes of the staging buffer between host and device */
};

struct acl {
	int (*init)(const char *config);
	int (*finalize)(void);
	int (*finalize_reference)(uint64_t *left); /* NULL in older ones */
	int (*get_device)(int32_t *ordinal);
	int (*set_device)(int32_t ordinal);
	int (*reset_device)(int32_t ordinal);
	int (*synchronize)(void);
	int (*malloc)(void **address, size_t size, int policy);
	int (*free)(void *address);
	int (*memcpy)(
		void *to, size_t room, const void *from, size_t size, int kind);
	const char *(*message)(void);
	void *library, *stage;
	int32_t ordinal, before; /* the program's own device, or -1 */
	int is_ours, has_device; /* what close_acl() has to undo */
};

static int has_failed(struct memplan_device *device, const char *call, int code)
{
	const struct acl *acl = device->state;

	return code != 0 && mp_device_fail(device, call, code, acl->message());
}

static int load_symbols(struct memplan_device *device, struct acl *acl)
{
	const struct mp_symbol symbols[] = {
		{"aclInit", &acl->init, 0},
		{"aclFinalize", &acl->finalize, 0},
		{"aclFinalizeReference", &acl->finalize_reference, 1},
		{"aclrtGetDevice", &acl->get_device, 0},
		{"aclrtSetDevice", &acl->set_device, 0},
		{"aclrtResetDevice", &acl->reset_device, 0},
		{"aclrtSynchronizeDevice", &acl->synchronize, 0},
		{"aclrtMalloc", &acl->malloc, 0},
		{"aclrtFree", &acl->free, 0},
		{"aclrtMemcpy", &acl->memcpy, 0},
		{"aclGetRecentErrMsg", &acl->message, 0},
	};

	return mp_library_open(device, "libascendcl.so", symbols,
		sizeof(symbols) / sizeof(symbols[0]), &acl->library);
}

/* The program may have initialised the runtime and set a device before. If it
 * has not, the call returns an error. */
static int start_runtime(struct memplan_device *device, struct acl *acl)
{
	int code = acl->init(NULL);

	acl->is_ours = code == 0;
	if (code != INIT_AGAIN && has_failed(device, "aclInit", code))
		return 1;
	if (acl->get_device(&acl->before) != 0)
		acl->before = -1;
	if (acl->before == acl->ordinal)
		return 0;
	if (has_failed(device, "aclrtSetDevice", acl->set_device(acl->ordinal)))
		return 1;
	acl->has_device = 1;
	return 0;
}

/* Newer runtimes count how often they were initialised, and tell every caller
 * that it was the first. In these aclFinalize() would end the runtime for the
 * program too. */
static void finalize_runtime(const struct acl *acl)
{
	if (acl->finalize_reference)
		acl->finalize_reference(NULL);
	else
		acl->finalize();
}

static int open_acl(struct memplan_device *device,
	const struct memplan_device_options *options)
{
	struct acl *acl = calloc(1, sizeof(*acl));

	if (!acl)
		return mp_device_fail(device, "calloc", 0, "out of memory");
	device->state = acl;
	acl->ordinal = options->ordinal;
	acl->stage = malloc(STAGE);
	if (!acl->stage)
		return mp_device_fail(device, "malloc", 0, "out of memory");
	return load_symbols(device, acl) || start_runtime(device, acl);
}

static void close_acl(struct memplan_device *device)
{
	struct acl *acl = device->state;

	if (!acl)
		return;
	if (acl->has_device)
		acl->reset_device(acl->ordinal);
	if (acl->has_device && acl->before >= 0)
		acl->set_device(acl->before);
	if (acl->is_ours)
		finalize_runtime(acl);
	mp_library_close(acl->library);
	free(acl->stage);
	free(acl);
}

static int allocate_acl(
	struct memplan_device *device, uint64_t size, uint64_t *address)
{
	const struct acl *acl = device->state;
	uint64_t room = ((size + PIECE_ALIGN - 1) & -(uint64_t)PIECE_ALIGN) +
			PIECE_TAIL;
	void *memory = NULL;

	if (room < size)
		return mp_device_fail(
			device, "allocate", -1, "more than 2^64 bytes");
	if (has_failed(device, "aclrtMalloc",
		    acl->malloc(&memory, (size_t)room, HUGE_FIRST)))
		return 1;
	*address = (uintptr_t)memory;
	return 0;
}

static int release_acl(struct memplan_device *device, uint64_t address)
{
	const struct acl *acl = device->state;

	return has_failed(
		device, "aclrtFree", acl->free(mp_device_pointer(address)));
}

static int copy_now(struct memplan_device *device, uint64_t to, uint64_t from,
	uint64_t size, enum memplan_direction direction)
{
	static const int kinds[] = {
		[MEMPLAN_TO_DEVICE] = TO_DEVICE,
		[MEMPLAN_FROM_DEVICE] = FROM_DEVICE,
		[MEMPLAN_ON_DEVICE] = ON_DEVICE,
	};
	const struct acl *acl = device->state;

	assert((size_t)direction < sizeof(kinds) / sizeof(kinds[0]));
	return size > 0 &&
	       has_failed(device, "aclrtMemcpy",
		       acl->memcpy(mp_device_pointer(to), (size_t)size,
			       mp_device_pointer(from), (size_t)size,
			       kinds[direction]));
}

static int finish_acl(struct memplan_device *device)
{
	const struct acl *acl = device->state;

	return has_failed(device, "aclrtSynchronizeDevice", acl->synchronize());
}

/* The runtime copies at once, whatever work its streams still have. */
static int copy_acl(struct memplan_device *device, uint64_t to, uint64_t from,
	uint64_t size, enum memplan_direction direction)
{
	return finish_acl(device) ||
	       copy_now(device, to, from, size, direction);
}

static uint64_t key_at(uint64_t key, uint64_t at)
{
	return key + at / 8 * MEMPLAN_STRIDE;
}

static uint64_t stage_size(const struct memplan_range *range, uint64_t at)
{
	assert(at < range->size);
	return range->size - at < STAGE ? range->size - at : STAGE;
}

static int fill_acl(struct memplan_device *device, uint32_t stream,
	const struct memplan_range *range, uint64_t key)
{
	const struct acl *acl = device->state;
	uint64_t size;

	(void)stream;
	for (uint64_t at = 0; at < range->size; at += size) {
		size = stage_size(range, at);
		mp_pattern_fill(acl->stage, size, key_at(key, at));
		if (copy_now(device, range->address + at, (uintptr_t)acl->stage,
			    size, MEMPLAN_TO_DEVICE))
			return 1;
	}
	return 0;
}

/* Compares one staging buffer after the other. Only the first that differs has
 * a place in the range. */
static int compare_staged(struct memplan_device *device,
	const struct memplan_range *range, uint64_t key,
	struct memplan_finding *finding)
{
	const struct acl *acl = device->state;
	uint64_t size, before;

	for (uint64_t at = 0; at < range->size; at += size) {
		size = stage_size(range, at);
		before = finding->count;
		if (copy_now(device, (uintptr_t)acl->stage, range->address + at,
			    size, MEMPLAN_FROM_DEVICE))
			return 1;
		mp_pattern_compare(acl->stage, size, key_at(key, at), finding);
		if (before == 0 && finding->count > 0)
			finding->at += at;
	}
	return 0;
}

static int compare_acl(struct memplan_device *device, uint32_t stream,
	const struct memplan_range *range, uint64_t key, uint64_t address)
{
	struct memplan_finding finding = {0, 0, 0};

	(void)stream;
	if (compare_staged(device, range, key, &finding))
		return 1;
	return finding.count > 0 &&
	       copy_now(device, address, (uintptr_t)&finding, sizeof(finding),
		       MEMPLAN_TO_DEVICE);
}

const struct memplan_device_row mp_device_acl = {
	"acl",
	"an Ascend NPU, by libascendcl.so",
	BASE_ALIGN,
	open_acl,
	close_acl,
	allocate_acl,
	release_acl,
	copy_acl,
	fill_acl,
	compare_acl,
	mp_device_no_event,
	mp_device_no_event,
	finish_acl,
};
