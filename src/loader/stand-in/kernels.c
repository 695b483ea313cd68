/*
 * Includes the sources of the kernels as plain C. The indices that a thread
 * asks the GPU for are variables here.
 *
 * SPDX-License-Identifier: MIT
 */
#include "kernels.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "live-blocks.h"
#include "moods.h"

enum {
	STACK = 64 << 10,
	TOGETHER = 32, /* threads that take turns */
};

struct dimension {
	unsigned x;
};

static struct dimension gridDim, blockDim, blockIdx, threadIdx;

/* A thread of a kernel that takes turns with others. */
struct thread {
	ucontext_t context;
	struct dimension block, index;
	int has_ended;
	char stack[STACK];
};

static struct thread *turn; /* NULL: they run one after the other */
static ucontext_t scheduler;

static void pause_thread(void)
{
	if (turn)
		swapcontext(&turn->context, &scheduler);
}

static unsigned long long atomic_add(
	unsigned long long *at, unsigned long long value)
{
	unsigned long long before;

	pause_thread();
	before = *at;
	*at += value;
	pause_thread();
	return before;
}

#define __device__
#define KERNEL static
#define atomicAdd atomic_add
#define PAUSE pause_thread
#include "../cuda-kernels.cu"
#include "../example/network-kernels.cu"

static void fill(const union value *v)
{
	memplan_fill(v[0].p, v[1].u, v[2].u);
}

static void compare(const union value *v)
{
	memplan_compare(v[0].p, v[1].u, v[2].u, v[3].p);
}

static void unfold(const union value *v)
{
	network_unfold(v[0].p, v[1].i, v[2].i, v[3].p);
}

static void convolve(const union value *v)
{
	network_convolve(v[0].p, v[1].p, v[2].i, v[3].i, v[4].i, v[5].p);
}

static void add(const union value *v)
{
	network_add(v[0].p, v[1].p, v[2].i, v[3].p);
}

static void pool(const union value *v)
{
	network_pool(v[0].p, v[1].i, v[2].i, v[3].p);
}

static void mean(const union value *v)
{
	network_mean(v[0].p, v[1].i, v[2].i, v[3].p);
}

static void multiply(const union value *v)
{
	network_multiply(v[0].p, v[1].p, v[2].i, v[3].i, v[4].p);
}

static void softmax(const union value *v)
{
	network_softmax(v[0].p, v[1].i, v[2].p);
}

static const struct kernel kernels[] = {
	{"memplan_fill", "puu", fill},
	{"memplan_compare", "puup", compare},
	{"network_unfold", "piip", unfold},
	{"network_convolve", "ppiiip", convolve},
	{"network_add", "ppip", add},
	{"network_pool", "piip", pool},
	{"network_mean", "piip", mean},
	{"network_multiply", "ppiip", multiply},
	{"network_softmax", "pip", softmax},
};

/* Moves behind the next parameter of that type in the list; NULL: there is
 * none. */
static const char *skip_parameter(const char *ptx, const char *type)
{
	const char *end = strchr(ptx, ')'), *at = strstr(ptx, ".param ");

	if (!at || !end || at > end ||
		strncmp(at + strlen(".param "), type, strlen(type)) != 0)
		return NULL;
	return at + strlen(".param ");
}

/* Compares text and source, so that a PTX text older than its source shows. */
static int is_in(const char *ptx, const struct kernel *kernel)
{
	char entry[64];

	snprintf(entry, sizeof(entry), ".entry %s(", kernel->name);
	ptx = strstr(ptx, entry);
	for (size_t i = 0; ptx && kernel->parameters[i]; i++)
		ptx = skip_parameter(
			ptx, kernel->parameters[i] == 'i' ? ".u32" : ".u64");
	return ptx && !skip_parameter(ptx, "");
}

const struct kernel *find_kernel(const char *ptx, const char *name)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (strcmp(kernels[i].name, name) == 0 &&
			is_in(ptx, &kernels[i]))
			return &kernels[i];
	return NULL;
}

int kernel_may_run(
	const struct kernel *kernel, const union value *values, int device)
{
	const char *parameters = kernel->parameters;

	for (size_t i = 0; parameters[i]; i++) {
		size_t size = parameters[i + 1] == 'u' ? values[i + 1].u : 1;

		if (parameters[i] == 'p' &&
			!is_usable(values[i].p, size, device))
			return 0;
	}
	return 1;
}

/* ------------------------------------------------------------ turns */

static struct {
	const struct kernel *kernel;
	const union value *values;
} launched;

static void run_thread(void)
{
	launched.kernel->run(launched.values);
	turn->has_ended = 1;
	swapcontext(&turn->context, &scheduler);
}

static void begin_thread(struct thread *thread, unsigned number)
{
	thread->block.x = number / blockDim.x;
	thread->index.x = number % blockDim.x;
	thread->has_ended = 0;
	getcontext(&thread->context);
	thread->context.uc_stack.ss_sp = thread->stack;
	thread->context.uc_stack.ss_size = STACK;
	thread->context.uc_link = NULL;
	makecontext(&thread->context, run_thread, 0);
}

static void resume_thread(struct thread *thread)
{
	turn = thread;
	blockIdx = thread->block;
	threadIdx = thread->index;
	swapcontext(&scheduler, &thread->context);
	turn = NULL;
}

/* An ended thread's place is taken by the next one. */
static void interleave(unsigned n_threads)
{
	struct thread *threads = calloc(TOGETHER, sizeof(*threads));
	unsigned n = n_threads < TOGETHER ? n_threads : TOGETHER, next = n, i;

	if (!threads)
		broken("out of memory for threads");
	for (i = 0; i < n; i++)
		begin_thread(&threads[i], i);
	for (unsigned ended = 0; ended < n_threads;) {
		i = (unsigned)draw(n);
		while (threads[i].has_ended)
			i = (i + 1) % n;
		resume_thread(&threads[i]);
		if (!threads[i].has_ended)
			continue;
		ended++;
		if (next < n_threads)
			begin_thread(&threads[i], next++);
	}
	free(threads);
}

void run_kernel(const struct kernel *kernel, unsigned blocks, unsigned threads,
	const union value *values)
{
	gridDim.x = blocks;
	blockDim.x = threads;
	if (has_mood("interleave")) {
		launched.kernel = kernel;
		launched.values = values;
		interleave(blocks * threads);
		return;
	}
	for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
		for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++)
			kernel->run(values);
}
