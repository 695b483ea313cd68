/*
 * memplan batch TASKS --store FOLDER: plans many tasks, each once.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/sink-text.h"
#include "cli/commands.h"
#include "cli/merge.h"
#include "cli/system.h"

struct batch {
	const struct arguments *arguments;
	struct runner runner;
	struct file file;    /* the list, if it is one */
	struct sink written; /* the list of a matrix */
	struct tasks tasks;
	struct settings initial; /* options for all tasks */
	struct shard shard;
	int folder; /* length of what names of files are relative to */
};

/* ------------------------------------------------------------- jobs */

static enum memplan_status tell(
	const struct batch *b, const struct error *error)
{
	struct place place = {
		.file = b->tasks.file.name, .color = cli_color(b->arguments)};

	if (error->code == MEMPLAN_EINPUT)
		cli_tell("error", &place, error->text);
	else
		cli_say("%s\n", error->text);
	return error->code;
}

static enum memplan_status load(
	void *context, uint64_t i, struct job *job, struct arena *arena)
{
	struct batch *b = context;
	const char *name = b->tasks.file.name;

	if (!mp_batch_task(&b->tasks, (uint32_t)i, &b->initial, &job->task,
		    arena, arena->error))
		return tell(b, arena->error);
	job->place = mp_arena_print(arena, "%s:%u", name, job->task.line);
	job->input = job->task.input;
	if (*job->input != '/')
		job->input = mp_arena_print(
			arena, "%.*s%s", b->folder, name, job->input);
	if (!job->place || !job->input)
		return cli_out_of_memory();
	return cli_job_make(job, arena);
}

static bool skips(void *context, uint64_t i)
{
	const struct batch *b = context;

	return !mp_batch_in_shard(&b->shard, &b->tasks.lines[i]);
}

/* A mistake in any task is found before the first is planned. */
static enum memplan_status check_tasks(struct batch *b)
{
	struct arena scratch = {.error = b->arguments->arena->error};
	enum memplan_status status = MEMPLAN_OK;
	struct job job;

	for (uint32_t i = 0; i < b->tasks.n && status == MEMPLAN_OK; i++) {
		struct arena_mark mark = mp_arena_mark(&scratch);

		if (!skips(b, i))
			status = load(b, i, &job, &scratch);
		mp_arena_rewind(&scratch, mark);
	}
	mp_arena_free(&scratch);
	return status;
}

/* ---------------------------------------------------------- options */

static bool check_usage(struct batch *b)
{
	const struct arguments *arguments = b->arguments;
	const char *shard = arguments->values[OPT_SHARD];
	bool merges = arguments->values[OPT_MERGE] != NULL;
	bool lists =
		arguments->values[OPT_MATRIX] && !arguments->values[OPT_STORE];

	b->shard = (struct shard){0, 1};
	if (shard && !mp_batch_parse_shard(shard, &b->shard))
		cli_usage(
			"--shard: must be K/N with K from 0 to N-1, like 3/8");
	else if (!arguments->values[OPT_MATRIX] && arguments->n_inputs != 1)
		cli_usage("batch takes one list of tasks, or --matrix");
	else if (merges && arguments->n_outputs == 0)
		cli_usage("--merge needs -o FILE");
	else if (!merges && !lists && arguments->n_outputs > 0)
		cli_usage("-o goes with --merge, or with --matrix and "
			  "without --store, which writes the tasks");
	else if (lists && arguments->n_outputs != 1)
		cli_usage("--store is missing: the folder of the answers");
	else
		return true;
	return false;
}

/* No output is the list. */
static bool check_paths(const struct arguments *arguments)
{
	struct paths paths = {.arena = arguments->arena};

	if (!arguments->values[OPT_MATRIX] &&
		!cli_paths_read(&paths, arguments->inputs[0]))
		return false;
	for (uint32_t i = 0; i < arguments->n_outputs; i++)
		if (!cli_paths_write(&paths, arguments->outputs[i].name))
			return false;
	return true;
}

static bool check_formats(const struct arguments *arguments)
{
	for (uint32_t i = 0; i < arguments->n_outputs; i++)
		if (!mp_batch_format(arguments->outputs[i].name))
			return cli_usage("'%s': a merged sweep is .csv, .json, "
					 ".md or .html",
				       arguments->outputs[i].name),
			       false;
	return true;
}

/* ----------------------------------------------------------- matrix */

/* What patterns name. */
struct named {
	struct axis *graphs;
	uint32_t room;
	struct arena *arena;
	bool is_out;
};

static bool add_name(void *context, const char *name)
{
	struct named *named = context;
	struct axis *graphs = named->graphs;
	const char *copy = mp_arena_text(named->arena, name, strlen(name));

	graphs->values = mp_arena_grow(named->arena, graphs->values, graphs->n,
		&named->room, sizeof(*graphs->values));
	named->is_out = !graphs->values || !copy;
	if (named->is_out)
		return false;
	graphs->values[graphs->n++] = copy;
	return true;
}

/* The files that a pattern names, by name. */
static bool expand(
	const struct axis *patterns, struct axis *graphs, struct arena *arena)
{
	struct named named = {.graphs = graphs, .arena = arena};
	long n;

	for (uint32_t i = 0; i < patterns->n; i++) {
		n = cli_system_match(patterns->values[i], add_name, &named);
		if (n < 0 || named.is_out)
			return cli_out_of_memory(), false;
		if (n == 0)
			return cli_usage("'%s' names no file",
				       patterns->values[i]),
			       false;
	}
	return true;
}

struct matrix {
	struct axis *axes; /* the first are the graphs */
	struct axis outputs;
	uint32_t n;
};

static bool add_axis(
	struct matrix *matrix, const char *text, struct arena *arena)
{
	struct axis axis;

	if (!mp_batch_axis(text, &axis, arena, arena->error)) {
		cli_usage("%s", arena->error->text);
		return false;
	}
	if (strcmp(axis.name, "graphs") == 0)
		return expand(&axis, &matrix->axes[0], arena);
	if (strcmp(axis.name, "outputs") == 0)
		matrix->outputs = axis;
	else
		matrix->axes[matrix->n++] = axis;
	return true;
}

static bool read_matrix(
	const struct arguments *arguments, struct matrix *matrix)
{
	struct arena *arena = arguments->arena;

	matrix->axes = NEW(arena, struct axis, arguments->n_inputs + 2);
	if (!matrix->axes)
		return cli_out_of_memory(), false;
	matrix->axes[0].name = "input";
	matrix->n = 1;
	if (!add_axis(matrix, arguments->values[OPT_MATRIX], arena))
		return false;
	for (uint32_t i = 0; i < arguments->n_inputs; i++)
		if (!add_axis(matrix, arguments->inputs[i], arena))
			return false;
	if (matrix->axes[0].n == 0)
		return cli_usage("--matrix needs the axis graphs=GLOB"), false;
	return true;
}

static bool write_matrix(struct batch *b)
{
	struct matrix matrix = {.n = 0};

	b->written.error = b->arguments->arena->error;
	if (!read_matrix(b->arguments, &matrix))
		return false;
	mp_batch_write_matrix(matrix.axes, matrix.n, matrix.outputs.values,
		matrix.outputs.n, &b->written);
	if (b->written.error->code == MEMPLAN_OK)
		return true;
	cli_usage("%s", b->written.error->text);
	return false;
}

static enum memplan_status print_matrix(struct batch *b)
{
	struct drafts drafts = {.arena = b->arguments->arena};
	enum memplan_status status =
		cli_drafts_add(&drafts, b->arguments->outputs[0].name,
			b->written.bytes, b->written.length);

	if (status == MEMPLAN_OK)
		return cli_drafts_commit(&drafts);
	cli_drafts_discard(&drafts);
	return status;
}

/* ------------------------------------------------------------- list */

static enum memplan_status read_list(struct batch *b)
{
	struct arena *arena = b->arguments->arena;
	struct input_file list = {
		"matrix", b->written.bytes, b->written.length};
	enum memplan_status status;

	if (!b->arguments->values[OPT_MATRIX]) {
		status = cli_file_read(
			b->arguments->inputs[0], UINT64_MAX, &b->file);
		if (status != MEMPLAN_OK)
			return status;
		list = (struct input_file){
			b->file.name, b->file.bytes, b->file.length};
		b->folder = (int)cli_paths_folder(b->file.name);
	}
	if (!mp_batch_read(&list, &b->tasks, arena, arena->error))
		return tell(b, arena->error);
	return check_tasks(b);
}

/* ----------------------------------------------------------- report */

static void print_sums(const struct batch *b)
{
	static const char *const names[MEMPLAN_EBUDGET + 1] = {"planned",
		"over capacity", "with bad options", "with bad input",
		"without a plan found"};
	const struct runner *r = &b->runner;

	printf("%llu answer%s: %llu were there, %llu are new",
		(unsigned long long)(r->n_there + r->n_new),
		mp_text_plural(r->n_there + r->n_new),
		(unsigned long long)r->n_there, (unsigned long long)r->n_new);
	for (size_t i = 0; i < countof(names); i++)
		if (r->n_of[i] > 0)
			printf("%s%llu %s", i == 0 ? "; " : ", ",
				(unsigned long long)r->n_of[i], names[i]);
	if (r->n_failed > 0)
		printf("; %llu failed", (unsigned long long)r->n_failed);
	putchar('\n');
}

/* ---------------------------------------------------------- command */

static enum memplan_status run(struct batch *b)
{
	const struct arguments *arguments = b->arguments;
	enum memplan_status status;

	if (!check_usage(b) || !check_paths(arguments))
		return MEMPLAN_EUSAGE;
	/* What the command line says of planning is for all tasks. */
	status = cli_job_settings(arguments, &b->initial);
	if (status != MEMPLAN_OK)
		return status;
	if (arguments->values[OPT_MATRIX] && !write_matrix(b))
		return MEMPLAN_EUSAGE;
	if (!arguments->values[OPT_STORE] && arguments->values[OPT_MATRIX])
		return print_matrix(b);
	if (!check_formats(arguments))
		return MEMPLAN_EUSAGE;
	status = cli_runner_open(&b->runner, arguments);
	if (status == MEMPLAN_OK)
		status = read_list(b);
	if (status != MEMPLAN_OK)
		return status;
	b->runner.n = b->tasks.n;
	if (arguments->values[OPT_MERGE])
		return cli_merge(&b->runner);
	status = cli_runner_run(&b->runner);
	if (!arguments->values[OPT_QUIET])
		print_sums(b);
	return status;
}

enum memplan_status cli_batch(const struct arguments *arguments)
{
	struct batch b = {.arguments = arguments};
	enum memplan_status status;

	b.runner.load = load;
	b.runner.skips = skips;
	b.runner.context = &b;
	status = run(&b);
	mp_sink_free(&b.written);
	cli_file_free(&b.file);
	return status;
}
