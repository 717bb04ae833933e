/* Metal libraries: a text with its options, its headers and its constants. */
#include "api/diagnostic.h"
#include "api/metal.h"
#include "base/error.h"

/* A library being made. */
typedef struct making {
    ingot_metal_library *library;
    const ingot_metal_library_options *options;
    str text;
    bool no_memory; /* a header or a rendering did not fit */
} making;

/* ---- Headers ------------------------------------------------------------------------------------- */

/* A header being kept. */
typedef struct keeping {
    arena *mem;
    metal_header *header; /* its texts point anywhere; after, into the arena */
} keeping;

static void keep_header(void *user)
{
    keeping *k = user;
    metal_header *h = arena_copy(k->mem, k->header, sizeof *h);
    h->name = str_copy(k->mem, h->name);
    h->from = str_copy(k->mem, h->from);
    h->path = str_copy(k->mem, h->path);
    h->text = str_copy(k->mem, h->text);
    k->header = h;
}

static const metal_header *find_header(const ingot_metal_library *l, str name, str from, bool angled)
{
    for (const metal_header *h = l->headers; h != NULL; h = h->next)
        if (h->angled == angled && str_eq(h->name, name) && str_eq(h->from, from)) return h;
    return NULL;
}

static bool hand_out(const metal_header *h, str *path, str *text)
{
    *path = h->path;
    *text = h->text;
    return h->found;
}

/* While the library is made: asks the caller, and keeps the answer. */
static bool ask(void *user, str name, str from, bool angled, str *path, str *text)
{
    making *m = user;
    ingot_metal_library *l = m->library;
    const metal_header *known = find_header(l, name, from, angled);
    if (known != NULL) return hand_out(known, path, text);
    metal_header h = {.name = name, .from = from, .angled = angled};
    keeping k = {&l->memory, &h};
    if (!arena_guard(&l->memory, keep_header, &k)) { /* the caller wants NUL-terminated texts */
        m->no_memory = true;
        return false;
    }
    metal_header *kept = k.header;
    const char *path_c = NULL, *text_c = NULL;
    size_t size = 0;
    const ingot_metal_library_options *o = m->options;
    kept->found = o->include(o->include_user, kept->name.p, kept->from.p, angled, &path_c, &text_c, &size) != 0;
    if (kept->found) {
        kept->path = str_of(path_c != NULL ? path_c : kept->name.p);
        kept->text = (str){text_c != NULL ? text_c : "", text_c != NULL ? size : 0};
        if (!arena_guard(&l->memory, keep_header, &k)) {
            m->no_memory = true;
            return false;
        }
        kept = k.header;
    }
    kept->next = l->headers;
    l->headers = kept;
    return hand_out(kept, path, text);
}

/* When a function's constants have the text read again: every answer is known. */
static bool recall(void *user, str name, str from, bool angled, str *path, str *text)
{
    const metal_header *known = find_header(user, name, from, angled);
    return known != NULL && hand_out(known, path, text);
}

/* ---- Options ------------------------------------------------------------------------------------- */

/* The caller's struct may be older, and shorter, than ours. */
static ingot_status take_options(const ingot_metal_library_options *from, ingot_metal_library_options *to, ingot_error *error)
{
    *to = (ingot_metal_library_options)INGOT_METAL_LIBRARY_OPTIONS_INIT;
    if (from == NULL) return INGOT_OK;
    const size_t size = from->struct_size;
    if (size < sizeof from->struct_size || size > sizeof *from)
        return error_set(error, INGOT_INVALID_ARGUMENT,
                         "ingot_metal_library_options.struct_size is %zu; set it with INGOT_METAL_LIBRARY_OPTIONS_INIT", size);
    memcpy(to, from, size);
    if (to->version != 0 && (to->version < 200 || to->version > 400 || to->version % 10 != 0))
        return error_set(error, INGOT_VALUE, "language version %u: versions are 200 (Metal 2.0) to 400 (Metal 4.0)",
                         to->version);
    if ((unsigned)to->math_mode > INGOT_METAL_MATH_FAST) return error_set(error, INGOT_VALUE, "unknown math mode");
    if (to->defines == NULL && to->define_count != 0) return metal_no_argument(error, "defines");
    for (size_t i = 0; i < to->define_count; ++i)
        if (to->defines[i].name == NULL) return metal_no_argument(error, "the name of a macro");
    return INGOT_OK;
}

static void copy_options(void *user)
{
    making *m = user;
    ingot_metal_library *l = m->library;
    arena *mem = &l->memory;
    const ingot_metal_library_options *o = m->options;
    mf_define *defines = arena_array(mem, mf_define, o->define_count + 1);
    for (size_t i = 0; i < o->define_count; ++i) {
        defines[i].name = str_copy(mem, str_of(o->defines[i].name));
        defines[i].value = str_copy(mem, str_of(o->defines[i].value != NULL ? o->defines[i].value : ""));
    }
    l->options = (mf_options){.version = o->version, .defines = defines, .define_count = o->define_count};
    l->source = (emu_source){.text = str_copy(mem, m->text),
                             .name = str_copy(mem, str_of(o->file_name != NULL ? o->file_name : "<metal>")),
                             .options = &l->options};
}

static void list_constants(void *user)
{
    making *m = user;
    ingot_metal_library *l = m->library;
    emu_constant_info c;
    while (emu_library_constant(l->emu, l->constant_count, &c)) ++l->constant_count;
    l->constants = arena_array(&l->memory, ingot_metal_constant_info, l->constant_count + 1);
    for (size_t i = 0; emu_library_constant(l->emu, i, &c); ++i)
        l->constants[i] = (ingot_metal_constant_info){.name = str_copy(&l->memory, c.name).p,
                                                      .index = c.index,
                                                      .type = str_copy(&l->memory, mf_type_text(&l->memory, c.type)).p};
}

/* ---- Libraries ------------------------------------------------------------------------------------ */

static void report(void *user, const diag_list *diags)
{
    making *m = user;
    const ingot_metal_library_options *o = m->options;
    const diagnostic_hook hook = {o->on_diagnostic, o->user, o->colour != 0};
    for (const diag *d = diags->first; d != NULL; d = d->next)
        if (!diagnostic_report(diags, d, m->library->device->mem, &hook)) m->no_memory = true;
}

static ingot_status read_text(making *m, ingot_error *error)
{
    ingot_metal_library *l = m->library;
    if (!arena_guard(&l->memory, copy_options, m)) return error_no_memory(error);
    mf_options options = l->options;
    emu_source source = l->source;
    if (m->options->include != NULL) {
        options.include = ask;
        options.include_user = m;
        l->options.include = recall;
        l->options.include_user = l;
    }
    source.options = &options;
    source.on_diags = report;
    source.user = m;
    ingot_status status = emu_library_read(l->device->mem, &source, &l->emu, error);
    if (m->no_memory || (status == INGOT_OK && !arena_guard(&l->memory, list_constants, m))) return error_no_memory(error);
    return status;
}

ingot_metal_library *metal_library_new(ingot_metal_device *device)
{
    ingot_metal_library *l = mem_zeroed(device->mem, 1, sizeof *l);
    if (l == NULL) return NULL;
    l->references = 1;
    l->device = device;
    metal_retain(&device->references);
    arena_init(&l->memory, device->mem);
    l->parts = pool_make(device->mem);
    return l;
}

ingot_status ingot_metal_library_create(ingot_metal_device *device, const char *text, size_t length,
                                        const ingot_metal_library_options *options, ingot_metal_library **out,
                                        ingot_error *error)
{
    if (out == NULL) return metal_no_argument(error, "out");
    *out = NULL;
    if (device == NULL) return metal_no_argument(error, "device");
    if (text == NULL && length != 0) return metal_no_argument(error, "text");
    ingot_metal_library_options whole;
    ingot_status status = take_options(options, &whole, error);
    if (status != INGOT_OK) return status;
    ingot_metal_library *l = metal_library_new(device);
    if (l == NULL) return error_no_memory(error);
    static const emu_math math[] = {[INGOT_METAL_MATH_DEFAULT] = EMU_MATH_SAFE,
                                    [INGOT_METAL_MATH_SAFE] = EMU_MATH_SAFE,
                                    [INGOT_METAL_MATH_RELAXED] = EMU_MATH_RELAXED,
                                    [INGOT_METAL_MATH_FAST] = EMU_MATH_FAST};
    l->math = math[whole.math_mode];
    making m = {.library = l, .options = &whole, .text = {text != NULL ? text : "", length}};
    status = read_text(&m, error);
    if (status != INGOT_OK) {
        ingot_metal_library_release(l);
        return status;
    }
    *out = l;
    return error_none(error);
}

void ingot_metal_library_release(ingot_metal_library *l)
{
    if (l == NULL || !metal_release(&l->references)) return;
    ingot_metal_device *d = l->device;
    emu_library_free(l->emu);
    pool_free(&l->parts);
    arena_free(&l->memory);
    mem_free(d->mem, l, sizeof *l);
    ingot_metal_device_release(d);
}

size_t ingot_metal_library_function_count(const ingot_metal_library *l)
{
    if (l == NULL) return 0;
    return l->emu != NULL ? emu_library_kernel_count(l->emu) : l->kernel_count;
}

const char *ingot_metal_library_function_name(const ingot_metal_library *l, size_t index)
{
    if (l != NULL && l->emu == NULL) return index < l->kernel_count ? l->kernels[index] : NULL;
    const emu_kernel *k = l != NULL ? emu_library_kernel(l->emu, index) : NULL;
    return k != NULL ? emu_kernel_describe(k)->name : NULL;
}

size_t ingot_metal_library_constant_count(const ingot_metal_library *l)
{
    return l != NULL ? l->constant_count : 0;
}

ingot_status ingot_metal_library_constant(const ingot_metal_library *l, size_t index, ingot_metal_constant_info *info)
{
    if (l == NULL || info == NULL) return INGOT_INVALID_ARGUMENT;
    if (index >= l->constant_count) return INGOT_NOT_FOUND;
    *info = l->constants[index];
    return INGOT_OK;
}
