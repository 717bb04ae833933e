/* Constants of the program: computed now where they can be, else by a function that runs before the kernel; among those
 * are function constants, whose values come with the pipeline. */
#include "air/write.h"

#include "base/buf.h"
#include "pack/metallib.h"

/* What is set aside while another function is written. */
typedef struct outside {
    LLVMValueRef function, lane;
    LLVMBasicBlockRef entry, at;
    air_frame *frame;
    bool constant;
} outside;

static void open_start(air_writer *w)
{
    const str name = str_format(w->mem, "_GLOBAL__sub_I_%.*s.metal", STR_ARG(w->kernel->name));
    w->start = LLVMAddFunction(w->m, name.p, LLVMFunctionType(w->none, NULL, 0, 0));
    LLVMSetLinkage(w->start, LLVMInternalLinkage);
    LLVMSetSection(w->start, "air.static_init");
    w->start_entry = LLVMAppendBasicBlockInContext(w->c, w->start, "entry");
    w->start_end = w->start_body = LLVMAppendBasicBlockInContext(w->c, w->start, "start");
}

static outside go(air_writer *w, LLVMValueRef function, LLVMBasicBlockRef entry, LLVMBasicBlockRef at, air_frame *frame)
{
    const outside o = {w->function, w->lane, w->entry, LLVMGetInsertBlock(w->b), w->frame, w->constant};
    w->function = function;
    w->entry = entry;
    w->frame = frame;
    LLVMPositionBuilderAtEnd(w->b, at);
    return o;
}

static outside go_to_start(air_writer *w, air_frame *frame)
{
    if (w->start == NULL) open_start(w);
    const outside o = go(w, w->start, w->start_entry, w->start_end, frame);
    w->constant = false;
    return o;
}

static void come_back(air_writer *w, const outside *o)
{
    if (w->function == w->start) w->start_end = LLVMGetInsertBlock(w->b);
    w->function = o->function;
    w->lane = o->lane;
    w->entry = o->entry;
    w->frame = o->frame;
    w->constant = o->constant;
    if (o->at != NULL) LLVMPositionBuilderAtEnd(w->b, o->at);
}

static LLVMValueRef add_global(air_writer *w, const mf_var *v, const char *name)
{
    LLVMValueRef g = LLVMAddGlobalInAddressSpace(w->m, air_write_memory_type(w, v->type), name, 2);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
    LLVMSetInitializer(g, LLVMGetUndef(air_write_memory_type(w, v->type)));
    if (v->type->align != 0) LLVMSetAlignment(g, mf_var_align(v));
    return g;
}

/* The type as C++ mangles it. */
static const char *mangled(air_writer *w, const mf_type *t)
{
    static const char *const letters[MF_SCALARS] = {
        [MF_BOOL] = "b",  [MF_CHAR] = "c", [MF_UCHAR] = "h", [MF_SHORT] = "s", [MF_USHORT] = "t", [MF_INT] = "i",
        [MF_UINT] = "j",  [MF_LONG] = "l", [MF_ULONG] = "m", [MF_HALF] = "Dh", [MF_BFLOAT] = "u6__bf16", [MF_FLOAT] = "f",
    };
    if (t->width < 2) return letters[t->scalar];
    return str_format(w->mem, "Dv%u_%s", (unsigned)t->width, letters[t->scalar]).p;
}

/* The pipeline fills in a variable of a section of its own, and the start copies it. */
static LLVMValueRef function_constant(air_writer *w, const mf_var *v, const char *name)
{
    const char *whole = str_format(w->mem, "_Z%zu%s.MTL_FC_INIT_%u_%s", v->name.n, name, (unsigned)v->slot, mangled(w, v->type)).p;
    LLVMValueRef g = add_global(w, v, name), from = add_global(w, v, whole);
    LLVMSetSection(from, "air.fc_initializer");
    LLVMSetGlobalConstant(from, 1);
    LLVMSetExternallyInitialized(from, 1);
    air_given *given = arena_new(w->mem, air_given);
    air_given **at = &w->given;
    while (*at != NULL && (*at)->v->index < v->index) at = &(*at)->next;
    *given = (air_given){v, from, *at};
    *at = given;
    air_frame frame = {.function = w->kernel};
    const outside o = go_to_start(w, &frame);
    LLVMValueRef value = LLVMBuildLoad2(w->b, air_write_memory_type(w, v->type), from, "");
    LLVMBuildStore(w->b, value, g);
    come_back(w, &o);
    return g;
}

/* The initialiser as a constant; NULL where it is none. What had to be written for it is thrown away. */
static LLVMValueRef computed_now(air_writer *w, const mf_var *v)
{
    if (v->init == NULL) return air_write_zero(w, v->type);
    LLVMValueRef aside = LLVMAddFunction(w->m, "aside", LLVMFunctionType(w->none, NULL, 0, 0));
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(w->c, aside, ""), body = LLVMAppendBasicBlockInContext(w->c, aside, "");
    air_frame frame = {.function = w->kernel};
    const bool meets = w->meets_given;
    const outside o = go(w, aside, entry, body, &frame);
    w->constant = true;
    w->meets_given = false;
    LLVMValueRef init = air_write_value(w, v->init);
    const bool now = !w->meets_given && LLVMIsConstant(init);
    w->meets_given = w->meets_given || meets;
    come_back(w, &o);
    LLVMDeleteFunction(aside);
    return now ? init : NULL;
}

static LLVMValueRef computed_later(air_writer *w, const mf_var *v, const char *name)
{
    LLVMValueRef g = add_global(w, v, name);
    map_put_id(w->mem, &w->globals, v, g);
    air_frame frame = {.function = w->kernel};
    const outside o = go_to_start(w, &frame);
    air_write_store(w, (air_place){.p = g, .type = v->type}, air_write_value(w, v->init));
    come_back(w, &o);
    return g;
}

air_place air_write_global(air_writer *w, const mf_var *v)
{
    LLVMValueRef g = map_get_id(&w->globals, v);
    if (g != NULL) return (air_place){.p = g, .type = v->type};
    if (v->binding == MF_BIND_INPUT) air_write_refuse(w, v->at, "the input '%.*s' declared outside functions is not supported", STR_ARG(v->name));
    const char *name = str_format(w->mem, "%.*s", STR_ARG(v->name)).p;
    LLVMValueRef init = v->is_function_constant && !v->is_given ? NULL : computed_now(w, v);
    if (init != NULL) {
        g = add_global(w, v, name);
        init = air_write_to_memory(w, init, v->type);
        LLVMSetGlobalConstant(g, 1);
        if (v->type->kind == MF_TYPE_PACKED || !LLVMIsConstant(init) || LLVMTypeOf(init) != air_write_memory_type(w, v->type))
            air_write_refuse(w, v->at, "the initialiser of '%.*s' is not a constant that can be computed", STR_ARG(v->name));
        else
            LLVMSetInitializer(g, init);
    } else if (v->is_function_constant) {
        g = function_constant(w, v, name);
    } else {
        g = computed_later(w, v, name);
    }
    map_put_id(w->mem, &w->globals, v, g);
    return (air_place){.p = g, .type = v->type};
}

/* ---- What the module and the library say of them -------------------------------------------------------------------- */

/* Ends the initialising function, and has it run before the kernel. */
static void close_start(air_writer *w)
{
    LLVMPositionBuilderAtEnd(w->b, w->start_entry);
    LLVMBuildBr(w->b, w->start_body);
    LLVMPositionBuilderAtEnd(w->b, w->start_end);
    LLVMBuildRetVoid(w->b);
    const LLVMTypeRef bytes = LLVMPointerType(w->i8, 0);
    LLVMValueRef parts[3] = {LLVMConstInt(w->i32, 65535, 0), w->start, LLVMConstNull(bytes)};
    LLVMValueRef one = LLVMConstStructInContext(w->c, parts, 3, 0);
    LLVMValueRef g = LLVMAddGlobal(w->m, LLVMArrayType(LLVMTypeOf(one), 1), "llvm.global_ctors");
    LLVMSetInitializer(g, LLVMConstArray(LLVMTypeOf(one), &one, 1));
    LLVMSetLinkage(g, LLVMAppendingLinkage);
}

/* MTLDataType's number. */
static unsigned data_type(air_writer *w, const mf_type *t)
{
    const str name = mf_type_text(w->mem, t);
    for (unsigned i = 0; i < 256; ++i)
        if (str_is(name, metallib_data_type_text(i))) return i;
    return 0;
}

str air_write_finish_constants(air_writer *w)
{
    if (w->start != NULL) close_start(w);
    if (w->given == NULL) return (str){NULL, 0};
    ingot_allocator hook = arena_hook(w->mem);
    buf all = buf_make(&hook), tag = buf_make(&hook);
    size_t n = 0;
    for (const air_given *g = w->given; g != NULL; g = g->next, ++n) {
        const str type = mf_type_text(w->mem, g->v->type);
        LLVMMetadataRef parts[5] = {LLVMValueAsMetadata(g->from), LLVMMDStringInContext2(w->c, type.p, type.n),
                                    LLVMMDStringInContext2(w->c, g->v->name.p, g->v->name.n),
                                    LLVMValueAsMetadata(LLVMConstInt(w->i32, g->v->slot, 0)), LLVMValueAsMetadata(LLVMConstInt(w->i1, 1, 0))};
        LLVMAddNamedMetadataOperand(w->m, "air.function_constants", LLVMMetadataAsValue(w->c, LLVMMDNodeInContext2(w->c, parts, 5)));
        buf_str(&all, g->v->name);
        buf_char(&all, '\0');
        buf_u8(&all, (uint8_t)data_type(w, g->v->type));
        buf_u16(&all, (uint16_t)g->v->slot);
        buf_u8(&all, 1);
    }
    buf_text(&tag, "CNST");
    buf_u16(&tag, (uint16_t)(all.n + 2));
    buf_u16(&tag, (uint16_t)n);
    buf_bytes(&tag, all.p, all.n);
    return buf_view(&tag);
}
