/* SPDX-License-Identifier: MIT */
#include "base/sha256.h"

#include <stdint.h>
#include <string.h>

enum {
	BLOCK = 64,
	ROUNDS = 64,
	LENGTH_AT = 56, /* where the last block has the length in bits */
};

static const uint32_t constants[ROUNDS] = {0x428a2f98, 0x71374491, 0xb5c0fbcf,
	0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
	0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7,
	0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
	0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
	0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
	0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
	0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c,
	0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee,
	0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2};

static uint32_t turn(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static uint32_t word_at(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
	       (uint32_t)at[2] << 8 | at[3];
}

static void expand(const uint8_t *block, uint32_t *w)
{
	for (int i = 0; i < 16; i++)
		w[i] = word_at(block + 4 * i);
	for (int i = 16; i < ROUNDS; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
		       w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
	}
}

static void take_block(uint32_t *state, const uint8_t *block)
{
	uint32_t w[ROUNDS], s[8];

	expand(block, w);
	memcpy(s, state, sizeof(s));
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		uint32_t one =
			s[7] + choice + constants[i] + w[i] +
			(turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25));
		uint32_t two = most + (turn(s[0], 2) ^ turn(s[0], 13) ^
					      turn(s[0], 22));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += one;
		s[0] = one + two;
	}
	for (int i = 0; i < 8; i++)
		state[i] += s[i];
}

/* The last bytes, a bit, zeros, and the length in bits. */
static void take_end(uint32_t *state, const uint8_t *bytes, size_t length)
{
	uint8_t blocks[2 * BLOCK] = {0};
	size_t rest = length % BLOCK;
	size_t end = rest < LENGTH_AT ? BLOCK : 2 * BLOCK;
	uint64_t bits = (uint64_t)length * 8;

	if (rest > 0)
		memcpy(blocks, bytes + length - rest, rest);
	blocks[rest] = 0x80;
	for (int i = 0; i < 8; i++)
		blocks[end - 1 - (size_t)i] = (uint8_t)(bits >> (8 * i));
	for (size_t at = 0; at < end; at += BLOCK)
		take_block(state, blocks + at);
}

void mp_sha256(const void *bytes, size_t length, char text[SHA256_TEXT])
{
	static const char digits[] = "0123456789abcdef";
	uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	const uint8_t *at = bytes;

	for (size_t i = 0; i + BLOCK <= length; i += BLOCK)
		take_block(state, at + i);
	take_end(state, at, length);
	for (int i = 0; i < 64; i++)
		text[i] = digits[state[i / 8] >> (28 - 4 * (i % 8)) & 15];
	text[64] = '\0';
}
