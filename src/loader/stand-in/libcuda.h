/*
 * What the files of the stand-in for libcuda.so.1 share. Each rule that it
 * enforces is a line here; the numbers stand where it is enforced. "Driver API"
 * is NVIDIA's CUDA Driver API reference 13.0, by section.
 *
 *  1 A program initialises the driver first (Initialization, cuInit).
 *  2 Every call acts on the context that is current in the calling thread; each
 *    thread has a stack of its own (Context Management, cuCtxPushCurrent).
 *  3 A primary context lives while it is retained; what is in it ends with it,
 *    and it cannot be made current then (Primary Context Management).
 *  4 Stream and function of a launch, stream and event of a record are of one
 *    context: the current one (Execution Control, cuLaunchKernel; Event
 *    Management, cuEventRecord).
 *  5 A fault of a kernel is sticky: every later call in the context returns it
 *    (Data types, CUDA_ERROR_ILLEGAL_ADDRESS).
 *  6 cuMemFree may wait for work in flight and promises nothing (API
 *    synchronization behavior); here it does not wait.
 *  7 Memory of cuMemAllocAsync exists for other streams once its own stream has
 *    come so far (Stream Ordered Memory Allocator).
 *  8 Copies from pageable memory may return before the bytes have arrived; the
 *    legacy default stream does not wait for non-blocking streams (API
 *    synchronization behavior; Stream synchronization behavior).
 *  9 cuStreamDestroy and cuEventDestroy return at once (Stream Management,
 *    Event Management).
 * 10 A wait sees the record that came before it, and none is no wait (Stream
 *    Management, cuStreamWaitEvent).
 * 11 While a stream is captured, calls that are unsafe fail and end the capture
 *    (Stream Management, cuThreadExchangeStreamCaptureMode).
 * 12 PTX needs the compiler of the driver (Data types,
 *    CUDA_ERROR_JIT_COMPILER_NOT_FOUND).
 * 13 Memory begins on 256 bytes (CUDA C++ Programming Guide 12, Device Memory
 *    Accesses).
 * 14 A module stays while kernels of it run (Module Management).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_STAND_IN_LIBCUDA_H
#define MP_LOADER_STAND_IN_LIBCUDA_H

#include <stddef.h>

#include "../cuda-types.h"
#include "moods.h"
#include "queues.h"

enum {
	OK = 0,
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	NOT_INITIALIZED = 3,
	NO_DEVICE = 100,
	INVALID_DEVICE = 101,
	INVALID_CONTEXT = 201,
	JIT_COMPILER_NOT_FOUND = 221,
	INVALID_HANDLE = 400,
	NOT_FOUND = 500,
	ILLEGAL_ADDRESS = 700,
	CONTEXT_IS_DESTROYED = 709,
	NOT_SUPPORTED = 801,
	CAPTURE_UNSUPPORTED = 900,
	CAPTURE_INVALIDATED = 901,
	CAPTURE_IMPLICIT = 906,
};

struct context {
	int device, n_retained;
};

/* The code with which a call of this kind fails now, or OK. The second is of
 * calls that a capture cannot have. */
int check_call(void);
int check_unsafe_call(int code);

/* The current one; there is one if check_call() was OK. */
struct context *current_context(void);

/* Events that were not destroyed. */
int n_events(void);

#endif
