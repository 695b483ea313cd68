/*
 * The rows of a budget as jobs: see gate-store.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/gate-store.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/job-answers.h"
#include "cli/job-keys.h"
#include "cli/paths.h"

/* -------------------------------------------------------------- job */

/* The last one of a name counts: rows say more than the command line. */
static void put(struct settings *all, const char *name, const char *value)
{
	uint32_t i = 0;

	while (i < all->n && strcmp(all->at[i].name, name) != 0)
		i++;
	all->at[i] = (struct setting){name, value};
	all->n += i == all->n;
}

/* Others only tell rows apart. */
static bool is_target(const char *name)
{
	const char *row, *summary;

	for (uint32_t i = 0; (row = memplan_row("targets", i, &summary)); i++)
		if (strcmp(row, name) == 0)
			return true;
	return false;
}

static bool set_options(const struct gate_store *s, uint32_t i,
	const struct memplan_budget *row, struct task *task,
	struct arena *arena)
{
	const char *name, *value;
	uint32_t n = 0;

	while (memplan_gate_option(s->gate, i, n, &name, &value))
		n++;
	task->options.at = NEW(arena, struct setting, s->all.n + n + 1);
	if (!task->options.at)
		return false;
	for (uint32_t k = 0; k < s->all.n; k++)
		put(&task->options, s->all.at[k].name, s->all.at[k].value);
	if (row->target && is_target(row->target))
		put(&task->options, "target", row->target);
	for (uint32_t k = 0; memplan_gate_option(s->gate, i, k, &name, &value);
		k++)
		put(&task->options, name, value);
	mp_batch_sort(&task->options);
	return true;
}

/* A baseline may be written from the answer. */
static bool set_outputs(const struct memplan_budget *row, struct task *task,
	struct arena *arena)
{
	if (!row->baseline)
		return true;
	task->outputs = NEW(arena, const char *, 1);
	if (!task->outputs)
		return false;
	task->outputs[task->n_outputs++] = GATE_BASELINE;
	return true;
}

static enum memplan_status load(
	void *context, uint64_t i, struct job *job, struct arena *arena)
{
	struct gate_store *s = context;
	struct memplan_budget row;

	memplan_gate_row(s->gate, (uint32_t)i, &row, sizeof(row));
	job->task = (struct task){.input = row.graph};
	job->input = cli_paths_beside(s->budget, row.graph, arena);
	job->place = mp_arena_print(arena, "%s", s->budget);
	if (!job->input || !job->place ||
		!set_options(s, (uint32_t)i, &row, &job->task, arena) ||
		!set_outputs(&row, &job->task, arena))
		return cli_out_of_memory();
	if (mp_text_ends_with(job->input, ".io_info.json"))
		job->task.batch = row.batch;
	return cli_job_make(job, arena);
}

/* ------------------------------------------------------------- rows */

enum memplan_status cli_gate_store_begin(struct gate_store *s,
	const struct arguments *arguments, memplan_gate *gate,
	const char *budget)
{
	struct memplan_budget row;
	enum memplan_status status;

	*s = (struct gate_store){.gate = gate, .budget = budget};
	s->runner.load = load;
	s->runner.context = s;
	s->digests = cli_job_digests(arguments->arena);
	if (!s->digests)
		return MEMPLAN_ENOMEM;
	status = cli_job_settings(arguments, &s->all);
	if (status == MEMPLAN_OK)
		status = cli_runner_open(&s->runner, arguments);
	if (status != MEMPLAN_OK)
		return status;
	while (memplan_gate_row(gate, (uint32_t)s->runner.n, &row, sizeof(row)))
		s->runner.n++;
	cli_runner_run(&s->runner);
	return MEMPLAN_OK;
}

static void tell(const struct job *job, const struct answer *answer)
{
	const char *name = job->input + cli_paths_folder(job->input);
	struct place place = {.file = name};

	for (uint32_t i = 0; i < answer->n_warnings; i++)
		cli_tell("warning", &place, answer->warnings[i]);
	if (answer->status == MEMPLAN_EINPUT)
		cli_tell("error", &place, answer->message);
	else if (answer->message)
		cli_say("%s\n", answer->message);
}

enum memplan_status cli_gate_store_answer(
	struct gate_store *s, uint32_t i, struct answer *answer)
{
	struct arena *arena = s->runner.arguments->arena;
	char key[SHA256_TEXT];
	enum job_found found;
	struct job job;
	enum memplan_status status = load(s, i, &job, arena);

	if (status == MEMPLAN_OK)
		status = cli_job_key(&job, s->digests, key);
	if (status != MEMPLAN_OK)
		return status;
	found = cli_job_find(&s->runner.store, key, false, answer);
	if (found == JOB_FAILED)
		return answer->status;
	if (found != JOB_FOUND)
		return s->runner.worst != MEMPLAN_OK ? s->runner.worst
						     : MEMPLAN_EIO;
	if (!s->runner.arguments->values[OPT_QUIET])
		tell(&job, answer);
	return MEMPLAN_OK;
}

void cli_gate_store_end(struct gate_store *s)
{
	if (s->digests)
		cli_job_digests_free(s->digests);
}
