/* LLVM text of a metallib's modules, each function's signature before it. */
#include "air/component.h"

#include <string.h>

#include "air/child.h"
#include "air/llvm.h"
#include "air/signature.h"
#include "base/error.h"
#include "pack/metallib.h"

typedef struct work {
    const metallib *library;
    const char *kernel; /* NULL: all */
} work;

static const char *space_name(uint32_t space)
{
    static const char *const names[] = {"thread", "device", "constant", "threadgroup"};
    return space < 4 ? names[space] : "other";
}

static void print_param(const air_param *p, buf *out)
{
    buf_printf(out, ";     %.*s", STR_ARG(p->name.p != NULL ? p->name : STR("?")));
    const str type = p->type.p != NULL ? p->type : STR("?");
    if (p->kind == AIR_PARAM_BUFFER || p->kind == AIR_PARAM_THREADGROUP) {
        const bool reads = str_is(p->access, "air.read");
        buf_printf(out, ": %s%s %.*s * [[%s(%u)]]", reads && p->space == 1 ? "const " : "", space_name(p->space), STR_ARG(type),
                   p->kind == AIR_PARAM_THREADGROUP ? "threadgroup" : "buffer", (unsigned)p->slot);
        buf_printf(out, "  %llu bytes, aligned to %llu", (unsigned long long)p->size, (unsigned long long)p->align);
    } else {
        str what = p->what;
        if (str_starts(what, STR("air."))) what = (str){what.p + 4, what.n - 4};
        buf_printf(out, ": %.*s [[%.*s]]", STR_ARG(type), STR_ARG(what));
    }
    buf_char(out, '\n');
}

static void print_signature(arena *mem, LLVMModuleRef module, const air_signature *s, const metallib_function *f, buf *out)
{
    unsigned version[3], language[3];
    air_numbers(module, "air.version", 0, version);
    air_numbers(module, "air.language_version", 1, language);
    buf_printf(out, "; %.*s %.*s: AIR %u.%u, MSL %u.%u, %zu bytes of bitcode\n", STR_ARG(s->stage), STR_ARG(s->name), version[0],
               version[1], language[0], language[1], f->module.n);
    if (s->max_threads != 0) buf_printf(out, ";     at most %u threads a threadgroup\n", (unsigned)s->max_threads);
    for (size_t i = 0; i < s->param_count; ++i) print_param(&s->params[i], out);
    size_t n;
    const air_function_constant *c = air_constants_read(mem, module, &n);
    for (size_t i = 0; i < n; ++i)
        buf_printf(out, ";     %.*s: %.*s [[function_constant(%u)]]\n", STR_ARG(c[i].name), STR_ARG(c[i].type), (unsigned)c[i].index);
}

/* With typed pointers where the module has them and LLVM can. */
static LLVMModuleRef parse_either(air_context *context, str bitcode, ingot_error *error)
{
    if (air_context_open(context, true)) {
        LLVMModuleRef module = air_parse(context, bitcode, error);
        if (module != NULL) return module;
        ingot_error again;
        air_context_close(context);
        if (!air_context_open(context, false)) return NULL;
        return air_parse(context, bitcode, &again);
    }
    air_context_close(context);
    (void)air_context_open(context, false);
    return air_parse(context, bitcode, error);
}

static ingot_status print_function(arena *mem, const metallib_function *f, buf *out, ingot_error *error)
{
    air_context context;
    ingot_error inner = {.status = INGOT_OK};
    LLVMModuleRef module = parse_either(&context, f->module, error);
    if (module == NULL) return INGOT_FORMAT;
    const air_signature *s = air_signature_read(mem, module, f->name, &inner);
    if (s != NULL) print_signature(mem, module, s, f, out);
    else buf_printf(out, "; %s %.*s\n", metallib_type_text(f->type) != NULL ? metallib_type_text(f->type) : "function", STR_ARG(f->name));
    char *text = LLVMPrintModuleToString(module);
    buf_text(out, text);
    LLVMDisposeMessage(text);
    LLVMDisposeModule(module);
    air_context_close(&context);
    return INGOT_OK;
}

typedef struct printing {
    const work *work;
    arena *mem;
    buf *out;
    ingot_error *error;
    ingot_status status;
} printing;

static void print_all(void *user)
{
    printing *p = user;
    bool any = false;
    for (size_t i = 0; i < p->work->library->function_count; ++i) {
        const metallib_function *f = &p->work->library->functions[i];
        if (p->work->kernel != NULL && !str_is(f->name, p->work->kernel)) continue;
        if (any) buf_char(p->out, '\n');
        any = true;
        p->status = print_function(p->mem, f, p->out, p->error);
        if (p->status != INGOT_OK) return;
    }
}

static ingot_status in_child(void *user, buf *out, ingot_error *error)
{
    arena mem;
    arena_init(&mem, &mem_default);
    printing p = {user, &mem, out, error, INGOT_OK};
    if (!arena_guard(&mem, print_all, &p)) p.status = error_no_memory(error);
    arena_free(&mem);
    return p.status;
}

ingot_status air_disassemble(const ingot_allocator *mem, str bytes, const char *kernel, buf *out, ingot_error *error)
{
    pool memory = pool_make(mem_or_default(mem));
    work w = {.kernel = kernel};
    ingot_status status = metallib_read(&memory, bytes, &w.library, error);
    if (status == INGOT_OK && kernel != NULL && metallib_find(w.library, str_of(kernel)) == NULL)
        status = error_set(error, INGOT_NOT_FOUND, "it holds no function '%s' (it holds %zu)", kernel, w.library->function_count);
    if (status == INGOT_OK) status = air_child_run(in_child, &w, out, error);
    pool_free(&memory);
    return status;
}
