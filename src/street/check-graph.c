/*
 * Checks one graph on the offsets of a plan: a run that keeps these, then a
 * comparison of the plan's claims with what the run found. Against a graph: the
 * same run of a copy of the graph that has the plan's offsets and order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <string.h>

#include "bundle/bundle.h"
#include "graph/graph.h"
#include "order/search/certify.h"
#include "proof/proof.h"
#include "verify/verify.h"

static bool is_equal(const struct extent *a, const struct extent *b)
{
	return a->base == b->base && a->size == b->size;
}

bool mp_street_check_members(memplan *m)
{
	const struct bundle *bundle = &m->planned->bundle;
	struct extent shared, kept;

	for (uint32_t i = 0; i < bundle->n; i++) {
		const struct bundle_member *member = &bundle->members[i];

		mp_plan_regions(&m->plan, i, &shared, &kept);
		if (member->claimed && (!is_equal(&member->shared, &shared) ||
					       !is_equal(&member->kept, &kept)))
			return mp_fail(&m->error, MEMPLAN_NO,
				"%s: /graphs/%u: what it says of the bytes of "
				"'%.80s' is not where its tensors are",
				m->planned->name, i, member->name);
	}
	return true;
}

/* The second key of lifetimes: whatever they are, the graph runs on the plan's
 * places. */
static bool runs(memplan *m)
{
	const struct schedule *s = m->plan.schedule;

	return mp_verify_run(
		s->graph, s->order, &s->problem, &m->run, &m->error);
}

/* Graphs that were joined in one arena have no file that claims anything. */
bool mp_street_check_own(memplan *m, struct run *run, const struct graph *bare)
{
	run->planner = mp_planner_find("given");
	run->judges = true;
	if (!run->graph && !mp_street_load(m, run))
		return false;
	return (bare || mp_street_complete_model(m, run)) &&
	       mp_street_walk(m, run) &&
	       (!bare || (mp_street_find_own(m, run, bare) && runs(m))) &&
	       (run->layout || (mp_street_check_claims(m) &&
				       mp_street_check_members(m))) &&
	       (!bare || mp_street_confirm_pairs(m, run, bare));
}

/* ---------------------------------------------------------- a graph */

/* No order of this graph may have a lower peak than the claimed bound on all
 * orders. */
static bool check_order_bound(memplan *m)
{
	const struct schedule *s = m->plan.schedule;
	uint64_t bound = s->order_bound.bytes;
	uint64_t least = s->problem.theoretical_min;

	return mp_street_check_claim(m,
		!s->order_bound_claimed || bound <= least ||
			s->order_bound.inplace != m->options.inplace,
		"order/bound/bytes", bound, " for every order, this one needs",
		least);
}

/* The flows behind a bound on all orders are computed again from the graph;
 * order/search/certify.h checks them and trusts none. A plan that was made with
 * other in-place pairs may claim more than the graph shows: a claim is wrong if
 * not even the pairs that share bytes in the plan allow it. */
static bool derive_order(memplan *m, const struct graph *graph,
	const struct graph *planned, const struct order_bound *claim,
	bool *confirmed)
{
	struct error doubt = {0};
	bool ignored;

	if (mp_order_certify_claim(graph, claim, confirmed, &m->run, &doubt))
		return true;
	*confirmed = false;
	return m->error.code == MEMPLAN_OK &&
	       mp_order_certify_claim(
		       planned, claim, &ignored, &m->run, &m->error);
}

/* A proof file may show the bound on all orders. It is checked whatever the
 * plan claims. */
static bool confirm_order(memplan *m, const struct graph *graph,
	const struct graph *planned, struct results *found)
{
	const struct input_file *file = &m->input.files[ROLE_PROOF];
	const struct order_bound *claim = &planned->claims.order_bound;
	uint64_t proved = 0;

	if (file->name &&
		!mp_proof_check_order(graph, claim->inplace, file->name,
			file->bytes, file->length, &proved, &m->run))
		return false;
	found->replayed = proved > 0 && proved >= claim->bytes;
	found->confirmed = found->replayed;
	return found->replayed ||
	       derive_order(m, graph, planned, claim, &found->confirmed);
}

/* Inputs and outputs lie where the plan says, unless an option says otherwise.
 * The plan of a bundle does not say it if its members differ. */
static bool take_policies(
	memplan *m, const struct graph *plan, struct graph *copy)
{
	uint8_t inputs = copy->inputs, outputs = copy->outputs;

	if (!plan->claims.present)
		return true;
	if (m->options.inputs == N_POLICIES)
		inputs = plan->inputs;
	if (m->options.outputs == N_POLICIES)
		outputs = plan->outputs;
	return (inputs == copy->inputs && outputs == copy->outputs) ||
	       mp_street_change_policies(m, copy, inputs, outputs);
}

/* The copy has the plan's offsets and order now; the options count for it too,
 * but for that of the order. */
static bool check_copy(memplan *m, struct run *run, const struct graph *copy,
	const struct graph *bare)
{
	run->order = mp_order_find("keep");
	run->graph = mp_street_shape(m, copy, run);
	return run->graph && mp_street_check_own(m, run, bare);
}

/* Did --budget rewrite the graph before it was planned? Then the plan is of the
 * rewritten one. NULL: failure. */
static struct graph *rewrite(
	memplan *m, const struct graph *plan, struct graph *graph)
{
	struct error quiet = {0};
	struct found_detours found;
	struct graph *rewritten;
	uint32_t listed = 0;

	if (!mp_budget_find_detours(graph, plan, &found, &m->run))
		return NULL;
	while (found.order && listed < graph->n_ops &&
		found.order[listed] == listed)
		listed++;
	if (!found.order || (found.n == 0 && listed == graph->n_ops))
		return graph;
	rewritten = NEW(&m->run, struct graph, 1);
	if (!rewritten)
		return NULL;
	if (mp_budget_rewrite_detours(graph, found.order, found.detours,
		    found.n, found.beside, rewritten, &m->run, &quiet))
		return rewritten;
	return mp_fail(&m->error, MEMPLAN_NO, "%s", quiet.text), NULL;
}

/* Rewrites the copy as its plan was, and gives it the plan's offsets and order.
 * bare: as rewritten, without these. */
static bool adopt(memplan *m, const struct graph *plan, struct graph **copy,
	struct graph **bare)
{
	*copy = rewrite(m, plan, *copy);
	*bare = *copy ? mp_street_copy_graph(m, *copy) : NULL;
	return *bare && mp_graph_adopt(*copy, plan, &m->run, &m->error) &&
	       mp_graph_align(*bare, (*copy)->alignment, &m->run, &m->error);
}

bool mp_street_check_member(memplan *m, struct run *run,
	const struct graph *bundle, const char *name)
{
	struct graph *member = NEW(&m->run, struct graph, 1);
	struct graph *copy = mp_street_copy_graph(m, run->graph), *bare;

	if (!member || !copy ||
		!mp_bundle_member(bundle, name, member, &m->run, &m->error))
		return false;
	if (copy->n_ops == 0)
		member->claims.ops.n = 0;
	return adopt(m, member, &copy, &bare) &&
	       check_copy(m, run, copy, bare) &&
	       mp_bundle_check_kept(
		       bundle, member, m->plan.schedule, &m->run, &m->error);
}

bool mp_street_check_bucket(
	memplan *m, struct run *run, const struct graph *plan)
{
	struct graph *listed = mp_street_copy_graph(m, run->graph);
	struct graph *copy = listed, *bare;
	const struct order_row *alone = run->order;

	if (!listed || !take_policies(m, plan, listed) ||
		!adopt(m, plan, &copy, &bare))
		return false;
	if (!check_copy(m, run, copy, bare))
		return false;
	/* Alone it may have another order, or other copies. */
	if (copy != listed || alone != run->order || !plan->claims.order ||
		strcmp(plan->claims.order, run->order->name) != 0)
		m->own_least = 0;
	return true;
}

bool mp_street_check_graph(memplan *m, struct run *run,
	const struct graph *plan, struct graph *copy)
{
	struct results found = {0};
	const struct graph *shaped;
	struct graph *bare;

	if (!take_policies(m, plan, copy) || !adopt(m, plan, &copy, &bare))
		return false;
	shaped = mp_street_shape(m, bare, run);
	if (!shaped || !confirm_order(m, shaped, copy, &found) ||
		!check_copy(m, run, copy, bare) || !check_order_bound(m))
		return false;
	m->results.confirmed = found.confirmed;
	m->results.replayed = found.replayed;
	return true;
}
