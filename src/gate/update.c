/*
 * budget: the file as it is, with the limits of its arena gates brought up to
 * what was measured. Nothing else of the text changes, so that the change to be
 * reviewed is the numbers. Of two thresholds the lower becomes the measured
 * size and the other keeps its distance; a row without any gate gets one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "gate/gate.h"

static bool has_gates(const struct budget *budget)
{
	for (uint32_t kind = 0; kind < N_GATES; kind++)
		if (budget->gates[kind].warn.given ||
			budget->gates[kind].fail.given)
			return true;
	return false;
}

/* Copies the text up to a place and leaves the cursor there. */
static void copy_to(struct sink *sink, const char *text, size_t *at, size_t to)
{
	assert(*at <= to); /* places are in the order of the text */
	mp_sink_write(sink, text + *at, to - *at);
	*at = to;
}

static void replace(struct sink *sink, const char *text, size_t *at,
	const struct threshold *threshold, uint64_t value)
{
	copy_to(sink, text, at, threshold->place.begin);
	mp_sink_u64(sink, value);
	*at = threshold->place.end;
}

static void update(struct sink *sink, const char *text, size_t *at,
	const struct budget *budget)
{
	const struct threshold *warn = &budget->gates[GATE_ARENA].warn;
	const struct threshold *fail = &budget->gates[GATE_ARENA].fail;
	bool warn_last = warn->place.begin > fail->place.begin;
	uint64_t size = budget->arena_size;

	assert(budget->planned);
	if (!has_gates(budget)) {
		copy_to(sink, text, at,
			budget->gates[GATE_PLAN].place.begin + 1);
		mp_sink_print(sink, "\"arena\": {\"fail\": %llu}, ",
			(unsigned long long)size);
		return;
	}
	if (warn->given && !warn_last)
		replace(sink, text, at, warn, size);
	if (fail->given)
		replace(sink, text, at, fail,
			size + (warn->given ? fail->value - warn->value : 0));
	if (warn->given && warn_last)
		replace(sink, text, at, warn, size);
}

void mp_gate_updated(
	const struct gate *gate, struct sink *sink, struct arena *scratch)
{
	size_t skip = mp_file_mark(&gate->file), at = 0;
	const char *text = gate->file.bytes + skip;

	(void)scratch;
	for (uint32_t i = 0; i < gate->n_budgets; i++)
		if (gate->budgets[i].planned)
			update(sink, text, &at, &gate->budgets[i]);
	copy_to(sink, text, &at, gate->file.length - skip);
}
