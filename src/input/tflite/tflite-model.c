/*
 * Models of TensorFlow Lite: FlatBuffers with the mark TFL3. A tensor lives as
 * TensorFlow Lite for Microcontrollers (TFLM) has it live;
 * docs/formats/tflite.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/rows.h"
#include "input/tflite/tflite.h"

enum {
	DEFAULT_ALIGNMENT = 16, /* of TFLM's arena */
};

bool mp_input_tflite_recognise(const struct input_file *file)
{
	return mp_input_flat_has_mark(file, "TFL3");
}

bool mp_input_tflite_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	struct tflite m = {.input = input,
		.last_resource = NONE,
		.graph = graph,
		.arena = arena,
		.error = e};

	graph->alignment =
		input->alignment ? input->alignment : DEFAULT_ALIGNMENT;
	if (!mp_input_flat_open(
		    &m.flat, &input->files[ROLE_MAIN], &m.root, e) ||
		!mp_input_tflite_read_file(&m) ||
		!mp_input_tflite_read_codes(&m) ||
		!mp_input_tflite_read_tensors(&m) ||
		!mp_input_tflite_read_ops(&m) ||
		!mp_input_tflite_take_offsets(&m) ||
		!mp_input_tflite_settle(&m))
		return false;
	graph->tflite = m.file;
	graph->note = "kernels' scratch buffers and the tail of TFLM's arena "
		      "come on top of these tensors";
	return true;
}
