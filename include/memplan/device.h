/*
 * Devices that hold a plan's block: the host, CUDA and Ascend (ACL). The
 * libraries of the last two are loaded at run time, so that one binary serves
 * machines with and without them.
 *
 *	struct memplan_device device;
 *	struct memplan_block block;
 *
 *	if (memplan_device_open(&device, "cuda", NULL) ||
 *		memplan_block_allocate(&device, &net_pools[0], &block))
 *		complain(device.text);
 *
 * A device is used by one thread at a time, any. Each function makes the device
 * current in the calling thread, and then what was current there before: on
 * CUDA the GPU's primary context, on Ascend the device's default context. (A
 * thread without a context on Ascend has that one afterwards.) So devices may
 * stand beside each other and beside a program that changes its own. All
 * functions that can fail return 0 on success; otherwise the device has the
 * code and the text of its own library.
 *
 * While a CUDA stream is captured into a graph, only the generated addresses
 * may be used: opening, closing, allocating, releasing, copying and finishing
 * are calls that a capture forbids. Do them before and after. A plan's block
 * suits graphs: its addresses never change.
 *
 * On Ascend, waiting is for the streams of the device's default context and of
 * the calling thread's current one. If a program uses the block in streams of
 * further contexts, it waits for these itself.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MEMPLAN_DEVICE_H
#define MEMPLAN_DEVICE_H

#include "memplan/loader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tests fill memory with patterns: the 64-bit word i of a range is
 * key + i * MEMPLAN_STRIDE, modulo 2^64, in the device's byte order. A range
 * may begin at any byte and end within a word. */
#define MEMPLAN_STRIDE 0x9e3779b97f4a7c15ull

enum {
	MEMPLAN_DEVICE_TEXT = 256,
	MEMPLAN_DEVICE_UNKNOWN =
		-1, /* code: no row of the table has that name */
	MEMPLAN_DEVICE_ABSENT = -2, /* code: its library cannot be loaded */
};

enum memplan_direction {
	MEMPLAN_TO_DEVICE,
	MEMPLAN_FROM_DEVICE,
	MEMPLAN_ON_DEVICE,
};

struct memplan_device_options {
	int ordinal;	    /* which of several devices, from 0 */
	int huge_pages;	    /* host: ask the system for them */
	int stream_ordered; /* cuda: allocate in stream order */
};

/* A range of the device's memory; both are bytes. */
struct memplan_range {
	uint64_t address, size;
};

/* What a comparison found: all zero before it, and all zero after it if the
 * bytes are equal. It lies in memory of the device. */
struct memplan_finding {
	uint64_t count; /* words that differ */
	uint64_t at; /* bytes from the range's begin to such a word: on the host
			the first one */
	uint64_t found; /* that word; beyond the range's end its bytes are 0 */
};

struct memplan_device {
	const struct memplan_device_row *row;
	void *state;			/* data of the row */
	long code;			/* of the last failure */
	char text[MEMPLAN_DEVICE_TEXT]; /* what failed and why */
};

/* A row of the table of devices. Functions on streams may return before the
 * work is done; work of one stream is done in order; any number names a stream.
 * Copies wait for all streams, also those of the program on that device, and
 * are done when they return. Memory may be used in any stream of the device
 * after it was allocated. All work on it has been waited for before it is
 * released. Addresses are those of the device. */
struct memplan_device_row {
	const char *name, *summary;
	uint64_t base_align; /* bytes: alignment of every allocation */
	/* Sets the state. After a failure there is none. */
	int (*open)(struct memplan_device *device,
		const struct memplan_device_options *options);
	/* Frees the state. */
	void (*close)(struct memplan_device *device);
	/* Size is in bytes. The address has the base alignment. */
	int (*allocate)(struct memplan_device *device, uint64_t size,
		uint64_t *address);
	/* Takes an address that allocate() gave. */
	int (*release)(struct memplan_device *device, uint64_t address);
	/* Copies size bytes. The host's end of a copy is its pointer as a
	 * number. */
	int (*copy)(struct memplan_device *device, uint64_t to, uint64_t from,
		uint64_t size, enum memplan_direction direction);
	/* Writes the pattern of the key into the range. */
	int (*fill)(struct memplan_device *device, uint32_t stream,
		const struct memplan_range *range, uint64_t key);
	/* Compares the range with the pattern of the key. Writes what differs
	 * into the struct memplan_finding at that address. */
	int (*compare)(struct memplan_device *device, uint32_t stream,
		const struct memplan_range *range, uint64_t key,
		uint64_t finding);
	/* An event happens when all work that is in the stream by now is done.
	 */
	int (*record)(
		struct memplan_device *device, uint32_t stream, uint32_t event);
	/* Later work of the stream waits for the event, if it was ever
	 * recorded. */
	int (*await)(
		struct memplan_device *device, uint32_t stream, uint32_t event);
	/* Waits until all streams are done. */
	int (*finish)(struct memplan_device *device);
};

/* Row i of the table, which stays for ever; NULL beyond the last. */
const struct memplan_device_row *memplan_device_row_at(uint32_t i);

/* Opens the device of that name. NULL options are all zero. After a failure
 * nothing is open; the text tells why. */
int memplan_device_open(struct memplan_device *device, const char *name,
	const struct memplan_device_options *options);

/* Closes a device that was opened. Its blocks have been released before. */
void memplan_device_close(struct memplan_device *device);

/* One block for a pool. Its address has the alignment that the pool requires,
 * even if the device guarantees less. */
struct memplan_block {
	uint64_t address, size; /* aligned address of the pool */
	uint64_t memory;	/* address that the device returned */
};

/* When it returns, any stream of the device may use the block. */
int memplan_block_allocate(struct memplan_device *device,
	const struct memplan_pool *pool, struct memplan_block *block);

/* First waits for all work on the device, that of the program's own streams
 * too. If work failed, that is the failure that it returns, and the bytes are
 * returned all the same. */
int memplan_block_release(
	struct memplan_device *device, const struct memplan_block *block);

#ifdef __cplusplus
}
#endif

#endif
