/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_STDLIB_H
#define APPLE_STDLIB_H

#include <sys/types.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void *aligned_alloc(size_t align, size_t size);
int posix_memalign(void **out, size_t align, size_t size);
void free(void *block);
void abort(void) __attribute__((noreturn));
void exit(int code) __attribute__((noreturn));
void _Exit(int code) __attribute__((noreturn));
int atexit(void (*call)(void));
char *getenv(const char *name);
int setenv(const char *name, const char *value, int overwrite);
int unsetenv(const char *name);
long strtol(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
int abs(int x);
void qsort(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b));
void *bsearch(const void *key, const void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b));
char *realpath(const char *path, char *out);
int mkstemp(char *path);
char *mkdtemp(char *path);

#endif
