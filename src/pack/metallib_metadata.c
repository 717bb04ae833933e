/* The metadata of one function of a metallib: function constants, vertex attributes, where its source stood. */
#include "base/error.h"
#include "pack/metallib_parse.h"

#include <stdio.h>

/* CNST: u16 count, then each a NUL-terminated name, u8 type, u16 index, u8 active. */
static ingot_status read_constants(metallib_parse *p, str bytes, metallib_function *f)
{
    if (f->constants != NULL) return metallib_bad(p, "its function constants stand twice");
    reader r = reader_of(bytes.p, bytes.n);
    size_t count = reader_u16(&r);
    if (r.failed || count > reader_left(&r) / 5) return metallib_bad(p, "its function constants are cut short");
    metallib_constant *constants = pool_array(p->mem, metallib_constant, count);
    if (constants == NULL) return error_no_memory(p->error);
    for (size_t i = 0; i < count; ++i) {
        str name = metallib_text(&r);
        if (r.failed) return metallib_bad(p, "the name of a function constant has no end");
        constants[i].name = pool_str(p->mem, name);
        if (constants[i].name.p == NULL) return error_no_memory(p->error);
        constants[i].type = reader_u8(&r);
        constants[i].index = reader_u16(&r);
        constants[i].active = reader_u8(&r) != 0;
        if (r.failed) return metallib_bad(p, "its function constants are cut short");
    }
    if (reader_left(&r) != 0) return metallib_bad(p, "bytes follow its function constants");
    f->constants = constants;
    f->constant_count = count;
    return INGOT_OK;
}

/* VATT: u16 count, then each a NUL-terminated name and u16 bits. VATY: u16 count, then u8 types. */
static ingot_status check_attributes(metallib_parse *p, str bytes, bool named)
{
    reader r = reader_of(bytes.p, bytes.n);
    size_t count = reader_u16(&r);
    for (size_t i = 0; i < count && !r.failed; ++i) {
        if (named) metallib_text(&r);
        reader_bytes(&r, named ? 2 : 1);
    }
    return r.failed || reader_left(&r) != 0 ? metallib_bad(p, "its vertex attributes are malformed") : INGOT_OK;
}

/* DEBI: u32 line, then a path. */
static ingot_status read_debug(metallib_parse *p, str bytes, metallib_function *f)
{
    reader r = reader_of(bytes.p, bytes.n);
    f->debug_line = reader_u32(&r);
    f->debug_file = pool_str(p->mem, metallib_text(&r));
    if (r.failed || reader_left(&r) != 0) return metallib_bad(p, "the place of its source is malformed");
    return f->debug_file.p != NULL ? INGOT_OK : error_no_memory(p->error);
}

/* DEPF: a path. */
static ingot_status read_dependency(metallib_parse *p, str bytes, metallib_function *f)
{
    reader r = reader_of(bytes.p, bytes.n);
    f->dependency = pool_str(p->mem, metallib_text(&r));
    if (r.failed || reader_left(&r) != 0) return metallib_bad(p, "the path that it depends on is malformed");
    return f->dependency.p != NULL ? INGOT_OK : error_no_memory(p->error);
}

static ingot_status read_tag(metallib_parse *p, const metallib_tag *tag, metallib_function *f)
{
    if (metallib_tag_is(tag, "CNST")) return read_constants(p, tag->bytes, f);
    if (metallib_tag_is(tag, "VATT")) return check_attributes(p, tag->bytes, true);
    if (metallib_tag_is(tag, "VATY")) return check_attributes(p, tag->bytes, false);
    if (metallib_tag_is(tag, "DEBI")) return read_debug(p, tag->bytes, f);
    if (metallib_tag_is(tag, "DEPF")) return read_dependency(p, tag->bytes, f);
    return INGOT_OK;
}

/* What a group's size counts tells the writer; it is the same all through a file. */
static ingot_status check_group_size(metallib_parse *p, uint64_t size, uint64_t tags)
{
    metallib_dialect dialect = size == tags ? METALLIB_LINKER : METALLIB_DRIVER;
    bool right = (size == tags || size == tags + 4) && (!p->dialect_known || dialect == p->out->dialect);
    if (!right) {
        char text[96];
        snprintf(text, sizeof text, "the size of a group of its metadata is %llu, and its tags take %llu bytes",
                 (unsigned long long)size, (unsigned long long)tags);
        return metallib_bad(p, text);
    }
    p->dialect_known = true;
    p->out->dialect = dialect;
    return INGOT_OK;
}

static ingot_status read_group(metallib_parse *p, metallib_section section, uint64_t offset, str *out,
                               metallib_function *f)
{
    reader whole = reader_of(p->bytes.p, p->bytes.n);
    reader part = reader_part(&whole, section.offset, section.size);
    reader r = offset <= section.size ? reader_part(&part, offset, section.size - offset) : (reader){.failed = true};
    uint64_t size = reader_u32(&r);
    if (r.failed) return metallib_bad(p, "its metadata does not lie inside its section");
    size_t start = r.at, end = start;
    metallib_tag tag;
    for (;;) {
        end = r.at;
        if (!metallib_next_of_group(p, &r, &tag)) return metallib_bad(p, "its metadata is cut short before its ENDT");
        if (metallib_tag_is(&tag, "ENDT")) break;
        ingot_status status = read_tag(p, &tag, f);
        if (status != INGOT_OK) return status;
    }
    *out = (str){(const char *)r.p + start, end - start};
    return check_group_size(p, size, r.at - start);
}

ingot_status metallib_read_metadata(metallib_parse *p, uint64_t public_at, uint64_t private_at, metallib_function *f)
{
    ingot_status status = read_group(p, p->public_metadata, public_at, &f->public_metadata, f);
    return status == INGOT_OK ? read_group(p, p->private_metadata, private_at, &f->private_metadata, f) : status;
}
