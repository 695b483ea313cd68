/*
 * Tests of the table of ops: a search finds every row.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "input/onnx/inside.h"

/* All rules by their names, of an arena that the caller frees. */
static struct names name_rules(struct arena *arena, struct error *e)
{
	struct names rules;

	*e = (struct error){0};
	*arena = (struct arena){.error = e};
	cr_assert(mp_input_onnx_name_rules(&rules, arena));
	return rules;
}

/* No row hides one of another family. */
Test(onnx_ops, every_row_is_found)
{
	struct error e;
	struct arena arena;
	struct names rules = name_rules(&arena, &e);
	const struct input_file file = {"m", "", 0};
	const struct onnx_source source = {&file, &arena, &e};
	const char *name, *summary;
	uint32_t n = 0;

	for (; (name = mp_input_onnx_op(n, &summary)); n++) {
		const char *dot = strrchr(name, '.');
		char domain[64] = "";
		struct onnx_node node = {
			.op = mp_input_onnx_bytes(dot ? dot + 1 : name),
			.domain = domain};

		if (dot)
			snprintf(domain, sizeof(domain), "%.*s",
				(int)(dot - name), name);
		cr_assert(mp_input_onnx_find_rule(&source, &rules, &node));
		cr_expect_str_eq(node.type, dot ? dot + 1 : name);
		cr_expect(node.rule && strcmp(node.rule->name, name) == 0, "%s",
			name);
	}
	cr_expect_gt(n, 250);
	mp_arena_free(&arena);
}

Test(onnx_ops, a_domain_has_its_own)
{
	struct onnx_node own = {
		.op = mp_input_onnx_bytes("Attention"), .domain = ""};
	struct onnx_node other = {.op = own.op, .domain = "com.microsoft"};
	struct onnx_node only = {.op = mp_input_onnx_bytes("Softmax"),
		.domain = "com.microsoft"};
	struct onnx_node both = {
		.op = mp_input_onnx_bytes("Gelu"), .domain = "com.microsoft"};
	struct error e;
	struct arena arena;
	struct names rules = name_rules(&arena, &e);
	const struct input_file file = {"m", "", 0};
	const struct onnx_source source = {&file, &arena, &e};

	struct onnx_node *nodes[] = {&own, &other, &only, &both};

	for (uint32_t i = 0; i < countof(nodes); i++)
		cr_assert(mp_input_onnx_find_rule(&source, &rules, nodes[i]));
	cr_expect_neq(own.rule, other.rule);
	cr_expect_null(only.rule);
	cr_expect_str_eq(both.rule->name, "Gelu");
	cr_expect_null(mp_input_onnx_nearest(
		&(struct onnx_node){.type = "Qqqqqq", .domain = ""}));
	cr_expect_str_eq(mp_input_onnx_nearest(&(struct onnx_node){
				 .type = "Reluu", .domain = ""}),
		"Relu");
	mp_arena_free(&arena);
}
