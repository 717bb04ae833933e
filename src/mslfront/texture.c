/* Textures and samplers: which types they are, and how a kernel's parameters of those types are bound. */
#include "mslfront/template.h"

enum { TEXTURES = 128, SAMPLERS = 16 };

static bool has_field(const mf_parser *p, const mf_type *t, const char *name)
{
    if (t->kind != MF_TYPE_RECORD || t->record->at.file == 0) return false;
    const mf_record *r = t->record;
    return r->field_count == 1 && str_is(r->fields[0].name, name) && mf_in_library(p, r->at);
}

bool mf_is_handle(const mf_parser *p, const mf_type *t)
{
    return has_field(p, t, "__texture") || has_field(p, t, "__sampler");
}

/* The element of array<T, n> and T[n]; `*count` is its length. */
static const mf_type *element_of(const mf_parser *p, const mf_type *t, uint64_t *count)
{
    *count = 1;
    if (has_field(p, t, "__elements")) t = t->record->fields[0].type;
    if (t->kind != MF_TYPE_ARRAY) return t;
    *count = t->count;
    return t->elem;
}

static mf_texture describe(const mf_record *r)
{
    static const struct {
        const char *name;
        mf_texture_shape shape;
    } shapes[] = {{"texture1d", MF_TEXTURE_1D},       {"texture1d_array", MF_TEXTURE_1D_ARRAY},
                  {"texture2d", MF_TEXTURE_2D},       {"texture2d_array", MF_TEXTURE_2D_ARRAY},
                  {"texture3d", MF_TEXTURE_3D},       {"texture_buffer", MF_TEXTURE_OF_BUFFER},
                  {"depth2d", MF_TEXTURE_2D},         {"depth2d_array", MF_TEXTURE_2D_ARRAY},
                  {"texturecube", MF_TEXTURE_CUBE},   {"texturecube_array", MF_TEXTURE_CUBE_ARRAY},
                  {"depthcube", MF_TEXTURE_CUBE},     {"depthcube_array", MF_TEXTURE_CUBE_ARRAY},
                  {"texture2d_ms", MF_TEXTURE_2D_MS}, {"texture2d_ms_array", MF_TEXTURE_2D_MS_ARRAY},
                  {"depth2d_ms", MF_TEXTURE_2D_MS},   {"depth2d_ms_array", MF_TEXTURE_2D_MS_ARRAY}};
    mf_texture out = {.count = 1, .scalar = MF_FLOAT};
    if (r->made_of == NULL) return out;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i)
        if (str_is(r->made_of->name->text, shapes[i].name)) out.shape = shapes[i].shape;
    const mf_targs *with = r->made_with;
    if (with->n < 2) return out;
    enum { SAMPLE, READ, WRITE, READ_WRITE }; /* the library's access */
    const uint64_t access = with->at[1].value.i;
    out.scalar = with->at[0].type.type->scalar;
    out.reads = access != WRITE;
    out.writes = access >= WRITE;
    return out;
}

bool mf_bind_texture(mf_parser *p, mf_var *v, const mf_attribute *a)
{
    uint64_t count;
    const mf_type *t = element_of(p, v->type, &count);
    const bool sampler = has_field(p, t, "__sampler");
    if (!sampler && !has_field(p, t, "__texture")) return false;
    const uint32_t most = sampler ? SAMPLERS : TEXTURES;
    v->binding = sampler ? MF_BIND_SAMPLER : MF_BIND_TEXTURE;
    v->texture = describe(t->record);
    v->texture.count = count < most ? (uint32_t)count : most + 1;
    v->slot = UINT32_MAX; /* the next free one */
    if (a == NULL) return true;
    if (!a->has_number) {
        diag_error(p->diags, a->at, "[[%.*s]] needs a number", STR_ARG(a->name->text));
    } else if (a->number >= most || a->number + v->texture.count > most) {
        diag_error(p->diags, a->at, "slot %lld is out of range: there are %u, from 0", (long long)a->number + v->texture.count - 1, most);
    }
    v->slot = (uint32_t)a->number;
    return true;
}
