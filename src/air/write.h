/* Writing AIR from the typed tree of an MSL text: what its files share.
 *
 * One module a kernel; functions of the text are expanded where they are called. Pointers are typed. Values are as LLVM
 * has them: bool is i1 (a byte in memory), a packed vector is a vector (an array in memory), a matrix an array of
 * columns, a simdgroup matrix <64 x T>, a record or array its own aggregate. Runs under the arena's guard. */
#ifndef AIR_WRITE_H
#define AIR_WRITE_H

#include <llvm-c/Target.h>

#include "air/llvm.h"
#include "base/map.h"
#include "mslfront/tree.h"

#define AIR_LAYOUT                                                                                                     \
    "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-"      \
    "v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"

/* A row of targets.def: what goes with a deployment target. */
typedef struct air_platform {
    const char *name;      /* "macos14.0" */
    bool is_macos;
    unsigned major, minor; /* of the system */
    unsigned format_patch; /* 1.2.patch */
    unsigned air_major, air_minor;
    unsigned language;     /* the highest: 310 */
    const char *arch;      /* of the triple: "air64_v26" */
} air_platform;

/* A place: memory of `type`, of a vector only the picked elements. */
typedef struct air_place {
    LLVMValueRef p;    /* pointer to the type in memory */
    const mf_type *type;
    bool is_volatile;
    uint8_t pick[4];
    uint8_t picks;     /* 0: all of it */
} air_place;

/* A variable in the function being written. */
typedef struct air_bound {
    bool bound;
    air_place at;
} air_bound;

typedef struct air_frame {
    const mf_function *function;
    air_bound *params, *locals;
    LLVMBasicBlockRef end;  /* where a return leads */
    LLVMBasicBlockRef turn; /* of a function that calls itself: where its body begins; else NULL */
    air_place result;       /* p NULL: void */
    air_place reference;    /* where a returned reference is kept: a pointer to it */
    struct air_frame *outer;
} air_frame;

/* A function constant that the kernel reads, and the variable that the pipeline fills in. In the text's order. */
typedef struct air_given {
    const mf_var *v;
    LLVMValueRef from;
    struct air_given *next;
} air_given;

typedef struct air_record_layout {
    LLVMTypeRef type;
    unsigned *fields; /* the number of each field in the LLVM structure */
} air_record_layout;

/* A sampler that the text makes. */
typedef struct air_state {
    uint64_t bits; /* the device's */
    LLVMValueRef global;
    struct air_state *next;
} air_state;

/* What a texture is. */
typedef struct air_handle {
    const struct air_texture_shape *shape;
    mf_scalar scalar;
    unsigned access; /* 0 sample, 1 read, 2 write, 3 read_write */
} air_handle;

typedef struct air_writer {
    arena *mem;
    LLVMContextRef c;
    LLVMModuleRef m;
    LLVMBuilderRef b;
    LLVMTargetDataRef layout;
    LLVMTypeRef i1, i8, i16, i32, i64, none;
    diag_list *diags;
    const mf_function *kernel;
    const air_platform *platform;
    air_state *states;
    bool inner;                 /* for this device alone: textures are numbers of slots, reached by the device's own functions */
    bool precise;               /* no fast_ forms where the text does not ask for them */
    map types, records, globals;
    air_frame *frame;
    LLVMValueRef function;
    LLVMBasicBlockRef entry;    /* holds the variables */
    LLVMBasicBlockRef on_break, on_continue;
    LLVMValueRef lane;          /* thread_index_in_simdgroup, where the kernel has it */
    LLVMValueRef start;         /* computes constants before the kernel; NULL: none does */
    LLVMBasicBlockRef start_entry, start_body, start_end;
    air_given *given;
    bool meets_given;           /* the initialiser being computed depends on one, or calls a function */
    unsigned depth;
    bool constant;              /* in the initialiser of a global */
    bool wants_lane;            /* it does, and has none */
    bool failed;
} air_writer;

void air_write_refuse(air_writer *w, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* write_type.c */
LLVMTypeRef air_write_scalar(air_writer *w, mf_scalar s);             /* bool is i1 */
LLVMTypeRef air_write_value_type(air_writer *w, const mf_type *t);
LLVMTypeRef air_write_memory_type(air_writer *w, const mf_type *t);
const air_record_layout *air_write_record(air_writer *w, const mf_record *r);
unsigned air_write_space(mf_space space);
LLVMValueRef air_write_number(air_writer *w, const mf_type *scalar, mf_constant c);

/* write_place.c */
air_place air_write_place(air_writer *w, const mf_expr *e);

/* ++ or -- of the operand of `e`: its place, and in *was the value before. */
air_place air_write_step(air_writer *w, const mf_expr *e, bool up, LLVMValueRef *was);
LLVMValueRef air_write_load(air_writer *w, air_place p);
void air_write_store(air_writer *w, air_place p, LLVMValueRef v);
air_place air_write_room(air_writer *w, const mf_type *t, str name);  /* a variable of the thread */
air_place air_write_element(air_writer *w, air_place p, LLVMValueRef index, const mf_type *type);
air_bound *air_write_bound(air_writer *w, const mf_var *v);
LLVMValueRef air_write_to_memory(air_writer *w, LLVMValueRef v, const mf_type *t); /* a value as it lies there */
LLVMValueRef air_write_pointer_cast(air_writer *w, LLVMValueRef p, LLVMTypeRef to);

/* write_constant.c: a constant of the program; and, at the end, what is said of function constants: the tags of the function's
 * public metadata. */
air_place air_write_global(air_writer *w, const mf_var *v);
str air_write_finish_constants(air_writer *w);

/* write_expr.c */
LLVMValueRef air_write_value(air_writer *w, const mf_expr *e);
void air_write_drop(air_writer *w, const mf_expr *e);
LLVMValueRef air_write_binary(air_writer *w, mf_op op, const mf_type *t, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef air_write_convert(air_writer *w, LLVMValueRef v, const mf_type *from, const mf_type *to);
LLVMValueRef air_write_zero(air_writer *w, const mf_type *t);
LLVMValueRef air_write_splat(air_writer *w, LLVMValueRef scalar, unsigned width);

/* write_call.c: functions of the library, and calls of air.* by name. The name's types are appended: "v4f32". */
LLVMValueRef air_write_builtin(air_writer *w, const mf_expr *e);
LLVMValueRef air_write_air(air_writer *w, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned n);
str air_write_type_name(air_writer *w, const mf_type *t, bool sign); /* "f32", "v2f16", "s.i32" */
mf_type air_write_like(mf_scalar s, unsigned width);
LLVMValueRef air_write_int(air_writer *w, uint64_t v);

/* write_pack.c: NULL where `e` is no packing. */
LLVMValueRef air_write_pack(air_writer *w, const mf_expr *e);

/* write_group.c: those that look beyond one thread */
LLVMValueRef air_write_group(air_writer *w, const mf_expr *e);
LLVMValueRef air_write_diagonal(air_writer *w, const mf_type *t, LLVMValueRef v);
bool air_write_is_copy(const mf_function *f); /* one that begins or awaits a simdgroup's copy */
LLVMValueRef air_write_copy(air_writer *w, const mf_expr *e);

/* write_texture.c: calls of the device's texture functions; parameters that are no parameters of the function but numbers. */
LLVMValueRef air_write_texture(air_writer *w, const mf_expr *e);
bool air_write_is_number(const air_writer *w, const mf_var *p);
void air_write_bind_number(air_writer *w, const mf_var *p, air_bound *b);

/* The same in a metallib: a call of a texture's method. */
bool air_write_is_method(const air_writer *w, const mf_function *f);
LLVMValueRef air_write_method(air_writer *w, const mf_expr *e);

/* write_handle.c: the library's records that are textures and samplers; in a metallib each holds a pointer. */
bool air_write_is_texture(const mf_type *t);
bool air_write_is_sampler(const mf_type *t);
air_handle air_write_handle(const mf_type *texture);
LLVMTypeRef air_write_handle_type(air_writer *w, const mf_type *t);        /* of the pointer */
const mf_type *air_write_handle_element(const mf_type *t);                 /* of an array of them */
str air_write_handle_text(air_writer *w, const mf_type *t);                /* as AIR spells it: "texture2d<float, sample>" */
LLVMValueRef air_write_sampler(air_writer *w, const mf_expr *e);           /* the record of a constant one; NULL where it is none */

/* write_stmt.c */
void air_write_stmt(air_writer *w, const mf_stmt *s);
LLVMValueRef air_write_call(air_writer *w, const mf_expr *e, air_place *reference);
LLVMBasicBlockRef air_write_block(air_writer *w, const char *name);
void air_write_branch(air_writer *w, LLVMBasicBlockRef to); /* unless the block has ended */

/* write_kernel.c: a module of one kernel, and the tags of its public metadata in the library. */
LLVMModuleRef air_write_module(air_writer *w, const mf_function *kernel, const air_platform *platform, unsigned language, str *metadata);
/* A module of the unit's functions that are no kernels, by their names. */
LLVMModuleRef air_write_library(air_writer *w, const mf_unit *unit, const air_platform *platform);
LLVMValueRef air_write_lane(air_writer *w);

#endif
