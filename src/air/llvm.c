/* LLVM contexts whose errors are kept, parsing, verifying, and running passes. */
#include "air/llvm.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* Without a handler LLVM ends the process at the first error. */
static void keep_message(LLVMDiagnosticInfoRef info, void *user)
{
    air_context *context = user;
    const LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
    if (severity != LLVMDSError && severity != LLVMDSWarning) return;
    char *text = LLVMGetDiagInfoDescription(info);
    if (severity == LLVMDSWarning) context->deep = context->deep || strncmp(text, "stack frame size", 16) == 0;
    else if (context->message[0] == '\0') (void)snprintf(context->message, sizeof context->message, "%s", text);
    LLVMDisposeMessage(text);
}

bool air_context_open(air_context *context, bool typed)
{
    *context = (air_context){.c = LLVMContextCreate()};
    LLVMContextSetDiagnosticHandler(context->c, keep_message, context);
#if LLVM_VERSION_MAJOR == 15 || LLVM_VERSION_MAJOR == 16
    LLVMContextSetOpaquePointers(context->c, typed ? 0 : 1);
    return true;
#elif LLVM_VERSION_MAJOR < 15
    return typed;
#else
    return !typed;
#endif
}

void air_context_close(air_context *context)
{
    LLVMContextDispose(context->c);
}

LLVMModuleRef air_parse(air_context *context, str bitcode, ingot_error *error)
{
    LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode.p, bitcode.n, "air");
    LLVMModuleRef module = NULL;
    const bool failed = LLVMParseBitcodeInContext2(context->c, bytes, &module) != 0;
    LLVMDisposeMemoryBuffer(bytes);
    if (!failed) return module;
    error_set(error, INGOT_FORMAT, "LLVM %s cannot read its bitcode%s%s", air_llvm_version(), context->message[0] != '\0' ? ": " : "",
              context->message);
    return NULL;
}

const char *air_llvm_version(void)
{
    return LLVM_VERSION_STRING;
}

LLVMValueRef air_part(LLVMValueRef v, unsigned i)
{
#if LLVM_VERSION_MAJOR < 15
    return LLVMIsAConstantDataSequential(v) != NULL ? LLVMGetElementAsConstant(v, i) : LLVMGetOperand(v, i);
#else
    return LLVMGetAggregateElement(v, i);
#endif
}

bool air_run_passes(LLVMModuleRef m, const char *passes, LLVMTargetMachineRef target, ingot_error *error)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPasses(m, passes, target, options);
    LLVMDisposePassBuilderOptions(options);
    if (failed == NULL) return true;
    char *text = LLVMGetErrorMessage(failed);
    error_set(error, INGOT_INTERNAL, "LLVM's passes: %s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

bool air_verify(LLVMModuleRef m, str what, ingot_status status, ingot_error *error)
{
    char *text = NULL;
    const bool bad = LLVMVerifyModule(m, LLVMReturnStatusAction, &text) != 0;
    if (bad) error_set(error, status, "%.*s is not valid: %.300s", STR_ARG(what), text);
    LLVMDisposeMessage(text);
    return !bad;
}
