/* Calls of air.* and llvm.* functions that look at one thread alone. */
#include "air/lower.h"

#include <string.h>

/* What a row's function is given: the call's new arguments, and how to read them. */
typedef struct call {
    LLVMValueRef v;       /* the old call */
    str name;             /* "fast_clamp.v4f32" */
    str base;             /* "clamp" */
    LLVMTypeRef from, type; /* old and new result */
    air_kind kind;        /* of the first argument's elements */
    unsigned n;
    LLVMValueRef args[16]; /* new */
    bool is_signed;       /* has ".s." */
    const char *use;      /* the row's argument */
} call;

typedef LLVMValueRef (*row_fn)(air_lower *l, call *c);

static bool has(str s, const char *part)
{
    const size_t n = strlen(part);
    for (size_t i = 0; i + n <= s.n; ++i)
        if (memcmp(s.p + i, part, n) == 0) return true;
    return false;
}

/* ---- Element functions ---------------------------------------------------------------------------------------- */

static LLVMValueRef host_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    const call *c = user;
    LLVMValueRef in[4];
    for (unsigned i = 0; i < c->n && i < 4; ++i) in[i] = air_to_float(l, args[i], kind);
    return air_from_float(l, air_call_host(l, c->use, in, c->n), kind);
}

static LLVMValueRef llvm_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    const call *c = user;
    LLVMValueRef in[4];
    for (unsigned i = 0; i < c->n && i < 4; ++i) in[i] = air_to_float(l, args[i], kind);
    return air_from_float(l, air_call_llvm(l, c->use, l->f32, in, c->n), kind);
}

static LLVMValueRef bits_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    const call *c = user;
    (void)kind;
    return air_call_llvm(l, c->use, LLVMTypeOf(args[0]), args, 1);
}

static LLVMValueRef each(air_lower *l, call *c, air_element_fn fn)
{
    return air_each(l, c->type, c->args, c->n, c->kind, fn, c);
}

static LLVMValueRef zeros_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    const call *c = user;
    (void)kind;
    LLVMValueRef both[2] = {args[0], LLVMConstInt(l->i1, 0, 0)};
    return air_call_llvm(l, c->base.p[1] == 'l' ? "llvm.ctlz" : "llvm.cttz", LLVMTypeOf(args[0]), both, 2);
}
static LLVMValueRef zeros(air_lower *l, call *c)
{
    c->n = 1;
    return each(l, c, zeros_one);
}

static LLVMValueRef rsqrt_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    (void)user;
    LLVMValueRef x = air_to_float(l, args[0], kind);
    LLVMValueRef r = LLVMBuildFDiv(l->b, LLVMConstReal(l->f32, 1.0), air_call_llvm(l, "llvm.sqrt", l->f32, &x, 1), "");
    return air_from_float(l, r, kind);
}
static LLVMValueRef rsqrt(air_lower *l, call *c)
{
    return each(l, c, rsqrt_one);
}

static LLVMValueRef absolute_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    const call *c = user;
    LLVMValueRef a = args[0];
    if (kind == AIR_FLOAT) return air_call_llvm(l, "llvm.fabs", l->f32, &a, 1);
    if (kind != AIR_INT) return LLVMBuildAnd(l->b, a, LLVMConstInt(l->i16, 0x7fff, 0), "");
    if (!c->is_signed) return a;
    LLVMValueRef minus = LLVMBuildICmp(l->b, LLVMIntSLT, a, LLVMConstNull(LLVMTypeOf(a)), "");
    return LLVMBuildSelect(l->b, minus, LLVMBuildNeg(l->b, a, ""), a, "");
}
static LLVMValueRef absolute(air_lower *l, call *c)
{
    return each(l, c, absolute_one);
}

static LLVMValueRef fused_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    (void)user;
    if (kind == AIR_HALF) return air_call_host(l, "air_fma_half", args, 3);
    if (kind == AIR_BFLOAT) return air_call_host(l, "air_fma_bfloat", args, 3);
    return air_call_llvm(l, "llvm.fma", l->f32, args, 3);
}
static LLVMValueRef fused(air_lower *l, call *c)
{
    return each(l, c, fused_one);
}

/* The smaller or greater of two; of floats the other one where one is NaN. */
static LLVMValueRef extreme(air_lower *l, LLVMValueRef a, LLVMValueRef b, air_kind kind, bool is_signed, bool greatest)
{
    LLVMValueRef first;
    if (kind == AIR_INT) {
        const LLVMIntPredicate p = greatest ? (is_signed ? LLVMIntSGT : LLVMIntUGT) : (is_signed ? LLVMIntSLT : LLVMIntULT);
        first = LLVMBuildICmp(l->b, p, a, b, "");
    } else {
        LLVMValueRef x = air_to_float(l, a, kind), y = air_to_float(l, b, kind);
        first = LLVMBuildFCmp(l->b, greatest ? LLVMRealOGT : LLVMRealOLT, x, y, "");
        first = LLVMBuildOr(l->b, first, LLVMBuildFCmp(l->b, LLVMRealUNO, y, y, ""), "");
    }
    return LLVMBuildSelect(l->b, first, a, b, "");
}

static LLVMValueRef extreme_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    const call *c = user;
    const bool greatest = has(c->base, "max");
    LLVMValueRef r = args[0];
    for (unsigned i = 1; i < c->n; ++i) r = extreme(l, r, args[i], kind, c->is_signed, greatest);
    return r;
}
static LLVMValueRef least(air_lower *l, call *c)
{
    return each(l, c, extreme_one);
}
static LLVMValueRef greatest(air_lower *l, call *c)
{
    return each(l, c, extreme_one);
}

static LLVMValueRef clamped_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    const call *c = user;
    return extreme(l, extreme(l, args[0], args[1], kind, c->is_signed, true), args[2], kind, c->is_signed, false);
}
static LLVMValueRef clamped(air_lower *l, call *c)
{
    return each(l, c, clamped_one);
}

/* A number as an element of that kind. */
static LLVMValueRef number(air_lower *l, double v, air_kind kind)
{
    return air_from_float(l, LLVMConstReal(l->f32, v), kind);
}

static LLVMValueRef saturated_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    LLVMValueRef all[3] = {args[0], number(l, 0.0, kind), number(l, 1.0, kind)};
    return clamped_one(l, all, kind, user);
}
static LLVMValueRef saturated(air_lower *l, call *c)
{
    return each(l, c, saturated_one);
}

/* 1, -1, a zero of the same sign, 0 for NaN. */
static LLVMValueRef sign_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    (void)user;
    LLVMValueRef x = air_to_float(l, args[0], kind), zero = LLVMConstReal(l->f32, 0.0);
    LLVMValueRef r = LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, LLVMRealOEQ, x, zero, ""), x, zero, "");
    r = LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, LLVMRealOGT, x, zero, ""), LLVMConstReal(l->f32, 1.0), r, "");
    r = LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, LLVMRealOLT, x, zero, ""), LLVMConstReal(l->f32, -1.0), r, "");
    return air_from_float(l, r, kind);
}
static LLVMValueRef sign(air_lower *l, call *c)
{
    return each(l, c, sign_one);
}

static LLVMValueRef round_to(air_lower *l, LLVMValueRef v, air_kind kind)
{
    return air_to_float(l, air_from_float(l, v, kind), kind);
}

/* x + (y - x) * a, each operation rounded. */
static LLVMValueRef mixed_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    (void)user;
    LLVMValueRef x = air_to_float(l, args[0], kind), y = air_to_float(l, args[1], kind), a = air_to_float(l, args[2], kind);
    LLVMValueRef d = round_to(l, LLVMBuildFSub(l->b, y, x, ""), kind);
    d = round_to(l, LLVMBuildFMul(l->b, d, a, ""), kind);
    return air_from_float(l, LLVMBuildFAdd(l->b, x, d, ""), kind);
}
static LLVMValueRef mixed(air_lower *l, call *c)
{
    return each(l, c, mixed_one);
}

static LLVMValueRef scaled_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    (void)user;
    LLVMValueRef in[2] = {air_to_float(l, args[0], kind), args[1]};
    return air_from_float(l, air_call_host(l, "air_ldexp", in, 2), kind);
}
static LLVMValueRef scaled(air_lower *l, call *c)
{
    return each(l, c, scaled_one);
}

static LLVMValueRef exponent_one(air_lower *l, LLVMValueRef *args, air_kind kind, void *user)
{
    (void)user;
    LLVMValueRef x = air_to_float(l, args[0], kind);
    return air_call_host(l, "air_ilogb", &x, 1);
}
static LLVMValueRef exponent(air_lower *l, call *c)
{
    return each(l, c, exponent_one);
}

/* ---- The table ---------------------------------------------------------------------------------------------------- */

typedef enum how { HOW_HOST, HOW_LLVM, HOW_BITS, HOW_OWN } how;

typedef struct row {
    const char *name;
    how how;
    const char *use;
    unsigned n;
} row;

static const row rows[] = {
#define AIR_FN(name, how, use, n) {name, HOW_##how, use, n},
#include "air/intrinsics.def"
#undef AIR_FN
};

static const struct {
    const char *name;
    row_fn fn;
} owns[] = {
    {"zeros", zeros}, {"rsqrt", rsqrt},     {"absolute", absolute},   {"fused", fused}, {"least", least},   {"greatest", greatest},
    {"sign", sign},   {"clamped", clamped}, {"saturated", saturated}, {"mixed", mixed}, {"scaled", scaled}, {"exponent", exponent},
};

static LLVMValueRef by_row(air_lower *l, call *c, const row *r)
{
    c->use = r->use;
    switch (r->how) {
    case HOW_HOST: return each(l, c, host_one);
    case HOW_LLVM: return each(l, c, llvm_one);
    case HOW_BITS: return each(l, c, bits_one);
    case HOW_OWN: break;
    }
    for (size_t i = 0; i < sizeof owns / sizeof *owns; ++i)
        if (strcmp(owns[i].name, r->use) == 0) return owns[i].fn(l, c);
    return NULL;
}

/* ---- Others of one thread ------------------------------------------------------------------------------------------- */

static LLVMValueRef part(air_lower *l, LLVMValueRef v, unsigned i)
{
    return LLVMBuildExtractElement(l->b, v, air_int32(l, i), "");
}

/* Sums left to right, each operation rounded. */
static LLVMValueRef dot(air_lower *l, call *c)
{
    LLVMValueRef s = NULL;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(c->args[0])); ++i) {
        LLVMValueRef a = air_to_float(l, part(l, c->args[0], i), c->kind), b = air_to_float(l, part(l, c->args[1], i), c->kind);
        LLVMValueRef p = round_to(l, LLVMBuildFMul(l->b, a, b, ""), c->kind);
        s = s == NULL ? p : round_to(l, LLVMBuildFAdd(l->b, s, p, ""), c->kind);
    }
    return air_from_float(l, s, c->kind);
}

static LLVMValueRef all_or_any(air_lower *l, call *c)
{
    LLVMValueRef r = part(l, c->args[0], 0);
    for (unsigned i = 1; i < LLVMGetVectorSize(LLVMTypeOf(c->args[0])); ++i) {
        LLVMValueRef e = part(l, c->args[0], i);
        r = str_is(c->base, "all") ? LLVMBuildAnd(l->b, r, e, "") : LLVMBuildOr(l->b, r, e, "");
    }
    return r;
}

/* "convert.f.v2f32.u.v2i16": what it makes, and of what. */
static LLVMValueRef convert(air_lower *l, call *c)
{
    const LLVMTypeRef source = LLVMTypeOf(LLVMGetOperand(c->v, 0));
    const char *at = c->name.p + strlen("convert."), *end = c->name.p + c->name.n;
    const bool to_signed = at < end && *at == 's';
    at += 2;
    while (at < end && *at != '.') ++at;
    const bool from_signed = at + 1 < end && at[1] == 's';
    return air_convert(l, c->args[0], air_kind_of(source), from_signed, air_kind_of(c->from), to_signed, c->type);
}

static LLVMValueRef predicate(air_lower *l, call *c)
{
    LLVMValueRef is = LLVMBuildICmp(l->b, LLVMIntNE, c->args[0], LLVMConstNull(LLVMTypeOf(c->args[0])), "");
    return LLVMBuildZExt(l->b, is, c->type, "");
}

static LLVMValueRef other_air(air_lower *l, call *c)
{
    static const struct {
        const char *name;
        row_fn fn;
    } table[] = {{"dot", dot}, {"all", all_or_any}, {"any", all_or_any}, {"convert", convert},
                 {"normalize_function_constant_predicate", predicate}};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (str_is(c->base, table[i].name)) return table[i].fn(l, c);
    return NULL;
}

/* ---- LLVM's own --------------------------------------------------------------------------------------------------- */

static LLVMValueRef copy_memory(air_lower *l, call *c)
{
    const air_owner to = air_owner_of(l, LLVMGetOperand(c->v, 0));
    LLVMValueRef size = LLVMBuildIntCast2(l->b, c->args[2], l->i64, 0, "");
    air_check(l, &to, c->args[0], size, true);
    if (str_starts(c->name, STR("llvm.memset"))) {
        LLVMBuildMemSet(l->b, c->args[0], c->args[1], size, 1);
        return c->args[0];
    }
    const air_owner from = air_owner_of(l, LLVMGetOperand(c->v, 1));
    air_check(l, &from, c->args[1], size, false);
    LLVMBuildMemMove(l->b, c->args[0], 1, c->args[1], 1, size);
    return c->args[0];
}

/* Integer functions of LLVM that mean here what they mean there. */
static const char *const same[] = {"llvm.umax", "llvm.umin", "llvm.smax", "llvm.smin", "llvm.ctpop", "llvm.bitreverse", "llvm.bswap",
                                   "llvm.fshl", "llvm.fshr", "llvm.uadd.sat", "llvm.usub.sat", "llvm.sadd.sat", "llvm.ssub.sat"};
/* Float functions under another name. */
static const char *const renamed[][2] = {{"llvm.maxnum", "fmax"}, {"llvm.minnum", "fmin"}, {"llvm.fabs", "fabs"}, {"llvm.sqrt", "sqrt"},
                                         {"llvm.floor", "floor"}, {"llvm.ceil", "ceil"},   {"llvm.trunc", "trunc"}, {"llvm.rint", "rint"},
                                         {"llvm.fma", "fma"},     {"llvm.exp2", "exp2"},   {"llvm.exp", "exp"},   {"llvm.log2", "log2"},
                                         {"llvm.log", "log"},     {"llvm.sin", "sin"},     {"llvm.cos", "cos"},   {"llvm.pow", "pow"}};
/* Without effect here. */
static const char *const nothing[] = {"llvm.lifetime.", "llvm.dbg.", "llvm.assume", "llvm.experimental.noalias.scope.decl", "llvm.donothing"};

static bool begins(str s, const char *with)
{
    return str_starts(s, str_of(with)) && (s.n == strlen(with) || s.p[strlen(with)] == '.' || with[strlen(with) - 1] == '.');
}

static const row *find_row(str base)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        if (str_is(base, rows[i].name)) return &rows[i];
    return NULL;
}

static LLVMValueRef of_llvm(air_lower *l, call *c, bool *known)
{
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; ++i)
        if (str_starts(c->name, str_of(nothing[i]))) return NULL;
    if (begins(c->name, "llvm.memcpy") || begins(c->name, "llvm.memmove") || begins(c->name, "llvm.memset")) return copy_memory(l, c);
    for (size_t i = 0; i < sizeof same / sizeof *same; ++i)
        if (begins(c->name, same[i])) return air_call_llvm(l, same[i], c->type, c->args, c->n);
    c->is_signed = true;
    if (begins(c->name, "llvm.abs")) {
        c->n = 1;
        return absolute(l, c);
    }
    c->base = str_of(begins(c->name, "llvm.ctlz") ? "clz" : "ctz");
    if (begins(c->name, "llvm.ctlz") || begins(c->name, "llvm.cttz")) return zeros(l, c);
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; ++i) {
        if (!begins(c->name, renamed[i][0])) continue;
        c->base = str_of(renamed[i][1]);
        return by_row(l, c, find_row(c->base));
    }
    *known = false;
    return NULL;
}

static LLVMValueRef of_air(air_lower *l, call *c, bool *known)
{
    c->name = (str){c->name.p + 4, c->name.n - 4};
    if (!air_group_takes(c->v, c->name)) {
        air_refuse(l, "the function 'air.%.*s' is declared with other arguments or another result than it has", STR_ARG(c->name));
        return NULL;
    }
    LLVMValueRef r = air_group_intrinsic(l, c->v, c->name, known);
    if (!*known) r = air_texture_intrinsic(l, c->v, c->name, known);
    if (*known) return r;
    *known = true;
    c->base = c->name;
    if (str_starts(c->base, STR("fast_"))) c->base = (str){c->base.p + 5, c->base.n - 5};
    for (size_t i = 0; i < c->base.n; ++i)
        if (c->base.p[i] == '.') c->base.n = i;
    c->is_signed = has(c->name, ".s.");
    const row *found = find_row(c->base);
    r = found != NULL && found->n == c->n ? by_row(l, c, found) : other_air(l, c);
    *known = r != NULL;
    return r;
}

LLVMValueRef air_intrinsic(air_lower *l, LLVMValueRef v, str name)
{
    call c = {.v = v, .name = name, .from = LLVMTypeOf(v), .n = LLVMGetNumArgOperands(v)};
    c.type = air_type(l, c.from);
    bool known = c.n <= 16;
    LLVMValueRef r = NULL;
    const bool of_group = str_starts(name, STR("air."));
    for (unsigned i = 0; i < c.n && known; ++i) {
        LLVMValueRef a = LLVMGetOperand(v, i);
        if (LLVMIsAMDNode(a) != NULL || LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMMetadataTypeKind) continue;
        if (str_starts(name, STR("llvm.lifetime.")) || str_starts(name, STR("llvm.assume"))) continue;
        c.args[i] = air_value(l, a);
        if (i == 0) c.kind = air_kind_of(LLVMTypeOf(a));
    }
    if (known) r = of_group ? of_air(l, &c, &known) : of_llvm(l, &c, &known);
    if (!known) air_refuse(l, "the function '%.*s' is not supported", STR_ARG(name));
    if (r == NULL && c.type != l->none) r = LLVMConstNull(c.type);
    return r;
}
