/*
 * Runs jobs with a crew: see runner.h. The parent looks for answers, and begins
 * a process for each job that has none; that process reads the graph, plans it
 * and stores the answer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/runner.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "cli/job-answers.h"
#include "cli/job-keys.h"
#include "cli/job-run.h"
#include "cli/system.h"

enum {
	ASK_MS = 100, /* how often a run asks whether to end */
};

/* --------------------------------------------------------- messages */

static void worsen(struct runner *r, enum memplan_status status)
{
	r->n_failed++;
	if (status > r->worst)
		r->worst = status;
}

/* What a process said, a line at a time. */
static void repeat(const char *said)
{
	while (*said) {
		size_t length = strcspn(said, "\n");

		if (length > 0)
			cli_say("  %.*s\n", (int)length, said);
		said += length + (said[length] == '\n');
	}
}

static void tell_failure(
	const struct job *job, const struct crew_end *end, struct arena *arena)
{
	const char *title = mp_batch_title(&job->task, arena);

	cli_say("%s: error: %s: ", job->place, title ? title : "");
	if (end->status < 0)
		cli_say("its process was ended by signal %d\n", -end->status);
	else
		cli_say("there is no answer\n");
	repeat(end->said);
}

/* --------------------------------------------------------- progress */

struct show {
	struct progress progress;
	bool on;
	long long begun;
};

static void show(const struct runner *r, struct show *show, uint64_t done)
{
	long long spent = cli_system_now_ms() - show->begun;
	char text[160];
	int used;

	if (!show->on)
		return;
	used = snprintf(text, sizeof(text), "%llu of %llu",
		(unsigned long long)done, (unsigned long long)r->n);
	if (r->n_failed > 0)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
			", %llu failed", (unsigned long long)r->n_failed);
	if (r->n_new > 0 && done < r->n)
		snprintf(text + used, sizeof(text) - (size_t)used,
			", about %llu s left",
			(unsigned long long)((double)spent / 1000 *
					     (double)(r->n - done) /
					     (double)done) +
				1);
	cli_progress_show(&show->progress, text);
}

/* -------------------------------------------------------------- run */

struct state {
	struct runner *runner;
	struct crew crew;
	struct show show;
	struct digests *digests;
	struct arena scratch;
	uint64_t done;
	bool stops; /* the store takes no more */
	bool prepared;
};

/* In the process of the job. */
static int work(void *context, uint64_t i)
{
	struct state *s = context;
	struct runner *r = s->runner;
	struct job job;
	enum memplan_status status = r->load(r->context, i, &job, &s->scratch);

	return status == MEMPLAN_OK ? cli_job_run(&r->store, &job)
				    : JOB_STATUS + (int)status;
}

/* A process that ends in no way of its own is as one that crashed. */
static enum memplan_status status_of(const struct crew_end *end)
{
	if (end->status == JOB_STORE_FULL)
		return MEMPLAN_EIO;
	if (end->status < JOB_STATUS ||
		end->status > JOB_STATUS + MEMPLAN_EINTERNAL)
		return MEMPLAN_EINTERNAL;
	return (enum memplan_status)(end->status - JOB_STATUS);
}

static void end_job(struct state *s, const struct crew_end *end)
{
	struct runner *r = s->runner;
	enum memplan_status status = status_of(end);
	struct arena_mark mark = mp_arena_mark(&s->scratch);
	struct job job;

	s->done++;
	if (mp_batch_is_answer(status)) {
		r->n_new++;
		r->n_of[status]++;
		return;
	}
	if (r->load(r->context, end->item, &job, &s->scratch) == MEMPLAN_OK)
		tell_failure(&job, end, &s->scratch);
	mp_arena_rewind(&s->scratch, mark);
	if (end->status == JOB_STORE_FULL)
		s->stops = true;
	worsen(r, status);
}

static void wait_for_one(struct state *s)
{
	struct crew_end end;

	if (cli_crew_wait(&s->crew, s->runner->ends || s->show.on ? ASK_MS : -1,
		    &end))
		end_job(s, &end);
	show(s->runner, &s->show, s->done);
}

/* A store is made for the first answer that it lacks, so that reading needs no
 * rights to write; and it is tried, before hours of work. */
static bool prepare(struct state *s)
{
	struct runner *r = s->runner;

	if (!s->prepared && !mp_store_prepare(&r->store)) {
		worsen(r, cli_job_tell_store(&r->store));
		s->stops = true;
	}
	s->prepared = true;
	return !s->stops;
}

static void begin_job(struct state *s, uint64_t i)
{
	while (s->crew.n_busy == s->crew.n)
		wait_for_one(s);
	if (s->stops || !prepare(s))
		return;
	if (!cli_crew_start(&s->crew, i, work, s)) {
		worsen(s->runner, MEMPLAN_EIO);
		s->stops = true;
	}
}

static void look_for(struct state *s, uint64_t i)
{
	struct runner *r = s->runner;
	struct arena_mark mark = mp_arena_mark(&s->scratch);
	char key[SHA256_TEXT];
	struct answer answer;
	struct job job;
	enum memplan_status status = r->load(r->context, i, &job, &s->scratch);

	r->store.arena = &s->scratch;
	if (status == MEMPLAN_OK)
		status = cli_job_key(&job, s->digests, key);
	if (status != MEMPLAN_OK) {
		worsen(r, status);
		s->done++;
	} else if (cli_job_find(&r->store, key, false, &answer) == JOB_FOUND) {
		r->n_there++;
		s->done++;
		r->n_of[answer.status]++;
	} else {
		begin_job(s, i);
	}
	mp_arena_rewind(&s->scratch, mark);
	show(r, &s->show, s->done);
}

static bool is_over(const struct state *s)
{
	const struct runner *r = s->runner;

	return s->stops || (r->ends && r->ends(r->context));
}

static void run_all(struct state *s)
{
	struct runner *r = s->runner;

	for (uint64_t i = 0; i < r->n && !is_over(s); i++)
		if (r->skips && r->skips(r->context, i))
			s->done++;
		else
			look_for(s, i);
	while (s->crew.n_busy > 0 && !is_over(s))
		wait_for_one(s);
}

static bool parse_crew(const struct arguments *arguments, uint32_t *n)
{
	const char *text = arguments->values[OPT_J];
	uint64_t value = 1;

	if (text && (!mp_bytes_digits(&text, CREW_MOST, &value) || *text ||
			    value == 0))
		return cli_usage("-j: must be an integer from 1 to %d",
			       CREW_MOST),
		       false;
	*n = (uint32_t)value;
	return true;
}

enum memplan_status cli_runner_open(
	struct runner *r, const struct arguments *arguments)
{
	uint32_t n;

	r->arguments = arguments;
	if (!arguments->values[OPT_STORE])
		return cli_usage(
			"--store is missing: the folder of the answers");
	if (!parse_crew(arguments, &n))
		return MEMPLAN_EUSAGE;
	return mp_store_open(&r->store, arguments->values[OPT_STORE],
		       memplan_version(), arguments->arena)
		       ? MEMPLAN_OK
		       : cli_job_tell_store(&r->store);
}

enum memplan_status cli_runner_run(struct runner *r)
{
	struct arena *arena = r->arguments->arena;
	struct state s = {.runner = r,
		.scratch = {.error = arena->error},
		.digests = cli_job_digests(arena)};
	uint32_t n = 1;

	if (!s.digests || !parse_crew(r->arguments, &n) ||
		!cli_crew_begin(&s.crew, n, arena))
		return MEMPLAN_ENOMEM;
	s.show.on = cli_progress_open(&s.show.progress, r->arguments);
	s.show.begun = cli_system_now_ms();
	run_all(&s);
	cli_crew_end(&s.crew);
	cli_progress_close(&s.show.progress);
	cli_job_digests_free(s.digests);
	mp_arena_free(&s.scratch);
	r->store.arena = arena;
	return r->worst;
}
