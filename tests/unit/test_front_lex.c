/* Tokens, the values of literals, and the shape of syntax trees. */
#include "front/parse.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct lexing {
    arena mem;
    source_set sources;
    diag_list diags;
    str text;
    buf out; /* the tokens' kinds and texts */
    const ast *tree;
} lexing;

static void lex_body(void *user)
{
    lexing *l = user;
    l->diags = (diag_list){.mem = &l->mem, .sources = &l->sources};
    token_vec tokens = lex(&l->mem, &l->diags, (lex_input){.text = l->text, .file = 1});
    for (size_t i = 0; i < tokens.n; ++i) {
        token t = tokens.at[i];
        const char *mark = t.kind == TOKEN_NEWLINE  ? "\\n"
                           : t.kind == TOKEN_INDENT ? ">"
                           : t.kind == TOKEN_DEDENT ? "<"
                                                    : NULL;
        if (t.kind == TOKEN_END) break;
        if (i != 0) buf_char(&l->out, ' ');
        if (mark != NULL) {
            buf_text(&l->out, mark);
        } else {
            buf_str(&l->out, t.text);
        }
    }
    buf_char(&l->out, '\0');
}

static void assert_tokens(const char *text, const char *expected)
{
    lexing l = {.text = str_of(text), .out = buf_make(NULL)};
    arena_init(&l.mem, NULL);
    assert_true(arena_guard(&l.mem, lex_body, &l));
    assert_int_equal(l.diags.errors, 0);
    assert_string_equal(l.out.p, expected);
    buf_free(&l.out);
    arena_free(&l.mem);
}

static void test_lines(void **state)
{
    (void)state;
    assert_tokens("", "");
    assert_tokens("a = 1", "a = 1 \\n");
    assert_tokens("\n\n  # only a comment\n\na\n", "a \\n");
    assert_tokens("if a:\n  b\n  if c:\n    d\ne\n",
                  "if a : \\n > b \\n if c : \\n > d \\n < < e \\n");
    assert_tokens("if a:\n\tb\n", "if a : \\n > b \\n <");
    assert_tokens("if a:\n  b", "if a : \\n > b \\n <");
    assert_tokens("if a:\n    b\n# far left\n    c\n", "if a : \\n > b \\n c \\n <");
    assert_tokens("a = (1,\n  2\n)\nb\n", "a = ( 1 , 2 ) \\n b \\n");
    assert_tokens("a = 1 + \\\n  2\n", "a = 1 + 2 \\n");
    assert_tokens("a\r\nb\rc\n", "a \\n b \\n c \\n");
    assert_tokens("\xEF\xBB\xBF"
                  "a\n",
                  "a \\n");
    assert_tokens("a # \xC3\xA9\n", "a \\n");
}

static void test_words_and_signs(void **state)
{
    (void)state;
    assert_tokens("a**=b//c<<=d!=e->f:=g...h", "a **= b // c <<= d != e -> f := g ... h \\n");
    assert_tokens("iffy if_ _1", "iffy if_ _1 \\n");
    assert_tokens("1e-3 .5 0xFf_0 1_000 5.", "1e-3 .5 0xFf_0 1_000 5. \\n");
    assert_tokens("1if x", "1if x \\n"); /* a number takes what follows; its value is refused */
    assert_tokens("'a' \"b'\" r'\\q' + rb\"x\" f'{a}' u''",
                  "'a' \"b'\" r'\\q' + rb\"x\" f'{a}' u'' \\n");
    assert_tokens("'''a\nb''' c", "'''a\nb''' c \\n");
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } ints[] = {{"0", 0},      {"00", 0},     {"1_0", 10},
                {"0xff", 255}, {"0XFF", 255}, {"0b101", 5},
                {"0o17", 15},  {"0x_f", 15},  {"9223372036854775807", INT64_MAX}};
    number_literal n;
    for (size_t i = 0; i < sizeof ints / sizeof ints[0]; ++i) {
        assert_null(literal_number(str_of(ints[i].text), &n));
        assert_false(n.is_float);
        assert_true(n.integer == ints[i].value);
    }
    static const struct {
        const char *text;
        double value;
    } floats[] = {{"1.", 1},      {".5", 0.5},  {"1e3", 1000},      {"1_0.2_5", 10.25},
                  {"1E-2", 0.01}, {"0.1", 0.1}, {"1e400", HUGE_VAL}};
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; ++i) {
        assert_null(literal_number(str_of(floats[i].text), &n));
        assert_true(n.is_float && n.real == floats[i].value);
    }
    static const char *const wrong[] = {"0777", "1_",  "1__0", "0x",  "0xg", "1.2.3",
                                        "1e",   "12a", "1j",   "0b2", "1_.0"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
        assert_non_null(literal_number(str_of(wrong[i]), &n));
}

static void strings_body(void *user)
{
    lexing *l = user;
    static const struct {
        const char *text, *value;
    } rows[] = {{"'a'", "a"},
                {"'a\\tb'", "a\tb"},
                {"r'a\\tb'", "a\\tb"},
                {"'\\x41\\102\\u00e9\\U0001F600'", "AB\xC3\xA9\xF0\x9F\x98\x80"},
                {"'a\\\nb'", "ab"},
                {"'\\q'", "\\q"},
                {"b'\\xff'", "\xff"},
                {"'\\'\\\"\\\\'", "'\"\\"},
                {"'''a\r\nb'''", "a\nb"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        string_literal how;
        str text = str_of(rows[i].text), value;
        assert_null(literal_string_parts(text, &how));
        assert_null(literal_unescape(&l->mem, (str){text.p + how.begin, how.end - how.begin}, &how,
                                     &value));
        assert_true(str_is(value, rows[i].value));
    }
    static const char *const wrong[] = {"'\\x4'",        "'\\0'",       "'\\ud800'",
                                        "'\\U00110000'", "'\\N{DASH}'", "b'\\777'"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        string_literal how;
        str text = str_of(wrong[i]), value;
        assert_null(literal_string_parts(text, &how));
        assert_non_null(literal_unescape(&l->mem, (str){text.p + how.begin, how.end - how.begin},
                                         &how, &value));
    }
}

static void test_strings(void **state)
{
    (void)state;
    lexing l = {0};
    arena_init(&l.mem, NULL);
    assert_true(arena_guard(&l.mem, strings_body, &l));
    arena_free(&l.mem);
}

static void test_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
    } rows[] = {{"a", 1},
                {"\xC3\xA9", 2},
                {"\xE2\x82\xAC", 3},
                {"\xF0\x9F\x98\x80", 4},
                {"\x80", 0},
                {"\xC0\x80", 0},
                {"\xC3", 0},
                {"\xE0\x80\x80", 0},
                {"\xED\xA0\x80", 0},
                {"\xF4\x90\x80\x80", 0},
                {"\xF0\x80\x80\x80", 0},
                {"\xFF", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        assert_int_equal(lex_utf8(str_of(rows[i].text)), rows[i].n);
}

/* ---- Trees -------------------------------------------------------------------------------------
 */

/* The tree of an expression with a bracket around each operator. */
static void write_tree(buf *out, const ast *n)
{
    if (n->kind == AST_NAME) {
        buf_str(out, ast_as_name(n)->id);
    } else if (n->kind == AST_BINARY) {
        buf_char(out, '(');
        write_tree(out, ast_as_binary(n)->a);
        buf_printf(out, " %.*s ", (int)strlen(token_name(ast_as_binary(n)->op)) - 2,
                   token_name(ast_as_binary(n)->op) + 1);
        write_tree(out, ast_as_binary(n)->b);
        buf_char(out, ')');
    } else if (n->kind == AST_UNARY) {
        buf_printf(out, "(%.*s ", (int)strlen(token_name(ast_as_unary(n)->op)) - 2,
                   token_name(ast_as_unary(n)->op) + 1);
        write_tree(out, ast_as_unary(n)->a);
        buf_char(out, ')');
    } else if (n->kind == AST_LOGIC) {
        buf_printf(out, "(%s", ast_as_logic(n)->op == TOKEN_AND ? "and" : "or");
        for (size_t i = 0; i < ast_as_logic(n)->items.n; ++i) {
            buf_char(out, ' ');
            write_tree(out, ast_as_logic(n)->items.at[i]);
        }
        buf_char(out, ')');
    } else if (n->kind == AST_COMPARE) {
        buf_text(out, "(? ");
        write_tree(out, ast_as_compare(n)->first);
        for (size_t i = 0; i < ast_as_compare(n)->rest.n; ++i) {
            buf_char(out, ' ');
            write_tree(out, ast_as_compare(n)->rest.at[i]);
        }
        buf_char(out, ')');
    } else if (n->kind == AST_CHOICE) {
        buf_text(out, "(if ");
        write_tree(out, ast_as_choice(n)->cond);
        buf_char(out, ' ');
        write_tree(out, ast_as_choice(n)->yes);
        buf_char(out, ' ');
        write_tree(out, ast_as_choice(n)->no);
        buf_char(out, ')');
    } else {
        buf_char(out, '#');
    }
}

static void parse_body(void *user)
{
    lexing *l = user;
    l->diags = (diag_list){.mem = &l->mem, .sources = &l->sources};
    const ast *n = parse_expression(&l->mem, &l->diags, (lex_input){.text = l->text, .file = 1});
    assert_non_null(n);
    write_tree(&l->out, n);
    buf_char(&l->out, '\0');
}

static void assert_tree(const char *text, const char *expected)
{
    lexing l = {.text = str_of(text), .out = buf_make(NULL)};
    arena_init(&l.mem, NULL);
    assert_true(arena_guard(&l.mem, parse_body, &l));
    assert_string_equal(l.out.p, expected);
    buf_free(&l.out);
    arena_free(&l.mem);
}

static void test_trees(void **state)
{
    (void)state;
    assert_tree("a + b * c - d", "((a + (b * c)) - d)");
    assert_tree("a // b % c", "((a // b) % c)");
    assert_tree("-a ** -b ** c", "(- (a ** (- (b ** c))))");
    assert_tree("-a * b", "((- a) * b)");
    assert_tree("a | b ^ c & d << e + f", "(a | (b ^ (c & (d << (e + f)))))");
    assert_tree("a < b < c == d", "(? a b c d)");
    assert_tree("not a == b and c or d", "(or (and (not (? a b)) c) d)");
    assert_tree("a if b else c if d else e", "(if b a (if d c e))");
    assert_tree("a not in b", "(? a b)");
    assert_tree("(a\n+ b)", "(a + b)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),   cmocka_unit_test(test_words_and_signs),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_strings),
        cmocka_unit_test(test_utf8),    cmocka_unit_test(test_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
