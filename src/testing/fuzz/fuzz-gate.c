/*
 * Fuzz target of the gate: budgets are read, each of the first ones is judged
 * by a plan and by a baseline, and every report is written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include "base/num.h"
#include "memplan/gate.h"

static const char csv[] = "id,lower,upper,size\na,0,2,64\nb,1,3,32\n";

static memplan *new_handle(void)
{
	return mp_testing_fuzz_handle(
		&(struct input_file){"net.csv", csv, sizeof(csv) - 1});
}

static bool is_fine(const memplan_gate *gate, enum memplan_status status)
{
	const char *text = memplan_gate_error(gate);

	mp_testing_fuzz_expect((status == MEMPLAN_OK) == (text[0] == '\0'),
		"status %d: '%s'", (int)status, text);
	mp_testing_fuzz_expect(status != MEMPLAN_EINTERNAL, "%s", text);
	return status == MEMPLAN_OK;
}

/* Every other row has a baseline. */
static void judge(memplan_gate *gate, uint32_t i)
{
	memplan *m = new_handle(), *baseline = i % 2 ? new_handle() : NULL;

	if (mp_testing_fuzz_is_fine(m, memplan_gate_set(gate, i, m)) &&
		mp_testing_fuzz_is_fine(m, memplan_plan(m)) &&
		(!baseline || memplan_plan(baseline) == MEMPLAN_OK))
		memplan_gate_judge(gate, i, m, baseline);
	else
		memplan_gate_miss(gate, i, memplan_error(m));
	memplan_free(baseline);
	memplan_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const reports[] = {"human", "json", "junit", "sarif",
		"github", "markdown", "budget"};
	memplan_gate *gate = memplan_gate_new();
	struct memplan_budget row;
	const void *bytes;
	size_t length;
	bool fine = is_fine(gate, memplan_gate_read(gate, "b", data, size));

	for (uint32_t i = 0; fine && i < 8; i++)
		if (memplan_gate_row(gate, i, &row, sizeof(row)))
			judge(gate, i);
	for (size_t i = 0; i < countof(reports); i++)
		if (memplan_gate_write(gate, reports[i], &bytes, &length) ==
			MEMPLAN_OK)
			mp_testing_fuzz_expect(
				bytes && length > 0, "%s: empty", reports[i]);
	memplan_gate_free(gate);
	return 0;
}
