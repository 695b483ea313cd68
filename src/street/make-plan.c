/*
 * The public call that plans: a walk down the street, and what has to hold of
 * its plan beside.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

enum memplan_status memplan_plan(memplan *m)
{
	struct run run = mp_street_begin(m);

	run.brief = true;
	if (mp_street_plan_like_tflm(m, &run) && mp_street_walk(m, &run) &&
		mp_street_has_buckets(m) && !mp_street_prove_buckets(m))
		mp_street_forget_results(m);
	return mp_street_end(m);
}
