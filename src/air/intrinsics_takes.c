/* Whether a call of a function that looks beyond one thread has the arguments and the result which that function has: a damaged
 * module can declare it with others. */
#include "air/lower.h"

#include <string.h>

/* A letter an argument, the result before them: i an integer, p a pointer, n an integer or a float, m two or more of them, v two
 * or more integers of 64 bits, l an integer of 64 bits, w one of 32, f one of 1, a either of n and m, - nothing, ? anything, * any more. */
typedef struct shape {
    const char *name, *shape;
} shape;

static const shape shapes[] = {
    {"wg.barrier", "-ww"},
    {"simdgroup.barrier", "-ww"},
    {"wait_simdgroup_events", "-wp"},
    {"simdgroup_async_copy_1d.", "?llppl"},
    {"simdgroup_async_copy_2d.", "?llpllvpllvvw"},
    {"simdgroup_matrix_8x8_load.", "mplvf"},
    {"simdgroup_matrix_8x8_load.", "mpvvv"},
    {"simdgroup_matrix_8x8_store.", "-mplvf"},
    {"simdgroup_matrix_8x8_store.", "-mpvvv"},
    {"simdgroup_matrix_8x8_multiply_accumulate.", "mmmm"},
    {"simdgroup_matrix_8x8_init_", "mn"},
    {"simd_vote_", "ii"},
    {"quad_vote_", "ii"},
    {"simd_ballot", "if"},
    {"quad_ballot", "if"},
    {"simd_", "i"},
    {"quad_", "i"},
    {"simd_", "aa"},
    {"quad_", "aa"},
    {"simd_", "aai"},
    {"quad_", "aai"},
    {"atomic.fence", "-*"},
    {"atomic.global.load.", "npiii"},
    {"atomic.local.load.", "npiii"},
    {"atomic.global.store.", "-pniii"},
    {"atomic.local.store.", "-pniii"},
    {"atomic.global.cmpxchg.", "nppniiii"},
    {"atomic.local.cmpxchg.", "nppniiii"},
    {"atomic.global.cmpxchg.", "nppniii"},
    {"atomic.local.cmpxchg.", "nppniii"},
    {"atomic.global.", "npniii"},
    {"atomic.local.", "npniii"},
};

static bool is_number(LLVMTypeRef t, bool floats)
{
    const LLVMTypeKind k = LLVMGetTypeKind(t);
    return k == LLVMIntegerTypeKind || (floats && (k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind || k == LLVMFloatTypeKind));
}

static bool is_integer(LLVMTypeRef t, unsigned bits)
{
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == bits;
}

static bool is_like(LLVMTypeRef t, char letter)
{
    const LLVMTypeKind k = LLVMGetTypeKind(t);
    const bool several = k == LLVMVectorTypeKind && LLVMGetVectorSize(t) >= 2;
    switch (letter) {
    case 'i': return is_number(t, false);
    case 'n': return is_number(t, true);
    case 'l': return is_integer(t, 64);
    case 'w': return is_integer(t, 32);
    case 'f': return is_integer(t, 1);
    case 'p': return k == LLVMPointerTypeKind;
    case 'v': return several && is_integer(LLVMGetElementType(t), 64);
    case 'm': return several && is_number(LLVMGetElementType(t), true);
    case 'a': return is_like(t, 'n') || is_like(t, 'm');
    case '-': return k == LLVMVoidTypeKind;
    default: return true;
    }
}

static bool has_shape(LLVMValueRef call, const char *s)
{
    const unsigned n = LLVMGetNumArgOperands(call);
    if (!is_like(LLVMTypeOf(call), *s++)) return false;
    for (unsigned i = 0; i < n; ++i, ++s) {
        if (*s == '*') return true;
        if (*s == '\0' || !is_like(LLVMTypeOf(LLVMGetOperand(call, i)), *s)) return false;
    }
    return *s == '\0' || *s == '*';
}

/* Types that two values of one call share. */
static bool agrees(LLVMValueRef call, str name)
{
    const unsigned n = LLVMGetNumArgOperands(call);
    const LLVMTypeRef r = LLVMTypeOf(call);
    if (str_starts(name, STR("atomic."))) {
        if (n < 4 || LLVMGetTypeKind(r) == LLVMVoidTypeKind) return true;
        return n == 4 || LLVMTypeOf(LLVMGetOperand(call, n >= 6 ? 2 : 1)) == r;
    }
    if (str_starts(name, STR("simdgroup_matrix_8x8_init_"))) return LLVMGetElementType(r) == LLVMTypeOf(LLVMGetOperand(call, 0));
    if (!str_starts(name, STR("simd_")) && !str_starts(name, STR("quad_"))) return true;
    return n == 0 || LLVMTypeOf(LLVMGetOperand(call, 0)) == r || (is_like(r, 'i') && is_like(LLVMTypeOf(LLVMGetOperand(call, 0)), 'i'));
}

/* The rows of the first name that fits. */
bool air_group_takes(LLVMValueRef call, str name)
{
    const char *named = NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        if (named != NULL && strcmp(named, shapes[i].name) != 0) continue;
        if (!str_starts(name, str_of(shapes[i].name))) continue;
        named = shapes[i].name;
        if (has_shape(call, shapes[i].shape)) return agrees(call, name);
    }
    return named == NULL;
}
