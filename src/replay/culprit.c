/*
 * Finds the op that wrote wrong bytes. Every pattern that a tensor of the plan
 * can have left at a place is known, so a pattern found there names its writer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replay/inside.h"

#include <assert.h>
#include <string.h>

enum {
	WORD = 8
};

/* splitmix64: neighbouring inputs give unrelated keys. */
static uint64_t mix_bits(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

uint64_t mp_replay_key(const struct run *run, uint32_t repeat, uint32_t tensor,
	uint32_t writer)
{
	uint64_t pair;

	assert(tensor < run->plan->n_tensors && writer < N_WRITERS);
	pair = (uint64_t)tensor * N_WRITERS + writer;
	return mix_bits(
		       mix_bits(run->options->seed + ((uint64_t)repeat << 40)) ^
		       pair) |
	       1;
}

/* Byte `at` of a pattern, as it lies in memory. */
static unsigned char byte_of(uint64_t key, uint64_t at)
{
	uint64_t word = key + at / WORD * MEMPLAN_STRIDE;
	unsigned char bytes[WORD];

	memcpy(bytes, &word, WORD);
	return bytes[at % WORD];
}

/* The bytes that differ from what they should be. */
struct scene {
	const struct run *run;
	uint64_t at;   /* in the block */
	uint32_t pool; /* has that block */
	uint32_t n;
	unsigned char bytes[WORD];
	uint32_t owner; /* its pattern should be there */
};

/* From the first byte that differs to the end of that word or of the tensor. */
static struct scene scene_of(const struct run *run, const struct check *check,
	const struct memplan_finding *finding)
{
	const struct memplan_tensor *tensor =
		&run->plan->tensors[check->tensor];
	uint64_t left = check->size - finding->at;
	uint32_t n = left < WORD ? (uint32_t)left : WORD, skip = 0;
	struct scene scene = {.run = run};
	unsigned char found[WORD];

	memcpy(found, &finding->found, WORD);
	while (skip + 1 < n &&
		found[skip] == byte_of(check->key, finding->at + skip))
		skip++;
	scene.pool = tensor->pool;
	scene.at = tensor->offset + check->at + finding->at + skip;
	scene.n = n - skip;
	memcpy(scene.bytes, found + skip, scene.n);
	scene.owner = check->owner;
	return scene;
}

/* Number of bytes, from the first on, that the pattern explains. */
static uint32_t count_explained(
	const struct scene *scene, uint32_t t, uint64_t key)
{
	const struct memplan_tensor *tensor = &scene->run->plan->tensors[t];
	uint32_t n = 0;
	uint64_t at;

	for (; n < scene->n; n++) {
		at = scene->at + n - tensor->offset;
		if (at >= tensor->size || byte_of(key, at) != scene->bytes[n])
			break;
	}
	return n;
}

static void accuse_writer(const struct scene *scene, uint32_t t,
	uint32_t writer, struct memplan_overwrite *overwrite)
{
	static const enum memplan_writer writers[N_WRITERS] = {
		MEMPLAN_BY_OP, MEMPLAN_BY_CALLER, MEMPLAN_BY_POISON};
	uint32_t producer = scene->run->producer[t];

	overwrite->culprit = t;
	overwrite->writer = writers[writer];
	overwrite->writer_at = MEMPLAN_NO_STEP;
	if (writer == WRITER_OP)
		overwrite->writer_at = producer;
	if (t == scene->owner && writer != WRITER_POISON)
		overwrite->writer = MEMPLAN_BY_EARLIER;
}

/* The best suspect explains most of the bytes; of equal ones, the one of the
 * latest run. */
static void question_tensors(const struct scene *scene, uint32_t repeat,
	uint32_t *most, struct memplan_overwrite *overwrite)
{
	const struct run *run = scene->run;
	uint32_t n;
	uint64_t key;

	for (uint32_t t = 0; t < run->plan->n_tensors; t++) {
		const struct memplan_tensor *tensor = &run->plan->tensors[t];

		if (tensor->external || tensor->pool != scene->pool ||
			scene->at < tensor->offset ||
			scene->at - tensor->offset >= tensor->size)
			continue;
		for (uint32_t writer = 0; writer < N_WRITERS; writer++) {
			key = mp_replay_key(run, repeat, t, writer);
			n = count_explained(scene, t, key);
			if (n <= *most)
				continue;
			*most = n;
			accuse_writer(scene, t, writer, overwrite);
		}
	}
}

void mp_replay_accuse(const struct run *run, const struct check *check,
	const struct memplan_finding *finding)
{
	struct memplan_replay_result *result = run->result;
	struct memplan_overwrite *overwrite;
	struct scene scene;
	uint32_t most = 0;

	assert(finding->count > 0 && finding->at < check->size);
	if (result->n_overwritten++ >= MEMPLAN_OVERWRITES)
		return;
	overwrite = &result->overwrites[result->n_overwritten - 1];
	scene = scene_of(run, check, finding);
	*overwrite = (struct memplan_overwrite){.run = check->run,
		.order = run->order,
		.step = check->step,
		.tensor = check->tensor,
		.is_input = check->is_input,
		.at = scene.at - run->plan->tensors[check->tensor].offset,
		.words = finding->count,
		.culprit = check->tensor,
		.writer_at = MEMPLAN_NO_STEP};
	question_tensors(&scene, check->run, &most, overwrite);
	if (check->run > 0)
		question_tensors(&scene, check->run - 1, &most, overwrite);
}
