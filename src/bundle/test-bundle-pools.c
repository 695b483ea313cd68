/*
 * Random graphs that name pools, several together, held against all pairs of
 * tensors as the plan file has them: which lie in one pool at one time, in
 * which pool, within its capacity, out of what is reserved there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle/testing.h"
#include "testing/random.h"

enum {
	BUNDLES = 1000, /* unless MEMPLAN_PROBLEMS says ten times another */
	NIGHTLY = 10,
	MOST_PARTS = 3,
	MOST_OPS = 6,
	N_POOLS = 3,
	ALIGN = 8,
	FIRST_OUTPUT = 3, /* tensors: an input, a state, one in the way */
	MOST_ITEMS = MOST_PARTS * (FIRST_OUTPUT + 2 * MOST_OPS),
};

static const char *const pool_names[N_POOLS] = {"fast", "wide", "slow"};

struct part {
	struct text text;
	char plan[PLAN];
	unsigned allowed[FIRST_OUTPUT + MOST_OPS]; /* bit k: pool k */
	uint64_t reserved; /* so many bytes from 0 of pool 0 on */
	memplan *m, *again;
};

struct fixture {
	uint64_t random, seed;
	bool concurrent, by_plans;
	uint32_t n;
	uint64_t capacity[N_POOLS]; /* 0: none */
	struct part parts[MOST_PARTS];
	memplan *whole;
	char plan[PLAN];
};

/* ----------------------------------------------------------- graphs */

/* The last has room for everything. */
static void put_pools(struct fixture *f, struct text *text)
{
	put(text, "\"pools\":[");
	for (uint32_t k = 0; k < N_POOLS; k++) {
		put(text, "%s{\"name\":\"%s\"", k ? "," : "", pool_names[k]);
		if (f->capacity[k])
			put(text, ",\"capacity\":%llu",
				(unsigned long long)f->capacity[k]);
		put(text, "}");
	}
	put(text, "],");
}

static void put_tensor(
	struct fixture *f, struct part *part, uint32_t id, const char *kind)
{
	struct text *text = &part->text;
	uint32_t first = mp_testing_below(&f->random, N_POOLS),
		 n = mp_testing_below(&f->random, 3);

	put(text, "%s{\"id\":%u,\"size\":%u,\"kind\":\"%s\"", id ? "," : "", id,
		1 + mp_testing_below(&f->random, 60), kind);
	part->allowed[id] = 7;
	if (n > 0) {
		uint32_t second = n == 2 ? 2 - (first == 2) : first;

		part->allowed[id] = 1u << first | 1u << second;
		put(text, ",\"pools\":[\"%s\"", pool_names[first]);
		if (second != first)
			put(text, ",\"%s\"", pool_names[second]);
		put(text, "]");
	}
	put(text, "}");
}

static void put_ops(struct fixture *f, struct part *part, uint32_t n_ops)
{
	struct text *text = &part->text;

	put(text, "],\"ops\":[");
	for (uint32_t op = 0; op < n_ops; op++) {
		uint32_t input =
			mp_testing_below(&f->random, FIRST_OUTPUT + op);

		put(text, "%s{\"inputs\":[%u,%u],\"outputs\":[%u],",
			op ? "," : "", input,
			mp_testing_below(&f->random, FIRST_OUTPUT),
			FIRST_OUTPUT + op);
		put(text, "\"inplace\":[[%u,%u]],\"temporaries\":[%u]}",
			FIRST_OUTPUT + op, input,
			1 + mp_testing_below(&f->random, 20));
	}
	put(text, "]");
}

static void put_part(struct fixture *f, uint32_t i)
{
	struct part *part = &f->parts[i];
	uint32_t n_ops = 1 + mp_testing_below(&f->random, MOST_OPS);

	part->text.length = 0;
	part->reserved = mp_testing_below(&f->random, 3)
				 ? 0
				 : 1 + mp_testing_below(&f->random, 40);
	put(&part->text,
		"{\"format\":\"memplan.graph\",\"version\":1,"
		"\"name\":\"net%u\",\"alignment\":%d,",
		i, ALIGN);
	put_pools(f, &part->text);
	if (part->reserved)
		put(&part->text,
			"\"reserved\":[{\"offset\":0,\"size\":%u,"
			"\"pool\":\"fast\"}],",
			(unsigned)part->reserved);
	put(&part->text, "\"tensors\":[");
	put_tensor(f, part, 0, "input");
	put_tensor(f, part, 1, "state");
	put_tensor(f, part, 2, "input");
	for (uint32_t op = 0; op < n_ops; op++)
		put_tensor(f, part, FIRST_OUTPUT + op,
			mp_testing_below(&f->random, 3) ? "activation"
							: "output");
	put_ops(f, part, n_ops);
	put(&part->text, "}");
}

/* -------------------------------------------------------------- run */

static memplan *read(const char *name, const char *text)
{
	memplan *m = memplan_new();

	memplan_set(m, "steps", "1000");
	memplan_set(m, "inplace", "equal");
	memplan_input(m, "graph", name, text, strlen(text));
	return m;
}

static void expect_misfit(const struct fixture *f, const memplan *m,
	enum memplan_status status, const char *text)
{
	cr_assert(status == MEMPLAN_NO || status == MEMPLAN_EBUDGET,
		"seed %llu: %s\n%s", (unsigned long long)f->seed,
		memplan_error(m), text);
}

static bool plan_part(struct fixture *f, struct part *part)
{
	enum memplan_status status;

	part->again = NULL;
	part->m = read("net.json", part->text.bytes);
	status = memplan_plan(part->m);
	if (status != MEMPLAN_OK)
		return expect_misfit(f, part->m, status, part->text.bytes),
		       false;
	write_plan(part->m, part->plan);
	part->again = read("net.plan.json", part->plan);
	cr_assert_eq(memplan_plan(part->again), MEMPLAN_OK, "%s",
		memplan_error(part->again));
	return true;
}

static bool plan_whole(struct fixture *f)
{
	enum memplan_status status;

	memplan_set(
		f->whole, "together", f->concurrent ? "concurrent" : "serial");
	for (uint32_t i = 0; i < f->n; i++)
		memplan_join(f->whole,
			f->by_plans ? f->parts[i].again : f->parts[i].m, NULL);
	status = memplan_plan(f->whole);
	if (status != MEMPLAN_OK)
		expect_misfit(f, f->whole, status, f->parts[0].text.bytes);
	return status == MEMPLAN_OK;
}

static bool make(struct fixture *f, uint64_t seed)
{
	bool fine = true;

	f->seed = f->random = seed;
	f->concurrent = mp_testing_below(&f->random, 2);
	f->by_plans = mp_testing_below(&f->random, 3) == 0;
	f->n = 2 + mp_testing_below(&f->random, MOST_PARTS - 1);
	f->capacity[0] = 8 * (20 + mp_testing_below(&f->random, 40));
	f->capacity[1] = 8 * (40 + mp_testing_below(&f->random, 60));
	f->capacity[2] = 0;
	f->whole = memplan_new();
	memplan_set(f->whole, "steps", "1000");
	for (uint32_t i = 0; i < f->n; i++) {
		put_part(f, i);
		fine = plan_part(f, &f->parts[i]) && fine;
	}
	return fine && plan_whole(f);
}

static void release(struct fixture *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		memplan_free(f->parts[i].m);
		memplan_free(f->parts[i].again);
	}
	memplan_free(f->whole);
}

/* --------------------------------------------------------- expected */

struct item {
	unsigned part, id, pool, start, end;
	bool temporary;
	uint64_t offset, size;
};

static uint64_t number_behind(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	cr_assert(at, "%s: %.80s", key, line);
	return strtoull(at + strlen(key), NULL, 10);
}

static bool read_item(const char *line, struct item *item)
{
	const char *pool = strstr(line, "\"pool\": \"");

	if (sscanf(line, "    {\"id\": \"net%u/%u", &item->part, &item->id) !=
		2)
		return false;
	cr_assert(pool);
	for (item->pool = 0; strncmp(pool + 9, pool_names[item->pool], 4) != 0;)
		item->pool++;
	item->temporary = strstr(line, "temporary") != NULL;
	item->offset = number_behind(line, "\"offset\": ");
	item->size = number_behind(line, "\"size\": ");
	item->start = (unsigned)number_behind(line, "\"start\": ");
	item->end = (unsigned)number_behind(line, "\"end\": ");
	return true;
}

static uint32_t list_items(const char *plan, struct item *items)
{
	const char *line = strstr(plan, "\"tensors\": [\n");
	uint32_t n = 0;

	for (; line && n < MOST_ITEMS; n++) {
		line = strchr(line, '\n') + 1;
		if (!read_item(line, &items[n]))
			break;
	}
	return n;
}

static void check_place(const struct fixture *f, const struct item *item)
{
	const struct part *part = &f->parts[item->part];

	if (!item->temporary)
		cr_assert(part->allowed[item->id] >> item->pool & 1,
			"seed %llu: %u/%u", (unsigned long long)f->seed,
			item->part, item->id);
	if (f->capacity[item->pool])
		cr_assert_leq(item->offset + item->size,
			f->capacity[item->pool], "seed %llu: %u/%u",
			(unsigned long long)f->seed, item->part, item->id);
	for (uint32_t i = 0; i < f->n && item->pool == 0; i++)
		cr_assert(item->offset >= f->parts[i].reserved,
			"seed %llu: %u/%u in reserved bytes\n%s",
			(unsigned long long)f->seed, item->part, item->id,
			f->plan);
}

static bool may_share(
	const struct fixture *f, const struct item *a, const struct item *b)
{
	if (a->part != b->part && f->concurrent)
		return false;
	return a->end <= b->start || b->end <= a->start;
}

static void check_items(struct fixture *f)
{
	struct item items[MOST_ITEMS];
	uint32_t n = list_items(f->plan, items);

	cr_assert_gt(n, 3 * f->n);
	for (uint32_t i = 0; i < n; i++) {
		const struct item *a = &items[i];

		check_place(f, a);
		for (uint32_t k = 0; k < i; k++) {
			const struct item *b = &items[k];

			cr_assert(a->pool != b->pool || may_share(f, a, b) ||
					  a->offset >= b->offset + b->size ||
					  b->offset >= a->offset + a->size,
				"seed %llu: %u/%u and %u/%u\n%s",
				(unsigned long long)f->seed, a->part, a->id,
				b->part, b->id, f->plan);
		}
	}
}

/* What is kept lives throughout. */
static void check_states(struct fixture *f)
{
	struct item items[MOST_ITEMS];
	uint32_t n = list_items(f->plan, items);
	uint64_t steps = 0;

	memplan_number(f->whole, "ops", &steps);
	for (uint32_t i = 0; i < n; i++)
		if (items[i].id == 1 && !items[i].temporary)
			cr_assert(items[i].start == 0 && items[i].end == steps,
				"seed %llu\n%s", (unsigned long long)f->seed,
				f->plan);
}

static void check_files(struct fixture *f)
{
	static char again[PLAN];
	memplan *m = read("nets.json", f->plan);

	cr_assert_eq(memplan_check(m), MEMPLAN_OK, "seed %llu: %s\n%s",
		(unsigned long long)f->seed, memplan_error(m), f->plan);
	write_plan(m, again);
	cr_assert_str_eq(
		f->plan, again, "seed %llu", (unsigned long long)f->seed);
	memplan_free(m);
	for (uint32_t i = 0; i < f->n; i++) {
		memplan *graph = read("net.json", f->parts[i].text.bytes);

		m = read("nets.json", f->plan);
		cr_assert_eq(memplan_check_against(graph, m), MEMPLAN_OK,
			"seed %llu: %s\n%s\n%s", (unsigned long long)f->seed,
			memplan_error(graph), f->parts[i].text.bytes, f->plan);
		memplan_free(graph);
		memplan_free(m);
	}
}

/* Random graphs with pools, several together, held against one property where
 * they fit. */
static void check_bundles(void (*check)(struct fixture *f))
{
	static struct fixture f;
	uint64_t first = mp_testing_first();
	uint64_t n = mp_testing_cases(BUNDLES, NIGHTLY), fit = 0;

	for (uint64_t seed = first; seed < first + n; seed++) {
		if (make(&f, seed)) {
			write_plan(f.whole, f.plan);
			check(&f);
			fit++;
		}
		release(&f);
	}
	cr_assert_gt(fit, n / 3, "%llu", (unsigned long long)fit);
}

Test(bundle_pools, tensors_of_one_pool_and_time_are_apart, .timeout = 3000)
{
	check_bundles(check_items);
}

Test(bundle_pools, states_live_throughout, .timeout = 3000)
{
	check_bundles(check_states);
}

Test(bundle_pools, files_are_the_same_when_read_and_written_again,
	.timeout = 3000)
{
	check_bundles(check_files);
}
