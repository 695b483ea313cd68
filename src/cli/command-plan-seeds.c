/*
 * memplan plan INPUT --seeds 0-63 --store FOLDER: plans one graph with many
 * seeds, in processes and on machines that share the store, and takes the best.
 *
 * Each seed is a job. Once the answers show that no plan can be smaller, the
 * others are ended. The programs learn that from the store: they look there now
 * and then for answers of the others.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "cli/commands.h"
#include "cli/job-answers.h"
#include "cli/job-keys.h"
#include "cli/runner.h"
#include "cli/system.h"

/* The output that every seed has: others are made of it. */
#define RACE_PLAN "plan.json"

enum {
	MOST_SEEDS = 100000,
	LOOK_MS = 200, /* between two looks at the store, at least */
	SEED_MS = 5,   /* and for each seed */
};

struct race {
	const struct arguments *arguments;
	struct runner runner;
	struct settings all; /* options of the command line, less the seeds */
	struct shard shard;
	uint64_t first, n; /* seeds */
	bool any_order;	   /* orders differ with the seed */
	bool fits; /* a capacity or a budget is given: any plan will do */
	bool merges;

	/* What is known of each seed. */
	struct seed {
		char key[SHA256_TEXT];
		bool known;
		enum memplan_status status;
		uint64_t arena_size, lower_bound;
	} * seeds;
	uint64_t n_known;
	enum memplan_status failed; /* why the store could not be read */
	long long looked;	    /* when, in milliseconds */
};

/* ------------------------------------------------------------- jobs */

static bool set_options(const struct race *race, uint64_t i, struct job *job)
{
	struct arena *arena = job->own.arena;
	struct settings *options = &job->task.options;
	const char *seed = mp_arena_print(
		arena, "%llu", (unsigned long long)(race->first + i));

	options->at = NEW(arena, struct setting, race->all.n + 1);
	if (!seed || !options->at)
		return false;
	memcpy(options->at, race->all.at, sizeof(*options->at) * race->all.n);
	options->at[race->all.n] = (struct setting){"seed", seed};
	options->n = race->all.n + 1;
	mp_batch_sort(options);
	return true;
}

static enum memplan_status load(
	void *context, uint64_t i, struct job *job, struct arena *arena)
{
	static const char *outputs[] = {RACE_PLAN};
	struct race *race = context;
	const char *input = race->arguments->inputs[0];

	*job = (struct job){.task = {.input = input,
				    .batch = race->arguments->values[OPT_BATCH],
				    .outputs = outputs,
				    .n_outputs = countof(outputs)},
		.place = input,
		.input = input,
		.own.arena = arena};
	if (!set_options(race, i, job))
		return cli_out_of_memory();
	return cli_job_make(job, arena);
}

static bool skips(void *context, uint64_t i)
{
	const struct race *race = context;

	return i % race->shard.n != race->shard.k;
}

/* ---------------------------------------------------------- answers */

static enum memplan_status find_keys(struct race *race)
{
	struct arena *arena = race->arguments->arena;
	struct digests *digests = cli_job_digests(arena);
	enum memplan_status status = MEMPLAN_OK;
	struct job job;

	race->seeds = NEW(arena, struct seed, race->n);
	if (!digests || !race->seeds) {
		status = digests ? cli_out_of_memory() : MEMPLAN_ENOMEM;
		if (digests)
			cli_job_digests_free(digests);
		return status;
	}
	for (uint64_t i = 0; i < race->n && status == MEMPLAN_OK; i++) {
		struct arena_mark mark = mp_arena_mark(arena);

		status = load(race, i, &job, arena);
		if (status == MEMPLAN_OK)
			status = cli_job_key(&job, digests, race->seeds[i].key);
		mp_arena_rewind(arena, mark);
	}
	cli_job_digests_free(digests);
	return status;
}

static void learn(
	struct race *race, struct seed *seed, const struct answer *answer)
{
	seed->known = true;
	seed->status = answer->status;
	seed->arena_size = answer->result ? answer->arena_size : UINT64_MAX;
	seed->lower_bound = race->any_order ? answer->lower_bound_order
					    : answer->lower_bound;
	race->n_known++;
}

/* Learns what the store has of the seeds that are not known yet. */
static void look(struct race *race)
{
	struct store *store = &race->runner.store;
	struct answer answer;

	race->failed = MEMPLAN_OK;
	for (uint64_t i = 0; i < race->n; i++) {
		struct arena_mark mark = mp_arena_mark(store->arena);
		struct seed *seed = &race->seeds[i];
		enum job_found found = JOB_MISSING;

		if (!seed->known)
			found = cli_job_find(store, seed->key, false, &answer);
		if (found == JOB_FOUND)
			learn(race, seed, &answer);
		if (found == JOB_FAILED)
			race->failed = answer.status;
		mp_arena_rewind(store->arena, mark);
	}
	race->looked = cli_system_now_ms();
}

/* The seed with the smallest arena, of those the lowest; a plan that fits the
 * capacity is before one that does not. UINT64_MAX: there is none. */
static uint64_t best_seed(const struct race *race)
{
	uint64_t best = UINT64_MAX;

	for (uint64_t i = 0; i < race->n; i++) {
		const struct seed *seed = &race->seeds[i];

		if (!seed->known || seed->status == MEMPLAN_EUSAGE ||
			seed->status == MEMPLAN_EINPUT)
			continue;
		if (best == UINT64_MAX ||
			seed->arena_size < race->seeds[best].arena_size)
			best = i;
	}
	return best;
}

static uint64_t best_bound(const struct race *race)
{
	uint64_t bound = 0;

	for (uint64_t i = 0; i < race->n; i++)
		if (race->seeds[i].known)
			bound = num_max(bound, race->seeds[i].lower_bound);
	return bound;
}

/* True if no further seed can say more: a plan has the size of the bound, or
 * fits; or it was proved that none does, or the input is bad. */
static bool is_decided(const struct race *race)
{
	uint64_t best = best_seed(race);

	for (uint64_t i = 0; i < race->n; i++) {
		const struct seed *seed = &race->seeds[i];

		if (seed->known && (race->fits ? seed->status != MEMPLAN_EBUDGET
					       : seed->status != MEMPLAN_OK))
			return true;
	}
	return best != UINT64_MAX &&
	       race->seeds[best].arena_size == best_bound(race);
}

static bool ends(void *context)
{
	struct race *race = context;
	long long pause = (long long)num_max(LOOK_MS, race->n * SEED_MS);

	if (cli_system_now_ms() - race->looked < pause)
		return false;
	look(race);
	return is_decided(race);
}

/* ----------------------------------------------------------- merged */

/* One that says why there is no plan speaks for all. */
static uint64_t deciding_seed(const struct race *race)
{
	uint64_t best = best_seed(race);

	for (uint64_t i = 0; i < race->n; i++) {
		const struct seed *seed = &race->seeds[i];

		if (seed->known && seed->status != MEMPLAN_OK &&
			seed->status != MEMPLAN_EBUDGET)
			return i;
	}
	return best;
}

static void print_missing(const struct race *race)
{
	cli_say("memplan: %llu of %llu seeds have no answer:",
		(unsigned long long)(race->n - race->n_known),
		(unsigned long long)race->n);
	for (uint64_t i = 0; i < race->n; i++)
		if (!race->seeds[i].known)
			cli_say(" %llu", (unsigned long long)(race->first + i));
	cli_say("\n");
}

/* How the answer was found differs with the seed that was first, where several
 * meet the bound; then it is not told. */
static void print_json(const struct race *race, const struct answer *answer,
	uint64_t bound, uint64_t seed, struct sink *sink)
{
	bool met = answer->arena_size == bound;

	mp_sink_text(sink, "{\n  \"name\": ");
	mp_sink_json(sink, answer->name ? answer->name : "");
	mp_sink_print(sink,
		",\n  \"ops\": %llu,\n  \"tensors\": %llu,\n  \"buffers\": "
		"%llu,\n  \"alignment\": %llu,\n  \"arena_size\": %llu,\n"
		"  \"theoretical_min\": %llu,\n  \"lower_bound\": %llu,\n"
		"  \"ratio\": ",
		(unsigned long long)answer->ops,
		(unsigned long long)answer->tensors,
		(unsigned long long)answer->buffers,
		(unsigned long long)answer->alignment,
		(unsigned long long)answer->arena_size,
		(unsigned long long)answer->theoretical_min,
		(unsigned long long)bound);
	mp_sink_ratio(sink, answer->arena_size, answer->theoretical_min, 9);
	mp_sink_print(sink, ",\n  \"optimal\": %s,\n  \"seeds\": %llu",
		met ? "true" : "false", (unsigned long long)race->n);
	if (!met) {
		mp_sink_print(sink, ",\n  \"seed\": %llu,\n  \"planner\": ",
			(unsigned long long)(race->first + seed));
		mp_sink_json(sink, answer->planner ? answer->planner : "");
	}
	mp_sink_text(sink, "\n}\n");
}

static void print_text(const struct race *race, const struct answer *answer,
	uint64_t bound, uint64_t seed, struct sink *sink)
{
	mp_sink_plain(sink, answer->name ? answer->name : "", 80);
	mp_sink_text(sink, "\n  arena        ");
	mp_sink_bytes(sink, answer->arena_size);
	mp_sink_text(sink, "\n  minimum      ");
	mp_sink_bytes(sink, answer->theoretical_min);
	mp_sink_text(sink, "\n  lower bound  ");
	mp_sink_bytes(sink, bound);
	mp_sink_text(sink, "\n  ratio        ");
	mp_sink_ratio(sink, answer->arena_size, answer->theoretical_min, 3);
	if (answer->arena_size == bound)
		mp_sink_text(sink, ", optimal\n");
	else
		mp_sink_print(sink,
			"\n  found by     seed %llu, the best of %llu\n",
			(unsigned long long)(race->first + seed),
			(unsigned long long)race->n);
}

static enum memplan_status print_answer(
	const struct race *race, const struct answer *answer, uint64_t seed)
{
	const struct arguments *arguments = race->arguments;
	struct sink sink = {.error = arguments->arena->error};
	uint64_t bound = best_bound(race);
	enum memplan_status status = MEMPLAN_OK;

	if (arguments->values[OPT_JSON])
		print_json(race, answer, bound, seed, &sink);
	else if (!arguments->values[OPT_QUIET])
		print_text(race, answer, bound, seed, &sink);
	if (sink.length > 0)
		status = cli_print(sink.bytes, sink.length);
	mp_sink_free(&sink);
	return status;
}

/* The stored plan, read and written: a plan file is an input too. */
static enum memplan_status draft(const struct race *race,
	const struct sink *plan, const struct output *output,
	struct drafts *drafts)
{
	const char *input = race->arguments->inputs[0];
	struct arguments none = {.arena = race->arguments->arena};
	struct session session = {.plan = memplan_new()};
	enum memplan_status status;

	if (!session.plan)
		return cli_out_of_memory();
	status = memplan_input(
		session.plan, "graph", input, plan->bytes, plan->length);
	if (status == MEMPLAN_OK)
		status = memplan_plan(session.plan);
	if (status == MEMPLAN_OK)
		status = cli_session_draft(&session, &none, output, drafts);
	else
		cli_session_tell(&session, &none, status);
	memplan_free(session.plan);
	return status;
}

static enum memplan_status write_outputs(
	const struct race *race, const char *key)
{
	const struct arguments *arguments = race->arguments;
	struct sink plan = {.error = arguments->arena->error};
	struct drafts drafts = {.arena = arguments->arena};
	enum memplan_status status = MEMPLAN_OK;

	if (arguments->n_outputs > 0 &&
		!cli_job_output(&race->runner.store, key, RACE_PLAN, &plan))
		status = MEMPLAN_EIO;
	for (uint32_t i = 0; status == MEMPLAN_OK && i < arguments->n_outputs;
		i++)
		status = draft(race, &plan, &arguments->outputs[i], &drafts);
	if (status == MEMPLAN_OK)
		status = cli_drafts_commit(&drafts);
	else
		cli_drafts_discard(&drafts);
	mp_sink_free(&plan);
	return status;
}

static enum memplan_status tell_answer(
	const struct race *race, const struct answer *answer, uint64_t seed)
{
	enum memplan_status status;

	if (answer->message)
		cli_say("%s\n", answer->message);
	if (answer->status != MEMPLAN_OK)
		return answer->status;
	status = write_outputs(race, race->seeds[seed].key);
	return status == MEMPLAN_OK ? print_answer(race, answer, seed) : status;
}

static enum memplan_status merge(struct race *race)
{
	struct answer answer;
	enum job_found found;
	uint64_t seed;

	look(race);
	seed = deciding_seed(race);
	if (!is_decided(race) && race->n_known < race->n) {
		print_missing(race);
		if (race->runner.worst != MEMPLAN_OK)
			return race->runner.worst;
		return race->failed != MEMPLAN_OK ? race->failed : MEMPLAN_NO;
	}
	found = cli_job_find(
		&race->runner.store, race->seeds[seed].key, true, &answer);
	if (found != JOB_FOUND)
		return found == JOB_FAILED ? answer.status : MEMPLAN_EIO;
	return tell_answer(race, &answer, seed);
}

/* ---------------------------------------------------------- command */

static bool parse_seeds(const char *text, uint64_t *first, uint64_t *n)
{
	uint64_t last;

	if (!mp_bytes_digits(&text, JSON_MAX_INTEGER, first) ||
		*text++ != '-' ||
		!mp_bytes_digits(&text, JSON_MAX_INTEGER, &last) || *text ||
		last < *first || last - *first >= MOST_SEEDS)
		return false;
	*n = last - *first + 1;
	return true;
}

static bool check_usage(struct race *race)
{
	const struct arguments *arguments = race->arguments;
	const char *shard = arguments->values[OPT_SHARD];

	race->shard = (struct shard){0, 1};
	race->merges = !shard || arguments->values[OPT_MERGE];
	if (!parse_seeds(arguments->values[OPT_SEEDS], &race->first, &race->n))
		cli_usage("--seeds: must be like 0-63, of at most %d seeds",
			MOST_SEEDS);
	else if (shard && !mp_batch_parse_shard(shard, &race->shard))
		cli_usage(
			"--shard: must be K/N with K from 0 to N-1, like 3/8");
	else if (arguments->n_inputs != 1 || cli_value(arguments, "together"))
		cli_usage("--seeds goes with one input");
	else if (cli_value(arguments, "seed"))
		cli_usage("--seed and --seeds exclude each other");
	else if (arguments->values[OPT_MAX_RATIO] ||
		 arguments->values[OPT_DEPFILE])
		cli_usage("--seeds has no --max-ratio and no --depfile");
	else if (arguments->values[OPT_NEAR] || arguments->values[OPT_SOLUTION])
		cli_usage("--seeds has no --near and no --solution");
	else if (!race->merges && arguments->n_outputs > 0)
		cli_usage("-o goes with all shards: with --merge");
	else
		return true;
	return false;
}

static enum memplan_status set_goal(struct race *race)
{
	const char *order = cli_value(race->arguments, "order");

	race->any_order = order && strcmp(order, "keep") != 0;
	race->fits = cli_value(race->arguments, "capacity") ||
		     cli_value(race->arguments, "budget");
	return cli_job_settings(race->arguments, &race->all);
}

static enum memplan_status run(struct race *race)
{
	struct runner *runner = &race->runner;
	enum memplan_status status = cli_runner_open(runner, race->arguments);

	if (status == MEMPLAN_OK)
		status = set_goal(race);
	if (status == MEMPLAN_OK)
		status = find_keys(race);
	if (status != MEMPLAN_OK)
		return status;
	runner->n = race->n;
	look(race);
	if (!race->arguments->values[OPT_MERGE] && !is_decided(race))
		status = cli_runner_run(runner);
	if (status > runner->worst)
		runner->worst = status;
	return race->merges ? merge(race) : status;
}

enum memplan_status cli_plan_seeds(const struct arguments *arguments)
{
	struct race race = {.arguments = arguments};

	race.runner.load = load;
	race.runner.skips = skips;
	race.runner.ends = ends;
	race.runner.context = &race;
	return check_usage(&race) ? run(&race) : MEMPLAN_EUSAGE;
}
