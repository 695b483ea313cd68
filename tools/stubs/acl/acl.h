/*
 * What docs/use/device/acl-malloc.c needs of CANN's acl/acl.h, for a build
 * where CANN is not installed. The stand-in library has the functions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TOOLS_STUBS_ACL_ACL_H
#define MP_TOOLS_STUBS_ACL_ACL_H

#include <stddef.h>
#include <stdint.h>

typedef int aclError;

typedef enum {
	ACL_MEM_MALLOC_HUGE_FIRST,
} aclrtMemMallocPolicy;

typedef enum {
	ACL_MEMCPY_HOST_TO_HOST,
	ACL_MEMCPY_HOST_TO_DEVICE,
	ACL_MEMCPY_DEVICE_TO_HOST,
} aclrtMemcpyKind;

aclError aclInit(const char *config);
aclError aclFinalize(void);
aclError aclrtSetDevice(int32_t device);
aclError aclrtResetDevice(int32_t device);
aclError aclrtSynchronizeDevice(void);
aclError aclrtMalloc(void **memory, size_t size, aclrtMemMallocPolicy policy);
aclError aclrtFree(void *memory);
aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t size,
	aclrtMemcpyKind kind);

#endif
