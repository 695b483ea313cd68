/*
 * Orders, against a list of all of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/seats.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/sort.h"
#include "testing/random.h"

enum {
	MEMBERS = 6, /* at a time, at most */
	LEAVES = 12,
	MOST_LISTED = 720 * 720, /* before those that are the same are one */
	MOST_GONE = 3,
	ROUNDS = 12
};

/* Orders of n members, which are digits from the first on. */
struct list {
	uint64_t at[MOST_LISTED];
	uint32_t n;
};

static uint64_t read_digits(const uint32_t *members, uint32_t n)
{
	uint64_t digits = 0;

	for (uint32_t k = 0; k < n; k++)
		digits = digits * LEAVES + members[k];
	return digits;
}

/* Adds a beginning, all orders of some members, and an end. */
static void add_orders(struct list *list, const uint32_t *begin,
	uint32_t n_begin, const uint32_t *some, uint32_t n, const uint32_t *end,
	uint32_t n_end)
{
	uint32_t n_all = 1;

	for (uint32_t k = 2; k <= n; k++)
		n_all *= k;
	for (uint32_t number = 0; number < n_all; number++) {
		uint32_t order[LEAVES], left[LEAVES], rest = number;

		for (uint32_t k = 0; k < n_begin; k++)
			order[k] = begin[k];
		memcpy(left, some, sizeof(*left) * n);
		for (uint32_t k = n; k > 0; rest /= k--) {
			order[n_begin + n - k] = left[rest % k];
			left[rest % k] = left[k - 1];
		}
		for (uint32_t k = 0; k < n_end; k++)
			order[n_begin + n + k] = end[k];
		list->at[list->n++] = read_digits(order, n_begin + n + n_end);
	}
}

static bool has(const uint32_t *members, uint32_t n, uint32_t member)
{
	bool found = false;

	for (uint32_t k = 0; k < n; k++)
		found |= members[k] == member;
	return found;
}

/* Replaces what lies side by side in all that are listed. False: it does so in
 * none, and they stay. */
static bool replace_listed(struct list *list, uint32_t n, const uint32_t *gone,
	uint32_t n_gone, const uint32_t *come, uint32_t n_come)
{
	static struct list next;

	next.n = 0;
	for (uint32_t k = 0; k < list->n; k++) {
		uint32_t order[MEMBERS], from = n, found = 0;
		uint64_t digits = list->at[k];

		for (uint32_t i = n; i-- > 0; digits /= LEAVES)
			order[i] = (uint32_t)(digits % LEAVES);
		for (uint32_t i = n; i-- > 0;)
			from = has(gone, n_gone, order[i]) ? i : from;
		for (uint32_t i = from; i < n && i < from + n_gone; i++)
			found += has(gone, n_gone, order[i]);
		if (found < n_gone)
			continue;
		add_orders(&next, order, from, come, n_come,
			order + from + n_gone, n - from - n_gone);
	}
	next.n = mp_sort_unique_u64(next.at, next.n);
	if (next.n > 0)
		*list = next;
	return next.n > 0;
}

static bool is_listed(const struct list *list, const struct seats *o)
{
	uint32_t members[LEAVES];
	uint32_t n = mp_planner_seats_any(o, members);
	uint64_t digits = read_digits(members, n);
	bool found = false;

	for (uint32_t k = 0; k < list->n; k++)
		found |= list->at[k] == digits;
	return found;
}

/* Children of a node may change places, or turn. */
static uint64_t count_orders(const struct seats *o)
{
	uint64_t n = 1;
	uint32_t stack[2 * LEAVES], depth = 0;

	stack[depth++] = o->root;
	while (depth > 0) {
		const struct seat_node *x = &o->at[stack[--depth]];

		cr_assert(!x->is_stiff || x->n > 2);
		for (uint32_t k = 2; k <= (x->is_stiff ? 2 : x->n); k++)
			n *= k;
		for (uint32_t i = x->first; i != NONE; i = o->at[i].next)
			stack[depth++] = i;
	}
	return n;
}

struct members {
	uint32_t at[LEAVES], n;
};

/* Takes some by chance. */
static struct members draw(uint64_t *state, struct members *from, uint32_t most)
{
	uint32_t n = 1 + mp_testing_below(state, most);
	struct members to = {.n = 0};

	while (to.n < n) {
		uint32_t at = mp_testing_below(state, from->n);

		to.at[to.n++] = from->at[at];
		from->at[at] = from->at[--from->n];
	}
	return to;
}

static void add(struct members *to, const struct members *some)
{
	memcpy(to->at + to->n, some->at, sizeof(*some->at) * some->n);
	to->n += some->n;
}

/* A tree, all its orders, and what is in these or is not. */
struct both {
	struct seats orders;
	struct list list;
	struct members in, out;
	uint64_t state;
};

static void begin(struct both *b, uint64_t seed, struct seat_marks *marks,
	struct arena *arena)
{
	b->state = seed;
	b->out.n = LEAVES;
	for (uint32_t k = 0; k < LEAVES; k++)
		b->out.at[k] = k;
	b->in = draw(&b->state, &b->out, MEMBERS);
	b->list.n = 0;
	add_orders(&b->list, NULL, 0, b->in.at, b->in.n, NULL, 0);
	cr_assert(mp_planner_seats_marks(marks, LEAVES, arena));
	marks->stamp = UINT32_MAX - 2; /* soon begins anew */
	cr_assert(mp_planner_seats_init(&b->orders, LEAVES, marks, arena));
	mp_planner_seats_begin(&b->orders, b->in.at, b->in.n);
}

/* Replaces some. False: they are side by side in no order. */
static bool replace(struct both *b)
{
	uint32_t n = b->in.n, run_members[MEMBERS];
	struct seat_run run = {.members = run_members};
	struct members gone =
		draw(&b->state, &b->in, (uint32_t)num_min(n, MOST_GONE));
	struct members come = draw(&b->state, &b->out, MEMBERS - b->in.n);
	bool fine = mp_planner_seats_replace(
		&b->orders, gone.at, gone.n, come.at, come.n, &run);
	bool is_there =
		replace_listed(&b->list, n, gone.at, gone.n, come.at, come.n);

	cr_assert_eq(fine, is_there);
	if (fine) {
		for (uint32_t k = 0; k < gone.n; k++)
			cr_assert(has(run_members, gone.n, gone.at[k]));
		cr_assert(run.beside == NONE ||
			  has(b->in.at, b->in.n, run.beside));
	}
	add(&b->in, fine ? &come : &gone);
	add(&b->out, fine ? &gone : &come);
	cr_assert(is_listed(&b->list, &b->orders));
	cr_assert_eq(count_orders(&b->orders), b->list.n);
	return fine;
}

Test(seats, are_those_of_a_list)
{
	static struct both b;
	uint32_t n_replaced = 0, n_tries = 0;

	for (uint64_t seed = 1; seed <= mp_testing_cases(60, 1); seed++) {
		struct error error = {0};
		struct arena arena = {.error = &error};
		struct seat_marks marks;

		begin(&b, seed, &marks, &arena);
		for (int round = 0; round < ROUNDS; round++, n_tries++)
			n_replaced += replace(&b);
		mp_arena_free(&arena);
	}
	cr_assert_gt(n_tries - n_replaced, n_tries / 20);
	cr_assert_gt(n_replaced, n_tries / 2);
}

/* Orders are the same to those that cannot tell two members. */
Test(seats, have_one_hash_if_they_are_alike)
{
	static const uint64_t key[LEAVES] = {7, 7, 5, 4, 3, 3};
	static const uint32_t all[] = {0, 1, 2, 3}, a[] = {0, 2}, b[] = {1, 2},
			      c[] = {0, 1}, come[] = {4, 5};
	struct error error = {0};
	struct arena arena = {.error = &error};
	uint32_t members[LEAVES];
	struct seat_run run = {.members = members};
	struct seat_marks marks;
	struct seats x, y, z;
	uint64_t freedom_of_x, freedom_of_z, hash, freedom;

	cr_assert(mp_planner_seats_marks(&marks, LEAVES, &arena));
	cr_assert(mp_planner_seats_init(&x, LEAVES, &marks, &arena));
	cr_assert(mp_planner_seats_init(&y, LEAVES, &marks, &arena));
	cr_assert(mp_planner_seats_init(&z, LEAVES, &marks, &arena));
	mp_planner_seats_begin(&x, all, countof(all));
	mp_planner_seats_copy(&y, &x);
	mp_planner_seats_copy(&z, &x);
	cr_assert(mp_planner_seats_replace(&x, a, 2, come, 2, &run));
	cr_assert(mp_planner_seats_replace(&y, b, 2, come, 2, &run));
	cr_assert(mp_planner_seats_replace(&z, c, 2, come, 1, &run));
	hash = mp_planner_seats_hash(&x, key, &freedom_of_x);
	cr_assert_eq(mp_planner_seats_hash(&y, key, &freedom), hash);
	cr_assert_eq(freedom, freedom_of_x);
	cr_assert_neq(mp_planner_seats_hash(&z, key, &freedom_of_z), hash);
	cr_assert_gt(freedom_of_x, freedom_of_z);
	mp_arena_free(&arena);
}
