/* The metallib reader against files put together here, field by field, in both writers' dialects. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/sha256.h"
#include "pack/metallib.h"
#include "pack/metallib_write.h"

/* What the writer below is asked for. */
typedef struct plan {
    bool newer;     /* the driver's: MDSZ last, groups that count themselves, UUID and a section of reflection */
    int functions;  /* they share one module */
    bool constants; /* the first has two function constants */
} plan;

static void tag(buf *b, const char *name, const void *bytes, size_t n)
{
    buf_bytes(b, name, 4);
    buf_u16(b, (uint16_t)n);
    buf_bytes(b, bytes, n);
}

static void u64_tag(buf *b, const char *name, uint64_t value)
{
    buf_bytes(b, name, 4);
    buf_u16(b, 8);
    buf_u64(b, value);
}

/* Wrapped bitcode of 16 bytes, padded to 48. */
static buf make_module(void)
{
    buf b = buf_make(NULL);
    buf_u32(&b, 0x0B17C0DE);
    buf_u32(&b, 0);
    buf_u32(&b, 20);
    buf_u32(&b, 16);
    buf_u32(&b, 0xFFFFFFFF);
    buf_bytes(&b, "BC\xC0\xDE" "bitcode here", 16);
    buf_bytes(&b, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
    assert_int_equal(b.n, 48);
    return b;
}

static void metadata(buf *b, const plan *p, bool constants)
{
    buf tags = buf_make(NULL);
    if (constants) {
        buf list = buf_make(NULL);
        buf_u16(&list, 2);
        buf_bytes(&list, "scale\0\x03\x07\0\x01", 10);
        buf_bytes(&list, "flag\0\x35\x01\0\0", 9);
        tag(&tags, "CNST", list.p, list.n);
        buf_free(&list);
    }
    buf_bytes(&tags, "ENDT", 4);
    buf_u32(b, (uint32_t)tags.n + (p->newer ? 4 : 0));
    buf_str(b, buf_view(&tags));
    buf_free(&tags);
}

static void function(buf *list, const plan *p, int i, size_t public_at, size_t private_at, const buf *module)
{
    buf tags = buf_make(NULL);
    char name[16];
    unsigned char hash[32];
    int n = snprintf(name, sizeof name, "kernel_%d", i);
    sha256_of(module->p, module->n, hash);
    tag(&tags, "NAME", name, (size_t)n + 1);
    tag(&tags, "TYPE", "\x02", 1);
    tag(&tags, "HASH", hash, 32);
    if (!p->newer) u64_tag(&tags, "MDSZ", module->n);
    buf_bytes(&tags, "OFFT\x18\0", 6);
    buf_u64(&tags, public_at);
    buf_u64(&tags, private_at);
    buf_u64(&tags, 0);
    tag(&tags, "VERS", "\x02\0\x06\0\x03\0\x01\0", 8);
    if (p->newer) u64_tag(&tags, "MDSZ", module->n);
    if (p->newer) u64_tag(&tags, "RFLT", 4);
    buf_bytes(&tags, "ENDT", 4);
    buf_u32(list, (uint32_t)tags.n + 4);
    buf_str(list, buf_view(&tags));
    buf_free(&tags);
}

/* One group, which all functions share: its size with itself, a buffer of 8 bytes, ENDT. */
static const char reflection[] = "\1\0\0\0" "\x18\0\0\0" "RBUF\x08\0\0\0" "\0\0\0\0AIRR" "ENDT";

static buf make(const plan *p)
{
    buf module = make_module(), list = buf_make(NULL), public_md = buf_make(NULL), private_md = buf_make(NULL),
        extension = buf_make(NULL), out = buf_make(NULL);
    for (int i = 0; i < p->functions; ++i) {
        size_t public_at = public_md.n, private_at = private_md.n;
        metadata(&public_md, p, p->constants && i == 0);
        metadata(&private_md, p, false);
        function(&list, p, i, public_at, private_at, &module);
    }
    size_t extension_at = 88 + 4 + list.n, public_at = extension_at + (p->newer ? 48 : 4),
           private_at = public_at + public_md.n, modules_at = private_at + private_md.n, tail_at = modules_at + module.n,
           size = tail_at + (p->newer ? sizeof reflection - 1 : 0);
    if (p->newer) {
        buf_bytes(&extension, "RLST\x10\0", 6);
        buf_u64(&extension, tail_at);
        buf_u64(&extension, sizeof reflection - 1);
        tag(&extension, "UUID", "0123456789abcdef", 16);
    }
    buf_bytes(&extension, "ENDT", 4);
    buf_bytes(&out, "MTLB\x01\x80\x02\0\x07\0\0\x81\x0e\0\x04\0", 16);
    buf_u64(&out, size);
    buf_u64(&out, 88);
    buf_u64(&out, list.n);
    buf_u64(&out, public_at);
    buf_u64(&out, public_md.n);
    buf_u64(&out, private_at);
    buf_u64(&out, private_md.n);
    buf_u64(&out, modules_at);
    buf_u64(&out, module.n);
    assert_int_equal(out.n, 88);
    buf_u32(&out, (uint32_t)p->functions);
    buf_str(&out, buf_view(&list));
    buf_str(&out, buf_view(&extension));
    buf_str(&out, buf_view(&public_md));
    buf_str(&out, buf_view(&private_md));
    buf_str(&out, buf_view(&module));
    if (p->newer) buf_bytes(&out, reflection, sizeof reflection - 1);
    assert_int_equal(out.n, size);
    buf_free(&module);
    buf_free(&list);
    buf_free(&public_md);
    buf_free(&private_md);
    buf_free(&extension);
    return out;
}

static const metallib *read(pool *mem, const buf *b)
{
    const metallib *m;
    ingot_error error = {.status = INGOT_OK};
    if (metallib_read(mem, buf_view(b), &m, &error) != INGOT_OK) fail_msg("%s", error.message);
    return m;
}

static void test_fields(void **state)
{
    (void)state;
    for (int newer = 0; newer < 2; ++newer) {
        buf b = make(&(plan){newer != 0, 3, true});
        pool mem = pool_make(NULL);
        const metallib *m = read(&mem, &b);
        assert_int_equal(m->format_major, 1);
        assert_int_equal(m->format_minor, 2);
        assert_int_equal(m->format_patch, 7);
        assert_true(m->is_macos && m->is_64_bit && !m->is_stub);
        assert_string_equal(metallib_platform_text(m->platform), "macOS");
        assert_int_equal(m->os_major, 14);
        assert_int_equal(m->os_minor, 4);
        assert_int_equal(m->has_uuid, newer);
        assert_int_equal(m->function_count, 3);
        const metallib_function *f = &m->functions[0];
        assert_true(str_is(f->name, "kernel_0"));
        assert_string_equal(metallib_type_text(f->type), "kernel");
        assert_int_equal(f->air.major * 10 + f->air.minor, 26);
        assert_int_equal(f->language.major * 10 + f->language.minor, 31);
        assert_int_equal(f->module.n, 48);
        assert_int_equal(f->has_reflection, newer);
        assert_int_equal(f->constant_count, 2);
        assert_true(str_is(f->constants[0].name, "scale"));
        assert_int_equal(f->constants[0].type, 3);
        assert_int_equal(f->constants[0].index, 7);
        assert_true(f->constants[0].active);
        assert_true(str_is(f->constants[1].name, "flag"));
        assert_int_equal(f->constants[1].index, 1);
        assert_false(f->constants[1].active);
        assert_int_equal(m->functions[1].constant_count, 0);
        if (newer) assert_int_equal(m->functions[2].reflection.n, 16 + 4);
        assert_ptr_equal(metallib_find(m, STR("kernel_2")), &m->functions[2]);
        assert_null(metallib_find(m, STR("kernel_3")));
        pool_free(&mem);
        buf_free(&b);
    }
}

/* Where the one occurrence of a tag stands. */
static char *find(const buf *b, const char *name)
{
    for (size_t i = 88; i + 4 <= b->n; ++i) {
        if (memcmp(b->p + i, name, 4) == 0) return b->p + i;
    }
    fail_msg("no tag %s", name);
    return NULL;
}

static void test_empty(void **state)
{
    (void)state;
    buf b = make(&(plan){true, 0, false});
    memmove(b.p + b.n - (sizeof reflection - 1) - 48, b.p + b.n - (sizeof reflection - 1), sizeof reflection - 1);
    b.n -= 48; /* no module either */
    b.p[16] = (char)b.n;
    memset(b.p + 80, 0, 8);
    *find(&b, "RLST") = 'X'; /* its section has moved: an unknown tag instead */
    pool mem = pool_make(NULL);
    assert_int_equal(read(&mem, &b)->function_count, 0);
    pool_free(&mem);
    buf_free(&b);
}

static void refused(str bytes, const char *words)
{
    ingot_error error = {.status = INGOT_OK};
    assert_int_equal(metallib_check(bytes, &error), INGOT_FORMAT);
    if (strstr(error.message, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", error.message, words);
}

static void test_refused(void **state)
{
    (void)state;
    refused(STR(""), "not a metallib: the bytes are empty");
    refused(STR("#include <metal_stdlib>\nkernel void f() {}"), "the bytes are MSL text");
    refused(STR("\xDE\xC0\x17\x0B"), "the bytes are LLVM bitcode (.air)");
    refused(STR("\xCB\xFE\xBA\xBE"), "the bytes are Metal fat binary");
    refused(STR("MTLB"), "cut short: 4 bytes do not hold the header of 88");
    plan p = {false, 2, false};
    buf b = make(&p);
    refused((str){b.p, b.n - 1}, "cut short: the header says");
    buf_char(&b, 0);
    refused(buf_view(&b), "trailing bytes: the header says");
    buf_free(&b);
    struct {
        const char *tag;
        size_t at;
        char flip; /* the bits that change */
        const char *words;
    } changes[] = {
        {"NAME", 0, 'X', "function 0: tag NAME is missing"},
        {"TYPE", 0, 'X', "function 0 (\"kernel_0\"): tag TYPE is missing"},
        {"TYPE", 6, 99, "its type is unknown"},
        {"NAME", 6, 'k', "its name is empty, or not one text"},
        {"HASH", 6, 1, "SHA-256 of its module does not match"},
        {"MDSZ", 8, 1, "its module does not lie inside the module section"},
        {"OFFT", 12, 1, "its metadata does not lie inside its section"},
        {"VERS", 4, 1, "function 0 (\"kernel_0\")"},
        {"BC\xC0\xDE", 0, 'X', "SHA-256"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
        b = make(&p);
        find(&b, changes[i].tag)[changes[i].at] ^= changes[i].flip;
        refused(buf_view(&b), changes[i].words);
        buf_free(&b);
    }
    b = make(&p);
    b.p[4] = 2;
    refused(buf_view(&b), "format 2.2.7 is unknown");
    buf_free(&b);
}

/* Cut anywhere, or with any bit flipped, it is refused or read; the sanitizers watch. */
static void test_damaged(void **state)
{
    (void)state;
    buf b = make(&(plan){true, 2, true});
    for (size_t i = 0; i < b.n * 8; ++i) {
        char *copy = malloc(b.n);
        memcpy(copy, b.p, b.n);
        copy[i / 8] = (char)(copy[i / 8] ^ (1 << i % 8));
        ingot_error error = {.status = INGOT_OK};
        ingot_status status = metallib_check((str){copy, b.n}, &error);
        assert_true(status == INGOT_OK || status == INGOT_FORMAT);
        /* A change in the module never passes. */
        size_t tail = b.n - (sizeof reflection - 1);
        if (i / 8 >= tail - 48 && i / 8 < tail) assert_int_equal(status, INGOT_FORMAT);
        free(copy);
    }
    buf_free(&b);
}

static str written(buf *out, const metallib *m)
{
    metallib_write(m, out);
    assert_false(out->failed);
    return buf_view(out);
}

/* What was read comes out byte for byte, in both dialects. */
static void test_written_again(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        buf b = make(&(plan){i % 2 != 0, 2 + i, i / 2 != 0}), out = buf_make(NULL);
        pool mem = pool_make(NULL);
        assert_true(str_eq(written(&out, read(&mem, &b)), buf_view(&b)));
        pool_free(&mem);
        buf_free(&b);
        buf_free(&out);
    }
}

/* One function of three is the library that would have been made of it alone, but for what came from the others. */
static void test_selected(void **state)
{
    (void)state;
    buf three = make(&(plan){true, 3, true}), one = make(&(plan){true, 1, true}), out = buf_make(NULL);
    pool mem = pool_make(NULL);
    ingot_error error = {.status = INGOT_OK};
    const metallib *part = NULL, *again = NULL, *whole = read(&mem, &three);
    assert_int_equal(metallib_select(&mem, whole, (str[]){STR("kernel_0")}, 1, &part, &error), INGOT_OK);
    written(&out, part);
    assert_int_equal(metallib_read(&mem, buf_view(&out), &again, &error), INGOT_OK);
    assert_true(again->has_uuid);
    char *uuid = find(&out, "UUID") + 6;
    assert_int_equal(uuid[6] & 0xF0, 0x40); /* RFC 4122: the version, the variant */
    assert_int_equal(uuid[8] & 0xC0, 0x80);
    memcpy(uuid, "0123456789abcdef", 16);
    assert_true(str_eq(buf_view(&out), buf_view(&one)));
    assert_int_equal(metallib_select(&mem, whole, (str[]){STR("kernel_0"), STR("kernel_9")}, 2, &part, &error), INGOT_NOT_FOUND);
    assert_non_null(strstr(error.message, "no function \"kernel_9\" among its 3"));
    pool_free(&mem);
    buf_free(&three);
    buf_free(&one);
    buf_free(&out);
}

/* Parts joined again have all functions; the same function twice is refused. */
static void test_joined(void **state)
{
    (void)state;
    buf three = make(&(plan){true, 3, true}), older = make(&(plan){false, 1, false}), out = buf_make(NULL);
    pool mem = pool_make(NULL);
    ingot_error error = {.status = INGOT_OK};
    const metallib *whole = read(&mem, &three), *first = NULL, *rest = NULL, *all = NULL, *again = NULL;
    assert_int_equal(metallib_select(&mem, whole, (str[]){STR("kernel_0")}, 1, &first, &error), INGOT_OK);
    assert_int_equal(metallib_select(&mem, whole, (str[]){STR("kernel_1"), STR("kernel_2")}, 2, &rest, &error), INGOT_OK);
    assert_int_equal(metallib_join(&mem, (const metallib *[]){first, rest}, 2, &all, &error), INGOT_OK);
    written(&out, all);
    assert_int_equal(metallib_read(&mem, buf_view(&out), &again, &error), INGOT_OK);
    assert_int_equal(again->function_count, 3);
    assert_true(str_is(again->functions[2].name, "kernel_2"));
    assert_int_equal(again->functions[0].constant_count, 2);
    assert_int_equal(metallib_join(&mem, (const metallib *[]){whole, rest}, 2, &all, &error), INGOT_VALUE);
    assert_non_null(strstr(error.message, "two functions are named \"kernel_1\""));
    older.p[8] = 6; /* another format */
    assert_int_equal(metallib_join(&mem, (const metallib *[]){whole, read(&mem, &older)}, 2, &all, &error), INGOT_VALUE);
    assert_non_null(strstr(error.message, "format 1.2.6"));
    pool_free(&mem);
    buf_free(&three);
    buf_free(&older);
    buf_free(&out);
}

/* A library made from a module: laid out as the facts of the format say, and the same each time. */
static void test_made(void **state)
{
    (void)state;
    buf module = make_module(), first = buf_make(NULL), second = buf_make(NULL);
    pool mem = pool_make(NULL);
    ingot_error error = {.status = INGOT_OK};
    metallib_function f = {.name = STR("add"), .type = METALLIB_KERNEL, .module = buf_view(&module), .air = {2, 6}, .language = {3, 1}};
    metallib m = {.format_major = 1, .format_minor = 2, .format_patch = 7, .is_macos = true, .is_64_bit = true, .platform = 1,
                  .os_major = 14, .functions = &f, .function_count = 1}, other = m;
    assert_int_equal(metallib_seal(&mem, &m, &error), INGOT_OK);
    assert_int_equal(metallib_seal(&mem, &other, &error), INGOT_OK);
    assert_true(str_eq(written(&first, &m), written(&second, &other)));
    /* Header 88, list 4 + 4 + NAME 10, TYPE 7, HASH 38, OFFT 30, VERS 14, MDSZ 14, ENDT 4, UUID 22, ENDT 4, groups 16. */
    assert_int_equal(first.n, 88 + 125 + 26 + 16 + 48);
    assert_memory_equal(first.p, "MTLB\x01\x80\2\0\7\0\0\x81\x0e\0\0\0", 16);
    const metallib *again = NULL;
    assert_int_equal(metallib_read(&mem, buf_view(&first), &again, &error), INGOT_OK);
    assert_true(str_eq(again->functions[0].module, buf_view(&module)));
    metallib_function twice[] = {f, f};
    m.functions = twice;
    m.function_count = 2;
    assert_int_equal(metallib_seal(&mem, &m, &error), INGOT_VALUE);
    pool_free(&mem);
    buf_free(&module);
    buf_free(&first);
    buf_free(&second);
}

/* Paths of files go, and nothing else. */
static void test_stripped(void **state)
{
    (void)state;
    buf module = make_module(), out = buf_make(NULL);
    pool mem = pool_make(NULL);
    ingot_error error = {.status = INGOT_OK};
    static const char paths[] = "DEBI\x08\0" "\x2a\0\0\0" "a.c\0" "XTRA\1\0" "x" "DEPF\4\0" "a.o";
    metallib_function f = {.name = STR("add"), .type = METALLIB_KERNEL, .module = buf_view(&module), .private_metadata = {paths, sizeof paths}};
    metallib m = {.format_major = 1, .format_minor = 2, .format_patch = 7, .functions = &f, .function_count = 1};
    assert_int_equal(metallib_seal(&mem, &m, &error), INGOT_OK);
    const metallib *full = NULL, *bare = NULL;
    written(&out, &m);
    assert_int_equal(metallib_read(&mem, buf_view(&out), &full, &error), INGOT_OK);
    assert_int_equal(full->functions[0].debug_line, 42);
    assert_true(str_is(full->functions[0].debug_file, "a.c"));
    assert_true(str_is(full->functions[0].dependency, "a.o"));
    assert_int_equal(metallib_strip(&mem, full, &bare, &error), INGOT_OK);
    assert_true(str_eq(bare->functions[0].private_metadata, STR("XTRA\1\0x")));
    pool_free(&mem);
    buf_free(&module);
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_written_again), cmocka_unit_test(test_selected), cmocka_unit_test(test_joined),
                                       cmocka_unit_test(test_made), cmocka_unit_test(test_stripped), cmocka_unit_test(test_fields), cmocka_unit_test(test_empty), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
