/*
 * Random graphs that follow from a seed, and brute force on their orders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/random-graph.h"

#include <assert.h>
#include <string.h>

#include "order/view.h"
#include "testing/random.h"

const struct random_traits mp_testing_random_all = {.n_ops = 12,
	.after = true,
	.kinds = true,
	.temporaries = true,
	.inplace = true,
	.pinned = true,
	.placed = true,
	.aligned = true,
	.shuffled = true};

enum {
	MOST_SOURCES = 3, /* inputs: tensors without producer */
	MOST_OUTPUTS = 3, /* of an op */
	MOST_INPUTS = 5,
	MOST_TEMPORARIES = 2,
	MOST_TENSORS = MOST_OUTPUTS + MOST_TEMPORARIES, /* an op */
};

/* A graph in the making. rank is a hidden order of the ops: an op reads only
 * what ops of lower rank write. */
struct maker {
	struct graph *graph;
	const struct random_traits *traits;
	uint64_t state;
	uint32_t *rank; /* op at each rank */
	uint32_t *pool; /* tensors that can be read so far */
	uint32_t n_pool;
	uint32_t n_named; /* tensors that are no temporaries */
	struct arena *arena;
};

static uint64_t random_size(struct maker *m)
{
	return mp_testing_one_in(&m->state, 10)
		       ? 0
		       : 1 + mp_testing_below(&m->state, 100);
}

static uint8_t random_kind(struct maker *m)
{
	static const uint8_t kinds[] = {KIND_INPUT, KIND_OUTPUT, KIND_OUTPUT,
		KIND_WEIGHT, KIND_STATE, KIND_ACTIVATION};

	if (!m->traits->kinds || !mp_testing_one_in(&m->state, 4))
		return KIND_ACTIVATION;
	return kinds[mp_testing_below(&m->state, countof(kinds))];
}

static void fill_tensor(struct maker *m, struct tensor *tensor)
{
	uint32_t steps = m->graph->n_ops;

	tensor->size = random_size(m);
	tensor->kind = random_kind(m);
	if (m->traits->kinds) {
		tensor->external = mp_testing_one_in(&m->state, 10);
		tensor->to_end = mp_testing_one_in(&m->state, 15);
	}
	tensor->placed = m->traits->placed && mp_testing_one_in(&m->state, 3);
	tensor->offset =
		tensor->placed ? 64 * mp_testing_below(&m->state, 2) : 0;
	if (m->traits->pinned && mp_testing_one_in(&m->state, 20)) {
		tensor->pinned = true;
		tensor->start = mp_testing_below(&m->state, steps);
		tensor->end =
			tensor->start + 1 +
			mp_testing_below(&m->state, steps - tensor->start);
	}
}

static bool add_inputs(struct maker *m, struct op *op)
{
	uint32_t n = mp_testing_below(&m->state, MOST_INPUTS), recent;
	uint32_t *at = NEW(m->arena, uint32_t, MOST_INPUTS);

	if (!at)
		return false;
	op->inputs.at = at;
	for (uint32_t i = 0; i < n && m->n_pool > 0; i++) {
		recent = m->n_pool < 6 ? m->n_pool : 6;
		at[op->inputs.n++] =
			mp_testing_one_in(&m->state, 3)
				? m->pool[mp_testing_below(
					  &m->state, m->n_pool)]
				: m->pool[m->n_pool - 1 -
					  mp_testing_below(&m->state, recent)];
	}
	return true;
}

static bool add_outputs(struct maker *m, struct op *op)
{
	uint32_t n = mp_testing_one_in(&m->state, 3)
			     ? mp_testing_below(&m->state, MOST_OUTPUTS + 1)
			     : 1;
	uint32_t *at = NEW(m->arena, uint32_t, MOST_OUTPUTS);

	if (!at)
		return false;
	op->outputs = (struct ids){at, n};
	for (uint32_t i = 0; i < n; i++) {
		at[i] = m->n_named++;
		fill_tensor(m, &m->graph->tensors[at[i]]);
	}
	return true;
}

static void publish_outputs(struct maker *m, const struct op *op)
{
	for (uint32_t i = 0; i < op->outputs.n; i++)
		m->pool[m->n_pool++] = op->outputs.at[i];
}

/* Ops of one stream wait for each other without an edge. */
static bool waits_anyway(
	const struct maker *m, uint32_t earlier, const struct op *op)
{
	return m->traits->streams > 0 &&
	       m->graph->ops[earlier].stream == op->stream;
}

static bool add_after(struct maker *m, struct op *op, uint32_t rank)
{
	uint32_t *at = NEW(m->arena, uint32_t, 1);

	if (!at)
		return false;
	if (m->traits->after && rank > 0 && mp_testing_one_in(&m->state, 5)) {
		at[0] = m->rank[mp_testing_below(&m->state, rank)];
		op->after =
			(struct ids){at, waits_anyway(m, at[0], op) ? 0 : 1};
	}
	return true;
}

/* Also adds pairs that are not possible: they must do no harm. */
static bool add_pairs(struct maker *m, struct op *op)
{
	struct inplace_pair *pairs = NEW(m->arena, struct inplace_pair, 2);
	uint32_t n = m->traits->inplace ? mp_testing_below(&m->state, 3) : 0;

	if (!pairs)
		return false;
	op->inplace = pairs;
	for (uint32_t i = 0; i < n && op->inputs.n && op->outputs.n; i++) {
		uint32_t out = mp_testing_below(&m->state, op->outputs.n);

		pairs[op->n_inplace++] = (struct inplace_pair){
			op->outputs.at[out],
			mp_testing_one_in(&m->state, 20)
				? mp_testing_below(&m->state, m->n_named)
				: op->inputs.at[mp_testing_below(
					  &m->state, op->inputs.n)]};
	}
	return true;
}

static bool add_temporaries(struct maker *m, struct op *op, uint32_t *next)
{
	uint32_t n = m->traits->temporaries && mp_testing_one_in(&m->state, 4)
			     ? 1 + mp_testing_below(&m->state, MOST_TEMPORARIES)
			     : 0;
	uint32_t *at = NEW(m->arena, uint32_t, MOST_TEMPORARIES);

	if (!at)
		return false;
	op->temporaries = (struct ids){at, n};
	for (uint32_t i = 0; i < n; i++) {
		at[i] = (*next)++;
		m->graph->tensors[at[i]].size = random_size(m);
		m->graph->tensors[at[i]].kind = KIND_TEMPORARY;
		m->graph->tensors[at[i]].to_end =
			mp_testing_one_in(&m->state, 10);
	}
	return true;
}

static void shuffle_ranks(struct maker *m)
{
	uint32_t n = m->graph->n_ops, other, held;

	for (uint32_t i = 0; i < n; i++)
		m->rank[i] = i;
	for (uint32_t i = n; m->traits->shuffled && i > 1; i--) {
		other = mp_testing_below(&m->state, i);
		held = m->rank[i - 1];
		m->rank[i - 1] = m->rank[other];
		m->rank[other] = held;
	}
}

static bool make_ops(struct maker *m)
{
	struct graph *graph = m->graph;
	uint32_t next;
	struct op *op;

	for (uint32_t i = 0; i < graph->n_ops; i++) {
		op = &graph->ops[m->rank[i]];
		op->name = "";
		if (m->traits->streams > 1)
			op->stream =
				mp_testing_below(&m->state, m->traits->streams);
		if (!add_inputs(m, op) || !add_outputs(m, op) ||
			!add_after(m, op, i) || !add_pairs(m, op))
			return false;
		publish_outputs(m, op);
	}
	next = m->n_named;
	for (uint32_t i = 0; i < graph->n_ops; i++)
		if (!add_temporaries(m, &graph->ops[i], &next))
			return false;
	graph->n_tensors = next;
	return true;
}

/* Follows from the seed itself, so that all else stays what it is. */
static bool add_apart(struct graph *graph, uint64_t seed, struct arena *arena)
{
	struct tensor_pair *pairs = NEW(arena, struct tensor_pair, 2);
	uint32_t n = graph->n_tensors;

	graph->ties.apart = pairs;
	for (uint32_t i = 0; pairs && n > 2 && i < 2; i++)
		pairs[graph->ties.n_apart++] = (struct tensor_pair){
			(uint32_t)(seed % n), (uint32_t)((seed + 1 + i) % n)};
	return pairs != NULL;
}

bool mp_testing_random_graph(uint64_t seed, const struct random_traits *traits,
	struct graph *graph, struct arena *arena, struct error *e)
{
	struct maker m = {.graph = graph,
		.traits = traits,
		.state = seed,
		.arena = arena};
	uint32_t sources =
		traits->produced ? 0
				 : mp_testing_below(&m.state, MOST_SOURCES + 1);
	uint32_t most;

	assert(traits->n_ops > 0);
	*graph = (struct graph){.name = "random", .place = "random"};
	graph->n_ops = 1 + mp_testing_below(&m.state, traits->n_ops);
	graph->alignment = traits->aligned ? 16 : 1;
	most = sources + MOST_TENSORS * graph->n_ops;
	graph->ops = NEW(arena, struct op, graph->n_ops);
	graph->tensors = NEW(arena, struct tensor, most);
	m.rank = NEW(arena, uint32_t, graph->n_ops);
	m.pool = NEW(arena, uint32_t, most);
	if (!graph->ops || !graph->tensors || !m.rank || !m.pool)
		return false;
	for (; m.n_named < sources; m.n_named++) {
		m.pool[m.n_pool++] = m.n_named;
		fill_tensor(&m, &graph->tensors[m.n_named]);
	}
	shuffle_ranks(&m);
	return make_ops(&m) &&
	       (!traits->apart || add_apart(graph, seed, arena)) &&
	       mp_graph_link(graph, arena, e);
}

bool mp_testing_each_graph(uint64_t n,
	void (*choose)(uint64_t seed, struct random_traits *traits),
	mp_testing_try *try)
{
	struct error e = {0};
	struct arena arena = {.error = &e};

	for (uint64_t seed = 0; seed < n && e.code == MEMPLAN_OK; seed++) {
		struct arena_mark mark = mp_arena_mark(&arena);
		struct random_traits traits = mp_testing_random_all;
		struct graph graph;

		choose(seed, &traits);
		if (mp_testing_random_graph(seed, &traits, &graph, &arena, &e))
			try(&graph, seed, &arena);
		mp_arena_rewind(&arena, mark);
	}
	mp_arena_free(&arena);
	return e.code == MEMPLAN_OK;
}

bool mp_testing_random_order(const struct graph *graph, uint64_t seed,
	uint32_t *order, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *waiting = NEW(arena, uint32_t, graph->n_ops);
	uint32_t *ready = NEW(arena, uint32_t, graph->n_ops);
	uint32_t n_ready = 0, pick;
	const struct ids *behind;

	if (!waiting || !ready)
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		waiting[op] = graph->ops[op].before.n;
		if (waiting[op] == 0)
			ready[n_ready++] = op;
	}
	for (uint32_t i = 0; i < graph->n_ops; i++) {
		pick = mp_testing_below(&seed, n_ready);
		order[i] = ready[pick];
		ready[pick] = ready[--n_ready];
		behind = &graph->ops[order[i]].behind;
		for (uint32_t k = 0; k < behind->n; k++)
			if (--waiting[behind->at[k]] == 0)
				ready[n_ready++] = behind->at[k];
	}
	mp_arena_rewind(arena, mark);
	return true;
}

/* ---------------------------------------------------------- closure */

void mp_testing_close(
	const struct graph *graph, bool streams, uint32_t before[CLOSURE_OPS])
{
	uint32_t n = graph->n_ops;

	assert(n <= CLOSURE_OPS);
	memset(before, 0, CLOSURE_OPS * sizeof(*before));
	for (uint32_t b = 0; b < n; b++) {
		const struct op *op = &graph->ops[b];

		for (uint32_t i = 0; i < op->inputs.n; i++) {
			uint32_t maker =
				graph->tensors[op->inputs.at[i]].producer;

			if (maker != NONE)
				before[b] |= 1u << maker;
		}
		for (uint32_t i = 0; i < op->after.n; i++)
			before[b] |= 1u << op->after.at[i];
		for (uint32_t a = 0; streams && a < b; a++)
			if (graph->ops[a].stream == op->stream)
				before[b] |= 1u << a;
	}
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t b = 0; b < n; b++)
			if (before[b] >> k & 1)
				before[b] |= before[k];
}

bool mp_testing_uses(const struct graph *graph, uint32_t op, uint32_t tensor)
{
	const struct tensor *t = &graph->tensors[tensor];

	return t->producer == op ||
	       mp_lists_contain(mp_graph_readers(graph, t), op);
}

/* ------------------------------------------------------ brute force */

/* Bytes alive once a set of ops has run. Pinned bytes are a matter of the step,
 * which is the number of ops in the set. */
static uint64_t alive(const struct view *view, uint32_t set)
{
	uint64_t sum = view->always;
	struct ids users;
	bool born, used;

	for (uint32_t t = 0; t < view->n_tensors; t++) {
		users = mp_lists_at(&view->users, t);
		born = view->producer[t] == NONE ||
		       (set >> view->producer[t] & 1);
		used = !view->to_end[t];
		for (uint32_t i = 0; i < users.n; i++)
			used &= set >> users.at[i] & 1;
		if (born && !used)
			sum += view->size[t];
	}
	return sum;
}

static bool is_ready(const struct view *view, uint32_t set, uint32_t op)
{
	struct ids before = mp_lists_at(&view->before, op);

	if (set >> op & 1)
		return false;
	for (uint32_t i = 0; i < before.n; i++)
		if (!(set >> before.at[i] & 1))
			return false;
	return true;
}

static uint32_t count_bits(uint32_t set)
{
	uint32_t n = 0;

	for (; set; set &= set - 1)
		n++;
	return n;
}

static bool try_sets(
	const struct view *view, uint64_t *peak, struct arena *arena)
{
	uint32_t n_sets = UINT32_C(1) << view->n_ops, next;
	uint64_t *least = NEW(arena, uint64_t, n_sets);
	uint64_t now, cost;

	if (!least)
		return false;
	for (uint32_t set = 1; set < n_sets; set++)
		least[set] = UINT64_MAX;
	for (uint32_t set = 0; set + 1 < n_sets; set++) {
		if (least[set] == UINT64_MAX)
			continue;
		now = alive(view, set);
		if (view->pinned)
			now += view->pinned[count_bits(set)];
		for (uint32_t op = 0; op < view->n_ops; op++) {
			if (!is_ready(view, set, op))
				continue;
			next = set | UINT32_C(1) << op;
			cost = num_max(least[set], now + view->out[op]);
			least[next] = num_min(least[next], cost);
		}
	}
	*peak = least[n_sets - 1];
	return true;
}

bool mp_testing_peak(const struct graph *graph, const uint32_t *ops,
	bool inplace, uint64_t *peak, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct view view;
	struct live live;
	bool done = mp_order_view_init(&view, graph, inplace, arena) &&
		    mp_order_live_init(&live, &view, arena);

	if (done)
		*peak = mp_order_view_profile(&view, ops, &live, NULL);
	mp_arena_rewind(arena, mark);
	return done;
}

/* Tries all orders and judges each by mp_testing_peak(). */
static bool try_orders(const struct graph *graph, const struct view *view,
	uint64_t *peak, struct arena *arena)
{
	uint32_t order[8], set = 0, depth = 0, op = 0;
	uint64_t cost;

	*peak = UINT64_MAX;
	for (;;) {
		while (op < graph->n_ops && !is_ready(view, set, op))
			op++;
		if (op < graph->n_ops) {
			order[depth++] = op;
			set |= UINT32_C(1) << op;
			op = 0;
		}
		if (depth == graph->n_ops) {
			if (!mp_testing_peak(graph, order, true, &cost, arena))
				return false;
			*peak = num_min(*peak, cost);
			op = graph->n_ops;
		}
		if (op < graph->n_ops)
			continue;
		if (depth == 0)
			return true;
		op = order[--depth];
		set &= ~(UINT32_C(1) << op);
		op++;
	}
}

bool mp_testing_random_least_peak(const struct graph *graph, bool inplace,
	uint64_t *peak, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct view view;
	bool done;

	if (graph->n_ops > (inplace ? 8 : 16))
		return mp_fail(arena->error, MEMPLAN_EINTERNAL,
			"%u ops are too many for brute force", graph->n_ops);
	done = mp_order_view_init(&view, graph, false, arena) &&
	       (inplace ? try_orders(graph, &view, peak, arena)
			: try_sets(&view, peak, arena));
	mp_arena_rewind(arena, mark);
	return done;
}
