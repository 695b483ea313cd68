/*
 * A flow as paths: each begins at a tensor that is there before the member
 * runs, and ends at an op that runs later, or at the end. A path is easier to
 * check than a flow, as nothing has to be conserved.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <inttypes.h>

#include "base/sink-text.h"
#include "order/search/certificate.h"
#include "proof/inside.h"

struct paths {
	const struct graph *graph;
	const uint32_t *number; /* of a tensor */
	const struct certificate *flow;
	uint64_t *left;	    /* bytes of an arc that are in no path yet */
	struct lists after; /* arcs that leave an op */
	uint32_t *next;	    /* of an op: how many of these are used up */
	bool *is_entered;   /* of an op: bytes flow into it */
	uint32_t *path, n;  /* arcs */
	uint32_t *place;    /* of an op: how long the path to it is; 0: it is
			       not on the path */
	struct sink *sink;
};

/* The op that an arc leaves; NONE: its tensor is there from the start. */
static uint32_t source_of(const struct paths *p, uint32_t arc)
{
	const struct certificate_arc *at = &p->flow->arcs[arc];
	const struct tensor *t;

	if (at->kind == ARC_WAIT)
		return at->from;
	t = &p->graph->tensors[at->from];
	return mp_order_certificate_is_given(t) ? NONE : t->producer;
}

/* The op that it reaches; NONE: the end. */
static uint32_t target_of(const struct paths *p, uint32_t arc)
{
	const struct certificate_arc *at = &p->flow->arcs[arc];

	return at->kind == ARC_KEEP ? NONE : at->to;
}

static bool init(struct paths *p, struct arena *arena)
{
	uint32_t n = p->graph->n_ops, n_arcs = p->flow->n_arcs;

	p->left = NEW(arena, uint64_t, n_arcs);
	p->next = NEW(arena, uint32_t, n);
	p->is_entered = NEW(arena, bool, n);
	p->path = NEW(arena, uint32_t, (size_t)n + 1);
	p->place = NEW(arena, uint32_t, n);
	if (!p->left || !p->next || !p->is_entered || !p->path || !p->place ||
		!mp_lists_init(&p->after, n, arena))
		return false;
	for (uint32_t i = 0; i < n_arcs; i++)
		if (source_of(p, i) != NONE)
			mp_lists_count(&p->after, source_of(p, i), 1);
	if (!mp_lists_ready(&p->after, n, arena))
		return false;
	for (uint32_t i = 0; i < n_arcs; i++) {
		p->left[i] = p->flow->arcs[i].bytes;
		if (source_of(p, i) != NONE)
			mp_lists_add(&p->after, source_of(p, i), i);
		if (target_of(p, i) != NONE)
			p->is_entered[target_of(p, i)] = true;
	}
	return true;
}

/* An arc with bytes left that leaves the op, or NONE. */
static uint32_t next_arc(struct paths *p, uint32_t op)
{
	struct ids arcs = mp_lists_at(&p->after, op);

	while (p->next[op] < arcs.n && p->left[arcs.at[p->next[op]]] == 0)
		p->next[op]++;
	return p->next[op] < arcs.n ? arcs.at[p->next[op]] : NONE;
}

/* Takes the least bytes of the arcs of the path from a place on off them. */
static uint64_t use_up(struct paths *p, uint32_t from)
{
	uint64_t bytes = UINT64_MAX;

	for (uint32_t i = from; i < p->n; i++)
		bytes = num_min(bytes, p->left[p->path[i]]);
	for (uint32_t i = from; i < p->n; i++)
		p->left[p->path[i]] -= bytes;
	return bytes;
}

static void shorten(struct paths *p, uint32_t length)
{
	for (; p->n > length; p->n--) {
		uint32_t op = target_of(p, p->path[p->n - 1]);

		if (op != NONE && p->place[op] == p->n)
			p->place[op] = 0;
	}
}

/* Bytes that flow in a circle show nothing. */
static void break_circle(struct paths *p, uint32_t arc, uint32_t op)
{
	uint32_t length = p->place[op];

	p->path[p->n++] = arc;
	use_up(p, length);
	p->n--;
	shorten(p, length);
}

/* Goes on along arcs with bytes left, to the end. */
static void find_path(struct paths *p, uint32_t arc)
{
	uint32_t op;

	for (p->n = 0; arc != NONE; arc = op == NONE ? NONE : next_arc(p, op)) {
		op = target_of(p, arc);
		if (op != NONE && p->place[op] > 0) {
			break_circle(p, arc, op);
			continue;
		}
		assert(p->n <= p->graph->n_ops);
		p->path[p->n++] = arc;
		if (op != NONE)
			p->place[op] = p->n;
	}
}

static void print_arc(const struct paths *p, uint32_t arc)
{
	const struct certificate_arc *at = &p->flow->arcs[arc];

	if (at->kind == ARC_WAIT)
		mp_sink_text(p->sink, " -1");
	else
		mp_sink_print(p->sink, " %u", p->number[at->from]);
	if (at->kind == ARC_KEEP)
		mp_sink_text(p->sink, " -1");
	else
		mp_sink_print(p->sink, " %u", at->to);
}

static void print_paths_from(struct paths *p, uint32_t arc)
{
	while (p->left[arc] > 0) {
		find_path(p, arc);
		mp_sink_print(p->sink, "path %" PRIu64, use_up(p, 0));
		for (uint32_t i = 0; i < p->n; i++)
			print_arc(p, p->path[i]);
		mp_sink_text(p->sink, "\n");
		shorten(p, 0);
	}
}

/* A tensor that is alive throughout is a path of its own, if no bytes flow
 * through it. */
static bool print_lasting(struct paths *p, struct arena *arena)
{
	bool *used = NEW(arena, bool, p->graph->n_tensors);

	for (uint32_t i = 0; used && i < p->flow->n_arcs; i++)
		if (p->flow->arcs[i].kind != ARC_WAIT)
			used[p->flow->arcs[i].from] = true;
	for (uint32_t t = 0; used && t < p->graph->n_tensors; t++) {
		const struct tensor *at = &p->graph->tensors[t];
		uint64_t bytes = mp_order_certificate_bytes(p->graph, at);

		if (bytes > 0 && !used[t] &&
			mp_order_certificate_is_given(at) &&
			mp_order_certificate_is_kept(at))
			mp_sink_print(p->sink, "path %" PRIu64 " %u -1\n",
				bytes, p->number[t]);
	}
	return used != NULL;
}

bool mp_proof_paths(const struct graph *graph, const uint32_t *number,
	const struct certificate *flow, struct sink *sink,
	struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct paths p = {
		.graph = graph, .number = number, .flow = flow, .sink = sink};
	bool fine = init(&p, scratch) && print_lasting(&p, scratch);

	for (uint32_t i = 0; fine && i < flow->n_arcs; i++)
		if (source_of(&p, i) == NONE || !p.is_entered[source_of(&p, i)])
			print_paths_from(&p, i);
	mp_arena_rewind(scratch, mark);
	return fine;
}
