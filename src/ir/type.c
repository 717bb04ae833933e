/* Element types of the IR. */
#include "ir/type.h"

#include <stdio.h>

typedef struct type_name {
    const char *text;
    ir_code code;
    uint8_t bits; /* 0: written after the name */
} type_name;

/* Longer names before their prefixes. */
static const type_name names[] = {
    {"float8_e3m4", IR_FP8_E3M4, 8},
    {"float8_e4m3b11fnuz", IR_FP8_E4M3B11FNUZ, 8},
    {"float8_e4m3fnuz", IR_FP8_E4M3FNUZ, 8},
    {"float8_e4m3fn", IR_FP8_E4M3FN, 8},
    {"float8_e4m3", IR_FP8_E4M3, 8},
    {"float8_e5m2fnuz", IR_FP8_E5M2FNUZ, 8},
    {"float8_e5m2", IR_FP8_E5M2, 8},
    {"float8_e8m0fnu", IR_FP8_E8M0FNU, 8},
    {"float6_e2m3fn", IR_FP6_E2M3FN, 6},
    {"float6_e3m2fn", IR_FP6_E3M2FN, 6},
    {"float4_e2m1fn", IR_FP4_E2M1FN, 4},
    {"bfloat", IR_BFLOAT, 0},
    {"float", IR_FLOAT, 0},
    {"uint", IR_UINT, 0},
    {"int", IR_INT, 0},
    {"bool", IR_BOOL, 8},
    {"handle", IR_HANDLE, 64},
};

const num_format *ir_type_format(ir_type t)
{
    switch ((ir_code)t.code) {
    case IR_FLOAT: return t.bits == 16 ? &num_half : NULL;
    case IR_BFLOAT: return &num_bfloat;
    case IR_FP8_E3M4: return &num_e3m4;
    case IR_FP8_E4M3: return &num_e4m3;
    case IR_FP8_E4M3B11FNUZ: return &num_e4m3b11fnuz;
    case IR_FP8_E4M3FN: return &num_e4m3fn;
    case IR_FP8_E4M3FNUZ: return &num_e4m3fnuz;
    case IR_FP8_E5M2: return &num_e5m2;
    case IR_FP8_E5M2FNUZ: return &num_e5m2fnuz;
    case IR_FP4_E2M1FN: return &num_e2m1fn;
    case IR_INT:
    case IR_UINT:
    case IR_HANDLE:
    case IR_BOOL:
    case IR_FP8_E8M0FNU:
    case IR_FP6_E2M3FN:
    case IR_FP6_E3M2FN: return NULL;
    }
    return NULL;
}

/* Reads decimal digits; false where there is none or the number passes `most`. */
static bool read_number(str *text, uint32_t most, uint32_t *out)
{
    size_t n = 0;
    uint32_t value = 0;
    while (n < text->n && text->p[n] >= '0' && text->p[n] <= '9') {
        value = value * 10 + (uint32_t)(text->p[n] - '0');
        if (value > most) return false;
        ++n;
    }
    if (n == 0) return false;
    *text = (str){text->p + n, text->n - n};
    *out = value;
    return true;
}

static bool bits_allowed(ir_code code, uint32_t bits)
{
    if (code == IR_BFLOAT) return bits == 16;
    if (code == IR_FLOAT) return bits == 16 || bits == 32 || bits == 64;
    return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

bool ir_type_parse(str text, ir_type *out)
{
    if (str_is(text, "void")) {
        *out = IR_VOID;
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        str name = str_of(names[i].text);
        if (!str_starts(text, name)) continue;
        str rest = {text.p + name.n, text.n - name.n};
        uint32_t bits = names[i].bits, lanes = 1;
        if (bits == 0 && (!read_number(&rest, 64, &bits) || !bits_allowed(names[i].code, bits))) continue;
        if (rest.n != 0 && rest.p[0] == 'x') {
            rest = (str){rest.p + 1, rest.n - 1};
            if (!read_number(&rest, 1024, &lanes) || lanes == 0) continue;
        }
        if (rest.n != 0) continue;
        *out = (ir_type){(uint8_t)names[i].code, (uint8_t)bits, (uint16_t)lanes};
        return true;
    }
    return false;
}

const char *ir_type_print(ir_type t, char *out)
{
    if (ir_type_is_void(t)) {
        snprintf(out, IR_TYPE_TEXT, "void");
        return out;
    }
    const char *name = "?";
    bool bits = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (names[i].code != (ir_code)t.code) continue;
        name = names[i].text;
        bits = names[i].bits == 0;
    }
    int n = bits ? snprintf(out, IR_TYPE_TEXT, "%s%u", name, t.bits)
                 : snprintf(out, IR_TYPE_TEXT, "%s", name);
    if (t.lanes != 1) snprintf(out + n, (size_t)(IR_TYPE_TEXT - n), "x%u", t.lanes);
    return out;
}

int64_t ir_type_min(ir_type t)
{
    if (t.code != IR_INT) return 0;
    return t.bits >= 64 ? INT64_MIN : -((int64_t)1 << (t.bits - 1));
}

int64_t ir_type_max(ir_type t)
{
    if (t.code == IR_BOOL) return 1;
    if (t.bits >= 64) return INT64_MAX;
    return (int64_t)(((uint64_t)1 << (t.code == IR_INT ? t.bits - 1 : t.bits)) - 1);
}

int64_t ir_type_wrap(ir_type t, int64_t value)
{
    if (t.code == IR_BOOL) return value != 0;
    if (t.bits >= 64) return value;
    uint64_t mask = ((uint64_t)1 << t.bits) - 1, low = (uint64_t)value & mask;
    bool negative = t.code == IR_INT && (low >> (t.bits - 1)) != 0;
    return (int64_t)(negative ? low | ~mask : low);
}

double ir_type_round(ir_type t, double value)
{
    if (t.code == IR_FLOAT && t.bits == 32) return (double)(float)value;
    const num_format *format = ir_type_format(t);
    return format != NULL ? num_round(format, value) : value;
}
