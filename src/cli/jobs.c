/*
 * Jobs: what a task may say, and the arguments of memplan plan for it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/jobs.h"

#include <stdio.h>
#include <string.h>

#include "base/names.h"

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

/* Those of the library, and files that are read. */
static bool is_of_task(uint32_t id, const struct memplan_option *option)
{
	return (id >= N_OPTIONS || cli_option_is_read(id)) &&
	       option->uses & FOR_PLAN;
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
	if (memplan_set(handle, setting->name, setting->value) == MEMPLAN_OK)
		return MEMPLAN_OK;
	return complain(job, "options", setting->name, memplan_error(handle));
}

static enum memplan_status set_option(
	struct job *job, const struct setting *setting, memplan *handle)
{
	struct memplan_option option;
	uint32_t id;

	if (cli_task_refusal(setting->name))
		return complain(job, "options", setting->name,
			cli_task_refusal(setting->name));
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

/* False: the option is none of a task, or has no such value. */
static bool suits_tasks(
	const struct memplan_option *option, const char *value, memplan *handle)
{
	const char *why = cli_task_refusal(option->name);

	if (why)
		cli_usage("--%s: %s", option->name, why);
	else if (memplan_set(handle, option->name, value) != MEMPLAN_OK)
		cli_usage("%s", memplan_error(handle));
	else
		return true;
	return false;
}

enum memplan_status cli_job_settings(
	const struct arguments *arguments, struct settings *settings)
{
	memplan *handle = memplan_new();
	struct memplan_option option;
	bool fine = true;

	settings->n = 0;
	settings->at = NEW(arguments->arena, struct setting, MOST_OPTIONS);
	if (!settings->at || !handle) {
		memplan_free(handle);
		return cli_out_of_memory();
	}
	for (uint32_t id = N_OPTIONS; fine && cli_option(id, &option); id++) {
		const char *value = arguments->values[id];

		if (!value)
			continue;
		fine = suits_tasks(&option, value, handle);
		settings->at[settings->n++] =
			(struct setting){option.name, value};
	}
	memplan_free(handle);
	mp_batch_sort(settings);
	return fine ? MEMPLAN_OK : MEMPLAN_EUSAGE;
}
