/* What can be said of a launch before it runs: limits of the target, and whether it fits the kernel's parameters. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emu/library.h"

/* A launch being looked at. */
typedef struct looking {
    const emu_launch *launch;
    const emu_kernel *kernel;
    bool no_memory;
} looking;

static uint32_t characters(str s, size_t n)
{
    uint32_t count = 0;
    for (size_t i = 0; i < n && i < s.n; ++i) count += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return count;
}

static emu_place place_of(const looking *l, span at, char text[320])
{
    const source_pos pos = source_locate(&l->kernel->library->sources, at);
    (void)snprintf(text, 320, "%.*s", STR_ARG(pos.text));
    const uint32_t length = at.end > at.begin ? at.end - at.begin : 1;
    return (emu_place){.file = pos.file.p != NULL ? pos.file.p : "",
                       .text = text,
                       .line = pos.line,
                       .column = pos.column,
                       .end_column = pos.column + characters((str){pos.text.p + pos.offset, pos.text.n - pos.offset}, length)};
}

/* Adds a finding at the parameter, or (NULL) at the kernel's name. */
__attribute__((format(printf, 4, 5))) static void say(looking *l, emu_rule rule, const emu_arg *a, const char *format, ...)
{
    char message[640], text[320];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    static const emu_memory kinds[] = {[EMU_ARG_DEVICE] = EMU_MEMORY_DEVICE,
                                       [EMU_ARG_CONSTANT] = EMU_MEMORY_DEVICE,
                                       [EMU_ARG_THREADGROUP] = EMU_MEMORY_ARGUMENT,
                                       [EMU_ARG_TEXTURE] = EMU_MEMORY_NONE,
                                       [EMU_ARG_SAMPLER] = EMU_MEMORY_NONE,
                                       [EMU_ARG_VALUE] = EMU_MEMORY_NONE};
    const emu_finding f = {.check = emu_rule_check(rule),
                           .rule = rule,
                           .kernel = l->kernel->info.name,
                           .message = message,
                           .fix = emu_rule_fix(rule),
                           .first = place_of(l, a != NULL ? a->at : l->kernel->function->at, text),
                           .second = {.file = "", .text = ""},
                           .memory = a != NULL ? kinds[a->kind] : EMU_MEMORY_NONE,
                           .buffer = a != NULL ? a->name : "",
                           .slot = a != NULL ? a->slot : 0,
                           .times = 1};
    if (!emu_findings_add(l->launch->findings, &f)) l->no_memory = true;
}

/* ---- Limits -------------------------------------------------------------------------------------------- */

static uint64_t threadgroup_bytes(const looking *l)
{
    const emu_kernel_info *info = &l->kernel->info;
    uint64_t bytes = (info->threadgroup_bytes + 15) / 16 * 16;
    for (size_t i = 0; i < info->arg_count; ++i) {
        const emu_arg *a = &info->args[i];
        if (a->kind == EMU_ARG_THREADGROUP && a->slot < l->launch->threadgroup_count)
            bytes += ((uint64_t)l->launch->threadgroup_lengths[a->slot] + 15) / 16 * 16;
    }
    return bytes;
}

static void check_limits(looking *l)
{
    static const emu_limits own = {"the device", EMU_MAX_THREADS, EMU_MAX_BUFFERS, EMU_MAX_THREADGROUP_BYTES};
    const emu_limits *limits = l->launch->limits != NULL ? l->launch->limits : &own;
    const emu_kernel_info *info = &l->kernel->info;
    const uint32_t *t = l->launch->threads;
    const double threads = (double)t[0] * t[1] * t[2];
    const uint32_t most = info->max_threads < limits->threads ? info->max_threads : limits->threads;
    if (threads > most)
        say(l, EMU_FAULT_LIMIT, NULL, "a threadgroup of %u x %u x %u = %.0f threads; %s allows %u", (unsigned)t[0],
            (unsigned)t[1], (unsigned)t[2], threads, most < limits->threads ? "the kernel" : limits->target, (unsigned)most);
    const uint64_t bytes = threadgroup_bytes(l);
    if (bytes > limits->threadgroup_bytes)
        say(l, EMU_FAULT_LIMIT, NULL, "%llu bytes of threadgroup memory; %s has %llu", (unsigned long long)bytes,
            limits->target, (unsigned long long)limits->threadgroup_bytes);
    for (size_t i = 0; i < info->arg_count; ++i) {
        const emu_arg *a = &info->args[i];
        if ((a->kind == EMU_ARG_DEVICE || a->kind == EMU_ARG_CONSTANT) && a->slot >= limits->buffers)
            say(l, EMU_FAULT_LIMIT, a, "'%s' is at [[buffer(%u)]]; the argument table of %s ends at %u", a->name,
                (unsigned)a->slot, limits->target, (unsigned)limits->buffers - 1);
    }
}

/* ---- Does it fit? -------------------------------------------------------------------------------------- */

static bool is_buffer(const emu_arg *a)
{
    return a->kind == EMU_ARG_DEVICE || a->kind == EMU_ARG_CONSTANT;
}

static const emu_binding *bound(const looking *l, uint32_t slot)
{
    return slot < l->launch->buffer_count && l->launch->buffers[slot].data != NULL ? &l->launch->buffers[slot] : NULL;
}

static void check_argument(looking *l, const emu_arg *a)
{
    const emu_launch *launch = l->launch;
    const bool used = a->is_read || a->is_written;
    if (a->kind == EMU_ARG_THREADGROUP) {
        const size_t length = a->slot < launch->threadgroup_count ? launch->threadgroup_lengths[a->slot] : 0;
        if (used && length == 0)
            say(l, EMU_FAULT_SIGNATURE, a, "'%s' [[threadgroup(%u)]] has no length", a->name, (unsigned)a->slot);
        return;
    }
    if (!is_buffer(a)) return;
    const emu_binding *b = bound(l, a->slot);
    if (b == NULL && a->is_named)
        say(l, EMU_FAULT_MISSING, a, "nothing is bound at '%s' [[buffer(%u)]]", a->name, (unsigned)a->slot);
    else if (b != NULL && a->is_reference && b->size < a->elem_size)
        say(l, EMU_FAULT_SIGNATURE, a, "'%s' [[buffer(%u)]] is a %s of %llu bytes; %zu are bound", a->name, (unsigned)a->slot,
            a->type, (unsigned long long)a->elem_size, b->size);
    else if (b != NULL && a->elem_size > 1 && b->size % a->elem_size != 0 && b->size < a->elem_size)
        say(l, EMU_FAULT_SIGNATURE, a, "'%s' [[buffer(%u)]] holds %zu bytes, less than one %s of %llu", a->name,
            (unsigned)a->slot, b->size, a->type, (unsigned long long)a->elem_size);
}

/* Slots that are bound and that the kernel does not declare. */
static void check_unused(looking *l)
{
    const emu_kernel_info *info = &l->kernel->info;
    for (uint32_t slot = 0; slot < l->launch->buffer_count; ++slot) {
        if (bound(l, slot) == NULL) continue;
        bool declared = false;
        for (size_t i = 0; i < info->arg_count && !declared; ++i)
            declared = is_buffer(&info->args[i]) && info->args[i].slot == slot;
        if (!declared) say(l, EMU_FAULT_UNUSED, NULL, "a buffer is bound at slot %u, which the kernel does not have", (unsigned)slot);
    }
    for (uint32_t slot = 0; slot < l->launch->threadgroup_count; ++slot) {
        if (l->launch->threadgroup_lengths[slot] == 0) continue;
        bool declared = false;
        for (size_t i = 0; i < info->arg_count && !declared; ++i)
            declared = info->args[i].kind == EMU_ARG_THREADGROUP && info->args[i].slot == slot;
        if (!declared)
            say(l, EMU_FAULT_UNUSED, NULL, "threadgroup memory %u has a length, and the kernel does not have it", (unsigned)slot);
    }
}

/* One array for input and output: each element lies in one place for both, and races are judged there. */
static bool is_in_place(const emu_arg *a, const emu_binding *x, const emu_arg *b, const emu_binding *y)
{
    return x->data == y->data && a->elem_size == b->elem_size && !(a->is_written && b->is_written);
}

/* Two slots over the same bytes, one of which the kernel writes. */
static void check_aliases(looking *l)
{
    const emu_kernel_info *info = &l->kernel->info;
    for (size_t i = 0; i < info->arg_count; ++i) {
        const emu_arg *a = &info->args[i];
        const emu_binding *x = is_buffer(a) ? bound(l, a->slot) : NULL;
        for (size_t k = i + 1; x != NULL && k < info->arg_count; ++k) {
            const emu_arg *b = &info->args[k];
            const emu_binding *y = is_buffer(b) ? bound(l, b->slot) : NULL;
            if (y == NULL || (!a->is_written && !b->is_written)) continue;
            const uintptr_t xs = (uintptr_t)x->data, ys = (uintptr_t)y->data;
            if (xs >= ys + y->size || ys >= xs + x->size || is_in_place(a, x, b, y)) continue;
            const bool second = b->is_written;
            say(l, EMU_FAULT_ALIASED, second ? b : a,
                "'%s' [[buffer(%u)]], which the kernel writes, shares memory with '%s' [[buffer(%u)]]",
                second ? b->name : a->name, (unsigned)(second ? b : a)->slot, second ? a->name : b->name,
                (unsigned)(second ? a : b)->slot);
        }
    }
}

static void check_fit(looking *l)
{
    const uint32_t *g = l->launch->groups;
    if (g[0] == 0 || g[1] == 0 || g[2] == 0)
        say(l, EMU_FAULT_EMPTY, NULL, "a grid of %u x %u x %u threadgroups runs nothing", (unsigned)g[0], (unsigned)g[1],
            (unsigned)g[2]);
    for (size_t i = 0; i < l->kernel->info.arg_count; ++i) check_argument(l, &l->kernel->info.args[i]);
    check_unused(l);
    check_aliases(l);
}

/* ---- Vectors of three ----------------------------------------------------------------------------------- */

/* Such a vector takes the room of four elements. Memory that is a whole number of threes but not of fours was filled by
 * somebody who took it for three. */
static void check_threes(looking *l)
{
    for (size_t i = 0; i < l->kernel->info.arg_count; ++i) {
        const emu_arg *a = &l->kernel->info.args[i];
        const emu_binding *b = is_buffer(a) ? bound(l, a->slot) : NULL;
        const size_t n = strlen(a->type);
        if (b == NULL || a->is_reference || n == 0 || a->type[n - 1] != '3' || a->elem_size % 4 != 0) continue;
        const bool dense = a->elem_size == a->elem_align && b->size % a->elem_size != 0 && b->size % (a->elem_size / 4 * 3) == 0;
        if (dense)
            say(l, EMU_FAULT_PADDED, a, "'%s' [[buffer(%u)]] of %zu bytes holds whole threes, but a %s lies every %llu bytes",
                a->name, (unsigned)a->slot, b->size, a->type, (unsigned long long)a->elem_size);
    }
}

bool emu_check_launch(const emu_launch *launch)
{
    looking l = {.launch = launch, .kernel = launch->kernel};
    if (launch->findings == NULL) return true;
    if ((launch->checks & 1u << EMU_CHECK_LIMITS) != 0) check_limits(&l);
    if ((launch->checks & 1u << EMU_CHECK_LAUNCH) != 0) check_fit(&l);
    if ((launch->checks & 1u << EMU_CHECK_ALIGNMENT) != 0) check_threes(&l);
    return !l.no_memory;
}
