/* labels: full plain */
/* A buffer of more than 2^31 elements: its last row is the one that is read and written. */
#include "ingot_test.h"

enum { ROWS = 32769, COLUMNS = 65536 };

/* Each: A[row, j] = A[row, j] + j % 7 for the row given. */
#define BODY                                                                                       \
    "        for j_0 in T.thread_binding(256, thread=\"blockIdx.x\"):\n"                           \
    "            for j_1 in T.thread_binding(256, thread=\"threadIdx.x\"):\n"                      \
    "                A[row, j_0 * 256 + j_1] = A[row, j_0 * 256 + j_1] + T.Cast(\"uint8\", (j_0 * 256 + j_1) % 7)\n"

static const char constant_shape[] = SCRIPT_HEAD
    "    def main(A: T.Buffer((32769, 65536), \"uint8\"), row: T.int32):\n" BODY;
static const char symbolic_shape[] = SCRIPT_HEAD
    "    def main(A: T.Buffer((\"n\", \"m\"), \"uint8\"), row: T.int32):\n" BODY;
static const char symbolic_rows[] = SCRIPT_HEAD
    "    def main(A: T.Buffer((\"n\", 65536), \"uint8\"), row: T.int32):\n" BODY;
static const char strided[] = SCRIPT_HEAD
    "    def main(a: T.handle, row: T.int32):\n"
    "        A = T.match_buffer(a, (32769, 65536), \"uint8\", strides=[\"s\", 1])\n" BODY;
static const char row_of_64_bits[] = SCRIPT_HEAD
    "    def main(A: T.Buffer((\"n\", \"m\"), \"uint8\"), row: T.int64):\n" BODY;

/* Runs the program on the row and adds its increments to `want`. */
static void add_to_row(runner *r, const char *script, int64_t row, unsigned char *want)
{
    ingot_error error = {0};
    ingot_module *m = compile_with(script, NULL);
    check(ingot_program_load(m, r->device, &r->program, &error), &error);
    ingot_value values[2] = {ingot_tensor(&r->tensors[0]), ingot_int(row)};
    check(ingot_program_call(r->program, NULL, values, 2, r->stream, NULL, &error), &error);
    check(ingot_stream_sync(r->stream, &error), &error);
    ingot_program_release(r->program);
    r->program = NULL;
    ingot_module_release(m);
    for (int j = 0; j < COLUMNS; ++j) want[j] = (unsigned char)(want[j] + j % 7);
}

static void test_last_row(void **state)
{
    (void)state;
    static unsigned char want[2][COLUMNS], got[COLUMNS];
    static const char *const scripts[] = {constant_shape, symbolic_shape, symbolic_rows, strided, row_of_64_bits};
    runner r = {0};
    ingot_error error = {0};
    check(ingot_device_open("emu", 0, 2, NULL, &r.device, &error), &error);
    check(ingot_stream_create(r.device, &r.stream, &error), &error);
    (void)run_tensor(&r, (DLDataType){kDLUInt, 8, 1}, (int64_t)ROWS * COLUMNS, NULL);
    int64_t shape[] = {ROWS, COLUMNS}, strides[] = {COLUMNS, 1};
    r.tensors[0].ndim = 2;
    r.tensors[0].shape = shape;
    r.tensors[0].strides = strides;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
        add_to_row(&r, scripts[i], ROWS - 1, want[1]);
        add_to_row(&r, scripts[i], 0, want[0]);
    }
    for (size_t k = 0; k < 2; ++k) {
        size_t at = k * (size_t)(ROWS - 1) * COLUMNS;
        check(ingot_buffer_read(r.buffers[0], at, got, sizeof got, r.stream, &error), &error);
        assert_memory_equal(got, want[k], sizeof got);
    }
    run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_last_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
