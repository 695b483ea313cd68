/*
 * Answers: docs/formats/store.md. The last member of the object is a digest of
 * all bytes in front of it, so no answer that lost or changed a byte is taken
 * for one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "batch/batch.h"
#include "emit/json-text.h"

static const char format[] = "memplan.answer";
static const char seal_begin[] = ",\n  \"sha256\": \"";
static const char seal_end[] = "\"\n}\n";

enum {
	SEAL = sizeof(seal_begin) - 1 + SHA256_TEXT - 1 + sizeof(seal_end) - 1,
};

bool mp_batch_is_answer(enum memplan_status status)
{
	return status <= MEMPLAN_EBUDGET;
}

/* ---------------------------------------------------------- writing */

static void write_outputs(struct sink *sink, const struct answer *answer)
{
	mp_emit_json_open(sink, JSON_LINE, "outputs");
	for (uint32_t i = 0; i < answer->n_outputs; i++) {
		const struct answer_output *output = &answer->outputs[i];

		mp_emit_json_item(sink, i);
		mp_emit_json_text(sink, "{", "name", output->name);
		mp_emit_json_number(sink, ", ", "bytes", output->length);
		mp_emit_json_text(sink, ", ", "sha256", output->digest);
		mp_sink_text(sink, "}");
	}
	mp_emit_json_close(sink, answer->n_outputs);
}

static void write_warnings(struct sink *sink, const struct answer *answer)
{
	mp_emit_json_open(sink, JSON_LINE, "warnings");
	for (uint32_t i = 0; i < answer->n_warnings; i++) {
		mp_emit_json_item(sink, i);
		mp_sink_json(sink, answer->warnings[i]);
	}
	mp_emit_json_close(sink, answer->n_warnings);
}

/* Without the newline at its end. */
static void write_result(struct sink *sink, const char *result)
{
	size_t length = strlen(result);

	while (length > 0 && result[length - 1] == '\n')
		length--;
	mp_emit_json_key(sink, JSON_LINE, "result");
	mp_sink_write(sink, result, length);
}

void mp_batch_write_answer(const struct answer *answer, struct sink *sink)
{
	char digest[SHA256_TEXT];

	assert(sink->length == 0 && mp_batch_is_answer(answer->status));
	mp_emit_json_text(sink, "{\n  ", "format", format);
	mp_emit_json_number(sink, JSON_LINE, "version", 1);
	mp_emit_json_text(sink, JSON_LINE, "key", answer->key);
	mp_emit_json_text(sink, JSON_LINE, "memplan", answer->version);
	mp_emit_json_number(sink, JSON_LINE, "status", answer->status);
	mp_emit_json_text(sink, JSON_LINE, "message", answer->message);
	write_warnings(sink, answer);
	write_outputs(sink, answer);
	write_result(sink, answer->result ? answer->result : "null");
	if (sink->error->code != MEMPLAN_OK)
		return;
	mp_sha256(sink->bytes, sink->length, digest);
	mp_sink_print(sink, "%s%s%s", seal_begin, digest, seal_end);
}

/* ---------------------------------------------------------- reading */

/* True if the digest at the end is that of all in front of it; the length is
 * that of what is in front. */
static bool is_sealed(const struct input_file *file, size_t *length)
{
	char seal[SEAL + 1], digest[SHA256_TEXT];

	if (file->length < SEAL)
		return false;
	*length = file->length - SEAL;
	mp_sha256(file->bytes, *length, digest);
	memcpy(seal, seal_begin, sizeof(seal_begin));
	strcat(seal, digest);
	strcat(seal, seal_end);
	return memcmp(file->bytes + *length, seal, SEAL) == 0;
}

static bool read_digest(const struct json_at *at, char digest[SHA256_TEXT])
{
	const char *text = "";

	if (!mp_json_text(at, &text))
		return false;
	if (strlen(text) != SHA256_TEXT - 1)
		return mp_json_fail(at, "is no digest");
	memcpy(digest, text, SHA256_TEXT);
	return true;
}

static bool read_output(const struct json_at *at, struct answer_output *output,
	struct arena *arena)
{
	static const struct json_key keys[] = {
		{"name", true},
		{"bytes", true},
		{"sha256", true},
	};
	struct json_at found[countof(keys)];

	return mp_json_pick(at, keys, countof(keys), found) &&
	       mp_json_copy(&found[0], &output->name, arena) &&
	       mp_json_integer(&found[1], &output->length) &&
	       read_digest(&found[2], output->digest);
}

static bool read_outputs(
	const struct json_at *at, struct answer *answer, struct arena *arena)
{
	answer->outputs = mp_json_room(
		at, &answer->n_outputs, sizeof(*answer->outputs), arena);
	if (!answer->outputs)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_output(&m, &answer->outputs[m.index], arena))
			return false;
	return true;
}

static bool read_warnings(
	const struct json_at *at, struct answer *answer, struct arena *arena)
{
	answer->warnings = mp_json_room(
		at, &answer->n_warnings, sizeof(*answer->warnings), arena);
	if (!answer->warnings)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!mp_json_copy(&m, &answer->warnings[m.index], arena))
			return false;
	return true;
}

static bool read_loads(const struct json_at *at, struct answer *answer)
{
	struct json_at list = mp_json_find(at, "loads");

	if (!mp_json_expect_list(&list))
		return false;
	for (struct json_at m = mp_json_first(&list); m.value;
		mp_json_next(&m)) {
		if (answer->n_loads == ANSWER_LOADS)
			return mp_json_fail(&list, "has more than %u numbers",
				(unsigned)ANSWER_LOADS);
		if (!mp_json_integer(&m, &answer->loads[answer->n_loads++]))
			return false;
	}
	return true;
}

/* Some of the numbers; the text has all. */
static bool read_result(
	const struct json_at *at, struct answer *answer, struct arena *arena)
{
	const struct {
		const char *name;
		uint64_t *value;
	} numbers[] = {
		{"ops", &answer->ops},
		{"tensors", &answer->tensors},
		{"buffers", &answer->buffers},
		{"alignment", &answer->alignment},
		{"arena_size", &answer->arena_size},
		{"theoretical_min", &answer->theoretical_min},
		{"lower_bound", &answer->lower_bound},
		{"lower_bound_order", &answer->lower_bound_order},
		{"total_size", &answer->total_size},
	};
	struct json_at m;

	for (size_t i = 0; i < countof(numbers); i++) {
		m = mp_json_find(at, numbers[i].name);
		if (!m.value || !mp_json_integer(&m, numbers[i].value))
			return mp_json_fail(at, "lacks '%s'", numbers[i].name);
	}
	m = mp_json_find(at, "name");
	if (!mp_json_copy(&m, &answer->name, arena))
		return false;
	m = mp_json_find(at, "order");
	if (!mp_json_copy(&m, &answer->order, arena))
		return false;
	m = mp_json_find(at, "planner");
	if (!mp_json_copy(&m, &answer->planner, arena))
		return false;
	m = mp_json_find(at, "optimal");
	return mp_json_bool(&m, &answer->optimal) && read_loads(at, answer);
}

static bool read_head(const struct json_at found[], const char *key,
	struct answer *answer, struct arena *arena)
{
	uint64_t number = 0;

	if (!read_digest(&found[2], answer->key))
		return false;
	if (strcmp(answer->key, key) != 0)
		return mp_json_fail(&found[2], "is not the key of the file");
	if (!mp_json_copy(&found[3], &answer->version, arena) ||
		!mp_json_integer(&found[4], &number))
		return false;
	if (number > MEMPLAN_EBUDGET)
		return mp_json_fail(&found[4], "is no status of an answer");
	answer->status = (enum memplan_status)number;
	return true;
}

static bool read_answer(const struct json_at *root, size_t length,
	const char *key, struct answer *answer, struct arena *arena)
{
	static const struct json_key keys[] = {
		{"format", true},
		{"version", true},
		{"key", true},
		{"memplan", true},
		{"status", true},
		{"message", false},
		{"warnings", true},
		{"outputs", true},
		{"result", false},
		{"sha256", true},
	};
	struct json_at found[countof(keys)];
	size_t begin;

	if (!mp_json_is_format(root, format) ||
		!mp_json_pick(root, keys, countof(keys), found) ||
		!read_head(found, key, answer, arena) ||
		(mp_json_is_text(&found[5]) &&
			!mp_json_copy(&found[5], &answer->message, arena)) ||
		!read_warnings(&found[6], answer, arena) ||
		!read_outputs(&found[7], answer, arena))
		return false;
	if (!found[8].value || !mp_json_is_object(&found[8]))
		return true;
	begin = mp_json_place(&found[8]).begin;
	assert(begin < length);
	answer->result =
		mp_arena_text(arena, root->json->text + begin, length - begin);
	return answer->result && read_result(&found[8], answer, arena);
}

bool mp_batch_read_answer(const struct input_file *file, const char *key,
	struct answer *answer, struct arena *arena, struct error *e)
{
	struct json_at root;
	struct json json;
	size_t length;
	bool fine;

	*answer = (struct answer){.status = MEMPLAN_OK};
	if (!is_sealed(file, &length))
		return mp_fail(e, MEMPLAN_EINPUT,
			"%s: is cut off or was changed", file->name);
	fine = mp_json_open(file, &json, arena, e);
	root = mp_json_root(&json);
	fine = fine && read_answer(&root, length, key, answer, arena);
	mp_json_close(&json);
	return fine;
}
