/*
 * JSON texts that are refused, with place and reason, and texts that are
 * accepted.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cjson/cJSON.h>
#include <stdio.h>

#include "input/testing.h"
#include "json/json.h"
#include "json/strings.h"

static const struct refusal refusals[] = {
	{"{\"a\":[", "net.json:1:7: the text ends where a value is due"},
	{"{\"a\":[1", "1:8: the text ends before ]"},
	{"{\"a\"", "1:5: a colon is due behind a key"},
	{"{\"a", "1:4: the text ends inside a string"},
	{"{\"a\\", "1:5: the text ends inside a string"},
	{"{\"a\\u12", "1:4: \\u needs four hexadecimal digits"},
	{"{\"a\":1,\n}", "1:7: trailing comma before }"},
	{"{\"a\":[1,\r\n 2,]}", "2:3: trailing comma before ]"},
	{"{\"a\":1 \"b\":2}", "1:8: a comma or } is due here"},
	{"{\"a\":1,,}", "1:8: a comma too many"},
	{"{'a':1}", "1:2: strings are quoted with \""},
	{"{\"a\":1 /* x */}", "1:8: JSON has no comments"},
	{"{\"a\":NaN}", "1:6: NaN is not a JSON number"},
	{"{\"a\":-Infinity}", "1:7: Infinity is not a JSON number"},
	{"{\"a\":1e400}", "1:6: a number too large"},
	{"{\"a\":1e99999999999999999999}", "1:6: a number too large"},
	{"{\"a\":9007199254740993}",
		"net.json: /a: must be an integer from 0 to 9007199254740992"},
	{"{\"a\":[1,{\"b\":18446744073709551616}]}", "/a/1/b: must be an int"},
	{"{\"a\":-9223372036854775809}", "/a: must be an integer from 0"},
	{"{\"a\":0128}", "1:6: a number must not begin with 0"},
	{"{\"a\":0x80}", "1:7: JSON has decimal numbers only"},
	{"{\"a\":+1}", "a number must not begin with +"},
	{"{\"a\":.5}", "a number needs a digit before its point"},
	{"{\"a\":1.}", "1:8: a number needs a digit here"},
	{"{\"a\":1e}", "1:8: a number needs a digit here"},
	{"{\"a\":-}", "1:7: a number needs a digit here"},
	{"{\"a\":1,\"a\":2}", "1:8: key 'a' appears twice"},
	{"{\"a\":1,\"\\u0061\":2}", "1:8: key 'a' appears twice"},
	{"{\"\":1,\"\":2}", "key '' appears twice"},
	{"{\"a\":\"x\\u0000y\"}", "a string must not contain NUL"},
	{"{\"a\":\"\t\"}", "control character U+0009"},
	{"{\"a\":\"\n\"}", "1:7: control character U+000A"},
	{"{\"a\":\"\\x\"}", "1:7: unknown escape"},
	{"{\"a\":\"\xc3(\"}", "1:7: not valid UTF-8"},
	{"{\"a\":\"\xc0\xaf\"}", "not valid UTF-8"},
	{"{\"a\":\"\xed\xa0\x80\"}", "not valid UTF-8"},
	{"{\"a\":\"\xf4\x90\x80\x80\"}", "not valid UTF-8"},
	{"{\"a\":\"\\ud800\"}", "surrogates come in pairs"},
	{"{\"a\":\"\\udc00\"}", "surrogates come in pairs"},
	{"{\"a\":1}{\"a\":2}", "1:8: a second document begins here"},
	{"{\"a\":1} x", "1:9: text follows the document"},
	{"{\r\"a\":1\r} x", "3:3: text follows the document"},
	{"{\"a\":True}", "JSON spells it true"},
	{"{\"a\":None}", "JSON spells it null"},
	{"{\"a\":nope}", "a value is due here"},
	{"\xef\xbb\xbf\xef\xbb\xbf{\"a\":1}", "neither JSON nor a CSV"},
	{"\xff\xfe{", "UTF-16"},
	{"\x1f\x8b\x08", "a compressed file"},
	{"", "there is nothing in it"},
	{" \n\t", "there is nothing in it"},
};

Test(json, refuses_with_a_place_and_a_reason)
{
	for (size_t i = 0; i < countof(refusals); i++)
		expect_refusal((const char *[N_ROLES]){refusals[i].text},
			refusals[i].words);
}

Test(json, refuses_nul_bytes)
{
	static const struct {
		const char *text;
		size_t length;
		const char *words;
	} cases[] = {
		{"{\"a\":\"x\0y\"}", 11, "a string must not contain NUL"},
		{"{\"a\":1}\0junk", 12, "1:8: a NUL follows the document"},
		{"{\0}", 3, "a key in double quotes is due here"},
	};
	struct run run;

	for (size_t i = 0; i < countof(cases); i++) {
		const char *texts[N_ROLES] = {cases[i].text};
		size_t lengths[N_ROLES] = {cases[i].length};

		cr_expect_not(run_read(&run, texts, lengths, 0));
		cr_expect(strstr(run.error.text, cases[i].words), "%s",
			run.error.text);
		run_close(&run);
	}
}

static char *repeat(const char *unit, uint32_t times)
{
	size_t n = strlen(unit);
	char *text = malloc(n * times + 1);

	for (uint32_t i = 0; i < times; i++)
		memcpy(text + i * n, unit, n);
	text[n * times] = '\0';
	return text;
}

Test(json, refuses_depth_without_recursion)
{
	char *lists = repeat("[", 1000000),
	     *objects = repeat("{\"a\":", 100000);
	char *digits = repeat("9", 1000000);

	expect_refusal((const char *[N_ROLES]){lists}, "more than 64 deep");
	expect_refusal((const char *[N_ROLES]){objects}, "more than 64 deep");
	memcpy(digits, "{\"a\":", 5);
	expect_refusal((const char *[N_ROLES]){digits}, "more than 60 char");
	free(lists);
	free(objects);
	free(digits);
}

/* Many keys, the last but one twice; it must not take quadratic time. */
Test(json, finds_one_twin_among_many_keys)
{
	enum {
		KEYS = 200000
	};
	char *text = malloc(KEYS * 16 + 64), *at = text;

	at += sprintf(at, "{");
	for (int i = 0; i < KEYS; i++)
		at += sprintf(at, "\"k%d\":1,", i);
	sprintf(at, "\"k%d\":1,\"z\":1}", KEYS - 2);
	expect_refusal(
		(const char *[N_ROLES]){text}, "'k199998' appears twice");
	free(text);
}

static bool falls_on_slot_0(const char *key, uint32_t slots)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
	return ((hash ^ hash >> 32) & (slots - 1)) == 0;
}

/* Keys made for one place of the scanner's table are told apart by sorting; the
 * twin, if any, is the second of them all. */
Test(json, knows_twins_among_keys_that_collide)
{
	enum {
		KEYS = 1500,
		SLOTS = 4096
	};
	char *text = malloc(KEYS * 16 + 128), *at = text, key[16], second[16];
	struct run run;

	at += sprintf(at, "{\"format\":\"memplan.graph\",\"version\":1,"
			  "\"tensors\":[],\"x-keys\":{\"a\":1");
	for (uint32_t i = 0, n = 0; n < KEYS; i++) {
		snprintf(key, sizeof(key), "%u", i);
		if (!falls_on_slot_0(key, SLOTS))
			continue;
		at += sprintf(at, ",\"%s\":1", key);
		if (n++ == 1)
			strcpy(second, key);
	}
	strcpy(at, "}}");
	cr_expect(run_texts(&run, (const char *[N_ROLES]){text}, 0), "%s",
		run.error.text);
	run_close(&run);
	sprintf(at, ",\"%s\":1}}", second);
	expect_refusal((const char *[N_ROLES]){text}, "appears twice");
	free(text);
}

#define GRAPH "{\"format\":\"memplan.graph\",\"version\":1,"

static const char *const accepted[] = {
	"\xef\xbb\xbf" GRAPH "\"tensors\":[]}",
	" \r\n" GRAPH "\r\n\"tensors\":[]\r\n}\r\n",
	GRAPH "\r\"tensors\":[]\r}",
	GRAPH "\"tensors\":[],\"x-mine\":[1.5,-2e3,\"\\ud83d\\ude00\",1e-400]}",
	GRAPH "\"tensors\":[],\"x-hash\":18446744073709551615}",
	GRAPH "\"tensors\":[{\"name\":\"a\",\"size\":-0,\"lifetime\":[0,1]}]}",
	"{\"format\":\"memplan.gr\\u0061ph\",\"version\":1,\"tensors\":[]}",
};

Test(json, accepts_what_is_legal)
{
	struct run run;

	for (size_t i = 0; i < countof(accepted); i++) {
		cr_expect(run_texts(&run, (const char *[N_ROLES]){accepted[i]},
				  0),
			"%s", run.error.text);
		run_close(&run);
	}
}

/* -------------------------------------- cJSON, which reads the same */

static void expect_same_value(const cJSON *a, const struct json_at *at)
{
	double real = strtod(at->value->at, NULL);
	uint64_t scaled = 0;
	const char *text = NULL;
	int64_t whole = 0;
	bool flag = false;

	if (cJSON_IsString(a)) {
		cr_assert(mp_json_text(at, &text));
		cr_expect_str_eq(text, a->valuestring);
		cr_expect(mp_json_spells(at->value->at, text));
	} else if (cJSON_IsNumber(a)) {
		cr_assert(mp_json_is_number(at));
		cr_expect(a->valuedouble == real);
		if (real >= 0 && real <= 1e6) {
			cr_assert(mp_json_millionths(at, &scaled));
			cr_expect_eq(scaled, (uint64_t)(real * 1e6 + 0.5));
		}
		if (mp_json_signed(at, &whole))
			cr_expect(a->valuedouble == (double)whole);
		else
			*at->json->error = (struct error){0};
	} else if (cJSON_IsBool(a)) {
		cr_assert(mp_json_bool(at, &flag));
		cr_expect_eq(flag, cJSON_IsTrue(a));
	} else {
		cr_expect_eq(cJSON_IsNull(a), mp_json_is_null(at));
		cr_expect_eq(cJSON_IsArray(a), mp_json_is_list(at));
		cr_expect_eq(cJSON_IsObject(a), mp_json_is_object(at));
	}
}

static void expect_same_members(const cJSON *list, const struct json_at *at)
{
	struct json_at m = mp_json_first(at);
	const cJSON *a = list->child;

	expect_same_value(list, at);
	for (; a && m.value; a = a->next, mp_json_next(&m)) {
		cr_expect_eq(!a->string, m.value->key == 0);
		cr_expect(
			!a->string || strcmp(a->string, mp_json_key(&m)) == 0);
		expect_same_members(a, &m);
	}
	cr_expect_eq(a, NULL);
	cr_expect_eq(m.value, NULL);
}

static void expect_same_document(const char *text)
{
	struct input_file file = {"net.json", text, strlen(text)};
	cJSON *parsed = cJSON_Parse(text);
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct json_at root;
	struct json json;

	cr_assert(mp_json_open(&file, &json, &arena, &error), "%s", error.text);
	root = mp_json_root(&json);
	expect_same_members(parsed, &root);
	mp_json_close(&json);
	cr_expect_eq(arena.held, 0);
	cJSON_Delete(parsed);
}

Test(json, cjson_reads_the_same)
{
	static const char *const texts[] = {"{}", "[]", "1", "\"\"", "null",
		"[true,false,null,[],{},[[]],[{}],{\"\":[]}]",
		"[0,-0,1,-1,12.0,-3.25,1e3,1E-3,2.5e+2,123456789012345,"
		"1234567890123456,-9007199254740992,2147483648,-2147483649]",
		"{\"x-a\":[18446744073709551616,1e400,-1e999],\"b\":1}",
		"{\"a\":{\"b\":{\"c\":[1,{\"d\":2}]},\"e\":3},\"f\":[]}",
		"[\"\\u00e9\\ud83d\\ude00 \\\"\\\\\\/\\b\\f\\n\\r\\t\","
		"\"\xc3\xa9\xf0\x9f\x98\x80\"]",
		"{\"\\u0061\\n\":\"\\u0062\",\"b\" : "
		"{\"\\ud83d\\ude00\":\n1}}"};

	for (size_t i = 0; i < countof(texts); i++)
		expect_same_document(texts[i]);
}

static size_t print_value(uint64_t *r, uint32_t depth, char *out)
{
	static const char *const scalars[] = {"true", "false", "null", "0",
		"-17", "9007199254740992", "4e2", "-0.125", "\"\"", "\"plain\"",
		"\"\\t\\u00e9\""};
	uint32_t n = mp_testing_below(r, 5);
	bool is_object = mp_testing_one_in(r, 2);
	char *at = out;

	if (mp_testing_one_in(r, 8)) {
		uint32_t fraction = mp_testing_below(r, 1000000);
		int digits = (int)mp_testing_below(r, 12) + 1;

		return (size_t)sprintf(out, "%u.%0*u",
			mp_testing_below(r, 1000000), digits, fraction);
	}
	if (depth == 0 || mp_testing_one_in(r, 3))
		return (size_t)sprintf(out, "%s",
			scalars[mp_testing_below(r, countof(scalars))]);
	*at++ = is_object ? '{' : '[';
	for (uint32_t i = 0; i < n; i++) {
		at += sprintf(at, "%s", i > 0 ? ", " : "");
		if (is_object)
			at += sprintf(at, "\"key %u\": ", i);
		at += print_value(r, depth - 1, at);
	}
	*at++ = is_object ? '}' : ']';
	*at = '\0';
	return (size_t)(at - out);
}

Test(json, random_documents_too)
{
	char *text = malloc(1 << 17);

	for (uint64_t seed = 0; seed < mp_testing_cases(300, 30); seed++) {
		uint64_t r = seed;

		print_value(&r, 6, text);
		expect_same_document(text);
	}
	free(text);
}

Test(json, a_word_is_spelled_with_escapes_or_without)
{
	static const struct {
		const char *string, *word;
		bool same, begins;
	} cases[] = {
		{"\"id\"", "id", true, true},
		{"\"\\u0069\\u0064\"", "id", true, true},
		{"\"i\\u0064\"", "id", true, true},
		{"\"\\ud83d\\ude00\\n\"", "\xf0\x9f\x98\x80\n", true, true},
		{"\"\"", "", true, true},
		{"\"\\\\\"", "\\", true, true},
		{"\"\\\"\"", "\"", true, true},
		{"\"id\"", "i", false, true},
		{"\"\\u0069d\"", "i", false, true},
		{"\"id\"", "id\"", false, false},
		{"\"id\"", "idle", false, false},
		{"\"\\u0069\"", "idle", false, false},
		{"\"\\u00e9\"", "\xc3", false, false},
		{"\"\\u00e9\"", "\xc3\xaa", false, false},
	};

	for (size_t i = 0; i < countof(cases); i++) {
		cr_expect_eq(mp_json_spells(cases[i].string, cases[i].word),
			cases[i].same, "%zu", i);
		cr_expect_eq(mp_json_begins(cases[i].string, cases[i].word),
			cases[i].begins, "%zu", i);
		for (size_t k = 0; k < countof(cases); k++)
			cr_expect_eq(
				mp_json_same(cases[i].string, cases[k].string),
				cases[i].same && cases[k].same
					? strcmp(cases[i].word,
						  cases[k].word) == 0
					: mp_json_same(cases[k].string,
						  cases[i].string),
				"%zu %zu", i, k);
	}
}

/* A limit makes every allocation fail once. */
Test(json, survives_lack_of_memory)
{
	static const char text[] =
		"{\"a\":[1,2.5,\"x\\n\",{\"b\\t\":null}],\"c\":[]}";
	struct input_file file = {"net.json", text, sizeof(text) - 1};
	bool fine = false;

	for (uint64_t limit = 1; !fine; limit += 4096) {
		struct error error = {0};
		struct arena arena = {.error = &error, .limit = limit};
		struct json json;

		fine = mp_json_open(&file, &json, &arena, &error);
		cr_expect(fine || error.code == MEMPLAN_ENOMEM);
		mp_json_close(&json);
		mp_arena_free(&arena);
		cr_assert(limit < 1 << 24);
	}
}
