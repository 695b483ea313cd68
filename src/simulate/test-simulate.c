/*
 * Every pool against a naive one on random requests, rules worked out by hand,
 * and the order of requests.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "simulate/simulate.h"
#include "testing/naive-allocator.h"
#include "testing/random-problem.h"
#include "testing/random.h"

enum {
	N = 120,
	SEEDS = 300,
};

static const struct simulator *row(const char *name)
{
	for (uint32_t i = 0; i < mp_n_simulators; i++)
		if (strcmp(mp_simulators[i].name, name) == 0)
			return &mp_simulators[i];
	cr_assert(false, "no row %s", name);
	return NULL;
}

static struct pool_settings told = {.increment = 1 << 30};

static struct simulation run(const char *name, const struct requests *requests)
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct simulation result;

	cr_assert(mp_simulate_row(
		row(name), requests, &told, false, &result, &arena, &error));
	mp_arena_free(&arena);
	return result;
}

/* ----------------------------------------------------------- random */

struct random_requests {
	struct requests requests;
	uint32_t events[2 * N], first[2];
	uint64_t bytes[N];
	bool persistent[N];
};

/* Sizes of many orders of magnitude, some of them equal. */
static uint64_t random_size(uint64_t *state)
{
	uint64_t shift = mp_testing_below(state, 28);

	if (mp_testing_one_in(state, 3))
		return UINT64_C(1) << shift;
	return 1 + mp_prng(state) % (UINT64_C(2) << shift);
}

static void make_random(struct random_requests *r, uint64_t seed)
{
	uint32_t live[N], n_live = 0, born = 0, n_events = 0, i;
	uint64_t state = seed;
	uint32_t greed = 2 + mp_testing_below(&state, 4);

	memset(r, 0, sizeof(*r));
	for (i = 0; i < N; i++) {
		r->bytes[i] = random_size(&state);
		r->persistent[i] = mp_testing_one_in(&state, 8);
	}
	while (n_events < 2 * N) {
		if (born < N &&
			(n_live == 0 || mp_testing_below(&state, 8) > greed)) {
			live[n_live++] = born;
			r->events[n_events++] = born++ * 2;
			continue;
		}
		i = mp_testing_below(&state, n_live);
		r->events[n_events++] = live[i] * 2 + 1;
		live[i] = live[--n_live];
	}
	r->first[1] = n_events;
	r->requests = (struct requests){
		N, 1, N, r->events, r->first, r->bytes, r->persistent};
}

static void same(const struct simulation *got, const struct simulation *want,
	const char *name, uint64_t seed)
{
	cr_assert(got->reserved == want->reserved &&
			  got->in_use == want->in_use &&
			  got->high_water == want->high_water &&
			  got->free == want->free &&
			  got->largest_free == want->largest_free &&
			  got->regions == want->regions,
		"%s, seed %llu: reserved %llu %llu, in use %llu %llu, high "
		"%llu %llu, largest %llu %llu",
		name, (unsigned long long)seed,
		(unsigned long long)got->reserved,
		(unsigned long long)want->reserved,
		(unsigned long long)got->in_use,
		(unsigned long long)want->in_use,
		(unsigned long long)got->high_water,
		(unsigned long long)want->high_water,
		(unsigned long long)got->largest_free,
		(unsigned long long)want->largest_free);
}

Test(simulate, rows_agree_with_naive_pools)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct random_requests random;

		make_random(&random, seed);
		for (uint32_t i = 0; i < mp_testing_n_naive_pools; i++) {
			struct simulation want = mp_testing_naive_run(
				&mp_testing_naive_pools[i], &random.requests);
			struct simulation got =
				run(mp_testing_naive_pools[i].name,
					&random.requests);

			same(&got, &want, mp_testing_naive_pools[i].name, seed);
		}
	}
}

/* Every row serves all requests, ends empty in its own count, and holds at
 * least what is alive. */
Test(simulate, every_row_holds_what_is_alive)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct random_requests random;
		struct simulation least;

		make_random(&random, seed);
		least = run("os", &random.requests);
		for (uint32_t i = 0; i < mp_n_simulators; i++) {
			struct simulation s =
				run(mp_simulators[i].name, &random.requests);

			cr_assert(s.requests == N);
			cr_assert(s.in_use >= least.in_use);
			cr_assert(s.high_water >= least.in_use);
			cr_assert(s.reserved >= s.high_water);
			cr_assert(s.free <= s.reserved - s.in_use);
			cr_assert(s.largest_free <= s.free);
		}
	}
}

/* Unmapping leaves at most a page at each end of what is in use. */
Test(simulate, defragmentation_wastes_no_more_than_edges)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct random_requests random;
		struct simulation vmm;

		make_random(&random, seed);
		vmm = run("mindspore-vmm", &random.requests);
		cr_assert(vmm.reserved <= vmm.in_use + (4u << 20) * (N + 1));
	}
}

/* ---------------------------------------------------------- by hand */

/* Letters allocate, capitals free; sizes by letter. */
static struct simulation script(
	const char *name, const char *text, const uint64_t *sizes)
{
	static struct random_requests r;
	uint32_t n = 0;

	memset(&r, 0, sizeof(r));
	for (; text[n]; n++)
		r.events[n] = text[n] >= 'a'
				      ? (uint32_t)(text[n] - 'a') * 2
				      : (uint32_t)(text[n] - 'A') * 2 + 1;
	r.first[1] = n;
	memcpy(r.bytes, sizes, 8 * sizeof(*sizes));
	r.requests = (struct requests){
		8, 1, 8, r.events, r.first, r.bytes, r.persistent};
	return run(name, &r.requests);
}

/* The article's picture: a free chunk of 1024 serves 512 and is split, so that
 * the next 512 fits behind it. A request of 768 takes it whole. */
Test(simulate, bfc_splits_what_is_twice_the_request)
{
	uint64_t sizes[8] = {1024, 256, 512, 512, 768, 256};

	cr_assert(script("bfc-one", "abAcd", sizes).high_water == 1280);
	cr_assert(script("bfc-one", "abAe", sizes).in_use == 1280);
	cr_assert(script("bfc-one", "abAef", sizes).high_water == 1536);
}

/* 300 MiB and 200 MiB: not twice as large, but 100 MiB would not be lost; at
 * 330 MiB 130 would, so it is split. */
Test(simulate, bfc_splits_off_128_mebibytes)
{
	uint64_t mib = 1 << 20;
	uint64_t kept[8] = {300 * mib, 256, 200 * mib, 90 * mib};
	uint64_t cut[8] = {330 * mib, 256, 200 * mib, 90 * mib};

	cr_assert(
		script("bfc-one", "abAcd", kept).high_water == 390 * mib + 256);
	cr_assert(
		script("bfc-one", "abAcd", cut).high_water == 330 * mib + 256);
}

/* 2 MiB first; 6 MiB forces the 4 that is next to 8, which then stays; behind
 * an 8 that was not forced comes 16. */
Test(simulate, bfc_doubles_its_regions)
{
	uint64_t mib = 1 << 20;
	uint64_t sizes[8] = {mib, 6 * mib, 8 * mib, 9 * mib};

	cr_assert(script("bfc", "a", sizes).reserved == 2 * mib);
	cr_assert(script("bfc", "ab", sizes).reserved == 10 * mib);
	cr_assert(script("bfc", "abc", sizes).reserved == 18 * mib);
	cr_assert(script("bfc", "abcd", sizes).reserved == 34 * mib);
}

Test(simulate, mindspore_splits_off_512_and_grows_by_units)
{
	uint64_t gib = 1 << 30;
	uint64_t sizes[8] = {1536, 512, 1024, 512, gib, gib + 1};

	cr_assert(script("mindspore-one", "abAcd", sizes).high_water == 2048);
	cr_assert(script("mindspore", "a", sizes).reserved == gib);
	cr_assert(script("mindspore", "ae", sizes).reserved == 2 * gib);
	cr_assert(script("mindspore", "aef", sizes).reserved == 4 * gib);
}

/* 5,000 bytes are 5,120; an increment need not be a power of two. Of 16,384
 * bytes from the start half are for weights. The last region is what is left,
 * and what then fits nowhere is refused. */
Test(simulate, mindspore_is_told_what_to_hold)
{
	uint64_t sizes[8] = {5000, 5000, 4096, 512};
	struct simulation result;

	told = (struct pool_settings){.increment = 3000};
	cr_assert(script("mindspore", "a", sizes).reserved == 6000);
	cr_assert(script("mindspore", "aA", sizes).refused == 0);
	told.initial = 16384;
	cr_assert(script("mindspore", "a", sizes).reserved == 16384);
	cr_assert(script("mindspore", "ab", sizes).reserved == 16384 + 6000);
	told.most = 17000;
	/* The common pool cannot grow, so the persistent one gives. */
	cr_assert(script("mindspore", "ab", sizes).reserved == 16384);
	cr_assert(script("mindspore", "abd", sizes).reserved == 16384);
	result = script("mindspore", "abcd", sizes);
	cr_assert(result.refused == 4096 && result.reserved == 16384);
	told.most = 18000;
	told.initial = 0;
	result = script("mindspore", "abcd", sizes);
	cr_assert(result.refused == 0 && result.reserved == 18000, "%llu %llu",
		(unsigned long long)result.refused,
		(unsigned long long)result.reserved);
	told = (struct pool_settings){.increment = 1 << 30};
}

/* 192 is halved into 64 and 128. The 64 that is freed while the 128 is in use
 * is lost: the next 64 makes the pool grow. */
Test(simulate, pool64_loses_a_half_while_the_other_is_used)
{
	uint64_t sizes[8] = {192, 64, 128, 64, 192};

	cr_assert(script("pool64", "aAbc", sizes).reserved == 192);
	cr_assert(script("pool64", "aAbcBd", sizes).reserved == 256);
	cr_assert(script("pool64", "aAbcBCe", sizes).reserved == 192);
}

/* Two idle 2 MiB blocks that are not neighbours back 4 MiB in one piece. */
Test(simulate, vmm_gathers_pages)
{
	uint64_t mib = 1 << 20;
	uint64_t sizes[8] = {2 * mib, 2 * mib, 2 * mib, 4 * mib};

	cr_assert(script("mindspore-vmm", "abcACd", sizes).reserved == 6 * mib);
	cr_assert(script("mindspore-one", "abcACd", sizes).reserved == 8 * mib);
}

/* --------------------------------------------------------- requests */

/* Each buffer once allocated, once freed, within its lifetime. */
static void check_requests(const struct problem *p, enum release_rule rule)
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	static const struct graph no_tensors;
	struct schedule s = {.graph = &no_tensors, .problem = *p};
	struct requests r;
	uint32_t n_born = 0;
	uint32_t *state = NEW(&arena, uint32_t, p->n_buffers);

	cr_assert(mp_simulate_requests_init(&r, &s, rule, &arena));
	for (uint32_t k = 0; k < p->n_steps; k++)
		for (uint32_t i = r.first[k]; i < r.first[k + 1]; i++) {
			uint32_t buffer = r.events[i] / 2;

			cr_assert(state[buffer]++ == r.events[i] % 2);
			cr_assert(r.events[i] % 2
					  ? p->buffers[buffer].end == k + 1
					  : p->buffers[buffer].start == k);
			n_born += r.events[i] % 2 == 0;
		}
	cr_assert(n_born == p->n_buffers);
	cr_assert(r.first[p->n_steps] == 2 * p->n_buffers);
	mp_arena_free(&arena);
}

Test(simulate, requests_follow_lifetimes)
{
	struct random_shape shape = {.buffers = 40, .steps = 20, .parts = true};

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct error error = {0};
		struct arena arena = {.error = &error};
		struct problem problem;

		cr_assert(mp_testing_random_problem(
			seed, &shape, &problem, &arena));
		check_requests(&problem, BY_LIFETIME);
		mp_arena_free(&arena);
	}
}

/* An op with two outputs and two temporaries, one of which is never freed. */
struct leak {
	struct tensor tensors[4];
	struct op ops[3];
	struct buffer buffers[4];
	struct stay stay[4];
	struct graph graph;
	struct schedule schedule;
};

static void make_leak(struct leak *l)
{
	static const uint32_t made[] = {0, 1}, scratch[] = {2, 3};
	static const uint32_t read[] = {1, 0}, release[] = {3};
	static const uint32_t order[] = {0, 1, 2};
	static const uint32_t ends[] = {2, 2, 3, 1};

	*l = (struct leak){0};
	for (uint32_t i = 0; i < 4; i++) {
		l->tensors[i] = (struct tensor){.size = 8,
			.kind = i < 2 ? KIND_ACTIVATION : KIND_TEMPORARY};
		l->stay[i] = (struct stay){.buffer = i, .end = ends[i]};
		l->buffers[i] = (struct buffer){.size = 8, .end = ends[i]};
	}
	l->ops[0] = (struct op){.outputs = {made, 2},
		.temporaries = {scratch, 2},
		.release = {release, 1}};
	l->ops[1] = (struct op){.inputs = {read, 2}};
	l->graph = (struct graph){.n_ops = 3,
		.n_tensors = 4,
		.ops = l->ops,
		.tensors = l->tensors};
	l->schedule = (struct schedule){.graph = &l->graph,
		.problem = {.n_buffers = 4,
			.n_steps = 3,
			.buffers = l->buffers},
		.order = order,
		.stay = l->stay};
}

static void expect(const struct schedule *s, enum release_rule rule,
	const uint32_t *events, const uint32_t *first)
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct requests r;

	cr_assert(mp_simulate_requests_init(&r, s, rule, &arena));
	for (uint32_t i = 0; i < 8; i++)
		cr_assert(r.events[i] == events[i], "event %u is %u", i,
			r.events[i]);
	for (uint32_t k = 0; k < 4; k++)
		cr_assert(r.first[k] == first[k]);
	mp_arena_free(&arena);
}

Test(simulate, counts_free_what_a_trace_leaks)
{
	static const uint32_t by_lifetime[] = {0, 2, 4, 6, 7, 3, 1, 5};
	static const uint32_t first_lifetime[] = {0, 5, 7, 8};
	static const uint32_t by_count[] = {0, 2, 4, 6, 5, 7, 3, 1};
	static const uint32_t first_count[] = {0, 6, 8, 8};
	struct leak leak;

	make_leak(&leak);
	expect(&leak.schedule, BY_LIFETIME, by_lifetime, first_lifetime);
	expect(&leak.schedule, BY_COUNT, by_count, first_count);
}
