/* .npy files: bytes as NumPy writes them, worked out by hand from its format description. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "pack/npy.h"

/* A whole file: preamble of a version, header text, elements. */
static buf file(int version, const char *header, const void *data, size_t size)
{
    buf b = buf_make(NULL);
    buf_text(&b, "\x93NUMPY");
    buf_u8(&b, (uint8_t)version);
    buf_u8(&b, 0);
    if (version == 1) buf_u16(&b, (uint16_t)strlen(header));
    else buf_u32(&b, (uint32_t)strlen(header));
    buf_text(&b, header);
    buf_bytes(&b, data, size);
    return b;
}

static void test_versions(void **state)
{
    (void)state;
    static const float values[] = {1.5F, -2.0F, 3.25F};
    for (int version = 1; version <= 3; ++version) {
        buf b = file(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }   \n", values, sizeof values);
        npy_array a;
        ingot_error error;
        assert_int_equal(npy_read(mem_or_default(NULL), buf_view(&b), &a, &error), INGOT_OK);
        assert_int_equal(a.ndim, 1);
        assert_int_equal(a.shape[0], 3);
        assert_int_equal(a.dtype.code, kDLFloat);
        assert_int_equal(a.dtype.bits, 32);
        assert_int_equal(a.size, sizeof values);
        assert_memory_equal(a.data, values, sizeof values);
        npy_free(mem_or_default(NULL), &a);
        buf_free(&b);
    }
}

/* Element (i, j, k) of a 2 x 3 x 4 array is 100i + 10j + k; Fortran order has the first index fastest. */
static void test_fortran(void **state)
{
    (void)state;
    int16_t stored[24], expected[24];
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 4; ++k) {
                stored[i + 2 * (j + 3 * k)] = (int16_t)(100 * i + 10 * j + k);
                expected[(i * 3 + j) * 4 + k] = (int16_t)(100 * i + 10 * j + k);
            }
        }
    }
    buf b = file(1, "{'shape': (2, 3, 4), 'fortran_order': True, 'descr': '<i2'}\n", stored, sizeof stored);
    npy_array a;
    assert_int_equal(npy_read(mem_or_default(NULL), buf_view(&b), &a, NULL), INGOT_OK);
    assert_int_equal(a.ndim, 3);
    assert_memory_equal(a.data, expected, sizeof expected);
    npy_free(mem_or_default(NULL), &a);
    buf_free(&b);
}

static void test_shapes(void **state)
{
    (void)state;
    buf b = file(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }\n", "\1", 1);
    npy_array a;
    assert_int_equal(npy_read(mem_or_default(NULL), buf_view(&b), &a, NULL), INGOT_OK);
    assert_int_equal(a.ndim, 0);
    assert_int_equal(a.dtype.code, kDLBool);
    npy_free(mem_or_default(NULL), &a);
    buf_free(&b);
    b = file(1, "{\"descr\": \"<u8\", \"fortran_order\": True, \"shape\": (9223372036854775807, 0, 3)}", "", 0);
    assert_int_equal(npy_read(mem_or_default(NULL), buf_view(&b), &a, NULL), INGOT_OK);
    assert_int_equal(a.ndim, 3);
    assert_int_equal(a.size, 0);
    npy_free(mem_or_default(NULL), &a);
    buf_free(&b);
}

static void refused(const char *header, size_t size, ingot_status status, const char *words)
{
    static const char data[64] = {0};
    buf b = file(1, header, data, size);
    npy_array a;
    ingot_error error = {.status = INGOT_OK};
    ingot_status got = npy_read(mem_or_default(NULL), buf_view(&b), &a, &error);
    if (got != status || strstr(error.message, words) == NULL) fail_msg("%d \"%s\" for %s", (int)got, error.message, header);
    buf_free(&b);
}

static void test_refused(void **state)
{
    (void)state;
    refused("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4, INGOT_UNSUPPORTED, "big-endian data ('>f4')");
    refused("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", 8, INGOT_UNSUPPORTED, "type '<c8'");
    refused("{'descr': '<U4', 'fortran_order': False, 'shape': (1,), }", 16, INGOT_UNSUPPORTED, "type '<U4'");
    refused("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 8, INGOT_UNSUPPORTED, "type '|O'");
    refused("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4, INGOT_UNSUPPORTED, "records");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 4, INGOT_FORMAT, "holds 4 bytes of data; its shape says 8");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 5, INGOT_FORMAT, "holds 5 bytes of data; its shape says 4");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", 0, INGOT_FORMAT, "too large");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 0, INGOT_FORMAT, "header");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4), }", 16, INGOT_FORMAT, "header");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 0, INGOT_FORMAT, "header");
    refused("{'descr': '<f4', 'fortran_order': False}", 4, INGOT_FORMAT, "header");
    refused("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4, INGOT_FORMAT, "header");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", 4, INGOT_FORMAT, "header");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", 4, INGOT_FORMAT, "header");
    refused("", 0, INGOT_FORMAT, "header");
    npy_array a;
    ingot_error error;
    assert_int_equal(npy_read(mem_or_default(NULL), STR("PK\x03\x04"), &a, &error), INGOT_FORMAT);
    assert_int_equal(npy_read(mem_or_default(NULL), STR("\x93NUMPY\x04\0"), &a, &error), INGOT_UNSUPPORTED);
    assert_string_equal(error.message, ".npy version 4.0 is not supported; versions 1.0 to 3.0 are");
    assert_int_equal(npy_read(mem_or_default(NULL), STR("\x93NUMPY\x01\0\xff\xff{"), &a, &error), INGOT_FORMAT);
}

static void test_write(void **state)
{
    (void)state;
    static const float values[6] = {0, 1, 2, 3, 4, 5};
    const int64_t shape[] = {2, 3};
    buf b = buf_make(NULL);
    assert_int_equal(npy_write(values, (DLDataType){kDLFloat, 32, 1}, shape, 2, &b, NULL), INGOT_OK);
    /* 10 bytes, then 118 of header, so that the data begins at 128. */
    static const char head[] = "\x93NUMPY\x01\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    assert_int_equal(b.n, 128 + sizeof values);
    assert_memory_equal(b.p, head, sizeof head - 1);
    assert_int_equal(b.p[127], '\n');
    assert_memory_equal(b.p + 128, values, sizeof values);
    buf_free(&b);
    /* What NumPy lacks goes as unsigned integers; lanes are a last dimension. */
    assert_int_equal(npy_write("abcd", (DLDataType){kDLBfloat, 16, 2}, NULL, 0, &b, NULL), INGOT_OK);
    static const char other[] = "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }";
    assert_memory_equal(b.p + 10, other, sizeof other - 1);
    buf_free(&b);
    ingot_error error;
    assert_int_equal(npy_write(values, (DLDataType){kDLInt, 4, 1}, shape, 2, &b, &error), INGOT_UNSUPPORTED);
    assert_int_equal(npy_write(NULL, (DLDataType){kDLInt, 32, 1}, shape, 2, &b, &error), INGOT_INVALID_ARGUMENT);
    assert_int_equal(npy_write(values, (DLDataType){kDLInt, 32, 1}, (const int64_t[]){-1}, 1, &b, &error), INGOT_VALUE);
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_versions), cmocka_unit_test(test_fortran), cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_write)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
