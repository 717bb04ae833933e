/* A .metal file with its options, or a metallib, read to a library. */
#ifndef CLI_METAL_TEXT_H
#define CLI_METAL_TEXT_H

#include "cli/program.h"

/* Ids of msl_text_options.def, msl_define_options.def, msl_launch_options.def and msl_run_options.def. */
enum {
    MSL_BEFORE = CLI_OPTION_OWN + 99,
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) ID,
#include "cli/msl_launch_options.def"
#include "cli/msl_run_options.def"
#include "cli/msl_text_options.def"
#undef CLI_OPTION
};

typedef struct metal_text {
    cli *c;
    const char *file;
    cli_bytes bytes;
    ingot_metal_define *defines;
    const char **folders; /* of -I */
    size_t define_count, folder_count;
    unsigned version;
    ingot_metal_math_mode math;
    bool quiet; /* what is wrong with the text is told by `error` alone */
    bool said;  /* a diagnostic was shown */
    bool is_metallib;
    ingot_metal_device *device;
    ingot_metal_library *library;
    ingot_error error;
} metal_text;

/* Reads options and file, and compiles it. An exit code; messages are out by then. */
int metal_text_open(metal_text *t, cli *c, const cli_words *words, const char *file);
void metal_text_close(metal_text *t);

#endif
