/* labels: quick */
/* Messages of kernels: texts as C's printf would write them, their order, how many are kept. */
#include "emu_help.h"

typedef struct said {
    char text[4096];
    size_t n, count;
    bool full;
    emu_log_message last;
    uint32_t order[64]; /* the threadgroup's x times 10, plus the thread's x */
} said;

static void note(void *user, const emu_log_message *m)
{
    said *s = user;
    const int n = snprintf(s->text + s->n, sizeof s->text - s->n, "%s\n", m->text);
    if (n > 0 && s->n + (size_t)n < sizeof s->text) s->n += (size_t)n;
    if (s->count < 64) s->order[s->count] = m->group[0] * 10 + m->thread[0];
    ++s->count;
    s->last = *m;
}

static void note_full(void *user)
{
    ((said *)user)->full = true;
}

/* Runs kernel k; what it said lies in `s`. */
static ingot_status run(const char *body, said *s, const emu_launch *how)
{
    memset(s, 0, sizeof *s);
    emu_library *l = emu_text(body);
    emu_logging logging = {.say = note, .full = note_full, .user = s};
    if (how->logging != NULL) {
        logging.bytes = how->logging->bytes;
        logging.least = how->logging->least;
    }
    emu_launch launch = *how;
    launch.kernel = emu_library_find(l, STR("k"));
    launch.logging = &logging;
    for (int d = 0; d < 3; ++d) {
        if (launch.groups[d] == 0) launch.groups[d] = 1;
        if (launch.threads[d] == 0) launch.threads[d] = 1;
    }
    ingot_error error;
    const ingot_status status = emu_run(&launch, &error);
    emu_library_free(l);
    return status;
}

/* One thread says this. */
static void says(const char *call, const char *want)
{
    char body[1024];
    said s;
    (void)snprintf(body, sizeof body, "kernel void k() { os_log_default.log(%s); }", call);
    assert_int_equal(run(body, &s, &(emu_launch){.threads = {1, 1, 1}}), INGOT_OK);
    assert_int_equal(s.count, 1);
    s.text[s.n - 1] = '\0';
    assert_string_equal(s.text, want);
}

static void conversions(void **state)
{
    (void)state;
    says("\"plain\"", "plain");
    says("\"100%% of %d%%\", 7", "100% of 7%");
    says("\"%d %i %u\", -5, 2147483647, 4294967295u", "-5 2147483647 4294967295");
    says("\"%x %X %#x %#X %o %#o\", 255, 255, 255, 255, 8, 8", "ff FF 0xff 0XFF 10 010");
    says("\"[%5d][%-5d][%05d][%+d][% d]\", 42, 42, 42, 42, 42", "[   42][42   ][00042][+42][ 42]");
    says("\"[%.4d][%8.4d][%-8.3d]\", 42, -42, 7", "[0042][   -0042][007     ]");
    says("\"%ld %lu %lx\", -9223372036854775807l, 18446744073709551615ul, 81985529216486895l",
         "-9223372036854775807 18446744073709551615 123456789abcdef");
    says("\"%hd %hhd %hu %hhu\", 65535, 300, 65537, 258", "-1 44 1 2");
    says("\"%u %d\", -1, 4294967295u", "4294967295 -1");
    says("\"%c%c%c\", 'a', 66, '\\x43'", "aBC");
    says("\"%f %.2f %8.3f %-8.1f|\", 1.5f, 2.0f / 3.0f, -3.25f, 0.25f", "1.500000 0.67   -3.250 0.2     |");
    says("\"%e %.1E %g %G %g\", 12345.678f, 0.00012f, 0.0001f, 1e10f, 100000.0f", "1.234568e+04 1.2E-04 0.0001 1E+10 100000");
    says("\"%a %+.1f %06.1f %#.0f\", 1.0f, 2.5f, -1.5f, 3.0f", "0x1p+0 +2.5 -001.5 3.");
    says("\"%f %F %5.1f %f\", INFINITY, -INFINITY, NAN, as_type<float>(0x80000000u)", "inf -INF   nan -0.000000");
    says("\"%f %f\", half(0.5h), bfloat(3.0bf)", "0.500000 3.000000");
    says("\"%d %d %d\", char(-3), ushort(65535), true", "-3 65535 1");
    says("\"%v4f\", float4(1, 2, 3, 4)", "1.000000,2.000000,3.000000,4.000000");
    says("\"%.1v2f|%3v3d|%v2hx\", half2(1, 2), int3(-1, 0, 10), ushort2(255, 16)", "1.0,2.0| -1,  0, 10|ff,10");
    says("\"%v2ld\", long2(-1, 1l << 40)", "-1,1099511627776");
    says("\"%s and %.2s|%5s\", \"one\", \"two\", \"x\"", "one and tw|    x");
    says("\"tab\\tquote\\\"\"", "tab\tquote\"");
}

static void where_from(void **state)
{
    (void)state;
    said s;
    const char *body = "constant os_log mine(\"com.example\", \"sums\");\n"
                       "template <typename T> void tell(T x) { mine.log_fault(\"%d\", x); }\n"
                       "kernel void k(uint3 t [[thread_position_in_threadgroup]]) { if (t.y == 1 && t.x == 2) tell(int(t.x)); }";
    assert_int_equal(run(body, &s, &(emu_launch){.threads = {4, 2, 1}, .groups = {3, 1, 1}}), INGOT_OK);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.last.level, EMU_LOG_FAULT);
    assert_int_equal(s.last.line, 4); /* behind the two usual lines */
    assert_int_equal(s.last.column, 40);
    assert_int_equal(s.last.thread[0] * 10 + s.last.thread[1], 21);
    const emu_logging from_error = {.least = EMU_LOG_ERROR};
    assert_int_equal(run("kernel void k() { os_log_default.log_debug(\"a\"); os_log_default.log_info(\"b\"); os_log_default.log(\"c\");\n"
                         "os_log_default.log_error(\"d\"); os_log_default.log_fault(\"e\"); }",
                         &s, &(emu_launch){.logging = &from_error}),
                     INGOT_OK);
    assert_string_equal(s.text, "d\ne\n");
}

/* Threadgroup by threadgroup, whoever runs them; by the seed's order where there is one, the same again. */
static void order(void **state)
{
    (void)state;
    static const char body[] = "kernel void k(device float *o, uint t [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]])\n"
                               "{ float x = float(t); for (int i = 0; i < 300; ++i) x = x * 1.01f + float(g); o[g * 2 + t] = x;\n"
                               "  os_log_default.log(\"%d\", g * 10 + t); }";
    float out[40];
    const emu_binding buffers[] = {{out, sizeof out}};
    said s, again;
    emu_pool *pool = emu_pool_create(NULL, 3);
    for (int pooled = 0; pooled < 2; ++pooled) {
        emu_launch how = {.groups = {20, 1, 1}, .threads = {2, 1, 1}, .buffers = buffers, .buffer_count = 1, .pool = pooled != 0 ? pool : NULL};
        assert_int_equal(run(body, &s, &how), INGOT_OK);
        assert_int_equal(s.count, 40);
        for (uint32_t i = 0; i < 40; ++i) assert_int_equal(s.order[i], i / 2 * 10 + i % 2);
        how.seed = 7;
        assert_int_equal(run(body, &s, &how), INGOT_OK);
        assert_int_equal(run(body, &again, &how), INGOT_OK);
        assert_int_equal(s.count, 40);
        assert_memory_equal(s.order, again.order, sizeof s.order);
        uint32_t moved = 0;
        for (uint32_t i = 0; i < 40; ++i) moved += s.order[i] != i / 2 * 10 + i % 2;
        assert_true(moved > 10);
    }
    emu_pool_free(pool);
}

/* What fits is kept from the first on; a fault leaves what was said before it. */
static void bounds(void **state)
{
    (void)state;
    said s;
    const emu_logging small = {.bytes = 1000};
    static const char many[] = "kernel void k(uint i [[thread_position_in_grid]]) { os_log_default.log(\"%03d\", i); }";
    assert_int_equal(run(many, &s, &(emu_launch){.groups = {50, 1, 1}, .threads = {2, 1, 1}, .logging = &small}), INGOT_OK);
    assert_true(s.full);
    assert_true(s.count >= 10 && s.count <= 20);
    for (unsigned i = 0; i < s.count; ++i) assert_int_equal(strtol(s.text + 4 * i, NULL, 10), i);
    assert_int_equal(run(many, &s, &(emu_launch){.groups = {50, 1, 1}, .threads = {2, 1, 1}}), INGOT_OK);
    assert_false(s.full);
    assert_int_equal(s.count, 100);
    static const char faulty[] = "kernel void k(device int *o, uint g [[threadgroup_position_in_grid]]) { os_log_default.log(\"%d\", g); if (g == 3) o[9] = 1; }";
    int32_t out[1];
    const emu_binding buffers[] = {{out, sizeof out}};
    assert_int_equal(run(faulty, &s, &(emu_launch){.groups = {6, 1, 1}, .buffers = buffers, .buffer_count = 1}), INGOT_DEVICE);
    assert_string_equal(s.text, "0\n1\n2\n3\n");
    char long_text[1300], body[1500];
    memset(long_text, 'x', sizeof long_text);
    (void)snprintf(body, sizeof body, "kernel void k() { os_log_default.log(\"%.1200s\"); }", long_text);
    assert_int_equal(run(body, &s, &(emu_launch){.groups = {1, 1, 1}}), INGOT_OK);
    assert_int_equal(s.n, 1024); /* 1,023 and the line's end */
}

static void refused(void **state)
{
    (void)state;
    emu_refused("kernel void k() { os_log_default.log(\"%d\"); }", "a log message has fewer arguments than its format takes");
    emu_refused("kernel void k() { os_log_default.log(\"x\", 1); }", "a log message has more arguments than its format takes");
    emu_refused("kernel void k() { os_log_default.log(\"%d\", 1.0f); }", "the conversion '%d' of a log message does not take 'float'");
    emu_refused("kernel void k() { os_log_default.log(\"%f\", 1); }", "the conversion '%f' of a log message does not take 'int'");
    emu_refused("kernel void k() { os_log_default.log(\"%f\", float3(1)); }", "does not take 'float3'; '%v3f' does");
    emu_refused("kernel void k() { os_log_default.log(\"%v4f\", float3(1)); }", "'%v4f' of a log message does not take 'float3'; '%v3f' does");
    emu_refused("kernel void k() { os_log_default.log(\"%d\", 1l); }", "takes 32 bits, not 'long'; '%ld' does");
    emu_refused("kernel void k() { os_log_default.log(\"%n\", 1); }", "a conversion other than");
    emu_refused("kernel void k() { os_log_default.log(\"%*d\", 1, 2); }", "'*'");
    emu_refused("kernel void k() { os_log_default.log(\"%v5d\", 1); }", "2 to 4 elements");
    emu_refused("kernel void k() { os_log_default.log(\"50%\"); }", "'%' at its end");
    emu_refused("kernel void k(constant char *f [[buffer(0)]]) { os_log_default.log(f); }", "whose format is not known before the kernel runs");
    emu_refused("kernel void k(constant char *f [[buffer(0)]]) { os_log_default.log(\"%s\", f); }", "no constant string");
}

static void versions(void **state)
{
    (void)state;
    const mf_options old = {.version = 310};
    const emu_source source = {.text = STR("kernel void k() { metal::os_log_default.log(\"x\"); }"), .name = STR("old.metal"), .options = &old};
    emu_library *l = NULL;
    ingot_error error;
    assert_int_equal(emu_library_read(NULL, &source, &l, &error), INGOT_SYNTAX);
    assert_non_null(strstr(error.message, "'os_log_default' needs MSL 3.2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(conversions), cmocka_unit_test(where_from), cmocka_unit_test(order),
                                       cmocka_unit_test(bounds),      cmocka_unit_test(refused),    cmocka_unit_test(versions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
