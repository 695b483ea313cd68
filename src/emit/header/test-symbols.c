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
	cr_assert(text[0] != '_' && text[length - 1] != '_', "%s", text);
	cr_assert_not(strstr(text, "__"), "%s", text);
	for (; *text; text++)
		cr_assert(isalnum((unsigned char)*text) || *text == '_');
}

static bool same_but_for_case(const char *a, const char *b)
{
	while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
		a++, b++;
	return *a == *b;
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
			cr_assert_not(same_but_for_case(symbols[i], symbols[j]),
				"%s %s", symbols[i], symbols[j]);
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
	s.graph.tensors[0].external = true;
	symbols = mp_emit_symbols(&s.schedule, &s.arena);
	cr_assert_str_eq(symbols[2], "conv1");
	cr_assert_str_eq(symbols[4], first);
	cr_assert_str_eq(symbols[3], second);
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
