/* A module of one kernel: its function, and the metadata that says what its parameters are. */
#include <llvm-c/Analysis.h>
#include <string.h>

#include "air/write.h"

/* ---- Metadata -------------------------------------------------------------------------------------------------------- */

enum { MOST_ENTRIES = 64 };

/* One node under construction. */
typedef struct node {
    air_writer *w;
    LLVMMetadataRef at[MOST_ENTRIES];
    size_t n;
} node;

static void put(node *n, LLVMMetadataRef m)
{
    if (n->n < MOST_ENTRIES) n->at[n->n++] = m;
}

static void put_str(node *n, str s)
{
    put(n, LLVMMDStringInContext2(n->w->c, s.p, s.n));
}

static void put_text(node *n, const char *text)
{
    put_str(n, str_of(text));
}

static void put_number(node *n, uint64_t v)
{
    put(n, LLVMValueAsMetadata(LLVMConstInt(n->w->i32, v, 0)));
}

static LLVMMetadataRef done(const node *n)
{
    LLVMMetadataRef all[MOST_ENTRIES];
    memcpy(all, n->at, n->n * sizeof *all);
    return LLVMMDNodeInContext2(n->w->c, all, n->n);
}

static void add_named(air_writer *w, const char *name, LLVMMetadataRef m)
{
    LLVMAddNamedMetadataOperand(w->m, name, LLVMMetadataAsValue(w->c, m));
}

/* Offset, size, elements of an array, type, name of each field. */
static LLVMMetadataRef struct_info(air_writer *w, const mf_record *r)
{
    LLVMMetadataRef *all = arena_array(w->mem, LLVMMetadataRef, 5 * r->field_count + 1);
    size_t n = 0;
    for (size_t i = 0; i < r->field_count; ++i) {
        const mf_field *f = &r->fields[i];
        const bool array = f->type->kind == MF_TYPE_ARRAY;
        const mf_type *t = array ? f->type->elem : f->type;
        const uint64_t numbers[3] = {f->offset, t->size, array ? f->type->count : 0};
        for (unsigned k = 0; k < 3; ++k) all[n++] = LLVMValueAsMetadata(LLVMConstInt(w->i32, numbers[k], 0));
        const str type = mf_type_text(w->mem, t);
        all[n++] = LLVMMDStringInContext2(w->c, type.p, type.n);
        all[n++] = LLVMMDStringInContext2(w->c, f->name.p, f->name.n);
    }
    return LLVMMDNodeInContext2(w->c, all, n);
}

static LLVMMetadataRef buffer_node(air_writer *w, const mf_var *p, size_t index)
{
    node n = {.w = w};
    const mf_type *t = p->type->elem;
    const bool reads = p->type->space == MF_CONSTANT || (p->type->quals & MF_CONST) != 0;
    put_number(&n, index);
    put_text(&n, "air.buffer");
    if (p->type->kind == MF_TYPE_REFERENCE) {
        put_text(&n, "air.buffer_size");
        put_number(&n, t->size);
    }
    put_text(&n, "air.location_index");
    put_number(&n, p->slot);
    put_number(&n, 1);
    put_text(&n, reads ? "air.read" : "air.read_write");
    put_text(&n, "air.address_space");
    put_number(&n, air_write_space(p->type->space));
    if (t->kind == MF_TYPE_RECORD) {
        put_text(&n, "air.struct_type_info");
        put(&n, struct_info(w, t->record));
    }
    if (t->kind != MF_TYPE_VOID && t->size != 0) {
        put_text(&n, "air.arg_type_size");
        put_number(&n, t->size);
        put_text(&n, "air.arg_type_align_size");
        put_number(&n, t->align);
    }
    put_text(&n, "air.arg_type_name");
    put_str(&n, mf_type_text(w->mem, t));
    put_text(&n, "air.arg_name");
    put_str(&n, p->name);
    return done(&n);
}

static LLVMMetadataRef input_node(air_writer *w, mf_input input, str type, str name, size_t index)
{
    static const char *const names[MF_INPUTS] = {
#define MF_INPUT(ID, attribute, dimensions) [MF_INPUT_##ID] = "air." #attribute,
#include "mslfront/inputs.def"
#undef MF_INPUT
    };
    node n = {.w = w};
    put_number(&n, index);
    put_text(&n, names[input]);
    put_text(&n, "air.arg_type_name");
    put_str(&n, type);
    put_text(&n, "air.arg_name");
    put_str(&n, name);
    return done(&n);
}

/* A texture or sampler, or an array of them. */
static LLVMMetadataRef handle_node(air_writer *w, const mf_var *p, size_t index)
{
    static const char *const access[] = {"air.sample", "air.read", "air.write", "air.read_write"};
    const mf_type *one = air_write_handle_element(p->type);
    node n = {.w = w};
    put_number(&n, index);
    put_text(&n, p->binding == MF_BIND_TEXTURE ? "air.texture" : "air.sampler");
    put_text(&n, "air.location_index");
    put_number(&n, p->slot);
    put_number(&n, p->texture.count);
    if (p->binding == MF_BIND_TEXTURE) put_text(&n, access[air_write_handle(one).access & 3]);
    put_text(&n, "air.arg_type_name");
    put_str(&n, air_write_handle_text(w, p->type));
    put_text(&n, "air.arg_name");
    put_str(&n, p->name);
    return done(&n);
}

static LLVMMetadataRef param_node(air_writer *w, const mf_var *p, size_t index)
{
    if (p->binding == MF_BIND_TEXTURE || p->binding == MF_BIND_SAMPLER) return handle_node(w, p, index);
    return p->binding == MF_BIND_INPUT ? input_node(w, p->input, mf_type_text(w->mem, p->type), p->name, index) : buffer_node(w, p, index);
}

static void describe_kernel(air_writer *w, bool extra_lane)
{
    const mf_function *k = w->kernel;
    LLVMMetadataRef *args = arena_array(w->mem, LLVMMetadataRef, k->param_count + 2);
    size_t n = 0;
    for (size_t i = 0; i < k->param_count; ++i) {
        const mf_var *p = k->params[i];
        if (air_write_is_number(w, p)) continue;
        args[n] = param_node(w, p, n);
        ++n;
    }
    if (extra_lane) args[n] = input_node(w, MF_INPUT_THREAD_INDEX_IN_SIMDGROUP, STR("uint"), STR("__lane"), n);
    if (extra_lane) ++n;
    node root = {.w = w};
    put(&root, LLVMValueAsMetadata(w->function));
    put(&root, LLVMMDNodeInContext2(w->c, NULL, 0));
    put(&root, LLVMMDNodeInContext2(w->c, args, n));
    if (k->max_threads != 0) {
        node most = {.w = w};
        put_text(&most, "air.max_work_group_size");
        put_number(&most, k->max_threads);
        put(&root, done(&most));
    }
    add_named(w, "air.kernel", done(&root));
}

static void describe_module(air_writer *w, const air_platform *p, unsigned language)
{
    static const struct {
        const char *name;
        unsigned behaviour, value;
    } flags[] = {{"wchar_size", 1, 4},
                 {"frame-pointer", 7, 2},
                 {"air.max_device_buffers", 7, 31},
                 {"air.max_constant_buffers", 7, 31},
                 {"air.max_threadgroup_buffers", 7, 31},
                 {"air.max_textures", 7, 128},
                 {"air.max_read_write_textures", 7, 8},
                 {"air.max_samplers", 7, 16}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i) {
        node n = {.w = w};
        put_number(&n, flags[i].behaviour);
        put_text(&n, flags[i].name);
        put_number(&n, flags[i].value);
        add_named(w, "llvm.module.flags", done(&n));
    }
    node ident = {.w = w}, version = {.w = w}, lang = {.w = w};
    put_text(&ident, "Ingot " INGOT_VERSION);
    add_named(w, "llvm.ident", done(&ident));
    put_number(&version, p->air_major);
    put_number(&version, p->air_minor);
    put_number(&version, 0);
    add_named(w, "air.version", done(&version));
    put_text(&lang, "Metal");
    put_number(&lang, language / 100);
    put_number(&lang, language / 10 % 10);
    put_number(&lang, 0);
    add_named(w, "air.language_version", done(&lang));
    const char *const options[] = {"air.compile.denorms_disable", w->precise ? "air.compile.fast_math_disable" : "air.compile.fast_math_enable",
                                   "air.compile.framebuffer_fetch_enable"};
    for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
        node n = {.w = w};
        put_text(&n, options[i]);
        add_named(w, "air.compile_options", done(&n));
    }
}

/* ---- The function ------------------------------------------------------------------------------------------------------ */

static bool is_handle(const mf_var *p)
{
    return p->binding == MF_BIND_TEXTURE || p->binding == MF_BIND_SAMPLER;
}

/* An array of textures comes as a copy in the thread's memory. */
static LLVMTypeRef param_type(air_writer *w, const mf_var *p)
{
    if (is_handle(p) && air_write_handle_element(p->type) == p->type) return air_write_handle_type(w, p->type);
    if (is_handle(p)) return LLVMPointerType(air_write_memory_type(w, p->type), 0);
    return p->binding == MF_BIND_INPUT ? air_write_value_type(w, p->type) : air_write_memory_type(w, p->type);
}

static void bind_param(air_writer *w, air_frame *f, size_t i, unsigned at)
{
    const mf_var *p = f->function->params[i];
    LLVMValueRef v = LLVMGetParam(w->function, at);
    air_bound *b = &f->params[i];
    LLVMSetValueName2(v, p->name.p, p->name.n);
    if (p->binding == MF_BIND_INPUT && p->input == MF_INPUT_THREAD_INDEX_IN_SIMDGROUP)
        w->lane = LLVMBuildIntCast2(w->b, v, w->i32, 0, "");
    if (p->type->kind == MF_TYPE_REFERENCE) {
        b->at = (air_place){.p = v, .type = p->type->elem, .is_volatile = (p->type->quals & MF_VOLATILE) != 0};
        return;
    }
    if (is_handle(p) && air_write_handle_element(p->type) != p->type) {
        b->at = (air_place){.p = v, .type = p->type};
        return;
    }
    b->at = air_write_room(w, p->type, p->name);
    if (is_handle(p)) v = LLVMBuildInsertValue(w->b, LLVMGetUndef(air_write_memory_type(w, p->type)), v, 0, "");
    air_write_store(w, b->at, v);
}

LLVMValueRef air_write_lane(air_writer *w)
{
    if (w->lane != NULL) return w->lane;
    w->wants_lane = true;
    return air_write_int(w, 0);
}

/* byval: what is copied for the function. */
static void mark_copies(air_writer *w)
{
    unsigned at = 0;
    for (size_t i = 0; i < w->kernel->param_count; ++i) {
        const mf_var *p = w->kernel->params[i];
        if (air_write_is_number(w, p)) continue;
        ++at;
        if (!is_handle(p) || air_write_handle_element(p->type) == p->type) continue;
        const unsigned kind = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
        LLVMAddAttributeAtIndex(w->function, at, LLVMCreateTypeAttribute(w->c, kind, air_write_memory_type(w, p->type)));
    }
}

static void write_function(air_writer *w, bool extra_lane)
{
    const mf_function *k = w->kernel;
    LLVMTypeRef *types = arena_array(w->mem, LLVMTypeRef, k->param_count + 1);
    unsigned n = 0;
    for (size_t i = 0; i < k->param_count; ++i)
        if (!air_write_is_number(w, k->params[i])) types[n++] = param_type(w, k->params[i]);
    if (extra_lane) types[n++] = w->i32;
    w->function = LLVMAddFunction(w->m, str_format(w->mem, "%.*s", STR_ARG(k->name)).p, LLVMFunctionType(w->none, types, n, 0));
    static const char *const attributes[] = {"convergent", "nounwind"};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; ++i) {
        const unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
        LLVMAddAttributeAtIndex(w->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(w->c, kind, 0));
    }
    mark_copies(w);
    w->entry = air_write_block(w, "entry");
    LLVMBasicBlockRef body = air_write_block(w, "start");
    LLVMPositionBuilderAtEnd(w->b, body);
    air_frame f = {.function = k, .end = air_write_block(w, "exit")};
    f.params = arena_array(w->mem, air_bound, k->param_count + 1);
    f.locals = arena_array(w->mem, air_bound, k->local_count + 1);
    w->frame = &f;
    if (extra_lane) w->lane = LLVMGetParam(w->function, n - 1);
    unsigned at = 0;
    for (size_t i = 0; i < k->param_count; ++i) {
        f.params[i].bound = true;
        if (air_write_is_number(w, k->params[i])) air_write_bind_number(w, k->params[i], &f.params[i]);
        else bind_param(w, &f, i, at++);
    }
    air_write_stmt(w, k->body);
    air_write_branch(w, f.end);
    LLVMPositionBuilderAtEnd(w->b, f.end);
    LLVMBuildRetVoid(w->b);
    LLVMPositionBuilderAtEnd(w->b, w->entry);
    LLVMBuildBr(w->b, body);
}

/* A function with values as parameters and result. */
static void write_plain(air_writer *w, const mf_function *f)
{
    const bool is_void = f->result->kind == MF_TYPE_VOID;
    LLVMTypeRef *types = arena_array(w->mem, LLVMTypeRef, f->param_count + 1);
    for (size_t i = 0; i < f->param_count; ++i) types[i] = air_write_value_type(w, f->params[i]->type);
    const LLVMTypeRef result = is_void ? w->none : air_write_value_type(w, f->result);
    w->kernel = f;
    w->function = LLVMAddFunction(w->m, str_format(w->mem, "%.*s", STR_ARG(f->name)).p, LLVMFunctionType(result, types, (unsigned)f->param_count, 0));
    w->entry = air_write_block(w, "entry");
    LLVMBasicBlockRef body = air_write_block(w, "start");
    LLVMPositionBuilderAtEnd(w->b, body);
    air_frame frame = {.function = f, .end = air_write_block(w, "exit")};
    frame.params = arena_array(w->mem, air_bound, f->param_count + 1);
    frame.locals = arena_array(w->mem, air_bound, f->local_count + 1);
    w->frame = &frame;
    if (!is_void) frame.result = air_write_room(w, f->result, STR("result"));
    for (size_t i = 0; i < f->param_count; ++i) {
        frame.params[i] = (air_bound){true, air_write_room(w, f->params[i]->type, f->params[i]->name)};
        air_write_store(w, frame.params[i].at, LLVMGetParam(w->function, (unsigned)i));
    }
    air_write_stmt(w, f->body);
    air_write_branch(w, frame.end);
    LLVMPositionBuilderAtEnd(w->b, frame.end);
    if (is_void) LLVMBuildRetVoid(w->b);
    else LLVMBuildRet(w->b, air_write_load(w, frame.result));
    LLVMPositionBuilderAtEnd(w->b, w->entry);
    LLVMBuildBr(w->b, body);
}

static void start_module(air_writer *w, const air_platform *p)
{
    const str name = str_format(w->mem, "%.*s", STR_ARG(w->kernel->name));
    const char *system = p->is_macos ? "macosx" : "ios";
    w->m = LLVMModuleCreateWithNameInContext(name.p, w->c);
    LLVMSetSourceFileName(w->m, name.p, name.n);
    LLVMSetTarget(w->m, str_format(w->mem, "%s-apple-%s%u.%u.0", p->arch, system, p->major, p->minor).p);
    LLVMSetDataLayout(w->m, AIR_LAYOUT);
    w->types = w->records = w->globals = (map){0};
    w->lane = w->start = NULL;
    w->platform = p;
    w->states = NULL;
    w->given = NULL;
}

LLVMModuleRef air_write_library(air_writer *w, const mf_unit *unit, const air_platform *platform)
{
    mf_function *all = arena_new(w->mem, mf_function); /* for messages */
    all->name = STR("functions");
    w->kernel = all;
    start_module(w, platform);
    for (size_t i = 0; i < unit->function_count && !w->failed; ++i)
        if (!unit->functions[i]->of_library && !unit->functions[i]->kernel) write_plain(w, unit->functions[i]);
    return w->failed ? NULL : w->m;
}

LLVMModuleRef air_write_module(air_writer *w, const mf_function *kernel, const air_platform *platform, unsigned language, str *metadata)
{
    w->kernel = kernel;
    bool extra_lane = false;
    for (;;) {
        w->wants_lane = false;
        start_module(w, platform);
        write_function(w, extra_lane);
        if (w->failed || !w->wants_lane) break;
        LLVMDisposeModule(w->m); /* again, with a parameter for it */
        extra_lane = true;
    }
    if (w->failed) return NULL;
    describe_kernel(w, extra_lane);
    *metadata = air_write_finish_constants(w);
    describe_module(w, platform, language);
    return w->m;
}
