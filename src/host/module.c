/* Making, saving and loading modules. */
#include "host/module.h"

#include "base/dtype.h"
#include "base/error.h"
#include "pack/container.h"
#include "pack/index.h"
#include "pack/reader.h"

enum { NO_SOURCE, SOURCE_IS_PAYLOAD, SOURCE_FOLLOWS };

/* ---- One object ------------------------------------------------------------------------------- */

ingot_module *module_create(const ingot_allocator *mem)
{
    mem = mem_or_default(mem);
    ingot_module *m = mem_zeroed(mem, 1, sizeof *m);
    if (m == NULL) return NULL;
    atomic_init(&m->references, 1);
    m->mem = mem;
    m->memory = pool_make(mem);
    m->target = STR("");
    return m;
}

void module_retain(ingot_module *m)
{
    if (m != NULL) atomic_fetch_add_explicit(&m->references, 1, memory_order_relaxed);
}

void module_release(ingot_module *m)
{
    if (m == NULL || atomic_fetch_sub_explicit(&m->references, 1, memory_order_acq_rel) != 1) return;
    const ingot_allocator *mem = m->mem;
    pool_free(&m->memory);
    mem_free(mem, m, sizeof *m);
}

/* ---- Host part against device part ------------------------------------------------------------- */

static ingot_status check_launch(const host_function *f, const host_launch *l, const pack_kernel *k,
                                 ingot_error *error)
{
    if (l->arg_count != k->arg_count || l->extent_count != k->launch_tag_count) {
        return error_set(error, INGOT_FORMAT,
                         "host function \"%s\" launches kernel \"%s\" with %zu arguments and %zu extents; its launch "
                         "record has %zu and %zu",
                         f->name.p, k->name.p, l->arg_count, l->extent_count, k->arg_count, k->launch_tag_count);
    }
    for (size_t i = 0; i < l->arg_count; ++i) {
        char have[DTYPE_TEXT], want[DTYPE_TEXT];
        DLDataType reg = f->regs[l->args[i]];
        if (dtype_eq(reg, k->arg_types[i])) continue;
        return error_set(error, INGOT_FORMAT,
                         "host function \"%s\" launches kernel \"%s\" with argument %zu of type %s; its launch record "
                         "says %s",
                         f->name.p, k->name.p, i, dtype_print(reg, have), dtype_print(k->arg_types[i], want));
    }
    return INGOT_OK;
}

static ingot_status check_function(const host_function *f, const pack_device_module *device, const pack_index *index,
                                   ingot_error *error)
{
    for (size_t i = 0; i < f->launch_count; ++i) {
        size_t at = pack_index_find(index, f->launches[i].kernel);
        if (at == SIZE_MAX) {
            return error_set(error, INGOT_FORMAT, "host function \"%s\" launches kernel \"%s\", which is not there",
                             f->name.p, f->launches[i].kernel.p);
        }
        ingot_status status = check_launch(f, &f->launches[i], &device->kernels[at], error);
        if (status != INGOT_OK) return status;
    }
    return INGOT_OK;
}

ingot_status module_finish(ingot_module *m, ingot_error *error)
{
    static const host_program no_functions = {0};
    static const pack_device_module no_kernels = {0};
    if (m->host == NULL) m->host = &no_functions;
    if (m->device == NULL) m->device = &no_kernels;
    pack_index index;
    size_t again = 0;
    const pack_device_module *d = m->device;
    ingot_status status = pack_index_make(&m->memory, d->kernels, sizeof *d->kernels, d->kernel_count, &index, &again);
    if (status == INGOT_OUT_OF_MEMORY) return error_no_memory(error);
    for (size_t i = 0; status == INGOT_OK && i < m->host->function_count; ++i) {
        status = check_function(&m->host->functions[i], d, &index, error);
    }
    return status;
}

/* ---- The section on kernels --------------------------------------------------------------------- */

static void put_str(buf *out, str s)
{
    buf_u64(out, s.n);
    buf_str(out, s);
}

static void put_kernels(const pack_device_module *d, buf *out)
{
    buf_u64(out, d->kernel_count);
    for (size_t i = 0; i < d->kernel_count; ++i) {
        const pack_kernel *k = &d->kernels[i];
        int kind = k->source.p == NULL                 ? NO_SOURCE
                   : str_eq(k->source, k->payload) ? SOURCE_IS_PAYLOAD
                                                       : SOURCE_FOLLOWS;
        buf_u8(out, (uint8_t)kind);
        buf_u8(out, k->arg_names != NULL);
        if (kind == SOURCE_FOLLOWS) put_str(out, k->source);
        for (size_t a = 0; k->arg_names != NULL && a < k->arg_count; ++a) put_str(out, str_of(k->arg_names[a]));
    }
}

static bool get_text(reader *r, pool *mem, str *out, bool *no_memory)
{
    str s = reader_str(r);
    if (r->failed) return false;
    *out = pool_str(mem, s);
    *no_memory = *no_memory || out->p == NULL;
    return out->p != NULL;
}

/* Reads one kernel's entry into *k; false where the bytes are malformed or memory ran out. */
static bool get_kernel(reader *r, pool *mem, pack_kernel *k, bool *no_memory)
{
    uint8_t kind = reader_u8(r), named = reader_u8(r);
    if (r->failed || kind > SOURCE_FOLLOWS || named > 1) return false;
    if (kind == SOURCE_IS_PAYLOAD) k->source = k->payload;
    if (kind == SOURCE_FOLLOWS) {
        /* The writer never spells out a source that is the payload. */
        if (!get_text(r, mem, &k->source, no_memory) || str_eq(k->source, k->payload)) return false;
    }
    if (named == 0) return true;
    const char **names = pool_array(mem, const char *, k->arg_count);
    if (names == NULL) {
        *no_memory = true;
        return false;
    }
    for (size_t a = 0; a < k->arg_count; ++a) {
        str name;
        if (!get_text(r, mem, &name, no_memory) || memchr(name.p, '\0', name.n) != NULL) return false;
        names[a] = name.p;
    }
    k->arg_names = names;
    return true;
}

/* The device module again, with what the section says of its kernels. */
static ingot_status get_kernels(ingot_module *m, str bytes, ingot_error *error)
{
    reader r = reader_of(bytes.p, bytes.n);
    uint64_t count = reader_u64(&r);
    pack_device_module *d = pool_array(&m->memory, pack_device_module, 1);
    pack_kernel *kernels = pool_array(&m->memory, pack_kernel, m->device->kernel_count);
    if (d == NULL || kernels == NULL) return error_no_memory(error);
    bool good = !r.failed && count == m->device->kernel_count, no_memory = false;
    for (size_t i = 0; good && i < m->device->kernel_count; ++i) {
        kernels[i] = m->device->kernels[i];
        good = get_kernel(&r, &m->memory, &kernels[i], &no_memory);
    }
    if (no_memory) return error_no_memory(error);
    if (!good || reader_left(&r) != 0) {
        return error_set(error, INGOT_FORMAT, "the .ingot file's kernel section is malformed (offset %zu of %zu)", r.at,
                         r.n);
    }
    *d = (pack_device_module){m->device->format, kernels, m->device->kernel_count};
    m->device = d;
    return INGOT_OK;
}

/* ---- Saving and loading -------------------------------------------------------------------------- */

ingot_status module_save(const ingot_module *m, buf *out, ingot_error *error)
{
    buf parts[PACK_SECTION_COUNT];
    for (size_t i = 0; i < PACK_SECTION_COUNT; ++i) parts[i] = buf_make(m->mem);
    host_encode(m->host, &parts[PACK_HOST]);
    pack_device_module_write(m->device, &parts[PACK_DEVICE]);
    put_kernels(m->device, &parts[PACK_KERNELS]);
    buf_str(&parts[PACK_TARGET], m->target);
    buf_u32(&parts[PACK_OPTIONS], m->fast_math);
    buf_u32(&parts[PACK_OPTIONS], m->language);
    pack_container c;
    bool failed = false;
    for (size_t i = 0; i < PACK_SECTION_COUNT; ++i) {
        c.sections[i] = buf_view(&parts[i]);
        failed = failed || parts[i].failed;
    }
    if (!failed) pack_container_write(&c, out);
    failed = failed || out->failed;
    for (size_t i = 0; i < PACK_SECTION_COUNT; ++i) buf_free(&parts[i]);
    return failed ? error_no_memory(error) : INGOT_OK;
}

/* Hands over a module that is whole, or gives back one that is not. */
static ingot_status finish(ingot_module *m, ingot_status status, ingot_module **out)
{
    *out = status == INGOT_OK ? m : NULL;
    if (status != INGOT_OK) module_release(m);
    return status;
}

static ingot_status read_sections(ingot_module *m, const pack_container *c, ingot_error *error)
{
    ingot_status status = pack_device_module_read(&m->memory, c->sections[PACK_DEVICE], &m->device, error);
    if (status == INGOT_OK) status = get_kernels(m, c->sections[PACK_KERNELS], error);
    if (status == INGOT_OK) status = host_decode(&m->memory, c->sections[PACK_HOST], &m->host, error);
    if (status == INGOT_OK) status = module_finish(m, error);
    if (status != INGOT_OK) return status;
    str options = c->sections[PACK_OPTIONS], target = c->sections[PACK_TARGET];
    reader r = reader_of(options.p, options.n);
    uint32_t fast = reader_u32(&r);
    m->fast_math = fast != 0;
    m->language = reader_u32(&r);
    if (r.failed || reader_left(&r) != 0 || fast > 1) {
        return error_set(error, INGOT_FORMAT, "the .ingot file's options are malformed");
    }
    m->target = pool_str(&m->memory, target);
    return m->target.p != NULL ? INGOT_OK : error_no_memory(error);
}

ingot_status module_load(const ingot_allocator *mem, str bytes, ingot_module **out, ingot_error *error)
{
    *out = NULL;
    pack_container c;
    ingot_status status = pack_container_read(bytes, &c, error);
    if (status != INGOT_OK) return status;
    ingot_module *m = module_create(mem);
    if (m == NULL) return error_no_memory(error);
    return finish(m, read_sections(m, &c, error), out);
}

ingot_status module_load_device(const ingot_allocator *mem, str bytes, ingot_module **out, ingot_error *error)
{
    *out = NULL;
    ingot_module *m = module_create(mem);
    if (m == NULL) return error_no_memory(error);
    ingot_status status = pack_device_module_read(&m->memory, bytes, &m->device, error);
    if (status == INGOT_OK) status = module_finish(m, error);
    return finish(m, status, out);
}
