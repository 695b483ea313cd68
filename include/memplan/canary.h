/*
 * Canaries: for programs that run their own kernels in a plan's block, on
 * memory that the processor can read. Around every step
 *
 *	memplan_canary_before(&canary, step);
 *	run the kernels of the step;
 *	if (memplan_canary_after(&canary, step, &report))
 *		complain(report.step, report.tensor, report.at);
 *
 * Before a step, all bytes that belong to no tensor alive are filled with a
 * pattern, padding included. After it, a byte of them that changed was written
 * by a kernel beyond its tensors; and a tensor that lives on, but is not born
 * here, must be as it was. States may change whenever they like. A plan of
 * several pools has a canary for each, all with the same entries. In a plan
 * with branches the tensors of those that do not run are to be marked as
 * absent: the tables do not know which will run, and tensors of another branch
 * may be written over them.
 *
 * For debugging: a step takes time in proportion to the whole block. C99, no
 * libc, no allocation.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MEMPLAN_CANARY_H
#define MEMPLAN_CANARY_H

#include "memplan/loader.h"

#ifdef __cplusplus
extern "C" {
#endif

enum memplan_canary_status {
	MEMPLAN_CANARY_OK = 0,
	MEMPLAN_CANARY_STRAY,	    /* a byte of no tensor was written */
	MEMPLAN_CANARY_OVERWRITTEN, /* a tensor that is needed was */
};

/* Filled by the caller, which keeps all that it points to. */
struct memplan_canary {
	unsigned char *block;
	uint64_t size; /* of the block in bytes: the pool's */
	const struct memplan_entry *entries; /* of all tensors of the plan */
	uint32_t n;
	uint64_t *sums; /* room for n numbers, from the caller */
	uint32_t pool;	/* the pool of this block; entries of other pools are
			   left out */
	const unsigned char *absent; /* n flags of the caller: not 0 for tensors
					of branches that do not run; NULL: all
					tensors are there */
};

struct memplan_canary_report {
	uint32_t step;
	uint32_t tensor; /* overwritten, or the nearest before a stray byte;
			    n: none is before it */
	uint64_t at;	 /* bytes from the tensor's begin to a stray byte, or
			    from the block's if there is none before */
};

/* The pattern of a byte of the block, by its offset. It changes from byte to
 * byte, so that bytes which were copied from elsewhere in it show. */
static inline unsigned char memplan_canary_byte(uint64_t at)
{
	return (unsigned char)(0xa5 ^ at ^ at >> 8);
}

/* Whether the tensor has bytes of this block at that step. */
static inline int memplan_canary_alive(const struct memplan_canary *canary,
	const struct memplan_entry *entry, uint32_t step)
{
	if (canary->absent && canary->absent[entry - canary->entries])
		return 0;
	return entry->pool == canary->pool && entry->start <= step &&
	       step < entry->end && entry->size > 0;
}

/* The next range of bytes, from *at on, that belongs to no tensor alive: [*at,
 * *end). Returns 0 if there is none. */
static inline int memplan_canary_gap(const struct memplan_canary *canary,
	uint32_t step, uint64_t *at, uint64_t *end)
{
	const struct memplan_entry *entry;
	uint64_t before;

	do {
		before = *at;
		*end = canary->size;
		for (uint32_t i = 0; i < canary->n; i++) {
			entry = &canary->entries[i];
			if (!memplan_canary_alive(canary, entry, step))
				continue;
			if (entry->offset > *at && entry->offset < *end)
				*end = entry->offset;
			if (entry->offset <= *at &&
				*at - entry->offset < entry->size)
				*at = entry->offset + entry->size;
		}
	} while (*at != before);
	return *at < *end;
}

/* FNV-1a of 64 bits (Fowler, Noll, Vo) over the tensor's bytes. */
static inline uint64_t memplan_canary_sum(
	const struct memplan_canary *canary, const struct memplan_entry *entry)
{
	const unsigned char *bytes = canary->block + (size_t)entry->offset;
	uint64_t sum = 0xcbf29ce484222325ull;

	for (uint64_t i = 0; i < entry->size; i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3ull;
	return sum;
}

/* Whether the step may not change the tensor: it is there before and after it,
 * and is no state. In the last step of a tensor an output may take its bytes
 * over in place. */
static inline int memplan_canary_must_stay(const struct memplan_canary *canary,
	const struct memplan_entry *entry, uint32_t step)
{
	return memplan_canary_alive(canary, entry, step) &&
	       entry->start < step && step + 1 < entry->end && entry->kind != 4;
}

/* Before a step: fills what belongs to no tensor, and sums up those that must
 * stay. The other functions of this header are helpers of these two. */
static inline void memplan_canary_before(
	const struct memplan_canary *canary, uint32_t step)
{
	uint64_t at = 0, end;

	/* No gap ends beyond the block. GCC 12 does not see that when it
	 * unrolls the loop, and warns. */
	for (; memplan_canary_gap(canary, step, &at, &end); at = end)
		for (uint64_t i = at; i < end && i < canary->size; i++)
			canary->block[i] = memplan_canary_byte(i);
	for (uint32_t i = 0; i < canary->n; i++)
		if (memplan_canary_must_stay(canary, &canary->entries[i], step))
			canary->sums[i] =
				memplan_canary_sum(canary, &canary->entries[i]);
}

/* Reports the byte at that offset of the block by the nearest tensor alive in
 * front of it. */
static inline void memplan_canary_locate(const struct memplan_canary *canary,
	uint64_t at, struct memplan_canary_report *report)
{
	uint64_t nearest = 0;

	report->tensor = canary->n;
	report->at = at;
	for (uint32_t i = 0; i < canary->n; i++) {
		const struct memplan_entry *entry = &canary->entries[i];

		if (!memplan_canary_alive(canary, entry, report->step) ||
			entry->offset > at || entry->offset < nearest)
			continue;
		nearest = entry->offset;
		report->tensor = i;
		report->at = at - entry->offset;
	}
}

/* After a step: MEMPLAN_CANARY_OK, or what happened, with the report of the
 * first byte or tensor of it. */
static inline enum memplan_canary_status memplan_canary_after(
	const struct memplan_canary *canary, uint32_t step,
	struct memplan_canary_report *report)
{
	uint64_t at = 0, end;

	report->step = step;
	for (; memplan_canary_gap(canary, step, &at, &end); at = end)
		for (uint64_t i = at; i < end; i++)
			if (canary->block[i] != memplan_canary_byte(i)) {
				memplan_canary_locate(canary, i, report);
				return MEMPLAN_CANARY_STRAY;
			}
	for (uint32_t i = 0; i < canary->n; i++) {
		report->tensor = i;
		report->at = 0;
		if (memplan_canary_must_stay(
			    canary, &canary->entries[i], step) &&
			canary->sums[i] !=
				memplan_canary_sum(canary, &canary->entries[i]))
			return MEMPLAN_CANARY_OVERWRITTEN;
	}
	return MEMPLAN_CANARY_OK;
}

#ifdef __cplusplus
}
#endif

#endif
