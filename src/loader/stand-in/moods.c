/*
 * Moods, and the random numbers of the mood "seed".
 *
 * SPDX-License-Identifier: MIT
 */
#include "moods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Behind the word; NULL: it is not there. */
static const char *behind_mood(const char *name)
{
	const char *at = getenv("MEMPLAN_STAND_IN");
	size_t length = strlen(name);

	for (; at && *at; at += strcspn(at, ","), at += *at == ',')
		if (strncmp(at, name, length) == 0 && strchr(",=", at[length]))
			return at + length;
	return NULL;
}

int has_mood(const char *name)
{
	return behind_mood(name) != NULL;
}

unsigned long mood_number(const char *name)
{
	const char *at = behind_mood(name);

	return at && *at == '=' ? strtoul(at + 1, NULL, 10) : 0;
}

int is_the_call(const char *name, struct calls *calls)
{
	if (!has_mood(name))
		return 0;
	if (calls->wanted != mood_number(name))
		*calls = (struct calls){0, mood_number(name)};
	calls->n++;
	return calls->wanted == 0 || calls->wanted == calls->n;
}

unsigned long draw(unsigned long n)
{
	static unsigned long long state, seed;

	if (seed != mood_number("seed"))
		state = seed = mood_number("seed");
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned long)((state >> 33) % n);
}

void broken(const char *rule)
{
	fprintf(stderr, "stand-in: %s\n", rule);
	abort();
}
