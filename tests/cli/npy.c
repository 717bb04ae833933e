/* Makes and checks .npy files for the command's tests, by its own reader and writer.
 * usage: npy make FILE DTYPE SHAPE RULE...     npy check FILE DTYPE SHAPE TOLERANCE RULE...
 * DTYPE is NumPy's ("<f4"), SHAPE "4,5" (or "" for a scalar); RULE one of
 *   count A B        A * i + B                  list V...          these values
 *   matmul X Y       product of the files       groups X SIZE      sums of SIZE elements of the file
 *   plus X V         the file's elements + V    random             check only: in the ranges of the command's values */
#include <stdint.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct array {
    char dtype[8];
    size_t shape[4], ndim, count;
    double *values;
} array;

static _Noreturn void die(const char *what, const char *more)
{
    fprintf(stderr, "npy: %s: %s\n", what, more);
    exit(1);
}

static double half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double size = exponent == 31  ? (mantissa ? (double)NAN : (double)INFINITY)
                  : exponent == 0 ? ldexp(mantissa, -24)
                                  : ldexp(1024 + mantissa, exponent - 25);
    return bits >> 15 ? -size : size;
}

static double element(const char *dtype, const unsigned char *at)
{
    uint64_t bits = 0;
    int size = dtype[2] - '0';
    for (int i = 0; i < size; i++) bits |= (uint64_t)at[i] << 8 * i;
    if (dtype[1] == 'u' || dtype[1] == 'b') return (double)bits;
    if (dtype[1] == 'i') return (double)(int64_t)bits - (bits >> (8 * size - 1) ? ldexp(1, 8 * size) : 0);
    if (size == 2) return half((uint16_t)bits);
    float single;
    double real;
    uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, 4);
    memcpy(&real, &bits, 8);
    return size == 4 ? (double)single : real;
}

static void put(const char *dtype, double value, FILE *file)
{
    int size = dtype[2] - '0';
    uint64_t bits = dtype[1] == 'f' ? 0 : (uint64_t)(int64_t)value;
    float single = (float)value;
    if (dtype[1] == 'f' && size == 4) memcpy(&bits, &single, 4);
    if (dtype[1] == 'f' && size == 8) memcpy(&bits, &value, 8);
    for (int i = 0; i < size; i++) fputc((int)(bits >> 8 * i & 255), file);
}

static void read_shape(array *a, const char *text)
{
    a->count = 1;
    for (a->ndim = 0; *text && a->ndim < 4; text += *text == ',') {
        while (*text == ' ') text++;
        char *end;
        size_t n = strtoul(text, &end, 10);
        if (end == text) break;
        a->shape[a->ndim++] = n;
        a->count *= n;
        text = end;
    }
    a->values = calloc(a->count + 1, sizeof *a->values);
    if (!a->values) die("out of memory", "");
}

static array load(const char *path)
{
    array a = {.ndim = 0};
    FILE *file = fopen(path, "rb");
    if (!file) die("cannot open", path);
    unsigned char head[10];
    char text[4096];
    if (fread(head, 1, 10, file) != 10 || memcmp(head, "\x93NUMPY\x01", 7) != 0) die("no .npy file of version 1", path);
    size_t size = head[8] | (size_t)head[9] << 8;
    if ((10 + size) % 64 != 0 || size >= sizeof text || fread(text, 1, size, file) != size) die("bad header", path);
    text[size] = '\0';
    const char *descr = strstr(text, "'descr': '"), *shape = strstr(text, "'shape': (");
    if (!descr || !shape || !strstr(text, "'fortran_order': False")) die("bad header", text);
    snprintf(a.dtype, sizeof a.dtype, "%.3s", descr + 10);
    read_shape(&a, shape + 10);
    for (size_t i = 0; i < a.count; i++) {
        unsigned char bytes[8] = {0};
        if (fread(bytes, 1, (size_t)(a.dtype[2] - '0'), file) != (size_t)(a.dtype[2] - '0')) die("cut short", path);
        a.values[i] = element(a.dtype, bytes);
    }
    if (fgetc(file) != EOF) die("has more than its elements", path);
    fclose(file);
    return a;
}

static void save(const array *a, const char *path)
{
    char text[256];
    int at = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", a->dtype);
    for (size_t d = 0; d < a->ndim; d++) at += snprintf(text + at, sizeof text - (size_t)at, "%zu, ", a->shape[d]);
    at += snprintf(text + at, sizeof text - (size_t)at, "), }");
    while ((10 + at + 1) % 64 != 0) text[at++] = ' ';
    text[at++] = '\n';
    FILE *file = fopen(path, "wb");
    if (!file) die("cannot write", path);
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    fputc(at & 255, file);
    fputc(at >> 8, file);
    fwrite(text, 1, (size_t)at, file);
    for (size_t i = 0; i < a->count; i++) put(a->dtype, a->values[i], file);
    if (fclose(file) != 0) die("cannot write", path);
}

static void matmul(array *out, const array *x, const array *y)
{
    size_t m = x->shape[0], k = x->shape[1], n = y->shape[1];
    if (out->count != m * n || y->shape[0] != k) die("shapes do not fit", "matmul");
    for (size_t i = 0; i < m * n; i++) {
        for (size_t j = 0; j < k; j++) out->values[i] += x->values[i / n * k + j] * y->values[j * n + i % n];
    }
}

/* The values that the rule asks for. */
static void make(array *out, int argc, char **argv)
{
    const char *rule = argv[0];
    if (strcmp(rule, "count") == 0 && argc == 3) {
        for (size_t i = 0; i < out->count; i++) out->values[i] = atof(argv[1]) * (double)i + atof(argv[2]);
    } else if (strcmp(rule, "list") == 0 && (size_t)argc == out->count + 1) {
        for (size_t i = 0; i < out->count; i++) out->values[i] = strtod(argv[i + 1], NULL);
    } else if (strcmp(rule, "matmul") == 0 && argc == 3) {
        array x = load(argv[1]), y = load(argv[2]);
        matmul(out, &x, &y);
        free(x.values);
        free(y.values);
    } else if (strcmp(rule, "groups") == 0 && argc == 3) {
        array x = load(argv[1]);
        size_t size = strtoul(argv[2], NULL, 10);
        if (x.count != out->count * size) die("shapes do not fit", "groups");
        for (size_t i = 0; i < x.count; i++) out->values[i / size] += x.values[i];
        free(x.values);
    } else if (strcmp(rule, "plus") == 0 && argc == 3) {
        array x = load(argv[1]);
        if (x.count != out->count) die("shapes do not fit", "plus");
        for (size_t i = 0; i < x.count; i++) out->values[i] = x.values[i] + atof(argv[2]);
        free(x.values);
    } else {
        die("unknown rule", rule);
    }
}

/* Random values keep to their range, differ, and are spread evenly enough. */
static void check_random(const array *a)
{
    double most = a->dtype[1] == 'f' ? 1 : a->dtype[1] == 'b' ? 2 : 10, sum = 0;
    for (size_t i = 0; i < a->count; i++) {
        if (!(a->values[i] >= 0 && a->values[i] < most)) die("a random value is out of its range", a->dtype);
        sum += a->values[i];
    }
    double mean = sum / (double)a->count, wanted = a->dtype[1] == 'f' ? 0.5 : (most - 1) / 2;
    if (fabs(mean - wanted) > most / 10) die("random values lean to one side", a->dtype);
}

static void check(const array *got, const array *wanted, double tolerance)
{
    char text[128];
    for (size_t i = 0; i < wanted->count; i++) {
        double g = got->values[i], w = wanted->values[i];
        bool same = g == w || (isnan(g) && isnan(w)) || fabs(g - w) <= tolerance + tolerance * fabs(w);
        if (same) continue;
        snprintf(text, sizeof text, "element %zu is %.9g, expected %.9g", i, g, w);
        die("wrong value", text);
    }
}

int main(int argc, char **argv)
{
    array wanted = {.ndim = 0};
    if (argc < 6) die("usage", "npy make|check FILE DTYPE SHAPE ...");
    snprintf(wanted.dtype, sizeof wanted.dtype, "%s", argv[3]);
    read_shape(&wanted, argv[4]);
    if (strcmp(argv[1], "make") == 0) {
        make(&wanted, argc - 5, argv + 5);
        save(&wanted, argv[2]);
        free(wanted.values);
        return 0;
    }
    if (argc < 7) die("usage", "npy check FILE DTYPE SHAPE TOLERANCE RULE...");
    array got = load(argv[2]);
    if (strcmp(got.dtype, wanted.dtype) != 0) die("another dtype", got.dtype);
    if (got.ndim != wanted.ndim || memcmp(got.shape, wanted.shape, got.ndim * sizeof *got.shape) != 0)
        die("another shape", argv[2]);
    if (strcmp(argv[6], "random") == 0) {
        check_random(&got);
    } else {
        make(&wanted, argc - 6, argv + 6);
        check(&got, &wanted, atof(argv[5]));
    }
    free(got.values);
    free(wanted.values);
    return 0;
}
