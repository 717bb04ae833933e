/* Findings: what the checks of a run report.
 *
 * For callers: fill emu_launch.checks with a mask of checks and emu_launch.findings with a collector made by
 * emu_findings_make. After emu_run the collector holds what was found, in the order of the grid (threadgroup by
 * threadgroup, then in the order met), each pair of places in the text once, with `times` as a count. Nothing in a finding
 * points into the library or the launch; all stay until emu_findings_free. One collector can take several launches. A
 * finding of RACE across threadgroups may name another pair of threads when a pool runs the launch; all else, and all of
 * it without a pool, is the same in each run.
 *
 * Without a collector the first finding stops the launch and is emu_run's error. With one, emu_run answers INGOT_OK where
 * the launch ran to its end, whatever was found; INGOT_DEVICE where it was stopped (emu_launch.stop, the watchdog, a
 * cancelled launch). A threadgroup whose threads part at a barrier ends there; the others run on.
 */
#ifndef EMU_FINDING_H
#define EMU_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/buf.h"

typedef enum emu_check {
#define EMU_CHECK_ROW(ID, name, what) EMU_CHECK_##ID,
#include "emu/checks.def"
#undef EMU_CHECK_ROW
    EMU_CHECKS
} emu_check;
#define EMU_CHECK_ALL ((1u << EMU_CHECKS) - 1)

typedef enum emu_rule {
#define EMU_RULE(ID, check, name, fix) EMU_FAULT_##ID,
#include "emu/rules.def"
#undef EMU_RULE
    EMU_RULES
} emu_rule;

/* "bounds", "race" ...; what it finds, in words. */
const char *emu_check_name(emu_check check);
const char *emu_check_what(emu_check check);
/* The check of that name; false where there is none. */
bool emu_check_find(str name, emu_check *out);

/* A mask from a list of names with commas between; "all" is every one, "" or NULL none. INGOT_VALUE names what is none. */
INGOT_MUST_USE ingot_status emu_checks_parse(str list, unsigned *out, ingot_error *error);

/* "out-of-bounds" ...; the check it belongs to; one sentence on how to fix it. */
const char *emu_rule_name(emu_rule rule);
emu_check emu_rule_check(emu_rule rule);
const char *emu_rule_fix(emu_rule rule);

/* Is it a race between plain accesses, of whatever reach? */
bool emu_rule_is_plain_race(emu_rule rule);

/* A place in the text and the thread that was there. Strings end with NUL and live as long as the finding. */
typedef struct emu_place {
    const char *file, *text;           /* text: the whole line, without its end */
    uint32_t line, column, end_column; /* from 1, in characters; [column, end_column). line 0: no place */
    bool has_thread;
    uint32_t thread[3], group[3]; /* position in the threadgroup; of the threadgroup in the grid */
    uint32_t index;               /* of the thread in its threadgroup, linear */
    uint32_t simdgroup, lane;     /* of the threadgroup; of the simdgroup */
} emu_place;

/* What kind of memory `buffer` names. */
typedef enum emu_memory {
    EMU_MEMORY_NONE,       /* the finding is not about memory */
    EMU_MEMORY_DEVICE,     /* [[buffer(slot)]], device or constant */
    EMU_MEMORY_ARGUMENT,   /* [[threadgroup(slot)]] */
    EMU_MEMORY_THREADGROUP, /* a variable of the kernel */
    EMU_MEMORY_THREAD,
    EMU_MEMORY_CONSTANT,   /* data of the text */
    EMU_MEMORY_RESOURCE,   /* number `slot` of the launch's resources */
    EMU_MEMORY_TEXTURE     /* [[texture(slot)]]; the element is y * width + x of the texel */
} emu_memory;

typedef struct emu_finding {
    emu_check check;
    emu_rule rule;
    const char *kernel;
    const char *message; /* one line without places: "write of 4 bytes at byte 64 of buffer 'out' ..." */
    const char *fix;     /* one sentence */
    emu_place first;     /* where it was noticed: for races the later access in the order run, for barriers the barrier */
    emu_place second;    /* the other access, what parted the threads, the other barrier; line 0: none */
    emu_memory memory;
    const char *buffer;  /* name of the memory; "" where memory is NONE */
    uint32_t slot;       /* DEVICE, ARGUMENT, RESOURCE, TEXTURE */
    int64_t byte;        /* of the access in its memory; may lie outside */
    int64_t element;     /* byte / bytes of an element */
    uint32_t size;       /* bytes of the access */
    uint64_t memory_size;
    int64_t distance;    /* BOUNDS: bytes by which the access lies before (negative) or past the memory; else 0 */
    uint64_t times;      /* how often these two places met so */
    char *store;         /* internal: what the strings lie in */
    size_t store_size;
} emu_finding;

/* One thread at a time, but for the launch that fills it. */
typedef struct emu_findings {
    const ingot_allocator *mem;
    emu_finding *at;
    size_t n, cap;
    size_t most;      /* kept; what is found beyond that is counted in `dropped` */
    uint64_t dropped;
    bool failed;      /* out of memory: some were lost */
} emu_findings;

/* An empty collector; `mem` NULL for the C library's, `most` 0 for 64. Never fails. */
emu_findings emu_findings_make(const ingot_allocator *mem, size_t most);
void emu_findings_free(emu_findings *findings);

/* Copies `f` (times counted together) unless the same rule was met at the same places in the same memory before.
 * `f` stays the caller's. False where memory ran out. */
bool emu_findings_add(emu_findings *findings, const emu_finding *f);

/* As text, each place with its line and caret:
 *   file:line:column: race: message
 *      12 | source line
 *         |     ^~~~
 *         thread (1, 0, 0) of threadgroup (0, 0, 0), simdgroup 0, lane 1
 *   file:line:column: note: ...
 *   fix: ...
 * `colour` adds terminal escapes. */
void emu_finding_render(const emu_finding *f, bool colour, buf *out);

#endif
