/*
 * auto: a portfolio of memplan's own rows. The table of turns is the whole of
 * it: rows take their turns from top to bottom, until a plan is as small as the
 * lower bound, or fits the capacity, or the budget is spent. Cheap rows come
 * first and leave most of the budget to rows that learn. Turns side by side are
 * a round: all begin with what was known before it, so that they may run at the
 * same time; local comes last in them, as it shares its work with threads that
 * have nothing else.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>
#include <string.h>

#include "planners/any/greedy.h"
#include "planners/plain/compounds.h"
#include "planners/plain/dive.h"
#include "planners/team.h"

/* What a problem, the best plan so far and the budget are like. */
enum {
	PLAIN = 1 << 0,	     /* one stream, one block a buffer, nothing fixed */
	OTHER = 1 << 1,	     /* not plain, */
	SERIAL = 1 << 2,     /* with one stream */
	STREAMS = 1 << 3,    /* with several */
	SMALL = 1 << 4,	     /* a dive takes a millisecond */
	LARGE = 1 << 5,	     /* not small */
	FEW = 1 << 6,	     /* search takes no more */
	MANY = 1 << 7,	     /* not few */
	STACKED = 1 << 8,    /* no bytes can be shared, and n * n is too much */
	JOINABLE = 1 << 9,   /* not plain, large, and jigsaw takes it */
	OTHERWISE = 1 << 10, /* not joinable */
	AMPLE = 1 << 11,     /* budget is left for more than a dive */
	SCARCE = 1 << 12,    /* not ample */
	FAR = 1 << 13,	     /* more than a 64th above the lower bound */
	OFF = 1 << 14,	     /* more than a 1024th */
	NO_PLAN = 1 << 15,   /* yet */
	CROWDED = 1 << 16,   /* so large that something fits nearly anywhere */
	SPARSE = 1 << 17,    /* not crowded */
	JUMBLED = 1 << 18,   /* so large that jigsaw is soon done, or in vain */
	ORDERLY = 1 << 19,   /* not jumbled */
	BITS = 1 << 20,	     /* so few that a word has a bit for each */
	ALIGNED = 1 << 21,   /* see mp_problem_is_aligned */
	FARTHER = 1 << 22,   /* more than a 25th */
};

enum {
	MOST_BITS = 64,
	LEAST_LARGE = 1000,
	LEAST_CROWDED = 10000,
	LEAST_JUMBLED = 20000,
	MOST_FEW = 100000,
	LEAST_STACKED = 2000, /* 12,000 of one lifetime took 0.3 s a plan */
	DIVE = 50,	      /* steps a buffer, at most */
	GLANCE = 20,	      /* likewise */
	RUN = 60,	      /* likewise, of search, at least */
	NEAR = 64,	      /* such a part above the bound, at most, */
	NOT_FAR = 32,	      /* or such a part */
	MOST_SHARE = 2048,    /* a share: 32 budgets */
	KEPT = 8	      /* such a part behind a row that may spend all */
};

enum cost {
	COUNTED,
	UNLESS_VAIN, /* nothing, if it found no better plan */
	HALF,	     /* likewise, else half of it; but some budget is kept */
	FREE	     /* nothing */
};

/* When a row has a turn, if its last one was in vain. */
enum again {
	IN_ANY_CASE,
	IF_NEWS, /* if there is a better plan since then to go on from */
	NEVER
};

/* The greedy rows without a turn of their own, in the order of their table,
 * with equal shares. */
#define OTHER_GREEDY NULL

/* What a turn would count that sits out is lost: so the others do what they
 * would have done if it had been in vain. */
struct turn {
	unsigned when; /* all of these are true */
	const char *row;
	uint32_t share;	     /* 64ths of the budget left before the round */
	uint32_t per_buffer; /* steps a buffer at most; 0: no such limit */
	uint32_t least;	     /* steps a buffer without which it sits out */
	enum again again;
	const char *unless; /* a row: once that has found a plan it sits out
			       where the best plan is near, */
	uint32_t within;    /* by such a part of the bound; 0: NEAR */
	bool beside;	    /* the turn before: of the same round */
	bool behind;	    /* likewise, but it knows what that has found */
	bool leads;	    /* see the entry of a round, */
	bool lends;	    /* likewise */
	bool wants_near;    /* see the job */
	enum cost cost;
};

/* A row that was in vain in its last turn has hardly ever found anything in its
 * next one: docs/planners-tried.md. Nor have most behind a plan by pad, as that
 * is near what its compounds allow. A run of search that was stopped begins
 * anew, and of 100,000 buffers hardly one ends in 60 steps a buffer.
 *
 * Shares were set on MiniMalloc's instances, traces of training, 34 graphs with
 * groups and the families of tools/gen-problem: docs/benchmarks.md has what
 * they give. */
static const struct turn turns[] = {
	/* One behind the other is as small as anything. */
	{STACKED, "linear", .share = 64},

	/* A sharp peak is often at its load at once. Of very many buffers a
	 * plan that is far off takes as long as half a dive, which is better.
	 */
	{PLAIN | LARGE | FEW, "both-ways", .share = 64, .cost = FREE},
	{PLAIN | MANY, "both-ways", .share = 64, .wants_near = true,
		.cost = FREE},
	{PLAIN | AMPLE, "dive", .share = 8, .per_buffer = DIVE},
	{PLAIN | SCARCE, "dive", .share = 64},

	/* Where no byte is free, what is born may say where it lies: that is
	 * soon seen. */
	{PLAIN | LARGE | AMPLE | FAR, "turnover", .share = 64,
		.per_buffer = GLANCE, .cost = FREE},
	{PLAIN | LARGE | AMPLE | FAR, "missing", .share = 64, .cost = FREE},

	/* Of very many buffers the first greedy row may take all, so jigsaw
	 * comes before; it wants a plan to compare with. So does pad, which
	 * gives up at once where no byte is free. */
	{JOINABLE, "linear", .share = 64},
	{JOINABLE | FAR, "pad", .share = 128, .cost = FREE},
	{JOINABLE, "jigsaw", .share = 48, .cost = UNLESS_VAIN},
	/* With several streams dive goes by envelopes of lifetimes, which are
	 * too long: rows that know the streams come first. In order of birth
	 * small problems are often at their load; greedy-size is rarely far
	 * off, and most others give up where they are worse. */
	{OTHER | SERIAL, "dive", .share = 64},
	/* Alignments change little of what lies on what. Where a greedy row may
	 * take half of the budget it would be too late behind one. */
	{OTHER | ALIGNED | ORDERLY | AMPLE, "settle", .share = 32},
	{OTHER, "online-best", .share = 64},
	{OTHER, "greedy-size", .share = 64, .behind = true},
	{OTHER | ALIGNED | JUMBLED | FEW | AMPLE | OFF, "settle", .share = 48},
	{OTHER, OTHER_GREEDY, .share = 64},
	{OTHER | STREAMS, "dive", .share = 64},
	{OTHER | OTHERWISE, "jigsaw", .share = 32, .cost = UNLESS_VAIN},
	{OTHER | SMALL | FAR, "pad", .share = 24, .cost = FREE},

	/* Any problem gets a plan, even after an interrupt. */
	{PLAIN | MANY | NO_PLAN, "both-ways", .share = 64, .cost = FREE},
	{NO_PLAN, "linear", .share = 64},

	/* Of a network only a part is tight: its peak. Where loads differ, most
	 * problems are soon at the bound. */
	{PLAIN | LARGE | JUMBLED | FEW | AMPLE, "crux", .share = 8,
		.leads = true, .cost = FREE},
	{PLAIN | LARGE | ORDERLY | FEW | AMPLE, "crux", .share = 8,
		.beside = true, .lends = true, .cost = FREE},
	{PLAIN | LARGE | FEW | AMPLE, "terraces", .share = 10, .beside = true,
		.lends = true, .cost = FREE},

	/* Where few are alive a bound may say that no plan is at the load: what
	 * comes next has less to do then. */
	{PLAIN | LARGE | FEW | AMPLE | OFF, "stacks", .share = 32,
		.per_buffer = 750, .cost = FREE},

	/* What was packed with a few free bytes: jigsaw would spend much on it
	 * in vain. */
	{PLAIN | LARGE | ORDERLY | AMPLE | FAR, "pad", .share = 128,
		.cost = FREE},
	{PLAIN | JUMBLED | FEW | AMPLE | FAR, "pad", .share = 64, .cost = FREE},

	/* Where places are tight search is ahead, where buffers are many
	 * local: both begin early. What was cut up jigsaw puts together again,
	 * or it gives up at once; if much is left, the others need their
	 * budget; if little, they find nothing better. */
	{PLAIN | LARGE | FAR | ORDERLY, "jigsaw", .share = 360, .leads = true,
		.cost = HALF},
	{PLAIN | LARGE | FAR | JUMBLED, "jigsaw", .share = 38, .beside = true,
		.leads = true, .cost = HALF},
	{PLAIN | LARGE | FEW | AMPLE, "search", .share = 9, .per_buffer = 250,
		.least = RUN, .unless = "pad", .within = NOT_FAR,
		.beside = true},
	{PLAIN | LARGE | FEW | AMPLE, "local", .share = 7, .unless = "pad",
		.within = NOT_FAR, .beside = true},
	{PLAIN | LARGE | AMPLE | FAR, "turnover", .share = 64, .cost = FREE},

	/* Where everything is tight, what stays level stays low. What repeats
	 * is a small problem. */
	{PLAIN | CROWDED | FEW | AMPLE | FAR, "courses", .share = 32,
		.cost = FREE},
	{PLAIN | LARGE | FEW | AMPLE | FAR, "search", .share = 10, .least = RUN,
		.again = NEVER, .unless = "pad", .within = NOT_FAR,
		.beside = true},
	{PLAIN | LARGE | FEW | AMPLE | OFF, "inherit", .share = 13,
		.beside = true, .cost = UNLESS_VAIN},
	{PLAIN | LARGE | FEW | AMPLE | OFF, "local", .share = 12,
		.again = NEVER, .unless = "pad", .within = NOT_FAR,
		.beside = true},

	/* The same, more slowly: dives of courses say how low it has to end. A
	 * dive of fewer takes up to 1,200 steps a buffer, and the second one
	 * ends lower. What jigsaw has not closed comes here too, unless that is
	 * as low as a dive of so few ends. */
	{PLAIN | LARGE | ORDERLY | AMPLE | FARTHER, "ruin", .share = MOST_SHARE,
		.per_buffer = 5500, .lends = true, .cost = FREE},
	{PLAIN | JUMBLED | FEW | AMPLE | FAR, "ruin", .share = MOST_SHARE,
		.per_buffer = 700, .lends = true, .cost = FREE},

	/* What is tight is a small problem too. Else it is mostly a few places
	 * that end higher than others. */
	{PLAIN | LARGE | FEW | AMPLE, "search", .share = 6, .least = RUN,
		.again = NEVER, .unless = "pad", .within = NOT_FAR},
	{PLAIN | LARGE | FEW | AMPLE, "terraces", .share = 30, .again = NEVER,
		.beside = true, .cost = FREE},
	{PLAIN | LARGE | FEW | AMPLE, "mend", .share = 24, .beside = true},
	{PLAIN | LARGE | FEW | AMPLE, "beam", .share = 48, .unless = "pad",
		.beside = true, .cost = FREE},
	{PLAIN | LARGE | FEW | AMPLE, "eject", .share = 14, .beside = true},
	{PLAIN | LARGE | FEW | AMPLE, "local", .share = 16, .again = NEVER,
		.unless = "pad", .within = NOT_FAR, .beside = true},

	{PLAIN | MANY | AMPLE, "local", .share = 64},

	/* A small problem is open until search has failed once. */
	{PLAIN | SMALL, "search", .share = 12, .per_buffer = 750},
	{PLAIN | SMALL, "local", .share = 4, .per_buffer = 250, .beside = true},
	/* Where no two heights are the same, states that are nowhere lower
	 * refute more than what is to blame. */
	{PLAIN | SMALL | BITS, "piles", .share = 16},
	{PLAIN | SMALL | FAR, "turnover", .share = 16, .cost = FREE},
	{PLAIN | SMALL | FAR, "missing", .share = 16, .cost = FREE},
	{PLAIN | SMALL | OFF, "stacks", .share = 16, .per_buffer = 750,
		.cost = FREE},
	{PLAIN | SMALL, "joins", .share = 32},
	{PLAIN | SMALL, "terraces", .share = 16, .cost = FREE},
	{PLAIN | SMALL, "jigsaw", .share = 32, .cost = UNLESS_VAIN},
	{PLAIN | SMALL | FAR, "pad", .share = 24, .cost = FREE},
	{PLAIN | SMALL, "search", .share = 39},
	{PLAIN | SMALL, "crux", .share = 16, .unless = "pad", .beside = true,
		.cost = FREE},
	{PLAIN | SMALL, "beam", .share = 32, .unless = "pad", .beside = true,
		.cost = FREE},
	{PLAIN | SMALL, "local", .share = 13, .unless = "pad", .beside = true},

	{PLAIN | SMALL | OFF, "mend", .share = 64, .cost = FREE},

	/* It finds no plan, so the others have what they had without it. */
	{OTHER | FEW | AMPLE, "core", .share = 4, .cost = FREE},
	{OTHER, "piles", .share = 48},
	{OTHER, "orient", .share = 16},
	{OTHER | ALIGNED | SMALL, "climb", .share = 44},
	{OTHER | SMALL, "climb", .share = 32, .again = NEVER},
	{OTHER | LARGE | FEW, "eject", .share = 40},
	/* climb places most buffers again for a swap: of 10,000 it has the time
	 * for twenty swaps or so, and of 1,000 it is rarely ahead. */
	{OTHER | LARGE | SPARSE | FAR, "climb", .share = 64, .lends = true,
		.cost = FREE},
	/* What is left goes on from the best plan of all. */
	{OTHER | SMALL | AMPLE, "eject", .share = 64},
	{OTHER | LARGE | SPARSE | AMPLE, "eject", .share = 21},
	{PLAIN | FEW | AMPLE, "eject", .share = 64, .again = IF_NEWS},
};

/* ------------------------------------------------------------ facts */

static unsigned either(bool is, unsigned then, unsigned otherwise)
{
	return is ? then : otherwise;
}

static unsigned facts_of_problem(const struct job *job)
{
	const struct problem *p = job->problem;
	uint32_t n = p->n_buffers;
	bool plain = mp_problem_is_plain(p), large = n >= LEAST_LARGE;

	return either(plain, PLAIN, OTHER) |
	       either(p->n_streams > 1, STREAMS, SERIAL) |
	       either(large, LARGE, SMALL) | either(n <= MOST_BITS, BITS, 0) |
	       either(n >= LEAST_CROWDED, CROWDED, SPARSE) |
	       either(n >= LEAST_JUMBLED, JUMBLED, ORDERLY) |
	       either(n <= MOST_FEW, FEW, MANY) |
	       either(mp_problem_is_aligned(p), ALIGNED, 0) |
	       either(n >= LEAST_STACKED && p->total_size <= job->lower_bound,
		       STACKED, 0) |
	       either(!plain && large && mp_planner_compounds_suit(p), JOINABLE,
		       OTHERWISE);
}

static unsigned facts_of_moment(const struct job *job)
{
	return either(job->steps / DIVE >= job->problem->n_buffers, AMPLE,
		       SCARCE) |
	       either(mp_planner_job_near(job, NEAR), 0, FAR) |
	       either(mp_planner_job_near(job, 1024), 0, OFF) |
	       either(mp_planner_job_near(job, 25), 0, FARTHER) |
	       either(job->height == UINT64_MAX, NO_PLAN, 0);
}

/* ------------------------------------------------------------ turns */

static bool goes_on(const struct job *job)
{
	return job->height == UINT64_MAX ||
	       (job->steps > 0 && !job->cut_short &&
		       !mp_planner_job_done(job) &&
		       job->lower_bound <= job->capacity);
}

static bool run_row(struct job *job, const struct planner *row)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	enum outcome outcome;

	assert(row && row->run != mp_planner_auto_run);
	job->running = row->name;
	outcome = mp_planner_job_run(job, row);
	job->declined = NULL;
	mp_arena_rewind(job->arena, mark);
	return outcome != PLAN_FAILED;
}

/* A round, and what its turns cost. */
struct round {
	struct entry entries[TEAM_MOST];
	enum cost cost[TEAM_MOST];
	uint32_t n;
	bool wants_near;
	bool in_line;  /* one behind the other: greedy rows */
	uint64_t lost; /* steps of turns that sit out */
};

static void add_entry(struct round *round, const struct planner *row,
	uint64_t steps, enum cost cost)
{
	assert(row && round->n < TEAM_MOST);
	round->entries[round->n] = (struct entry){.row = row, .steps = steps};
	round->cost[round->n++] = cost;
}

static bool is_other_greedy(const struct planner *row)
{
	bool has_turn = false;

	for (uint32_t i = 0; i < countof(turns); i++)
		has_turn |=
			turns[i].row && strcmp(turns[i].row, row->name) == 0;
	return row->in_auto && !has_turn;
}

static void add_other_greedy(struct round *round, uint64_t steps)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < mp_n_planners; i++)
		n += is_other_greedy(&mp_planners[i]);
	for (uint32_t i = 0; i < mp_n_planners; i++)
		if (is_other_greedy(&mp_planners[i]))
			add_entry(round, &mp_planners[i], steps / n, COUNTED);
}

static uint64_t share_of(const struct turn *turn, const struct job *job)
{
	uint64_t share = num_mul_most(job->steps / 64, turn->share);
	uint64_t each = (uint64_t)turn->per_buffer * job->problem->n_buffers;

	share += num_min(job->steps % 64, UINT64_MAX - share);
	return each > 0 ? num_min(share, each) : share;
}

/* Bits of the rows that were in vain in their last turn, of those that would go
 * on from the same plan, and of those that have ever found one. */
struct vain {
	uint64_t rows, same, found;
};

static bool sits_out(const struct turn *turn, uint64_t steps,
	const struct vain *vain, const struct job *job)
{
	uint64_t those = 0;

	if (steps / num_max(job->problem->n_buffers, 1) < turn->least)
		return true;
	if (turn->unless &&
		mp_planner_job_near(
			job, turn->within > 0 ? turn->within : NEAR) &&
		(vain->found & mp_planner_find_own(turn->unless)->bit))
		return true;
	switch (turn->again) {
	case IN_ANY_CASE:
		return false;
	case IF_NEWS:
		those = vain->same;
		break;
	case NEVER:
		those = vain->rows;
		break;
	}
	return those & mp_planner_find_own(turn->row)->bit;
}

static void add_turn(struct round *round, const struct turn *turn,
	const struct vain *vain, const struct job *job)
{
	uint64_t steps = share_of(turn, job);

	if (sits_out(turn, steps, vain, job)) {
		round->lost += turn->cost == COUNTED ? steps : 0;
		return;
	}
	round->wants_near |= turn->wants_near;
	round->in_line |= turn->behind;
	if (turn->row == OTHER_GREEDY)
		add_other_greedy(round, steps);
	else
		add_entry(round, mp_planner_find_own(turn->row), steps,
			turn->cost);
	round->entries[round->n - 1].leads = turn->leads;
	round->entries[round->n - 1].lends = turn->lends;
}

/* A row that is alone in its round works on the job itself, beside what the
 * team keeps. */
static bool run_alone(
	struct job *job, struct entry *entry, const struct team *team)
{
	struct arena *arena = job->arena;
	uint64_t spent = job->spent, height = job->height;
	uint64_t limit = arena->limit, left = mp_arena_beside(arena).limit;
	uint64_t kept = mp_planner_team_held(team), peak = arena->peak;
	bool fine;

	job->steps = entry->steps;
	if (left > 0)
		arena->limit = arena->held + left - num_min(left - 1, kept);
	arena->peak = arena->held;
	fine = run_row(job, entry->row);
	arena->peak = num_max(peak, arena->peak + kept);
	arena->limit = limit;
	entry->spent = job->spent - spent;
	entry->is_better = job->height < height;
	return fine;
}

/* Each has what is left of the budget. */
static bool run_in_line(struct job *job, struct round *round)
{
	const struct planner *rows[TEAM_MOST];
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint64_t spent = job->spent;
	bool fine;

	for (uint32_t i = 0; i < round->n; i++) {
		assert(round->entries[i].steps == job->steps &&
			round->cost[i] == COUNTED);
		rows[i] = round->entries[i].row;
	}
	fine = mp_planner_greedy_line(job, rows, round->n, goes_on);
	round->entries[0].spent = job->spent - spent;
	mp_arena_rewind(job->arena, mark);
	return fine;
}

static uint64_t counted(const struct entry *entry, enum cost cost)
{
	switch (cost) {
	case COUNTED:
		return entry->spent;
	case UNLESS_VAIN:
		return entry->is_better ? entry->spent : 0;
	case HALF:
		return entry->is_better ? entry->spent / 2 : 0;
	case FREE:
		break;
	}
	return 0;
}

/* A row that plans a problem of its own by auto may spend more than it is
 * given, as turns of that are free. */
static bool may_spend_all(const struct entry *entry, enum cost cost)
{
	return cost == HALF || entry->spent > entry->steps;
}

/* There was no memory to begin with. */
static bool leave_out(struct job *job, const struct round *round)
{
	if (!mp_planner_job_survives(job, round->entries[0].row))
		return false;
	for (uint32_t i = 1; i < round->n; i++)
		job->starved |= round->entries[i].row->bit;
	return true;
}

/* Does the team run the round: as its rows run beside each other, or may run
 * ahead of it or beside it? A limit of memory is for one row at a time. */
static bool is_of_team(const struct job *job, const struct round *round,
	const struct team *team)
{
	const struct entry *entry = &round->entries[0];

	return round->n > 1 ||
	       (entry->lends && job->threads &&
		       mp_arena_beside(job->arena).limit == 0) ||
	       mp_planner_team_is_ahead(team, entry->row);
}

/* The steps that are left behind a round that began with so many. */
static uint64_t steps_behind(const struct round *round, uint64_t before)
{
	uint64_t steps = before - num_min(before, round->lost), kept = 0;

	for (uint32_t i = 0; i < round->n; i++) {
		if (may_spend_all(&round->entries[i], round->cost[i]))
			kept = before / KEPT;
		steps -= num_min(
			steps, counted(&round->entries[i], round->cost[i]));
	}
	return num_max(steps, kept);
}

static bool run_round(struct job *job, struct round *round, struct team *team)
{
	uint64_t before = job->steps;
	bool fine;

	job->wants_near = round->wants_near;
	if (round->in_line)
		fine = run_in_line(job, round);
	else if (is_of_team(job, round, team))
		fine = mp_planner_team_run(team, round->entries, round->n, job);
	else
		fine = run_alone(job, &round->entries[0], team);
	job->steps = steps_behind(round, before);
	return fine || leave_out(job, round);
}

/* Where a run is in the table. */
struct place {
	unsigned facts;	    /* of the problem */
	uint32_t n_taken;   /* turns */
	struct round round; /* the last one, */
	uint64_t height;    /* of the best plan before it */
	struct vain vain;   /* before it */
};

struct walk {
	struct team team;
	struct place place;
};

/* Behind the last round. */
static void note_vain(struct place *place, const struct job *job)
{
	const struct round *round = &place->round;
	struct vain *vain = &place->vain;
	bool is_better = job->height < place->height;

	if (is_better)
		vain->same = 0;
	for (uint32_t i = 0; i < round->n; i++) {
		uint64_t bit = round->entries[i].row->bit;

		vain->rows |= bit;
		if (round->entries[i].is_better) {
			vain->rows &= ~bit;
			vain->found |= bit;
		} else if (!is_better) {
			vain->same |= bit;
		}
	}
}

/* The next round that the job has a row for. False: there is none. */
static bool find_round(struct place *place, struct job *job)
{
	struct round *round = &place->round;
	uint32_t i = place->n_taken;
	unsigned now;

	note_vain(place, job);
	place->height = job->height;
	round->n = 0;
	while (i < countof(turns) && round->n == 0 && goes_on(job)) {
		now = place->facts | facts_of_moment(job);
		*round = (struct round){.n = 0};
		do {
			if ((turns[i].when & now) == turns[i].when)
				add_turn(round, &turns[i], &place->vain, job);
		} while (++i < countof(turns) &&
			 (turns[i].beside || turns[i].behind));
		if (round->n == 0)
			job->steps = steps_behind(round, job->steps);
	}
	place->n_taken = i;
	return round->n > 0;
}

/* As far as the rounds to come are in vain. */
static void look_ahead(void *context, const struct job *assumed)
{
	struct walk *w = context;
	struct place place = w->place;
	struct job job = *assumed;

	do
		job.steps = steps_behind(&place.round, job.steps);
	while (find_round(&place, &job) && !place.round.in_line &&
		mp_planner_team_run_ahead(
			&w->team, place.round.entries, place.round.n, &job));
}

static bool take_turns(struct walk *w, struct job *job)
{
	while (find_round(&w->place, job))
		if (!run_round(job, &w->place.round, &w->team))
			return false;
	return true;
}

/* Of so many plain buffers compounds look at no part, and the other turns go by
 * sections. */
bool mp_planner_takes_brief(
	const struct planner *row, const struct problem *problem)
{
	return row->run == mp_planner_auto_run &&
	       problem->n_buffers > COMPOUNDS_MOST &&
	       mp_problem_is_plain(problem);
}

enum outcome mp_planner_auto_run(struct job *job, int variant)
{
	struct walk w = {.place.n_taken = 0};
	struct dive_start start = {.problem = NULL};
	const struct packing *packing = job->packing;
	bool fine;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	job->kept = NULL; /* of the row that runs auto; here the team keeps */
	job->start = &start;
	w.place.facts = facts_of_problem(job);
	w.team.look_ahead = look_ahead;
	w.team.context = &w;
	fine = take_turns(&w, job);
	job->start = NULL;
	job->packing = packing;
	mp_arena_free(&start.arena);
	mp_planner_team_free(&w.team);
	if (!fine)
		return PLAN_FAILED;
	if (mp_planner_job_done(job))
		return PLAN_OPTIMAL;
	if (job->lower_bound > job->capacity)
		return PLAN_NO_FIT;
	return job->height == UINT64_MAX ? PLAN_GAVE_UP : PLAN_FOUND;
}
