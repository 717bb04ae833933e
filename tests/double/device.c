/* Devices, libraries, pipelines and buffers of the double. Declarations: https://developer.apple.com/documentation/metal */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "object.h"
#include "pack/metallib.h"
#include "send.h"
#include "tables.h"

enum { MOST_BYTES = 1 << 28, GROUP_BYTES = 32768 };

value set_label(message *m)
{
    free(m->self->label);
    m->self->label = copy_text(m->args[0].o != NULL ? m->args[0].o->text : "");
    return (value){0};
}

static void fail_with(object **out, int64_t code, const char *text)
{
    if (out != NULL) *out = make_error(code, text);
}

/* ---- Devices -------------------------------------------------------------------------------------------------- */

DOUBLE_API object *MTLCreateSystemDefaultDevice(void);
DOUBLE_API object *MTLCreateSystemDefaultDevice(void)
{
    enter();
    /* The default of two is the second, so that nothing rests on the order of the list. */
    object *o = fails(DOUBLE_NO_DEVICE) ? NULL : state.devices[state.options.devices - 1];
    leave();
    return o;
}

DOUBLE_API object *MTLCopyAllDevices(void);
DOUBLE_API object *MTLCopyAllDevices(void)
{
    enter();
    object *o = make_array(state.devices, (size_t)state.options.devices);
    leave();
    return o;
}

static value device_name(message *m)
{
    return (value){.o = make_string(m->self->text, strlen(m->self->text))};
}

static value registry(message *m)
{
    return (value){.u = (uint64_t)m->self->number[0]};
}

/* As an M2 answers: Apple 8 and all before, Mac 2, Common 3, Metal 3. */
static value supports_family(message *m)
{
    int64_t n = (int64_t)m->args[0].u;
    return (value){.u = (n >= 1001 && n <= 1008) || (n >= 2001 && n <= 2002) || (n >= 3001 && n <= 3003) || n == 5001};
}

static value max_threads(message *m)
{
    (void)m;
    return (value){.size = {EMU_MAX_THREADS, EMU_MAX_THREADS, EMU_MAX_THREADS}};
}

static value max_group_bytes(message *m)
{
    (void)m;
    return (value){.u = GROUP_BYTES};
}

static value max_buffer(message *m)
{
    (void)m;
    return (value){.u = MOST_BYTES};
}

static value has_unified(message *m)
{
    (void)m;
    return (value){.u = !state.options.discrete};
}

/* ---- Buffers --------------------------------------------------------------------------------------------------- */

static value make_buffer(object *device, const void *from, uint64_t length, uint64_t options)
{
    uint64_t storage = options >> 4;
    if (length == 0 || length > MOST_BYTES) complain("a buffer of %llu bytes", (unsigned long long)length);
    if ((options & 15) != 0 || (storage != 0 && storage != 2)) complain("a buffer with options %llu", (unsigned long long)options);
    if (from != NULL && storage != 0) complain("a private buffer cannot be filled by newBufferWithBytes");
    if (fails(DOUBLE_NO_MEMORY) || length == 0 || length > MOST_BYTES) return (value){0};
    object *o = make("MTLBuffer");
    hold(&o->held[HELD_DEVICE], device);
    o->bytes = grab((size_t)length, 1);
    if (from != NULL) memcpy(o->bytes, from, (size_t)length);
    o->size = (size_t)length;
    o->number[NUMBER_STORAGE] = (int64_t)storage;
    return (value){.o = o};
}

static value new_buffer(message *m)
{
    return make_buffer(m->self, NULL, m->args[0].u, m->args[1].u);
}

static value new_buffer_of(message *m)
{
    return make_buffer(m->self, m->args[0].p, m->args[1].u, m->args[2].u);
}

static value contents(message *m)
{
    return (value){.p = m->self->number[NUMBER_STORAGE] == 0 ? m->self->bytes : NULL};
}

static value length(message *m)
{
    return (value){.u = m->self->size};
}

static value storage(message *m)
{
    return (value){.u = (uint64_t)m->self->number[NUMBER_STORAGE]};
}

static value device_of(message *m)
{
    return (value){.o = retain(m->self->held[HELD_DEVICE])};
}

/* ---- Libraries and functions ----------------------------------------------------------------------------------- */

static void note_options(const object *o)
{
    snprintf(state.compile_options, sizeof state.compile_options, "language %lld math %lld functions %lld", (long long)o->number[NUMBER_LANGUAGE],
             (long long)o->number[NUMBER_MATH], (long long)o->number[NUMBER_FUNCTIONS]);
}

static value set_language(message *m)
{
    m->self->number[NUMBER_LANGUAGE] = (int64_t)m->args[0].u;
    return (value){0};
}

static value set_fast_math(message *m)
{
    if (!state.options.old) complain("setFastMathEnabled: where setMathMode: is");
    m->self->number[NUMBER_MATH] = m->args[0].u != 0 ? 2 : 0;
    return (value){0};
}

static value set_math_mode(message *m)
{
    m->self->number[NUMBER_MATH] = (int64_t)m->args[0].u;
    return (value){0};
}

static value set_math_functions(message *m)
{
    m->self->number[NUMBER_FUNCTIONS] = (int64_t)m->args[0].u;
    return (value){0};
}

static object *compile(object *device, const char *text, size_t size, object **out)
{
    emu_library *library = NULL;
    ingot_error error = {.status = INGOT_OK};
    char said[1400];
    if (fails(DOUBLE_LIBRARY_ERROR)) {
        fail_with(out, 3, "Compilation failed: \n\nthe compiler service went away");
        return NULL;
    }
    ingot_status status = emu_library_compile(NULL, (str){text, size}, STR("program_source"), &library, NULL, &error);
    if (status != INGOT_OK) {
        /* "program_source:3:5: text" gets its severity, after a warning that is none of it. */
        size_t place = strspn(error.message + strlen("program_source:"), "0123456789:") + strlen("program_source:");
        snprintf(said, sizeof said, "Compilation failed: \n\nprogram_source:1:1: warning: something to think about\n%.*s: error: %s\n    ^\n",
                 (int)place - 1, error.message, error.message + place + 1);
        fail_with(out, 3, said);
        return NULL;
    }
    if (state.options.warnings) fail_with(out, 4, "program_source:1:1: warning: unused variable 'x'");
    object *o = make("MTLLibrary");
    o->library = library;
    hold(&o->held[HELD_DEVICE], device);
    return o;
}

static value new_library_text(message *m)
{
    note_options(m->args[1].o);
    return (value){.o = compile(m->self, m->args[0].o->text, m->args[0].o->size, m->args[2].out)};
}

/* A metallib that is well-formed; what its functions do is said by options.air_text. */
static value new_library_data(message *m)
{
    const object *data = m->args[0].o;
    ingot_error error = {.status = INGOT_OK};
    if (metallib_check((str){(const char *)data->bytes, data->size}, &error) != INGOT_OK) {
        complain("newLibraryWithData: %s", error.message);
        fail_with(m->args[1].out, 1, "Invalid library file");
        return (value){0};
    }
    if (state.options.air_text == NULL || fails(DOUBLE_LIBRARY_ERROR)) {
        fail_with(m->args[1].out, 1, "This library is using language version 3.2 which is not supported on this OS.");
        return (value){0};
    }
    return (value){.o = compile(m->self, state.options.air_text, strlen(state.options.air_text), m->args[1].out)};
}

static value new_function(message *m)
{
    const emu_kernel *kernel = emu_library_find(m->self->library, str_of(m->args[0].o->text));
    if (kernel == NULL) return (value){0};
    object *o = make("MTLFunction");
    o->kernel = kernel;
    o->text = copy_text(m->args[0].o->text);
    hold(&o->held[HELD_LIBRARY], m->self);
    hold(&o->held[HELD_DEVICE], m->self->held[HELD_DEVICE]);
    return (value){.o = o};
}

static value function_type(message *m)
{
    (void)m;
    return (value){.u = 3};
}

/* ---- Pipelines -------------------------------------------------------------------------------------------------- */

static value set_function(message *m)
{
    hold(&m->self->held[HELD_FUNCTION], m->args[0].o);
    return (value){0};
}

static value set_archives(message *m)
{
    hold(&m->self->held[HELD_ARCHIVES], m->args[0].o);
    return (value){0};
}

static object *make_binding(const emu_arg *a)
{
    object *o = make("MTLBinding");
    o->text = copy_text(a->name);
    o->number[NUMBER_TYPE] = a->kind == EMU_ARG_THREADGROUP ? 1 : 0;
    o->number[NUMBER_ACCESS] = a->is_const ? 0 : 1;
    o->number[NUMBER_INDEX] = a->slot;
    o->number[NUMBER_SIZE] = (int64_t)a->elem_size;
    return o;
}

/* Bindings in the order of the parameters. */
static object *make_reflection(const emu_kernel *kernel)
{
    const emu_kernel_info *info = emu_kernel_describe(kernel);
    object **items = grab(info->arg_count, sizeof *items);
    for (size_t i = 0; i < info->arg_count; ++i) items[i] = make_binding(&info->args[i]);
    object *o = autorelease(make("MTLComputePipelineReflection")), *array = make_array(items, info->arg_count);
    for (size_t i = 0; i < info->arg_count; ++i) release(items[i]);
    free(items);
    hold(&o->held[1], array);
    release(array);
    return o;
}

static value new_pipeline(message *m)
{
    const object *descriptor = m->args[0].o, *function = descriptor->held[HELD_FUNCTION];
    object **reflection = m->args[2].out;
    if (function == NULL) complain("a pipeline without a function");
    if (descriptor->label == NULL || descriptor->label[0] == '\0') complain("a pipeline without a label");
    if (function == NULL || fails(DOUBLE_PIPELINE_ERROR)) {
        fail_with(m->args[3].out, 3, "Compiler encountered an internal error");
        return (value){0};
    }
    if (descriptor->held[HELD_ARCHIVES] != NULL) archives_hold(descriptor->held[HELD_ARCHIVES], function->text);
    if (reflection != NULL && (m->args[1].u & 1) != 0) *reflection = make_reflection(function->kernel);
    object *o = make("MTLComputePipelineState");
    hold(&o->held[HELD_DEVICE], m->self);
    hold(&o->held[HELD_FUNCTION], descriptor->held[HELD_FUNCTION]);
    o->kernel = function->kernel;
    o->label = copy_text(descriptor->label != NULL ? descriptor->label : "");
    return (value){.o = o};
}

static value pipeline_threads(message *m)
{
    return (value){.u = emu_kernel_describe(m->self->kernel)->max_threads};
}

static value pipeline_memory(message *m)
{
    return (value){.u = emu_kernel_describe(m->self->kernel)->threadgroup_bytes};
}

static value bindings(message *m)
{
    return (value){.o = retain(m->self->held[1])};
}

static value binding_name(message *m)
{
    return (value){.o = make_string(m->self->text, strlen(m->self->text))};
}

static value binding_type(message *m)
{
    return (value){.u = (uint64_t)m->self->number[NUMBER_TYPE]};
}

static value binding_access(message *m)
{
    return (value){.u = (uint64_t)m->self->number[NUMBER_ACCESS]};
}

static value binding_index(message *m)
{
    return (value){.u = (uint64_t)m->self->number[NUMBER_INDEX]};
}

static value binding_size(message *m)
{
    if (m->self->number[NUMBER_TYPE] != 0) complain("bufferDataSize of a binding that is no buffer");
    return (value){.u = (uint64_t)m->self->number[NUMBER_SIZE]};
}

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

#define LABEL {"- (void)setLabel:(NSString *)label", set_label, false}

static const method device_methods[] = {
    {"- (NSString *)name", device_name, false},
    {"- (uint64_t)registryID", registry, false},
    {"- (BOOL)supportsFamily:(MTLGPUFamily)gpuFamily", supports_family, true},
    {"- (MTLSize)maxThreadsPerThreadgroup", max_threads, false},
    {"- (NSUInteger)maxThreadgroupMemoryLength", max_group_bytes, true},
    {"- (NSUInteger)maxBufferLength", max_buffer, true},
    {"- (BOOL)hasUnifiedMemory", has_unified, true},
    {"- (id<MTLCommandQueue>)newCommandQueue", new_queue, false},
    {"- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options", new_buffer, false},
    {"- (id<MTLBuffer>)newBufferWithBytes:(const void *)pointer length:(NSUInteger)length options:(MTLResourceOptions)options",
     new_buffer_of, false},
    {"- (id<MTLLibrary>)newLibraryWithSource:(NSString *)source options:(MTLCompileOptions *)options error:(NSError **)error",
     new_library_text, false},
    {"- (id<MTLLibrary>)newLibraryWithData:(dispatch_data_t)data error:(NSError **)error", new_library_data, false},
    {"- (id<MTLComputePipelineState>)newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor "
     "options:(MTLPipelineOption)options reflection:(MTLComputePipelineReflection **)reflection error:(NSError **)error",
     new_pipeline, false},
    {"- (id<MTLBinaryArchive>)newBinaryArchiveWithDescriptor:(MTLBinaryArchiveDescriptor *)descriptor error:(NSError **)error",
     new_archive, true},
};
static const method options_methods[] = {
    {"- (void)setLanguageVersion:(MTLLanguageVersion)languageVersion", set_language, false},
    {"- (void)setFastMathEnabled:(BOOL)fastMathEnabled", set_fast_math, false},
    {"- (void)setMathMode:(MTLMathMode)mathMode", set_math_mode, true},
    {"- (void)setMathFloatingPointFunctions:(MTLMathFloatingPointFunctions)mathFloatingPointFunctions", set_math_functions, true},
};
static const method library_methods[] = {
    LABEL,
    {"- (id<MTLFunction>)newFunctionWithName:(NSString *)functionName", new_function, false},
};
static const method function_methods[] = {
    LABEL,
    {"- (MTLFunctionType)functionType", function_type, false},
};
static const method descriptor_methods[] = {
    LABEL,
    {"- (void)setComputeFunction:(id<MTLFunction>)computeFunction", set_function, false},
    {"- (void)setBinaryArchives:(NSArray<id<MTLBinaryArchive>> *)binaryArchives", set_archives, true},
};
static const method pipeline_methods[] = {
    {"- (NSUInteger)maxTotalThreadsPerThreadgroup", pipeline_threads, false},
    {"- (NSUInteger)staticThreadgroupMemoryLength", pipeline_memory, false},
};
static const method reflection_methods[] = {
    {"- (NSArray<id<MTLBinding>> *)bindings", bindings, true},
    {"- (NSArray<MTLArgument *> *)arguments", bindings, false},
};
static const method binding_methods[] = {
    {"- (NSString *)name", binding_name, false},
    {"- (MTLBindingType)type", binding_type, false},
    {"- (MTLBindingAccess)access", binding_access, false},
    {"- (NSUInteger)index", binding_index, false},
    {"- (NSUInteger)bufferDataSize", binding_size, false},
};
static const method buffer_methods[] = {
    LABEL,
    {"- (void *)contents", contents, false},
    {"- (NSUInteger)length", length, false},
    {"- (MTLStorageMode)storageMode", storage, false},
    {"- (id<MTLDevice>)device", device_of, false},
};

#define ROWS(TABLE) TABLE, sizeof(TABLE) / sizeof(TABLE)[0]
const class_info device_class = {"MTLDevice", ROWS(device_methods), false, false};
const class_info options_class = {"MTLCompileOptions", ROWS(options_methods), true, false};
const class_info library_class = {"MTLLibrary", ROWS(library_methods), false, false};
const class_info function_class = {"MTLFunction", ROWS(function_methods), false, false};
const class_info descriptor_class = {"MTLComputePipelineDescriptor", ROWS(descriptor_methods), true, false};
const class_info pipeline_class = {"MTLComputePipelineState", ROWS(pipeline_methods), false, false};
const class_info reflection_class = {"MTLComputePipelineReflection", ROWS(reflection_methods), false, false};
const class_info binding_class = {"MTLBinding", ROWS(binding_methods), false, false};
const class_info buffer_class = {"MTLBuffer", ROWS(buffer_methods), false, false};
