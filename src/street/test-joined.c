/*
 * A handle that others are joined to: a bundle. Its members stay what they are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/testing.h"

#include "base/num.h"
#include "testing/player.h"

/* The graph under another name and alignment. */
static const char *variant(const char *name, uint32_t alignment)
{
	static char text[GRAPH];
	const char *rest = strstr(chain(), ",\"tensors\"");

	snprintf(text, GRAPH,
		"{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"%s\","
		"\"alignment\":%u%s",
		name, alignment, rest);
	return text;
}

static memplan *new_bundle(const char *together)
{
	memplan *m = memplan_new();

	memplan_set(m, "steps", "2000");
	memplan_set(m, "together", together);
	return m;
}

/* The rules that --together follows are the library's: what was read only is
 * planned as by hand. */
Test(joined, plans_members_as_by_hand)
{
	static const char *const together[] = {"serial", "concurrent"};

	for (size_t i = 0; i < countof(together); i++) {
		memplan *a = read_handle("a.json", variant("a", 64)), *b, *m;
		memplan *c = read_handle("a.json", variant("a", 64)), *d, *hand;
		char *plan;

		b = read_handle("b.json", variant("b", 256));
		d = read_handle("b.json", variant("b", 256));
		m = new_bundle(together[i]);
		hand = new_bundle(together[i]);
		memplan_set(c, "align", "256");
		memplan_set(c, "inplace", i ? "equal" : "on");
		memplan_set(d, "inplace", i ? "equal" : "on");
		cr_assert_eq(memplan_plan(c), MEMPLAN_OK);
		cr_assert_eq(memplan_plan(d), MEMPLAN_OK);
		memplan_join(hand, c, NULL);
		memplan_join(hand, d, NULL);
		plan = plan_of(hand);
		memplan_join(m, a, NULL);
		memplan_join(m, b, NULL);
		expect_plan(m, plan);
		expect_plan(m, plan);
		memplan_free(m);
		memplan_free(hand);
		memplan_free(a);
		memplan_free(b);
		memplan_free(c);
		memplan_free(d);
		free(plan);
	}
}

/* Joining did not change the member's own options. */
Test(joined, leaves_a_member_to_itself)
{
	memplan *a = read_handle("a.json", variant("a", 64));
	memplan *b = read_handle("b.json", variant("b", 4096));
	memplan *m = new_bundle("concurrent");
	char *plan = plan_of(a), *both;

	memplan_free(a);
	a = read_handle("a.json", variant("a", 64));
	memplan_join(m, a, NULL);
	memplan_join(m, b, NULL);
	both = plan_of(m);
	cr_assert_eq(number(a, "alignment"), 4096);
	expect_plan(a, plan);
	cr_assert_eq(number(a, "alignment"), 64);
	expect_plan(m, both);
	free(both);
	free(plan);
	memplan_free(m);
	memplan_free(a);
	memplan_free(b);
}

Test(joined, takes_another_member_after_a_plan)
{
	memplan *a = read_handle("a.json", variant("a", 64));
	memplan *b = read_handle("b.json", variant("b", 64));
	memplan *m = new_bundle("serial"), *both = new_bundle("serial");
	char *plan;

	memplan_join(m, a, NULL);
	free(plan_of(m));
	memplan_join(m, b, ".16");
	memplan_join(both, a, NULL);
	memplan_join(both, b, ".16");
	plan = plan_of(both);
	cr_assert_str_eq(memplan_text(both, "name"), "a+b.16");
	expect_plan(m, plan);
	free(plan);
	memplan_free(m);
	memplan_free(both);
	memplan_free(a);
	memplan_free(b);
}

/* Of joined graphs with several streams too. */
Test(joined, swaps_of_a_bundle)
{
	static struct play play;
	static char text[PLAY_JSON];
	memplan *a, *m = new_bundle("serial");

	mp_testing_player_random(&play, 10);
	mp_testing_player_print(&play, text);
	a = read_handle("a.json", text);
	memplan_join(m, a, NULL);
	memplan_set(m, "forward-end", "1");
	cr_assert_eq(
		memplan_simulate_swap(m), MEMPLAN_OK, "%s", memplan_error(m));
	free(write_report(m, "swap"));
	memplan_free(m);
	memplan_free(a);
}

/* What a search has proved of the only member, which is above its load, is no
 * claim of a file. */
Test(joined, checks_a_bundle)
{
	static struct play play;
	static char text[PLAY_JSON];
	memplan *a, *m = new_bundle("serial");
	uint64_t bound, load;

	mp_testing_player_random(&play, 125);
	mp_testing_player_print(&play, text);
	a = read_handle("a.json", text);
	memplan_join(m, a, NULL);
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK);
	cr_assert(memplan_number(m, "lower_bound", &bound));
	cr_assert(memplan_number(m, "theoretical_min", &load));
	cr_assert_gt(bound, load);
	cr_assert_eq(memplan_check(m), MEMPLAN_OK, "%s", memplan_error(m));
	memplan_free(m);
	memplan_free(a);
}

/* A plan of fewer graphs is none of the bundle's; a join that is refused
 * changes nothing. */
Test(joined, forgets_its_plan_when_it_joins_another)
{
	memplan *a = read_handle("a.json", variant("a", 64));
	memplan *b = read_handle("b.json", variant("b", 64));
	memplan *m = new_bundle("serial");
	struct memplan_gap gap;
	const void *bytes;
	char *plan;
	size_t n;

	memplan_join(m, a, NULL);
	plan = plan_of(m);
	cr_assert_eq(memplan_join(m, b, "a"), MEMPLAN_EINPUT);
	expect_report(m, "plan", plan);
	cr_assert_eq(memplan_join(m, b, NULL), MEMPLAN_OK);
	cr_assert_eq(memplan_gap_at(m, 0, &gap, sizeof(gap)), 0);
	cr_assert_eq(memplan_write(m, "plan", &bytes, &n), MEMPLAN_NO);
	free(plan);
	memplan_free(m);
	memplan_free(a);
	memplan_free(b);
}

static void expect_refusal(memplan *m, const char *sentence)
{
	cr_assert_eq(memplan_plan(m), MEMPLAN_EUSAGE);
	cr_assert_str_eq(memplan_error(m), sentence);
	cr_assert_eq(memplan_check_against(m, m), MEMPLAN_EUSAGE);
}

/* The caller may have used a member otherwise. */
Test(joined, notices_a_member_that_changed)
{
	memplan *a = read_handle("a.json", variant("a", 64));
	memplan *b = read_handle("b.json", variant("b", 64));
	memplan *m = new_bundle("serial"), *of_plan = new_bundle("concurrent");

	memplan_join(m, a, NULL);
	memplan_plan(b);
	memplan_join(of_plan, b, NULL);
	memplan_survey(b);
	expect_refusal(of_plan, "b: joined for a plan that it holds no more");
	memplan_input(a, "graph", "c.json", "{}", 2);
	expect_refusal(m, "a: joined for an input that it holds no more");
	cr_assert_eq(memplan_join(m, b, NULL), MEMPLAN_EUSAGE);
	memplan_free(m);
	memplan_free(of_plan);
	memplan_free(a);
	memplan_free(b);
}

Test(joined, joins_nothing_beside_an_input)
{
	memplan *a = read_handle("a.json", variant("a", 64));
	memplan *b = read_handle("b.json", variant("b", 64));

	cr_assert_eq(memplan_join(a, b, NULL), MEMPLAN_EUSAGE);
	cr_assert_str_eq(memplan_error(a),
		"a.json: a handle with an input joins no others");
	cr_assert_eq(memplan_plan(a), MEMPLAN_OK, "%s", memplan_error(a));
	memplan_free(a);
	memplan_free(b);
}

/* Batches of one graph: named by the batch, told of where a tensor shrinks. */
Test(joined, compares_batches)
{
	static const char key[] = "\"id\":5,\"size\":";
	char *larger = malloc(GRAPH);
	memplan *m = new_bundle("serial"), *small, *large, *other;

	strcpy(larger, chain());
	strstr(larger, key)[strlen(key)] = '9'; /* 1000 becomes 9000 */
	small = read_handle("chain.json", larger);
	large = read_handle("chain.json", chain());
	other = read_handle("chain.json", chain());
	memplan_join(m, large, ".16");
	memplan_join(m, small, ".4");
	memplan_join(m, other, ".x");
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert_str_eq(memplan_text(m, "name"), "chain");
	cr_assert(memplan_warning(m, 0));
	cr_assert(strstr(memplan_warning(m, 0),
			  "chain.json: 1 tensor is larger at batch 4 than at "
			  "batch 16, first '5': 9000 and 1000 bytes"),
		"%s", memplan_warning(m, 0));
	cr_assert(!memplan_warning(m, 1));
	memplan_free(m);
	memplan_free(small);
	memplan_free(large);
	memplan_free(other);
	free(larger);
}
