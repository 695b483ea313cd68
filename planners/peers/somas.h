/*
 * The rows of SOMAS, MindSpore's safe optimised memory allocation solver.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PEERS_SOMAS_H
#define MP_PLANNERS_PEERS_SOMAS_H

/* Algorithms, sorts and gaps in the order in which SOMAS tries them. */
enum {
	SOMAS_SHARED_BEST,
	SOMAS_SHARED_LOWEST,
	SOMAS_SHARED_BEST_PEAK, /* sorted by what may be shared at the peak */
	SOMAS_SHARED_LOWEST_PEAK,
	SOMAS_SINGLE_BEST,
	SOMAS_SINGLE_LOWEST,
	SOMAS_SINGLE_BEST_PEAK,
	SOMAS_SINGLE_LOWEST_PEAK,
	SOMAS_ROWS,
};

/* Choices among these: the smallest of all; or shared objects, unless a single
 * object saves more than 100 MiB, without the second sort or with it. */
enum {
	SOMAS_LEAST,
	SOMAS_CHOICE,
	SOMAS_CHOICE_PEAK,
};

#endif
