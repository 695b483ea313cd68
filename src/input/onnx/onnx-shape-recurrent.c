/*
 * The rule of LSTM, GRU and RNN.
 *
 * SPDX-License-Identifier: MIT
 */

#include "input/onnx/inside.h"

/* Elements of a state: the attribute, else what the recurrent weights say. */
static bool read_hidden(struct onnx_call *c, uint64_t *hidden)
{
	int64_t said = mp_input_onnx_int(c, "hidden_size", 0);
	const struct onnx_value *r;

	if (said < 0)
		return mp_input_onnx_wrong(c, "'hidden_size' is negative");
	*hidden = (uint64_t)said;
	if (said > 0)
		return true;
	r = mp_input_onnx_ranked(c, 2, 3);
	*hidden = r ? r->shape.at[2] : 0;
	return r != NULL;
}

/* All steps, then the last state, and that of the cell. Layout 1 has the batch
 * in front. */
static bool recurrent(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 3);
	uint64_t sides =
		mp_input_onnx_text_is(c, "direction", "bidirectional") ? 2 : 1;
	bool batch_first = mp_input_onnx_int(c, "layout", 0) != 0;
	uint64_t batch, hidden = 0;

	if (!x || !read_hidden(c, &hidden))
		return false;
	batch = x->shape.at[!batch_first];

	const uint64_t steps[] = {x->shape.at[0],
		batch_first ? x->shape.at[1] : sides,
		batch_first ? sides : batch, hidden};
	const uint64_t state[] = {batch_first ? batch : sides,
		batch_first ? sides : batch, hidden};

	return mp_input_onnx_give(c, 0, ONNX_UNDEFINED, steps, 4) &&
	       mp_input_onnx_give(c, 1, ONNX_UNDEFINED, state, 3) &&
	       mp_input_onnx_give(c, 2, ONNX_UNDEFINED, state, 3);
}

static const struct onnx_rule rows[] = {
	{"GRU", recurrent, NULL, 0},
	{"LSTM", recurrent, NULL, 0},
	{"RNN", recurrent, NULL, 0},
	{"com.microsoft.DynamicQuantizeLSTM", recurrent, NULL, 0},
};

const struct onnx_family mp_input_onnx_recurrent = ONNX_FAMILY(rows);
