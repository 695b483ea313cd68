/*
 * Jobs: see jobs.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/jobs.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/num.h"

enum {
	DIGESTS_KEPT = 1024,
	MOST_ROUNDS = 3, /* of looking and adding */
};

/* ---------------------------------------------------------- options */

/* Options of a task, beside those of the library. */
static const enum option_id files_of_tasks[] = {OPT_TENSOR_SIZE,
	OPT_RESIZE_INFO, OPT_COST_INFO, OPT_SOLUTION, OPT_NEAR, OPT_LIVE_RANGE};

/* An answer has to be the same on every machine, and of one graph. */
static const struct {
	const char *name, *why;
} refused[] = {
	{"time-limit", "answers would depend on the machine; use steps"},
	{"together", "a task is one graph"},
};

static enum memplan_status complain(const struct job *job, const char *kind,
	const char *name, const char *what)
{
	char text[512];
	struct place place = {.file = job->place};

	snprintf(text, sizeof(text), "%s: /%s%s%s: %s", job->place, kind,
		*name ? "/" : "", name, what);
	cli_tell("error", &place, text);
	return MEMPLAN_EINPUT;
}

static bool is_of_task(uint32_t id, const struct memplan_option *option)
{
	if (id >= N_OPTIONS)
		return option->uses & FOR_PLAN;
	for (size_t i = 0; i < countof(files_of_tasks); i++)
		if (files_of_tasks[i] == id)
			return true;
	return false;
}

static bool find_option(
	const char *name, uint32_t *id, struct memplan_option *option)
{
	for (*id = 0; cli_option(*id, option); ++*id)
		if (is_of_task(*id, option) && strcmp(option->name, name) == 0)
			return true;
	return false;
}

static enum memplan_status unknown(const struct job *job, const char *name)
{
	struct memplan_option option;
	const char *nearest = NULL;
	uint32_t best = 4;
	char what[160];

	for (uint32_t id = 0; cli_option(id, &option); id++)
		if (is_of_task(id, &option) &&
			mp_names_is_nearer(option.name, name, &best))
			nearest = option.name;
	snprintf(what, sizeof(what), "no option of a task%s%s%s",
		nearest ? "; did you mean '" : "", nearest ? nearest : "",
		nearest ? "'?" : "");
	return complain(job, "options", name, what);
}

/* The library checks its options when they are set. */
static enum memplan_status check_value(
	const struct job *job, const struct setting *setting, memplan *handle)
{
	if (memplan_set(handle, setting->name,
		    *setting->value ? setting->value : "on") == MEMPLAN_OK)
		return MEMPLAN_OK;
	return complain(job, "options", setting->name, memplan_error(handle));
}

static enum memplan_status set_option(
	struct job *job, const struct setting *setting, memplan *handle)
{
	struct memplan_option option;
	uint32_t id;

	for (size_t i = 0; i < countof(refused); i++)
		if (strcmp(refused[i].name, setting->name) == 0)
			return complain(
				job, "options", setting->name, refused[i].why);
	if (!find_option(setting->name, &id, &option))
		return unknown(job, setting->name);
	job->own.values[id] = setting->value;
	return id >= N_OPTIONS ? check_value(job, setting, handle) : MEMPLAN_OK;
}

/* The dimensions are lines behind those that an option has. */
static enum memplan_status add_dim(
	struct job *job, const char *name, const char *value, memplan *handle)
{
	const char *lines = cli_value(&job->own, "dim");
	char *line = mp_arena_print(job->own.arena, "%s=%s", name, value);

	if (!line)
		return cli_out_of_memory();
	if (memplan_set(handle, "dim", line) != MEMPLAN_OK)
		return complain(job, "dims", name, memplan_error(handle));
	if (lines)
		line = mp_arena_print(job->own.arena, "%s\n%s", lines, line);
	if (!line)
		return cli_out_of_memory();
	cli_set_value(&job->own, "dim", line);
	return MEMPLAN_OK;
}

/* Of an io_info trace a batch names files; of any other graph it is the
 * dimension that is called so. */
static enum memplan_status set_batch(struct job *job, memplan *handle)
{
	const char *batch = job->task.batch;

	if (!batch)
		return MEMPLAN_OK;
	if (!mp_text_ends_with(job->input, ".io_info.json"))
		return add_dim(job, "batch", batch, handle);
	if (!*batch || strpbrk(batch, ",/"))
		return complain(job, "batch", "", "must be one batch");
	job->own.values[OPT_BATCH] = batch;
	return MEMPLAN_OK;
}

static enum memplan_status check_outputs(struct job *job, memplan *handle)
{
	const void *bytes;
	size_t length;
	char number[16];

	for (uint32_t i = 0; i < job->task.n_outputs; i++) {
		if (memplan_write(handle, job->task.outputs[i], &bytes,
			    &length) != MEMPLAN_EUSAGE)
			continue;
		snprintf(number, sizeof(number), "%u", i);
		return complain(job, "outputs", number, memplan_error(handle));
	}
	return MEMPLAN_OK;
}

static enum memplan_status make(struct job *job, memplan *handle)
{
	const struct task *task = &job->task;
	enum memplan_status status = MEMPLAN_OK;

	for (uint32_t i = 0; status == MEMPLAN_OK && i < task->options.n; i++)
		status = set_option(job, &task->options.at[i], handle);
	for (uint32_t i = 0; status == MEMPLAN_OK && i < task->dims.n; i++)
		status = add_dim(job, task->dims.at[i].name,
			task->dims.at[i].value, handle);
	if (status == MEMPLAN_OK)
		status = set_batch(job, handle);
	return status == MEMPLAN_OK ? check_outputs(job, handle) : status;
}

enum memplan_status cli_job_make(struct job *job, struct arena *arena)
{
	memplan *handle = memplan_new();
	enum memplan_status status;

	job->own = (struct arguments){.arena = arena, .bare_names = true};
	job->own.values[OPT_QUIET] = "";
	job->own.values[OPT_COLOR] = "never";
	if (!handle)
		return cli_out_of_memory();
	status = make(job, handle);
	memplan_free(handle);
	return status;
}

bool cli_job_settings(
	const struct arguments *arguments, struct settings *settings)
{
	struct memplan_option option;

	settings->n = 0;
	settings->at = NEW(arguments->arena, struct setting, MOST_OPTIONS);
	for (uint32_t id = N_OPTIONS; settings->at && cli_option(id, &option);
		id++)
		if (arguments->values[id])
			settings->at[settings->n++] = (struct setting){
				option.name, arguments->values[id]};
	if (settings->at)
		mp_batch_sort(settings);
	return settings->at != NULL;
}

/* ---------------------------------------------------------- digests */

/* By name. A new one takes the place of an old one. */
struct digests {
	struct arena *arena;
	struct digest {
		struct sink name;
		char text[SHA256_TEXT];
	} at[DIGESTS_KEPT];
	struct sink text; /* of a key */
	struct error error;
};

struct digests *cli_job_digests(struct arena *arena)
{
	struct digests *digests = NEW(arena, struct digests, 1);

	if (!digests)
		return cli_out_of_memory(), NULL;
	for (size_t i = 0; i < DIGESTS_KEPT; i++)
		digests->at[i].name.error = &digests->error;
	digests->text.error = &digests->error;
	return digests;
}

void cli_job_digests_free(struct digests *digests)
{
	for (size_t i = 0; i < DIGESTS_KEPT; i++)
		mp_sink_free(&digests->at[i].name);
	mp_sink_free(&digests->text);
}

static enum memplan_status digest_file(
	const char *name, struct digests *digests, char text[SHA256_TEXT])
{
	uint64_t hash = mp_names_hash(name, strlen(name));
	struct digest *kept = &digests->at[hash % DIGESTS_KEPT];
	size_t length = strlen(name) + 1;
	enum memplan_status status;
	struct file file;

	if (kept->name.length != length ||
		memcmp(kept->name.bytes, name, length) != 0) {
		status = cli_file_read(name, UINT64_MAX, &file);
		if (status != MEMPLAN_OK)
			return status;
		mp_sha256(file.bytes, file.length, kept->text);
		cli_file_free(&file);
		kept->name.length = 0;
		mp_sink_write(&kept->name, name, length);
	}
	memcpy(text, kept->text, SHA256_TEXT);
	return digests->error.code == MEMPLAN_OK ? MEMPLAN_OK
						 : cli_out_of_memory();
}

enum memplan_status cli_job_key(
	const struct job *job, struct digests *digests, char key[SHA256_TEXT])
{
	struct session_file names[SESSION_FILES];
	struct task_file files[SESSION_FILES];
	uint32_t n = 0;
	enum memplan_status status =
		cli_session_files(&job->own, job->input, names, &n);

	for (uint32_t i = 0; status == MEMPLAN_OK && i < n; i++) {
		files[i].role = names[i].role;
		files[i].name = names[i].name;
		status = digest_file(names[i].name, digests, files[i].digest);
	}
	if (status != MEMPLAN_OK)
		return status;
	return mp_batch_key(&job->task, files, n, memplan_version(), key,
		       &digests->text)
		       ? MEMPLAN_OK
		       : cli_out_of_memory();
}

/* The key of what a session read: of the bytes that are planned, which may not
 * be those that the file has later. */
static bool session_key(const struct job *job, const struct session *session,
	char key[SHA256_TEXT])
{
	struct session_file names[SESSION_FILES];
	struct task_file files[SESSION_FILES];
	struct error error = {0};
	struct sink sink = {.error = &error};
	uint32_t n = 0;
	bool fine = cli_session_files(&job->own, job->input, names, &n) ==
		    MEMPLAN_OK;

	assert(!fine || n == session->n_files);
	for (uint32_t i = 0; i < session->n_files; i++) {
		files[i].role = names[i].role;
		files[i].name = names[i].name;
		mp_sha256(session->files[i].bytes, session->files[i].length,
			files[i].digest);
	}
	fine = fine && mp_batch_key(&job->task, files, n, memplan_version(),
			       key, &sink);
	mp_sink_free(&sink);
	return fine;
}

/* ------------------------------------------------------------- find */

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

/* -------------------------------------------------------------- run */

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
	if (!session_key(run->job, &run->session, run->answer.key))
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
