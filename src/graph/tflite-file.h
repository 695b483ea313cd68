/*
 * The TFLite model that a graph was read from, as far as an emitter must know
 * it to write it back with offsets. The reader has checked every position.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_TFLITE_FILE_H
#define MP_GRAPH_TFLITE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/lists.h"

/* Fields of the outermost table that an emitter must know. All but the version
 * are references. */
enum tflite_model {
	MODEL_VERSION,
	MODEL_CODES,
	MODEL_SUBGRAPHS,
	MODEL_DESCRIPTION,
	MODEL_BUFFERS,
	MODEL_METADATA_BUFFER,
	MODEL_METADATA,
	MODEL_SIGNATURES,
	MODEL_EXTERNAL_GROUPS,
	MODEL_EXTERNAL_BUFFERS,
	N_MODEL,
};

/* The metadata that has the offsets. */
#define TFLITE_OFFSETS "OfflineMemoryAllocation"

struct tflite_file {
	const char *bytes; /* the input, which is the caller's */
	size_t length;
	const char *refusal; /* why the model cannot be written back: the end of
				a sentence; NULL: it can */
	uint32_t version;
	uint32_t field[N_MODEL]; /* where each leads to; 0: it is absent */
	struct ids buffers;	 /* positions of the tables */
	struct ids metadata;	 /* positions of its entries, but for that of
				    offsets */
	uint32_t n_subgraphs;
	uint32_t n_tensors; /* of all subgraphs. The id of a tensor of the graph
			       is its number among these */
	uint32_t n_folded;  /* tensors that ops make of constants, but that the
			       graph has as constants: see --constants */
	struct ids vacant;  /* tensors that get no offset, because TFLM looks at
			       their entries for those of variables */
};

#endif
