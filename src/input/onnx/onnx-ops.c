/*
 * The table of ops: its families, and the search for a node's rule.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "input/onnx/inside.h"

/* Ops that have graphs, which onnx-flow.c lays out. */
static const struct onnx_rule flow_rows[] = {
	{"If", NULL, NULL, 0},
	{"Loop", NULL, NULL, 0},
	{"Scan", NULL, NULL, 0},
};

static const struct onnx_family flow = ONNX_FAMILY(flow_rows);

static const struct onnx_family *const families[] = {
	&mp_input_onnx_plain,
	&mp_input_onnx_windows,
	&mp_input_onnx_moves,
	&mp_input_onnx_reductions,
	&mp_input_onnx_matrices,
	&mp_input_onnx_generators,
	&mp_input_onnx_recurrent,
	&mp_input_onnx_attentions,
	&mp_input_onnx_by_data,
	&flow,
};

enum {
	ROW_BITS = 16,	  /* of the index of a rule: those of its row */
	WHOLE_NAME = 128, /* room for "DOMAIN.TYPE"; no row's name is so long */
};

bool mp_input_onnx_name_rules(struct names *rules, struct arena *arena)
{
	uint32_t n = 0;

	for (uint32_t f = 0; f < countof(families); f++)
		n += families[f]->n;
	if (!mp_names_init(rules, n, arena))
		return false;
	for (uint32_t f = 0; f < countof(families); f++)
		for (uint32_t i = 0; i < families[f]->n; i++)
			mp_names_add(rules, families[f]->rules[i].name,
				f << ROW_BITS | i);
	return true;
}

/* "com.microsoft.Attention"; "Relu" of ONNX's own domain. */
static void name_whole(char whole[WHOLE_NAME], const struct onnx_node *node)
{
	snprintf(whole, WHOLE_NAME, "%s%s%s", node->domain,
		*node->domain ? "." : "", node->type);
}

static const struct onnx_rule *find(
	const struct names *rules, const char *name, size_t n)
{
	uint32_t found = mp_names_find_text(rules, name, n);

	if (found == NONE)
		return NULL;
	return &families[found >> ROW_BITS]
			->rules[found & ((1 << ROW_BITS) - 1)];
}

bool mp_input_onnx_find_rule(const struct onnx_source *source,
	const struct names *rules, struct onnx_node *node)
{
	const struct onnx_rule *rule =
		find(rules, (const char *)node->op.at, node->op.n);
	char whole[WHOLE_NAME];

	node->rule = *node->domain == '\0' ? rule : NULL;
	node->type =
		node->rule ? node->rule->name
			   : mp_input_onnx_text(source, node->op, node->place);
	if (*node->domain == '\0' || !node->type)
		return node->type != NULL;
	name_whole(whole, node);
	node->rule = find(rules, whole, strlen(whole));
	if (!node->rule && rule && rule->traits & ONNX_ALSO_MICROSOFT &&
		strcmp(node->domain, "com.microsoft") == 0)
		node->rule = rule;
	return true;
}

const char *mp_input_onnx_nearest(const struct onnx_node *node)
{
	uint32_t best = (uint32_t)num_min(4, strlen(node->type));
	const char *nearest = NULL;
	char whole[WHOLE_NAME];

	name_whole(whole, node);
	for (uint32_t f = 0; f < countof(families); f++)
		for (uint32_t i = 0; i < families[f]->n; i++)
			if (mp_names_is_nearer(
				    families[f]->rules[i].name, whole, &best))
				nearest = families[f]->rules[i].name;
	return nearest;
}

/* ------------------------------------------------------------- list */

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
	if (!rule)
		return NULL;
	*summary = summary_of(rule);
	return rule->name;
}
