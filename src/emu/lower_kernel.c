/* A kernel's parameters, inputs and body. */
#include <stdarg.h>
#include <stdio.h>

#include "emu/emu.h"
#include "emu/lower.h"

void lower_refuse(lower *l, span at, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!l->failed && !l->restart) diag_unsupported(l->diags, at, "%s (in kernel '%.*s')", text, STR_ARG(l->kernel->name));
    l->failed = true;
}

static emu_node *number(lower *l, uint32_t v)
{
    return emu_constant(l->g, EMU_U32, v);
}

static emu_node *linear(lower *l)
{
    return emu_input_node(l->g, EMU_INPUT_LINEAR, EMU_BY_LANE);
}

/* Position in the threadgroup. A dimension of size 1 has only 0; the only one there is counts as the lane does. */
static emu_node *thread_at(lower *l, unsigned d)
{
    const emu_shape *s = l->shape;
    if (s->known && s->threads[d] == 1) return number(l, 0);
    if (s->known && s->threads[0] * s->threads[1] * s->threads[2] == s->threads[d]) return linear(l);
    return emu_input_node(l->g, (emu_input)(EMU_INPUT_THREAD_X + d), EMU_BY_LANE);
}

/* Position of the threadgroup: that of the batch's first one, plus which of the batch the lane belongs to. */
static emu_node *group_at(lower *l, unsigned d)
{
    const emu_shape *s = l->shape;
    emu_node *first = emu_input_node(l->g, (emu_input)(EMU_INPUT_GROUP_X + d), EMU_BY_RUN);
    if (s->known && (s->batch == 1 || s->axis != d)) return first;
    return emu_binary(l->g, EMU_ADD, EMU_U32, first, emu_input_node(l->g, EMU_INPUT_MEMBER, EMU_BY_LANE));
}

static emu_node *groups_at(lower *l, unsigned d)
{
    return emu_input_node(l->g, (emu_input)(EMU_INPUT_GROUPS_X + d), 0);
}

/* Size of the threadgroup in one dimension; without a known launch something that is as good as unknown. */
static emu_node *size_at(lower *l, unsigned d)
{
    return l->shape->known ? number(l, l->shape->threads[d]) : groups_at(l, d);
}

/* The same of a threadgroup that does not lie at the end of an uneven grid. */
static emu_node *nominal_at(lower *l, unsigned d)
{
    return l->shape->known && l->shape->uneven ? number(l, l->shape->nominal[d]) : size_at(l, d);
}

/* Threads in the grid in one dimension. */
static emu_node *grid_at(lower *l, unsigned d)
{
    if (l->shape->known && l->shape->uneven) return emu_input_node(l->g, (emu_input)(EMU_INPUT_GRID_X + d), 0);
    return emu_binary(l->g, EMU_MUL, EMU_U32, groups_at(l, d), size_at(l, d));
}

static emu_node *per_group(lower *l, uint32_t width, bool nominal)
{
    const uint32_t *t = nominal && l->shape->uneven ? l->shape->nominal : l->shape->threads;
    emu_node *all = l->shape->known ? number(l, t[0] * t[1] * t[2]) : groups_at(l, 0);
    emu_node *n = emu_binary(l->g, EMU_ADD, EMU_U32, all, number(l, width - 1));
    return emu_binary(l->g, EMU_DIV, EMU_U32, n, number(l, width));
}

static emu_node *lower_bits(lower *l, emu_op op, emu_node *a, uint32_t b)
{
    return emu_binary(l->g, op, EMU_U32, a, number(l, b));
}

emu_node *lower_input(lower *l, mf_input input, unsigned d)
{
    emu_graph *g = l->g;
    switch (input) {
    case MF_INPUT_THREAD_POSITION_IN_GRID:
        return emu_binary(g, EMU_ADD, EMU_U32, emu_binary(g, EMU_MUL, EMU_U32, group_at(l, d), nominal_at(l, d)),
                          thread_at(l, d));
    case MF_INPUT_THREAD_POSITION_IN_THREADGROUP: return thread_at(l, d);
    case MF_INPUT_THREADGROUP_POSITION_IN_GRID: return group_at(l, d);
    case MF_INPUT_THREADS_PER_GRID:
    case MF_INPUT_GRID_SIZE: return grid_at(l, d);
    case MF_INPUT_THREADS_PER_THREADGROUP: return size_at(l, d);
    case MF_INPUT_DISPATCH_THREADS_PER_THREADGROUP: return nominal_at(l, d);
    case MF_INPUT_THREADGROUPS_PER_GRID: return groups_at(l, d);
    case MF_INPUT_GRID_ORIGIN: return number(l, 0);
    case MF_INPUT_THREAD_INDEX_IN_THREADGROUP: return linear(l);
    case MF_INPUT_THREAD_INDEX_IN_SIMDGROUP: return lower_bits(l, EMU_AND, linear(l), EMU_SIMD_WIDTH - 1);
    case MF_INPUT_THREAD_INDEX_IN_QUADGROUP: return lower_bits(l, EMU_AND, linear(l), 3);
    case MF_INPUT_SIMDGROUP_INDEX_IN_THREADGROUP: return lower_bits(l, EMU_SHR, linear(l), 5);
    case MF_INPUT_QUADGROUP_INDEX_IN_THREADGROUP: return lower_bits(l, EMU_SHR, linear(l), 2);
    case MF_INPUT_SIMDGROUPS_PER_THREADGROUP: return per_group(l, EMU_SIMD_WIDTH, false);
    case MF_INPUT_DISPATCH_SIMDGROUPS_PER_THREADGROUP: return per_group(l, EMU_SIMD_WIDTH, true);
    case MF_INPUT_QUADGROUPS_PER_THREADGROUP: return per_group(l, 4, false);
    case MF_INPUT_DISPATCH_QUADGROUPS_PER_THREADGROUP: return per_group(l, 4, true);
    case MF_INPUT_THREADS_PER_SIMDGROUP:
    case MF_INPUT_THREAD_EXECUTION_WIDTH: return number(l, EMU_SIMD_WIDTH);
    case MF_INPUT_NONE:
    case MF_INPUTS: break;
    }
    return number(l, 0);
}

static void bind_input(lower *l, const mf_var *p, binding *b)
{
    const leaf_list leaves = lower_leaves(l, p->type);
    const place at = lower_local_place(l, lower_local(l, p, p->name, p->type));
    val v = lower_val(l, leaves.n);
    for (unsigned d = 0; d < leaves.n; ++d) v.at[d] = emu_convert(l->g, leaves.at[d].type, lower_input(l, p->input, d));
    lower_write(l, at, v, p->at);
    *b = (binding){true, at};
}

static void bind_buffer(lower *l, const mf_var *p, binding *b)
{
    const bool reference = p->type->kind == MF_TYPE_REFERENCE;
    const mf_type *elem = p->type->elem;
    const bool length = p->binding == MF_BIND_THREADGROUP;
    emu_object_info info = {.kind = length ? EMU_OBJECT_LENGTH : EMU_OBJECT_BUFFER,
                            .name = p->name,
                            .slot = p->slot,
                            .size = reference ? elem->size : 0,
                            .writable = p->type->space != MF_CONSTANT && (p->type->quals & MF_CONST) == 0,
                            .key = p};
    emu_node *object = emu_constant(l->g, EMU_I32, lower_object(l, &info));
    emu_node *start = emu_constant(l->g, EMU_I64, 0);
    if (reference) {
        static const emu_space spaces[] = {[MF_THREAD] = EMU_SPACE_THREAD, [MF_DEVICE] = EMU_SPACE_DEVICE,
                                           [MF_CONSTANT] = EMU_SPACE_CONSTANT, [MF_THREADGROUP] = EMU_SPACE_THREADGROUP};
        *b = (binding){true, {spaces[p->type->space], object, start, elem, {0}, 0, 0}};
        return;
    }
    const place at = lower_local_place(l, lower_local(l, p, p->name, p->type));
    emu_node *pointer[2] = {object, start};
    lower_write(l, at, (val){pointer, 2, NULL}, p->at);
    *b = (binding){true, at};
}

static void bind_kernel(lower *l, call_frame *f)
{
    for (size_t i = 0; i < f->function->param_count; ++i) {
        const mf_var *p = f->function->params[i];
        if (p->binding == MF_BIND_INPUT) bind_input(l, p, &f->params[i]);
        else if (p->binding == MF_BIND_BUFFER || p->binding == MF_BIND_THREADGROUP) bind_buffer(l, p, &f->params[i]);
        else lower_bind_handles(l, p, &f->params[i]);
    }
}

/* One attempt; restart tells that a variable turned out to need memory. */
static emu_graph *attempt(lower l, bool *restart)
{
    arena *mem = l.mem;
    const mf_function *kernel = l.kernel;
    const emu_shape *shape = l.shape;
    l.g = arena_new(mem, emu_graph);
    emu_graph_init(l.g, mem);
    l.g->checks = shape->checks;
    l.g->math = shape->math;
    l.g->seed = shape->seed;
    call_frame f = {.function = kernel};
    f.params = arena_array(mem, binding, kernel->param_count + 1);
    f.locals = arena_array(mem, binding, kernel->local_count + 1);
    l.frame = &f;
    lower_make_null(&l);
    if (*l.kept != NULL) {
        const mf_var *v = *l.kept;
        lower_start(&l, lower_local(&l, v, v->name, v->type), lower_zero(&l, v->type), kernel->at);
    }
    bind_kernel(&l, &f);
    lower_body(&l, kernel);
    *restart = l.restart;
    return l.failed ? NULL : l.g;
}

emu_graph *emu_lower(arena *mem, const mf_function *kernel, const emu_shape *shape, diag_list *diags)
{
    map memory = {0};
    const mf_var *kept = NULL;
    const lower begin = {.mem = mem, .diags = diags, .kernel = kernel, .shape = shape, .memory = &memory, .kept = &kept};
    bool restart = true;
    emu_graph *g = NULL;
    while (restart) g = attempt(begin, &restart);
    return g;
}
