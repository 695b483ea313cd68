/*
 * Fuzz target of the reader of ONNX: the last byte says what views are, the
 * others are the model.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include "input/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error e = {0};
	struct arena arena = {.error = &e, .limit = 256 << 20};
	struct input input = {0};
	struct graph graph = {.name = "a", .place = "a"};
	bool fine;

	if (size == 0)
		return 0;
	input.files[ROLE_MAIN] =
		(struct input_file){"a", (const char *)data, size - 1};
	input.views = (enum views)(data[size - 1] % N_VIEWS);
	input.keeps_constants = data[size - 1] / N_VIEWS % 2;
	mp_input_onnx_recognise(&input.files[ROLE_MAIN]);
	fine = mp_input_onnx_read(&input, &graph, &arena, &e) &&
	       mp_graph_link(&graph, &arena, &e) &&
	       mp_graph_constrain(&graph, &arena, &e);
	mp_testing_fuzz_expect(fine == (e.code == MEMPLAN_OK),
		"%s, with status %d: '%s'", fine ? "read" : "refused",
		(int)e.code, e.text);
	mp_testing_fuzz_expect(e.code != MEMPLAN_EINTERNAL, "%s", e.text);
	mp_arena_free(&arena);
	return 0;
}
