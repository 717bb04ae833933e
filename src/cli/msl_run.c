/* `ingot msl run`: runs a kernel of a .metal file or a metallib on the software Metal device, with checks where they are asked for. */
#include "cli/msl_run.h"

static const cli_option options[] = {
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) {ID, LETTER, MANY, NAME, VALUE, HELP},
#include "cli/msl_launch_options.def"
#include "cli/msl_run_options.def"
#include "cli/findings_options.def"
#include "cli/msl_define_options.def"
#include "cli/msl_text_options.def"
#include "cli/verb_options.def"
#undef CLI_OPTION
    {0},
};

static ingot_status bind_buffers(msl_run *r, ingot_metal_encoder *e, ingot_error *error)
{
    ingot_status s = INGOT_OK;
    for (size_t i = 0; s == INGOT_OK && i < r->buffer_count; i++) {
        const msl_buffer *b = &r->buffers[i];
        if (!b->buffer || b->info.kind == INGOT_METAL_ARGUMENT_VALUE) continue;
        if (b->at.of) s = ingot_metal_encoder_use_buffer(e, b->buffer, error);
        else s = ingot_metal_encoder_set_buffer(e, b->buffer, 0, b->info.index, error);
    }
    return s;
}

static ingot_status bind_textures(msl_run *r, ingot_metal_encoder *e, ingot_error *error)
{
    ingot_status s = INGOT_OK;
    for (size_t i = 0; s == INGOT_OK && i < r->texture_count; i++) {
        const msl_texture *t = &r->textures[i];
        if (t->texture && t->at.of) s = ingot_metal_encoder_use_texture(e, t->texture, error);
        else if (t->texture) s = ingot_metal_encoder_set_texture(e, t->texture, t->info.index, error);
    }
    for (size_t i = 0; s == INGOT_OK && i < r->sampler_count; i++) {
        const msl_sampler *x = &r->samplers[i];
        if (x->sampler && !x->at.of) s = ingot_metal_encoder_set_sampler(e, x->sampler, x->info.index, error);
    }
    return s;
}

/* Binds what there is, and runs it. */
static ingot_status encode(msl_run *r, ingot_metal_encoder *e, ingot_error *error)
{
    ingot_status s = ingot_metal_encoder_set_pipeline(e, r->pipeline, error);
    if (s == INGOT_OK) s = bind_buffers(r, e, error);
    if (s == INGOT_OK) s = bind_textures(r, e, error);
    for (uint32_t i = 0; s == INGOT_OK && i < MSL_MOST_LENGTHS; i++) {
        if (r->lengths[i]) s = ingot_metal_encoder_set_threadgroup_memory_length(e, r->lengths[i], i, error);
    }
    if (s != INGOT_OK) return s;
    if (r->grid_in) s = ingot_metal_encoder_dispatch_threadgroups_indirect(e, r->grid_in->buffer, r->grid_offset, r->threads, error);
    else if (r->by_threads) s = ingot_metal_encoder_dispatch_threads(e, r->grid, r->threads, error);
    else s = ingot_metal_encoder_dispatch_threadgroups(e, r->grid, r->threads, error);
    return s == INGOT_OK ? ingot_metal_encoder_end(e, error) : s;
}

static ingot_status launch(msl_run *r, ingot_error *error)
{
    ingot_metal_queue *queue = NULL;
    ingot_metal_command_buffer *work = NULL;
    ingot_metal_encoder *e = NULL;
    ingot_status s = ingot_metal_queue_create(r->text.device, &queue, error);
    if (s == INGOT_OK) s = ingot_metal_command_buffer_create(queue, &work, error);
    if (s == INGOT_OK && r->checked) s = ingot_metal_command_buffer_check(work, r->find.checker, error);
    if (s == INGOT_OK) s = ingot_metal_command_buffer_log(work, &r->log, error);
    if (s == INGOT_OK && r->profile) s = ingot_metal_command_buffer_profile(work, r->profile, error);
    if (s == INGOT_OK) s = ingot_metal_encoder_create(work, &e, error);
    if (s == INGOT_OK) s = encode(r, e, error);
    double began = cli_seconds();
    if (s == INGOT_OK) s = ingot_metal_command_buffer_commit(work, error);
    if (s == INGOT_OK) s = ingot_metal_command_buffer_wait(work, error);
    r->seconds = cli_seconds() - began;
    ingot_metal_encoder_release(e);
    ingot_metal_command_buffer_release(work);
    ingot_metal_queue_release(queue);
    return s;
}

static int execute(msl_run *r)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    cli_progress_begin(&r->c->progress, "running");
    ingot_status s = launch(r, &error);
    cli_progress_end(&r->c->progress);
    error.status = s;
    if (s == INGOT_OK) cli_say(r->c, "ran %s in %.3f ms", ingot_metal_function_name(r->function), r->seconds * 1e3);
    if (s == INGOT_OK || s == INGOT_INTERNAL) return s == INGOT_OK ? CLI_GOOD : cli_library_error(r->c, NULL, &error);
    if (!r->checked) return cli_library_error(r->c, NULL, &error);
    /* what stopped the run is a finding too, or else stands beside them */
    bool told = (s == INGOT_LIMIT || s == INGOT_VALUE || s == INGOT_DEVICE) && ingot_checker_count(r->find.checker) != 0;
    if (!told) r->find.stopped = error;
    return CLI_GOOD;
}

int msl_run_file(msl_run *r, cli *c, const cli_words *words, const char *file)
{
    r->c = c;
    int code = metal_text_open(&r->text, c, words, file);
    r->find.file = r->text.file;
    const char *engine = r->check_only ? NULL : cli_words_value(words, MSL_ENGINE);
    if (code == CLI_GOOD && engine && ingot_metal_device_engine(r->text.device, engine, &r->text.error) != INGOT_OK)
        code = cli_usage(c, "--engine: %s", r->text.error.message);
    if (code == CLI_GOOD) code = msl_choose(r, words);
    if (code == CLI_GOOD) code = msl_geometry(r, words);
    if (code == CLI_GOOD) code = msl_logging(r, words);
    if (code == CLI_GOOD) code = msl_take_slots(r, words);
    if (code == CLI_GOOD) code = msl_fill(r);
    if (code == CLI_GOOD) code = msl_fill_textures(r);
    if (code == CLI_GOOD) code = msl_put_members(r);
    if (code == CLI_GOOD) code = execute(r);
    if (code == CLI_GOOD) code = msl_write_files(r);
    if (code == CLI_GOOD) code = msl_write_textures(r);
    if (code == CLI_GOOD) code = msl_report(r);
    for (size_t i = 0; i < r->buffer_count; i++) ingot_metal_buffer_release(r->buffers[i].buffer);
    for (size_t i = 0; i < r->texture_count; i++) ingot_metal_texture_release(r->textures[i].texture);
    for (size_t i = 0; i < r->sampler_count; i++) ingot_metal_sampler_release(r->samplers[i].sampler);
    ingot_metal_pipeline_release(r->pipeline);
    ingot_metal_function_release(r->function);
    metal_text_close(&r->text);
    return code;
}

static int run_verb(cli *c, const cli_words *words)
{
    const char *file = cli_one_plain(c, words, "a .metal or .metallib file, or - for standard input");
    if (!file) return CLI_USAGE;
    msl_run r = {.c = c};
    const char *checks = cli_words_value(words, MSL_CHECK);
    r.checked = checks != NULL || cli_words_value(words, FIND_ORDER) != NULL;
    int code = findings_open(&r.find, c, words, checks);
    if (code == CLI_GOOD && r.find.format == FINDINGS_SARIF && !r.checked)
        code = cli_usage(c, "--format sarif is a report of checks: give --check");
    ingot_error error = {INGOT_OK, 0, 0, ""};
    r.page = cli_words_value(words, MSL_PROFILE);
    if (code == CLI_GOOD && r.page && ingot_profile_create(NULL, &r.profile, &error) != INGOT_OK)
        code = cli_library_error(c, NULL, &error);
    if (code == CLI_GOOD) code = msl_run_file(&r, c, words, file);
    ingot_profile_release(r.profile);
    findings_close(&r.find);
    return code;
}

const cli_verb cli_verb_msl_run = {
    .name = "msl run",
    .arguments = "[OPTION]... FILE.metal|FILE.metallib|-",
    .summary = "Run a kernel of a .metal file or a metallib, and report what it wrote.",
    .details = "examples:\n"
               "  ingot msl run add.metal --grid 4 --threads 256 --buffer a=a.npy \\\n"
               "      --buffer b=zeros:1024 --buffer n=1024 --out b=b.npy --check\n"
               "  ingot msl run sum.metal --kernel reduce --grid 1000 --threads 64 \\\n"
               "      --dispatch-threads --buffer 0=random:1000 --buffer 1=zeros:1\n"
               "  ingot msl run blur.metal --grid 8,8 --threads 8,8 --texture in=photo.npy \\\n"
               "      --texture out=zeros:rgba8unorm:64x64 --texture-out out=blurred.npy\n",
    .options = options,
    .run = run_verb,
};
