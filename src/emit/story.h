/*
 * Why a tensor is alive, in words: how it came to be, and what keeps it. A
 * phrase has at most one "%s", where a step stands: "kept for step 7 (relu)".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_STORY_H
#define MP_EMIT_STORY_H

#include "problem/uses.h"

enum birth {
	BIRTH_OP,    /* the op at the step makes it */
	BIRTH_START, /* no op does */
	BIRTH_LATER, /* nor does any, and its lifetime begins at the step */
	BIRTH_SAID,  /* the input has no ops, only lifetimes */
	N_BIRTHS,
};

enum story_end {
	END_READER, /* the op at the step is the last that reads it */
	END_TAKEN_OVER,
	END_OUTPUT,
	END_WEIGHT,
	END_STATE,
	END_UNREAD,
	END_SCRATCH, /* a temporary, which nothing reads */
	END_VIEWS,   /* what reads it are its views */
	END_SAID,    /* its lifetime ends with the step */
	END_FIXED,   /* the input has no ops, only lifetimes */
	N_STORY_ENDS,
};

extern const char *const mp_emit_births[N_BIRTHS];
extern const char *const mp_emit_story_ends[N_STORY_ENDS];

struct phrase {
	uint32_t what; /* enum birth or enum story_end */
	uint32_t step; /* of its "%s"; NONE: it has none */
};

/* How a tensor came to be, and what keeps it to its end. */
struct phrase mp_emit_birth(
	const struct uses *uses, const struct schedule *s, uint32_t tensor);
struct phrase mp_emit_story_end(
	const struct uses *uses, const struct schedule *s, uint32_t tensor);

#endif
