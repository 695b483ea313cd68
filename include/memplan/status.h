/*
 * Status codes, shared by the library and the command line: the command's exit
 * status is the code of what happened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MEMPLAN_STATUS_H
#define MEMPLAN_STATUS_H

enum memplan_status {
	MEMPLAN_OK = 0,	      /* done */
	MEMPLAN_NO = 1,	      /* the answer is no: does not fit, ratio exceeded,
				 plan invalid, memory grew */
	MEMPLAN_EUSAGE = 2,   /* unknown option, name or value */
	MEMPLAN_EINPUT = 3,   /* malformed or contradictory input */
	MEMPLAN_EBUDGET = 4,  /* budget spent with no plan found; no proof */
	MEMPLAN_ENOMEM = 5,   /* out of memory, or over --max-memory */
	MEMPLAN_EIO = 6,      /* a file could not be read or written */
	MEMPLAN_EINTERNAL = 7 /* a bug: the verifier rejected a plan */
};

#endif
