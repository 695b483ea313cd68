/*
 * What a test asks of a stand-in: words in MEMPLAN_STAND_IN with commas between
 * them, some with a number, such as "seed=3,out-of-memory=2".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_STAND_IN_MOODS_H
#define MP_LOADER_STAND_IN_MOODS_H

/* Is the word there, with or without a number? */
int has_mood(const char *name);

/* Its number; 0 without one. */
unsigned long mood_number(const char *name);

/* Calls of one kind, counted since the mood's number changed. */
struct calls {
	unsigned long n, wanted;
};

/* Is this call the one that the mood names by its number? Without a number all
 * calls are. */
int is_the_call(const char *name, struct calls *calls);

/* A number below n, from the seed. */
unsigned long draw(unsigned long n);

/* For what a contract leaves undefined: says which rule was broken, and aborts.
 */
_Noreturn void broken(const char *rule);

#endif
