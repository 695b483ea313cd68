/*
 * Fuzz target of sweeps: the bytes are read as a list of tasks, of which the
 * first get titles and keys; as an answer; and, with the seal that an answer
 * must have, as an answer again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include "batch/batch.h"

enum {
	TRIED = 8, /* tasks */
};

static const char key[] =
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

static void expect_sound(bool fine, const struct error *error)
{
	mp_testing_fuzz_expect(fine == (error->code == MEMPLAN_OK), "%d: '%s'",
		fine, error->text);
	mp_testing_fuzz_expect(
		error->code != MEMPLAN_EINTERNAL, "%s", error->text);
}

static void read_tasks(const struct input_file *file)
{
	static const struct settings none;
	struct error error = {.code = MEMPLAN_OK};
	struct arena arena = {.error = &error};
	struct sink sink = {.error = &error};
	struct task_file graph = {"graph", "a/b", ""};
	struct tasks tasks;
	struct task task;
	char name[SHA256_TEXT];
	bool fine = mp_batch_read(file, &tasks, &arena, &error);

	expect_sound(fine, &error);
	for (uint32_t i = 0; fine && i < tasks.n && i < TRIED; i++) {
		fine = mp_batch_task(&tasks, i, &none, &task, &arena, &error);
		mp_testing_fuzz_expect(fine, "a task is read once only");
		mp_testing_fuzz_expect(
			mp_batch_title(&task, &arena) != NULL, "no title");
		mp_testing_fuzz_expect(
			mp_batch_key(&task, &graph, 1, "1", name, &sink),
			"no key");
	}
	mp_sink_free(&sink);
	mp_arena_free(&arena);
}

/* An answer that is read can be put into every table. */
static void merge(struct answer *answer, struct arena *arena)
{
	struct sweep_row row = {.answer = *answer, .task.input = "a"};
	struct sweep sweep = {"1", &row, 1, "store"};

	for (uint32_t i = 0; i < mp_n_batch_formats; i++) {
		struct sink sink = {.error = arena->error};

		mp_batch_formats[i].run(&sweep, &sink, arena);
		mp_testing_fuzz_expect(sink.length > 0, "an empty table");
		mp_sink_free(&sink);
	}
}

static void read_answer(const struct input_file *file)
{
	struct error error = {.code = MEMPLAN_OK};
	struct arena arena = {.error = &error};
	struct answer answer;
	bool fine = mp_batch_read_answer(file, key, &answer, &arena, &error);

	expect_sound(fine, &error);
	if (fine)
		merge(&answer, &arena);
	mp_arena_free(&arena);
}

/* What any text is as a part of an answer that was written. */
static void read_sealed(const struct input_file *file)
{
	struct error error = {.code = MEMPLAN_OK};
	struct sink sink = {.error = &error};
	char digest[SHA256_TEXT];

	mp_sink_write(&sink, file->bytes, file->length);
	mp_sha256(file->bytes, file->length, digest);
	mp_sink_print(&sink, ",\n  \"sha256\": \"%s\"\n}\n", digest);
	read_answer(&(struct input_file){"f", sink.bytes, sink.length});
	mp_sink_free(&sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input_file file = {"f", (const char *)data, size};

	read_tasks(&file);
	read_answer(&file);
	read_sealed(&file);
	return 0;
}
