/* Textures and samplers in a metallib: records of the library that hold a pointer to what only the device knows. */
#include <string.h>

#include "air/texture_library.h"
#include "air/write.h"
#include "mslfront/template.h"

static bool is_record_of(const mf_type *t, const char *field)
{
    return t->kind == MF_TYPE_RECORD && t->record->field_count == 1 && str_is(t->record->fields[0].name, field);
}

bool air_write_is_texture(const mf_type *t)
{
    return is_record_of(t, "__texture") && t->record->made_of != NULL;
}

bool air_write_is_sampler(const mf_type *t)
{
    return is_record_of(t, "__sampler");
}

air_handle air_write_handle(const mf_type *t)
{
    const mf_record *r = t->record;
    air_handle h = {.shape = NULL};
    for (int i = 0; i < AIR_TEXTURE_SHAPES; ++i)
        if (str_is(r->made_of->name->text, air_texture_shapes[i].msl)) h.shape = &air_texture_shapes[i];
    const mf_targs *with = r->made_with;
    h.scalar = with->at[0].type.type->scalar;
    h.access = (unsigned)with->at[1].value.i;
    return h;
}

/* %struct._texture_2d_t addrspace(1) *, %struct._sampler_t addrspace(2) *. */
static LLVMTypeRef pointer_to(air_writer *w, const char *name, unsigned space)
{
    const char *whole = str_format(w->mem, "struct._%s_t", name).p;
    LLVMTypeRef t = LLVMGetTypeByName2(w->c, whole);
    if (t == NULL) t = LLVMStructCreateNamed(w->c, whole);
    return LLVMPointerType(t, space);
}

LLVMTypeRef air_write_handle_type(air_writer *w, const mf_type *t)
{
    return air_write_is_sampler(t) ? pointer_to(w, "sampler", 2) : pointer_to(w, air_write_handle(t).shape->air, 1);
}

/* ---- What the metadata says ------------------------------------------------------------------------------------------ */

/* The element of array<T, n> and T[n]; itself where it is no array. */
const mf_type *air_write_handle_element(const mf_type *t)
{
    if (is_record_of(t, "__elements")) t = t->record->fields[0].type;
    return t->kind == MF_TYPE_ARRAY ? t->elem : t;
}

str air_write_handle_text(air_writer *w, const mf_type *t)
{
    static const char *const access[] = {"sample", "read", "write", "read_write"};
    const mf_type *one = air_write_handle_element(t);
    str text = STR("sampler");
    if (air_write_is_texture(one)) {
        const air_handle h = air_write_handle(one);
        text = str_format(w->mem, "%s<%s, %s>", h.shape->msl, mf_scalar_name(h.scalar), access[h.access & 3]);
    }
    return one == t ? text : str_format(w->mem, "array<%.*s, %u>", STR_ARG(text), (unsigned)(t->size / one->size));
}

/* ---- Samplers that a text makes -------------------------------------------------------------------------------------- */

static LLVMValueRef add_state(air_writer *w, uint64_t state)
{
    const bool pair = w->platform->air_minor >= 7; /* of AIR 2: two words from 2.7 on */
    LLVMValueRef words[2] = {LLVMConstInt(w->i64, pair ? state : state | (uint64_t)1 << 63, 0), LLVMConstInt(w->i64, 0, 0)};
    LLVMValueRef value = pair ? LLVMConstArray(w->i64, words, 2) : words[0];
    LLVMValueRef g = LLVMAddGlobalInAddressSpace(w->m, LLVMTypeOf(value), "__air_sampler_state", 2);
    LLVMSetInitializer(g, value);
    LLVMSetGlobalConstant(g, 1);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetAlignment(g, 8);
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(w->c, "air.sampler_state", strlen("air.sampler_state")), LLVMValueAsMetadata(g)};
    LLVMAddNamedMetadataOperand(w->m, "air.sampler_states", LLVMMetadataAsValue(w->c, LLVMMDNodeInContext2(w->c, parts, 2)));
    return g;
}

/* Equal states are one. */
static LLVMValueRef state_of(air_writer *w, uint64_t bits)
{
    for (air_state *s = w->states; s != NULL; s = s->next)
        if (s->bits == bits) return s->global;
    air_state *s = arena_new(w->mem, air_state);
    *s = (air_state){bits, add_state(w, air_sampler_from_device(bits)), w->states};
    w->states = s;
    return s->global;
}

LLVMValueRef air_write_sampler(air_writer *w, const mf_expr *e)
{
    mf_constant bits;
    while (e->kind == MF_EXPR_LOAD || (e->kind == MF_EXPR_CAST && e->a->type == e->type)) e = e->a;
    const mf_var *v = e->kind == MF_EXPR_VAR ? e->var : NULL;
    if (v != NULL && v->init != NULL && (v->kind == MF_VAR_GLOBAL || (v->quals & MF_CONST) != 0)) e = v->init;
    if (e->kind != MF_EXPR_AGGREGATE || e->arg_count != 1 || !mf_fold(e->args[0], &bits)) return NULL;
    const LLVMTypeRef type = air_write_handle_type(w, e->type);
    LLVMValueRef field = LLVMConstBitCast(state_of(w, bits.i), type);
    return LLVMConstStructInContext(w->c, &field, 1, 0);
}
