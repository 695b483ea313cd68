/*
 * The host as a device.
 *
 * SPDX-License-Identifier: MIT
 */
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

static int advise_system(
	struct memplan_device *device, void *block, uint64_t size)
{
	int code = size < HUGE_PAGE
			   ? 0
			   : mp_device_huge_pages(
				     block, size & ~(uint64_t)(HUGE_PAGE - 1));

	if (code == 0)
		return 0;
	return mp_device_fail(device, "huge pages", code, strerror(code));
}

static int allocate_host(
	struct memplan_device *device, uint64_t size, uint64_t *address)
{
	struct memplan_pool pool = {
		size, device->state ? HUGE_PAGE : BASE_ALIGN};
	void *block = NULL;

	if (mp_device_has_memory(size))
		block = memplan_host_allocate(&pool);
	if (!block)
		return mp_device_fail(
			device, "malloc", ENOMEM, strerror(ENOMEM));
	*address = (uintptr_t)block;
	if (!device->state || advise_system(device, block, size) == 0)
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
