/*
 * Tests of the table of ops: a search finds every row.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "input/onnx/inside.h"

/* A family is searched by halves, so its rows ascend; and no row hides one of
 * another family. */
Test(onnx_ops, every_row_is_found)
{
	static const char *const domains[] = {
		"", "com.microsoft", "ai.onnx.preview.training"};
	const char *name, *summary;
	uint32_t n = 0;

	for (; (name = mp_input_onnx_op(n, &summary)); n++) {
		bool found = strcmp(summary, "its graphs are laid out") == 0;

		for (size_t i = 0; i < countof(domains); i++) {
			struct onnx_node node = {
				.type = name, .domain = domains[i]};
			const struct onnx_rule *rule =
				mp_input_onnx_rule(&node);

			found |= rule && strcmp(rule->name, name) == 0;
		}
		cr_expect(found, "%s", name);
	}
	cr_expect_gt(n, 190);
}

Test(onnx_ops, a_domain_has_its_own)
{
	struct onnx_node node = {
		.type = "Attention", .domain = "com.microsoft"};

	cr_expect_null(mp_input_onnx_rule(&node));
	cr_expect_null(mp_input_onnx_nearest(
		&(struct onnx_node){.type = "Qqqqqq", .domain = ""}));
	cr_expect_str_eq(mp_input_onnx_nearest(&(struct onnx_node){
				 .type = "Reluu", .domain = ""}),
		"Relu");
}
