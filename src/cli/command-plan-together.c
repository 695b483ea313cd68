/*
 * memplan plan INPUT... --together serial|concurrent|buckets: several graphs,
 * or one graph with several batches or several lengths of a dimension, in one
 * arena.
 * And memplan check PLAN with all of these.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/num.h"
#include "cli/commands.h"
#include "cli/signals.h"

struct member {
	const char *input, *batch; /* NULL: there is no batch */
	struct session session;
};

/* A line of --dim with several values: NAME=1,8. */
struct dim_list {
	const char *lines;  /* all of --dim */
	const char *at;	    /* the values, in lines */
	const char *behind; /* what follows them there */
	const char *list;   /* a copy of the values */
};

struct together {
	const struct arguments *arguments;
	struct session *plan; /* to be checked; NULL: to be planned */
	struct arguments own; /* those of a single member */
	struct dim_list dim;  /* that has several values; list NULL: none */
	struct member *members;
	uint32_t n_members, n_open;
	uint32_t n_joined; /* up to the one that could not be */
	struct session bundle;
};

/* Finds the line of --dim that has several values. */
static bool find_dim_list(
	const struct arguments *arguments, struct dim_list *dim)
{
	const char *line = cli_value(arguments, "dim"), *equals;
	size_t length;

	*dim = (struct dim_list){.lines = line};
	for (; line && *line; line += length + (line[length] == '\n')) {
		length = strcspn(line, "\n");
		equals = line + length;
		while (equals > line && *equals != '=')
			equals--;
		if (*equals != '=' ||
			!memchr(equals, ',', (size_t)(line + length - equals)))
			continue;
		if (dim->list)
			return cli_usage("only one --dim has several values"),
			       false;
		dim->at = equals + 1;
		dim->behind = line + length;
		dim->list = mp_arena_text(arguments->arena, dim->at,
			(size_t)(dim->behind - dim->at));
		if (!dim->list)
			return cli_out_of_memory(), false;
	}
	if (dim->list && arguments->values[OPT_BATCH])
		return cli_usage("--batch and --dim both have batches"), false;
	return true;
}

/* ---------------------------------------------------------- members */

static const char *batches_of(
	const struct arguments *arguments, const struct dim_list *dim)
{
	return dim->list ? dim->list : arguments->values[OPT_BATCH];
}

static uint32_t count_batches(const char *list)
{
	uint32_t n = 1;

	for (const char *c = list; c && *c; c++)
		n += *c == ',';
	return n;
}

/* One for every input and batch. */
static enum memplan_status list_members(struct together *t)
{
	const char *list = batches_of(t->arguments, &t->dim);
	const char *rest = list;
	uint32_t n_batches = count_batches(list);

	t->n_members = t->arguments->n_inputs * n_batches;
	t->members = NEW(t->arguments->arena, struct member, t->n_members);
	if (!t->members)
		return cli_out_of_memory();
	for (uint32_t i = 0; i < t->n_members; i++) {
		struct member *member = &t->members[i];
		size_t length;

		member->input = t->arguments->inputs[i / n_batches];
		if (!list)
			continue;
		length = strcspn(rest, ",");
		member->batch =
			mp_arena_text(t->arguments->arena, rest, length);
		if (!member->batch)
			return cli_out_of_memory();
		rest = rest[length] ? rest + length + 1 : list;
	}
	return MEMPLAN_OK;
}

static enum memplan_status read_member(
	struct together *t, struct member *member)
{
	enum memplan_status status;

	if (t->dim.list) {
		const char *lines = mp_arena_print(t->arguments->arena,
			"%.*s%s%s", (int)(t->dim.at - t->dim.lines),
			t->dim.lines, member->batch, t->dim.behind);

		if (!lines)
			return cli_out_of_memory();
		cli_set_value(&t->own, "dim", lines);
	} else {
		t->own.values[OPT_BATCH] = member->batch;
	}
	status = cli_session_open(&member->session, &t->own, member->input);
	if (status != MEMPLAN_OK)
		return status;
	t->n_open++;
	status = memplan_read(member->session.plan);
	cli_session_page_out(&member->session);
	return status == MEMPLAN_OK
		       ? status
		       : cli_session_tell(&member->session, &t->own, status);
}

static enum memplan_status read_members(struct together *t)
{
	enum memplan_status status = MEMPLAN_OK;

	for (uint32_t i = 0; i < t->n_members && status == MEMPLAN_OK; i++)
		status = read_member(t, &t->members[i]);
	for (uint32_t i = 0; i + 1 < t->n_open; i++)
		t->members[i].session.next = &t->members[i + 1].session;
	if (t->n_open > 0)
		t->bundle.next = &t->members[0].session;
	if (t->n_open > 0 && t->plan)
		t->members[t->n_open - 1].session.next = t->plan;
	return status;
}

/* --------------------------------------------------------- planning */

/* The name of a batch is the graph's, a dot and the batch. */
static enum memplan_status join_members(struct together *t)
{
	enum memplan_status status = MEMPLAN_OK;

	for (uint32_t i = 0; i < t->n_members && status == MEMPLAN_OK; i++) {
		const struct member *member = &t->members[i];
		const char *name = NULL;

		if (member->batch) {
			name = mp_arena_print(
				t->arguments->arena, ".%s", member->batch);
			if (!name)
				return cli_out_of_memory();
		}
		t->n_joined++;
		status = memplan_join(
			t->bundle.plan, member->session.plan, name);
	}
	return status;
}

static enum memplan_status plan_members(struct together *t)
{
	enum memplan_status status;

	if (t->plan)
		return memplan_check_against(t->bundle.plan, t->plan->plan);
	cli_signals_running(t->bundle.plan);
	status = cli_session_plan(&t->bundle, t->arguments);
	cli_signals_running(NULL);
	return status;
}

static enum memplan_status finish(
	struct together *t, enum memplan_status status)
{
	if (t->plan)
		return cli_check_finish(&t->bundle, t->arguments, status);
	return cli_plan_finish(&t->bundle, t->arguments, status);
}

/* Buckets have one plan, which is made as that of a single graph is. */
static bool has_buckets(const struct together *t)
{
	const char *together = cli_value(t->arguments, "together");
	uint64_t n = 0;

	if (!t->plan)
		return together && strcmp(together, "buckets") == 0;
	return memplan_read(t->plan->plan) == MEMPLAN_OK &&
	       memplan_number(t->plan->plan, "buckets", &n) && n > 0;
}

/* An option of the bundle. */
static bool is_of_whole(const char *name)
{
	static const char *const options[] = {"together", "same-offsets",
		"name", "capacity", "max-memory", "planner", "seed", "effort",
		"steps", "time-limit", "threads"};
	bool is = false;

	for (size_t i = 0; i < countof(options); i++)
		is |= strcmp(name, options[i]) == 0;
	return is;
}

/* Options of the bundle that would be in its members' way. */
static void leave_to_whole(struct together *t, bool buckets)
{
	cli_set_value(&t->own, "together", NULL);
	cli_set_value(&t->own, "same-offsets", NULL);
	cli_set_value(&t->own, "name", NULL);
	cli_set_value(&t->own, "capacity", NULL);
	t->own.values[OPT_PROOF] = NULL;
	if (!buckets)
		return;
	cli_set_value(&t->own, "budget", NULL);
	cli_set_value(&t->own, "minimise-reuse", NULL);
}

static enum memplan_status open_whole(struct together *t)
{
	enum memplan_status status = MEMPLAN_OK;
	struct memplan_option option;
	bool buckets = has_buckets(t);

	t->bundle.plan = memplan_new();
	t->bundle.color = cli_color(t->arguments);
	if (!t->bundle.plan)
		return cli_out_of_memory();
	for (uint32_t i = N_OPTIONS;
		cli_option(i, &option) && status == MEMPLAN_OK; i++)
		if (t->arguments->values[i] &&
			(buckets || is_of_whole(option.name)))
			status = memplan_set(t->bundle.plan, option.name,
				t->arguments->values[i]);
	if (status != MEMPLAN_OK)
		cli_usage("%s", memplan_error(t->bundle.plan));
	leave_to_whole(t, buckets);
	return status == MEMPLAN_OK
		       ? cli_session_add_proof(&t->bundle, t->arguments)
		       : status;
}

/* Prints what planning the members found before what planning the bundle found.
 */
static enum memplan_status plan_all(struct together *t)
{
	enum memplan_status status = open_whole(t);

	if (status == MEMPLAN_OK)
		status = list_members(t);
	if (status == MEMPLAN_OK)
		status = read_members(t);
	if (status != MEMPLAN_OK)
		return status;
	status = join_members(t);
	if (status == MEMPLAN_OK)
		status = plan_members(t);
	for (uint32_t i = 0; i < t->n_joined; i++)
		cli_session_tell(&t->members[i].session, &t->own, MEMPLAN_OK);
	return finish(t, status);
}

/* ---------------------------------------------------------- command */

/* A file that belongs to one graph. A proof is of all of them. */
static bool check_companions(const struct arguments *arguments)
{
	struct memplan_option option;

	if (arguments->values[OPT_NEAR]) {
		cli_usage("--near plans one graph near to its older plan");
		return false;
	}
	for (uint32_t id = 0; id < N_OPTIONS; id++) {
		if (!cli_option_is_read(id) || !arguments->values[id] ||
			id == OPT_PROOF || arguments->n_inputs == 1)
			continue;
		cli_option(id, &option);
		cli_usage("--%s goes with one input", option.name);
		return false;
	}
	return true;
}

static enum memplan_status run_together(
	const struct arguments *arguments, struct session *plan)
{
	struct together t = {
		.arguments = arguments, .plan = plan, .own = *arguments};
	enum memplan_status status;

	if (!check_companions(arguments) || !find_dim_list(arguments, &t.dim))
		return MEMPLAN_EUSAGE;
	status = plan_all(&t);
	for (uint32_t i = 0; i < t.n_open; i++)
		cli_session_close(&t.members[i].session);
	cli_session_close(&t.bundle);
	return status;
}

enum memplan_status cli_plan_together(const struct arguments *arguments)
{
	return run_together(arguments, NULL);
}

enum memplan_status cli_check_together(
	const struct arguments *arguments, struct session *plan)
{
	return run_together(arguments, plan);
}

uint64_t cli_count_together(const struct arguments *arguments)
{
	struct dim_list dim;

	if (!find_dim_list(arguments, &dim))
		return 0;
	return (uint64_t)arguments->n_inputs *
	       count_batches(batches_of(arguments, &dim));
}
