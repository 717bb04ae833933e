/* Kernels as compilers and people write them: signatures and bindings, whole texts. */
#include "mslfront_help.h"

static void bindings(void **state)
{
    (void)state;
    msl_case c = {0};
    msl_read(&c, "using namespace metal;\n"
                 "struct args_t { uint n; };\n"
                 "[[max_total_threads_per_threadgroup(256)]]\n"
                 "kernel void k(constant args_t &a [[buffer(4)]], device float *b, const device "
                 "half *c [[buffer(0)]],\n"
                 "  threadgroup float *t [[threadgroup(1)]], threadgroup int *s, ushort2 p "
                 "[[thread_position_in_grid]],\n"
                 "  uint l [[thread_index_in_simdgroup]], uint3 g [[threadgroups_per_grid]]) {\n"
                 "  threadgroup half x[3]; threadgroup float4 y; float z; }\n");
    assert_non_null(c.unit);
    mf_function *f = mf_unit_kernel(c.unit, STR("k"));
    assert_non_null(f);
    assert_null(mf_unit_kernel(c.unit, STR("kk")));
    mf_var **p = f->params;
    assert_int_equal(p[0]->binding, MF_BIND_BUFFER);
    assert_int_equal(p[0]->slot, 4);
    assert_int_equal(p[1]->binding, MF_BIND_BUFFER);
    assert_int_equal(p[1]->slot, 1); /* the lowest free one: 0 and 4 are taken */
    assert_int_equal(p[2]->slot, 0);
    assert_int_equal(p[3]->binding, MF_BIND_THREADGROUP);
    assert_int_equal(p[3]->slot, 1);
    assert_int_equal(p[4]->binding, MF_BIND_THREADGROUP);
    assert_int_equal(p[4]->slot, 0);
    assert_int_equal(p[5]->input, MF_INPUT_THREAD_POSITION_IN_GRID);
    assert_ptr_equal(p[5]->type, mf_vector_type(MF_USHORT, 2));
    assert_int_equal(p[6]->input, MF_INPUT_THREAD_INDEX_IN_SIMDGROUP);
    assert_int_equal(p[7]->input, MF_INPUT_THREADGROUPS_PER_GRID);
    assert_int_equal(f->max_threads, 256);
    assert_int_equal(f->threadgroup_bytes, 32); /* 6 for x, up to 16, 16 for y */
    assert_int_equal(f->local_count, 3);
    msl_done(&c);
}

static void wrong_signatures(void **state)
{
    (void)state;
    msl_bad("kernel int k() { return 1; }", "1:12: error: a kernel returns void, not 'int'");
    msl_bad(
        "kernel void k(float x) {}",
        "1:21: error: the parameter 'x' of a kernel needs an attribute that says what it is given");
    msl_bad("kernel void k(float x [[buffer(0)]]) {}",
            "1:21: error: a [[buffer(n)]] parameter is a pointer or reference to device or "
            "constant memory, not 'float'");
    msl_bad("kernel void k(threadgroup float *x [[buffer(0)]]) {}",
            "1:34: error: a [[buffer(n)]] parameter is a pointer or reference to device or "
            "constant memory, not "
            "'threadgroup float *'");
    msl_bad("kernel void k(device int *a [[buffer(1)]], device int *b [[buffer(1)]]) {}",
            "1:56: error: slot 1 is given to 'a' already");
    msl_bad("kernel void k(device int *a [[buffer(31)]]) {}",
            "1:31: error: slot 31 is out of range: there are 31, from 0");
    msl_bad("kernel void k(device int *a [[bufer(0)]]) {}",
            "1:31: error: unknown attribute 'bufer'; did you mean 'buffer'?");
    msl_bad("kernel void k(int i [[thread_position_in_grid]]) {}",
            "1:19: error: [[thread_position_in_grid]] is uint or ushort or a vector of 2 or 3 of "
            "them, not 'int'");
    msl_bad("using namespace metal; kernel void k(uint2 i [[thread_index_in_simdgroup]]) {}",
            "1:44: error: [[thread_index_in_simdgroup]] is uint or ushort, not 'uint2'");
    msl_bad("kernel void k(uint i [[stage_in]]) {}",
            "1:24: error: the attribute 'stage_in' is not supported");
    msl_bad("kernel void k(device int *a [[buffer(0)]]) {}\nkernel void k(device float *a "
            "[[buffer(0)]]) {}",
            "2:13: error: two kernels are named 'k'");
    msl_good("void f(device int *a [[buffer(0)]]) {}"); /* a warning, as in Apple's compiler */
    msl_good("vertex float4 v() { return what; }"); /* not read: a warning */
    msl_bad("vertex float4 v;", "1:1: error: expected a function after 'vertex'");
}

/* In the manner of tensor compilers: everything bracketed, casts through pointers, unions for
 * arguments. */
static const char generated[] =
    "#include <metal_stdlib>\n"
    "using namespace metal;\n"
    "union __TVMArgUnion {\n int v_int[2];\n};\n"
    "struct main_kernel_args_t {\n  float x[2];\n  int n[2];\n};\n"
    "kernel void main_kernel(  device float* A_ptr [[ buffer(0) ]],\n"
    "  device uchar* B_ptr [[ buffer(1) ]],\n"
    "  constant main_kernel_args_t& arg [[ buffer(2) ]],\n"
    "  uint3 blockIdx [[threadgroup_position_in_grid]],\n"
    "  uint3 threadIdx [[thread_position_in_threadgroup]]\n) {\n"
    "  threadgroup float red_result[1];\n"
    "  thread float red_buf0[1];\n"
    "  simdgroup_half8x8 c[2];\n"
    "  c[0] = make_filled_simdgroup_matrix<half, 8, 8>(0.000000e+00h);\n"
    "  int cse_v1 = ((((int)blockIdx.x) * 32) + ((int)threadIdx.x));\n"
    "  red_buf0[0] = A_ptr[cse_v1];\n"
    "  red_buf0[0] = simd_shuffle_down(red_buf0[0], 8);\n"
    "  if ((((int)threadIdx.x) % 16) == 0) {\n"
    "    ((volatile threadgroup float*)red_result)[0] = (red_buf0[0] + arg.x[0]);\n"
    "  }\n"
    "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "  float condval;\n"
    "  if (((int)threadIdx.x) < arg.n[0]) {\n    condval = ((volatile threadgroup "
    "float*)red_result)[0];\n"
    "  } else {\n    condval = -INFINITY;\n  }\n"
    "  #pragma unroll 1\n"
    "  while (1) {\n    if (!(condval < 3.000000e+00f)) { break; }\n    condval = (condval + "
    "1.000000e+00f);\n    continue;;\n  }\n"
    "  int2 v__1 = int2(((cse_v1))+(3*0), ((cse_v1))+(3*1));\n"
    "  *(device float2*)(A_ptr + (cse_v1 * 2)) = "
    "((float2)(float2(A_ptr[v__1[0]],A_ptr[v__1[1]])));\n"
    "  B_ptr[cse_v1] = select((uchar)0, (uchar)1, ((fabs(condval) == INFINITY) && !(condval != "
    "condval)));\n"
    "  *(device float4*)(A_ptr + 4) = ((float4)*(device uchar4*)(B_ptr + (((int)threadIdx.x) * "
    "4)));\n"
    "  A_ptr[0] = (as_type<float>(((uint)(cse_v1 >> 5)) << (uint)16));\n"
    "}\n";

static void generated_text(void **state)
{
    (void)state;
    msl_good(generated);
}

static void written_text(void **state)
{
    (void)state;
    msl_good(
        "#include <metal_stdlib>\nusing namespace metal;\n"
        "namespace tools { inline float twice(float x) { return 2 * x; } constant float bias[2] = "
        "{0.5f, 1}; }\n"
        "typedef struct { uint rows, columns; float scale; } size_args;\n"
        "static inline float reduce(float v, threadgroup float *scratch, uint lane, uint simd) {\n"
        "  v = simd_sum(v);\n  if (lane == 0) scratch[simd] = v;\n"
        "  threadgroup_barrier(metal::mem_flags::mem_threadgroup);\n"
        "  return simd == 0 ? simd_sum(scratch[lane]) : 0.0f;\n}\n"
        "kernel void softmax(device const half4 *in [[buffer(0)]], device float4 *out "
        "[[buffer(1)]],\n"
        "    constant size_args &args [[buffer(2)]], threadgroup float *scratch "
        "[[threadgroup(0)]],\n"
        "    uint2 position [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]],\n"
        "    uint simd [[simdgroup_index_in_threadgroup]]) {\n"
        "  const uint row = position.y;\n"
        "  float4 most = float4(-INFINITY);\n"
        "  for (uint c = position.x; c < args.columns / 4; c += 32) most = max(most, float4(in[row "
        "* args.columns / 4 + c]));\n"
        "  float4 e = exp((most - max(most.x, most.y)) * args.scale);\n"
        "  const float total = reduce(dot(e, float4(1)), scratch, lane, simd);\n"
        "  device float4 *o = &out[row];\n"
        "  if (row < args.rows) *o = e / total + tools::twice(tools::bias[row & 1]);\n"
        "}\n");
}

/* A parameter that depends on a function constant may share its slot with another, and is none where the constant is false. */
static void absent_parameters(void **state)
{
    (void)state;
    const mf_given constants[] = {{.index = 0, .value = {.i = 0}}, {.index = 1, .value = {.i = 1}}};
    msl_case c = {.options = {.constants = constants, .constant_count = 2}};
    msl_read(&c, "constant bool a [[function_constant(0)]]; constant bool b [[function_constant(1)]];\n"
                 "kernel void k(device int *o [[buffer(0)]], constant int &x [[buffer(1), function_constant(a)]],\n"
                 "  constant float &y [[buffer(1), function_constant(b)]]) {}");
    assert_non_null(c.unit);
    assert_true(c.unit->kernels[0]->params[1]->is_absent);
    assert_false(c.unit->kernels[0]->params[2]->is_absent);
    msl_done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bindings),
        cmocka_unit_test(wrong_signatures),
        cmocka_unit_test(generated_text),
        cmocka_unit_test(written_text),
        cmocka_unit_test(absent_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
