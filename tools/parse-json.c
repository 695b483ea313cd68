/*
 * Reads JSON files into memory, parses each with cJSON and frees it: the least
 * that any reader of them costs. What tools/bench --street divides by.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "read-file.h"

static bool parse(const char *name)
{
	size_t length = 0;
	char *bytes = read_file(name, &length);
	cJSON *root = bytes ? cJSON_ParseWithLength(bytes, length) : NULL;
	bool fine = root != NULL;

	cJSON_Delete(root);
	free(bytes);
	if (!fine)
		fprintf(stderr, "parse-json: %s: cannot read\n", name);
	return fine;
}

int main(int argc, char **argv)
{
	bool fine = argc > 1;

	for (int i = 1; i < argc; i++)
		fine &= parse(argv[i]);
	return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
