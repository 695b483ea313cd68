/*
 * Walks the nodes of a graph: each gets the shapes of its outputs and, where it
 * can, their content. Nodes with outputs that are known before the network runs
 * vanish; the others become ops.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "input/onnx/inside.h"

enum {
	MOST_KEPT = 1 << 24, /* numbers that are computed, of all contents */
};

/* A node on its way to an op. */
struct visit {
	struct onnx_build *build;
	struct onnx_scope *scope;
	const struct onnx_node *node;
	struct onnx_call call;
	uint32_t *in, *out; /* values; NONE: not given */
	bool wanted;	    /* an output is one of the model */
};

/* ----------------------------------------------------- initializers */

static bool add_initializer(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_tensor *tensor)
{
	struct onnx_value *value;
	uint32_t index;

	value = mp_input_onnx_make(b, scope,
		mp_input_onnx_symbol(b, scope, tensor->name), tensor->place,
		&index);
	if (!value || !mp_input_onnx_set_shape(b, value, tensor->type,
			      tensor->dims, tensor->n_dims, tensor->place))
		return false;
	value->constant = true;
	value->kind = KIND_WEIGHT;
	if (tensor->sparse)
		value->bytes = tensor->sparse_bytes;
	if (tensor->location && !b->location)
		b->location = tensor->location;
	return mp_input_onnx_content(
		&b->source, tensor, value->n, &value->content);
}

bool mp_input_onnx_initializers(struct onnx_build *b, struct onnx_scope *scope)
{
	struct onnx_reading r =
		mp_input_onnx_begin(&b->source, scope->graph->weights);
	struct onnx_tensor tensor;

	for (uint32_t i = 0; i < scope->graph->n_initializers; i++)
		if (!mp_input_onnx_next_weight(&r, &tensor) ||
			!add_initializer(b, scope, &tensor))
			return false;
	return true;
}

/* ------------------------------------------------------- references */

/* In a function an attribute may stand for one of the call, or for a default.
 */
static const struct onnx_attribute *referred(
	const struct onnx_scope *scope, struct proto_bytes name)
{
	const struct onnx_attribute *found;

	while (!scope->function && scope->caller)
		scope = scope->caller;
	if (!scope->function)
		return NULL;
	found = mp_input_onnx_find_attribute(&scope->call->attributes, name);
	return found ? found
		     : mp_input_onnx_find_attribute(
			       &scope->graph->defaults, name);
}

/* What attributes stand for takes their place; those that stand for none go. */
static void settle_attributes(
	const struct onnx_scope *scope, struct onnx_node *node)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < node->attributes.n; i++) {
		const struct onnx_attribute *a = &node->attributes.at[i],
					    *to = a;
		struct proto_bytes name = a->name;

		if (a->ref.at)
			to = referred(scope, a->ref);
		if (!to)
			continue;
		if (to != &node->attributes.at[n])
			node->attributes.at[n] = *to;
		node->attributes.at[n++].name = name;
	}
	node->attributes.n = n;
}

bool mp_input_onnx_input(struct onnx_build *b, const struct onnx_scope *scope,
	const struct onnx_node *node, uint32_t k, uint32_t *value)
{
	const char *name;

	*value = NONE;
	if (k >= node->inputs.n || node->inputs.at[k].n == 0)
		return true;
	*value = mp_input_onnx_find(scope, node->inputs.at[k]);
	if (*value == NONE) {
		name = mp_input_onnx_text(
			&b->source, node->inputs.at[k], node->place);
		return name && mp_input_onnx_fail(b, node,
				       "it reads '%.80s', which no node before "
				       "it makes",
				       name);
	}
	if (*value == ONNX_ABSENT)
		*value = NONE;
	return true;
}

/* ----------------------------------------------------------- shapes */

/* Dimensions count only up to n_dims. */
static void clear(struct onnx_result *result)
{
	result->n_dims = 0;
	result->type = ONNX_UNDEFINED;
	result->shaped = false;
	result->kind = NULL;
	result->content = NULL;
	result->n = 0;
}

/* Room for the values of the node, for their results and one more. */
static bool make_room(struct onnx_build *b, const struct onnx_node *node)
{
	const uint32_t n_out = (uint32_t)num_min(node->outputs.n, ONNX_RESULTS);
	struct onnx_values *v = node->values;

	if (v->room_in < node->inputs.n) {
		v->room_in = node->inputs.room;
		v->in = NEW(b->source.arena, uint32_t, v->room_in);
		v->read = NEW(
			b->source.arena, const struct onnx_value *, v->room_in);
	}
	if (v->room_out < node->outputs.n) {
		v->room_out = node->outputs.room;
		v->out = NEW(b->source.arena, uint32_t, v->room_out);
	}
	if (n_out >= b->room_results) {
		b->room_results = (n_out | 15) + 1;
		b->results = NEW(
			b->source.arena, struct onnx_result, b->room_results);
	}
	return (v->in || node->inputs.n == 0) &&
	       (v->read || node->inputs.n == 0) &&
	       (v->out || node->outputs.n == 0) && b->results;
}

static bool begin(struct visit *v)
{
	struct onnx_build *b = v->build;
	const struct onnx_values *values = v->node->values;

	if (!make_room(b, v->node))
		return false;
	v->in = values->in;
	v->out = values->out;
	for (uint32_t k = 0; k < v->node->inputs.n; k++) {
		if (!mp_input_onnx_input(b, v->scope, v->node, k, &v->in[k]))
			return false;
		values->read[k] = v->in[k] == NONE ? NULL : b->values[v->in[k]];
	}
	v->call = (struct onnx_call){.source = &b->source,
		.node = v->node,
		.rule = v->node->rule,
		.in = values->read,
		.out = b->results,
		.n_in = v->node->inputs.n,
		.n_out = (uint32_t)num_min(v->node->outputs.n, ONNX_RESULTS),
		.opset = v->scope->opset,
		.most = b->wants_most,
		.unknown = NONE};
	for (uint32_t k = 0; k <= v->call.n_out; k++)
		clear(&b->results[k]);
	return true;
}

static bool fail_rule(const struct visit *v)
{
	return mp_input_onnx_fail(v->build, v->node, "%s",
		v->call.why ? v->call.why : "out of memory");
}

/* Asks the rule. False: an error. */
static bool ask(struct visit *v)
{
	struct onnx_call *c = &v->call;

	if (!c->rule)
		return true;
	if (!c->rule->shape(c)) {
		for (uint32_t k = 0; k < c->n_out; k++) {
			c->out[k].shaped = false;
			c->out[k].kind = NULL;
		}
		if (v->build->source.error->code != MEMPLAN_OK)
			return false;
		return c->wrong ? fail_rule(v) : true;
	}
	if (c->rule->fold && c->n_out > 0 && v->build->contents < MOST_KEPT) {
		c->rule->fold(c);
		for (uint32_t k = 0; k < c->n_out; k++)
			v->build->contents +=
				c->out[k].n * ((uint64_t)c->n_in + 1);
	}
	return v->build->source.error->code == MEMPLAN_OK;
}

/* Values of graphs in graphs are said by their whole names. */
static bool fail_no_rule(const struct visit *v, const char *output)
{
	const struct onnx_node *node = v->node;
	const char *prefix = v->scope->prefix;
	const char *nearest = mp_input_onnx_nearest(node);

	return mp_input_onnx_fail(v->build, node,
		"op '%.60s%s%.60s' is not known%s%s%s and '%.80s' has no "
		"declared shape: give --shape %.80s%.80s=1x16x64",
		node->domain, *node->domain ? "." : "", node->type,
		nearest ? " (did you mean '" : "", nearest ? nearest : "",
		nearest ? "'?)" : "", output, prefix, output);
}

/* The first name of a dimension that the value is declared to have, and that
 * has no value; NULL: there is none, or --dim does not help. */
static const char *open_dim(
	const struct visit *v, const struct onnx_symbol *symbol)
{
	const struct onnx_declared *declared =
		mp_input_onnx_declaration(v->scope, symbol);
	const char *open = NULL;
	uint64_t value;

	if (!declared || !declared->shaped)
		return NULL;
	for (uint32_t i = declared->n_dims; i-- > 0;) {
		const struct onnx_dim *dim = &declared->dims[i];

		if (dim->known ||
			(dim->name && mp_input_onnx_bound_dim(v->build->input,
					      dim->name, &value)))
			continue;
		if (!dim->name)
			return NULL;
		open = dim->name;
	}
	return open;
}

static bool fail_unshaped(
	const struct visit *v, const struct onnx_symbol *symbol)
{
	const char *output = symbol->name;
	const struct onnx_call *c = &v->call;
	const char *open = open_dim(v, symbol);
	const char *most = c->has_most ? ", or --shape '*=most' for the "
					 "largest that all such may be"
				       : "";

	v->build->hopeless = true;
	if (!c->rule)
		return fail_no_rule(v, output);
	if (c->unknown == NONE)
		return mp_input_onnx_fail(v->build, v->node,
			"the shape of '%.80s' depends on data: give %s%.80s%s"
			"--shape %.80s%.80s=1x16x64%s",
			output, open ? "--dim " : "", open ? open : "",
			open ? "=N, or " : "", v->scope->prefix, output, most);
	return mp_input_onnx_fail(v->build, v->node,
		"the content of input %u '%.80s' is not known: give --value, "
		"or --shape %.80s%.80s=1x16x64%s",
		c->unknown, c->in[c->unknown]->name, v->scope->prefix, output,
		most);
}

/* A declared shape that the rule contradicts is counted; the rule wins. */
static void compare_declared(struct visit *v, const struct onnx_symbol *symbol,
	const struct onnx_result *result)
{
	uint64_t dims[ONNX_RANK];
	uint32_t n, type;

	if (symbol->declared == NONE ||
		!mp_input_onnx_said_shape(
			v->build, v->scope, symbol, dims, &n, &type))
		return;
	if (n == result->n_dims &&
		memcmp(dims, result->dims, n * sizeof(*dims)) == 0)
		return;
	if (v->build->n_contradictions++ == 0)
		v->build->contradiction = symbol->name;
}

/* The declared shape, or that of --shape, where the rule has none. */
static bool use_said(struct visit *v, const struct onnx_symbol *symbol,
	struct onnx_result *result)
{
	const struct onnx_declared *declared =
		mp_input_onnx_declaration(v->scope, symbol);
	uint32_t type, known = result->type;

	if (declared && declared->kind) {
		result->kind = declared->kind;
		return true;
	}
	if (!mp_input_onnx_said_shape(v->build, v->scope, symbol, result->dims,
		    &result->n_dims, &type))
		return fail_unshaped(v, symbol);
	if (type == ONNX_UNDEFINED)
		type = known;
	if (type == ONNX_UNDEFINED && mp_input_onnx_given(&v->call, 0))
		type = v->call.in[0]->type;
	result->type = type;
	result->content = NULL;
	return true;
}

/* Output k as a value. */
static bool add_output(struct visit *v, uint32_t k)
{
	struct onnx_build *b = v->build;
	struct onnx_symbol *symbol =
		mp_input_onnx_symbol(b, v->scope, v->node->outputs.at[k]);
	struct onnx_result *result = &b->results[num_min(k, ONNX_RESULTS)];
	struct onnx_value *value;

	if (!symbol)
		return false;
	if (k >= ONNX_RESULTS)
		clear(result);
	if (result->shaped)
		compare_declared(v, symbol, result);
	else if (!result->kind && !use_said(v, symbol, result))
		return false;
	v->wanted |= symbol->declared < v->scope->graph->outputs.n;
	value = mp_input_onnx_make(
		b, v->scope, symbol, v->node->place, &v->out[k]);
	if (!value)
		return false;
	value->fault = result->kind;
	if (!result->kind &&
		!mp_input_onnx_set_shape(b, value, result->type, result->dims,
			result->n_dims, v->node->place))
		return false;
	if (result->content && result->n == value->n)
		value->content = result->content;
	return true;
}

/* ------------------------------------------------------------ nodes */

/* Are all inputs the same in every run, and so the outputs? */
static bool is_constant(const struct visit *v)
{
	uint32_t n = 0;

	if (v->call.rule && v->call.rule->traits & ONNX_RANDOM)
		return false;
	for (uint32_t k = 0; k < v->node->inputs.n; k++) {
		if (v->in[k] == NONE)
			continue;
		n++;
		if (!v->build->values[v->in[k]]->constant)
			return false;
	}
	return n > 0 || v->call.rule;
}

static bool is_known(const struct visit *v)
{
	for (uint32_t k = 0; k < v->node->outputs.n; k++)
		if (v->out[k] != NONE && !v->build->values[v->out[k]]->content)
			return false;
	return true;
}

/* Does the node vanish? Its outputs are then as weights are. */
static bool vanishes(const struct visit *v)
{
	if (v->wanted && !v->scope->caller)
		return false;
	if (v->build->input->keeps_constants)
		return strcmp(v->node->type, "Constant") == 0;
	return is_known(v) || is_constant(v);
}

static bool walk_op(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_node *node)
{
	struct visit v = {.build = b, .scope = scope, .node = node};

	if (!begin(&v) || !ask(&v))
		return false;
	for (uint32_t k = 0; k < node->outputs.n; k++) {
		v.out[k] = NONE;
		if (node->outputs.at[k].n > 0 && !add_output(&v, k))
			return false;
	}
	if (!vanishes(&v))
		return mp_input_onnx_emit(b, scope, &v.call);
	for (uint32_t k = 0; k < node->outputs.n; k++)
		if (v.out[k] != NONE) {
			b->values[v.out[k]]->constant = true;
			b->values[v.out[k]]->kind = KIND_WEIGHT;
		}
	return true;
}

static bool walk_node(
	struct onnx_build *b, struct onnx_scope *scope, struct onnx_node *node)
{
	bool is_flow;

	if (!mp_input_onnx_find_rule(&b->source, &b->rules, node))
		return false;
	if (b->n_nodes++ == ONNX_NODES)
		return mp_input_onnx_fail(
			b, node, "there are more than %d nodes", ONNX_NODES);
	if (scope->is_written && b->n_written++ == ONNX_WRITTEN)
		return mp_input_onnx_fail(b, node,
			"the functions have more than %d nodes when they are "
			"written out",
			ONNX_WRITTEN);
	settle_attributes(scope, node);
	if (!mp_input_onnx_flow(b, scope, node, &is_flow))
		return false;
	return is_flow || walk_op(b, scope, node);
}

/* The node that is being walked at a depth. */
static struct onnx_node *node_at(struct onnx_build *b, uint32_t depth)
{
	struct onnx_node *node = b->nodes[depth];

	if (node)
		return node;
	node = NEW(b->source.arena, struct onnx_node, 1);
	if (!node)
		return NULL;
	node->values = NEW(b->source.arena, struct onnx_values, 1);
	b->nodes[depth] = node->values ? node : NULL;
	return b->nodes[depth];
}

bool mp_input_onnx_walk(struct onnx_build *b, struct onnx_scope *scope)
{
	struct onnx_reading r =
		mp_input_onnx_begin(&b->source, scope->graph->message);
	struct onnx_node *node = node_at(b, scope->depth);

	if (!node)
		return false;
	for (uint32_t i = 0; i < scope->graph->n_nodes; i++)
		if (!mp_input_onnx_next_node(&r, scope->graph, node) ||
			!walk_node(b, scope, node))
			return false;
	return true;
}
