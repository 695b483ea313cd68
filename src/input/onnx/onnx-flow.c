/*
 * Graphs in graphs: If, and calls of functions. If its condition is known, an
 * If is its branch. Else both branches are laid out one behind the other, and
 * the tensors of one may have the bytes of those of the other: the If is a
 * choice, which stands in the branch that it is written in.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "input/onnx/inside.h"

/* ----------------------------------------------------------- graphs */

/* Graphs in graphs are walked as often as they stand in the file, those of
 * functions as often as they are called: a small file could be much work. */
static bool count_bytes(
	struct onnx_build *b, const struct onnx_node *node, uint64_t bytes)
{
	b->parsed += bytes;
	return b->parsed <= (uint64_t)ONNX_DEPTH * b->source.file->length +
				    (UINT64_C(1) << 28) ||
	       mp_input_onnx_fail(b, node,
		       "the functions of the model are too large when they "
		       "are written out");
}

static bool open_scope(struct onnx_build *b, const struct onnx_scope *around,
	const struct onnx_node *node, struct onnx_scope *inner)
{
	const char *name = mp_input_onnx_prefixed(b, around, node->name);

	*inner = (struct onnx_scope){.caller = around,
		.opset = around->opset,
		.is_written = around->is_written,
		.depth = around->depth + 1};
	if (inner->depth > ONNX_DEPTH)
		return mp_input_onnx_fail(b, node,
			"graphs are nested deeper than %d", ONNX_DEPTH);
	inner->prefix =
		name ? mp_arena_print(b->source.arena, "%s/", name) : NULL;
	return inner->prefix != NULL;
}

bool mp_input_onnx_open_graph(struct onnx_build *b,
	const struct onnx_scope *scope, const struct onnx_node *node,
	const char *attribute, struct onnx_scope *inner)
{
	const struct onnx_attribute *a =
		mp_input_onnx_attribute(node, attribute);
	struct onnx_graph *graph = NEW(b->source.arena, struct onnx_graph, 1);

	if (!graph || !open_scope(b, scope, node, inner))
		return false;
	if (!a || !a->g.at)
		return mp_input_onnx_fail(
			b, node, "it has no graph '%s'", attribute);
	inner->outer = scope;
	if (!count_bytes(b, node, a->g.n) ||
		!mp_input_onnx_parse_graph(&b->source, a->g, graph))
		return false;
	for (uint32_t i = 0; i < graph->inputs.n; i++)
		if (!mp_input_onnx_parse_type(&b->source, &graph->inputs.at[i]))
			return false;
	return mp_input_onnx_scope_init(b, inner, graph) &&
	       mp_input_onnx_initializers(b, inner);
}

bool mp_input_onnx_result(struct onnx_build *b, const struct onnx_scope *scope,
	uint32_t k, uint32_t *value)
{
	const struct onnx_declared *output = &scope->graph->outputs.at[k];

	*value = mp_input_onnx_find(scope, output->key);
	if (*value != NONE && *value != ONNX_ABSENT)
		return true;
	return mp_fail(b->source.error, MEMPLAN_EINPUT,
		"%s: at byte %zu: no node makes the output '%.80s'",
		b->source.file->name, output->place, output->name);
}

/* Output k of the node is a value from inside, which takes its name if it has
 * no other one outside. */
static bool hand_out(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_node *node, uint32_t k, uint32_t value,
	uint32_t first_inside)
{
	struct proto_bytes name = node->outputs.at[k];

	if (value >= first_inside) {
		b->values[value]->name = mp_input_onnx_prefixed(b, scope, name);
		if (!b->values[value]->name)
			return false;
	}
	return mp_input_onnx_define(b, scope, name, value, node->place);
}

static bool hand_out_all(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_node *node, const struct onnx_scope *inner,
	uint32_t first_inside)
{
	uint32_t value;

	if (node->outputs.n > inner->graph->outputs.n)
		return mp_input_onnx_fail(b, node,
			"it has %u outputs, and its graph has %u",
			node->outputs.n, inner->graph->outputs.n);
	for (uint32_t k = 0; k < node->outputs.n; k++)
		if (node->outputs.at[k].n > 0 &&
			(!mp_input_onnx_result(b, inner, k, &value) ||
				!hand_out(b, scope, node, k, value,
					first_inside)))
			return false;
	return true;
}

struct onnx_op *mp_input_onnx_flow_op(struct onnx_build *b,
	const struct onnx_scope *scope, const struct onnx_node *node,
	const char *suffix)
{
	const char *name = mp_input_onnx_prefixed(b, scope, node->name);
	struct onnx_op *op;

	if (!name)
		return NULL;
	op = mp_input_onnx_op_add(b,
		mp_arena_print(b->source.arena, "%s/%s", name, suffix),
		node->type);
	if (op)
		op->barrier = true;
	return op;
}

/* --------------------------------------------------------------- If */

static bool take_branch(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_node *node, bool then)
{
	uint32_t first = b->n_values;
	struct onnx_scope inner;

	return mp_input_onnx_open_graph(b, scope, node,
		       then ? "then_branch" : "else_branch", &inner) &&
	       mp_input_onnx_walk(b, &inner) &&
	       hand_out_all(b, scope, node, &inner, first);
}

/* Both branches; their outputs are in the scopes. */
static bool lay_out_branches(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_node *node, struct onnx_scope branches[2])
{
	static const char *const names[] = {"then_branch", "else_branch"};
	struct choice_site around = b->site;
	uint32_t choice = b->n_choices;
	bool fine = true;

	b->sites = mp_arena_grow(b->source.arena, b->sites, choice,
		&b->room_sites, sizeof(*b->sites));
	if (!b->sites)
		return false;
	b->sites[b->n_choices++] = around;
	for (uint32_t i = 0; i < 2 && fine; i++) {
		b->site = (struct choice_site){choice, i};
		fine = mp_input_onnx_open_graph(
			       b, scope, node, names[i], &branches[i]) &&
		       mp_input_onnx_walk(b, &branches[i]);
	}
	b->site = around;
	return fine;
}

/* Output k comes from either branch: an op reads both and writes it. */
static bool join(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_node *node, const struct onnx_scope branches[2],
	uint32_t k)
{
	struct onnx_op *op = mp_input_onnx_flow_op(b, scope, node, "join");
	const struct onnx_value *larger;
	struct onnx_value *joined;
	uint32_t either[2], value;

	if (!op)
		return false;
	for (uint32_t i = 0; i < 2; i++)
		if (!mp_input_onnx_result(b, &branches[i], k, &either[i]) ||
			!mp_input_onnx_reads(b, node, op, either[i]))
			return false;
	larger = b->values[either[b->values[either[1]]->bytes >
				  b->values[either[0]]->bytes]];
	joined = mp_input_onnx_make(b, scope,
		mp_input_onnx_symbol(b, scope, node->outputs.at[k]),
		node->place, &value);
	return joined &&
	       mp_input_onnx_set_shape(b, joined, larger->type,
		       larger->shape.at, larger->shape.n, node->place) &&
	       mp_input_onnx_writes(b, node, op, value);
}

static bool lay_out_if(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_node *node, uint32_t condition)
{
	struct onnx_scope branches[2];
	struct onnx_op *op = mp_input_onnx_flow_op(b, scope, node, "if");

	if (!op || !mp_input_onnx_reads(b, node, op, condition) ||
		!lay_out_branches(b, scope, node, branches))
		return false;
	for (uint32_t i = 0; i < 2; i++)
		if (node->outputs.n > branches[i].graph->outputs.n)
			return mp_input_onnx_fail(b, node,
				"it has %u outputs, and a branch has %u",
				node->outputs.n, branches[i].graph->outputs.n);
	for (uint32_t k = 0; k < node->outputs.n; k++)
		if (node->outputs.at[k].n > 0 &&
			!join(b, scope, node, branches, k))
			return false;
	return true;
}

static bool walk_if(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_node *node)
{
	const struct onnx_value *value;
	uint32_t condition;

	if (!mp_input_onnx_input(b, scope, node, 0, &condition))
		return false;
	if (condition == NONE)
		return mp_input_onnx_fail(b, node, "it has no condition");
	value = b->values[condition];
	if (value->content && value->n == 1 &&
		mp_input_onnx_class(value->type) == ONNX_INTEGER)
		return take_branch(b, scope, node, value->content->i != 0);
	return lay_out_if(b, scope, node, condition);
}

/* -------------------------------------------------------- functions */

/* *found NULL: there is none. False: memory is out. */
static bool find_function(struct onnx_build *b, const struct onnx_node *node,
	const struct onnx_function **found)
{
	const char *key;
	uint32_t i;

	*found = NULL;
	if (b->model.n_functions == 0)
		return true;
	key = mp_arena_print(b->source.arena, "%s:%s:%s", node->domain,
		node->type, node->overload);
	if (!key)
		return false;
	i = mp_names_find(&b->model.function_names, key);
	if (i != NONE)
		*found = &b->model.functions[i];
	return true;
}

static bool is_inside(
	const struct onnx_scope *scope, const struct onnx_function *function)
{
	for (; scope; scope = scope->caller)
		if (scope->function == function)
			return true;
	return false;
}

/* Formal inputs stand for values of the call. */
static bool define_formals(struct onnx_build *b, const struct onnx_scope *scope,
	const struct onnx_node *node, struct onnx_scope *inner)
{
	uint32_t value;

	if (node->inputs.n > inner->graph->inputs.n)
		return mp_input_onnx_fail(b, node,
			"it has %u inputs, and its function has %u",
			node->inputs.n, inner->graph->inputs.n);
	for (uint32_t i = 0; i < inner->graph->inputs.n; i++) {
		const struct onnx_declared *formal =
			&inner->graph->inputs.at[i];

		if (!mp_input_onnx_input(b, scope, node, i, &value) ||
			!mp_input_onnx_define(b, inner, formal->key,
				value == NONE ? ONNX_ABSENT : value,
				formal->place))
			return false;
	}
	return true;
}

static bool call(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_node *node, const struct onnx_function *function)
{
	struct onnx_graph *graph = NEW(b->source.arena, struct onnx_graph, 1);
	uint32_t first = b->n_values;
	struct onnx_scope inner;

	if (is_inside(scope, function))
		return mp_input_onnx_fail(b, node, "the function calls itself");
	if (!graph || !open_scope(b, scope, node, &inner) ||
		!count_bytes(b, node, function->message.n) ||
		!mp_input_onnx_parse_function(&b->source, function, graph))
		return false;
	inner.function = function;
	inner.is_written = true;
	inner.call = node;
	if (function->opset > 0)
		inner.opset = function->opset;
	return mp_input_onnx_scope_init(b, &inner, graph) &&
	       define_formals(b, scope, node, &inner) &&
	       mp_input_onnx_walk(b, &inner) &&
	       hand_out_all(b, scope, node, &inner, first);
}

bool mp_input_onnx_flow(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_node *node, bool *is_flow)
{
	const struct onnx_function *function;

	*is_flow = true;
	if (!find_function(b, node, &function))
		return false;
	if (function)
		return call(b, scope, node, function);
	*is_flow = node->rule && !node->rule->shape;
	if (!*is_flow)
		return true;
	if (strcmp(node->type, "If") == 0)
		return walk_if(b, scope, node);
	if (strcmp(node->type, "Loop") == 0)
		return mp_input_onnx_loop(b, scope, node);
	assert(strcmp(node->type, "Scan") == 0);
	return mp_input_onnx_scan(b, scope, node);
}
