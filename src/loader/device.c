/*
 * The table of devices. Blocks get the alignment that a pool requires, even if
 * the device promises less.
 *
 * SPDX-License-Identifier: MIT
 */
#include "loader/rows.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct memplan_device_row *const rows[] = {
	&mp_device_host,
	&mp_device_cuda,
	&mp_device_acl,
};

const struct memplan_device_row *memplan_device_row_at(uint32_t i)
{
	return i < sizeof(rows) / sizeof(rows[0]) ? rows[i] : NULL;
}

int memplan_device_open(struct memplan_device *device, const char *name,
	const struct memplan_device_options *options)
{
	static const struct memplan_device_options none = {0, 0, 0};
	const struct memplan_device_row *row;

	assert(name);
	memset(device, 0, sizeof(*device));
	for (uint32_t i = 0; (row = memplan_device_row_at(i)); i++) {
		if (strcmp(row->name, name) != 0)
			continue;
		device->row = row;
		if (row->open(device, options ? options : &none) == 0)
			return 0;
		memplan_device_close(device);
		return 1;
	}
	device->code = MEMPLAN_DEVICE_UNKNOWN;
	snprintf(device->text, sizeof(device->text),
		"there is no device called '%.80s'", name);
	return 1;
}

void memplan_device_close(struct memplan_device *device)
{
	if (device->row)
		device->row->close(device);
	device->row = NULL;
	device->state = NULL;
}

/* Waits for the device's own work, and checks that the device kept its promise
 * of alignment. */
static int check_memory(struct memplan_device *device, uint64_t memory)
{
	if (device->row->finish(device))
		return 1;
	if ((memory & (device->row->base_align - 1)) == 0)
		return 0;
	return mp_device_fail(device, "allocate", -1,
		"the memory is not aligned as the device promises");
}

int memplan_block_allocate(struct memplan_device *device,
	const struct memplan_pool *pool, struct memplan_block *block)
{
	uint64_t spare = 0;

	assert(device->row);
	assert(pool->align > 0 && (pool->align & (pool->align - 1)) == 0);
	if (pool->align > device->row->base_align)
		spare = pool->align - device->row->base_align;
	if (pool->size > UINT64_MAX - spare)
		return mp_device_fail(
			device, "allocate", -1, "more than 2^64 bytes");
	if (device->row->allocate(device, pool->size + spare, &block->memory))
		return 1;
	if (check_memory(device, block->memory)) {
		device->row->release(device, block->memory);
		return 1;
	}
	block->size = pool->size;
	block->address = block->memory;
	if (spare > 0)
		block->address =
			(block->memory + pool->align - 1) & ~(pool->align - 1);
	return 0;
}

/* Of two failures the first is kept. After a kernel that failed, waiting fails
 * too, and the bytes are returned all the same. */
int memplan_block_release(
	struct memplan_device *device, const struct memplan_block *block)
{
	int failed = device->row->finish(device);
	struct memplan_device first = *device;

	if (device->row->release(device, block->memory) && !failed)
		return 1;
	if (failed)
		*device = first;
	return failed;
}
