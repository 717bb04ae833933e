/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_SETJMP_H
#define APPLE_SETJMP_H

typedef int jmp_buf[48];
int setjmp(jmp_buf place);
void longjmp(jmp_buf place, int value) __attribute__((noreturn));

#endif
