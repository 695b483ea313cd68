/*
 * Runs a fuzz target on files, and on the files of folders: the corpora, as an
 * ordinary test. Or on that many random inputs: --random N.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/prng.h"
#include "testing/fuzz/fuzz.h"

/* The bytes lie in a block of their size, so that a sanitizer sees every byte
 * read beyond. */
static bool replay_file(const char *name, size_t size)
{
	FILE *file = fopen(name, "rb");
	uint8_t *bytes = malloc(size ? size : 1);
	bool fine = file && bytes && fread(bytes, 1, size, file) == size;

	if (file)
		fclose(file);
	if (fine)
		LLVMFuzzerTestOneInput(bytes, size);
	else
		fprintf(stderr, "%s: cannot read\n", name);
	free(bytes);
	return fine;
}

/* Replays a file, or all files of a folder, and counts them. */
static bool replay(const char *name, uint32_t *n)
{
	struct stat status;
	struct dirent *entry;
	char inside[4096];
	bool fine = true;
	DIR *folder;

	if (stat(name, &status) < 0)
		return fprintf(stderr, "%s: not there\n", name), false;
	if (!S_ISDIR(status.st_mode))
		return ++*n, replay_file(name, (size_t)status.st_size);
	folder = opendir(name);
	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(inside, sizeof(inside), "%s/%s", name, entry->d_name);
		if (stat(inside, &status) == 0 && S_ISREG(status.st_mode))
			fine &= replay(inside, n);
	}
	if (folder)
		closedir(folder);
	return fine;
}

/* Of up to 64 bytes, the same ones each time. */
static void run_random(uint32_t n)
{
	uint64_t state = 1;
	uint8_t bytes[64];

	for (uint32_t i = 0; i < n; i++) {
		size_t size = 8 + mp_prng(&state) % (sizeof(bytes) - 7);

		for (size_t k = 0; k < size; k++)
			bytes[k] = (uint8_t)(mp_prng(&state) >> 24);
		LLVMFuzzerTestOneInput(bytes, size);
	}
}

int main(int argc, char **argv)
{
	uint32_t n = 0;
	bool fine = true;

	if (argc == 3 && strcmp(argv[1], "--random") == 0) {
		n = (uint32_t)strtoul(argv[2], NULL, 10);
		run_random(n);
		argc = 1;
	}
	for (int i = 1; i < argc; i++)
		fine &= replay(argv[i], &n);
	printf("%u inputs\n", n);
	return fine && n > 0 ? 0 : 1;
}
