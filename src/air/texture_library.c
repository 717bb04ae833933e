/* AIR's texture functions by the library of Metal text that the software device samples with: for each one declared a function of the
 * text, over the numbers of texture and sampler, and a body that calls it. */
#include "air/texture_library.h"

#include <llvm-c/Linker.h>
#include <string.h>

#include "air/compile.h"
#include "base/buf.h"
#include "base/error.h"

const air_texture_shape air_texture_shapes[AIR_TEXTURE_SHAPES] = {
#define AIR_TEXTURE(air, msl, dims, array, cube, depth, ms) {air, msl, dims, array, cube, depth, ms},
#include "air/textures.def"
#undef AIR_TEXTURE
};

/* ---- Samplers ----------------------------------------------------------------------------------------------------------- */

/* AIR, bits from the lowest: three of each address mode, two of magnification, minification and mip filter, one of pixel coordinates,
 * four of the compare function, four of anisotropy, least and greatest level as half, two of the border. */
enum { AIR_MAG = 9, AIR_MIN = 11, AIR_MIP = 13, AIR_PIXEL = 15, AIR_COMPARE = 16, AIR_LOW = 24, AIR_HIGH = 40, AIR_BORDER = 56, MOST_HALF = 0x7bff };

/* By the device's numbers: never, less, equal, less_equal, greater, not_equal, greater_equal, always. */
static const uint8_t air_compare[8] = {8, 1, 5, 2, 3, 6, 4, 7};

static uint64_t to_address(uint64_t mode, uint64_t border)
{
    static const uint8_t modes[8] = {4, 0, 2, 3, 1, 0, 0, 0};
    return mode == 0 && border != 0 ? 5 : modes[mode];
}

uint64_t air_sampler_to_device(uint64_t state)
{
    const uint64_t border = state >> AIR_BORDER & 3, high = state >> AIR_HIGH & 0x7fff;
    uint64_t r = (uint64_t)1 << 63 | (state >> AIR_MIN & 1) | (state >> AIR_MAG & 1) << 1 | (state >> AIR_MIP & 3) << 2 | (state >> AIR_PIXEL & 1) << 4;
    for (int d = 0; d < 3; ++d) r |= to_address(state >> 3 * d & 7, border) << (5 + 3 * d);
    for (uint64_t k = 0; k < 8; ++k)
        if (air_compare[k] == (state >> AIR_COMPARE & 15)) r |= k << 16;
    return r | border << 14 | (state >> AIR_LOW & 0x7fff) << 20 | (high == MOST_HALF ? 0 : high) << 35;
}

uint64_t air_sampler_from_device(uint64_t bits)
{
    static const uint8_t modes[8] = {1, 4, 2, 3, 0, 0, 0, 0};
    const uint64_t high = bits >> 35 & 0x7fff;
    uint64_t r = (bits >> 1 & 1) << AIR_MAG | (bits & 1) << AIR_MIN | (bits >> 2 & 3) << AIR_MIP | (bits >> 4 & 1) << AIR_PIXEL;
    for (int d = 0; d < 3; ++d) r |= (uint64_t)modes[bits >> (5 + 3 * d) & 7] << 3 * d;
    r |= (uint64_t)air_compare[bits >> 16 & 7] << AIR_COMPARE | (bits >> 20 & 0x7fff) << AIR_LOW | (high == 0 ? MOST_HALF : high) << AIR_HIGH;
    return r | (bits >> 14 & 3) << AIR_BORDER;
}

/* A state is an i64, or from AIR 2.7 on the first of two. */
static bool state_of(LLVMValueRef global, uint64_t *out)
{
    LLVMValueRef v = LLVMIsAGlobalVariable(global) != NULL ? LLVMGetInitializer(global) : NULL;
    if (v == NULL) return false;
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMArrayTypeKind && LLVMGetArrayLength(LLVMTypeOf(v)) != 0) {
        v = air_part(v, 0);
    }
    if (v == NULL || LLVMIsAConstantInt(v) == NULL) return false;
    *out = LLVMConstIntGetZExtValue(v);
    return true;
}

static void place_samplers(arena *mem, LLVMContextRef c, LLVMModuleRef m)
{
    const unsigned n = LLVMGetNamedMetadataNumOperands(m, "air.sampler_states");
    LLVMValueRef *all = arena_array(mem, LLVMValueRef, n + 1);
    if (n != 0) LLVMGetNamedMetadataOperands(m, "air.sampler_states", all);
    for (unsigned i = 0; i < n; ++i) {
        LLVMValueRef pair[2];
        uint64_t state;
        if (LLVMIsAMDNode(all[i]) == NULL || LLVMGetMDNodeNumOperands(all[i]) != 2) continue;
        LLVMGetMDNodeOperands(all[i], pair);
        if (pair[1] == NULL || !state_of(pair[1], &state)) continue;
        LLVMValueRef bits = LLVMConstInt(LLVMInt64TypeInContext(c), air_sampler_to_device(state), 0);
        LLVMReplaceAllUsesWith(pair[1], LLVMConstIntToPtr(bits, LLVMTypeOf(pair[1])));
    }
}

/* ---- Names ---------------------------------------------------------------------------------------------------------------- */

typedef enum family { SAMPLE, COMPARE, GATHER, READ, WRITE, QUERY, FENCE, CHANGE } family;

static const struct {
    const char *name;
    family family;
    uint8_t what; /* QUERY: as __texture_query has it; CHANGE: as __texture_atomic */
} ops[] = {{"sample_compare_", COMPARE, 0},
           {"sample_", SAMPLE, 0},
           {"gather_", GATHER, 0},
           {"read_", READ, 0},
           {"write_", WRITE, 0},
           {"fence_", FENCE, 0},
           {"get_width_", QUERY, 0},
           {"get_height_", QUERY, 1},
           {"get_depth_", QUERY, 2},
           {"get_array_size_", QUERY, 3},
           {"get_num_mip_levels_", QUERY, 4},
           {"get_num_samples_", QUERY, 6},
           {"atomic_load_explicit_", CHANGE, 0},
           {"atomic_store_explicit_", CHANGE, 1},
           {"atomic_exchange_explicit_", CHANGE, 2},
           {"atomic_compare_exchange_weak_explicit_", CHANGE, 3},
           {"atomic_fetch_add_explicit_", CHANGE, 4},
           {"atomic_fetch_sub_explicit_", CHANGE, 5},
           {"atomic_fetch_min_explicit_", CHANGE, 6},
           {"atomic_fetch_max_explicit_", CHANGE, 7},
           {"atomic_fetch_and_explicit_", CHANGE, 8},
           {"atomic_fetch_or_explicit_", CHANGE, 9},
           {"atomic_fetch_xor_explicit_", CHANGE, 10}};
enum { COMPARE_EXCHANGE = 3 };

/* One declared function, its parameters taken one after the other. */
typedef struct draft {
    arena *mem;
    LLVMValueRef f;
    family family;
    unsigned what;
    const air_texture_shape *shape;
    bool grad;
    const char *texel; /* "half" */
    unsigned next, count;
    bool bad;          /* its parameters are not as expected */
} draft;

static bool eat(str *s, const char *start)
{
    const size_t n = strlen(start);
    if (!str_starts(*s, str_of(start))) return false;
    *s = (str){s->p + n, s->n - n};
    return true;
}

static const char *texel_of(str types)
{
    (void)eat(&types, ".i16"); /* of the place */
    const bool is_signed = eat(&types, ".s"), is_unsigned = !is_signed && eat(&types, ".u");
    (void)(eat(&types, ".v4") || eat(&types, "."));
    if (str_is(types, "f32")) return "float";
    if (str_is(types, "f16")) return "half";
    if (str_is(types, "i32")) return is_signed ? "int" : "uint";
    if (str_is(types, "i16")) return is_signed ? "short" : is_unsigned ? "ushort" : NULL;
    return types.n == 0 ? "float" : NULL;
}

/* False where it is no texture function that the device has. */
static bool parse(draft *d, LLVMValueRef f)
{
    str s = air_name(f);
    size_t i = 0, k = 0;
    if (!eat(&s, "air.")) return false;
    while (i < sizeof ops / sizeof *ops && !eat(&s, ops[i].name)) ++i;
    if (i == sizeof ops / sizeof *ops) return false;
    while (k < AIR_TEXTURE_SHAPES && !eat(&s, air_texture_shapes[k].air)) ++k;
    if (k == AIR_TEXTURE_SHAPES) return false;
    d->f = f;
    d->family = ops[i].family;
    d->what = ops[i].what;
    d->shape = &air_texture_shapes[k];
    d->grad = eat(&s, "_grad");
    d->texel = texel_of(s);
    d->next = 1; /* the texture itself */
    d->count = LLVMCountParams(f);
    const bool no_cube = d->family == COMPARE || d->family == GATHER || d->family == CHANGE || d->grad;
    return d->count != 0 && d->texel != NULL && !(d->shape->cube && no_cube);
}

/* ---- The text of one function --------------------------------------------------------------------------------------------- */

static LLVMTypeRef type_at(const draft *d, unsigned i)
{
    return i < d->count ? LLVMTypeOf(LLVMGetParam(d->f, i)) : NULL;
}

static LLVMTypeRef element(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

static bool is_kind(const draft *d, unsigned i, LLVMTypeKind kind)
{
    const LLVMTypeRef t = type_at(d, i);
    return t != NULL && LLVMGetTypeKind(element(t)) == kind;
}

static bool is_flag(const draft *d, unsigned i)
{
    return is_kind(d, i, LLVMIntegerTypeKind) && LLVMGetIntTypeWidth(element(type_at(d, i))) == 1;
}

static unsigned width(const draft *d, unsigned i)
{
    const LLVMTypeRef t = type_at(d, i);
    return t != NULL && LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

/* The next parameter's name, where it is of that kind and width. */
static const char *take(draft *d, LLVMTypeKind kind, unsigned n)
{
    if (!is_kind(d, d->next, kind) || width(d, d->next) != n) d->bad = true;
    return str_format(d->mem, "a%u", d->next++).p;
}
static const char *take_int(draft *d, unsigned n)
{
    return take(d, LLVMIntegerTypeKind, n);
}
static const char *take_float(draft *d, unsigned n)
{
    return take(d, LLVMFloatTypeKind, n);
}

static void skip_format(draft *d)
{
    if (d->shape->depth) (void)take_int(d, 1);
}

/* A vector of three of a place or an offset of fewer. */
static const char *widened(draft *d, const char *type, const char *v, unsigned n)
{
    return str_format(d->mem, n == 1 ? "%s3(%s, 0, 0)" : n == 2 ? "%s3(%s, 0)" : "%s3(%s)", type, v).p;
}

static const char *take_offset(draft *d)
{
    const unsigned n = d->shape->dims;
    if (d->shape->cube || !is_flag(d, d->next) || !is_kind(d, d->next + 1, LLVMIntegerTypeKind) || is_flag(d, d->next + 1)) return "int3(0)";
    ++d->next;
    return widened(d, "int", take_int(d, n), n);
}

/* The level: (flag, level) or (flag, level or bias, least), where the flag says that it is a level. */
static const char *take_level(draft *d)
{
    const char *flag = take_int(d, 1), *level = take_float(d, 1);
    if (!is_kind(d, d->next, LLVMFloatTypeKind)) return level;
    return str_format(d->mem, "%s ? %s : max(%s, %s)", flag, level, level, take_float(d, 1)).p;
}

/* (texture, sampler, [format], place, [layer], [reference], [gradients, least level], [flag, offset], flag, level, ...) */
static const char *sampled(draft *d)
{
    const air_texture_shape *s = d->shape;
    if (!is_kind(d, d->next++, LLVMPointerTypeKind)) d->bad = true;
    skip_format(d);
    const unsigned n = s->cube ? 3 : s->dims;
    const char *c = take_float(d, n), *layer = "0", *reference = "0", *level = "0", *dx, *dy;
    if (s->array) layer = str_format(d->mem, "__layer(a0, uint(%s))", take_int(d, 1)).p;
    if (d->family == COMPARE) reference = take_float(d, 1);
    if (d->grad) {
        dx = widened(d, "float", take_float(d, n), n);
        dy = widened(d, "float", take_float(d, n), n);
        level = str_format(d->mem, "max(__gradient_lod<%u>(a0, %s, %s), %s)", n, dx, dy, take_float(d, 1)).p;
    }
    const char *offset = take_offset(d);
    if (d->family == GATHER) {
        const char *part = s->depth ? "0" : take_int(d, 1);
        return str_format(d->mem, "__gather<%s>(a0, a1, %s, %s, %s.xy, component(%s))", d->texel, c, layer, offset, part).p;
    }
    if (!d->grad) level = take_level(d);
    if (d->family == COMPARE) return str_format(d->mem, "__sample_compare(a0, a1, %s, %s, %s, %s, %s.xy)", c, layer, reference, level, offset).p;
    const char *of_depth = s->depth ? ".x" : "";
    if (s->cube) return str_format(d->mem, "__sample_cube<%s>(a0, a1, %s, 6 * %s, %s)%s", d->texel, c, layer, level, of_depth).p;
    return str_format(d->mem, "__sample<%s, %u>(a0, a1, %s, %s, %s, %s)%s", d->texel, s->dims, widened(d, "float", c, n), layer, level, offset, of_depth).p;
}

/* "x, y, z" of (place, [face], [layer], [sample]); `more` behind them is an offset where there is one parameter more than that. */
static const char *take_place(draft *d, unsigned more)
{
    const air_texture_shape *s = d->shape;
    const unsigned n = s->dims;
    const char *c = take_int(d, n), *face = s->cube ? take_int(d, 1) : "0", *layer = s->array ? take_int(d, 1) : NULL, *z = face;
    if (s->cube && layer != NULL) z = str_format(d->mem, "6 * %s + %s", layer, face).p;
    else if (layer != NULL) z = layer;
    if (s->ms) z = str_format(d->mem, "%s * __texture_query(a0, 6, 0) + %s", layer != NULL ? layer : "0", take_int(d, 1)).p;
    if (more != 0 && d->next + more + 1 == d->count) c = str_format(d->mem, "(%s + %s)", c, take_int(d, n)).p;
    if (n == 1) return str_format(d->mem, "uint(%s), 0, uint(%s)", c, z).p;
    if (n == 2) return str_format(d->mem, "uint(%s.x), uint(%s.y), uint(%s)", c, c, z).p;
    return str_format(d->mem, "uint(%s.x), uint(%s.y), uint(%s.z)", c, c, c).p;
}

static bool has_levels(const draft *d)
{
    return !d->shape->ms && strcmp(d->shape->air, "texture_buffer_1d") != 0;
}

/* (texture, [sampler, from AIR 2.8 on], [format], place ..., [offset], [level], access) */
static const char *read_one(draft *d)
{
    if (is_kind(d, d->next, LLVMPointerTypeKind)) ++d->next;
    skip_format(d);
    const char *at = take_place(d, has_levels(d) ? 2 : 1), *level = has_levels(d) ? take_int(d, 1) : "0";
    return str_format(d->mem, "__texel_read<%s>(a0, %s, uint(%s))%s", d->texel, at, level, d->shape->depth ? ".x" : "").p;
}

/* The next parameter is the pixel, whatever its element's type. */
static const char *take_pixel(draft *d)
{
    if (width(d, d->next) != 4) d->bad = true;
    return str_format(d->mem, "vec<%s, 4>(a%u)", d->texel, d->next++).p;
}

/* (texture, place ..., pixel, [level], access) */
static const char *written(draft *d)
{
    const char *at = take_place(d, 0), *pixel = take_pixel(d), *level = has_levels(d) ? take_int(d, 1) : "0";
    return str_format(d->mem, "__texel_write<%s>(a0, %s, uint(%s), %s)", d->texel, at, level, pixel).p;
}

/* (texture, place ..., [expected], operand, order ..., access); of a store the operand comes first. What is expected comes as a value. */
static const char *changed(draft *d)
{
    const bool store = d->what == 1, load = d->what == 0;
    const char *pixel = store ? take_pixel(d) : "", *at = take_place(d, 0), *expected = "0";
    if (d->what == COMPARE_EXCHANGE) expected = str_format(d->mem, "vec<%s, 4>(a%u).x", d->texel, d->next++).p;
    if (!store) pixel = load ? str_format(d->mem, "vec<%s, 4>(0)", d->texel).p : take_pixel(d);
    return str_format(d->mem, "__texel_atomic<%s, %u>(a0, %s, %s.x, %s(%s))", d->texel, d->what, at, pixel, d->texel, expected).p;
}

static const char *expression(draft *d)
{
    switch (d->family) {
    case SAMPLE:
    case COMPARE:
    case GATHER: return sampled(d);
    case READ: return read_one(d);
    case WRITE: return written(d);
    case CHANGE: return changed(d);
    case QUERY: return str_format(d->mem, "__texture_query(a0, %u, uint(%s))", d->what, d->next < d->count ? take_int(d, 1) : "0").p;
    case FENCE: break;
    }
    return "";
}

/* How the text spells a parameter: pointers are numbers, but what an exchange expects is a value. */
static const char *spelled(const draft *d, unsigned i)
{
    const LLVMTypeRef t = type_at(d, i);
    static const char *const of16[4] = {"ushort", "ushort2", "ushort3", "ushort4"}, *const of32[4] = {"int", "int2", "int3", "int4"},
                            *const floats[4] = {"float", "float2", "float3", "float4"}, *const halves[4] = {"half", "half2", "half3", "half4"};
    const unsigned n = width(d, i) - 1;
    const LLVMTypeKind kind = LLVMGetTypeKind(element(t));
    if (kind == LLVMPointerTypeKind) return i > 1 ? "int4" : "ulong";
    if (n > 3) return NULL;
    if (kind == LLVMFloatTypeKind) return floats[n];
    if (kind == LLVMHalfTypeKind) return halves[n];
    if (kind != LLVMIntegerTypeKind) return NULL;
    const unsigned bits = LLVMGetIntTypeWidth(element(t));
    if (bits == 1) return n == 0 ? "bool" : NULL;
    return bits == 16 ? of16[n] : bits == 32 ? of32[n] : NULL;
}

static const char *result_of(const draft *d)
{
    switch (d->family) {
    case FENCE:
    case WRITE: return "void";
    case QUERY: return "uint";
    case COMPARE: return "float";
    case CHANGE: return d->what == 1 ? "void" : str_format(d->mem, "vec<%s, 4>", d->texel).p;
    case SAMPLE:
    case READ:
        if (d->shape->depth) return d->texel;
        break;
    case GATHER: break;
    }
    return str_format(d->mem, "vec<%s, 4>", d->texel).p;
}

/* Adds the function of the text; false where the parameters are not those of such a function. */
static bool put_text(draft *d, unsigned number, buf *out)
{
    const char *body = expression(d), *result = result_of(d);
    bool known = !d->bad && LLVMGetTypeKind(type_at(d, 0)) == LLVMPointerTypeKind;
    for (unsigned i = 0; i < d->count && known; ++i) known = spelled(d, i) != NULL;
    if (!known) return false;
    buf_printf(out, "%s f%u(", result, number);
    for (unsigned i = 0; i < d->count; ++i) buf_printf(out, "%s%s a%u", i != 0 ? ", " : "", spelled(d, i), i);
    buf_printf(out, ") { %s%s; }\n", strcmp(result, "void") == 0 ? "" : "return ", body);
    return true;
}

/* ---- Bodies -------------------------------------------------------------------------------------------------------------- */

static bool is_pointer(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

/* What was asked for of what the text's function gives: itself, or with the byte that says whether the pixel was there (0: it was). */
static LLVMValueRef as_result(LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef v)
{
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind) return v;
    return LLVMBuildInsertValue(b, LLVMConstNull(type), v, 0, "");
}

/* True where the old value is the expected one; what was there goes to where that was. */
static LLVMValueRef exchanged(LLVMBuilderRef b, LLVMValueRef at, LLVMValueRef expected, LLVMValueRef old)
{
    LLVMValueRef zero = LLVMConstNull(LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(old))));
    LLVMValueRef x = LLVMBuildExtractElement(b, old, zero, "");
    LLVMBuildStore(b, LLVMBuildInsertElement(b, expected, x, zero, ""), at);
    return LLVMBuildICmp(b, LLVMIntEQ, x, LLVMBuildExtractElement(b, expected, zero, ""), "");
}

static void write_body(LLVMContextRef c, LLVMBuilderRef b, const draft *d, LLVMValueRef to)
{
    enum { MOST = 16 };
    LLVMValueRef args[MOST], at = NULL, expected = NULL;
    const LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(d->f)), four = LLVMVectorType(LLVMInt32TypeInContext(c), 4);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, d->f, ""));
    for (unsigned i = 0; i < d->count && i < MOST; ++i) {
        args[i] = LLVMGetParam(d->f, i);
        if (is_pointer(args[i]) && i > 1) {
            at = LLVMBuildBitCast(b, args[i], LLVMPointerType(four, LLVMGetPointerAddressSpace(LLVMTypeOf(args[i]))), "");
            args[i] = expected = LLVMBuildLoad2(b, four, at, "");
        } else if (is_pointer(args[i])) {
            args[i] = LLVMBuildPtrToInt(b, args[i], LLVMInt64TypeInContext(c), "");
        }
    }
    LLVMValueRef r = LLVMBuildCall2(b, LLVMGlobalGetValueType(to), to, args, d->count, "");
    if (expected != NULL) LLVMBuildRet(b, exchanged(b, at, expected, r));
    else if (LLVMGetTypeKind(type) == LLVMVoidTypeKind) LLVMBuildRetVoid(b);
    else LLVMBuildRet(b, as_result(b, type, r));
}

/* They would be lies now: the body reads what others write. */
static void drop_attributes(arena *mem, LLVMValueRef f)
{
    const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    const unsigned n = LLVMGetAttributeCountAtIndex(f, at);
    LLVMAttributeRef *all = arena_array(mem, LLVMAttributeRef, n + 1);
    LLVMGetAttributesAtIndex(f, at, all);
    for (unsigned i = 0; i < n; ++i)
        if (LLVMIsEnumAttribute(all[i])) LLVMRemoveEnumAttributeAtIndex(f, at, LLVMGetEnumAttributeKind(all[i]));
}

static bool fits(const draft *d, LLVMValueRef to)
{
    const LLVMTypeRef have = LLVMGetReturnType(LLVMGlobalGetValueType(to));
    LLVMTypeRef want = LLVMGetReturnType(LLVMGlobalGetValueType(d->f));
    if (d->what == COMPARE_EXCHANGE && d->family == CHANGE) return LLVMGetTypeKind(want) == LLVMIntegerTypeKind;
    if (LLVMGetTypeKind(want) == LLVMStructTypeKind) {
        if (LLVMCountStructElementTypes(want) != 2) return false;
        want = LLVMStructGetTypeAtIndex(want, 0);
    }
    return have == want;
}

static bool link_text(arena *mem, air_context *context, LLVMModuleRef m, str text, ingot_error *error)
{
    str bitcode;
    if (!air_write_functions(mem, text, &bitcode, error)) return false;
    LLVMModuleRef library = air_parse(context, bitcode, error);
    if (library == NULL) return false;
    LLVMSetTarget(library, LLVMGetTarget(m));
    LLVMSetDataLayout(library, LLVMGetDataLayoutStr(m));
    if (LLVMLinkModules2(m, library) == 0) return true;
    error_set(error, INGOT_INTERNAL, "its texture functions could not be linked: %s", context->message);
    return false;
}

/* air.get_read_sampler(): what reads without a sampler name as theirs. */
static void define_read_sampler(LLVMContextRef c, LLVMBuilderRef b, LLVMModuleRef m)
{
    LLVMValueRef f = LLVMGetNamedFunction(m, "air.get_read_sampler");
    if (f == NULL || !LLVMIsDeclaration(f) || LLVMCountParams(f) != 0) return;
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, f, ""));
    LLVMBuildRet(b, LLVMConstNull(LLVMGetReturnType(LLVMGlobalGetValueType(f))));
}

bool air_define_textures(arena *mem, air_context *context, LLVMModuleRef m, ingot_error *error)
{
    unsigned most = 0, n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f != NULL; f = LLVMGetNextFunction(f)) ++most;
    draft *all = arena_array(mem, draft, most + 1);
    buf text = buf_make(&mem_default);
    buf_text(&text, "#include <metal_stdlib>\nusing namespace metal;\ntypedef texture2d<float> any;\n"); /* textures are read where they are named */
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f != NULL; f = LLVMGetNextFunction(f)) {
        all[n].mem = mem;
        if (!LLVMIsDeclaration(f) || !parse(&all[n], f) || all[n].count > 16) continue;
        if (put_text(&all[n], n, &text)) ++n;
    }
    const str kept = str_format(mem, "%.*s", (int)text.n, (const char *)text.p);
    buf_free(&text);
    place_samplers(mem, context->c, m);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context->c);
    define_read_sampler(context->c, b, m);
    bool good = n == 0 || link_text(mem, context, m, kept, error);
    for (unsigned i = 0; i < n && good; ++i) {
        LLVMValueRef to = LLVMGetNamedFunction(m, str_format(mem, "f%u", i).p);
        if (to == NULL || !fits(&all[i], to)) continue;
        drop_attributes(mem, all[i].f);
        write_body(context->c, b, &all[i], to);
    }
    LLVMDisposeBuilder(b);
    return good;
}
