/* The device part of a module as TVM's bytes: written in today's layout, read in both. */
#include "base/dtype.h"
#include "base/error.h"
#include "pack/device_check.h"
#include "pack/index.h"
#include "pack/reader.h"

#define OLD_VERSION "0.1.0"

static void put_str(buf *out, str s)
{
    buf_u64(out, s.n);
    buf_str(out, s);
}

static void put_info(buf *out, const pack_kernel *k)
{
    put_str(out, k->name);
    buf_u64(out, k->arg_count);
    for (size_t i = 0; i < k->arg_count; ++i) {
        buf_u8(out, k->arg_types[i].code);
        buf_u8(out, k->arg_types[i].bits);
        buf_u16(out, k->arg_types[i].lanes);
    }
    buf_u64(out, k->launch_tag_count);
    for (size_t i = 0; i < k->launch_tag_count; ++i) put_str(out, str_of(k->launch_tags[i]));
    buf_u64(out, k->arg_count);
    for (size_t i = 0; i < k->arg_count; ++i) {
        buf_u32(out, k->extra_tags != NULL ? (uint32_t)k->extra_tags[i] : 0);
    }
}

void pack_device_module_write(const pack_device_module *m, buf *out)
{
    put_str(out, str_of(pack_format_text(m->format)));
    buf_u64(out, m->kernel_count);
    for (size_t i = 0; i < m->kernel_count; ++i) {
        put_str(out, m->kernels[i].name);
        put_info(out, &m->kernels[i]);
    }
    buf_u64(out, m->kernel_count);
    for (size_t i = 0; i < m->kernel_count; ++i) {
        put_str(out, m->kernels[i].name);
        put_str(out, m->kernels[i].payload);
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct parse {
    reader r;
    pool *mem;
    bool extra_tags; /* launch records end with extra tags */
    pack_kernel *kernels;
    size_t kernel_count;
    ingot_error *error;
} parse;

static ingot_status truncated(parse *p, const char *what)
{
    return error_set(p->error, INGOT_FORMAT, "device module: the bytes end inside %s (offset %zu of %zu)",
                     what, p->r.at, p->r.n);
}

static ingot_status read_types(parse *p, pack_kernel *k)
{
    k->arg_count = reader_count(&p->r, 4);
    if (p->r.failed) return truncated(p, "the argument types");
    DLDataType *types = pool_array(p->mem, DLDataType, k->arg_count);
    if (types == NULL) return error_no_memory(p->error);
    for (size_t i = 0; i < k->arg_count; ++i) {
        types[i].code = reader_u8(&p->r);
        types[i].bits = reader_u8(&p->r);
        types[i].lanes = reader_u16(&p->r);
    }
    k->arg_types = types;
    return INGOT_OK;
}

static ingot_status read_tags(parse *p, pack_kernel *k)
{
    k->launch_tag_count = reader_count(&p->r, 8);
    if (p->r.failed) return truncated(p, "the launch tags");
    if (k->launch_tag_count > 32) { /* there are 9 kinds of tags; more are repeats */
        return error_set(p->error, INGOT_FORMAT, "device module: kernel \"%s\" has %zu launch tags",
                         k->name.p, k->launch_tag_count);
    }
    const char **tags = pool_array(p->mem, const char *, k->launch_tag_count);
    if (tags == NULL) return error_no_memory(p->error);
    for (size_t i = 0; i < k->launch_tag_count; ++i) {
        str tag = reader_str(&p->r);
        if (p->r.failed) return truncated(p, "a launch tag");
        if (!pack_is_name(tag)) {
            return error_set(p->error, INGOT_FORMAT,
                             "device module: a launch tag of kernel \"%s\" is empty or holds a NUL",
                             k->name.p);
        }
        tags[i] = pool_str(p->mem, tag).p;
        if (tags[i] == NULL) return error_no_memory(p->error);
    }
    k->launch_tags = tags;
    return INGOT_OK;
}

static ingot_status read_extra(parse *p, pack_kernel *k)
{
    int32_t *extra = pool_array(p->mem, int32_t, k->arg_count);
    if (extra == NULL) return error_no_memory(p->error);
    k->extra_tags = extra;
    if (!p->extra_tags) return INGOT_OK;
    size_t count = reader_count(&p->r, 4);
    if (p->r.failed) return truncated(p, "the extra tags");
    if (count != k->arg_count && count != 0) {
        return error_set(p->error, INGOT_FORMAT,
                         "device module: kernel \"%s\" has %zu arguments and %zu extra tags", k->name.p,
                         k->arg_count, count);
    }
    for (size_t i = 0; i < count; ++i) extra[i] = (int32_t)reader_u32(&p->r);
    return INGOT_OK;
}

static ingot_status read_name(parse *p, str *out)
{
    str name = reader_str(&p->r);
    if (p->r.failed) return truncated(p, "a kernel's name");
    if (!pack_is_name(name)) {
        return error_set(p->error, INGOT_FORMAT, "device module: a kernel's name is empty or holds a NUL");
    }
    *out = name;
    return INGOT_OK;
}

static ingot_status read_record(parse *p, pack_kernel *k)
{
    str key = {0}, name = {0};
    ingot_status status = read_name(p, &key);
    if (status == INGOT_OK) status = read_name(p, &name);
    if (status != INGOT_OK) return status;
    k->name = pool_str(p->mem, key);
    if (k->name.p == NULL) return error_no_memory(p->error);
    if (!str_eq(key, name)) {
        return error_set(p->error, INGOT_FORMAT,
                         "device module: the record of kernel \"%s\" says that it is \"%.*s\"", k->name.p,
                         name.n < 200 ? (int)name.n : 200, name.p);
    }
    status = read_types(p, k);
    if (status == INGOT_OK) status = read_tags(p, k);
    if (status == INGOT_OK) status = read_extra(p, k);
    return status;
}

static ingot_status read_records(parse *p)
{
    size_t count = reader_count(&p->r, 40); /* two names, three counts */
    if (p->r.failed) return truncated(p, "the launch records");
    pack_kernel *kernels = pool_array(p->mem, pack_kernel, count);
    if (kernels == NULL) return error_no_memory(p->error);
    for (size_t i = 0; i < count; ++i) {
        ingot_status status = read_record(p, &kernels[i]);
        if (status != INGOT_OK) return status;
    }
    p->kernels = kernels;
    p->kernel_count = count;
    return INGOT_OK;
}

/* A payload before it has found its kernel: the order of the two maps need not be the same. */
typedef struct entry {
    str name, payload;
} entry;

static ingot_status read_payloads(parse *p, entry **out, size_t *out_count)
{
    size_t count = reader_count(&p->r, 16);
    if (p->r.failed) return truncated(p, "the payloads");
    entry *entries = pool_array(p->mem, entry, count);
    if (entries == NULL) return error_no_memory(p->error);
    for (size_t i = 0; i < count; ++i) {
        ingot_status status = read_name(p, &entries[i].name);
        if (status != INGOT_OK) return status;
        entries[i].payload = reader_str(&p->r);
        if (p->r.failed) return truncated(p, "a payload");
    }
    *out = entries;
    *out_count = count;
    return INGOT_OK;
}

static ingot_status take_payload(parse *p, pack_kernel *k, str payload)
{
    if (k->payload.p != NULL) {
        return error_set(p->error, INGOT_FORMAT, "device module: kernel \"%s\" has two payloads", k->name.p);
    }
    k->payload = pool_str(p->mem, payload);
    return k->payload.p != NULL ? INGOT_OK : error_no_memory(p->error);
}

static ingot_status join(parse *p, const entry *entries, size_t count)
{
    pack_index index;
    size_t again = 0;
    ingot_status status =
        pack_index_make(p->mem, p->kernels, sizeof *p->kernels, p->kernel_count, &index, &again);
    if (status == INGOT_OUT_OF_MEMORY) return error_no_memory(p->error);
    if (status != INGOT_OK) {
        return error_set(p->error, INGOT_FORMAT, "device module: two kernels are called \"%s\"",
                         p->kernels[again].name.p);
    }
    for (size_t i = 0; i < count; ++i) {
        str name = entries[i].name;
        size_t at = pack_index_find(&index, name);
        if (at == SIZE_MAX) {
            return error_set(p->error, INGOT_FORMAT, "device module: payload \"%.*s\" has no launch record",
                             name.n < 200 ? (int)name.n : 200, name.p);
        }
        status = take_payload(p, &p->kernels[at], entries[i].payload);
        if (status != INGOT_OK) return status;
    }
    for (size_t i = 0; i < p->kernel_count; ++i) {
        const pack_kernel *k = &p->kernels[i];
        if (k->payload.p == NULL) {
            return error_set(p->error, INGOT_FORMAT, "device module: kernel \"%s\" has no payload", k->name.p);
        }
        status = pack_kernel_check(k, INGOT_FORMAT, p->error);
        if (status != INGOT_OK) return status;
    }
    return INGOT_OK;
}

static ingot_status read_format(parse *p, str text, pack_format *out)
{
    if (p->r.failed) return truncated(p, "the format");
    if (pack_format_parse(text, out)) return INGOT_OK;
    return error_set(p->error, INGOT_FORMAT,
                     "device module: format \"%.*s\" is unknown; expected \"metal\" or \"metallib\"",
                     text.n < 60 ? (int)text.n : 60, text.p);
}

/* The fields after the first string, which is the format today and a version in the old layout. */
static ingot_status read_fields(parse *p, str first, pack_format *format)
{
    bool old = str_is(first, OLD_VERSION);
    entry *entries = NULL;
    size_t count = 0;
    ingot_status status = INGOT_OK;
    if (old) status = read_payloads(p, &entries, &count);
    if (!old) status = read_format(p, first, format);
    if (status == INGOT_OK) status = read_records(p);
    if (status != INGOT_OK) return status;
    if (old) {
        str text = reader_str(&p->r);
        status = read_format(p, text, format);
    } else {
        status = read_payloads(p, &entries, &count);
    }
    if (status != INGOT_OK) return status;
    if (reader_left(&p->r) != 0) {
        return error_set(p->error, INGOT_FORMAT, "device module: %zu bytes follow its end", reader_left(&p->r));
    }
    return join(p, entries, count);
}

ingot_status pack_device_module_read(pool *mem, str bytes, const pack_device_module **out,
                                     ingot_error *error)
{
    *out = NULL;
    ingot_error first_error;
    parse p = {.r = reader_of(bytes.p, bytes.n), .mem = mem, .extra_tags = true, .error = &first_error};
    str first = reader_str(&p.r);
    size_t start = p.r.at;
    pack_format format = PACK_METAL;
    ingot_status status = p.r.failed ? truncated(&p, "its first string") : read_fields(&p, first, &format);
    if (status == INGOT_FORMAT && str_is(first, OLD_VERSION)) {
        /* Early versions of the old layout had no extra tags. */
        ingot_error ignored;
        parse again = {.r = reader_of(bytes.p, bytes.n), .mem = mem, .error = &ignored};
        again.r.at = start;
        ingot_status second = read_fields(&again, first, &format);
        if (second != INGOT_FORMAT) {
            status = second;
            p = again;
        }
    }
    if (status == INGOT_OUT_OF_MEMORY) return error_no_memory(error);
    if (status != INGOT_OK) return error_set(error, status, "%s", first_error.message);
    pack_device_module *m = pool_array(mem, pack_device_module, 1);
    if (m == NULL) return error_no_memory(error);
    *m = (pack_device_module){format, p.kernels, p.kernel_count};
    *out = m;
    return INGOT_OK;
}
