/*
 * The types of CUDA's driver by the driver's own names, so that a compiler can
 * hold cuda-driver.def against cuda.h where a toolkit is installed
 * (tools/check_toolkit.py). The binary interface is fixed: CUresult is an int,
 * CUdeviceptr a 64-bit number, all others are pointers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_CUDA_TYPES_H
#define MP_LOADER_CUDA_TYPES_H

typedef int CUresult, CUdevice, CUdevice_attribute;
typedef unsigned long long CUdeviceptr;
typedef void *CUcontext, *CUmodule, *CUfunction, *CUstream, *CUevent;

#endif
