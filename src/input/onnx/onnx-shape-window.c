/*
 * Rules of ops that move a window over their input, or change its resolution.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <math.h>

#include "input/onnx/inside.h"

/* ----------------------------------------------------------- window */

/* A window, one entry an axis of the image. */
struct window {
	uint32_t n;
	uint64_t kernel[ONNX_RANK];
	int64_t stride[ONNX_RANK], dilation[ONNX_RANK];
	int64_t begin[ONNX_RANK], end[ONNX_RANK]; /* pads */
	bool same; /* auto_pad: the output has ceil(x / stride) */
	bool ceil;
};

/* A list of an attribute with an entry an axis, each from `least` on. */
static bool read_list(struct onnx_call *c, const char *name, uint32_t n,
	int64_t least, int64_t otherwise, int64_t *values)
{
	struct onnx_ints ints;

	if (!mp_input_onnx_ints(c, name, &ints))
		return false;
	for (uint32_t i = 0; i < n; i++)
		values[i] = i < ints.n ? ints.at[i].i : otherwise;
	if (ints.given && ints.n != n)
		return mp_input_onnx_wrong(
			c, "'%s' has %u numbers and needs %u", name, ints.n, n);
	for (uint32_t i = 0; i < n; i++)
		if (values[i] < least || values[i] > ONNX_STRIDE)
			return mp_input_onnx_wrong(
				c, "'%s' has %lld", name, (long long)values[i]);
	return true;
}

static bool read_pads(struct onnx_call *c, struct window *w)
{
	int64_t pads[2 * ONNX_RANK];
	bool valid = mp_input_onnx_text_is(c, "auto_pad", "VALID");

	w->same = mp_input_onnx_text_is(c, "auto_pad", "SAME_UPPER") ||
		  mp_input_onnx_text_is(c, "auto_pad", "SAME_LOWER");
	if (!read_list(c, "pads", 2 * w->n, -ONNX_STRIDE, 0, pads))
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		w->begin[i] = valid ? 0 : pads[i];
		w->end[i] = valid ? 0 : pads[w->n + i];
	}
	return true;
}

/* The window over the axes from 2 on of an input of that rank. Its kernel is
 * that of the attribute, else that of a weight, if there is one. */
static bool read_window(struct onnx_call *c, uint32_t rank,
	const struct onnx_value *weight, struct window *w)
{
	struct onnx_ints kernel;

	assert(rank >= 2);
	*w = (struct window){.n = rank - 2};
	if (!mp_input_onnx_ints(c, "kernel_shape", &kernel))
		return false;
	if (!kernel.given && !weight)
		return mp_input_onnx_wrong(c, "'kernel_shape' is missing");
	if (kernel.given ? kernel.n != w->n : weight->shape.n != rank)
		return mp_input_onnx_wrong(c,
			"its kernel has not the %u dimensions of its input",
			w->n);
	for (uint32_t i = 0; i < w->n; i++) {
		w->kernel[i] = kernel.given ? (uint64_t)kernel.at[i].i
					    : weight->shape.at[2 + i];
		if (w->kernel[i] < 1 || w->kernel[i] > (uint64_t)ONNX_STRIDE)
			return mp_input_onnx_wrong(c, "its kernel has %lld",
				(long long)w->kernel[i]);
	}
	w->ceil = mp_input_onnx_int(c, "ceil_mode", 0) != 0;
	return read_list(c, "strides", w->n, 1, 1, w->stride) &&
	       read_list(c, "dilations", w->n, 1, 1, w->dilation) &&
	       read_pads(c, w);
}

/* How often the window fits into axis i of that many elements. */
static bool fit(struct onnx_call *c, const struct window *w, uint32_t i,
	uint64_t x, uint64_t *out)
{
	int64_t extent = ((int64_t)w->kernel[i] - 1) * w->dilation[i] + 1;
	int64_t stride = w->stride[i], rest, n;

	if (w->same) {
		*out = (x + (uint64_t)stride - 1) / (uint64_t)stride;
		return true;
	}
	rest = (int64_t)x + w->begin[i] + w->end[i] - extent;
	if (rest < 0)
		return mp_input_onnx_wrong(c,
			"a window of %lld does not fit axis %u of %llu with "
			"its pads",
			(long long)extent, i + 2, (unsigned long long)x);
	n = (w->ceil ? (rest + stride - 1) / stride : rest / stride) + 1;
	if (w->ceil && (n - 1) * stride >= (int64_t)x + w->begin[i])
		n--; /* a window that begins in the pads behind */
	*out = (uint64_t)n;
	return true;
}

static bool push_fits(struct onnx_call *c, uint32_t k, const struct window *w,
	const struct onnx_value *x)
{
	uint64_t dim = 0;

	for (uint32_t i = 0; i < w->n; i++)
		if (!fit(c, w, i, x->shape.at[2 + i], &dim) ||
			!mp_input_onnx_push(c, k, dim))
			return false;
	return true;
}

/* ------------------------------------------------------ convolution */

static bool convolve(struct onnx_call *c, uint32_t weight, uint32_t type)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 2);
	const struct onnx_value *w =
		x ? mp_input_onnx_ranked(c, weight, 2) : NULL;
	struct window window;

	if (!w || !read_window(c, x->shape.n, w, &window))
		return false;
	window.ceil = false;
	return mp_input_onnx_give(c, 0, type, x->shape.at, 1) &&
	       mp_input_onnx_push(c, 0, w->shape.at[0]) &&
	       push_fits(c, 0, &window, x);
}

static bool conv(struct onnx_call *c)
{
	return convolve(c, 1, ONNX_UNDEFINED);
}

static bool conv_integer(struct onnx_call *c)
{
	return convolve(c, 1, ONNX_INT32);
}

static bool quantized_conv(struct onnx_call *c)
{
	const struct onnx_value *zero = mp_input_onnx_in(c, 7);

	return zero && convolve(c, 3, zero->type);
}

/* One axis of the output of a transposed convolution. */
static int64_t spread(
	const struct window *w, uint32_t i, uint64_t x, int64_t more)
{
	int64_t extent = ((int64_t)w->kernel[i] - 1) * w->dilation[i] + 1;

	if (w->same)
		return (int64_t)x * w->stride[i];
	return w->stride[i] * ((int64_t)x - 1) + more + extent - w->begin[i] -
	       w->end[i];
}

static bool conv_transpose(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 2);
	const struct onnx_value *weight =
		x ? mp_input_onnx_ranked(c, 1, 2) : NULL;
	int64_t more[ONNX_RANK], dim;
	int64_t group = mp_input_onnx_int(c, "group", 1);
	struct onnx_ints wanted;
	struct window w;

	if (!weight || !read_window(c, x->shape.n, weight, &w) ||
		!read_list(c, "output_padding", w.n, 0, 0, more) ||
		!mp_input_onnx_ints(c, "output_shape", &wanted))
		return false;
	if (group < 1 || group > ONNX_STRIDE ||
		(wanted.given && wanted.n < w.n))
		return mp_input_onnx_wrong(
			c, "'group' or 'output_shape' is out of range");
	if (!mp_input_onnx_give(c, 0, ONNX_UNDEFINED, x->shape.at, 1) ||
		!mp_input_onnx_push(
			c, 0, weight->shape.at[1] * (uint64_t)group))
		return false;
	for (uint32_t i = 0; i < w.n; i++) {
		dim = wanted.given ? wanted.at[wanted.n - w.n + i].i
				   : spread(&w, i, x->shape.at[2 + i], more[i]);
		if (dim < 0)
			return mp_input_onnx_wrong(c,
				"axis %u of its output would have %lld "
				"elements",
				i + 2, (long long)dim);
		if (!mp_input_onnx_push(c, 0, (uint64_t)dim))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------- pooling */

static bool pool(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 2);
	struct window w;

	if (!x || !read_window(c, x->shape.n, NULL, &w))
		return false;
	for (uint32_t k = 0; k < c->n_out && k < 2; k++)
		if (!mp_input_onnx_give(c, k,
			    k == 0 ? ONNX_UNDEFINED : ONNX_INT64, x->shape.at,
			    2) ||
			!push_fits(c, k, &w, x))
			return false;
	return true;
}

static bool global_pool(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 2);

	if (!x || !mp_input_onnx_give(c, 0, ONNX_UNDEFINED, x->shape.at, 2))
		return false;
	for (uint32_t i = 2; i < x->shape.n; i++)
		if (!mp_input_onnx_push(c, 0, 1))
			return false;
	return true;
}

/* Channels of the image, for each region. */
static bool pool_regions(struct onnx_call *c, uint64_t height, uint64_t width)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 2);
	const struct onnx_value *regions =
		x ? mp_input_onnx_ranked(c, 1, 1) : NULL;

	return regions &&
	       mp_input_onnx_give(c, 0, ONNX_UNDEFINED, regions->shape.at, 1) &&
	       mp_input_onnx_push(c, 0, x->shape.at[1]) &&
	       mp_input_onnx_push(c, 0, height) &&
	       mp_input_onnx_push(c, 0, width);
}

static bool max_roi_pool(struct onnx_call *c)
{
	struct onnx_ints shape;

	if (!mp_input_onnx_ints(c, "pooled_shape", &shape))
		return false;
	if (shape.n != 2)
		return mp_input_onnx_wrong(c, "'pooled_shape' needs 2 numbers");
	return pool_regions(
		c, (uint64_t)shape.at[0].i, (uint64_t)shape.at[1].i);
}

static bool roi_align(struct onnx_call *c)
{
	return pool_regions(c,
		(uint64_t)mp_input_onnx_int(c, "output_height", 1),
		(uint64_t)mp_input_onnx_int(c, "output_width", 1));
}

/* A shape that input k says as a list. */
static bool give_list(struct onnx_call *c, uint32_t k, uint32_t type)
{
	struct onnx_ints list;

	if (!mp_input_onnx_list(c, k, NULL, &list) ||
		!mp_input_onnx_give(c, 0, type, NULL, 0))
		return false;
	for (uint32_t i = 0; i < list.n; i++)
		if (!mp_input_onnx_push(c, 0, (uint64_t)list.at[i].i))
			return false;
	return true;
}

static bool max_unpool(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 2);
	struct window w;
	int64_t dim;

	if (!x || mp_input_onnx_given(c, 2))
		return x && give_list(c, 2, ONNX_UNDEFINED);
	if (!read_window(c, x->shape.n, NULL, &w) ||
		!mp_input_onnx_give(c, 0, ONNX_UNDEFINED, x->shape.at, 2))
		return false;
	for (uint32_t i = 0; i < w.n; i++) {
		dim = ((int64_t)x->shape.at[2 + i] - 1) * w.stride[i] -
		      w.begin[i] - w.end[i] + (int64_t)w.kernel[i];
		if (!mp_input_onnx_push(c, 0, (uint64_t)dim))
			return false;
	}
	return true;
}

/* ----------------------------------------------------------- resize */

/* Axes that are resized: those of the attribute, or all. */
static bool resized_axes(
	struct onnx_call *c, uint32_t rank, uint32_t *axes, uint32_t *n)
{
	struct onnx_ints list;

	if (!mp_input_onnx_ints(c, "axes", &list))
		return false;
	*n = list.given ? list.n : rank;
	if (*n > rank)
		return mp_input_onnx_wrong(c, "'axes' has too many numbers");
	for (uint32_t i = 0; i < *n; i++) {
		axes[i] = i;
		if (list.given &&
			!mp_input_onnx_axis(c, list.at[i].i, rank, &axes[i]))
			return false;
	}
	return true;
}

static bool scaled(struct onnx_call *c, uint64_t x, double scale, double round,
	uint64_t *dim)
{
	double wanted = floor((double)x * scale + round);

	if (!(wanted >= 0 && wanted <= (double)ONNX_DIM))
		return mp_input_onnx_wrong(c,
			"a scale makes %llu elements too many or too few",
			(unsigned long long)x);
	*dim = (uint64_t)wanted;
	return true;
}

/* With a policy one scale serves all axes, so that the whole is no larger, or
 * no smaller, than the sizes say. */
static bool keep_aspect(struct onnx_call *c, const struct onnx_value *x,
	const uint32_t *axes, const struct onnx_ints *sizes, uint64_t *dims)
{
	bool larger = mp_input_onnx_text_is(
		c, "keep_aspect_ratio_policy", "not_smaller");
	double scale = 0, own;

	if (!larger && !mp_input_onnx_text_is(
			       c, "keep_aspect_ratio_policy", "not_larger"))
		return true;
	for (uint32_t i = 0; i < sizes->n; i++) {
		own = (double)sizes->at[i].i / (double)x->shape.at[axes[i]];
		if (i == 0 || (larger ? own > scale : own < scale))
			scale = own;
	}
	for (uint32_t i = 0; i < sizes->n; i++)
		if (!scaled(c, x->shape.at[axes[i]], scale, 0.5,
			    &dims[axes[i]]))
			return false;
	return true;
}

static bool resize_to_sizes(struct onnx_call *c, const struct onnx_value *x,
	uint32_t k, uint64_t *dims)
{
	uint32_t axes[ONNX_RANK], n;
	struct onnx_ints sizes;

	if (!mp_input_onnx_list(c, k, NULL, &sizes) ||
		!resized_axes(c, x->shape.n, axes, &n))
		return false;
	if (sizes.n != n)
		return mp_input_onnx_wrong(
			c, "it has %u sizes for %u axes", sizes.n, n);
	for (uint32_t i = 0; i < n; i++)
		dims[axes[i]] = (uint64_t)sizes.at[i].i;
	return keep_aspect(c, x, axes, &sizes, dims);
}

/* Scales are floats: of input k, or of the attribute of Upsample. */
static bool resize_by_scales(struct onnx_call *c, const struct onnx_value *x,
	uint32_t k, uint64_t *dims)
{
	const struct onnx_attribute *a =
		mp_input_onnx_attribute(c->node, "scales");
	uint32_t axes[ONNX_RANK] = {0}, n, n_scales;
	const union onnx_number *scales;

	if (!resized_axes(c, x->shape.n, axes, &n))
		return false;
	if (mp_input_onnx_given(c, k)) {
		scales = c->in[k]->content;
		n_scales = (uint32_t)c->in[k]->n;
		if (!scales || mp_input_onnx_class(c->in[k]->type) != ONNX_REAL)
			return mp_input_onnx_unknown(c, k);
	} else if (!a) {
		return mp_input_onnx_wrong(
			c, "it has neither sizes nor scales");
	} else if (!mp_input_onnx_attribute_floats(
			   c->source, a, &scales, &n_scales)) {
		return false;
	}
	if (n_scales != n)
		return mp_input_onnx_wrong(
			c, "it has %u scales for %u axes", n_scales, n);
	for (uint32_t i = 0; i < n; i++)
		if (!scaled(c, x->shape.at[axes[i]], scales[i].d, 0,
			    &dims[axes[i]]))
			return false;
	return true;
}

static bool resize(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	uint32_t scales = c->opset > 0 && c->opset < 11 ? 1 : 2;
	uint64_t dims[ONNX_RANK];
	bool fine;

	if (!x)
		return false;
	for (uint32_t i = 0; i < x->shape.n; i++)
		dims[i] = x->shape.at[i];
	/* An exporter may leave the scales empty where it gives sizes. */
	if (mp_input_onnx_given(c, 3) && c->in[3]->n > 0)
		fine = resize_to_sizes(c, x, 3, dims);
	else
		fine = resize_by_scales(c, x, scales, dims);
	return fine &&
	       mp_input_onnx_give(c, 0, ONNX_UNDEFINED, dims, x->shape.n);
}

static bool upsample(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	uint64_t dims[ONNX_RANK];

	return x && resize_by_scales(c, x, 1, dims) &&
	       mp_input_onnx_give(c, 0, ONNX_UNDEFINED, dims, x->shape.n);
}

/* ----------------------------------------------------------- blocks */

/* Channels become blocks of the image, or blocks become channels. */
static bool regroup(struct onnx_call *c, bool to_space)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 4);
	int64_t size = mp_input_onnx_int(c, "blocksize", 0);
	uint64_t block, in, out;

	if (!x)
		return false;
	if (size < 1 || size > 1 << 10)
		return mp_input_onnx_wrong(
			c, "'blocksize' is %lld", (long long)size);
	block = (uint64_t)size;
	in = to_space ? block * block : block;
	for (uint32_t i = 1; i < 4; i++)
		if (x->shape.at[i] % (i == 1		? (to_space ? in : 1)
					     : to_space ? 1
							: block))
			return mp_input_onnx_wrong(c,
				"axis %u of %llu is not made of blocks", i,
				(unsigned long long)x->shape.at[i]);
	out = to_space ? x->shape.at[1] / in : x->shape.at[1] * block * block;
	return mp_input_onnx_give(c, 0, ONNX_UNDEFINED, x->shape.at, 1) &&
	       mp_input_onnx_push(c, 0, out) &&
	       mp_input_onnx_push(c, 0,
		       to_space ? x->shape.at[2] * block
				: x->shape.at[2] / block) &&
	       mp_input_onnx_push(c, 0,
		       to_space ? x->shape.at[3] * block
				: x->shape.at[3] / block);
}

static bool depth_to_space(struct onnx_call *c)
{
	return regroup(c, true);
}

static bool space_to_depth(struct onnx_call *c)
{
	return regroup(c, false);
}

/* ------------------------------------------------------------ grids */

static bool grid_sample(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 2);
	const struct onnx_value *grid =
		x ? mp_input_onnx_ranked(c, 1, 2) : NULL;

	if (!grid || !mp_input_onnx_give(c, 0, ONNX_UNDEFINED, x->shape.at, 2))
		return false;
	for (uint32_t i = 1; i + 1 < grid->shape.n; i++)
		if (!mp_input_onnx_push(c, 0, grid->shape.at[i]))
			return false;
	return true;
}

/* The size is that of an image: N, C, then 2 or 3 axes. */
static bool affine_grid(struct onnx_call *c)
{
	struct onnx_ints size;

	if (!mp_input_onnx_list(c, 1, NULL, &size))
		return false;
	if (size.n != 4 && size.n != 5)
		return mp_input_onnx_wrong(
			c, "its size has %u numbers", size.n);
	if (!mp_input_onnx_give(c, 0, ONNX_UNDEFINED, NULL, 0))
		return false;
	for (uint32_t i = 0; i < size.n; i++)
		if (i != 1 && !mp_input_onnx_push(c, 0, (uint64_t)size.at[i].i))
			return false;
	return mp_input_onnx_push(c, 0, size.n - 2);
}

/* Input 1: the image; input 2: the block, which becomes columns. */
static bool col2im(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 2);
	struct onnx_ints image, block;
	uint64_t n = 1, product = 0;

	if (!x || !mp_input_onnx_list(c, 1, NULL, &image) ||
		!mp_input_onnx_list(c, 2, NULL, &block))
		return false;
	for (uint32_t i = 0; i < block.n; i++, n = product)
		if (block.at[i].i < 1 ||
			!num_mul(n, (uint64_t)block.at[i].i, &product))
			return mp_input_onnx_wrong(c, "its block is no shape");
	assert(n > 0);
	if (!mp_input_onnx_give(c, 0, ONNX_UNDEFINED, x->shape.at, 1) ||
		!mp_input_onnx_push(c, 0, x->shape.at[1] / n))
		return false;
	for (uint32_t i = 0; i < image.n; i++)
		if (!mp_input_onnx_push(c, 0, (uint64_t)image.at[i].i))
			return false;
	return true;
}

static const struct onnx_rule rows[] = {
	{"AffineGrid", affine_grid, NULL, 0},
	{"AveragePool", pool, NULL, 0},
	{"Col2Im", col2im, NULL, 0},
	{"Conv", conv, NULL, 0},
	{"ConvInteger", conv_integer, NULL, 0},
	{"ConvTranspose", conv_transpose, NULL, 0},
	{"DeformConv", conv, NULL, 0},
	{"DepthToSpace", depth_to_space, NULL, 0},
	{"com.microsoft.FusedConv", conv, NULL, 0},
	{"GlobalAveragePool", global_pool, NULL, 0},
	{"GlobalLpPool", global_pool, NULL, 0},
	{"GlobalMaxPool", global_pool, NULL, 0},
	{"GridSample", grid_sample, NULL, ONNX_ALSO_MICROSOFT},
	{"LpPool", pool, NULL, 0},
	{"MaxPool", pool, NULL, 0},
	{"MaxRoiPool", max_roi_pool, NULL, 0},
	{"MaxUnpool", max_unpool, NULL, 0},
	{"com.microsoft.QLinearAveragePool", pool, NULL, 0},
	{"QLinearConv", quantized_conv, NULL, 0},
	{"com.microsoft.QLinearGlobalAveragePool", global_pool, NULL, 0},
	{"Resize", resize, NULL, 0},
	{"RoiAlign", roi_align, NULL, 0},
	{"SpaceToDepth", space_to_depth, NULL, 0},
	{"Upsample", upsample, NULL, 0},
};

const struct onnx_family mp_input_onnx_windows = ONNX_FAMILY(rows);
