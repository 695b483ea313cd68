/*
 * Ascend devices, through the runtime (ACL). No toolkit is needed to build it:
 * an aclError and an enum are ints, a context is a pointer.
 *
 * The runtime acts on the context of the calling thread, and a program may
 * change it at any time. So every function of the row sets the device's
 * context, and then the one that was there before. A thread that had none keeps
 * the device's: the runtime has no way to take a context away.
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

typedef int aclrtMemMallocPolicy, aclrtMemcpyKind;

enum {
#define FUNCTION(field, name, need, type, parameters)
#define NUMBER(name, value) name = value,
#include "loader/acl-runtime.def"
#undef FUNCTION
#undef NUMBER
	BASE_ALIGN = 64,
	PIECE_ALIGN = 32,
	PIECE_TAIL = 32,
	STAGE = 4
		<< 20, /* bytes of the staging buffer between host and device */
};

struct acl {
#define FUNCTION(field, name, need, type, parameters) type(*field) parameters;
#define NUMBER(name, value)
#include "loader/acl-runtime.def"
#undef FUNCTION
#undef NUMBER
	void *library, *stage;
	int32_t ordinal;
	void *context;		 /* the device's, once it is open */
	void *before;		 /* the thread's, between enter() and leave() */
	int is_user, has_device; /* what close_acl() has to undo */
};

static int has_failed(struct memplan_device *device, const char *call, int code)
{
	const struct acl *acl = device->state;

	return code != 0 && mp_device_fail(device, call, code, acl->message());
}

/* ---------------------------------------------------------- context */

/* NULL: the thread has none. */
static void *current_context(const struct acl *acl)
{
	void *context = NULL;

	return acl->get_context(&context) == 0 ? context : NULL;
}

static int set_context(struct memplan_device *device, void *context)
{
	const struct acl *acl = device->state;

	return has_failed(
		device, "aclrtSetCurrentContext", acl->set_context(context));
}

static int enter(struct memplan_device *device)
{
	struct acl *acl = device->state;

	acl->before = current_context(acl);
	return acl->before != acl->context && set_context(device, acl->context);
}

/* Of two failures the text of the first is kept. */
static int leave(struct memplan_device *device, int failed)
{
	struct memplan_device first = *device;
	const struct acl *acl = device->state;

	if (!acl->before || acl->before == acl->context)
		return failed;
	if (set_context(device, acl->before) && !failed)
		return 1;
	if (failed)
		*device = first;
	return failed;
}

/* ---------------------------------------------------------- opening */

enum need {
	NEEDED,
	OPTIONAL,
};

static int load_symbols(struct memplan_device *device, struct acl *acl)
{
	const struct mp_symbol symbols[] = {
#define FUNCTION(field, name, need, type, parameters)                          \
	{#name, NULL, &acl->field, need == OPTIONAL},
#define NUMBER(name, value)
#include "loader/acl-runtime.def"
#undef FUNCTION
#undef NUMBER
	};

	return mp_library_open(device, "libascendcl.so", symbols,
		sizeof(symbols) / sizeof(symbols[0]), &acl->library);
}

/* A runtime that counts its users tells each that it was the first. One that
 * does not count says so to those that come later. */
static int start_runtime(struct memplan_device *device, struct acl *acl)
{
	int code = acl->init(NULL);

	acl->is_user = code == 0 && acl->finalize_reference;
	return code != ACL_ERROR_REPEAT_INITIALIZE &&
	       has_failed(device, "aclInit", code);
}

/* The device's default context serves, whichever the thread has. */
static int take_device(struct memplan_device *device, struct acl *acl)
{
	if (has_failed(device, "aclrtSetDevice", acl->set_device(acl->ordinal)))
		return 1;
	acl->has_device = 1;
	return 0;
}

static int find_context(struct memplan_device *device, struct acl *acl)
{
	return has_failed(device, "aclrtGetCurrentContext",
		acl->get_context(&acl->context));
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
	if (load_symbols(device, acl) || start_runtime(device, acl))
		return 1;
	acl->before = current_context(acl);
	return leave(
		device, take_device(device, acl) || find_context(device, acl));
}

/* A runtime that counts is told that this user has gone. In one that does not,
 * a reset would take the device from the program and from other openings, and
 * after an end there is no beginning: so both are left to the program. */
static void close_acl(struct memplan_device *device)
{
	struct acl *acl = device->state;

	if (!acl)
		return;
	if (acl->has_device && acl->finalize_reference) {
		enter(device);
		acl->reset_device(acl->ordinal);
		leave(device, 0);
	}
	if (acl->is_user) {
		assert(acl->finalize_reference);
		acl->finalize_reference(NULL);
	}
	mp_library_close(acl->library);
	free(acl->stage);
	free(acl);
}

/* ----------------------------------------------------------- memory */

/* From here on, functions run between enter() and leave(). */

static int allocate_now(
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
		    acl->allocate(
			    &memory, (size_t)room, ACL_MEM_MALLOC_HUGE_FIRST)))
		return 1;
	*address = (uintptr_t)memory;
	return 0;
}

static int release_now(struct memplan_device *device, uint64_t address)
{
	const struct acl *acl = device->state;

	return has_failed(
		device, "aclrtFree", acl->release(mp_device_pointer(address)));
}

static int copy_now(struct memplan_device *device, uint64_t to, uint64_t from,
	uint64_t size, enum memplan_direction direction)
{
	static const int kinds[] = {
		[MEMPLAN_TO_DEVICE] = ACL_MEMCPY_HOST_TO_DEVICE,
		[MEMPLAN_FROM_DEVICE] = ACL_MEMCPY_DEVICE_TO_HOST,
		[MEMPLAN_ON_DEVICE] = ACL_MEMCPY_DEVICE_TO_DEVICE,
	};
	const struct acl *acl = device->state;

	assert((size_t)direction < sizeof(kinds) / sizeof(kinds[0]));
	return size > 0 &&
	       has_failed(device, "aclrtMemcpy",
		       acl->copy(mp_device_pointer(to), (size_t)size,
			       mp_device_pointer(from), (size_t)size,
			       kinds[direction]));
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

static int fill_now(struct memplan_device *device,
	const struct memplan_range *range, uint64_t key)
{
	const struct acl *acl = device->state;
	uint64_t size;

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

static int compare_now(struct memplan_device *device,
	const struct memplan_range *range, uint64_t key, uint64_t address)
{
	struct memplan_finding finding = {0, 0, 0};

	if (compare_staged(device, range, key, &finding))
		return 1;
	return finding.count > 0 &&
	       copy_now(device, address, (uintptr_t)&finding, sizeof(finding),
		       MEMPLAN_TO_DEVICE);
}

/* -------------------------------------------------------------- row */

static int synchronize(struct memplan_device *device)
{
	const struct acl *acl = device->state;

	return has_failed(device, "aclrtSynchronizeDevice", acl->synchronize());
}

/* The runtime's guide says that this waits for the streams of the current
 * context only, so it waits in the program's context and in the device's. */
static int finish_acl(struct memplan_device *device)
{
	const struct acl *acl = device->state;
	void *before = current_context(acl);

	if (before && before != acl->context && synchronize(device))
		return 1;
	return enter(device) || leave(device, synchronize(device));
}

static int allocate_acl(
	struct memplan_device *device, uint64_t size, uint64_t *address)
{
	return enter(device) ||
	       leave(device, allocate_now(device, size, address));
}

static int release_acl(struct memplan_device *device, uint64_t address)
{
	return enter(device) || leave(device, release_now(device, address));
}

/* The runtime copies at once, whatever work its streams still have. */
static int copy_acl(struct memplan_device *device, uint64_t to, uint64_t from,
	uint64_t size, enum memplan_direction direction)
{
	return finish_acl(device) || enter(device) ||
	       leave(device, copy_now(device, to, from, size, direction));
}

static int fill_acl(struct memplan_device *device, uint32_t stream,
	const struct memplan_range *range, uint64_t key)
{
	(void)stream;
	return enter(device) || leave(device, fill_now(device, range, key));
}

static int compare_acl(struct memplan_device *device, uint32_t stream,
	const struct memplan_range *range, uint64_t key, uint64_t finding)
{
	(void)stream;
	return enter(device) ||
	       leave(device, compare_now(device, range, key, finding));
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
