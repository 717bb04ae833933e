/* Fibres: a switch in assembly for x86-64 and AArch64, ucontext elsewhere. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ucontext's names */
#endif
#include "air/fibre.h"

#include <stdint.h>
#include <string.h>

#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__ELF__) && !defined(AIR_UCONTEXT)

/* Saves what the calling convention wants kept on the old stack, and takes it from the new one. */
void air_switch_stacks(void **from, void *to);
void air_start_fibre(void);

#if defined(__x86_64__)
__asm__(".text\n"
        ".hidden air_switch_stacks\n.globl air_switch_stacks\n.type air_switch_stacks,@function\n"
        "air_switch_stacks:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size air_switch_stacks,.-air_switch_stacks\n"
        ".hidden air_start_fibre\n.globl air_start_fibre\n.type air_start_fibre,@function\n"
        "air_start_fibre:\n"
        "    movq %rbx, %rdi\n"
        "    callq *%r12\n"
        "    ud2\n"
        ".size air_start_fibre,.-air_start_fibre\n"
        ".section .note.GNU-stack,\"\",@progbits\n.text\n");

enum { AT_USER = 4, AT_BODY = 3, AT_START = 6 }; /* r15 r14 r13 r12 rbx rbp, then where it returns to */
#else
__asm__(".text\n"
        ".hidden air_switch_stacks\n.globl air_switch_stacks\n.type air_switch_stacks,%function\n"
        "air_switch_stacks:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size air_switch_stacks,.-air_switch_stacks\n"
        ".hidden air_start_fibre\n.globl air_start_fibre\n.type air_start_fibre,%function\n"
        "air_start_fibre:\n"
        "    mov x0, x19\n    blr x20\n    brk #0\n"
        ".size air_start_fibre,.-air_start_fibre\n"
        ".section .note.GNU-stack,\"\",%progbits\n.text\n");

enum { AT_USER = 0, AT_BODY = 1, AT_START = 11 };
#endif

size_t air_fibre_context_bytes(void)
{
    return 0;
}

void air_fibre_prepare(air_fibre *f, void *stack, size_t size, void *context, void (*body)(void *user), void *user)
{
    (void)context;
    uintptr_t top = ((uintptr_t)stack + size) & ~(uintptr_t)63;
    uintptr_t *saved = (uintptr_t *)top - 32; /* keeps the alignment that a call expects */
    memset(saved, 0, 32 * sizeof *saved);
    void (*start)(void) = air_start_fibre;
#if defined(__x86_64__)
    --saved; /* with 7 words popped the stack is at 16 bytes again */
    saved[0] = 0;
#endif
    memcpy(&saved[AT_USER], &user, sizeof user);
    memcpy(&saved[AT_BODY], &body, sizeof body);
    memcpy(&saved[AT_START], &start, sizeof start);
    f->at = saved;
    f->context = NULL;
}

void air_fibre_switch(air_fibre *from, air_fibre *to)
{
    air_switch_stacks(&from->at, to->at);
}

#else
#include <ucontext.h>

size_t air_fibre_context_bytes(void)
{
    return sizeof(ucontext_t);
}

/* makecontext passes ints: the two halves of each pointer. */
static void start(unsigned body_low, unsigned body_high, unsigned user_low, unsigned user_high)
{
    const uintptr_t b = (uintptr_t)body_low | (uintptr_t)((uint64_t)body_high << 32);
    const uintptr_t u = (uintptr_t)user_low | (uintptr_t)((uint64_t)user_high << 32);
    void (*body)(void *);
    memcpy(&body, &b, sizeof body);
    body((void *)u);
}

void air_fibre_prepare(air_fibre *f, void *stack, size_t size, void *context, void (*body)(void *user), void *user)
{
    ucontext_t *c = context;
    uint64_t b = 0, u = (uint64_t)(uintptr_t)user;
    memcpy(&b, &body, sizeof body);
    (void)getcontext(c);
    c->uc_stack.ss_sp = stack;
    c->uc_stack.ss_size = size;
    c->uc_link = NULL;
    makecontext(c, (void (*)(void))start, 4, (unsigned)b, (unsigned)(b >> 32), (unsigned)u, (unsigned)(u >> 32));
    f->context = c;
}

void air_fibre_switch(air_fibre *from, air_fibre *to)
{
    (void)swapcontext(from->context, to->context);
}
#endif
