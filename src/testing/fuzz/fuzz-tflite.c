/*
 * Fuzz target of the reader of TFLite models: the bytes are a model. Those of
 * other readers may have the byte that splits files in them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include "input/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error e = {0};
	struct arena arena = {.error = &e, .limit = 256 << 20};
	struct input input = {.files = {{"model", (const char *)data, size}}};
	struct graph graph = {.name = "model", .place = "model"};
	bool fine = mp_input_tflite_read(&input, &graph, &arena, &e) &&
		    mp_graph_link(&graph, &arena, &e) &&
		    mp_graph_constrain(&graph, &arena, &e);

	mp_testing_fuzz_expect(fine == (e.code == MEMPLAN_OK),
		"%s, with status %d: '%s'", fine ? "read" : "refused",
		(int)e.code, e.text);
	mp_testing_fuzz_expect(e.code != MEMPLAN_EINTERNAL, "%s", e.text);
	mp_arena_free(&arena);
	return 0;
}
