/*
 * Two plans: matches their tensors and memories, and lists what changed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "compare/compare.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "emit/report.h"
#include "problem/tensor-match.h"

/* --------------------------------------------------------- matching */

/* Which tensor of the old plan each tensor of the new one was; NONE: new. */
struct matching {
	const struct schedule *old, *new;
	uint32_t *was;
	bool *found; /* of old tensors */
};

static bool match(struct matching *m, struct arena *arena)
{
	const struct graph *old = m->old->graph, *new = m->new->graph;

	m->was = NEW(arena, uint32_t, new->n_tensors);
	m->found = NEW(arena, bool, old->n_tensors);
	if (!m->was || !m->found ||
		!mp_problem_match_tensors(old, new, m->was, arena))
		return false;
	for (uint32_t i = 0; i < new->n_tensors; i++)
		if (m->was[i] != NONE)
			m->found[m->was[i]] = true;
	return true;
}

/* ---------------------------------------------------------- changes */

static uint64_t difference(const struct change *change)
{
	return change->before > change->after ? change->before - change->after
					      : change->after - change->before;
}

static int greatest_first(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return mp_sort_compare_three(
		difference(y), difference(x), x->new, y->new, x->old, y->old);
}

static void add(struct changes *changes, uint32_t old, uint32_t new,
	uint64_t before, uint64_t after)
{
	changes->at[changes->n++] = (struct change){old, new, before, after};
}

/* "" where there is one memory only. */
static const char *pool_of(const struct plan *plan, uint32_t tensor)
{
	return plan->spaces.at && plan->schedule->stay[tensor].buffer != NONE
		       ? plan->spaces.at[mp_plan_space(plan, tensor)].name
		       : "";
}

uint32_t mp_compare_elsewhere(const struct comparison *c)
{
	const struct changes *moved = &c->kinds[CHANGE_MOVED];
	uint32_t n = 0;

	if (!c->old->spaces.at || !c->new->spaces.at)
		return 0;
	for (uint32_t i = 0; i < moved->n; i++)
		n += strcmp(pool_of(c->old, moved->at[i].old),
			     pool_of(c->new, moved->at[i].new)) != 0;
	return n;
}

bool mp_compare_has_banks(const struct comparison *c)
{
	return c->old->banks.n_pairs > 0 || c->new->banks.n_pairs > 0;
}

uint64_t mp_compare_moved(const struct comparison *c)
{
	const struct changes *moved = &c->kinds[CHANGE_MOVED];
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < moved->n; i++)
		bytes += moved->at[i].after;
	return bytes;
}

/* What became of a tensor; either may be NONE. What is external is not there.
 */
static void note(struct comparison *c, uint32_t old, uint32_t new)
{
	const struct tensor *olds = c->old->schedule->graph->tensors;
	const struct tensor *news = c->new->schedule->graph->tensors;
	bool was = old != NONE && !olds[old].external;

	if (new == NONE && was)
		add(&c->kinds[CHANGE_REMOVED], old, NONE, olds[old].size, 0);
	if (new == NONE || news[new].external)
		return;
	if (!was)
		add(&c->kinds[CHANGE_ADDED], NONE, new, 0, news[new].size);
	else if (olds[old].size != news[new].size)
		add(&c->kinds[CHANGE_RESIZED], old, new, olds[old].size,
			news[new].size);
	else if (mp_plan_offset(c->old, old) != mp_plan_offset(c->new, new) ||
		 strcmp(pool_of(c->old, old), pool_of(c->new, new)) != 0)
		add(&c->kinds[CHANGE_MOVED], old, new, olds[old].size,
			news[new].size);
}

/* Bytes that each tensor holds at the peak of its plan. */
static uint64_t *peak_bytes(const struct schedule *s, struct arena *arena)
{
	uint64_t *bytes = NEW(arena, uint64_t, s->graph->n_tensors);
	uint32_t n;
	struct alive *alive =
		mp_emit_peak_alive(s, s->problem.peak_step, &n, arena);

	for (uint32_t i = 0; bytes && alive && i < n; i++)
		bytes[alive[i].tensor] = alive[i].size;
	return alive ? bytes : NULL;
}

static bool note_all(
	struct comparison *c, const struct matching *m, struct arena *arena)
{
	const uint64_t *before = peak_bytes(m->old, arena);
	const uint64_t *after = peak_bytes(m->new, arena);
	uint32_t n_new = m->new->graph->n_tensors;

	if (!before || !after)
		return false;
	for (uint32_t i = 0; i < n_new + m->old->graph->n_tensors; i++) {
		uint32_t new = i < n_new ? i : NONE;
		uint32_t old = i < n_new ? m->was[i] : i - n_new;
		uint64_t was = old == NONE ? 0 : before[old];
		uint64_t is = new == NONE ? 0 : after[new];

		if (new == NONE && m->found[old])
			continue;
		note(c, old, new);
		if (was != is)
			add(&c->peak, old, new, was, is);
	}
	return true;
}

const char *mp_compare_peak_op(const struct plan *plan)
{
	const struct op *op =
		mp_schedule_op(plan->schedule, plan->problem->peak_step);

	return op ? op->name : NULL;
}

static bool peak_moved(const struct comparison *c)
{
	const char *old = mp_compare_peak_op(c->old);
	const char *new = mp_compare_peak_op(c->new);

	if (old && new && (*old || *new))
		return strcmp(old, new) != 0;
	return c->old->problem->peak_step != c->new->problem->peak_step;
}

/* ------------------------------------------------------------ pools */

static struct compared_pool *pool_called(struct comparison *c, const char *name)
{
	for (uint32_t i = 0; i < c->n_pools; i++)
		if (strcmp(c->pools[i].name, name) == 0)
			return &c->pools[i];
	c->pools[c->n_pools].name = name;
	return &c->pools[c->n_pools++];
}

/* The memories, those of the new plan first. Pools, and blocks of pools, are
 * matched by name. */
static bool match_pools(struct comparison *c, struct arena *arena)
{
	const struct spaces *old = &c->old->spaces, *new = &c->new->spaces;
	uint32_t n_old = old->at ? old->n : 0, n_new = new->at ? new->n : 0;

	c->n_pools = 0;
	c->pools = NEW(arena, struct compared_pool, (size_t)n_old + n_new);
	if (!c->pools)
		return false;
	for (uint32_t i = 0; i < n_new; i++)
		pool_called(c, new->at[i].name)->new = &new->at[i];
	for (uint32_t i = 0; i < n_old; i++)
		pool_called(c, old->at[i].name)->old = &old->at[i];
	return true;
}

/* ------------------------------------------------------- comparison */

bool mp_compare(const struct plan *old, const struct plan *new,
	struct comparison *c, struct arena *arena, struct error *e)
{
	struct matching m = {old->schedule, new->schedule, NULL, NULL};
	uint32_t n = m.old->graph->n_tensors + m.new->graph->n_tensors;

	assert(old->schedule && new->schedule);
	*c = (struct comparison){.old = old, .new = new, .arena = arena};
	c->peak.at = NEW(arena, struct change, n);
	for (uint32_t k = 0; k < N_CHANGE_KINDS; k++)
		c->kinds[k].at = NEW(arena, struct change, n);
	if (arena->error->code != MEMPLAN_OK || !match(&m, arena))
		return false;
	if (!match_pools(c, arena) || !note_all(c, &m, arena))
		return false;
	for (uint32_t k = 0; k < N_CHANGE_KINDS; k++)
		qsort(c->kinds[k].at, c->kinds[k].n, sizeof(struct change),
			greatest_first);
	qsort(c->peak.at, c->peak.n, sizeof(struct change), greatest_first);
	c->peak_moved = peak_moved(c);
	return e->code == MEMPLAN_OK;
}

const struct tensor *mp_compare_change_tensor(
	const struct comparison *c, const struct change *change)
{
	assert(change->new != NONE || change->old != NONE);
	return change->new != NONE
		       ? &c->new->schedule->graph->tensors[change->new]
		       : &c->old->schedule->graph->tensors[change->old];
}

const char *mp_compare_change_name(enum change_kind kind)
{
	static const char *const names[N_CHANGE_KINDS] = {
		[CHANGE_ADDED] = "added",
		[CHANGE_REMOVED] = "removed",
		[CHANGE_RESIZED] = "resized",
		[CHANGE_MOVED] = "moved",
	};

	assert(kind < N_CHANGE_KINDS);
	return names[kind];
}

/* ------------------------------------------------------------ words */

void mp_compare_sink_change(struct sink *sink, uint64_t before, uint64_t after)
{
	if (after > before)
		mp_sink_write(sink, "+", 1);
	mp_sink_i64(sink, (int64_t)(after - before));
}

const char *mp_compare_old(const struct comparison *c)
{
	return c->own ? c->old->planner : "old";
}

const char *mp_compare_new(const struct comparison *c)
{
	return c->own ? "memplan" : "new";
}

/* What became of the arena, and what stands behind the number of bytes. */
static const char *verb_of(const struct comparison *c, bool more)
{
	if (c->own)
		return more ? "memplan takes more by " : "memplan saves ";
	return more ? "arena grew by " : "arena shrank by ";
}

void mp_compare_headline(const struct comparison *c, struct sink *sink)
{
	uint64_t before = c->old->arena_size, after = c->new->arena_size;
	uint64_t difference = after > before ? after - before : before - after;

	if (difference == 0) {
		if (c->own)
			mp_sink_print(sink, "memplan takes as much as %s",
				c->old->planner);
		else
			mp_sink_text(sink, "arena unchanged");
		return;
	}
	mp_sink_print(sink, "%s%s", verb_of(c, after > before),
		mp_emit_bytes(difference).text);
	if (before > 0)
		mp_sink_print(sink, ", %s %%",
			mp_emit_percent(difference, before).text);
}
