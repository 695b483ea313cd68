/*
 * Tests of protobuf's wire format.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/num.h"
#include "input/wire/proto.h"

/* Walks all fields; the error's text is "" if all are fine. */
static uint32_t walk(const char *bytes, size_t n, struct error *e)
{
	struct input_file file = {"m", bytes, n};
	struct proto p = mp_input_proto_file(&file, e);
	struct proto_field field;
	uint32_t fields = 0;

	*e = (struct error){0};
	while (mp_input_proto_next(&p, &field))
		fields++;
	cr_expect_eq(p.failed, e->code != MEMPLAN_OK);
	return fields;
}

Test(proto, fields_of_all_kinds)
{
	static const char bytes[] = "\x08\x96\x01" /* 1: 150 */
				    "\x12\x03"
				    "abc"		   /* 2: "abc" */
				    "\x1d\x00\x00\x80\x3f" /* 3: 1.0f */
				    "\x21\x01\x00\x00\x00\x00\x00\x00\x80";
	struct input_file file = {"m", bytes, sizeof(bytes) - 1};
	struct error e = {0};
	struct proto p = mp_input_proto_file(&file, &e);
	struct proto_field f;

	cr_assert(mp_input_proto_next(&p, &f));
	cr_expect(f.number == 1 && f.wire == PROTO_VARINT && f.value == 150);
	cr_assert(mp_input_proto_next(&p, &f));
	cr_expect(f.place == 3 && mp_input_proto_is(f.bytes, "abc"));
	cr_assert(mp_input_proto_next(&p, &f));
	cr_expect(mp_input_proto_float(f.value) == 1.0);
	cr_assert(mp_input_proto_next(&p, &f));
	cr_expect_eq(f.value, UINT64_C(0x8000000000000001));
	cr_expect_not(mp_input_proto_next(&p, &f));
	cr_expect_not(p.failed);
}

Test(proto, numbers_packed_and_not)
{
	static const char bytes[] = "\x0a\x03\x01\xac\x02\x08\x07";
	static const uint64_t want[] = {1, 300, 7};
	struct input_file file = {"m", bytes, sizeof(bytes) - 1};
	struct error e = {0};
	struct proto p = mp_input_proto_file(&file, &e);
	struct proto_field f;
	uint64_t value;
	uint32_t n = 0;

	while (mp_input_proto_next(&p, &f)) {
		struct proto list = mp_input_proto_numbers(&p, &f);

		while (mp_input_proto_number(&list, PROTO_VARINT, &value))
			cr_expect_eq(value, want[n++]);
	}
	cr_expect_eq(n, countof(want));
}

/* Every fault ends the walk with the byte where it is. */
Test(proto, faults_have_their_byte)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *words;
	} faults[] = {
		{"\x08", 1, "byte 1: a number reaches beyond"},
		{"\x08\x80", 2, "byte 1: a number reaches beyond"},
		{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11,
			"byte 1: a number has more than 64 bits"},
		{"\x08\x01\x12\x05"
		 "abcd",
			8, "byte 3: a length of 5 reaches beyond"},
		{"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11,
			"byte 1: a length of 18446744073709551615"},
		{"\x1d\x00\x00\x80", 4, "byte 1: a number of 4 bytes"},
		{"\x21\x00", 2, "byte 1: a number of 8 bytes"},
		{"\x0b", 1, "byte 0: field 1 has the wire type 3"},
		{"\x0f", 1, "byte 0: field 1 has the wire type 7"},
		{"\x02\x00", 2, "byte 0: a field has the number 0"},
		{"\x80\x80\x80\x80\x10\x00", 6, "byte 0: a field has the"},
	};
	struct error e;

	for (size_t i = 0; i < countof(faults); i++) {
		walk(faults[i].bytes, faults[i].n, &e);
		cr_expect(strstr(e.text, faults[i].words), "%zu: '%s'", i,
			e.text);
	}
	cr_expect_eq(
		walk("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, &e),
		1);
	cr_expect_eq(walk("", 0, &e), 0);
}
