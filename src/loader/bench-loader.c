/*
 * What a plan costs to apply, and what it saves: opening and applying a table,
 * and on every device at hand one allocation against one per tensor. Each
 * figure is the best of several rounds. A device's own work in its own time is
 * waited for, once at the end of a round.
 *
 *	bench-loader TABLE
 *
 * Exit status 1: something failed on a device that could be opened.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "memplan/device.h"

enum {
	ROUNDS = 9,
	LARGEST = 64 << 20,
	MOST_MILLISECONDS = 5000, /* in which a device begins a round */
};

static double read_clock(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static void keep_best(double *best, double value)
{
	if (*best == 0 || value < *best)
		*best = value;
}

static void *read_file(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	void *bytes = malloc(LARGEST);

	*length = file && bytes ? fread(bytes, 1, LARGEST, file) : 0;
	if (file)
		fclose(file);
	return bytes;
}

/* Computes every tensor's address, as a program would at its start. */
static void apply_table(
	const struct memplan_table *table, uint64_t base, uint64_t *addresses)
{
	struct memplan_entry entry;

	for (uint32_t i = 0; i < memplan_table_count(table); i++) {
		memplan_table_entry(table, i, &entry);
		addresses[i] = base + entry.offset;
	}
}

static int bench_table(struct memplan_table *table, const void *bytes,
	size_t length, uint64_t *addresses)
{
	double open = 0, applied = 0, start, opened;

	for (int i = 0; i < ROUNDS; i++) {
		start = read_clock();
		if (memplan_table_open(table, bytes, length))
			return 1;
		opened = read_clock();
		apply_table(table, (uintptr_t)bytes, addresses);
		keep_best(&open, opened - start);
		keep_best(&applied, read_clock() - opened);
	}
	printf("table of %u tensors: %.2f ms to open and check, %.2f ms to "
	       "apply\n\n",
		memplan_table_count(table), open, applied);
	return 0;
}

/* One allocation per tensor, each with its own size. */
static int allocate_each(struct memplan_device *device,
	const struct memplan_table *table, uint64_t *addresses, double *took)
{
	const struct memplan_device_row *row = device->row;
	uint32_t n = memplan_table_count(table), i;
	struct memplan_entry entry;
	double start = read_clock();
	int failed = 0;

	for (i = 0; i < n && !failed; i++) {
		memplan_table_entry(table, i, &entry);
		failed = row->allocate(device, entry.size, &addresses[i]);
	}
	for (n = i - (uint32_t)failed; n-- > 0;)
		row->release(device, addresses[n]);
	if (!failed)
		failed = row->finish(device);
	keep_best(took, read_clock() - start);
	return failed;
}

/* Opens, allocates and applies. */
static int allocate_once(struct memplan_device *device, const void *bytes,
	size_t length, uint64_t *addresses, double *took)
{
	struct memplan_table table;
	struct memplan_pool pool;
	struct memplan_block block;
	double start = read_clock();

	if (memplan_table_open(&table, bytes, length) ||
		memplan_table_pool(&table, 0, &pool) ||
		memplan_block_allocate(device, &pool, &block))
		return 1;
	apply_table(&table, block.address, addresses);
	if (memplan_block_release(device, &block) ||
		device->row->finish(device))
		return 1;
	keep_best(took, read_clock() - start);
	return 0;
}

/* Measures everything on one device. */
struct bench {
	struct memplan_table table;
	void *bytes;
	size_t length;
	uint64_t *addresses;
};

static int run_rounds(struct memplan_device *device, const struct bench *bench,
	double *each, double *once)
{
	double start = read_clock();

	/* The first round prepares the device and does not count. */
	if (allocate_once(device, bench->bytes, bench->length, bench->addresses,
		    once))
		return 1;
	*once = 0;
	for (int i = 0; i < ROUNDS && read_clock() - start < MOST_MILLISECONDS;
		i++)
		if (allocate_once(device, bench->bytes, bench->length,
			    bench->addresses, once) ||
			allocate_each(
				device, &bench->table, bench->addresses, each))
			return 1;
	return 0;
}

static int bench_device(
	const struct bench *bench, const char *name, int stream_ordered)
{
	struct memplan_device_options options = {
		.stream_ordered = stream_ordered};
	struct memplan_device device;
	double each = 0, once = 0;
	int failed;

	if (memplan_device_open(&device, name, &options)) {
		fprintf(stderr, "%s\n", device.text);
		return 0;
	}
	failed = run_rounds(&device, bench, &each, &once);
	if (failed)
		fprintf(stderr, "%s\n", device.text);
	else
		printf("| %s%s | %.2f | %.2f |\n", name,
			stream_ordered ? ", stream-ordered" : "", each, once);
	memplan_device_close(&device);
	return failed;
}

static int bench_devices(const struct bench *bench)
{
	int failed;

	puts("| device | one per tensor, ms | memplan, ms |\n|---|---:|---:|");
	failed = bench_device(bench, "host", 0);
	failed |= bench_device(bench, "cuda", 0);
	failed |= bench_device(bench, "cuda", 1);
	return bench_device(bench, "acl", 0) | failed;
}

int main(int argc, char **argv)
{
	struct bench bench;
	int failed = 1;

	if (argc != 2)
		return 2;
	bench.bytes = read_file(argv[1], &bench.length);
	if (memplan_table_open(&bench.table, bench.bytes, bench.length))
		return 1;
	bench.addresses = calloc(
		memplan_table_count(&bench.table) + 1u, sizeof(uint64_t));
	if (bench.addresses)
		failed = bench_table(&bench.table, bench.bytes, bench.length,
				 bench.addresses) ||
			 bench_devices(&bench);
	free(bench.addresses);
	free(bench.bytes);
	return failed;
}
