/* Whole programs, interpreted as written and again after every pass: each time the values must be those worked out by
 * the plain loops of this file. */
/* labels: full */
#include "pass_builder.h"

#include "ir/eval.h"

enum { ARRAYS = 3, ELEMENTS = 4096 };

/* Float32 arrays for the parameters; the results are expected in `want`. */
typedef struct program {
    builder *b;
    const ir_buffer *buffers[ARRAYS];
    size_t n;
    float given[ARRAYS][ELEMENTS], want[ARRAYS][ELEMENTS], have[ARRAYS][ELEMENTS];
    size_t runs;
    const ir_func *const *last; /* what was run last: a pass that changes nothing leaves them as they were */
} program;

static size_t size_of(const ir_buffer *b)
{
    size_t n = 1;
    for (size_t i = 0; i < b->shape.n; ++i) n *= (size_t)ir_as_int_imm(b->shape.at[i])->value;
    return n;
}

static void check_now(void *user, size_t index, const pass_info *pass, const ir_module *m)
{
    program *p = user;
    (void)index;
    p->runs++;
    if (m->funcs == p->last) return;
    p->last = m->funcs;
    ir_eval_arg args[ARRAYS] = {0};
    int64_t shapes[ARRAYS][4];
    memcpy(p->have, p->given, sizeof p->have);
    for (size_t i = 0; i < p->n; ++i) {
        const ir_buffer *b = p->buffers[i];
        for (size_t k = 0; k < b->shape.n; ++k) shapes[i][k] = ir_as_int_imm(b->shape.at[k])->value;
        args[i] = (ir_eval_arg){.data = p->have[i], .type = b->type, .shape = shapes[i], .ndim = b->shape.n};
    }
    str error = {0};
    if (!ir_eval_func(&p->b->mem, m, m->funcs[0], args, p->n, NULL, &error)) {
        fail_msg("after %s: %.*s", pass->name, STR_ARG(error));
    }
    for (size_t i = 0; i < p->n; ++i) {
        for (size_t k = 0; k < size_of(p->buffers[i]); ++k) {
            if (p->have[i][k] == p->want[i][k]) continue;
            fail_msg("after %s: %.*s[%zu] is %g, not %g", pass->name, STR_ARG(p->buffers[i]->name), k,
                     (double)p->have[i][k], (double)p->want[i][k]);
        }
    }
}

static void fail_on_errors(builder *b)
{
    if (b->diags.errors == 0) return;
    fail_msg("%s", str_copy(&b->mem, b->diags.first->message).p);
}

/* Runs `body` with these parameters as written and after each pass. */
static void check_program(program *p, node body)
{
    builder *b = p->b;
    ir_param params[ARRAYS];
    for (size_t i = 0; i < p->n; ++i) {
        params[i] = (ir_param){ir_var_new(&b->mem, p->buffers[i]->name, IR_POINTER, (span){0}), p->buffers[i]};
    }
    static const pass_info written = {.name = "nothing"};
    const ir_module *m = module_of(b, body, arena_copy(&b->mem, params, p->n * sizeof *params), p->n);
    check_now(p, 0, &written, m);
    pass_options o = {.verify = true, .after = check_now, .user = p};
    pass_run(&b->cx, m, &o);
    fail_on_errors(b);
    assert_int_equal(p->runs, pass_count + 1);
}

static program *new_program(builder *b)
{
    program *p = arena_new(&b->mem, program);
    p->b = b;
    return p;
}

/* Whole numbers, so that sums are exact in any order. */
static const ir_buffer *param(program *p, ir_buffer *b, int step)
{
    for (size_t k = 0; k < size_of(b); ++k) p->given[p->n][k] = (float)((k * (size_t)step) % 101) - 50;
    memcpy(p->want[p->n], p->given[p->n], sizeof p->want[p->n]);
    p->buffers[p->n++] = b;
    return b;
}

static node real(builder *b, double v)
{
    return ir_float_new(&b->mem, IR_F32, v, (span){0});
}

/* ---- Programs -------------------------------------------------------------------------------------- */

/* B[i, j] = A[i, j] + 1 over 7 x 9 elements, in 2 groups of 32 threads with a tail. */
PASS_TEST(fused_axes_with_tail)
{
    builder *b = user;
    program *p = new_program(b);
    ir_buffer *A = F32_GLOBAL(b, "A", 7, 9), *B = F32_GLOBAL(b, "B", 7, 9);
    param(p, A, 7);
    param(p, B, 3);
    for (size_t k = 0; k < 63; ++k) p->want[1][k] = p->given[0][k] + 1;
    const ir_var *bx = var(b, "bx"), *tx = var(b, "tx"), *vi = var(b, "vi"), *vj = var(b, "vj");
    node fused = ADD(b, MUL(b, use(b, bx), num(b, 32)), use(b, tx));
    ir_iter iters[] = {iter(b, vi, IR_SPATIAL, 7, ir_floordiv(&b->mem, fused, num(b, 9))),
                       iter(b, vj, IR_SPATIAL, 9, ir_floormod(&b->mem, fused, num(b, 9)))};
    node store = STORE(b, B, ADD(b, LOAD(b, A, use(b, vi), use(b, vj)), real(b, 1)), use(b, vi), use(b, vj));
    ir_block *x = block(b, "B", iters, 2, store);
    x->predicate = ir_lt(&b->mem, fused, num(b, 63));
    check_program(p, threads(b, bx, "blockIdx.x", 2, threads(b, tx, "threadIdx.x", 32, &x->node)));
}

/* B[i] = sum over k of A[i, k], k = r * 32 + t below 100; threads t reduce. */
PASS_TEST(sum_over_threads)
{
    builder *b = user;
    program *p = new_program(b);
    ir_buffer *A = F32_GLOBAL(b, "A", 5, 100), *B = F32_GLOBAL(b, "B", 5);
    param(p, A, 13);
    param(p, B, 3);
    for (size_t i = 0; i < 5; ++i) {
        p->want[1][i] = 3;
        for (size_t k = 0; k < 100; ++k) p->want[1][i] += p->given[0][i * 100 + k];
    }
    const ir_var *i = var(b, "i"), *r = var(b, "r"), *t = var(b, "t"), *vi = var(b, "vi"), *vk = var(b, "vk");
    node k = ADD(b, MUL(b, use(b, r), num(b, 32)), use(b, t));
    ir_iter iters[] = {iter(b, vi, IR_SPATIAL, 5, use(b, i)), iter(b, vk, IR_REDUCE, 100, k)};
    node value = ADD(b, LOAD(b, B, use(b, vi)), LOAD(b, A, use(b, vi), use(b, vk)));
    ir_block *x = block(b, "B", iters, 2, STORE(b, B, value, use(b, vi)));
    x->init = STORE(b, B, real(b, 3), use(b, vi));
    x->predicate = ir_lt(&b->mem, k, num(b, 100));
    check_program(p, threads(b, i, "blockIdx.x", 5, loop(b, r, 0, 4, threads(b, t, "threadIdx.x", 32, &x->node))));
}

/* The same over loops alone, started by an init. */
PASS_TEST(sum_over_loops)
{
    builder *b = user;
    program *p = new_program(b);
    ir_buffer *A = F32_GLOBAL(b, "A", 8, 3, 5), *B = F32_GLOBAL(b, "B", 8);
    param(p, A, 13);
    param(p, B, 3);
    for (size_t i = 0; i < 8; ++i) {
        p->want[1][i] = 1;
        for (size_t k = 0; k < 15; ++k) p->want[1][i] *= p->given[0][i * 15 + k] > 0 ? 2 : 1;
    }
    const ir_var *i = var(b, "i"), *k = var(b, "k"), *l = var(b, "l");
    const ir_var *vi = var(b, "vi"), *vk = var(b, "vk"), *vl = var(b, "vl");
    ir_iter iters[] = {iter(b, vi, IR_SPATIAL, 8, use(b, i)), iter(b, vk, IR_REDUCE, 3, use(b, k)),
                       iter(b, vl, IR_REDUCE, 5, ir_sub(&b->mem, use(b, l), num(b, 2)))};
    node a = LOAD(b, A, use(b, vi), use(b, vk), use(b, vl));
    node factor = ir_fold_select(&b->mem, ir_gt(&b->mem, a, real(b, 0)), real(b, 2), real(b, 1));
    ir_block *x = block(b, "B", iters, 3, STORE(b, B, MUL(b, LOAD(b, B, use(b, vi)), factor), use(b, vi)));
    x->init = STORE(b, B, real(b, 1), use(b, vi));
    check_program(p, threads(b, i, "threadIdx.x", 8, loop(b, k, 0, 3, loop(b, l, 2, 5, &x->node))));
}

/* B[i] = the largest of A[i, :], C[i] = where it is (values differ within a row). */
PASS_TEST(largest_and_its_index)
{
    builder *b = user;
    program *p = new_program(b);
    ir_buffer *A = F32_GLOBAL(b, "A", 4, 64), *B = F32_GLOBAL(b, "B", 4), *C = F32_GLOBAL(b, "C", 4);
    param(p, A, 37);
    param(p, B, 3);
    param(p, C, 3);
    for (size_t i = 0; i < 4; ++i) {
        size_t best = 0;
        for (size_t k = 1; k < 64; ++k) {
            if (p->given[0][i * 64 + k] > p->given[0][i * 64 + best]) best = k;
        }
        p->want[1][i] = p->given[0][i * 64 + best];
        p->want[2][i] = (float)best;
    }
    const ir_var *i = var(b, "i"), *r = var(b, "r"), *t = var(b, "t"), *vi = var(b, "vi"), *vk = var(b, "vk");
    ir_iter iters[] = {iter(b, vi, IR_SPATIAL, 4, use(b, i)),
                       iter(b, vk, IR_REDUCE, 64, ADD(b, MUL(b, use(b, t), num(b, 4)), use(b, r)))};
    node kept = LOAD(b, B, use(b, vi)), fresh = LOAD(b, A, use(b, vi), use(b, vk));
    node keep = ir_ge(&b->mem, kept, fresh);
    const ir_var *v0 = ir_var_new(&b->mem, STR("v0"), IR_F32, (span){0});
    node at = ir_fold_select(&b->mem, keep, LOAD(b, C, use(b, vi)), ir_fold_cast(&b->mem, IR_F32, use(b, vk)));
    node body = SEQUENCE(b, ir_make(&b->mem, BIND, bind, (span){0}, IR_VOID, .var = v0, .value = at),
                         STORE(b, B, ir_fold_select(&b->mem, keep, kept, fresh), use(b, vi)),
                         STORE(b, C, use(b, v0), use(b, vi)));
    ir_block *x = block(b, "best", iters, 2, body);
    x->init = SEQUENCE(b, STORE(b, B, real(b, -1000), use(b, vi)), STORE(b, C, real(b, -1), use(b, vi)));
    check_program(p, threads(b, i, "blockIdx.x", 4, threads(b, t, "threadIdx.x", 16, loop(b, r, 0, 4, &x->node))));
}

/* C = A B, 32 x 64 by 64 x 16, tiles of A staged through threadgroup memory with the shape of A. */
PASS_TEST(staged_product)
{
    builder *b = user;
    program *p = new_program(b);
    ir_buffer *A = F32_GLOBAL(b, "A", 32, 64), *B = F32_GLOBAL(b, "B", 64, 16), *C = F32_GLOBAL(b, "C", 32, 16);
    ir_buffer *S = buffer(b, "S", IR_F32, IR_SCOPE_SHARED, DIMS(32, 64));
    param(p, A, 7);
    param(p, B, 11);
    param(p, C, 3);
    for (size_t i = 0; i < 32; ++i) {
        for (size_t j = 0; j < 16; ++j) {
            float sum = 0;
            for (size_t k = 0; k < 64; ++k) sum += p->given[0][i * 64 + k] * p->given[1][k * 16 + j];
            p->want[2][i * 16 + j] = sum;
        }
    }
    const ir_var *by = var(b, "by"), *k = var(b, "k"), *x = var(b, "x"), *y = var(b, "y"), *ty = var(b, "ty");
    const ir_var *tx = var(b, "tx"), *r = var(b, "r"), *vi = var(b, "vi"), *vj = var(b, "vj"), *vk = var(b, "vk");
    const ir_var *wi = var(b, "wi"), *wk = var(b, "wk");
    ir_iter copy[] = {iter(b, wi, IR_SPATIAL, 32, ADD(b, MUL(b, use(b, by), num(b, 8)), use(b, y))),
                      iter(b, wk, IR_SPATIAL, 64, ADD(b, MUL(b, use(b, k), num(b, 16)), use(b, x)))};
    node stage = STORE(b, S, LOAD(b, A, use(b, wi), use(b, wk)), use(b, wi), use(b, wk));
    stage = threads(b, y, "threadIdx.y", 8, threads(b, x, "threadIdx.x", 16, &block(b, "S", copy, 2, stage)->node));
    ir_iter sum[] = {iter(b, vi, IR_SPATIAL, 32, ADD(b, MUL(b, use(b, by), num(b, 8)), use(b, ty))),
                     iter(b, vj, IR_SPATIAL, 16, use(b, tx)),
                     iter(b, vk, IR_REDUCE, 64, ADD(b, MUL(b, use(b, k), num(b, 16)), use(b, r)))};
    node term = MUL(b, LOAD(b, S, use(b, vi), use(b, vk)), LOAD(b, B, use(b, vk), use(b, vj)));
    ir_block *update = block(b, "C", sum, 3, STORE(b, C, ADD(b, LOAD(b, C, use(b, vi), use(b, vj)), term), use(b, vi), use(b, vj)));
    update->init = STORE(b, C, real(b, 0), use(b, vi), use(b, vj));
    node product = loop(b, r, 0, 16, &update->node);
    product = threads(b, ty, "threadIdx.y", 8, threads(b, tx, "threadIdx.x", 16, product));
    node body = threads(b, by, "blockIdx.y", 4, loop(b, k, 0, 4, SEQUENCE(b, stage, product)));
    ir_block *root = block(b, "root", NULL, 0, body);
    root->allocs = buffers_of(b, S);
    check_program(p, &root->node);
}

/* Phases of 16 and 8 threads over threadgroup memory, without a grid. */
PASS_TEST(phases_of_different_size)
{
    builder *b = user;
    program *p = new_program(b);
    ir_buffer *A = F32_GLOBAL(b, "A", 16), *B = F32_GLOBAL(b, "B", 8);
    ir_buffer *S = buffer(b, "S", IR_F32, IR_SCOPE_SHARED, DIMS(16));
    param(p, A, 7);
    param(p, B, 3);
    for (size_t i = 0; i < 8; ++i) p->want[1][i] = p->given[0][15 - i] * 2;
    const ir_var *t = var(b, "t"), *u = var(b, "u");
    node one = threads(b, t, "threadIdx.x", 16, STORE(b, S, MUL(b, LOAD(b, A, use(b, t)), real(b, 2)), use(b, t)));
    node two = STORE(b, B, LOAD(b, S, ir_sub(&b->mem, num(b, 15), use(b, u))), use(b, u));
    ir_block *root = block(b, "root", NULL, 0, SEQUENCE(b, one, threads(b, u, "threadIdx.x", 8, two)));
    root->allocs = buffers_of(b, S);
    check_program(p, &root->node);
}

/* Two kernels with global memory between them, launched three times by a loop of the host. */
PASS_TEST(kernels_in_a_host_loop)
{
    builder *b = user;
    program *p = new_program(b);
    ir_buffer *A = F32_GLOBAL(b, "A", 12), *B = F32_GLOBAL(b, "B", 12), *G = F32_GLOBAL(b, "G", 12);
    param(p, A, 7);
    param(p, B, 3);
    for (size_t i = 0; i < 12; ++i) p->want[1][i] = p->given[0][11 - i] + 1;
    const ir_var *h = var(b, "h"), *t = var(b, "t"), *u = var(b, "u");
    node one = threads(b, t, "threadIdx.x", 12, STORE(b, G, ADD(b, LOAD(b, A, use(b, t)), real(b, 1)), use(b, t)));
    node from = ir_sub(&b->mem, num(b, 11), ADD(b, MUL(b, use(b, h), num(b, 4)), use(b, u)));
    node two = STORE(b, B, LOAD(b, G, from), ADD(b, MUL(b, use(b, h), num(b, 4)), use(b, u)));
    node body = loop(b, h, 0, 3, SEQUENCE(b, one, threads(b, u, "threadIdx.x", 4, two)));
    ir_block *root = block(b, "root", NULL, 0, body);
    root->allocs = buffers_of(b, G);
    check_program(p, &root->node);
}

/* A block sees row i of A as V, whose stride and offset it stores as well. */
PASS_TEST(view_of_a_row)
{
    builder *b = user;
    program *p = new_program(b);
    ir_buffer *A = F32_GLOBAL(b, "A", 4, 6), *B = F32_GLOBAL(b, "B", 4, 3), *V = F32_GLOBAL(b, "V", 6);
    param(p, A, 7);
    param(p, B, 3);
    for (size_t i = 0; i < 4; ++i) {
        p->want[1][i * 3] = p->given[0][i * 6 + 5];
        p->want[1][i * 3 + 1] = 1;
        p->want[1][i * 3 + 2] = (float)(i * 6);
    }
    const ir_var *t = var(b, "t"), *s = var(b, "s"), *e = var(b, "e"), *vi = var(b, "vi");
    V->strides = list(b, NODES(use(b, s)));
    V->elem_offset = use(b, e);
    ir_range *ranges = arena_array(&b->mem, ir_range, 2);
    ranges[0] = (ir_range){use(b, vi), num(b, 1)};
    ranges[1] = (ir_range){num(b, 0), num(b, 6)};
    node body = SEQUENCE(b, STORE(b, B, LOAD(b, V, num(b, 5)), use(b, vi), num(b, 0)),
                         STORE(b, B, ir_fold_cast(&b->mem, IR_F32, use(b, s)), use(b, vi), num(b, 1)),
                         STORE(b, B, ir_fold_cast(&b->mem, IR_F32, use(b, e)), use(b, vi), num(b, 2)));
    ir_iter it = iter(b, vi, IR_SPATIAL, 4, use(b, t));
    ir_block *x = block(b, "B", &it, 1, body);
    ir_match match = {.buffer = V, .source = {.buffer = A, .ranges = ranges, .n = 2}};
    x->matches = (ir_matches){arena_copy(&b->mem, &match, sizeof match), 1};
    check_program(p, threads(b, t, "threadIdx.x", 4, &x->node));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_axes_with_tail),     cmocka_unit_test(sum_over_threads),
        cmocka_unit_test(sum_over_loops),           cmocka_unit_test(largest_and_its_index),
        cmocka_unit_test(staged_product),           cmocka_unit_test(phases_of_different_size),
        cmocka_unit_test(kernels_in_a_host_loop),   cmocka_unit_test(view_of_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
