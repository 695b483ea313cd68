/*
 * A team of POSIX threads that take indices from one counter.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/threads.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
	TEAM_MOST = 64 /* threads */
};

struct team {
	atomic_uint next; /* first index that no thread has taken */
	uint32_t n;
	void (*run)(void *context, uint32_t i);
	void *context;
};

static void *work(void *argument)
{
	struct team *team = argument;
	uint32_t i;

	while ((i = atomic_fetch_add(&team->next, 1)) < team->n)
		team->run(team->context, i);
	return NULL;
}

void mp_team_run(uint32_t threads, uint32_t n,
	void (*run)(void *context, uint32_t i), void *context)
{
	struct team team = {.n = n, .run = run, .context = context};
	pthread_t helpers[TEAM_MOST];
	uint32_t started = 0;

	assert(run);
	while (started < TEAM_MOST && started + 1 < threads &&
		started + 1 < n &&
		pthread_create(&helpers[started], NULL, work, &team) == 0)
		started++;
	work(&team);
	while (started > 0)
		pthread_join(helpers[--started], NULL);
}
