/*
 * Where the system has no fork(): no crew can be begun. See crew.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/crew.h"

#include "cli/say.h"

bool cli_crew_begin(struct crew *crew, uint32_t n, struct arena *arena)
{
	*crew = (struct crew){.arena = arena, .n = n};
	return cli_usage("this needs processes as POSIX has them; on Windows "
			 "use memplan in WSL"),
	       false;
}

bool cli_crew_start(struct crew *crew, uint64_t item,
	int (*work)(void *context, uint64_t item), void *context)
{
	(void)crew;
	(void)item;
	(void)work;
	(void)context;
	return false;
}

bool cli_crew_wait(struct crew *crew, int milliseconds, struct crew_end *end)
{
	(void)crew;
	(void)milliseconds;
	(void)end;
	return false;
}

void cli_crew_end(struct crew *crew)
{
	(void)crew;
}
