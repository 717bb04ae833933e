/* The sections behind a metallib's modules: sources, names of the library, reflection. */
#include "base/error.h"
#include "pack/metallib_parse.h"

static ingot_status bad(metallib_parse *p, const char *what)
{
    return error_set(p->error, INGOT_FORMAT, "%s", what);
}

/* u32 size, tags, ENDT: the tags with their ENDT, and the reader behind them. The size counts itself in a section of
 * reflection and not in one of sources. */
static bool read_group(metallib_parse *p, reader *r, const char *wanted, str *out)
{
    uint64_t size = reader_u32(r);
    size_t start = r->at;
    metallib_tag tag;
    bool first = true;
    do {
        if (!metallib_next_of_group(p, r, &tag)) return false;
        if (first && !metallib_tag_is(&tag, wanted)) return false;
        first = false;
    } while (!metallib_tag_is(&tag, "ENDT"));
    *out = (str){(const char *)r->p + start, r->at - start};
    return size == out->n || size == out->n + 4;
}

ingot_status metallib_section_group(metallib_parse *p, str section, uint64_t offset, const char *wanted, str *out)
{
    reader whole = reader_of(section.p, section.n);
    reader r = offset <= section.n ? reader_part(&whole, offset, section.n - offset) : (reader){.failed = true};
    if (!r.failed && read_group(p, &r, wanted, out)) return INGOT_OK;
    return metallib_bad(p, wanted[0] == 'S' ? "its archive of sources does not lie inside its section"
                                            : "its reflection does not lie inside its section");
}

static bool read_groups(metallib_parse *p, reader *r, uint32_t count, const char *wanted)
{
    str group;
    for (uint32_t i = 0; i < count; ++i) {
        if (!read_group(p, r, wanted, &group)) return false;
    }
    return reader_left(r) == 0 && !r->failed;
}

/* HSRC and HSRD: u32 count, link options, for HSRD the working directory, then the archives (bzip2-packed tar). */
static ingot_status read_sources(metallib_parse *p, const metallib_tag *tag)
{
    metallib_sources *sources = &p->out->sources;
    if (sources->present) return bad(p, "header extension: the section of sources stands twice");
    p->source_section = tag->bytes;
    sources->present = true;
    sources->has_directory = metallib_tag_is(tag, "HSRD");
    reader r = reader_of(tag->bytes.p, tag->bytes.n);
    sources->count = reader_u32(&r);
    sources->link_options = metallib_text(&r);
    if (sources->has_directory) sources->directory = metallib_text(&r);
    if (!r.failed && read_groups(p, &r, sources->count, "SARC")) return INGOT_OK;
    return bad(p, "the section of sources is malformed");
}

/* u32 count, then groups of one buffer each. */
static ingot_status read_reflection(metallib_parse *p, const metallib_tag *tag)
{
    if (p->reflection_section.p != NULL) return bad(p, "header extension: the section of reflection stands twice");
    p->reflection_section = tag->bytes;
    reader r = reader_of(tag->bytes.p, tag->bytes.n);
    uint32_t count = reader_u32(&r);
    if (!r.failed && read_groups(p, &r, count, "RBUF")) return INGOT_OK;
    return bad(p, "the section of reflection is malformed");
}

/* Tags up to ENDT: NAME is what the library is called, DYNL a library that it needs. */
static ingot_status read_dynamic(metallib_parse *p, const metallib_tag *section)
{
    reader r = reader_of(section->bytes.p, section->bytes.n);
    metallib_tag tag;
    do {
        if (!metallib_next_tag(&r, &tag)) return bad(p, "the dynamic header is cut short before its ENDT");
        if (!metallib_tag_is(&tag, "NAME")) continue;
        reader text = reader_of(tag.bytes.p, tag.bytes.n);
        str name = metallib_text(&text);
        if (text.failed || reader_left(&text) != 0) return bad(p, "the library's name in the dynamic header has no end");
        p->out->install_name = pool_str(p->mem, name);
        if (p->out->install_name.p == NULL) return error_no_memory(p->error);
    } while (!metallib_tag_is(&tag, "ENDT"));
    return reader_left(&r) == 0 ? INGOT_OK : bad(p, "bytes follow the ENDT of the dynamic header");
}

ingot_status metallib_read_sections(metallib_parse *p)
{
    for (size_t i = 0; i < p->out->extension_count; ++i) {
        const metallib_tag *tag = &p->out->extension[i];
        ingot_status status = INGOT_OK;
        if (metallib_tag_is(tag, "HSRC") || metallib_tag_is(tag, "HSRD")) status = read_sources(p, tag);
        if (metallib_tag_is(tag, "RLST")) status = read_reflection(p, tag);
        if (metallib_tag_is(tag, "HDYN")) status = read_dynamic(p, tag);
        if (status != INGOT_OK) return status;
    }
    return INGOT_OK;
}
