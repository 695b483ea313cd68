/*
 * The heaviest set of parts of which any two conflict: a lower bound on the
 * arena, as all of them lie one above the other. The load of a step is such a
 * set. With buffers that are apart a heavier one may exist, and with gaps in
 * lifetimes: three tensors may meet in pairs, at three steps.
 *
 * Of very many parts only those are searched that are there at one step, at
 * those steps where a colouring leaves room for more than was found before.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/clique.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"
#include "problem/schedule.h"
#include "problem/weighted-clique.h"

enum {
	MOST_PARTS = 512,    /* of a graph to search in */
	MOST_WORK = 1 << 24, /* pairs of parts, and words of sets, that are
				looked at */
	WORK_A_PART = 1024,  /* likewise, if that is less, of very many, */
	WORK_PER_PART = 64,  /* and beyond that */
	STEPS = 64,	     /* that are searched in depth, at most */
	LOOKS = 16	     /* at lifetimes of a buffer that cost nothing */
};

struct search {
	const struct problem *problem;
	uint64_t align; /* of the parts; their sizes are rounded up to it if it
			   is more than the problem's */
	uint32_t *part_of; /* of a tensor: it stands for it; or NONE */
	bool *named;	   /* of a part: some tensor does */
	bool in_line;	   /* the problem is of one stream, and each part is its
			      whole buffer, ascending in time */
	uint32_t *first;   /* of a part, in line: the first node of its buffer
			      in the last graph that had one */
	uint64_t *key;	   /* of a part: room to sort some */
	uint32_t *space;
	struct weighted_graph graph; /* of parts that conflict */
};

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
	s->named = NEW(s->graph.scratch, bool, p->n_parts);
	s->part_of =
		NEW(s->graph.scratch, uint32_t, schedule->graph->n_tensors);
	at = mp_problem_places(p, s->graph.scratch);
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

/* The problem has rounded sizes up, but for those of reserved ranges. */
static uint64_t weight_of(const struct search *s, uint32_t part)
{
	uint64_t size = s->problem->parts[part].size;

	return s->align > s->problem->alignment ? num_up(size, s->align) : size;
}

/* Those parts that may be nodes, ascending. */
static uint32_t list_parts(struct search *s, uint32_t *parts)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->problem->n_parts; i++)
		if (has_name(s, i) &&
			is_aligned(s->problem, &s->problem->parts[i], s->align))
			parts[n++] = i;
	return n;
}

/* Lists the parts as nodes; if there are too many, the largest. */
static bool list_nodes(struct search *s, const uint32_t *among, uint32_t n)
{
	struct weighted_graph *graph = &s->graph;

	graph->n = (uint32_t)num_min(n, MOST_PARTS);
	graph->words = graph->n / GRAPH_BITS + 1;
	graph->name = NEW(graph->scratch, uint32_t, n);
	if (!graph->name)
		return false;
	memcpy(graph->name, among, n * sizeof(*graph->name));
	mp_problem_graph_spend(graph, n);
	for (uint32_t i = 0; i < n; i++)
		s->key[among[i]] =
			UINT64_MAX - s->problem->parts[among[i]].size;
	mp_sort_radix(graph->name, s->space, n, s->key);
	return true;
}

static bool has_bytes(const struct part *part, const struct part *of)
{
	return part->base == of->base && part->size == of->size;
}

static bool is_in_line(const struct problem *p)
{
	bool is = p->n_streams <= 1 && !p->choice;

	for (uint32_t i = 0; is && i < p->n_parts; i++) {
		const struct part *part = &p->parts[i];
		const struct buffer *buffer = &p->buffers[part->buffer];

		is = part->size == buffer->size &&
		     (i == buffer->first_part || part[-1].end <= part->start);
	}
	return is;
}

/* Does the part conflict with one that has the bytes of b in its buffer? */
static bool meets_alike(struct search *s, uint32_t part, uint32_t b)
{
	const struct problem *p = s->problem;
	const struct part *of = &p->parts[b];
	const struct buffer *buffer = &p->buffers[of->buffer];

	mp_problem_graph_spend(&s->graph, buffer->n_parts);
	for (uint32_t i = 0; i < buffer->n_parts; i++)
		if (has_bytes(&p->parts[buffer->first_part + i], of) &&
			mp_problem_conflict(p, part, buffer->first_part + i))
			return true;
	return false;
}

/* Do parts with the same bytes of their buffers conflict? They lie where these
 * two lie. */
static bool meet(struct search *s, uint32_t a, uint32_t b)
{
	const struct problem *p = s->problem;
	const struct part *of = &p->parts[a];
	const struct buffer *buffer = &p->buffers[of->buffer];

	for (uint32_t i = 0; i < buffer->n_parts && s->graph.work > 0; i++)
		if (has_bytes(&p->parts[buffer->first_part + i], of) &&
			meets_alike(s, buffer->first_part + i, b))
			return true;
	return false;
}

/* Parts of one buffer conflict if both are alive and their bytes are two
 * ranges. */
static bool never_share(struct search *s, uint32_t a, uint32_t b)
{
	const struct problem *p = s->problem;
	const struct part *x = &p->parts[a], *y = &p->parts[b];

	if (x->buffer != y->buffer)
		return meet(s, a, b);
	return mp_problem_conflict(p, a, b) &&
	       (x->base + x->size <= y->base || y->base + y->size <= x->base);
}

/* ------------------------------------------------------------ graph */

static void meet_each(struct search *s)
{
	for (uint32_t i = 0; i < s->graph.n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (never_share(s, s->graph.name[i], s->graph.name[k]))
				mp_problem_graph_join(&s->graph, i, k);
}

static const struct buffer *buffer_of(const struct search *s, uint32_t node)
{
	return &s->problem->buffers[s->problem->parts[s->graph.name[node]]
					    .buffer];
}

/* Behind the last node of the same buffer. In line they are beside each other,
 * as they have one size and one hull. */
static uint32_t end_of_run(const struct search *s, uint32_t node)
{
	const struct buffer *buffer = buffer_of(s, node);

	do
		node++;
	while (node < s->graph.n && buffer_of(s, node) == buffer);
	return node;
}

/* All parts of the buffers of the nodes, by when they start and by when they
 * end. */
struct line {
	uint32_t *start, *end, n;
};

/* The work is that of looks at all pairs, and more where parts are many. */
static void count_line(struct search *s, struct line *line)
{
	for (uint32_t i = 0, end; i < s->graph.n; i = end) {
		uint32_t n_parts = buffer_of(s, i)->n_parts;

		end = end_of_run(s, i);
		line->n += n_parts;
		mp_problem_graph_spend(
			&s->graph, (uint64_t)i * (end - i) +
					   (n_parts < LOOKS ? 0 : n_parts));
	}
}

static void sort_line(struct search *s, struct line *line)
{
	const struct problem *p = s->problem;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->graph.n; i = end_of_run(s, i))
		for (uint32_t k = 0; k < buffer_of(s, i)->n_parts; k++) {
			uint32_t part = buffer_of(s, i)->first_part + k;

			s->first[part] = i;
			line->start[n] = line->end[n] = part;
			n++;
		}
	for (uint32_t i = 0; i < n; i++)
		s->key[line->start[i]] = p->parts[line->start[i]].start;
	mp_sort_radix(line->start, s->space, n, s->key);
	for (uint32_t i = 0; i < n; i++)
		s->key[line->end[i]] = p->parts[line->end[i]].end;
	mp_sort_radix(line->end, s->space, n, s->key);
}

static void flip(const struct search *s, uint64_t *set, uint32_t node)
{
	for (uint32_t i = node, end = end_of_run(s, node); i < end; i++)
		set[i / GRAPH_BITS] ^= mp_problem_node_bit(i);
}

/* Counts the conflicts of parts that start with parts alive. */
static void sweep_line(
	struct search *s, const struct line *line, uint64_t *alive)
{
	const struct part *parts = s->problem->parts;
	uint32_t ended = 0;

	for (uint32_t i = 0; i < line->n; i++) {
		uint32_t node = s->first[line->start[i]];
		uint64_t *near = mp_problem_node_near(&s->graph, node);

		while (parts[line->end[ended]].end <=
			parts[line->start[i]].start)
			flip(s, alive, s->first[line->end[ended++]]);
		for (uint32_t k = 0; k < s->graph.words; k++)
			near[k] |= alive[k];
		flip(s, alive, node);
	}
}

static void join_apart(struct search *s)
{
	const struct problem *p = s->problem;

	for (uint32_t i = 0; p->apart && i < s->graph.n; i = end_of_run(s, i)) {
		uint32_t buffer = p->parts[s->graph.name[i]].buffer;

		for (uint32_t k = p->first_apart[buffer];
			k < p->first_apart[buffer + 1]; k++) {
			const struct buffer *other = &p->buffers[p->apart[k]];
			uint32_t node = s->first[other->first_part];

			if (node >= s->graph.n || buffer_of(s, node) != other)
				continue;
			for (uint32_t end = end_of_run(s, node); node < end;
				node++)
				mp_problem_graph_join(&s->graph, i, node);
		}
	}
}

static void join_both_ways(struct search *s)
{
	struct weighted_graph *graph = &s->graph;

	for (uint32_t i = 0, end; i < graph->n; i = end) {
		end = end_of_run(s, i);
		for (uint32_t k = i + 1; k < end; k++)
			memcpy(mp_problem_node_near(graph, k),
				mp_problem_node_near(graph, i),
				graph->words * sizeof(*graph->near));
	}
	for (uint32_t i = 0; i < graph->n; i++)
		for (uint32_t k = 0; k < graph->words; k++)
			for (uint64_t set = mp_problem_node_near(graph, i)[k];
				set; set &= set - 1)
				mp_problem_node_near(graph,
					k * GRAPH_BITS +
						(uint32_t)__builtin_ctzll(
							set))[i / GRAPH_BITS] |=
					mp_problem_node_bit(i);
}

/* Whole buffers that meet at some step: a sweep finds all at once. */
static bool meet_in_line(struct search *s)
{
	struct arena_mark mark = mp_arena_mark(s->graph.scratch);
	uint64_t *alive = NEW(s->graph.scratch, uint64_t, s->graph.words);
	struct line line = {.n = 0};

	count_line(s, &line);
	line.start = NEW(s->graph.scratch, uint32_t, line.n);
	line.end = NEW(s->graph.scratch, uint32_t, line.n);
	if (!alive || !line.start || !line.end)
		return false;
	sort_line(s, &line);
	join_apart(s);
	sweep_line(s, &line, alive);
	join_both_ways(s);
	mp_arena_rewind(s->graph.scratch, mark);
	return true;
}

static bool make_graph(struct search *s)
{
	struct weighted_graph *graph = &s->graph;

	graph->weight = NEW(graph->scratch, uint64_t, graph->n);
	graph->near =
		NEW(graph->scratch, uint64_t, (size_t)graph->n * graph->words);
	if (!graph->weight || !graph->near)
		return false;
	for (uint32_t i = 0; i < graph->n; i++)
		graph->weight[i] = weight_of(s, graph->name[i]);
	if (s->in_line)
		return meet_in_line(s);
	meet_each(s);
	return true;
}

/* Makes nodes of these parts, and bounds what a clique of them weighs. */
static bool see(struct search *s, const uint32_t *parts, uint32_t n)
{
	return list_nodes(s, parts, n) && make_graph(s) &&
	       mp_problem_graph_bound(&s->graph);
}

static bool search_among(struct search *s, const uint32_t *parts, uint32_t n)
{
	struct arena_mark mark = mp_arena_mark(s->graph.scratch);
	bool fine = see(s, parts, n) && mp_problem_graph_search(&s->graph);

	mp_arena_rewind(s->graph.scratch, mark);
	return fine;
}

/* ------------------------------------------------------------ steps */

/* Parts of which any two meet are all there at one step, those included that
 * have a gap then: their hulls are intervals. */
struct sweep {
	uint32_t *part, n; /* by the steps at which the hulls start */
	uint32_t *there, n_there;
	uint64_t most;	 /* bytes: no clique of those there has more */
	uint64_t record; /* the greatest of these of all steps */
	uint32_t step[STEPS], open[STEPS], n_open; /* where it was more than the
						      best */
	uint64_t most_at[STEPS];
};

static const struct buffer *hull(const struct search *s, uint32_t part)
{
	return &s->problem->buffers[s->problem->parts[part].buffer];
}

/* Work of the sweep, and as much again for the search in depth. */
static uint64_t work_of(const struct sweep *w)
{
	return num_min(MOST_WORK, (uint64_t)WORK_A_PART * w->n);
}

static bool list_by_start(struct search *s, struct sweep *w)
{
	w->part = NEW(s->graph.scratch, uint32_t, s->problem->n_parts);
	w->there = NEW(s->graph.scratch, uint32_t, s->problem->n_parts);
	if (!w->part || !w->there)
		return false;
	w->n = list_parts(s, w->part);
	for (uint32_t i = 0; i < w->n; i++)
		s->key[w->part[i]] = hull(s, w->part[i])->start;
	mp_sort_radix(w->part, s->space, w->n, s->key);
	return true;
}

/* Drops those that have ended. Returns when the first of the others does. */
static uint32_t drop_ended(struct search *s, struct sweep *w, uint32_t step)
{
	uint32_t n = 0, first_end = NONE;

	for (uint32_t i = 0; i < w->n_there; i++) {
		uint32_t end = hull(s, w->there[i])->end;

		if (end <= step)
			continue;
		first_end = (uint32_t)num_min(first_end, end);
		w->there[n++] = w->there[i];
	}
	mp_problem_graph_spend(&s->graph, w->n_there);
	w->n_there = n;
	return first_end;
}

/* Where a clique may be heavier than anywhere before, some are tried at once:
 * what is heavy there spares looks at other steps. */
static bool look(struct search *s, struct sweep *w, uint32_t step)
{
	struct arena_mark mark = mp_arena_mark(s->graph.scratch);
	bool fine = see(s, w->there, w->n_there);

	w->most = s->graph.most;
	if (fine && w->most > s->graph.best_weight) {
		w->step[w->n_open] = step;
		w->most_at[w->n_open] = UINT64_MAX - w->most;
		w->open[w->n_open] = w->n_open;
		w->n_open++;
		if (w->most > w->record)
			fine = mp_problem_graph_grow(&s->graph);
		w->record = num_max(w->record, w->most);
	}
	mp_arena_rewind(s->graph.scratch, mark);
	return fine;
}

/* Looks where hulls have started and one is about to end, unless what started
 * since the last look cannot make up for what was missing then. */
static bool sweep_steps(struct search *s, struct sweep *w)
{
	bool fine = list_by_start(s, w);
	uint32_t i = 0;

	s->graph.work = work_of(w) + (uint64_t)WORK_PER_PART * w->n;
	while (fine && i < w->n && s->graph.work > 0 && w->n_open < STEPS) {
		uint32_t step = hull(s, w->part[i])->start, first_end;

		for (; i < w->n && hull(s, w->part[i])->start == step; i++) {
			w->most += weight_of(s, w->part[i]);
			w->there[w->n_there++] = w->part[i];
		}
		if (w->most <= s->graph.best_weight)
			continue;
		first_end = drop_ended(s, w, step);
		if (i == w->n || hull(s, w->part[i])->start >= first_end)
			fine = look(s, w, step);
	}
	return fine;
}

static bool search_step(struct search *s, struct sweep *w, uint32_t step)
{
	w->n_there = 0;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct buffer *buffer = hull(s, w->part[i]);

		if (buffer->start <= step && step < buffer->end)
			w->there[w->n_there++] = w->part[i];
	}
	return search_among(s, w->there, w->n_there);
}

static bool search_steps(struct search *s)
{
	struct sweep w = {.most = 0};
	bool fine = sweep_steps(s, &w);
	uint64_t work = work_of(&w) / STEPS;

	if (fine)
		mp_sort_radix(w.open, s->space, w.n_open, w.most_at);
	for (uint32_t i = 0; fine && i < w.n_open; i++) {
		s->graph.work = work;
		fine = search_step(s, &w, w.step[w.open[i]]);
		if (s->graph.work == 0)
			work /= 2;
	}
	return fine;
}

/* ------------------------------------------------------------ parts */

static bool is_alive_at_peak(const struct problem *p, const struct part *part)
{
	return part->start <= p->peak_step && p->peak_step < part->end;
}

/* One of very many parts. Buffers that are apart may meet at no step. */
static bool is_wanted(const struct search *s, uint32_t part)
{
	const struct problem *p = s->problem;
	uint32_t buffer = p->parts[part].buffer;

	return is_alive_at_peak(p, &p->parts[part]) ||
	       p->first_apart[buffer] < p->first_apart[buffer + 1] ||
	       mp_problem_has_gap(p, buffer);
}

static bool search_wanted(struct search *s)
{
	uint32_t *parts = NEW(s->graph.scratch, uint32_t, s->problem->n_parts);
	uint32_t n = parts ? list_parts(s, parts) : 0, n_wanted = 0;

	for (uint32_t i = 0; i < n; i++)
		if (s->problem->n_parts <= MOST_PARTS || is_wanted(s, parts[i]))
			parts[n_wanted++] = parts[i];
	s->graph.work = MOST_WORK;
	return parts && search_among(s, parts, n_wanted);
}

static bool search(struct search *s)
{
	const struct problem *p = s->problem;
	bool many = p->n_parts > MOST_PARTS;

	s->key = NEW(s->graph.scratch, uint64_t, p->n_parts);
	s->space = NEW(s->graph.scratch, uint32_t, p->n_parts);
	s->in_line = is_in_line(p);
	s->first = NEW(s->graph.scratch, uint32_t, p->n_parts);
	s->graph.best = NEW(s->graph.scratch, uint32_t, MOST_PARTS);
	if (!s->key || !s->space || !s->first || !s->graph.best ||
		!name_parts(s))
		return false;
	return ((many && !p->apart) || search_wanted(s)) &&
	       (!many || search_steps(s));
}

/* ----------------------------------------------------------- result */

/* Each part but the highest takes its size rounded up. */
static uint64_t bound_of(const struct search *s)
{
	uint64_t rounding = 0;

	for (uint32_t i = 0; i < s->graph.n_best; i++)
		rounding = num_max(rounding,
			weight_of(s, s->graph.best[i]) -
				s->problem->parts[s->graph.best[i]].size);
	return s->graph.best_weight - rounding;
}

/* Names the parts that were found, where the problem has names: all tensors
 * side by side in a part, as in a plan file states have no region and one of
 * them is but its own bytes. */
static bool name_best(
	const struct search *s, struct ids *names, struct arena *arena)
{
	const struct schedule *schedule = s->problem->schedule;
	uint32_t most = schedule ? schedule->graph->n_tensors : 0;
	uint64_t *base = NEW(s->graph.scratch, uint64_t, most);
	uint64_t *end = NEW(s->graph.scratch, uint64_t, s->problem->n_parts);
	bool *is_best = NEW(s->graph.scratch, bool, s->problem->n_parts);
	uint32_t *space = NEW(s->graph.scratch, uint32_t, most);
	uint32_t *tensors = NEW(arena, uint32_t, most), n = 0;

	assert(!schedule || s->part_of);
	*names = (struct ids){tensors, 0};
	if (!base || !end || !is_best || !space || !tensors)
		return false;
	for (uint32_t i = 0; i < s->graph.n_best; i++)
		is_best[s->graph.best[i]] = true;
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
	uint32_t *parts = NEW(arena, uint32_t, s->graph.n_best);
	struct ids tensors;

	if (!parts || !name_best(s, &tensors, arena))
		return false;
	for (uint32_t i = 0; i < s->graph.n_best; i++)
		parts[i] = s->graph.best[i];
	mp_sort_u32(parts, s->graph.n_best);
	*clique = (struct clique){.bytes = bound_of(s),
		.tensors = tensors,
		.parts = {parts, s->graph.n_best},
		.align = s->align > s->problem->alignment ? s->align : 1};
	return true;
}

bool mp_problem_clique(const struct problem *problem, uint64_t align,
	struct clique *clique, struct arena *arena, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct search s = {.problem = problem,
		.align = align,
		.graph = {.best_weight = clique->bytes, .scratch = scratch}};
	bool fine = search(&s);

	assert(align >= problem->alignment);
	if (fine && s.graph.n_best > 0 && bound_of(&s) > clique->bytes)
		fine = keep(&s, clique, arena);
	mp_arena_rewind(scratch, mark);
	return fine;
}
