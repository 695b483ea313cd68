/*
 * Plans a graph inside a program.
 *
 * SPDX-License-Identifier: MIT
 */
#include <memplan/memplan.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	static char bytes[1 << 20];
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t length = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	memplan *m = memplan_new();
	uint64_t size = 0;

	memplan_input(m, "graph", argv[1], bytes, length);
	if (memplan_plan(m) == MEMPLAN_OK)
		memplan_number(m, "arena_size", &size);
	else
		fprintf(stderr, "%s\n", memplan_error(m));
	printf("%llu bytes\n", (unsigned long long)size);
	memplan_free(m);
	return size == 0;
}
