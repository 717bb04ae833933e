/* Writes JSON that every reader takes: valid UTF-8, no NaN. */
#include "cli/json.h"

#include <inttypes.h>
#include <string.h>

static void indent(cli_json *j)
{
    cli_bytes_text(j->out, "\n");
    for (int i = 0; i < j->depth; i++) cli_bytes_text(j->out, "  ");
}

/* The comma, the line and the key before a value. */
static void begin_value(cli_json *j, const char *key)
{
    if (j->depth) {
        bool *some = &j->some[j->depth - 1];
        if (*some) cli_bytes_text(j->out, j->flat ? ", " : ",");
        *some = true;
        if (!j->flat) indent(j);
    }
    if (key) cli_bytes_print(j->out, "\"%s\": ", key); /* keys are ours: nothing to escape */
}

static void open_level(cli_json *j, const char *key, const char *open, char close, bool flat)
{
    begin_value(j, key);
    cli_bytes_text(j->out, open);
    if (j->depth == CLI_JSON_DEEPEST) return; /* no report is this deep */
    j->close[j->depth] = close;
    j->some[j->depth++] = false;
    j->flat = flat;
}

void cli_json_object(cli_json *j, const char *key)
{
    open_level(j, key, "{", '}', false);
}

void cli_json_array(cli_json *j, const char *key)
{
    open_level(j, key, "[", ']', false);
}

void cli_json_row(cli_json *j, const char *key)
{
    open_level(j, key, "[", ']', true);
}

void cli_json_end(cli_json *j)
{
    bool some = j->some[--j->depth];
    if (some && !j->flat) indent(j);
    cli_bytes_put(j->out, &j->close[j->depth], 1);
    j->flat = false;
    if (j->depth == 0) cli_bytes_text(j->out, "\n");
}

/* The length of the well-formed UTF-8 sequence at `s`; 0 where there is none. */
static size_t sequence(const unsigned char *s, size_t left)
{
    unsigned c = s[0];
    size_t size = c < 0x80                ? 1
                  : c >= 0xC2 && c < 0xE0 ? 2
                  : (c & 0xF0) == 0xE0    ? 3
                  : c >= 0xF0 && c < 0xF5 ? 4
                                          : 0;
    if (size == 0 || size > left) return 0;
    for (size_t i = 1; i < size; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
    }
    bool longer = (c == 0xE0 && s[1] < 0xA0) || (c == 0xF0 && s[1] < 0x90); /* than it need be */
    bool outside =
        (c == 0xED && s[1] >= 0xA0) || (c == 0xF4 && s[1] >= 0x90); /* surrogates, past U+10FFFF */
    return longer || outside ? 0 : size;
}

static void escape(cli_bytes *out, unsigned char c)
{
    static const char plain[] = "\"\\\n\t\r\b\f", escaped[] = "\"\\ntrbf";
    const char *found = c ? strchr(plain, (char)c) : NULL;
    if (found)
        cli_bytes_print(out, "\\%c", escaped[found - plain]);
    else if (c < 0x20 || c == 0x7F)
        cli_bytes_print(out, "\\u%04x", c);
    else
        cli_bytes_put(out, &c, 1);
}

void cli_json_text(cli_json *j, const char *key, const char *text, size_t size)
{
    begin_value(j, key);
    cli_bytes_text(j->out, "\"");
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < size;) {
        size_t n = sequence(s + i, size - i);
        if (n == 0)
            cli_bytes_text(j->out, "\xEF\xBF\xBD");
        else if (n == 1)
            escape(j->out, s[i]);
        else
            cli_bytes_put(j->out, s + i, n);
        i += n ? n : 1;
    }
    cli_bytes_text(j->out, "\"");
}

void cli_json_string(cli_json *j, const char *key, const char *text)
{
    if (text) {
        cli_json_text(j, key, text, strlen(text));
        return;
    }
    begin_value(j, key);
    cli_bytes_text(j->out, "null");
}

void cli_json_int(cli_json *j, const char *key, int64_t value)
{
    begin_value(j, key);
    cli_bytes_print(j->out, "%" PRId64, value);
}

void cli_json_bool(cli_json *j, const char *key, bool value)
{
    begin_value(j, key);
    cli_bytes_text(j->out, value ? "true" : "false");
}

void cli_json_number(cli_json *j, const char *key, const char *printed)
{
    if (strchr(printed, 'n')) {
        cli_json_string(j, key, printed);
        return;
    }
    begin_value(j, key);
    cli_bytes_text(j->out, printed);
}
