/* Functions of the library that look at one thread: AIR's own where there is one, else made of operations, by the
 * formulas of the software device. */
#include "air/write.h"

#include <string.h>

/* A scalar or vector type of its own, for naming and making values. */
mf_type air_write_like(mf_scalar s, unsigned width)
{
    return *mf_vector_type(s, width);
}

str air_write_type_name(air_writer *w, const mf_type *t, bool sign)
{
    static const char *const names[MF_SCALARS] = {
        [MF_BOOL] = "i1",  [MF_CHAR] = "i8",  [MF_UCHAR] = "i8",  [MF_SHORT] = "i16", [MF_USHORT] = "i16",  [MF_INT] = "i32",
        [MF_UINT] = "i32", [MF_LONG] = "i64", [MF_ULONG] = "i64", [MF_HALF] = "f16",  [MF_BFLOAT] = "bf16", [MF_FLOAT] = "f32",
    };
    const bool is_float = mf_scalar_is_float(t->scalar);
    const char *letter = !sign || is_float ? "" : mf_scalar_class(t->scalar) == MF_CLASS_SIGNED ? "s." : "u.";
    if (t->width > 1 && mf_is_vector(t)) return str_format(w->mem, "%sv%u%s", letter, (unsigned)t->width, names[t->scalar]);
    return str_format(w->mem, "%s%s", letter, names[t->scalar]);
}

static void mark(air_writer *w, LLVMValueRef f, const char *attribute)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(w->c, kind, 0));
}

/* Of textures, which is memory; what derives a level looks at other threads. */
static void mark_texture(air_writer *w, LLVMValueRef f, const char *name)
{
    static const char *const readers[] = {"sample_", "gather_", "read_", "get_"};
    if (strncmp(name, "sample_", 7) == 0 && strstr(name, "_grad.") == NULL) mark(w, f, "convergent");
#if LLVM_VERSION_MAJOR < 16
    for (size_t i = 0; i < sizeof readers / sizeof *readers; ++i) {
        if (strncmp(name, readers[i], strlen(readers[i])) != 0) continue;
        mark(w, f, "argmemonly");
        mark(w, f, "readonly");
    }
#else
    (void)readers;
#endif
}

static bool meets_others(const char *name)
{
    static const char *const all[] = {"simd", "quad_", "wg.", "wait_simdgroup_"};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (strncmp(name, all[i], strlen(all[i])) == 0) return true;
    return false;
}

/* What meets other threads must stay where it is; what touches memory must not be moved; the rest is pure. */
static void mark_air(air_writer *w, LLVMValueRef f, const char *name)
{
    mark(w, f, "nounwind");
    if (strstr(name, "texture_") != NULL || strstr(name, "_depth_") != NULL || strncmp(name, "ingot_", 6) == 0) {
        mark_texture(w, f, name);
        return;
    }
    const bool meets = meets_others(name);
    if (meets) mark(w, f, "convergent");
#if LLVM_VERSION_MAJOR < 16 /* later spelled with a value that the C API cannot name */
    if (!meets && strncmp(name, "atomic.", 7) != 0) mark(w, f, "readnone");
#endif
}

LLVMValueRef air_write_air(air_writer *w, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef types[16];
    for (unsigned i = 0; i < n && i < 16; ++i) types[i] = LLVMTypeOf(args[i]);
    const LLVMTypeRef ft = LLVMFunctionType(result, types, n, 0);
    const char *whole = str_format(w->mem, "air.%s", name).p;
    LLVMValueRef f = LLVMGetNamedFunction(w->m, whole);
    if (f == NULL) {
        f = LLVMAddFunction(w->m, whole, ft);
        mark_air(w, f, name);
    }
    LLVMValueRef call = LLVMBuildCall2(w->b, ft, f, args, n, "");
    if (meets_others(name)) {
        const unsigned kind = LLVMGetEnumAttributeKindForName("convergent", strlen("convergent"));
        LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(w->c, kind, 0));
    }
    return call;
}

/* ---- Small pieces --------------------------------------------------------------------------------------------------- */

/* The call being written. */
typedef struct call {
    const mf_expr *e;
    const mf_type *t;      /* of the first argument */
    LLVMTypeRef type;      /* its values' */
    LLVMValueRef a[5];
    bool is_float, is_signed;
    bool fast;
} call;

static LLVMValueRef number(air_writer *w, const call *c, double f, uint64_t i)
{
    const mf_constant v = c->is_float ? (mf_constant){.f = f} : (mf_constant){.i = i};
    LLVMValueRef one = air_write_number(w, mf_scalar_type(c->t->scalar), v);
    return c->t->width > 1 ? air_write_splat(w, one, c->t->width) : one;
}

static LLVMValueRef op(air_writer *w, const call *c, mf_op o, LLVMValueRef a, LLVMValueRef b)
{
    return air_write_binary(w, o, c->t, a, b);
}

static LLVMValueRef pick(air_writer *w, LLVMValueRef c, LLVMValueRef yes, LLVMValueRef no)
{
    return LLVMBuildSelect(w->b, c, yes, no, "");
}

/* air.NAME.TYPE of values of the first argument's type. */
static LLVMValueRef named(air_writer *w, const call *c, const char *name, LLVMValueRef *args, unsigned n)
{
    const bool fast = c->fast && c->t->scalar == MF_FLOAT;
    const str type = air_write_type_name(w, c->t, true);
    return air_write_air(w, str_format(w->mem, "%s%s.%s", fast ? "fast_" : "", name, type.p).p, c->type, args, n);
}

static LLVMValueRef named2(air_writer *w, const call *c, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef both[2] = {a, b};
    return named(w, c, name, both, 2);
}

static LLVMValueRef least(air_writer *w, const call *c, LLVMValueRef a, LLVMValueRef b)
{
    return named2(w, c, c->is_float ? "fmin" : "min", a, b);
}

static LLVMValueRef greatest(air_writer *w, const call *c, LLVMValueRef a, LLVMValueRef b)
{
    return named2(w, c, c->is_float ? "fmax" : "max", a, b);
}

static LLVMValueRef clamped(air_writer *w, const call *c, LLVMValueRef x, LLVMValueRef lo, LLVMValueRef hi)
{
    return least(w, c, greatest(w, c, x, lo), hi);
}

/* The same values as unsigned integers of the same size. */
static LLVMTypeRef bits_type(air_writer *w, const call *c)
{
    const LLVMTypeRef one = LLVMIntTypeInContext(w->c, 8 * mf_scalar_size(c->t->scalar));
    return c->t->width > 1 ? LLVMVectorType(one, c->t->width) : one;
}

static LLVMValueRef bits(air_writer *w, const call *c, LLVMValueRef v)
{
    return LLVMBuildBitCast(w->b, v, bits_type(w, c), "");
}

static LLVMValueRef bits_number(air_writer *w, const call *c, uint64_t v)
{
    LLVMValueRef one = LLVMConstInt(LLVMIntTypeInContext(w->c, 8 * mf_scalar_size(c->t->scalar)), v, 0);
    return c->t->width > 1 ? air_write_splat(w, one, c->t->width) : one;
}

static uint64_t sign_mask(const call *c)
{
    return (uint64_t)1 << (8 * mf_scalar_size(c->t->scalar) - 1);
}

static LLVMValueRef magnitude(air_writer *w, const call *c, LLVMValueRef v)
{
    return LLVMBuildAnd(w->b, bits(w, c, v), bits_number(w, c, sign_mask(c) - 1), "");
}

static uint64_t infinity_bits(const call *c)
{
    return c->t->scalar == MF_FLOAT ? 0x7f800000 : c->t->scalar == MF_HALF ? 0x7c00 : 0x7f80;
}

/* ---- Floats ----------------------------------------------------------------------------------------------------------- */

static LLVMValueRef smoothstep(air_writer *w, const call *c)
{
    LLVMValueRef u = op(w, c, MF_OP_DIV, op(w, c, MF_OP_SUB, c->a[2], c->a[0]), op(w, c, MF_OP_SUB, c->a[1], c->a[0]));
    u = clamped(w, c, u, number(w, c, 0, 0), number(w, c, 1, 1));
    LLVMValueRef v = op(w, c, MF_OP_SUB, number(w, c, 3, 3), op(w, c, MF_OP_MUL, number(w, c, 2, 2), u));
    return op(w, c, MF_OP_MUL, op(w, c, MF_OP_MUL, u, u), v);
}

static LLVMValueRef median(air_writer *w, const call *c)
{
    LLVMValueRef lo = least(w, c, c->a[0], c->a[1]), hi = greatest(w, c, c->a[0], c->a[1]);
    return greatest(w, c, lo, least(w, c, hi, c->a[2]));
}

static LLVMValueRef copy_sign(air_writer *w, const call *c, LLVMValueRef v, LLVMValueRef sign)
{
    LLVMValueRef s = LLVMBuildAnd(w->b, bits(w, c, sign), bits_number(w, c, sign_mask(c)), "");
    return LLVMBuildBitCast(w->b, LLVMBuildOr(w->b, magnitude(w, c, v), s, ""), c->type, "");
}

/* As float, for formulas that are done in it. */
static LLVMValueRef widened(air_writer *w, const call *c, LLVMValueRef v)
{
    const mf_type f = air_write_like(MF_FLOAT, c->t->width);
    return air_write_convert(w, v, c->t, &f);
}

static LLVMValueRef narrowed(air_writer *w, const call *c, LLVMValueRef v)
{
    const mf_type f = air_write_like(MF_FLOAT, c->t->width);
    return air_write_convert(w, v, &f, c->t);
}

static call in_float(air_writer *w, const call *c)
{
    call f = *c;
    f.t = mf_vector_type(MF_FLOAT, c->t->width);
    f.type = air_write_value_type(w, f.t);
    return f;
}

static LLVMValueRef fraction(air_writer *w, const call *c)
{
    const call f = in_float(w, c);
    LLVMValueRef x = widened(w, c, c->a[0]), r = op(w, &f, MF_OP_SUB, x, named(w, &f, "floor", &x, 1));
    const uint64_t most = c->t->scalar == MF_FLOAT ? 0x3f7fffff : c->t->scalar == MF_HALF ? 0x3bff : 0x3f7f;
    LLVMValueRef top = LLVMBuildBitCast(w->b, bits_number(w, c, most), c->type, "");
    r = narrowed(w, c, r);
    return pick(w, op(w, c, MF_OP_LT, top, r), top, r);
}

static LLVMValueRef difference(air_writer *w, const call *c)
{
    LLVMValueRef d = op(w, c, MF_OP_SUB, c->a[0], c->a[1]);
    return pick(w, op(w, c, MF_OP_LE, c->a[0], c->a[1]), number(w, c, 0, 0), d);
}

static LLVMValueRef mixed(air_writer *w, const call *c)
{
    return op(w, c, MF_OP_ADD, c->a[0], op(w, c, MF_OP_MUL, op(w, c, MF_OP_SUB, c->a[1], c->a[0]), c->a[2]));
}

static LLVMValueRef step(air_writer *w, const call *c)
{
    return pick(w, op(w, c, MF_OP_LT, c->a[1], c->a[0]), number(w, c, 0, 0), number(w, c, 1, 1));
}

static LLVMValueRef is_normal(air_writer *w, const call *c)
{
    const uint64_t least_normal = c->t->scalar == MF_FLOAT ? 0x00800000 : c->t->scalar == MF_HALF ? 0x0400 : 0x0080;
    LLVMValueRef m = magnitude(w, c, c->a[0]);
    LLVMValueRef enough = LLVMBuildICmp(w->b, LLVMIntUGE, m, bits_number(w, c, least_normal), "");
    return LLVMBuildAnd(w->b, enough, LLVMBuildICmp(w->b, LLVMIntULT, m, bits_number(w, c, infinity_bits(c)), ""), "");
}

static LLVMValueRef both(air_writer *w, const call *c, mf_op o, bool all)
{
    LLVMValueRef a = op(w, c, o, c->a[0], c->a[0]), b = op(w, c, o, c->a[1], c->a[1]);
    return all ? LLVMBuildAnd(w->b, a, b, "") : LLVMBuildOr(w->b, a, b, "");
}

/* True with the result where `e` is one of these. */
static bool float_function(air_writer *w, const call *c, LLVMValueRef *r)
{
    const LLVMIntPredicate equal = LLVMIntEQ;
    switch ((int)c->e->builtin) {
    case MF_FN_SMOOTHSTEP: *r = smoothstep(w, c); return true;
    case MF_FN_COPYSIGN: *r = copy_sign(w, c, c->a[0], c->a[1]); return true;
    case MF_FN_DIVIDE: *r = op(w, c, MF_OP_DIV, c->a[0], c->a[1]); return true;
    case MF_FN_FRACT: *r = fraction(w, c); return true;
    case MF_FN_FDIM: *r = difference(w, c); return true;
    case MF_FN_MIX: *r = mixed(w, c); return true;
    case MF_FN_STEP: *r = step(w, c); return true;
    case MF_FN_ISNORMAL: *r = is_normal(w, c); return true;
    case MF_FN_ISNAN: *r = op(w, c, MF_OP_NE, c->a[0], c->a[0]); return true;
    case MF_FN_ISORDERED: *r = both(w, c, MF_OP_EQ, true); return true;
    case MF_FN_ISUNORDERED: *r = both(w, c, MF_OP_NE, false); return true;
    case MF_FN_ISINF: *r = LLVMBuildICmp(w->b, equal, magnitude(w, c, c->a[0]), bits_number(w, c, infinity_bits(c)), ""); return true;
    case MF_FN_ISFINITE:
        *r = LLVMBuildICmp(w->b, LLVMIntULT, magnitude(w, c, c->a[0]), bits_number(w, c, infinity_bits(c)), "");
        return true;
    case MF_FN_SIGNBIT:
        *r = LLVMBuildICmp(w->b, LLVMIntSLT, bits(w, c, c->a[0]), bits_number(w, c, 0), "");
        return true;
    default: return false;
    }
}

/* ---- Integers ---------------------------------------------------------------------------------------------------------- */

/* (a + b) >> 1 without overflow; rounded up where asked. */
static LLVMValueRef half_sum(air_writer *w, const call *c, bool up)
{
    LLVMValueRef common = up ? LLVMBuildOr(w->b, c->a[0], c->a[1], "") : LLVMBuildAnd(w->b, c->a[0], c->a[1], "");
    LLVMValueRef half = op(w, c, MF_OP_SHR, LLVMBuildXor(w->b, c->a[0], c->a[1], ""), number(w, c, 0, 1));
    return op(w, c, up ? MF_OP_SUB : MF_OP_ADD, common, half);
}

/* Sum or difference, held at the ends of the range. */
static LLVMValueRef saturating(air_writer *w, const call *c, mf_op o)
{
    LLVMValueRef a = c->a[0], b = c->a[1], r = op(w, c, o, a, b), zero = number(w, c, 0, 0);
    if (!c->is_signed) {
        if (o == MF_OP_ADD) return pick(w, op(w, c, MF_OP_LT, r, a), number(w, c, 0, UINT64_MAX), r);
        return pick(w, op(w, c, MF_OP_LT, a, b), zero, r);
    }
    LLVMValueRef x = LLVMBuildXor(w->b, a, r, ""), y = LLVMBuildXor(w->b, o == MF_OP_ADD ? b : a, o == MF_OP_ADD ? r : b, "");
    LLVMValueRef over = op(w, c, MF_OP_LT, LLVMBuildAnd(w->b, x, y, ""), zero);
    LLVMValueRef end = pick(w, op(w, c, MF_OP_LT, a, zero), number(w, c, 0, sign_mask(c)), number(w, c, 0, sign_mask(c) - 1));
    return pick(w, over, end, r);
}

/* By halves: the four products of 32 bits, and for signed numbers what they are short of. */
static LLVMValueRef upper_product_64(air_writer *w, const call *c)
{
    LLVMValueRef a = c->a[0], b = c->a[1], low = number(w, c, 0, UINT32_MAX), by = number(w, c, 0, 32);
    LLVMValueRef al = LLVMBuildAnd(w->b, a, low, ""), ah = LLVMBuildLShr(w->b, a, by, "");
    LLVMValueRef bl = LLVMBuildAnd(w->b, b, low, ""), bh = LLVMBuildLShr(w->b, b, by, "");
    LLVMValueRef ll = LLVMBuildMul(w->b, al, bl, ""), hl = LLVMBuildMul(w->b, ah, bl, ""), lh = LLVMBuildMul(w->b, al, bh, "");
    LLVMValueRef middle = LLVMBuildAdd(w->b, LLVMBuildLShr(w->b, ll, by, ""), LLVMBuildAnd(w->b, hl, low, ""), "");
    middle = LLVMBuildAdd(w->b, middle, LLVMBuildAnd(w->b, lh, low, ""), "");
    LLVMValueRef r = LLVMBuildAdd(w->b, LLVMBuildMul(w->b, ah, bh, ""), LLVMBuildLShr(w->b, hl, by, ""), "");
    r = LLVMBuildAdd(w->b, r, LLVMBuildLShr(w->b, lh, by, ""), "");
    r = LLVMBuildAdd(w->b, r, LLVMBuildLShr(w->b, middle, by, ""), "");
    if (!c->is_signed) return r;
    LLVMValueRef sign = number(w, c, 0, 63);
    r = LLVMBuildSub(w->b, r, LLVMBuildAnd(w->b, LLVMBuildAShr(w->b, a, sign, ""), b, ""), "");
    return LLVMBuildSub(w->b, r, LLVMBuildAnd(w->b, LLVMBuildAShr(w->b, b, sign, ""), a, ""), "");
}

static LLVMValueRef upper_product(air_writer *w, const call *c)
{
    if (mf_scalar_size(c->t->scalar) == 8) return upper_product_64(w, c);
    const unsigned width = 8 * mf_scalar_size(c->t->scalar);
    LLVMTypeRef wide = LLVMIntTypeInContext(w->c, 2 * width);
    if (c->t->width > 1) wide = LLVMVectorType(wide, c->t->width);
    LLVMValueRef a = LLVMBuildIntCast2(w->b, c->a[0], wide, c->is_signed, ""), b = LLVMBuildIntCast2(w->b, c->a[1], wide, c->is_signed, "");
    LLVMValueRef by = LLVMConstInt(LLVMIntTypeInContext(w->c, 2 * width), width, 0);
    if (c->t->width > 1) by = air_write_splat(w, by, c->t->width);
    return LLVMBuildTrunc(w->b, LLVMBuildLShr(w->b, LLVMBuildMul(w->b, a, b, ""), by, ""), c->type, "");
}

static LLVMValueRef rotated(air_writer *w, const call *c)
{
    const unsigned width = 8 * mf_scalar_size(c->t->scalar);
    LLVMValueRef most = number(w, c, 0, width - 1), n = LLVMBuildAnd(w->b, c->a[1], most, "");
    LLVMValueRef back = LLVMBuildAnd(w->b, LLVMBuildNeg(w->b, n, ""), most, "");
    return LLVMBuildOr(w->b, LLVMBuildShl(w->b, c->a[0], n, ""), LLVMBuildLShr(w->b, c->a[0], back, ""), "");
}

/* A number of bits or an offset as an element of the type. */
static LLVMValueRef as_element(air_writer *w, const call *c, LLVMValueRef n)
{
    n = LLVMBuildIntCast2(w->b, n, air_write_scalar(w, c->t->scalar), 0, "");
    return c->t->width > 1 ? air_write_splat(w, n, c->t->width) : n;
}

/* A mask of `n` ones; all ones where that is the width or more. */
static LLVMValueRef ones(air_writer *w, const call *c, LLVMValueRef n)
{
    const unsigned width = 8 * mf_scalar_size(c->t->scalar);
    LLVMValueRef all = LLVMBuildICmp(w->b, LLVMIntUGE, n, air_write_int(w, width), "");
    LLVMValueRef one = op(w, c, MF_OP_SHL, number(w, c, 0, 1), as_element(w, c, n));
    return pick(w, all, number(w, c, 0, UINT64_MAX), LLVMBuildSub(w->b, one, number(w, c, 0, 1), ""));
}

static LLVMValueRef extracted(air_writer *w, const call *c)
{
    LLVMValueRef offset = c->a[1], n = c->a[2];
    if (!c->is_signed) return LLVMBuildAnd(w->b, op(w, c, MF_OP_SHR, c->a[0], as_element(w, c, offset)), ones(w, c, n), "");
    LLVMValueRef width = air_write_int(w, 8u * mf_scalar_size(c->t->scalar));
    LLVMValueRef up = LLVMBuildSub(w->b, width, LLVMBuildAdd(w->b, offset, n, ""), ""), down = LLVMBuildSub(w->b, width, n, "");
    LLVMValueRef r = op(w, c, MF_OP_SHL, c->a[0], as_element(w, c, up));
    r = op(w, c, MF_OP_SHR, r, as_element(w, c, down));
    return pick(w, LLVMBuildICmp(w->b, LLVMIntEQ, n, air_write_int(w, 0), ""), number(w, c, 0, 0), r);
}

static LLVMValueRef inserted(air_writer *w, const call *c)
{
    LLVMValueRef shift = as_element(w, c, c->a[2]), mask = op(w, c, MF_OP_SHL, ones(w, c, c->a[3]), shift);
    LLVMValueRef kept = LLVMBuildAnd(w->b, c->a[0], LLVMBuildNot(w->b, mask, ""), "");
    return LLVMBuildOr(w->b, kept, LLVMBuildAnd(w->b, op(w, c, MF_OP_SHL, c->a[1], shift), mask, ""), "");
}

static LLVMValueRef zeros(air_writer *w, const call *c, const char *name)
{
    LLVMValueRef args[2] = {c->a[0], LLVMConstInt(w->i1, 0, 0)};
    return air_write_air(w, str_format(w->mem, "%s.%s", name, air_write_type_name(w, c->t, false).p).p, c->type, args, 2);
}

static LLVMValueRef plain(air_writer *w, const call *c, const char *name)
{
    LLVMValueRef a = c->a[0];
    return air_write_air(w, str_format(w->mem, "%s.%s", name, air_write_type_name(w, c->t, false).p).p, c->type, &a, 1);
}

static LLVMValueRef absolute_difference(air_writer *w, const call *c)
{
    LLVMValueRef less = op(w, c, MF_OP_LT, c->a[0], c->a[1]);
    return pick(w, less, LLVMBuildSub(w->b, c->a[1], c->a[0], ""), LLVMBuildSub(w->b, c->a[0], c->a[1], ""));
}

static bool int_function(air_writer *w, const call *c, LLVMValueRef *r)
{
    switch ((int)c->e->builtin) {
    case MF_FN_ABSDIFF: *r = absolute_difference(w, c); return true;
    case MF_FN_ADDSAT: *r = saturating(w, c, MF_OP_ADD); return true;
    case MF_FN_SUBSAT: *r = saturating(w, c, MF_OP_SUB); return true;
    case MF_FN_CLZ: *r = zeros(w, c, "clz"); return true;
    case MF_FN_CTZ: *r = zeros(w, c, "ctz"); return true;
    case MF_FN_POPCOUNT: *r = plain(w, c, "popcount"); return true;
    case MF_FN_REVERSE_BITS: *r = plain(w, c, "reverse_bits"); return true;
    case MF_FN_EXTRACT_BITS: *r = extracted(w, c); return true;
    case MF_FN_INSERT_BITS: *r = inserted(w, c); return true;
    case MF_FN_HADD: *r = half_sum(w, c, false); return true;
    case MF_FN_RHADD: *r = half_sum(w, c, true); return true;
    case MF_FN_MAD24: *r = op(w, c, MF_OP_ADD, op(w, c, MF_OP_MUL, c->a[0], c->a[1]), c->a[2]); return true;
    case MF_FN_MUL24: *r = op(w, c, MF_OP_MUL, c->a[0], c->a[1]); return true;
    case MF_FN_MULHI: *r = upper_product(w, c); return true;
    case MF_FN_MADHI: *r = op(w, c, MF_OP_ADD, upper_product(w, c), c->a[2]); return true;
    case MF_FN_ROTATE: *r = rotated(w, c); return true;
    default: return false;
    }
}

/* ---- Both ---------------------------------------------------------------------------------------------------------------- */

static LLVMValueRef absolute(air_writer *w, const call *c)
{
    LLVMValueRef a = c->a[0];
    if (c->is_float) return named(w, c, "fabs", &a, 1);
    if (!c->is_signed) return a;
    return pick(w, op(w, c, MF_OP_LT, a, number(w, c, 0, 0)), LLVMBuildNeg(w->b, a, ""), a);
}

static bool common_function(air_writer *w, const call *c, LLVMValueRef *r)
{
    LLVMValueRef a = c->a[0], b = c->a[1], d = c->a[2], args[3] = {a, b, d};
    switch ((int)c->e->builtin) {
    case MF_FN_ABS:
    case MF_FN_FABS: *r = absolute(w, c); return true;
    case MF_FN_CLAMP: *r = clamped(w, c, a, b, d); return true;
    case MF_FN_MAX:
    case MF_FN_FMAX: *r = greatest(w, c, a, b); return true;
    case MF_FN_MIN:
    case MF_FN_FMIN: *r = least(w, c, a, b); return true;
    case MF_FN_MAX3:
    case MF_FN_FMAX3: *r = greatest(w, c, greatest(w, c, a, b), d); return true;
    case MF_FN_MIN3:
    case MF_FN_FMIN3: *r = least(w, c, least(w, c, a, b), d); return true;
    case MF_FN_MEDIAN3:
    case MF_FN_FMEDIAN3: *r = median(w, c); return true;
    case MF_FN_SATURATE: *r = clamped(w, c, a, number(w, c, 0, 0), number(w, c, 1, 1)); return true;
    case MF_FN_SELECT: *r = pick(w, d, b, a); return true;
    case MF_FN_FMA: {
        const str name = str_format(w->mem, "fma.%s", air_write_type_name(w, c->t, false).p);
        *r = air_write_air(w, name.p, c->type, args, 3);
        return true;
    }
    default: return false;
    }
}

/* ---- Geometry: sums over elements, left to right ------------------------------------------------------------------------- */

static LLVMValueRef part(air_writer *w, LLVMValueRef v, unsigned i)
{
    return LLVMBuildExtractElement(w->b, v, air_write_int(w, i), "");
}

static LLVMValueRef dot(air_writer *w, const call *c, LLVMValueRef a, LLVMValueRef b)
{
    const mf_type *one = mf_scalar_type(c->t->scalar);
    LLVMValueRef p = op(w, c, MF_OP_MUL, a, b), s = part(w, p, 0);
    for (unsigned i = 1; i < c->t->width; ++i) s = air_write_binary(w, MF_OP_ADD, one, s, part(w, p, i));
    return s;
}

static LLVMValueRef root(air_writer *w, const call *c, const char *name, LLVMValueRef v)
{
    call one = *c;
    one.t = mf_scalar_type(c->t->scalar);
    one.type = air_write_value_type(w, one.t);
    return named(w, &one, name, &v, 1);
}

static LLVMValueRef cross(air_writer *w, const call *c)
{
    static const unsigned left[3] = {1, 2, 0}, right[3] = {2, 0, 1};
    LLVMValueRef l[3], r[3];
    for (unsigned i = 0; i < 3; ++i) {
        l[i] = air_write_int(w, left[i]);
        r[i] = air_write_int(w, right[i]);
    }
    LLVMValueRef ml = LLVMConstVector(l, 3), mr = LLVMConstVector(r, 3), none = LLVMGetUndef(c->type);
    LLVMValueRef a1 = LLVMBuildShuffleVector(w->b, c->a[0], none, ml, ""), a2 = LLVMBuildShuffleVector(w->b, c->a[0], none, mr, "");
    LLVMValueRef b1 = LLVMBuildShuffleVector(w->b, c->a[1], none, ml, ""), b2 = LLVMBuildShuffleVector(w->b, c->a[1], none, mr, "");
    return op(w, c, MF_OP_SUB, op(w, c, MF_OP_MUL, a1, b2), op(w, c, MF_OP_MUL, a2, b1));
}

static LLVMValueRef spread(air_writer *w, const call *c, LLVMValueRef s)
{
    return air_write_splat(w, s, c->t->width);
}

static LLVMValueRef all_or_any(air_writer *w, const call *c, bool all)
{
    if (c->t->width == 1) return c->a[0];
    LLVMValueRef r = part(w, c->a[0], 0);
    for (unsigned i = 1; i < c->t->width; ++i) {
        LLVMValueRef e = part(w, c->a[0], i);
        r = all ? LLVMBuildAnd(w->b, r, e, "") : LLVMBuildOr(w->b, r, e, "");
    }
    return r;
}

/* Of the direction a[0] at a surface whose normal is a[1]; 0 where nothing goes through. */
static LLVMValueRef refracted(air_writer *w, const call *c)
{
    const mf_type *t = mf_scalar_type(c->t->scalar);
    LLVMValueRef eta = c->a[2], d = dot(w, c, c->a[1], c->a[0]), one = air_write_number(w, t, (mf_constant){.f = 1.0});
    LLVMValueRef rest = air_write_binary(w, MF_OP_SUB, t, one, air_write_binary(w, MF_OP_MUL, t, d, d));
    LLVMValueRef k = air_write_binary(w, MF_OP_MUL, t, air_write_binary(w, MF_OP_MUL, t, eta, eta), rest);
    k = air_write_binary(w, MF_OP_SUB, t, one, k);
    LLVMValueRef by = air_write_binary(w, MF_OP_ADD, t, air_write_binary(w, MF_OP_MUL, t, eta, d), root(w, c, "sqrt", k));
    LLVMValueRef through = op(w, c, MF_OP_SUB, op(w, c, MF_OP_MUL, c->a[0], spread(w, c, eta)), op(w, c, MF_OP_MUL, c->a[1], spread(w, c, by)));
    return pick(w, air_write_binary(w, MF_OP_LT, t, k, air_write_zero(w, t)), air_write_zero(w, c->t), through);
}

static bool geometry(air_writer *w, const call *c, LLVMValueRef *r)
{
    LLVMValueRef a = c->a[0], b = c->a[1];
    const mf_type *one = mf_scalar_type(c->t->scalar);
    switch ((int)c->e->builtin) {
    case MF_FN_DOT: *r = dot(w, c, a, b); return true;
    case MF_FN_CROSS: *r = cross(w, c); return true;
    case MF_FN_LENGTH: *r = root(w, c, "sqrt", dot(w, c, a, a)); return true;
    case MF_FN_LENGTH_SQUARED: *r = dot(w, c, a, a); return true;
    case MF_FN_DISTANCE:
    case MF_FN_DISTANCE_SQUARED: {
        LLVMValueRef d = op(w, c, MF_OP_SUB, a, b), s = dot(w, c, d, d);
        *r = c->e->builtin == MF_FN_DISTANCE ? root(w, c, "sqrt", s) : s;
        return true;
    }
    case MF_FN_NORMALIZE: *r = op(w, c, MF_OP_MUL, a, spread(w, c, root(w, c, "rsqrt", dot(w, c, a, a)))); return true;
    case MF_FN_REFLECT: {
        LLVMValueRef two = air_write_number(w, one, (mf_constant){.f = 2.0});
        LLVMValueRef twice = air_write_binary(w, MF_OP_MUL, one, two, dot(w, c, b, a));
        *r = op(w, c, MF_OP_SUB, a, op(w, c, MF_OP_MUL, b, spread(w, c, twice)));
        return true;
    }
    case MF_FN_REFRACT: *r = refracted(w, c); return true;
    case MF_FN_FACEFORWARD: {
        LLVMValueRef front = air_write_binary(w, MF_OP_LT, one, dot(w, c, b, c->a[2]), air_write_zero(w, one));
        *r = pick(w, front, a, op(w, c, MF_OP_MUL, a, number(w, c, -1, 0)));
        return true;
    }
    case MF_FN_ALL: *r = all_or_any(w, c, true); return true;
    case MF_FN_ANY: *r = all_or_any(w, c, false); return true;
    default: return false;
    }
}

/* ---- Functions of AIR by name ------------------------------------------------------------------------------------------- */

static const struct {
    mf_builtin builtin;
    const char *name;
} math[] = {
    {MF_FN_ACOS, "acos"},   {MF_FN_ACOSH, "acosh"}, {MF_FN_ASIN, "asin"},   {MF_FN_ASINH, "asinh"}, {MF_FN_ATAN, "atan"},
    {MF_FN_ATAN2, "atan2"}, {MF_FN_ATANH, "atanh"}, {MF_FN_CEIL, "ceil"},   {MF_FN_COS, "cos"},     {MF_FN_COSH, "cosh"},
    {MF_FN_COSPI, "cospi"}, {MF_FN_EXP, "exp"},     {MF_FN_EXP10, "exp10"}, {MF_FN_EXP2, "exp2"},   {MF_FN_FLOOR, "floor"},
    {MF_FN_FMOD, "fmod"},   {MF_FN_LOG, "log"},     {MF_FN_LOG10, "log10"}, {MF_FN_LOG2, "log2"},   {MF_FN_POW, "pow"},
    {MF_FN_POWR, "powr"},   {MF_FN_RINT, "rint"},   {MF_FN_ROUND, "round"}, {MF_FN_RSQRT, "rsqrt"}, {MF_FN_SIN, "sin"},
    {MF_FN_SINH, "sinh"},   {MF_FN_SINPI, "sinpi"}, {MF_FN_SQRT, "sqrt"},   {MF_FN_TAN, "tan"},     {MF_FN_TANH, "tanh"},
    {MF_FN_TANPI, "tanpi"}, {MF_FN_TRUNC, "trunc"}, {MF_FN_SIGN, "sign"},
};

/* The next number of 16 bits from x towards another: its bits, one up or down. */
static LLVMValueRef next_small(air_writer *w, const call *c, LLVMValueRef x, LLVMValueRef to)
{
    LLVMValueRef b = bits(w, c, x), one = bits_number(w, c, 1), up = op(w, c, MF_OP_LT, x, to);
    LLVMValueRef positive = LLVMBuildICmp(w->b, LLVMIntSGE, b, bits_number(w, c, 0), ""), away = LLVMBuildICmp(w->b, LLVMIntEQ, up, positive, "");
    LLVMValueRef next = LLVMBuildAdd(w->b, b, pick(w, away, one, bits_number(w, c, 0xffff)), "");
    next = pick(w, op(w, c, MF_OP_EQ, x, number(w, c, 0, 0)), pick(w, up, one, bits_number(w, c, 0x8001)), next);
    next = pick(w, op(w, c, MF_OP_EQ, x, to), bits(w, c, to), next);
    LLVMValueRef ordered = LLVMBuildAnd(w->b, op(w, c, MF_OP_EQ, x, x), op(w, c, MF_OP_EQ, to, to), "");
    return pick(w, ordered, LLVMBuildBitCast(w->b, next, c->type, ""), op(w, c, MF_OP_ADD, x, to));
}

/* bfloat goes by way of float. */
static bool math_function(air_writer *w, const call *c, LLVMValueRef *r)
{
    for (size_t i = 0; i < sizeof math / sizeof *math; ++i) {
        if (math[i].builtin != c->e->builtin) continue;
        LLVMValueRef args[2] = {c->a[0], c->a[1]};
        const unsigned n = c->e->arg_count;
        if (c->t->scalar != MF_BFLOAT) {
            *r = named(w, c, math[i].name, args, n);
            return true;
        }
        const call f = in_float(w, c);
        for (unsigned k = 0; k < n; ++k) args[k] = widened(w, c, args[k]);
        *r = narrowed(w, c, named(w, &f, math[i].name, args, n));
        return true;
    }
    if (c->e->builtin == MF_FN_NEXTAFTER && c->t->scalar == MF_FLOAT) {
        *r = named2(w, c, "nextafter", c->a[0], c->a[1]);
        return true;
    }
    if (c->e->builtin == MF_FN_NEXTAFTER) {
        *r = next_small(w, c, c->a[0], c->a[1]);
        return true;
    }
    if (c->e->builtin != MF_FN_LDEXP && c->e->builtin != MF_FN_ILOGB) return false;
    const call f = in_float(w, c);
    LLVMValueRef args[2] = {widened(w, c, c->a[0]), c->a[1]};
    const str type = air_write_type_name(w, f.t, false);
    if (c->e->builtin == MF_FN_ILOGB) {
        const LLVMTypeRef ints = air_write_value_type(w, c->e->type);
        *r = air_write_air(w, str_format(w->mem, "ilogb.%s", type.p).p, ints, args, 1);
    } else {
        *r = narrowed(w, c, air_write_air(w, str_format(w->mem, "ldexp.%s", type.p).p, f.type, args, 2));
    }
    return true;
}

/* A float's fraction of [0.5, 1) and the exponent that goes with it (0 for zero, infinity and NaN, which are their own
 * fraction), by its bits: frexp is not among AIR's seen functions. */
static LLVMValueRef fraction_and_exponent(air_writer *w, const call *f, LLVMValueRef x, LLVMValueRef *exponent)
{
    LLVMValueRef m = magnitude(w, f, x), small = LLVMBuildICmp(w->b, LLVMIntULT, m, bits_number(w, f, 0x00800000), "");
    LLVMValueRef y = pick(w, small, op(w, f, MF_OP_MUL, x, number(w, f, 16777216.0, 0)), x); /* denormals times 2^24 */
    LLVMValueRef e = LLVMBuildLShr(w->b, magnitude(w, f, y), bits_number(w, f, 23), "");
    e = LLVMBuildSub(w->b, e, pick(w, small, bits_number(w, f, 126 + 24), bits_number(w, f, 126)), "");
    LLVMValueRef r = LLVMBuildAnd(w->b, bits(w, f, y), bits_number(w, f, 0x807fffff), "");
    r = LLVMBuildBitCast(w->b, LLVMBuildOr(w->b, r, bits_number(w, f, 0x3f000000), ""), f->type, "");
    LLVMValueRef own = LLVMBuildICmp(w->b, LLVMIntUGE, m, bits_number(w, f, infinity_bits(f)), "");
    own = LLVMBuildOr(w->b, own, LLVMBuildICmp(w->b, LLVMIntEQ, m, bits_number(w, f, 0), ""), "");
    *exponent = pick(w, own, bits_number(w, f, 0), e);
    return pick(w, own, x, r);
}

/* Functions with a second result: f(x, thread T &out). */
static LLVMValueRef two_results(air_writer *w, call *c)
{
    const air_place out = air_write_place(w, c->e->args[1]);
    const call f = in_float(w, c);
    LLVMValueRef x = widened(w, c, c->a[0]), first, second;
    if (c->e->builtin == MF_FN_FREXP) {
        first = fraction_and_exponent(w, &f, x, &second);
        air_write_store(w, out, second);
        return narrowed(w, c, first);
    }
    if (c->e->builtin == MF_FN_SINCOS) {
        first = named(w, &f, "sin", &x, 1);
        second = named(w, &f, "cos", &x, 1);
    } else {
        second = named(w, &f, "trunc", &x, 1);
        LLVMValueRef whole = op(w, &f, MF_OP_EQ, second, x), rest = op(w, &f, MF_OP_SUB, x, second);
        first = copy_sign(w, &f, pick(w, whole, number(w, &f, 0, 0), rest), x);
    }
    air_write_store(w, out, narrowed(w, c, second));
    return narrowed(w, c, first);
}

static bool is_fast(const air_writer *w, const mf_expr *e)
{
    if (e->math == MF_MATH_FAST) return true;
    return e->math == MF_MATH_DEFAULT && !w->precise;
}

LLVMValueRef air_write_builtin(air_writer *w, const mf_expr *e)
{
    const unsigned traits = mf_builtin_traits(e->builtin);
    if ((traits & (MF_ATOMIC | MF_CROSS_LANE | MF_BARRIER)) != 0 || e->builtin == MF_FN_MAKE_FILLED_SIMDGROUP_MATRIX)
        return air_write_group(w, e);
    if ((traits & MF_TEXTURE) != 0 && w->inner) return air_write_texture(w, e);
    call c = {.e = e, .fast = is_fast(w, e)};
    const bool two = e->builtin == MF_FN_SINCOS || e->builtin == MF_FN_MODF || e->builtin == MF_FN_FREXP;
    LLVMValueRef r = air_write_pack(w, e);
    if (r != NULL) return r;
    if (e->arg_count != 0 && e->arg_count <= 4 && ((traits & MF_PURE) != 0 || two)) {
        c.t = e->args[0]->type;
        c.type = air_write_value_type(w, c.t);
        c.is_float = mf_scalar_is_float(c.t->scalar);
        c.is_signed = mf_scalar_class(c.t->scalar) == MF_CLASS_SIGNED;
        for (uint32_t i = 0; i < e->arg_count && !(two && i == 1); ++i) c.a[i] = air_write_value(w, e->args[i]);
        if (two) return two_results(w, &c);
        if (mf_is_numeric(c.t) && (common_function(w, &c, &r) || float_function(w, &c, &r) || geometry(w, &c, &r) || math_function(w, &c, &r)))
            return r;
        if (mf_is_numeric(c.t) && int_function(w, &c, &r)) return r;
    }
    air_write_refuse(w, e->at, "'%s' is not supported", mf_builtin_name(e->builtin));
    return e->type->kind == MF_TYPE_VOID ? NULL : air_write_zero(w, e->type);
}
