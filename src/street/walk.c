/*
 * Walks the street: reads the input, or joins planned handles, then calls the
 * stages in turn. No stage calls this file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "bundle/bundle.h"
#include "verify/verify.h"

/* ------------------------------------------------------------- read */

/* Applies options that change the graph once it was read and linked. Offsets go
 * before pools come: a tensor that is placed anew may lie in any pool. */
static bool take_options(memplan *m)
{
	const char *name = m->options.name;

	if (name[0])
		m->graph.name = mp_arena_text(&m->arena, name, strlen(name));
	if (!m->graph.name)
		return false;
	if (m->graph.claims.present &&
		!mp_graph_find_pairs(&m->graph, &m->arena))
		return false;
	if (m->options.replan && !mp_graph_forget_offsets(&m->graph, &m->arena))
		return false;
	return m->options.pools[0] == '\0' ||
	       mp_street_pool_option(
		       &m->graph, m->options.pools, &m->arena, &m->error);
}

static bool read_input(memplan *m)
{
	double start = mp_planner_job_now();
	const struct options *options = &m->options;
	struct input *input = &m->input;

	if (m->has_graph)
		return true;
	if (!input->files[ROLE_MAIN].name)
		return mp_fail(&m->error, MEMPLAN_EUSAGE, "no input given");
	input->graph = options->graph[0] ? options->graph : NULL;
	input->dims = options->dims[0] ? options->dims : NULL;
	input->values = options->values[0] ? options->values : NULL;
	input->shapes = options->shapes[0] ? options->shapes : NULL;
	input->views = options->views;
	input->keeps_constants = options->keeps_constants;
	input->target = mp_graph_target_find(options->target);
	input->variables_inside = options->variables_inside;
	input->alignment = options->align;
	if (input->alignment == 0 && input->target)
		input->alignment = input->target->alignment;
	m->graph = (struct graph){0};
	m->has_graph = mp_input_read(input, &m->graph, &m->arena, &m->error) &&
		       mp_street_read_near(m) && mp_street_apply_policies(m) &&
		       mp_graph_link(&m->graph, &m->arena, &m->error) &&
		       mp_graph_constrain(&m->graph, &m->arena, &m->error) &&
		       mp_bundle_check_order(&m->graph, &m->arena, &m->error) &&
		       take_options(m);
	m->read_seconds = mp_planner_job_now() - start;
	m->results.read_seconds = m->read_seconds;
	m->n_read_warnings = m->error.n_warnings;
	if (!m->has_graph) /* the caller may have freed the bytes */
		mp_street_forget_input(m);
	return m->has_graph;
}

bool mp_street_fail_like(memplan *m, const memplan *other)
{
	mp_fail(&m->error, other->error.code, "%s", other->error.text);
	m->error.line = other->error.line;
	m->error.column = other->error.column;
	return false;
}

/* An error of a member is the error of the bundle. */
static bool plan_member(memplan *m, memplan *member)
{
	struct run run;

	assert(member->has_graph && !member->joined);
	run = mp_street_member_run(m, member, m->options.together);
	if (mp_street_walk(member, &run))
		return true;
	mp_street_end(member);
	return mp_street_fail_like(m, member);
}

static bool join_members(memplan *m, struct run *run)
{
	if (!mp_street_check_joins(m))
		return false;
	for (const struct joined_handle *h = m->joined; h; h = h->next)
		if ((!h->has_plan && !plan_member(m, h->member)) ||
			!mp_street_unfold(h->member))
			return false;
	if (mp_street_has_buckets(m)) {
		run->graph = mp_street_check_bucket_orders(m)
				     ? mp_street_widen(m)
				     : NULL;
		return run->graph != NULL;
	}
	if (!mp_street_compare_batches(m))
		return false;
	run->layout = mp_street_join(m, NULL);
	run->graph = run->layout ? &run->layout->graph : NULL;
	return run->layout != NULL;
}

bool mp_street_load(memplan *m, struct run *run)
{
	assert(!run->graph);
	if (m->options.same[0] && (!m->joined || mp_street_has_buckets(m)))
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"same-offsets is for several graphs that go together, "
			"serial or concurrent");
	if (m->joined)
		return join_members(m, run);
	if (!read_input(m))
		return false;
	if (m->graph.wanting && !run->looks)
		return mp_fail(&m->error, MEMPLAN_EINPUT, "%s: %s",
			m->graph.place, m->graph.wanting);
	run->graph = mp_street_shape(m, &m->graph, run);
	return run->graph != NULL;
}

/* ------------------------------------------------------------- walk */

/* What is wrong is an answer, an error of the plan that was read, or one of
 * memplan. */
static bool verify_same(memplan *m, const struct run *run)
{
	enum memplan_status code = run->judges ? MEMPLAN_NO
				   : run->layout && !run->layout->stays
					   ? MEMPLAN_EINTERNAL
					   : MEMPLAN_EINPUT;

	return mp_verify_same(&m->plan, code, &m->arena, &m->error);
}

bool mp_street_walk(memplan *m, struct run *run)
{
	bool planned, fine;

	assert(!m->has_plan);
	if ((!run->graph && !mp_street_load(m, run)) ||
		!mp_street_check_near(m))
		return false;
	assert(run->graph);
	m->planned = run->graph;
	m->unverified = run->unverified;
	planned = m->options.budget > 0 ? mp_street_fit_budget(m, run)
					: mp_street_plan_orders(m, run);
	fine = planned && (!m->near || mp_street_stay_near(m, run)) &&
	       (!m->options.minimise_reuse || mp_street_spread(m, run)) &&
	       (!m->options.minimise_banks || mp_street_minimise_banks(m, run));
	mp_street_warn(m, run);
	if (!fine)
		return false;
	mp_street_count_cost(m);
	mp_arena_trim(&m->run); /* what planners took: writers take as much */
	return mp_street_count_banks(m) && verify_same(m, run);
}

/* ------------------------------------------------------ public face */

enum memplan_status memplan_read(memplan *m)
{
	struct run run;

	mp_street_call(&m->sink);
	if (m->planned)
		return MEMPLAN_OK;
	run = mp_street_run(m);
	run.looks = true;
	if (mp_street_load(m, &run))
		m->planned = run.graph;
	return m->error.code;
}
