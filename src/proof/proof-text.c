/*
 * What is read of a proof, and the lists of numbers that are written to it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/sink-text.h"
#include "proof/inside.h"

enum {
	MOST_DIGITS = 19, /* they fit in 64 bits */
};

bool mp_proof_skip(struct proof_text *text, const char *next)
{
	size_t length = strlen(next);

	if ((size_t)(text->end - text->at) < length ||
		memcmp(text->at, next, length) != 0)
		return false;
	text->at += length;
	return true;
}

bool mp_proof_number(struct proof_text *text, uint64_t *value)
{
	const char *start = text->at;

	for (*value = 0;
		text->at < text->end && *text->at >= '0' && *text->at <= '9';
		text->at++) {
		if (text->at - start == MOST_DIGITS)
			return false;
		*value = *value * 10 + (uint64_t)(*text->at - '0');
	}
	return text->at > start && *value < PROOF_END;
}

bool mp_proof_index(struct proof_text *text, uint32_t limit, uint32_t *value)
{
	uint64_t number;

	if (!mp_proof_number(text, &number) || number >= limit)
		return false;
	*value = (uint32_t)number;
	return true;
}

bool mp_proof_begin(struct proof_text *text)
{
	char last = '\0';

	for (const char *at = text->at; at < text->end; last = *at++)
		if (*at != '\n' && (*at < ' ' || *at > '~'))
			return mp_proof_malformed(text, "it has odd bytes");
	if (last != '\n')
		return mp_proof_malformed(text, "it is cut short");
	return mp_proof_skip(text, "memplan.proof 1\n") ||
	       mp_proof_malformed(text, "it does not begin as one");
}

bool mp_proof_same(
	struct proof_text *text, struct sink *problem, const char *otherwise)
{
	bool same;

	mp_sink_write(problem, "", 1);
	same = text->error->code == MEMPLAN_OK &&
	       mp_proof_skip(text, problem->bytes);
	mp_sink_free(problem);
	return same || mp_fail(text->error, MEMPLAN_NO, "%s: %s", text->name,
			       otherwise);
}

bool mp_proof_malformed(struct proof_text *text, const char *what)
{
	return mp_fail(text->error, MEMPLAN_EINPUT, "%s: not a proof: %s",
		text->name, what);
}

bool mp_proof_refuse(struct proof_text *text, const char *what)
{
	return mp_fail(text->error, MEMPLAN_NO, "%s: the proof fails: %s",
		text->name, what);
}

void mp_proof_list(struct sink *sink, const uint32_t *numbers, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		mp_sink_print(sink, " %u", numbers[i]);
	mp_sink_text(sink, "\n");
}
