/*
 * Fuzz target of all readers: the bytes are split at record separators (0x1e)
 * into the files of the roles. With libFuzzer it is a fuzzer; else it has a
 * main that replays the files named on the command line.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool split_files(struct input *input, const char *bytes, size_t size)
{
	static const char *const names[N_ROLES] = {"a", "b", "c", "d", "e"};
	const char *end = bytes + size, *behind;

	for (uint32_t i = 0; i < N_ROLES; i++) {
		behind = memchr(bytes, 0x1e, (size_t)(end - bytes));
		if (!behind)
			behind = end;
		input->files[i] = (struct input_file){
			names[i], bytes, (size_t)(behind - bytes)};
		if (behind == end)
			return true;
		bytes = behind + 1;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct input input = {0};
	struct graph graph;
	bool fine = !split_files(&input, (const char *)data, size) ||
		    (mp_input_read(&input, &graph, &arena, &e) &&
			    mp_graph_link(&graph, &arena, &e));

	if (!fine && e.code == MEMPLAN_OK)
		abort(); /* refused without a reason */
	mp_arena_free(&arena);
	return 0;
}

#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
static bool replay(const char *name)
{
	static uint8_t bytes[1 << 20];
	FILE *file = fopen(name, "rb");
	size_t size;

	if (!file)
		return false;
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	return LLVMFuzzerTestOneInput(bytes, size) == 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!replay(argv[i]))
			return 1;
	return 0;
}
#endif
