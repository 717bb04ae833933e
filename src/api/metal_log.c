/* What kernels log, handed to the caller's function or written to standard error. */
#include <stdio.h>

#include "api/metal.h"
#include "base/error.h"

const char *ingot_metal_log_level_name(ingot_metal_log_level level)
{
    static const char *const names[] = {"debug", "info", "notice", "error", "fault"};
    return (unsigned)level < sizeof names / sizeof names[0] ? names[level] : "";
}

/* The public form of a message, to the caller's function. */
static void hand_on(void *user, const emu_log_message *m)
{
    const ingot_metal_log_options *o = user;
    const ingot_metal_log_message out = {.level = (ingot_metal_log_level)m->level,
                                         .subsystem = m->subsystem,
                                         .category = m->category,
                                         .text = m->text,
                                         .kernel = m->kernel,
                                         .file = m->file,
                                         .line = m->line,
                                         .column = m->column,
                                         .thread = {m->thread[0], m->thread[1], m->thread[2]},
                                         .threadgroup = {m->group[0], m->group[1], m->group[2]}};
    o->on_message(o->user, &out);
}

static void hand_on_full(void *user)
{
    const ingot_metal_log_options *o = user;
    if (o->on_full != NULL) o->on_full(o->user);
}

/* A line for each, whatever line ends its text has. */
static void print(void *user, const emu_log_message *m)
{
    (void)user;
    size_t n = strlen(m->text);
    while (n != 0 && m->text[n - 1] == '\n') --n;
    char who[520] = "";
    if (m->subsystem[0] != '\0') (void)snprintf(who, sizeof who, "[%s:%s] ", m->subsystem, m->category);
    (void)fprintf(stderr, "%s:%u:%u: %s: thread (%u, %u, %u) of threadgroup (%u, %u, %u): %s%.*s\n", m->file, (unsigned)m->line,
                  (unsigned)m->column, ingot_metal_log_level_name((ingot_metal_log_level)m->level), (unsigned)m->thread[0],
                  (unsigned)m->thread[1], (unsigned)m->thread[2], (unsigned)m->group[0], (unsigned)m->group[1], (unsigned)m->group[2],
                  who, (int)n, m->text);
}

static void print_full(void *user)
{
    (void)user;
    (void)fputs("ingot: the log is full: further messages of this dispatch were dropped\n", stderr);
}

emu_logging metal_logging(const ingot_metal_command_buffer *b)
{
    const ingot_metal_log_options *o = &b->log;
    emu_logging to = {.say = print, .full = print_full, .bytes = o->buffer_size, .least = (emu_log_level)o->level};
    if (o->on_message == NULL) return to;
    to.say = hand_on;
    to.full = hand_on_full;
    memcpy(&to.user, &o, sizeof to.user); /* nothing writes through it */
    return to;
}

ingot_status ingot_metal_command_buffer_log(ingot_metal_command_buffer *b, const ingot_metal_log_options *options, ingot_error *error)
{
    if (b == NULL) return metal_no_argument(error, "buffer");
    if (b->committed) return error_set(error, INGOT_INVALID_ARGUMENT, "the command buffer was committed before");
    if (options != NULL && options->struct_size < sizeof *options)
        return error_set(error, INGOT_INVALID_ARGUMENT, "options: begin with INGOT_METAL_LOG_OPTIONS_INIT");
    if (options != NULL && (unsigned)options->level > INGOT_METAL_LOG_FAULT)
        return error_set(error, INGOT_VALUE, "options: there is no log level %u", (unsigned)options->level);
    b->log = options != NULL ? *options : (ingot_metal_log_options){0};
    return error_none(error);
}
