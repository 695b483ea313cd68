/*
 * For the tests of readers: texts become a graph or an error.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_TESTING_H
#define MP_INPUT_TESTING_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "testing/random.h"

/* One run of a reader; close it. */
struct run {
	struct error error;
	struct arena arena;
	struct graph graph;
	char *copies[N_ROLES]; /* of exact length, so that a sanitizer sees
				  every byte read beyond */
};

static const char *const run_names[N_ROLES] = {"net.json", "sizes.json",
	"resize.json", "costs.json", "found.sol", "of.proof", "old.plan.json",
	"ranges.txt"};

/* Reads the texts given, one a role; NULL ones are not there. */
static inline bool run_read(struct run *run, const char *const *texts,
	const size_t *lengths, uint64_t limit)
{
	struct input input = {0};

	*run = (struct run){.arena = {.limit = limit}};
	run->arena.error = &run->error;
	for (uint32_t i = 0; i < N_ROLES; i++) {
		if (!texts[i])
			continue;
		run->copies[i] = malloc(lengths[i] ? lengths[i] : 1);
		memcpy(run->copies[i], texts[i], lengths[i]);
		input.files[i] = (struct input_file){
			run_names[i], run->copies[i], lengths[i]};
	}
	return mp_input_read(&input, &run->graph, &run->arena, &run->error) &&
	       mp_graph_link(&run->graph, &run->arena, &run->error);
}

static inline void run_close(struct run *run)
{
	mp_arena_free(&run->arena);
	for (uint32_t i = 0; i < N_ROLES; i++)
		free(run->copies[i]);
}

static inline bool run_texts(
	struct run *run, const char *const *texts, uint64_t limit)
{
	size_t lengths[N_ROLES] = {0};

	for (uint32_t i = 0; i < N_ROLES; i++)
		lengths[i] = texts[i] ? strlen(texts[i]) : 0;
	return run_read(run, texts, lengths, limit);
}

/* The texts must be refused with a message that contains the words. */
static inline void expect_refusal(const char *const *texts, const char *words)
{
	struct run run;

	cr_expect_not(run_texts(&run, texts, 0), "accepted: %s", texts[0]);
	cr_expect(strstr(run.error.text, words),
		"'%s'\n  says '%s'\n  not  '%s'", texts[0], run.error.text,
		words);
	run_close(&run);
}

/* Texts that must be refused, and words of why. */
struct refusal {
	const char *text, *words;
};

static inline void expect_refusals(const struct refusal *refusals, size_t n)
{
	for (size_t i = 0; i < n; i++)
		expect_refusal((const char *[N_ROLES]){refusals[i].text},
			refusals[i].words);
}

static inline void read_text(struct run *run, const char *text)
{
	cr_assert(run_texts(run, (const char *[N_ROLES]){text}, 0), "%s",
		run->error.text);
}

/* The tensor of that id; it must exist. */
static inline const struct tensor *tensor_called(
	const struct run *run, const char *id)
{
	for (uint32_t i = 0; i < run->graph.n_tensors; i++)
		if (strcmp(run->graph.tensors[i].id, id) == 0)
			return &run->graph.tensors[i];
	cr_assert_fail("no tensor '%s'", id);
	return NULL;
}

static inline struct ids readers_of(const struct run *run, const char *id)
{
	return mp_graph_readers(&run->graph, tensor_called(run, id));
}

/* A time of the input. */
static inline void expect_life(
	const struct run *run, const char *id, int64_t start, int64_t end)
{
	const struct tensor *t = tensor_called(run, id);

	cr_expect_eq(run->graph.times[t->start], start, "%s", id);
	cr_expect_eq(run->graph.times[t->end], end, "%s: %lld", id,
		(long long)run->graph.times[t->end]);
}

static inline bool warned(const struct run *run, const char *words)
{
	for (uint32_t i = 0; i < run->error.n_warnings; i++)
		if (strstr(run->error.warnings[i], words))
			return true;
	return false;
}

/* Every prefix of each text gives an end without a crash, and so does every
 * memory limit up to one that is enough. */
static inline void expect_robust(const char *const *texts)
{
	struct run run;
	bool fine = false;

	for (uint32_t role = 0; role < N_ROLES; role++) {
		const char *cut[N_ROLES];
		size_t lengths[N_ROLES] = {0};

		memcpy(cut, texts, sizeof(cut));
		for (uint32_t i = 0; i < N_ROLES; i++)
			lengths[i] = cut[i] ? strlen(cut[i]) : 0;
		while (cut[role] && lengths[role] > 0) {
			lengths[role]--;
			if (!run_read(&run, cut, lengths, 0))
				cr_expect(run.error.code == MEMPLAN_EINPUT &&
					  *run.error.text);
			run_close(&run);
		}
	}
	for (uint64_t limit = 1; !fine; limit += 997) {
		fine = run_texts(&run, texts, limit);
		cr_expect(fine || run.error.code == MEMPLAN_ENOMEM, "%s",
			run.error.text);
		run_close(&run);
	}
}

/* -------------------------------------------------------- mutations */

/* One change: a byte, a span that is gone or stands elsewhere too, a number
 * that is another one. */
static inline size_t mutate(
	char *text, size_t length, size_t room, uint64_t *state)
{
	static const char *const numbers[] = {"0", "1", "511", "4096",
		"2147483647", "4294967295", "4611686018427387904",
		"18446744073709551615", "-1"};
	const char *number = numbers[mp_testing_below(state, countof(numbers))];
	size_t at = mp_testing_below(state, (uint32_t)length),
	       n = strlen(number);
	size_t span = num_min(1 + mp_testing_below(state, 60), length - at);
	size_t to = mp_testing_below(state, (uint32_t)length);

	switch (mp_testing_below(state, 4)) {
	case 0:
		text[at] = (char)mp_testing_below(state, 256);
		return length;
	case 1:
		memmove(text + at, text + at + span, length - at - span);
		return length - span;
	case 2:
		memcpy(text + at, number, num_min(n, length - at));
		return length;
	default:
		if (length + span > room)
			return length;
		memmove(text + to + span, text + to, length - to);
		memcpy(text + to, text + (at < to ? at : at + span),
			num_min(span, at < to ? to - at : span));
		return length + span;
	}
}

/* Any changed text is read, or refused with a reason. */
static inline void expect_mutations(const char *text, uint32_t n)
{
	size_t whole = strlen(text), room = 2 * whole + 64;
	char *changed = malloc(room);
	uint64_t state = 2463534242;

	cr_assert_not_null(changed);
	for (uint32_t i = 0; i < n; i++) {
		const char *texts[N_ROLES] = {changed};
		size_t lengths[N_ROLES] = {whole};
		struct run run;

		memcpy(changed, text, whole);
		for (uint32_t k = 1 + mp_testing_below(&state, 6); k > 0; k--)
			if (lengths[0] > 1)
				lengths[0] = mutate(
					changed, lengths[0], room, &state);
		if (!run_read(&run, texts, lengths, 0))
			cr_expect(run.error.code == MEMPLAN_EINPUT &&
					  *run.error.text,
				"change %u: %s", i, run.error.text);
		run_close(&run);
	}
	free(changed);
}

#endif
