/* Findings: names, the collector, rendering. */
#include "emu/finding.h"

#include <string.h>

#include "base/error.h"

static const char *const check_names[] = {
#define EMU_CHECK_ROW(ID, name, what) name,
#include "emu/checks.def"
#undef EMU_CHECK_ROW
};
static const char *const check_whats[] = {
#define EMU_CHECK_ROW(ID, name, what) what,
#include "emu/checks.def"
#undef EMU_CHECK_ROW
};

typedef struct rule {
    emu_check check;
    const char *name, *fix;
} rule;
static const rule rules[] = {
#define EMU_RULE(ID, check, name, fix) {EMU_CHECK_##check, name, fix},
#include "emu/rules.def"
#undef EMU_RULE
};

const char *emu_check_name(emu_check check)
{
    return check_names[check];
}

const char *emu_check_what(emu_check check)
{
    return check_whats[check];
}

bool emu_check_find(str name, emu_check *out)
{
    for (unsigned i = 0; i < EMU_CHECKS; ++i) {
        if (!str_is(name, check_names[i])) continue;
        *out = (emu_check)i;
        return true;
    }
    return false;
}

ingot_status emu_checks_parse(str list, unsigned *out, ingot_error *error)
{
    *out = 0;
    while (list.n != 0) {
        size_t n = 0;
        while (n < list.n && list.p[n] != ',') ++n;
        const str name = {list.p, n};
        emu_check check = EMU_CHECK_BOUNDS;
        if (str_is(name, "all")) *out |= EMU_CHECK_ALL;
        else if (emu_check_find(name, &check)) *out |= 1u << check;
        else return error_set(error, INGOT_VALUE, "there is no check '%.*s'", STR_ARG(name));
        list.p += n + (n < list.n);
        list.n -= n + (n < list.n);
    }
    return INGOT_OK;
}

const char *emu_rule_name(emu_rule r)
{
    return rules[r].name;
}

emu_check emu_rule_check(emu_rule r)
{
    return rules[r].check;
}

const char *emu_rule_fix(emu_rule r)
{
    return rules[r].fix;
}

bool emu_rule_is_plain_race(emu_rule r)
{
    return r == EMU_FAULT_RACE_SIMD || r == EMU_FAULT_RACE_GROUP || r == EMU_FAULT_RACE_GRID;
}

/* The collector. */

emu_findings emu_findings_make(const ingot_allocator *mem, size_t most)
{
    enum { MOST = 64 };
    return (emu_findings){.mem = mem_or_default(mem), .most = most != 0 ? most : MOST};
}

void emu_findings_free(emu_findings *f)
{
    for (size_t i = 0; i < f->n; ++i) mem_free(f->mem, f->at[i].store, f->at[i].store_size);
    mem_free(f->mem, f->at, f->cap * sizeof *f->at);
    *f = (emu_findings){.mem = f->mem, .most = f->most};
}

static bool same_place(const emu_place *a, const emu_place *b)
{
    return a->line == b->line && a->column == b->column && a->end_column == b->end_column &&
           strcmp(a->file, b->file) == 0;
}

static bool same(const emu_finding *a, const emu_finding *b)
{
    const bool races = emu_rule_is_plain_race(a->rule) && emu_rule_is_plain_race(b->rule);
    if ((a->rule != b->rule && !races) || a->memory != b->memory || a->slot != b->slot) return false;
    if (strcmp(a->buffer, b->buffer) != 0 || strcmp(a->kernel, b->kernel) != 0) return false;
    /* a race is the same whichever of the two was run first */
    const bool swapped = a->check == EMU_CHECK_RACE && same_place(&a->first, &b->second) && same_place(&a->second, &b->first);
    if (!swapped && (!same_place(&a->first, &b->first) || !same_place(&a->second, &b->second))) return false;
    return a->first.line != 0 || strcmp(a->message, b->message) == 0;
}

enum { STRINGS = 8 };

/* The places of a finding's strings. */
static void strings_of(emu_finding *f, const char **all[STRINGS])
{
    const char **const list[STRINGS] = {&f->kernel,     &f->message,     &f->fix,         &f->buffer,
                                        &f->first.file, &f->first.text,  &f->second.file, &f->second.text};
    memcpy(all, list, sizeof list);
}

/* Gives the copy strings of its own. */
static bool own_strings(const ingot_allocator *mem, emu_finding *f)
{
    const char **all[STRINGS];
    strings_of(f, all);
    size_t size = 0;
    for (int i = 0; i < STRINGS; ++i) size += strlen(*all[i]) + 1;
    f->store = mem_alloc(mem, size);
    f->store_size = size;
    if (f->store == NULL) return false;
    char *to = f->store;
    for (int i = 0; i < STRINGS; ++i) {
        const size_t n = strlen(*all[i]) + 1;
        memcpy(to, *all[i], n);
        *all[i] = to;
        to += n;
    }
    return true;
}

static bool make_room(emu_findings *f)
{
    if (f->n < f->cap) return true;
    const size_t cap = f->cap == 0 ? 8 : f->cap * 2;
    emu_finding *at = mem_resize(f->mem, f->at, f->cap * sizeof *at, cap * sizeof *at);
    if (at == NULL) return false;
    f->at = at;
    f->cap = cap;
    return true;
}

/* A race of wider reach takes the place of one at the same places: what orders the threads of that orders all. */
static bool widen(emu_findings *list, emu_finding *at, const emu_finding *f)
{
    emu_finding copy = *f;
    copy.times = at->times;
    if (!own_strings(list->mem, &copy)) {
        list->failed = true;
        return false;
    }
    mem_free(list->mem, at->store, at->store_size);
    *at = copy;
    return true;
}

bool emu_findings_add(emu_findings *list, const emu_finding *f)
{
    for (size_t i = 0; i < list->n; ++i) {
        emu_finding *at = &list->at[i];
        if (!same(at, f)) continue;
        at->times += f->times;
        return f->rule <= at->rule || widen(list, at, f);
    }
    if (list->n >= list->most) {
        ++list->dropped;
        return true;
    }
    emu_finding copy = *f;
    if (!make_room(list) || !own_strings(list->mem, &copy)) {
        list->failed = true;
        return false;
    }
    list->at[list->n++] = copy;
    return true;
}

/* Rendering. */

static bool starts_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* The line, and under it a caret and tildes; tabs stay tabs, so that the caret stays under its place. */
static void render_line(const emu_place *p, bool colour, buf *out)
{
    if (strlen(p->text) > 300) return;
    buf_printf(out, "%6u | %s\n       | ", (unsigned)p->line, p->text);
    uint32_t column = 1;
    const char *at = p->text;
    for (; *at != '\0' && column < p->column; ++at) {
        if (!starts_character(*at)) continue;
        buf_char(out, *at == '\t' ? '\t' : ' ');
        ++column;
    }
    if (colour) buf_text(out, "\033[1;32m");
    buf_char(out, '^');
    for (++column; column < p->end_column; ++column) buf_char(out, '~');
    if (colour) buf_text(out, "\033[0m");
    buf_char(out, '\n');
}

static void render_thread(const emu_place *p, buf *out)
{
    if (!p->has_thread) return;
    buf_printf(out, "       | thread (%u, %u, %u) of threadgroup (%u, %u, %u), simdgroup %u, lane %u\n",
               (unsigned)p->thread[0], (unsigned)p->thread[1], (unsigned)p->thread[2], (unsigned)p->group[0],
               (unsigned)p->group[1], (unsigned)p->group[2], (unsigned)p->simdgroup, (unsigned)p->lane);
}

static void render_place(const emu_place *p, bool colour, buf *out)
{
    if (p->line == 0) return;
    render_line(p, colour, out);
    render_thread(p, out);
}

static void render_head(const emu_place *p, const char *kernel, buf *out)
{
    if (p->line != 0) buf_printf(out, "%s:%u:%u: ", p->file, (unsigned)p->line, (unsigned)p->column);
    else if (*kernel != '\0') buf_printf(out, "kernel '%s': ", kernel);
}

void emu_finding_render(const emu_finding *f, bool colour, buf *out)
{
    render_head(&f->first, f->kernel, out);
    buf_printf(out, "%s%s: %s%s\n", colour ? "\033[1;31m" : "", emu_check_name(f->check), colour ? "\033[0m" : "", f->message);
    render_place(&f->first, colour, out);
    if (f->second.line != 0) {
        render_head(&f->second, f->kernel, out);
        buf_printf(out, "%snote: %s%s\n", colour ? "\033[1;36m" : "", colour ? "\033[0m" : "",
                   f->check == EMU_CHECK_BARRIER ? "where the threads part" : "the other access");
        render_place(&f->second, colour, out);
    }
    if (*f->fix != '\0') buf_printf(out, "  fix: %s\n", f->fix);
    if (f->times > 1) buf_printf(out, "  met %llu times\n", (unsigned long long)f->times);
}
