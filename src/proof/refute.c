/*
 * A refutation of all arenas of some size: a tree. At each node the pair that
 * narrows most is decided both ways, until some buffer has no offset left. If
 * the refutation of one way also refutes without the decision, it takes the
 * place of the node: so a decision that a refutation does not need costs no
 * second way.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "proof/inside.h"

enum {
	MOST_NODES = 1 << 21, /* a file of about 16 MiB */
	MOST_WORK = 1 << 30,  /* of a replay, in pairs looked at: seconds */
	ONE = 1 << 10,	      /* all of a range */
	MOST_TAKEN = 1 << 20, /* a decision may take more than there is */
};

/* A node on the way to the one under work. */
struct frame {
	uint32_t trail; /* its length at the node */
	uint32_t node;	/* in the refutation */
	uint32_t other; /* where the second way begins; 0: on the first way */
};

struct frames {
	struct frame *at;
	uint32_t n, room;
};

static bool push_frame(
	struct frames *frames, struct frame frame, struct arena *arena)
{
	frames->at = mp_arena_grow(arena, frames->at, frames->n, &frames->room,
		sizeof(*frames->at));
	if (frames->at)
		frames->at[frames->n++] = frame;
	return frames->at != NULL;
}

/* ----------------------------------------------------------- replay */

/* Goes back to the last node with a way left, and takes its second way. */
static bool take_second(struct domains *d, struct frames *frames,
	const uint32_t *nodes, uint32_t at)
{
	while (frames->n > 0 && frames->at[frames->n - 1].other > 0)
		frames->n--;
	if (frames->n == 0)
		return true;
	frames->at[frames->n - 1].other = at;
	mp_proof_domains_undo(d, frames->at[frames->n - 1].trail);
	return mp_proof_domains_decide(d,
		nodes[frames->at[frames->n - 1].node] / 2,
		1 - nodes[frames->at[frames->n - 1].node] % 2);
}

/* True unless memory is out; open says that a node is missing or needless, or
 * that all takes too long. */
static bool follow(struct domains *d, const uint32_t *nodes, uint32_t *at,
	uint32_t to, bool *open, struct frames *frames, struct arena *arena)
{
	do {
		while (!d->empty) {
			uint32_t node;

			*open = *at == to || d->work > MOST_WORK ||
				nodes[*at] / 2 >= d->n_pairs ||
				d->pairs[nodes[*at] / 2].below != UNDECIDED;
			if (*open)
				return true;
			node = (*at)++;
			if (!push_frame(frames,
				    (struct frame){d->n_trail, node, 0},
				    arena) ||
				!mp_proof_domains_decide(
					d, nodes[node] / 2, nodes[node] % 2))
				return false;
		}
		if (!take_second(d, frames, nodes, *at + 1))
			return false;
	} while (frames->n > 0);
	return true;
}

/* Leaves the domains as they were. */
static bool replay(struct domains *d, const uint32_t *nodes, uint32_t from,
	uint32_t to, bool *refuted, struct frames *frames, struct arena *arena)
{
	uint32_t start = d->n_trail, at = from;
	bool open = false, fine;

	frames->n = 0;
	fine = follow(d, nodes, &at, to, &open, frames, arena);
	*refuted = fine && !open && at == to;
	if (fine)
		mp_proof_domains_undo(d, start);
	return fine;
}

bool mp_proof_replay(struct domains *d, const uint32_t *nodes, uint32_t n,
	bool *refuted, struct arena *arena)
{
	struct frames frames = {0};

	return replay(d, nodes, 0, n, refuted, &frames, arena);
}

/* ----------------------------------------------------------- choose */

/* How much of the two ranges the decision takes, in parts of ONE. */
static int64_t narrows(
	const struct domains *d, const struct order_pair *pair, int k)
{
	uint32_t under = pair->buffer[k], over = pair->buffer[1 - k];
	int64_t up = d->low[under] + pair->above[k] - d->low[over];
	int64_t down = d->high[under] - (d->high[over] - pair->above[k]);
	int64_t taken = (up > 0 ? up : 0) + (down > 0 ? down : 0);
	int64_t all = d->high[under] - d->low[under] + d->high[over] -
		      d->low[over] + 1;

	while (taken > INT64_MAX / ONE) {
		taken /= 2;
		all = all / 2 + 1;
	}
	return taken * ONE / all < MOST_TAKEN ? taken * ONE / all : MOST_TAKEN;
}

/* The undecided pair of which both ways take most, as a product, and the way
 * that takes more; UINT32_MAX: all pairs are decided. */
static uint32_t choose(struct domains *d)
{
	uint32_t found = UINT32_MAX;
	int64_t best = -1, most = -1;

	for (uint32_t i = 0; i < d->n_pairs; i++) {
		const struct order_pair *pair = &d->pairs[i];
		int64_t a, b, both;

		if (pair->below != UNDECIDED)
			continue;
		a = narrows(d, pair, 0);
		b = narrows(d, pair, 1);
		both = (a + 1) * (b + 1);
		if (both < best || (both == best && a + b <= most))
			continue;
		best = both;
		most = a + b;
		found = 2 * i + (b > a);
	}
	d->work += d->n_pairs;
	return found;
}

/* ----------------------------------------------------------- search */

struct search {
	struct domains *d;
	struct refutation *out;
	struct frames frames, replayed;
	struct arena *arena;
};

static bool add_node(struct refutation *r, uint32_t node, struct arena *arena)
{
	r->nodes = mp_arena_grow(
		arena, r->nodes, r->n, &r->room, sizeof(*r->nodes));
	if (r->nodes)
		r->nodes[r->n++] = node;
	return r->nodes != NULL;
}

static bool descend(struct search *s, uint32_t node)
{
	struct frame frame = {s->d->n_trail, s->out->n, 0};

	return add_node(s->out, node, s->arena) &&
	       push_frame(&s->frames, frame, s->arena) &&
	       mp_proof_domains_decide(s->d, node / 2, node % 2);
}

/* Puts the refutation of one way in the place of its node, if that suffices. */
static bool drop_decision(
	struct search *s, const struct frame *f, uint32_t from, bool *dropped)
{
	struct refutation *out = s->out;
	uint32_t n = out->n - from;

	if (!replay(s->d, out->nodes, from, out->n, dropped, &s->replayed,
		    s->arena))
		return false;
	if (!*dropped)
		return true;
	memmove(out->nodes + f->node, out->nodes + from,
		sizeof(*out->nodes) * n);
	out->n = f->node + n;
	return true;
}

/* The last way is refuted: goes back to a node with a way left and takes that.
 */
static bool ascend(struct search *s)
{
	while (s->frames.n > 0) {
		struct frame *f = &s->frames.at[s->frames.n - 1];
		uint32_t node = s->out->nodes[f->node];
		bool dropped;

		mp_proof_domains_undo(s->d, f->trail);
		if (!drop_decision(
			    s, f, f->other ? f->other : f->node + 1, &dropped))
			return false;
		f = &s->frames.at[s->frames.n - 1];
		if (!dropped && f->other == 0) {
			f->other = s->out->n;
			return mp_proof_domains_decide(
				s->d, node / 2, 1 - node % 2);
		}
		s->frames.n--;
	}
	return true;
}

bool mp_proof_refute(const struct problem *problem, struct ids among,
	uint64_t size, uint64_t most_work, struct refutation *refutation,
	bool *found, struct arena *arena)
{
	struct domains domains, *d = &domains;
	struct search s = {.d = d, .out = refutation, .arena = arena};

	*refutation = (struct refutation){.among = among};
	*found = false;
	if (!mp_proof_domains_init(d, problem, among, size, arena))
		return arena->error->code == MEMPLAN_OK;
	if (!mp_proof_domains_narrow(d))
		return false;
	do {
		while (!d->empty) {
			uint32_t node = choose(d);

			if (node == UINT32_MAX || d->work > most_work ||
				refutation->n == MOST_NODES)
				return true;
			if (!descend(&s, node))
				return false;
		}
		if (!ascend(&s))
			return false;
	} while (s.frames.n > 0);
	*found = true;
	return true;
}
