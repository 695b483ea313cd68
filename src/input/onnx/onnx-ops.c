/*
 * The table of ops: its families, and the search for a node's rule.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "input/onnx/inside.h"

static const struct onnx_family *const families[] = {
	&mp_input_onnx_plain,
	&mp_input_onnx_windows,
	&mp_input_onnx_moves,
	&mp_input_onnx_reductions,
	&mp_input_onnx_matrices,
	&mp_input_onnx_generators,
	&mp_input_onnx_recurrent,
};

/* Rows of a family ascend by name, as strcmp() compares. */
static int by_name(const void *name, const void *row)
{
	return strcmp(name, ((const struct onnx_rule *)row)->name);
}

static const struct onnx_rule *find(const char *name)
{
	const struct onnx_rule *rule = NULL;

	for (uint32_t f = 0; f < countof(families) && !rule; f++)
		rule = bsearch(name, families[f]->rules, families[f]->n,
			sizeof(*rule), by_name);
	return rule;
}

static bool serves(const struct onnx_rule *rule, const char *domain)
{
	if (rule->traits & ONNX_ONLY_TRAINING)
		return strcmp(domain, "ai.onnx.preview.training") == 0;
	if (strcmp(domain, "com.microsoft") == 0)
		return rule->traits &
		       (ONNX_ALSO_MICROSOFT | ONNX_ONLY_MICROSOFT);
	return *domain == '\0' && !(rule->traits & ONNX_ONLY_MICROSOFT);
}

const struct onnx_rule *mp_input_onnx_rule(const struct onnx_node *node)
{
	const struct onnx_rule *rule = find(node->type);

	return rule && serves(rule, node->domain) ? rule : NULL;
}

const char *mp_input_onnx_nearest(const struct onnx_node *node)
{
	uint32_t best = (uint32_t)num_min(4, strlen(node->type));
	const char *nearest = NULL;

	for (uint32_t f = 0; f < countof(families); f++)
		for (uint32_t i = 0; i < families[f]->n; i++)
			if (serves(&families[f]->rules[i], node->domain) &&
				mp_names_is_nearer(families[f]->rules[i].name,
					node->type, &best))
				nearest = families[f]->rules[i].name;
	return nearest;
}

/* ------------------------------------------------------------- list */

/* Ops that have graphs, which onnx-flow.c lays out. */
static const struct onnx_rule flow[] = {
	{"If", NULL, NULL, 0},
	{"Loop", NULL, NULL, 0},
	{"Scan", NULL, NULL, 0},
};

static const char *summary_of(const struct onnx_rule *rule)
{
	bool folds = rule->fold != NULL;

	if (!rule->shape)
		return "its graphs are laid out";
	if (rule->traits & ONNX_VIEW)
		return folds ? "shape, content; a view" : "shape; a view";
	if (rule->traits & ONNX_SLICES)
		return folds ? "shape, content; slices" : "shape; slices";
	if (rule->traits & (ONNX_IN_PLACE | ONNX_ANY_PLACE))
		return folds ? "shape, content; in place" : "shape; in place";
	return folds ? "shape, content" : "shape";
}

const char *mp_input_onnx_op(uint32_t i, const char **summary)
{
	const struct onnx_rule *rule = NULL;

	for (uint32_t f = 0; f < countof(families) && !rule; f++) {
		if (i < families[f]->n)
			rule = &families[f]->rules[i];
		else
			i -= families[f]->n;
	}
	if (!rule && i < countof(flow))
		rule = &flow[i];
	if (!rule)
		return NULL;
	*summary = summary_of(rule);
	return rule->name;
}
