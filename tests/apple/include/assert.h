/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_ASSERT_H
#define APPLE_ASSERT_H

#ifdef NDEBUG
#define assert(e) ((void)0)
#else
void __assert_rtn(const char *function, const char *file, int line, const char *what) __attribute__((noreturn));
#define assert(e) ((e) ? (void)0 : __assert_rtn(__func__, __FILE__, __LINE__, #e))
#endif

#endif
