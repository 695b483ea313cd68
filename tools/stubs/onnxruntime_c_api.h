/*
 * What the program of docs/howto/onnxruntime.md needs of ONNX Runtime's header,
 * for a build where it is not installed. A session asks the registered
 * allocator for memory when it is made and when it runs; nothing is computed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TOOLS_STUBS_ONNXRUNTIME_C_API_H
#define MP_TOOLS_STUBS_ONNXRUNTIME_C_API_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ORT_API_VERSION 17
#define ORT_API_CALL

typedef struct OrtEnv OrtEnv;
typedef struct OrtValue OrtValue;
typedef struct OrtStatus OrtStatus;
typedef struct OrtSession OrtSession;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtSessionOptions OrtSessionOptions;

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
	const char *(*GetErrorMessage)(const OrtStatus *);
	OrtStatus *(*CreateEnv)(OrtLoggingLevel, const char *, OrtEnv **);
	OrtStatus *(*CreateCpuMemoryInfo)(
		OrtAllocatorType, OrtMemType, OrtMemoryInfo **);
	OrtStatus *(*RegisterAllocator)(OrtEnv *, OrtAllocator *);
	OrtStatus *(*UnregisterAllocator)(OrtEnv *, const OrtMemoryInfo *);
	OrtStatus *(*CreateSessionOptions)(OrtSessionOptions **);
	OrtStatus *(*AddSessionConfigEntry)(
		OrtSessionOptions *, const char *, const char *);
	OrtStatus *(*DisableMemPattern)(OrtSessionOptions *);
	OrtStatus *(*CreateSession)(const OrtEnv *, const char *,
		const OrtSessionOptions *, OrtSession **);
	OrtStatus *(*CreateTensorWithDataAsOrtValue)(const OrtMemoryInfo *,
		void *, size_t, const int64_t *, size_t,
		ONNXTensorElementDataType, OrtValue **);
	OrtStatus *(*Run)(OrtSession *, const OrtRunOptions *,
		const char *const *, const OrtValue *const *, size_t,
		const char *const *, size_t, OrtValue **);
	void (*ReleaseValue)(OrtValue *);
	void (*ReleaseSession)(OrtSession *);
	void (*ReleaseSessionOptions)(OrtSessionOptions *);
	void (*ReleaseMemoryInfo)(OrtMemoryInfo *);
	void (*ReleaseEnv)(OrtEnv *);
} OrtApi;

typedef struct OrtApiBase {
	const OrtApi *(*GetApi)(uint32_t);
} OrtApiBase;

/* What any handle points to, what a session keeps, and the allocator of
 * sessions that asked for it. */
static char stub_object;
static void *stub_weights;
static OrtAllocator *stub_allocator;
static int stub_is_used;

static OrtStatus *stub_fail(void)
{
	return (OrtStatus *)&stub_object;
}

static const char *stub_message(const OrtStatus *status)
{
	(void)status;
	return "the allocator";
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

static OrtStatus *stub_register(OrtEnv *env, OrtAllocator *allocator)
{
	(void)env;
	stub_allocator = allocator;
	return allocator->Info(allocator) ? NULL : stub_fail();
}

static OrtStatus *stub_unregister(OrtEnv *env, const OrtMemoryInfo *info)
{
	(void)env;
	return info == stub_allocator->Info(stub_allocator) ? NULL
							    : stub_fail();
}

static OrtStatus *stub_options(OrtSessionOptions **options)
{
	*options = (OrtSessionOptions *)&stub_object;
	return NULL;
}

static OrtStatus *stub_entry(
	OrtSessionOptions *options, const char *key, const char *text)
{
	(void)options;
	stub_is_used = strcmp(key, "session.use_env_allocators") == 0 &&
		       strcmp(text, "1") == 0;
	return NULL;
}

static OrtStatus *stub_pattern(OrtSessionOptions *options)
{
	(void)options;
	return NULL;
}

static OrtStatus *stub_session(const OrtEnv *env, const char *path,
	const OrtSessionOptions *options, OrtSession **session)
{
	(void)env;
	(void)path;
	(void)options;
	if (!stub_is_used)
		return stub_fail();
	stub_weights = stub_allocator->Alloc(stub_allocator, 100);
	*session = (OrtSession *)&stub_object;
	return stub_weights ? NULL : stub_fail();
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
	*value = (OrtValue *)data;
	return size < wanted ? stub_fail() : NULL;
}

/* Takes two pieces, gives the first back, and expects its place again. */
static OrtStatus *stub_run(OrtSession *session, const OrtRunOptions *options,
	const char *const *inputs, const OrtValue *const *in, size_t n_in,
	const char *const *outputs, size_t n_out, OrtValue **out)
{
	void *first = stub_allocator->Alloc(stub_allocator, 100);
	void *second = stub_allocator->Alloc(stub_allocator, 1);
	void *again;

	(void)session;
	(void)options;
	stub_allocator->Free(stub_allocator, first);
	again = stub_allocator->Alloc(stub_allocator, 64);
	stub_allocator->Free(stub_allocator, again);
	stub_allocator->Free(stub_allocator, second);
	return first && second && first != second && again == first && inputs &&
			       in && n_in && outputs && n_out && out
		       ? NULL
		       : stub_fail();
}

static void stub_release_value(OrtValue *value)
{
	(void)value;
}

static void stub_release_session(OrtSession *session)
{
	(void)session;
	stub_allocator->Free(stub_allocator, stub_weights);
}

static void stub_release_options(OrtSessionOptions *options)
{
	(void)options;
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
	static const OrtApi api = {stub_message, stub_env, stub_info,
		stub_register, stub_unregister, stub_options, stub_entry,
		stub_pattern, stub_session, stub_tensor, stub_run,
		stub_release_value, stub_release_session, stub_release_options,
		stub_release_info, stub_release_env};

	return version == ORT_API_VERSION ? &api : NULL;
}

static inline const OrtApiBase *OrtGetApiBase(void)
{
	static const OrtApiBase base = {stub_api};

	return &base;
}

#endif
