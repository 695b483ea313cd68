/*
 * A stand-in for libcuda.so.1, for tests where there is no GPU: two of them.
 * Memory is the host's, kernels are plain C, streams are the queues of
 * queues.h, and copies to the device arrive as late as the driver allows.
 * libcuda.h has its rules.
 *
 * Moods: no-device finds no GPU, no-pools has no stream-ordered allocator,
 * no-jit no compiler, askew aligns memory to less than the driver does;
 * out-of-memory=N lets the N-th allocation fail, fault=N the N-th launch;
 * no-leaks forbids that anything is left when a context ends.
 *
 * This file: devices, contexts, modules, errors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "libcuda.h"

#include <stdlib.h>
#include <string.h>

#include "live-blocks.h"

enum {
	POOLS = 115, /* CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED */
	MOST_PUSHED = 16,
};

static int is_ready, n_modules;
static struct context contexts[DEVICES] = {{0, 0}, {1, 0}};
static _Thread_local struct context *pushed[MOST_PUSHED];
static _Thread_local int n_pushed;

/* ----------------------------------------------------------- checks */

struct context *current_context(void)
{
	return n_pushed > 0 ? pushed[n_pushed - 1] : NULL;
}

/* Rules 1, 2, 3 and 5. */
int check_call(void)
{
	const struct context *context = current_context();

	if (!is_ready)
		return NOT_INITIALIZED;
	if (!context)
		return INVALID_CONTEXT;
	if (context->n_retained == 0)
		return CONTEXT_IS_DESTROYED;
	run_some();
	return has_fault(context->device) ? ILLEGAL_ADDRESS : OK;
}

/* ---------------------------------------------------------- devices */

CUresult cuInit(unsigned flags)
{
	if (has_mood("no-device"))
		return NO_DEVICE;
	is_ready = flags == 0;
	return is_ready ? OK : INVALID_VALUE;
}

CUresult cuDeviceGet(CUdevice *gpu, int ordinal)
{
	*gpu = ordinal;
	if (!is_ready)
		return NOT_INITIALIZED;
	return ordinal >= 0 && ordinal < DEVICES ? OK : INVALID_DEVICE;
}

CUresult cuDeviceGetAttribute(
	int *value, CUdevice_attribute attribute, CUdevice gpu)
{
	*value = !has_mood("no-pools");
	return attribute == POOLS && gpu < DEVICES ? OK : INVALID_VALUE;
}

/* --------------------------------------------------------- contexts */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice gpu)
{
	if (!is_ready)
		return NOT_INITIALIZED;
	if (gpu < 0 || gpu >= DEVICES)
		return INVALID_DEVICE;
	contexts[gpu].n_retained++;
	default_queue(gpu)->context = &contexts[gpu];
	*context = &contexts[gpu];
	return OK;
}

/* Rule 3. */
static int release(CUdevice gpu)
{
	if (gpu < 0 || gpu >= DEVICES || contexts[gpu].n_retained == 0)
		return INVALID_CONTEXT;
	if (--contexts[gpu].n_retained > 0)
		return OK;
	if (has_mood("no-leaks") &&
		(has_blocks(gpu) || has_queues(&contexts[gpu]) ||
			n_modules + n_events() > 0))
		broken("a context ends, and something in it was left");
	drop_all(&contexts[gpu]);
	give_blocks(gpu);
	return OK;
}

#ifdef OLD_DRIVER
CUresult cuDevicePrimaryCtxRelease(CUdevice gpu)
{
	return release(gpu);
}
#else
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice gpu)
{
	return release(gpu);
}
#endif

CUresult cuDevicePrimaryCtxGetState(
	CUdevice gpu, unsigned *flags, int *is_active)
{
	*flags = 0;
	*is_active = contexts[gpu].n_retained > 0;
	return OK;
}

static int may_be_current(const void *context)
{
	for (int i = 0; i < DEVICES; i++)
		if (context == &contexts[i])
			return contexts[i].n_retained > 0;
	return 0;
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
	if (!may_be_current(context) || n_pushed == MOST_PUSHED)
		return INVALID_CONTEXT;
	pushed[n_pushed++] = context;
	return OK;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
	if (n_pushed == 0)
		return INVALID_CONTEXT;
	*context = pushed[--n_pushed];
	return OK;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
	*context = current_context();
	return OK;
}

/* In place of the uppermost. */
CUresult cuCtxSetCurrent(CUcontext context)
{
	if (context && !may_be_current(context))
		return INVALID_CONTEXT;
	if (n_pushed > 0)
		n_pushed--;
	if (context)
		pushed[n_pushed++] = context;
	return OK;
}

/* Fails if a queue waits for an event that is never recorded. */
CUresult cuCtxSynchronize(void)
{
	int code = check_unsafe_call(CAPTURE_UNSUPPORTED);

	if (code == OK)
		run_all(current_context());
	return code ? code : check_call();
}

/* ---------------------------------------------------------- modules */

/* A module is its PTX text. */
struct module {
	const struct context *context;
	char text[];
};

struct function {
	const struct context *context;
	const struct kernel *kernel;
};

/* Rule 12. */
CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	size_t size = strlen(image) + 1;
	struct module *made;
	int code = check_unsafe_call(CAPTURE_UNSUPPORTED);

	if (code)
		return code;
	if (has_mood("no-jit"))
		return JIT_COMPILER_NOT_FOUND;
	if (strncmp(image, ".version", 8) != 0)
		return INVALID_VALUE;
	made = malloc(sizeof(*made) + size);
	if (!made)
		return OUT_OF_MEMORY;
	n_modules++;
	made->context = current_context();
	memcpy(made->text, image, size);
	*module = made;
	return OK;
}

/* Rule 14. */
CUresult cuModuleUnload(CUmodule module)
{
	const struct module *m = module;
	int code = check_call();

	if (code != OK && code != ILLEGAL_ADDRESS)
		return code;
	if (m->context != current_context())
		return INVALID_HANDLE;
	if (has_launches(m->context))
		broken("rule 14: a module is unloaded under its kernels");
	n_modules--;
	free(module);
	return code;
}

/* Functions are few and stay. */
CUresult cuModuleGetFunction(
	CUfunction *function, CUmodule module, const char *name)
{
	static struct function functions[64];
	static size_t n;
	const struct module *m = module;
	const struct kernel *kernel = find_kernel(m->text, name);

	if (!kernel)
		return NOT_FOUND;
	for (size_t i = 0; i < n; i++)
		if (functions[i].kernel == kernel &&
			functions[i].context == m->context)
			return *function = &functions[i], OK;
	if (n == sizeof(functions) / sizeof(functions[0]))
		return OUT_OF_MEMORY;
	functions[n] = (struct function){m->context, kernel};
	*function = &functions[n++];
	return OK;
}

static union value parameter(char kind, const void *at)
{
	union value value = {.u = 0};

	switch (kind) {
	case 'p':
		memcpy(&value.p, at, sizeof(value.p));
		break;
	case 'u':
		memcpy(&value.u, at, sizeof(value.u));
		break;
	case 'i':
		memcpy(&value.i, at, sizeof(value.i));
		break;
	}
	return value;
}

/* A pointer to nothing, for the mood "fault". */
static void spoil(struct job *job)
{
	static struct calls calls;

	if (is_the_call("fault", &calls))
		job->values[0].p = NULL;
}

/* Rule 4. */
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy,
	unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
	CUstream stream, void **parameters, void **extra)
{
	const struct function *f = function;
	struct queue *queue = stream;
	struct job job = {.kind = LAUNCH, .blocks = gx, .threads = bx};
	int code = check_call();

	if (code)
		return code;
	if (!queue || gx == 0 || gy != 1 || gz != 1 || bx == 0 || bx > 1024 ||
		by != 1 || bz != 1 || shared != 0 || extra)
		return INVALID_VALUE;
	if (queue->context != current_context() ||
		f->context != current_context())
		return INVALID_HANDLE;
	job.kernel = f->kernel;
	for (size_t i = 0; job.kernel->parameters[i]; i++)
		job.values[i] =
			parameter(job.kernel->parameters[i], parameters[i]);
	spoil(&job);
	return add_job(queue, job) ? OK : OUT_OF_MEMORY;
}

/* ----------------------------------------------------------- errors */

static const struct {
	int code;
	const char *name, *text;
} errors[] = {
	{OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	{NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
	{NO_DEVICE, "CUDA_ERROR_NO_DEVICE",
		"no CUDA-capable device is detected"},
	{INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	{INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT",
		"invalid device context"},
	{JIT_COMPILER_NOT_FOUND, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
		"PTX JIT compiler library not found"},
	{INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE",
		"invalid resource handle"},
	{ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
		"an illegal memory access was encountered"},
	{CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED",
		"context is destroyed"},
	{NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
	{CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
		"operation not permitted when stream is capturing"},
	{CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
		"operation would make the legacy stream depend on a capturing "
		"blocking stream"},
	{INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
};

static size_t error_at(int code)
{
	size_t i = 0, last = sizeof(errors) / sizeof(errors[0]) - 1;

	while (i < last && errors[i].code != code)
		i++;
	return i;
}

CUresult cuGetErrorName(CUresult code, const char **text)
{
	*text = errors[error_at(code)].name;
	return OK;
}

CUresult cuGetErrorString(CUresult code, const char **text)
{
	*text = errors[error_at(code)].text;
	return OK;
}
