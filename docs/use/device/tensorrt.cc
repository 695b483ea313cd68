// TensorRT's scratch memory as one tensor of a plan: the graph has a temporary
// of getDeviceMemorySizeV2() bytes, aligned to 256, and the engine gets its
// place in the block. Several engines that do not run at once then share bytes
// with each other and with the tensors of the program.
//
// SPDX-License-Identifier: MIT
#include <NvInfer.h>
#include <cuda_runtime_api.h>
#include <memplan/loader.h>

#include <cstdio>
#include <memory>

#include "net_plan.h"

namespace
{
constexpr uint64_t ENGINE_ALIGN = 256;

// The tensor's place is the user's pointer here: it must be large enough for
// this build of the engine, and aligned.
bool give_memory(nvinfer1::ICudaEngine &engine,
	nvinfer1::IExecutionContext &context, void *block,
	const memplan_entry &entry)
{
	const memplan_pool wanted{
		static_cast<uint64_t>(engine.getDeviceMemorySizeV2()),
		ENGINE_ALIGN};
	void *place = memplan_entry_at(block, &entry);

	if (memplan_block_check(&wanted, place, entry.size))
		return false;
	context.setDeviceMemoryV2(place, static_cast<int64_t>(entry.size));
	return true;
}
} // namespace

// The engine is deserialised elsewhere.
bool run_engine(nvinfer1::ICudaEngine &engine, cudaStream_t stream)
{
	uint64_t size = TINY_ARENA_SIZE + TINY_ARENA_ALIGN;
	void *memory = nullptr, *block = nullptr;
	bool good;

	if (cudaMalloc(&memory, size) != cudaSuccess)
		return false;
	{
		std::unique_ptr<nvinfer1::IExecutionContext> context{
			engine.createExecutionContext(
				nvinfer1::ExecutionContextAllocationStrategy::
					kUSER_MANAGED)};

		good = context &&
		       !memplan_block_align(
			       &tiny_pools[0], memory, size, &block) &&
		       give_memory(engine, *context, block,
			       tiny_entries[TINY_TENSOR_relu]) &&
		       context->setTensorAddress(
			       "input", TINY_AT(block, input)) &&
		       context->setTensorAddress(
			       "output", TINY_AT(block, addmm)) &&
		       context->enqueueV3(stream) &&
		       cudaStreamSynchronize(stream) == cudaSuccess;
	}
	cudaFree(memory);
	return good;
}
