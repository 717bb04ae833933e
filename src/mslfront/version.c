/* What of the language a version of it does not have yet. */
#include "mslfront/parser.h"

static const struct {
    const char *name;
    uint32_t version;
} since[] = {
#define MF_SINCE(name, version) {name, version},
#include "mslfront/library/versions.def"
#undef MF_SINCE
};

static bool check(mf_parser *p, uint32_t needs, str what, span at)
{
    const uint32_t version = p->options->version != 0 ? p->options->version : MF_VERSION;
    if (version >= needs || mf_in_library(p, at)) return true;
    diag_error(p->diags, at, "'%.*s' needs MSL %u.%u, and the text is read as MSL %u.%u", STR_ARG(what), needs / 100, needs / 10 % 10,
               version / 100, version / 10 % 10);
    return false;
}

bool mf_check_function_version(mf_parser *p, str name, span at)
{
    for (size_t i = 0; i < sizeof since / sizeof since[0]; ++i)
        if (str_starts(name, str_of(since[i].name))) return check(p, since[i].version, name, at);
    return true;
}

bool mf_check_type_version(mf_parser *p, const mf_type *t, span at)
{
    uint32_t needs = 0;
    if (t->kind == MF_TYPE_SIMD_MATRIX) needs = 230;
    if (t->kind == MF_TYPE_ATOMIC && t->scalar == MF_FLOAT) needs = 300;
    if (t->kind == MF_TYPE_ATOMIC && t->scalar == MF_ULONG) needs = 240;
    const bool numeric = mf_is_numeric(t) || t->kind == MF_TYPE_MATRIX || t->kind == MF_TYPE_SIMD_MATRIX;
    if (numeric && t->scalar == MF_BFLOAT) needs = 310;
    return check(p, needs, mf_type_text(p->mem, t), at);
}
