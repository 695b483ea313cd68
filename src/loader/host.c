/*
 * The host as a device.
 *
 * SPDX-License-Identifier: MIT
 */
#define _DEFAULT_SOURCE
#include "memplan/host.h"

#include <errno.h>
#include <string.h>

#include "loader/rows.h"

enum {
	BASE_ALIGN = 64,
	HUGE_PAGE = 2 << 20,
};

static const char
	huge_pages; /* its address is the state that asks for huge pages */

static int open_host(struct memplan_device *device,
	const struct memplan_device_options *options)
{
	if (options->ordinal != 0)
		return mp_device_fail(device, "open", EINVAL,
			"there is one host only, number 0");
	device->state =
		options->huge_pages ? (void *)(uintptr_t)&huge_pages : NULL;
	return 0;
}

static void close_host(struct memplan_device *device)
{
	(void)device;
}

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>

/* Touches the memory: malloc promises memory that the machine may not have, and
 * the kernel would later kill the program that writes to it. */
static int is_too_large(uint64_t size)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 && size / (uint64_t)page > (uint64_t)pages;
}

static int advise_kernel(
	struct memplan_device *device, void *block, uint64_t size)
{
	if (size < HUGE_PAGE ||
		madvise(block, (size_t)size & -HUGE_PAGE, MADV_HUGEPAGE) == 0)
		return 0;
	return mp_device_fail(device, "madvise", errno, strerror(errno));
}
#else
static int is_too_large(uint64_t size)
{
	return size > SIZE_MAX;
}

static int advise_kernel(
	struct memplan_device *device, void *block, uint64_t size)
{
	(void)block;
	(void)size;
	return mp_device_fail(
		device, "huge pages", ENOSYS, "unknown on this system");
}
#endif

static int allocate_host(
	struct memplan_device *device, uint64_t size, uint64_t *address)
{
	struct memplan_pool pool = {
		size, device->state ? HUGE_PAGE : BASE_ALIGN};
	void *block = NULL;

	if (!is_too_large(size))
		block = memplan_host_allocate(&pool);
	if (!block)
		return mp_device_fail(
			device, "malloc", ENOMEM, strerror(ENOMEM));
	*address = (uintptr_t)block;
	if (!device->state || advise_kernel(device, block, size) == 0)
		return 0;
	memplan_host_free(block);
	return 1;
}

static int release_host(struct memplan_device *device, uint64_t address)
{
	(void)device;
	memplan_host_free(mp_device_pointer(address));
	return 0;
}

static int copy_host(struct memplan_device *device, uint64_t to, uint64_t from,
	uint64_t size, enum memplan_direction direction)
{
	(void)device;
	(void)direction;
	memcpy(mp_device_pointer(to), mp_device_pointer(from), (size_t)size);
	return 0;
}

static int fill_host(struct memplan_device *device, uint32_t stream,
	const struct memplan_range *range, uint64_t key)
{
	(void)device;
	(void)stream;
	mp_pattern_fill(mp_device_pointer(range->address), range->size, key);
	return 0;
}

static int compare_host(struct memplan_device *device, uint32_t stream,
	const struct memplan_range *range, uint64_t key, uint64_t finding)
{
	(void)device;
	(void)stream;
	mp_pattern_compare(mp_device_pointer(range->address), range->size, key,
		mp_device_pointer(finding));
	return 0;
}

static int finish_host(struct memplan_device *device)
{
	(void)device;
	return 0;
}

const struct memplan_device_row mp_device_host = {
	"host",
	"memory of this machine",
	BASE_ALIGN,
	open_host,
	close_host,
	allocate_host,
	release_host,
	copy_host,
	fill_host,
	compare_host,
	mp_device_no_event,
	mp_device_no_event,
	finish_host,
};
