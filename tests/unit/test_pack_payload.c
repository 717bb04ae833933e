/* What payloads are taken for. */
#include "test.h"

#include <string.h>

#include "pack/payload.h"

typedef struct example {
    const char *bytes;
    size_t size;
    payload_kind kind;
} example;

#define BYTES(literal, kind) {literal, sizeof(literal) - 1, PAYLOAD_##kind}

static void test_kinds(void **state)
{
    (void)state;
    static const example examples[] = {
        BYTES("", EMPTY),
        BYTES("#include <metal_stdlib>\nkernel void f() {}\n", MSL),
        BYTES("\xEF\xBB\xBF// hello\nkernel void f(device float *a [[buffer(0)]]) {}", MSL),
        BYTES("int main(void) { return 0; }\n", TEXT),
        BYTES("/tmp/x/out.metallib", PATH),
        BYTES("MTLB\x01\x80", METALLIB),
        BYTES("\xDE\xC0\x17\x0B\0\0\0\0", BITCODE),
        BYTES("BC\xC0\xDE\x35\x14", BITCODE),
        BYTES("; ModuleID = 'x'\nsource_filename = \"x\"\n", LLVM),
        BYTES("target datalayout = \"e\"\ndefine void @main_kernel() {\n", LLVM),
        BYTES("\xCB\xFE\xBA\xBE\0\0\0\x02", FAT),
        BYTES("\xCA\xFE\xBA\xBE\0\0\0\x02", MACHO),
        BYTES("\xCF\xFA\xED\xFE\x0C\0\0\x01", MACHO),
        BYTES("\x7F" "ELF\x02\x01\x01", ELF),
        BYTES("!<arch>\nx", ARCHIVE),
        BYTES("\x1F\x8B\x08", GZIP),
        BYTES("PK\x03\x04", ZIP),
        BYTES("\x03\x02\x23\x07\0\0\x01\0", SPIRV),
        BYTES("\x89INGOT\r\n\x01\0\0\0", INGOT),
        BYTES("\x01\x02\x03", UNKNOWN),
        BYTES("kernel void f() {}\0", UNKNOWN),
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; ++i) {
        payload_kind kind = payload_look((str){examples[i].bytes, examples[i].size});
        if (kind != examples[i].kind) {
            fail_msg("example %zu is taken for %s, not %s", i, payload_text(kind), payload_text(examples[i].kind));
        }
    }
    assert_string_equal(payload_text(PAYLOAD_MSL), "MSL text");
    assert_non_null(strstr(payload_advice(PAYLOAD_MSL), "(source, \"metal\")"));
    assert_string_equal(payload_advice(PAYLOAD_METALLIB), "");
}

static void test_metallib_size(void **state)
{
    (void)state;
    char why[PAYLOAD_WHY];
    char bytes[24] = "MTLB";
    bytes[16] = 24;
    assert_true(payload_is_metallib((str){bytes, 24}, why));
    bytes[16] = 25;
    assert_false(payload_is_metallib((str){bytes, 24}, why));
    assert_string_equal(why, "its size field says 25 bytes, and it has 24");
    assert_false(payload_is_metallib((str){bytes, 20}, why));
    assert_non_null(strstr(why, "cut short"));
    assert_false(payload_is_metallib(STR("kernel"), why));
    assert_non_null(strstr(why, "does not begin with MTLB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_metallib_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
