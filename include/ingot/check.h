/* Checks of what kernels do on the software Metal device, and what they found. Included by ingot.h, whose rules hold here
 * too; docs/check.md says what each check finds.
 */
#ifndef INGOT_CHECK_H
#define INGOT_CHECK_H

#include "ingot/ingot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, name): the checks, in the order in which they are listed to people. A mask of checks has the bit
 * 1 << INGOT_CHECK_NAME of each. BOUNDS, BARRIER and WATCHDOG are looked at in any case. */
#define INGOT_CHECK_LIST(X)                                                                                            \
    X(BOUNDS, "bounds")                                                                                                \
    X(ALIGNMENT, "alignment")                                                                                          \
    X(RACE, "race")                                                                                                    \
    X(BARRIER, "barrier")                                                                                              \
    X(UNINITIALISED, "uninitialised")                                                                                  \
    X(NUMERICS, "numerics")                                                                                            \
    X(LIMITS, "limits")                                                                                                \
    X(LAUNCH, "launch")                                                                                                \
    X(WATCHDOG, "watchdog")

typedef enum ingot_check {
#define INGOT_CHECK_ROW(NAME, name) INGOT_CHECK_##NAME,
    INGOT_CHECK_LIST(INGOT_CHECK_ROW)
#undef INGOT_CHECK_ROW
        INGOT_CHECKS
} ingot_check;
#define INGOT_CHECK_ALL ((1U << INGOT_CHECKS) - 1)

/* "bounds"; what the check finds, in words. Never NULL. Any thread. */
INGOT_API const char *ingot_check_name(ingot_check check);
INGOT_API const char *ingot_check_text(ingot_check check);

/* A mask from names: "all", "bounds,race", "all,-numerics" (left to right). INGOT_VALUE for a name that is none. */
INGOT_API INGOT_MUST_USE ingot_status ingot_check_parse(const char *text, unsigned *out, ingot_error *error);

/* What the checks can find: stable names of rules, each with one sentence on how to fix it. False past the last one. Any
 * thread. */
typedef struct ingot_rule {
    const char *name; /* "race-in-threadgroup" */
    ingot_check check;
    const char *fix;
} ingot_rule;
INGOT_API int ingot_check_rule(size_t index, ingot_rule *out);

/* A place in a text and the thread that was there. */
typedef struct ingot_place {
    const char *file, *text;           /* text: the whole line, without its end */
    uint32_t line, column, end_column; /* from 1, in characters; [column, end_column). line 0: there is no place */
    int has_thread;                    /* zero: the fields below mean nothing */
    uint32_t thread[3], threadgroup[3]; /* position in the threadgroup; of the threadgroup in the grid */
    uint32_t index;                     /* of the thread in its threadgroup, linear */
    uint32_t simdgroup, lane;           /* of the threadgroup; of the simdgroup */
} ingot_place;

typedef enum ingot_memory {
    INGOT_MEMORY_NONE,        /* the finding is not about memory */
    INGOT_MEMORY_BUFFER,      /* [[buffer(index)]] */
    INGOT_MEMORY_LENGTH,      /* [[threadgroup(index)]] */
    INGOT_MEMORY_THREADGROUP, /* a threadgroup variable of the kernel */
    INGOT_MEMORY_THREAD,      /* a variable of each thread */
    INGOT_MEMORY_CONSTANT,    /* constant data of the text */
    INGOT_MEMORY_RESOURCE,    /* a buffer reached by an address in another one */
    INGOT_MEMORY_TEXTURE      /* [[texture(index)]]; the element is y * width + x of the texel */
} ingot_memory;

/* Something that a check found. Pointers live as long as the checker that it was asked of, until that is cleared. */
typedef struct ingot_finding {
    ingot_check check;
    const char *rule;
    const char *kernel;
    const char *message; /* one line, without places */
    const char *fix;     /* one sentence */
    ingot_place first;   /* where it was noticed */
    ingot_place second;  /* what it is about too: the other access, the branch that parted the threads; line 0: none */
    ingot_memory memory;
    const char *buffer;  /* the memory's name; "" for NONE */
    uint32_t index;      /* of a BUFFER, LENGTH, RESOURCE or TEXTURE */
    int64_t byte;        /* where in the memory the access lies; may be outside */
    int64_t element;
    uint32_t size;       /* bytes of the access */
    uint64_t memory_size;
    int64_t distance;    /* out of bounds: bytes before the memory (negative) or past it; else 0 */
    uint64_t times;      /* how often these places met so */
} ingot_finding;

/* As text with both source lines under carets, the threads, and the fix; `colour` non-zero adds terminal colours. */
INGOT_API INGOT_MUST_USE ingot_status ingot_finding_format(const ingot_finding *finding, int colour, ingot_text **out,
                                                           ingot_error *error);

typedef struct ingot_checker_options {
    size_t struct_size;    /* set by INGOT_CHECKER_OPTIONS_INIT; lets the struct grow */
    unsigned checks;       /* a mask */
    size_t max_findings;   /* kept; further ones are only counted. 0 = 64 */
    int stop;              /* non-zero: stop a launch at its first finding */
    const char *target;    /* whose limits hold, as ingot_target_parse; NULL = the device's own */
    uint64_t seed;         /* of the order in which threadgroups and simdgroups run; 0 = in the order of the grid */
    uint64_t budget;       /* instructions a threadgroup may take before it counts as endless; 0 = 2^31 */
    uint32_t milliseconds; /* of time that one launch may take; 0 = any */
    const int *cancel;     /* launches stop soon after this is not 0; a signal handler may set it. May be NULL */
} ingot_checker_options;

#define INGOT_CHECKER_OPTIONS_INIT {sizeof(ingot_checker_options), INGOT_CHECK_ALL, 0, 0, 0, 0, 0, 0, 0}

/* Collects what is found while work runs that it is given to. One thread at a time, and one stream or command buffer that
 * runs; must outlive these. */
typedef struct ingot_checker ingot_checker;

INGOT_API INGOT_MUST_USE ingot_status ingot_checker_create(const ingot_checker_options *options,
                                                           const ingot_allocator *allocator, ingot_checker **out,
                                                           ingot_error *error);
INGOT_API void ingot_checker_release(ingot_checker *checker);
INGOT_API size_t ingot_checker_count(const ingot_checker *checker);
/* Fills *out, in the order of launches, then of the grid; INGOT_NOT_FOUND past the end. */
INGOT_API ingot_status ingot_checker_finding(const ingot_checker *checker, size_t index, ingot_finding *out);
/* Findings past max_findings. */
INGOT_API uint64_t ingot_checker_dropped(const ingot_checker *checker);
INGOT_API void ingot_checker_clear(ingot_checker *checker);

/* Checks the launches of a stream from now on (NULL: no more). A launch that is checked fails only where it was stopped.
 * Attach it before the device's buffers are made, so that reads of what nobody wrote are seen. INGOT_UNSUPPORTED where the
 * stream's device runs no checks. */
INGOT_API INGOT_MUST_USE ingot_status ingot_stream_check(ingot_stream *stream, ingot_checker *checker, ingot_error *error);

/* What runs the launches of a software device from now on: "vm" (the default), its bytecode machine; "native", native code that
 * libingot-air makes of a kernel's text; "auto", native code for kernels whose work is worth making it, the bytecode machine for
 * all others. Results are the same bits. With "native" a launch that is more than plain (with checks, a profile, a seeded
 * order), a kernel that native code cannot do, or a machine without libingot-air is INGOT_UNSUPPORTED; with "auto" the bytecode
 * machine runs it. A device starts with what INGOT_ENGINE in the environment says. INGOT_VALUE for another word, INGOT_UNSUPPORTED
 * for another kind of device. Any thread. */
INGOT_API INGOT_MUST_USE ingot_status ingot_device_engine(ingot_device *device, const char *engine, ingot_error *error);

#ifdef __cplusplus
}
#endif

#endif
