/* Sizes, alignments and layouts by Metal's rules; canonical types; address spaces. */
#include "mslfront_help.h"

static void scalars_and_vectors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned size, align;
    } rows[] = {
        {"bool", 1, 1},          {"char", 1, 1},           {"uchar", 1, 1},
        {"short", 2, 2},         {"ushort", 2, 2},         {"int", 4, 4},
        {"uint", 4, 4},          {"long", 8, 8},           {"ulong", 8, 8},
        {"half", 2, 2},          {"bfloat", 2, 2},         {"float", 4, 4},
        {"bool2", 2, 2},         {"bool3", 4, 4},          {"char3", 4, 4},
        {"uchar4", 4, 4},        {"short2", 4, 4},         {"ushort3", 8, 8},
        {"int2", 8, 8},          {"uint3", 16, 16},        {"long2", 16, 16},
        {"ulong3", 32, 32},      {"half2", 4, 4},          {"half3", 8, 8},
        {"half4", 8, 8},         {"bfloat4", 8, 8},        {"float2", 8, 8},
        {"float3", 16, 16},      {"float4", 16, 16},       {"packed_float3", 12, 4},
        {"packed_half3", 6, 2},  {"packed_uchar4", 4, 1},  {"packed_float4", 16, 4},
        {"float2x2", 16, 8},     {"float3x3", 48, 16},     {"float4x3", 64, 16},
        {"half2x4", 16, 8},      {"half3x2", 12, 4},       {"atomic_int", 4, 4},
        {"atomic<float>", 4, 4}, {"size_t", 8, 8},         {"int8_t", 1, 1},
        {"uint16_t", 2, 2},      {"device float *", 8, 8}, {"float[5]", 20, 4},
        {"float3[2]", 32, 16},   {"vec<half, 3>", 8, 8},   {"unsigned long int", 8, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[256];
        snprintf(text, sizeof text,
                 "using namespace metal; static_assert(sizeof(%s) == %u, \"\"); "
                 "static_assert(alignof(%s) == %u, \"\");",
                 rows[i].text, rows[i].size, rows[i].text, rows[i].align);
        msl_good(text);
    }
}

/* Offsets by hand: each member at the next multiple of its alignment, the whole rounded to the
 * largest. */
static void struct_layout(void **state)
{
    (void)state;
    msl_case c = {0};
    msl_read(&c, "using namespace metal;\n"
                 "struct S { char a; float3 b; half c; packed_float3 d; union { int e; long f; }; "
                 "uchar g[3]; };\n"
                 "static_assert(sizeof(S) == 64, \"\");\n"
                 "kernel void k(constant S &s, device float *A) { A[0] = s.e; }\n");
    assert_non_null(c.unit);
    const mf_record *r = c.unit->kernels[0]->params[0]->type->elem->record;
    static const unsigned offsets[] = {0, 16, 32, 36, 48, 56};
    assert_int_equal(r->field_count, 6);
    for (size_t i = 0; i < 6; ++i) assert_int_equal(r->fields[i].offset, offsets[i]);
    assert_int_equal(r->type->align, 16);
    msl_done(&c);
}

static void canonical(void **state)
{
    (void)state;
    msl_case c = {0};
    msl_read(&c, "using namespace metal; typedef float real; using four = vec<real, 4>;\n"
                 "kernel void k(device const real *A, const device float *B, device four *C, "
                 "device float4 *D) {}");
    assert_non_null(c.unit);
    mf_var **p = c.unit->kernels[0]->params;
    assert_ptr_equal(p[0]->type, p[1]->type);
    assert_ptr_equal(p[2]->type, p[3]->type);
    assert_ptr_equal(p[2]->type->elem, mf_vector_type(MF_FLOAT, 4));
    assert_string_equal(mf_type_text(&c.mem, p[0]->type).p, "device const float *");
    msl_done(&c);
}

static void address_spaces(void **state)
{
    (void)state;
    msl_bad(
        "void f(float *p) {}",
        "1:14: error: a pointer needs an address space: device, constant, threadgroup or thread");
    msl_bad(
        "void f(float &p) {}",
        "1:14: error: a reference needs an address space: device, constant, threadgroup or thread");
    msl_refuse("threadgroup float *p = A;",
               "24: error: cannot initialise with 'device float *' as 'threadgroup float "
               "*': the address spaces differ");
    msl_refuse(
        "thread float *p = (thread float *)A;",
        "19: error: cannot cast 'device float *' to 'thread float *': the address spaces differ");
    msl_refuse("device const float *p = A; *p = 1;",
               "28: error: cannot assign to this: it is const");
    msl_refuse("device const float *p = A; device float *q = p;",
               "46: error: cannot initialise with 'device const float *' as 'device float *': that "
               "would drop a "
               "qualifier");
    msl_refuse("device float z;", "14: error: a variable cannot be declared in device memory");
    msl_bad("constant float c = 1; void f() { c = 2; }",
            "1:34: error: cannot assign to this: it lies in the constant address space");
    msl_bad("float c = 1;",
            "1:7: error: a variable outside functions must lie in the constant address space");
    msl_bad("void f() { threadgroup int t[4]; }",
            "1:28: error: a threadgroup variable can be declared in a kernel only");
    msl_good("void f(device float * thread *p, thread float &q) { q = **p; }");
    msl_bad(
        "void g(thread float &q) {} kernel void k(device float *A) { g(A[0]); }",
        "1:63: error: cannot pass 'device float' as 'thread float &': the address spaces differ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_and_vectors),
        cmocka_unit_test(struct_layout),
        cmocka_unit_test(canonical),
        cmocka_unit_test(address_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
