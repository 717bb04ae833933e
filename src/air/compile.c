/* A kernel's machine code: parsed, made one function, lowered, optimised, emitted. */
#include "air/compile.h"

#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <string.h>

#include "air/cache.h"
#include "air/group.h"
#include "air/lower.h"
#include "air/texture_library.h"
#include "base/error.h"

static void ready_target(void)
{
    (void)LLVMInitializeNativeTarget();
    (void)LLVMInitializeNativeAsmPrinter();
}

/* ---- The module as it comes: constants filled in, one function --------------------------------------------------- */

static const air_constant *given(const air_job *job, uint32_t index)
{
    for (size_t i = 0; i < job->constant_count; ++i)
        if (job->constants[i].index == index) return &job->constants[i];
    return NULL;
}

/* NULL for a type that is none of a function constant's here. */
static LLVMValueRef constant_value(LLVMTypeRef type, uint64_t bits)
{
    float f;
    const uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, sizeof f);
    if (LLVMGetTypeKind(type) == LLVMFloatTypeKind) return LLVMConstReal(type, (double)f);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind) return LLVMConstInt(type, bits, 0);
    if (LLVMGetTypeKind(type) == LLVMHalfTypeKind || LLVMGetTypeKind(type) == LLVMBFloatTypeKind)
        return LLVMConstBitCast(LLVMConstInt(LLVMInt16TypeInContext(LLVMGetTypeContext(type)), bits, 0), type);
    return NULL;
}

/* air.is_function_constant_defined(global): the calls become their answers. */
static void answer_defined(LLVMModuleRef m, const air_job *job, const air_function_constant *all, size_t n)
{
    LLVMValueRef f = LLVMGetNamedFunction(m, "air.is_function_constant_defined");
    if (f == NULL) return;
    for (LLVMUseRef u = LLVMGetFirstUse(f), next; u != NULL; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef call = LLVMGetUser(u), what;
        if (LLVMIsACallInst(call) == NULL) continue;
        what = LLVMGetOperand(call, 0);
        while (LLVMIsAConstantExpr(what) != NULL) what = LLVMGetOperand(what, 0);
        bool defined = false;
        for (size_t i = 0; i < n; ++i) defined |= all[i].global == what && given(job, all[i].index) != NULL;
        LLVMReplaceAllUsesWith(call, LLVMConstInt(LLVMTypeOf(call), defined, 0));
        LLVMInstructionEraseFromParent(call);
    }
}

/* air.normalize_function_constant_predicate(x): the calls become x != 0, which LLVM can compute. */
static void answer_predicates(LLVMContextRef c, LLVMModuleRef m)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f != NULL; f = LLVMGetNextFunction(f)) {
        if (!str_starts(air_name(f), STR("air.normalize_function_constant_predicate."))) continue;
        for (LLVMUseRef u = LLVMGetFirstUse(f), next; u != NULL; u = next) {
            next = LLVMGetNextUse(u);
            LLVMValueRef call = LLVMGetUser(u);
            if (LLVMIsACallInst(call) == NULL || LLVMGetNumArgOperands(call) != 1) continue;
            LLVMValueRef x = LLVMGetOperand(call, 0);
            if (LLVMTypeOf(x) != LLVMTypeOf(call) || LLVMGetTypeKind(LLVMTypeOf(x)) != LLVMIntegerTypeKind) continue;
            LLVMPositionBuilderBefore(b, call);
            LLVMValueRef is = LLVMBuildICmp(b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
            LLVMReplaceAllUsesWith(call, LLVMBuildZExtOrBitCast(b, is, LLVMTypeOf(x), ""));
            LLVMInstructionEraseFromParent(call);
        }
    }
    LLVMDisposeBuilder(b);
}

static bool fill_constants(arena *mem, LLVMModuleRef m, const air_job *job, ingot_error *error)
{
    size_t n;
    const air_function_constant *all = air_constants_read(mem, m, &n);
    for (size_t i = 0; i < n; ++i) {
        const air_constant *c = given(job, all[i].index);
        if (c == NULL) continue;
        LLVMValueRef value = constant_value(LLVMGlobalGetValueType(all[i].global), c->bits);
        if (value == NULL) {
            error_set(error, INGOT_UNSUPPORTED, "the function constant '%.*s': a value of type '%.*s' is not supported",
                      STR_ARG(all[i].name), STR_ARG(all[i].type));
            return false;
        }
        LLVMSetInitializer(all[i].global, value);
        LLVMSetExternallyInitialized(all[i].global, 0);
        LLVMSetGlobalConstant(all[i].global, 1);
        LLVMSetLinkage(all[i].global, LLVMInternalLinkage);
    }
    answer_defined(m, job, all, n);
    return true;
}

static unsigned attribute(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* Functions that compute constants and could not be evaluated are called by the kernel at its beginning. True where there
 * are such. */
static bool start_kernel(LLVMContextRef c, LLVMModuleRef m, LLVMValueRef kernel)
{
    LLVMValueRef all = LLVMGetNamedGlobal(m, "llvm.global_ctors");
    LLVMValueRef list = all != NULL ? LLVMGetInitializer(all) : NULL;
    if (list == NULL || LLVMIsAConstantArray(list) == NULL) return false;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(list); ++i) {
        LLVMValueRef one = LLVMGetOperand(list, i);
        LLVMValueRef f = LLVMIsAConstantStruct(one) != NULL && LLVMGetNumOperands(one) > 1 ? LLVMGetOperand(one, 1) : NULL;
        if (f != NULL && LLVMIsAFunction(f) != NULL && f != kernel && LLVMCountParams(f) == 0 && !LLVMIsDeclaration(f))
            LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, NULL, 0, "");
    }
    LLVMDisposeBuilder(b);
    LLVMDeleteGlobal(all);
    return true;
}

/* Everything that the kernel calls becomes part of it; initialisers of constants are evaluated. Of a watched kernel threadgroup variables
 * stay that nobody writes: reading them is to be seen. */
static bool make_one_function(LLVMContextRef c, LLVMModuleRef m, LLVMValueRef kernel, bool watched, bool *starts, ingot_error *error)
{
    const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) continue;
        LLVMRemoveEnumAttributeAtIndex(f, at, attribute("noinline"));
        LLVMRemoveEnumAttributeAtIndex(f, at, attribute("optnone"));
        if (f == kernel) continue;
        LLVMSetLinkage(f, LLVMInternalLinkage);
        LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(c, attribute("alwaysinline"), 0));
    }
    if (!air_run_passes(m, watched ? "always-inline,globaldce,function(sroa)" : "always-inline,globalopt,globaldce,function(sroa)", NULL, error)) return false;
    *starts = start_kernel(c, m, kernel);
    if (!*starts) return true;
    return air_run_passes(m, "always-inline,function(sroa,instsimplify),globalopt,globaldce,function(instsimplify,sccp,adce)", NULL, error);
}

/* ---- This processor ---------------------------------------------------------------------------------------------- */

typedef struct machine {
    LLVMTargetMachineRef target;
    LLVMTargetDataRef layout;
    char *triple, *cpu, *features;
    bool converts_half, masks;
} machine;

static bool open_machine(machine *m, ingot_error *error)
{
    ready_target();
    *m = (machine){.triple = LLVMGetDefaultTargetTriple(), .cpu = LLVMGetHostCPUName(), .features = LLVMGetHostCPUFeatures()};
    char *text = NULL;
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(m->triple, &target, &text) != 0) {
        error_set(error, INGOT_UNSUPPORTED, "LLVM: %s", text);
        LLVMDisposeMessage(text);
        return false;
    }
    m->target = LLVMCreateTargetMachine(target, m->triple, m->cpu, m->features, LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                        LLVMCodeModelSmall); /* air/image.h puts all of it in one place */
    m->layout = LLVMCreateTargetDataLayout(m->target);
    m->converts_half = strstr(m->features, "+f16c") != NULL || strncmp(m->triple, "aarch64", 7) == 0;
    m->masks = strstr(m->features, "+avx512bw") != NULL;
    return true;
}

typedef struct compiling {
    const air_job *job;
    arena *mem;
    buf *out;
    ingot_error *error;
    bool done;
    air_form form; /* what came of it */
    unsigned width;
} compiling;

/* ---- Out --------------------------------------------------------------------------------------------------------- */

static void put_text(buf *out, str s)
{
    buf_u64(out, s.n);
    buf_bytes(out, s.p, s.n);
}

static void put_params(const air_signature *s, buf *out)
{
    buf_u32(out, (uint32_t)s->param_count);
    for (size_t i = 0; i < s->param_count; ++i) {
        const air_param *p = &s->params[i];
        buf_u32(out, (uint32_t)p->kind);
        buf_u32(out, p->slot);
        buf_u32(out, p->count);
        buf_u32(out, p->space);
        buf_u32(out, !str_is(p->access, "air.write"));
        buf_u32(out, !str_is(p->access, "air.read") && p->space != 2);
        buf_u64(out, p->size);
        buf_u64(out, p->align);
        buf_u64(out, p->least);
        put_text(out, p->name.p != NULL ? p->name : STR(""));
        put_text(out, p->type.p != NULL ? p->type : STR(""));
    }
}

/* Those of a watched kernel, in order. */
static void put_places(const air_lower *l, buf *out)
{
    const air_place_note **all = arena_array(l->mem, const air_place_note *, (size_t)l->place_count + 1);
    uint32_t n = l->place_count;
    for (const air_place_note *p = l->places; p != NULL; p = p->next) all[--n] = p;
    buf_u32(out, l->place_count);
    for (uint32_t i = 0; i < l->place_count; ++i) {
        buf_u32(out, all[i]->line);
        buf_u32(out, all[i]->column);
        put_text(out, all[i]->file);
    }
}

/* The description; the object file follows, empty where there is none. */
static void put_kernel(const compiling *p, const air_lower *l, str object)
{
    buf_u32(p->out, (uint32_t)l->threadgroup_bytes);
    buf_u32(p->out, l->syncs);
    buf_u32(p->out, (uint32_t)p->form);
    buf_u32(p->out, p->width);
    buf_u32(p->out, l->signature->max_threads);
    put_params(l->signature, p->out);
    buf_u32(p->out, l->has_atomics && l->has_fences);
    put_places(l, p->out);
    put_text(p->out, object);
}

/* What was made of vectors needs no passes that look for more of them. */
static const char group_passes[] = "function(sroa,early-cse<memssa>,instcombine,simplifycfg,loop-simplify,lcssa,loop-mssa(licm),"
                                   "early-cse<memssa>,instsimplify,dse,simplifycfg,sink)";

static bool emit(const compiling *p, const air_lower *l, const machine *m)
{
    if (!air_run_passes(l->to, p->form == AIR_FORM_SINGLE ? "default<O2>" : group_passes, m->target, p->error)) return false;
    char *text = NULL;
    LLVMMemoryBufferRef object = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(m->target, l->to, LLVMObjectFile, &text, &object) != 0) {
        error_set(p->error, INGOT_INTERNAL, "LLVM's code: %s", text);
        LLVMDisposeMessage(text);
        return false;
    }
    put_kernel(p, l, (str){LLVMGetBufferStart(object), LLVMGetBufferSize(object)});
    LLVMDisposeMemoryBuffer(object);
    return true;
}

/* ---- The whole ------------------------------------------------------------------------------------------------------ */

static void set_types(air_lower *l)
{
    l->i1 = LLVMInt1TypeInContext(l->c);
    l->i8 = LLVMInt8TypeInContext(l->c);
    l->i16 = LLVMInt16TypeInContext(l->c);
    l->i32 = LLVMInt32TypeInContext(l->c);
    l->i64 = LLVMInt64TypeInContext(l->c);
    l->half = LLVMHalfTypeInContext(l->c);
    l->f32 = LLVMFloatTypeInContext(l->c);
    l->f64 = LLVMDoubleTypeInContext(l->c);
    l->none = LLVMVoidTypeInContext(l->c);
    l->ptr = LLVMPointerType(l->i8, 0);
}

static bool lower_and_emit(compiling *p, air_lower *l, const machine *m)
{
    l->to = LLVMModuleCreateWithNameInContext("host", l->c);
    LLVMSetTarget(l->to, m->triple);
    LLVMSetModuleDataLayout(l->to, m->layout);
    l->b = LLVMCreateBuilderInContext(l->c);
    air_lower_module(l);
    const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    if (l->failed) return false;
    p->form = p->job->form;
    if (l->watched) p->form = AIR_FORM_SINGLE; /* what is told is told of one thread */
    if (p->form != AIR_FORM_SINGLE && air_group_module(l, p->form == AIR_FORM_WHOLE, &p->width) != NULL) p->form = AIR_FORM_SINGLE;
    if (p->form == AIR_FORM_SINGLE) {
        air_single_entry(l);
        LLVMAddAttributeAtIndex(l->function, at, LLVMCreateEnumAttribute(l->c, attribute("alwaysinline"), 0));
    } else {
        l->syncs = false;
        LLVMDeleteFunction(l->function);
    }
    LLVMDisposeBuilder(l->b);
    if (l->failed) return false;
    for (LLVMValueRef f = LLVMGetFirstFunction(l->to); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) continue;
        LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(l->c, attribute("nounwind"), 0));
        LLVMAddTargetDependentFunctionAttr(f, "target-cpu", m->cpu);
        LLVMAddTargetDependentFunctionAttr(f, "target-features", m->features);
        LLVMAddTargetDependentFunctionAttr(f, "no-jump-tables", "true");
        LLVMAddTargetDependentFunctionAttr(f, "warn-stack-size", l->syncs ? "786432" : "12582912"); /* of run.c's stacks three quarters */
    }
    if (l->threadgroup_bytes > AIR_MAX_THREADGROUP_BYTES) {
        error_set(p->error, INGOT_LIMIT, "it declares %llu bytes of threadgroup memory, more than the %u there are",
                  (unsigned long long)l->threadgroup_bytes, (unsigned)AIR_MAX_THREADGROUP_BYTES);
        return false;
    }
    return air_verify(l->to, STR("the module made from its AIR"), INGOT_INTERNAL, p->error) && emit(p, l, m);
}

/* The process is thrown away afterwards: nothing of LLVM's is given back. */
static void compile(void *user)
{
    compiling *p = user;
    const air_job *job = p->job;
    str bitcode = job->bitcode;
    if (bitcode.p == NULL && !air_write_text(p->mem, job->text, job->name, job->kernel, true, &bitcode, p->error)) return;
    air_context context;
    (void)air_context_open(&context, LLVM_VERSION_MAJOR < 15);
    LLVMModuleRef module = air_parse(&context, bitcode, p->error);
    if (module == NULL || !air_verify(module, STR("its AIR"), INGOT_FORMAT, p->error)) return;
    const air_signature *s = air_signature_read(p->mem, module, job->kernel, p->error);
    if (s == NULL) return;
    if (!str_is(s->stage, "kernel")) {
        error_set(p->error, INGOT_UNSUPPORTED, "'%.*s' is a %.*s function; kernels alone can be run", STR_ARG(job->kernel), STR_ARG(s->stage));
        return;
    }
    if (LLVMIsDeclaration(s->function)) {
        error_set(p->error, INGOT_FORMAT, "'%.*s' has no body", STR_ARG(job->kernel));
        return;
    }
    if (job->describe_only) {
        const air_lower none = {.mem = p->mem, .signature = s};
        put_kernel(p, &none, STR(""));
        p->done = true;
        return;
    }
    answer_predicates(context.c, module);
    if (!air_define_textures(p->mem, &context, module, p->error)) return;
    if (!fill_constants(p->mem, module, job, p->error)) return;
    machine m;
    bool starts = false;
    if (!open_machine(&m, p->error) || !make_one_function(context.c, module, s->function, job->watched, &starts, p->error)) return;
    /* What the constants rule out goes. Only there: what nobody wrote must still be seen to be that. */
    if (job->constant_count != 0 && !air_run_passes(module, "function(instsimplify,sccp,adce)", NULL, p->error)) return;
    air_lower l = {.mem = p->mem,
                   .c = context.c,
                   .from = module,
                   .layout = m.layout,
                   .signature = s,
                   .watched = job->watched,
                   .unchecked = job->unchecked,
                   .starts = starts,
                   .converts_half = m.converts_half,
                   .masks = m.masks,
                   .error = p->error};
    set_types(&l);
    p->done = lower_and_emit(p, &l, &m);
    if (!p->done || !context.deep) return;
    error_set(p->error, INGOT_UNSUPPORTED, "its variables take more stack than there is");
    p->done = false;
}

ingot_status air_compile(void *job, buf *out, ingot_error *error)
{
    arena mem;
    arena_init(&mem, &mem_default);
    compiling p = {.job = job, .mem = &mem, .out = out, .error = error};
    const air_cache_key key = air_cache_key_of(job);
    if (air_cache_get(&key, out)) return INGOT_OK;
    const bool room = arena_guard(&mem, compile, &p);
    if (p.done) air_cache_put(&key, buf_view(out));
    if (p.done) return INGOT_OK;
    return room ? error->status : error_no_memory(error);
}
