/* Ingot: TVMScript to Metal, and a software Metal device to run it on.
 *
 * The whole public C API, with check.h, profile.h and metal.h, which it includes. C99 and C++11 clean; links against libingot, libm and pthreads.
 *
 * Rules that hold everywhere:
 *  - Parameters come in the order: subject, inputs, options, out, error. After a failure `*out` is
 *    NULL and nothing is half made.
 *  - What a call hands back through `out` belongs to the caller and goes back through the type's
 *    _release. What a call is given it copies, if it keeps it.
 *  - Strings in are UTF-8; strings out live as long as the object that they were asked of.
 *  - `error` may be NULL. It is the caller's storage; nothing in it is owned.
 *  - Nothing is printed, no signal handler or locale is touched, and the only process-wide state is
 *    the function registry. The only environment variables read are INGOT_COMPILE_FORCE_FALLBACK
 *    and TVM_COMPILE_FORCE_FALLBACK, by ingot_compile.
 *  - Each type says which threads may use it. Calls that share no object never interact.
 */
#ifndef INGOT_INGOT_H
#define INGOT_INGOT_H

#include <stddef.h>
#include <stdint.h>

#include "ingot/dlpack.h"

#define INGOT_VERSION_MAJOR 0
#define INGOT_VERSION_MINOR 1
#define INGOT_VERSION_PATCH 0
#define INGOT_VERSION "0.1.0"

#if defined(__GNUC__)
#define INGOT_API __attribute__((visibility("default")))
#define INGOT_MUST_USE __attribute__((warn_unused_result))
#else
#define INGOT_API
#define INGOT_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status, errors, memory --------------------------------------------------------------- */

/* X(NAME, text) */
#define INGOT_STATUS_LIST(X)                                                                       \
    X(OK, "success")                                                                               \
    X(OUT_OF_MEMORY, "out of memory")                                                              \
    X(INVALID_ARGUMENT, "invalid argument")       /* the caller broke a rule of this header */     \
    X(SYNTAX, "error in the program")             /* a script or MSL text is at fault */           \
    X(UNSUPPORTED, "not supported")               /* understood, and refused by name */            \
    X(TYPE, "type error")                         /* wrong type of launch argument or result */    \
    X(VALUE, "value error")                       /* wrong value, shape or device */               \
    X(CALLBACK, "callback failed")                /* a registered function reported failure */     \
    X(FORMAT, "malformed file")                   /* bytes of a module, metallib, .npy ... */      \
    X(LIMIT, "limit exceeded")                    /* of the target or the device */                \
    X(NOT_FOUND, "not found")                                                                      \
    X(EXISTS, "already exists")                                                                    \
    X(IO, "input or output failed")                                                                \
    X(DEVICE, "kernel fault")                     /* bounds, hang ... found while running */       \
    X(RUNTIME, "cannot run")                      /* e.g. a codegen-only module */                 \
    X(INTERNAL, "internal error")                 /* a fault of Ingot's: please report */

typedef enum ingot_status {
#define INGOT_STATUS_ROW(NAME, text) INGOT_##NAME,
    INGOT_STATUS_LIST(INGOT_STATUS_ROW)
#undef INGOT_STATUS_ROW
} ingot_status;

/* The text of the list above; never NULL. Any thread. */
INGOT_API const char *ingot_status_text(ingot_status status);

/* The version of the library in use, as "0.1.0". Any thread. */
INGOT_API const char *ingot_version(void);

/* What went wrong, in the caller's storage. `line` and `column` count from 1 (0 = no place). A
 * message too long for the array ends in "...". */
typedef struct ingot_error {
    ingot_status status;
    uint32_t line, column;
    char message[1012];
} ingot_error;

/* One hook for all memory: new_size 0 frees, ptr NULL allocates, else it resizes. NULL reports
 * failure (the old block is kept). Must be thread-safe if objects made with it are used from
 * several threads. It must outlive all objects made with it. */
typedef struct ingot_allocator {
    void *(*resize)(void *user, void *ptr, size_t old_size, size_t new_size);
    void *user;
} ingot_allocator;

/* ---- Values and functions ------------------------------------------------------------------ */

typedef enum ingot_value_kind {
    INGOT_VALUE_NONE,
    INGOT_VALUE_BOOL,   /* as.boolean */
    INGOT_VALUE_INT,    /* as.integer */
    INGOT_VALUE_FLOAT,  /* as.real */
    INGOT_VALUE_STR,    /* as.text: UTF-8 */
    INGOT_VALUE_BYTES,  /* as.text: any bytes */
    INGOT_VALUE_TENSOR, /* as.tensor */
    INGOT_VALUE_TUPLE,  /* as.tuple */
    INGOT_VALUE_TARGET, /* as.target */
    INGOT_VALUE_OTHER   /* something foreign; as.text is the name of its type */
} ingot_value_kind;

typedef struct ingot_target ingot_target;

/* A tagged value. Borrowed: what it points to lives for the call that it is passed to. */
typedef struct ingot_value {
    ingot_value_kind kind;
    union {
        int boolean;
        int64_t integer;
        double real;
        struct {
            const char *data;
            size_t size;
        } text;
        const DLTensor *tensor;
        struct {
            const struct ingot_value *items;
            size_t count;
        } tuple;
        const ingot_target *target;
    } as;
} ingot_value;

/* Makers, for brevity. */
static inline ingot_value ingot_none(void)
{
    ingot_value v;
    v.kind = INGOT_VALUE_NONE;
    v.as.integer = 0;
    return v;
}
static inline ingot_value ingot_bool(int b)
{
    ingot_value v;
    v.kind = INGOT_VALUE_BOOL;
    v.as.boolean = b != 0;
    return v;
}
static inline ingot_value ingot_int(int64_t i)
{
    ingot_value v;
    v.kind = INGOT_VALUE_INT;
    v.as.integer = i;
    return v;
}
static inline ingot_value ingot_float(double d)
{
    ingot_value v;
    v.kind = INGOT_VALUE_FLOAT;
    v.as.real = d;
    return v;
}
static inline ingot_value ingot_str(const char *data, size_t size)
{
    ingot_value v;
    v.kind = INGOT_VALUE_STR;
    v.as.text.data = data;
    v.as.text.size = size;
    return v;
}
static inline ingot_value ingot_bytes(const void *data, size_t size)
{
    ingot_value v;
    v.kind = INGOT_VALUE_BYTES;
    v.as.text.data = (const char *)data;
    v.as.text.size = size;
    return v;
}
static inline ingot_value ingot_tuple(const ingot_value *items, size_t count)
{
    ingot_value v;
    v.kind = INGOT_VALUE_TUPLE;
    v.as.tuple.items = items;
    v.as.tuple.count = count;
    return v;
}
static inline ingot_value ingot_tensor(const DLTensor *tensor)
{
    ingot_value v;
    v.kind = INGOT_VALUE_TENSOR;
    v.as.tensor = tensor;
    return v;
}

/* Where a function leaves its result. One thread, during the call only. */
typedef struct ingot_result ingot_result;

/* Sets the result to a deep copy of `value`. INGOT_OUT_OF_MEMORY leaves it None. */
INGOT_API ingot_status ingot_result_set(ingot_result *result, ingot_value value);

/* Where the process has loaded tvm-ffi (libtvm_ffi; Python's `import tvm_ffi` does), there is one registry: tvm-ffi's. What
 * is registered here goes through to it, what others register there is found here, in whichever order the two libraries
 * were loaded; at first sight it receives what was registered here before and a few names of Ingot's own, "ingot.*".
 * It keeps no lock of its own: a process with Python calls the functions below that take a name while it holds the GIL.
 * Errors of its functions arrive as INGOT_CALLBACK with "Kind: message", and stay in its thread's slot. */

/* A function that can be registered. Returns INGOT_OK with the result set (or left None), or
 * another status with `error->message` filled in (never NULL here). It may call Ingot again; no lock
 * is held during the call. */
typedef ingot_status (*ingot_function_fn)(void *user, const ingot_value *args, size_t count,
                                          ingot_result *result, ingot_error *error);

/* Registers `fn` under `name` in the process-wide registry. Refused with INGOT_EXISTS where the name
 * is taken, unless `override` is non-zero. `drop(user)` (may be NULL) is called once `fn` can no
 * longer be called: after removal or replacement, when the last call under way has ended. The registry
 * uses the C library's allocator. Any thread. */
INGOT_API INGOT_MUST_USE ingot_status ingot_function_register(const char *name, ingot_function_fn fn,
                                                              void *user, void (*drop)(void *user),
                                                              int override, ingot_error *error);

/* Removes a name; INGOT_NOT_FOUND where there is none. Any thread. */
INGOT_API ingot_status ingot_function_remove(const char *name, ingot_error *error);

/* A registered function, counted; any thread. */
typedef struct ingot_function ingot_function;

/* Looks a name up: NULL in *out and INGOT_NOT_FOUND where there is none. Release after use. */
INGOT_API INGOT_MUST_USE ingot_status ingot_function_get(const char *name, ingot_function **out,
                                                         ingot_error *error);
INGOT_API void ingot_function_release(ingot_function *function);

/* Calls it. `*out` (may be NULL) receives an owned copy of the result: read with ingot_owned_value,
 * give back with ingot_owned_release. */
typedef struct ingot_owned ingot_owned;
INGOT_API INGOT_MUST_USE ingot_status ingot_function_invoke(ingot_function *function,
                                                            const ingot_value *args, size_t count,
                                                            ingot_owned **out, ingot_error *error);
INGOT_API ingot_value ingot_owned_value(const ingot_owned *owned);
INGOT_API void ingot_owned_release(ingot_owned *owned);

/* An ingot_function_fn whose `user` is an ingot_function: calls that. Makes a function that was looked up the callback of
 * one compile. The function must be held meanwhile. */
INGOT_API ingot_status ingot_function_forward(void *user, const ingot_value *args, size_t count, ingot_result *result,
                                              ingot_error *error);

/* Calls visit(user, name) for each registered name over a snapshot: in order of registration; with tvm-ffi, all names that it
 * has, in its own order. */
INGOT_API INGOT_MUST_USE ingot_status ingot_function_list(void (*visit)(void *user, const char *name),
                                                          void *user);

/* ---- Targets ------------------------------------------------------------------------------- */

/* Parses "metal", a tag ("apple/m1-gpu", "apple/m1-gpu-restricted", "apple/m2-gpu") or a JSON object
 * {"kind": "metal", "max_num_threads": 256, ...}. Unknown kinds, tags, attributes and ill-typed or
 * out-of-range attributes are refused by name. Targets are immutable and counted; any thread. */
INGOT_API INGOT_MUST_USE ingot_status ingot_target_parse(const char *text, ingot_target **out,
                                                         ingot_error *error);
INGOT_API void ingot_target_release(ingot_target *target);
INGOT_API const char *ingot_target_kind(const ingot_target *target);
/* The canonical JSON of the target, all attributes spelled out. */
INGOT_API const char *ingot_target_text(const ingot_target *target);
/* An integer attribute by name ("thread_warp_size" ...); 0 and *value untouched where absent. */
INGOT_API int ingot_target_attr(const ingot_target *target, const char *name, int64_t *value);

/* ---- Compiling ----------------------------------------------------------------------------- */

/* The name of the function that turns MSL text into a payload. It is called as
 *   tvm_callback_metal_compile(source: str, target: target)
 * once for each kernel, in module order, and returns a payload (str or bytes: format "metallib") or
 * a pair (payload, format) with format "metal" or "metallib". */
#define INGOT_METAL_COMPILE_CALLBACK "tvm_callback_metal_compile"

/* A name that the script's surroundings define: None, bool, int, float, str or tuples of them. */
typedef struct ingot_definition {
    const char *name;
    ingot_value value;
} ingot_definition;

typedef enum ingot_severity { INGOT_SEVERITY_ERROR, INGOT_SEVERITY_WARNING, INGOT_SEVERITY_NOTE } ingot_severity;

/* Lives during the call that it is handed to. `line` 0 = no place. `text` is the whole rendering
 * with source line and caret; `message` the bare sentence. */
typedef struct ingot_diagnostic {
    ingot_severity severity;
    const char *file;
    uint32_t line, column, length;
    const char *message;
    const char *text;
} ingot_diagnostic;

typedef struct ingot_compile_options {
    size_t struct_size;            /* set by INGOT_COMPILE_OPTIONS_INIT; lets the struct grow */
    const char *file_name;         /* for messages; NULL = "<script>" */
    const char *target;            /* as ingot_target_parse; NULL = "metal" */
    const ingot_definition *definitions;
    size_t definition_count;
    const ingot_allocator *allocator; /* NULL = the C library's */
    /* Replaces the registered callback for this compile; NULL = look it up in the registry. */
    ingot_function_fn compile_kernel;
    void *compile_kernel_user;
    int ignore_callback; /* non-zero: no callback at all, payloads are MSL text */
    /* Non-zero: build the codegen-only module, as INGOT_COMPILE_FORCE_FALLBACK=1 does. */
    int force_fallback;
    /* Diagnostics in order of appearance; may be NULL. */
    void (*on_diagnostic)(void *user, const ingot_diagnostic *diagnostic);
    /* The module as TVMScript after each pass; may be NULL. `index` counts from 0 = as parsed. */
    void (*on_pass)(void *user, unsigned index, const char *pass, const char *text, size_t size);
    void *user; /* of on_diagnostic and on_pass */
    int colour; /* non-zero: diagnostics' `text` carries terminal colours */
    int verify; /* non-zero: check the whole IR after every pass (slower; for tests) */
    /* Which of a file's modules or functions to compile, by the name of its class or function; NULL = the
     * only one. */
    const char *module_name;
} ingot_compile_options;

#define INGOT_COMPILE_OPTIONS_INIT {sizeof(ingot_compile_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* A compiled program: host functions and the device kernels that they launch. Immutable and counted;
 * any thread. */
typedef struct ingot_module ingot_module;

/* Compiles a TVMScript text of `length` bytes. */
INGOT_API INGOT_MUST_USE ingot_status ingot_compile(const char *text, size_t length,
                                                    const ingot_compile_options *options,
                                                    ingot_module **out, ingot_error *error);

typedef enum ingot_emit {
    INGOT_EMIT_TIR,      /* the program as parsed, printed as TVMScript */
    INGOT_EMIT_LOWERED,  /* after all passes */
    INGOT_EMIT_METAL,    /* the aggregated MSL source */
    INGOT_EMIT_TVM_METAL /* bytes of the device module in TVM's layout */
} ingot_emit;

/* Bytes handed out; release with ingot_text_release. Immutable; any thread. */
typedef struct ingot_text ingot_text;
INGOT_API const char *ingot_text_data(const ingot_text *text); /* also NUL-terminated */
INGOT_API size_t ingot_text_size(const ingot_text *text);
INGOT_API void ingot_text_release(ingot_text *text);

/* Compiles as far as `what` needs and hands back its text. No callback is called for TIR and LOWERED
 * nor for METAL. */
INGOT_API INGOT_MUST_USE ingot_status ingot_compile_emit(const char *text, size_t length, ingot_emit what,
                                                         const ingot_compile_options *options,
                                                         ingot_text **out, ingot_error *error);

/* ---- Modules ------------------------------------------------------------------------------- */

INGOT_API void ingot_module_retain(ingot_module *module);
INGOT_API void ingot_module_release(ingot_module *module);

/* The file format (.ingot): versioned, checksummed, the same bytes for the same module. */
INGOT_API INGOT_MUST_USE ingot_status ingot_module_save(const ingot_module *module, ingot_text **out,
                                                        ingot_error *error);
/* Writes to a temporary name beside `path` and renames, so that a reader never sees half a file. */
INGOT_API INGOT_MUST_USE ingot_status ingot_module_save_file(const ingot_module *module, const char *path,
                                                             ingot_error *error);
INGOT_API INGOT_MUST_USE ingot_status ingot_module_load(const void *bytes, size_t size,
                                                        const ingot_allocator *allocator,
                                                        ingot_module **out, ingot_error *error);
INGOT_API INGOT_MUST_USE ingot_status ingot_module_load_file(const char *path,
                                                             const ingot_allocator *allocator,
                                                             ingot_module **out, ingot_error *error);

/* The device part alone, in TVM's serialisation of kind "metal" (fmt, fmap, smap). A module read back
 * from it has kernels and no host functions. */
INGOT_API INGOT_MUST_USE ingot_status ingot_module_device_save(const ingot_module *module,
                                                               ingot_text **out, ingot_error *error);
INGOT_API INGOT_MUST_USE ingot_status ingot_module_device_load(const void *bytes, size_t size,
                                                               const ingot_allocator *allocator,
                                                               ingot_module **out, ingot_error *error);

/* "metal" (payloads are MSL text) or "metallib" (compiled payloads). */
INGOT_API const char *ingot_module_format(const ingot_module *module);
/* Non-zero for a codegen-only module: it saves the same bytes and refuses to launch. */
INGOT_API int ingot_module_is_fallback(const ingot_module *module);

typedef struct ingot_kernel_info {
    const char *name;
    const char *source; /* MSL text, for inspection; NULL where only a compiled payload is known */
    size_t source_size;
    const char *payload;
    size_t payload_size;
    const DLDataType *arg_types; /* buffers first (code 3, 64 bits), then scalars */
    size_t arg_count;
    const char *const *arg_names; /* NULL where not known (read from TVM's bytes) */
    const char *const *launch_tags; /* "blockIdx.x", ... in call order */
    size_t launch_tag_count;
} ingot_kernel_info;

INGOT_API size_t ingot_module_kernel_count(const ingot_module *module);
/* Fills *info (pointers live as long as the module). INGOT_NOT_FOUND past the end. */
INGOT_API ingot_status ingot_module_kernel(const ingot_module *module, size_t index,
                                           ingot_kernel_info *info);

/* All kernels' sources as one text: for each "// Function: NAME", a newline, the source, a newline. */
INGOT_API INGOT_MUST_USE ingot_status ingot_module_source(const ingot_module *module, ingot_text **out,
                                                          ingot_error *error);

typedef enum ingot_param_kind { INGOT_PARAM_TENSOR, INGOT_PARAM_SCALAR, INGOT_PARAM_POINTER } ingot_param_kind;

typedef struct ingot_param_info {
    ingot_param_kind kind;
    const char *name;
    DLDataType dtype;
    size_t ndim;
    /* Each dimension as text ("1024", "n", "n + 1"); TENSOR only. */
    const char *const *shape;
    int is_read, is_written; /* by the function; TENSOR only */
} ingot_param_info;

INGOT_API size_t ingot_module_function_count(const ingot_module *module);
INGOT_API const char *ingot_module_function_name(const ingot_module *module, size_t index);
INGOT_API size_t ingot_module_param_count(const ingot_module *module, const char *function);
INGOT_API ingot_status ingot_module_param(const ingot_module *module, const char *function,
                                          size_t index, ingot_param_info *info);

typedef enum ingot_export {
    INGOT_EXPORT_C,      /* a C source; its library exports the host functions to tvm-ffi's load_module */
    INGOT_EXPORT_METAL,  /* all kernels in one Metal text */
    INGOT_EXPORT_SIDECAR /* JSON: kernels with their buffers and arguments, functions with their launches */
} ingot_export;

/* The module as others load it. INGOT_NOT_FOUND where the Metal text is asked for and not in the module. */
INGOT_API INGOT_MUST_USE ingot_status ingot_module_export(const ingot_module *module, ingot_export what, ingot_text **out,
                                                          ingot_error *error);

/* What an exported library calls: opens the module's bytes on the device "metal" ... */
typedef struct ingot_exported ingot_exported;
INGOT_API INGOT_MUST_USE ingot_status ingot_exported_open(const void *bytes, size_t size, ingot_exported **out,
                                                          ingot_error *error);
/* ... and runs a function as ingot_program_run does, with `count` values of tvm-ffi's ABI (16 bytes each) as arguments and
 * one as result. Returns 0, or -1 with tvm-ffi's error of the thread set. Any thread. */
INGOT_API int ingot_exported_call(ingot_exported *exported, const char *function, const void *args, int32_t count,
                                  void *result);
INGOT_API void ingot_exported_release(ingot_exported *exported);

/* ---- Devices, buffers, streams -------------------------------------------------------------- */

/* Counted, any thread. */
typedef struct ingot_device ingot_device;

/* Opens device `id` of a kind: "native" is a GPU of Apple's Metal, "emu" the software Metal device, "metal" a native
 * one where the machine has any, else the software one, "null" runs nothing and records calls. Native number 0 is the
 * system's default GPU. INGOT_NOT_FOUND past the last; INGOT_UNSUPPORTED, with the reason, for "native" where there is
 * none. `threads` bounds the software device's worker threads (0 = one a processor). */
INGOT_API INGOT_MUST_USE ingot_status ingot_device_open(const char *kind, int id, unsigned threads,
                                                        const ingot_allocator *allocator,
                                                        ingot_device **out, ingot_error *error);
INGOT_API void ingot_device_release(ingot_device *device);
INGOT_API const char *ingot_device_name(const ingot_device *device);

/* What a device is and can do. */
typedef struct ingot_device_info {
    const char *kind;     /* "native", "emu" or "null", whatever name it was opened by */
    const char *name;
    const char *families; /* of GPUs, the best of each kind: "apple8 mac2 common3 metal3"; "" = none */
    int id;
    int unified_memory;   /* non-zero: the CPU sees its memory, so that copies are no transfers */
    size_t max_buffer_bytes;
    size_t max_threadgroup_bytes; /* a launch, declared and dynamic together */
    uint32_t max_threads;         /* a threadgroup, all axes together */
    uint32_t max_threads_axis[3]; /* a threadgroup, each axis */
} ingot_device_info;

/* Fills in *info; its pointers live as long as the device. */
INGOT_API ingot_status ingot_device_describe(const ingot_device *device, ingot_device_info *info);

/* Keeps compiled kernels in a file (native devices: an MTLBinaryArchive; others INGOT_UNSUPPORTED). From now on
 * programs that are loaded look their kernels up there, and those compiled are added; _save writes the file, whole or
 * not at all. One archive a device. */
INGOT_API INGOT_MUST_USE ingot_status ingot_device_archive_open(ingot_device *device, const char *path,
                                                                ingot_error *error);
INGOT_API INGOT_MUST_USE ingot_status ingot_device_archive_save(ingot_device *device, ingot_error *error);

/* Captures all that the device does between the two calls to a .gputrace file for Xcode (native devices: others
 * INGOT_UNSUPPORTED). The process needs METAL_CAPTURE_ENABLED=1 in its environment, or the key MetalCaptureEnabled in its
 * Info.plist. Synchronise the streams before the end. */
INGOT_API INGOT_MUST_USE ingot_status ingot_device_capture_start(ingot_device *device, const char *path,
                                                                 ingot_error *error);
INGOT_API INGOT_MUST_USE ingot_status ingot_device_capture_stop(ingot_device *device, ingot_error *error);

/* Device memory, 256-byte aligned, zeroed. Counted, any thread; contents follow the streams' order.
 * A DLTensor of device type kDLMetal carries the ingot_buffer itself in `data`, or what ingot_buffer_handle says. */
typedef struct ingot_buffer ingot_buffer;
INGOT_API INGOT_MUST_USE ingot_status ingot_buffer_create(ingot_device *device, size_t size,
                                                          ingot_buffer **out, ingot_error *error);
INGOT_API void ingot_buffer_release(ingot_buffer *buffer);
INGOT_API size_t ingot_buffer_size(const ingot_buffer *buffer);
/* What the device's own world knows the buffer by, for a DLTensor that leaves Ingot: the id<MTLBuffer> of a native device
 * (not retained: it lives as long as the buffer), else the ingot_buffer itself. */
INGOT_API void *ingot_buffer_handle(const ingot_buffer *buffer);
/* A buffer over an id<MTLBuffer> that somebody else made on the device's GPU, as a foreign DLTensor carries it in `data`:
 * it must be one, which cannot be checked. Retained while the buffer lives; one that the device knows already gives the
 * same ingot_buffer, held once more. Work of others on it is not waited for. INGOT_UNSUPPORTED on other devices. */
INGOT_API INGOT_MUST_USE ingot_status ingot_buffer_adopt(ingot_device *device, void *handle, ingot_buffer **out,
                                                         ingot_error *error);

/* An order of work on one device. One thread at a time. Errors of launches stick to the stream and
 * are reported (once) by the next call on it that can fail; those of a GPU, which runs apart from its caller, by the
 * next read or synchronisation. Launches in between are left out. */
typedef struct ingot_stream ingot_stream;
INGOT_API INGOT_MUST_USE ingot_status ingot_stream_create(ingot_device *device, ingot_stream **out,
                                                          ingot_error *error);
INGOT_API void ingot_stream_release(ingot_stream *stream);
/* Waits for all work of the stream. */
INGOT_API INGOT_MUST_USE ingot_status ingot_stream_sync(ingot_stream *stream, ingot_error *error);

/* Copies between host memory and a buffer, or between buffers of one device, in the stream's order;
 * returns when done. Ranges are checked. */
INGOT_API INGOT_MUST_USE ingot_status ingot_buffer_write(ingot_buffer *buffer, size_t offset,
                                                         const void *from, size_t size,
                                                         ingot_stream *stream, ingot_error *error);
INGOT_API INGOT_MUST_USE ingot_status ingot_buffer_read(const ingot_buffer *buffer, size_t offset,
                                                        void *to, size_t size, ingot_stream *stream,
                                                        ingot_error *error);
INGOT_API INGOT_MUST_USE ingot_status ingot_buffer_copy(ingot_buffer *to, size_t to_offset,
                                                        const ingot_buffer *from, size_t from_offset,
                                                        size_t size, ingot_stream *stream,
                                                        ingot_error *error);

/* ---- Running -------------------------------------------------------------------------------- */

/* A module loaded onto a device. Immutable and counted; any thread (calls on distinct streams may
 * overlap). Holds its module and device. */
typedef struct ingot_program ingot_program;

/* Loads every kernel's payload: MSL text is compiled by the device, a metallib is validated. The
 * error names the kernel and the cause. A codegen-only module is refused. */
INGOT_API INGOT_MUST_USE ingot_status ingot_program_load(ingot_module *module, ingot_device *device,
                                                         ingot_program **out, ingot_error *error);
INGOT_API void ingot_program_release(ingot_program *program);

/* Calls a host function (NULL: the only one, else "main"). Arguments are checked as TVM's host
 * functions do: tensors are DLTensor views on the program's device (kDLMetal), scalars bool, int or float
 * in range. Returns as soon as the work is in the stream; `result` (may be NULL) receives what the
 * function returns. */
INGOT_API INGOT_MUST_USE ingot_status ingot_program_call(ingot_program *program, const char *function,
                                                         const ingot_value *args, size_t count,
                                                         ingot_stream *stream, ingot_value *result,
                                                         ingot_error *error);

/* The same with tensors in the host's memory (DLPack's CPU and pinned kinds) as well as on the device: back when the stream's
 * work is done. The software device uses them where they lie; their data must be aligned as its elements are. Tensors that
 * overlap, one of them written, are refused, but for the very same one given twice. */
INGOT_API INGOT_MUST_USE ingot_status ingot_program_run(ingot_program *program, const char *function,
                                                        const ingot_value *args, size_t count, ingot_stream *stream,
                                                        ingot_value *result, ingot_error *error);

/* Called before each launch of a program's kernel from this stream (NULL switches it off):
 * grid in threadgroups, group in threads, all threadgroup memory, what the kernel declares included. For reports and
 * traces. */
typedef void (*ingot_launch_fn)(void *user, const char *kernel, const uint32_t grid[3],
                                const uint32_t group[3], size_t threadgroup_bytes);
INGOT_API void ingot_stream_on_launch(ingot_stream *stream, ingot_launch_fn visit, void *user);

/* Called once for each launch from this stream that has ended well (NULL switches it off), at the latest by the next
 * synchronisation: when it began and ended, in seconds; the GPU's own times on a native device, whose launches no longer
 * share command buffers then. */
typedef void (*ingot_time_fn)(void *user, const char *kernel, double start, double end);
INGOT_API void ingot_stream_on_time(ingot_stream *stream, ingot_time_fn visit, void *user);

/* ---- Files ---------------------------------------------------------------------------------- */

/* What the first bytes of a payload look like, for messages: "MSL text", "metallib", "LLVM bitcode
 * (.air)", "LLVM text", "Mach-O file", "ELF file", "Metal fat binary", "empty", "unknown data". */
INGOT_API const char *ingot_payload_kind(const void *bytes, size_t size);

/* Checks a metallib (header, sizes, hashes): INGOT_OK, or INGOT_FORMAT with the cause named. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metallib_check(const void *bytes, size_t size,
                                                           ingot_error *error);

/* A metallib that was read: Apple's archive of compiled kernels (formats 1.2.2 to 1.2.9, both of its writers). Sizes,
 * offsets, tags, metadata and the SHA-256 of every module are checked; the code inside is not looked at. Immutable;
 * any thread. It keeps a copy of the bytes. INGOT_FORMAT names what is wrong. */
typedef struct ingot_metallib ingot_metallib;
INGOT_API INGOT_MUST_USE ingot_status ingot_metallib_read(const void *bytes, size_t size,
                                                          const ingot_allocator *allocator,
                                                          ingot_metallib **out, ingot_error *error);
INGOT_API void ingot_metallib_release(ingot_metallib *library);

/* What its header says. Pointers live as long as the library. */
typedef struct ingot_metallib_info {
    uint16_t format[3];     /* 1, 2, 2 to 9 */
    const char *file_type;  /* "executable", "dynamic library" ... */
    const char *platform;   /* "macOS", "iOS" ... */
    uint16_t os[3];         /* oldest system; zeros where it is not said (before format 1.2.6) */
    int is_stub;
    const unsigned char *uuid; /* 16 bytes; NULL: none */
    size_t size;               /* bytes */
    const char *install_name;  /* NULL: not said */
    const char *link_options;  /* how it was linked, where sources are inside; else NULL */
    size_t source_count;       /* archives of sources inside */
    size_t function_count;
} ingot_metallib_info;
INGOT_API void ingot_metallib_describe(const ingot_metallib *library, ingot_metallib_info *info);

/* A function constant of one of its functions. */
typedef struct ingot_metallib_constant {
    const char *name, *type; /* "float", "uint4" ... */
    unsigned index;
    int active;
} ingot_metallib_constant;

typedef struct ingot_metallib_function {
    const char *name, *type; /* "kernel", "vertex", "visible" ... */
    uint16_t air[2], language[2];
    const void *module; /* LLVM bitcode in Darwin's wrapper; functions may share one */
    size_t module_size;
    const unsigned char *hash; /* SHA-256 of it, 32 bytes */
    const ingot_metallib_constant *constants;
    size_t constant_count;
    const char *source_file; /* NULL: not said */
    uint32_t source_line;
    int has_source, has_reflection;
} ingot_metallib_function;
/* Fills *info (pointers live as long as the library). INGOT_NOT_FOUND past the end. */
INGOT_API ingot_status ingot_metallib_function_at(const ingot_metallib *library, size_t index,
                                                  ingot_metallib_function *info);

/* The file: for one that was read, the same bytes where its parts follow each other as Apple's writers lay
 * them out. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metallib_write(const ingot_metallib *library,
                                                           ingot_text **out, ingot_error *error);

/* A library of some of its functions (INGOT_NOT_FOUND names one that is not there); of all functions of several
 * libraries of one platform, type and format (INGOT_VALUE where they differ or two functions have one name); the same
 * library without archives of sources and paths of files. The first two leave archives of sources out too. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metallib_select(const ingot_metallib *library,
                                                            const char *const *names, size_t count,
                                                            ingot_metallib **out, ingot_error *error);
INGOT_API INGOT_MUST_USE ingot_status ingot_metallib_join(const ingot_metallib *const *libraries,
                                                          size_t count, ingot_metallib **out,
                                                          ingot_error *error);
INGOT_API INGOT_MUST_USE ingot_status ingot_metallib_strip(const ingot_metallib *library,
                                                           ingot_metallib **out, ingot_error *error);

/* One slice of a Metal fat binary; `bytes` points into the file's. INGOT_FORMAT where the file is none or is damaged,
 * INGOT_NOT_FOUND past the last slice. */
typedef struct ingot_fat_slice {
    uint32_t cpu_type, cpu_subtype;
    const char *what; /* "AIR (a metallib)", "Apple GPU code" ... */
    const void *bytes;
    size_t size;
} ingot_fat_slice;
INGOT_API INGOT_MUST_USE ingot_status ingot_fat_slice_at(const void *bytes, size_t size, size_t index,
                                                         ingot_fat_slice *out, ingot_error *error);

/* ---- AIR ------------------------------------------------------------------------------------
 *
 * AIR is the LLVM bitcode inside a metallib. What follows, and running modules of format "metallib", needs the
 * component libingot-air (over LLVM 14 to 16), which is opened when it is there: from the path in the environment
 * variable INGOT_AIR, beside the library or the command, or where the system keeps libraries. Without it these calls
 * fail with INGOT_UNSUPPORTED, saying what to install. */

/* The version of LLVM that the component uses; NULL with the error set where there is no component. Any thread. */
INGOT_API const char *ingot_air_version(ingot_error *error);

/* LLVM text of all modules of a metallib, or of function `kernel` alone (NULL: all), each with its signature as its
 * metadata gives it. Any thread. */
INGOT_API INGOT_MUST_USE ingot_status ingot_air_disassemble(const void *bytes, size_t size, const char *kernel,
                                                            ingot_text **out, ingot_error *error);

typedef struct ingot_metallib_build_options {
    size_t struct_size;     /* set by INGOT_METALLIB_BUILD_OPTIONS_INIT; lets the struct grow */
    const char *file_name;  /* for messages; NULL = "<text>" */
    const char *deployment; /* "macos11.0" to "macos15.0", "ios14.0" to "ios18.0"; NULL = "macos14.0" */
    unsigned language;      /* of the text: 230 to 320; 0 = the highest that the target has (macos14.0: 310) */
    int precise;            /* non-zero: safe mathematics; zero: functions have their fast forms, as Metal's default is */
    const ingot_allocator *allocator; /* NULL = the C library's */
} ingot_metallib_build_options;

#define INGOT_METALLIB_BUILD_OPTIONS_INIT {sizeof(ingot_metallib_build_options), 0, 0, 0, 0, 0}

/* Compiles all kernels of an MSL text to a metallib: the same text gives the same bytes. INGOT_SYNTAX for what is not
 * valid, INGOT_UNSUPPORTED for what is (both with their place), INGOT_VALUE for a target that is none. No Apple tool has
 * a part in it, and Apple's own compiler has not been seen to accept a file: docs/air.md says what was checked. Any
 * thread. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metallib_build(const char *text, size_t length,
                                                           const ingot_metallib_build_options *options,
                                                           ingot_text **out, ingot_error *error);

/* The same as a compile callback: ingot_compile_options.compile_kernel may point to it, and the registry finds it under the name
 * "ingot.compile_metallib" (unless that name is taken), to be registered as INGOT_METAL_COMPILE_CALLBACK. `user` is not
 * looked at. */
INGOT_API ingot_status ingot_compile_metallib(void *user, const ingot_value *args, size_t count,
                                              ingot_result *result, ingot_error *error);

/* A NumPy array file (.npy versions 1 to 3, little-endian, C or Fortran order) read to row-major
 * elements. Counted by its one owner. */
typedef struct ingot_array ingot_array;
INGOT_API INGOT_MUST_USE ingot_status ingot_array_parse(const void *bytes, size_t size,
                                                        const ingot_allocator *allocator,
                                                        ingot_array **out, ingot_error *error);
INGOT_API const void *ingot_array_data(const ingot_array *array);
INGOT_API size_t ingot_array_size(const ingot_array *array); /* bytes */
INGOT_API DLDataType ingot_array_dtype(const ingot_array *array);
INGOT_API size_t ingot_array_ndim(const ingot_array *array);
INGOT_API const int64_t *ingot_array_shape(const ingot_array *array);
INGOT_API void ingot_array_release(ingot_array *array);

/* Row-major elements as a .npy file (version 1). Types that NumPy lacks (bfloat16, fp8) are written
 * as unsigned integers of the same width. */
INGOT_API INGOT_MUST_USE ingot_status ingot_array_format(const void *data, DLDataType dtype,
                                                         const int64_t *shape, size_t ndim,
                                                         ingot_text **out, ingot_error *error);

/* "float32", "int8x4", "bool" ... ; INGOT_VALUE for a text that is no dtype. */
INGOT_API ingot_status ingot_dtype_parse(const char *text, DLDataType *out);
/* Into `out` of at least 40 bytes; returns its length. */
INGOT_API size_t ingot_dtype_print(DLDataType dtype, char *out);

#ifdef __cplusplus
}
#endif

#include "ingot/check.h" /* checks of kernels, and what they found */
#include "ingot/profile.h" /* what kernels cost, by line */
#include "ingot/metal.h" /* the software Metal device in Metal's own terms */

#endif
