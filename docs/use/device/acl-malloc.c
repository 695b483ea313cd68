/*
 * A plan in one aclrtMalloc() on Ascend: the block is the program's own. Plan
 * with --target acl or ascend.
 *
 * SPDX-License-Identifier: MIT
 */
#include <acl/acl.h>
#include <memplan/loader.h>
#include <stdio.h>

#include "net_plan.h"

enum {
	NO_NPU = 6,
	PIXELS = 3 * 32 * 32,
	CLASSES = 10,
	PIECE_TAIL = 64, /* what the runtime's rule adds to a piece, at most */
};

static int failed(const char *call, aclError code)
{
	if (code != 0)
		fprintf(stderr, "acl-malloc: %s: %d\n", call, code);
	return code != 0;
}

static int run(void *block)
{
	float image[PIXELS] = {1.0f}, classes[CLASSES];

	/* Between the copies kernels run, and the program waits for them. */
	return failed("aclrtMemcpy",
		       aclrtMemcpy(TINY_AT(block, input), sizeof(image), image,
			       sizeof(image), ACL_MEMCPY_HOST_TO_DEVICE)) ||
	       failed("aclrtSynchronizeDevice", aclrtSynchronizeDevice()) ||
	       failed("aclrtMemcpy",
		       aclrtMemcpy(classes, sizeof(classes),
			       TINY_AT(block, addmm), sizeof(classes),
			       ACL_MEMCPY_DEVICE_TO_HOST));
}

/* aclrtMalloc() aligns to 64 bytes and plans commonly to 512. */
static int run_in_block(void)
{
	uint64_t size = TINY_ARENA_SIZE + TINY_ARENA_ALIGN + PIECE_TAIL;
	void *memory = NULL, *block;
	int bad;

	if (failed("aclrtMalloc",
		    aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST)))
		return 1;
	bad = memplan_block_align(&tiny_pools[0], memory, size, &block) !=
		      MEMPLAN_TABLE_OK ||
	      memplan_block_check(&tiny_pools[0], block, TINY_ARENA_SIZE) !=
		      MEMPLAN_TABLE_OK ||
	      run(block);
	/* aclrtFree() waits for nothing; run() has waited. */
	return failed("aclrtFree", aclrtFree(memory)) || bad;
}

int main(void)
{
	int bad;

	if (failed("aclInit", aclInit(NULL)) ||
		failed("aclrtSetDevice", aclrtSetDevice(0)))
		return NO_NPU;
	bad = run_in_block();
	if (!bad)
		printf("%u tensors in one aclrtMalloc of %llu bytes\n",
			TINY_N_TENSORS, (unsigned long long)TINY_ARENA_SIZE);
	aclrtResetDevice(0);
	aclFinalize();
	return bad;
}
