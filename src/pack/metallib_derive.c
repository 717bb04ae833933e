/* Libraries made from others: some functions of one, all functions of several, one without its sources. */
#include "base/error.h"
#include "pack/metallib_parse.h"
#include "pack/metallib_write.h"

/* Takes one kind away; returns how many are left. */
static size_t drop_tag(metallib_tag *tags, size_t count, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!metallib_tag_is(&tags[i], name)) tags[kept++] = tags[i];
    }
    return kept;
}

static ingot_status drop_source(pool *mem, metallib_function *f, ingot_error *error)
{
    f->has_source = false;
    f->source = (str){0};
    if (f->tags == NULL) return INGOT_OK;
    metallib_tag *tags = pool_array(mem, metallib_tag, f->tag_count);
    if (tags == NULL) return error_no_memory(error);
    memcpy(tags, f->tags, f->tag_count * sizeof *tags);
    f->tag_count = drop_tag(tags, f->tag_count, "SOFF");
    f->tags = tags;
    return INGOT_OK;
}

/* A section of reflection for these functions, whose offsets into it are set. Empty where none has any. */
static ingot_status make_reflection(pool *mem, metallib_function *functions, size_t count, str *out, ingot_error *error)
{
    buf b = buf_make(mem->mem);
    uint32_t groups = 0;
    buf_u32(&b, 0);
    for (size_t i = 0; i < count; ++i) {
        metallib_function *f = &functions[i];
        if (!f->has_reflection) continue;
        if (i != 0 && f[-1].has_reflection && f[-1].reflection.p == f->reflection.p) {
            f->reflection_offset = f[-1].reflection_offset; /* shared */
            continue;
        }
        f->reflection_offset = b.n;
        buf_u32(&b, (uint32_t)f->reflection.n + 4);
        buf_str(&b, f->reflection);
        groups++;
    }
    for (size_t i = 0; i < 4 && !b.failed; ++i) b.p[i] = (char)(groups >> (8 * i));
    char *copy = b.failed ? NULL : pool_array(mem, char, b.n);
    if (copy != NULL) memcpy(copy, b.p, b.n);
    *out = copy != NULL && groups != 0 ? (str){copy, b.n} : (str){0};
    buf_free(&b);
    return copy != NULL ? INGOT_OK : error_no_memory(error);
}

/* The extension that it has, with another reflection, without sources, and with a UUID of its own. */
static ingot_status make_extension(pool *mem, metallib *m, str reflection, ingot_error *error)
{
    const metallib_tag *old = m->extension;
    size_t n = 0;
    ingot_status status = m->has_uuid ? metallib_make_uuid(mem, m, error) : INGOT_OK;
    metallib_tag *tags = pool_array(mem, metallib_tag, m->extension_count);
    if (status != INGOT_OK || tags == NULL) return error_no_memory(error);
    for (size_t i = 0; i < m->extension_count; ++i) {
        tags[n] = old[i];
        if (metallib_tag_is(&old[i], "HSRC") || metallib_tag_is(&old[i], "HSRD")) continue;
        if (metallib_tag_is(&old[i], "UUID")) tags[n].bytes = (str){(const char *)m->uuid, sizeof m->uuid};
        if (metallib_tag_is(&old[i], "RLST")) {
            if (reflection.n == 0) continue;
            tags[n].bytes = reflection;
        }
        n++;
    }
    m->extension = tags;
    m->extension_count = n;
    return INGOT_OK;
}

/* Ends a library whose functions and header are set. */
static ingot_status finish(pool *mem, metallib *m, metallib_function *functions, size_t count, ingot_error *error)
{
    str reflection = {0};
    ingot_status status = INGOT_OK;
    for (size_t i = 0; i < count && status == INGOT_OK; ++i) status = drop_source(mem, &functions[i], error);
    if (status == INGOT_OK) status = make_reflection(mem, functions, count, &reflection, error);
    m->functions = functions;
    m->function_count = count;
    m->sources = (metallib_sources){0};
    return status == INGOT_OK ? make_extension(mem, m, reflection, error) : status;
}

static metallib *copy_header(pool *mem, const metallib *from, ingot_error *error)
{
    metallib *m = pool_array(mem, metallib, 1);
    if (m == NULL) {
        (void)error_no_memory(error);
    } else {
        *m = *from;
    }
    return m;
}

ingot_status metallib_select(pool *mem, const metallib *m, const str *names, size_t count, const metallib **out,
                             ingot_error *error)
{
    *out = NULL;
    bool *wanted = pool_array(mem, bool, m->function_count);
    metallib *part = copy_header(mem, m, error);
    metallib_function *functions = pool_array(mem, metallib_function, m->function_count);
    if (wanted == NULL || part == NULL || functions == NULL) return error_no_memory(error);
    for (size_t i = 0; i < count; ++i) {
        const metallib_function *f = metallib_find(m, names[i]);
        if (f == NULL) {
            return error_set(error, INGOT_NOT_FOUND, "no function \"%.*s\" among its %zu", STR_ARG(names[i]), m->function_count);
        }
        wanted[f - m->functions] = true;
    }
    size_t n = 0;
    for (size_t i = 0; i < m->function_count; ++i) {
        if (wanted[i]) functions[n++] = m->functions[i];
    }
    ingot_status status = finish(mem, part, functions, n, error);
    if (status == INGOT_OK) *out = part;
    return status;
}

/* What of a library's own cannot be joined with another's. */
static bool has_section(const metallib *m, const char *name)
{
    for (size_t i = 0; i < m->extension_count; ++i) {
        if (metallib_tag_is(&m->extension[i], name)) return true;
    }
    return false;
}

static ingot_status check_joinable(const metallib *a, const metallib *b, size_t at, ingot_error *error)
{
    if (a->is_macos != b->is_macos || a->platform != b->platform || a->file_type != b->file_type) {
        return error_set(error, INGOT_VALUE, "library %zu is %s for %s and the first %s for %s: they do not go into one", at,
                         metallib_file_type_text(b->file_type), metallib_platform_text(b->platform),
                         metallib_file_type_text(a->file_type), metallib_platform_text(a->platform));
    }
    if (a->format_patch != b->format_patch) {
        return error_set(error, INGOT_VALUE, "library %zu has format 1.2.%u and the first 1.2.%u: they do not go into one", at,
                         b->format_patch, a->format_patch);
    }
    static const char *const own[] = {"ILST", "VLST", "SLST"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) {
        if (has_section(a, own[i]) || has_section(b, own[i])) {
            return error_set(error, INGOT_UNSUPPORTED, "library %zu: lists of imports, variables and scripts (%s) are not joined",
                             has_section(b, own[i]) ? at : (size_t)1, own[i]);
        }
    }
    return INGOT_OK;
}

ingot_status metallib_join(pool *mem, const metallib *const *libraries, size_t count, const metallib **out,
                           ingot_error *error)
{
    *out = NULL;
    if (count == 0) return error_set(error, INGOT_INVALID_ARGUMENT, "no library is given");
    size_t total = 0;
    for (size_t i = 0; i < count; ++i) {
        ingot_status status = check_joinable(libraries[0], libraries[i], i + 1, error);
        if (status != INGOT_OK) return status;
        total += libraries[i]->function_count;
    }
    metallib *all = copy_header(mem, libraries[0], error);
    metallib_function *functions = pool_array(mem, metallib_function, total);
    if (all == NULL || functions == NULL) return error_no_memory(error);
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < libraries[i]->function_count; ++k) functions[n++] = libraries[i]->functions[k];
        bool newest = libraries[i]->os_major > all->os_major;
        if (newest) {
            all->os_major = libraries[i]->os_major;
            all->os_minor = libraries[i]->os_minor;
            all->os_patch = libraries[i]->os_patch;
        }
    }
    ingot_status status = metallib_check_names(&(metallib){.functions = functions, .function_count = n}, error);
    if (status == INGOT_OK) status = finish(mem, all, functions, n, error);
    if (status == INGOT_OK) *out = all;
    return status;
}

/* A group without the tags that name files. */
static ingot_status strip_group(pool *mem, str *tags, ingot_error *error)
{
    char *kept = pool_array(mem, char, tags->n + 1);
    if (kept == NULL) return error_no_memory(error);
    reader r = reader_of(tags->p, tags->n);
    size_t n = 0;
    metallib_tag tag;
    while (reader_left(&r) != 0) {
        size_t start = r.at;
        if (!metallib_next_tag(&r, &tag)) break;
        if (metallib_tag_is(&tag, "DEBI") || metallib_tag_is(&tag, "DEPF")) continue;
        memcpy(kept + n, tags->p + start, r.at - start);
        n += r.at - start;
    }
    *tags = (str){kept, n};
    return INGOT_OK;
}

ingot_status metallib_strip(pool *mem, const metallib *m, const metallib **out, ingot_error *error)
{
    *out = NULL;
    metallib *bare = copy_header(mem, m, error);
    metallib_function *functions = pool_array(mem, metallib_function, m->function_count);
    if (bare == NULL || functions == NULL) return error_no_memory(error);
    ingot_status status = INGOT_OK;
    for (size_t i = 0; i < m->function_count && status == INGOT_OK; ++i) {
        functions[i] = m->functions[i];
        status = strip_group(mem, &functions[i].private_metadata, error);
        if (status == INGOT_OK) status = strip_group(mem, &functions[i].public_metadata, error);
    }
    if (status == INGOT_OK) status = finish(mem, bare, functions, m->function_count, error);
    if (status == INGOT_OK) *out = bare;
    return status;
}
