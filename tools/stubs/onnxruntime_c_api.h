/*
 * What docs/use/device/onnxruntime.c needs of ONNX Runtime's header, for a
 * build where it is not installed. A program that runs with it registers the
 * allocator and makes a tensor; nothing is computed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TOOLS_STUBS_ONNXRUNTIME_C_API_H
#define MP_TOOLS_STUBS_ONNXRUNTIME_C_API_H

#include <stddef.h>
#include <stdint.h>

#define ORT_API_VERSION 17
#define ORT_API_CALL

typedef struct OrtEnv OrtEnv;
typedef struct OrtValue OrtValue;
typedef struct OrtStatus OrtStatus;
typedef struct OrtMemoryInfo OrtMemoryInfo;

typedef enum {
	ORT_OK,
	ORT_FAIL,
} OrtErrorCode;

typedef enum {
	ORT_LOGGING_LEVEL_WARNING = 2,
} OrtLoggingLevel;

typedef enum {
	OrtDeviceAllocator = 0,
} OrtAllocatorType;

typedef enum {
	OrtMemTypeDefault = 0,
} OrtMemType;

typedef enum {
	ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT = 1,
} ONNXTensorElementDataType;

typedef struct OrtAllocator {
	uint32_t version;
	void *(*Alloc)(struct OrtAllocator *, size_t);
	void (*Free)(struct OrtAllocator *, void *);
	const OrtMemoryInfo *(*Info)(const struct OrtAllocator *);
} OrtAllocator;

typedef struct OrtApi {
	OrtStatus *(*CreateStatus)(OrtErrorCode, const char *);
	OrtStatus *(*CreateEnv)(OrtLoggingLevel, const char *, OrtEnv **);
	OrtStatus *(*CreateCpuMemoryInfo)(
		OrtAllocatorType, OrtMemType, OrtMemoryInfo **);
	OrtStatus *(*RegisterAllocator)(OrtEnv *, OrtAllocator *);
	OrtStatus *(*CreateTensorWithDataAsOrtValue)(const OrtMemoryInfo *,
		void *, size_t, const int64_t *, size_t,
		ONNXTensorElementDataType, OrtValue **);
	void (*ReleaseValue)(OrtValue *);
	void (*ReleaseMemoryInfo)(OrtMemoryInfo *);
	void (*ReleaseEnv)(OrtEnv *);
} OrtApi;

typedef struct OrtApiBase {
	const OrtApi *(*GetApi)(uint32_t);
} OrtApiBase;

static char stub_object;

static OrtStatus *stub_status(OrtErrorCode code, const char *text)
{
	(void)code;
	(void)text;
	return (OrtStatus *)&stub_object;
}

static OrtStatus *stub_env(
	OrtLoggingLevel level, const char *name, OrtEnv **env)
{
	(void)level;
	(void)name;
	*env = (OrtEnv *)&stub_object;
	return NULL;
}

static OrtStatus *stub_info(
	OrtAllocatorType allocator, OrtMemType type, OrtMemoryInfo **info)
{
	(void)allocator;
	(void)type;
	*info = (OrtMemoryInfo *)&stub_object;
	return NULL;
}

/* Takes two pieces, gives them back, and expects the first place again. */
static OrtStatus *stub_register(OrtEnv *env, OrtAllocator *allocator)
{
	void *first = allocator->Alloc(allocator, 100);
	void *second = allocator->Alloc(allocator, 1);
	void *again;

	(void)env;
	if (!first || !second || first == second || !allocator->Info(allocator))
		return stub_status(ORT_FAIL, "the allocator");
	allocator->Free(allocator, first);
	allocator->Free(allocator, second);
	again = allocator->Alloc(allocator, 100);
	allocator->Free(allocator, again);
	return again == first ? NULL : stub_status(ORT_FAIL, "the allocator");
}

static OrtStatus *stub_tensor(const OrtMemoryInfo *info, void *data,
	size_t size, const int64_t *shape, size_t n,
	ONNXTensorElementDataType type, OrtValue **value)
{
	size_t wanted = sizeof(float);

	(void)info;
	(void)type;
	for (size_t i = 0; i < n; i++)
		wanted *= (size_t)shape[i];
	if (size < wanted)
		return stub_status(ORT_FAIL, "too few bytes");
	*value = (OrtValue *)data;
	return NULL;
}

static void stub_release_value(OrtValue *value)
{
	(void)value;
}

static void stub_release_info(OrtMemoryInfo *info)
{
	(void)info;
}

static void stub_release_env(OrtEnv *env)
{
	(void)env;
}

static const OrtApi *stub_api(uint32_t version)
{
	static const OrtApi api = {stub_status, stub_env, stub_info,
		stub_register, stub_tensor, stub_release_value,
		stub_release_info, stub_release_env};

	return version == ORT_API_VERSION ? &api : NULL;
}

static inline const OrtApiBase *OrtGetApiBase(void)
{
	static const OrtApiBase base = {stub_api};

	return &base;
}

#endif
