/*
 * What holds for every row of the table of emitters.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "testing/sample-plan.h"

static struct sample s;

/* Every allocation of an emitter fails once as the limit rises. */
static uint32_t count_failures(const struct emitter *row, bool limit_sink)
{
	uint64_t held = s.arena.held;
	struct arena_mark mark = mp_arena_mark(&s.arena);
	uint32_t failures = 0;
	bool done = false;

	for (uint64_t limit = 1; !done; limit += limit / 4 + 64) {
		mp_sink_free(&s.sink);
		s.sink.limit = limit_sink ? limit : 0;
		s.arena.limit = limit_sink ? 0 : held + limit;
		s.error = (struct error){0};
		row->run(&s.results, &s.sink, &s.arena);
		done = s.error.code == MEMPLAN_OK;
		cr_assert(done || s.error.code == MEMPLAN_ENOMEM, "%s",
			row->name);
		failures += !done;
		mp_arena_rewind(&s.arena, mark);
	}
	s.arena.limit = s.sink.limit = 0;
	return failures;
}

Test(emitters, fail_cleanly_when_memory_is_out)
{
	mp_testing_sample_chain(&s, 1000);
	for (uint32_t i = 0; i < mp_n_emitters; i++) {
		cr_assert(count_failures(&mp_emitters[i], true) > 0, "%s",
			mp_emitters[i].name);
		count_failures(&mp_emitters[i], false);
	}
	mp_testing_sample_free(&s);
}

Test(emitters, write_the_same_bytes_again)
{
	char *first;
	size_t length;

	mp_testing_sample_make(
		&s, mp_testing_sample_hostile, mp_testing_n_sample_hostile);
	for (uint32_t i = 0; i < mp_n_emitters; i++) {
		mp_testing_sample_emit(&s, mp_emitters[i].name);
		length = s.sink.length;
		first = malloc(length + 1);
		memcpy(first, s.sink.bytes, length);
		mp_testing_sample_emit(&s, mp_emitters[i].name);
		cr_assert_eq(s.sink.length, length);
		cr_assert_eq(memcmp(first, s.sink.bytes, length), 0, "%s",
			mp_emitters[i].name);
		free(first);
	}
	mp_testing_sample_free(&s);
}

Test(emitters, have_names_and_suffixes_of_their_own)
{
	for (uint32_t i = 0; i < mp_n_emitters; i++) {
		const struct emitter *row = &mp_emitters[i];

		cr_assert_eq(mp_emit_find(row->name), row);
		if (row->suffix) {
			char name[64] = "some.file";

			strcat(name, row->suffix);
			cr_assert_eq(mp_emit_for(name), row, "%s", name);
			cr_assert_neq(mp_emit_for(row->suffix), row);
		}
	}
	cr_assert_not(mp_emit_for("plan"));
	cr_assert_not(mp_emit_find(""));
}
