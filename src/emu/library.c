/* Libraries: a text read, its kernels checked and described, programs made and kept. */
#include "emu/library.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* Reading. */

typedef struct reading {
    emu_library *library;
    const emu_source *source;
    diag_list diags;
} reading;

static const char *cstring(arena *mem, str s)
{
    return str_copy(mem, s).p;
}

/* What NumPy would call a scalar or vector of MSL's. */
static DLDataType dtype_of(const mf_type *t)
{
    static const DLDataType scalars[MF_SCALARS] = {
        [MF_BOOL] = {kDLBool, 8, 1},  [MF_CHAR] = {kDLInt, 8, 1},   [MF_UCHAR] = {kDLUInt, 8, 1},
        [MF_SHORT] = {kDLInt, 16, 1}, [MF_USHORT] = {kDLUInt, 16, 1}, [MF_INT] = {kDLInt, 32, 1},
        [MF_UINT] = {kDLUInt, 32, 1}, [MF_LONG] = {kDLInt, 64, 1},  [MF_ULONG] = {kDLUInt, 64, 1},
        [MF_HALF] = {kDLFloat, 16, 1}, [MF_BFLOAT] = {kDLBfloat, 16, 1}, [MF_FLOAT] = {kDLFloat, 32, 1}};
    const bool scalar = t->kind == MF_TYPE_SCALAR || t->kind == MF_TYPE_ATOMIC || t->kind == MF_TYPE_ENUM;
    if (!scalar && !mf_is_vector(t)) return (DLDataType){0, 0, 0};
    DLDataType d = scalars[t->scalar];
    d.lanes = scalar ? 1 : t->width;
    return d;
}

/* A texture's type as it is written: its access by name, and without what its text leaves to the default. */
static const char *handle_text(arena *mem, const mf_type *t)
{
    static const char *const accesses[] = {"sample", "read", "write", "read_write"};
    const char *whole = cstring(mem, mf_type_text(mem, t));
    const char *comma = strchr(whole, ',');
    const unsigned access = comma != NULL ? (unsigned)(comma[2] - '0') : 4;
    if (access >= 4 || strncmp(whole, "array<", 6) == 0) return whole;
    const size_t room = (size_t)(comma - whole) + sizeof ", access::read_write>";
    char *text = arena_array(mem, char, room);
    (void)snprintf(text, room, "%.*s, access::%s>", (int)(comma - whole), whole, accesses[access]);
    return text;
}

static void describe_handle(arena *mem, const mf_var *p, emu_arg *a)
{
    static const emu_texture_type types[] = {[MF_TEXTURE_1D] = EMU_TEXTURE_1D,
                                             [MF_TEXTURE_1D_ARRAY] = EMU_TEXTURE_1D_ARRAY,
                                             [MF_TEXTURE_2D] = EMU_TEXTURE_2D,
                                             [MF_TEXTURE_2D_ARRAY] = EMU_TEXTURE_2D_ARRAY,
                                             [MF_TEXTURE_3D] = EMU_TEXTURE_3D,
                                             [MF_TEXTURE_CUBE] = EMU_TEXTURE_CUBE,
                                             [MF_TEXTURE_CUBE_ARRAY] = EMU_TEXTURE_CUBE_ARRAY,
                                             [MF_TEXTURE_2D_MS] = EMU_TEXTURE_2D_MULTISAMPLE,
                                             [MF_TEXTURE_2D_MS_ARRAY] = EMU_TEXTURE_2D_MULTISAMPLE_ARRAY,
                                             [MF_TEXTURE_OF_BUFFER] = EMU_TEXTURE_BUFFER};
    const mf_class class = mf_scalar_class(p->texture.scalar);
    *a = (emu_arg){.name = cstring(mem, p->name),
                   .kind = p->binding == MF_BIND_SAMPLER ? EMU_ARG_SAMPLER : EMU_ARG_TEXTURE,
                   .slot = p->slot,
                   .count = p->texture.count,
                   .is_const = !p->texture.writes,
                   .is_read = p->texture.reads,
                   .is_written = p->texture.writes,
                   .type = handle_text(mem, p->type),
                   .elem_size = p->type->size,
                   .elem_align = p->type->align,
                   .texture_type = types[p->texture.shape],
                   .texture_class = class == MF_CLASS_FLOAT    ? EMU_PIXEL_FLOAT
                                    : class == MF_CLASS_SIGNED ? EMU_PIXEL_SINT
                                                               : EMU_PIXEL_UINT};
}

static bool is_handle(const mf_var *p)
{
    return p->binding == MF_BIND_TEXTURE || p->binding == MF_BIND_SAMPLER;
}

static bool is_argument(const mf_var *p)
{
    return p->binding == MF_BIND_BUFFER || p->binding == MF_BIND_THREADGROUP || is_handle(p);
}

/* A texture or sampler in a structure: the library's record of one number. */
static bool is_number_of(const mf_type *t, const char *field)
{
    return t->kind == MF_TYPE_RECORD && t->record->field_count == 1 && str_is(t->record->fields[0].name, field);
}

static void describe_member(arena *mem, const mf_field *f, uint32_t number, emu_member *out)
{
    const bool points = f->type->kind == MF_TYPE_POINTER && f->type->space != MF_THREAD;
    const mf_type *t = points ? f->type->elem : f->type;
    const bool sized = t->kind != MF_TYPE_VOID && t->size != 0;
    emu_arg *a = &out->arg;
    *a = (emu_arg){.name = cstring(mem, f->name),
                   .kind = EMU_ARG_VALUE,
                   .slot = number,
                   .count = 1,
                   .is_reference = !points,
                   .is_const = points && (f->type->space == MF_CONSTANT || (f->type->quals & MF_CONST) != 0),
                   .is_read = true,
                   .is_written = points && f->type->space != MF_CONSTANT && (f->type->quals & MF_CONST) == 0,
                   .type = handle_text(mem, t),
                   .elem_size = sized ? t->size : 1,
                   .elem_align = sized ? t->align : 1,
                   .at = f->at,
                   .dtype = dtype_of(t)};
    if (points) a->kind = f->type->space == MF_CONSTANT ? EMU_ARG_CONSTANT : EMU_ARG_DEVICE;
    else if (is_number_of(t, "__texture")) a->kind = EMU_ARG_TEXTURE;
    else if (is_number_of(t, "__sampler")) a->kind = EMU_ARG_SAMPLER;
    out->offset = f->offset;
}

static void describe_members(arena *mem, const mf_type *elem, emu_arg *a)
{
    if (elem->kind != MF_TYPE_RECORD) return;
    const mf_record *r = elem->record;
    emu_member *members = arena_array(mem, emu_member, r->field_count + 1);
    for (size_t i = 0; i < r->field_count; ++i) describe_member(mem, &r->fields[i], (uint32_t)i, &members[i]);
    a->members = members;
    a->member_count = r->field_count;
}

static void describe_arg(arena *mem, const mf_var *p, emu_arg *a)
{
    if (is_handle(p)) {
        describe_handle(mem, p, a);
        return;
    }
    const mf_type *elem = p->type->elem;
    const bool sized = elem->kind != MF_TYPE_VOID && elem->size != 0;
    *a = (emu_arg){.name = cstring(mem, p->name),
                   .slot = p->slot,
                   .count = 1,
                   .is_reference = p->type->kind == MF_TYPE_REFERENCE,
                   .is_const = p->type->space == MF_CONSTANT || (p->type->quals & MF_CONST) != 0,
                   .type = cstring(mem, mf_type_text(mem, elem)),
                   .elem_size = sized ? elem->size : 1,
                   .elem_align = sized ? elem->align : 1,
                   .at = p->at,
                   .dtype = dtype_of(elem)};
    describe_members(mem, elem, a);
    if (p->binding == MF_BIND_THREADGROUP) a->kind = EMU_ARG_THREADGROUP;
    else a->kind = p->type->space == MF_CONSTANT ? EMU_ARG_CONSTANT : EMU_ARG_DEVICE;
}

static emu_arg *describe(arena *mem, emu_kernel *k)
{
    const mf_function *f = k->function;
    emu_arg *args = arena_array(mem, emu_arg, f->param_count + 1);
    size_t n = 0;
    for (size_t i = 0; i < f->param_count; ++i)
        if (!f->params[i]->is_absent && is_argument(f->params[i]))
            describe_arg(mem, f->params[i], &args[n++]);
    k->info = (emu_kernel_info){.name = cstring(mem, f->name),
                                .args = args,
                                .arg_count = n,
                                .threadgroup_bytes = f->threadgroup_bytes,
                                .max_threads = f->max_threads != 0 && f->max_threads < EMU_MAX_THREADS ? f->max_threads
                                                                                                      : EMU_MAX_THREADS};
    return args;
}

static emu_space space_of(const emu_arg *a)
{
    if (a->kind == EMU_ARG_THREADGROUP) return EMU_SPACE_THREADGROUP;
    return a->kind == EMU_ARG_CONSTANT ? EMU_SPACE_CONSTANT : EMU_SPACE_DEVICE;
}

static void mark_access(const emu_graph *g, const emu_node *n, emu_arg *a)
{
    const emu_node *object = n->mem->object;
    if (object->kind == EMU_CONST) {
        const emu_object_info *o = &g->objects.at[object->imm];
        const bool threadgroup = o->kind == EMU_OBJECT_LENGTH;
        if ((o->kind != EMU_OBJECT_BUFFER && !threadgroup) || o->slot != a->slot) return;
        if (threadgroup != (a->kind == EMU_ARG_THREADGROUP)) return;
        a->is_named = true;
    } else if (n->mem->space != space_of(a)) { /* any object of the address space */
        return;
    }
    if (a->kind == EMU_ARG_TEXTURE || a->kind == EMU_ARG_SAMPLER) return;
    const bool atomic = n->kind == EMU_ATOMIC_NODE;
    if (n->kind == EMU_LOAD || (atomic && n->k != EMU_ATOMIC_STORE)) a->is_read = true;
    if (n->kind == EMU_STORE || (atomic && n->k != EMU_ATOMIC_LOAD)) a->is_written = !a->is_const;
}

/* Which arguments the kernel's accesses may touch: all, where a function constant without a value has a say. */
static void mark_arguments(const emu_kernel *k, const emu_graph *g, emu_arg *args)
{
    const bool known = g != NULL && !g->unsettled;
    for (size_t i = 0; i < k->info.arg_count; ++i) {
        emu_arg *a = &args[i];
        if (a->kind == EMU_ARG_TEXTURE || a->kind == EMU_ARG_SAMPLER) continue;
        a->is_read = !known;
        a->is_written = !known && !a->is_const;
        for (const emu_node *n = known ? g->first : NULL; n != NULL; n = n->next)
            if (n->mem != NULL && n->mem->space != EMU_SPACE_THREAD) mark_access(g, n, a);
    }
}

/* Is the answer of an atomic operation used in a loop? Then it may be a lock or a flag that is waited for, and simdgroups and
 * threadgroups have to get on without one another. */
static bool waits(const emu_graph *g)
{
    for (const emu_node *n = g->first; n != NULL; n = n->next)
        for (int k = 0; k < 4; ++k) {
            const emu_node *a = n->in[k];
            if (a == NULL || a->kind != EMU_ATOMIC_NODE) continue;
            for (const emu_region *r = a->region; r != NULL; r = r->parent)
                if (r->kind == EMU_REGION_LOOP) return true;
        }
    return false;
}

/* Lowers a kernel for no launch in particular: whatever is not supported is refused now. */
static void check_kernel(reading *r, emu_kernel *k, emu_arg *args)
{
    arena *mem = &r->library->tree;
    const emu_shape unknown = {.known = false, .threads = {1, 1, 1}, .batch = 1};
    const arena_mark mark = arena_save(mem);
    const unsigned errors = r->diags.errors;
    const emu_graph *g = emu_lower(mem, k->function, &unknown, &r->diags);
    if (g != NULL) {
        for (const emu_node *n = g->first; n != NULL; n = n->next)
            if (n->kind == EMU_CROSS || n->kind == EMU_MATRIX_NODE) k->crosses = true;
        for (size_t i = 1; i < g->objects.n; ++i)
            if (g->objects.at[i].kind == EMU_OBJECT_THREADGROUP || g->objects.at[i].kind == EMU_OBJECT_LENGTH)
                k->has_threadgroup = true;
        k->waits = waits(g);
        k->logs = g->logs.n != 0;
    }
    mark_arguments(k, g, args);
    if (r->diags.errors == errors) arena_restore(mem, mark); /* messages lie in the arena too */
}

static void read_library(void *user)
{
    reading *r = user;
    emu_library *l = r->library;
    arena *mem = &l->tree;
    const str text = str_copy(mem, r->source->text);
    const mf_options *o = r->source->options;
    l->text = text;
    l->plain = o == NULL || (o->define_count == 0 && o->constant_count == 0 && !o->constants_come_later && o->version == 0);
    const uint32_t file = source_add(mem, &l->sources, str_copy(mem, r->source->name), text);
    r->diags = (diag_list){.mem = mem, .sources = &l->sources};
    l->unit = mf_parse(mem, &l->sources, file, r->source->options, &r->diags);
    if (l->unit == NULL) return;
    l->count = l->unit->kernel_count;
    l->kernels = arena_array(mem, emu_kernel, l->count + 1);
    for (size_t i = 0; i < l->count; ++i) {
        emu_kernel *k = &l->kernels[i];
        map_put(mem, &l->names, l->unit->kernels[i]->name, k);
        k->library = l;
        k->function = l->unit->kernels[i];
        check_kernel(r, k, describe(mem, k));
    }
}

ingot_status emu_library_read(const ingot_allocator *mem, const emu_source *source, emu_library **out, ingot_error *error)
{
    *out = NULL;
    mem = mem_or_default(mem);
    emu_library *l = mem_zeroed(mem, 1, sizeof *l);
    if (l == NULL) return error_no_memory(error);
    l->mem = mem;
    l->isa = emu_isa_best();
    arena_init(&l->tree, mem);
    reading r = {.library = l, .source = source};
    ingot_status status = INGOT_OK;
    if (source->text.n >= UINT32_MAX - 2) status = error_set(error, INGOT_LIMIT, "the MSL text is larger than 4 GiB");
    else if (!arena_guard(&l->tree, read_library, &r)) status = error_no_memory(error);
    else if (l->unit == NULL || r.diags.errors != 0) status = diag_first_error(&r.diags, "reading MSL", error);
    if (source->on_diags != NULL && r.diags.first != NULL && status != INGOT_OUT_OF_MEMORY)
        source->on_diags(source->user, &r.diags);
    size_t locks = 0;
    while (status == INGOT_OK && locks < l->count) {
        if (pthread_mutex_init(&l->kernels[locks].lock, NULL) != 0) status = error_no_memory(error);
        else ++locks;
    }
    if (status == INGOT_OK) {
        *out = l;
        return error_none(error);
    }
    for (size_t i = 0; i < locks; ++i) (void)pthread_mutex_destroy(&l->kernels[i].lock);
    arena_free(&l->tree);
    mem_free(mem, l, sizeof *l);
    return status;
}

static void render(void *user, const diag_list *diags)
{
    diag_render_all(diags, false, user);
}

ingot_status emu_library_compile(const ingot_allocator *mem, str text, str name, emu_library **out, buf *diagnostics,
                                 ingot_error *error)
{
    const emu_source source = {.text = text, .name = name, .on_diags = diagnostics != NULL ? render : NULL, .user = diagnostics};
    return emu_library_read(mem, &source, out, error);
}

/* Programs. */

static void free_built(const ingot_allocator *mem, emu_built *b)
{
    while (b->idle != NULL) {
        emu_worker *next = b->idle->next;
        emu_worker_free(mem, b->idle);
        b->idle = next;
    }
    arena_free(&b->mem);
    mem_free(mem, b, sizeof *b);
}

void emu_library_free(emu_library *l)
{
    if (l == NULL) return;
    const ingot_allocator *mem = l->mem;
    for (size_t i = 0; i < l->count; ++i) {
        emu_kernel *k = &l->kernels[i];
        while (k->built != NULL) {
            emu_built *next = k->built->next;
            free_built(mem, k->built);
            k->built = next;
        }
        emu_records_free(k->records);
        emu_native_free(&k->native);
        (void)pthread_mutex_destroy(&k->lock);
    }
    arena_free(&l->tree);
    mem_free(mem, l, sizeof *l);
}

typedef struct building {
    const emu_kernel *kernel;
    const emu_shape *shape;
    emu_built *built;
    diag_list diags;
} building;

static void build(void *user)
{
    building *b = user;
    arena *mem = &b->built->mem;
    b->diags = (diag_list){.mem = mem, .sources = &b->kernel->library->sources};
    emu_graph *g = emu_lower(mem, b->kernel->function, b->shape, &b->diags);
    if (g == NULL) return;
    b->built->program = emu_make_program(mem, g, b->shape, b->kernel->library->isa);
}

static bool same_shape(const emu_shape *a, const emu_shape *b)
{
    return memcmp(a->threads, b->threads, sizeof a->threads) == 0 && a->batch == b->batch && a->axis == b->axis &&
           a->checks == b->checks && a->scheduled == b->scheduled && a->math == b->math && a->seed == b->seed && a->uneven == b->uneven && memcmp(a->nominal, b->nominal, sizeof a->nominal) == 0;
}

static emu_built *make_built(const emu_kernel *kernel, const emu_shape *shape, ingot_error *error)
{
    const ingot_allocator *mem = kernel->library->mem;
    emu_built *b = mem_zeroed(mem, 1, sizeof *b);
    if (b == NULL) {
        error_no_memory(error);
        return NULL;
    }
    arena_init(&b->mem, mem);
    building work = {.kernel = kernel, .shape = shape, .built = b};
    if (!arena_guard(&b->mem, build, &work)) error_no_memory(error);
    else if (b->program != NULL) return b;
    else if (work.diags.errors != 0) (void)diag_first_error(&work.diags, "reading MSL", error);
    else error_set(error, INGOT_LIMIT, "kernel '%s' needs too much memory a thread", kernel->info.name);
    free_built(mem, b);
    return NULL;
}

emu_built *emu_built_get(emu_kernel *kernel, const emu_shape *shape, ingot_error *error)
{
    enum { MOST_KEPT = 16 };
    (void)pthread_mutex_lock(&kernel->lock);
    unsigned kept = 0;
    emu_built *b = kernel->built, **last_unused = NULL;
    for (emu_built **at = &kernel->built; *at != NULL; at = &(*at)->next, ++kept)
        if ((*at)->users == 0) last_unused = at;
    while (b != NULL && !same_shape(&b->program->shape, shape)) b = b->next;
    if (b == NULL) {
        b = make_built(kernel, shape, error);
        if (b != NULL) {
            if (kept >= MOST_KEPT && last_unused != NULL) {
                emu_built *old = *last_unused;
                *last_unused = old->next;
                free_built(kernel->library->mem, old);
            }
            b->next = kernel->built;
            kernel->built = b;
        }
    }
    if (b != NULL) ++b->users;
    (void)pthread_mutex_unlock(&kernel->lock);
    return b;
}

void emu_built_release(emu_kernel *kernel, emu_built *built)
{
    (void)pthread_mutex_lock(&kernel->lock);
    --built->users;
    (void)pthread_mutex_unlock(&kernel->lock);
}

/* Questions. */

size_t emu_library_kernel_count(const emu_library *l)
{
    return l->count;
}

const emu_kernel *emu_library_kernel(const emu_library *l, size_t index)
{
    return index < l->count ? &l->kernels[index] : NULL;
}

const emu_kernel *emu_library_find(const emu_library *l, str name)
{
    return map_get(&l->names, name);
}

bool emu_library_constant(const emu_library *l, size_t index, emu_constant_info *out)
{
    for (size_t i = 0; i < l->unit->global_count; ++i) {
        const mf_var *v = l->unit->globals[i];
        if (!v->is_function_constant || index-- != 0) continue;
        *out = (emu_constant_info){.name = v->name, .index = v->slot, .type = v->type, .is_given = v->is_given};
        return true;
    }
    return false;
}

const emu_kernel_info *emu_kernel_describe(const emu_kernel *k)
{
    return &k->info;
}

source_pos emu_kernel_place(const emu_kernel *k, span at)
{
    return source_locate(&k->library->sources, at);
}

void emu_isa_select(emu_library *l, unsigned index)
{
    const emu_isa *isa = emu_isa_at(index);
    if (isa == NULL || isa == l->isa) return;
    l->isa = isa;
    for (size_t i = 0; i < l->count; ++i) {
        while (l->kernels[i].built != NULL) {
            emu_built *next = l->kernels[i].built->next;
            free_built(l->mem, l->kernels[i].built);
            l->kernels[i].built = next;
        }
    }
}
