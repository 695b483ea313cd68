/*
 * Fuzz target of all readers: the bytes are split into the files of the roles,
 * and the first one's content says which reader it is for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include "input/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error e = {0};
	struct arena arena = {.error = &e, .limit = 256 << 20};
	struct input input = {0};
	struct graph graph;
	bool fine;

	mp_testing_fuzz_split(data, size, input.files, N_ROLES);
	fine = mp_input_read(&input, &graph, &arena, &e) &&
	       mp_graph_link(&graph, &arena, &e);
	mp_testing_fuzz_expect(fine == (e.code == MEMPLAN_OK),
		"%s, with status %d: '%s'", fine ? "read" : "refused",
		(int)e.code, e.text);
	mp_testing_fuzz_expect(e.code != MEMPLAN_EINTERNAL, "%s", e.text);
	mp_arena_free(&arena);
	return 0;
}
