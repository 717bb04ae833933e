/* SHA-256 (FIPS 180-4), for container checksums and the hashes inside a metallib. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t state[8];
    uint64_t total;
    unsigned char block[64];
} sha256;

void sha256_init(sha256 *h);
void sha256_add(sha256 *h, const void *bytes, size_t n);
void sha256_finish(sha256 *h, unsigned char out[32]);

/* All of it in one call. */
void sha256_of(const void *bytes, size_t n, unsigned char out[32]);

#endif
