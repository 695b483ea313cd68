/*
 * Keys that are in an object twice.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_JSON_TWINS_H
#define MP_JSON_TWINS_H

#include "json/json.h"

/* The opening quote of the key of a member of an object. */
static inline const char *mp_json_node_key(const struct json_node *member)
{
	return member->at - member->key;
}

/* The opening quote of the first key of an object's n members that repeats an
 * earlier one, or NULL. False: memory is out. */
bool mp_json_twin(const struct json_node *first, uint32_t n,
	struct arena *arena, const char **twin);

#endif
