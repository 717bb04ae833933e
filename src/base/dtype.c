/* Element types as DLPack states them. */
#include "base/dtype.h"

#include <stdio.h>

typedef struct type_name {
    const char *text;
    DLDataTypeCode code;
    uint8_t bits; /* 0: written after the name */
} type_name;

/* Longer names before their prefixes. */
static const type_name names[] = {
    {"float8_e3m4", kDLFloat8_e3m4, 8},
    {"float8_e4m3b11fnuz", kDLFloat8_e4m3b11fnuz, 8},
    {"float8_e4m3fnuz", kDLFloat8_e4m3fnuz, 8},
    {"float8_e4m3fn", kDLFloat8_e4m3fn, 8},
    {"float8_e4m3", kDLFloat8_e4m3, 8},
    {"float8_e5m2fnuz", kDLFloat8_e5m2fnuz, 8},
    {"float8_e5m2", kDLFloat8_e5m2, 8},
    {"float8_e8m0fnu", kDLFloat8_e8m0fnu, 8},
    {"float6_e2m3fn", kDLFloat6_e2m3fn, 6},
    {"float6_e3m2fn", kDLFloat6_e3m2fn, 6},
    {"float4_e2m1fn", kDLFloat4_e2m1fn, 4},
    {"bfloat", kDLBfloat, 0},
    {"float", kDLFloat, 0},
    {"uint", kDLUInt, 0},
    {"int", kDLInt, 0},
    {"bool", kDLBool, 8},
    {"handle", kDLOpaqueHandle, 64},
};

const num_format *dtype_format(DLDataType t)
{
    switch ((DLDataTypeCode)t.code) {
    case kDLFloat: return t.bits == 16 ? &num_half : NULL;
    case kDLBfloat: return &num_bfloat;
    case kDLFloat8_e3m4: return &num_e3m4;
    case kDLFloat8_e4m3: return &num_e4m3;
    case kDLFloat8_e4m3b11fnuz: return &num_e4m3b11fnuz;
    case kDLFloat8_e4m3fn: return &num_e4m3fn;
    case kDLFloat8_e4m3fnuz: return &num_e4m3fnuz;
    case kDLFloat8_e5m2: return &num_e5m2;
    case kDLFloat8_e5m2fnuz: return &num_e5m2fnuz;
    case kDLFloat4_e2m1fn: return &num_e2m1fn;
    case kDLFloat8_e8m0fnu: return &num_e8m0fnu;
    case kDLInt:
    case kDLUInt:
    case kDLOpaqueHandle:
    case kDLComplex:
    case kDLBool:
    case kDLFloat6_e2m3fn:
    case kDLFloat6_e3m2fn: return NULL;
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

static bool bits_allowed(DLDataTypeCode code, uint32_t bits)
{
    if (code == kDLBfloat) return bits == 16;
    if (code == kDLFloat) return bits == 16 || bits == 32 || bits == 64;
    return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

bool dtype_parse(str text, DLDataType *out)
{
    if (str_is(text, "void")) {
        *out = (DLDataType){kDLOpaqueHandle, 0, 0};
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
        *out = (DLDataType){(uint8_t)names[i].code, (uint8_t)bits, (uint16_t)lanes};
        return true;
    }
    return false;
}

const char *dtype_print(DLDataType t, char *out)
{
    if (t.code == kDLOpaqueHandle && t.bits == 0) {
        snprintf(out, DTYPE_TEXT, "void");
        return out;
    }
    const char *name = NULL;
    bool bits = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (names[i].code != (DLDataTypeCode)t.code) continue;
        name = names[i].text;
        bits = names[i].bits == 0;
    }
    if (name == NULL) {
        snprintf(out, DTYPE_TEXT, "code%u_%u", t.code, t.bits);
        return out;
    }
    int n = bits ? snprintf(out, DTYPE_TEXT, "%s%u", name, t.bits)
                 : snprintf(out, DTYPE_TEXT, "%s", name);
    if (t.lanes != 1) snprintf(out + n, (size_t)(DTYPE_TEXT - n), "x%u", t.lanes);
    return out;
}

int64_t dtype_min(DLDataType t)
{
    if (t.code != kDLInt) return 0;
    return t.bits >= 64 ? INT64_MIN : -((int64_t)1 << (t.bits - 1));
}

int64_t dtype_max(DLDataType t)
{
    if (t.code == kDLBool) return 1;
    if (t.bits >= 64) return INT64_MAX;
    return (int64_t)(((uint64_t)1 << (t.code == kDLInt ? t.bits - 1 : t.bits)) - 1);
}

int64_t dtype_wrap(DLDataType t, int64_t value)
{
    if (t.code == kDLBool) return value != 0;
    if (t.bits >= 64) return value;
    uint64_t mask = ((uint64_t)1 << t.bits) - 1, low = (uint64_t)value & mask;
    bool negative = t.code == kDLInt && (low >> (t.bits - 1)) != 0;
    return (int64_t)(negative ? low | ~mask : low);
}

double dtype_round(DLDataType t, double value)
{
    if (t.code == kDLFloat && t.bits == 32) return (double)(float)value;
    const num_format *format = dtype_format(t);
    return format != NULL ? num_round(format, value) : value;
}
