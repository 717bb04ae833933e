/* The .ingot container: its bytes by hand, and every way to damage them. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "pack/container.h"

static pack_container example(void)
{
    return (pack_container){.sections = {STR("host"), STR("device bytes"), STR(""), STR("{\"kind\":\"metal\"}"), STR("12345678")}};
}

static buf written(void)
{
    pack_container c = example();
    buf out = buf_make(NULL);
    pack_container_write(&c, &out);
    assert_false(out.failed);
    return out;
}

static uint64_t u64_at(const buf *b, size_t at)
{
    uint64_t v = 0;
    for (size_t i = 8; i > 0; --i) v = v << 8 | (unsigned char)b->p[at + i - 1];
    return v;
}

static void test_bytes(void **state)
{
    (void)state;
    buf out = written();
    /* Header 64, five entries of 24, then 4+4, 12+4, 0, 16, 8 bytes. */
    assert_int_equal(out.n, 64 + 5 * 24 + 8 + 16 + 0 + 16 + 8);
    assert_memory_equal(out.p, "\x89INGOT\r\n\x01\0\0\0\x05\0\0\0", 16);
    assert_int_equal(u64_at(&out, 16), out.n);
    assert_int_equal(u64_at(&out, 56), 0);
    assert_memory_equal(out.p + 64, "HOST\0\0\0\0", 8);
    assert_int_equal(u64_at(&out, 72), 184);
    assert_int_equal(u64_at(&out, 80), 4);
    assert_memory_equal(out.p + 88, "DEVC\0\0\0\0", 8);
    assert_int_equal(u64_at(&out, 96), 192);
    assert_memory_equal(out.p + 184, "host\0\0\0\0device bytes\0\0\0\0{\"kind\":\"metal\"}12345678", 48);
    unsigned char hash[32];
    char *plain = malloc(out.n - 32);
    memcpy(plain, out.p, 24);
    memcpy(plain + 24, out.p + 56, out.n - 56);
    sha256_of(plain, out.n - 32, hash);
    assert_memory_equal(out.p + 24, hash, 32);
    free(plain);
    buf_free(&out);
}

static void test_read(void **state)
{
    (void)state;
    buf out = written();
    pack_container c, expected = example();
    assert_int_equal(pack_container_read(buf_view(&out), &c, NULL), INGOT_OK);
    for (size_t i = 0; i < PACK_SECTION_COUNT; ++i) assert_true(str_eq(c.sections[i], expected.sections[i]));
    buf_free(&out);
}

static void refused(str bytes, const char *words)
{
    pack_container c;
    ingot_error error;
    assert_int_equal(pack_container_read(bytes, &c, &error), INGOT_FORMAT);
    if (strstr(error.message, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", error.message, words);
}

static void test_damaged(void **state)
{
    (void)state;
    buf out = written();
    for (size_t i = 0; i < out.n; ++i) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            out.p[i] = (char)(out.p[i] ^ (1 << bit));
            const char *words = i < 8 ? "not an .ingot file" : i < 12 ? "this build reads version 1" : i >= 24 || i < 16 ? "checksum" : "";
            refused(buf_view(&out), words);
            out.p[i] = (char)(out.p[i] ^ (1 << bit));
        }
    }
    for (size_t n = 0; n < out.n; ++n) refused((str){out.p, n}, n < 8 ? "not an .ingot file" : "cut short");
    buf_char(&out, '!');
    refused(buf_view(&out), "1 bytes follow the end");
    buf_free(&out);
}

/* A file whose checksum is right and whose sections are not. */
static void reseal(buf *b)
{
    unsigned char hash[32];
    sha256 h;
    sha256_init(&h);
    sha256_add(&h, b->p, 24);
    sha256_add(&h, b->p + 56, b->n - 56);
    sha256_finish(&h, hash);
    memcpy(b->p + 24, hash, 32);
}

static void test_bad_sections(void **state)
{
    (void)state;
    struct {
        size_t at;
        char value;
        const char *words;
    } changes[] = {
        {12, 4, "4 sections"},           {64, 'X', "host functions"},   {68, 1, "fill it exactly"}, {72, 0, "host functions"},
        {80, 3, "fill it exactly"},      {87, 1, "host functions"},     {96, 0, "device module"},   {188, 1, "fill it exactly"},
        {56, 1, "fill it exactly"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
        buf out = written();
        out.p[changes[i].at] = changes[i].value;
        reseal(&out);
        refused(buf_view(&out), changes[i].words);
        buf_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_bad_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
