/* Loading a module onto a device, and calling its host functions. */
#include "rt/program.h"

#include "base/error.h"
#include "host/args.h"
#include "pack/index.h"
#include "pack/metallib.h"
#include "pack/payload.h"

/* ---- Loading ------------------------------------------------------------------------------------- */

static ingot_status find_in_metallib(const metallib *m, str name, ingot_error *error)
{
    if (m->is_stub) return error_set(error, INGOT_FORMAT, "it is a stub library, without code");
    if (m->file_type != 0) return error_set(error, INGOT_FORMAT, "it is a %s, not an executable one", metallib_file_type_text(m->file_type));
    const metallib_function *f = metallib_find(m, name);
    if (f == NULL) return error_set(error, INGOT_FORMAT, "it holds no function of that name (it holds %zu)", m->function_count);
    if (f->type == METALLIB_KERNEL) return INGOT_OK;
    return error_set(error, INGOT_FORMAT, "its function of that name is no kernel but of type %s", metallib_type_text(f->type));
}

/* A payload of format "metallib": what it is instead, or what stands in the way of running it. */
static ingot_status check_metallib(const ingot_program *p, const pack_kernel *k, ingot_error *error)
{
    payload_kind kind = payload_look(k->payload);
    if (kind != PAYLOAD_METALLIB) {
        return error_set(error, INGOT_FORMAT,
                         "kernel \"%s\": the payload is labelled \"metallib\" and is %s; have the compile callback %s",
                         k->name.p, payload_text(kind), payload_advice(kind));
    }
    pool mem = pool_make(p->device->mem);
    ingot_error inner = {.status = INGOT_OK};
    const metallib *m = NULL;
    ingot_status status = metallib_read(&mem, k->payload, &m, &inner);
    if (status == INGOT_OK) status = find_in_metallib(m, k->name, &inner);
    pool_free(&mem);
    if (status == INGOT_OUT_OF_MEMORY) return error_no_memory(error);
    if (status != INGOT_OK) return error_set(error, status, "kernel \"%s\": the metallib: %s", k->name.p, inner.message);
    return INGOT_OK;
}

/* The device's own word on a payload, with the kernel named and, for text that is none, what it is instead. */
static ingot_status load_failed(const rt_kernel *k, const rt_source *source, const ingot_error *inner, ingot_error *error)
{
    ingot_status status = inner->status;
    if (status == INGOT_OUT_OF_MEMORY) return error_no_memory(error);
    payload_kind kind = payload_look(k->record->payload);
    bool fits = source->format == RT_FORMAT_METALLIB || kind == PAYLOAD_MSL || kind == PAYLOAD_TEXT;
    error_set(error, status, "kernel \"%s\": %s%s%s%s", k->record->name.p, fits ? "" : "the payload is ",
              fits ? "" : payload_text(kind), fits ? "" : ", and format \"metal\" means MSL text: ", inner->message);
    if (error != NULL) {
        error->line = inner->line;
        error->column = inner->column;
    }
    return status;
}

static ingot_status load_kernel(ingot_program *p, rt_kernel *k, ingot_error *error)
{
    const pack_kernel *r = k->record;
    bool compiled = p->module->device->format == PACK_METALLIB;
    ingot_status status = compiled ? check_metallib(p, r, error) : INGOT_OK;
    if (status != INGOT_OK) return status;
    rt_source source = {.format = compiled ? RT_FORMAT_METALLIB : RT_FORMAT_METAL,
                        .text = r->payload.p,
                        .size = r->payload.n,
                        .kernel = r->name.p,
                        .math = p->module->fast_math ? RT_MATH_FAST : RT_MATH_SAFE,
                        .language = p->module->language};
    ingot_error inner = {.status = INGOT_OK};
    const ingot_device *d = p->device;
    status = d->fns->kernel_load(d->self, &source, &k->handle, &inner);
    if (status != INGOT_OK) {
        inner.status = status;
        return load_failed(k, &source, &inner, error);
    }
    k->info = d->fns->kernel_info(d->self, k->handle);
    return INGOT_OK;
}

static ingot_status load_kernels(ingot_program *p, ingot_error *error)
{
    const pack_device_module *m = p->module->device;
    for (size_t i = 0; i < m->kernel_count; ++i) {
        rt_kernel *k = &p->kernels[i];
        k->record = &m->kernels[i];
        ingot_status status = load_kernel(p, k, error);
        if (status == INGOT_OK) status = rt_kernel_check(k, &p->memory, error);
        if (status != INGOT_OK) return status;
    }
    return INGOT_OK;
}

/* Which kernel each launch of each function means; module_finish has checked that it is there. */
static ingot_status plan_launches(ingot_program *p, ingot_error *error)
{
    const pack_device_module *m = p->module->device;
    const host_program *host = p->module->host;
    pack_index index;
    size_t again;
    if (pack_index_make(&p->memory, m->kernels, sizeof *m->kernels, m->kernel_count, &index, &again) != INGOT_OK) {
        return error_no_memory(error);
    }
    for (size_t i = 0; i < host->function_count; ++i) {
        const host_function *f = &host->functions[i];
        size_t *kernels = pool_array(&p->memory, size_t, f->launch_count);
        if (kernels == NULL) return error_no_memory(error);
        for (size_t k = 0; k < f->launch_count; ++k) kernels[k] = pack_index_find(&index, f->launches[k].kernel);
        p->plans[i].kernels = kernels;
    }
    return INGOT_OK;
}

static ingot_status fill(ingot_program *p, ingot_error *error)
{
    p->kernels = pool_array(&p->memory, rt_kernel, p->module->device->kernel_count);
    p->plans = pool_array(&p->memory, rt_plan, p->module->host->function_count);
    if (p->kernels == NULL || p->plans == NULL) return error_no_memory(error);
    ingot_status status = load_kernels(p, error);
    if (status == INGOT_OK) status = plan_launches(p, error);
    if (status == INGOT_OK) status = rt_buffer_create(p->device, 0, &p->empty, error);
    return status;
}

ingot_status rt_program_load(ingot_module *m, ingot_device *d, ingot_program **out, ingot_error *error)
{
    *out = NULL;
    if (m->fallback) {
        return error_set(error, INGOT_RUNTIME,
                         "this module was built for code generation only (force-fallback): it can be inspected and saved, "
                         "and cannot launch kernels; load its saved bytes to run them");
    }
    ingot_program *p = mem_zeroed(d->mem, 1, sizeof *p);
    if (p == NULL) return error_no_memory(error);
    atomic_init(&p->references, 1);
    p->memory = pool_make(d->mem);
    p->module = m;
    p->device = d;
    module_retain(m);
    rt_device_retain(d);
    ingot_status status = fill(p, error);
    if (status != INGOT_OK) {
        rt_program_release(p);
        return status;
    }
    *out = p;
    return INGOT_OK;
}

void rt_program_release(ingot_program *p)
{
    if (p == NULL || atomic_fetch_sub_explicit(&p->references, 1, memory_order_acq_rel) != 1) return;
    ingot_device *d = p->device;
    for (size_t i = 0; p->kernels != NULL && i < p->module->device->kernel_count; ++i) {
        if (p->kernels[i].handle != NULL) d->fns->kernel_free(d->self, p->kernels[i].handle);
    }
    rt_buffer_release(p->empty);
    pool_free(&p->memory);
    module_release(p->module);
    mem_free(d->mem, p, sizeof *p);
    rt_device_release(d);
}

/* ---- Calling ------------------------------------------------------------------------------------- */

static void *find_memory(void *user, const void *data, size_t *size)
{
    ingot_buffer *b = rt_device_find(user, data);
    if (b != NULL) *size = b->size;
    return b;
}

static ingot_status alloc_memory(void *user, uint64_t bytes, void **out, ingot_error *error)
{
    const rt_call *call = user;
    if (bytes > SIZE_MAX) return error_no_memory(error);
    ingot_buffer *b = NULL;
    ingot_status status = rt_buffer_create(call->stream->device, (size_t)bytes, &b, error);
    *out = b;
    return status;
}

static void free_memory(void *user, void *memory)
{
    (void)user;
    rt_buffer_release(memory);
}

static ingot_status read_memory(void *user, void *memory, uint64_t offset, int32_t *out, ingot_error *error)
{
    const rt_call *call = user;
    const ingot_buffer *b = memory;
    unsigned char bytes[4];
    if (offset > b->size || b->size - offset < sizeof bytes) return error_set(error, INGOT_DEVICE, "a read past a temporary's end");
    ingot_status status = rt_buffer_read(b, (size_t)offset, bytes, sizeof bytes, call->stream, error);
    *out = (int32_t)((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
    return status;
}

static ingot_value value_of(DLDataType t, host_value v)
{
    if (t.code == kDLOpaqueHandle) return ingot_none();
    if (t.code == kDLBool) return ingot_bool(v.i != 0);
    if (t.code == kDLInt || t.code == kDLUInt) return ingot_int(v.i);
    return ingot_float(v.f);
}

/* Binds and runs, within a frame that the caller gives back. */
static ingot_status run(rt_call *call, host_frame *frame, const rt_arguments *args, ingot_value *result, ingot_error *error)
{
    ingot_status status = host_bind(frame, args->values, args->count, args->device, error);
    if (status != INGOT_OK) return status;
    host_env env = {.user = call, .launch = rt_launch_kernel, .alloc = alloc_memory, .free = free_memory,
                    .read = read_memory};
    host_value value = {.i = 0};
    status = host_run(frame, &env, &value, error);
    if (status == INGOT_OK && result != NULL) *result = value_of(frame->function->result, value);
    return status;
}

ingot_status rt_program_find(const ingot_program *p, str function, const ingot_stream *s, const host_function **out,
                             ingot_error *error)
{
    if (s->device != p->device) {
        return error_set(error, INGOT_INVALID_ARGUMENT, "the stream and the program belong to two devices");
    }
    *out = host_find(p->module->host, function);
    if (*out != NULL) return INGOT_OK;
    return error_set(error, INGOT_NOT_FOUND, "the module has no host function \"%.*s\"",
                     function.n != 0 ? (int)function.n : 4, function.n != 0 ? function.p : "main");
}

ingot_status rt_program_start(ingot_program *p, const host_function *f, const rt_arguments *args, ingot_stream *s,
                              ingot_value *result, ingot_error *error)
{
    ingot_status status = rt_stream_check(s, error);
    if (status != INGOT_OK) return status;
    rt_call call = {p, &p->plans[f - p->module->host->functions], s};
    host_storage storage;
    host_frame frame;
    status = host_frame_begin(&frame, f, &storage, p->device->mem, error);
    if (status != INGOT_OK) return status;
    status = run(&call, &frame, args, result, error);
    host_frame_end(&frame, &storage, p->device->mem);
    return status;
}

ingot_status rt_program_call(ingot_program *p, str function, const ingot_value *args, size_t count, ingot_stream *s,
                             ingot_value *result, ingot_error *error)
{
    const host_function *f;
    ingot_status status = rt_program_find(p, function, s, &f, error);
    if (status != INGOT_OK) return status;
    ingot_device *d = p->device;
    host_device device = {.mem = d->mem, .id = d->id, .user = d, .find = find_memory};
    rt_arguments given = {args, count, &device};
    return rt_program_start(p, f, &given, s, result, error);
}
