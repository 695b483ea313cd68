/*
 * The heaviest set of parts of which any two conflict: a lower bound on the
 * arena, as all of them lie one above the other. The load of a step is such a
 * set. With buffers that are apart a heavier one may exist, and with gaps in
 * lifetimes: three tensors may meet in pairs, at three steps.
 *
 * Branch and bound for the weighted clique: a set of parts of which no two
 * conflict gives at most its heaviest part, so a partition into such sets, a
 * colouring, bounds what a set of parts can give. The search ends after a fixed
 * amount of work; what it has found then is a clique all the same.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/clique.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"
#include "problem/schedule.h"

enum {
	MOST_PARTS = 512,    /* of a graph to search in */
	MOST_WORK = 1 << 24, /* pairs of parts, and words of sets, that are
				looked at */
	BITS = 64
};

/* Parts as nodes, in descending order of weight. */
struct search {
	const struct problem *problem;
	uint64_t align;	 /* of the parts; their sizes are rounded up to it if it
			    is more than the problem's */
	bool about_peak; /* of very many parts only those: see is_wanted() */
	uint32_t *part_of; /* of a tensor: it stands for it; or NONE */
	bool *named;	   /* of a part: some tensor does */
	uint32_t n, words;
	uint32_t *part;
	uint64_t *weight;
	uint64_t *near; /* words a node: the nodes that it conflicts with */
	uint32_t *chosen, n_chosen;
	uint32_t *best, n_best;
	uint64_t best_weight;
	uint64_t work; /* that is left; of making the graph, then of searching
			*/
	struct arena *scratch;
};

/* Nodes in colours: two nodes of one colour do not conflict. */
struct colouring {
	uint32_t *node;
	uint64_t *bound; /* what this node and those before it can give */
	uint32_t n;
};

static uint64_t bit(uint32_t node)
{
	return UINT64_C(1) << node % BITS;
}

static const uint64_t *near_of(const struct search *s, uint32_t node)
{
	return s->near + (size_t)node * s->words;
}

static bool conflicts_with(const struct search *s, uint32_t a, uint32_t b)
{
	return near_of(s, a)[b / BITS] & bit(b);
}

/* ------------------------------------------------------------ names */

/* The first part of the buffer that the tensor begins in; NONE: there is none.
 */
static uint32_t first_part(
	const struct problem *p, uint32_t tensor, const struct buffer *buffer)
{
	for (uint32_t k = buffer->first_part;
		k < buffer->first_part + buffer->n_parts; k++)
		if (mp_schedule_begins_in(p->schedule, tensor, &p->parts[k]))
			return k;
	return NONE;
}

/* A tensor stands for the first part that it begins in. */
static bool name_parts(struct search *s)
{
	const struct problem *p = s->problem;
	const struct schedule *schedule = p->schedule;
	uint32_t *at;

	if (!schedule)
		return true;
	s->named = NEW(s->scratch, bool, p->n_parts);
	s->part_of = NEW(s->scratch, uint32_t, schedule->graph->n_tensors);
	at = mp_problem_places(p, s->scratch);
	if (!s->named || !s->part_of || !at)
		return false;
	for (uint32_t t = 0; t < schedule->graph->n_tensors; t++) {
		uint32_t buffer = schedule->stay[t].buffer;

		s->part_of[t] = NONE;
		if (buffer != NONE && at[buffer] != NONE)
			s->part_of[t] =
				first_part(p, t, &p->buffers[at[buffer]]);
		if (s->part_of[t] != NONE)
			s->named[s->part_of[t]] = true;
	}
	return true;
}

/* A witness names its parts. */
static bool has_name(const struct search *s, uint32_t part)
{
	return !s->problem->schedule || s->named[part] ||
	       mp_problem_is_reserved(
		       s->problem, s->problem->parts[part].buffer);
}

/* ------------------------------------------------------------ nodes */

/* Is the part at a multiple of the alignment? Its buffer is aligned as a whole.
 */
static bool is_aligned(
	const struct problem *p, const struct part *part, uint64_t align)
{
	return align == p->alignment ||
	       (part->base % align == 0 &&
		       p->buffers[part->buffer].align >= align);
}

static bool is_alive_at_peak(const struct problem *p, const struct part *part)
{
	return part->start <= p->peak_step && p->peak_step < part->end;
}

static bool has_apart(const struct problem *p, uint32_t buffer)
{
	return p->apart && p->first_apart[buffer] < p->first_apart[buffer + 1];
}

/* Is the buffer there at the peak, or before it and behind? */
static bool is_about_peak(const struct problem *p, const struct part *part)
{
	const struct buffer *buffer = &p->buffers[part->buffer];

	return buffer->start <= p->peak_step && p->peak_step < buffer->end;
}

/* One of very many parts. */
static bool is_wanted(const struct search *s, const struct part *part)
{
	const struct problem *p = s->problem;

	if (s->about_peak)
		return is_about_peak(p, part);
	return is_alive_at_peak(p, part) || has_apart(p, part->buffer) ||
	       mp_problem_has_gap(p, part->buffer);
}

/* Of very many parts the largest that are wanted. */
static bool list_nodes(struct search *s)
{
	const struct problem *p = s->problem;
	uint32_t *space = NEW(s->scratch, uint32_t, p->n_parts);
	uint64_t *key = NEW(s->scratch, uint64_t, p->n_parts);

	s->n = 0;
	s->part = NEW(s->scratch, uint32_t, p->n_parts);
	if (!space || !key || !s->part)
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++) {
		const struct part *part = &p->parts[i];

		if (!has_name(s, i) || !is_aligned(p, part, s->align) ||
			(p->n_parts > MOST_PARTS && !is_wanted(s, part)))
			continue;
		key[i] = UINT64_MAX - part->size;
		s->part[s->n++] = i;
	}
	mp_sort_radix(s->part, space, s->n, key);
	s->n = (uint32_t)num_min(s->n, MOST_PARTS);
	s->words = s->n / BITS + 1;
	return true;
}

static bool has_bytes(const struct part *part, const struct part *of)
{
	return part->base == of->base && part->size == of->size;
}

/* Do parts with the same bytes of their buffers conflict? They lie where these
 * two lie. */
static bool meet_elsewhere(struct search *s, uint32_t a, uint32_t b)
{
	const struct problem *p = s->problem;
	const struct buffer *x = &p->buffers[p->parts[a].buffer];
	const struct buffer *y = &p->buffers[p->parts[b].buffer];

	if (x->n_parts == 1 && y->n_parts == 1)
		return false;
	for (uint32_t i = x->first_part; i < x->first_part + x->n_parts; i++)
		for (uint32_t k = y->first_part;
			has_bytes(&p->parts[i], &p->parts[a]) && s->work > 0 &&
			k < y->first_part + y->n_parts;
			k++) {
			s->work--;
			if (has_bytes(&p->parts[k], &p->parts[b]) &&
				mp_problem_conflict(p, i, k))
				return true;
		}
	return false;
}

/* Parts of one buffer conflict if both are alive and their bytes are two
 * ranges. */
static bool never_share(struct search *s, uint32_t a, uint32_t b)
{
	const struct problem *p = s->problem;
	const struct part *x = &p->parts[a], *y = &p->parts[b];

	if (x->buffer != y->buffer)
		return mp_problem_conflict(p, a, b) || meet_elsewhere(s, a, b);
	return mp_problem_conflict(p, a, b) &&
	       (x->base + x->size <= y->base || y->base + y->size <= x->base);
}

static void join(struct search *s, uint32_t a, uint32_t b)
{
	s->near[(size_t)a * s->words + b / BITS] |= bit(b);
	s->near[(size_t)b * s->words + a / BITS] |= bit(a);
}

/* The problem has rounded sizes up, but for those of reserved ranges. */
static uint64_t weight_of(const struct search *s, uint32_t node)
{
	uint64_t size = s->problem->parts[s->part[node]].size;

	return s->align > s->problem->alignment ? num_up(size, s->align) : size;
}

static bool make_graph(struct search *s)
{
	if (!name_parts(s) || !list_nodes(s))
		return false;
	s->weight = NEW(s->scratch, uint64_t, s->n);
	s->near = NEW(s->scratch, uint64_t, (size_t)s->n * s->words);
	s->chosen = NEW(s->scratch, uint32_t, s->n);
	s->best = NEW(s->scratch, uint32_t, s->n);
	if (!s->weight || !s->near || !s->chosen || !s->best)
		return false;
	for (uint32_t i = 0; i < s->n; i++) {
		s->weight[i] = weight_of(s, i);
		for (uint32_t k = 0; k < i; k++)
			if (never_share(s, s->part[i], s->part[k]))
				join(s, i, k);
	}
	return true;
}

/* ----------------------------------------------------------- search */

static void keep_if_heavier(struct search *s, uint64_t weight)
{
	if (weight <= s->best_weight)
		return;
	s->best_weight = weight;
	s->n_best = s->n_chosen;
	memcpy(s->best, s->chosen, s->n_chosen * sizeof(*s->best));
}

static bool conflicts_with_chosen(const struct search *s, uint32_t node)
{
	for (uint32_t i = 0; i < s->n_chosen; i++)
		if (!conflicts_with(s, node, s->chosen[i]))
			return false;
	return true;
}

/* From each node on: the heaviest that goes with those that were taken. */
static void grow_greedily(struct search *s)
{
	for (uint32_t first = 0; first < s->n; first++) {
		uint64_t weight = s->weight[first];

		s->chosen[0] = first;
		s->n_chosen = 1;
		for (uint32_t i = 0; i < s->n; i++) {
			if (!conflicts_with_chosen(s, i))
				continue;
			s->chosen[s->n_chosen++] = i;
			weight += s->weight[i];
		}
		keep_if_heavier(s, weight);
	}
	s->n_chosen = 0;
}

/* The first node of the set from a word on; NONE: there is none. */
static uint32_t first_of(
	const struct search *s, const uint64_t *set, uint32_t word)
{
	for (; word < s->words; word++)
		if (set[word])
			return word * BITS +
			       (uint32_t)__builtin_ctzll(set[word]);
	return NONE;
}

static uint32_t count_of(const struct search *s, const uint64_t *set)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->words; i++)
		n += (uint32_t)__builtin_popcountll(set[i]);
	return n;
}

/* Gives one colour to nodes of the set, the heaviest first, and takes them out.
 * left: what may still have the colour. */
static void give_colour(
	struct search *s, struct colouring *c, uint64_t *set, uint64_t *left)
{
	uint32_t node = first_of(s, set, 0);
	uint64_t before = c->n > 0 ? c->bound[c->n - 1] : 0;
	uint64_t bound = before + s->weight[node];

	memcpy(left, set, s->words * sizeof(*left));
	for (; node != NONE; node = first_of(s, left, node / BITS)) {
		const uint64_t *near = near_of(s, node);

		c->node[c->n] = node;
		c->bound[c->n++] = bound;
		set[node / BITS] &= ~bit(node);
		left[node / BITS] &= ~bit(node);
		for (uint32_t i = node / BITS; i < s->words; i++)
			left[i] &= ~near[i];
		s->work -= num_min(s->work, s->words);
	}
}

static bool colour(struct search *s, const uint64_t *among, struct colouring *c)
{
	uint64_t *set = NEW(s->scratch, uint64_t, s->words);
	uint64_t *left = NEW(s->scratch, uint64_t, s->words);
	uint32_t n = count_of(s, among);

	c->n = 0;
	c->node = NEW(s->scratch, uint32_t, n);
	c->bound = NEW(s->scratch, uint64_t, n);
	if (!set || !left || !c->node || !c->bound)
		return false;
	memcpy(set, among, s->words * sizeof(*set));
	while (c->n < n)
		give_colour(s, c, set, left);
	return true;
}

/* The sets of nodes that go with the chosen ones, which weigh so much. Each
 * call chooses one node more, so the depth is at most MOST_PARTS. */
static bool extend(struct search *s, const uint64_t *among, uint64_t weight)
{
	struct arena_mark mark = mp_arena_mark(s->scratch);
	uint64_t *rest = NEW(s->scratch, uint64_t, s->words);
	uint64_t *next = NEW(s->scratch, uint64_t, s->words);
	struct colouring c;
	bool fine = rest && next && colour(s, among, &c);

	if (fine)
		memcpy(rest, among, s->words * sizeof(*rest));
	while (fine && c.n-- > 0 && s->work > 0 &&
		weight + c.bound[c.n] > s->best_weight) {
		uint32_t node = c.node[c.n];
		const uint64_t *near = near_of(s, node);

		s->chosen[s->n_chosen++] = node;
		keep_if_heavier(s, weight + s->weight[node]);
		for (uint32_t i = 0; i < s->words; i++)
			next[i] = rest[i] & near[i];
		fine = extend(s, next, weight + s->weight[node]);
		s->n_chosen--;
		rest[node / BITS] &= ~bit(node);
	}
	mp_arena_rewind(s->scratch, mark);
	return fine;
}

static bool find_heaviest(struct search *s, uint64_t floor)
{
	uint64_t *all;

	s->work = MOST_WORK;
	if (!make_graph(s))
		return false;
	all = NEW(s->scratch, uint64_t, s->words);
	for (uint32_t i = 0; all && i < s->n; i++)
		all[i / BITS] |= bit(i);
	s->best_weight = floor;
	s->work = MOST_WORK;
	grow_greedily(s);
	return all && extend(s, all, 0);
}

/* ----------------------------------------------------------- result */

/* Each part but the highest takes its size rounded up. */
static uint64_t bound_of(const struct search *s)
{
	uint64_t rounding = 0;

	for (uint32_t i = 0; i < s->n_best; i++)
		rounding = num_max(rounding,
			s->weight[s->best[i]] -
				s->problem->parts[s->part[s->best[i]]].size);
	return s->best_weight - rounding;
}

/* Names the parts that were found, where the problem has names: all tensors
 * side by side in a part, as in a plan file states have no region and one of
 * them is but its own bytes. */
static bool name_best(
	const struct search *s, struct ids *names, struct arena *arena)
{
	const struct schedule *schedule = s->problem->schedule;
	uint32_t most = schedule ? schedule->graph->n_tensors : 0;
	uint64_t *base = NEW(s->scratch, uint64_t, most);
	uint64_t *end = NEW(s->scratch, uint64_t, s->problem->n_parts);
	bool *is_best = NEW(s->scratch, bool, s->problem->n_parts);
	uint32_t *space = NEW(s->scratch, uint32_t, most);
	uint32_t *tensors = NEW(arena, uint32_t, most), n = 0;

	assert(!schedule || s->part_of);
	*names = (struct ids){tensors, 0};
	if (!base || !end || !is_best || !space || !tensors)
		return false;
	for (uint32_t i = 0; i < s->n_best; i++)
		is_best[s->part[s->best[i]]] = true;
	for (uint32_t t = 0; t < most; t++) {
		base[t] = schedule->stay[t].base;
		if (s->part_of[t] != NONE && is_best[s->part_of[t]])
			tensors[n++] = t;
	}
	mp_sort_radix(tensors, space, n, base);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = tensors[i], part = s->part_of[t];

		if (base[t] < end[part])
			continue;
		end[part] = base[t] + schedule->graph->tensors[t].size;
		tensors[names->n++] = t;
	}
	mp_sort_u32(tensors, names->n);
	return true;
}

/* Reserved ranges are no tensors: they go with everything. */
static bool keep(
	const struct search *s, struct clique *clique, struct arena *arena)
{
	uint32_t *parts = NEW(arena, uint32_t, s->n_best);
	struct ids tensors;

	if (!parts || !name_best(s, &tensors, arena))
		return false;
	for (uint32_t i = 0; i < s->n_best; i++)
		parts[i] = s->part[s->best[i]];
	mp_sort_u32(parts, s->n_best);
	*clique = (struct clique){.bytes = bound_of(s),
		.tensors = tensors,
		.parts = {parts, s->n_best},
		.align = s->align > s->problem->alignment ? s->align : 1};
	return true;
}

static bool search(const struct problem *problem, uint64_t align,
	bool about_peak, struct clique *clique, struct arena *arena,
	struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct search s = {.problem = problem,
		.align = align,
		.about_peak = about_peak,
		.scratch = scratch};
	bool fine;

	assert(align >= problem->alignment);
	fine = find_heaviest(&s, clique->bytes);
	if (fine && s.n_best > 0 && bound_of(&s) > clique->bytes)
		fine = keep(&s, clique, arena);
	mp_arena_rewind(scratch, mark);
	return fine;
}

/* Of very many parts with gaps, those about the peak may be a heavier clique
 * than the largest are. */
bool mp_problem_clique(const struct problem *problem, uint64_t align,
	struct clique *clique, struct arena *arena, struct arena *scratch)
{
	return search(problem, align, false, clique, arena, scratch) &&
	       (problem->n_parts <= MOST_PARTS ||
		       search(problem, align, true, clique, arena, scratch));
}
