/* The run itself, on a device of the library. */
#include "cli/run.h"

#include <string.h>

static void on_launch(void *user, const char *kernel, const uint32_t grid[3],
                      const uint32_t group[3], size_t threadgroup_bytes)
{
    run *r = user;
    size_t last = r->launch_count;
    for (size_t i = 0; i < last; i++) {
        run_launch *l = &r->launches[i];
        bool same = strcmp(l->kernel, kernel) == 0 && memcmp(l->grid, grid, sizeof l->grid) == 0 &&
                    memcmp(l->group, group, sizeof l->group) == 0 &&
                    l->threadgroup_bytes == threadgroup_bytes;
        if (!same) continue;
        l->count++;
        return;
    }
    r->launches = cli_pool_resize(&r->c->pool, r->launches, (last + 1) * sizeof *r->launches);
    run_launch *l = &r->launches[r->launch_count++];
    *l = (run_launch){.kernel = cli_pool_text(&r->c->pool, kernel, strlen(kernel)),
                      .threadgroup_bytes = threadgroup_bytes,
                      .count = 1};
    memcpy(l->grid, grid, sizeof l->grid);
    memcpy(l->group, group, sizeof l->group);
}

static void on_time(void *user, const char *kernel, double start, double end)
{
    run *r = user;
    double took = end - start;
    size_t i = 0;
    while (i < r->time_count && strcmp(r->times[i].kernel, kernel) != 0) i++;
    if (i == r->time_count) {
        r->times = cli_pool_resize(&r->c->pool, r->times, (i + 1) * sizeof *r->times);
        r->times[r->time_count++] = (run_time){
            .kernel = cli_pool_text(&r->c->pool, kernel, strlen(kernel)), .least = took};
    }
    run_time *t = &r->times[i];
    t->count++;
    t->total += took;
    if (took < t->least) t->least = took;
}

static ingot_status open_device(run *r, ingot_error *error)
{
    ingot_status status =
        ingot_device_open(r->device_kind, r->device_id, r->threads, NULL, &r->device, error);
    if (status == INGOT_OK && r->archive)
        status = ingot_device_archive_open(r->device, r->archive, error);
    if (status == INGOT_OK && r->capture)
        status = ingot_device_capture_start(r->device, r->capture, error);
    if (status == INGOT_OK && r->engine) status = ingot_device_engine(r->device, r->engine, error);
    if (status == INGOT_OK) status = ingot_stream_create(r->device, &r->stream, error);
    if (status == INGOT_OK && r->checker) status = ingot_stream_check(r->stream, r->checker, error);
    return status;
}

static ingot_status make_buffer(run *r, run_param *p, ingot_error *error)
{
    ingot_status status = ingot_buffer_create(r->device, p->bytes, &p->buffer, error);
    bool blank = r->checker && p->fill == RUN_FILL_AUTO && !p->info.is_read; /* nobody has written it */
    if (status == INGOT_OK && p->bytes && !blank)
        status = ingot_buffer_write(p->buffer, 0, p->data, p->bytes, r->stream, error);
    p->tensor = (DLTensor){.data = p->buffer,
                           .device = {kDLMetal, r->device_id},
                           .ndim = (int32_t)p->info.ndim,
                           .dtype = p->info.dtype,
                           .shape = p->shape};
    return status;
}

static ingot_status call(run *r, ingot_error *error)
{
    ingot_value *args = cli_pool_new(&r->c->pool, r->param_count, sizeof *args);
    for (size_t i = 0; i < r->param_count; i++) {
        run_param *p = &r->params[i];
        bool tensor = p->info.kind == INGOT_PARAM_TENSOR;
        ingot_status status = tensor ? make_buffer(r, p, error) : INGOT_OK;
        if (status != INGOT_OK) return status;
        args[i] = tensor ? ingot_tensor(&p->tensor) : p->scalar;
    }
    ingot_stream_on_launch(r->stream, on_launch, r);
    if (r->timed) ingot_stream_on_time(r->stream, on_time, r);
    double began = cli_seconds();
    ingot_status status = ingot_program_call(r->program, r->function, args, r->param_count,
                                             r->stream, &r->result, error);
    if (status == INGOT_OK) status = ingot_stream_sync(r->stream, error);
    if (status == INGOT_OK)
        cli_say(r->c, "ran %s in %.3f ms", r->function, (cli_seconds() - began) * 1e3);
    return status;
}

/* What is kept of the run in files of the device's own. */
static ingot_status finish(run *r, ingot_error *error)
{
    ingot_status status = INGOT_OK;
    if (r->capture) status = ingot_device_capture_stop(r->device, error);
    if (status == INGOT_OK && r->capture) cli_say(r->c, "wrote %s", r->capture);
    if (status == INGOT_OK && r->archive) status = ingot_device_archive_save(r->device, error);
    if (status == INGOT_OK && r->archive) cli_say(r->c, "wrote %s", r->archive);
    return status;
}

static ingot_status read_back(run *r, ingot_error *error)
{
    ingot_status status = INGOT_OK;
    for (size_t i = 0; status == INGOT_OK && i < r->param_count; i++) {
        run_param *p = &r->params[i];
        if (p->buffer && p->bytes && (run_is_shown(p) || p->out))
            status = ingot_buffer_read(p->buffer, 0, p->data, p->bytes, r->stream, error);
    }
    return status;
}

int run_execute(run *r)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    ingot_status status = open_device(r, &error);
    if (status == INGOT_OK) {
        cli_say(r->c, "device %s:%d: %s", r->device_kind, r->device_id,
                ingot_device_name(r->device));
        cli_progress_begin(&r->c->progress, "loading the kernels");
        double began = cli_seconds();
        status = ingot_program_load(r->module, r->device, &r->program, &error);
        if (status == INGOT_OK)
            cli_say(r->c, "loaded the kernels in %.3f ms", (cli_seconds() - began) * 1e3);
    }
    if (status == INGOT_OK) {
        cli_progress_begin(&r->c->progress, "running");
        status = call(r, &error);
        if (status == INGOT_OK) status = read_back(r, &error);
        if (status == INGOT_OK) status = finish(r, &error);
    }
    cli_progress_end(&r->c->progress);
    if (status == INGOT_OK) return CLI_GOOD;
    error.status = status;
    if (r->checker && (status == INGOT_DEVICE || status == INGOT_LIMIT)) {
        *r->stopped = error;
        return CLI_GOOD;
    }
    return cli_library_error(r->c, NULL, &error);
}

void run_release(run *r)
{
    for (size_t i = 0; i < r->param_count; i++) {
        if (r->params[i].array) ingot_array_release(r->params[i].array);
        if (r->params[i].buffer) ingot_buffer_release(r->params[i].buffer);
    }
    if (r->stream) ingot_stream_release(r->stream);
    if (r->program) ingot_program_release(r->program);
    if (r->device) ingot_device_release(r->device);
    if (r->module) ingot_module_release(r->module);
}
