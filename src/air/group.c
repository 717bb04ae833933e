/* A kernel's function of one thread made into one of a whole threadgroup: made ready, looked at, written anew. */
#include "air/group.h"

#include <string.h>

#define B g->l->b

enum { MOST_BLOCKS = 1500, MOST_INSTRUCTIONS = 20000 };

void air_group_unfit(air_group *g, const char *why)
{
    if (g->unfit == NULL) g->unfit = why;
}

/* ---- The function of one thread ------------------------------------------------------------------------------------ */

/* Loops get one way back and one way out; what can be scalars is. */
static const char plain_passes[] = "function(sroa,early-cse<memssa>,simplifycfg,instcombine,loop-simplify,lcssa,loop-mssa(loop-rotate,licm),"
                                   "loop(loop-unroll-full),sroa,early-cse<memssa>,instcombine,simplifycfg,"
                                   "mergereturn,lowerswitch,loop-simplify,lcssa)";
/* For control flow that is not nested cleanly. */
static const char nesting_passes[] = "function(fix-irreducible,unify-loop-exits,loop-simplify,structurizecfg,loop-simplify,lcssa)";

static bool is_small(const air_group *g)
{
    unsigned n = 0;
    if (LLVMCountBasicBlocks(g->from) > MOST_BLOCKS) return false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(g->from); b != NULL; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v != NULL; v = LLVMGetNextInstruction(v)) ++n;
    return n <= MOST_INSTRUCTIONS;
}

static bool calls(const air_group *g, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(g->l->to, name);
    return f != NULL && LLVMGetFirstUse(f) != NULL;
}

/* Elementary functions are long chains of operations: of more lanes, more chains run side by side. */
static bool is_mathematical(const air_group *g)
{
    static const char *const names[] = {"air_exp", "air_exp2", "air_exp10", "air_log", "air_log2", "air_log10", "air_tanh", "air_sin", "air_cos", "air_tan", "air_pow"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (calls(g, names[i])) return true;
    return false;
}

static bool prepare(air_group *g)
{
    ingot_error error;
    if (!air_run_passes(g->l->to, plain_passes, NULL, &error)) air_group_unfit(g, "LLVM's passes");
    if (!is_small(g)) air_group_unfit(g, "its size");
    if (g->unfit != NULL || air_group_structure(g)) return g->unfit == NULL;
    if (!air_run_passes(g->l->to, nesting_passes, NULL, &error) || !is_small(g) || !air_group_structure(g))
        air_group_unfit(g, "control flow that is not nested cleanly");
    return g->unfit == NULL;
}

static void shape_params(air_group *g)
{
    for (unsigned i = 0; i < 5; ++i) {
        group_value *v = air_group_record(g, LLVMGetParam(g->from, i));
        if (i == 0) v->shape = (air_shape){AIR_SAME, false, 16, 0};
        else if (i == 4 || (g->whole && i == 1)) v->shape = (air_shape){AIR_LINEAR, false, g->width, 1};
        else v->shape = (air_shape){g->whole ? AIR_LINEAR : AIR_EACH, false, 1, 0};
    }
}

/* ---- The function of the group ----------------------------------------------------------------------------------------- */

static LLVMValueRef field(air_group *g, size_t offset)
{
    LLVMValueRef at = air_int64(g->l, offset), p = LLVMBuildGEP2(B, g->l->i8, g->thread, &at, 1, "");
    return LLVMBuildLoad2(B, g->l->i32, air_cast_pointer(g->l, p, g->l->i32), "");
}

static void begin(air_group *g)
{
    LLVMTypeRef param = g->l->ptr;
    g->function = LLVMAddFunction(g->l->to, "air_entry", LLVMFunctionType(g->l->none, &param, 1, 0));
    g->entry = air_group_block(g, "entry");
    g->thread = LLVMGetParam(g->function, 0);
    LLVMPositionBuilderAtEnd(B, g->entry);
    g->fuel = LLVMBuildAlloca(B, g->l->i32, "");
    LLVMBuildStore(B, field(g, offsetof(air_thread, fuel)), g->fuel);
    g->all_threads = air_int32(g->l, 1);
    for (unsigned d = 0; d < 3; ++d) {
        g->threads[d] = field(g, offsetof(air_thread, threads) + d * sizeof(uint32_t));
        g->all_threads = LLVMBuildMul(B, g->all_threads, g->threads[d], "");
    }
    LLVMValueRef more = LLVMBuildAdd(B, g->all_threads, air_int32(g->l, g->width - 1), "");
    g->chunks = LLVMBuildUDiv(B, more, air_int32(g->l, g->width), "");
    LLVMBasicBlockRef start = air_group_block(g, "start");
    LLVMBuildBr(B, start);
    LLVMPositionBuilderAtEnd(B, start);
    group_value *thread = air_group_record(g, LLVMGetParam(g->from, 0));
    thread->parts = arena_array(g->l->mem, LLVMValueRef, 1);
    thread->parts[0] = g->thread;
    thread->n = 1;
}

const char *air_group_module(air_lower *l, bool whole, unsigned *width)
{
    air_group *g = arena_new(l->mem, air_group);
    *g = (air_group){.l = l, .from = l->function, .whole = whole};
    g->width = calls(g, "air_rt_exchange") || calls(g, "air_rt_multiply") || is_mathematical(g) ? AIR_SIMD_WIDTH : AIR_SIMD_WIDTH / 2;
    if (!prepare(g)) return g->unfit;
    shape_params(g);
    air_group_shapes(g);
    if (g->unfit == NULL) {
        begin(g);
        air_group_run(g);
        if (g->unfit == NULL) LLVMBuildRetVoid(B);
        if (g->thread_bytes > AIR_GROUP_MOST_BYTES) air_group_unfit(g, "the size of a thread's memory");
    }
    if (g->unfit == NULL) *width = g->width;
    else if (g->function != NULL) LLVMDeleteFunction(g->function);
    return g->unfit;
}
