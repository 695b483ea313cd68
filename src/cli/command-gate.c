/*
 * memplan gate BUDGET: checks many graphs against budgets in a file. File names
 * in a budget are relative to its folder.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/sink-text.h"
#include "cli/commands.h"
#include "cli/gate-store.h"
#include "cli/job-answers.h"
#include "cli/paths.h"

struct run {
	const struct arguments *arguments;
	const char *budget; /* name of the file */
	memplan_gate *gate;
	bool update;
	struct gate_store store; /* of answers, if has_store */
	bool has_store;
	struct drafts drafts; /* baselines, the budget, reports */
	struct paths paths;
	enum memplan_status worst;
};

static void worsen(struct run *run, enum memplan_status status)
{
	if (status > run->worst)
		run->worst = status;
}

static const char *beside(const struct run *run, const char *name)
{
	const char *path =
		cli_paths_beside(run->budget, name, run->arguments->arena);

	if (!path)
		cli_out_of_memory();
	return path;
}

/* ------------------------------------------------------------- rows */

/* For an io_info trace a batch names files; otherwise it only tells rows apart.
 */
static enum memplan_status plan_graph(struct run *run, uint32_t i,
	const struct memplan_budget *row, struct session *session)
{
	struct arguments arguments = *run->arguments;
	enum memplan_status status;
	const char *path = beside(run, row->graph);

	if (!path)
		return MEMPLAN_ENOMEM;
	if (mp_text_ends_with(path, ".io_info.json"))
		arguments.values[OPT_BATCH] = row->batch;
	status = cli_session_open(session, &arguments, path);
	if (status != MEMPLAN_OK) {
		memplan_gate_miss(run->gate, i, "its files cannot be read");
		return status;
	}
	status = memplan_gate_set(run->gate, i, session->plan);
	if (status == MEMPLAN_OK)
		status = cli_session_plan(session, run->arguments);
	cli_session_tell(session, &arguments, status);
	memplan_gate_miss(run->gate, i, memplan_error(session->plan));
	if (status != MEMPLAN_OK)
		cli_session_close(session);
	return status;
}

/* A missing baseline is no failure: the session's plan is then NULL. */
static enum memplan_status plan_baseline(
	const struct run *run, const char *path, struct session *session)
{
	*session = (struct session){0};
	return path && cli_file_exists(path)
		       ? cli_session_planned(session, run->arguments, path)
		       : MEMPLAN_OK;
}

static enum memplan_status draft_baseline(
	struct run *run, struct session *session, const char *path)
{
	const void *bytes;
	size_t length;
	enum memplan_status status =
		memplan_write(session->plan, "plan", &bytes, &length);

	return status == MEMPLAN_OK
		       ? cli_drafts_add(&run->drafts, path, bytes, length)
		       : cli_session_tell(session, run->arguments, status);
}

/* The plan that an answer of the store has. */
static enum memplan_status draft_stored(
	struct run *run, const struct answer *answer, const char *path)
{
	struct sink sink = {.error = run->arguments->arena->error};
	enum memplan_status status = MEMPLAN_EIO;

	if (cli_job_output(&run->store.runner.store, answer->key, GATE_BASELINE,
		    &sink))
		status = cli_drafts_add(
			&run->drafts, path, sink.bytes, sink.length);
	mp_sink_free(&sink);
	return status;
}

/* What a row was planned to: a handle with the plan, or an answer. */
struct planned {
	struct session session;
	struct answer answer;
};

static enum memplan_status draft_new(
	struct run *run, struct planned *planned, const char *path)
{
	return run->has_store ? draft_stored(run, &planned->answer, path)
			      : draft_baseline(run, &planned->session, path);
}

static enum memplan_status judge_sizes(struct run *run, uint32_t i,
	const struct planned *planned, const memplan *baseline)
{
	const struct answer *answer = &planned->answer;

	if (!run->has_store)
		return memplan_gate_judge(
			run->gate, i, planned->session.plan, baseline);
	return memplan_gate_judge_sizes(run->gate, i, answer->arena_size,
		answer->theoretical_min, answer->lower_bound, baseline);
}

/* With --update the old limits do not count. */
static void judge(struct run *run, uint32_t i, struct planned *planned,
	const char *baseline_path)
{
	bool update = run->update;
	struct session baseline;
	enum memplan_status status;

	if (update && baseline_path)
		worsen(run, draft_new(run, planned, baseline_path));
	status = plan_baseline(run, update ? NULL : baseline_path, &baseline);
	if (status != MEMPLAN_OK) {
		memplan_gate_miss(run->gate, i, "its baseline is no plan");
		worsen(run, status);
		return;
	}
	status = judge_sizes(run, i, planned, baseline.plan);
	if (!update)
		worsen(run, status);
	cli_session_close(&baseline);
}

/* An answer may be that there is no plan. */
static enum memplan_status find_answer(
	struct run *run, uint32_t i, struct answer *answer)
{
	enum memplan_status status =
		cli_gate_store_answer(&run->store, i, answer);

	if (status != MEMPLAN_OK)
		memplan_gate_miss(run->gate, i, "there is no answer to it");
	else if (answer->status != MEMPLAN_OK)
		memplan_gate_miss(run->gate, i, answer->message);
	return status != MEMPLAN_OK ? status : answer->status;
}

static void run_row(struct run *run, uint32_t i)
{
	struct planned planned = {.session = {.plan = NULL}};
	struct memplan_budget row;
	const char *baseline = NULL;
	enum memplan_status status;

	memplan_gate_row(run->gate, i, &row, sizeof(row));
	status = run->has_store ? find_answer(run, i, &planned.answer)
				: plan_graph(run, i, &row, &planned.session);
	worsen(run, status);
	if (status != MEMPLAN_OK)
		return;
	if (row.baseline)
		baseline = beside(run, row.baseline);
	if (row.baseline && !baseline)
		worsen(run, MEMPLAN_ENOMEM);
	else
		judge(run, i, &planned, baseline);
	cli_session_close(&planned.session);
}

/* ---------------------------------------------------------- reports */

static enum memplan_status tell(
	const struct run *run, enum memplan_status status)
{
	struct place place = {
		.file = run->budget, .color = cli_color(run->arguments)};

	if (status == MEMPLAN_OK)
		return status;
	memplan_gate_error_place(run->gate, &place.line, &place.column);
	cli_tell("error", &place, memplan_gate_error(run->gate));
	return status;
}

static enum memplan_status print(struct run *run)
{
	const char *format = run->arguments->values[OPT_FORMAT];
	const char *summary = getenv("GITHUB_STEP_SUMMARY");
	const void *bytes;
	size_t length;
	enum memplan_status status;

	if (run->arguments->values[OPT_JSON])
		format = "json";
	if (!format && run->arguments->values[OPT_QUIET])
		return MEMPLAN_OK;
	status = tell(run, memplan_gate_write(run->gate,
				   format ? format : "human", &bytes, &length));
	if (status == MEMPLAN_OK)
		status = cli_print(bytes, length);
	if (status != MEMPLAN_OK || !summary || !*summary || !format ||
		strcmp(format, "github") != 0)
		return status;
	/* Appends: other steps of the CI job may have written to this file
	 * before. */
	status = tell(run,
		memplan_gate_write(run->gate, "markdown", &bytes, &length));
	if (status == MEMPLAN_OK)
		status = cli_drafts_append(summary, bytes, length);
	return status;
}

/* Makes a report and drafts it as a file. */
static enum memplan_status draft_report(
	struct run *run, const char *report, const char *name)
{
	const void *bytes;
	size_t length;
	enum memplan_status status = tell(
		run, memplan_gate_write(run->gate, report, &bytes, &length));

	return status == MEMPLAN_OK
		       ? cli_drafts_add(&run->drafts, name, bytes, length)
		       : status;
}

/* ---------------------------------------------------------- command */

/* A report name can be checked before any budget is read. */
static bool has_report(memplan_gate *gate, const char *report)
{
	const void *bytes;
	size_t length;

	return memplan_gate_write(gate, report, &bytes, &length) !=
	       MEMPLAN_EUSAGE;
}

static bool check_usage(memplan_gate *gate, const struct arguments *arguments)
{
	const char *format = arguments->values[OPT_FORMAT];

	if (arguments->n_inputs != 1)
		return cli_usage("gate takes one budget"), false;
	if (format && arguments->values[OPT_JSON])
		return cli_usage("gate takes --json or --format, not both"),
		       false;
	for (uint32_t i = 0; i < arguments->n_outputs; i++)
		if (!has_report(gate, arguments->outputs[i].name))
			return cli_usage("'%s': no report has this suffix; "
					 "'memplan list gate-reports' names "
					 "them",
				       arguments->outputs[i].name),
			       false;
	if (!format || has_report(gate, format))
		return true;
	cli_say("memplan: unknown format '%s'; one of", format);
	cli_print_rows("gate-reports");
	return false;
}

static void run_rows(struct run *run)
{
	enum memplan_status status = MEMPLAN_OK;
	struct memplan_budget row;
	uint32_t i = 0;

	while (memplan_gate_row(run->gate, i, &row, sizeof(row)))
		run_row(run, i++);
	if (run->update)
		worsen(run, draft_report(run, "budget", run->budget));
	else
		worsen(run, print(run));
	for (i = 0; i < run->arguments->n_outputs && status == MEMPLAN_OK;
		i++) {
		const char *name = run->arguments->outputs[i].name;

		status = draft_report(run, name, name);
		worsen(run, status);
	}
	if (run->worst <= MEMPLAN_NO)
		worsen(run, cli_drafts_commit(&run->drafts));
	cli_drafts_discard(&run->drafts);
}

/* No report is the budget. --update writes that, and nothing else is it. */
static bool check_files(struct run *run)
{
	const struct arguments *arguments = run->arguments;

	if (!(run->update ? cli_paths_write(&run->paths, run->budget)
			  : cli_paths_read(&run->paths, run->budget)))
		return false;
	for (uint32_t i = 0; i < arguments->n_outputs; i++)
		if (!cli_paths_write(&run->paths, arguments->outputs[i].name))
			return false;
	return true;
}

/* A budget may come from elsewhere: it must not choose what is overwritten. */
static enum memplan_status check_baseline(struct run *run, const char *name)
{
	const char *path = beside(run, name);

	if (!path)
		return MEMPLAN_ENOMEM;
	if (!run->update)
		return cli_paths_read(&run->paths, path) ? MEMPLAN_OK
							 : MEMPLAN_EUSAGE;
	if (!run->arguments->values[OPT_UPDATE_ANYWHERE] &&
		!cli_paths_is_below(path, run->budget, run->arguments->arena))
		return cli_usage("'%s' is not below the budget's folder; "
				 "--update-anywhere writes it",
			path);
	return cli_paths_write(&run->paths, path) ? MEMPLAN_OK : MEMPLAN_EUSAGE;
}

static enum memplan_status check_rows(struct run *run)
{
	enum memplan_status status = MEMPLAN_OK;
	struct memplan_budget row;
	const char *path;

	for (uint32_t i = 0; status == MEMPLAN_OK &&
			     memplan_gate_row(run->gate, i, &row, sizeof(row));
		i++) {
		path = beside(run, row.graph);
		if (!path)
			return MEMPLAN_ENOMEM;
		if (!cli_paths_read(&run->paths, path))
			return MEMPLAN_EUSAGE;
		if (row.baseline)
			status = check_baseline(run, row.baseline);
	}
	return status;
}

static enum memplan_status plan_and_judge(struct run *run)
{
	enum memplan_status status = MEMPLAN_OK;

	run->has_store = run->arguments->values[OPT_STORE] != NULL;
	if (run->has_store)
		status = cli_gate_store_begin(
			&run->store, run->arguments, run->gate, run->budget);
	if (status == MEMPLAN_OK) {
		run_rows(run);
		status = run->worst;
	}
	cli_gate_store_end(&run->store);
	return status;
}

static enum memplan_status open_and_run(struct run *run)
{
	enum memplan_status status;
	struct file file;

	if (!check_usage(run->gate, run->arguments))
		return MEMPLAN_EUSAGE;
	run->budget = run->arguments->inputs[0];
	if (!check_files(run))
		return MEMPLAN_EUSAGE;
	status = cli_file_read(run->budget, UINT64_MAX, &file);
	if (status != MEMPLAN_OK)
		return status;
	status = tell(run, memplan_gate_read(run->gate, file.name, file.bytes,
				   file.length));
	if (status == MEMPLAN_OK)
		status = check_rows(run);
	if (status == MEMPLAN_OK)
		status = plan_and_judge(run);
	cli_file_free(&file);
	return status;
}

enum memplan_status cli_gate(const struct arguments *arguments)
{
	struct run run = {.arguments = arguments,
		.gate = memplan_gate_new(),
		.update = arguments->values[OPT_UPDATE] ||
			  arguments->values[OPT_UPDATE_ANYWHERE],
		.drafts.arena = arguments->arena,
		.paths.arena = arguments->arena};
	enum memplan_status status = MEMPLAN_ENOMEM;

	if (run.gate)
		status = open_and_run(&run);
	else
		cli_out_of_memory();
	memplan_gate_free(run.gate);
	return status;
}
