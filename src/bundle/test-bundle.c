/*
 * Random graphs in one arena, held against arithmetic and pairs of tensors: the
 * greatest or the sum of what each takes, and no byte that two of them have at
 * once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/num.h"
#include "bundle/testing.h"
#include "testing/random.h"

enum {
	MOST_PARTS = 3,
	MOST_OPS = 7,
	MOST_TENSORS = 3 * MOST_OPS + 4,
	CASES = 400,
};

struct fixture {
	uint64_t random, seed;
	bool concurrent, by_plans; /* plans are joined, not graphs */
	bool branches;		   /* some graph has them */
	uint32_t n, n_streams;
	uint64_t alignment;
	const char *inplace;
	struct text text[MOST_PARTS];
	memplan *parts[MOST_PARTS];
	memplan *plans[MOST_PARTS]; /* the parts' own, read back */
	char plan[MOST_PARTS][PLAN];
	uint64_t kept[MOST_PARTS];    /* bytes, rounded */
	uint64_t is_kept[MOST_PARTS]; /* bit t: tensor t, unless external */
	memplan *whole;
};

/* ----------------------------------------------------------- graphs */

/* Tensors 0 to 3: an input, two that are kept, and one of the caller's. Tensor
 * 4 + i is made by op i. */
static void put_tensors(
	struct fixture *f, struct text *text, uint32_t n_ops, uint64_t *kept)
{
	static const char *const kinds[] = {
		"activation", "activation", "activation", "output"};

	*kept = 1 << 1 | 1 << 2;
	put(text, "\"tensors\":[{\"id\":0,\"size\":%u,\"kind\":\"input\"},",
		mp_testing_below(&f->random, 40));
	put(text, "{\"id\":1,\"size\":%u,\"kind\":\"state\"},",
		mp_testing_below(&f->random, 30));
	put(text, "{\"id\":2,\"kind\":\"weight\"%s",
		mp_testing_below(&f->random, 4) ? "" : ",\"align\":16");
	put(text, ",\"external\":%s",
		mp_testing_below(&f->random, 2) ? "true" : "false");
	put(text, ",\"size\":%u},", mp_testing_below(&f->random, 30));
	put(text, "{\"id\":3,\"size\":9,\"external\":true}");
	for (uint32_t i = 0; i < n_ops; i++) {
		bool lifelong = mp_testing_below(&f->random, 8) == 0;
		uint32_t size;

		put(text, ",{\"id\":%u,\"kind\":\"%s\"%s", 4 + i,
			kinds[mp_testing_below(&f->random, 4)],
			lifelong ? ",\"lifelong\":\"all\"" : "");
		size = 1 + mp_testing_below(&f->random, 3) * 16;
		size += mp_testing_below(&f->random, 2) * 7;
		put(text, ",\"size\":%u}", size);
		*kept |= (uint64_t)lifelong << (4 + i);
	}
	put(text, "],");
}

/* Tensors that do not share, and two of which only one is there. */
static void put_relations(
	struct fixture *f, struct text *text, uint32_t n_tensors)
{
	uint32_t a = mp_testing_below(&f->random, n_tensors),
		 b = mp_testing_below(&f->random, n_tensors);

	if (a != b && mp_testing_below(&f->random, 2))
		put(text, "\"apart\":[[%u,%u]],", a, b);
	a = mp_testing_below(&f->random, n_tensors);
	b = mp_testing_below(&f->random, n_tensors);
	if (a == b || mp_testing_below(&f->random, 3) > 0)
		return;
	put(text, "\"exclusive\":[[[%u],[%u]]],", a, b);
	f->branches = true;
}

static void put_op(struct fixture *f, struct text *text, uint32_t op,
	uint32_t n_streams, bool reuse)
{
	uint32_t input = mp_testing_below(&f->random, 4 + op);
	uint32_t other = mp_testing_below(&f->random, 4);

	put(text, "%s{\"name\":\"op %u\",\"stream\":%u,\"inputs\":[%u,%u],",
		op > 0 ? "," : "", op, mp_testing_below(&f->random, n_streams),
		input, other);
	put(text, "\"outputs\":[%u],\"temporaries\":[%u]", 4 + op,
		mp_testing_below(&f->random, 20));
	if (input >= 4 && mp_testing_below(&f->random, 3) > 0)
		put(text, ",\"inplace\":[[%u,%u]]", 4 + op, input);
	put(text, "%s}", reuse ? "" : ",\"reuse\":false");
}

static void put_graph(struct fixture *f, uint32_t part)
{
	struct text *text = &f->text[part];
	uint32_t n_ops = 1 + mp_testing_below(&f->random, MOST_OPS),
		 n_streams = f->n_streams;
	uint64_t *kept = &f->is_kept[part];

	text->length = 0;
	put(text,
		"{\"format\":\"memplan.graph\",\"version\":1,"
		"\"name\":\"net %c\",\"alignment\":%llu,",
		(char)('a' + part), (unsigned long long)f->alignment);
	put_relations(f, text, 4 + n_ops);
	put_tensors(f, text, n_ops, kept);
	put(text, "\"ops\":[");
	for (uint32_t op = 0; op < n_ops; op++) {
		bool reuse = mp_testing_below(&f->random, 8) > 0;

		put_op(f, text, op, n_streams, reuse);
		if (!reuse)
			*kept |= UINT64_C(1) << (4 + op) |
				 UINT64_C(1) << (4 + n_ops + op);
	}
	put(text, "]}");
}

/* -------------------------------------------------------------- run */

static uint64_t number(const memplan *m, const char *name)
{
	uint64_t value = 0;

	cr_assert(memplan_number(m, name, &value), "%s", name);
	return value;
}

/* A plan says all that joining needs to know. */
static memplan *read_back(struct fixture *f, uint32_t i)
{
	size_t length = write_plan(f->parts[i], f->plan[i]);

	f->plans[i] = memplan_new();
	memplan_input(
		f->plans[i], "graph", "net.plan.json", f->plan[i], length);
	cr_assert_eq(memplan_plan(f->plans[i]), MEMPLAN_OK, "%s\n%s",
		memplan_error(f->plans[i]), f->text[i].bytes);
	return f->plans[i];
}

static void plan_part(struct fixture *f, uint32_t i)
{
	struct memplan_tensor t;

	f->parts[i] = memplan_new();
	memplan_set(f->parts[i], "effort", "0");
	memplan_set(f->parts[i], "inplace", f->inplace);
	memplan_input(f->parts[i], "graph", "net.json", f->text[i].bytes,
		f->text[i].length);
	cr_assert_eq(memplan_plan(f->parts[i]), MEMPLAN_OK, "%s\n%s",
		memplan_error(f->parts[i]), f->text[i].bytes);
	f->kept[i] = 0;
	for (uint32_t k = 0; memplan_tensor_at(f->parts[i], k, &t, sizeof(t));
		k++)
		if (!t.external && (f->is_kept[i] >> k & 1))
			f->kept[i] += num_up(t.size, f->alignment);
}

static void make(struct fixture *f, uint64_t seed)
{
	f->seed = seed;
	f->random = seed * 77 + 5;
	f->concurrent = mp_testing_below(&f->random, 2);
	f->n = 1 + mp_testing_below(&f->random, MOST_PARTS);
	f->alignment = mp_testing_below(&f->random, 2) ? 1 : 16;
	f->n_streams = 1 + mp_testing_below(&f->random, 2);
	f->by_plans = mp_testing_below(&f->random, 2);
	f->branches = false;
	f->inplace = f->concurrent || f->n_streams > 1 ? "equal" : "on";
	f->whole = memplan_new();
	memplan_set(f->whole, "order", "dfs"); /* the parts have theirs */
	memplan_set(
		f->whole, "together", f->concurrent ? "concurrent" : "serial");
	for (uint32_t i = 0; i < f->n; i++) {
		put_graph(f, i);
		plan_part(f, i);
		read_back(f, i);
		cr_assert_eq(
			memplan_join(f->whole,
				f->by_plans ? f->plans[i] : f->parts[i], NULL),
			MEMPLAN_OK, "%s", memplan_error(f->whole));
	}
	cr_assert_eq(memplan_plan(f->whole), MEMPLAN_OK, "seed %llu: %s\n%s",
		(unsigned long long)seed, memplan_error(f->whole),
		f->text[0].bytes);
}

static void release(struct fixture *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		memplan_free(f->parts[i]), memplan_free(f->plans[i]);
	memplan_free(f->whole);
}

/* --------------------------------------------------------- expected */

/* What all take together, of what each takes. */
static uint64_t together(const struct fixture *f, const char *name)
{
	uint64_t rest = 0, kept = 0, own;

	for (uint32_t i = 0; i < f->n; i++) {
		own = number(f->parts[i], name) - f->kept[i];
		kept += f->kept[i];
		rest = f->concurrent ? rest + own : num_max(rest, own);
	}
	return rest + kept;
}

struct held {
	struct memplan_tensor tensor; /* of the whole */
	struct memplan_tensor own;    /* of its part */
	uint32_t part;
	bool kept;
};

static uint32_t list_tensors(const struct fixture *f, struct held *held)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++)
		for (uint32_t k = 0; memplan_tensor_at(
			     f->parts[i], k, &held[n].own, sizeof(held[n].own));
			k++) {
			if (held[n].own.external)
				continue;
			cr_assert(memplan_tensor_at(f->whole, n,
				&held[n].tensor, sizeof(held[n].tensor)));
			cr_assert_eq(held[n].tensor.size, held[n].own.size);
			held[n].kept = f->is_kept[i] >> k & 1;
			held[n++].part = i;
		}
	cr_assert_not(memplan_tensor_at(
		f->whole, n, &held[n].tensor, sizeof(held[n].tensor)));
	return n;
}

static bool share_bytes(const struct fixture *f, const struct memplan_tensor *a,
	const struct memplan_tensor *b)
{
	return a->size > 0 && b->size > 0 &&
	       a->offset < b->offset + num_up(b->size, f->alignment) &&
	       b->offset < a->offset + num_up(a->size, f->alignment);
}

/* Tensors of one graph share exactly what they share in its own plan, unless
 * one of them is kept: then nothing. */
static void check_pair(
	const struct fixture *f, const struct held *a, const struct held *b)
{
	bool shared = share_bytes(f, &a->tensor, &b->tensor);
	bool kept = a->kept || b->kept;

	if (kept || (a->part != b->part && f->concurrent))
		cr_assert_not(shared, "seed %llu: %s and %s",
			(unsigned long long)f->seed, a->tensor.id,
			b->tensor.id);
	else if (a->part == b->part && f->alignment == 16)
		cr_assert_eq(shared, share_bytes(f, &a->own, &b->own),
			"seed %llu: %s and %s", (unsigned long long)f->seed,
			a->tensor.id, b->tensor.id);
	else if (a->part == b->part)
		cr_assert(!shared || a->own.end <= b->own.start ||
				  b->own.end <= a->own.start ||
				  share_bytes(f, &a->own, &b->own),
			"seed %llu: %s and %s", (unsigned long long)f->seed,
			a->tensor.id, b->tensor.id);
}

static void check_tensors(struct fixture *f)
{
	struct held held[MOST_PARTS * MOST_TENSORS];
	uint32_t n = list_tensors(f, held);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			check_pair(f, &held[k], &held[i]);
}

/* A plan that is read back is valid, and written again has the same bytes. */
static void check_format(struct fixture *f, const char *format)
{
	static char plan[PLAN], first[PLAN];
	const void *bytes;
	size_t length, n_plan = write_plan(f->whole, plan), n_first;
	memplan *again = memplan_new();
	uint64_t claimed;

	cr_assert_eq(memplan_write(f->whole, format, &bytes, &n_first),
		MEMPLAN_OK, "%s", memplan_error(f->whole));
	cr_assert_lt(n_first, sizeof(first));
	memcpy(first, bytes, n_first);
	memplan_input(again, "graph", "nets.json", plan, n_plan);
	cr_assert_eq(memplan_check(again), MEMPLAN_OK, "seed %llu: %s\n%.*s",
		(unsigned long long)f->seed, memplan_error(again), (int)n_plan,
		plan);
	cr_assert_eq(memplan_write(again, format, &bytes, &length), MEMPLAN_OK);
	/* A header has the proved bound, and the plan claims that of its
	 * members. */
	if (strcmp(format, "header") == 0 &&
		memplan_number(again, "claimed_bound", &claimed)) {
		memplan_free(again);
		return;
	}
	cr_assert_eq(length, n_first, "seed %llu: %s",
		(unsigned long long)f->seed, format);
	cr_assert_arr_eq((const char *)bytes, first, length, "seed %llu: %s",
		(unsigned long long)f->seed, format);
	memplan_free(again);
}

static void check_again(struct fixture *f)
{
	check_format(f, "plan");
	check_format(f, "header");
	check_format(f, "table");
}

/* Each graph with lifetimes of its own, against the plan of all. */
static void check_members(struct fixture *f)
{
	static char plan[PLAN];
	size_t length = write_plan(f->whole, plan);

	for (uint32_t i = 0; i < f->n; i++) {
		memplan *graph = memplan_new(), *again = memplan_new();

		memplan_set(graph, "inplace", f->inplace);
		memplan_input(graph, "graph", "net.json", f->text[i].bytes,
			f->text[i].length);
		memplan_input(again, "graph", "nets.json", plan, length);
		cr_assert_eq(memplan_check_against(graph, again), MEMPLAN_OK,
			"seed %llu: %s\n%s", (unsigned long long)f->seed,
			memplan_error(graph), f->text[i].bytes);
		memplan_free(graph);
		memplan_free(again);
	}
}

/* Among streams the minimum of graphs with branches is that of the listed
 * order. */
static void check_sizes(struct fixture *f)
{
	bool streams = f->concurrent || f->n_streams > 1;

	if (f->alignment != 16)
		return;
	cr_assert_eq(number(f->whole, "arena_size"), together(f, "arena_size"),
		"seed %llu", (unsigned long long)f->seed);
	if (streams && f->branches)
		return;
	cr_assert_eq(number(f->whole, "theoretical_min"),
		together(f, "theoretical_min"), "seed %llu\n%s",
		(unsigned long long)f->seed, f->text[0].bytes);
}

/* Random graphs, several in one arena, each time held against one property. */
static void check_bundles(void (*check)(struct fixture *f))
{
	static struct fixture f;

	for (uint64_t seed = 0; seed < CASES; seed++) {
		make(&f, seed);
		check(&f);
		release(&f);
	}
}

Test(bundle, graphs_take_the_greatest_or_the_sum)
{
	check_bundles(check_sizes);
}

Test(bundle, graphs_share_bytes_as_alone_but_for_what_is_kept)
{
	check_bundles(check_tensors);
}

Test(bundle, every_graph_finds_itself_in_the_plan)
{
	check_bundles(check_members);
}

Test(bundle, files_are_the_same_when_read_and_written_again)
{
	check_bundles(check_again);
}
