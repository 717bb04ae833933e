/* What the core and its optional component libingot-air agree on: one table of functions.
 *
 * The component holds all that needs LLVM: reading AIR (the LLVM bitcode inside a metallib), running its kernels, and
 * making metallibs from MSL text. The core opens it at run time (rt/component.h) and has no link to LLVM. Both are made
 * from one source tree: a component of another version is refused.
 *
 * Every function may be called from any thread, except that a kernel is freed last. Statuses and errors as everywhere. */
#ifndef AIR_AIR_H
#define AIR_AIR_H

#include "base/buf.h"
#include "ingot/ingot.h"
#include "rt/device.h"

enum { AIR_INTERFACE = 5, AIR_MAX_THREADS = 1024, AIR_MAX_THREADGROUP_BYTES = 32768, AIR_MAX_GROUP_SLOTS = 31 };

#define AIR_ENTRY "ingot_air_component"

typedef struct air_kernel air_kernel;

/* The value of a function constant, its bits lowest first. */
typedef struct air_constant {
    uint32_t index;
    uint64_t bits;
} air_constant;

/* Where a kernel comes from. Borrowed for the call. */
typedef struct air_source {
    str bytes;          /* a metallib, or MSL text */
    bool is_text;
    const char *kernel; /* its name */
    const air_constant *constants;
    size_t constant_count;
    bool describe_only; /* nothing is compiled: what the kernel takes is known, and it cannot be run */
    bool unchecked;     /* no bounds checks and no limit on loops: for measuring, with kernels that are known to be right */
} air_source;

typedef enum air_argument_kind { AIR_ARGUMENT_BUFFER, AIR_ARGUMENT_THREADGROUP, AIR_ARGUMENT_TEXTURE, AIR_ARGUMENT_SAMPLER } air_argument_kind;

/* What a launch binds for one of a kernel's parameters, as the module's metadata has it. Texts live as long as the kernel. */
typedef struct air_argument {
    air_argument_kind kind;
    uint32_t slot, count;   /* `count` slots from there on */
    bool constant;          /* of a buffer: constant memory, else device */
    bool reference;         /* one element, which must be there */
    bool reads, writes;
    const char *name, *type;
    uint64_t size, align;   /* of one element */
} air_argument;

typedef struct air_binding {
    void *data; /* NULL: nothing is bound here */
    size_t size;
} air_binding;

/* The device's own textures and samplers, which kernels reach by number: a texture by its slot, a sampler by its slot or, with
 * bit 63, by what it is in bits (mslfront/library/textures.def). A pixel's place is x | y << 32 and z | level << 32, where z counts
 * slices; its four components are 32-bit words of the kind 0 float, 1 signed, 2 unsigned. Each but the last two gives NULL, or why
 * it cannot be done, as in "where nothing is bound"; outside of a texture 0 is read and nothing written. `bound` is the launch's. */
typedef struct air_texel {
    uint64_t texture, xy, zl;
    uint32_t kind;
} air_texel;
typedef struct air_texels {
    const char *(*read)(const void *bound, const air_texel *at, uint32_t out[4]);
    const char *(*write)(const void *bound, const air_texel *at, const uint32_t in[4]);
    /* An emu_atomic on a pixel of one 32-bit integer; `words` is the operand and, in its upper half, what is expected. */
    const char *(*change)(const void *bound, const air_texel *at, uint32_t what, uint64_t words, uint32_t *old);
    uint32_t (*query)(const void *bound, uint64_t texture, uint32_t what, uint32_t level); /* 0 where nothing is bound */
    uint64_t (*sampler)(const void *bound, uint64_t sampler);
} air_texels;

/* A thread and the place in the module where it is; line 0 where the module does not say. `place` numbers the places. */
typedef struct air_where {
    const uint32_t *group, *position; /* three numbers each */
    uint32_t thread;                  /* in the threadgroup */
    uint32_t place, line, column;
    const char *file;
} air_where;

/* Told what the threads do, which run one at a time; slow. */
typedef enum air_touch { AIR_TOUCH_READ, AIR_TOUCH_WRITE, AIR_TOUCH_ATOMIC } air_touch;
typedef enum air_parting { AIR_PARTED_RETURN, AIR_PARTED_OTHER } air_parting;
typedef struct air_watch {
    void *user;
    bool hands_on; /* set by the launch: the kernel has atomic operations and fences of device memory, which may order threadgroups */
    void (*began)(void *user, const uint32_t group[3], const void *memory, size_t size); /* a threadgroup, and its memory */
    void (*touched)(void *user, const air_where *at, const void *p, uint64_t size, air_touch how);
    /* A barrier has been passed: that orders the memories in `flags` (1 device, 2 threadgroup) for the simdgroup of that number, or for
     * all (UINT32_MAX). */
    void (*met)(void *user, uint32_t flags, uint32_t simdgroup);
    /* These end the threadgroup's run: threads waiting at a barrier that others do not come to (`other`: their barrier, or where a thread
     * that has ended was last); any other fault, in words. */
    void (*parted)(void *user, air_parting how, const air_where *at, const air_where *other);
    void (*failed)(void *user, bool bounds, const air_where *at, const char *text);
} air_watch;

typedef struct air_launch {
    air_kernel *kernel;
    const air_texels *texels; /* NULL: there are no textures */
    air_watch *watch;         /* NULL: none */
    const void *bound;
    const air_binding *buffers; /* by slot */
    size_t buffer_count;
    const size_t *threadgroup_lengths; /* bytes, by slot */
    size_t threadgroup_count;
    uint32_t groups[3], threads[3];
    /* Threads of the grid, where it need not be a multiple of the threadgroups: `groups` are then the quotients, rounded
     * up, and those at the end of an axis have only the threads that are left. 0: groups times threads. */
    uint32_t grid[3];
    uint64_t budget;       /* rounds of loops that a threadgroup may go, of vectors of threads where it runs as such; 0: 2^31 */
    uint32_t milliseconds; /* of wall time that the launch may take; 0: any */
    const int *cancel;     /* not 0 (read now and then): the launch stops; NULL: it cannot be told to */
    /* Calls body(user) on several threads and returns when all have returned; NULL: the caller alone. */
    void (*spread)(void *pool, void (*body)(void *user), void *user);
    void *pool;
} air_launch;

/* What a metallib is made for. */
typedef struct air_target {
    const char *text;    /* "macos14.0", "ios17.0"; NULL: macos14.0 */
    unsigned language;   /* major * 100 + minor * 10: 310; 0: what goes with the deployment target */
    bool precise;        /* safe math: no fast_ forms where the text does not ask for them */
} air_target;

typedef struct air_component {
    uint32_t interface;
    const char *version; /* of Ingot */
    const char *llvm;    /* of LLVM, as "15.0.6" */

    /* LLVM text of the modules of a metallib, of one kernel's where `kernel` is not NULL, with a readable signature of
     * each function before it. */
    ingot_status (*disassemble)(const ingot_allocator *mem, str bytes, const char *kernel, buf *out, ingot_error *error);

    /* Compiles a kernel for this processor. */
    ingot_status (*load)(const ingot_allocator *mem, const air_source *source, air_kernel **out, ingot_error *error);
    void (*free)(air_kernel *kernel);
    const rt_kernel_info *(*info)(const air_kernel *kernel);

    /* The bound arguments in the order of the parameters; false past the last. */
    bool (*argument)(const air_kernel *kernel, size_t index, air_argument *out);

    /* Runs a kernel to its end. INGOT_DEVICE for a fault of the kernel's. */
    ingot_status (*run)(const air_launch *launch, ingot_error *error);

    /* Makes a metallib of all kernels of an MSL text. `diagnostics` (may be NULL) gets what was found, rendered. */
    ingot_status (*build)(const ingot_allocator *mem, str text, str name, const air_target *target, buf *out,
                          buf *diagnostics, ingot_error *error);
} air_component;

#endif
