/*
 * Plans that TFLM cannot take, and entries that must stay empty.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "graph/tflite-file.h"
#include "testing/sample-plan.h"

static struct sample s;

static void expect_refusal(
	const char *row, enum memplan_status code, const char *words)
{
	s.error = (struct error){0};
	mp_testing_sample_emit(&s, row);
	cr_expect_eq(s.error.code, code, "%s", s.error.text);
	cr_expect(strstr(s.error.text, words), "%s", s.error.text);
}

static int32_t entry(uint32_t i)
{
	int32_t value;

	cr_assert_leq(4 * (i + 1), s.sink.length);
	memcpy(&value, s.sink.bytes + (size_t)4 * i, sizeof(value));
	return value;
}

static void emit(void)
{
	s.error = (struct error){0};
	mp_testing_sample_emit(&s, "tflm-offline");
	cr_assert_eq(s.error.code, MEMPLAN_OK, "%s", s.error.text);
}

Test(tflm_offline, refuses_what_tflm_cannot_take)
{
	struct tflite_file file;

	mp_testing_sample_chain(&s, 4);
	s.schedule.reordered = true;
	expect_refusal("tflite", MEMPLAN_EUSAGE, "another order");
	s.schedule.reordered = false;
	s.graph.alignment = 8;
	expect_refusal("tflm-offline", MEMPLAN_EUSAGE, "multiples of 16");
	s.graph.alignment = 512;
	s.plan.arena_size = (uint64_t)INT32_MAX + 1;
	expect_refusal("tflm-offline", MEMPLAN_NO, "2147483648");
	s.plan.arena_size = INT32_MAX;
	emit();
	file = *s.graph.tflite;
	s.graph.tflite = &file;
	file.refusal = "it is on fire";
	expect_refusal("tflite", MEMPLAN_EUSAGE, "it is on fire");
	emit();
	file.refusal = NULL;
	file.length = INT32_MAX;
	expect_refusal("tflite", MEMPLAN_EUSAGE, "more than 2 GiB");
	mp_testing_sample_free(&s);
}

/* The sample's model keeps entry 12 empty; see struct tflite_file. */
Test(tflm_offline, leaves_out_states_and_vacant_entries)
{
	const uint32_t head = 3, n = 16;

	mp_testing_sample_chain(&s, n);
	s.graph.tensors[5].kind = KIND_STATE;
	s.graph.tensors[7].size = 0;
	emit();
	cr_expect_eq(
		s.sink.length, 4 * ((size_t)head + s.graph.tflite->n_tensors));
	cr_expect_eq(entry(0), 1);
	cr_expect_eq(entry(2), (int32_t)s.graph.tflite->n_tensors);
	for (uint32_t i = 0; i < s.graph.tflite->n_tensors; i++)
		if (i == 5 || i == 7 || i == 12 || i > n)
			cr_expect_eq(entry(head + i), -1, "tensor %u", i);
		else
			cr_expect_eq(entry(head + i),
				(int32_t)s.plan.offsets[i], "tensor %u", i);
	cr_expect_eq(s.error.n_warnings, 2);
	mp_testing_sample_free(&s);
}
