/*
 * What docs/use/device/tensorrt.cc needs of TensorRT's NvInfer.h, for a build
 * where TensorRT is not installed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TOOLS_STUBS_NVINFER_H
#define MP_TOOLS_STUBS_NVINFER_H

#include <cstdint>

struct stub_graph;

namespace nvinfer1
{
enum class ExecutionContextAllocationStrategy {
	kSTATIC = 0,
	kON_PROFILE_CHANGE = 1,
	kUSER_MANAGED = 2,
};

class IExecutionContext
{
      public:
	virtual ~IExecutionContext() = default;
	virtual void setDeviceMemoryV2(void *memory, int64_t size) = 0;
	virtual bool setTensorAddress(const char *name, void *data) = 0;
	virtual bool enqueueV3(stub_graph *stream) = 0;
};

class ICudaEngine
{
      public:
	virtual ~ICudaEngine() = default;
	virtual int64_t getDeviceMemorySizeV2() const = 0;
	virtual IExecutionContext *createExecutionContext(
		ExecutionContextAllocationStrategy strategy) = 0;
};
} // namespace nvinfer1

#endif
