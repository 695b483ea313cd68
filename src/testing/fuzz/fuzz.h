/*
 * What fuzz targets have in common. A target is one file with
 * LLVMFuzzerTestOneInput(). libFuzzer calls it with inputs of its own; without
 * libFuzzer, fuzz-replay.c calls it with files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_FUZZ_FUZZ_H
#define MP_TESTING_FUZZ_FUZZ_H

#include "base/error.h"
#include "base/file.h"
#include "input/input.h"
#include "memplan/memplan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts with the sentence unless that holds. */
void mp_testing_fuzz_expect(bool holds, const char *format, ...)
	MP_PRINTF(2, 3);

/* Splits the bytes at record separators (0x1e) into at most that many files,
 * named "a", "b" and so on; returns their number. The last one has the rest. */
uint32_t mp_testing_fuzz_split(const uint8_t *data, size_t size,
	struct input_file *files, uint32_t most);

/* A handle with that graph, little effort and little memory; free it. */
memplan *mp_testing_fuzz_handle(const struct input_file *graph);

/* What every call must keep: an error has a sentence, success has none, and
 * nothing is an internal error. Returns true for success. */
bool mp_testing_fuzz_is_fine(const memplan *m, enum memplan_status status);

/* Reads a graph and links it. The reader's answer and its status must agree,
 * and nothing may be an internal error. */
void mp_testing_fuzz_read(const struct input *input,
	bool (*read)(const struct input *input, struct graph *graph,
		struct arena *arena, struct error *e));

#endif
