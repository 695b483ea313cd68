/*
 * Writes and compares the patterns of tensors, word by word on the device. A
 * comparison leaves its finding in a slot on the device; the findings of many
 * are copied to the host together.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replay/inside.h"

#include <assert.h>
#include <string.h>

struct memplan_range mp_replay_range(const struct run *run, uint32_t t)
{
	const struct memplan_tensor *tensor = &run->plan->tensors[t];

	assert(!tensor->external && tensor->size > 0);
	return (struct memplan_range){
		run->blocks[tensor->pool].address + tensor->offset,
		tensor->size};
}

int mp_replay_is_written(const struct run *run, uint32_t t)
{
	return mp_replay_takes_bytes(run, t) && run->ties.content[t] == t;
}

int mp_replay_write(
	struct run *run, uint32_t stream, uint32_t t, uint32_t writer)
{
	struct memplan_range range;

	if (!mp_replay_is_written(run, t))
		return 0;
	range = mp_replay_range(run, t);
	mp_replay_own(run, t);
	run->key[t] = mp_replay_key(run, run->repeat, t, writer);
	run->result->written += range.size;
	return run->device->row->fill(run->device, stream, &range, run->key[t]);
}

int mp_replay_look(struct run *run)
{
	const struct memplan_device_row *row = run->device->row;
	uint64_t size = run->n_checks * sizeof(*run->findings);
	uint32_t n_bad = 0;

	if (row->finish(run->device) ||
		row->copy(run->device, (uintptr_t)run->findings, run->slots,
			size, MEMPLAN_FROM_DEVICE))
		return 1;
	for (uint32_t i = 0; i < run->n_checks; i++) {
		if (run->findings[i].count == 0)
			continue;
		mp_replay_accuse(run, &run->checks[i], &run->findings[i]);
		n_bad++;
	}
	run->n_checks = 0;
	if (n_bad == 0)
		return 0;
	memset(run->findings, 0, size);
	return row->copy(run->device, run->slots, (uintptr_t)run->findings,
		size, MEMPLAN_TO_DEVICE);
}

/* Writes the pattern to the range, from its first word on. */
static int compare_words(
	struct run *run, uint32_t stream, const struct check *check)
{
	struct memplan_range range = mp_replay_range(run, check->tensor);
	uint32_t slot = run->n_checks;

	assert(slot < MOST_CHECKS && check->size > 0);
	assert(check->at + check->size <=
		run->plan->tensors[check->tensor].size);
	range.address += check->at;
	range.size = check->size;
	run->checks[slot] = *check;
	run->result->checked += range.size;
	run->n_checks++;
	if (run->device->row->compare(run->device, stream, &range, check->key,
		    run->slots + slot * sizeof(*run->findings)))
		return 1;
	return run->n_checks == MOST_CHECKS ? mp_replay_look(run) : 0;
}

/* The bytes of a word from one of them on. */
static uint64_t rest_of(uint64_t word, uint32_t skip)
{
	unsigned char bytes[sizeof(word)];
	uint64_t rest = 0;

	assert(skip < sizeof(word));
	memcpy(bytes, &word, sizeof(word));
	memcpy(&rest, bytes + skip, sizeof(word) - skip);
	return rest;
}

/* Bytes of an alias may begin inside a word of its owner's pattern. */
static int compare_bytes(struct run *run, uint32_t stream, struct check check)
{
	const struct ties *ties = &run->ties;
	uint64_t key = run->key[check.owner], size = check.size;
	uint64_t from =
		ties->base[check.tensor] + check.at - ties->base[check.owner];
	uint32_t skip = from % sizeof(key);

	if (key == 0)
		return 0;
	check.key = key + from / sizeof(key) * MEMPLAN_STRIDE;
	if (skip > 0) {
		if (check.size > sizeof(key) - skip)
			check.size = sizeof(key) - skip;
		size -= check.size;
		check.key = rest_of(check.key, skip);
		if (compare_words(run, stream, &check))
			return 1;
		check.at += check.size;
		check.size = size;
		check.key = key + (from / sizeof(key) + 1) * MEMPLAN_STRIDE;
	}
	return check.size > 0 ? compare_words(run, stream, &check) : 0;
}

static int is_due(struct run *run, uint32_t step, uint32_t t)
{
	if (!mp_replay_takes_bytes(run, t) || run->away[t] ||
		run->looked[t] == step)
		return 0;
	run->looked[t] = step;
	return 1;
}

/* A graph takes what another one keeps at the same offset as that left it. */
static int is_as_left(const struct run *run, uint32_t t)
{
	return mp_replay_is_alias(run, t) && run->plan->tensors[t].writes &&
	       run->producer[t] == NO_OP;
}

int mp_replay_compare_input(
	struct run *run, uint32_t stream, uint32_t step, uint32_t t)
{
	struct check check = {.run = run->repeat,
		.step = step,
		.tensor = t,
		.owner = run->ties.content[t],
		.is_input = 1,
		.size = run->plan->tensors[t].size};

	if (is_as_left(run, check.owner))
		return mp_replay_compare_all(run, stream, step, t);
	return is_due(run, step, t) ? compare_bytes(run, stream, check) : 0;
}

int mp_replay_compare_kept(struct run *run, uint32_t stream, uint32_t step,
	uint32_t t, uint64_t low, uint64_t high)
{
	struct check check = {.run = run->repeat, .step = step, .tensor = t};
	uint64_t end;

	for (uint64_t at = low; at < high; at = end) {
		end = mp_replay_piece(run, t, at, &check.owner);
		if (end > high)
			end = high;
		check.at = at;
		check.size = end - at;
		if (compare_bytes(run, stream, check))
			return 1;
	}
	return 0;
}

int mp_replay_compare_all(
	struct run *run, uint32_t stream, uint32_t step, uint32_t t)
{
	return is_due(run, step, t) &&
	       mp_replay_compare_kept(
		       run, stream, step, t, 0, run->plan->tensors[t].size);
}
