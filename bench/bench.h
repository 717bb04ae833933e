/* What the benchmarks share: a clock, medians, results. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stddef.h>
#include <stdio.h>

#include "ingot/ingot.h"

/* Seconds of a clock that only goes forward. */
double bench_now(void);
/* Seconds of processor time that the process has used, all its threads: what a busy machine stretches least. */
double bench_cpu(void);

/* The median of `count` values, which are sorted by it. */
double bench_median(double *values, size_t count);

/* Calls `body(user)` once to warm up and then again and again: at least `least` times, at most 1,000 times, and within
 * those for `seconds`. The median of one call by `clock`. */
double bench_time(void (*body)(void *user), void *user, double (*clock)(void), size_t least, double seconds);

/* Processor time in seconds of calling `body(user)` once in a fresh copy of this process: with all that the memory it
 * touches for the first time costs. */
double bench_first(void (*body)(void *user), void *user);

/* Ends the program with what failed, unless `status` is INGOT_OK. */
void bench_check(ingot_status status, const ingot_error *error, const char *what);

/* The whole file under bench/programs, NUL-terminated; for free(). */
char *bench_program(const char *root, const char *name, size_t *size);

/* Figures go out as they are made: a line of the table to standard output, and a member of one JSON object. */
typedef struct bench_report {
    FILE *json;
    int some;
} bench_report;

/* `unit` ends the key too: "seed_compile_ms". */
void bench_figure(bench_report *r, const char *key, const char *what, double value, const char *unit);

/* The parts. */
void bench_compile(bench_report *r, const char *root);
void bench_metal(bench_report *r);
void bench_launch(bench_report *r, const char *root, unsigned threads);
void bench_work(bench_report *r, const char *root, unsigned threads);

/* The same work as plain loops over [begin, end) of the output (built with -O3 -march=native). */
void native_add_one(const float *a, float *b, size_t begin, size_t end);
void native_matmul(const float *a, const float *b, float *c, size_t n, size_t begin, size_t end);
void native_reduce(const float *a, float *b, size_t begin, size_t end);

#endif
