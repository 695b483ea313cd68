/*
 * What replay does on CUDA: fill a range with a pattern, and compare it with
 * one. cuda-kernels.h has these kernels as PTX, made by tools/make-ptx; the
 * tests also run this source as plain C, on a stand-in for the driver.
 *
 * SPDX-License-Identifier: MIT
 */
#define STRIDE 0x9e3779b97f4a7c15ull

#ifndef KERNEL
#define KERNEL extern "C" __global__
#endif

/* Where the stand-in lets another thread run: nothing on a GPU. */
#ifndef PAUSE
#define PAUSE()
#endif

typedef unsigned long long u64;

/* As struct memplan_finding. */
struct finding {
	u64 count, at, found;
};

/* A word, of which the last may be cut short; ranges begin at any byte. */
__device__ static u64 load(const unsigned char *bytes, u64 n)
{
	u64 word = 0;

	PAUSE();
	if (n >= 8 && ((u64)bytes & 7) == 0)
		return *(const u64 *)bytes;
	for (u64 i = 0; i < n && i < 8; i++)
		word |= (u64)bytes[i] << (8 * i);
	return word;
}

__device__ static void store(unsigned char *bytes, u64 n, u64 word)
{
	PAUSE();
	if (n >= 8 && ((u64)bytes & 7) == 0) {
		*(u64 *)bytes = word;
		return;
	}
	for (u64 i = 0; i < n && i < 8; i++)
		bytes[i] = (unsigned char)(word >> (8 * i));
}

KERNEL void memplan_fill(unsigned char *bytes, u64 size, u64 key)
{
	u64 step = (u64)gridDim.x * blockDim.x;
	u64 first = (u64)blockIdx.x * blockDim.x + threadIdx.x;

	for (u64 i = first; i * 8 < size; i += step)
		store(bytes + i * 8, size - i * 8, key + i * STRIDE);
}

/* The first thread that counts tells what it has seen. */
KERNEL void memplan_compare(
	const unsigned char *bytes, u64 size, u64 key, struct finding *finding)
{
	u64 step = (u64)gridDim.x * blockDim.x;
	u64 first = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	u64 left, wanted, found;

	for (u64 i = first; i * 8 < size; i += step) {
		left = size - i * 8;
		wanted = key + i * STRIDE;
		if (left < 8)
			wanted &= ((u64)1 << (8 * left)) - 1;
		found = load(bytes + i * 8, left);
		if (found == wanted || atomicAdd(&finding->count, 1ull) > 0)
			continue;
		finding->at = i * 8;
		finding->found = found;
	}
}
