/*
 * Rounds of rows that may run at the same time. All begin with what is known
 * before the round. The plan does not depend on the number of threads: every
 * member has a budget of its own, and of equal heights the plan of the first
 * member counts. Once a member has decided the whole problem, only those behind
 * it are stopped. What a member has learnt it keeps for the next round.
 *
 * The last rows of a round would leave threads alone. So a thread looks ahead:
 * it runs the next rounds as if what still runs found nothing, and threads that
 * have nothing left to do join in. If it was so, these rows are done when their
 * round comes; else they are undone.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/team.h"

#include <assert.h>
#include <string.h>

void mp_planner_team_free(struct team *team)
{
	for (uint32_t i = 0; i < team->n_members; i++)
		mp_arena_free(&team->members[i]->arena);
}

uint64_t mp_planner_team_held(const struct team *team)
{
	uint64_t held = 0;

	for (uint32_t i = 0; i < team->n_members; i++)
		held += team->members[i]->arena.held;
	return held;
}

static bool is_done(const struct member *member)
{
	return member->outcome == PLAN_OPTIMAL ||
	       member->outcome == PLAN_NO_FIT;
}

/* The members of a round, in the order of its entries. */
struct round {
	struct team *team;
	const struct job *job;
	struct entry *entries;
	struct member *members[TEAM_MOST]; /* ahead: NULL, if it has learnt
					      something or memory is out */
	uint32_t n;
	uint32_t order[TEAM_MOST]; /* in which members begin */
	unsigned leading;	   /* bit i: member i */
	struct lead lead;	   /* all of these */
	uint64_t limit; /* bytes that each member may hold, or, if they are
			   alone, all of the team; 0: no limit */
	bool alone;	/* a member runs while no other does */

	atomic_uint begun, ended; /* bit i: member i */
	atomic_bool has_looked;	  /* ahead */
	bool looks_ahead;	  /* with that known, */
	unsigned known;		  /* of these members; */
	struct beaten wrong;	  /* but another one has found something */
};

/* Bytes of memory that are enough for any row. */
static uint64_t ample(const struct problem *problem)
{
	enum {
		BYTES = 64 << 20,
		BYTES_EACH = 4096 /* a buffer */
	};

	return BYTES + (uint64_t)BYTES_EACH * problem->n_buffers;
}

static bool is_in(const struct round *round, const struct member *member)
{
	for (uint32_t i = 0; i < round->n; i++)
		if (round->members[i] == member)
			return true;
	return false;
}

/* A limit of memory is for one, unless it is ample for all. Members that are
 * not of the round hold what they have kept. */
static void limit_round(struct round *round, const struct job *job)
{
	const struct team *team = round->team;
	uint64_t left = mp_arena_beside(job->arena).limit, each = left;

	for (uint32_t i = 0; left > 0 && i < team->n_members; i++)
		if (!is_in(round, team->members[i]))
			each -= num_min(each, team->members[i]->arena.held);
	each /= round->n;
	round->alone = left > 0 && each < ample(job->problem);
	round->limit = round->alone ? left : each;
}

static void limit_member(const struct round *round, struct member *member)
{
	const struct team *team = round->team;
	uint64_t limit = round->limit;

	for (uint32_t i = 0; round->alone && i < team->n_members; i++)
		if (team->members[i] != member)
			limit -= num_min(
				limit - 1, team->members[i]->arena.held);
	member->arena.limit = limit;
}

/* A row that keeps nothing gives its memory back at once, but for the plan. */
static void run_row(struct member *member)
{
	struct arena_mark mark = mp_arena_mark(&member->arena);

	if (member->job.steps == 0 || atomic_load(&member->beaten.is))
		return;
	member->outcome = member->row->run(&member->job, member->row->variant);
	if (!member->kept)
		mp_arena_rewind(&member->arena, mark);
	mp_arena_trim(&member->arena);
}

/* True if the member has ended without a better plan or bound than the job
 * has. */
static bool is_vain(const struct member *member, const struct job *job)
{
	return !is_done(member) && member->outcome != PLAN_FAILED &&
	       !member->job.cut_short && member->job.height >= job->height &&
	       member->job.lower_bound <= job->lower_bound;
}

static unsigned all(const struct round *round)
{
	return (1u << round->n) - 1;
}

/* Beside one that leads a member has its own thread only, and that is for the
 * other first. */
static void run_beside(const struct round *round, uint32_t i)
{
	struct member *member = round->members[i];
	struct threads *threads = round->lead.threads;

	if (!threads || round->leading >> i & 1 ||
		atomic_load(&round->lead.has_ended)) {
		run_row(member);
		return;
	}
	member->job.threads = NULL;
	member->job.lead = &round->lead;
	atomic_fetch_add(&threads->helping, 1);
	run_row(member);
	atomic_fetch_sub(&threads->helping, 1);
}

static void note_end(struct round *round, uint32_t i)
{
	unsigned ended = atomic_fetch_or(&round->ended, 1u << i) | 1u << i;
	const struct member *member = round->members[i];

	for (uint32_t k = i + 1; member && is_done(member) && k < round->n; k++)
		if (round->members[k])
			atomic_store(&round->members[k]->beaten.is, true);
	if ((ended & round->leading) == round->leading)
		atomic_store(&round->lead.has_ended, true);
}

static void run_member(struct round *round, uint32_t i)
{
	struct member *member = round->members[i];

	atomic_fetch_or(&round->begun, 1u << i);
	if (member->state == MEMBER_BUSY) {
		limit_member(round, member);
		run_beside(round, i);
	}
	note_end(round, i);
	if (atomic_load(&round->ended) == all(round))
		atomic_store(&round->team->has_ended, true);
	/* The thread that looks ahead has not known of this one, or will. */
	if (atomic_load(&round->has_looked) && !is_vain(member, round->job))
		atomic_store(&round->wrong.is, true);
}

/* The member that runs this row, from an earlier round or a new one; NULL:
 * memory is out. */
static struct member *find_member(
	struct team *team, const struct planner *row, struct arena *arena)
{
	struct member *member;

	for (uint32_t i = 0; i < team->n_members; i++)
		if (team->members[i]->row == row)
			return team->members[i];
	assert(team->n_members < TEAM_MOST);
	member = NEW(arena, struct member, 1);
	if (!member)
		return NULL;
	member->row = row;
	member->arena.error = &member->error;
	member->arena.threads = arena->threads;
	team->members[team->n_members++] = member;
	return member;
}

/* Gives the member its part of the job, with the best plan so far. Without
 * memory for that it has no steps. A row that is alone in its round keeps
 * nothing, as it is mostly no member then. */
static void start_member(struct member *member, enum member_state state,
	const struct job *job, uint64_t steps, bool alone)
{
	size_t n = job->problem->n_buffers;
	uint64_t *best = member->job.best;

	atomic_init(&member->beaten.is, false);
	member->beaten.outer = job->beaten;
	member->error = (struct error){.code = MEMPLAN_OK};
	member->state = state;
	member->steps = steps;
	member->outcome = PLAN_GAVE_UP;
	member->arena.peak = member->arena.held;
	member->job = *job;
	member->job.arena = &member->arena;
	member->job.error = &member->error;
	member->job.running = member->row->name;
	member->job.kept = alone ? NULL : &member->kept;
	member->job.start = NULL;
	member->job.beaten = &member->beaten;
	if (job->threads)
		member->job.progress = NULL;
	member->job.spent = 0;
	member->job.steps = steps;
	member->job.best = best ? best : NEW(&member->arena, uint64_t, n);
	if (!member->job.best)
		member->job.steps = 0;
	else if (job->height != UINT64_MAX)
		memcpy(member->job.best, job->best, sizeof(*job->best) * n);
}

/* With threads those between the first, which may well decide the problem, and
 * the last, which shares its work, begin in descending order of steps: else the
 * longest may be left alone. */
static void choose_order(struct round *round, const struct entry *entries,
	uint32_t first, bool shared)
{
	uint32_t *order = round->order, k;

	for (uint32_t i = 0; i < round->n; i++) {
		for (k = i; shared && i < round->n - 1 && k > first + 1 &&
			    entries[order[k - 1]].steps < entries[i].steps;
			k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
}

/* The entries that lead are those at the beginning of the round; its last entry
 * never does. */
static void choose_leading(struct round *round, struct threads *threads)
{
	uint32_t n = 0;

	while (n < round->n - 1 && round->entries[n].leads)
		n++;
	round->leading = (1u << n) - 1;
	round->lead.threads = n > 0 ? threads : NULL;
	atomic_init(&round->lead.has_ended, false);
	choose_order(round, round->entries, n, threads != NULL);
}

/* ------------------------------------------------------------ ahead */

/* True if all members of the round have begun, some have ended, and each that
 * still runs lends its thread. */
static bool is_free_to_look(const struct round *round, unsigned ended)
{
	unsigned begun = atomic_load(&round->begun);

	if (!round->team->look_ahead || round->limit > 0 ||
		begun != all(round) || ended == begun)
		return false;
	for (uint32_t i = 0; i < round->n; i++)
		if (!(ended >> i & 1) && !round->entries[i].lends)
			return false;
	return true;
}

static void note_result(const struct round *round, uint32_t i)
{
	const struct member *member = round->members[i];
	struct entry *entry = &round->entries[i];
	bool counts = !atomic_load(&member->beaten.is);

	entry->spent = counts ? member->job.spent : 0;
	entry->is_better = counts && member->job.height < round->job->height;
}

/* What the members that have ended leave. False: there is nothing more to do.
 */
static bool assume(const struct round *round, struct job *job)
{
	for (uint32_t i = 0; i < round->n; i++) {
		const struct member *member = round->members[i];
		const struct job *own = &member->job;

		if (!(round->known >> i & 1))
			continue;
		if (is_done(member) || member->outcome == PLAN_FAILED ||
			own->cut_short)
			return false;
		note_result(round, i);
		mp_planner_job_prove(job, own->lower_bound, own->bound_kind);
		if (own->height >= job->height)
			continue;
		job->height = own->height;
		job->best = own->best;
	}
	return true;
}

/* Runs ahead what comes next if the members that have not ended find nothing.
 * At most once a round. */
static void look_ahead(struct round *round)
{
	struct job job = *round->job;

	if (!is_free_to_look(round, atomic_load(&round->ended)) ||
		atomic_exchange(&round->has_looked, true))
		return;
	round->known = atomic_load(&round->ended);
	job.beaten = &round->wrong;
	round->looks_ahead = assume(round, &job);
	if (round->looks_ahead)
		round->team->look_ahead(round->team->context, &job);
}

static void undo(struct member *member)
{
	mp_arena_free(&member->arena);
	member->kept = NULL;
	member->job.best = NULL;
	member->state = MEMBER_IDLE;
}

static void start_ahead(struct round *round)
{
	for (uint32_t i = 0; i < round->n; i++) {
		struct entry *entry = &round->entries[i];
		struct member *member =
			find_member(round->team, entry->row, round->job->arena);

		if (!member || member->state != MEMBER_IDLE || member->kept)
			continue;
		start_member(member, MEMBER_AHEAD, round->job, entry->steps,
			round->n == 1);
		round->members[i] = member;
	}
}

static bool run_next_ahead(void *context, uint32_t k)
{
	struct round *round = context;
	uint32_t i = round->order[k];
	struct member *member = round->members[i];

	if (!atomic_load(&round->job->beaten->is) && member) {
		run_beside(round, i);
		round->entries[i].spent = member->job.spent;
	}
	note_end(round, i);
	return false;
}

/* What fails here may not count, so it is no error of the job. */
bool mp_planner_team_run_ahead(struct team *team, struct entry *entries,
	uint32_t n, const struct job *job)
{
	struct error *error = job->arena->error, own = {.code = MEMPLAN_OK};
	struct round round = {
		.team = team, .job = job, .entries = entries, .n = n};
	bool in_vain = true;

	if (atomic_load(&team->has_ended))
		return false;
	job->arena->error = &own;
	start_ahead(&round);
	job->arena->error = error;
	choose_leading(&round, job->threads);
	mp_threads_run(job->threads, n, run_next_ahead, &round);
	for (uint32_t i = 0; i < n; i++)
		in_vain &= round.members[i] && is_vain(round.members[i], job);
	return in_vain && !atomic_load(&job->beaten->is);
}

/* Undoes the members that were run ahead: they assumed something that did not
 * come true. */
static void undo_ahead(struct team *team)
{
	for (uint32_t i = 0; i < team->n_members; i++)
		if (team->members[i]->state == MEMBER_AHEAD)
			undo(team->members[i]);
}

bool mp_planner_team_is_ahead(
	const struct team *team, const struct planner *row)
{
	for (uint32_t i = 0; i < team->n_members; i++)
		if (team->members[i]->row == row)
			return team->members[i]->state == MEMBER_AHEAD;
	return false;
}

/* Adds the results of a member to the job. A member that is out of memory has
 * no results; any other failure is one of the job. */
static bool add_results(struct member *member, struct job *job)
{
	const struct job *own = &member->job;

	job->cut_short |= own->cut_short;
	job->starved |= own->starved;
	if (member->error.code == MEMPLAN_ENOMEM)
		job->starved |= member->row->bit;
	mp_planner_job_step(job, own->spent);
	if (member->outcome == PLAN_FAILED) {
		if (member->error.code != MEMPLAN_ENOMEM)
			return mp_fail(job->error, member->error.code, "%s",
				member->error.text);
		member->kept = NULL;
	}
	mp_planner_job_prove(job, own->lower_bound, own->bound_kind);
	if (own->height >= job->height)
		return true;
	memcpy(job->best, own->best,
		sizeof(*job->best) * job->problem->n_buffers);
	job->height = own->height;
	job->winner = own->winner;
	return true;
}

/* Without anything kept there is no need for the last plan either. */
static bool end_member(struct member *member, struct job *job)
{
	bool fine = atomic_load(&member->beaten.is) || add_results(member, job);

	member->state = MEMBER_IDLE;
	if (!member->kept) {
		mp_arena_free(&member->arena);
		member->job.best = NULL;
	}
	return fine;
}

/* Together all members of the round may hold their most at one time, and those
 * that are run ahead; else one does. The others hold what they keep. */
static void count_memory(
	const struct round *round, struct job *job, bool together)
{
	const struct team *team = round->team;
	uint64_t held = job->arena->held + mp_planner_team_held(team);
	uint64_t all = 0, most = 0;

	for (uint32_t i = 0; i < team->n_members; i++) {
		const struct member *member = team->members[i];
		const struct arena *arena = &member->arena;

		if (member->state != MEMBER_AHEAD && !is_in(round, member))
			continue;
		all += arena->peak - arena->held;
		most = num_max(most, arena->peak - arena->held);
	}
	job->arena->peak =
		num_max(job->arena->peak, held + (together ? all : most));
}

static bool lends(const struct round *round)
{
	for (uint32_t i = 0; i < round->n; i++)
		if (round->entries[i].lends)
			return round->team->look_ahead != NULL;
	return false;
}

/* Runs member k of the round; the index behind the last only looks ahead. */
static bool run_next(void *context, uint32_t k)
{
	struct round *round = context;

	if (k < round->n)
		run_member(round, round->order[k]);
	look_ahead(round);
	return false;
}

static bool open_round(struct round *round, struct team *team,
	struct entry *entries, uint32_t n, const struct job *job)
{
	*round = (struct round){
		.team = team, .job = job, .entries = entries, .n = n};
	atomic_init(&round->begun, 0);
	atomic_init(&round->ended, 0);
	atomic_init(&round->has_looked, false);
	atomic_init(&round->wrong.is, false);
	round->wrong.outer = job->beaten;
	atomic_init(&team->has_ended, false);
	for (uint32_t i = 0; i < n; i++) {
		round->members[i] =
			find_member(team, entries[i].row, job->arena);
		if (!round->members[i])
			return false;
	}
	limit_round(round, job);
	for (uint32_t i = 0; i < n; i++) {
		struct member *member = round->members[i];

		limit_member(round, member);
		if (member->state == MEMBER_IDLE) {
			start_member(member, MEMBER_BUSY, job, entries[i].steps,
				n == 1);
			continue;
		}
		assert(member->state == MEMBER_AHEAD &&
			member->steps == entries[i].steps);
		member->state = MEMBER_DONE;
	}
	return true;
}

bool mp_planner_team_run(
	struct team *team, struct entry *entries, uint32_t n, struct job *job)
{
	struct round round;
	struct threads *threads;
	bool fine = true;

	assert(n > 0 && n <= TEAM_MOST);
	if (!open_round(&round, team, entries, n, job)) {
		undo_ahead(team); /* the next rounds are others then */
		return false;
	}
	threads = round.alone ? NULL : job->threads;
	choose_leading(&round, threads);
	mp_threads_run(threads, n + lends(&round), run_next, &round);
	count_memory(&round, job, threads != NULL);
	if (round.looks_ahead && atomic_load(&round.wrong.is))
		undo_ahead(team);
	for (uint32_t i = 0; i < n; i++)
		note_result(&round, i);
	for (uint32_t i = 0; i < n; i++)
		fine &= end_member(round.members[i], job);
	return fine;
}
