/* SPDX-License-Identifier: MIT */
#include "emit/story.h"

#include <assert.h>

const char *const mp_emit_births[N_BIRTHS] = {
	[BIRTH_OP] = "made at %s",
	[BIRTH_START] = "there from the start",
	[BIRTH_LATER] = "there from %s",
	[BIRTH_SAID] = "made by an op that the input does not name",
};

const char *const mp_emit_story_ends[N_STORY_ENDS] = {
	[END_READER] = "kept for %s",
	[END_OUTPUT] = "kept to the end as an output",
	[END_WEIGHT] = "kept to the end as a weight",
	[END_STATE] = "kept to the end as a state",
	[END_TAKEN_OVER] = "written over in place at %s",
	[END_UNREAD] = "read by no op",
	[END_SCRATCH] = "scratch of this op",
	[END_VIEWS] = "kept for its views",
	[END_SAID] = "kept to %s because the input says so",
	[END_FIXED] = "alive as long as the input says",
};

struct phrase mp_emit_birth(
	const struct uses *uses, const struct schedule *s, uint32_t tensor)
{
	if (uses->born[tensor] != NONE)
		return (struct phrase){BIRTH_OP, uses->born[tensor]};
	if (s->graph->n_ops == 0)
		return (struct phrase){BIRTH_SAID, NONE};
	if (s->stay[tensor].start == 0)
		return (struct phrase){BIRTH_START, NONE};
	return (struct phrase){BIRTH_LATER, s->stay[tensor].start};
}

static bool has_views(const struct schedule *s, uint32_t tensor)
{
	for (uint32_t i = 0; i < s->graph->ties.n_aliases; i++)
		if (s->graph->ties.aliases[i].root == tensor)
			return true;
	return false;
}

struct phrase mp_emit_story_end(
	const struct uses *uses, const struct schedule *s, uint32_t tensor)
{
	struct ending ending = mp_problem_uses_ending(uses, s, tensor);
	uint8_t kind = s->graph->tensors[tensor].kind;

	assert(tensor < s->graph->n_tensors);
	switch (ending.reason) {
	case ALIVE_FOR_READER:
		return (struct phrase){END_READER, ending.step};
	case ALIVE_TAKEN_OVER:
		return (struct phrase){END_TAKEN_OVER, ending.step};
	case ALIVE_TO_END:
		if (kind == KIND_OUTPUT)
			return (struct phrase){END_OUTPUT, NONE};
		return (struct phrase){
			kind == KIND_STATE ? END_STATE : END_WEIGHT, NONE};
	case ALIVE_UNREAD:
		if (kind == KIND_TEMPORARY)
			return (struct phrase){END_SCRATCH, NONE};
		return (struct phrase){
			has_views(s, tensor) ? END_VIEWS : END_UNREAD, NONE};
	case ALIVE_AS_SAID:
		break;
	}
	if (s->graph->n_ops == 0)
		return (struct phrase){END_FIXED, NONE};
	if (s->stay[tensor].end == 0)
		return (struct phrase){END_UNREAD, NONE};
	return (struct phrase){END_SAID, ending.step};
}
