/*
 * Readers: rows that turn bytes into a graph, and do nothing else. A reader
 * recognises its format by content, not by the file's name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_INPUT_H
#define MP_INPUT_INPUT_H

#include "base/file.h"
#include "graph/graph.h"

/* What an input file is to a reader that takes several. */
enum input_role {
	ROLE_MAIN,	  /* the graph itself, or the io_info of a triple */
	ROLE_TENSOR_SIZE, /* io_info triple: bytes of every tensor */
	ROLE_RESIZE_INFO, /* io_info triple: temporaries of every op */
	ROLE_COST_INFO,	  /* io_info triple: milliseconds of every op */
	ROLE_SOLUTION,	  /* offsets that another solver found */
	N_ROLES,
};

struct input {
	struct input_file files[N_ROLES]; /* by role */
	uint64_t alignment; /* 0: what the file says, else the format's default
			     */
	const char *graph; /* of a log with several, the one to read; or NULL */
	const struct target *target; /* its margins; NULL: what the file says */
};

typedef bool reader_recognise(const struct input_file *file);
typedef bool reader_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e);

struct reader {
	const char *name;
	const char *summary;
	/* True if the main file looks like this format. */
	reader_recognise *recognise;
	reader_read *read;
};

extern const struct reader mp_readers[];
extern const uint32_t mp_n_readers;

/* The first reader that recognises the main file, run. */
bool mp_input_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e);

#endif
