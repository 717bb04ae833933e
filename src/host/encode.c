/* The host part as bytes, and back. */
#include "base/error.h"
#include "host/program.h"
#include "pack/reader.h"

enum { VERSION = 1 };

/* ---- Writing --------------------------------------------------------------------------------- */

static void put_str(buf *out, str s)
{
    buf_u64(out, s.n);
    buf_str(out, s);
}

static void put_type(buf *out, DLDataType t)
{
    buf_u8(out, t.code);
    buf_u8(out, t.bits);
    buf_u16(out, t.lanes);
}

static void put_dim(buf *out, const host_dim *d)
{
    buf_u8(out, (uint8_t)d->kind);
    buf_u16(out, d->reg);
    buf_u64(out, (uint64_t)d->value);
    put_str(out, d->text);
    put_str(out, d->shown);
}

static void put_dims(buf *out, const host_dim *dims, size_t count)
{
    buf_u64(out, count);
    for (size_t i = 0; i < count; ++i) put_dim(out, &dims[i]);
}

static void put_param(buf *out, const host_param *p)
{
    buf_u8(out, (uint8_t)p->kind);
    buf_u8(out, (uint8_t)((p->is_read ? 1 : 0) | (p->is_written ? 2 : 0)));
    buf_u16(out, p->reg);
    put_type(out, p->dtype);
    put_str(out, p->name);
    put_dims(out, p->shape, p->ndim);
    put_dims(out, p->strides, p->stride_count);
    put_dim(out, &p->offset);
    buf_u64(out, (uint64_t)p->offset_factor);
}

static void put_regs(buf *out, const uint16_t *regs, size_t count)
{
    buf_u64(out, count);
    for (size_t i = 0; i < count; ++i) buf_u16(out, regs[i]);
}

static void put_function(buf *out, const host_function *f)
{
    put_str(out, f->name);
    put_type(out, f->result);
    buf_u64(out, f->alloc_count);
    buf_u64(out, f->param_count);
    for (size_t i = 0; i < f->param_count; ++i) put_param(out, &f->params[i]);
    buf_u64(out, f->reg_count);
    for (size_t i = 0; i < f->reg_count; ++i) put_type(out, f->regs[i]);
    buf_u64(out, f->constant_count);
    for (size_t i = 0; i < f->constant_count; ++i) buf_u64(out, f->constants[i]);
    buf_u64(out, f->launch_count);
    for (size_t i = 0; i < f->launch_count; ++i) {
        put_str(out, f->launches[i].kernel);
        put_regs(out, f->launches[i].args, f->launches[i].arg_count);
        put_regs(out, f->launches[i].extents, f->launches[i].extent_count);
    }
    buf_u64(out, f->message_count);
    for (size_t i = 0; i < f->message_count; ++i) {
        put_str(out, f->messages[i].error);
        put_str(out, f->messages[i].text);
    }
    buf_u64(out, f->checks_end);
    buf_u64(out, f->code_count);
    for (size_t i = 0; i < f->code_count; ++i) {
        buf_u8(out, f->code[i].op);
        buf_u8(out, f->code[i].sub);
        buf_u16(out, f->code[i].d);
        buf_u16(out, f->code[i].a);
        buf_u16(out, f->code[i].b);
    }
}

void host_encode(const host_program *p, buf *out)
{
    buf_u32(out, VERSION);
    buf_u64(out, p->function_count);
    for (size_t i = 0; i < p->function_count; ++i) put_function(out, &p->functions[i]);
}

/* ---- Reading ---------------------------------------------------------------------------------
 * Reads past the end and failed allocations are remembered; what was read is used only if neither
 * happened. A count is checked against the bytes left before memory is asked for it. */

typedef struct parse {
    reader r;
    pool *mem;
    bool no_memory;
} parse;

/* A zeroed array for `count` items; sets count to 0 where it cannot be had. */
static void *get_array(parse *p, size_t *count, size_t size)
{
    void *items = p->r.failed ? NULL : pool_alloc(p->mem, *count, size);
    if (items == NULL) {
        if (!p->r.failed) p->no_memory = true;
        *count = 0;
    }
    return items;
}

static str get_str(parse *p)
{
    str s = reader_str(&p->r);
    if (p->r.failed) return (str){0};
    s = pool_str(p->mem, s);
    if (s.p == NULL) p->no_memory = true;
    return s;
}

static DLDataType get_type(parse *p)
{
    DLDataType t;
    t.code = reader_u8(&p->r);
    t.bits = reader_u8(&p->r);
    t.lanes = reader_u16(&p->r);
    return t;
}

static host_dim get_dim(parse *p)
{
    host_dim d;
    d.kind = (host_dim_kind)reader_u8(&p->r);
    d.reg = reader_u16(&p->r);
    d.value = (int64_t)reader_u64(&p->r);
    d.text = get_str(p);
    d.shown = get_str(p);
    return d;
}

static const host_dim *get_dims(parse *p, size_t *count)
{
    *count = reader_count(&p->r, 27);
    host_dim *dims = get_array(p, count, sizeof *dims);
    for (size_t i = 0; i < *count; ++i) dims[i] = get_dim(p);
    return dims;
}

static host_param get_param(parse *p)
{
    host_param param = {0};
    param.kind = (ingot_param_kind)reader_u8(&p->r);
    uint8_t flags = reader_u8(&p->r);
    param.is_read = (flags & 1) != 0;
    param.is_written = (flags & 2) != 0;
    if (flags > 3) p->r.failed = true;
    param.reg = reader_u16(&p->r);
    param.dtype = get_type(p);
    param.name = get_str(p);
    param.shape = get_dims(p, &param.ndim);
    param.strides = get_dims(p, &param.stride_count);
    param.offset = get_dim(p);
    param.offset_factor = (int64_t)reader_u64(&p->r);
    const char **texts = get_array(p, &param.ndim, sizeof *texts);
    for (size_t i = 0; i < param.ndim; ++i) texts[i] = param.shape[i].text.p;
    param.shape_texts = texts;
    return param;
}

static const uint16_t *get_regs(parse *p, size_t *count)
{
    *count = reader_count(&p->r, 2);
    uint16_t *regs = get_array(p, count, sizeof *regs);
    for (size_t i = 0; i < *count; ++i) regs[i] = reader_u16(&p->r);
    return regs;
}

static void get_launches(parse *p, host_function *f)
{
    f->launch_count = reader_count(&p->r, 24);
    host_launch *launches = get_array(p, &f->launch_count, sizeof *launches);
    for (size_t i = 0; i < f->launch_count; ++i) {
        launches[i].kernel = get_str(p);
        launches[i].args = get_regs(p, &launches[i].arg_count);
        launches[i].extents = get_regs(p, &launches[i].extent_count);
    }
    f->launches = launches;
}

static void get_code(parse *p, host_function *f)
{
    f->checks_end = (size_t)reader_u64(&p->r);
    f->code_count = reader_count(&p->r, 8);
    host_insn *code = get_array(p, &f->code_count, sizeof *code);
    for (size_t i = 0; i < f->code_count; ++i) {
        code[i].op = reader_u8(&p->r);
        code[i].sub = reader_u8(&p->r);
        code[i].d = reader_u16(&p->r);
        code[i].a = reader_u16(&p->r);
        code[i].b = reader_u16(&p->r);
    }
    f->code = code;
}

static host_function get_function(parse *p)
{
    host_function f = {0};
    f.name = get_str(p);
    f.result = get_type(p);
    f.alloc_count = (size_t)reader_u64(&p->r);
    f.param_count = reader_count(&p->r, 67);
    host_param *params = get_array(p, &f.param_count, sizeof *params);
    for (size_t i = 0; i < f.param_count; ++i) params[i] = get_param(p);
    f.params = params;
    f.reg_count = reader_count(&p->r, 4);
    DLDataType *regs = get_array(p, &f.reg_count, sizeof *regs);
    for (size_t i = 0; i < f.reg_count; ++i) regs[i] = get_type(p);
    f.regs = regs;
    f.constant_count = reader_count(&p->r, 8);
    uint64_t *constants = get_array(p, &f.constant_count, sizeof *constants);
    for (size_t i = 0; i < f.constant_count; ++i) constants[i] = reader_u64(&p->r);
    f.constants = constants;
    get_launches(p, &f);
    f.message_count = reader_count(&p->r, 16);
    host_message *messages = get_array(p, &f.message_count, sizeof *messages);
    for (size_t i = 0; i < f.message_count; ++i) {
        messages[i].error = get_str(p);
        messages[i].text = get_str(p);
    }
    f.messages = messages;
    get_code(p, &f);
    return f;
}

ingot_status host_decode(pool *mem, str bytes, const host_program **out, ingot_error *error)
{
    *out = NULL;
    parse p = {.r = reader_of(bytes.p, bytes.n), .mem = mem};
    uint32_t version = reader_u32(&p.r);
    if (!p.r.failed && version != VERSION) {
        return error_set(error, INGOT_FORMAT, "host functions are of version %u; this build reads version %d",
                         version, VERSION);
    }
    host_program *program = pool_array(mem, host_program, 1);
    if (program == NULL) return error_no_memory(error);
    program->function_count = reader_count(&p.r, 68);
    host_function *functions = get_array(&p, &program->function_count, sizeof *functions);
    for (size_t i = 0; i < program->function_count && !p.r.failed && !p.no_memory; ++i) {
        functions[i] = get_function(&p);
    }
    program->functions = functions;
    if (p.no_memory) return error_no_memory(error);
    if (p.r.failed) {
        return error_set(error, INGOT_FORMAT, "host functions: the bytes end too early or are malformed (offset %zu of %zu)",
                         p.r.at, p.r.n);
    }
    if (reader_left(&p.r) != 0) {
        return error_set(error, INGOT_FORMAT, "host functions: %zu bytes follow their end", reader_left(&p.r));
    }
    ingot_status status = host_verify(mem, program, error);
    if (status == INGOT_OK) *out = program;
    return status;
}
