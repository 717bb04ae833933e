/* Messages as text: printf's conversions over a lane's values. */
#include "emu/log.h"

#include <stdio.h>
#include <string.h>

typedef struct text {
    char *at;
    size_t n; /* always below EMU_LOG_TEXT: the last byte ends it */
} text;

static void put(text *t, const char *p, size_t n)
{
    const size_t left = EMU_LOG_TEXT - 1 - t->n;
    if (n > left) n = left;
    memcpy(t->at + t->n, p, n);
    t->n += n;
}

static void put_times(text *t, char c, int times)
{
    for (int i = 0; i < times && t->n < EMU_LOG_TEXT - 1; ++i) put(t, &c, 1);
}

/* What is put in front (a sign, "0x"), then the body, in the width asked for. */
static void put_padded(text *t, const emu_log_piece *p, str front, str body, bool zeros)
{
    const size_t n = front.n + body.n;
    const int pad = p->width > 0 && (size_t)p->width > n ? p->width - (int)n : 0;
    if (!p->left && !zeros) put_times(t, ' ', pad);
    put(t, front.p, front.n);
    if (!p->left && zeros) put_times(t, '0', pad);
    put(t, body.p, body.n);
    if (p->left) put_times(t, ' ', pad);
}

static str sign(const emu_log_piece *p, bool negative)
{
    return negative ? STR("-") : p->plus ? STR("+") : p->space ? STR(" ") : STR("");
}

static void put_integer(text *t, const emu_log_piece *p, uint64_t bits)
{
    enum { ROOM = 80 };
    char digits[ROOM];
    const bool is_signed = p->conversion == 'd' || p->conversion == 'i', negative = is_signed && (int64_t)bits < 0;
    const unsigned long long v = negative ? 0 - bits : bits;
    const int precision = p->precision > ROOM - 24 ? ROOM - 24 : p->precision;
    int n = 0;
    switch (p->conversion) {
    case 'o': n = snprintf(digits, sizeof digits, "%.*llo", precision < 0 ? 1 : precision, v); break;
    case 'x':
    case 'p': n = snprintf(digits, sizeof digits, "%.*llx", precision < 0 ? 1 : precision, v); break;
    case 'X': n = snprintf(digits, sizeof digits, "%.*llX", precision < 0 ? 1 : precision, v); break;
    default: n = snprintf(digits, sizeof digits, "%.*llu", precision < 0 ? 1 : precision, v); break;
    }
    str front = is_signed ? sign(p, negative) : STR("");
    if (p->conversion == 'p' || (p->alternate && v != 0 && p->conversion == 'x')) front = STR("0x");
    if (p->alternate && v != 0 && p->conversion == 'X') front = STR("0X");
    if (p->alternate && p->conversion == 'o' && digits[0] != '0') front = STR("0");
    put_padded(t, p, front, (str){digits, (size_t)n}, p->zeros && p->precision < 0);
}

/* The absolute value in one of four forms, small letters or capitals. */
static int float_digits(const emu_log_piece *p, double v, char *out, size_t room)
{
    const int precision = p->precision > 200 ? 200 : p->precision; /* a negative one counts as none */
    switch (p->conversion) {
    case 'f': return p->alternate ? snprintf(out, room, "%#.*f", precision, v) : snprintf(out, room, "%.*f", precision, v);
    case 'F': return p->alternate ? snprintf(out, room, "%#.*F", precision, v) : snprintf(out, room, "%.*F", precision, v);
    case 'e': return p->alternate ? snprintf(out, room, "%#.*e", precision, v) : snprintf(out, room, "%.*e", precision, v);
    case 'E': return p->alternate ? snprintf(out, room, "%#.*E", precision, v) : snprintf(out, room, "%.*E", precision, v);
    case 'g': return p->alternate ? snprintf(out, room, "%#.*g", precision, v) : snprintf(out, room, "%.*g", precision, v);
    case 'G': return p->alternate ? snprintf(out, room, "%#.*G", precision, v) : snprintf(out, room, "%.*G", precision, v);
    case 'A': return p->alternate ? snprintf(out, room, "%#.*A", precision, v) : snprintf(out, room, "%.*A", precision, v);
    default: return p->alternate ? snprintf(out, room, "%#.*a", precision, v) : snprintf(out, room, "%.*a", precision, v);
    }
}

static void put_float(text *t, const emu_log_piece *p, uint64_t bits)
{
    enum { ROOM = 300 }; /* 39 digits, a point and 200 more */
    char digits[ROOM], front[4];
    const uint32_t low = (uint32_t)bits & 0x7fffffffu;
    float f;
    memcpy(&f, &low, sizeof f);
    int n = float_digits(p, (double)f, digits, sizeof digits);
    if (n < 0) n = 0;
    const str s = sign(p, (bits >> 31 & 1u) != 0);
    const bool hex = (p->conversion == 'a' || p->conversion == 'A') && n > 2 && digits[0] == '0';
    size_t lead = s.n;
    memcpy(front, s.p, s.n);
    if (hex) {
        front[lead++] = digits[0];
        front[lead++] = digits[1];
    }
    const size_t from = hex ? 2 : 0;
    const bool finite = digits[from] >= '0' && digits[from] <= '9';
    put_padded(t, p, (str){front, lead}, (str){digits + from, (size_t)n - from}, p->zeros && finite);
}

static void put_one(text *t, const emu_log_piece *p, uint64_t bits)
{
    const char c = (char)(uint8_t)bits;
    str s = p->text;
    switch (p->conversion) {
    case 'c': put_padded(t, p, STR(""), (str){&c, 1}, false); return;
    case 's':
        if (p->precision >= 0 && (size_t)p->precision < s.n) s.n = (size_t)p->precision;
        put_padded(t, p, STR(""), s, false);
        return;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'p': put_integer(t, p, bits); return;
    default: put_float(t, p, bits); return;
    }
}

size_t emu_log_format(const emu_log_call *call, const uint64_t *row, char out[EMU_LOG_TEXT])
{
    text t = {.at = out};
    for (size_t i = 0; i < call->piece_count; ++i) {
        const emu_log_piece *p = &call->pieces[i];
        put(&t, p->before.p, p->before.n);
        for (uint32_t k = 0; p->conversion != '\0' && k < p->count; ++k) {
            if (k != 0) put(&t, ",", 1);
            put_one(&t, p, p->conversion == 's' ? 0 : row[p->value + k]);
        }
    }
    out[t.n] = '\0';
    return t.n;
}
