/* Checks and findings through the public API. */
#include "api/check.h"

#include <string.h>

#include "api/text.h"
#include "base/error.h"
#include "emu/device.h"
#include "rt/object.h"

/* The public list is the device's. */
#define INGOT_CHECK_ROW(NAME, name)                                                                                    \
    _Static_assert((int)INGOT_CHECK_##NAME == (int)EMU_CHECK_##NAME, "both lists of checks have one order");
INGOT_CHECK_LIST(INGOT_CHECK_ROW)
#undef INGOT_CHECK_ROW
_Static_assert((int)INGOT_CHECKS == (int)EMU_CHECKS, "both lists of checks have one length");
_Static_assert((int)INGOT_MEMORY_TEXTURE == (int)EMU_MEMORY_TEXTURE && (int)INGOT_MEMORY_THREAD == (int)EMU_MEMORY_THREAD,
               "both lists of memories have one order");

static bool is_check(ingot_check check)
{
    return (unsigned)check < INGOT_CHECKS;
}

const char *ingot_check_name(ingot_check check)
{
    return is_check(check) ? emu_check_name((emu_check)check) : "";
}

const char *ingot_check_text(ingot_check check)
{
    return is_check(check) ? emu_check_what((emu_check)check) : "";
}

static ingot_status no_check(str name, ingot_error *error)
{
    char names[200];
    size_t n = 0;
    for (unsigned i = 0; i < INGOT_CHECKS; ++i) {
        const str one = str_of(emu_check_name((emu_check)i));
        if (n + one.n + 3 > sizeof names) break;
        memcpy(names + n, one.p, one.n);
        n += one.n;
        memcpy(names + n, ", ", 2);
        n += 2;
    }
    return error_set(error, INGOT_VALUE, "'%.*s' is no check; there are %.*sall", STR_ARG(name), (int)n, names);
}

ingot_status ingot_check_parse(const char *text, unsigned *out, ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = 0;
    if (text == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "text is NULL");
    unsigned mask = 0;
    for (const char *at = text; *at != '\0';) {
        str word = {at, strcspn(at, ",")};
        at += word.n;
        if (*at == ',') ++at;
        const bool take = word.n != 0 && word.p[0] == '-';
        const str name = {word.p + take, word.n - take};
        emu_check check;
        unsigned bits = INGOT_CHECK_ALL;
        if (emu_check_find(name, &check)) bits = 1U << check;
        else if (!str_is(name, "all")) return no_check(name, error);
        mask = take ? mask & ~bits : mask | bits;
    }
    if (mask == 0) return error_set(error, INGOT_VALUE, "'%.60s' names no check", text);
    *out = mask;
    return error_none(error);
}

int ingot_check_rule(size_t index, ingot_rule *out)
{
    if (out == NULL || index + 1 >= EMU_RULES) return 0;
    const emu_rule rule = (emu_rule)(index + 1); /* the first one is none */
    *out = (ingot_rule){emu_rule_name(rule), (ingot_check)emu_rule_check(rule), emu_rule_fix(rule)};
    return 1;
}

/* ---- Findings ------------------------------------------------------------------------------------- */

static ingot_place place_out(const emu_place *p)
{
    ingot_place out = {.file = p->file,
                       .text = p->text,
                       .line = p->line,
                       .column = p->column,
                       .end_column = p->end_column,
                       .has_thread = p->has_thread,
                       .index = p->index,
                       .simdgroup = p->simdgroup,
                       .lane = p->lane};
    memcpy(out.thread, p->thread, sizeof out.thread);
    memcpy(out.threadgroup, p->group, sizeof out.threadgroup);
    return out;
}

static emu_place place_in(const ingot_place *p)
{
    emu_place in = {.file = p->file,
                    .text = p->text,
                    .line = p->line,
                    .column = p->column,
                    .end_column = p->end_column,
                    .has_thread = p->has_thread != 0,
                    .index = p->index,
                    .simdgroup = p->simdgroup,
                    .lane = p->lane};
    memcpy(in.thread, p->thread, sizeof in.thread);
    memcpy(in.group, p->threadgroup, sizeof in.group);
    return in;
}

ingot_status ingot_finding_format(const ingot_finding *f, int colour, ingot_text **out, ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    if (f == NULL || !is_check(f->check)) return error_set(error, INGOT_INVALID_ARGUMENT, "there is no finding");
    const emu_finding in = {.check = (emu_check)f->check,
                            .kernel = f->kernel,
                            .message = f->message,
                            .fix = f->fix,
                            .first = place_in(&f->first),
                            .second = place_in(&f->second),
                            .memory = (emu_memory)f->memory,
                            .buffer = f->buffer,
                            .slot = f->index,
                            .times = f->times};
    buf text = buf_make(NULL);
    emu_finding_render(&in, colour != 0, &text);
    const ingot_status status = text_take(&text, out, error);
    buf_free(&text);
    return status == INGOT_OK ? error_none(error) : status;
}

/* ---- Checkers ------------------------------------------------------------------------------------- */

static ingot_status take_target(ingot_checker *c, const char *text, ingot_error *error)
{
    const ingot_status status = ingot_target_parse(text, &c->target, error);
    if (status != INGOT_OK) return status;
    int64_t threads = EMU_MAX_THREADS, bytes = EMU_MAX_THREADGROUP_BYTES, buffers = EMU_MAX_BUFFERS;
    (void)ingot_target_attr(c->target, "max_threads_per_block", &threads);
    (void)ingot_target_attr(c->target, "max_shared_memory_per_block", &bytes);
    (void)ingot_target_attr(c->target, "max_function_args", &buffers);
    c->limits = (emu_limits){.target = "the target",
                             .threads = (uint32_t)threads,
                             .buffers = (uint32_t)buffers,
                             .threadgroup_bytes = (uint64_t)bytes};
    c->checking.limits = &c->limits;
    return INGOT_OK;
}

ingot_status ingot_checker_create(const ingot_checker_options *options, const ingot_allocator *allocator, ingot_checker **out,
                                  ingot_error *error)
{
    if (out == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "out is NULL");
    *out = NULL;
    ingot_checker_options o = INGOT_CHECKER_OPTIONS_INIT;
    if (options != NULL) {
        if (options->struct_size < sizeof options->struct_size || options->struct_size > sizeof o)
            return error_set(error, INGOT_INVALID_ARGUMENT,
                             "ingot_checker_options.struct_size is %zu; set it with INGOT_CHECKER_OPTIONS_INIT",
                             options->struct_size);
        memcpy(&o, options, options->struct_size);
    }
    if ((o.checks & ~INGOT_CHECK_ALL) != 0) return error_set(error, INGOT_VALUE, "the mask of checks has a bit that is none");
    const ingot_allocator *mem = mem_or_default(allocator);
    ingot_checker *c = mem_zeroed(mem, 1, sizeof *c);
    if (c == NULL) return error_no_memory(error);
    c->mem = mem;
    c->findings = emu_findings_make(mem, o.max_findings);
    c->checking = (emu_checking){.checks = o.checks,
                                 .findings = &c->findings,
                                 .stop = o.stop != 0,
                                 .seed = o.seed,
                                 .budget = o.budget,
                                 .milliseconds = o.milliseconds,
                                 .cancel = o.cancel};
    const ingot_status status = o.target != NULL ? take_target(c, o.target, error) : INGOT_OK;
    if (status != INGOT_OK) {
        ingot_checker_release(c);
        return status;
    }
    *out = c;
    return error_none(error);
}

void ingot_checker_release(ingot_checker *c)
{
    if (c == NULL) return;
    emu_findings_free(&c->findings);
    ingot_target_release(c->target);
    mem_free(c->mem, c, sizeof *c);
}

size_t ingot_checker_count(const ingot_checker *c)
{
    return c != NULL ? c->findings.n : 0;
}

uint64_t ingot_checker_dropped(const ingot_checker *c)
{
    return c != NULL ? c->findings.dropped : 0;
}

void ingot_checker_clear(ingot_checker *c)
{
    if (c != NULL) emu_findings_free(&c->findings);
}

ingot_status ingot_checker_finding(const ingot_checker *c, size_t index, ingot_finding *out)
{
    if (c == NULL || out == NULL) return INGOT_INVALID_ARGUMENT;
    if (index >= c->findings.n) return INGOT_NOT_FOUND;
    const emu_finding *f = &c->findings.at[index];
    *out = (ingot_finding){.check = (ingot_check)f->check,
                           .rule = emu_rule_name(f->rule),
                           .kernel = f->kernel,
                           .message = f->message,
                           .fix = f->fix,
                           .first = place_out(&f->first),
                           .second = place_out(&f->second),
                           .memory = (ingot_memory)f->memory,
                           .buffer = f->buffer,
                           .index = f->slot,
                           .byte = f->byte,
                           .element = f->element,
                           .size = f->size,
                           .memory_size = f->memory_size,
                           .distance = f->distance,
                           .times = f->times};
    return INGOT_OK;
}

ingot_status ingot_device_engine(ingot_device *device, const char *engine, ingot_error *error)
{
    emu_engine e;
    if (device == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "device is NULL");
    if (device->fns != &emu_device)
        return error_set(error, INGOT_UNSUPPORTED, "a device of kind \"%s\" has no engines", device->fns->kind);
    const ingot_status status = emu_engine_parse(engine, &e, error);
    if (status == INGOT_OK) emu_device_engine(device->self, e);
    return status;
}

ingot_status ingot_stream_check(ingot_stream *stream, ingot_checker *checker, ingot_error *error)
{
    if (stream == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "stream is NULL");
    if (stream->device->fns != &emu_device)
        return error_set(error, INGOT_UNSUPPORTED, "a device of kind \"%s\" runs no checks", stream->device->fns->kind);
    stream->checking = checker != NULL ? &checker->checking : NULL;
    if (checker != NULL) emu_device_track(stream->device->self);
    return error_none(error);
}
