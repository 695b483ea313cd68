/*
 * Joins several graphs in one arena: finds the joined handles, plans each so
 * that it goes with the others, and makes one graph of their plans.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "base/sink-text.h"
#include "bundle/bundle.h"

/* ------------------------------------------------------------- join */

static bool check_name(memplan *m, const struct joined_handle *last)
{
	for (const struct joined_handle *h = m->joined; h != last; h = h->next)
		if (strcmp(h->name, last->name) == 0)
			return mp_fail(&m->error, MEMPLAN_EINPUT,
				"%s: the graph is called '%.80s', as is that "
				"of %s: their symbols would clash",
				mp_street_graph(last->member)->place,
				last->name, mp_street_graph(h->member)->place);
	return true;
}

/* All members need the same padding and rounding. A member without a plan is
 * planned with the greatest alignment. */
static bool check_rounding(memplan *m, const struct joined_handle *a,
	const struct joined_handle *b)
{
	const struct graph *first = mp_street_graph(a->member);
	const struct graph *graph = mp_street_graph(b->member);

	if (a->member->has_plan && b->member->has_plan &&
		graph->alignment != first->alignment)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"%s: planned with an alignment of %llu, %s with %llu: "
			"the greatest must do for all",
			graph->place, (unsigned long long)graph->alignment,
			first->place, (unsigned long long)first->alignment);
	return graph->margins.padding == first->margins.padding ||
	       mp_fail(&m->error, MEMPLAN_EUSAGE,
		       "%s: padded by %u byte%s, %s by %u: give both the same "
		       "target",
		       graph->place, graph->margins.padding,
		       mp_text_plural(graph->margins.padding), first->place,
		       first->margins.padding);
}

/* A handle with a plan is joined as it is; a handle with a graph is planned
 * with the others. */
static bool may_join(const memplan *m, const memplan *member)
{
	return member != m &&
	       (member->has_plan ? !member->unverified : member->has_graph);
}

bool mp_street_check_joins(memplan *m)
{
	for (const struct joined_handle *h = m->joined; h; h = h->next) {
		const memplan *member = h->member;

		if (h->has_plan ? member->has_plan && !member->unverified
				: member->has_graph)
			continue;
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"%s: joined for %s that it holds no more", h->name,
			h->has_plan ? "a plan" : "an input");
	}
	return true;
}

/* A name that begins with a dot is a batch: it is appended to the graph's name.
 */
static bool name_member(memplan *m, struct joined_handle *h, const char *name)
{
	const char *own = mp_street_graph(h->member)->name;

	if (name && name[0] == '.') {
		h->batch = mp_arena_text(&m->arena, name + 1, strlen(name + 1));
		name = h->batch ? mp_arena_print(
					  &m->arena, "%s.%s", own, h->batch)
				: NULL;
		if (!name)
			return false;
	}
	h->name = mp_bundle_name(name ? name : own, &m->arena);
	return h->name != NULL;
}

static bool join(memplan *m, memplan *member, const char *name)
{
	struct joined_handle *h = NEW(&m->arena, struct joined_handle, 1);
	struct joined_handle **last = &m->joined;

	if (!h)
		return false;
	if (m->input.files[ROLE_MAIN].name)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"%s: a handle with an input joins no others",
			m->input.files[ROLE_MAIN].name);
	if (!mp_street_check_joins(m))
		return false;
	if (!may_join(m, member))
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"only what was read, or holds a verified plan, can be "
			"joined");
	*h = (struct joined_handle){
		.member = member, .has_plan = member->has_plan};
	if (!name_member(m, h, name))
		return false;
	while (*last)
		last = &(*last)->next;
	*last = h;
	m->n_joined++;
	if (check_name(m, h) && check_rounding(m, m->joined, h)) {
		mp_street_forget_results(m);
		return true;
	}
	*last = NULL;
	m->n_joined--;
	return false;
}

enum memplan_status memplan_join(memplan *m, memplan *member, const char *name)
{
	mp_street_call(&m->sink);
	join(m, member, name);
	return m->error.code;
}

/* ------------------------------------------------------------ rules */

/* With several streams, an output larger than its input could take bytes that
 * another stream still reads. So a pair of tensors that are of one size in one
 * bucket and of two in another is left apart in all. */
struct run mp_street_fit_member(
	memplan *m, memplan *member, enum together together)
{
	bool streams = together == TOGETHER_CONCURRENT;
	uint64_t most = 0;
	struct run run;

	for (const struct joined_handle *h = m->joined; h; h = h->next) {
		const struct graph *graph = mp_street_graph(h->member);

		most = num_max(most, graph->alignment);
		streams |= graph->n_streams > 1;
	}
	assert(most > 0);
	run = mp_street_run(member);
	run.caller = m;
	if (member->graph.alignment < most)
		run.align = most;
	run.equal |= streams;
	return run;
}

struct run mp_street_member_run(
	memplan *m, memplan *member, enum together together)
{
	mp_street_begin(member);
	return mp_street_fit_member(m, member, together);
}

/* -------------------------------------------------------- the graph */

/* Batches of one graph have its name. */
const char *mp_street_name_joined(memplan *m)
{
	const char *name = m->joined->name;
	const char *common = mp_street_graph(m->joined->member)->name;
	bool batches = true;

	for (const struct joined_handle *h = m->joined; h; h = h->next)
		batches &= h->batch && strcmp(mp_street_graph(h->member)->name,
					       common) == 0;
	if (m->options.name[0])
		common = m->options.name;
	if (m->options.name[0] || batches)
		return mp_arena_text(&m->run, common, strlen(common));
	/* With one member, both names would make one macro of a header. */
	if (m->n_joined == 1)
		return mp_arena_print(&m->run, "%s bundle", name);
	for (const struct joined_handle *h = m->joined->next; name && h;
		h = h->next)
		name = mp_arena_print(&m->run, "%s+%s", name, h->name);
	return name;
}

/* Where a plan has the member; else in the sequence of joining. */
static uint32_t place_of(
	const struct graph *bundle, const char *name, uint32_t i)
{
	uint32_t at = 0;

	if (!bundle)
		return i;
	while (strcmp(bundle->bundle.members[at].name, name) != 0)
		at++;
	return at;
}

static bool list_members(
	memplan *m, const struct graph *bundle, struct layout *layout)
{
	uint32_t i = 0;

	layout->members = NEW(&m->run, struct joined, m->n_joined);
	if (!layout->members)
		return false;
	for (const struct joined_handle *h = m->joined; h; h = h->next, i++) {
		const struct graph *graph = mp_street_graph(h->member);

		assert(h->member->has_plan && !h->member->unverified);
		if (!check_rounding(m, m->joined, h))
			return false;
		layout->members[place_of(bundle, h->name, i)] =
			(struct joined){.plan = &h->member->plan,
				.name = h->name,
				.place = graph->place,
				.from_plan = graph->claims.present};
		layout->seconds += h->member->plan.seconds;
		layout->graph.margins.base = (uint32_t)num_max(
			layout->graph.margins.base, graph->margins.base);
	}
	assert(i == layout->n);
	return true;
}

struct layout *mp_street_join(memplan *m, const struct graph *bundle)
{
	struct layout *layout = NEW(&m->run, struct layout, 1);
	double start = mp_planner_job_now();
	const struct graph *first;

	assert(m->n_joined > 0);
	if (!layout)
		return NULL;
	first = mp_street_graph(m->joined->member);
	*layout = (struct layout){.n = m->n_joined,
		.concurrent =
			bundle ? bundle->bundle.concurrent
			       : m->options.together == TOGETHER_CONCURRENT,
		.stays = bundle != NULL,
		.graph = {.alignment = first->alignment,
			.margins = first->margins,
			.name = bundle ? bundle->name
				       : mp_street_name_joined(m)}};
	layout->graph.place = layout->graph.name;
	if (!layout->graph.name || !list_members(m, bundle, layout) ||
		!mp_bundle_join(layout, &m->run, &m->error))
		return NULL;
	if (bundle) {
		if (!mp_bundle_take_same(layout, bundle, &m->run, &m->error) ||
			!mp_graph_ties_set_same(&layout->graph.ties,
				layout->graph.tensors, layout->graph.n_tensors,
				layout->same, layout->n_same, &m->run))
			return NULL;
	} else if (m->options.same[0] &&
		   !mp_bundle_find_same(
			   layout, m->options.same, &m->run, &m->error)) {
		return NULL;
	}
	layout->seconds += mp_planner_job_now() - start;
	return layout;
}
