/*
 * ONNX Runtime beside a plan: its inputs and outputs lie in the block, and so
 * does the memory that it takes for itself while it runs, as one tensor of the
 * plan. Sessions that are made with "session.use_env_allocators" set to "1" use
 * the allocator that is registered here in place of their own arena.
 *
 * SPDX-License-Identifier: MIT
 */
#include <memplan/host.h>
#include <onnxruntime_c_api.h>

#include "net_plan.h"

enum {
	PIECE_ALIGN = 64,
};

/* Hands out the tensor's bytes one behind the other, and begins again when all
 * were given back. NULL when it is full: the run then fails. One thread. */
struct region {
	OrtAllocator allocator; /* first */
	const OrtMemoryInfo *info;
	unsigned char *at;
	size_t size, used, n;
};

static void *ORT_API_CALL take(OrtAllocator *allocator, size_t size)
{
	struct region *region = (struct region *)allocator;
	void *piece = region->at + region->used;

	size = (size + PIECE_ALIGN - 1) & -(size_t)PIECE_ALIGN;
	if (size > region->size - region->used)
		return NULL;
	region->used += size;
	region->n++;
	return piece;
}

static void ORT_API_CALL give(OrtAllocator *allocator, void *piece)
{
	struct region *region = (struct region *)allocator;

	if (piece && --region->n == 0)
		region->used = 0;
}

static const OrtMemoryInfo *ORT_API_CALL tell(const OrtAllocator *allocator)
{
	return ((const struct region *)allocator)->info;
}

/* The place of a tensor, if the runtime may use it. */
static int give_place(struct region *region, void *block,
	const struct memplan_entry *entry, const OrtMemoryInfo *info)
{
	const struct memplan_pool wanted = {entry->size, PIECE_ALIGN};
	void *place = memplan_entry_at(block, entry);

	*region = (struct region){.allocator = {.version = ORT_API_VERSION,
					  .Alloc = take,
					  .Free = give,
					  .Info = tell},
		.info = info,
		.at = place,
		.size = (size_t)entry->size};
	return memplan_block_check(&wanted, place, entry->size) !=
	       MEMPLAN_TABLE_OK;
}

static OrtStatus *use_block(const OrtApi *ort, OrtEnv *env, void *block,
	const OrtMemoryInfo *info, struct region *region, OrtValue **input)
{
	const int64_t shape[] = {1, 3, 32, 32};

	if (give_place(region, block, &tiny_entries[TINY_TENSOR_relu], info))
		return ort->CreateStatus(ORT_FAIL, "the block does not do");
	OrtStatus *status = ort->RegisterAllocator(env, &region->allocator);

	if (status)
		return status;
	return ort->CreateTensorWithDataAsOrtValue(info, TINY_AT(block, input),
		(size_t)tiny_entries[TINY_TENSOR_input].size, shape, 4,
		ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, input);
}

int main(void)
{
	const OrtApi *ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
	void *block = memplan_host_allocate(&tiny_pools[0]);
	OrtMemoryInfo *info = NULL;
	OrtStatus *status;
	OrtValue *input = NULL;
	OrtEnv *env = NULL;
	struct region region;

	if (!ort || !block ||
		memplan_block_check(&tiny_pools[0], block, TINY_ARENA_SIZE))
		return 1;
	status = ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "net", &env);
	if (!status)
		status = ort->CreateCpuMemoryInfo(
			OrtDeviceAllocator, OrtMemTypeDefault, &info);
	if (!status)
		status = use_block(ort, env, block, info, &region, &input);
	/* Here a session is made with this environment, and runs. */
	if (input)
		ort->ReleaseValue(input);
	if (info)
		ort->ReleaseMemoryInfo(info);
	if (env)
		ort->ReleaseEnv(env);
	memplan_host_free(block);
	return status != NULL;
}
