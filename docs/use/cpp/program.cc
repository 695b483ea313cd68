// A plan in C++17: typed views of one block.
//
// SPDX-License-Identifier: MIT
#include <memplan/host.h>

#include <memory>

#include "net_plan.h"

namespace
{
struct Free {
	void operator()(void *block) const
	{
		memplan_host_free(block);
	}
};

template <typename T> T *tensor(void *block, const memplan_entry &entry)
{
	return static_cast<T *>(memplan_entry_at(block, &entry));
}
} // namespace

int main()
{
	std::unique_ptr<void, Free> block{
		memplan_host_allocate(&tiny_pools[0])};

	for (const memplan_entry &entry : tiny_entries)
		if (entry.size >= sizeof(float))
			*tensor<float>(block.get(), entry) = 1.0f;
	static_assert(TINY_ARENA_SIZE > 0);
	return block ? 0 : 1;
}
