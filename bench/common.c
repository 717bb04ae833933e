/* Clock, medians, files and the report of the benchmarks. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double bench_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double bench_time(void (*body)(void *user), void *user, double (*clock)(void), size_t least, double seconds)
{
    enum { MOST = 1000 };
    double times[MOST], began = bench_now();
    size_t count = 0;
    body(user);
    while (count < MOST && (count < least || bench_now() - began < seconds)) {
        double before = clock();
        body(user);
        times[count++] = clock() - before;
    }
    return bench_median(times, count);
}

double bench_first(void (*body)(void *user), void *user)
{
    int ends[2];
    double seconds = 0;
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0) {
        double before = bench_cpu();
        body(user);
        seconds = bench_cpu() - before;
        _exit(write(ends[1], &seconds, sizeof seconds) == sizeof seconds ? 0 : 1);
    }
    int status = 1;
    if (child < 0 || read(ends[0], &seconds, sizeof seconds) != sizeof seconds || waitpid(child, &status, 0) < 0 || status != 0) {
        fprintf(stderr, "bench: a child of the process failed\n");
        exit(1);
    }
    close(ends[0]);
    close(ends[1]);
    return seconds;
}

void bench_check(ingot_status status, const ingot_error *error, const char *what)
{
    if (status == INGOT_OK) return;
    fprintf(stderr, "bench: %s: %s\n", what, error->message[0] ? error->message : ingot_status_text(status));
    exit(1);
}

char *bench_program(const char *root, const char *name, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/bench/programs/%s", root, name);
    FILE *file = fopen(path, "rb");
    char *text = malloc(65536);
    if (!file || !text) {
        fprintf(stderr, "bench: cannot read %s\n", path);
        exit(1);
    }
    *size = fread(text, 1, 65535, file);
    text[*size] = '\0';
    fclose(file);
    return text;
}

void bench_figure(bench_report *r, const char *key, const char *what, double value, const char *unit)
{
    printf("  %-74s %12.4g %s\n", what, value, unit);
    fflush(stdout);
    fprintf(r->json, "%s\n  \"%s\": %.6g", r->some ? "," : "{", key, value);
    r->some = 1;
}
