/*
 * Puts the answers of a sweep together: see merge.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/merge.h"

#include <stdlib.h>
#include <string.h>

#include "cli/job-answers.h"
#include "cli/job-keys.h"
#include "cli/system.h"

enum {
	MOST_TOLD = 1000, /* answers that are missing, by name */
};

struct merge {
	struct runner *runner;
	struct digests *digests;
	struct sweep sweep;
	uint32_t room;
	const char **others; /* keys with two answers, ascending */
	uint32_t n_others, others_room;
	struct arena kept; /* of keys: the store rewinds its own arena */
	uint64_t n_missing, n_contradictory;
	enum memplan_status status;
};

/* --------------------------------------------------- contradictions */

static void add_other(void *context, const char *name)
{
	struct merge *m = context;

	if (strlen(name) < SHA256_TEXT)
		return;
	m->others = mp_arena_grow(&m->kept, m->others, m->n_others,
		&m->others_room, sizeof(*m->others));
	if (!m->others) {
		m->status = cli_out_of_memory();
		m->n_others = m->others_room = 0;
		return;
	}
	m->others[m->n_others] = mp_arena_text(&m->kept, name, SHA256_TEXT - 1);
	if (m->others[m->n_others])
		m->n_others++;
	else
		m->status = cli_out_of_memory();
}

static int by_key(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool has_other(const struct merge *m, const char *key)
{
	return m->n_others > 0 && bsearch(&key, m->others, m->n_others,
					  sizeof(*m->others), by_key);
}

static bool find_others(struct merge *m)
{
	if (!mp_store_each(&m->runner->store, JOB_OTHER, add_other, m))
		m->status = cli_job_tell_store(&m->runner->store);
	if (m->n_others > 0)
		qsort(m->others, m->n_others, sizeof(*m->others), by_key);
	return m->status == MEMPLAN_OK;
}

/* ------------------------------------------------------------- rows */

static void tell(const struct merge *m, const struct job *job, const char *what)
{
	const char *title;

	if (m->n_missing + m->n_contradictory >= MOST_TOLD)
		return;
	title = mp_batch_title(&job->task, m->runner->arguments->arena);
	cli_say("%s: %s: %s\n", job->place, title ? title : "", what);
}

static bool make_room(struct merge *m)
{
	m->sweep.rows = mp_arena_grow(m->runner->arguments->arena,
		m->sweep.rows, m->sweep.n, &m->room, sizeof(*m->sweep.rows));
	if (!m->sweep.rows)
		m->status = cli_out_of_memory();
	return m->sweep.rows != NULL;
}

static void add_row(struct merge *m, const struct job *job)
{
	struct sweep_row *row = &m->sweep.rows[m->sweep.n];
	char key[SHA256_TEXT];
	enum memplan_status status = cli_job_key(job, m->digests, key);

	row->task = job->task;
	if (status == MEMPLAN_ENOMEM) {
		m->status = status;
		return;
	}
	if (status != MEMPLAN_OK) {
		tell(m, job, "cannot be read: its answer is not known");
		m->n_missing++;
		return;
	}
	if (has_other(m, key)) {
		tell(m, job, "has two answers that contradict each other");
		m->n_contradictory++;
		return;
	}
	switch (cli_job_find(&m->runner->store, key, true, &row->answer)) {
	case JOB_FOUND:
		m->sweep.n++;
		break;
	case JOB_FAILED:
		m->status = row->answer.status;
		break;
	case JOB_BROKEN:
	case JOB_MISSING:
		tell(m, job, "has no answer in the store");
		m->n_missing++;
		break;
	}
}

static void add_rows(struct merge *m)
{
	struct runner *r = m->runner;
	struct job job;

	for (uint64_t i = 0; i < r->n && m->status == MEMPLAN_OK; i++) {
		if (r->skips && r->skips(r->context, i))
			continue;
		if (!make_room(m))
			return;
		m->status = r->load(r->context, i, &job, r->arguments->arena);
		if (m->status == MEMPLAN_OK)
			add_row(m, &job);
	}
}

static void tell_sums(const struct merge *m)
{
	const struct store *store = &m->runner->store;
	const char *other = mp_store_other_version(store);

	cli_say("memplan: %llu of %llu answers are missing",
		(unsigned long long)m->n_missing,
		(unsigned long long)(m->n_missing + m->n_contradictory +
				     m->sweep.n));
	if (m->n_contradictory > 0)
		cli_say(", %llu contradictory",
			(unsigned long long)m->n_contradictory);
	cli_say("; nothing is written\n");
	if (other)
		cli_say("memplan: the store also has answers of version %s, "
			"which do not count for %s\n",
			other, store->version);
}

/* ---------------------------------------------------------- outputs */

/* The way from the folder of a file to the answers of a store. */
static const char *way_to(
	const struct store *store, const char *file, struct arena *arena)
{
	size_t folder = cli_paths_folder(file);
	const char *way = "";
	char here[SYSTEM_LONGEST_NAME];

	if (cli_system_is_absolute(store->folder))
		return mp_arena_print(
			arena, "%s/%s", store->folder, store->version);
	if (cli_system_is_absolute(file) || strstr(file, "..")) {
		if (!cli_system_resolve(".", here))
			return mp_arena_print(
				arena, "%s/%s", store->folder, store->version);
		return mp_arena_print(
			arena, "%s/%s/%s", here, store->folder, store->version);
	}
	for (size_t i = 0; way && i < folder; i++)
		if (file[i] == '/')
			way = mp_arena_print(arena, "%s../", way);
	return way ? mp_arena_print(arena, "%s%s/%s", way, store->folder,
			     store->version)
		   : NULL;
}

static enum memplan_status draft(
	struct merge *m, const struct output *output, struct drafts *drafts)
{
	struct arena *arena = m->runner->arguments->arena;
	struct sink sink = {.error = arena->error};
	enum memplan_status status;

	m->sweep.folder = way_to(&m->runner->store, output->name, arena);
	if (!m->sweep.folder)
		return cli_out_of_memory();
	mp_batch_format(output->name)->run(&m->sweep, &sink, arena);
	if (sink.error->code != MEMPLAN_OK)
		status = cli_out_of_memory();
	else
		status = cli_drafts_add(
			drafts, output->name, sink.bytes, sink.length);
	mp_sink_free(&sink);
	return status;
}

static enum memplan_status write_outputs(struct merge *m)
{
	const struct arguments *arguments = m->runner->arguments;
	struct drafts drafts = {.arena = arguments->arena};
	enum memplan_status status = MEMPLAN_OK;

	for (uint32_t i = 0; status == MEMPLAN_OK && i < arguments->n_outputs;
		i++)
		status = draft(m, &arguments->outputs[i], &drafts);
	if (status == MEMPLAN_OK)
		return cli_drafts_commit(&drafts);
	cli_drafts_discard(&drafts);
	return status;
}

static enum memplan_status merge(struct merge *m)
{
	if (find_others(m))
		add_rows(m);
	if (m->status != MEMPLAN_OK)
		return m->status;
	if (m->n_missing + m->n_contradictory > 0)
		return tell_sums(m), MEMPLAN_NO;
	return write_outputs(m);
}

enum memplan_status cli_merge(struct runner *runner)
{
	struct merge m = {.runner = runner,
		.sweep.version = memplan_version(),
		.digests = cli_job_digests(runner->arguments->arena),
		.kept.error = runner->arguments->arena->error};
	enum memplan_status status;

	if (!m.digests)
		return MEMPLAN_ENOMEM;
	mp_store_tidy(&runner->store);
	status = merge(&m);
	cli_job_digests_free(m.digests);
	mp_arena_free(&m.kept);
	return status;
}
