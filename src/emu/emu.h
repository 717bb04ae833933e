/* The software Metal device: MSL text to kernels, and kernels over grids of threadgroups.
 *
 * Semantics where MSL leaves them open, the same on every machine, instruction set and number of worker threads:
 *  - Integers wrap. Shift counts are taken modulo the width. x / 0 has all bits set, x % 0 is x, INT_MIN / -1 is
 *    INT_MIN and INT_MIN % -1 is 0. Float to integer saturates, NaN gives 0.
 *  - Floats are IEEE single, denormals kept; nothing is contracted or re-associated (but see emu_math). half and bfloat
 *    operations round once. fma() is fused. Which NaN comes out of an operation on NaNs is not defined.
 *  - Threadgroup memory is filled with 0xFF (NaN, or -1) before each threadgroup, as are thread variables declared
 *    without a value.
 *  - A simdgroup has 32 lanes. Of shuffles, a source lane outside the simdgroup gives the lane's own value, an inactive
 *    one gives 0.
 *  - Writes of one store instruction to one address happen in the order of the threads: the last one stays.
 *  - Order between threadgroups is not defined, so float atomics may differ in rounding from run to run.
 */
#ifndef EMU_EMU_H
#define EMU_EMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "emu/finding.h"
#include "emu/profile.h"
#include "emu/texture.h"
#include "mslfront/tree.h"

enum {
    EMU_MAX_BUFFERS = 31,            /* [[buffer(0)]] to [[buffer(30)]] */
    EMU_MAX_THREADGROUP_ARGS = 31,   /* [[threadgroup(n)]] */
    EMU_MAX_RESOURCES = 4096,
    EMU_MAX_THREADS = 1024,          /* of a threadgroup */
    EMU_MAX_THREADGROUP_BYTES = 32768,
    EMU_SIMD_WIDTH = 32
};

/* The kernels of one text. Immutable once made, any thread; its kernels live as long. */
typedef struct emu_library emu_library;
typedef struct emu_kernel emu_kernel;

/* Worker threads that stay. Any thread; launches through one pool take turns. */
typedef struct emu_pool emu_pool;

/* A text and how to read it. */
typedef struct emu_source {
    str text, name;            /* `name` stands for the file in messages */
    const mf_options *options; /* NULL: the defaults. The headers that its hook hands out live as long as the library */
    void (*on_diags)(void *user, const diag_list *diags); /* all that is said of the text, warnings too; may be NULL */
    void *user;
} emu_source;

/* Reads and checks a text. On failure NULL in *out, and `error` has the first error. `on_diags` is called once, whatever
 * comes out, but not when memory runs out. */
INGOT_MUST_USE ingot_status emu_library_read(const ingot_allocator *mem, const emu_source *source, emu_library **out,
                                             ingot_error *error);

/* The same with the default options; `diagnostics` (may be NULL) gets everything that is said, rendered. */
INGOT_MUST_USE ingot_status emu_library_compile(const ingot_allocator *mem, str text, str name, emu_library **out,
                                                buf *diagnostics, ingot_error *error);
/* NULL is fine. No launch may be running. */
void emu_library_free(emu_library *library);

size_t emu_library_kernel_count(const emu_library *library);
const emu_kernel *emu_library_kernel(const emu_library *library, size_t index);
/* The kernel of that name, or NULL. */
const emu_kernel *emu_library_find(const emu_library *library, str name);

typedef enum emu_arg_kind {
    EMU_ARG_DEVICE,     /* pointer or reference to device memory */
    EMU_ARG_CONSTANT,   /* pointer or reference to constant memory: a buffer, or bytes of the launch */
    EMU_ARG_THREADGROUP, /* threadgroup memory whose length the launch gives */
    EMU_ARG_TEXTURE,     /* `type` as MSL spells it; `count` of them from `slot` on */
    EMU_ARG_SAMPLER,
    EMU_ARG_VALUE        /* of members alone: data in the structure itself */
} emu_arg_kind;

typedef struct emu_arg {
    const char *name;
    emu_arg_kind kind;
    uint32_t slot;      /* the n of [[buffer(n)]], [[threadgroup(n)]], [[texture(n)]] or [[sampler(n)]] */
    uint32_t count;     /* slots from there on: of an array of textures or samplers its length, else 1 */
    bool is_reference;  /* T &: at least one element must be there */
    bool is_const;      /* the kernel cannot write through it */
    bool is_read;       /* some access of the kernel may read it ... */
    bool is_written;    /* ... or write it, atomics included; neither: it is not used */
    bool is_named;      /* some access is of this argument for sure, not of one of several */
    const char *type;   /* of the element, as MSL spells it: "float", "half4", "main_kernel_args_t" */
    uint64_t elem_size; /* bytes; 1 for void */
    uint32_t elem_align;
    span at;            /* of the parameter's name */
    emu_texture_type texture_type; /* TEXTURE: what has to be bound ... */
    emu_pixel_class texture_class; /* ... and what its format has to be read as */
    DLDataType dtype;   /* of a scalar or vector (atomics as their scalar); bits 0 where the element is something else */
    const struct emu_member *members; /* of a buffer of structures, else none */
    size_t member_count;
} emu_arg;

/* DEVICE and CONSTANT members are addresses of what is described; `slot` counts the members. */
typedef struct emu_member {
    emu_arg arg;
    uint64_t offset; /* bytes from the structure's first */
} emu_member;

typedef struct emu_kernel_info {
    const char *name;
    const emu_arg *args; /* in the order of the parameters, inputs such as thread positions left out */
    size_t arg_count;
    uint64_t threadgroup_bytes; /* static */
    uint32_t max_threads;       /* of a threadgroup: as the text says, else EMU_MAX_THREADS */
} emu_kernel_info;

/* A function constant of the text. */
typedef struct emu_constant_info {
    str name;
    uint32_t index;
    const mf_type *type;
    bool is_given; /* the options had a value for it; a kernel that reads one without cannot run */
} emu_constant_info;
/* False past the last one, in order of declaration. Lives as long as the library. */
bool emu_library_constant(const emu_library *library, size_t index, emu_constant_info *out);

/* Lives as long as the kernel. */
const emu_kernel_info *emu_kernel_describe(const emu_kernel *kernel);
/* Where in the text and its headers a span of the kernel's begins; the file's name is NUL-terminated. */
source_pos emu_kernel_place(const emu_kernel *kernel, span at);

/* Starts `threads` - 1 workers (the caller of a launch is one); 0 means one a processor. NULL when out of memory. */
emu_pool *emu_pool_create(const ingot_allocator *mem, unsigned threads);
void emu_pool_free(emu_pool *pool);
unsigned emu_pool_threads(const emu_pool *pool);

typedef struct emu_binding {
    void *data; /* NULL: nothing is bound here */
    size_t size; /* bytes */
} emu_binding;

/* What a pointer kept in a buffer (of an argument buffer's structure, say) looks like to the kernel: the address of a byte of
 * the launch's `resources`, 8 bytes. 0 is the null pointer. A texture or sampler there is its slot as a 64-bit number. */
static inline uint64_t emu_resource_address(size_t resource, uint64_t offset)
{
    return (uint64_t)(0x8000 | resource) << 48 | (offset & 0xFFFFFFFFFFFF);
}

/* How floats are computed. */
typedef enum emu_math {
    EMU_MATH_SAFE,    /* as written, IEEE single */
    EMU_MATH_RELAXED, /* sums and products are re-associated as the seed has it, a * b + c is contracted to fma, and exp, log,
                       * log10, pow and tanh (but precise::) are made of exp2 and log2, so that tanh of more than 44 is NaN */
    EMU_MATH_FAST     /* the same; and tests for NaN and infinity are answered as if there were none, denormals are flushed
                       * to 0 (on x86 and AArch64) */
} emu_math;

/* What runs a kernel. Both give the same bits where floats are computed safely. */
typedef enum emu_engine {
    EMU_ENGINE_VM,     /* the bytecode machine */
    EMU_ENGINE_NATIVE, /* native code, or an error: it needs the AIR component, and runs plain launches */
    EMU_ENGINE_AUTO    /* native code where it can be and a kernel's work is worth making it */
} emu_engine;

/* "vm", "native", "auto"; nothing is the first. INGOT_VALUE for another word. */
ingot_status emu_engine_parse(const char *name, emu_engine *out, ingot_error *error);
/* What INGOT_ENGINE in the environment says. */
ingot_status emu_engine_default(emu_engine *out, ingot_error *error);

/* os_log's levels, in the order of MTLLogLevel. */
typedef enum emu_log_level { EMU_LOG_DEBUG, EMU_LOG_INFO, EMU_LOG_NOTICE, EMU_LOG_ERROR, EMU_LOG_FAULT } emu_log_level;

/* A message that a kernel has logged. Strings end with NUL and live as long as the call. */
typedef struct emu_log_message {
    emu_log_level level;
    const char *subsystem, *category, *text, *kernel, *file;
    uint32_t line, column;
    uint32_t thread[3], group[3]; /* position in the threadgroup; of the threadgroup in the grid */
} emu_log_message;

/* Where the messages of a launch go. They are handed out when it ends, also by a fault: threadgroup by threadgroup in the order
 * run (which the seed says), within each in the order met, thread after thread; the same in every run. */
typedef struct emu_logging {
    void (*say)(void *user, const emu_log_message *message);
    void (*full)(void *user); /* further messages were dropped; may be NULL */
    void *user;
    size_t bytes;        /* messages kept, with some 64 bytes for each; 0: 1 MiB */
    emu_log_level least; /* lower ones are dropped */
} emu_logging;

/* What a target has room for; the device's own limits hold in any case. */
typedef struct emu_limits {
    const char *target; /* for messages */
    uint32_t threads;   /* of a threadgroup */
    uint32_t buffers;   /* [[buffer(n)]] with n below this */
    uint64_t threadgroup_bytes;
} emu_limits;

typedef struct emu_launch {
    const emu_kernel *kernel;
    const emu_binding *buffers; /* by slot; bytes of the launch (setBytes) are bound the same way */
    size_t buffer_count;
    const size_t *threadgroup_lengths; /* bytes, by slot */
    size_t threadgroup_count;
    const emu_texture *textures; /* by slot */
    size_t texture_count;
    const emu_sampler *samplers; /* by slot */
    size_t sampler_count;
    const emu_binding *resources; /* further memory, reached by addresses that lie in buffers: see emu_resource_address */
    size_t resource_count;        /* at most EMU_MAX_RESOURCES */
    uint32_t groups[3];  /* threadgroups in the grid; any 0 runs nothing */
    uint32_t threads[3]; /* threads of a threadgroup */
    /* Threads of the grid, where it need not be a multiple of the threadgroups: `groups` are then the quotients, rounded
     * up, and threadgroups at the end of an axis have only the threads that are left. All 0: groups times threads. */
    uint32_t grid[3];
    emu_pool *pool;      /* NULL runs on the caller alone */
    uint64_t budget;     /* instructions one batch of threadgroups may take before it counts as endless; 0: 2^31, which a
                          * loop that does nothing takes in some 15 seconds */
    /* All below: 0 is the plain run. */
    uint32_t milliseconds;   /* of wall time that the launch may take; 0: any */
    const int *cancel;       /* the launch stops soon after this is not 0 (read atomically; a signal handler may set it) */
    /* By slot, NULL for none: one byte for each byte of the buffer, 0 where nobody has written it yet; the launch sets
     * those that the kernel writes. The caller's, kept from launch to launch. Looked at by the check UNINITIALISED only;
     * without it all bytes of buffers hold data. NULL: no slot has one. */
    uint8_t *const *written;
    uint8_t *const *resource_written, *const *texture_written; /* the same of resources by number, and of textures by slot */
    unsigned checks;         /* mask of checks, see finding.h; bounds and barriers are looked at in any case */
    emu_findings *findings;  /* collects; NULL: the first finding is the error */
    bool stop;               /* at the first finding, although they are collected */
    /* Of the order in which threadgroups run and the simdgroups of each: every seed is an order of its own, the same in each
     * run without a pool. 0: in the order of the grid, simdgroups in step (or, in kernels that may wait for one another by
     * atomics, in turns). Math modes other than safe take from it what they re-associate. */
    uint64_t seed;
    emu_math math;
    const emu_limits *limits; /* what the check LIMITS holds the launch to; NULL: the device's */
    emu_engine engine;
    const emu_logging *logging; /* NULL: what kernels log is dropped */
    emu_profile *profile;     /* counts what the launch costs, on the caller's thread; NULL: not */
} emu_launch;

/* How launches are checked, for those above that make them: everything of an emu_launch that is about it. */
typedef struct emu_checking {
    unsigned checks;
    emu_findings *findings;
    bool stop;
    uint64_t seed, budget;
    uint32_t milliseconds;
    const int *cancel;
    const emu_limits *limits;
} emu_checking;

/* Puts it into a launch; NULL leaves the launch as it is. */
static inline void emu_launch_check(emu_launch *l, const emu_checking *c)
{
    if (c == NULL) return;
    l->checks = c->checks;
    l->findings = c->findings;
    l->stop = c->stop;
    l->seed = c->seed;
    l->budget = c->budget;
    l->milliseconds = c->milliseconds;
    l->cancel = c->cancel;
    l->limits = c->limits;
}

/* The checks that need no run, LIMITS and LAUNCH, as far as `launch->checks` asks for them and there is a collector. emu_run
 * does this first; a launch that it then refuses is still its error. False when memory ran out. */
bool emu_check_launch(const emu_launch *launch);

/* Runs a kernel to its end. INGOT_DEVICE for a fault in the kernel (the first in the order of the threadgroups; what
 * other threadgroups wrote by then stays written), INGOT_VALUE or INGOT_LIMIT where the launch does not fit the kernel.
 * With a collector see finding.h. Any thread. */
INGOT_MUST_USE ingot_status emu_run(const emu_launch *launch, ingot_error *error);

/* Names of the instruction sets this build and machine can run ("sse2", "avx2" ...), best last; NULL past the end. */
const char *emu_isa_name(unsigned index);
/* Makes launches use the set of that index from now on: for tests that compare them. */
void emu_isa_select(emu_library *library, unsigned index);

#endif
