/* Writing and reading the .ingot file. */
#include "pack/container.h"

#include "base/error.h"
#include "base/sha256.h"
#include "pack/reader.h"

enum { HASHED_HEAD = 24, HASH_AT = 24 };

static const char *const tags[] = {
#define PACK_SECTION(NAME, tag, what) [PACK_##NAME] = tag,
#include "pack/sections.def"
#undef PACK_SECTION
};

static const char *const contents[] = {
#define PACK_SECTION(NAME, tag, what) [PACK_##NAME] = what,
#include "pack/sections.def"
#undef PACK_SECTION
};

static size_t padding(size_t size)
{
    return (8 - size % 8) % 8;
}

/* Of the whole file but the bytes that hold the checksum itself. */
static void checksum(str file, unsigned char out[32])
{
    sha256 h;
    sha256_init(&h);
    sha256_add(&h, file.p, HASHED_HEAD);
    sha256_add(&h, file.p + HASH_AT + 32, file.n - HASH_AT - 32);
    sha256_finish(&h, out);
}

void pack_container_write(const pack_container *c, buf *out)
{
    uint64_t offset = PACK_HEADER + (uint64_t)PACK_ENTRY * PACK_SECTION_COUNT, size = offset;
    for (size_t i = 0; i < PACK_SECTION_COUNT; ++i) size += c->sections[i].n + padding(c->sections[i].n);
    size_t start = out->n;
    buf_text(out, PACK_MAGIC);
    buf_u32(out, PACK_VERSION);
    buf_u32(out, PACK_SECTION_COUNT);
    buf_u64(out, size);
    for (size_t i = 0; i < 5; ++i) buf_u64(out, 0); /* checksum, filled in below; reserved */
    for (size_t i = 0; i < PACK_SECTION_COUNT; ++i) {
        buf_text(out, tags[i]);
        buf_u32(out, 0);
        buf_u64(out, offset);
        buf_u64(out, c->sections[i].n);
        offset += c->sections[i].n + padding(c->sections[i].n);
    }
    for (size_t i = 0; i < PACK_SECTION_COUNT; ++i) {
        buf_str(out, c->sections[i]);
        buf_bytes(out, "\0\0\0\0\0\0\0", padding(c->sections[i].n));
    }
    if (out->failed) return;
    unsigned char hash[32];
    checksum((str){out->p + start, out->n - start}, hash);
    memcpy(out->p + start + HASH_AT, hash, sizeof hash);
}

/* Magic, version, size and checksum, in this order: the first that is wrong is the cause. */
static ingot_status check_whole(str bytes, uint32_t *count, ingot_error *error)
{
    reader r = reader_of(bytes.p, bytes.n);
    if (!str_eq(reader_bytes(&r, sizeof PACK_MAGIC - 1), STR(PACK_MAGIC))) {
        return error_set(error, INGOT_FORMAT, "not an .ingot file: its first bytes are not the mark of one");
    }
    uint32_t version = reader_u32(&r);
    *count = reader_u32(&r);
    uint64_t size = reader_u64(&r);
    if (r.failed || bytes.n < PACK_HEADER) {
        return error_set(error, INGOT_FORMAT, "the .ingot file is cut short: %zu bytes do not hold its header",
                         bytes.n);
    }
    if (version != PACK_VERSION) {
        return error_set(error, INGOT_FORMAT, "the .ingot file is of version %u; this build reads version %d",
                         version, PACK_VERSION);
    }
    if (size > bytes.n) {
        return error_set(error, INGOT_FORMAT, "the .ingot file is cut short: it says %llu bytes and has %zu",
                         (unsigned long long)size, bytes.n);
    }
    if (size < bytes.n) {
        return error_set(error, INGOT_FORMAT, "%llu bytes follow the end of the .ingot file",
                         (unsigned long long)(bytes.n - size));
    }
    unsigned char hash[32];
    checksum(bytes, hash);
    if (memcmp(hash, bytes.p + HASH_AT, sizeof hash) != 0) {
        return error_set(error, INGOT_FORMAT, "the .ingot file is damaged: its checksum does not match");
    }
    return INGOT_OK;
}

ingot_status pack_container_read(str bytes, pack_container *out, ingot_error *error)
{
    uint32_t count = 0;
    ingot_status status = check_whole(bytes, &count, error);
    if (status != INGOT_OK) return status;
    if (count != PACK_SECTION_COUNT) {
        return error_set(error, INGOT_FORMAT, "the .ingot file has %u sections; version %d has %d", count,
                         PACK_VERSION, PACK_SECTION_COUNT);
    }
    reader r = reader_of(bytes.p, bytes.n);
    r.at = HASH_AT + 32;
    bool zeros = reader_u64(&r) == 0;
    uint64_t expected = PACK_HEADER + (uint64_t)PACK_ENTRY * PACK_SECTION_COUNT;
    for (size_t i = 0; i < PACK_SECTION_COUNT; ++i) {
        str tag = reader_bytes(&r, 4);
        zeros = reader_u32(&r) == 0 && zeros;
        uint64_t offset = reader_u64(&r), size = reader_u64(&r);
        reader part = reader_part(&r, offset, size);
        if (r.failed || !str_is(tag, tags[i]) || offset != expected || part.failed) {
            return error_set(error, INGOT_FORMAT, "the .ingot file's section %zu is not the %s that belongs there",
                             i, contents[i]);
        }
        out->sections[i] = (str){(const char *)part.p, part.n};
        expected += size + padding(part.n);
        reader gap = reader_part(&r, offset + size, padding(part.n));
        while (reader_left(&gap) != 0) zeros = reader_u8(&gap) == 0 && zeros;
        zeros = !gap.failed && zeros;
    }
    if (!zeros || expected != bytes.n) {
        return error_set(error, INGOT_FORMAT, "the .ingot file's sections do not fill it exactly");
    }
    return INGOT_OK;
}
