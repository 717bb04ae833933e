/* One function of a metallib: its tags, its metadata, and the module that holds its code. */
#include "base/error.h"
#include "base/sha256.h"
#include "pack/metallib_parse.h"

/* The tags that every function has, and those that it may have, with their sizes (0: any). */
enum { TAG_NAME, TAG_TYPE, TAG_HASH, TAG_MDSZ, TAG_OFFT, TAG_VERS, REQUIRED, TAG_SOFF = REQUIRED, TAG_RFLT, TAG_LAYR, TAG_TESS, TAGS };

typedef struct tag_rule {
    const char *name;
    size_t size;
} tag_rule;

static const tag_rule rules[TAGS] = {
    [TAG_NAME] = {"NAME", 0}, [TAG_TYPE] = {"TYPE", 1},  [TAG_HASH] = {"HASH", 32}, [TAG_MDSZ] = {"MDSZ", 8},
    [TAG_OFFT] = {"OFFT", 24}, [TAG_VERS] = {"VERS", 8}, [TAG_SOFF] = {"SOFF", 8},  [TAG_RFLT] = {"RFLT", 8},
    [TAG_LAYR] = {"LAYR", 1}, [TAG_TESS] = {"TESS", 1},
};

/* Where the function's parts begin, each relative to its section. */
typedef struct places {
    uint64_t public_metadata, private_metadata, module, module_size;
} places;

static ingot_status bad_tag(metallib_parse *p, size_t tag, const char *what)
{
    char text[64] = "tag ";
    size_t n = strlen(text);
    memcpy(text + n, rules[tag].name, 4);
    text[n + 4] = ' ';
    size_t length = strlen(what);
    memcpy(text + n + 5, what, length + 1);
    return metallib_bad(p, text);
}

/* ---- The group in the function list ---------------------------------------------------------------- */

static ingot_status take_name(metallib_parse *p, str bytes, metallib_function *f)
{
    if (bytes.n < 2 || bytes.p[bytes.n - 1] != '\0' || memchr(bytes.p, '\0', bytes.n) != bytes.p + bytes.n - 1) {
        return metallib_bad(p, "its name is empty, or not one text that ends with a NUL");
    }
    f->name = pool_str(p->mem, (str){bytes.p, bytes.n - 1});
    p->name = f->name;
    return f->name.p != NULL ? INGOT_OK : error_no_memory(p->error);
}

static ingot_status take_tag(metallib_parse *p, size_t tag, str bytes, metallib_function *f, places *at)
{
    reader r = reader_of(bytes.p, bytes.n);
    switch (tag) {
    case TAG_NAME: return take_name(p, bytes, f);
    case TAG_TYPE:
        f->type = reader_u8(&r);
        if (metallib_type_text(f->type) == NULL) return metallib_bad(p, "its type is unknown");
        break;
    case TAG_HASH: memcpy(f->hash, bytes.p, sizeof f->hash); break;
    case TAG_MDSZ: at->module_size = reader_u64(&r); break;
    case TAG_OFFT:
        at->public_metadata = reader_u64(&r);
        at->private_metadata = reader_u64(&r);
        at->module = reader_u64(&r);
        break;
    case TAG_VERS:
        f->air.major = reader_u16(&r);
        f->air.minor = reader_u16(&r);
        f->language.major = reader_u16(&r);
        f->language.minor = reader_u16(&r);
        break;
    case TAG_SOFF:
        f->has_source = true;
        f->source_offset = reader_u64(&r);
        break;
    case TAG_RFLT:
        f->has_reflection = true;
        f->reflection_offset = reader_u64(&r);
        break;
    default: break;
    }
    return INGOT_OK;
}

/* Walks the group's tags to ENDT; unknown ones are skipped, known ones stand once and have their size. */
static ingot_status read_group(metallib_parse *p, reader *r, metallib_function *f, places *at)
{
    bool seen[TAGS] = {false}, cut = false;
    ingot_status status = metallib_read_tags(p, r, &f->tags, &f->tag_count, &cut);
    if (status != INGOT_OK) return status;
    for (size_t t = 0; t < f->tag_count; ++t) {
        const metallib_tag *tag = &f->tags[t];
        size_t i = 0;
        while (i < TAGS && !metallib_tag_is(tag, rules[i].name)) ++i;
        if (i == TAGS) continue;
        if (seen[i]) return bad_tag(p, i, "stands twice");
        if (rules[i].size != 0 && tag->bytes.n != rules[i].size) return bad_tag(p, i, "is of a wrong size");
        seen[i] = true;
        status = take_tag(p, i, tag->bytes, f, at);
        if (status != INGOT_OK) return status;
    }
    if (cut) return metallib_bad(p, "its tags are cut short before their ENDT");
    if (reader_left(r) != 0) return metallib_bad(p, "bytes follow the ENDT of its tags");
    for (size_t i = 0; i < REQUIRED; ++i) {
        if (!seen[i]) return bad_tag(p, i, "is missing");
    }
    return INGOT_OK;
}

/* ---- The module ------------------------------------------------------------------------------------- */

/* Darwin's wrapper around bitcode, or bare bitcode. */
static ingot_status check_bitcode(metallib_parse *p, str module)
{
    static const char raw[] = "BC\xC0\xDE";
    if (str_starts(module, (str){raw, 4})) return INGOT_OK;
    reader r = reader_of(module.p, module.n);
    uint32_t magic = reader_u32(&r), version = reader_u32(&r), offset = reader_u32(&r), size = reader_u32(&r);
    if (r.failed || magic != 0x0B17C0DE || version != 0) {
        return metallib_bad(p, "its module is neither wrapped nor bare LLVM bitcode");
    }
    reader code = reader_part(&r, offset, size);
    str head = reader_bytes(&code, 4);
    if (code.failed || !str_eq(head, (str){raw, 4})) return metallib_bad(p, "its module's wrapper holds no LLVM bitcode");
    return INGOT_OK;
}

static ingot_status check_hash(metallib_parse *p, const metallib_function *f)
{
    bool again = p->hashed.p == f->module.p && p->hashed.n == f->module.n;
    if (!again) {
        /* Modules may be shared, but a file whose modules overlap over and over is made to waste time. */
        p->hashed_bytes += f->module.n;
        if (p->hashed_bytes / 16 > p->bytes.n) return metallib_bad(p, "its module overlaps too many others");
        sha256_of(f->module.p, f->module.n, p->hash);
        p->hashed = f->module;
    }
    if (memcmp(p->hash, f->hash, sizeof p->hash) == 0) return INGOT_OK;
    return metallib_bad(p, "the SHA-256 of its module does not match: the file is damaged");
}

static ingot_status read_module(metallib_parse *p, const places *at, metallib_function *f)
{
    reader whole = reader_of(p->bytes.p, p->bytes.n);
    reader section = reader_part(&whole, p->modules.offset, p->modules.size);
    reader module = reader_part(&section, at->module, at->module_size);
    if (module.failed || module.n == 0) return metallib_bad(p, "its module does not lie inside the module section");
    f->module = (str){(const char *)module.p, module.n};
    ingot_status status = check_hash(p, f);
    return status == INGOT_OK ? check_bitcode(p, f->module) : status;
}

/* What it points to behind the modules. A source's offset is behind its group's size, a reflection's before. */
static ingot_status read_links(metallib_parse *p, metallib_function *f)
{
    ingot_status status = INGOT_OK;
    if (f->has_source) {
        if (f->source_offset < 4) return metallib_bad(p, "its archive of sources does not lie inside its section");
        status = metallib_section_group(p, p->source_section, f->source_offset - 4, "SARC", &f->source);
    }
    if (status == INGOT_OK && f->has_reflection) {
        status = metallib_section_group(p, p->reflection_section, f->reflection_offset, "RBUF", &f->reflection);
    }
    return status;
}

ingot_status metallib_read_function(metallib_parse *p, reader *r, metallib_function *f)
{
    uint32_t size = reader_u32(r); /* counts itself */
    if (r->failed || size < 8 || size - 4 > reader_left(r)) return metallib_bad(p, "its group does not fit the function list");
    reader group = reader_part(r, r->at, size - 4);
    r->at += size - 4;
    places at = {0};
    ingot_status status = read_group(p, &group, f, &at);
    if (status == INGOT_OK) status = metallib_read_metadata(p, at.public_metadata, at.private_metadata, f);
    if (status == INGOT_OK) status = read_module(p, &at, f);
    return status == INGOT_OK ? read_links(p, f) : status;
}
