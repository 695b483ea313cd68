/*
 * Holds the claims of a plan file against what the plan shows. The verifier
 * derives the bounds again. A claim that says which way it is known must follow
 * in that way; what only a search knows stays a claim.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <string.h>

#include "base/sink-text.h"
#include "proof/proof.h"
#include "verify/verify.h"

bool mp_street_check_claim(memplan *m, bool holds, const char *key,
	uint64_t claim, const char *but, uint64_t have)
{
	return holds ||
	       mp_fail(&m->error, MEMPLAN_NO, "%s: /%s: claims %llu%s %llu",
		       m->planned->name, key, (unsigned long long)claim, but,
		       (unsigned long long)have);
}

/* ----------------------------------------------------------- derive */

/* The spaces of the buffers of the graph's own problem, or of the plan's; NULL:
 * there is one memory. */
static const struct spaces *spaces_of(const memplan *m)
{
	if (!m->plan.spaces.at)
		return NULL;
	return m->own ? &m->own_spaces : &m->plan.spaces;
}

static bool verify_clique(memplan *m, uint32_t memory, struct ids tensors,
	struct verified_clique *clique)
{
	return mp_verify_clique(m->plan.problem,
		m->plan.spaces.at ? &m->plan.spaces : NULL, m->plan.offsets,
		memory, tensors, clique, &m->run);
}

/* The tensors were found, or the plan file names them. With one memory these
 * are the same. Tensors that the graph ties together may need more than those
 * of the plan. */
static bool raise_to_clique(memplan *m, uint32_t memory, struct ids tensors,
	struct verified_bound *bound)
{
	struct verified_clique clique, own = {0};

	if (!verify_clique(m, memory, tensors, &clique) ||
		(m->own &&
			!mp_verify_clique(m->own, spaces_of(m), m->own_offsets,
				memory, tensors, &own, &m->run)))
		return false;
	clique.bytes = num_max(clique.bytes, own.bytes);
	if (clique.bytes > bound->bytes)
		*bound = (struct verified_bound){
			clique.bytes, BOUND_CLIQUE, NONE, 1};
	return true;
}

/* With several streams and branches the verifier may see more in the listed
 * order than the planners do. That confirms a claim; a plan that claims no more
 * has the bound of the planners when it is read too. */
static bool is_claimed(
	const memplan *m, const struct space *memory, enum bound_kind kind)
{
	return kind != BOUND_LOAD ||
	       (memory->claimed_bound > 0 && m->planned->bundle.n == 0);
}

/* Derives the bound of one memory in the verifier's way. It must agree with the
 * planners' way, where the verifier can see as much, or one of them is wrong.
 */
static bool derive(memplan *m, uint32_t i, struct verified_bound *derived)
{
	const struct space memory = mp_plan_memory(&m->plan, i);
	const struct problem *p = m->own ? m->own : m->plan.problem;
	const uint64_t *offsets = m->own ? m->own_offsets : m->plan.offsets;
	const struct spaces *spaces = spaces_of(m);
	bool whole = mp_verify_bound_is_whole(p, spaces);

	if (!mp_verify_bound(p, spaces, offsets, i, derived, &m->run) ||
		!raise_to_clique(m, i, memory.clique, derived) ||
		!raise_to_clique(m, i, m->planned->claims.clique, derived) ||
		(spaces && !raise_to_clique(m, i, m->plan.clique, derived)))
		return false;
	if (!whole && (derived->bytes <= memory.lower_bound ||
			      !is_claimed(m, &memory, derived->kind)))
		*derived = (struct verified_bound){
			memory.lower_bound, memory.bound_kind, NONE, 1};
	if (derived->bytes <= memory.size &&
		derived->bytes >= memory.lower_bound)
		return true;
	return mp_fail(&m->error, MEMPLAN_EINTERNAL,
		"%s: the verifier derives a bound of %llu byte%s, the planners "
		"one of %llu, and the plan takes %llu",
		m->planned->name, (unsigned long long)derived->bytes,
		mp_text_plural(derived->bytes),
		(unsigned long long)memory.lower_bound,
		(unsigned long long)memory.size);
}

static uint64_t left_of_claim(uint64_t claimed, uint64_t proved)
{
	return claimed > proved ? claimed : 0;
}

/* What the file claims of each pool counts too, as the sum. */
static bool derive_pools(memplan *m)
{
	struct plan *plan = &m->plan;
	uint64_t claimed = 0;

	plan->lower_bound = 0;
	plan->bound_kind = BOUND_LOAD;
	for (uint32_t i = 0; i < plan->spaces.n; i++) {
		struct space *space = &plan->spaces.at[i];
		struct verified_bound bound;

		if (!derive(m, i, &bound))
			return false;
		space->lower_bound = bound.bytes;
		space->bound_kind = bound.kind;
		space->claimed_bound =
			left_of_claim(space->claimed_bound, bound.bytes);
		plan->lower_bound += bound.bytes;
		claimed += num_max(bound.bytes, space->claimed_bound);
		if (bound.kind > plan->bound_kind)
			plan->bound_kind = bound.kind;
	}
	plan->claimed_bound = num_max(plan->claimed_bound, claimed);
	return true;
}

static bool derive_arena(memplan *m)
{
	struct verified_bound bound;

	if (!derive(m, 0, &bound))
		return false;
	m->plan.lower_bound = bound.bytes;
	m->plan.bound_kind = bound.kind;
	return true;
}

static bool derive_bound(memplan *m)
{
	struct plan *plan = &m->plan;

	if (!(plan->spaces.at ? derive_pools(m) : derive_arena(m)))
		return false;
	plan->claimed_bound =
		left_of_claim(plan->claimed_bound, plan->lower_bound);
	return true;
}

/* ------------------------------------------------------------ pools */

static bool check_pool(
	memplan *m, uint32_t i, const char *key, uint64_t claim, uint64_t have)
{
	bool bound = strcmp(key, "lower_bound") == 0;

	return (bound ? claim <= have : claim == have) ||
	       mp_fail(&m->error, MEMPLAN_NO,
		       "%s: /pools/%u/%s: claims %llu, %s pool '%.60s' %s %llu",
		       m->planned->name, i, key, (unsigned long long)claim,
		       bound ? "yet" : "what lies in",
		       m->plan.spaces.at[i].name, bound ? "takes" : "gives",
		       (unsigned long long)have);
}

static bool check_pools(memplan *m, const struct pool_claim *claims)
{
	for (uint32_t i = 0; claims && i < m->plan.spaces.n; i++) {
		const struct space *space = &m->plan.spaces.at[i];

		if (!check_pool(m, i, "arena_size", claims[i].arena_size,
			    space->size) ||
			!check_pool(m, i, "theoretical_min",
				claims[i].theoretical_min,
				space->theoretical_min) ||
			!check_pool(m, i, "lower_bound", claims[i].lower_bound,
				space->size))
			return false;
	}
	return true;
}

/* ----------------------------------------------------------- clique */

/* Does a tensor of the claimed clique lie in that memory? */
static bool has_claimed(const memplan *m, uint32_t memory)
{
	struct ids clique = m->planned->claims.clique;

	for (uint32_t i = 0; i < clique.n; i++)
		if (mp_plan_space(&m->plan, clique.at[i]) == memory)
			return true;
	return false;
}

static const char *name_of(const memplan *m, uint32_t tensor)
{
	return tensor == NONE
		       ? "a reserved range"
		       : mp_graph_tensor_label(&m->planned->tensors[tensor]);
}

/* open: it has too many tensors to compare, and stays a claim. */
static bool check_clique(memplan *m, bool *open)
{
	*open = false;
	for (uint32_t i = 0; i < mp_plan_memories(&m->plan); i++) {
		struct verified_clique clique;

		if (!has_claimed(m, i))
			continue;
		if (!verify_clique(m, i, m->planned->claims.clique, &clique))
			return false;
		*open |= clique.is_open;
		if (clique.bytes == 0 && !clique.is_open)
			return mp_fail(&m->error, MEMPLAN_NO,
				"%s: /clique: '%.60s' and '%.60s' may share "
				"bytes",
				m->planned->name, name_of(m, clique.sharing[0]),
				name_of(m, clique.sharing[1]));
	}
	return true;
}

/* ------------------------------------------------------------ bound */

/* Of several streams and pools the planners' code derives what is alive
 * together, and of the plan: its graph may tie tensors into larger buffers, or
 * say more of branches. */
static bool is_seen_less(const memplan *m)
{
	const struct problem *p = m->own ? m->own : m->plan.problem;

	return m->plan.spaces.at && !mp_verify_bound_is_whole(p, spaces_of(m));
}

/* Of a bundle the bounds of its members count, which only their graphs show. */
static bool follows(const memplan *m, bool clique_open)
{
	const struct claims *claims = &m->planned->claims;

	if (m->plan.claimed_bound == 0 || m->planned->bundle.n > 0 ||
		!claims->bound_kind)
		return true;
	switch (mp_problem_bound_find(claims->bound_kind)) {
	case BOUND_SEARCH:
		return true;
	case BOUND_PIN:
		return is_seen_less(m) ||
		       (!m->own && mp_plan_may_be_pinned(
					   &m->plan, claims->lower_bound));
	case BOUND_CLIQUE: /* another pool may have a fixed offset */
		return clique_open || is_seen_less(m) ||
		       (!m->own && (m->plan.spaces.at ||
					   mp_plan_has_region(&m->plan)));
	case BOUND_LOAD:
		return is_seen_less(m);
	case BOUND_PROOF:
	case N_BOUNDS:
		break;
	}
	return false;
}

static bool check_bound(memplan *m, bool clique_open)
{
	const struct claims *claims = &m->planned->claims;

	if (claims->bound_kind &&
		mp_problem_bound_find(claims->bound_kind) == N_BOUNDS)
		return mp_fail(&m->error, MEMPLAN_NO,
			"%s: /bound_kind: '%.40s' is no kind of bound",
			m->planned->name, claims->bound_kind);
	if (claims->says_optimal &&
		claims->optimal != (claims->lower_bound == claims->arena_size &&
					   claims->pairs_bound == 0))
		return mp_fail(&m->error, MEMPLAN_NO,
			"%s: /optimal: claims %s, yet the lower bound is %llu "
			"and the arena %llu",
			m->planned->name, claims->optimal ? "true" : "false",
			(unsigned long long)claims->lower_bound,
			(unsigned long long)claims->arena_size);
	if (follows(m, clique_open))
		return true;
	for (uint32_t i = 0; i < m->plan.spaces.n; i++) {
		const struct space *space = &m->plan.spaces.at[i];

		if (space->claimed_bound > 0)
			return mp_fail(&m->error, MEMPLAN_NO,
				"%s: /pools/%u/lower_bound: claims %llu, pool "
				"'%.60s' shows no more than %llu",
				m->planned->name, i,
				(unsigned long long)space->claimed_bound,
				space->name,
				(unsigned long long)space->lower_bound);
	}
	return mp_street_check_claim(m, false, "lower_bound",
		claims->lower_bound, ", the plan shows no more than",
		m->plan.lower_bound);
}

/* What only a search knows of the least cost stays a claim. */
static bool check_cost(memplan *m)
{
	const struct claims *claims = &m->planned->claims;
	uint64_t cost = m->plan.reuse_cost;

	return m->planned->ties.n_costs == 0 ||
	       (mp_street_check_claim(m, claims->reuse_cost == cost,
			"reuse_cost_paid", claims->reuse_cost,
			", the tensors that share bytes cost", cost) &&
		       mp_street_check_claim(m,
			       claims->reuse_cost_bound <= cost,
			       "reuse_cost_bound", claims->reuse_cost_bound,
			       ", yet this plan costs", cost));
}

static bool check_banks(memplan *m)
{
	const struct graph *graph = m->planned;
	const struct claims *claims = &graph->claims;
	uint64_t cost = m->plan.banks.cost;

	return !mp_graph_has_banks(graph->pools, graph->n_pools) ||
	       (mp_street_check_claim(m, claims->bank_cost == cost, "bank_cost",
			claims->bank_cost,
			", the banks that tensors touch together cost", cost) &&
		       mp_street_check_claim(m, claims->bank_cost_bound <= cost,
			       "bank_cost_bound", claims->bank_cost_bound,
			       ", yet this plan costs", cost));
}

/* Checks that the table serves each of its graphs. */
static bool check_buckets(memplan *m)
{
	const struct graph *graph = m->planned;
	uint64_t size = m->plan.arena_size;

	for (uint32_t i = 0; i < graph->n_buckets; i++)
		if (graph->buckets[i].alone > size)
			return mp_fail(&m->error, MEMPLAN_NO,
				"%s: /buckets/%u/arena_size_alone: claims "
				"%llu, yet the table takes %llu",
				graph->place, i,
				(unsigned long long)graph->buckets[i].alone,
				(unsigned long long)size);
	return true;
}

/* A bound that was proved of one memory. */
static void raise_bound(uint64_t proved, enum bound_kind how, uint64_t *bound,
	enum bound_kind *kind, uint64_t *claimed)
{
	if (proved > *bound) {
		*bound = proved;
		*kind = how;
	}
	*claimed = left_of_claim(*claimed, *bound);
}

/* Of several memories the plan's bound is the sum. */
static void take_bounds(
	struct plan *plan, const uint64_t *bounds, enum bound_kind how)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < plan->spaces.n; i++) {
		struct space *space = &plan->spaces.at[i];

		raise_bound(bounds[i], how, &space->lower_bound,
			&space->bound_kind, &space->claimed_bound);
		sum += space->lower_bound;
	}
	raise_bound(plan->spaces.at ? sum : bounds[0], how, &plan->lower_bound,
		&plan->bound_kind, &plan->claimed_bound);
}

/* Claims of a bundle are of its members. */
static bool derive_claims(memplan *m, const struct problem *p)
{
	uint32_t n = mp_plan_memories(&m->plan);
	uint64_t *claims, *bounds;

	if (m->plan.claimed_bound == 0 || m->planned->bundle.n > 0)
		return true;
	claims = NEW(&m->run, uint64_t, n);
	bounds = NEW(&m->run, uint64_t, n);
	if (!claims || !bounds)
		return false;
	for (uint32_t i = 0; i < n; i++)
		claims[i] = mp_plan_memory(&m->plan, i).claimed_bound;
	if (!mp_proof_derive(p, spaces_of(m), claims, bounds, &m->run))
		return false;
	take_bounds(&m->plan, bounds, BOUND_SEARCH);
	return true;
}

/* A proof is of the problem of the graph, or of what the plan shows. For claims
 * of more than it proves a short refutation is looked for. */
static bool replay_proof(memplan *m)
{
	const struct input_file *file = &m->input.files[ROLE_PROOF];
	const struct problem *p = m->own ? m->own : m->plan.problem;
	uint32_t n = mp_plan_memories(&m->plan);
	uint64_t *bounds;

	if (!file->name)
		return derive_claims(m, p);
	bounds = NEW(&m->run, uint64_t, n);
	if (!bounds || !mp_proof_check(p, spaces_of(m), file->name, file->bytes,
			       file->length, bounds, &m->run))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (bounds[i] > mp_plan_memory(&m->plan, i).size)
			return mp_fail(&m->error, MEMPLAN_NO,
				"%s: the proof is of more than the plan takes",
				file->name);
	take_bounds(&m->plan, bounds, BOUND_PROOF);
	return derive_claims(m, p);
}

/* A tensor without bytes is in no buffer, so the verifier does not see it. Its
 * address is still one of the arena, or just behind it. Of a bucket alone,
 * which claims nothing, it may be one of a larger bucket. */
static bool check_empty(memplan *m)
{
	const struct graph *graph = m->planned;
	uint64_t size = m->plan.arena_size;

	for (uint32_t i = 0; i < graph->n_tensors; i++) {
		const struct tensor *t = &graph->tensors[i];

		if (t->placed && t->size == 0 && t->offset > size)
			return mp_fail(&m->error, MEMPLAN_NO,
				"%s: /tensors/%u/offset: %llu is beyond the "
				"arena, which has %llu byte%s",
				graph->name, i, (unsigned long long)t->offset,
				(unsigned long long)size, mp_text_plural(size));
	}
	return true;
}

bool mp_street_check_claims(memplan *m)
{
	const struct claims *claims = &m->planned->claims;
	uint64_t size = m->plan.arena_size;
	uint64_t least = m->plan.problem->theoretical_min;
	bool clique_open;

	if (!derive_bound(m))
		return false;
	if (!claims->present)
		return replay_proof(m);
	return (check_empty(m) && check_pools(m, claims->pools) &&
		check_clique(m, &clique_open) &&
		mp_street_check_claim(m, claims->arena_size == size,
			"arena_size", claims->arena_size, ", the offsets reach",
			size) &&
		mp_street_check_claim(m, claims->theoretical_min == least,
			"theoretical_min", claims->theoretical_min,
			", the lifetimes give", least) &&
		mp_street_check_claim(m, claims->lower_bound <= size,
			"lower_bound", claims->lower_bound,
			", yet this plan takes", size) &&
		check_bound(m, clique_open) && check_cost(m) &&
		check_banks(m) && check_buckets(m) && replay_proof(m));
}
