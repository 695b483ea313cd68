/* SPDX-License-Identifier: MIT */
#include "emit/header/header.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <string.h>

#include "testing/sample-plan.h"

static struct sample s;

static void expect_symbol(const char *text, uint32_t most)
{
	size_t length = strlen(text);

	cr_assert(length > 0 && length <= most, "%s", text);
	for (; *text; text++)
		cr_assert(isalnum((unsigned char)*text) || *text == '_');
}

Test(symbols, differ_for_any_names)
{
	const char *const *symbols;

	mp_testing_sample_make(
		&s, mp_testing_sample_hostile, mp_testing_n_sample_hostile);
	symbols = mp_emit_symbols(&s.schedule, &s.arena);
	for (uint32_t i = 0; i < s.graph.n_tensors; i++) {
		expect_symbol(symbols[i], SYMBOL_MOST);
		for (uint32_t j = 0; j < i; j++)
			cr_assert_str_neq(symbols[i], symbols[j]);
	}
	mp_testing_sample_free(&s);
}

Test(symbols, keep_good_names_and_stay_when_others_come)
{
	const char *const few[] = {"conv1", "a/b", "a.b", "relu"};
	const char *const more[] = {"a b c", "new", "conv1", "a.b", "a/b"};
	const char *const *symbols;
	char first[SYMBOL_MOST + 1], second[SYMBOL_MOST + 1];

	mp_testing_sample_make(&s, few, 4);
	symbols = mp_emit_symbols(&s.schedule, &s.arena);
	cr_assert_str_eq(symbols[0], "conv1");
	strcpy(first, symbols[1]);
	strcpy(second, symbols[2]);
	cr_assert_str_neq(first, second);
	mp_testing_sample_free(&s);
	mp_testing_sample_make(&s, more, 5);
	s.graph.tensors[0].name = "conv1";
	s.schedule.stay[0].buffer = NONE;
	symbols = mp_emit_symbols(&s.schedule, &s.arena);
	cr_assert_str_eq(symbols[2], "conv1");
	cr_assert_str_eq(symbols[4], first);
	cr_assert_str_eq(symbols[3], second);
	mp_testing_sample_free(&s);
}

Test(symbols, are_the_names_where_they_can)
{
	static const struct {
		const char *name, *symbol;
	} cases[] = {
		{"relu_", "relu_"},
		{"relu__1", "relu__1"},
		{"_x", "_x"},
		{"W", "W"},
		{"w", "w"},
		{"model/layer1.0/conv:0", "model_layer1_0_conv_0"},
		{"/conv1/", "conv1"},
		{"a :: b", "a_b"},
		{"9lives", "9lives"},
		{"a_name_of_sixty_three_characters_is_the_longest_that_is_not_"
		 "cut",
			"a_name_of_sixty_three_characters_is_the_longest_that_"
			"is_not_cut"},
	};
	const char *names[countof(cases)];
	const char *const *symbols;

	for (size_t i = 0; i < countof(cases); i++)
		names[i] = cases[i].name;
	mp_testing_sample_make(&s, names, countof(cases));
	symbols = mp_emit_symbols(&s.schedule, &s.arena);
	for (size_t i = 0; i < countof(cases); i++)
		cr_expect_str_eq(symbols[i], cases[i].symbol);
	mp_testing_sample_free(&s);
}

Test(symbols, part_a_thousand_equal_names)
{
	const char *names[1000];
	const char *const *symbols;
	struct error e = {0};
	struct arena arena = {.error = &e};

	for (uint32_t i = 0; i < 1000; i++)
		names[i] = "same";
	mp_testing_sample_make(&s, names, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		s.graph.tensors[i].id = "";
	symbols = mp_emit_symbols(&s.schedule, &arena);
	for (uint32_t i = 1; i < 1000; i++)
		cr_assert_str_neq(symbols[i - 1], symbols[i]);
	mp_arena_free(&arena);
	mp_testing_sample_free(&s);
}

Test(symbols, start_with_a_letter_for_any_plan_name)
{
	struct error e = {0};
	struct arena arena = {.error = &e};

	for (uint32_t i = 0; i < mp_testing_n_sample_hostile; i++) {
		const char *prefix = mp_emit_symbol_prefix(
			mp_testing_sample_hostile[i], &arena);

		expect_symbol(prefix, PREFIX_MOST);
		cr_assert(isupper((unsigned char)prefix[0]), "%s", prefix);
	}
	cr_assert_str_eq(mp_emit_symbol_prefix("squeezenet-v1.1", &arena),
		"SQUEEZENET_V1_1");
	mp_arena_free(&arena);
}
