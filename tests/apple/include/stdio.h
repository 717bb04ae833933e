/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_STDIO_H
#define APPLE_STDIO_H

#include <stdarg.h>
#include <sys/types.h>

typedef struct apple_file FILE;
extern FILE *__stdinp, *__stdoutp, *__stderrp;
#define stdin __stdinp
#define stdout __stdoutp
#define stderr __stderrp
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define BUFSIZ 1024
#define _IONBF 2
FILE *fopen(const char *path, const char *mode);
FILE *fdopen(int file, const char *mode);
int fclose(FILE *file);
int fflush(FILE *file);
int ferror(FILE *file);
int feof(FILE *file);
int fileno(FILE *file);
int fseek(FILE *file, long offset, int from);
long ftell(FILE *file);
size_t fread(void *to, size_t size, size_t count, FILE *file);
size_t fwrite(const void *from, size_t size, size_t count, FILE *file);
int fputc(int c, FILE *file);
int fputs(const char *text, FILE *file);
int puts(const char *text);
int putchar(int c);
int getc(FILE *file);
int fprintf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int snprintf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char *to, size_t size, const char *format, va_list args) __attribute__((format(printf, 3, 0)));
int vfprintf(FILE *file, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
int sscanf(const char *from, const char *format, ...) __attribute__((format(scanf, 2, 3)));
int rename(const char *from, const char *to);
int remove(const char *path);
int setvbuf(FILE *file, char *buffer, int mode, size_t size);

#endif
