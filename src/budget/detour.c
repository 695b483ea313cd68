/* SPDX-License-Identifier: MIT */
#include "budget/detour.h"

const char *const mp_detour_modes[] = {
	[DETOUR_NONE] = "none",
	[DETOUR_SYNC] = "sync",
	[DETOUR_SEMI] = "semi",
	[DETOUR_ASYNC] = "async",
};
