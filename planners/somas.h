/*
 * The rows of MindSpore's SOMAS.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_SOMAS_H
#define MP_SOMAS_H

enum {
	SOMAS_SHARED_BEST,
	SOMAS_SHARED_LOWEST,
	SOMAS_SINGLE_BEST,
	SOMAS_SINGLE_LOWEST,
	SOMAS_ROWS,
};

/* What the single object must save before SOMAS takes it, in MiB. */
enum {
	SOMAS_BIAS = 100
};

#endif
