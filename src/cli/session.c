/*
 * The files of an input, its handle, and what that says of them: see session.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/session.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "base/sink-text.h"

/* Files besides the graph: the rest of an io_info triple, and a solution,
 * a proof, an older plan. */
static const struct {
	enum option_id option; /* names the file */
	const char *role;
	const char *suffix; /* found by --batch B as NAME.B.suffix; or NULL */
	bool needed;
} companions[] = {
	{OPT_TENSOR_SIZE, "tensor-size", "tensor_size.json", true},
	{OPT_RESIZE_INFO, "resize-info", "resize_info.json", true},
	{OPT_COST_INFO, "cost-info", "cost_info.json", false},
	{OPT_SOLUTION, "solution", NULL, false},
	{OPT_PROOF, "proof", NULL, false},
	{OPT_NEAR, "near", NULL, false},
	{OPT_LIVE_RANGE, "live-range", NULL, false},
};

static enum memplan_status set_options(
	memplan *plan, const struct arguments *arguments)
{
	struct memplan_option option;

	for (uint32_t i = N_OPTIONS; cli_option(i, &option); i++)
		if (arguments->values[i] &&
			memplan_set(plan, option.name, arguments->values[i]) !=
				MEMPLAN_OK)
			return cli_usage("%s", memplan_error(plan));
	return MEMPLAN_OK;
}

/* Files that were read count for --max-memory; those that are mapped do not, as
 * the system can take their memory back. */
static uint64_t memory_left(
	const struct session *session, const struct arguments *arguments)
{
	const char *text = cli_value(arguments, "max-memory");
	uint64_t left = UINT64_MAX;

	if (!text || !mp_bytes_parse(text, &left) || left == 0)
		return UINT64_MAX;
	for (uint32_t i = 0; i < session->n_files; i++)
		if (!session->files[i].is_mapped)
			left -= num_min(left, session->files[i].length);
	return left;
}

/* The bytes stay with the session. */
static enum memplan_status add_file(struct session *session,
	const struct arguments *arguments, const struct session_file *from)
{
	struct file *file = &session->files[session->n_files];
	enum memplan_status status;
	const char *name;

	assert(session->n_files < SESSION_FILES);
	status = cli_file_read(
		from->name, memory_left(session, arguments), file);
	if (status != MEMPLAN_OK)
		return status;
	session->n_files++;
	name = file->name;
	if (arguments->bare_names)
		name += cli_paths_folder(name);
	status = memplan_input(
		session->plan, from->role, name, file->bytes, file->length);
	if (status != MEMPLAN_OK)
		cli_say("memplan: %s\n", memplan_error(session->plan));
	return status;
}

/* NAME.io_info.json and batch B: NAME.B.suffix; NULL if out of memory or if
 * the input is not called so. */
static char *beside(const char *input, const char *batch, const char *suffix,
	struct arena *arena)
{
	static const char tail[] = ".io_info.json";

	if (!mp_text_ends_with(input, tail))
		return NULL;
	return mp_arena_print(arena, "%.*s.%s.%s",
		(int)(strlen(input) - strlen(tail)), input, batch, suffix);
}

/* The lifetimes beside a buffer assignment of XLA's: NAME-live-range.txt
 * beside NAME-buffer-assignment.txt; NULL: there is no such file. */
static const char *live_ranges_of(
	const struct arguments *arguments, const char *input)
{
	static const char tail[] = "-buffer-assignment.txt";
	const char *name = NULL;

	if (mp_text_ends_with(input, tail))
		name = mp_arena_print(arguments->arena, "%.*s-live-range.txt",
			(int)(strlen(input) - strlen(tail)), input);
	return name && cli_file_exists(name) ? name : NULL;
}

/* The companion's name; NULL: the input has none, or the status says why. */
static const char *companion_name(const struct arguments *arguments,
	const char *input, uint32_t i, enum memplan_status *status)
{
	const char *name = arguments->values[companions[i].option];
	const char *batch = arguments->values[OPT_BATCH];

	if (!name && companions[i].option == OPT_LIVE_RANGE)
		return live_ranges_of(arguments, input);
	if (name || !batch || !companions[i].suffix)
		return name;
	if (strchr(batch, ',')) {
		*status = cli_usage("--batch: '%s' are several; --together "
				    "plans these",
			batch);
		return NULL;
	}
	name = beside(input, batch, companions[i].suffix, arguments->arena);
	if (!name)
		*status = cli_usage("--batch needs an input called "
				    "NAME.io_info.json, not '%s'",
			input);
	return name && (companions[i].needed || cli_file_exists(name)) ? name
								       : NULL;
}

enum memplan_status cli_session_files(const struct arguments *arguments,
	const char *input, struct session_file files[SESSION_FILES],
	uint32_t *n)
{
	enum memplan_status status = MEMPLAN_OK;

	files[0] = (struct session_file){"graph", input};
	*n = 1;
	for (uint32_t i = 0; i < countof(companions) && status == MEMPLAN_OK;
		i++) {
		const char *name = companion_name(arguments, input, i, &status);

		if (name)
			files[(*n)++] =
				(struct session_file){companions[i].role, name};
	}
	return status;
}

/* Lists the files of each of "4,16". */
static bool list_batches(const struct arguments *arguments, const char *input,
	const char *suffix, struct paths *paths)
{
	const char *list = arguments->values[OPT_BATCH];

	while (list && *list) {
		size_t length = strcspn(list, ",");
		char *batch = mp_arena_text(arguments->arena, list, length);
		char *name =
			batch ? beside(input, batch, suffix, arguments->arena)
			      : NULL;

		if (name && !cli_paths_read(paths, name))
			return false;
		list += length + (list[length] == ',');
	}
	return true;
}

static bool list_input(const struct arguments *arguments, const char *input,
	struct paths *paths)
{
	if (!cli_paths_read(paths, input))
		return false;
	for (uint32_t i = 0; i < countof(companions); i++) {
		const char *name = arguments->values[companions[i].option];

		if (!name && companions[i].option == OPT_LIVE_RANGE)
			name = live_ranges_of(arguments, input);
		if (name ? !cli_paths_read(paths, name)
			 : companions[i].suffix &&
					!list_batches(arguments, input,
						companions[i].suffix, paths))
			return false;
	}
	return true;
}

bool cli_session_list(const struct arguments *arguments, struct paths *paths)
{
	for (uint32_t i = 0; i < arguments->n_inputs; i++)
		if (!list_input(arguments, arguments->inputs[i], paths))
			return false;
	for (uint32_t i = 0; i < arguments->n_outputs; i++)
		if (!cli_paths_write(paths, arguments->outputs[i].name))
			return false;
	return true;
}

/* The handle may have what the files leave. */
static enum memplan_status limit_memory(
	const struct session *session, const struct arguments *arguments)
{
	uint64_t left = memory_left(session, arguments);
	char text[24];

	if (left == UINT64_MAX)
		return MEMPLAN_OK;
	snprintf(text, sizeof(text), "%llu",
		(unsigned long long)num_max(left, 1));
	return memplan_set(session->plan, "max-memory", text);
}

enum memplan_status cli_session_open(struct session *session,
	const struct arguments *arguments, const char *input)
{
	struct session_file files[SESSION_FILES];
	enum memplan_status status;
	uint32_t n;

	*session = (struct session){
		.plan = memplan_new(), .color = cli_color(arguments)};
	if (!session->plan)
		return cli_out_of_memory();
	status = set_options(session->plan, arguments);
	if (status == MEMPLAN_OK)
		status = cli_session_files(arguments, input, files, &n);
	for (uint32_t i = 0; status == MEMPLAN_OK && i < n; i++)
		status = add_file(session, arguments, &files[i]);
	if (status == MEMPLAN_OK)
		status = limit_memory(session, arguments);
	if (status != MEMPLAN_OK)
		cli_session_close(session);
	return status;
}

enum memplan_status cli_session_add_proof(
	struct session *session, const struct arguments *arguments)
{
	const struct session_file proof = {
		.role = "proof", .name = arguments->values[OPT_PROOF]};

	return proof.name ? add_file(session, arguments, &proof) : MEMPLAN_OK;
}

void cli_session_page_out(const struct session *session)
{
	for (uint32_t i = 0; i < session->n_files; i++)
		cli_file_page_out(&session->files[i]);
}

void cli_session_close(struct session *session)
{
	memplan_free(session->plan);
	for (uint32_t i = 0; i < session->n_files; i++)
		cli_file_free(&session->files[i]);
	*session = (struct session){0};
}

/* --------------------------------------------------------- messages */

/* The session's file that a text names first; NULL: none. */
static const struct file *file_of(
	const struct session *session, const char *text)
{
	for (; session; session = session->next)
		for (uint32_t i = 0; i < session->n_files; i++) {
			const char *name = session->files[i].name;

			if (name && strncmp(text, name, strlen(name)) == 0 &&
				text[strlen(name)] == ':')
				return &session->files[i];
		}
	return NULL;
}

/* Where in its file an error is. What shows only after reading has a JSON
 * Pointer behind the file's name, and its line is looked up here. */
static struct place place_of(const struct session *session, const char *text)
{
	const struct file *file = file_of(session, text);
	struct place place = {.color = session->color};
	size_t length;

	memplan_error_place(session->plan, &place.line, &place.column);
	if (!file)
		return place;
	place.file = file->name;
	length = strlen(file->name);
	if (place.line == 0 && strncmp(text + length, ": /", 3) == 0)
		memplan_json_place(file->bytes, file->length, text + length + 2,
			&place.line, &place.column);
	return place;
}

static void tell_error(
	const struct session *session, enum memplan_status status)
{
	const char *text = memplan_error(session->plan);
	struct place place;

	if (status == MEMPLAN_ENOMEM && session->n_files > 0 &&
		!file_of(session, text)) {
		cli_say("%s: error: %s\n", session->files[0].name, text);
		return;
	}
	if (status != MEMPLAN_EINPUT && status != MEMPLAN_ENOMEM) {
		cli_say("%s\n", text);
		return;
	}
	place = place_of(session, text);
	cli_tell("error", &place, text);
}

enum memplan_status cli_session_tell(struct session *session,
	const struct arguments *arguments, enum memplan_status status)
{
	const char *text;

	for (; !arguments->values[OPT_QUIET] &&
		(text = memplan_warning(session->plan, session->n_told));
		session->n_told++) {
		const struct file *file = file_of(session, text);
		struct place place = {.file = file ? file->name : NULL,
			.color = session->color};

		cli_tell("warning", &place, text);
	}
	if (status != MEMPLAN_OK)
		tell_error(session, status);
	return status;
}

uint64_t cli_session_number(const struct session *session, const char *name)
{
	uint64_t value = 0;

	memplan_number(session->plan, name, &value);
	return value;
}

enum memplan_status cli_print(const void *bytes, size_t length)
{
	return fwrite(bytes, 1, length, stdout) == length && fflush(stdout) == 0
		       ? MEMPLAN_OK
		       : cli_no_stdout();
}

enum memplan_status cli_session_print(
	struct session *session, const char *report)
{
	const void *bytes;
	size_t length;
	enum memplan_status status =
		memplan_write(session->plan, report, &bytes, &length);

	if (status == MEMPLAN_OK)
		return cli_print(bytes, length);
	cli_say("%s\n", memplan_error(session->plan));
	return status;
}

enum memplan_status cli_session_draft(struct session *session,
	const struct arguments *arguments, const struct output *output,
	struct drafts *drafts)
{
	const void *bytes;
	size_t length;
	enum memplan_status status =
		memplan_write(session->plan, output->format, &bytes, &length);

	if (status != MEMPLAN_OK)
		return cli_session_tell(session, arguments, status);
	return cli_drafts_add(drafts, output->name, bytes, length);
}

/* Runs the function of a command, with its progress shown. */
static enum memplan_status run(struct session *session,
	const struct arguments *arguments,
	enum memplan_status (*work)(
		struct session *session, const struct arguments *arguments))
{
	struct progress progress;
	enum memplan_status status;

	cli_progress_begin(&progress, arguments, session->plan);
	status = work(session, arguments);
	cli_progress_end(&progress, session->plan);
	return status;
}

static enum memplan_status plan(
	struct session *session, const struct arguments *arguments)
{
	(void)arguments;
	return memplan_plan(session->plan);
}

enum memplan_status cli_session_plan(
	struct session *session, const struct arguments *arguments)
{
	return run(session, arguments, plan);
}

enum memplan_status cli_session_planned(struct session *session,
	const struct arguments *arguments, const char *input)
{
	enum memplan_status status =
		cli_session_open(session, arguments, input);

	if (status != MEMPLAN_OK)
		return status;
	status = cli_session_tell(
		session, arguments, cli_session_plan(session, arguments));
	if (status != MEMPLAN_OK)
		cli_session_close(session);
	return status;
}

/* Beside an output on stdout there is none. */
static bool has_report(const struct arguments *arguments)
{
	return cli_count_files(arguments) == arguments->n_outputs &&
	       (arguments->values[OPT_JSON] || arguments->values[OPT_CHART] ||
		       !arguments->values[OPT_QUIET]);
}

enum memplan_status cli_session_report(const struct arguments *arguments,
	const char *command,
	enum memplan_status (*work)(
		struct session *session, const struct arguments *arguments))
{
	bool json = arguments->values[OPT_JSON] != NULL;
	struct drafts drafts = {.arena = arguments->arena};
	struct paths paths = {.arena = arguments->arena};
	struct session session;
	enum memplan_status status;
	char report[32];

	if (arguments->n_inputs != 1)
		return cli_usage("%s takes one input", command);
	if (!cli_session_list(arguments, &paths))
		return MEMPLAN_EUSAGE;
	status = cli_session_open(&session, arguments, arguments->inputs[0]);
	if (status != MEMPLAN_OK)
		return status;
	status = run(&session, arguments, work);
	cli_session_tell(&session, arguments, status);
	for (uint32_t i = 0; status == MEMPLAN_OK && i < arguments->n_outputs;
		i++)
		status = cli_session_draft(
			&session, arguments, &arguments->outputs[i], &drafts);
	if (status == MEMPLAN_OK)
		status = cli_drafts_commit(&drafts);
	cli_drafts_discard(&drafts);
	snprintf(report, sizeof(report), "%s%s", command, json ? "-json" : "");
	if (status == MEMPLAN_OK && has_report(arguments))
		status = cli_session_print(&session, report);
	cli_session_close(&session);
	return status;
}
