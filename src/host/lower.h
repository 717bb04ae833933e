/* The state of lowering one host function, shared by the files that do it. */
#ifndef HOST_LOWER_H
#define HOST_LOWER_H

#include "base/diag.h"
#include "host/program.h"
#include "ir/walk.h"

VEC_DECLARE(type_vec, DLDataType)
VEC_DECLARE(u64_vec, uint64_t)
VEC_DECLARE(insn_vec, host_insn)
VEC_DECLARE(launch_vec, host_launch)
VEC_DECLARE(message_vec, host_message)
VEC_DECLARE(index_vec, size_t)

/* What a variable of the signature is called in messages: "A.shape[0]", or a parameter's name. */
typedef struct lower_path {
    str text;
} lower_path;

/* The loop that break and continue mean: jumps to be pointed at its two places. */
typedef struct lower_loop {
    index_vec breaks, continues;
    struct lower_loop *outer;
} lower_loop;

typedef struct lower {
    arena *mem;
    diag_list *diags;
    const map *kernels; /* name -> ir_func */
    const ir_func *f;
    map regs;    /* ir_var -> register + 1, of scalars and pointers */
    map mutable; /* data variable of a host scalar's buffer -> register + 1 */
    map paths;   /* ir_var of the signature -> lower_path */
    map uses;    /* data variable -> lower_use: what kernels do with it */
    type_vec types;
    u64_vec constants;
    insn_vec code;
    launch_vec launches;
    message_vec messages;
    size_t allocs;
    ir_type result;
    lower_loop *loop;
} lower;

/* How kernels use a pointer. */
typedef struct lower_use {
    bool read, written;
} lower_use;

/* A fresh register; past the format's limit it reports an error at `at` and gives 0. */
uint16_t lower_reg(lower *l, ir_type type, span at);

/* The variable's register; reports an error where the host has none and gives a fresh one. */
uint16_t lower_var_reg(lower *l, const ir_var *v, span at);
void lower_set_reg(lower *l, const ir_var *v, uint16_t reg);

size_t lower_emit(lower *l, host_op op, uint16_t d, uint16_t a, uint16_t b);
size_t lower_emit_wide(lower *l, host_op op, uint16_t d, size_t wide);

/* Points an emitted jump at the next instruction. */
void lower_land(lower *l, size_t jump);

/* d = integer constant. */
uint16_t lower_int(lower *l, ir_type type, int64_t value, span at);

/* Code that computes an expression; its register. Errors are reported, and some register is given. */
uint16_t lower_expr(lower *l, const ir_node *n);

/* Converted to another scalar type where it has not that type already. */
uint16_t lower_cast(lower *l, uint16_t reg, ir_type from, ir_type to, span at);

/* The parameters, and code for the dimensions that are expressions; in the order in which a call binds them. */
const host_param *lower_params(lower *l);

void host_lower_stmt(lower *l, const ir_node *n);

/* What a kernel does with its pointer parameters, added to the uses of the arguments. */
void lower_note_uses(lower *l, const ir_func *kernel, const ir_node *const *args);

static inline DLDataType lower_dtype(ir_type t)
{
    return (DLDataType){t.code, t.bits, t.lanes};
}

#endif
