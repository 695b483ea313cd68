/*
 * How fast memplan reads a file: megabytes a second of CPU time of
 * memplan_read(), the file being in memory already. The fastest of several
 * runs counts.
 *
 *	build/read-speed FILE...
 *
 * SPDX-License-Identifier: MIT
 */
#include <memplan/memplan.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "read-file.h"

enum {
	RUNS = 9
};

/* Seconds of CPU; less than 0: it cannot be read. */
static double time_read(const char *name, const char *bytes, size_t length)
{
	memplan *m = memplan_new();
	double seconds = -1;
	clock_t begun;

	if (!m)
		return seconds;
	if (memplan_input(m, "graph", name, bytes, length) == MEMPLAN_OK) {
		begun = clock();
		if (memplan_read(m) == MEMPLAN_OK)
			seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
	}
	if (seconds < 0)
		fprintf(stderr, "read-speed: %s\n", memplan_error(m));
	memplan_free(m);
	return seconds;
}

static bool tell(const char *name)
{
	size_t length = 0;
	char *bytes = read_file(name, &length);
	double best = -1, seconds;

	if (!bytes)
		fprintf(stderr, "read-speed: %s: cannot read\n", name);
	for (int i = 0; bytes && i < RUNS; i++) {
		seconds = time_read(name, bytes, length);
		if (seconds < 0)
			break;
		if (best < 0 || seconds < best)
			best = seconds;
	}
	free(bytes);
	if (best >= 0)
		printf("%-24s %8.3f MB %8.3f s %8.1f MB/s\n", name,
			(double)length / 1e6, best,
			best > 0 ? (double)length / 1e6 / best : 0.0);
	return best >= 0;
}

int main(int argc, char **argv)
{
	bool fine = argc > 1;

	for (int i = 1; i < argc; i++)
		fine &= tell(argv[i]);
	return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
