/*
 * Rules of ops that move elements and compute nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/onnx/inside.h"

static bool begin(struct onnx_call *c)
{
	return mp_input_onnx_give(c, 0, ONNX_UNDEFINED, NULL, 0);
}

static bool push_all(
	struct onnx_call *c, const uint64_t *dims, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (!mp_input_onnx_push(c, 0, dims[i]))
			return false;
	return true;
}

/* ------------------------------------------------- concat and split */

static bool add_to_axis(struct onnx_call *c, const struct onnx_value *first,
	uint32_t k, uint32_t axis, uint64_t *sum)
{
	const struct onnx_value *x = mp_input_onnx_in(c, k);

	if (!x)
		return false;
	if (x->shape.n != first->shape.n)
		return mp_input_onnx_wrong(c,
			"input %u has %u dimensions, input 0 has %u", k,
			x->shape.n, first->shape.n);
	for (uint32_t i = 0; i < x->shape.n; i++)
		if (i != axis && x->shape.at[i] != first->shape.at[i])
			return mp_input_onnx_wrong(
				c, "inputs 0 and %u differ in axis %u", k, i);
	*sum += x->shape.at[axis];
	return *sum <= ONNX_DIM ||
	       mp_input_onnx_wrong(c, "its output is too large");
}

/* Inputs from `from` on, of which every `step`-th counts. */
static bool concat_of(struct onnx_call *c, uint32_t from, uint32_t step)
{
	const struct onnx_value *x = mp_input_onnx_in(c, from);
	int64_t wanted = mp_input_onnx_int(
		c, "axis", c->opset > 0 && c->opset < 4 ? 1 : 0);
	uint64_t sum = 0;
	uint32_t axis;

	if (!x || !mp_input_onnx_axis(c, wanted, x->shape.n, &axis))
		return false;
	for (uint32_t k = from; k < c->n_in; k += step)
		if (!add_to_axis(c, x, k, axis, &sum))
			return false;
	return mp_input_onnx_give(c, 0, x->type, x->shape.at, axis) &&
	       mp_input_onnx_push(c, 0, sum) &&
	       push_all(c, x->shape.at, axis + 1, x->shape.n);
}

static bool concat(struct onnx_call *c)
{
	return concat_of(c, 0, 1);
}

/* Behind a scale and a zero point come tensors, each with its own two. */
static bool quantized_concat(struct onnx_call *c)
{
	return concat_of(c, 2, 3);
}

/* The sizes of the outputs: given, else equal ones, the last with the rest. */
static bool split_sizes(
	struct onnx_call *c, uint64_t dim, uint32_t n, uint64_t *sizes)
{
	uint64_t each = (dim + n - 1) / n, left = dim;
	struct onnx_ints given;

	if (!mp_input_onnx_list(c, 1, "split", &given))
		return false;
	if (given.given && given.n != n)
		return mp_input_onnx_wrong(c,
			"it has %u outputs and 'split' has %u numbers", n,
			given.n);
	for (uint32_t k = 0; k < n; k++) {
		sizes[k] = given.given ? (uint64_t)given.at[k].i
				       : num_min(each, left);
		if (sizes[k] > left)
			return mp_input_onnx_wrong(
				c, "its parts are larger than the axis");
		left -= sizes[k];
	}
	return left == 0 ||
	       mp_input_onnx_wrong(c, "its parts are smaller than the axis");
}

static bool split(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	uint32_t axis, n = c->node->outputs.n;
	uint64_t *sizes = NEW(c->source->arena, uint64_t, n);

	if (n == 0)
		return mp_input_onnx_wrong(c, "it has no outputs");
	if (!x || !sizes ||
		!mp_input_onnx_axis(c, mp_input_onnx_int(c, "axis", 0),
			x->shape.n, &axis) ||
		!split_sizes(c, x->shape.at[axis], n, sizes))
		return false;
	for (uint32_t k = 0; k < c->n_out; k++) {
		if (!mp_input_onnx_give_like(c, k, ONNX_UNDEFINED, x))
			return false;
		c->out[k].dims[axis] = sizes[k];
	}
	return true;
}

/* ------------------------------------------------------------ slice */

static bool slice(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	int64_t first[ONNX_RANK], step[ONNX_RANK];
	uint64_t count[ONNX_RANK];

	if (!x)
		return false;
	if (!mp_input_onnx_slice(
		    c, x->shape.n, x->shape.at, first, step, count))
		return c->unknown != NONE && mp_input_onnx_takes_most(c) &&
		       mp_input_onnx_give_like(c, 0, ONNX_UNDEFINED, x);
	return mp_input_onnx_give(c, 0, ONNX_UNDEFINED, count, x->shape.n);
}

/* ---------------------------------------------------- same elements */

static bool transpose(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	bool seen[ONNX_RANK];
	struct onnx_ints perm;
	uint32_t n, axis;

	if (!x || !mp_input_onnx_ints(c, "perm", &perm))
		return false;
	n = x->shape.n;
	if (perm.given && perm.n != n)
		return mp_input_onnx_wrong(c,
			"'perm' has %u numbers for %u dimensions", perm.n, n);
	if (!begin(c) || !mp_input_onnx_mark_axes(c, &perm, n, seen))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		axis = n - 1 - i;
		if (perm.given &&
			!mp_input_onnx_axis(c, perm.at[i].i, n, &axis))
			return false;
		if (!mp_input_onnx_push(c, 0, x->shape.at[axis]))
			return false;
	}
	return true;
}

/* One dimension may be -1: what is left of the n elements. */
static bool fill_rest(struct onnx_call *c, uint64_t n, uint64_t known,
	uint32_t rest, uint64_t *dims)
{
	if (rest != NONE && known > 0 && n % known == 0)
		dims[rest] = n / known;
	else if (rest != NONE && known == 0 && n == 0)
		dims[rest] = 0;
	else if (rest != NONE || known != n)
		return mp_input_onnx_wrong(c,
			"%llu elements do not make the new shape",
			(unsigned long long)n);
	return true;
}

static bool reshape(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	bool keeps_zero = mp_input_onnx_int(c, "allowzero", 0) == 0;
	uint64_t dims[ONNX_RANK], known = 1;
	uint32_t rest = NONE;
	struct onnx_ints to;

	if (!x || !mp_input_onnx_list(c, 1, "shape", &to))
		return false;
	if (!to.given || to.n > ONNX_RANK)
		return mp_input_onnx_wrong(
			c, "the new shape has %u dimensions", to.n);
	for (uint32_t i = 0; i < to.n; i++) {
		dims[i] = (uint64_t)to.at[i].i;
		if (to.at[i].i == 0 && keeps_zero && i < x->shape.n)
			dims[i] = x->shape.at[i];
		if (to.at[i].i == -1 && rest == NONE)
			rest = i;
		else if (to.at[i].i < 0 || !num_mul(known, dims[i], &known))
			return mp_input_onnx_wrong(c,
				"dimension %u of the new shape is %lld", i,
				(long long)to.at[i].i);
	}
	return fill_rest(c, x->n, known, rest, dims) &&
	       mp_input_onnx_give(c, 0, ONNX_UNDEFINED, dims, to.n);
}

static bool flatten(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	int64_t axis = mp_input_onnx_int(c, "axis", 1);
	uint64_t dims[2] = {1, 1};

	if (!x)
		return false;
	axis += axis < 0 ? x->shape.n : 0;
	if (axis < 0 || axis > x->shape.n)
		return mp_input_onnx_wrong(
			c, "'axis' is not one of its dimensions");
	for (uint32_t i = 0; i < x->shape.n; i++)
		if (!num_mul(dims[i >= axis], x->shape.at[i], &dims[i >= axis]))
			return mp_input_onnx_wrong(c, "it is too large");
	return mp_input_onnx_give(c, 0, ONNX_UNDEFINED, dims, 2);
}

static bool squeeze(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	bool marked[ONNX_RANK];
	struct onnx_ints axes;

	if (!x || !mp_input_onnx_list(c, 1, "axes", &axes) ||
		!mp_input_onnx_mark_axes(c, &axes, x->shape.n, marked) ||
		!begin(c))
		return false;
	for (uint32_t i = 0; i < x->shape.n; i++) {
		bool gone = axes.given ? marked[i] : x->shape.at[i] == 1;

		if (gone && x->shape.at[i] != 1)
			return mp_input_onnx_wrong(c,
				"axis %u has %llu elements, not 1", i,
				(unsigned long long)x->shape.at[i]);
		if (!gone && !mp_input_onnx_push(c, 0, x->shape.at[i]))
			return false;
	}
	return true;
}

static bool unsqueeze(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	bool marked[ONNX_RANK];
	uint32_t rank, from = 0;
	struct onnx_ints axes;

	if (!x || !mp_input_onnx_list(c, 1, "axes", &axes) || !begin(c))
		return false;
	if (!axes.given || axes.n + x->shape.n > ONNX_RANK)
		return mp_input_onnx_wrong(
			c, "it adds %u axes to %u", axes.n, x->shape.n);
	rank = axes.n + x->shape.n;
	if (!mp_input_onnx_mark_axes(c, &axes, rank, marked))
		return false;
	for (uint32_t i = 0; i < rank; i++)
		if (!mp_input_onnx_push(
			    c, 0, marked[i] ? 1 : x->shape.at[from++]))
			return false;
	return true;
}

/* ------------------------------------------------ repeated elements */

/* A list as dimensions; false: negative or too large ones. */
static bool read_dims(
	struct onnx_call *c, const struct onnx_ints *list, uint64_t *dims)
{
	if (list->n > ONNX_RANK)
		return mp_input_onnx_wrong(
			c, "a shape of %u dimensions", list->n);
	for (uint32_t i = 0; i < list->n; i++) {
		dims[i] = (uint64_t)list->at[i].i;
		if (dims[i] > ONNX_DIM)
			return mp_input_onnx_wrong(c, "a dimension of %lld",
				(long long)list->at[i].i);
	}
	return true;
}

static bool expand(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	uint64_t dims[ONNX_RANK], other[ONNX_RANK];
	struct onnx_ints to;
	uint32_t n = 0;

	if (!x || !mp_input_onnx_list(c, 1, NULL, &to) ||
		!read_dims(c, &to, other))
		return false;
	if (!mp_input_onnx_broadcast(dims, &n, x->shape.at, x->shape.n) ||
		!mp_input_onnx_broadcast(dims, &n, other, to.n))
		return mp_input_onnx_wrong(
			c, "its input cannot be expanded to that shape");
	return mp_input_onnx_give(c, 0, ONNX_UNDEFINED, dims, n);
}

/* Opset 1 repeats one axis: input 1 says how often, input 2 which. */
static bool tile_axis(struct onnx_call *c, const struct onnx_value *x,
	const struct onnx_ints *often)
{
	struct onnx_ints axis;
	uint64_t times[ONNX_RANK];
	uint32_t place;

	if (!mp_input_onnx_list(c, 2, NULL, &axis))
		return false;
	if (axis.n != 1 || often->n != 1)
		return mp_input_onnx_wrong(c, "it needs one axis");
	if (!mp_input_onnx_axis(c, axis.at[0].i, x->shape.n, &place) ||
		!read_dims(c, often, times) ||
		!mp_input_onnx_give_like(c, 0, ONNX_UNDEFINED, x))
		return false;
	return num_mul(x->shape.at[place], times[0], &c->out[0].dims[place]) ||
	       mp_input_onnx_wrong(c, "its output is too large");
}

static bool tile(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	uint64_t times[ONNX_RANK], dim;
	struct onnx_ints often;

	if (!x || !mp_input_onnx_list(c, 1, NULL, &often))
		return false;
	if (mp_input_onnx_given(c, 2))
		return tile_axis(c, x, &often);
	if (often.n != x->shape.n)
		return mp_input_onnx_wrong(c,
			"it has %u repeats for %u dimensions", often.n,
			x->shape.n);
	if (!read_dims(c, &often, times) || !begin(c))
		return false;
	for (uint32_t i = 0; i < x->shape.n; i++) {
		if (!num_mul(x->shape.at[i], times[i], &dim))
			return mp_input_onnx_wrong(
				c, "its output is too large");
		if (!mp_input_onnx_push(c, 0, dim))
			return false;
	}
	return true;
}

/* Pads of the axes that are listed: all begins, then all ends. */
static bool pad(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	const char *name = mp_input_onnx_attribute(c->node, "paddings")
				   ? "paddings"
				   : "pads";
	struct onnx_ints pads, axes;
	uint32_t axis;
	int64_t dim;

	if (!x || !mp_input_onnx_list(c, 1, name, &pads) ||
		!mp_input_onnx_list(c, 3, NULL, &axes) ||
		!mp_input_onnx_give_like(c, 0, ONNX_UNDEFINED, x))
		return false;
	if (!axes.given)
		axes.n = x->shape.n;
	if (pads.n != 2 * axes.n || axes.n > x->shape.n)
		return mp_input_onnx_wrong(
			c, "it has %u pads for %u axes", pads.n, axes.n);
	for (uint32_t i = 0; i < axes.n; i++) {
		int64_t before = pads.at[i].i, after = pads.at[axes.n + i].i;

		axis = i;
		if (axes.given &&
			!mp_input_onnx_axis(c, axes.at[i].i, x->shape.n, &axis))
			return false;
		if (before > (int64_t)ONNX_DIM || after > (int64_t)ONNX_DIM ||
			before < -(int64_t)ONNX_DIM ||
			after < -(int64_t)ONNX_DIM)
			return mp_input_onnx_wrong(c, "a pad is out of range");
		dim = (int64_t)x->shape.at[axis] + before + after;
		if (dim < 0 || dim > (int64_t)ONNX_DIM)
			return mp_input_onnx_wrong(c,
				"axis %u would have %lld elements", axis,
				(long long)dim);
		c->out[0].dims[axis] = (uint64_t)dim;
	}
	return true;
}

static bool center_crop_pad(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	uint64_t dims[ONNX_RANK] = {0};
	struct onnx_ints sizes, axes;
	uint32_t axis;

	if (!x || !mp_input_onnx_list(c, 1, NULL, &sizes) ||
		!mp_input_onnx_ints(c, "axes", &axes) ||
		!read_dims(c, &sizes, dims) ||
		!mp_input_onnx_give_like(c, 0, ONNX_UNDEFINED, x))
		return false;
	if (sizes.n != (axes.given ? axes.n : x->shape.n))
		return mp_input_onnx_wrong(
			c, "it has %u sizes for its axes", sizes.n);
	for (uint32_t i = 0; i < sizes.n; i++) {
		axis = i;
		if (axes.given &&
			!mp_input_onnx_axis(c, axes.at[i].i, x->shape.n, &axis))
			return false;
		c->out[0].dims[axis] = dims[i];
	}
	return true;
}

/* ----------------------------------------------------------- gather */

static bool gather_along(struct onnx_call *c, const char *name, uint32_t type)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	const struct onnx_value *places = x ? mp_input_onnx_in(c, 1) : NULL;
	uint32_t axis;

	return places &&
	       mp_input_onnx_axis(
		       c, mp_input_onnx_int(c, name, 0), x->shape.n, &axis) &&
	       mp_input_onnx_give(c, 0, type, x->shape.at, axis) &&
	       push_all(c, places->shape.at, 0, places->shape.n) &&
	       push_all(c, x->shape.at, axis + 1, x->shape.n);
}

static bool gather(struct onnx_call *c)
{
	return gather_along(c, "axis", ONNX_UNDEFINED);
}

/* Rows of a table of integers, which may be packed in bytes, as numbers of the
 * type of their scales, input 2. */
static bool gather_quantized(struct onnx_call *c)
{
	const struct onnx_value *scales = mp_input_onnx_in(c, 2);
	int64_t bits = mp_input_onnx_int(c, "bits", 4);
	struct onnx_result *out = &c->out[0];

	if (!scales || !gather_along(c, "gather_axis", scales->type))
		return false;
	if (c->in[0]->type != ONNX_UINT8 || out->n_dims == 0)
		return true;
	if (bits < 1 || bits > 8)
		return mp_input_onnx_wrong(
			c, "'bits' is %lld", (long long)bits);
	out->dims[out->n_dims - 1] *= (uint64_t)(8 / bits);
	return true;
}

static bool gather_elements(struct onnx_call *c)
{
	const struct onnx_value *places = mp_input_onnx_in(c, 1);

	return places && mp_input_onnx_give_like(c, 0, ONNX_UNDEFINED, places);
}

static bool gather_nd(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	const struct onnx_value *places =
		x ? mp_input_onnx_ranked(c, 1, 1) : NULL;
	int64_t batch = mp_input_onnx_int(c, "batch_dims", 0);
	uint64_t depth;

	if (!places)
		return false;
	depth = places->shape.at[places->shape.n - 1];
	if (batch < 0 || batch > x->shape.n ||
		depth > x->shape.n - (uint64_t)batch)
		return mp_input_onnx_wrong(
			c, "its indices are deeper than its input");
	return begin(c) &&
	       push_all(c, places->shape.at, 0, places->shape.n - 1) &&
	       push_all(c, x->shape.at, (uint32_t)((uint64_t)batch + depth),
		       x->shape.n);
}

enum {
	V = ONNX_VIEW | ONNX_IN_PLACE,
	S = ONNX_SLICES,
};

static const struct onnx_rule rows[] = {
	{"CenterCropPad", center_crop_pad, NULL, 0},
	{"Concat", concat, mp_input_onnx_fold_concat, 0},
	{"Expand", expand, mp_input_onnx_fold_expand, V},
	{"Flatten", flatten, mp_input_onnx_fold_same, V},
	{"Gather", gather, mp_input_onnx_fold_gather, 0},
	{"GatherElements", gather_elements, mp_input_onnx_fold_gather_elements,
		0},
	{"GatherND", gather_nd, NULL, ONNX_ALSO_MICROSOFT},
	{"Pad", pad, NULL, ONNX_ALSO_MICROSOFT},
	{"Reshape", reshape, mp_input_onnx_fold_same, V},
	{"Slice", slice, mp_input_onnx_fold_slice, S},
	{"Split", split, mp_input_onnx_fold_split, S},
	{"Squeeze", squeeze, mp_input_onnx_fold_same, V},
	{"Tile", tile, mp_input_onnx_fold_tile, V},
	{"Transpose", transpose, mp_input_onnx_fold_transpose, 0},
	{"Unsqueeze", unsqueeze, mp_input_onnx_fold_same, V},
	{"com.microsoft.GatherBlockQuantized", gather_quantized, NULL, 0},
	{"com.microsoft.QLinearConcat", quantized_concat, NULL, 0},
};

const struct onnx_family mp_input_onnx_moves = ONNX_FAMILY(rows);
