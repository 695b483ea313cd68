/*
 * Plans a graph inside a program: with one option, then with another.
 *
 * SPDX-License-Identifier: MIT
 */
#include <memplan/memplan.h>
#include <stdio.h>
#include <string.h>

static int plan(memplan *m, const char *order)
{
	uint64_t size;

	if (memplan_set(m, "order", order) != MEMPLAN_OK ||
		memplan_plan(m) != MEMPLAN_OK) {
		fprintf(stderr, "%s\n", memplan_error(m));
		return 0;
	}
	memplan_number(m, "arena_size", &size);
	printf("%s: %llu bytes\n", order, (unsigned long long)size);
	return 1;
}

int main(int argc, char **argv)
{
	static char bytes[1 << 20];
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t length = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	memplan *m = memplan_new();
	int fine = m && strcmp(memplan_version(), MEMPLAN_VERSION) == 0;

	if (!file) {
		fprintf(stderr, "library GRAPH: no such file\n");
		memplan_free(m);
		return 2;
	}
	fclose(file);
	fine = fine &&
	       memplan_input(m, "graph", argv[1], bytes, length) == MEMPLAN_OK;
	fine = fine && plan(m, "keep") && plan(m, "auto");
	memplan_free(m);
	return !fine;
}
