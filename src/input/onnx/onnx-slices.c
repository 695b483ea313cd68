/*
 * What the inputs of a Slice take of each axis. Its rule of shapes, its content
 * and its view all ask that.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "input/onnx/inside.h"

/* What [start, end) in steps takes of an axis of d elements. */
static void slice_axis(int64_t d, int64_t start, int64_t end, int64_t step,
	int64_t *first, uint64_t *count)
{
	int64_t low = step > 0 ? 0 : -1, high = step > 0 ? d : d - 1;
	int64_t length;

	assert(step != 0);
	if (start < 0)
		start = start < -d ? INT64_MIN / 2 : start + d;
	if (end < 0)
		end = end < -d ? INT64_MIN / 2 : end + d;
	if (step < 0 && start < 0)
		start = 0; /* as numpy does not, and ONNX does */
	start = start < low ? low : start > high ? high : start;
	end = end < low ? low : end > high ? high : end;
	*first = start;
	length = step > 0 ? end - start : start - end;
	*count = 0;
	if (length > 0 && step > 0)
		*count = (uint64_t)(length - 1) / (uint64_t)step + 1;
	if (length > 0 && step < 0)
		*count = (uint64_t)(length - 1) / (0 - (uint64_t)step) + 1;
}

struct slices {
	struct onnx_ints starts, ends, axes, steps;
};

static bool read_slices(
	struct onnx_call *c, uint32_t rank, struct slices *s, bool *axes)
{
	if (!mp_input_onnx_list(c, 1, "starts", &s->starts) ||
		!mp_input_onnx_list(c, 2, "ends", &s->ends) ||
		!mp_input_onnx_list(c, 3, "axes", &s->axes) ||
		!mp_input_onnx_list(c, 4, NULL, &s->steps))
		return false;
	if (!s->starts.given || s->starts.n != s->ends.n ||
		s->starts.n > rank ||
		(s->axes.given && s->axes.n != s->starts.n) ||
		(s->steps.given && s->steps.n != s->starts.n))
		return mp_input_onnx_wrong(c,
			"its starts, ends, axes and steps do not go "
			"together");
	return mp_input_onnx_mark_axes(c, &s->axes, rank, axes);
}

bool mp_input_onnx_slice(struct onnx_call *c, uint32_t rank,
	const uint64_t *dims, int64_t *first, int64_t *step, uint64_t *count)
{
	bool marked[ONNX_RANK];
	struct slices s;
	uint32_t axis;

	if (!read_slices(c, rank, &s, marked))
		return false;
	for (uint32_t i = 0; i < rank; i++) {
		first[i] = 0;
		step[i] = 1;
		count[i] = dims[i];
	}
	for (uint32_t i = 0; i < s.starts.n; i++) {
		axis = i;
		if (s.axes.given &&
			!mp_input_onnx_axis(c, s.axes.at[i].i, rank, &axis))
			return false;
		step[axis] = s.steps.given ? s.steps.at[i].i : 1;
		if (step[axis] == 0)
			return mp_input_onnx_wrong(c, "a step is 0");
		slice_axis((int64_t)dims[axis], s.starts.at[i].i,
			s.ends.at[i].i, step[axis], &first[axis], &count[axis]);
	}
	return true;
}
