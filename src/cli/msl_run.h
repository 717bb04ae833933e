/* One run of a kernel of a .metal file: its launch, its buffers, and what came out. */
#ifndef CLI_MSL_RUN_H
#define CLI_MSL_RUN_H

#include "cli/element.h"
#include "cli/findings.h"
#include "cli/metal_text.h"

enum { MSL_MOST_DIMS = 8, MSL_MOST_LENGTHS = 31 };

/* A [[buffer(n)]] of the kernel. */
typedef struct msl_buffer {
    ingot_metal_argument info;
    size_t position; /* among the kernel's arguments: its random values depend on it */
    const char *what; /* of --buffer; NULL: not given */
    const char *out;  /* file of --out; NULL: not wanted */
    bool print_all;
    DLDataType dtype; /* of what it holds, one lane; bits 0: bytes of no known type */
    int64_t shape[MSL_MOST_DIMS];
    size_t ndim;
    cli_element element;
    size_t count, bytes; /* elements of `dtype`; all bytes */
    ingot_metal_buffer *buffer;
} msl_buffer;

typedef struct msl_run {
    cli *c;
    metal_text text;
    ingot_metal_function *function;
    ingot_metal_pipeline *pipeline;
    msl_buffer *buffers;
    size_t buffer_count;
    size_t lengths[MSL_MOST_LENGTHS]; /* of threadgroup memory */
    uint32_t grid[3], threads[3];
    bool by_threads; /* the grid counts threads */
    uint64_t seed;
    bool checked;    /* with the checker of `find` */
    bool check_only; /* of `ingot check`: findings are all that is reported */
    findings find;
    ingot_profile *profile; /* NULL: not wanted */
    const char *page;       /* file of --profile; NULL or "": none */
    double seconds;  /* of the run */
} msl_run;

/* Each returns an exit code; other than CLI_GOOD after a message. */

/* Chooses the kernel, with its constants, and describes its buffers. */
int msl_choose(msl_run *r, const cli_words *words);
/* --grid, --threads, --threadgroup-mem. */
int msl_geometry(msl_run *r, const cli_words *words);
/* --buffer, --out, --print. */
int msl_take_buffers(msl_run *r, const cli_words *words);
/* Makes the buffers and fills them. */
int msl_fill(msl_run *r);
/* Writes the files of --out; reports. */
int msl_write_files(msl_run *r);
int msl_report(msl_run *r);

/* All of it. */
int msl_run_file(msl_run *r, cli *c, const cli_words *words, const char *file);

#endif
