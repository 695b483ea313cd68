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

/* Unbuffered, so that the bytes are copied once. */
static char *read_file(const char *name, size_t *length)
{
	FILE *file = fopen(name, "rb");
	char *bytes = NULL;
	long size = -1;

	if (file && setvbuf(file, NULL, _IONBF, 0) == 0 &&
		fseek(file, 0, SEEK_END) == 0)
		size = ftell(file);
	if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
		bytes = malloc((size_t)size + 1);
	if (bytes)
		*length = fread(bytes, 1, (size_t)size, file);
	if (file)
		fclose(file);
	return bytes;
}

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
