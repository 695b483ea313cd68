/*
 * Numbers and names in output, and buffers that are full.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/num.h"
#include "base/sink-text.h"
#include "base/utf8.h"

static struct error e;
static struct sink sink = {.error = &e};

/* The text that was written since the last call. */
static const char *written(void)
{
	mp_sink_write(&sink, "", 1);
	sink.length = 0;
	return sink.bytes;
}

Test(text, spells_integers)
{
	uint64_t power = 10;

	mp_sink_u64(&sink, 0);
	cr_assert_str_eq(written(), "0");
	mp_sink_u64(&sink, UINT64_MAX);
	cr_assert_str_eq(written(), "18446744073709551615");
	mp_sink_i64(&sink, INT64_MIN);
	cr_assert_str_eq(written(), "-9223372036854775808");
	mp_sink_grouped(&sink, 999);
	cr_assert_str_eq(written(), "999");
	mp_sink_grouped(&sink, -1002034);
	cr_assert_str_eq(written(), "-1\342\200\257002\342\200\257034");
	cr_assert_eq(mp_text_digits(0), 1);
	cr_assert_eq(mp_text_digits(UINT64_MAX), 20);
	for (uint32_t digits = 1; digits < 20; digits++, power *= 10) {
		cr_assert_eq(mp_text_digits(power - 1), digits);
		cr_assert_eq(mp_text_digits(power), digits + 1);
	}
}

Test(text, rounds_ratios_to_nearest)
{
	mp_sink_ratio(&sink, 2, 3, 3);
	cr_assert_str_eq(written(), "0.667");
	mp_sink_ratio(&sink, 19999, 10000, 3);
	cr_assert_str_eq(written(), "2.000");
	mp_sink_ratio(&sink, NUM_MAX_BYTES, NUM_MAX_BYTES - 1, 9);
	cr_assert_str_eq(written(), "1.000000000");
	mp_sink_ratio(&sink, NUM_MAX_BYTES, 3, 2);
	cr_assert_str_eq(written(), "1537228672809129301.33");
	mp_sink_ratio(&sink, 5, 0, 1);
	cr_assert_str_eq(written(), "1.0");
	mp_sink_percent(&sink, 1, 3);
	cr_assert_str_eq(written(), "33.3");
	mp_sink_percent(&sink, NUM_MAX_BYTES, NUM_MAX_BYTES);
	cr_assert_str_eq(written(), "100.0");
}

Test(text, gives_exact_bytes_and_a_unit)
{
	mp_sink_bytes(&sink, 1);
	cr_assert_str_eq(written(), "1 byte");
	mp_sink_bytes(&sink, 1572864);
	cr_assert_str_eq(written(), "1572864 bytes (1.50 MiB)");
	mp_sink_unit(&sink, UINT64_MAX);
	cr_assert_str_eq(written(), "16.00 EiB");
}

Test(text, escapes_json)
{
	mp_sink_json(&sink, "a\"b\\c\n\t\v\x01\x7f\xc3\xa9\xff\xc2\x9b"
			    "\xe2\x80\xa8");
	cr_assert_str_eq(written(), "\"a\\\"b\\\\c\\n\\t\\u000b\\u0001\\u007f"
				    "\xc3\xa9\xef\xbf\xbd\\u009b\\u2028\"");
}

Test(text, escapes_xml)
{
	mp_sink_xml(&sink, "<a b='c'>&\"\n\x01");
	cr_assert_str_eq(written(), "&lt;a b=&#39;c&#39;&gt;&amp;&quot;&#10;"
				    "\xef\xbf\xbd");
}

Test(text, disarms_and_cuts_for_terminals)
{
	cr_assert_eq(mp_sink_plain(&sink, "a\x1b[0m\xe2\x80\xae", 10), 6);
	cr_assert_str_eq(written(), "a?[0m?");
	cr_assert_eq(mp_sink_plain(&sink, "::error::x", 20), 10);
	cr_assert_str_eq(written(), "?:error::x");
	cr_assert_eq(mp_sink_plain(&sink, "abcdef", 4), 4);
	cr_assert_str_eq(written(), "abc\xe2\x80\xa6");
	cr_assert_eq(mp_sink_plain(&sink, "abcd", 4), 4);
	cr_assert_str_eq(written(), "abcd");
}

/* Of 19 bytes with an odd one, the plain ones end with the word before it. The
 * last 8 bytes are a word too. */
Test(text, counts_plain_bytes_by_words)
{
	char text[19];

	for (unsigned at = 0; at < sizeof(text); at++)
		for (unsigned byte = 0; byte < 256; byte++) {
			bool plain = byte >= 0x20 && byte < 0x80;

			memset(text, ' ' + (int)at, sizeof(text));
			text[at] = (char)byte;
			cr_expect_eq(utf8_plain(text, sizeof(text)),
				plain ? sizeof(text) : at / 8 * 8, "%u at %u",
				byte, at);
		}
	cr_expect_eq(utf8_plain("abcdefg", 7), 0);
}

Test(text, takes_bad_utf8_byte_by_byte)
{
	const char *text = "\xc3(\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80\xe2\x82";
	uint32_t bad = 0, point;

	while ((point = mp_text_next(&text)) != 0)
		bad += point == 0xfffd;
	cr_assert_eq(bad, 12);
	text = "\xf0\x9f\x98\x80";
	cr_assert_eq(mp_text_next(&text), 0x1f600);
	cr_assert_eq(mp_text_next(&text), 0);
}

Test(text, prints_seconds_without_a_locale)
{
	mp_sink_seconds(&sink, 1.2345);
	cr_assert_str_eq(written(), "1.235");
	mp_sink_seconds(&sink, -1);
	cr_assert_str_eq(written(), "0.000");
}

Test(text, writes_numbers_of_every_length)
{
	char all[1024], *at = all;

	for (uint64_t power = 1; power < UINT64_MAX / 10; power *= 10) {
		const uint64_t values[] = {power - 1, power, power * 7 + 3};

		for (size_t i = 0; i < countof(values); i++) {
			mp_sink_u64(&sink, values[i]);
			mp_sink_text(&sink, " ");
			at += sprintf(
				at, "%llu ", (unsigned long long)values[i]);
		}
	}
	cr_assert_str_eq(written(), all);
}

/* Once a write did not fit, later writes are dropped too, even those that would
 * fit in the room left. */
Test(text, swallows_all_once_memory_is_out)
{
	static const char much[8192];
	struct error full = {0};
	struct sink small = {.error = &full, .limit = sizeof(much)};

	mp_sink_text(&small, "before");
	mp_sink_write(&small, much, sizeof(much));
	cr_assert_eq(full.code, MEMPLAN_ENOMEM);
	mp_sink_text(&small, "behind");
	mp_sink_print(&small, "%d", 1);
	mp_sink_u64(&small, 1);
	cr_assert_eq(small.length, strlen("before"));
	mp_sink_free(&small);
}

static void expect_kept(size_t length)
{
	static const char piece[] = "0123456789abcdef\n";
	struct sink large = {.error = &e};

	for (size_t n = 0; n < length; n += strlen(piece))
		mp_sink_text(&large, piece);
	cr_assert_eq(e.code, MEMPLAN_OK);
	cr_assert_geq(large.length, length);
	for (size_t n = 0; n < large.length; n++)
		cr_assert_eq(large.bytes[n], piece[n % strlen(piece)]);
	mp_sink_free(&large);
}

/* With a limit of addresses pages do not grow in place, and are copied. */
Test(text, keeps_what_was_written_when_it_grows)
{
	struct rlimit limit;

	expect_kept(10 << 20);
	cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
	limit.rlim_cur = RLIM_INFINITY / 2;
	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
	expect_kept(10 << 20);
}

Test(text, mentions)
{
	cr_assert(mp_text_mentions("SoftmaxLoss", "softmax"));
	cr_assert(mp_text_mentions("softmaxLOSS", "loss"));
	cr_assert_not(mp_text_mentions("softma", "softmax"));
	cr_assert_not(mp_text_mentions("", "loss"));
	cr_assert_not(mp_text_mentions(NULL, "loss"));
}
