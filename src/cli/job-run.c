/*
 * Plans a job, and adds the answer to a store that others add to meanwhile.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/job-run.h"

#include <stdio.h>
#include <string.h>

#include "cli/job-answers.h"
#include "cli/job-keys.h"

enum {
	MOST_ROUNDS = 3 /* of looking and adding */
};

struct run {
	const struct store *store;
	const struct job *job;
	struct session session;
	struct answer answer;
	const void **outputs; /* bytes of each */
	struct arena *arena;
};

static bool keep_outputs(struct run *run)
{
	const struct task *task = &run->job->task;
	struct answer *answer = &run->answer;

	answer->outputs =
		NEW(run->arena, struct answer_output, task->n_outputs);
	run->outputs = NEW(run->arena, const void *, task->n_outputs);
	if (!answer->outputs || !run->outputs)
		return false;
	for (uint32_t i = 0; i < task->n_outputs; i++) {
		struct answer_output *output = &answer->outputs[i];
		const void *bytes;
		size_t length;

		answer->status = memplan_write(
			run->session.plan, task->outputs[i], &bytes, &length);
		if (answer->status != MEMPLAN_OK) {
			answer->n_outputs = 0;
			return true;
		}
		output->name = task->outputs[i];
		output->length = length;
		mp_sha256(bytes, length, output->digest);
		run->outputs[i] = mp_arena_copy(run->arena, bytes, length, 1);
		if (!run->outputs[i])
			return false;
		answer->n_outputs++;
	}
	return true;
}

static bool keep_warnings(struct run *run)
{
	struct answer *answer = &run->answer;
	memplan *plan = run->session.plan;
	uint32_t n = 0;

	while (memplan_warning(plan, n))
		n++;
	answer->warnings = NEW(run->arena, const char *, n);
	for (uint32_t i = 0; answer->warnings && i < n; i++) {
		const char *text = memplan_warning(plan, i);

		answer->warnings[i] =
			mp_arena_text(run->arena, text, strlen(text));
		if (!answer->warnings[i])
			return false;
		answer->n_warnings++;
	}
	return answer->warnings != NULL;
}

static bool keep_result(struct run *run)
{
	memplan *plan = run->session.plan;
	const void *bytes;
	size_t length;
	uint64_t size;

	if (!memplan_number(plan, "arena_size", &size))
		return true;
	if (memplan_write(plan, "answer", &bytes, &length) != MEMPLAN_OK)
		return false;
	run->answer.result = mp_arena_text(run->arena, bytes, length);
	return run->answer.result != NULL;
}

static bool keep_message(struct run *run)
{
	const char *text = memplan_error(run->session.plan);

	if (run->answer.status == MEMPLAN_OK)
		return true;
	run->answer.message = mp_arena_text(run->arena, text, strlen(text));
	return run->answer.message != NULL;
}

static bool was_cut_short(const struct run *run)
{
	return cli_session_number(&run->session, "cut_short") != 0;
}

/* Fills the answer, or returns why there is none. */
static enum memplan_status find_answer(struct run *run)
{
	memplan *plan = run->session.plan;
	struct answer *answer = &run->answer;

	answer->version = memplan_version();
	answer->status = memplan_plan(plan);
	if (answer->status == MEMPLAN_OK && !keep_outputs(run))
		return cli_out_of_memory();
	if (!mp_batch_is_answer(answer->status))
		return cli_session_tell(
			&run->session, &run->job->own, answer->status);
	if (!keep_message(run) || !keep_warnings(run) || !keep_result(run))
		return cli_out_of_memory();
	if (was_cut_short(run)) {
		cli_say("the plan was cut short\n");
		return MEMPLAN_EIO;
	}
	return MEMPLAN_OK;
}

/* Without memory the job fails, not the store. */
static int end_of(enum memplan_status status)
{
	return status == MEMPLAN_ENOMEM ? JOB_STATUS + (int)status
					: JOB_STORE_FULL;
}

static int cannot_store(const struct run *run)
{
	return end_of(cli_job_tell_store(run->store));
}

/* The answer that is there stays, and the other one beside it for a person to
 * look at. */
static int keep_other(const struct run *run, const struct sink *sink)
{
	char digest[SHA256_TEXT], ending[SHA256_TEXT + 16];
	const char *key = run->answer.key;

	mp_sha256(sink->bytes, sink->length, digest);
	snprintf(ending, sizeof(ending), ".%.16s" JOB_OTHER, digest);
	cli_say("%s: the store has another answer to the same\n", key);
	if (mp_store_add(run->store, key, ending, sink->bytes, sink->length,
		    STORE_KEEP) == STORE_UNABLE)
		return cannot_store(run);
	return JOB_CONTRADICTS;
}

/* Is the answer of the store, which is no broken one, these bytes? */
static bool is_same(const struct run *run, const struct sink *sink)
{
	struct sink there = {.error = run->store->arena->error};
	bool same = mp_store_read(run->store, run->answer.key, JOB_ANSWER,
			    &there) == STORE_READ &&
		    there.length == sink->length &&
		    memcmp(there.bytes, sink->bytes, sink->length) == 0;

	mp_sink_free(&there);
	return same;
}

/* The outputs come first: an answer that is there has all of its. */
static bool add_outputs(const struct run *run)
{
	const struct answer *answer = &run->answer;
	char ending[128];

	for (uint32_t i = 0; i < answer->n_outputs; i++) {
		snprintf(
			ending, sizeof(ending), ".%s", answer->outputs[i].name);
		if (mp_store_add(run->store, answer->key, ending,
			    run->outputs[i], answer->outputs[i].length,
			    STORE_REPLACE) == STORE_UNABLE)
			return false;
	}
	return true;
}

/* What is to be done about what the store has under the key. */
static int look_again(const struct run *run, const struct sink *sink,
	enum store_policy *policy)
{
	struct answer there;

	switch (cli_job_find(run->store, run->answer.key, true, &there)) {
	case JOB_FOUND:
		return is_same(run, sink) ? JOB_STATUS + (int)run->answer.status
					  : keep_other(run, sink);
	case JOB_FAILED:
		return end_of(there.status);
	case JOB_BROKEN:
		*policy = STORE_REPLACE;
		break;
	case JOB_MISSING:
		break;
	}
	return 0;
}

/* The parent has just looked, so most answers are added at once. Outputs may
 * replace those of another answer, so before them there is a second look. */
static int add_answer(const struct run *run, const struct sink *sink)
{
	enum store_policy policy = STORE_KEEP;
	int end = 0;

	for (int round = 0; round < MOST_ROUNDS; round++) {
		if (round > 0 || run->answer.n_outputs > 0)
			end = look_again(run, sink, &policy);
		if (end != 0)
			return end;
		if (!add_outputs(run))
			return cannot_store(run);
		switch (mp_store_add(run->store, run->answer.key, JOB_ANSWER,
			sink->bytes, sink->length, policy)) {
		case STORE_ADDED:
			return JOB_STATUS + (int)run->answer.status;
		case STORE_UNABLE:
			return cannot_store(run);
		case STORE_KEPT:
			break;
		}
	}
	return JOB_STATUS + MEMPLAN_EIO;
}

static int answer_job(struct run *run)
{
	struct sink sink = {.error = run->store->arena->error};
	enum memplan_status status = find_answer(run);
	int end;

	if (status != MEMPLAN_OK)
		return JOB_STATUS + (int)status;
	if (!cli_job_session_key(run->job, &run->session, run->answer.key))
		return JOB_STATUS + (int)cli_out_of_memory();
	mp_batch_write_answer(&run->answer, &sink);
	end = sink.error->code == MEMPLAN_OK ? add_answer(run, &sink)
					     : cannot_store(run);
	mp_sink_free(&sink);
	return end;
}

int cli_job_run(const struct store *store, const struct job *job)
{
	struct run run = {.store = store, .job = job, .arena = job->own.arena};
	enum memplan_status status =
		cli_session_open(&run.session, &job->own, job->input);
	int end;

	if (status != MEMPLAN_OK)
		return JOB_STATUS + (int)status;
	end = answer_job(&run);
	cli_session_close(&run.session);
	return end;
}
