/*
 * Readers: rows that turn the bytes of a file into a graph. A reader recognises
 * its format by content, not by the name of the file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_INPUT_H
#define MP_INPUT_INPUT_H

#include "base/file.h"
#include "graph/graph.h"

/* The roles of files, for readers that take several. */
enum input_role {
	ROLE_MAIN,	  /* the graph itself, or the io_info of a triple */
	ROLE_TENSOR_SIZE, /* io_info triple: bytes of every tensor */
	ROLE_RESIZE_INFO, /* io_info triple: temporaries of every op */
	ROLE_COST_INFO,	  /* io_info triple: milliseconds of every op */
	ROLE_SOLUTION,	  /* offsets found by another solver */
	ROLE_PROOF,	  /* of the lower bound of a plan: no reader reads it */
	ROLE_NEAR,	  /* an older plan: a graph of its own */
	ROLE_LIVE_RANGE,  /* XLA: lifetimes of a buffer assignment */
	N_ROLES,
};

/* What ops are that hand on the bytes of an input, as Reshape does. */
enum views {
	VIEWS_ALIAS,	    /* the output is a view of the input */
	VIEWS_ALIAS_SLICES, /* so are parts of an input */
	VIEWS_INPLACE,	    /* the output may take the input's bytes */
	VIEWS_COPY,	    /* the output has bytes of its own */
	N_VIEWS,
};

struct input {
	struct input_file files[N_ROLES]; /* by role */
	uint64_t alignment; /* 0: that of the file, else the format's default */
	const char *graph;  /* the graph to read, of a log with several; or
			       NULL */
	const char *dims;   /* ONNX, lines: NAME=N, a dimension's length */
	const char *values; /* NAME=V,..., the content of an input */
	const char *shapes; /* NAME=2x64:TYPE, the shape of a value */
	enum views views;
	bool keeps_constants;	     /* ops with constant inputs stay ops */
	const struct target *target; /* for its margins; NULL: those of the
					file */
	bool variables_inside; /* variables of a model take bytes of the arena;
				  else TFLM keeps them beside it */
};

/* Does the main file look like the format? Reads no further than needed. */
typedef bool reader_recognise(const struct input_file *file);

/* Fills a graph, which has its name and place, from the files of an input.
 * Texts are copied into the arena. */
typedef bool reader_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e);

struct reader {
	const char *name;
	const char *summary;
	reader_recognise *recognise;
	reader_read *read;
};

extern const char *const mp_view_names[N_VIEWS];
extern const struct reader mp_readers[];
extern const uint32_t mp_n_readers;

/* Reads the input with the first reader that recognises the main file. */
bool mp_input_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e);

#endif
