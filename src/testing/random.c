/*
 * How many seeds a test tries, and which is the first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/random.h"

#include <stdlib.h>

uint64_t mp_testing_cases(uint64_t usual, uint64_t nightly)
{
	const char *wanted = getenv("MEMPLAN_PROBLEMS");

	return wanted ? nightly * strtoull(wanted, NULL, 10) : usual;
}

uint64_t mp_testing_first(void)
{
	const char *wanted = getenv("MEMPLAN_FIRST");

	return wanted ? strtoull(wanted, NULL, 10) : 1;
}
