/* LLVM's C API as the folder uses it: one context a piece of work, errors kept instead of printed. */
#ifndef AIR_LLVM_H
#define AIR_LLVM_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>

#include "base/buf.h"
#include "base/str.h"
#include "ingot/ingot.h"

typedef struct air_context {
    LLVMContextRef c;
    char message[400]; /* the first error that LLVM reported */
    bool deep;         /* a function's stack frame is larger than its attribute "warn-stack-size" allows */
} air_context;

/* `typed`: pointers keep what they point at (LLVM 14 always, 15 and 16 on request; later versions cannot: false). */
bool air_context_open(air_context *context, bool typed);
void air_context_close(air_context *context);

/* Parses wrapped or bare bitcode. NULL with the error set where LLVM does not take it. */
LLVMModuleRef air_parse(air_context *context, str bitcode, ingot_error *error);

/* Runs LLVM's passes, named as `opt -passes` names them; `target` may be NULL. False with the error set. */
bool air_run_passes(LLVMModuleRef m, const char *passes, LLVMTargetMachineRef target, ingot_error *error);

/* False with `status` set where LLVM's verifier refuses the module: "WHAT is not valid: ...". */
bool air_verify(LLVMModuleRef m, str what, ingot_status status, ingot_error *error);

/* "15.0.6" */
const char *air_llvm_version(void);

/* Element i of a constant vector, array or structure. */
LLVMValueRef air_part(LLVMValueRef constant, unsigned i);

static inline str air_name(LLVMValueRef v)
{
    size_t n;
    const char *p = LLVMGetValueName2(v, &n);
    return (str){p, n};
}

/* The text of a metadata string; p NULL where it is none. */
static inline str air_md_string(LLVMValueRef v)
{
    unsigned n = 0;
    if (v == NULL || LLVMIsAMDString(v) == NULL) return (str){NULL, 0};
    const char *p = LLVMGetMDString(v, &n);
    return (str){p, n};
}

#endif
