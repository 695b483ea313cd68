/*
 * What handles can be joined, and what joining cannot do.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memplan/memplan.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/num.h"

static uint64_t number(const memplan *m, const char *name)
{
	uint64_t value = 0;

	cr_assert(memplan_number(m, name, &value), "%s", name);
	return value;
}

static memplan *plan_text(const char *name, const char *text)
{
	memplan *m = memplan_new();

	memplan_input(m, "graph", name, text, strlen(text));
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	return m;
}

static const char one[] = "id,lower,upper,size\na,-5,1,100\nb,0,9,40\n";
static const char fixed[] =
	"{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"one\","
	"\"tensors\":[{\"id\":0,\"size\":5,\"lifetime\":[0,1],\"offset\":512},"
	"{\"name\":\"w\",\"size\":6,\"kind\":\"state\"}],\"ops\":[{}]}";

/* A graph of one tensor of 64 bytes and one of 32, and bytes that are not its
 * own. */
#define RESERVED(name, offset, size, range)                                    \
	"{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"" name         \
	"\",\"alignment\":32,\"tensors\":[{\"id\":0,\"size\":64,\"kind\":"     \
	"\"input\"},{\"id\":1,\"size\":32}],\"ops\":[{\"inputs\":[0],"         \
	"\"outputs\":[1]}],\"reserved\":[{\"offset\":" offset                  \
	",\"size\":" size ",\"name\":\"" range "\"}]}"

static void expect_failure(memplan *m, memplan *part,
	enum memplan_status status, const char *wanted)
{
	cr_assert_eq(memplan_join(m, part, NULL), status);
	cr_assert(strstr(memplan_error(m), wanted), "%s", memplan_error(m));
	memplan_free(m);
}

static memplan *joined(memplan *part)
{
	memplan *m = memplan_new();

	cr_assert_eq(memplan_join(m, part, NULL), MEMPLAN_OK);
	return m;
}

Test(bundle, names_and_roundings_must_fit)
{
	memplan *a = plan_text("one.csv", one);
	memplan *b = plan_text("b/one.csv", one);
	memplan *c = plan_text("c.json", fixed), *empty = memplan_new();

	expect_failure(joined(a), b, MEMPLAN_EINPUT,
		"b/one.csv: the graph is called 'one', as is that of one.csv");
	expect_failure(joined(a), c, MEMPLAN_EINPUT, "c.json: the graph is");
	expect_failure(memplan_new(), empty, MEMPLAN_EUSAGE,
		"only what was read, or holds a verified plan");
	memplan_free(b);
	b = plan_text("two.csv", one);
	expect_failure(joined(c), b, MEMPLAN_EUSAGE,
		"two.csv: planned with an alignment of 1, c.json with 512");
	memplan_free(a);
	memplan_free(b);
	memplan_free(c);
	memplan_free(empty);
}

Test(bundle, what_is_fixed_stays_where_it_is)
{
	memplan *part = plan_text("c.json", fixed), *m = joined(part);
	struct memplan_tensor tensor;

	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert(memplan_tensor_at(m, 0, &tensor, sizeof(tensor)));
	cr_assert_eq(tensor.offset, 512);
	memplan_free(m);
	memplan_free(part);
}

/* Ranges that overlap are one; none of them holds a tensor. */
Test(bundle, reserved_bytes_are_those_of_all)
{
	memplan *a = plan_text("a.json", RESERVED("a", "64", "192", "boot"));
	memplan *b = plan_text("b.json", RESERVED("b", "128", "256", "radio"));
	memplan *m = joined(a);
	const void *bytes;
	size_t length;

	memplan_join(m, b, NULL);
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert_eq(number(m, "arena_size"), 416);
	cr_assert_eq(memplan_write(m, "plan", &bytes, &length), MEMPLAN_OK);
	cr_assert(
		strstr(bytes, "\"reserved\": [{\"offset\": 64, \"size\": 320, "
			      "\"name\": \"boot, radio\"}]"));
	memplan_free(a);
	memplan_free(b);
	memplan_free(m);
}

Test(bundle, graphs_without_ops_have_one_for_each_step)
{
	memplan *a = plan_text("one.csv", one), *b = plan_text("two.csv", one);
	memplan *m = joined(a);
	struct memplan_op op;

	memplan_set(m, "together", "concurrent");
	memplan_join(m, b, "2/x");
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert_eq(number(m, "arena_size"), 280);
	cr_assert_eq(number(m, "theoretical_min"), 280);
	cr_assert_eq(number(m, "ops"), 6);
	cr_assert(memplan_op_at(m, 3, &op, sizeof(op)));
	cr_assert_str_eq(op.name, "2.x/-5");
	cr_assert_str_eq(memplan_text(m, "name"), "one+2.x");
	memplan_free(a);
	memplan_free(b);
	memplan_free(m);
}

/* Memory that is out is told at any place, and nothing is left behind. */
Test(bundle, survives_every_failed_allocation)
{
	static const char *const limits[] = {"1KiB", "70KiB", "130KiB",
		"140KiB", "200KiB", "260KiB", "1MiB"};
	memplan *a = plan_text("a.json", RESERVED("a", "64", "192", "boot"));
	memplan *b = plan_text("b.json", RESERVED("b", "128", "256", "radio"));
	enum memplan_status status = MEMPLAN_ENOMEM;

	for (size_t i = 0; i < countof(limits); i++) {
		memplan *m = memplan_new();

		memplan_set(m, "max-memory", limits[i]);
		status = memplan_join(m, a, NULL);
		if (status == MEMPLAN_OK)
			status = memplan_join(m, b, NULL);
		if (status == MEMPLAN_OK)
			status = memplan_plan(m);
		cr_assert(status == MEMPLAN_ENOMEM || status == MEMPLAN_OK,
			"%s: %s", limits[i], memplan_error(m));
		memplan_free(m);
	}
	cr_assert_eq(status, MEMPLAN_OK);
	memplan_free(a);
	memplan_free(b);
}
