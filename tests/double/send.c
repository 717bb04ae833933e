/* objc_msgSend: takes any call, finds the method's declaration, and reads the arguments from where the calling convention
 * has put them for a function of that type. */
#include "send.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

/* What the entry points below leave: integer registers in the order of arguments, and what is on the stack. The offsets
 * stand in the assembly too. */
typedef struct frame {
    uint64_t registers[8];  /*  0: x86-64 uses six */
    const uint64_t *stack;  /* 64 */
    void *indirect;         /* 72: where a struct is to be returned, on AArch64 */
    uint64_t result[2];     /* 80 */
    double result_real;     /* 96 */
    uint64_t by_memory;     /* 104: objc_msgSend_stret was called */
} frame;
_Static_assert(sizeof(frame) == 112 && offsetof(frame, result_real) == 96, "the assembly knows these offsets");

void dispatch(frame *f) __attribute__((used, visibility("hidden")));

#if defined(__x86_64__)
enum { REGISTERS = 6 };
#define ENTRY(NAME, BY_MEMORY)                                                                                                \
    __asm__(".text\n.globl " NAME "\n.type " NAME ", @function\n" NAME ":\n"                                                  \
            "    .cfi_startproc\n    pushq %rbp\n    .cfi_def_cfa_offset 16\n    .cfi_offset %rbp, -16\n"                     \
            "    movq %rsp, %rbp\n    .cfi_def_cfa_register %rbp\n    subq $112, %rsp\n"                                      \
            "    movq %rdi, 0(%rsp)\n    movq %rsi, 8(%rsp)\n    movq %rdx, 16(%rsp)\n    movq %rcx, 24(%rsp)\n"              \
            "    movq %r8, 32(%rsp)\n    movq %r9, 40(%rsp)\n    leaq 16(%rbp), %rax\n    movq %rax, 64(%rsp)\n"              \
            "    movq $" BY_MEMORY ", 104(%rsp)\n    movq %rsp, %rdi\n    call dispatch\n"                                    \
            "    movq 80(%rsp), %rax\n    movq 88(%rsp), %rdx\n    movsd 96(%rsp), %xmm0\n"                                   \
            "    leave\n    .cfi_def_cfa %rsp, 8\n    ret\n    .cfi_endproc\n.size " NAME ", .-" NAME "\n")
ENTRY("objc_msgSend", "0");
ENTRY("objc_msgSend_stret", "1");
#elif defined(__aarch64__)
enum { REGISTERS = 8 };
__asm__(".text\n.globl objc_msgSend\n.type objc_msgSend, %function\nobjc_msgSend:\n"
        "    .cfi_startproc\n    stp x29, x30, [sp, #-16]!\n    .cfi_def_cfa_offset 16\n    .cfi_offset x29, -16\n"
        "    .cfi_offset x30, -8\n    mov x29, sp\n    .cfi_def_cfa_register x29\n    sub sp, sp, #112\n"
        "    stp x0, x1, [sp]\n    stp x2, x3, [sp, #16]\n    stp x4, x5, [sp, #32]\n    stp x6, x7, [sp, #48]\n"
        "    add x9, x29, #16\n    stp x9, x8, [sp, #64]\n    str xzr, [sp, #104]\n    mov x0, sp\n    bl dispatch\n"
        "    ldp x0, x1, [sp, #80]\n    ldr d0, [sp, #96]\n    mov sp, x29\n    ldp x29, x30, [sp], #16\n    ret\n"
        "    .cfi_endproc\n.size objc_msgSend, .-objc_msgSend\n");
#else
#error "the double's message entry is written for x86-64 and AArch64"
#endif

/* ---- Selectors ----------------------------------------------------------------------------------------------- */

/* A selector is its text, once. */
typedef struct selector {
    struct selector *next;
    unsigned sent;
    char text[];
} selector;
static selector *selectors;

DOUBLE_API selector *sel_registerName(const char *text);
selector *sel_registerName(const char *text)
{
    enter();
    selector *s = selectors;
    while (s != NULL && strcmp(s->text, text) != 0) s = s->next;
    if (s == NULL) {
        s = grab(1, sizeof *s + strlen(text) + 1);
        memcpy(s->text, text, strlen(text) + 1);
        s->next = selectors;
        selectors = s;
        bool known = false;
        for (size_t i = 0; i < class_count && !known; ++i) {
            object probe = {.class = classes[i]}, class_probe = {.class = classes[i], .is_class = true};
            known = find_method(&probe, text) != NULL || find_method(&class_probe, text) != NULL;
        }
        if (!known && !state.options.old) complain("no class has a method for the selector %s", text);
    }
    leave();
    return s;
}

const char *selector_text(const void *s)
{
    return ((const selector *)s)->text;
}

void reset_counts(void)
{
    for (selector *s = selectors; s != NULL; s = s->next) s->sent = 0;
}

unsigned double_count(const char *text)
{
    return sel_registerName(text)->sent;
}

__attribute__((destructor)) static void free_selectors(void)
{
    while (selectors != NULL) {
        selector *next = selectors->next;
        free(selectors);
        selectors = next;
    }
}

/* ---- Declarations ---------------------------------------------------------------------------------------------- */

/* "- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options" in parts. */
typedef struct signature {
    bool of_class;
    char selector[160];
    char result[64];
    char args[MAX_ARGS][64];
    size_t arg_count;
} signature;

/* Copies the text between the parentheses that begin at `at`; returns what follows them. */
static const char *read_type(const char *at, char *out, size_t size)
{
    const char *end = strchr(at, ')');
    if (*at != '(' || end == NULL || (size_t)(end - at) > size) abort();
    memcpy(out, at + 1, (size_t)(end - at) - 1);
    out[end - at - 1] = '\0';
    return end + 1;
}

static signature parse(const char *declaration)
{
    signature s = {.of_class = declaration[0] == '+'};
    const char *at = read_type(declaration + 2, s.result, sizeof s.result);
    size_t n = 0;
    while (*at != '\0') {
        size_t part = strcspn(at, ": ");
        bool takes = at[part] == ':';
        memcpy(s.selector + n, at, part + takes);
        n += part + takes;
        if (!takes) break;
        at = read_type(at + part + 1, s.args[s.arg_count++], sizeof s.args[0]);
        at += strcspn(at, " ");
        while (*at == ' ') ++at;
    }
    return s;
}

static bool is_selector(const char *declaration, bool of_class, const char *text)
{
    const signature s = parse(declaration);
    return s.of_class == of_class && strcmp(s.selector, text) == 0;
}

const method *find_method(const object *o, const char *text)
{
    const class_info *const any = find_class("NSObject"), *const from[2] = {o->class, any};
    for (size_t k = 0; k < 2; ++k) {
        for (size_t i = 0; i < from[k]->method_count; ++i) {
            const method *m = &from[k]->methods[i];
            if (m->recent && state.options.old) continue;
            if (is_selector(m->declaration, o->is_class, text)) return m;
        }
    }
    return NULL;
}

/* ---- Arguments --------------------------------------------------------------------------------------------------- */

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), w = strlen(with);
    return n >= w && strcmp(text + n - w, with) == 0;
}

/* The class that an object of this declared type has; "" for any; NULL for what is no object. */
static const char *object_class(const char *type, char *name, size_t size)
{
    if (strcmp(type, "id") == 0 || strcmp(type, "instancetype") == 0) return "";
    const char *from = type, *end = NULL;
    if (strncmp(type, "id<", 3) == 0) {
        from = type + 3;
        end = strchr(from, '>');
    } else if (strcmp(type, "dispatch_data_t") == 0) {
        end = type + strlen(type);
    } else if ((strncmp(type, "NS", 2) == 0 || strncmp(type, "MTL", 3) == 0) && ends(type, "*") && !ends(type, "**")) {
        end = type + strcspn(type, "< *"); /* NSArray<NSString *> * is an NSArray */
    }
    if (end == NULL) return NULL;
    snprintf(name, size, "%.*s", (int)(end - from), from);
    return name;
}

typedef struct cursor {
    const frame *f;
    size_t next_register, next_stack;
} cursor;

static uint64_t next_word(cursor *c)
{
    if (c->next_register < REGISTERS) return c->f->registers[c->next_register++];
    return c->f->stack[c->next_stack++];
}

static value next_argument(cursor *c, const char *type)
{
    value v = {0};
    if (strcmp(type, "MTLSize") == 0) {
#if defined(__x86_64__)
        memcpy(&v.size, &c->f->stack[c->next_stack], sizeof v.size); /* 24 bytes: always on the stack */
        c->next_stack += 3;
#else
        uint64_t address = next_word(c);
        memcpy(&v.size, (const void *)(uintptr_t)address, sizeof v.size);
#endif
        return v;
    }
    v.u = next_word(c);
    if (strcmp(type, "BOOL") == 0) v.u &= 1;
    return v;
}

/* False where a message with these arguments cannot be carried out. */
static bool check_argument(const signature *s, const message *m, size_t i)
{
    char name[64], where[256];
    const char *type = s->args[i], *class = object_class(type, name, sizeof name);
    if (class == NULL) return true;
    const object *o = m->args[i].o;
    snprintf(where, sizeof where, "-[%s %s], argument %zu", m->self->class->name, s->selector, i + 1);
    if (o == NULL) return true;
    if (!is_alive(o, where)) return false;
    if (class[0] == '\0' || is_a(o, class)) return true;
    complain("%s is declared %s and is a %s", where, type, o->class->name);
    return false;
}

static bool owns_result(const char *text)
{
    static const char *const families[] = {"alloc", "new", "init"};
    for (size_t i = 0; i < 3; ++i) {
        size_t n = strlen(families[i]);
        bool word = strncmp(text, families[i], n) == 0 && !(text[n] >= 'a' && text[n] <= 'z');
        if (word) return true;
    }
    return false;
}

static void answer(frame *f, const signature *s, value v, void *indirect)
{
    char name[64];
    bool is_size = strcmp(s->result, "MTLSize") == 0;
    if (is_size) {
        memcpy(indirect, &v.size, sizeof v.size);
        f->result[0] = (uint64_t)(uintptr_t)indirect;
        return;
    }
    f->result[0] = v.u;
    /* A caller that took the wrong type sees rubbish where the convention promises nothing. */
    f->result[1] = 0xDEADDEADDEADDEADu;
    if (strcmp(s->result, "BOOL") == 0) f->result[0] = 0xABABABABABABAB00u | (v.u & 1);
    if (strcmp(s->result, "void") == 0) f->result[0] = 0xDEADDEADDEADDEADu;
    if (strcmp(s->result, "CFTimeInterval") == 0) {
        f->result_real = v.d;
        f->result[0] = 0xDEADDEADDEADDEADu;
    } else if (object_class(s->result, name, sizeof name) != NULL && !owns_result(s->selector)) {
        autorelease(v.o);
    }
}

static void deliver(frame *f, cursor c, object *self, selector *sel, void *indirect)
{
    message m = {.self = self, .selector = sel->text};
    const method *found = find_method(self, sel->text);
    if (found == NULL) {
        complain("%c[%s %s]: the class has no such method", self->is_class ? '+' : '-', self->class->name, sel->text);
        return;
    }
    const signature s = parse(found->declaration);
#if defined(__aarch64__)
    /* x8 holds an address only for a method that returns a struct. */
    if (strcmp(s.result, "MTLSize") == 0) indirect = f->indirect;
#endif
    bool good = (strcmp(s.result, "MTLSize") == 0) == (indirect != NULL);
    if (!good) complain("-[%s %s] returns %s, and was sent as if otherwise", self->class->name, sel->text, s.result);
    for (size_t i = 0; i < s.arg_count; ++i) {
        m.args[i] = next_argument(&c, s.args[i]);
        good = check_argument(&s, &m, i) && good;
    }
    if (good) answer(f, &s, found->run(&m), indirect);
}

/* Entered with the registers of a call of objc_msgSend or objc_msgSend_stret. */
void dispatch(frame *f)
{
    enter();
    cursor c = {.f = f};
    f->result[0] = f->result[1] = 0;
    f->result_real = 0;
    void *indirect = NULL;
#if defined(__x86_64__)
    if (f->by_memory) indirect = (void *)(uintptr_t)next_word(&c);
#endif
    object *self = (object *)(uintptr_t)next_word(&c);
    selector *sel = (selector *)(uintptr_t)next_word(&c);
    bool known = false;
    for (const selector *s = selectors; s != NULL && !known; s = s->next) known = s == sel;
    if (!known) {
        complain("a message with an unknown selector");
    } else {
        ++sel->sent;
        if (self == NULL) complain("%s is sent to nil", sel->text);
        else if (is_alive(self, sel->text)) deliver(f, c, self, sel, indirect);
    }
    leave();
}
