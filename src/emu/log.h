/* What kernels print by os_log: messages made ready with the program, and a launch's own, kept until it ends. */
#ifndef EMU_LOG_H
#define EMU_LOG_H

#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "emu/vm.h"

struct emu_logging;
struct emu_kernel;

/* One conversion of a format, with the text before it. */
typedef struct emu_log_piece {
    str before;
    char conversion; /* one of "diuoxXcfFeEgGaAsp"; NUL: only text */
    bool left, plus, space, alternate, zeros;
    int width, precision; /* precision -1: none is given */
    uint32_t count;       /* elements: of a vector 2 to 4 */
    uint32_t value;       /* the first of its values in the lane's row */
    str text;             /* of %s */
} emu_log_piece;

/* A call of a log function. Strings live as long as the program. */
typedef struct emu_log_call {
    span at;
    uint8_t level; /* emu_log_level */
    str subsystem, category;
    const emu_log_piece *pieces;
    size_t piece_count;
    uint32_t values; /* of a lane: 64 bits each */
} emu_log_call;
VEC_DECLARE(emu_log_calls, emu_log_call)

enum {
    EMU_LOG_TEXT = 1024, /* bytes of one message; what is longer is cut */
    EMU_LOG_VALUES = 128 /* of one message */
};

/* The message of one lane from its row of values: floats are floats in the lower half, the rest 64 bits. NUL-terminated; its length. */
size_t emu_log_format(const emu_log_call *call, const uint64_t *row, char out[EMU_LOG_TEXT]);

/* A message as it is kept, its text behind it. */
typedef struct emu_log_entry {
    uint64_t order; /* of its batch among those of the launch */
    const emu_log_call *call;
    uint32_t group[3], thread[3];
    uint32_t size; /* of the text */
} emu_log_entry;

/* What a worker has logged. */
typedef struct emu_log {
    const ingot_allocator *mem;
    const emu_log_call *calls;
    uint64_t *rows; /* of values: `row` a lane */
    uint32_t row;
    uint64_t order; /* of the batch at hand */
    uint32_t first[3], axis;    /* its first threadgroup, and along which axis the others lie */
    const uint32_t *threads;    /* of a threadgroup, by axis */
    char *bytes;
    size_t size, cap, most; /* most: kept, whatever comes after */
    uint8_t least;          /* level */
    uint64_t full_at;       /* the first batch of which some was lost; UINT64_MAX: none */
    bool no_memory;
} emu_log;

/* Ready for the program's messages, over `width` lanes; false when out of memory, with nothing to free. */
bool emu_log_open(emu_log *log, const ingot_allocator *mem, const emu_log_calls *calls, uint32_t width);
void emu_log_close(emu_log *log, uint32_t width);

/* Joins `from` to `to`, which may be empty, and empties it. False when out of memory. */
bool emu_log_join(emu_log *to, emu_log *from);

/* Sorts what was logged up to the batch `last` by batches and hands it out, up to `most` bytes. False when out of memory. */
bool emu_log_say(emu_log *log, const struct emu_kernel *kernel, const struct emu_logging *to, uint64_t last);

/* Handlers of LOGVALUE and LOGTEXT; NULL for other instructions. */
emu_handler emu_log_handler(emu_op op);

#endif
