/*
 * The table of targets, with the sources of its numbers:
 *
 * - ascend: SOMAS of MindSpore rounds a tensor of n bytes to (n + 512 + 31) /
 *   512 * 512, which is n + 32 up to 512, and leaves 512 bytes free before and
 *   after the tensors of a collective.
 * - ge: the graph engine of CANN also adds 32 bytes and rounds up to 512; its
 *   offsets are relative to a base of that alignment.
 * - acl: the documentation of aclrtMalloc says how to cut up one block: each
 *   piece of n bytes has ALIGN_UP(n, 32) + 32 bytes and begins at a multiple of
 *   64. n + 32 up to 64 is the least multiple of 64 that holds that.
 * - cuda: cudaMalloc aligns to 256 bytes at least.
 * - tflm: TensorFlow Lite for Microcontrollers aligns buffers to 16; offsets of
 *   a plan made before are 32-bit integers with a sign.
 * - host: a cache line, which is also the widest vector.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/target.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"

/* Each number stands once; the summary spells it. */
#define TARGET(name, what, alignment, padding, base, guard, limit)             \
	{                                                                      \
		name,                                                          \
			what ": offsets " #alignment ", padding " #padding     \
			     ", base " #base ", guard " #guard,                \
			alignment, limit,                                      \
		{                                                              \
			name, padding, base, guard                             \
		}                                                              \
	}

const struct target mp_targets[] = {
	TARGET("ascend", "MindSpore's SOMAS on Ascend", 512, 32, 512, 512, 0),
	TARGET("ge", "graph engine of CANN", 512, 32, 512, 512, 0),
	TARGET("acl", "pieces of one aclrtMalloc", 64, 32, 64, 0, 0),
	TARGET("cuda", "pieces of one cudaMalloc", 256, 0, 256, 0, 0),
	TARGET("tflm", "TensorFlow Lite for Microcontrollers", 16, 0, 16, 0,
		INT32_MAX),
	TARGET("host", "processors: a cache line", 64, 0, 64, 0, 0),
};

const uint32_t mp_n_targets = countof(mp_targets);

const struct target *mp_graph_target_find(const char *name)
{
	for (uint32_t i = 0; i < mp_n_targets; i++) {
		assert(num_is_pow2(mp_targets[i].alignment));
		if (strcmp(mp_targets[i].name, name) == 0)
			return &mp_targets[i];
	}
	return NULL;
}
