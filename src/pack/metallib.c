/* Reading a metallib: header, function list, header extension. Functions, their metadata and the sections behind the
 * modules have files of their own. */
#include "pack/metallib.h"

#include "base/error.h"
#include "pack/metallib_parse.h"
#include "pack/payload.h"

enum { HEADER = 88 };

/* ---- Names of numbers ---------------------------------------------------------------------------- */

const char *metallib_type_text(unsigned type)
{
    switch (type) {
#define METALLIB_TYPE(NAME, number, text)                                                          \
    case number: return text;
#include "pack/metallib_types.def"
#undef METALLIB_TYPE
    default: return NULL;
    }
}

const char *metallib_platform_text(unsigned platform)
{
    static const char *const names[] = {"not said",      "macOS",          "iOS",               "tvOS",
                                        "watchOS",       "bridgeOS",       "Mac Catalyst",      "iOS simulator",
                                        "tvOS simulator", "watchOS simulator", "DriverKit", "xrOS"};
    return platform < sizeof names / sizeof names[0] ? names[platform] : "unknown";
}

const char *metallib_file_type_text(unsigned file_type)
{
    static const char *const names[] = {"executable", "Core Image library", "dynamic library", "symbol companion"};
    return file_type < sizeof names / sizeof names[0] ? names[file_type] : NULL;
}

const char *metallib_data_type_text(unsigned type)
{
    switch (type) {
#define METALLIB_DATA_TYPE(number, text)                                                           \
    case number: return text;                                                                      \
    case number + 1: return text "2";                                                              \
    case number + 2: return text "3";                                                              \
    case number + 3: return text "4";
#include "pack/metallib_data_types.def"
#undef METALLIB_DATA_TYPE
    default: return "unknown";
    }
}

bool metallib_is_section(const metallib_tag *tag)
{
    static const char *const names[] = {"HSRC", "HSRD", "HDYN", "VLST", "ILST", "RLST", "SLST"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (metallib_tag_is(tag, names[i])) return true;
    }
    return false;
}

/* ---- Errors -------------------------------------------------------------------------------------- */

ingot_status metallib_bad(metallib_parse *p, const char *what)
{
    if (p->at == SIZE_MAX) return error_set(p->error, INGOT_FORMAT, "%s", what);
    if (p->name.p != NULL) {
        return error_set(p->error, INGOT_FORMAT, "function %zu (\"%.100s\"): %s", p->at, p->name.p, what);
    }
    return error_set(p->error, INGOT_FORMAT, "function %zu: %s", p->at, what);
}

/* ---- Tags ---------------------------------------------------------------------------------------- */

bool metallib_next_tag(reader *r, metallib_tag *tag)
{
    str name = reader_bytes(r, 4);
    if (r->failed) return false;
    memcpy(tag->name, name.p, 4);
    tag->name[4] = '\0';
    tag->bytes = (str){0};
    if (str_is(name, "ENDT")) return true;
    bool wide = str_is(name, "RBUF") || str_is(name, "SBUF") || str_is(name, "SARC");
    uint64_t size = wide ? reader_u32(r) : reader_u16(r);
    tag->bytes = reader_bytes(r, size);
    return !r->failed;
}

bool metallib_next_of_group(metallib_parse *p, reader *r, metallib_tag *tag)
{
    p->walked_tags++;
    return p->walked_tags / 4 <= p->bytes.n && metallib_next_tag(r, tag);
}

bool metallib_tag_is(const metallib_tag *tag, const char *name)
{
    return memcmp(tag->name, name, 4) == 0;
}

ingot_status metallib_read_tags(metallib_parse *p, reader *r, const metallib_tag **out, size_t *count, bool *cut)
{
    reader ahead = *r;
    metallib_tag tag;
    size_t n = 0;
    while (metallib_next_tag(&ahead, &tag) && !metallib_tag_is(&tag, "ENDT")) n++;
    *cut = ahead.failed;
    metallib_tag *tags = pool_array(p->mem, metallib_tag, n);
    if (tags == NULL) return error_no_memory(p->error);
    for (size_t i = 0; i < n; ++i) (void)metallib_next_tag(r, &tags[i]);
    *r = ahead;
    *out = tags;
    *count = n;
    return INGOT_OK;
}

str metallib_text(reader *r)
{
    if (reader_left(r) == 0) {
        r->failed = true;
        return (str){0};
    }
    const char *start = (const char *)r->p + r->at, *end = memchr(start, '\0', reader_left(r));
    if (end == NULL) {
        r->failed = true;
        return (str){0};
    }
    str text = reader_bytes(r, (uint64_t)(end - start) + 1);
    return (str){text.p, text.n - 1};
}

/* ---- Header -------------------------------------------------------------------------------------- */

/* What the bytes are instead, where they are no metallib. */
static ingot_status check_size(metallib_parse *p)
{
    str bytes = p->bytes;
    payload_kind kind = payload_look(bytes);
    if (kind != PAYLOAD_METALLIB) {
        return error_set(p->error, INGOT_FORMAT, "not a metallib: the bytes are %s", payload_text(kind));
    }
    if (bytes.n < HEADER) {
        return error_set(p->error, INGOT_FORMAT, "cut short: %zu bytes do not hold the header of %d", bytes.n, HEADER);
    }
    reader r = reader_of(bytes.p, bytes.n);
    r.at = 16;
    uint64_t size = reader_u64(&r);
    if (size > bytes.n) {
        return error_set(p->error, INGOT_FORMAT, "cut short: the header says %llu bytes and there are %zu",
                         (unsigned long long)size, bytes.n);
    }
    if (size < bytes.n) {
        return error_set(p->error, INGOT_FORMAT, "trailing bytes: the header says %llu bytes and there are %zu",
                         (unsigned long long)size, bytes.n);
    }
    return INGOT_OK;
}

static ingot_status read_section(metallib_parse *p, reader *r, metallib_section *out, const char *name)
{
    out->offset = reader_u64(r);
    out->size = reader_u64(r);
    bool inside = out->offset >= HEADER && out->offset <= p->bytes.n && out->size <= p->bytes.n - out->offset;
    if (inside) return INGOT_OK;
    return error_set(p->error, INGOT_FORMAT, "the %s (offset %llu, %llu bytes) does not lie inside the file", name,
                     (unsigned long long)out->offset, (unsigned long long)out->size);
}

static ingot_status read_header(metallib_parse *p)
{
    ingot_status status = check_size(p);
    if (status != INGOT_OK) return status;
    metallib *m = p->out;
    reader r = reader_of(p->bytes.p, p->bytes.n);
    r.at = 4;
    uint16_t major = reader_u16(&r);
    m->is_macos = (major & 0x8000) != 0;
    m->format_major = major & 0x7FFF;
    m->format_minor = reader_u16(&r);
    m->format_patch = reader_u16(&r);
    uint8_t type = reader_u8(&r), platform = reader_u8(&r);
    m->is_stub = (type & 0x80) != 0;
    m->file_type = type & 0x7F;
    m->is_64_bit = (platform & 0x80) != 0;
    m->platform = platform & 0x7F;
    m->os_major = reader_u16(&r);
    m->os_minor = reader_u8(&r);
    m->os_patch = reader_u8(&r);
    if (m->format_major != 1 || m->format_minor != 2) {
        return error_set(p->error, INGOT_FORMAT, "format %u.%u.%u is unknown; 1.2 is understood", m->format_major,
                         m->format_minor, m->format_patch);
    }
    if (metallib_file_type_text(m->file_type) == NULL) return error_set(p->error, INGOT_FORMAT, "file type %u is unknown", m->file_type);
    r.at = 24;
    status = read_section(p, &r, &p->list, "function list");
    if (status == INGOT_OK) status = read_section(p, &r, &p->public_metadata, "public metadata");
    if (status == INGOT_OK) status = read_section(p, &r, &p->private_metadata, "private metadata");
    if (status == INGOT_OK) status = read_section(p, &r, &p->modules, "module section");
    return status;
}

/* ---- Header extension ----------------------------------------------------------------------------- */

/* A section's tag says where it lies: its bytes take the place of the tag's. */
static ingot_status take_section(metallib_parse *p, metallib_tag *tag)
{
    reader r = reader_of(tag->bytes.p, tag->bytes.n);
    uint64_t offset = reader_u64(&r), size = reader_u64(&r);
    if (r.failed || reader_left(&r) != 0) {
        return error_set(p->error, INGOT_FORMAT, "header extension: tag %s has %zu bytes, not 16", tag->name, tag->bytes.n);
    }
    reader whole = reader_of(p->bytes.p, p->bytes.n), section = reader_part(&whole, offset, size);
    if (section.failed) {
        return error_set(p->error, INGOT_FORMAT, "header extension: the section of tag %s does not lie inside the file",
                         tag->name);
    }
    tag->bytes = (str){(const char *)section.p, section.n};
    return INGOT_OK;
}

static ingot_status take_tag(metallib_parse *p, metallib_tag *tag)
{
    if (metallib_is_section(tag)) return take_section(p, tag);
    if (!metallib_tag_is(tag, "UUID")) return INGOT_OK;
    if (tag->bytes.n != 16 || p->out->has_uuid) {
        return error_set(p->error, INGOT_FORMAT, "header extension: the UUID is malformed or stands twice");
    }
    memcpy(p->out->uuid, tag->bytes.p, 16);
    p->out->has_uuid = true;
    return INGOT_OK;
}

/* Between the function list and the public metadata; the oldest format has none. */
static ingot_status read_extension(metallib_parse *p)
{
    uint64_t start = p->list.offset + 4 + p->list.size, end = p->public_metadata.offset;
    if (start > end) return error_set(p->error, INGOT_FORMAT, "the function list runs into the public metadata");
    p->out->has_extension = start != end;
    if (start == end) return INGOT_OK;
    reader whole = reader_of(p->bytes.p, p->bytes.n), r = reader_part(&whole, start, end - start);
    const metallib_tag *tags = NULL;
    bool cut = false;
    ingot_status status = metallib_read_tags(p, &r, &tags, &p->out->extension_count, &cut);
    if (status != INGOT_OK) return status;
    if (cut) return error_set(p->error, INGOT_FORMAT, "the header extension is cut short before its ENDT");
    if (reader_left(&r) != 0) return error_set(p->error, INGOT_FORMAT, "bytes follow the ENDT of the header extension");
    metallib_tag *own = pool_array(p->mem, metallib_tag, p->out->extension_count);
    if (own == NULL) return error_no_memory(p->error);
    memcpy(own, tags, p->out->extension_count * sizeof *own);
    for (size_t i = 0; i < p->out->extension_count && status == INGOT_OK; ++i) status = take_tag(p, &own[i]);
    p->out->extension = own;
    return status == INGOT_OK ? metallib_read_sections(p) : status;
}

/* ---- All of it ------------------------------------------------------------------------------------ */

static ingot_status read_functions(metallib_parse *p)
{
    reader whole = reader_of(p->bytes.p, p->bytes.n);
    reader r = reader_part(&whole, p->list.offset, p->list.size + 4);
    uint32_t count = reader_u32(&r);
    /* The least group: its size, ENDT. */
    if (r.failed || count > reader_left(&r) / 8) {
        return error_set(p->error, INGOT_FORMAT, "the function list of %llu bytes does not hold %u functions",
                         (unsigned long long)p->list.size, count);
    }
    metallib_function *functions = pool_array(p->mem, metallib_function, count);
    if (functions == NULL) return error_no_memory(p->error);
    p->out->functions = functions;
    p->out->function_count = count;
    for (p->at = 0; p->at < count; ++p->at) {
        p->name = (str){0};
        ingot_status status = metallib_read_function(p, &r, &functions[p->at]);
        if (status != INGOT_OK) return status;
    }
    p->at = SIZE_MAX;
    if (reader_left(&r) == 0) return INGOT_OK;
    return error_set(p->error, INGOT_FORMAT, "%zu bytes follow the last function in the function list", reader_left(&r));
}

ingot_status metallib_read(pool *mem, str bytes, const metallib **out, ingot_error *error)
{
    *out = NULL;
    metallib *m = pool_array(mem, metallib, 1);
    if (m == NULL) return error_no_memory(error);
    metallib_parse p = {.bytes = bytes, .mem = mem, .out = m, .error = error, .at = SIZE_MAX};
    ingot_status status = read_header(&p);
    if (status == INGOT_OK) status = read_extension(&p);
    if (status == INGOT_OK) status = read_functions(&p);
    if (status == INGOT_OK) *out = m;
    return status;
}

ingot_status metallib_check(str bytes, ingot_error *error)
{
    pool mem = pool_make(NULL);
    const metallib *m;
    ingot_status status = metallib_read(&mem, bytes, &m, error);
    pool_free(&mem);
    return status;
}

const metallib_function *metallib_find(const metallib *m, str name)
{
    for (size_t i = 0; i < m->function_count; ++i) {
        if (str_eq(m->functions[i].name, name)) return &m->functions[i];
    }
    return NULL;
}
