/* What Ingot uses of this header, as POSIX and C have it: for checking syntax against Apple targets without an SDK. */
#ifndef APPLE_UNISTD_H
#define APPLE_UNISTD_H

#include <sys/types.h>

#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
#define _SC_NPROCESSORS_ONLN 58
#define _SC_PAGESIZE 29
extern char **environ;
int access(const char *path, int mode);
int close(int file);
int dup(int file);
int dup2(int file, int as);
int pipe(int ends[2]);
ssize_t read(int file, void *to, size_t size);
ssize_t write(int file, const void *from, size_t size);
off_t lseek(int file, off_t offset, int from);
int unlink(const char *path);
int rmdir(const char *path);
int isatty(int file);
int fsync(int file);
pid_t getpid(void);
pid_t fork(void);
int execvp(const char *file, char *const arguments[]);
long sysconf(int name);
void _exit(int code) __attribute__((noreturn));

#endif
