/*
 * The network of network.c on a GPU: its kernels run twice, once with an
 * allocation per tensor and once in the one block of the plan. These results
 * must be equal to the last bit, and to those of the host within TOLERANCE: the
 * GPU's expf may differ in its last bits, and some hosts fuse a product and a
 * sum.
 *
 *	network-cuda [--wrong]
 *
 * --wrong puts one tensor on another that is still needed. Exit status: 1, the
 * results differ; 6, there is no GPU, or it failed.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memplan/device.h"
#include "network-host.h"
#include "network-ptx.h"

enum {
	DIFFERENT = 1,
	USAGE = 2,
	DEVICE_FAILED = 6,
	THREADS = 128,
	NON_BLOCKING = 1, /* CU_STREAM_NON_BLOCKING */
};

#define TOLERANCE 1e-5f
#define TENSOR(name) memory->at[NETWORK_TENSOR_##name]

/* ---------------------------------------------------------- kernels */

/* A program's own kernels, beside a memplan device: in the primary context of
 * the same GPU, which the runtime library would make current too. The driver is
 * loaded at run time; a program that is built with a CUDA toolkit would include
 * cuda.h instead. Functions that can fail return 0 on success, and say on
 * stderr what failed. */

/* CUresult is an int, all handles are pointers. */
struct gpu {
	int (*retain_context)(void **context, int ordinal);
	int (*release_context)(int ordinal);
	int (*set_context)(void *context);
	int (*load_module)(void **module, const void *ptx);
	int (*unload_module)(void *module);
	int (*get_function)(void **function, void *module, const char *name);
	int (*create_stream)(void **stream, unsigned flags);
	int (*destroy_stream)(void *stream);
	int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz,
		unsigned bx, unsigned by, unsigned bz, unsigned shared,
		void *stream, void **parameters, void **extra);
	void *library, *context, *module, *stream;
};

static int failed(const char *call, int code)
{
	if (code != 0)
		fprintf(stderr, "%s failed: error %d\n", call, code);
	return code != 0;
}

/* C does not say that a data pointer can hold a function's address; POSIX does.
 */
static int find(const struct gpu *gpu, const char *name, void *target)
{
	void *symbol = dlsym(gpu->library, name);

	memcpy(target, &symbol, sizeof(symbol));
	return failed(name, symbol ? 0 : -1);
}

static int load(struct gpu *gpu)
{
	memset(gpu, 0, sizeof(*gpu));
	gpu->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	return failed("dlopen", gpu->library ? 0 : -1) ||
	       find(gpu, "cuDevicePrimaryCtxRetain", &gpu->retain_context) ||
	       find(gpu, "cuDevicePrimaryCtxRelease_v2",
		       &gpu->release_context) ||
	       find(gpu, "cuCtxSetCurrent", &gpu->set_context) ||
	       find(gpu, "cuModuleLoadData", &gpu->load_module) ||
	       find(gpu, "cuModuleUnload", &gpu->unload_module) ||
	       find(gpu, "cuModuleGetFunction", &gpu->get_function) ||
	       find(gpu, "cuStreamCreate", &gpu->create_stream) ||
	       find(gpu, "cuStreamDestroy_v2", &gpu->destroy_stream) ||
	       find(gpu, "cuLaunchKernel", &gpu->launch);
}

static int open_gpu(struct gpu *gpu, const char *ptx)
{
	return load(gpu) ||
	       failed("cuDevicePrimaryCtxRetain",
		       gpu->retain_context(&gpu->context, 0)) ||
	       failed("cuCtxSetCurrent", gpu->set_context(gpu->context)) ||
	       failed("cuModuleLoadData",
		       gpu->load_module(&gpu->module, ptx)) ||
	       failed("cuStreamCreate",
		       gpu->create_stream(&gpu->stream, NON_BLOCKING));
}

/* Also cleans up after an opening that failed. */
static void close_gpu(struct gpu *gpu)
{
	if (gpu->stream)
		gpu->destroy_stream(gpu->stream);
	if (gpu->module)
		gpu->unload_module(gpu->module);
	if (gpu->context)
		gpu->release_context(0);
	if (gpu->library)
		dlclose(gpu->library);
}

/* Runs one thread an element, after all kernels before it. */
static int run_kernel(const struct gpu *gpu, const char *kernel, int elements,
	void **parameters)
{
	unsigned blocks = ((unsigned)elements + THREADS - 1) / THREADS;
	void *function;

	return failed(kernel,
		       gpu->get_function(&function, gpu->module, kernel)) ||
	       failed(kernel, gpu->launch(function, blocks, 1, 1, THREADS, 1, 1,
				      0, gpu->stream, parameters, NULL));
}

/* Addresses of tensors on the device. */
struct memory {
	const struct gpu *gpu;
	uint64_t at[NETWORK_N_TENSORS], weights;
};

/* ----------------------------------------------------------- layers */

static int run_step(const struct memory *memory, uint32_t step)
{
	const struct network_layer *l = &network_layers[step];
	const struct gpu *gpu = memory->gpu;
	uint64_t weights = memory->weights + l->weights * sizeof(float);
	uint64_t input = memory->at[l->input], other = memory->at[l->other];
	uint64_t result = memory->at[l->result];
	int n = l->inputs, outputs = l->outputs, width = l->width;
	int pixels = width * width, row = 9 * n, all = n * pixels;

	switch (l->kind) {
	case CONVOLVE:
		return run_kernel(gpu, "network_unfold", pixels * row,
			       (void *[]){&input, &n, &width, &other}) ||
		       run_kernel(gpu, "network_convolve", pixels * outputs,
			       (void *[]){&other, &weights, &row, &outputs,
				       &pixels, &result});
	case ADD:
		return run_kernel(gpu, "network_add", all,
			(void *[]){&input, &other, &all, &result});
	case POOL:
		return run_kernel(gpu, "network_pool", all / 4,
			(void *[]){&input, &n, &width, &result});
	case MEAN:
		return run_kernel(gpu, "network_mean", n,
			(void *[]){&input, &n, &pixels, &result});
	case MULTIPLY:
		return run_kernel(gpu, "network_multiply", outputs,
			(void *[]){&weights, &input, &outputs, &n, &result});
	case SOFTMAX:
		return run_kernel(gpu, "network_softmax", 1,
			(void *[]){&input, &n, &result});
	}
	return 1;
}

/* ------------------------------------------------------------- runs */

/* Copies wait for the kernels of all streams. */
static int run(struct memplan_device *device, const struct memory *memory,
	float *chances)
{
	float image[NETWORK_SIZE_image / sizeof(float)];

	network_fill(image, NETWORK_SIZE_image / sizeof(float), 1);
	if (device->row->copy(device, TENSOR(image), (uintptr_t)image,
		    sizeof(image), MEMPLAN_TO_DEVICE))
		return 1;
	for (uint32_t step = 0; step < NETWORK_N_STEPS; step++)
		if (run_step(memory, step))
			return 1;
	return device->row->copy(device, (uintptr_t)chances, TENSOR(chances),
		NETWORK_SIZE_chances, MEMPLAN_FROM_DEVICE);
}

static int run_apart(
	struct memplan_device *device, struct memory *memory, float *chances)
{
	struct memplan_block blocks[NETWORK_N_TENSORS];
	struct memplan_pool pool = {0, NETWORK_ARENA_ALIGN};
	uint32_t n = 0;
	int bad = 0;

	for (; n < NETWORK_N_TENSORS; n++) {
		pool.size = network_entries[n].size;
		bad = memplan_block_allocate(device, &pool, &blocks[n]);
		if (bad)
			break;
		memory->at[n] = blocks[n].address;
	}
	bad = bad || run(device, memory, chances);
	while (n-- > 0)
		bad |= memplan_block_release(device, &blocks[n]);
	return bad;
}

static int run_planned(struct memplan_device *device, struct memory *memory,
	int wrong, float *chances)
{
	struct memplan_block block;
	int bad;

	if (memplan_block_allocate(device, &network_pools[0], &block))
		return 1;
	for (uint32_t i = 0; i < NETWORK_N_TENSORS; i++)
		memory->at[i] = block.address + network_entries[i].offset;
	if (wrong)
		TENSOR(second) = TENSOR(first);
	bad = run(device, memory, chances);
	return memplan_block_release(device, &block) || bad;
}

struct results {
	float host[CLASSES], apart[CLASSES], planned[CLASSES];
};

static int run_all(struct memplan_device *device, const struct gpu *gpu,
	int wrong, struct results *results)
{
	static float weights[NETWORK_N_WEIGHTS];
	struct memplan_pool pool = {sizeof(weights), sizeof(float)};
	struct memory memory = {.gpu = gpu};
	struct memplan_block block;
	int bad;

	network_fill(weights, NETWORK_N_WEIGHTS, 7);
	if (!network_run_apart(weights, results->host) ||
		memplan_block_allocate(device, &pool, &block))
		return 1;
	memory.weights = block.address;
	bad = device->row->copy(device, block.address, (uintptr_t)weights,
		      sizeof(weights), MEMPLAN_TO_DEVICE) ||
	      run_apart(device, &memory, results->apart) ||
	      run_planned(device, &memory, wrong, results->planned);
	return memplan_block_release(device, &block) || bad;
}

/* ---------------------------------------------------------- results */

static int compare(const struct results *results)
{
	float most = 0.0f, difference;
	int equal = memcmp(results->apart, results->planned,
			    sizeof(results->apart)) == 0;

	for (int i = 0; i < CLASSES; i++) {
		difference = fabsf(results->planned[i] - results->host[i]);
		most = difference > most ? difference : most;
		printf("class %d: %.4f\n", i, (double)results->planned[i]);
	}
	printf("one block and an allocation per tensor: %s\n",
		equal ? "equal to the last bit" : "they differ");
	printf("largest difference from the host: %.1e, at most %.0e\n",
		(double)most, (double)TOLERANCE);
	network_print_saved();
	return equal && most <= TOLERANCE ? 0 : DIFFERENT;
}

static int run_network(struct memplan_device *device, int wrong)
{
	struct results results;
	struct gpu gpu;
	int bad = open_gpu(&gpu, network_ptx) ||
		  run_all(device, &gpu, wrong, &results);

	close_gpu(&gpu);
	if (!bad)
		return compare(&results);
	fprintf(stderr, "network-cuda: the GPU failed: %s\n",
		device->code ? device->text : "a kernel, see above");
	return DEVICE_FAILED;
}

int main(int argc, char **argv)
{
	int wrong = argc == 2 && strcmp(argv[1], "--wrong") == 0, status;
	struct memplan_device device;

	if (argc != 1 && !wrong)
		return USAGE;
	if (memplan_device_open(&device, "cuda", NULL)) {
		fprintf(stderr, "network-cuda: needs a GPU: %s\n", device.text);
		return DEVICE_FAILED;
	}
	status = run_network(&device, wrong);
	memplan_device_close(&device);
	return status;
}
