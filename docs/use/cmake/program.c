/*
 * Uses a header that the build makes with memplan.
 *
 * SPDX-License-Identifier: MIT
 */
#include <memplan/host.h>
#include <stdio.h>

#include "net_plan.h"

int main(void)
{
	void *block = memplan_host_allocate(&tiny_pools[0]);

	if (memplan_entries_check(
		    tiny_entries, TINY_N_TENSORS, tiny_pools, TINY_N_POOLS))
		return 1;
	printf("%u tensors in %llu bytes\n", TINY_N_TENSORS,
		(unsigned long long)TINY_ARENA_SIZE);
	memplan_host_free(block);
	return 0;
}
