/* Characters of names against Python's rules, by hand. */
#include "base/letters.h"

#include "test.h"

static void test_ascii(void **state)
{
    (void)state;
    for (int c = 0; c < 0x80; ++c) {
        char text[] = {(char)c, '\0'};
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_', digit = c >= '0' && c <= '9';
        assert_int_equal(letters_begin((str){text, 1}), letter ? 1 : 0);
        assert_int_equal(letters_continue((str){text, 1}), letter || digit ? 1 : 0);
    }
    assert_int_equal(letters_begin(STR("")), 0);
    assert_int_equal(letters_continue(STR("")), 0);
}

static void test_unicode(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t begin, go_on;
    } cases[] = {
        {"\xC3\xA9", 2, 2},         /* e with acute */
        {"\xCE\xB1", 2, 2},         /* alpha */
        {"\xE6\x95\xB0", 3, 3},     /* a CJK ideograph */
        {"\xF0\x90\x8E\xA0", 4, 4}, /* Old Persian A */
        {"\xE0\xA4\xBE", 0, 3},     /* Devanagari vowel sign AA: goes on with a name only */
        {"\xD9\xA3", 0, 2},         /* Arabic-Indic digit three */
        {"\xC2\xB5", 0, 0},         /* micro sign: Greek mu in Python */
        {"\xC2\xB2", 0, 0},         /* superscript two */
        {"\xEF\xAC\x81", 0, 0},     /* ligature fi */
        {"\xCC\x81", 0, 0},         /* combining acute: composes with the letter before */
        {"\xE2\x86\x92", 0, 0},     /* arrow */
        {"\xC2\xA0", 0, 0},         /* no-break space */
        {"\xF0\x9F\x98\x80", 0, 0}, /* a face */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(letters_begin(str_of(cases[i].text)), cases[i].begin);
        assert_int_equal(letters_continue(str_of(cases[i].text)), cases[i].go_on);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ascii), cmocka_unit_test(test_unicode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
