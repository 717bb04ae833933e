/* SHA-256, after FIPS 180-4 section 6.2. */
#include "base/sha256.h"

#include <string.h>

/* Section 4.2.2: first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint32_t read_word(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

/* A round, with the eight working variables in the places where it leaves them: the next one takes them turned by one. */
#define ROUND(a, b, c, d, e, f, g, h, t)                                                                              \
    h += (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + round_constants[t] + w[t];           \
    d += h;                                                                                                           \
    h += (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));

static void add_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64];
    for (size_t t = 0; t < 16; ++t) w[t] = read_word(block + 4 * t);
    for (size_t t = 16; t < 64; ++t) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (size_t t = 0; t < 64; t += 8) {
        ROUND(a, b, c, d, e, f, g, h, t)
        ROUND(h, a, b, c, d, e, f, g, t + 1)
        ROUND(g, h, a, b, c, d, e, f, t + 2)
        ROUND(f, g, h, a, b, c, d, e, t + 3)
        ROUND(e, f, g, h, a, b, c, d, t + 4)
        ROUND(d, e, f, g, h, a, b, c, t + 5)
        ROUND(c, d, e, f, g, h, a, b, t + 6)
        ROUND(b, c, d, e, f, g, h, a, t + 7)
    }
    const uint32_t v[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; ++i) state[i] += v[i];
}
#undef ROUND

void sha256_init(sha256 *h)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memset(h, 0, sizeof *h);
    memcpy(h->state, start, sizeof start);
}

void sha256_add(sha256 *h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    size_t held = (size_t)(h->total % 64);
    h->total += n;
    if (held != 0) {
        size_t take = n < 64 - held ? n : 64 - held;
        memcpy(h->block + held, p, take);
        p += take;
        n -= take;
        if (held + take < 64) return;
        add_block(h->state, h->block);
    }
    for (; n >= 64; p += 64, n -= 64) add_block(h->state, p);
    if (n != 0) memcpy(h->block, p, n);
}

void sha256_finish(sha256 *h, unsigned char out[32])
{
    uint64_t bits = h->total * 8;
    unsigned char pad[72] = {0x80};
    size_t held = (size_t)(h->total % 64);
    size_t zeros = (held < 56 ? 56 : 120) - held;
    for (size_t i = 0; i < 8; ++i) pad[zeros + i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(h, pad, zeros + 8);
    for (size_t i = 0; i < 32; ++i) out[i] = (unsigned char)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_of(const void *bytes, size_t n, unsigned char out[32])
{
    sha256 h;
    sha256_init(&h);
    if (n != 0) sha256_add(&h, bytes, n);
    sha256_finish(&h, out);
}
