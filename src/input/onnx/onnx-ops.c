/*
 * The table of ops: its families, and the search for a node's rule.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
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
	&mp_input_onnx_attentions,
	&mp_input_onnx_by_data,
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

static const struct onnx_rule *find(const struct names *rules, const char *name)
{
	uint32_t found = mp_names_find(rules, name);

	if (found == NONE)
		return NULL;
	return &families[found >> ROW_BITS]
			->rules[found & ((1 << ROW_BITS) - 1)];
}

const struct onnx_rule *mp_input_onnx_rule(
	const struct names *rules, const struct onnx_node *node)
{
	char whole[WHOLE_NAME];
	const struct onnx_rule *rule;

	if (*node->domain == '\0')
		return find(rules, node->type);
	name_whole(whole, node);
	rule = find(rules, whole);
	if (rule || strcmp(node->domain, "com.microsoft") != 0)
		return rule;
	rule = find(rules, node->type);
	return rule && rule->traits & ONNX_ALSO_MICROSOFT ? rule : NULL;
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
