/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_STRING_H
#define APPLE_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *in, int byte, size_t size);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t most);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t most);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t most);
char *strcat(char *to, const char *from);
char *strchr(const char *in, int c);
char *strrchr(const char *in, int c);
char *strstr(const char *in, const char *what);
char *strpbrk(const char *in, const char *any);
size_t strspn(const char *in, const char *any);
size_t strcspn(const char *in, const char *any);
char *strdup(const char *text);
char *strndup(const char *text, size_t most);
char *strerror(int number);
int strerror_r(int number, char *to, size_t size);
char *index(const char *in, int c); /* macOS has it here: names of ours must not be the same */
char *rindex(const char *in, int c);

#endif
