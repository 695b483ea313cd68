/*
 * Seats: the tree.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/seats.h"

#include <assert.h>
#include <string.h>

#include "base/prng.h"

/* ------------------------------------------------------------- tree */

static uint32_t take_spare(struct seats *o, bool is_stiff)
{
	uint32_t i;

	assert(o->n_spare > 0);
	i = o->spare[--o->n_spare];
	o->at[i] = (struct seat_node){.parent = NONE,
		.previous = NONE,
		.next = NONE,
		.first = NONE,
		.last = NONE,
		.is_stiff = is_stiff};
	return i;
}

static void give_back(struct seats *o, uint32_t i)
{
	o->spare[o->n_spare++] = i;
}

static bool is_leaf(const struct seats *o, uint32_t i)
{
	return o->at[i].n == 0;
}

/* Between two children that are neighbours; NONE: at an end. */
static void put_between(struct seats *o, uint32_t parent, uint32_t previous,
	uint32_t next, uint32_t i)
{
	struct seat_node *p = &o->at[parent], *x = &o->at[i];

	x->parent = parent;
	x->previous = previous;
	x->next = next;
	*(previous == NONE ? &p->first : &o->at[previous].next) = i;
	*(next == NONE ? &p->last : &o->at[next].previous) = i;
	p->n++;
}

static void put_beside(
	struct seats *o, uint32_t neighbour, bool is_behind, uint32_t i)
{
	const struct seat_node *x = &o->at[neighbour];

	if (is_behind)
		put_between(o, x->parent, neighbour, x->next, i);
	else
		put_between(o, x->parent, x->previous, neighbour, i);
}

static void take_off(struct seats *o, uint32_t i)
{
	struct seat_node *x = &o->at[i], *p = &o->at[x->parent];

	*(x->previous == NONE ? &p->first : &o->at[x->previous].next) = x->next;
	*(x->next == NONE ? &p->last : &o->at[x->next].previous) = x->previous;
	p->n--;
	x->parent = x->previous = x->next = NONE;
}

/* Puts a node that has no place where another is, which loses its own. */
static void put_for(struct seats *o, uint32_t old, uint32_t i)
{
	if (o->at[old].parent == NONE) {
		o->root = i;
	} else {
		put_beside(o, old, true, i);
		take_off(o, old);
	}
}

static uint32_t make_parent(struct seats *o, const uint32_t *leaves, uint32_t n)
{
	uint32_t i;

	for (uint32_t k = 0; k < n; k++)
		o->at[leaves[k]] = (struct seat_node){.parent = NONE,
			.previous = NONE,
			.next = NONE,
			.first = NONE,
			.last = NONE};
	if (n == 1)
		return leaves[0];
	i = take_spare(o, false);
	for (uint32_t k = 0; k < n; k++)
		put_between(o, i, o->at[i].last, NONE, leaves[k]);
	return i;
}

/* The node after this one, from left to right, children first, below a top.
 * NONE: there are no more. */
static uint32_t after(const struct seats *o, uint32_t i, uint32_t top)
{
	if (!is_leaf(o, i))
		return o->at[i].first;
	while (i != top && o->at[i].next == NONE)
		i = o->at[i].parent;
	return i == top ? NONE : o->at[i].next;
}

bool mp_planner_seats_marks(
	struct seat_marks *marks, uint32_t n_leaves, struct arena *arena)
{
	size_t n = (size_t)n_leaves * 2;

	*marks = (struct seat_marks){.of = NEW(arena, struct seat_mark, n),
		.queue = NEW(arena, uint32_t, n),
		.hash = NEW(arena, uint64_t, n)};
	return marks->of && marks->queue && marks->hash;
}

bool mp_planner_seats_init(struct seats *o, uint32_t n_leaves,
	struct seat_marks *marks, struct arena *arena)
{
	*o = (struct seats){
		.at = NEW(arena, struct seat_node, (size_t)n_leaves * 2),
		.marks = marks,
		.n_leaves = n_leaves,
		.spare = NEW(arena, uint32_t, n_leaves)};
	return o->at && o->spare;
}

void mp_planner_seats_begin(
	struct seats *o, const uint32_t *come, uint32_t n_come)
{
	o->n_spare = 0;
	for (uint32_t k = o->n_leaves; k-- > 0;)
		give_back(o, o->n_leaves + k);
	o->root = make_parent(o, come, n_come);
}

void mp_planner_seats_copy(struct seats *o, const struct seats *from)
{
	assert(o->n_leaves == from->n_leaves);
	memcpy(o->at, from->at, sizeof(*o->at) * o->n_leaves * 2);
	memcpy(o->spare, from->spare, sizeof(*o->spare) * from->n_spare);
	o->n_spare = from->n_spare;
	o->root = from->root;
}

static uint64_t mix(uint64_t a)
{
	return mp_prng(&a);
}

/* Of a node of which the children have theirs. */
static uint64_t hash_of(const struct seats *o, uint32_t i)
{
	const struct seat_node *x = &o->at[i];
	const uint64_t *hash = o->marks->hash;
	uint64_t sum = x->n, forth = 0, back = 0;

	for (uint32_t k = x->first; k != NONE; k = o->at[k].next) {
		sum += mix(hash[k]);
		forth = mix(forth + hash[k]);
	}
	if (!x->is_stiff)
		return mix(sum);
	for (uint32_t k = x->last; k != NONE; k = o->at[k].previous)
		back = mix(back + hash[k]);
	return mix(forth + back) + sum;
}

uint64_t mp_planner_seats_hash(
	const struct seats *o, const uint64_t *key, uint64_t *freedom)
{
	uint32_t *queue = o->marks->queue, n = 0;

	*freedom = 0;
	for (uint32_t i = o->root; i != NONE; i = after(o, i, o->root))
		queue[n++] = i;
	for (uint32_t k = n; k-- > 0;) {
		uint32_t i = queue[k];

		if (is_leaf(o, i)) {
			o->marks->hash[i] = key[i];
			continue;
		}
		o->marks->hash[i] = hash_of(o, i);
		if (o->at[i].is_stiff)
			*freedom += 256;
		else
			for (uint32_t m = 2; m <= o->at[i].n; m++)
				*freedom += num_log2(m);
	}
	o->marks->looks += n;
	return o->marks->hash[o->root];
}

uint32_t mp_planner_seats_any(const struct seats *o, uint32_t *members)
{
	uint32_t n = 0;

	for (uint32_t i = o->root; i != NONE; i = after(o, i, o->root))
		if (is_leaf(o, i))
			members[n++] = i;
	return n;
}

/* ------------------------------------------------------------ marks */

static bool is_marked(const struct seats *o, uint32_t i)
{
	return i != NONE && o->marks->of[i].stamp == o->marks->stamp;
}

static bool is_full(const struct seats *o, uint32_t i)
{
	return is_marked(o, i) && o->marks->of[i].n_full == o->at[i].n;
}

/* What is marked is so no more. 2^32 times later an old mark would be like a
 * new one. */
static void clear_marks(struct seats *o)
{
	if (++o->marks->stamp > 0)
		return;
	memset(o->marks->of, 0, sizeof(*o->marks->of) * o->n_leaves * 2);
	o->marks->stamp = 1;
}

/* From each leaf up to what is marked already. */
static void mark_up(struct seats *o, const uint32_t *leaves, uint32_t n)
{
	clear_marks(o);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = leaves[k], parent;

		o->marks->of[i] = (struct seat_mark){
			.stamp = o->marks->stamp, .n_leaves = 1};
		o->marks->looks++;
		for (; (parent = o->at[i].parent) != NONE; i = parent) {
			bool is_new = !is_marked(o, parent);

			if (is_new)
				o->marks->of[parent] = (struct seat_mark){
					.stamp = o->marks->stamp, .full = NONE};
			o->marks->of[parent].n++;
			o->marks->looks++;
			if (!is_new)
				break;
		}
	}
}

/* Tells the parent of a node of which all is known. True: of that too. */
static bool tell_parent(struct seats *o, uint32_t i)
{
	struct seat_mark *x = &o->marks->of[i];
	struct seat_mark *p = &o->marks->of[o->at[i].parent];

	if (is_full(o, i)) {
		x->next_full = p->full;
		p->full = i;
		p->n_full++;
	} else {
		if (p->n_partial < 2)
			p->partial[p->n_partial] = i;
		p->n_partial++;
	}
	p->n_leaves += x->n_leaves;
	return ++p->n_ready == p->n;
}

/* The lowest node above all of the leaves. */
static uint32_t find_top(struct seats *o, const uint32_t *leaves, uint32_t n)
{
	uint32_t n_queue = 0, k = 0;

	mark_up(o, leaves, n);
	for (uint32_t i = 0; i < n; i++)
		o->marks->queue[n_queue++] = leaves[i];
	while (o->marks->of[o->marks->queue[k]].n_leaves < n) {
		uint32_t i = o->marks->queue[k++];

		if (tell_parent(o, i))
			o->marks->queue[n_queue++] = o->at[i].parent;
	}
	return o->marks->queue[k];
}

/* ----------------------------------------------------------- checks */

/* Of a stiff node that has to be full at one end: is that the last child? */
static bool is_full_behind(const struct seats *o, uint32_t i)
{
	const struct seat_node *x = &o->at[i];

	return o->marks->of[i].n_full > 0
		       ? is_full(o, x->last)
		       : o->marks->of[i].partial[0] == x->last;
}

static uint32_t next_to(const struct seats *o, uint32_t i, bool is_behind)
{
	return is_behind ? o->at[i].next : o->at[i].previous;
}

/* Full at one end, then at most one that is partial. */
static bool is_full_at_end(struct seats *o, uint32_t i)
{
	const struct seat_mark *mark = &o->marks->of[i];
	bool behind = is_full_behind(o, i);
	uint32_t k = behind ? o->at[i].last : o->at[i].first, n = 0;

	for (; is_full(o, k); k = next_to(o, k, !behind))
		n++;
	o->marks->looks += n;
	return n == mark->n_full &&
	       (mark->n_partial == 0 || k == mark->partial[0]);
}

/* Can the full ones below a partial node all be at one end of it? */
static bool can_peel(struct seats *o, uint32_t i)
{
	bool fine = true;

	while (fine && i != NONE) {
		const struct seat_mark *mark = &o->marks->of[i];

		fine = mark->n_partial < 2 &&
		       (!o->at[i].is_stiff || is_full_at_end(o, i));
		i = mark->n_partial > 0 ? mark->partial[0] : NONE;
	}
	return fine;
}

/* Of a stiff node: the marked children, if they are neighbours and only those
 * at the ends are partial. */
static bool find_run(
	struct seats *o, uint32_t i, uint32_t *first, uint32_t *last)
{
	const struct seat_mark *mark = &o->marks->of[i];
	uint32_t n = 1;

	*first = mark->n_full > 0 ? mark->full : mark->partial[0];
	*last = *first;
	for (; is_marked(o, o->at[*first].previous); n++)
		*first = o->at[*first].previous;
	for (; is_marked(o, o->at[*last].next); n++)
		*last = o->at[*last].next;
	o->marks->looks += n;
	return n == mark->n &&
	       mark->n_partial ==
		       (uint32_t)!is_full(o, *first) + !is_full(o, *last);
}

static bool can_be(struct seats *o, uint32_t top)
{
	const struct seat_mark *mark = &o->marks->of[top];
	uint32_t first, last;
	bool fine = mark->n_partial <= 2;

	for (uint32_t k = 0; fine && k < mark->n_partial; k++)
		fine = can_peel(o, mark->partial[k]);
	return fine && (!o->at[top].is_stiff || is_full(o, top) ||
			       find_run(o, top, &first, &last));
}

/* ---------------------------------------------------------- changes */

/* Takes a full node away. */
static void collect(
	struct seats *o, uint32_t top, uint32_t *members, uint32_t *n)
{
	uint32_t next;

	for (uint32_t i = top; i != NONE; i = next) {
		next = after(o, i, top);
		if (is_leaf(o, i))
			members[(*n)++] = i;
		else
			give_back(o, i);
	}
}

static void collect_child(
	struct seats *o, uint32_t i, uint32_t *members, uint32_t *n)
{
	take_off(o, i);
	collect(o, i, members, n);
}

static void collect_full(
	struct seats *o, uint32_t i, uint32_t *members, uint32_t *n)
{
	uint32_t next;

	for (uint32_t k = o->marks->of[i].full; k != NONE; k = next) {
		next = o->marks->of[k].next_full;
		collect_child(o, k, members, n);
	}
}

/* Puts what is not full in a partial node beside a place, on one side of it,
 * the last beside it where the full ones were; these are collected from there
 * on. The node itself has no place. */
static void peel(struct seats *o, uint32_t i, uint32_t place, bool is_behind,
	uint32_t *members, uint32_t *n)
{
	while (i != NONE) {
		uint32_t inner = o->marks->of[i].n_partial > 0
					 ? o->marks->of[i].partial[0]
					 : NONE;
		struct seat_node *x = &o->at[i];
		bool behind = x->is_stiff && is_full_behind(o, i);

		if (x->is_stiff)
			while (is_full(o, behind ? x->last : x->first))
				collect_child(o, behind ? x->last : x->first,
					members, n);
		else
			collect_full(o, i, members, n);
		if (inner != NONE)
			take_off(o, inner);
		if (x->n > 1 && !x->is_stiff) {
			put_beside(o, place, is_behind, i);
		} else {
			while (x->n > 0) {
				uint32_t k = behind ? x->first : x->last;

				take_off(o, k);
				put_beside(o, place, is_behind, k);
			}
			give_back(o, i);
		}
		i = inner;
	}
}

static void turn(uint32_t *members, uint32_t n)
{
	for (uint32_t k = 0; k < n / 2; k++) {
		uint32_t i = members[k];

		members[k] = members[n - 1 - k];
		members[n - 1 - k] = i;
	}
}

/* A leaf below. */
static uint32_t any_leaf(const struct seats *o, uint32_t i)
{
	while (!is_leaf(o, i))
		i = o->at[i].first;
	return i;
}

/* What the run was beside, now that the place is where it was. A node of two
 * can as well be turned. */
static void note_neighbour(
	struct seats *o, uint32_t place, struct seat_run *run)
{
	const struct seat_node *x = &o->at[place];

	run->is_behind = x->previous != NONE;
	run->beside = any_leaf(o, run->is_behind ? x->previous : x->next);
	o->at[x->parent].is_stiff = o->at[x->parent].n > 2;
}

static void replace_in_stiff(
	struct seats *o, uint32_t top, uint32_t place, struct seat_run *run)
{
	uint32_t first, last, n = 0, next;

	find_run(o, top, &first, &last);
	put_beside(o, first, false, place);
	if (!is_full(o, first)) {
		next = o->at[first].next;
		take_off(o, first);
		peel(o, first, place, false, run->members, &n);
		turn(run->members, n);
		first = next;
	}
	for (; is_full(o, first); first = next) {
		next = o->at[first].next;
		collect_child(o, first, run->members, &n);
	}
	if (is_marked(o, first)) {
		take_off(o, first);
		peel(o, first, place, true, run->members, &n);
	}
	note_neighbour(o, place, run);
}

static void replace_in_loose(
	struct seats *o, uint32_t top, uint32_t place, struct seat_run *run)
{
	const struct seat_mark mark = o->marks->of[top];
	uint32_t n = 0, stiff;

	for (uint32_t k = 0; k < mark.n_partial; k++)
		take_off(o, mark.partial[k]);
	if (mark.n_partial == 0) {
		collect_full(o, top, run->members, &n);
		put_between(o, top, o->at[top].last, NONE, place);
		return;
	}
	stiff = take_spare(o, true);
	put_between(o, stiff, NONE, NONE, place);
	peel(o, mark.partial[0], place, false, run->members, &n);
	turn(run->members, n);
	collect_full(o, top, run->members, &n);
	if (mark.n_partial > 1)
		peel(o, mark.partial[1], place, true, run->members, &n);
	if (o->at[top].n > 0) {
		put_between(o, top, o->at[top].last, NONE, stiff);
	} else {
		put_for(o, top, stiff);
		give_back(o, top);
	}
	note_neighbour(o, place, run);
}

bool mp_planner_seats_replace(struct seats *o, const uint32_t *gone,
	uint32_t n_gone, const uint32_t *come, uint32_t n_come,
	struct seat_run *run)
{
	uint32_t top = find_top(o, gone, n_gone), place, n = 0;

	if (!can_be(o, top))
		return false;
	place = make_parent(o, come, n_come);
	run->beside = NONE;
	if (is_full(o, top)) {
		put_for(o, top, place);
		collect(o, top, run->members, &n);
	} else if (o->at[top].is_stiff) {
		replace_in_stiff(o, top, place, run);
	} else {
		replace_in_loose(o, top, place, run);
	}
	return true;
}
