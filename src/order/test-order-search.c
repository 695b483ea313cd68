/*
 * Bounds and searched orders against the least peak by brute force.
 *
 * SPDX-License-Identifier: MIT
 */

#include <criterion/criterion.h>

#include "order/rows.h"
#include "order/search/certify.h"
#include "order/search/every-order.h"
#include "order/search/inside.h"
#include "testing/random-graph.h"
#include "testing/small-graph.h"

/* Whatever the seed decides beside. With pairs brute force takes longer. */
static bool is_inplace(uint64_t seed)
{
	return seed / 24 % 3 == 0;
}

static void choose_size(uint64_t seed, struct random_traits *traits)
{
	traits->pinned = false;
	traits->n_ops = is_inplace(seed) ? 7 : 12;
}

static void choose_kinds(uint64_t seed, struct random_traits *traits)
{
	choose_size(seed, traits);
	traits->kinds = seed % 3 == 0;
	traits->aligned = seed % 2 == 0;
}

static void choose_produced(uint64_t seed, struct random_traits *traits)
{
	(void)seed;
	traits->pinned = false;
	traits->produced = true;
}

/* Pinned bytes and in-place pairs are searched with optimism, so that proofs
 * may be missing there. */
static bool is_exact(const struct graph *graph, bool inplace)
{
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (graph->tensors[t].producer == NONE &&
			mp_graph_readers(graph, &graph->tensors[t]).n == 0)
			return false;
	return !inplace;
}

/* A bound of a kind that has certificates is confirmed, and one that is more
 * than the least peak is not. */
static void expect_certified(
	const struct order_job *job, uint64_t least, uint64_t seed)
{
	struct error e = {0};
	struct arena *arena = job->arena;
	struct order_bound claim = job->bound;
	bool confirmed;

	claim.inplace = job->inplace;
	cr_assert(mp_order_certify_claim(
			  job->graph, &claim, &confirmed, arena, &e),
		"seed %lu: %s", (unsigned long)seed, e.text);
	cr_assert(confirmed || claim.ops.n == 0);
	claim.bytes = least + 1;
	cr_assert(claim.ops.n == 0 || !mp_order_certify_claim(job->graph,
					      &claim, &confirmed, arena, &e),
		"seed %lu", (unsigned long)seed);
}

static void expect_sound(
	const struct graph *graph, uint64_t seed, struct arena *arena)
{
	bool inplace = is_inplace(seed);
	struct order_job job = {.graph = graph,
		.inplace = inplace,
		.steps = 1000000,
		.arena = arena,
		.error = arena->error};
	uint64_t least, peak;

	cr_assert(mp_order_search(&job, 0), "%s", arena->error->text);
	cr_assert(mp_graph_is_order(graph, job.alternatives[0], arena));
	cr_assert(mp_testing_peak(
		graph, job.alternatives[0], inplace, &peak, arena));
	cr_assert(mp_testing_random_least_peak(graph, inplace, &least, arena));
	cr_assert_eq(peak, job.found, "seed %lu", (unsigned long)seed);
	cr_assert_leq(job.bound.bytes, least, "seed %lu: %s bound %lu of %lu",
		(unsigned long)seed, job.bound.kind,
		(unsigned long)job.bound.bytes, (unsigned long)least);
	expect_certified(&job, least, seed);
	if (is_exact(graph, inplace))
		cr_assert(peak == least && job.bound.bytes == least,
			"seed %lu: found %lu, bound %lu, least %lu",
			(unsigned long)seed, (unsigned long)peak,
			(unsigned long)job.bound.bytes, (unsigned long)least);
}

static bool refutes(const struct graph *graph, const struct order_bound *claim,
	const struct order_sets *sets, struct arena *arena)
{
	bool refuted;

	cr_assert(mp_order_check_sets(graph, claim, sets, &refuted, arena));
	return refuted;
}

/* Without its other sets, or with one that is none, a list refutes nothing. */
static void expect_needed(const struct graph *graph,
	const struct order_bound *claim, struct order_sets *sets,
	struct arena *arena, uint64_t seed)
{
	struct order_bound more = *claim;
	uint32_t i = (uint32_t)(seed % sets->n);
	struct order_set *set = &sets->at[i], before = *set;

	cr_assert(refutes(graph, claim, sets, arena), "seed %lu",
		(unsigned long)seed);
	more.bytes++;
	cr_assert_not(refutes(graph, &more, sets, arena), "seed %lu",
		(unsigned long)seed);
	for (uint32_t kept = 0; kept < 2 && kept < sets->n; kept++) {
		struct order_sets few = *sets;

		few.n = kept;
		cr_assert_not(refutes(graph, claim, &few, arena), "seed %lu",
			(unsigned long)seed);
	}
	set->op = graph->n_ops;
	cr_assert(i == 0 || !refutes(graph, claim, sets, arena), "seed %lu",
		(unsigned long)seed);
	*set = before;
	set->from = i;
	cr_assert(i == 0 || !refutes(graph, claim, sets, arena), "seed %lu",
		(unsigned long)seed);
}

/* The search that is easiest to believe refutes what is below the least peak,
 * and finds an order of it. */
static void expect_replayed(
	const struct graph *graph, uint64_t seed, struct arena *arena)
{
	struct order_bound claim = {.kind = "search"};
	enum replay_outcome outcome;
	struct order_sets sets;

	cr_assert(mp_testing_random_least_peak(
		graph, false, &claim.bytes, arena));
	if (claim.bytes == 0)
		return;
	cr_assert(mp_order_replay(graph, &claim, &outcome, &sets, arena));
	cr_assert_eq(outcome, REPLAY_REFUTED, "seed %lu", (unsigned long)seed);
	expect_needed(graph, &claim, &sets, arena, seed);
	claim.bytes++;
	cr_assert(mp_order_replay(graph, &claim, &outcome, NULL, arena));
	cr_assert_eq(outcome, REPLAY_FOUND, "seed %lu", (unsigned long)seed);
}

Test(search, is_replayed)
{
	cr_assert(
		mp_testing_each_graph(3000, choose_produced, expect_replayed));
}

Test(search, bounds_are_never_above_the_least_peak)
{
	cr_assert(mp_testing_each_graph(5000, choose_size, expect_sound));
}

/* The whole order is the window: thresholds below the least peak are refuted,
 * the smallest that could do never lies above it, and the least peak itself is
 * found. This is what exposes a rule that loses orders. */
static void expect_exact(
	const struct graph *graph, uint64_t seed, struct arena *arena)
{
	bool inplace = is_inplace(seed);
	uint32_t *order = NEW(arena, uint32_t, graph->n_ops);
	uint64_t least, next, threshold = 0;
	struct search s;
	struct view view;

	cr_assert(mp_testing_random_least_peak(graph, inplace, &least, arena));
	cr_assert(mp_testing_random_order(graph, seed, order, arena));
	cr_assert(mp_order_view_init(&view, graph, inplace, arena));
	cr_assert(mp_order_search_init(&s, &view, order, UINT64_MAX, arena));
	while (mp_order_exact_window(&s, 0, graph->n_ops, threshold, UINT64_MAX,
		       &next) == EXACT_REFUTED) {
		cr_assert(next > threshold && next <= least,
			"seed %lu: %lu is refuted, then %lu; least is %lu",
			(unsigned long)seed, (unsigned long)threshold,
			(unsigned long)next, (unsigned long)least);
		threshold = next;
	}
	cr_assert(mp_graph_is_order(graph, s.trial, arena));
	if (is_exact(graph, inplace))
		cr_assert(threshold == least &&
				  mp_order_search_measure(&s) == least,
			"seed %lu", (unsigned long)seed);
}

Test(search, is_exact_in_a_window)
{
	cr_assert(mp_testing_each_graph(5000, choose_kinds, expect_exact));
}

static bool pass_cut(struct search *s)
{
	return mp_order_search_bound_cut(s, 100);
}

/* Among the members are ops that wait for each other: those cannot be last. */
static bool pass_set(struct search *s)
{
	return mp_order_search_bound_set(s, 100, 100);
}

static bool pass_refine(struct search *s)
{
	return mp_order_search_refine(s);
}

static bool pass_windows(struct search *s)
{
	return mp_order_search_windows(s, 50);
}

/* Behind what a set has found, of which it needs the bound. */
static bool pass_behind(struct search *s)
{
	return mp_order_search_bound_set(s, 1, 1) &&
	       mp_order_search_bound_behind(s);
}

/* Every second tensor is dust. */
static void add_dust(const struct graph *graph)
{
	for (uint32_t t = 0; t < graph->n_tensors; t += 2)
		graph->tensors[t].size *= 1000;
}

/* One pass alone, from a random order, and what it proves and finds. The
 * passes are used to standing in for each other, which hides their faults. */
static void expect_pass(
	const struct graph *graph, uint64_t seed, struct arena *arena)
{
	static bool (*const passes[])(struct search *) = {pass_cut, pass_set,
		pass_refine, mp_order_search_shift, mp_order_search_hills,
		pass_windows, mp_order_search_dust, mp_order_search_few,
		mp_order_search_bound_kinds, pass_behind};
	bool inplace = is_inplace(seed);
	uint32_t *order = NEW(arena, uint32_t, graph->n_ops);
	uint64_t least, peak;
	struct search s;
	struct view view;

	if (seed % 8 > 3)
		add_dust(graph);
	cr_assert(mp_testing_random_least_peak(graph, inplace, &least, arena));
	cr_assert(mp_testing_random_order(graph, seed, order, arena));
	cr_assert(mp_order_view_init(&view, graph, inplace, arena));
	cr_assert(mp_order_search_init(&s, &view, order, 100000, arena));
	cr_assert(passes[seed % countof(passes)](&s));
	cr_assert_leq(s.bound.bytes, least, "seed %lu: bound %lu of %lu",
		(unsigned long)seed, (unsigned long)s.bound.bytes,
		(unsigned long)least);
	cr_assert(mp_graph_is_order(graph, s.order, arena));
	cr_assert(mp_testing_peak(graph, s.order, inplace, &peak, arena));
	cr_assert_eq(peak, s.peak, "seed %lu", (unsigned long)seed);
}

Test(search, each_pass_is_sound_alone)
{
	cr_assert(mp_testing_each_graph(8000, choose_kinds, expect_pass));
}

/* Of the steps that a shift begins with and ends with those that can only cost
 * more are left out: with them, as many steps end 5 % higher. */
static void add_shifted(uint64_t seed, uint64_t *peaks, struct arena *arena)
{
	struct random_traits traits = {.n_ops = 600, .produced = true};
	struct graph graph = {0};
	struct error error = {0};
	struct search s;
	struct view view;
	uint32_t *order;

	cr_assert(
		mp_testing_random_graph(seed, &traits, &graph, arena, &error));
	order = NEW(arena, uint32_t, graph.n_ops);
	cr_assert(mp_testing_random_order(&graph, seed, order, arena));
	cr_assert(mp_order_view_init(&view, &graph, false, arena));
	cr_assert(mp_order_search_init(&s, &view, order, 50000, arena));
	cr_assert(mp_order_search_shift(&s));
	*peaks += s.peak;
}

Test(search, shifts_are_not_in_vain)
{
	uint64_t peaks = 0;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct arena arena = {0};
		struct error error = {0};

		arena.error = &error;
		add_shifted(seed, &peaks, &arena);
		mp_arena_free(&arena);
	}
	cr_assert_leq(peaks, 135000, "%lu", (unsigned long)peaks);
}

/* ----------------------------------------------------------- hydras */

enum {
	HEADS = 1000,
	HYDRA_OPS = 2 * HEADS + 2,
	FIRST_BYTES = 10,
	ROOT_BYTES = 5
};

/* Heads of two ops: the first ones read what op 0 writes, and the last op reads
 * what the second ones write. Op i writes tensor i. All first ops are listed
 * before all second ones. */
struct hydra {
	struct op ops[HYDRA_OPS];
	struct tensor tensors[HYDRA_OPS];
	uint32_t id[HYDRA_OPS];
	struct graph graph;
	struct view view;
	struct search search;
};

static void make_hydra(struct hydra *h, struct arena *arena)
{
	for (uint32_t i = 0; i < HYDRA_OPS; i++) {
		h->id[i] = i;
		h->tensors[i] =
			(struct tensor){.size = 1, .kind = KIND_ACTIVATION};
		h->ops[i] = (struct op){
			.name = "", .outputs = (struct ids){&h->id[i], 1}};
	}
	h->tensors[0].size = ROOT_BYTES;
	for (uint32_t i = 1; i <= HEADS; i++) {
		h->tensors[i].size = FIRST_BYTES;
		h->ops[i].inputs = (struct ids){h->id, 1};
		h->ops[HEADS + i].inputs = (struct ids){&h->id[i], 1};
	}
	h->ops[HYDRA_OPS - 1].inputs = (struct ids){&h->id[HEADS + 1], HEADS};
	h->graph = mp_testing_graph(h->ops, HYDRA_OPS, h->tensors, HYDRA_OPS);
	cr_assert(mp_graph_link(&h->graph, arena, arena->error));
	cr_assert(mp_order_view_init(&h->view, &h->graph, false, arena));
	cr_assert(mp_order_search_init(
		&h->search, &h->view, h->id, UINT64_MAX, arena));
}

static void with_hydra(void (*try)(struct hydra *h, struct arena *arena))
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct hydra *h = NEW(&arena, struct hydra, 1);

	make_hydra(h, &arena);
	try(h, &arena);
	mp_arena_free(&arena);
}

/* The op that joins the heads is not looked at once for each of them. */
static void expect_glued(struct hydra *h, struct arena *arena)
{
	struct state state;

	cr_assert(mp_order_state_init(
		&state, &h->view, h->id, 0, HYDRA_OPS, arena));
	cr_assert(state.work > HYDRA_OPS && state.work < 20 * HYDRA_OPS, "%lu",
		(unsigned long)state.work);
	for (uint32_t i = 1; i <= 2 * HEADS; i++)
		cr_assert_eq(state.glued[i], NONE, "op %u", i);
	cr_assert_eq(state.extra[HYDRA_OPS - 1], 0);
}

Test(search, work_of_gluing_is_in_proportion_to_the_heads)
{
	with_hydra(expect_glued);
}

/* A search that may visit no node counts how it begins. */
static void expect_counted(struct hydra *h, struct arena *arena)
{
	uint64_t next, before = h->search.steps;

	(void)arena;
	cr_assert_eq(mp_order_exact_window(&h->search, 0, HYDRA_OPS,
			     h->search.peak, 0, &next),
		EXACT_GAVE_UP);
	cr_assert_gt(before - h->search.steps, HYDRA_OPS / 4);
}

Test(search, windows_without_a_node_are_charged)
{
	with_hydra(expect_counted);
}

/* What the root writes dies in the last head, wherever that is. */
static void expect_merged(struct hydra *h, struct arena *arena)
{
	(void)arena;
	cr_assert(mp_order_search_hills(&h->search));
	cr_assert_eq(h->search.peak, ROOT_BYTES + FIRST_BYTES + HEADS - 1,
		"%lu", (unsigned long)h->search.peak);
}

Test(search, heads_of_a_hydra_are_merged)
{
	with_hydra(expect_merged);
}
