/* One run of a host function: its parameters, what is given for them, and what came out. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/dims.h"
#include "cli/element.h"
#include "cli/json.h"
#include "cli/verb.h"

/* Ids of run_options.def and run_gpu_options.def. */
enum {
    RUN_BEFORE = CLI_OPTION_OWN - 1,
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) ID,
#include "cli/run_options.def"
#include "cli/run_gpu_options.def"
#undef CLI_OPTION
};

/* What a buffer holds before the run: CLI_FILL(NAME, the word of --in). */
#define CLI_FILLS(CLI_FILL)                                                                        \
    CLI_FILL(RANDOM, "random")                                                                     \
    CLI_FILL(ZEROS, "zeros")                                                                       \
    CLI_FILL(ONES, "ones")                                                                         \
    CLI_FILL(ARANGE, "arange")

typedef enum run_fill {
    RUN_FILL_AUTO, /* random where the program reads, else zeros */
    RUN_FILL_FILE,
#define CLI_FILL(NAME, word) RUN_FILL_##NAME,
    CLI_FILLS(CLI_FILL)
#undef CLI_FILL
} run_fill;

typedef struct run_param {
    ingot_param_info info;
    cli_element element;
    run_fill fill;
    const char *in;     /* the file of RUN_FILL_FILE */
    const char *out;    /* NULL: not wanted */
    ingot_array *array; /* what the file holds */
    int64_t *shape;
    size_t count, bytes; /* elements (lanes counted), and their bytes */
    void *data;          /* on the host */
    ingot_buffer *buffer;
    DLTensor tensor;
    bool has_scalar;
    ingot_value scalar;
} run_param;

typedef struct run_launch {
    char *kernel;
    uint32_t grid[3], group[3];
    size_t threadgroup_bytes;
    uint64_t count;
} run_launch;

/* How long the launches of one kernel ran, in seconds. */
typedef struct run_time {
    char *kernel;
    uint64_t count;
    double total, least;
} run_time;

/* NAME=VALUE as it was given, in order. */
typedef struct run_setting {
    const char *name;
    ingot_value value;
    bool must_fit; /* refused where nothing has this name */
} run_setting;

typedef struct run {
    cli *c;
    const char *file; /* the program's */
    ingot_module *module;
    const char *function;
    run_param *params;
    size_t param_count;
    cli_dims dims;
    run_setting *settings;
    size_t setting_count;
    uint64_t seed;
    const char *device_kind;
    int device_id;
    unsigned threads;
    ingot_device *device;
    ingot_program *program;
    ingot_stream *stream;
    ingot_value result;
    run_launch *launches;
    size_t launch_count;
    ingot_checker *checker; /* of `ingot check`; NULL: nothing is checked, and a fault is an error */
    ingot_error *stopped;   /* with a checker: what ended the run */
    bool timed;               /* times are wanted */
    run_time *times;
    size_t time_count;
    const char *capture, *archive; /* files; NULL: not wanted */
    const char *engine;            /* NULL: the default */
} run;

/* Each returns an exit code; other than CLI_GOOD after a message. */

/* Chooses the function (NULL: the only one, else "main") and describes its parameters. */
int run_describe(run *r, const char *function);
/* "BUF=FILE.npy|random|zeros|ones|arange" and "BUF=FILE.npy". */
int run_take_in(run *r, const char *text);
int run_take_out(run *r, const char *text);
/* Reads the files, finds every dimension and scalar from files and settings, and names what is
 * missing. */
int run_bind(run *r);
/* Makes each buffer's bytes on the host. */
int run_fill_buffers(run *r);
/* Opens the device, runs the function, and brings the buffers back. */
int run_execute(run *r);
/* Writes the files of --out, then reports on standard output. */
int run_write_files(run *r);
int run_report(run *r, bool json);
/* The launches alone, as lines and as a member of the open object. */
void run_print_launches(const run *r, cli_bytes *out);
void run_json_launches(const run *r, cli_json *j);
/* All of it but the report: reads the options, runs, and writes the files of --out. */
int run_program(run *r, const cli_words *words, const char *file);
/* Gives back what the run holds of the library. */
void run_release(run *r);

/* True for a tensor parameter that the report shows. */
bool run_is_shown(const run_param *param);

#endif
