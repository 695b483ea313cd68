/*
 * Contiguous lists of SOMAS's dumps of its model, the guards around them, and
 * tensors that have the same bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/somas/somas-dump.h"

#include <assert.h>

bool mp_input_somas_lists_open(struct somas_lists *lists, const struct somas *s)
{
	lists->all = NEW(s->scratch, struct somas_member, s->room);
	lists->guessed = NEW(s->scratch, struct somas_member, s->room);
	return lists->all && lists->guessed;
}

void mp_input_somas_list(
	struct somas *s, struct somas_lists *lists, uint32_t tensor)
{
	assert(lists->n < s->room);
	mp_input_somas_add_member(s, tensor);
	lists->all[lists->n++] = (struct somas_member){tensor, s->lines.number};
}

void mp_input_somas_guess(
	struct somas_lists *lists, uint32_t tensor, uint32_t list)
{
	lists->guessed[lists->n_guessed++] =
		(struct somas_member){tensor, list};
}

/* Releases up to 2021 print no lists. The inputs of a collective are one, and
 * its outputs. */
static void guess_lists(struct somas_lists *lists, struct somas *s)
{
	for (uint32_t i = 0; i < lists->n_guessed; i++) {
		const struct somas_member *m = &lists->guessed[i];

		s->n_lists += i == 0 || m[-1].list != m->list;
		mp_input_somas_add_member(s, m->tensor);
		lists->all[lists->n++] = *m;
	}
}

/* ----------------------------------------------------------- guards */

/* The size that SOMAS gives a tensor on Ascend, without guards. */
static uint64_t padded_size(uint64_t original)
{
	return (original + SOMAS_GRAIN + 31) / SOMAS_GRAIN * SOMAS_GRAIN;
}

/* The sizes of the first and the last tensor of a list include a guard. */
static void tell_guards(struct somas *s, uint32_t first, uint32_t last)
{
	struct somas_tensor *a = &s->tensors[first], *b = &s->tensors[last];
	uint64_t guards = first == last ? 2 * SOMAS_GUARD : SOMAS_GUARD;

	if (a->original == 0 || b->original == 0 || a->before || b->after ||
		a->size != padded_size(a->original) + guards ||
		b->size != padded_size(b->original) + guards)
		return;
	a->before = SOMAS_GUARD;
	a->size -= SOMAS_GUARD;
	b->after = SOMAS_GUARD;
	b->size -= SOMAS_GUARD;
}

void mp_input_somas_lists_close(struct somas_lists *lists, struct somas *s)
{
	uint32_t from = 0, to;

	if (!lists->told)
		guess_lists(lists, s);
	for (; from < lists->n; from = to) {
		for (to = from + 1; to < lists->n; to++)
			if (lists->all[to].list != lists->all[from].list)
				break;
		tell_guards(
			s, lists->all[from].tensor, lists->all[to - 1].tensor);
	}
}

/* ------------------------------------------------------- same bytes */

/* SOMAS moves the first tensor of a list behind its guard, but not the tensors
 * that have the same bytes. */
static bool lies_before_guard(
	const struct somas_tensor *a, const struct somas_tensor *b)
{
	return a->before > 0 && a->offset == b->offset + a->before;
}

bool mp_input_somas_join(
	struct somas *s, const struct somas_union *unions, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct somas_tensor *a = &s->tensors[unions[i].first];
		struct somas_tensor *b = &s->tensors[unions[i].next];

		if (a->size == 0 || b->size == 0 || a->offset == b->offset)
			continue;
		if (!lies_before_guard(a, b) && !lies_before_guard(b, a))
			return mp_fail(s->error, MEMPLAN_EINPUT,
				"%s:%u: tensors %s and %s have the same bytes, "
				"yet lie at %llu and %llu",
				s->lines.file, unions[i].line, a->text, b->text,
				(unsigned long long)a->offset,
				(unsigned long long)b->offset);
		a->offset = b->offset = num_max(a->offset, b->offset);
	}
	return true;
}
