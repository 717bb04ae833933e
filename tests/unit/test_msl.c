/* The MSL emitter alone: kernels made by hand, text expected by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/fold.h"
#include "msl/msl.h"

typedef struct fixture {
    arena mem;
    source_set sources;
    diag_list diags;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){0};
    arena_init(&f.mem, NULL);
    f.diags = (diag_list){.mem = &f.mem, .sources = &f.sources};
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    arena_free(&f->mem);
    return 0;
}

static const ir_buffer *flat(fixture *f, const char *name, ir_type type, int64_t n, ir_scope scope)
{
    ir_buffer *b = arena_new(&f->mem, ir_buffer);
    b->name = str_of(name);
    b->type = type;
    b->scope = scope;
    b->data = ir_var_pointer(&f->mem, str_of(name), type, scope, (span){0});
    b->shape = ir_list_one(&f->mem, ir_i32(&f->mem, n));
    return b;
}

static const ir_node *at(fixture *f, const ir_buffer *b, const ir_node *index)
{
    return ir_load_new(&f->mem, b, ir_list_one(&f->mem, index), (span){0});
}

static const ir_node *put(fixture *f, const ir_buffer *b, const ir_node *index, const ir_node *value)
{
    return ir_store_new(&f->mem, b, ir_list_one(&f->mem, index), value, (span){0});
}

/* A kernel over the buffers and scalars given, 32 threads in one group, whose body `body` uses `tx`. */
static str emit(fixture *f, const char *name, const ir_param *params, size_t n, const ir_var *tx, const ir_node *body)
{
    const ir_node *nest = ir_make(&f->mem, THREAD, thread, (span){0}, IR_VOID, .var = tx, .tag = STR("threadIdx.x"),
                                  .extent = ir_i32(&f->mem, 32), .body = body);
    ir_func fn = {.name = str_of(name), .kind = IR_FUNC_KERNEL, .params = params, .param_count = n, .result = IR_VOID,
                  .body = nest};
    msl_kernel out = {0};
    if (!msl_emit(&f->mem, &fn, &f->diags, &out)) return STR("");
    return out.source;
}

static void assert_holds(str text, const char *piece)
{
    if (strstr(text.p, piece) == NULL) fail_msg("no \"%s\" in:\n%s", piece, text.p);
}

typedef struct job {
    fixture *f;
    void (*body)(fixture *f);
} job;

static void run_job(void *user)
{
    job *j = user;
    j->body(j->f);
}

static void guarded(void **state, void (*body)(fixture *f))
{
    job j = {.f = *state, .body = body};
    assert_true(arena_guard(&j.f->mem, run_job, &j));
}

/* ---- Words ------------------------------------------------------------------------------------- */

static void words_are_sorted(void **state)
{
    (void)state;
    static const char *const words[] = {
#define MSL_WORD(word) #word,
#include "msl/words.def"
#undef MSL_WORD
    };
    for (size_t i = 1; i < sizeof words / sizeof words[0]; ++i) assert_true(strcmp(words[i - 1], words[i]) < 0);
}

static void body_add_one(fixture *f)
{
    const ir_var *tx = ir_var_new(&f->mem, STR("tx"), IR_I32, (span){0});
    const ir_buffer *a = flat(f, "A", IR_F32, 32, IR_SCOPE_GLOBAL), *b = flat(f, "B", IR_F32, 32, IR_SCOPE_GLOBAL);
    ir_param params[2] = {{.var = a->data}, {.var = b->data}};
    const ir_node *i = ir_ref(&f->mem, tx, (span){0});
    const ir_node *one = ir_float_new(&f->mem, IR_F32, 1.0, (span){0});
    str text = emit(f, "main_kernel", params, 2, tx, put(f, b, i, ir_bin_new(&f->mem, IR_ADD, at(f, a, i), one)));
    assert_string_equal(text.p, "#include <metal_stdlib>\n"
                                "\n"
                                "using namespace metal;\n"
                                "\n"
                                "[[max_total_threads_per_threadgroup(32)]]\n"
                                "kernel void main_kernel(device const float* A [[buffer(0)]],\n"
                                "                        device float* B [[buffer(1)]],\n"
                                "                        uint3 threadIdx [[thread_position_in_threadgroup]])\n"
                                "{\n"
                                "    const int tx = int(threadIdx.x);\n"
                                "    B[tx] = A[tx] + 1.0f;\n"
                                "}\n");
}

static void add_one(void **state)
{
    guarded(state, body_add_one);
}

static void body_names(fixture *f)
{
    const ir_var *tx = ir_var_new(&f->mem, STR("thread"), IR_I32, (span){0});
    const ir_buffer *a = flat(f, "device", IR_F32, 32, IR_SCOPE_GLOBAL), *b = flat(f, "a.b", IR_F32, 32, IR_SCOPE_GLOBAL);
    const ir_var *x = ir_var_new(&f->mem, STR("half"), IR_F32, (span){0});
    const ir_var *y = ir_var_new(&f->mem, STR("a_b"), IR_F32, (span){0});
    ir_param params[4] = {{.var = a->data}, {.var = b->data}, {.var = x}, {.var = y}};
    const ir_node *i = ir_ref(&f->mem, tx, (span){0});
    const ir_node *sum = ir_bin_new(&f->mem, IR_ADD, ir_ref(&f->mem, x, (span){0}), ir_ref(&f->mem, y, (span){0}));
    str text = emit(f, "my.kernel", params, 4, tx, put(f, b, i, ir_bin_new(&f->mem, IR_ADD, at(f, a, i), sum)));
    assert_holds(text, "[[host_name(\"my.kernel\")]]");
    assert_holds(text, "kernel void my_kernel(device const float* device_1 [[buffer(0)]],");
    assert_holds(text, "device float* a_b [[buffer(1)]]");
    assert_holds(text, "struct my_kernel_args_t {\n    alignas(8) float half_1;\n    alignas(8) float a_b_1;\n};");
    assert_holds(text, "constant my_kernel_args_t& args [[buffer(2)]]");
    assert_holds(text, "a_b[thread_1] = device_1[thread_1] + (args.half_1 + args.a_b_1);");
}

static void names_are_made_valid_and_distinct(void **state)
{
    guarded(state, body_names);
}

/* Stores each constant to an element; what the text must hold is written by hand. */
static void body_constants(fixture *f)
{
    const struct {
        ir_type type;
        double value;
        const char *text;
    } floats[] = {
        {IR_F32, 16777217.0, "16777216.0f"}, {IR_F32, (double)3.4028234663852886e38f, "3.4028235e+38f"},
        {IR_F32, 0.1, "0.1f"},               {IR_F32, -0.0, "-0.0f"},
        {IR_F16, 0.1, "h;"},                 {IR_F32, 1e-45, "1e-45f"},
    };
    const ir_var *tx = ir_var_new(&f->mem, STR("tx"), IR_I32, (span){0});
    for (size_t k = 0; k < sizeof floats / sizeof floats[0]; ++k) {
        const ir_buffer *b = flat(f, "B", floats[k].type, 32, IR_SCOPE_GLOBAL);
        ir_param params[1] = {{.var = b->data}};
        const ir_node *value = ir_float_new(&f->mem, floats[k].type, floats[k].value, (span){0});
        assert_holds(emit(f, "k", params, 1, tx, put(f, b, ir_i32(&f->mem, 0), value)), floats[k].text);
    }
    const struct {
        ir_type type;
        int64_t value;
        const char *text;
    } ints[] = {
        {IR_I32, INT32_MIN, "= (-2147483647 - 1);"}, {IR_I64, INT64_MIN, "= (-9223372036854775807l - 1l);"},
        {IR_U32, 4294967295, "= 4294967295u;"},      {IR_TYPE(IR_UINT, 64), -1, "= 18446744073709551615ul;"},
        {IR_TYPE(IR_INT, 8), -5, "= char(-5);"},     {IR_B1, 1, "= true;"},
    };
    for (size_t k = 0; k < sizeof ints / sizeof ints[0]; ++k) {
        const ir_buffer *b = flat(f, "B", ints[k].type, 32, IR_SCOPE_GLOBAL);
        ir_param params[1] = {{.var = b->data}};
        const ir_node *value = ir_int_new(&f->mem, ints[k].type, ints[k].value, (span){0});
        assert_holds(emit(f, "k", params, 1, tx, put(f, b, ir_i32(&f->mem, 0), value)), ints[k].text);
    }
}

static void constants_keep_every_bit(void **state)
{
    guarded(state, body_constants);
}

static void body_double(fixture *f)
{
    const ir_var *tx = ir_var_new(&f->mem, STR("tx"), IR_I32, (span){0});
    const ir_buffer *b = flat(f, "B", IR_TYPE(IR_FLOAT, 64), 32, IR_SCOPE_GLOBAL);
    ir_param params[1] = {{.var = b->data}};
    const ir_node *value = ir_float_new(&f->mem, b->type, 1.0, (span){0});
    assert_int_equal(emit(f, "k", params, 1, tx, put(f, b, ir_i32(&f->mem, 0), value)).n, 0);
    assert_non_null(strstr(f->diags.first->message.p, "Cannot convert type float64 to Metal type"));
}

static void double_is_refused_by_name(void **state)
{
    guarded(state, body_double);
}

/* Three lanes of dense data: a packed access, since a float3 would touch a fourth element. */
static void body_vector(fixture *f)
{
    const ir_var *tx = ir_var_new(&f->mem, STR("tx"), IR_I32, (span){0});
    const ir_buffer *a = flat(f, "A", IR_F32, 96, IR_SCOPE_GLOBAL), *b = flat(f, "B", IR_F32, 96, IR_SCOPE_GLOBAL);
    ir_param params[2] = {{.var = a->data}, {.var = b->data}};
    const ir_node *base = ir_mul(&f->mem, ir_ref(&f->mem, tx, (span){0}), ir_i32(&f->mem, 3));
    const ir_node *ramp = ir_make(&f->mem, RAMP, ramp, (span){0}, ir_type_lanes(IR_I32, 3), .base = base,
                                  .stride = ir_i32(&f->mem, 1));
    str text = emit(f, "k", params, 2, tx, put(f, b, ramp, at(f, a, ramp)));
    assert_holds(text, "*(device packed_float3*)(B + tx * 3) = "
                       "packed_float3(float3(*(device const packed_float3*)(A + tx * 3)));");
}

static void dense_vectors_are_packed(void **state)
{
    guarded(state, body_vector);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_sorted),
        cmocka_unit_test_setup_teardown(add_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_are_made_valid_and_distinct, set_up, tear_down),
        cmocka_unit_test_setup_teardown(constants_keep_every_bit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(double_is_refused_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(dense_vectors_are_packed, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
