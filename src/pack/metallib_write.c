/* Laying a metallib out: header, function list, extension, metadata, modules, sections behind them. */
#include "pack/metallib_write.h"

#include "base/error.h"
#include "base/sha256.h"
#include "pack/metallib_parse.h"

enum { HEADER = 88, PLACE = 16 /* of a section in the extension: its offset and size */ };

/* ---- Tags ---------------------------------------------------------------------------------------- */

static void put_tag_head(buf *out, const char *name, size_t size)
{
    bool wide = strcmp(name, "RBUF") == 0 || strcmp(name, "SBUF") == 0 || strcmp(name, "SARC") == 0;
    buf_bytes(out, name, 4);
    if (wide) {
        buf_u32(out, (uint32_t)size);
    } else {
        buf_u16(out, (uint16_t)size);
    }
}

static void put_tag(buf *out, const char *name, str bytes)
{
    put_tag_head(out, name, bytes.n);
    buf_str(out, bytes);
}

static void put_u64_tag(buf *out, const char *name, uint64_t value)
{
    put_tag_head(out, name, 8);
    buf_u64(out, value);
}

/* ---- Metadata and modules -------------------------------------------------------------------------- */

/* Where one function's parts begin in their sections. */
typedef struct place {
    uint64_t public_metadata, private_metadata, module;
} place;

/* Two views of the same memory are one part of the file. */
static bool is_shared(str a, str b)
{
    return a.p != NULL && a.p == b.p && a.n == b.n;
}

static void put_group(buf *out, metallib_dialect dialect, str tags)
{
    buf_u32(out, (uint32_t)(tags.n + (dialect == METALLIB_DRIVER ? 8 : 4)));
    buf_str(out, tags);
    buf_bytes(out, "ENDT", 4);
}

/* Functions that share a part stand side by side in every file seen, so only the one before is looked at. */
static void put_parts(const metallib *m, place *places, buf *public_metadata, buf *private_metadata, buf *modules)
{
    for (size_t i = 0; i < m->function_count; ++i) {
        const metallib_function *f = &m->functions[i], *last = i != 0 ? f - 1 : NULL;
        place *at = &places[i];
        *at = (place){public_metadata->n, private_metadata->n, modules->n};
        if (last != NULL && is_shared(f->public_metadata, last->public_metadata)) {
            at->public_metadata = places[i - 1].public_metadata;
        } else {
            put_group(public_metadata, m->dialect, f->public_metadata);
        }
        if (last != NULL && is_shared(f->private_metadata, last->private_metadata)) {
            at->private_metadata = places[i - 1].private_metadata;
        } else {
            put_group(private_metadata, m->dialect, f->private_metadata);
        }
        if (last != NULL && is_shared(f->module, last->module)) {
            at->module = places[i - 1].module;
        } else {
            buf_str(modules, f->module);
        }
    }
}

/* ---- The function list ------------------------------------------------------------------------------ */

static void put_function_tag(buf *out, const metallib_tag *tag, const metallib_function *f, const place *at)
{
    if (metallib_tag_is(tag, "NAME")) {
        put_tag_head(out, "NAME", f->name.n + 1);
        buf_str(out, f->name);
        buf_u8(out, 0);
    } else if (metallib_tag_is(tag, "TYPE")) {
        put_tag_head(out, "TYPE", 1);
        buf_u8(out, (uint8_t)f->type);
    } else if (metallib_tag_is(tag, "HASH")) {
        put_tag(out, "HASH", (str){(const char *)f->hash, sizeof f->hash});
    } else if (metallib_tag_is(tag, "MDSZ")) {
        put_u64_tag(out, "MDSZ", f->module.n);
    } else if (metallib_tag_is(tag, "OFFT")) {
        put_tag_head(out, "OFFT", 24);
        buf_u64(out, at->public_metadata);
        buf_u64(out, at->private_metadata);
        buf_u64(out, at->module);
    } else if (metallib_tag_is(tag, "VERS")) {
        put_tag_head(out, "VERS", 8);
        buf_u16(out, f->air.major);
        buf_u16(out, f->air.minor);
        buf_u16(out, f->language.major);
        buf_u16(out, f->language.minor);
    } else if (metallib_tag_is(tag, "SOFF")) {
        put_u64_tag(out, "SOFF", f->source_offset);
    } else if (metallib_tag_is(tag, "RFLT")) {
        put_u64_tag(out, "RFLT", f->reflection_offset);
    } else {
        put_tag(out, tag->name, tag->bytes);
    }
}

/* The tags of a function that was not read from a file. */
static size_t own_tags(const metallib *m, const metallib_function *f, metallib_tag out[8])
{
    static const char *const driver[] = {"NAME", "TYPE", "HASH", "OFFT", "VERS", "MDSZ"};
    static const char *const linker[] = {"NAME", "TYPE", "HASH", "MDSZ", "OFFT", "VERS"};
    size_t n = 0;
    for (; n < 6; ++n) memcpy(out[n].name, m->dialect == METALLIB_DRIVER ? driver[n] : linker[n], 5);
    if (f->has_source) memcpy(out[n++].name, "SOFF", 5);
    if (f->has_reflection) memcpy(out[n++].name, "RFLT", 5);
    return n;
}

static void put_function(buf *out, const metallib *m, const metallib_function *f, const place *at)
{
    metallib_tag own[8];
    const metallib_tag *tags = f->tags != NULL ? f->tags : own;
    size_t count = f->tags != NULL ? f->tag_count : own_tags(m, f, own), start = out->n;
    buf_u32(out, 0);
    for (size_t i = 0; i < count; ++i) put_function_tag(out, &tags[i], f, at);
    buf_bytes(out, "ENDT", 4);
    if (out->failed) return;
    size_t size = out->n - start;
    for (size_t i = 0; i < 4; ++i) out->p[start + i] = (char)(size >> (8 * i));
}

/* ---- The extension ----------------------------------------------------------------------------------- */

static size_t extension_size(const metallib *m)
{
    if (!m->has_extension) return 0;
    size_t size = 4;
    for (size_t i = 0; i < m->extension_count; ++i) {
        size += 6 + (metallib_is_section(&m->extension[i]) ? PLACE : m->extension[i].bytes.n);
    }
    return size;
}

/* `at`: where the first section behind the modules begins. */
static void put_extension(buf *out, const metallib *m, uint64_t at)
{
    if (!m->has_extension) return;
    for (size_t i = 0; i < m->extension_count; ++i) {
        const metallib_tag *tag = &m->extension[i];
        if (!metallib_is_section(tag)) {
            put_tag(out, tag->name, tag->bytes);
            continue;
        }
        put_tag_head(out, tag->name, PLACE);
        buf_u64(out, at);
        buf_u64(out, tag->bytes.n);
        at += tag->bytes.n;
    }
    buf_bytes(out, "ENDT", 4);
}

static uint64_t sections_size(const metallib *m)
{
    uint64_t size = 0;
    for (size_t i = 0; i < m->extension_count; ++i) {
        if (metallib_is_section(&m->extension[i])) size += m->extension[i].bytes.n;
    }
    return size;
}

/* ---- All of it ---------------------------------------------------------------------------------------- */

static void put_header(buf *out, const metallib *m)
{
    buf_bytes(out, "MTLB", 4);
    buf_u16(out, (uint16_t)(m->format_major | (m->is_macos ? 0x8000 : 0)));
    buf_u16(out, m->format_minor);
    buf_u16(out, m->format_patch);
    buf_u8(out, (uint8_t)(m->file_type | (m->is_stub ? 0x80U : 0)));
    buf_u8(out, (uint8_t)(m->platform | (m->is_64_bit ? 0x80U : 0)));
    buf_u16(out, m->os_major);
    buf_u8(out, (uint8_t)m->os_minor);
    buf_u8(out, (uint8_t)m->os_patch);
}

typedef struct parts {
    buf list, public_metadata, private_metadata, modules;
} parts;

static void put_all(buf *out, const metallib *m, const parts *part)
{
    uint64_t public_at = HEADER + 4 + part->list.n + extension_size(m), private_at = public_at + part->public_metadata.n,
             modules_at = private_at + part->private_metadata.n, tail_at = modules_at + part->modules.n;
    put_header(out, m);
    buf_u64(out, tail_at + sections_size(m));
    buf_u64(out, HEADER);
    buf_u64(out, part->list.n);
    buf_u64(out, public_at);
    buf_u64(out, part->public_metadata.n);
    buf_u64(out, private_at);
    buf_u64(out, part->private_metadata.n);
    buf_u64(out, modules_at);
    buf_u64(out, part->modules.n);
    buf_u32(out, (uint32_t)m->function_count);
    buf_str(out, buf_view(&part->list));
    put_extension(out, m, tail_at);
    buf_str(out, buf_view(&part->public_metadata));
    buf_str(out, buf_view(&part->private_metadata));
    buf_str(out, buf_view(&part->modules));
    for (size_t i = 0; i < m->extension_count; ++i) {
        if (metallib_is_section(&m->extension[i])) buf_str(out, m->extension[i].bytes);
    }
    bool failed = part->list.failed || part->public_metadata.failed || part->private_metadata.failed || part->modules.failed;
    out->failed = out->failed || failed;
}

void metallib_write(const metallib *m, buf *out)
{
    parts part = {buf_make(out->mem), buf_make(out->mem), buf_make(out->mem), buf_make(out->mem)};
    pool mem = pool_make(out->mem);
    place *places = pool_array(&mem, place, m->function_count);
    if (places != NULL) {
        put_parts(m, places, &part.public_metadata, &part.private_metadata, &part.modules);
        for (size_t i = 0; i < m->function_count; ++i) put_function(&part.list, m, &m->functions[i], &places[i]);
        put_all(out, m, &part);
    } else {
        out->failed = true;
    }
    pool_free(&mem);
    buf_free(&part.list);
    buf_free(&part.public_metadata);
    buf_free(&part.private_metadata);
    buf_free(&part.modules);
}

ingot_status metallib_make_uuid(pool *mem, metallib *m, ingot_error *error)
{
    unsigned char hash[32], *all = pool_array(mem, unsigned char, m->function_count * sizeof hash);
    if (all == NULL) return error_no_memory(error);
    for (size_t i = 0; i < m->function_count; ++i) memcpy(all + i * sizeof hash, m->functions[i].hash, sizeof hash);
    sha256_of(all, m->function_count * sizeof hash, hash);
    memcpy(m->uuid, hash, sizeof m->uuid);
    m->uuid[6] = (unsigned char)((m->uuid[6] & 0x0F) | 0x40);
    m->uuid[8] = (unsigned char)((m->uuid[8] & 0x3F) | 0x80);
    m->has_uuid = true;
    return INGOT_OK;
}

ingot_status metallib_check_names(const metallib *m, ingot_error *error)
{
    for (size_t i = 0; i < m->function_count; ++i) {
        metallib before = {.functions = m->functions, .function_count = i};
        if (metallib_find(&before, m->functions[i].name) == NULL) continue;
        return error_set(error, INGOT_VALUE, "two functions are named \"%.*s\"", STR_ARG(m->functions[i].name));
    }
    return INGOT_OK;
}

ingot_status metallib_seal(pool *mem, metallib *m, ingot_error *error)
{
    metallib_function *functions = pool_array(mem, metallib_function, m->function_count);
    metallib_tag *uuid = pool_array(mem, metallib_tag, 1);
    if (functions == NULL || uuid == NULL) return error_no_memory(error);
    for (size_t i = 0; i < m->function_count; ++i) {
        functions[i] = m->functions[i];
        if (functions[i].module.n % 16 != 0 || functions[i].module.n == 0) {
            return error_set(error, INGOT_VALUE, "function \"%.*s\": its module of %zu bytes is not padded to 16",
                             STR_ARG(functions[i].name), functions[i].module.n);
        }
        sha256_of(functions[i].module.p, functions[i].module.n, functions[i].hash);
    }
    m->functions = functions;
    ingot_status status = metallib_check_names(m, error);
    if (status == INGOT_OK) status = metallib_make_uuid(mem, m, error);
    *uuid = (metallib_tag){"UUID", {(const char *)m->uuid, sizeof m->uuid}};
    m->has_extension = true;
    m->extension = uuid;
    m->extension_count = 1;
    return status;
}
