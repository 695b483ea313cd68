/*
 * Rules of attention: of ONNX's own domain, and of com.microsoft, of which
 * optimised transformers are made.
 *
 * SPDX-License-Identifier: MIT
 */

#include "input/onnx/inside.h"

/* ------------------------------------------------------- ONNX's own */

struct heads {
	uint64_t batch, length; /* of the queries */
	uint64_t q, kv;		/* heads */
	uint64_t key, value;	/* elements a head */
	uint64_t keys;		/* length of the new keys */
};

static bool divide(
	struct onnx_call *c, uint64_t dim, uint64_t heads, uint64_t *each)
{
	if (heads == 0 || heads > ONNX_DIM || dim % heads)
		return mp_input_onnx_wrong(c,
			"%llu elements do not make %llu heads",
			(unsigned long long)dim, (unsigned long long)heads);
	*each = dim / heads;
	return true;
}

/* Queries, keys and values: heads are an axis, or packed in the last one. */
static bool read_heads(struct onnx_call *c, struct heads *h)
{
	const struct onnx_value *q = mp_input_onnx_ranked(c, 0, 3);
	const struct onnx_value *k = q ? mp_input_onnx_ranked(c, 1, 3) : NULL;
	const struct onnx_value *v = k ? mp_input_onnx_ranked(c, 2, 3) : NULL;

	if (!v)
		return false;
	if (q->shape.n != k->shape.n || q->shape.n != v->shape.n)
		return mp_input_onnx_wrong(
			c, "its queries, keys and values differ in rank");
	*h = (struct heads){.batch = q->shape.at[0]};
	if (q->shape.n == 3) {
		h->length = q->shape.at[1];
		h->keys = k->shape.at[1];
		h->q = (uint64_t)mp_input_onnx_int(c, "q_num_heads", 0);
		h->kv = (uint64_t)mp_input_onnx_int(c, "kv_num_heads", 0);
		return divide(c, k->shape.at[2], h->kv, &h->key) &&
		       divide(c, v->shape.at[2], h->kv, &h->value);
	}
	h->q = q->shape.at[1];
	h->length = q->shape.at[2];
	h->kv = k->shape.at[1];
	h->keys = k->shape.at[2];
	h->key = k->shape.at[3 % k->shape.n];
	h->value = v->shape.at[3 % v->shape.n];
	return true;
}

/* How long the past in input k is: its last axis but one. 0: it is not given.
 */
static bool read_past(
	struct onnx_call *c, uint32_t k, uint32_t rank, uint64_t *length)
{
	const struct onnx_value *past;

	*length = 0;
	if (!mp_input_onnx_given(c, k))
		return true;
	past = mp_input_onnx_ranked(c, k, rank);
	if (past)
		*length = past->shape.at[rank - 2];
	return past != NULL;
}

static bool give_result(struct onnx_call *c, const struct heads *h)
{
	uint64_t wide;

	if (c->in[0]->shape.n != 3)
		return mp_input_onnx_give(
			       c, 0, ONNX_UNDEFINED, c->in[0]->shape.at, 3) &&
		       mp_input_onnx_push(c, 0, h->value);
	if (!num_mul(h->q, h->value, &wide))
		return mp_input_onnx_wrong(c, "it has too many heads");
	return mp_input_onnx_give(
		       c, 0, ONNX_UNDEFINED, c->in[0]->shape.at, 2) &&
	       mp_input_onnx_push(c, 0, wide);
}

static bool attention(struct onnx_call *c)
{
	uint64_t past;
	struct heads h = {0};

	if (!read_heads(c, &h) || !give_result(c, &h) ||
		!read_past(c, 4, 4, &past))
		return false;

	const uint64_t keys[] = {h.batch, h.kv, past + h.keys, h.key};
	const uint64_t values[] = {h.batch, h.kv, past + h.keys, h.value};
	const uint64_t scores[] = {h.batch, h.q, h.length, past + h.keys};

	return mp_input_onnx_give(c, 1, ONNX_UNDEFINED, keys, 4) &&
	       mp_input_onnx_give(c, 2, ONNX_UNDEFINED, values, 4) &&
	       mp_input_onnx_give(c, 3, ONNX_UNDEFINED, scores, 4);
}

static bool linear_attention(struct onnx_call *c)
{
	struct heads h = {0};

	if (!read_heads(c, &h) || !give_result(c, &h))
		return false;

	const uint64_t state[] = {h.batch, h.kv, h.key, h.value};

	return mp_input_onnx_give(c, 1, ONNX_UNDEFINED, state, 4);
}

/* ---------------------------------------------------- com.microsoft */

/* Of input 0 (batch, length, ...) the output has the first two dimensions. */
static bool give_rows(struct onnx_call *c, uint32_t type, uint64_t wide)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 2);

	return x && mp_input_onnx_give(c, 0, type, x->shape.at, 2) &&
	       mp_input_onnx_push(c, 0, wide);
}

static bool read_n_heads(
	struct onnx_call *c, const char *name, uint64_t *n_heads)
{
	int64_t n = mp_input_onnx_int(c, name, 0);

	*n_heads = (uint64_t)n;
	return (n > 0 && n <= ONNX_STRIDE) ||
	       mp_input_onnx_wrong(c, "'%s' is missing or out of range", name);
}

/* Elements of a value in all heads: an attribute, or a third of what the
 * weights make of an input. */
static bool read_wide(
	struct onnx_call *c, const struct onnx_value *weight, uint64_t *wide)
{
	struct onnx_ints sizes;

	if (!mp_input_onnx_ints(c, "qkv_hidden_sizes", &sizes))
		return false;
	*wide = sizes.n == 3 ? (uint64_t)sizes.at[2].i
			     : weight->shape.at[weight->shape.n - 1] / 3;
	return true;
}

/* What a cache of keys or values becomes: as long as the past, input k, and
 * this run. A past in a buffer that all runs share has room for both. */
static bool give_cache(struct onnx_call *c, uint32_t out, uint32_t type,
	uint32_t past, bool is_shared, uint64_t *dims, uint32_t n)
{
	uint64_t before;

	if (!read_past(c, past, n, &before))
		return false;
	if (is_shared && mp_input_onnx_given(c, past))
		return mp_input_onnx_give_like(c, out, type, c->in[past]);
	dims[n - 2] += before;
	return mp_input_onnx_give(c, out, type, dims, n);
}

/* Keys and values, one behind the other. */
static bool give_present(struct onnx_call *c, uint32_t type, uint32_t past,
	uint64_t n_heads, uint64_t wide)
{
	const struct onnx_value *x = c->in[0];
	bool is_shared =
		mp_input_onnx_int(c, "past_present_share_buffer", 0) != 0;
	uint64_t dims[] = {
		2, x->shape.at[0], n_heads, x->shape.at[1], wide / n_heads};

	return give_cache(c, 1, type, past, is_shared, dims, 5);
}

static bool attend(struct onnx_call *c, uint32_t type, uint32_t past)
{
	const struct onnx_value *weight = mp_input_onnx_ranked(c, 1, 1);
	uint64_t wide, n_heads;

	return weight && read_wide(c, weight, &wide) &&
	       read_n_heads(c, "num_heads", &n_heads) &&
	       give_rows(c, type, wide) &&
	       give_present(c, type, past, n_heads, wide);
}

static bool merged_attention(struct onnx_call *c)
{
	return attend(c, ONNX_UNDEFINED, 4);
}

/* Its inputs are integers; their scale, input 3, is of the output's type. */
static bool quantized_attention(struct onnx_call *c)
{
	const struct onnx_value *scale = mp_input_onnx_in(c, 3);

	return scale && attend(c, scale->type, 8);
}

/* Queries, keys and values in inputs 0 to 2; keys and values may be packed in
 * input 1, all three in input 0. Packed ones have five dimensions: batch,
 * length, heads, which of them, elements. */
static bool read_parts(
	struct onnx_call *c, uint64_t n_heads, uint64_t *length, uint64_t *wide)
{
	const struct onnx_value *q = mp_input_onnx_ranked(c, 0, 3);
	const struct onnx_value *k = q, *v;

	if (q && mp_input_onnx_given(c, 1))
		k = mp_input_onnx_ranked(c, 1, 3);
	v = k;
	if (k && mp_input_onnx_given(c, 2))
		v = mp_input_onnx_ranked(c, 2, 3);
	if (!v)
		return false;
	*length = k->shape.at[k->shape.n == 4 ? 2 : 1];
	*wide = v->shape.n == 3	  ? v->shape.at[2]
		: v->shape.n == 4 ? n_heads * v->shape.at[3]
				  : n_heads * v->shape.at[v->shape.n - 1];
	return true;
}

static bool multi_head_attention(struct onnx_call *c)
{
	uint64_t n_heads, length, wide, query;

	if (!read_n_heads(c, "num_heads", &n_heads) ||
		!read_parts(c, n_heads, &length, &wide) ||
		!give_rows(c, ONNX_UNDEFINED, wide))
		return false;
	query = c->in[0]->shape.n == 3 ? c->in[0]->shape.at[2] : wide;

	bool is_shared = mp_input_onnx_given(c, 8); /* how much is past */
	uint64_t batch = c->in[0]->shape.at[0];
	uint64_t keys[] = {batch, n_heads, length, query / n_heads};
	uint64_t values[] = {batch, n_heads, length, wide / n_heads};

	return give_cache(c, 1, ONNX_UNDEFINED, 6, is_shared, keys, 4) &&
	       give_cache(c, 2, ONNX_UNDEFINED, 7, is_shared, values, 4);
}

/* Caches of a decoder, inputs 5 and 6, that all runs share. */
static bool decoder_attention(struct onnx_call *c)
{
	uint64_t n_heads, length, wide;

	if (!read_n_heads(c, "num_heads", &n_heads) ||
		!read_parts(c, n_heads, &length, &wide) ||
		!give_rows(c, ONNX_UNDEFINED, wide))
		return false;
	for (uint32_t k = 1; k < 3; k++)
		if (mp_input_onnx_given(c, k + 4) && c->in[k + 4]->shaped &&
			!mp_input_onnx_give_like(
				c, k, ONNX_UNDEFINED, c->in[k + 4]))
			return false;
	return true;
}

/* The caches have room for the past, or for all that input 6 says. If that is
 * not known, the model may declare their shapes. */
static bool give_grouped(
	struct onnx_call *c, uint32_t out, uint64_t n_heads, uint64_t each)
{
	uint64_t dims[] = {c->in[0]->shape.at[0], n_heads, 0, each};
	struct onnx_ints total;

	if (out >= c->n_out)
		return true;
	if (!read_past(c, out + 2, 4, &dims[2]))
		return false;
	if (!mp_input_onnx_given(c, 6) || !c->in[6]->content ||
		!mp_input_onnx_list(c, 6, NULL, &total) || total.n != 1 ||
		total.at[0].i < 0)
		return true;
	dims[2] = num_max(dims[2], (uint64_t)total.at[0].i);
	return mp_input_onnx_give(c, out, ONNX_UNDEFINED, dims, 4);
}

/* Several heads of queries share one of keys and values. Without keys all are
 * packed in input 0. */
static bool grouped_attention(struct onnx_call *c)
{
	const struct onnx_value *q = mp_input_onnx_ranked(c, 0, 3);
	uint64_t n_heads, n_shared, all, each = 0;

	if (!q || !read_n_heads(c, "num_heads", &n_heads) ||
		!read_n_heads(c, "kv_num_heads", &n_shared))
		return false;
	all = n_heads + (mp_input_onnx_given(c, 1) ? 0 : 2 * n_shared);
	return divide(c, q->shape.at[2], all, &each) &&
	       give_rows(c, ONNX_UNDEFINED, n_heads * each) &&
	       give_grouped(c, 1, n_shared, each) &&
	       give_grouped(c, 2, n_shared, each);
}

/* Words, input 0, as rows of a table, input 2; how long each sentence is; and
 * the sum of the tables' rows. */
static bool embed(struct onnx_call *c)
{
	const struct onnx_value *table = mp_input_onnx_ranked(c, 2, 2);

	return table && give_rows(c, table->type, table->shape.at[1]) &&
	       mp_input_onnx_give(c, 1, ONNX_INT32, c->in[0]->shape.at, 1) &&
	       mp_input_onnx_give(c, 2, table->type, c->in[0]->shape.at, 2) &&
	       mp_input_onnx_push(c, 2, table->shape.at[1]);
}

/* A table of biases, input 0, for lengths that inputs 1 and 2 say. */
static bool position_bias(struct onnx_call *c)
{
	const struct onnx_value *table = mp_input_onnx_ranked(c, 0, 2);
	struct onnx_ints query, key;

	if (!table || !mp_input_onnx_list(c, 1, NULL, &query) ||
		!mp_input_onnx_list(c, 2, NULL, &key))
		return false;
	if (query.n != 1 || key.n != 1)
		return mp_input_onnx_wrong(c, "a length is no single number");

	const uint64_t dims[] = {1, table->shape.at[1], (uint64_t)query.at[0].i,
		(uint64_t)key.at[0].i};

	return mp_input_onnx_give(c, 0, ONNX_UNDEFINED, dims, 4);
}

static const struct onnx_rule rows[] = {
	{"Attention", attention, NULL, 0},
	{"LinearAttention", linear_attention, NULL, ONNX_ALSO_MICROSOFT},
	{"com.microsoft.Attention", merged_attention, NULL, 0},
	{"com.microsoft.DecoderMaskedMultiHeadAttention", decoder_attention,
		NULL, 0},
	{"com.microsoft.DecoderMaskedSelfAttention", merged_attention, NULL, 0},
	{"com.microsoft.EmbedLayerNormalization", embed, NULL, 0},
	{"com.microsoft.GroupQueryAttention", grouped_attention, NULL, 0},
	{"com.microsoft.MultiHeadAttention", multi_head_attention, NULL, 0},
	{"com.microsoft.QAttention", quantized_attention, NULL, 0},
	{"com.microsoft.RelativePositionBias", position_bias, NULL, 0},
};

const struct onnx_family mp_input_onnx_attentions = ONNX_FAMILY(rows);
