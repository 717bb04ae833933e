/* Runs the passes of passes.def in order: checks what each needs, verifies, reports, stops at
 * errors. */
#include "pass/pass.h"

#include "ir/copy.h"
#include "ir/verify.h"

const pass_info pass_list[] = {
#define PASS(name, needs, gives, reason)           {#name, pass_##name, needs, gives, reason, false},
#define PASS_MODULE(name, needs, gives, reason)    {#name, pass_##name, needs, gives, reason, true},
#define PASS_AGAIN(name, fn, needs, gives, reason) {#name, pass_##fn, needs, gives, reason, false},
#include "pass/passes.def"
#undef PASS
#undef PASS_MODULE
#undef PASS_AGAIN
};
const size_t pass_count = sizeof pass_list / sizeof *pass_list;

/* Index of the pass to stop after; pass_count - 1 where none is named. False where the name is
 * unknown. */
static bool find_last(pass_context *cx, const pass_options *o, size_t *last)
{
    *last = pass_count - 1;
    if (o->stop_after == NULL) return true;
    for (size_t i = 0; i < pass_count; ++i) {
        if (strcmp(pass_list[i].name, o->stop_after) != 0) continue;
        *last = i;
        return true;
    }
    diag_error(cx->diags, (span){0}, "there is no pass named '%s'", o->stop_after);
    return false;
}

static const ir_module *with_properties(arena *mem, const ir_module *m, unsigned gives)
{
    if ((m->properties & gives) == gives) return m;
    ir_module *fresh = arena_copy(mem, m, sizeof *m);
    fresh->properties |= gives;
    return fresh;
}

/* Rows [first, end) over `m`. NULL where errors were reported. */
static const ir_module *run_rows(pass_context *cx, const ir_module *m, const pass_options *o, size_t first, size_t end)
{
    unsigned before = cx->diags->errors;
    for (size_t i = first; i < end; ++i) {
        const pass_info *pass = &pass_list[i];
        assert((m->properties & pass->needs) == pass->needs);
        m = pass->run(cx, m);
        if (cx->diags->errors != before) return NULL;
        m = with_properties(cx->mem, m, pass->gives);
        if (o->verify && !ir_verify(cx->mem, cx->diags, m, pass->name)) return NULL;
        if (o->after != NULL) o->after(o->user, i, pass, m);
    }
    return m;
}

/* The same for rows that are about one function at a time: all of them over the first, then over the second ... Only
 * what comes out is kept, copied together. `apart`: nothing of it stays where `m` has it. */
static const ir_module *run_rows_by_function(pass_context *cx, const ir_module *m, const pass_options *o, size_t first,
                                             size_t end, bool apart)
{
    arena *mem = cx->mem, *work = arena_scratch(mem);
    const ir_func **funcs = arena_alloc(mem, m->func_count * sizeof *funcs);
    bool failed = false;
    unsigned properties = m->properties;
    for (size_t i = first; i < end; ++i) properties |= pass_list[i].gives;
    cx->mem = work;
    for (size_t i = 0; i < m->func_count; ++i) {
        ir_module one = *m;
        one.funcs = &m->funcs[i];
        one.func_count = 1;
        const ir_module *out = run_rows(cx, &one, o, first, end);
        failed |= out == NULL;
        if (!failed) funcs[i] = out->funcs[0] == m->funcs[i] && !apart ? m->funcs[i] : ir_copy_func(mem, work, out->funcs[0]);
        arena_reset(work);
    }
    cx->mem = mem;
    if (failed) return NULL;
    ir_module *fresh = arena_copy(mem, m, sizeof *m);
    fresh->funcs = (const ir_func *const *)funcs;
    fresh->properties = properties;
    fresh->attrs = ir_copy_attrs(mem, work, m->attrs);
    arena_free(work);
    return fresh;
}

const ir_module *pass_run(pass_context *cx, const ir_module *m, const pass_options *options)
{
    static const pass_options none = {0};
    const pass_options *o = options != NULL ? options : &none;
    size_t last;
    if (!find_last(cx, o, &last)) return NULL;
    if (o->verify && !ir_verify(cx->mem, cx->diags, m, NULL)) return NULL;
    if (o->verify || o->after != NULL) return run_rows(cx, m, o, 0, last + 1);
    arena *mem = cx->mem, *early = arena_scratch(mem);
    for (size_t i = 0, end; m != NULL && i <= last; i = end) {
        end = i + 1;
        while (!pass_list[i].whole && end <= last && !pass_list[end].whole) ++end;
        bool is_last = end > last;
        cx->mem = is_last ? mem : early;
        m = pass_list[i].whole ? run_rows(cx, m, o, i, end) : run_rows_by_function(cx, m, o, i, end, is_last);
    }
    cx->mem = mem;
    if (!pass_list[last].whole) arena_free(early); /* nothing of the last group's module lies there */
    return m;
}

const ir_module *pass_each_func(pass_context *cx, const ir_module *m,
                                const ir_func *(*fn)(pass_context *cx, const ir_func *f))
{
    const ir_func **funcs = arena_alloc(cx->mem, m->func_count * sizeof *funcs);
    bool changed = false;
    for (size_t i = 0; i < m->func_count; ++i) {
        funcs[i] = fn(cx, m->funcs[i]);
        changed |= funcs[i] != m->funcs[i];
    }
    if (!changed) return m;
    ir_module *fresh = arena_copy(cx->mem, m, sizeof *m);
    fresh->funcs = (const ir_func *const *)funcs;
    return fresh;
}

const ir_module *pass_each_body(pass_context *cx, const ir_module *m,
                                const ir_node *(*fn)(pass_context *cx, const ir_func *f))
{
    const ir_func **funcs = arena_alloc(cx->mem, m->func_count * sizeof *funcs);
    bool changed = false;
    for (size_t i = 0; i < m->func_count; ++i) {
        const ir_node *body = fn(cx, m->funcs[i]);
        funcs[i] = m->funcs[i];
        if (body == m->funcs[i]->body) continue;
        ir_func *f = arena_copy(cx->mem, m->funcs[i], sizeof *f);
        f->body = body;
        funcs[i] = f;
        changed = true;
    }
    if (!changed) return m;
    ir_module *fresh = arena_copy(cx->mem, m, sizeof *m);
    fresh->funcs = (const ir_func *const *)funcs;
    return fresh;
}
