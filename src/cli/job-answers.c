/*
 * Looks for answers in a store, and at what it finds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/job-answers.h"

#include <stdio.h>
#include <string.h>

#include "cli/say.h"

enum memplan_status cli_job_tell_store(const struct store *store)
{
	struct error *error = store->arena->error;
	enum memplan_status status = error->code;

	cli_say("%s\n", error->text);
	*error = (struct error){.code = MEMPLAN_OK};
	return status;
}

static enum job_found fail(const struct store *store, struct answer *answer)
{
	answer->status = cli_job_tell_store(store);
	return JOB_FAILED;
}

/* An output that cannot be read may be a right one. */
static enum job_found find_output(const struct store *store, const char *key,
	const struct answer_output *output, bool compare)
{
	char ending[128], digest[SHA256_TEXT] = "";
	struct sink sink = {.error = store->arena->error};
	enum store_read got;

	snprintf(ending, sizeof(ending), ".%s", output->name);
	if (!mp_store_has(store, key, ending, output->length))
		return JOB_BROKEN;
	if (!compare)
		return JOB_FOUND;
	got = mp_store_read(store, key, ending, &sink);
	if (got == STORE_READ)
		mp_sha256(sink.bytes, sink.length, digest);
	mp_sink_free(&sink);
	if (got == STORE_FAILED)
		return JOB_FAILED;
	return strcmp(digest, output->digest) == 0 ? JOB_FOUND : JOB_BROKEN;
}

static enum job_found broken(const char *place, const char *fault)
{
	cli_say("%s%s%s: it does not count\n", place, *fault ? ": " : "",
		fault);
	return JOB_BROKEN;
}

/* Looks at an answer that could be read. */
static enum job_found check(const struct store *store, const char *key,
	const char *place, struct answer *answer, bool compare)
{
	enum job_found found = JOB_FOUND;

	if (strcmp(answer->version, store->version) != 0)
		return broken(place, "is of another version of memplan");
	for (uint32_t i = 0; found == JOB_FOUND && i < answer->n_outputs; i++)
		found = find_output(store, key, &answer->outputs[i], compare);
	if (found == JOB_FAILED)
		return fail(store, answer);
	return found == JOB_FOUND
		       ? found
		       : broken(place, "has an output that is missing or was "
				       "changed");
}

/* A result that is broken is told, and then it is as if it were not there. */
static enum job_found judge(const struct store *store, const char *key,
	const struct sink *sink, bool compare, struct answer *answer)
{
	struct error error = {0}, *before = store->arena->error;
	const char *place = mp_store_place(store, key, JOB_ANSWER);
	struct input_file file = {place, sink->bytes, sink->length};
	bool fine;

	if (!place)
		return fail(store, answer);
	store->arena->error = &error;
	fine = mp_batch_read_answer(&file, key, answer, store->arena, &error);
	store->arena->error = before;
	if (fine)
		return check(store, key, place, answer, compare);
	if (error.code != MEMPLAN_ENOMEM)
		return broken(error.text, "");
	cli_say("%s\n", error.text);
	answer->status = error.code;
	return JOB_FAILED;
}

enum job_found cli_job_find(const struct store *store, const char *key,
	bool compare, struct answer *answer)
{
	struct sink sink = {.error = store->arena->error};
	enum job_found found = JOB_MISSING;

	switch (mp_store_read(store, key, JOB_ANSWER, &sink)) {
	case STORE_READ:
		found = judge(store, key, &sink, compare, answer);
		break;
	case STORE_FAILED:
		found = fail(store, answer);
		break;
	case STORE_MISSING:
		break;
	}
	mp_sink_free(&sink);
	return found;
}

bool cli_job_output(const struct store *store, const char *key,
	const char *name, struct sink *sink)
{
	char ending[128];

	snprintf(ending, sizeof(ending), ".%s", name);
	if (mp_store_read(store, key, ending, sink) == STORE_READ)
		return true;
	cli_say("%s: its output %s is missing\n", key, name);
	return false;
}
