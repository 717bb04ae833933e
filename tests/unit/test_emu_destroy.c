/* labels: quick */
/* Destructors that act: each object appends to a log when it is made (its number) and when it ends (its number plus 100), in C++'s order. */
#include "emu_help.h"

#define NOTED                                                                                                        \
    "struct Log { int n; int at[30]; };\n"                                                                           \
    "struct Noted { thread Log &log; int id; Noted(thread Log &l, int i) : log(l), id(i) { log.at[log.n++] = id; }\n" \
    "  ~Noted() { log.at[log.n++] = id + 100; } };\n"

/* The log that `body`, with `Log log` of its own and the functions of `before`, leaves. */
static void expect_log(const char *before, const char *body, const int32_t *want, size_t n)
{
    char text[8192];
    (void)snprintf(text, sizeof text,
                   "%s%s\nvoid run(thread Log &log, int w) { %s }\n"
                   "kernel void k(device int *o, constant int &w) { Log log; log.n = 0; run(log, w); o[0] = log.n; for (int i = 0; i < log.n; ++i) o[i + 1] = log.at[i]; }",
                   NOTED, before, body);
    int32_t out[32] = {0}, two = 2;
    emu_case c = {.buffers = {{out, sizeof out}, {&two, sizeof two}}};
    emu_once(text, &c);
    bool same = out[0] == (int32_t)n;
    for (size_t i = 0; i < n; ++i) same = same && out[i + 1] == want[i];
    if (same) return;
    for (int i = 0; i < out[0] && i < 31; ++i) print_message("%d ", out[i + 1]);
    fail_msg("%s: %d notes, not %zu such", body, out[0], n);
}
#define EXPECT(before, body, ...)                                        \
    do {                                                                 \
        const int32_t want_[] = {__VA_ARGS__};                           \
        expect_log(before, body, want_, sizeof want_ / sizeof want_[0]); \
    } while (0)

static void scopes(void **state)
{
    (void)state;
    EXPECT("", "Noted a(log, 1); Noted b(log, 2);", 1, 2, 102, 101);
    EXPECT("", "{ Noted a(log, 1); } Noted b(log, 2); { Noted c(log, 3); Noted d(log, 4); }", 1, 101, 2, 3, 4, 104, 103, 102);
    EXPECT("", "if (w == 2) Noted a(log, 1); else Noted b(log, 2); Noted c(log, 3);", 1, 101, 3, 103);
    EXPECT("", "for (int i = 0; i < w; ++i) { Noted a(log, i); }", 0, 100, 1, 101);
    EXPECT("", "Noted(log, 7); Noted a(log, 1);", 7, 107, 1, 101);
    EXPECT("", "for (Noted a(log, 1); a.id < 3; ++a.id) { Noted b(log, 8); }", 1, 8, 108, 8, 108, 103);
    EXPECT("", "if (Noted a(log, 1); a.id == w) { Noted b(log, 2); } else { Noted b(log, 3); }", 1, 3, 103, 101);
}

static void jumps(void **state)
{
    (void)state;
    EXPECT("", "for (int i = 0; i < 5; ++i) { Noted a(log, i); if (i == 1) continue; Noted b(log, 10 + i); if (i == w) break; }",
           0, 10, 110, 100, 1, 101, 2, 12, 112, 102);
    EXPECT("", "Noted o(log, 50); int i = 0; while (true) { Noted a(log, i); { Noted b(log, 20); if (i++ == 1) break; } }",
           50, 0, 20, 120, 100, 1, 20, 120, 101, 150);
    EXPECT("", "int i = 0; do { Noted a(log, i); if (i == 0) continue; Noted b(log, 9); } while (++i < w);", 0, 100, 1, 9, 109, 101);
    EXPECT("", "Noted o(log, 50); for (int i = 0; i < 3; ++i) { Noted a(log, i); if (i == 1) return; } Noted z(log, 60);",
           50, 0, 100, 1, 101, 150);
    EXPECT("", "Noted o(log, 50); switch (w) { case 1: log.at[log.n++] = -1; break; case 2: { Noted a(log, 1); if (w == 2) break; log.at[log.n++] = -2; } default: Noted b(log, 2); }",
           50, 1, 101, 150);
    EXPECT("", "for (int i = 0; i < 3; ++i) { Noted a(log, i); switch (i) { case 0: continue; case 1: break; default: { Noted b(log, 7); return; } } log.at[log.n++] = -i; }",
           0, 100, 1, -1, 101, 2, 7, 107, 102);
    EXPECT("", "int x[3] = {1, 2, 3}; for (int v : x) { Noted a(log, v); if (v == 2) continue; log.at[log.n++] = -v; }",
           1, -1, 101, 2, 102, 3, -3, 103);
}

/* A returned value is made before anything ends; what is returned as a whole is handed on. */
static void results(void **state)
{
    (void)state;
    EXPECT("int f(thread Log &log) { Noted a(log, 1); Noted b(log, 2); a.id = 5; return log.n * 10 + a.id; }\n", "log.at[log.n++] = f(log);",
           1, 2, 102, 105, 25);
    EXPECT("Noted make(thread Log &log, int i) { Noted a(log, i); Noted b(log, i + 1); return a; }\n", "Noted x = make(log, 1); log.at[log.n++] = -x.id;",
           1, 2, 102, -1, 101);
    EXPECT("Noted make(thread Log &log, int i) { Noted b(log, i + 1); return Noted(log, i); }\n", "Noted x = make(log, 1);", 2, 1, 102, 101);
    EXPECT("void take(Noted n) { n.log.at[n.log.n++] = -n.id; }\n", "take(Noted(log, 3)); Noted a(log, 4);", 3, -3, 103, 4, 104);
    EXPECT("int early(thread Log &log, int w) { Noted a(log, 1); if (w == 2) { Noted b(log, 2); return 7; } return 8; }\n", "log.at[log.n++] = early(log, w);",
           1, 2, 102, 101, 7);
}

static void parts(void **state)
{
    (void)state;
    EXPECT("", "Noted a[3] = {Noted(log, 1), Noted(log, 2), Noted(log, 3)};", 1, 2, 3, 103, 102, 101);
    EXPECT("struct Two { Noted a; Noted b; Two(thread Log &l) : a(l, 1), b(l, 2) {} };\n", "Two t(log);", 1, 2, 102, 101);
    EXPECT("struct Two { Noted a; int k; Noted b; Two(thread Log &l) : a(l, 1), k(9), b(l, 2) {} ~Two() { a.log.at[a.log.n++] = -k; } };\n", "Two t(log); Noted z(log, 3);",
           1, 2, 3, 103, -9, 102, 101);
    EXPECT("struct Base : Noted { int k; Base(thread Log &l) : Noted(l, 1), k(4) {} ~Base() { log.at[log.n++] = -k; } };\n", "Base b(log);", 1, -4, 101);
    EXPECT("template <typename T> struct Guard { thread T &t; T old; Guard(thread T &x, T now) : t(x), old(x) { x = now; } ~Guard() { t = old; } };\n",
           "int x = 1; { Guard<int> g(x, 5); log.at[log.n++] = x; } log.at[log.n++] = x;", 5, 1);
    EXPECT("struct Quiet { int x; ~Quiet() {} };\n", "Quiet q; q.x = 3; Quiet r = q; log.at[log.n++] = r.x;", 3);
    EXPECT("", "Noted a(log, 1); auto f = [&](int i) { Noted b(log, i); if (i == 5) return 1; return 2; }; log.at[log.n++] = -f(5); log.at[log.n++] = -f(6);",
           1, 5, 105, -1, 6, 106, -2, 101);
}

static void refused(void **state)
{
    (void)state;
    emu_refused(NOTED "int f(Noted n) { return n.id; } int g(const thread Noted &n) { return n.id; } kernel void k(device int *o) { Log l; l.n = 0; o[0] = g(Noted(l, 1)); }",
                "a temporary 'Noted' within an expression");
    emu_refused(NOTED "kernel void k(device int *o) { Log l; l.n = 0; o[0] = Noted(l, 1).id; }", "give it a name");
    emu_refused("struct S { ~S(int) { } }; kernel void k() {}", "expected '()' after the name of a destructor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scopes), cmocka_unit_test(jumps), cmocka_unit_test(results), cmocka_unit_test(parts),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
