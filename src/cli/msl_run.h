/* One run of a kernel of a .metal file: its launch, its buffers, and what came out. */
#ifndef CLI_MSL_RUN_H
#define CLI_MSL_RUN_H

#include "cli/element.h"
#include "cli/findings.h"
#include "cli/metal_text.h"

enum { MSL_MOST_DIMS = 8, MSL_MOST_LENGTHS = 31 };

/* Where the address or number of something stands, or its value: in a structure. `of` NULL: it is an argument itself. */
typedef struct msl_place {
    struct msl_buffer *of;
    size_t offset;
} msl_place;

/* A [[buffer(n)]] of the kernel, or what a member of a structure in one points at or holds; its name is then "args.x". */
typedef struct msl_buffer {
    ingot_metal_argument info;
    msl_place at;
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

/* A [[texture(n)]], or a member that is one. */
typedef struct msl_texture {
    ingot_metal_argument info;
    msl_place at;
    size_t position;
    const char *what, *out; /* of --texture and --texture-out */
    const char *format;     /* the pixel format's name */
    ingot_metal_texture_descriptor descriptor;
    ingot_metal_texture *texture;
} msl_texture;

typedef struct msl_sampler {
    ingot_metal_argument info;
    msl_place at;
    const char *what; /* of --sampler; NULL: the default */
    ingot_metal_sampler *sampler;
} msl_sampler;

typedef struct msl_run {
    cli *c;
    metal_text text;
    ingot_metal_function *function;
    ingot_metal_pipeline *pipeline;
    msl_buffer *buffers;
    size_t buffer_count;
    msl_texture *textures;
    size_t texture_count;
    msl_sampler *samplers;
    size_t sampler_count;
    size_t lengths[MSL_MOST_LENGTHS]; /* of threadgroup memory */
    uint32_t grid[3], threads[3];
    const msl_buffer *grid_in; /* the buffer that the grid is read from ... */
    size_t grid_offset;        /* ... from this byte on; NULL: it is given */
    bool by_threads; /* the grid counts threads */
    uint64_t seed;
    bool checked;    /* with the checker of `find` */
    bool check_only; /* of `ingot check`: findings are all that is reported */
    findings find;
    ingot_profile *profile; /* NULL: not wanted */
    const char *page;       /* file of --profile; NULL or "": none */
    ingot_metal_log_options log;
    double seconds;  /* of the run */
} msl_run;

/* Each returns an exit code; other than CLI_GOOD after a message. */

/* Chooses the kernel, with its constants, and describes what it takes. */
int msl_choose(msl_run *r, const cli_words *words);
void msl_describe(msl_run *r);
/* The slot that an option's "I=VALUE" means, by its index or name; NULL after a message. */
msl_buffer *msl_find_buffer(msl_run *r, const char *option, const char *text, const char **value);
msl_texture *msl_find_texture(msl_run *r, const char *option, const char *text, const char **value);
msl_sampler *msl_find_sampler(msl_run *r, const char *option, const char *text, const char **value);
/* --grid, --threads, --threadgroup-mem. */
int msl_geometry(msl_run *r, const cli_words *words);
/* --log. */
int msl_logging(msl_run *r, const cli_words *words);
/* --buffer, --out, --print, --texture, --texture-out, --sampler. */
int msl_take_slots(msl_run *r, const cli_words *words);
void msl_need_structures(msl_run *r);
/* Makes buffers, textures and samplers and fills them; then the structures with what they point at. */
int msl_fill(msl_run *r);
int msl_fill_textures(msl_run *r);
int msl_put_members(msl_run *r);
/* Writes the files of --out and --texture-out; reports. */
int msl_write_files(msl_run *r);
int msl_write_textures(msl_run *r);
int msl_report(msl_run *r);

/* All of it. */
int msl_run_file(msl_run *r, cli *c, const cli_words *words, const char *file);

#endif
