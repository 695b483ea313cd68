/*
 * Tests of lists of tasks, of keys and of answers.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/num.h"
#include "batch/batch.h"

static struct error error;
static struct arena arena = {.error = &error};
static const struct settings none;

static void clear(void)
{
	mp_arena_free(&arena);
	error = (struct error){.code = MEMPLAN_OK};
}

static bool read(const char *text, struct tasks *tasks)
{
	struct input_file file = {"list", text, strlen(text)};

	error = (struct error){.code = MEMPLAN_OK};
	return mp_batch_read(&file, tasks, &arena, &error);
}

static struct task task_of(const char *text)
{
	struct tasks tasks;
	struct task task;

	cr_assert(read(text, &tasks), "%s", error.text);
	cr_assert(mp_batch_task(&tasks, 0, &none, &task, &arena, &error));
	return task;
}

static void expect_refused(const char *text, const char *why)
{
	struct tasks tasks;

	cr_expect_not(read(text, &tasks), "%s", text);
	cr_expect(strstr(error.text, why), "%s: %s", text, error.text);
}

Test(batch, a_line_is_a_task)
{
	struct task task = task_of(
		"\n{\"input\": \"a.onnx\", \"batch\": 4, \"dims\": {\"w\": 7, "
		"\"h\": \"8\"}, \"options\": {\"order\": \"auto\", \"align\": "
		"64, \"replan\": true, \"recompute\": false, \"value\": "
		"[\"a=1\", \"b=2\"]}, \"outputs\": [\"p.json\"]}\n");

	cr_expect_eq(task.line, 2);
	cr_expect_str_eq(task.input, "a.onnx");
	cr_expect_str_eq(task.batch, "4");
	cr_expect_eq(task.dims.n, 2);
	cr_expect_str_eq(task.dims.at[0].name, "h");
	cr_expect_str_eq(mp_batch_find(&task.dims, "w"), "7");
	cr_expect_eq(task.options.n, 4, "a switch that is off is not there");
	cr_expect_str_eq(mp_batch_find(&task.options, "align"), "64");
	cr_expect_str_eq(mp_batch_find(&task.options, "replan"), "");
	cr_expect_str_eq(mp_batch_find(&task.options, "value"), "a=1\nb=2");
	cr_expect_null(mp_batch_find(&task.options, "recompute"));
	cr_expect_str_eq(mp_batch_title(&task, &arena),
		"a.onnx batch=4 h=8 w=7 align=64 order=auto replan "
		"value=a=1\nb=2");
	clear();
}

Test(batch, mistakes_have_their_line)
{
	expect_refused("", "list: there are no tasks in it");
	expect_refused("{\"input\": \"a\"}\n{}", "list:2: ");
	expect_refused("{\"input\": \"\"}", "must not be empty");
	expect_refused("{\"input\": 1}", "a string");
	expect_refused("{\"input\": \"a\", \"dim\": 1}", "dims");
	expect_refused(
		"{\"input\": \"a\", \"options\": {\"a=b\": 1}}", "is no name");
	expect_refused("{\"input\": \"a\", \"options\": {\"a\": []}}",
		"must not be empty");
	expect_refused("{\"input\": \"a\", \"outputs\": [\"../x\"]}",
		"without a folder");
	expect_refused("{\"input\": \"a\", \"outputs\": [\".x\"]}",
		"without a folder");
	expect_refused(
		"{\"input\": \"a\", \"outputs\": [\"x\", \"x\"]}", "twice");
	expect_refused("{\"input\": \"a\"} {\"input\": \"b\"}", "list:1:");
	expect_refused("{\"format\": \"memplan.graph\",\n\"version\": 1}",
		"; each line is a task of its own");
	clear();
}

Test(batch, what_a_line_does_not_set_others_do)
{
	struct setting both[] = {{"align", "1"}, {"order", "keep"}};
	struct settings initial = {both, countof(both)};
	struct tasks tasks;
	struct task task;

	cr_assert(read("{\"input\": \"a\", \"options\": {\"order\": \"auto\"}}",
		&tasks));
	cr_assert(mp_batch_task(&tasks, 0, &initial, &task, &arena, &error));
	cr_expect_eq(task.options.n, 2);
	cr_expect_str_eq(mp_batch_find(&task.options, "order"), "auto");
	cr_expect_str_eq(mp_batch_find(&task.options, "align"), "1");
	clear();
}

/* ----------------------------------------------------------- shards */

Test(batch, every_task_is_in_one_shard_and_stays_there)
{
	static const char text[] =
		"{\"input\": \"a\"}\n{\"input\": \"b\"}\n{\"input\": \"c\"}\n"
		"{\"input\": \"d\", \"batch\": 1}\n";
	struct tasks all, last;

	cr_assert(read(text, &all));
	cr_expect_eq(all.n, 4);
	for (uint32_t n = 1; n < 9; n++)
		for (uint32_t i = 0; i < all.n; i++) {
			uint32_t in = 0;

			for (uint32_t k = 0; k < n; k++)
				in += mp_batch_in_shard(
					&(struct shard){k, n}, &all.lines[i]);
			cr_expect_eq(in, 1);
		}
	cr_assert(read("{\"batch\": \"1\", \"input\": \"d\"}", &last));
	cr_expect_eq(last.lines[0].hash, all.lines[3].hash);
	clear();
}

Test(batch, shards_are_k_of_n)
{
	static const char *const bad[] = {"", "1", "1/", "/1", "1/1", "2/1",
		"0/0", "0/1x", "-1/2", "0/1000001", "4294967296/4294967297"};
	struct shard shard;

	cr_expect(mp_batch_parse_shard("3/8", &shard));
	cr_expect_eq(shard.k, 3);
	cr_expect_eq(shard.n, 8);
	for (size_t i = 0; i < countof(bad); i++)
		cr_expect_not(
			mp_batch_parse_shard(bad[i], &shard), "%s", bad[i]);
}

/* ------------------------------------------------------------- keys */

static const char *key_of(
	const char *text, const char *name, const char *digest)
{
	struct task task = task_of(text);
	struct task_file file = {"graph", name, ""};
	struct sink sink = {.error = &error};
	char *key = mp_arena_alloc(&arena, SHA256_TEXT, 1);

	strcpy(file.digest, digest);
	cr_assert(mp_batch_key(&task, &file, 1, "1.0", key, &sink));
	mp_sink_free(&sink);
	return key;
}

Test(batch, a_key_is_of_all_that_decides)
{
	static const char plain[] = "{\"input\": \"x/a\"}";
	const char *key = key_of(plain, "x/a", "12");

	cr_expect_str_eq(key, key_of("{\"input\": \"y/a\"}", "y/a", "12"),
		"folders do not count");
	cr_expect_str_eq(key,
		key_of("{\"input\": \"a\", \"options\": {\"threads\": 4}}", "a",
			"12"),
		"threads do not count");
	cr_expect_str_neq(key, key_of(plain, "x/a", "13"));
	cr_expect_str_neq(key, key_of("{\"input\": \"b\"}", "b", "12"));
	cr_expect_str_neq(
		key, key_of("{\"input\": \"a\", \"batch\": 1}", "a", "12"));
	cr_expect_str_neq(
		key, key_of("{\"input\": \"a\", \"outputs\": [\"p.json\"]}",
			     "a", "12"));
	cr_expect_str_neq(
		key_of("{\"input\": \"a\", \"dims\": {\"a\": 1}}", "a", "12"),
		key_of("{\"input\": \"a\", \"options\": {\"a\": 1}}", "a",
			"12"));
	clear();
}

/* ---------------------------------------------------------- answers */

static const char result[] =
	"{\n  \"name\": \"n\", \"ops\": 1, \"tensors\": 2, \"buffers\": 3, "
	"\"alignment\": 4, \"order\": \"keep\", \"planner\": \"dive\", "
	"\"arena_size\": 5, \"theoretical_min\": 6, \"lower_bound\": 7, "
	"\"lower_bound_order\": 8, \"total_size\": 9, \"optimal\": true, "
	"\"loads\": [1, 2]\n}\n";

static struct answer sample(void)
{
	static const char *warnings[] = {"w"};
	static struct answer_output outputs[] = {
		{.name = "p.json", .length = 3}};
	struct answer answer = {.version = "1.0",
		.warnings = warnings,
		.n_warnings = 1,
		.outputs = outputs,
		.n_outputs = 1,
		.result = result};

	memset(answer.key, 'a', SHA256_TEXT - 1);
	memset(outputs[0].digest, 'b', SHA256_TEXT - 1);
	return answer;
}

static bool read_back(const char *bytes, size_t length, struct answer *answer)
{
	struct answer from = sample();

	error = (struct error){.code = MEMPLAN_OK};
	return mp_batch_read_answer(&(struct input_file){"f", bytes, length},
		from.key, answer, &arena, &error);
}

Test(batch, an_answer_is_read_as_it_was_written)
{
	struct sink sink = {.error = &error}, again = {.error = &error};
	struct answer from = sample(), answer;

	mp_batch_write_answer(&from, &sink);
	cr_assert(
		read_back(sink.bytes, sink.length, &answer), "%s", error.text);
	cr_expect_eq(answer.arena_size, 5);
	cr_expect_eq(answer.n_loads, 2);
	cr_expect(answer.optimal);
	cr_expect_str_eq(answer.outputs[0].name, "p.json");
	cr_expect_str_eq(answer.warnings[0], "w");
	mp_batch_write_answer(&answer, &again);
	cr_expect_eq(sink.length, again.length);
	cr_expect_arr_eq(sink.bytes, again.bytes, sink.length);
	mp_sink_free(&sink);
	mp_sink_free(&again);
	clear();
}

Test(batch, no_answer_that_lost_or_changed_a_byte_is_one)
{
	struct sink sink = {.error = &error};
	struct answer from = sample(), answer;

	mp_batch_write_answer(&from, &sink);
	for (size_t i = 0; i < sink.length; i++)
		cr_expect_not(read_back(sink.bytes, i, &answer), "%zu", i);
	for (size_t i = 0; i < sink.length; i++) {
		sink.bytes[i] ^= 1;
		cr_expect_not(
			read_back(sink.bytes, sink.length, &answer), "%zu", i);
		sink.bytes[i] ^= 1;
	}
	from.key[0] = 'b';
	cr_expect_not(mp_batch_read_answer(
		&(struct input_file){"f", sink.bytes, sink.length}, from.key,
		&answer, &arena, &error));
	mp_sink_free(&sink);
	clear();
}

/* ----------------------------------------------------------- matrix */

Test(batch, a_matrix_has_every_combination)
{
	static const char *inputs[] = {"a", "b"}, *outputs[] = {"p.json"};
	struct axis axes[4] = {{"input", inputs, 2}};
	struct sink sink = {.error = &error};

	cr_assert(mp_batch_axis("batch=1,4", &axes[1], &arena, &error));
	cr_assert(mp_batch_axis("dims.w=7", &axes[2], &arena, &error));
	cr_assert(mp_batch_axis("target=cuda", &axes[3], &arena, &error));
	mp_batch_write_matrix(axes, 4, outputs, 1, &sink);
	mp_sink_write(&sink, "", 1);
	cr_expect_str_eq(sink.bytes,
		"{\"input\": \"a\", \"batch\": \"1\", \"dims\": {\"w\": "
		"\"7\"}, \"options\": {\"target\": \"cuda\"}, \"outputs\": "
		"[\"p.json\"]}\n"
		"{\"input\": \"a\", \"batch\": \"4\", \"dims\": {\"w\": "
		"\"7\"}, \"options\": {\"target\": \"cuda\"}, \"outputs\": "
		"[\"p.json\"]}\n"
		"{\"input\": \"b\", \"batch\": \"1\", \"dims\": {\"w\": "
		"\"7\"}, \"options\": {\"target\": \"cuda\"}, \"outputs\": "
		"[\"p.json\"]}\n"
		"{\"input\": \"b\", \"batch\": \"4\", \"dims\": {\"w\": "
		"\"7\"}, \"options\": {\"target\": \"cuda\"}, \"outputs\": "
		"[\"p.json\"]}\n");
	cr_expect_not(mp_batch_axis("batch", &axes[1], &arena, &error));
	cr_expect_not(mp_batch_axis("=1", &axes[1], &arena, &error));
	cr_expect_not(mp_batch_axis("batch=1,,2", &axes[1], &arena, &error));
	mp_sink_free(&sink);
	clear();
}
