/* A stand-in for the Objective-C runtime, Foundation and Metal, as a loadable library with their names: it checks every
 * message that it gets and does what it is told on the software device. This is how a test sets it up and asks it.
 *
 * It checks that a selector is one that the receiver's class has, by the declarations in Apple's documentation
 * (the tables of foundation.c, device.c, commands.c and files.c), that objects are alive and of the declared classes,
 * that references are balanced, pools drained, encoders ended before their command buffer is committed, and what Metal's
 * own validation would refuse: lengths, offsets, limits. Command buffers run when somebody waits for them, not before.
 *
 * One for the process; calls from several threads take turns. The message entry is written for x86-64 and for AArch64 with
 * the System V and AAPCS64 conventions: a machine of another kind has no such library, and the tests on it are left out. */
#ifndef DOUBLE_DOUBLE_H
#define DOUBLE_DOUBLE_H

#include <stddef.h>

#define DOUBLE_API __attribute__((visibility("default")))

typedef enum double_fault {
    DOUBLE_NO_FAULT,
    DOUBLE_NO_DEVICE,
    DOUBLE_NO_QUEUE,
    DOUBLE_NO_MEMORY,       /* for a buffer */
    DOUBLE_LIBRARY_ERROR,
    DOUBLE_PIPELINE_ERROR,
    DOUBLE_NO_COMMANDS,
    DOUBLE_NO_ENCODER,
    DOUBLE_COMMAND_ERROR,   /* a command buffer ends with code 2, a timeout */
    DOUBLE_ARCHIVE_ERROR,   /* adding to one */
    DOUBLE_WRITE_ERROR,     /* writing an archive */
    DOUBLE_CAPTURE_ERROR
} double_fault;

typedef struct double_options {
    int devices;          /* 1 where 0 */
    int discrete;         /* CPU and GPU have memory of their own */
    int old;              /* a system of 2017: no math mode, bindings, archives, captures, descriptors of command buffers */
    int no_signposts;     /* errors of command buffers do not say where the GPU was */
    int may_capture;
    int warnings;         /* the compiler has something to say about every text */
    const char *air_text; /* what the functions of every metallib are, as MSL text: compiled code is not run here */
} double_options;

/* Starts afresh; no object of before may be in use. */
DOUBLE_API void double_setup(const double_options *options);

/* From now on the n-th (1 = the next) request of this kind fails, once. */
DOUBLE_API void double_inject(double_fault fault, unsigned n);

/* What has gone wrong so far, a line each, and then what is alive that should not be. "" where all is well. Lives until the
 * next call. */
DOUBLE_API const char *double_report(void);

/* How often a message of this selector was sent. */
DOUBLE_API unsigned double_count(const char *selector);

/* The text of the last -[MTLCompileOptions set...] messages: "language 196608 math 2 functions 0 ". */
DOUBLE_API const char *double_compile_options(void);

/* A new MTLBuffer (the caller's reference, to be given back through double_drop), as another library would have made it. */
DOUBLE_API void *double_foreign_buffer(size_t length, int private_storage);
DOUBLE_API void double_drop(void *object);
/* How many references an object has. */
DOUBLE_API int double_references(void *object);

#endif
