/* os_log's functions: their formats are read when the kernel is lowered, and each value is put in a row of the lane's. */
#include "emu/emu.h"
#include "emu/lower.h"

/* One call being read. */
typedef struct log_call {
    lower *l;
    const mf_expr *e;
    str format;
    size_t at;       /* in the format */
    uint32_t arg;    /* the next one of the call */
    uint32_t values; /* put so far */
    bool failed;
} log_call;

enum { FIRST_VALUE = 3 }; /* behind the log, the level and the format */

/* A constant string: what a pointer known now points at. False where it is none. */
static bool text_at(const lower *l, uint64_t object, uint64_t offset, str *out)
{
    if (object >= l->g->objects.n) return false;
    const emu_object_info *o = &l->g->objects.at[object];
    if (o->kind != EMU_OBJECT_GLOBAL || o->data == NULL || offset >= o->size) return false;
    const char *p = (const char *)o->data + offset;
    size_t n = 0;
    while (offset + n < o->size && p[n] != '\0') ++n;
    *out = (str){p, n};
    return offset + n < o->size;
}

static bool text_of(lower *l, const mf_expr *e, str *out)
{
    const val v = lower_eval(l, e);
    if (v.n != 2 || !emu_is_const(v.at[0]) || !emu_is_const(v.at[1])) return false;
    return text_at(l, (uint64_t)v.at[0]->imm, (uint64_t)v.at[1]->imm, out);
}

/* A member of the log object, a pointer to a string kept in constant memory: "" where it is not known. */
static str member_of(lower *l, const val self, uint64_t offset)
{
    str r = STR("");
    if (!emu_is_const(self.at[0]) || !emu_is_const(self.at[1])) return r;
    const emu_object_info *o = &l->g->objects.at[self.at[0]->imm];
    const uint64_t at = (uint64_t)self.at[1]->imm + offset;
    if (o->kind != EMU_OBJECT_GLOBAL || o->data == NULL || at + 8 > o->size) return r;
    uint64_t bits = 0;
    for (unsigned b = 0; b < 8; ++b) bits |= (uint64_t)((const uint8_t *)o->data)[at + b] << (8 * b);
    (void)text_at(l, bits >> 48, bits & 0xFFFFFFFFFFFF, &r);
    return r;
}

/* Where the text calls the function. */
static span place_of(const log_call *c)
{
    return c->l->g->called_at.file != 0 ? c->l->g->called_at : c->e->at;
}

/* The format or an argument is wrong: an error, once. */
static void wrong(log_call *c, str what)
{
    lower *l = c->l;
    if (!l->failed && !l->restart) diag_error(l->diags, place_of(c), "%.*s", STR_ARG(what));
    l->failed = c->failed = true;
}

static void refuse(log_call *c, const char *what)
{
    lower_refuse(c->l, place_of(c), "in the format of a log message, %s is not supported", what);
    c->failed = true;
}

static char next(const log_call *c)
{
    return c->at < c->format.n ? c->format.p[c->at] : '\0';
}

static int number(log_call *c)
{
    enum { MOST = 1000 };
    int n = 0;
    for (; next(c) >= '0' && next(c) <= '9'; ++c->at)
        if (n < MOST) n = n * 10 + (next(c) - '0');
    return n < MOST ? n : MOST;
}

static void flags(log_call *c, emu_log_piece *p)
{
    for (;; ++c->at) {
        switch (next(c)) {
        case '-': p->left = true; break;
        case '+': p->plus = true; break;
        case ' ': p->space = true; break;
        case '#': p->alternate = true; break;
        case '0': p->zeros = true; break;
        default: return;
        }
    }
}

/* "hh", "h", "l": bytes of an integer; 4 without. "hl" is OpenCL's word for 32 bits of a vector. */
static unsigned length(log_call *c)
{
    unsigned bytes = 4;
    while (next(c) == 'h' || next(c) == 'l' || next(c) == 'z' || next(c) == 'j' || next(c) == 't') {
        if (next(c) == 'h') bytes = bytes == 2 ? 1 : 2;
        else bytes = bytes == 2 ? 4 : 8;
        ++c->at;
    }
    return bytes;
}

static void put_value(log_call *c, emu_node *bits)
{
    emu_graph *g = c->l->g;
    if (c->values == EMU_LOG_VALUES) {
        refuse(c, "so many values");
        return;
    }
    emu_node *n = emu_effect(g, EMU_LOG_NODE, EMU_U64);
    n->op = EMU_LOGVALUE;
    n->in[0] = bits;
    n->imm = c->values++;
}

static bool is_float_conversion(char x)
{
    return x == 'f' || x == 'F' || x == 'e' || x == 'E' || x == 'g' || x == 'G' || x == 'a' || x == 'A';
}

/* The argument does not suit its conversion. */
static void misfit(log_call *c, const emu_log_piece *p, const mf_type *t)
{
    const bool vector = t->kind == MF_TYPE_VECTOR || t->kind == MF_TYPE_PACKED;
    const str type = mf_type_text(c->l->mem, t);
    const char of[3] = {'v', (char)('0' + p->count), '\0'};
    const str said = str_format(c->l->mem, "the conversion '%%%s%c' of a log message does not take '%.*s'", p->count > 1 ? of : "", p->conversion,
                                STR_ARG(type));
    const bool hint = vector && p->count != t->width && mf_is_numeric(t) && mf_scalar_is_float(t->scalar) == is_float_conversion(p->conversion);
    wrong(c, hint ? str_format(c->l->mem, "%.*s; '%%v%u%c' does", STR_ARG(said), t->width, p->conversion) : said);
}

/* An element as the format's 64 bits: sign or zeros in front, as the conversion takes it. */
static emu_node *as_bits(log_call *c, const emu_log_piece *p, emu_node *v, unsigned bytes)
{
    static const emu_type words[2][9] = {{[1] = EMU_U8, [2] = EMU_U16, [4] = EMU_U32, [8] = EMU_U64},
                                         {[1] = EMU_I8, [2] = EMU_I16, [4] = EMU_I32, [8] = EMU_I64}};
    emu_graph *g = c->l->g;
    if (is_float_conversion(p->conversion)) return emu_convert(g, EMU_U64, emu_reinterpret(g, EMU_U32, emu_convert(g, EMU_F32, v)));
    const bool is_signed = p->conversion == 'd' || p->conversion == 'i' || p->conversion == 'c';
    return emu_reinterpret(g, EMU_U64, emu_convert(g, is_signed ? EMU_I64 : EMU_U64, emu_convert(g, words[is_signed][bytes], v)));
}

static void put_numbers(log_call *c, emu_log_piece *p, const mf_expr *a, unsigned bytes)
{
    const mf_type *t = a->type;
    const bool is_float = is_float_conversion(p->conversion);
    const bool numeric = mf_is_numeric(t) || t->kind == MF_TYPE_ENUM;
    const unsigned width = t->kind == MF_TYPE_VECTOR || t->kind == MF_TYPE_PACKED ? t->width : 1;
    if (!numeric || width != p->count || mf_scalar_is_float(t->scalar) != is_float) {
        misfit(c, p, t);
        return;
    }
    if (!is_float && bytes < 8 && mf_scalar_size(t->scalar) == 8) {
        wrong(c, str_format(c->l->mem, "the conversion '%%%c' of a log message takes 32 bits, not '%.*s'; '%%l%c' does", p->conversion,
                            STR_ARG(mf_type_text(c->l->mem, t)), p->conversion));
        return;
    }
    const val v = lower_eval(c->l, a);
    c->l->g->at = c->e->at;
    p->value = c->values;
    for (size_t i = 0; i < v.n && !c->failed; ++i) put_value(c, as_bits(c, p, v.at[i], bytes));
}

static void put_argument(log_call *c, emu_log_piece *p, unsigned bytes)
{
    if (c->arg >= c->e->arg_count) {
        wrong(c, STR("a log message has fewer arguments than its format takes"));
        return;
    }
    const mf_expr *a = c->e->args[c->arg++];
    const mf_type *t = a->type;
    if (p->conversion == 's') {
        const bool string = t->kind == MF_TYPE_POINTER && t->space == MF_CONSTANT;
        if (string && text_of(c->l, a, &p->text)) return;
        if (string) refuse(c, "'%s' of what is no constant string");
        else misfit(c, p, t);
    } else if (p->conversion == 'p') {
        if (t->kind != MF_TYPE_POINTER) {
            misfit(c, p, t);
            return;
        }
        const val v = lower_eval(c->l, a);
        p->value = c->values;
        put_value(c, lower_encode_pointer(c->l, v.at[0], v.at[1])); /* not where it lies in the host: the same in every run */
    } else {
        put_numbers(c, p, a, bytes);
    }
}

/* A conversion, the cursor behind its "%". */
static void conversion(log_call *c, emu_log_piece *p)
{
    flags(c, p);
    p->width = number(c);
    p->precision = -1;
    if (next(c) == '.') {
        ++c->at;
        p->precision = number(c);
    }
    p->count = 1;
    if (next(c) == 'v') {
        ++c->at;
        p->count = (uint32_t)number(c);
        if (p->count < 2 || p->count > 4) {
            refuse(c, "a vector of other than 2 to 4 elements");
            return;
        }
    }
    const unsigned bytes = length(c);
    p->conversion = next(c);
    ++c->at;
    switch (p->conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'c':
    case 's':
    case 'p': put_argument(c, p, bytes); return;
    case '*': refuse(c, "a width given by an argument ('*')"); return;
    default:
        if (is_float_conversion(p->conversion)) put_argument(c, p, bytes);
        else refuse(c, p->conversion == '\0' ? "a '%' at its end" : "a conversion other than d i u o x X c f F e E g G a A s p");
    }
}

static void read_format(log_call *c, emu_log_piece *pieces, size_t *count)
{
    size_t begin = c->at;
    while (c->at < c->format.n && !c->failed) {
        if (next(c) != '%') {
            ++c->at;
            continue;
        }
        emu_log_piece *p = &pieces[(*count)++];
        *p = (emu_log_piece){.before = {c->format.p + begin, c->at - begin}};
        ++c->at;
        if (next(c) == '%') { /* the text goes on with it */
            begin = c->at++;
        } else {
            conversion(c, p);
            begin = c->at;
        }
    }
    pieces[(*count)++] = (emu_log_piece){.before = {c->format.p + begin, c->format.n - begin}};
}

val lower_log(lower *l, const mf_expr *e)
{
    log_call c = {.l = l, .e = e, .arg = FIRST_VALUE};
    const val none = lower_val(l, 0), self = lower_eval(l, e->args[0]);
    const emu_node *level = lower_scalar_of(l, e->args[1]);
    if (!text_of(l, e->args[2], &c.format)) {
        lower_refuse(l, place_of(&c), "a log message whose format is not known before the kernel runs is not supported");
        return none;
    }
    size_t most = 1;
    for (size_t i = 0; i < c.format.n; ++i) most += c.format.p[i] == '%';
    emu_log_piece *pieces = arena_array(l->mem, emu_log_piece, most);
    size_t count = 0;
    l->g->at = e->at;
    read_format(&c, pieces, &count);
    if (!c.failed && c.arg < e->arg_count) wrong(&c, STR("a log message has more arguments than its format takes"));
    emu_node *n = emu_effect(l->g, EMU_LOG_NODE, EMU_BOOL);
    n->op = EMU_LOGTEXT;
    n->imm = (int64_t)l->g->logs.n;
    const emu_log_call made = {.at = n->at, .level = (uint8_t)level->imm, .subsystem = member_of(l, self, 0), .category = member_of(l, self, 8),
                               .pieces = pieces, .piece_count = count, .values = c.values};
    emu_log_calls_push(l->mem, &l->g->logs, made);
    return none;
}
