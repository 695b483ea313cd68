/*
 * The blocks of a plan, each by itself: what they are given, and which arena
 * counts that.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "memplan/memplan.h"
#include "street/street.h"

static const char TENSORS[] = "id,lower,upper,size\n"
			      "a,0,2,900\nb,1,3,900\nc,2,4,900\n";

struct seen {
	memplan *m;
	uint64_t held; /* by the run before the blocks */
	uint32_t blocks, buffers;
};

static memplan *plan_of(const char *pools)
{
	memplan *m = memplan_new();

	memplan_set(m, "pools", pools);
	memplan_input(m, "graph", "a.csv", TENSORS, strlen(TENSORS));
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	return m;
}

static bool look(void *context, struct block *block)
{
	struct seen *seen = context;

	seen->blocks++;
	seen->buffers += block->problem->n_buffers;
	cr_assert(block->space);
	cr_assert_gt(seen->m->run.held, seen->held);
	for (uint32_t i = 0; i < block->problem->n_buffers; i++)
		cr_assert_leq(block->offsets[i] + 900, block->height);
	return true;
}

/* The problem of a block is memory of the run: the limit of --max-memory is for
 * both together. */
Test(each_block, counts_what_a_block_holds)
{
	memplan *m = plan_of("small=1000,large=1MiB");
	struct run run = mp_street_run(m);
	struct seen seen = {.m = m, .held = m->run.held};

	cr_assert(mp_street_each_block(m, &run, look, &seen, "test"));
	cr_assert_eq(seen.blocks, 2);
	cr_assert_eq(seen.buffers, 3);
	memplan_free(m);
}

static bool spoil(void *context, struct block *block)
{
	memplan *m = context;

	block->offsets[0] += 64;
	block->height += 64;
	return mp_fail(&m->error, MEMPLAN_ENOMEM, "out of memory");
}

/* Memory that is out costs what the work would have found, and a warning. */
Test(each_block, goes_back_where_memory_is_out)
{
	memplan *m = plan_of("small=1000,large=1MiB");
	struct run run = mp_street_run(m);
	uint64_t before, after;
	struct memplan_tensor was, now;

	cr_assert(memplan_number(m, "arena_size", &before));
	cr_assert(memplan_tensor_at(m, 0, &was, sizeof(was)));
	cr_assert(mp_street_each_block(m, &run, spoil, m, "test"));
	cr_assert(memplan_number(m, "arena_size", &after));
	cr_assert(memplan_tensor_at(m, 0, &now, sizeof(now)));
	cr_assert_eq(before, after);
	cr_assert_eq(was.offset, now.offset);
	cr_assert_str_eq(memplan_warning(m, 0),
		"out of memory for test: the plan stays as it was");
	memplan_free(m);
}
