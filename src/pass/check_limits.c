/* check_limits: a kernel that the target cannot launch is refused when the module is built.
 *
 * Why: Metal answers such a launch with nothing at all, or with an error far from its cause.
 *
 *     for tx in T.thread_binding(2048, "threadIdx.x")    ->    refused: 'main_kernel' has 2048 threads a
 *                                                              threadgroup, the target allows 256
 *
 * Checked: thread axes that Metal has, threads and threadgroup memory of a threadgroup, buffers of a kernel
 * with the one for its scalars. Left alone: everything; nothing is changed. */
#include "pass/region.h"

/* Threadgroup arrays are laid out on 16-byte boundaries. */
enum { ARRAY_ALIGN = 16 };

static const char *const known_tags[] = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z",
                                         "threadIdx.x", "threadIdx.y", "threadIdx.z"};

static void check_axes(pass_context *cx, const ir_func *f, const region_axes *axes)
{
    int64_t threads = 1, most = cx->target->max_threads_per_block;
    for (size_t i = 0; i < axes->n; ++i) {
        const region_axis *a = &axes->at[i];
        bool known = false;
        for (size_t k = 0; k < sizeof known_tags / sizeof *known_tags; ++k) known |= str_is(a->tag, known_tags[k]);
        if (!known) {
            diag_error(cx->diags, a->at, "Metal has no thread axis '%.*s': there are blockIdx.x, .y, .z and threadIdx.x, .y, .z",
                       STR_ARG(a->tag));
        }
        int64_t extent;
        if (!region_axis_is_local(a) || !ir_const_value(a->extent, &extent) || extent == INT32_MAX) continue;
        if (extent <= 0) continue; /* nothing is launched */
        threads = extent > INT32_MAX / threads ? INT32_MAX : threads * extent;
    }
    if (threads <= most) return;
    diag_error(cx->diags, f->at, "'%.*s' has %lld threads a threadgroup, the target allows %lld", STR_ARG(f->name),
               (long long)threads, (long long)most);
}

typedef struct memory_sum {
    int64_t bytes;
} memory_sum;

static void add_memory(void *user, const ir_node *n)
{
    memory_sum *m = user;
    if (n->kind != IR_ALLOC || ir_as_alloc(n)->buffer->scope != IR_SCOPE_SHARED) return;
    const ir_buffer *b = ir_as_alloc(n)->buffer;
    int64_t bytes = ir_type_bytes(b->type), extent;
    for (size_t i = 0; i < b->shape.n; ++i) {
        if (!ir_const_value(b->shape.at[i], &extent) || extent <= 0) return; /* refused elsewhere, or empty */
        bytes = extent > INT32_MAX / bytes ? INT32_MAX : bytes * extent;
    }
    bytes = (bytes + ARRAY_ALIGN - 1) / ARRAY_ALIGN * ARRAY_ALIGN;
    m->bytes += bytes;
}

static const ir_node *check(pass_context *cx, const ir_func *f)
{
    if (f->kind != IR_FUNC_KERNEL) return f->body;
    region_axes axes = region_axes_of(cx->mem, f->body);
    check_axes(cx, f, &axes);
    memory_sum m = {0};
    ir_each(f->body, add_memory, &m);
    if (m.bytes > cx->target->max_shared_memory_per_block) {
        diag_error(cx->diags, f->at, "'%.*s' uses %lld bytes of threadgroup memory, the target allows %lld", STR_ARG(f->name),
                   (long long)m.bytes, (long long)cx->target->max_shared_memory_per_block);
    }
    int64_t buffers = 0, scalars = 0;
    for (size_t i = 0; i < f->param_count; ++i) {
        if (ir_type_is_pointer(f->params[i].var->type)) ++buffers;
        else scalars = 1;
    }
    if (buffers + scalars > cx->target->max_function_args) {
        diag_error(cx->diags, f->at, "'%.*s' takes %lld buffers%s, the target allows %lld", STR_ARG(f->name),
                   (long long)(buffers + scalars), scalars != 0 ? ", counting the one for its scalars" : "",
                   (long long)cx->target->max_function_args);
    }
    return f->body;
}

const ir_module *pass_check_limits(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, check);
}
