/* A kernel's signature: how each parameter is bound, and what Metal demands of it. */
#include "mslfront/parser.h"

enum {
    BUFFERS = 31, /* of each kind: device and constant ones, and threadgroup ones */
    SLOTS = 128   /* of any kind, at most */
};

static const struct {
    const char *name;
    mf_input input;
    unsigned dimensions;
} inputs[] = {
#define MF_INPUT(ID, attribute, dimensions) {#attribute, MF_INPUT_##ID, dimensions},
#include "mslfront/inputs.def"
#undef MF_INPUT
};

/* Attributes that Metal knows but this device does not take. */
static const char *const unsupported[] = {
    "stage_in", "id", "position",
    "user",    "vertex_id", "instance_id", "payload",           "color", "imageblock_data"};

static bool is_name(const mf_attribute *a, const char *name)
{
    return str_is(a->name->text, name);
}

static bool points_to(const mf_var *v, mf_space *space)
{
    bool good = v->type->kind == MF_TYPE_POINTER || v->type->kind == MF_TYPE_REFERENCE;
    if (good) *space = v->type->space;
    return good;
}

static void bind_slot(mf_parser *p, mf_var *v, const mf_attribute *a, mf_binding binding)
{
    mf_space space = MF_NO_SPACE;
    bool points = points_to(v, &space);
    bool buffer = binding == MF_BIND_BUFFER;
    bool right =
        points && (buffer ? space == MF_DEVICE || space == MF_CONSTANT : space == MF_THREADGROUP);
    if (!right) {
        diag_error(p->diags, v->at,
                   "a [[%s]] parameter is a pointer or reference to %s memory, not '%.*s'",
                   buffer ? "buffer(n)" : "threadgroup(n)",
                   buffer ? "device or constant" : "threadgroup",
                   STR_ARG(mf_type_text(p->mem, v->type)));
        v->binding = MF_BIND_INPUT; /* one complaint is enough */
        return;
    }
    if (!a->has_number) {
        diag_error(p->diags, a->at, "[[%.*s]] needs a number", STR_ARG(a->name->text));
    } else if (a->number >= BUFFERS) {
        diag_error(p->diags, a->at, "slot %lld is out of range: there are %d, from 0",
                   (long long)a->number, BUFFERS);
        v->binding = MF_BIND_INPUT; /* one complaint is enough */
        return;
    }
    v->binding = binding;
    v->slot = (uint32_t)a->number;
}

static void bind_input(mf_parser *p, mf_var *v, const mf_attribute *a, size_t i)
{
    const mf_type *t = v->type;
    bool scalar = t->kind == MF_TYPE_SCALAR, vector = t->kind == MF_TYPE_VECTOR;
    bool words = (scalar || vector) && (t->scalar == MF_UINT || t->scalar == MF_USHORT);
    bool fits = words && (scalar || t->width <= inputs[i].dimensions);
    if (!fits) {
        diag_error(p->diags, v->at, "[[%s]] is uint or ushort%s, not '%.*s'", inputs[i].name,
                   inputs[i].dimensions == 3 ? " or a vector of 2 or 3 of them" : "",
                   STR_ARG(mf_type_text(p->mem, t)));
        v->binding = MF_BIND_INPUT; /* one complaint is enough */
        return;
    }
    if (a->has_number) diag_error(p->diags, a->at, "[[%s]] takes no number", inputs[i].name);
    v->binding = MF_BIND_INPUT;
    v->input = inputs[i].input;
}

bool mf_is_input(str name)
{
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; ++i)
        if (str_is(name, inputs[i].name)) return true;
    return false;
}

bool mf_bind_global(mf_parser *p, mf_var *v, const mf_attribute *a)
{
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; ++i) {
        if (!is_name(a, inputs[i].name)) continue;
        bind_input(p, v, a, i);
        return true;
    }
    return false;
}

static void bind_attribute(mf_parser *p, mf_var *v, const mf_attribute *a)
{
    if (is_name(a, "maybe_unused") || is_name(a, "unused")) return;
    if (is_name(a, "function_constant")) { /* whether it is there at all; until the constant has a value, it may be */
        v->is_absent = a->has_number && a->number == 0;
        return;
    }
    if (is_name(a, "user")) return; /* a name of the host's */
    if (v->binding != MF_BIND_NONE) {
        diag_error(p->diags, a->at, "the parameter is already bound by another attribute");
        return;
    }
    if (is_name(a, "buffer")) {
        bind_slot(p, v, a, MF_BIND_BUFFER);
        return;
    }
    if (is_name(a, "threadgroup")) {
        bind_slot(p, v, a, MF_BIND_THREADGROUP);
        return;
    }
    if (is_name(a, "texture") || is_name(a, "sampler")) {
        const bool sampler = is_name(a, "sampler");
        const bool bound = mf_bind_texture(p, v, a);
        if (bound && (v->binding == MF_BIND_SAMPLER) == sampler) return;
        diag_error(p->diags, v->at, "a [[%s(n)]] parameter is a %s, not '%.*s'", sampler ? "sampler" : "texture",
                   sampler ? "sampler" : "texture", STR_ARG(mf_type_text(p->mem, v->type)));
        v->binding = MF_BIND_INPUT; /* one complaint is enough */
        return;
    }
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; ++i) {
        if (!is_name(a, inputs[i].name)) continue;
        bind_input(p, v, a, i);
        return;
    }
    for (size_t i = 0; i < sizeof unsupported / sizeof unsupported[0]; ++i) {
        if (!is_name(a, unsupported[i])) continue;
        diag_unsupported(p->diags, a->at, "the attribute '%s' is not supported", unsupported[i]);
        v->binding = MF_BIND_INPUT; /* no second complaint about a missing attribute */
        return;
    }
    mf_nearest near = {0};
    static const char *const others[] = {"buffer", "threadgroup", "texture", "sampler", "function_constant"};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; ++i) (void)mf_is_nearer(a->name->text, str_of(inputs[i].name), &near);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) (void)mf_is_nearer(a->name->text, str_of(others[i]), &near);
    diag_error(p->diags, a->at, "unknown attribute '%.*s'%s%.*s%s", STR_ARG(a->name->text), near.name.n != 0 ? "; did you mean '" : "",
               STR_ARG(near.name), near.name.n != 0 ? "'?" : "");
    v->binding = MF_BIND_INPUT;
}

/* What kind of slot a parameter without an attribute takes, and how many of them; NONE: none. */
static mf_binding wanted_binding(const mf_var *v)
{
    mf_space space = MF_NO_SPACE;
    if (v->binding == MF_BIND_TEXTURE || v->binding == MF_BIND_SAMPLER) return v->slot == UINT32_MAX ? v->binding : MF_BIND_NONE;
    if (v->binding != MF_BIND_NONE || !points_to(v, &space)) return MF_BIND_NONE;
    return space == MF_THREADGROUP ? MF_BIND_THREADGROUP : MF_BIND_BUFFER;
}

static uint32_t slots_of(const mf_var *v)
{
    return v->texture.count > 1 ? v->texture.count : 1;
}

/* Slots for parameters that have none: the lowest that are free, in order. */
static void assign_slots(mf_function *f, mf_binding binding)
{
    bool used[SLOTS] = {false};
    for (size_t i = 0; i < f->param_count; ++i) {
        const mf_var *v = f->params[i];
        for (uint32_t k = 0; v->binding == binding && v->slot < SLOTS && k < slots_of(v); ++k)
            if (v->slot + k < SLOTS) used[v->slot + k] = true;
    }
    for (size_t i = 0; i < f->param_count; ++i) {
        mf_var *v = f->params[i];
        if (wanted_binding(v) != binding) continue;
        uint32_t slot = 0;
        while (slot < SLOTS && used[slot]) ++slot;
        for (uint32_t k = 0; k < slots_of(v) && slot + k < SLOTS; ++k) used[slot + k] = true;
        v->binding = binding;
        v->slot = slot;
    }
}

static void check_slots(mf_parser *p, const mf_function *f)
{
    for (size_t i = 0; i < f->param_count; ++i) {
        const mf_var *v = f->params[i];
        bool buffer = v->binding == MF_BIND_BUFFER || v->binding == MF_BIND_THREADGROUP;
        bool slotted = buffer || v->binding == MF_BIND_TEXTURE || v->binding == MF_BIND_SAMPLER;
        if (buffer && v->slot >= BUFFERS)
            diag_error(p->diags, v->at, "the kernel has more than %d buffers", BUFFERS);
        for (size_t k = 0; slotted && k < i; ++k) {
            const mf_var *other = f->params[k];
            if (v->is_absent || other->is_absent || other->binding != v->binding || other->slot >= v->slot + slots_of(v) ||
                v->slot >= other->slot + slots_of(other) || v->slot >= (buffer ? BUFFERS : SLOTS))
                continue;
            diag_error(p->diags, v->at, "slot %u is given to '%.*s' already", v->slot,
                       STR_ARG(other->name));
            diag_note(p->diags, other->at, "it is declared here");
            break;
        }
    }
}

static void check_type(mf_parser *p, mf_var *v)
{
    mf_space space = MF_NO_SPACE;
    if (v->type->kind == MF_TYPE_ERROR || v->binding == MF_BIND_INPUT) return;
    if (v->binding == MF_BIND_TEXTURE || v->binding == MF_BIND_SAMPLER) return;
    if (v->binding == MF_BIND_NONE && mf_bind_texture(p, v, NULL)) return;
    if (!points_to(v, &space)) {
        diag_error(p->diags, v->at,
                   "the parameter '%.*s' of a kernel needs an attribute that says what it is given",
                   STR_ARG(v->name));
        v->binding = MF_BIND_INPUT;
        return;
    }
    if (space == MF_THREAD) {
        diag_error(p->diags, v->at,
                   "a kernel's parameter points to device, constant or threadgroup memory");
        v->binding = MF_BIND_INPUT;
        return;
    }
    const mf_type *to = v->type->elem;
    if (to->kind == MF_TYPE_POINTER || to->kind == MF_TYPE_SIMD_MATRIX) {
        diag_unsupported(p->diags, v->at, "a buffer of '%.*s' is not supported",
                         STR_ARG(mf_type_text(p->mem, to)));
    } else if (v->type->kind == MF_TYPE_REFERENCE) {
        mf_check_object_type(p, to, v->at, "have a buffer of");
    }
}

void mf_bind_kernel(mf_parser *p, mf_function *f, const mf_attributes *attributes)
{
    if (f->result->kind != MF_TYPE_VOID && f->result->kind != MF_TYPE_ERROR) {
        diag_error(p->diags, f->at, "a kernel returns void, not '%.*s'",
                   STR_ARG(mf_type_text(p->mem, f->result)));
    }
    for (size_t i = 0; i < f->param_count; ++i) {
        mf_var *v = f->params[i];
        if (v->type->kind == MF_TYPE_ERROR) continue;
        for (size_t k = 0; k < attributes[i].n; ++k) bind_attribute(p, v, &attributes[i].at[k]);
        check_type(p, v);
    }
    assign_slots(f, MF_BIND_BUFFER);
    assign_slots(f, MF_BIND_THREADGROUP);
    assign_slots(f, MF_BIND_TEXTURE);
    assign_slots(f, MF_BIND_SAMPLER);
    check_slots(p, f);
}
