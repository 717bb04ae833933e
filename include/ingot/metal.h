/* Ingot's software Metal device in Metal's own terms: libraries, functions, pipelines, buffers, queues and encoders, so
 * that host code written for Metal can run its kernels by a thin shim. Included by ingot.h, whose rules hold here too.
 *
 * As in Metal, an object keeps what it was made from: a pipeline its function, a function its library, all of them their
 * device, an encoder the buffers and pipelines of its dispatches. So everything may be released as soon as it is not
 * used any more, in any order. _release takes NULL. Sizes and offsets are bytes.
 */
#ifndef INGOT_METAL_H
#define INGOT_METAL_H

#include "ingot/check.h"

struct ingot_checker; /* of check.h */
struct ingot_profile; /* of profile.h */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Devices ------------------------------------------------------------------------------- */

/* A software Metal device: worker threads and memory. Counted, any thread. */
typedef struct ingot_metal_device ingot_metal_device;

/* What a kernel may ask of the device. */
typedef struct ingot_metal_limits {
    uint32_t max_threads_per_threadgroup[3]; /* each axis */
    uint32_t max_total_threads_per_threadgroup;
    uint32_t thread_execution_width; /* threads of a simdgroup */
    uint32_t max_buffers;            /* [[buffer(n)]] with n below this; of [[threadgroup(n)]] as many */
    size_t max_threadgroup_memory_length;
    size_t max_bytes_length; /* of ingot_metal_encoder_set_bytes */
    size_t max_buffer_length;
} ingot_metal_limits;

/* Opens a device with `threads` worker threads (0 = one a processor). The allocator (NULL = the C library's) serves
 * everything made with the device and must outlive it. INGOT_OUT_OF_MEMORY, INGOT_INVALID_ARGUMENT. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_device_create(unsigned threads, const ingot_allocator *allocator,
                                                                ingot_metal_device **out, ingot_error *error);
INGOT_API void ingot_metal_device_release(ingot_metal_device *device);
/* What runs its launches from now on, "vm", "native" or "auto": as ingot_device_engine in check.h. Not while one runs. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_device_engine(ingot_metal_device *device, const char *engine, ingot_error *error);
/* For people. Lives as long as the library. Any thread. */
INGOT_API const char *ingot_metal_device_name(const ingot_metal_device *device);
/* Fills *out. Any thread. */
INGOT_API void ingot_metal_device_limits(const ingot_metal_device *device, ingot_metal_limits *out);

/* ---- Libraries and functions ---------------------------------------------------------------- */

/* A macro: as if the text began with "#define NAME VALUE". `value` NULL or "" defines it as nothing. */
typedef struct ingot_metal_define {
    const char *name, *value;
} ingot_metal_define;

/* What the compiler may assume of floating-point arithmetic. */
typedef enum ingot_metal_math_mode {
    INGOT_METAL_MATH_DEFAULT, /* what the text's own attributes and functions say, else as SAFE */
    INGOT_METAL_MATH_SAFE,    /* IEEE single as written */
    INGOT_METAL_MATH_RELAXED, /* may re-associate and contract */
    INGOT_METAL_MATH_FAST     /* may also take it that there is no NaN and no infinity */
} ingot_metal_math_mode;

/* Finds the header that `from` asks for (#include <name> where `angled`, else "name"). Non-zero with its name for
 * messages in *path and `*size` bytes in *text, which are copied before the function is called again; 0 where there is
 * none. Metal's own headers are built in and not asked for. Called during ingot_metal_library_create only. */
typedef int (*ingot_metal_include_fn)(void *user, const char *name, const char *from, int angled, const char **path,
                                      const char **text, size_t *size);

typedef struct ingot_metal_library_options {
    size_t struct_size;     /* set by INGOT_METAL_LIBRARY_OPTIONS_INIT; lets the struct grow */
    const char *file_name;  /* for messages; NULL = "<metal>" */
    unsigned version;       /* of the language, major * 100 + minor * 10: 310 is Metal 3.1; 0 = the latest known */
    ingot_metal_math_mode math_mode;
    const ingot_metal_define *defines;
    size_t define_count;
    ingot_metal_include_fn include; /* NULL: there are no headers but Metal's */
    void *include_user;
    void (*on_diagnostic)(void *user, const ingot_diagnostic *diagnostic); /* errors, warnings, notes in order; or NULL */
    void *user;                                                            /* of on_diagnostic */
    int colour; /* non-zero: diagnostics' `text` carries terminal colours */
} ingot_metal_library_options;

#define INGOT_METAL_LIBRARY_OPTIONS_INIT                                                                               \
    {sizeof(ingot_metal_library_options), 0, 0, INGOT_METAL_MATH_DEFAULT, 0, 0, 0, 0, 0, 0, 0}

/* The kernels of one MSL text or metallib. Immutable and counted; any thread. */
typedef struct ingot_metal_library ingot_metal_library;

/* Reads a text of `length` bytes (newLibraryWithSource). `options` may be NULL. INGOT_SYNTAX for a text that is wrong,
 * INGOT_UNSUPPORTED for one that uses what the device lacks; the error has the first message's place, and
 * `on_diagnostic` is given all of them. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_library_create(ingot_metal_device *device, const char *text, size_t length,
                                                                 const ingot_metal_library_options *options,
                                                                 ingot_metal_library **out, ingot_error *error);
/* Takes a metallib (newLibraryWithData): its kernels run compiled for this processor, with bounds checked. `bytes` are
 * copied. What is damaged is INGOT_FORMAT; INGOT_UNSUPPORTED without the AIR component (docs/air.md). Checks and profiles
 * are of MSL text: a command buffer with such does not run these kernels. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_library_create_with_data(ingot_metal_device *device, const void *bytes,
                                                                           size_t size, ingot_metal_library **out,
                                                                           ingot_error *error);
INGOT_API void ingot_metal_library_release(ingot_metal_library *library);

/* The kernels' names in the order of the text or file; NULL past the last. Live as long as the library. Any thread. */
INGOT_API size_t ingot_metal_library_function_count(const ingot_metal_library *library);
INGOT_API const char *ingot_metal_library_function_name(const ingot_metal_library *library, size_t index);

/* A [[function_constant(index)]] of the text; of a metallib those of all its functions. */
typedef struct ingot_metal_constant_info {
    const char *name;
    uint32_t index;
    const char *type; /* as MSL spells it */
} ingot_metal_constant_info;

INGOT_API size_t ingot_metal_library_constant_count(const ingot_metal_library *library);
/* Fills *info (pointers live as long as the library); INGOT_NOT_FOUND past the end. Any thread. */
INGOT_API ingot_status ingot_metal_library_constant(const ingot_metal_library *library, size_t index,
                                                    ingot_metal_constant_info *info);

/* The value of a function constant: of that name, or (name NULL) of that index. Bool, int or float as its type is; an
 * int is taken for a float too. */
typedef struct ingot_metal_constant {
    const char *name;
    uint32_t index;
    ingot_value value;
} ingot_metal_constant;

/* A kernel with its constants' values. Immutable and counted; any thread. */
typedef struct ingot_metal_function ingot_metal_function;

/* Takes a kernel from the library (newFunctionWithName:constantValues:). INGOT_NOT_FOUND where there is no such kernel or
 * constant, INGOT_TYPE or INGOT_VALUE for a value that the constant cannot hold. A kernel that reads a constant without
 * a value fails when it is run. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_function_create(ingot_metal_library *library, const char *name,
                                                                  const ingot_metal_constant *constants,
                                                                  size_t constant_count, ingot_metal_function **out,
                                                                  ingot_error *error);
INGOT_API void ingot_metal_function_release(ingot_metal_function *function);
/* Lives as long as the function. */
INGOT_API const char *ingot_metal_function_name(const ingot_metal_function *function);

typedef enum ingot_metal_argument_kind {
    INGOT_METAL_ARGUMENT_DEVICE,     /* device T * or T &, at [[buffer(index)]] */
    INGOT_METAL_ARGUMENT_CONSTANT,   /* constant T * or T &, at [[buffer(index)]] */
    INGOT_METAL_ARGUMENT_THREADGROUP, /* threadgroup memory whose length the encoder gives, at [[threadgroup(index)]] */
    INGOT_METAL_ARGUMENT_TEXTURE,     /* `count` textures from [[texture(index)]] on */
    INGOT_METAL_ARGUMENT_SAMPLER,     /* `count` samplers from [[sampler(index)]] on */
    INGOT_METAL_ARGUMENT_VALUE        /* of members alone: data that lies in the structure itself */
} ingot_metal_argument_kind;

/* What a kernel's parameter takes (MTLArgument, MTLBinding). */
typedef struct ingot_metal_argument {
    ingot_metal_argument_kind kind;
    uint32_t index;
    uint32_t count;      /* indices from there on; 1 but for arrays of textures and samplers */
    const char *name;
    const char *type;    /* of one element, as MSL spells it: "float", "half4", "params" */
    size_t size;         /* of one element; 1 for void */
    size_t alignment;    /* of one element: offsets are multiples of it */
    DLDataType dtype;    /* of a scalar or vector (a float3 takes 16 bytes); bits 0 where the element is something else */
    int is_reference;    /* T &: one element, which must be there */
    int is_const;        /* declared so that the kernel cannot write to it */
    int is_read;         /* some access in the kernel reads ... */
    int is_written;      /* ... or writes it; neither: the kernel does not use it */
    const char *file;    /* where the parameter is declared ... */
    uint32_t line, column;
} ingot_metal_argument;

/* The parameters that are bound by an encoder, in the order of the text. */
INGOT_API size_t ingot_metal_function_argument_count(const ingot_metal_function *function);
/* Fills *info (pointers live as long as the function); INGOT_NOT_FOUND past the end. Any thread. */
INGOT_API ingot_status ingot_metal_function_argument(const ingot_metal_function *function, size_t index,
                                                     ingot_metal_argument *info);

/* The member of a structure that a buffer argument points at, such as an argument buffer. */
typedef struct ingot_metal_member {
    ingot_metal_argument info; /* kind DEVICE, CONSTANT: an address of 8 bytes of what is described; TEXTURE, SAMPLER: a resource's
                                  number, 8 bytes; VALUE: data of that type. `index` counts the members */
    size_t offset;             /* bytes from the structure's first */
} ingot_metal_member;

/* The member `member` of the argument `index`; INGOT_NOT_FOUND past the last one, and where the argument's element is no
 * structure. Pointers live as long as the function. Any thread. */
INGOT_API ingot_status ingot_metal_function_member(const ingot_metal_function *function, size_t index, size_t member,
                                                   ingot_metal_member *out);

/* What reading alone tells: the check LIMITS, for a launch of one thread, into the checker (which must ask for it). */
INGOT_API ingot_status ingot_metal_function_check(const ingot_metal_function *function, struct ingot_checker *checker,
                                                  ingot_error *error);

/* ---- Pipelines ------------------------------------------------------------------------------ */

/* A function ready to be run (MTLComputePipelineState). Immutable and counted; any thread. */
typedef struct ingot_metal_pipeline ingot_metal_pipeline;

INGOT_API INGOT_MUST_USE ingot_status ingot_metal_pipeline_create(ingot_metal_function *function,
                                                                  ingot_metal_pipeline **out, ingot_error *error);
INGOT_API void ingot_metal_pipeline_release(ingot_metal_pipeline *pipeline);
/* Threads that one threadgroup may have: the device's limit, or what the kernel's attribute says. */
INGOT_API uint32_t ingot_metal_pipeline_max_total_threads_per_threadgroup(const ingot_metal_pipeline *pipeline);
/* Threads of a simdgroup: 32. */
INGOT_API uint32_t ingot_metal_pipeline_thread_execution_width(const ingot_metal_pipeline *pipeline);
/* Bytes of threadgroup memory that the kernel's text declares. */
INGOT_API size_t ingot_metal_pipeline_static_threadgroup_memory_length(const ingot_metal_pipeline *pipeline);

/* ---- Buffers -------------------------------------------------------------------------------- */

/* Memory that host and kernels share. Counted, any thread; who reads or writes the contents while a kernel does gets
 * what a data race gives. */
typedef struct ingot_metal_buffer ingot_metal_buffer;

/* `length` bytes, zeroed, 256-byte aligned (newBufferWithLength). */
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_buffer_create(ingot_metal_device *device, size_t length,
                                                                ingot_metal_buffer **out, ingot_error *error);
/* The same, filled with a copy of `bytes` (newBufferWithBytes). */
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_buffer_create_with_bytes(ingot_metal_device *device, const void *bytes,
                                                                           size_t length, ingot_metal_buffer **out,
                                                                           ingot_error *error);
/* The caller's own memory (newBufferWithBytesNoCopy), aligned as what lies in it. `drop` (may be NULL) is called with
 * `user` when the last user of the buffer is gone; not where this function fails. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_buffer_wrap(ingot_metal_device *device, void *bytes, size_t length,
                                                              void (*drop)(void *user), void *user,
                                                              ingot_metal_buffer **out, ingot_error *error);
INGOT_API void ingot_metal_buffer_release(ingot_metal_buffer *buffer);
INGOT_API size_t ingot_metal_buffer_length(const ingot_metal_buffer *buffer);
/* The bytes; the same pointer as long as the buffer lives. */
INGOT_API void *ingot_metal_buffer_contents(ingot_metal_buffer *buffer);
/* From now on the buffer counts as never written, until a kernel writes to it or _mark says so: for the check
 * UNINITIALISED, which otherwise takes it that buffers hold data. Not while a kernel runs. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_buffer_forget(ingot_metal_buffer *buffer, ingot_error *error);
/* The host wrote these bytes. INGOT_VALUE where the range leaves the buffer. */
INGOT_API ingot_status ingot_metal_buffer_mark(ingot_metal_buffer *buffer, size_t offset, size_t size, ingot_error *error);

/* What stands for the buffer's first byte in a structure that kernels read (MTLBuffer.gpuAddress), the same as long as the
 * buffer lives; further bytes have further addresses. Kernels reach it where an encoder says so by _use_buffer. 0 where the
 * device has given 4096 buffers an address already. Any thread. */
INGOT_API uint64_t ingot_metal_buffer_gpu_address(ingot_metal_buffer *buffer);

/* ---- Textures and samplers ------------------------------------------------------------------- */

/* MTLTextureType's numbers. */
typedef enum ingot_metal_texture_type {
    INGOT_METAL_TEXTURE_1D = 0,
    INGOT_METAL_TEXTURE_1D_ARRAY = 1,
    INGOT_METAL_TEXTURE_2D = 2,
    INGOT_METAL_TEXTURE_2D_ARRAY = 3,
    INGOT_METAL_TEXTURE_CUBE = 5,
    INGOT_METAL_TEXTURE_CUBE_ARRAY = 6,
    INGOT_METAL_TEXTURE_3D = 7,
    INGOT_METAL_TEXTURE_BUFFER = 9
} ingot_metal_texture_type;

/* The number of MTLPixelFormat by its name in small letters without "MTLPixelFormat": "rgba8unorm", "r32float"; 0 where the
 * device has no such format. Bytes of one pixel; 0 for a number that is none. Any thread. */
INGOT_API unsigned ingot_metal_pixel_format(const char *name);
INGOT_API size_t ingot_metal_pixel_bytes(unsigned pixel_format);

/* MTLTextureDescriptor; sizes of 0 count as 1. */
typedef struct ingot_metal_texture_descriptor {
    size_t struct_size; /* set by INGOT_METAL_TEXTURE_DESCRIPTOR_INIT; lets the struct grow */
    ingot_metal_texture_type type;
    unsigned pixel_format; /* MTLPixelFormat's number: 70 is RGBA8Unorm, 55 R32Float */
    uint32_t width, height, depth, array_length, mipmap_levels;
} ingot_metal_texture_descriptor;

#define INGOT_METAL_TEXTURE_DESCRIPTOR_INIT                                                                                {sizeof(ingot_metal_texture_descriptor), INGOT_METAL_TEXTURE_2D, 70, 1, 1, 1, 1, 1}

/* Pixels that host and kernels share. Counted, any thread; as for buffers. */
typedef struct ingot_metal_texture ingot_metal_texture;

/* A texture of zeros. INGOT_UNSUPPORTED for a pixel format that the device lacks, INGOT_VALUE for sizes that no texture
 * has. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_texture_create(ingot_metal_device *device,
                                                                 const ingot_metal_texture_descriptor *descriptor,
                                                                 ingot_metal_texture **out, ingot_error *error);
INGOT_API void ingot_metal_texture_release(ingot_metal_texture *texture);
/* Bytes of one level, its slices (layers, faces or depths) one after the other, its rows dense. */
INGOT_API size_t ingot_metal_texture_level_bytes(const ingot_metal_texture *texture, uint32_t level);
/* Copies a whole level in and out (replaceRegion and getBytes over all of it). INGOT_VALUE where `size` is not the level's
 * bytes or there is no such level. */
INGOT_API ingot_status ingot_metal_texture_write(ingot_metal_texture *texture, uint32_t level, const void *bytes,
                                                 size_t size, ingot_error *error);
INGOT_API ingot_status ingot_metal_texture_read(const ingot_metal_texture *texture, uint32_t level, void *bytes,
                                                size_t size, ingot_error *error);

/* From now on the texture counts as never written, until a kernel or _write does: as for buffers. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_texture_forget(ingot_metal_texture *texture, ingot_error *error);
/* What stands for the texture in a structure that kernels read (gpuResourceID); as for a buffer's address, with _use_texture. */
INGOT_API uint64_t ingot_metal_texture_gpu_resource_id(ingot_metal_texture *texture);

/* MTLSamplerDescriptor in Metal's numbers. */
typedef struct ingot_metal_sampler_descriptor {
    size_t struct_size; /* set by INGOT_METAL_SAMPLER_DESCRIPTOR_INIT; lets the struct grow */
    int min_filter, mag_filter;   /* 0 nearest, 1 linear */
    int mip_filter;               /* 0 not mipmapped, 1 nearest, 2 linear */
    int address_modes[3];         /* s, t, r: 0 clamp to edge, 1 mirror clamp to edge, 2 repeat, 3 mirrored repeat, 4 clamp to
                                     zero, 5 clamp to border colour */
    int normalized;               /* non-zero: coordinates from 0 to 1, else pixels */
    int border_colour;            /* 0 transparent black, 1 opaque black, 2 opaque white */
    int compare_function;         /* 0 never, 1 less, ... 7 always */
    float lod_min, lod_max;
} ingot_metal_sampler_descriptor;

#define INGOT_METAL_SAMPLER_DESCRIPTOR_INIT                                                                                {sizeof(ingot_metal_sampler_descriptor), 0, 0, 0, {0, 0, 0}, 1, 0, 0, 0.0F, 3.4e38F}

/* Immutable and counted; any thread. */
typedef struct ingot_metal_sampler ingot_metal_sampler;
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_sampler_create(ingot_metal_device *device,
                                                                 const ingot_metal_sampler_descriptor *descriptor,
                                                                 ingot_metal_sampler **out, ingot_error *error);
INGOT_API void ingot_metal_sampler_release(ingot_metal_sampler *sampler);
/* What stands for the sampler in a structure that kernels read (gpuResourceID). Any thread. */
INGOT_API uint64_t ingot_metal_sampler_gpu_resource_id(const ingot_metal_sampler *sampler);

/* ---- Queues, command buffers, encoders ------------------------------------------------------- */

/* Where command buffers are made. Counted, any thread. */
typedef struct ingot_metal_queue ingot_metal_queue;
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_queue_create(ingot_metal_device *device, ingot_metal_queue **out,
                                                               ingot_error *error);
INGOT_API void ingot_metal_queue_release(ingot_metal_queue *queue);

/* Work to be done in order. Counted; one thread at a time. */
typedef struct ingot_metal_command_buffer ingot_metal_command_buffer;
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_command_buffer_create(ingot_metal_queue *queue,
                                                                        ingot_metal_command_buffer **out,
                                                                        ingot_error *error);
INGOT_API void ingot_metal_command_buffer_release(ingot_metal_command_buffer *buffer);

/* Checks the dispatches of this command buffer (NULL: not). Then a fault of a kernel is a finding too, and _wait reports a
 * dispatch only where it was stopped or could not be run. The checker must outlive the run. */
INGOT_API ingot_status ingot_metal_command_buffer_check(ingot_metal_command_buffer *buffer, struct ingot_checker *checker,
                                                        ingot_error *error);

/* Counts into the profile what the dispatches cost (NULL: not); they then run on one thread. It must outlive the run. */
INGOT_API ingot_status ingot_metal_command_buffer_profile(ingot_metal_command_buffer *buffer, struct ingot_profile *profile,
                                                          ingot_error *error);

/* MTLLogLevel's, lowest first. */
typedef enum ingot_metal_log_level {
    INGOT_METAL_LOG_DEBUG,
    INGOT_METAL_LOG_INFO,
    INGOT_METAL_LOG_NOTICE, /* of os_log's log() */
    INGOT_METAL_LOG_ERROR,
    INGOT_METAL_LOG_FAULT
} ingot_metal_log_level;

/* A message that a kernel logged (os_log). Pointers live as long as the call that hands it out. */
typedef struct ingot_metal_log_message {
    ingot_metal_log_level level;
    const char *subsystem, *category; /* "" for os_log_default */
    const char *text;
    const char *kernel;
    const char *file; /* where the call stands */
    uint32_t line, column;
    uint32_t thread[3], threadgroup[3]; /* position in the threadgroup; of the threadgroup in the grid */
} ingot_metal_log_message;

/* MTLLogState: what becomes of the messages that kernels log. */
typedef struct ingot_metal_log_options {
    size_t struct_size;          /* set by INGOT_METAL_LOG_OPTIONS_INIT; lets the struct grow */
    ingot_metal_log_level level; /* lower ones are dropped */
    size_t buffer_size;          /* bytes that a dispatch's messages may take, some 64 for each beside its text; 0 = 1 MiB. What is
                                    logged after that is dropped, and `on_full` called */
    void (*on_message)(void *user, const ingot_metal_log_message *message); /* NULL: a line on standard error */
    void (*on_full)(void *user);                                            /* may be NULL */
    void *user;                                                             /* of both */
} ingot_metal_log_options;

#define INGOT_METAL_LOG_OPTIONS_INIT {sizeof(ingot_metal_log_options), INGOT_METAL_LOG_DEBUG, 0, 0, 0, 0}

/* The word for a level: "debug", "info", "notice", "error", "fault". */
INGOT_API const char *ingot_metal_log_level_name(ingot_metal_log_level level);

/* Where the kernels of this command buffer log to; options NULL: to standard error, as without this call, a line a message:
 * "FILE:LINE:COLUMN: LEVEL: thread (x, y, z) of threadgroup (x, y, z): TEXT". Messages come when a dispatch has ended, also by a
 * fault, in an order that is the same in every run: threadgroup by threadgroup, within each as they were logged; on the thread that
 * commits. */
INGOT_API ingot_status ingot_metal_command_buffer_log(ingot_metal_command_buffer *buffer, const ingot_metal_log_options *options,
                                                      ingot_error *error);

/* Runs what was encoded: each dispatch sees what the earlier ones wrote. Fails, and runs nothing, with the first error
 * of encoding, where an encoder has not been ended, and where it was committed before. Work may be done before the call
 * returns; what it does wrong is told by _wait. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_command_buffer_commit(ingot_metal_command_buffer *buffer,
                                                                        ingot_error *error);
/* Waits until the work is done. INGOT_DEVICE for a fault of a kernel, whose message names kernel, place, buffer and
 * thread; INGOT_LIMIT or INGOT_VALUE for a dispatch that does not fit its kernel. What came after it did not run. Says
 * the same when called again. */
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_command_buffer_wait(ingot_metal_command_buffer *buffer,
                                                                      ingot_error *error);

/* A compute command encoder: state that each dispatch takes with it. Counted; one thread at a time, and only one of a
 * command buffer at a time. Every function below returns an error that the command buffer also keeps for _commit, so
 * that a caller may leave it unread, as Metal's host code does. */
typedef struct ingot_metal_encoder ingot_metal_encoder;
INGOT_API INGOT_MUST_USE ingot_status ingot_metal_encoder_create(ingot_metal_command_buffer *buffer,
                                                                 ingot_metal_encoder **out, ingot_error *error);
/* Releasing an encoder that was not ended makes its command buffer unusable. */
INGOT_API void ingot_metal_encoder_release(ingot_metal_encoder *encoder);

/* The kernel of the dispatches that follow. */
INGOT_API ingot_status ingot_metal_encoder_set_pipeline(ingot_metal_encoder *encoder, ingot_metal_pipeline *pipeline,
                                                        ingot_error *error);
/* Binds the buffer from `offset` on at [[buffer(index)]]; NULL binds nothing there. INGOT_VALUE for an offset past the
 * end. */
INGOT_API ingot_status ingot_metal_encoder_set_buffer(ingot_metal_encoder *encoder, ingot_metal_buffer *buffer,
                                                      size_t offset, uint32_t index, ingot_error *error);
/* Binds a copy of at most 4096 bytes at [[buffer(index)]]; every dispatch has a copy of its own. */
INGOT_API ingot_status ingot_metal_encoder_set_bytes(ingot_metal_encoder *encoder, const void *bytes, size_t length,
                                                     uint32_t index, ingot_error *error);
/* The length of [[threadgroup(index)]]: a multiple of 16, as Metal demands. */
INGOT_API ingot_status ingot_metal_encoder_set_threadgroup_memory_length(ingot_metal_encoder *encoder, size_t length,
                                                                         uint32_t index, ingot_error *error);
/* Binds a texture at [[texture(index)]] (index below 128), a sampler at [[sampler(index)]] (below 16); NULL: none. */
INGOT_API ingot_status ingot_metal_encoder_set_texture(ingot_metal_encoder *encoder, ingot_metal_texture *texture,
                                                       uint32_t index, ingot_error *error);
INGOT_API ingot_status ingot_metal_encoder_set_sampler(ingot_metal_encoder *encoder, ingot_metal_sampler *sampler,
                                                       uint32_t index, ingot_error *error);
/* Lets the dispatches that follow reach the buffer by its address, the texture by its number (useResource:usage:). What a
 * kernel reaches otherwise counts as not bound. */
INGOT_API ingot_status ingot_metal_encoder_use_buffer(ingot_metal_encoder *encoder, ingot_metal_buffer *buffer,
                                                      ingot_error *error);
INGOT_API ingot_status ingot_metal_encoder_use_texture(ingot_metal_encoder *encoder, ingot_metal_texture *texture,
                                                       ingot_error *error);
/* Runs the kernel over `groups` threadgroups of `threads` threads each. A grid with a side of 0 runs nothing. INGOT_LIMIT
 * for more threads than the pipeline allows, INGOT_VALUE for none, for no pipeline, and for a buffer whose offset is no
 * multiple of its element's alignment. */
INGOT_API ingot_status ingot_metal_encoder_dispatch_threadgroups(ingot_metal_encoder *encoder, const uint32_t groups[3],
                                                                 const uint32_t threads[3], ingot_error *error);
/* The same, where the buffer holds the number of threadgroups, three 32-bit words at `offset`, when the dispatch is run
 * (dispatchThreadgroupsWithIndirectBuffer). INGOT_VALUE for an offset that is no multiple of 4 or leaves no room for them. */
INGOT_API ingot_status ingot_metal_encoder_dispatch_threadgroups_indirect(ingot_metal_encoder *encoder, ingot_metal_buffer *buffer,
                                                                          size_t offset, const uint32_t threads[3],
                                                                          ingot_error *error);
/* The same over a grid of `grid` threads: threadgroups at its end are smaller where it is no multiple of theirs. */
INGOT_API ingot_status ingot_metal_encoder_dispatch_threads(ingot_metal_encoder *encoder, const uint32_t grid[3],
                                                            const uint32_t threads[3], ingot_error *error);
/* Ends the encoding; the encoder can only be released after. */
INGOT_API ingot_status ingot_metal_encoder_end(ingot_metal_encoder *encoder, ingot_error *error);

#ifdef __cplusplus
}
#endif

#endif
