/*
 * Size classes of the binary-block rows of ascend: ranges by powers of two, of
 * which those with few members are merged upwards.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/peers/ascend.h"

#include <assert.h>

#define GRAIN UINT64_C(512)

/* A class of sizes from this one on may have two members. */
#define LARGE (UINT64_C(8) << 20)

/* What merging needs of a class. */
struct class
{
	uint32_t count;
	uint64_t first; /* member that entered first */
	uint64_t most;	/* largest member */
};

struct classes {
	struct class at[64];
	uint32_t n;
	uint32_t limit; /* classes with fewer members are merged upwards */
};

static void add_size(struct class *class, uint64_t size, bool is_first)
{
	if (class->count == 0 || is_first)
		class->first = size;
	class->most = num_max(class->most, size);
	class->count++;
}

/* Ceilings twice, four times, ... the smallest. Within a class the smallest
 * size comes first. */
static void fill_upwards(struct classes *classes, const uint64_t *sizes,
	uint32_t n, uint64_t smallest)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t ceiling = smallest * 2;
		uint32_t k = 0;
		struct class *class;

		for (; ceiling < sizes[i]; ceiling *= 2)
			k++;
		assert(k < countof(classes->at) && sizes[i] > 0);
		class = &classes->at[k];
		add_size(class, sizes[i], sizes[i] < class->first);
	}
}

/* Floors a half, a quarter, ... of the largest, with a grain of slack. Within a
 * class the largest size comes first. Sizes below the last floor would be of
 * class 0 and are dropped, as in GE. */
static void fill_downwards(struct classes *classes, const uint64_t *sizes,
	uint32_t n, uint64_t largest)
{
	uint64_t slack = largest > GRAIN ? GRAIN : 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t floor = largest / 2;
		uint32_t k = classes->n - 1;
		struct class *class;

		for (; k > 0 && sizes[i] <= floor + slack; k--)
			floor /= 2;
		if (k == 0)
			continue;
		class = &classes->at[k];
		add_size(class, sizes[i], sizes[i] > class->first);
	}
}

static bool is_thin(const struct classes *classes, uint32_t i)
{
	const struct class *class = &classes->at[i];

	return class->count < classes->limit && i + 1 < classes->n &&
	       !(class->first >= LARGE && class->count >= 2);
}

/* Drops empty classes and merges thin ones into the next, once. */
static bool thin_out(struct classes *classes)
{
	bool changed = false;

	for (uint32_t i = 0; i < classes->n;) {
		struct class gone = classes->at[i];
		struct class *next = &classes->at[i];

		if (gone.count > 0 && !is_thin(classes, i)) {
			i++;
			continue;
		}
		classes->n--;
		for (uint32_t k = i; k < classes->n; k++)
			classes->at[k] = classes->at[k + 1];
		changed = true;
		if (gone.count == 0)
			continue;
		if (next->count == 0)
			next->first = gone.first;
		next->count += gone.count;
		next->most = num_max(next->most, gone.most);
	}
	return changed;
}

uint32_t mp_planner_ascend_ranges(const uint64_t *sizes, uint32_t n,
	enum ascend_classes rule, uint64_t ranges[64])
{
	struct classes classes = {.n = 0};
	uint64_t smallest = n ? sizes[0] : GRAIN, largest = 0;

	for (uint32_t i = 0; i < n; i++) {
		smallest = num_min(smallest, sizes[i]);
		largest = num_max(largest, sizes[i]);
	}
	if (largest > GRAIN)
		smallest = GRAIN;
	for (classes.n = 1; classes.n < 62 && smallest << classes.n < largest;)
		classes.n++;
	classes.limit = n / classes.n;
	if (rule == CLASSES_2020)
		fill_upwards(&classes, sizes, n, smallest);
	else
		fill_downwards(&classes, sizes, n, largest);
	while (thin_out(&classes))
		;
	for (uint32_t i = 0; i < classes.n; i++)
		ranges[i] = classes.at[i].most;
	return classes.n;
}
