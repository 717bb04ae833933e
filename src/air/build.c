/* MSL text to a metallib: read, written as AIR a kernel, packed. All in the child: nothing that LLVM does wrong with a text
 * takes the host down. */
#include <llvm-c/BitWriter.h>
#include <stdio.h>
#include <string.h>

#include "air/child.h"
#include "air/compile.h"
#include "air/component.h"
#include "air/write.h"
#include "base/error.h"
#include "pack/metallib_write.h"

static const air_platform platforms[] = {
#define AIR_TARGET(name, is_macos, major, minor, format, air_major, air_minor, language, arch)                         \
    {name, is_macos, major, minor, format, air_major, air_minor, language, arch},
#include "air/targets.def"
#undef AIR_TARGET
};

static const air_platform *find_platform(const char *text)
{
    if (text == NULL) text = "macos14.0";
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; ++i)
        if (strcmp(platforms[i].name, text) == 0) return &platforms[i];
    return NULL;
}

typedef struct building {
    str text, name;
    bool inner, precise;
    const air_platform *platform;
    unsigned language;
    arena *mem;
    buf *out; /* u64 size and bytes of the diagnostics, then those of the metallib */
    ingot_error *error;
    diag_list diags;
    bool done;
} building;

/* What a structure's part was made of, where that is known; else NULL. */
static LLVMValueRef part_made(LLVMValueRef v)
{
    if (LLVMGetNumIndices(v) != 1) return NULL;
    const unsigned index = LLVMGetIndices(v)[0];
    LLVMValueRef from = LLVMGetOperand(v, 0);
    while (LLVMIsAInsertValueInst(from) != NULL && LLVMGetNumIndices(from) == 1 && LLVMGetIndices(from)[0] != index) from = LLVMGetOperand(from, 0);
    const bool made = LLVMIsAInsertValueInst(from) != NULL && LLVMGetNumIndices(from) == 1;
    return made ? LLVMGetOperand(from, 1) : NULL;
}

/* Textures and samplers straight to where they are used, not by way of records. */
static void skip_records(LLVMModuleRef m, LLVMOpcode op)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b)) {
            for (LLVMValueRef v = LLVMGetFirstInstruction(b), next; v != NULL; v = next) {
                next = LLVMGetNextInstruction(v);
                if (LLVMGetInstructionOpcode(v) != op) continue;
                LLVMValueRef made = op == LLVMExtractValue ? part_made(v) : NULL;
                if (made != NULL) LLVMReplaceAllUsesWith(v, made);
                if (LLVMGetFirstUse(v) == NULL) LLVMInstructionEraseFromParent(v);
            }
        }
    }
}

/* Variables out of memory where they need not lie there; nothing that would bring in functions of LLVM's own. */
static bool tidy(LLVMModuleRef m, ingot_error *error)
{
    if (!air_run_passes(m, "function(sroa)", NULL, error)) return false;
    skip_records(m, LLVMExtractValue);
    skip_records(m, LLVMInsertValue);
    return air_run_passes(m, "function(simplifycfg<bonus-inst-threshold=0;no-forward-switch-cond;no-switch-to-lookup;"
                             "keep-loops;no-hoist-common-insts;no-sink-common-insts>)", NULL, error);
}

static bool write_module(building *b, air_writer *w, const mf_function *kernel, metallib_function *f)
{
    str metadata;
    LLVMModuleRef m = air_write_module(w, kernel, b->platform, b->language, &metadata);
    if (m == NULL) {
        diag_first_error(&b->diags, "writing AIR", b->error);
        return false;
    }
    const str what = str_format(b->mem, "the AIR made of '%.*s'", STR_ARG(kernel->name));
    if (!air_verify(m, what, INGOT_INTERNAL, b->error) || !tidy(m, b->error)) return false;
    /* with a triple of Apple's, LLVM adds the wrapper and fills up to 16 bytes itself */
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(m);
    const size_t size = LLVMGetBufferSize(bytes);
    *f = (metallib_function){.name = kernel->name,
                             .type = METALLIB_KERNEL,
                             .public_metadata = metadata,
                             .module = {arena_copy(b->mem, LLVMGetBufferStart(bytes), size), size},
                             .air = {(uint16_t)b->platform->air_major, (uint16_t)b->platform->air_minor},
                             .language = {(uint16_t)(b->language / 100), (uint16_t)(b->language / 10 % 10)}};
    LLVMDisposeMemoryBuffer(bytes);
    return true;
}

static bool pack(building *b, metallib_function *functions, size_t count, buf *out)
{
    const air_platform *p = b->platform;
    const bool with_platform = p->format_patch >= 6;
    metallib m = {.format_major = 1,
                  .format_minor = 2,
                  .format_patch = (uint16_t)p->format_patch,
                  .is_macos = p->is_macos,
                  .is_64_bit = with_platform,
                  .platform = with_platform ? (p->is_macos ? 1 : 2) : 0,
                  .os_major = (uint16_t)(with_platform ? p->major : 0),
                  .os_minor = (uint16_t)(with_platform ? p->minor : 0),
                  .functions = functions,
                  .function_count = count};
    pool memory = pool_make(&mem_default);
    const ingot_status status = metallib_seal(&memory, &m, b->error);
    if (status == INGOT_OK) metallib_write(&m, out);
    pool_free(&memory);
    return status == INGOT_OK;
}

static bool start_writer(building *b, air_writer *w, air_context *context)
{
    if (!air_context_open(context, true)) {
        error_set(b->error, INGOT_UNSUPPORTED, "LLVM %s cannot write AIR: that takes LLVM 14 to 16", air_llvm_version());
        return false;
    }
    *w = (air_writer){.mem = b->mem, .c = context->c, .diags = &b->diags, .inner = b->inner, .precise = b->precise};
    w->i1 = LLVMInt1TypeInContext(w->c);
    w->i8 = LLVMInt8TypeInContext(w->c);
    w->i16 = LLVMInt16TypeInContext(w->c);
    w->i32 = LLVMInt32TypeInContext(w->c);
    w->i64 = LLVMInt64TypeInContext(w->c);
    w->none = LLVMVoidTypeInContext(w->c);
    w->layout = LLVMCreateTargetData(AIR_LAYOUT);
    w->b = LLVMCreateBuilderInContext(w->c);
    return true;
}

static const mf_unit *read_text(building *b)
{
    source_set *sources = arena_new(b->mem, source_set);
    const uint32_t file = source_add(b->mem, sources, b->name, b->text);
    b->diags = (diag_list){.mem = b->mem, .sources = sources};
    const mf_options options = {.version = b->language, .constants_come_later = true};
    const mf_unit *unit = mf_parse(b->mem, sources, file, &options, &b->diags);
    if (unit == NULL) diag_first_error(&b->diags, "writing AIR", b->error);
    return unit;
}

/* The kernels of the text, or the one of that name (p not NULL), as functions of a library; false with the error set. */
static bool write_kernels(building *b, str only, metallib_function **functions, size_t *count)
{
    const mf_unit *unit = read_text(b);
    air_context context;
    air_writer w;
    if (unit == NULL || !start_writer(b, &w, &context)) return false;
    *functions = arena_array(b->mem, metallib_function, unit->kernel_count + 1);
    *count = 0;
    for (size_t i = 0; i < unit->kernel_count; ++i) {
        if (only.p != NULL && !str_eq(only, unit->kernels[i]->name)) continue;
        if (!write_module(b, &w, unit->kernels[i], &(*functions)[*count])) return false;
        ++*count;
    }
    return true;
}

static void build(void *user)
{
    building *b = user;
    metallib_function *functions;
    size_t count;
    if (!write_kernels(b, (str){NULL, 0}, &functions, &count)) return;
    buf said = buf_make(&mem_default), library = buf_make(&mem_default);
    diag_render_all(&b->diags, false, &said);
    b->done = pack(b, functions, count, &library);
    buf_u64(b->out, said.n);
    buf_bytes(b->out, said.p, said.n);
    buf_bytes(b->out, library.p, library.n);
}

bool air_write_text(arena *mem, str text, str name, str kernel, bool precise, str *bitcode, ingot_error *error)
{
    building b = {.text = text, .name = name, .inner = true, .precise = precise, .platform = find_platform("macos15.0"), .mem = mem, .error = error};
    metallib_function *functions;
    size_t count;
    if (!write_kernels(&b, kernel, &functions, &count)) return false;
    if (count == 1) {
        *bitcode = functions[0].module;
        return true;
    }
    error_set(error, INGOT_FORMAT, "the text defines no kernel of this name");
    return false;
}

bool air_write_functions(arena *mem, str text, str *bitcode, ingot_error *error)
{
    building b = {.text = text, .name = STR("textures"), .inner = true, .precise = true, .platform = find_platform("macos15.0"), .mem = mem, .error = error};
    const mf_unit *unit = read_text(&b);
    air_context context;
    air_writer w;
    if (unit == NULL || !start_writer(&b, &w, &context)) return false;
    LLVMModuleRef m = air_write_library(&w, unit, b.platform);
    if (m == NULL) {
        diag_first_error(&b.diags, "writing AIR", error);
        return false;
    }
    if (!air_verify(m, STR("the AIR of texture functions"), INGOT_INTERNAL, error) || !tidy(m, error)) return false;
    LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(m);
    const size_t size = LLVMGetBufferSize(bytes);
    *bitcode = (str){arena_copy(mem, LLVMGetBufferStart(bytes), size), size};
    LLVMDisposeMemoryBuffer(bytes);
    return true;
}

static ingot_status in_child(void *user, buf *out, ingot_error *error)
{
    arena mem;
    arena_init(&mem, &mem_default);
    building b = *(const building *)user;
    b.mem = &mem;
    b.out = out;
    b.error = error;
    const bool room = arena_guard(&mem, build, &b);
    if (b.done) return INGOT_OK;
    return room ? error->status : error_no_memory(error);
}

static ingot_status check_target(const air_target *t, building *b, ingot_error *error)
{
    b->platform = find_platform(t != NULL ? t->text : NULL);
    if (b->platform == NULL) {
        char all[400] = "";
        for (size_t i = 0; i < sizeof platforms / sizeof *platforms; ++i) {
            const size_t n = strlen(all);
            (void)snprintf(all + n, sizeof all - n, "%s%s", i != 0 ? ", " : "", platforms[i].name);
        }
        return error_set(error, INGOT_VALUE, "no deployment target \"%.40s\"; there are %s", t->text, all);
    }
    b->language = t != NULL && t->language != 0 ? t->language : b->platform->language;
    b->precise = t != NULL && t->precise;
    if (b->language <= b->platform->language) return INGOT_OK;
    return error_set(error, INGOT_VALUE, "%s has Metal %u.%u at most, not %u.%u", b->platform->name, b->platform->language / 100,
                     b->platform->language / 10 % 10, b->language / 100, b->language / 10 % 10);
}

ingot_status air_build(const ingot_allocator *mem, str text, str name, const air_target *target, buf *out, buf *diagnostics,
                       ingot_error *error)
{
    building b = {.text = text, .name = name};
    ingot_status status = check_target(target, &b, error);
    if (status != INGOT_OK) return status;
    if (text.n >= UINT32_MAX - 2) return error_set(error, INGOT_LIMIT, "the MSL text is larger than 4 GiB");
    buf all = buf_make(mem_or_default(mem));
    status = air_child_run(in_child, &b, &all, error);
    uint64_t said = 0;
    if (status == INGOT_OK) {
        memcpy(&said, all.p, sizeof said);
        if (diagnostics != NULL) buf_bytes(diagnostics, all.p + sizeof said, (size_t)said);
        buf_bytes(out, all.p + sizeof said + said, all.n - sizeof said - (size_t)said);
        if (out->failed) status = error_no_memory(error);
    }
    buf_free(&all);
    return status;
}
