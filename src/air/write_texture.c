/* Calls of textures: for native code of the device's own functions, where parameters are numbers of slots; for a metallib of AIR's. */
#include "air/texture_library.h"
#include "air/write.h"

bool air_write_is_number(const air_writer *w, const mf_var *p)
{
    return w->inner && (p->binding == MF_BIND_TEXTURE || p->binding == MF_BIND_SAMPLER);
}

/* The elements of an array of them are numbered from its slot on. */
void air_write_bind_number(air_writer *w, const mf_var *p, air_bound *b)
{
    b->at = air_write_room(w, p->type, p->name);
    LLVMValueRef words = air_write_pointer_cast(w, b->at.p, w->i64);
    for (uint64_t i = 0; i < p->type->size / sizeof(uint64_t); ++i) {
        LLVMValueRef index = LLVMConstInt(w->i64, i, 0);
        LLVMBuildStore(w->b, LLVMConstInt(w->i64, p->slot + i, 0), LLVMBuildInBoundsGEP2(w->b, w->i64, words, &index, 1, ""));
    }
}

static const char *name_of(mf_builtin b)
{
    switch ((int)b) {
    case MF_FN_TEXTURE_FETCH: return "ingot_texel_read";
    case MF_FN_TEXTURE_STORE: return "ingot_texel_write";
    case MF_FN_TEXTURE_ATOMIC: return "ingot_texel_change";
    case MF_FN_TEXTURE_QUERY: return "ingot_texture_query";
    default: return "ingot_sampler";
    }
}

LLVMValueRef air_write_texture(air_writer *w, const mf_expr *e)
{
    LLVMValueRef args[6];
    uint32_t n = 0;
    for (; n < e->arg_count && n < 6; ++n) args[n] = air_write_value(w, e->args[n]);
    if (e->builtin == MF_FN_TEXTURE_ATOMIC) /* kind and operation in one */
        args[4] = LLVMBuildOr(w->b, args[4], LLVMBuildShl(w->b, args[--n], air_write_int(w, 8), ""), "");
    const LLVMTypeRef result = e->type->kind == MF_TYPE_VOID ? w->none : air_write_value_type(w, e->type);
    return air_write_air(w, name_of(e->builtin), result, args, n);
}

/* ---- Methods of textures, as AIR's functions ---------------------------------------------------------------------------- */

/* A call of AIR's function under construction: its arguments, and those of the text that are left. */
typedef struct method {
    air_writer *w;
    const mf_expr *e;
    air_handle h;
    str name;         /* of the method */
    LLVMValueRef args[16];
    unsigned n;
    uint32_t next;    /* of the text's arguments; 0 is the texture */
    bool bad;
} method;

static void push(method *m, LLVMValueRef v)
{
    if (m->n < 16) m->args[m->n++] = v;
}

static void push_int(method *m, uint64_t v)
{
    push(m, air_write_int(m->w, v));
}

static const mf_expr *left(const method *m)
{
    return m->next < m->e->arg_count ? m->e->args[m->next] : NULL;
}

/* A number or vector of the text's; whole ones as 32 bits. */
static void push_next(method *m)
{
    const mf_expr *e = left(m);
    if (e == NULL || !mf_is_numeric(e->type)) {
        m->bad = true;
        return;
    }
    ++m->next;
    LLVMValueRef v = air_write_value(m->w, e);
    const mf_type wide = air_write_like(MF_UINT, e->type->kind == MF_TYPE_SCALAR ? 1 : e->type->width);
    if (!mf_scalar_is_float(e->type->scalar) && mf_scalar_size(e->type->scalar) != 4) v = air_write_convert(m->w, v, e->type, &wide);
    push(m, v);
}

static bool is_named(const mf_expr *e, const char *record)
{
    return e != NULL && e->type->kind == MF_TYPE_RECORD && str_is(e->type->record->name, record);
}

static LLVMValueRef field(method *m, const mf_expr *e, unsigned i)
{
    return LLVMBuildExtractValue(m->w->b, air_write_value(m->w, e), i, "");
}

/* true, the offset or none; of cubes nothing. */
static void push_offset(method *m)
{
    const mf_expr *e = left(m);
    const unsigned n = m->h.shape->dims;
    const bool given = e != NULL && mf_is_numeric(e->type) && !mf_scalar_is_float(e->type->scalar);
    if (m->h.shape->cube) return;
    push(m, LLVMConstInt(m->w->i1, n > 1, 0));
    if (given) push_next(m);
    else push(m, LLVMConstNull(n > 1 ? LLVMVectorType(m->w->i32, n) : m->w->i32));
}

/* Whether a level is given, that or 0, the least one. */
static void push_level(method *m, const mf_expr *e)
{
    const LLVMTypeRef f32 = LLVMFloatTypeInContext(m->w->c);
    const bool level = is_named(e, "level"), least = is_named(e, "min_lod_clamp");
    push(m, LLVMConstInt(m->w->i1, level, 0));
    push(m, level ? field(m, e, 0) : LLVMConstNull(f32));
    push(m, least ? field(m, e, 0) : LLVMConstNull(f32));
}

static void push_sampler(method *m)
{
    const mf_expr *e = m->e->args[m->next++];
    push(m, LLVMBuildExtractValue(m->w->b, air_write_value(m->w, e), 0, ""));
}

static void push_format(method *m)
{
    if (m->h.shape->depth) push_int(m, 1);
}

/* (sampler, place, [layer], [reference], [how], [offset], [component]) */
static bool push_sampled(method *m, bool gather, bool compare)
{
    push_sampler(m);
    push_format(m);
    push_next(m);
    if (m->h.shape->array) push_next(m);
    if (compare) push_next(m);
    const mf_expr *how = left(m);
    const bool grad = is_named(how, "gradient2d") || is_named(how, "gradient3d");
    if (grad || is_named(how, "level") || is_named(how, "min_lod_clamp")) ++m->next;
    else how = NULL;
    if (grad) {
        push(m, field(m, how, 0));
        push(m, field(m, how, 1));
        push(m, LLVMConstNull(LLVMFloatTypeInContext(m->w->c)));
    }
    push_offset(m);
    if (!grad && !gather) push_level(m, how);
    if (gather && !m->h.shape->depth) {
        const mf_expr *part = left(m);
        push(m, part != NULL ? LLVMBuildIntCast2(m->w->b, air_write_value(m->w, part), m->w->i32, 0, "") : air_write_int(m->w, 0));
        if (part != NULL) ++m->next;
    }
    push_int(m, 0);
    return grad;
}

static bool has_levels(const method *m)
{
    return !m->h.shape->ms && !str_is(str_of(m->h.shape->air), "texture_buffer_1d");
}

static void push_place(method *m)
{
    push_next(m);
    if (m->h.shape->cube) push_next(m);
    if (m->h.shape->array) push_next(m);
}

static void push_read(method *m)
{
    const bool by_sampler = m->w->platform->air_minor >= 8;
    if (by_sampler) {
        const LLVMTypeRef type = LLVMPointerType(LLVMStructCreateNamed(m->w->c, ""), 2);
        push(m, air_write_air(m->w, "get_read_sampler", type, NULL, 0));
    }
    push_format(m);
    push_place(m);
    if (m->h.shape->ms) push_next(m);
    if (has_levels(m)) {
        if (left(m) != NULL) push_next(m);
        else push_int(m, 0);
    }
    push_int(m, m->h.access);
}

static void push_pixel(method *m, uint32_t i)
{
    push(m, air_write_value(m->w, m->e->args[i]));
}

static void push_written(method *m)
{
    const uint32_t pixel = m->next++;
    push_place(m);
    push_pixel(m, pixel);
    if (has_levels(m)) {
        if (left(m) != NULL) push_next(m);
        else push_int(m, 0);
    }
    push_int(m, m->h.access);
}

static void push_changed(method *m)
{
    const bool store = str_is(m->name, "atomic_store"), swap = str_is(m->name, "atomic_compare_exchange_weak");
    if (store) push_pixel(m, m->next++);
    push_place(m);
    if (swap) push(m, air_write_value(m->w, m->e->args[m->next++])); /* a pointer to what is expected */
    if (left(m) != NULL) push_pixel(m, m->next++);
    for (unsigned i = swap ? 2 : 1; i > 0; --i) push_int(m, 0); /* relaxed */
    push_int(m, m->h.access);
}

static LLVMTypeRef result_type(const method *m, bool pixel)
{
    const mf_type *t = m->e->type;
    if (t->kind == MF_TYPE_VOID) return m->w->none;
    LLVMTypeRef parts[2] = {air_write_value_type(m->w, t), m->w->i8};
    return pixel ? LLVMStructTypeInContext(m->w->c, parts, 2, 0) : parts[0];
}

static LLVMValueRef call_method(method *m, const char *name, const char *suffix, bool typed, bool pixel)
{
    const mf_type texel = air_write_like(m->h.scalar, 4), one = air_write_like(m->h.scalar, 1);
    const bool scalar = m->h.shape->depth && !str_is(m->name, "gather");
    const str type = air_write_type_name(m->w, scalar ? &one : &texel, true);
    const str whole = str_format(m->w->mem, "%s_%s%s%s%s", name, m->h.shape->air, suffix, typed ? "." : "", typed ? type.p : "");
    LLVMValueRef r = air_write_air(m->w, whole.p, result_type(m, pixel), m->args, m->n);
    return pixel ? LLVMBuildExtractValue(m->w->b, r, 0, "") : m->e->type->kind == MF_TYPE_VOID ? NULL : r;
}

static LLVMValueRef write_method(method *m)
{
    const str name = m->name;
    const bool gather = str_is(name, "gather"), compare = str_is(name, "sample_compare");
    if (gather || compare || str_is(name, "sample")) {
        const bool grad = push_sampled(m, gather, compare);
        return call_method(m, name.p, grad ? "_grad" : "", true, true);
    }
    if (str_is(name, "read")) {
        push_read(m);
        return call_method(m, "read", "", true, true);
    }
    if (str_is(name, "write")) {
        push_written(m);
        return call_method(m, "write", "", true, false);
    }
    if (str_starts(name, STR("atomic_"))) {
        push_changed(m);
        return call_method(m, str_format(m->w->mem, "%.*s_explicit", STR_ARG(name)).p, "", true, false);
    }
    if (str_starts(name, STR("get_"))) {
        const bool level = has_levels(m) && (str_is(name, "get_width") || str_is(name, "get_height") || str_is(name, "get_depth"));
        if (level) push_next(m);
        return call_method(m, str_format(m->w->mem, "%.*s", STR_ARG(name)).p, "", false, false);
    }
    if (str_is(name, "fence")) return call_method(m, "fence", "", false, false);
    m->bad = true;
    return NULL;
}

bool air_write_is_method(const air_writer *w, const mf_function *f)
{
    if (w->inner || !f->of_library || f->param_count == 0) return false;
    const mf_type *self = f->params[0]->type;
    return self->kind == MF_TYPE_REFERENCE && air_write_is_texture(self->elem);
}

LLVMValueRef air_write_method(air_writer *w, const mf_expr *e)
{
    const air_place self = air_write_place(w, e->args[0]);
    method m = {.w = w, .e = e, .h = air_write_handle(self.type), .next = 1};
    m.name = str_format(w->mem, "%.*s", STR_ARG(e->function->name));
    push(&m, LLVMBuildExtractValue(w->b, air_write_load(w, self), 0, ""));
    LLVMValueRef r = write_method(&m);
    if (!m.bad && !w->failed) return r;
    air_write_refuse(w, e->at, "'%s' of a %s is not supported", m.name.p, m.h.shape->msl);
    return e->type->kind == MF_TYPE_VOID ? NULL : air_write_zero(w, e->type);
}
