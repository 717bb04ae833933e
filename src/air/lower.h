/* Lowering of an AIR module to a module for this processor: what its files share.
 *
 * The new module is built instruction by instruction from the old one; nothing is taken over that is not understood, so
 * no attribute, flag or metadata that would be a lie here gets through. In it
 *  - half and bfloat are 16-bit integers, and computed in float, each operation rounded once;
 *  - every pointer is an i8 * of address space 0, and what is not a thread's own memory is read and written unaligned;
 *  - a simdgroup matrix of 64 elements is the two elements that a lane holds;
 *  - nothing is undefined that the software device defines: division by zero, shift counts, conversions out of range;
 *  - memory accesses are checked against what they are known to belong to.
 * Runs under the arena's guard. */
#ifndef AIR_LOWER_H
#define AIR_LOWER_H

#include <llvm-c/Target.h>

#include "air/runtime.h"
#include "air/signature.h"
#include "base/map.h"

/* What an element is, which the lowered type alone does not tell. */
typedef enum air_kind { AIR_INT, AIR_HALF, AIR_BFLOAT, AIR_FLOAT, AIR_DOUBLE, AIR_POINTER, AIR_AGGREGATE } air_kind;

/* What a pointer belongs to. */
typedef enum air_owner_kind {
    AIR_OWNER_UNKNOWN,  /* asked of the host at run time */
    AIR_OWNER_BUFFER,   /* a buffer or a threadgroup slot: `base` and `size` are values of the entry block */
    AIR_OWNER_FIXED     /* thread memory, a constant or a threadgroup variable: `size` is a constant */
} air_owner_kind;

typedef struct air_owner {
    air_owner_kind kind;
    const void *identity;
    LLVMValueRef base, size; /* i8 *, i64 */
    uint32_t what;           /* for messages: a parameter's number, or AIR_WHAT_... */
    bool read_only;
} air_owner;
enum { AIR_WHAT_THREAD = 1000, AIR_WHAT_CONSTANT, AIR_WHAT_THREADGROUP, AIR_WHAT_ANY };

/* The constants of the new module, the last one first. */
typedef struct air_constant_list {
    LLVMValueRef base, size;
    struct air_constant_list *next;
} air_constant_list;

/* Places of the module that a watched kernel tells of, the last one first; they are numbered from 0. */
typedef struct air_place_note {
    uint32_t line, column;
    str file;
    struct air_place_note *next;
} air_place_note;

typedef struct air_block {
    LLVMBasicBlockRef first, last;
    uint32_t order; /* in reverse post-order, from 1 */
} air_block;

typedef struct air_lower {
    arena *mem;
    LLVMContextRef c;
    LLVMModuleRef from, to;
    LLVMBuilderRef b;
    LLVMTargetDataRef layout;
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, half, none, ptr;
    const air_signature *signature;
    bool watched, atomic;          /* accesses are told of; the one being lowered is atomic */
    bool has_atomics, has_fences;  /* of device memory */
    LLVMValueRef current;          /* the old instruction being lowered */
    LLVMValueRef noted;            /* the one that the last place is of */
    air_place_note *places;
    uint32_t place_count;
    bool unchecked, converts_half; /* the processor converts half itself */
    bool masks;                    /* it reads and writes lanes of vectors of any type under masks, and at addresses of their own */
    bool starts;                   /* the function begins by computing the module's constants */
    map types, memory_types;       /* by type of the old module */
    map globals;                   /* by global: air_owner */
    map values, owners, blocks;    /* by value or block of the old module */
    LLVMValueRef function, thread; /* of the new module: the kernel and its first parameter */
    LLVMValueRef position[3], index; /* its other parameters: of the thread in its threadgroup */
    LLVMBasicBlockRef entry;       /* ends where entry code may still be added */
    air_constant_list *constants;
    uint64_t threadgroup_bytes, thread_bytes;
    uint32_t sites;                /* barriers and exchanges so far */
    bool syncs;                    /* has such */
    bool failed;
    ingot_error *error;
} air_lower;

/* Lowers the signature's function into a new module, as a function of one thread. */
void air_lower_module(air_lower *l);

/* Its `void air_entry(air_thread *)`, which runs one thread, or, where no thread waits for another (`syncs` false), all threads
 * of the threadgroup in a loop. group.h has the other way. */
void air_single_entry(air_lower *l);

/* The first refusal is kept. */
void air_refuse(air_lower *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* lower_type.c */
LLVMTypeRef air_type(air_lower *l, LLVMTypeRef t);        /* of a value */
LLVMTypeRef air_memory_type(air_lower *l, LLVMTypeRef t); /* as it lies in memory */
air_kind air_kind_of(LLVMTypeRef t);                      /* of the element, for vectors */
unsigned air_width(LLVMTypeRef t);                        /* elements of a vector of the old module; 1 otherwise */
bool air_is_matrix(LLVMTypeRef t);                        /* <64 x float type> */

/* lower_value.c */
LLVMValueRef air_value(air_lower *l, LLVMValueRef v);     /* the new value of an old one */
LLVMValueRef air_int32(air_lower *l, uint64_t v);
LLVMValueRef air_int64(air_lower *l, uint64_t v);
air_owner air_owner_of(air_lower *l, LLVMValueRef pointer);

/* lower_op.c: instructions and constant expressions without effects */
LLVMValueRef air_op(air_lower *l, LLVMOpcode op, LLVMValueRef v);

/* lower_float.c */
LLVMValueRef air_to_float(air_lower *l, LLVMValueRef v, air_kind kind);   /* scalar */
LLVMValueRef air_from_float(air_lower *l, LLVMValueRef v, air_kind kind); /* scalar */
typedef LLVMValueRef (*air_element_fn)(air_lower *l, LLVMValueRef *args, air_kind kind, void *user);
/* fn on each element of vectors (arguments that are scalars are the same for all). `kind` is that of the first
 * argument's elements; `result` the new type. */
LLVMValueRef air_each(air_lower *l, LLVMTypeRef result, LLVMValueRef *args, unsigned n, air_kind kind, air_element_fn fn, void *user);
LLVMValueRef air_convert(air_lower *l, LLVMValueRef v, air_kind from, bool from_signed, air_kind to, bool to_signed, LLVMTypeRef type);

/* lower_memory.c */
LLVMValueRef air_load(air_lower *l, LLVMValueRef pointer, LLVMTypeRef from_type);
void air_store(air_lower *l, LLVMValueRef pointer, LLVMValueRef value, LLVMTypeRef from_type);
/* Checks `size` bytes at the new pointer p, which is at the old pointer or at an offset from it. */
void air_check(air_lower *l, const air_owner *owner, LLVMValueRef p, LLVMValueRef size, bool writes);
/* The number of the place that is being lowered; of a watched kernel. */
uint32_t air_note_place(air_lower *l);
LLVMValueRef air_field(air_lower *l, size_t offset, LLVMTypeRef type); /* of the thread: the same as long as it runs */
void air_never_changes(air_lower *l, LLVMValueRef load); /* may be done once for all threads of a group */

/* Three functions that lowered code calls; air_define_asked gives those that were called their bodies for one thread, and
 * group.h does otherwise. AIR_GUARD(thread, x, y, z, good, kind, what, offset, size) reports a fault unless `good`;
 * AIR_AGAIN(thread, x, y, z) is called where a loop goes back, and in the end is a fault; AIR_NOTE(thread, x, y, z) comes
 * before a host function that may report a fault: where the thread is, into its fields. */
#define AIR_GUARD "air_guard"
#define AIR_AGAIN "air_again"
#define AIR_NOTE "air_note"
void air_fault_unless(air_lower *l, LLVMValueRef good, air_fault_kind kind, uint32_t what, LLVMValueRef offset, LLVMValueRef size);
void air_pay_for_loop(air_lower *l);
void air_note_position(air_lower *l);
void air_define_asked(air_lower *l);

enum { AIR_MAX_THREAD_BYTES = 512 << 10 }; /* of a thread's variables: half of the stack that a thread has which waits */
LLVMValueRef air_room(air_lower *l, LLVMTypeRef type); /* memory in the entry block, an i8 * */
LLVMValueRef air_cast_pointer(air_lower *l, LLVMValueRef p, LLVMTypeRef to);

/* Calls a host function by name. */
LLVMValueRef air_call_host(air_lower *l, const char *name, LLVMValueRef *args, unsigned n);
/* Calls one of LLVM's intrinsics, overloaded by one type (NULL: by none). */
LLVMValueRef air_call_llvm(air_lower *l, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned n);

/* intrinsics.c: a call of an air.* or llvm.* function */
LLVMValueRef air_intrinsic(air_lower *l, LLVMValueRef call, str name);

/* intrinsics_group.c: those that look beyond one thread. NULL where `name` (without "air.") is none of them. */
LLVMValueRef air_group_intrinsic(air_lower *l, LLVMValueRef call, str name, bool *known);
bool air_group_takes(LLVMValueRef call, str name); /* the call has the arguments and the result of that function, or it is none of them */

/* intrinsics_texture.c: the same of the device's textures */
LLVMValueRef air_texture_intrinsic(air_lower *l, LLVMValueRef call, str name, bool *known);

#endif
