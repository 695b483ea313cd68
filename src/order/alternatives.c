/*
 * The alternatives of a job: distinct orders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/inside.h"

#include <assert.h>
#include <string.h>

bool mp_order_alternatives_init(struct order_job *job)
{
	uint32_t n = job->graph->n_ops;

	job->n_alternatives = 0;
	for (uint32_t i = 0; i < ORDER_ALTERNATIVES; i++) {
		job->alternatives[i] = NEW(job->arena, uint32_t, n);
		if (!job->alternatives[i])
			return false;
	}
	return true;
}

void mp_order_alternatives_offer(struct order_job *job, const uint32_t *order,
	uint64_t peak, const char *name)
{
	if (job->n_alternatives > 0 && peak > job->found)
		return;
	if (job->n_alternatives == 0 || peak < job->found) {
		job->n_alternatives = 0;
		job->found = peak;
		job->winner = name;
	}
	mp_order_alternatives_add(job, order);
}

const uint32_t *mp_order_alternatives_add(
	struct order_job *job, const uint32_t *order)
{
	size_t bytes = sizeof(*order) * job->graph->n_ops;

	assert(job->n_alternatives <= ORDER_ALTERNATIVES);
	for (uint32_t i = 0; i < job->n_alternatives; i++)
		if (memcmp(job->alternatives[i], order, bytes) == 0)
			return job->alternatives[i];
	if (job->n_alternatives == ORDER_ALTERNATIVES)
		return NULL;
	return memcpy(job->alternatives[job->n_alternatives++], order, bytes);
}
