/*
 * Do a device's kernels do what the host does? Fills ranges of many sizes and
 * beginnings on the device and compares their bytes with the host's patterns;
 * then spoils words, and compares what the device and the host find.
 *
 *	kernels-agree cuda|acl|host
 *
 * Exit status: 1, they do not agree; 6, there is no such device, or it failed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "loader/rows.h"

enum {
	DIFFERENT = 1,
	USAGE = 2,
	DEVICE_FAILED = 6,
	ROOM = 3 << 20,
	RANGES = 40,
	SPOILT = 5,
};

static unsigned char wanted[ROOM], found[ROOM];

/* Sizes from a byte to more words than a launch has threads. */
static struct memplan_range range_of(
	const struct memplan_block *block, uint32_t i)
{
	uint64_t skip = i % 9, size = 1 + 37 * (uint64_t)i;

	if (i % 8 == 7)
		size = ROOM - 64 - 5 * (uint64_t)i;
	return (struct memplan_range){block->address + skip, size};
}

static int copy(struct memplan_device *device, uint64_t to, uint64_t from,
	uint64_t size, enum memplan_direction direction)
{
	return device->row->copy(device, to, from, size, direction);
}

/* Negative: the device failed. */
static int fills_agree(struct memplan_device *device,
	const struct memplan_block *block, uint32_t i)
{
	struct memplan_range range = range_of(block, i);
	uint64_t skip = range.address - block->address;

	memset(wanted, 0xee, ROOM);
	if (copy(device, block->address, (uintptr_t)wanted, ROOM,
		    MEMPLAN_TO_DEVICE) ||
		device->row->fill(device, i, &range, i * MEMPLAN_STRIDE + 1) ||
		copy(device, (uintptr_t)found, block->address, ROOM,
			MEMPLAN_FROM_DEVICE))
		return -1;
	mp_pattern_fill(wanted + skip, range.size, i * MEMPLAN_STRIDE + 1);
	return memcmp(wanted, found, ROOM) == 0;
}

/* Of several words a device may tell any. */
static int findings_agree(struct memplan_device *device,
	const struct memplan_block *block, const struct memplan_block *slot,
	uint32_t i)
{
	struct memplan_finding host = {0, 0, 0}, other = {0, 0, 0};
	struct memplan_range range = range_of(block, i);
	uint64_t skip = range.address - block->address, word = 0, left;
	uint64_t key = i * MEMPLAN_STRIDE + 1;

	for (uint64_t k = 0; k < SPOILT; k++)
		found[skip + range.size * k / SPOILT] ^= 0x40;
	mp_pattern_compare(found + skip, range.size, key, &host);
	if (copy(device, block->address, (uintptr_t)found, ROOM,
		    MEMPLAN_TO_DEVICE) ||
		copy(device, slot->address, (uintptr_t)&other, sizeof(other),
			MEMPLAN_TO_DEVICE) ||
		device->row->compare(device, i, &range, key, slot->address) ||
		copy(device, (uintptr_t)&other, slot->address, sizeof(other),
			MEMPLAN_FROM_DEVICE))
		return -1;
	if (other.count != host.count || other.at >= range.size ||
		other.at % sizeof(word) != 0)
		return 0;
	left = range.size - other.at;
	memcpy(&word, found + skip + other.at,
		left < sizeof(word) ? (size_t)left : sizeof(word));
	return other.found == word;
}

static int run(struct memplan_device *device, const struct memplan_block *block,
	const struct memplan_block *slot)
{
	for (uint32_t i = 0; i < RANGES; i++) {
		int agree = fills_agree(device, block, i);

		if (agree == 1)
			agree = findings_agree(device, block, slot, i);
		if (agree < 0)
			return DEVICE_FAILED;
		if (!agree) {
			printf("kernels-agree: range %u differs\n", i);
			return DIFFERENT;
		}
	}
	printf("%d ranges to %d bytes filled and compared as on the host\n",
		RANGES, ROOM);
	return 0;
}

static int run_in_blocks(struct memplan_device *device)
{
	struct memplan_pool pool = {ROOM, 512}, one = {64, 64};
	struct memplan_block block, slot;
	int status = DEVICE_FAILED;

	if (memplan_block_allocate(device, &pool, &block))
		return DEVICE_FAILED;
	if (memplan_block_allocate(device, &one, &slot) == 0) {
		status = run(device, &block, &slot);
		if (memplan_block_release(device, &slot))
			status = DEVICE_FAILED;
	}
	return memplan_block_release(device, &block) ? DEVICE_FAILED : status;
}

int main(int argc, char **argv)
{
	struct memplan_device device;
	int status;

	if (argc != 2)
		return USAGE;
	if (memplan_device_open(&device, argv[1], NULL)) {
		fprintf(stderr, "kernels-agree: %s\n", device.text);
		return DEVICE_FAILED;
	}
	status = run_in_blocks(&device);
	if (status == DEVICE_FAILED)
		fprintf(stderr, "kernels-agree: %s\n", device.text);
	memplan_device_close(&device);
	return status;
}
