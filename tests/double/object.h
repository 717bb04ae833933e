/* The double from the inside: objects, messages, and what is noted about them. */
#ifndef DOUBLE_OBJECT_H
#define DOUBLE_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "double.h"
#include "emu/emu.h"

typedef struct object object;

typedef struct size3 {
    uint64_t width, height, depth;
} size3;

/* An argument or a result. */
typedef union value {
    uint64_t u;
    double d;
    size3 size;
    void *p;
    object *o;
    object **out; /* NSError ** and the like */
} value;

enum { MAX_ARGS = 8 };

typedef struct message {
    object *self;
    const char *selector;
    value args[MAX_ARGS];
} message;

/* One method: its declaration as the documentation has it, and what it does. A result of a method that is not of the
 * families alloc, new and init is put into the pool. */
typedef struct method {
    const char *declaration;
    value (*run)(message *m);
    bool recent; /* not there on an old system */
} method;

typedef struct class_info {
    const char *name;
    const method *methods;
    size_t method_count;
    bool by_name; /* objc_getClass knows it */
    bool recent;
} class_info;

/* One command of a command buffer. */
typedef struct command {
    struct command *next;
    object *pipeline; /* NULL: a copy */
    object *buffers[EMU_MAX_BUFFERS];
    size_t offsets[EMU_MAX_BUFFERS];
    unsigned char *bytes[EMU_MAX_BUFFERS]; /* of setBytes */
    size_t byte_counts[EMU_MAX_BUFFERS];
    size_t lengths[EMU_MAX_THREADGROUP_ARGS];
    size3 grid, group;
    size_t size; /* of a copy: from buffers[0] to buffers[1] */
} command;

/* What an object holds, by class; `held` are references that go with it. */
struct object {
    const class_info *class;
    object *next;       /* of all */
    int references;
    bool is_class, is_immortal, is_dead;
    char *label;
    char *text;         /* NSString, NSError's description, NSURL's path, a function's name, an archive's content */
    size_t size;        /* of bytes; items of an array */
    unsigned char *bytes; /* MTLBuffer, dispatch_data */
    object *held[8];
    object **items;     /* NSArray */
    int64_t number[6];
    emu_library *library;
    const emu_kernel *kernel;
    command *first, *last;  /* of a command buffer */
    command *draft;         /* of an encoder */
    bool flag[4];
};

/* Which of held[], number[] and flag[] means what. */
enum {
    HELD_DEVICE = 0,
    HELD_KEY = 1, HELD_VALUE = 2,                       /* NSDictionary */
    HELD_USER_INFO = 1,                                 /* NSError */
    HELD_LIBRARY = 1,                                   /* MTLFunction */
    HELD_FUNCTION = 1, HELD_ARCHIVES = 2,               /* MTLComputePipelineDescriptor, -State */
    HELD_URL = 1,                                       /* of descriptors */
    HELD_QUEUE = 1, HELD_ERROR = 2, HELD_ENCODER = 3,   /* MTLCommandBuffer (its encoder is not held) */
    HELD_COMMANDS = 1,                                  /* encoders */
    HELD_MARKS = 1,                                     /* MTLCommandBufferEncoderInfo */
    HELD_TARGET = 2,                                    /* MTLCaptureDescriptor */

    NUMBER_CODE = 0,                                    /* NSError */
    NUMBER_STORAGE = 0,                                 /* MTLBuffer */
    NUMBER_LANGUAGE = 0, NUMBER_MATH = 1, NUMBER_FUNCTIONS = 2, /* MTLCompileOptions */
    NUMBER_TYPE = 0, NUMBER_ACCESS = 1, NUMBER_INDEX = 2, NUMBER_SIZE = 3, /* bindings */
    NUMBER_STATUS = 0, NUMBER_START = 1, NUMBER_END = 2, /* MTLCommandBuffer; times in microseconds */
    NUMBER_ERROR_OPTIONS = 0,                           /* MTLCommandBufferDescriptor */
    NUMBER_STATE = 0,                                   /* MTLCommandBufferEncoderInfo */
    NUMBER_DESTINATION = 0,                             /* MTLCaptureDescriptor */

    FLAG_COMPUTE = 0, FLAG_ENDED = 1,                   /* encoders */
    FLAG_COMMITTED = 0, FLAG_DESCRIBED = 1,             /* MTLCommandBuffer */
    FLAG_CAPTURING = 0                                  /* MTLCaptureManager */
};

/* The state of the double, and its lock, which every entry point holds. */
typedef struct double_state {
    double_options options;
    double_fault fault;
    unsigned fault_in;
    object *objects;
    object **devices;      /* options.devices of them */
    object *marks;         /* the signposts of the command buffer that runs */
    int64_t clock;         /* microseconds of the GPU's time */
    unsigned captures;
    char compile_options[128];
} double_state;
extern double_state state;

/* Notes a fault of the caller. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True when the injected fault is due. */
bool fails(double_fault fault);

/* A new object of the class, with one reference. */
object *make(const char *class_name);
object *retain(object *o);
void release(object *o);
/* Releases it when the thread's innermost pool is drained. */
object *autorelease(object *o);
/* True for a live object; else complains, saying where. */
bool is_alive(const object *o, const char *where);
bool is_a(const object *o, const char *class_name);

/* Puts `o`, retained, where `*slot` held something. */
void hold(object **slot, object *o);

object *make_string(const char *text, size_t size);
object *make_array(object *const *items, size_t count); /* holds them */
object *make_error(int64_t code, const char *text);     /* in the pool */

/* Does what the commands of a command buffer say, and sets its status. */
void run_commands(object *commands);
void free_commands(object *commands);
/* Checks on an encoder's death. */
void drop_encoder(object *encoder);

/* Finds a method by its selector; NULL where the object has none. */
const method *find_method(const object *o, const char *selector);

/* The key of encoder information in an NSError: Metal's variable of this name. */
DOUBLE_API extern object *MTLCommandBufferEncoderInfoErrorKey;

extern const class_info *const classes[];
extern const size_t class_count;
const class_info *find_class(const char *name);

#endif
