/*
 * What is said of in-place pairs, on random graphs with everything at once,
 * against the rules of docs/model.md on the graph as its author means it. Of
 * the rules that keep a pair apart any may be the one that is named; where none
 * does, the two share. Shares no code with the lifetimes. Ops have one pair
 * each here, so no tensor is taken over twice.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "street/street.h"
#include "testing/player.h"

enum {
	GRAPHS = 4000,
};

#define REASON(verdict) (1u << (verdict))

/* The graph as it is meant, in the order of the plan. */
struct meant {
	const char *option; /* inplace */
	struct play play;
	char text[PLAY_JSON];
	uint32_t n_ops;
	uint32_t before[PLAY_OPS]; /* of an op: bits of those that end before */
	uint32_t step[PLAY_OPS];   /* of an op */
	uint32_t start[PLAY_TENSORS], end[PLAY_TENSORS];
	uint32_t taker[PLAY_TENSORS]; /* has the tensor's bytes now, or NONE */
	bool several_streams;
};

/* ------------------------------------------------------------ spans */

static bool is_used_by(const struct play *play, uint32_t tensor, uint32_t op)
{
	return play->tensors[tensor].producer == op ||
	       (play->ops[op].inputs & PLAY_BIT(tensor));
}

/* From its producer to its last reader, in steps. */
static void fill_span(struct meant *m, uint32_t t)
{
	const struct play_tensor *tensor = &m->play.tensors[t];

	m->taker[t] = NONE;
	m->start[t] = m->n_ops;
	m->end[t] = 0;
	for (uint32_t op = 0; op < m->n_ops; op++) {
		if (!is_used_by(&m->play, t, op))
			continue;
		if (m->start[t] > m->step[op])
			m->start[t] = m->step[op];
		if (m->end[t] <= m->step[op])
			m->end[t] = m->step[op] + 1;
	}
	if (tensor->from_start)
		m->start[t] = 0;
	if (tensor->to_end)
		m->end[t] = m->n_ops;
}

/* Ops of a stream wait for those before them in the order. */
static void fill_before(struct meant *m)
{
	struct play *play = &m->play;

	memset(m->before, 0, sizeof(m->before));
	mp_testing_player_order(play, m->before);
	m->several_streams = false;
	for (uint32_t a = 0; a < m->n_ops; a++)
		for (uint32_t b = 0; b < m->n_ops; b++)
			if (play->ops[a].stream != play->ops[b].stream)
				m->several_streams = true;
			else if (m->step[a] < m->step[b])
				m->before[b] |= 1u << a;
	for (uint32_t k = 0; k < m->n_ops; k++)
		for (uint32_t b = 0; b < m->n_ops; b++)
			if (m->before[b] >> k & 1)
				m->before[b] |= m->before[k];
}

static void fill_meant(struct meant *m, const uint32_t *order)
{
	m->n_ops = m->play.has_ops ? m->play.n_ops : 0;
	for (uint32_t i = 0; i < m->n_ops; i++)
		m->step[order[i]] = i;
	fill_before(m);
	for (uint32_t t = 0; t < m->play.n_tensors; t++)
		fill_span(m, t);
}

/* ------------------------------------------------------------ rules */

/* A list of all pools is not the same as none. */
static bool name_same_pools(
	const struct play_tensor *a, const struct play_tensor *b)
{
	return a->names_pools == b->names_pools && a->n_pools == b->n_pools &&
	       memcmp(a->pools, b->pools, a->n_pools * sizeof(*a->pools)) == 0;
}

/* A state that lies in the region of those of its pools: groups and fixed
 * offsets have places of their own. */
static bool is_in_region(const struct play_tensor *t)
{
	return t->kind == KIND_STATE && t->of == NONE && t->group == NONE &&
	       !t->placed && t->size > 0;
}

/* An alias or a tensor that has one, of a group, or a state beside others. */
static bool is_tied(const struct play *play, uint32_t t)
{
	const struct play_tensor *tensor = &play->tensors[t];

	if (tensor->of != NONE || tensor->group != NONE)
		return true;
	for (uint32_t i = 0; i < play->n_tensors; i++) {
		const struct play_tensor *other = &play->tensors[i];

		if (other->of == t || (i != t && is_in_region(tensor) &&
					      is_in_region(other) &&
					      name_same_pools(tensor, other)))
			return true;
	}
	return false;
}

static bool is_apart(const struct play *play, uint32_t t)
{
	for (uint32_t i = 0; i < play->n_pairs; i++)
		if (play->apart[i][0] == t || play->apart[i][1] == t)
			return true;
	return false;
}

/* What keeps the tensor from sharing with any other. */
static uint32_t reasons_of(const struct play *play, uint32_t t)
{
	const struct play_tensor *tensor = &play->tensors[t];
	uint32_t reasons = 0;

	if (tensor->external)
		reasons |= REASON(INPLACE_EXTERNAL);
	if (tensor->size == 0)
		reasons |= REASON(INPLACE_EMPTY);
	if (tensor->pinned)
		reasons |= REASON(INPLACE_FIXED);
	if (is_tied(play, t))
		reasons |= REASON(INPLACE_TIED);
	if (is_apart(play, t))
		reasons |= REASON(INPLACE_APART);
	return reasons;
}

static uint64_t rounded(const struct meant *m, uint32_t t)
{
	return num_up(m->play.tensors[t].size, m->play.alignment);
}

/* What keeps the two from lying in one place. */
static uint32_t reasons_of_places(
	const struct play_tensor *in, const struct play_tensor *out)
{
	uint32_t reasons = 0;

	if (in->placed != out->placed ||
		(in->placed && in->fixed != out->fixed))
		reasons |= REASON(INPLACE_OFFSETS);
	if (!name_same_pools(in, out))
		reasons |= REASON(INPLACE_POOLS);
	if (in->choice != out->choice ||
		(in->choice != NONE && in->branch != out->branch))
		reasons |= REASON(INPLACE_BRANCHES);
	return reasons;
}

/* Is the op, which uses the tensor, not surely done before the other? */
static bool may_run_beside(
	const struct meant *m, uint32_t tensor, uint32_t user, uint32_t op)
{
	return user != op && is_used_by(&m->play, tensor, user) &&
	       !(m->before[op] >> user & 1);
}

/* Where streams run beside each other. */
static uint32_t reasons_of_streams(const struct meant *m, uint32_t op)
{
	const struct play_op *o = &m->play.ops[op];
	uint32_t reasons = 0;

	if (!m->several_streams)
		return 0;
	for (uint32_t user = 0; user < m->n_ops; user++)
		if (may_run_beside(m, o->given, user, op))
			reasons |= REASON(INPLACE_STREAMS);
	if (rounded(m, o->given) != rounded(m, o->taker))
		reasons |= REASON(INPLACE_SIZES);
	return reasons;
}

/* Something would be lost. */
static uint32_t reasons_of_times(const struct meant *m, uint32_t op)
{
	const struct play_op *o = &m->play.ops[op];
	uint32_t step = m->step[op], reasons = 0;

	if (m->play.tensors[o->given].to_end)
		reasons |= REASON(INPLACE_KEPT);
	if (m->end[o->given] > step + 1)
		reasons |= REASON(INPLACE_READ_LATER);
	if (m->start[o->taker] < step || m->play.tensors[o->taker].from_start)
		reasons |= REASON(INPLACE_OLD);
	if (m->taker[o->given] != NONE)
		reasons |= REASON(INPLACE_TAKEN);
	return reasons;
}

/* What the option forbids. */
static uint32_t reasons_of_option(const struct meant *m, uint32_t op)
{
	const struct play_op *o = &m->play.ops[op];
	bool equal = rounded(m, o->given) == rounded(m, o->taker);

	if (strcmp(m->option, "off") == 0)
		return REASON(INPLACE_OFF);
	return equal || strcmp(m->option, "equal") != 0
		       ? 0
		       : REASON(INPLACE_UNEQUAL);
}

/* All that keeps the pair of an op apart: bits of verdicts. Spans of a tensor
 * that is the caller's, or tied, say nothing. */
static uint32_t list_reasons(const struct meant *m, uint32_t op)
{
	const struct play_op *o = &m->play.ops[op];
	uint32_t reasons = reasons_of_option(m, op) |
			   reasons_of(&m->play, o->given) |
			   reasons_of(&m->play, o->taker);

	if (reasons)
		return reasons;
	return reasons_of_places(
		       &m->play.tensors[o->given], &m->play.tensors[o->taker]) |
	       reasons_of_times(m, op) | reasons_of_streams(m, op);
}

/* During the op the larger of the two has the bytes. */
static void take_over(struct meant *m, uint32_t op)
{
	const struct play_op *o = &m->play.ops[op];

	m->taker[o->given] = o->taker;
	if (rounded(m, o->taker) >= rounded(m, o->given))
		m->end[o->given] = m->step[op];
	else
		m->start[o->taker] = m->step[op] + 1;
}

/* ------------------------------------------------------------ tests */

/* Does the outcome name the tensor or the op that its verdict is true of? */
static bool names_rightly(
	const struct meant *m, const struct inplace_outcome *outcome)
{
	const struct play *play = &m->play;
	uint32_t other = outcome->other;

	switch ((enum inplace_verdict)outcome->verdict) {
	case INPLACE_EXTERNAL:
	case INPLACE_EMPTY:
	case INPLACE_FIXED:
	case INPLACE_TIED:
	case INPLACE_APART:
		return (other == outcome->input || other == outcome->output) &&
		       (reasons_of(play, other) & REASON(outcome->verdict));
	case INPLACE_READ_LATER:
		return m->step[other] + 1 == m->end[outcome->input] &&
		       is_used_by(play, outcome->input, other);
	case INPLACE_TAKEN:
		return other == m->taker[outcome->input];
	case INPLACE_STREAMS:
		return may_run_beside(m, outcome->input, other, outcome->op);
	case INPLACE_SHARED:
	case INPLACE_OFFSETS:
	case INPLACE_POOLS:
	case INPLACE_BRANCHES:
	case INPLACE_KEPT:
	case INPLACE_LOOP:
	case INPLACE_OLD:
	case INPLACE_SIZES:
	case INPLACE_OFF:
	case INPLACE_UNEQUAL:
		return other == NONE;
	case INPLACE_TAKES:
	case INPLACE_NEW:
	case INPLACE_LEFT:
	case N_INPLACE:
		break;
	}
	return false;
}

static void expect_outcome(struct meant *m, const struct schedule *s,
	const struct inplace_outcome *outcome)
{
	const struct play_op *o = &m->play.ops[outcome->op];
	uint32_t reasons = list_reasons(m, outcome->op);
	bool shared =
		mp_schedule_takes_over(s, outcome->output, outcome->input);

	cr_assert(outcome->input == o->given && outcome->output == o->taker);
	cr_assert(reasons ? (reasons >> outcome->verdict & 1)
			  : outcome->verdict == INPLACE_SHARED,
		"op%u: verdict %u, reasons %x\n%s", outcome->op,
		outcome->verdict, reasons, m->text);
	cr_assert(names_rightly(m, outcome), "op%u: verdict %u of %u\n%s",
		outcome->op, outcome->verdict, outcome->other, m->text);
	cr_assert(
		reasons ? !shared || outcome->verdict == INPLACE_TIED : shared,
		"op%u: verdict %u\n%s", outcome->op, outcome->verdict, m->text);
	if (!reasons)
		take_over(m, outcome->op);
}

static uint32_t count_pairs(const struct play *play)
{
	uint32_t n = 0;

	for (uint32_t op = 0; play->has_ops && op < play->n_ops; op++)
		n += play->ops[op].given != NONE;
	return n;
}

/* Plans the graph of the seed; in half of the seeds it has pools, and may not
 * fit the small ones. */
static bool plan_meant(struct meant *m, memplan *plan, uint64_t seed)
{
	static const char *const options[] = {"off", "equal"};
	enum memplan_status status;

	mp_testing_player_random(&m->play, seed);
	if (seed / 4 % 2)
		mp_testing_player_add_pools(&m->play, seed);
	mp_testing_player_print(&m->play, m->text);
	m->option =
		seed / 8 % 8 < countof(options) ? options[seed / 8 % 8] : "on";
	memplan_set(plan, "inplace", m->option);
	memplan_set(plan, "planner", "linear");
	memplan_input(plan, "graph", "g.json", m->text, strlen(m->text));
	status = memplan_plan(plan);
	cr_assert(status == MEMPLAN_OK || m->play.n_pools > 0, "%s\n%s",
		memplan_error(plan), m->text);
	return status == MEMPLAN_OK;
}

Test(inplace, verdicts_are_those_of_the_rules)
{
	static struct meant m;
	uint32_t seen[N_INPLACE] = {0}, n_plans = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		memplan *plan = memplan_new();

		if (plan_meant(&m, plan, seed)) {
			const struct schedule *s = plan->plan.schedule;

			cr_assert_eq(s->n_inplace, count_pairs(&m.play));
			fill_meant(&m, s->order);
			for (uint32_t i = 0; i < s->n_inplace; i++) {
				expect_outcome(&m, s, &s->inplace[i]);
				seen[s->inplace[i].verdict]++;
			}
			n_plans++;
		}
		memplan_free(plan);
	}
	cr_assert_gt(n_plans, GRAPHS * 3 / 4, "%u plans", n_plans);
	cr_assert_gt(
		seen[INPLACE_SHARED], GRAPHS / 60, "%u", seen[INPLACE_SHARED]);
	for (uint32_t i = 0; i < N_INPLACE; i++)
		cr_assert(seen[i] > 0 || i == INPLACE_TAKEN ||
				  i == INPLACE_TAKES || i == INPLACE_NEW ||
				  i == INPLACE_LEFT || i == INPLACE_LOOP,
			"no verdict %u", i);
}
