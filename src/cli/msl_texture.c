/* Textures and samplers of a kernel's run: what they hold before, and the files they become after. */
#include "cli/file.h"
#include "cli/fill.h"
#include "cli/literal.h"
#include "cli/msl_run.h"

#include <string.h>

static int bad(msl_run *r, const msl_texture *t, const char *what)
{
    return cli_usage(r->c, "--texture %s=%s: %s", t->info.name, t->what, what);
}

/* ---- Types and formats ---------------------------------------------------------------------- */

/* The types by their names in the text, the longer ones first; and how many sides and layers their pixels have. */
static const struct {
    const char *name;
    ingot_metal_texture_type type;
    size_t dims;
} shapes[] = {{"texture1d_array", INGOT_METAL_TEXTURE_1D_ARRAY, 2}, {"texture1d", INGOT_METAL_TEXTURE_1D, 1},
              {"texture2d_array", INGOT_METAL_TEXTURE_2D_ARRAY, 3}, {"texture2d", INGOT_METAL_TEXTURE_2D, 2},
              {"texture3d", INGOT_METAL_TEXTURE_3D, 3},             {"texture_buffer", INGOT_METAL_TEXTURE_BUFFER, 1},
              {"texturecube_array", INGOT_METAL_TEXTURE_CUBE_ARRAY, 3}, {"texturecube", INGOT_METAL_TEXTURE_CUBE, 3},
              {"depth2d_array", INGOT_METAL_TEXTURE_2D_ARRAY, 3},   {"depth2d", INGOT_METAL_TEXTURE_2D, 2}};

/* Sets type and sides from the shape of an array of pixels: layers or depth, height, width. */
static bool set_sides(msl_texture *t, const int64_t *shape, size_t ndim)
{
    size_t s = 0, count = sizeof shapes / sizeof shapes[0];
    while (s < count && strncmp(t->info.type, shapes[s].name, strlen(shapes[s].name)) != 0) s++;
    if (s == count || shapes[s].dims != ndim) return false;
    for (size_t d = 0; d < ndim; d++) {
        if (shape[d] < 1 || shape[d] > UINT32_MAX) return false;
    }
    ingot_metal_texture_descriptor *x = &t->descriptor;
    x->type = shapes[s].type;
    x->width = (uint32_t)shape[ndim - 1];
    uint32_t first = (uint32_t)shape[0];
    if (ndim > 1 && x->type != INGOT_METAL_TEXTURE_1D_ARRAY) x->height = (uint32_t)shape[ndim - 2];
    if (x->type == INGOT_METAL_TEXTURE_3D) x->depth = first;
    if (x->type == INGOT_METAL_TEXTURE_CUBE_ARRAY) x->array_length = first / 6;
    if (x->type == INGOT_METAL_TEXTURE_1D_ARRAY || x->type == INGOT_METAL_TEXTURE_2D_ARRAY) x->array_length = first;
    bool cube = x->type == INGOT_METAL_TEXTURE_CUBE || x->type == INGOT_METAL_TEXTURE_CUBE_ARRAY;
    return !cube || (first % 6 == 0 && (x->type == INGOT_METAL_TEXTURE_CUBE_ARRAY || first == 6));
}

/* What the components of a format are as NumPy has them, "rgba8unorm" for one; bits 0 where several share a word. */
static DLDataType dtype_of(const char *format, unsigned *channels)
{
    size_t letters = strcspn(format, "0123456789"), digits = strspn(format + letters, "0123456789");
    const char *kind = format + letters + digits;
    unsigned bits = 0;
    for (size_t i = 0; i < digits; i++) bits = bits * 10 + (unsigned)(format[letters + i] - '0');
    *channels = letters == 5 ? 1 : (unsigned)letters; /* "depth" */
    bool whole = bits == 8 || bits == 16 || bits == 32;
    if (!whole || digits > 2) return (DLDataType){0, 0, 0};
    uint8_t code = kDLUInt;
    if (strcmp(kind, "float") == 0) code = kDLFloat;
    if (strcmp(kind, "sint") == 0 || strcmp(kind, "snorm") == 0) code = kDLInt;
    return (DLDataType){code, (uint8_t)bits, 1};
}

/* The format whose components these are, as the kernel reads them. */
static const char *format_for(msl_run *r, const msl_texture *t, DLDataType file, int64_t channels)
{
    static const char *const letters[] = {"", "r", "rg", "", "rgba"};
    if (channels < 1 || channels > 4 || channels == 3 || file.code > kDLFloat) return "";
    const char *element = strchr(t->info.type, '<');
    bool integers = element && strspn(element, "<uintshor") > 3 && strncmp(element, "<half", 5) != 0;
    const char *kind = file.code == kDLFloat ? "float" : file.code == kDLUInt ? (integers ? "uint" : "unorm") : integers ? "sint" : "snorm";
    cli_bytes name = {.pool = &r->c->pool};
    cli_bytes_print(&name, "%s%u%s", strncmp(t->info.type, "depth", 5) == 0 ? "depth" : letters[channels], file.bits, kind);
    return name.data;
}

/* Is an array of such elements what pixels of the format are? Of those whose components share a word: their bytes. */
static bool is_of_format(const char *format, DLDataType file, int64_t channels)
{
    unsigned has;
    DLDataType type = dtype_of(format, &has);
    if (type.bits == 0) return file.code == kDLUInt && file.bits == 8;
    return file.code == type.code && file.bits == type.bits && channels == (int64_t)has;
}

/* ---- Filling -------------------------------------------------------------------------------- */

static int make(msl_run *r, msl_texture *t)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    t->descriptor.pixel_format = ingot_metal_pixel_format(t->format);
    if (!t->descriptor.pixel_format) return bad(r, t, "no such pixel format; they are named as rgba8unorm and r32float");
    if (ingot_metal_texture_create(r->text.device, &t->descriptor, &t->texture, &error) == INGOT_OK) return CLI_GOOD;
    return cli_library_error(r->c, t->info.name, &error);
}

static int write_pixels(msl_run *r, const msl_texture *t, const void *data, size_t size)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    if (ingot_metal_texture_write(t->texture, 0, data, size, &error) == INGOT_OK) return CLI_GOOD;
    return cli_library_error(r->c, t->info.name, &error);
}

/* FILE.npy or FILE.npy:FORMAT. */
static int fill_file(msl_run *r, msl_texture *t)
{
    cli_bytes bytes = {.pool = &r->c->pool}, why = {.pool = &r->c->pool};
    ingot_error error = {INGOT_OK, 0, 0, ""};
    const char *end = strstr(t->what, ".npy") + 4;
    const char *path = cli_pool_text(&r->c->pool, t->what, (size_t)(end - t->what));
    if (!cli_file_read(path, &bytes, &why)) return cli_error(r->c, "--texture %s: %s", t->info.name, why.data);
    ingot_array *a = NULL;
    if (ingot_array_parse(bytes.data, bytes.size, NULL, &a, &error) != INGOT_OK) return cli_library_error(r->c, path, &error);
    size_t ndim = ingot_array_ndim(a);
    const int64_t *shape = ingot_array_shape(a);
    bool whole = set_sides(t, shape, ndim);
    int64_t channels = whole || ndim == 0 ? 1 : shape[ndim - 1];
    t->format = *end == ':' ? end + 1 : format_for(r, t, ingot_array_dtype(a), channels);
    int code = CLI_GOOD;
    if (!whole && (ndim == 0 || !set_sides(t, shape, ndim - 1))) code = bad(r, t, "its dimensions are not those of the texture");
    if (code == CLI_GOOD && !*t->format) code = bad(r, t, "no pixel format has such components: 1, 2 or 4 of 8, 16 or 32 bits");
    if (code == CLI_GOOD) code = make(r, t);
    if (code == CLI_GOOD && !is_of_format(t->format, ingot_array_dtype(a), channels)) code = bad(r, t, "its elements are not those of the pixel format");
    if (code == CLI_GOOD) code = write_pixels(r, t, ingot_array_data(a), ingot_array_size(a));
    ingot_array_release(a);
    return code;
}

/* Random components: as those of a buffer. */
static int fill_random(msl_run *r, msl_texture *t)
{
    unsigned channels;
    DLDataType type = dtype_of(t->format, &channels);
    cli_element e = cli_element_of(type);
    if (e.class == CLI_ELEMENT_NONE) return bad(r, t, "such pixels cannot be random: give a file");
    size_t size = ingot_metal_texture_level_bytes(t->texture, 0);
    char *data = cli_pool_new(&r->c->pool, size + 1, 1);
    cli_fill_random(&e, false, data, size / e.bytes, cli_fill_state(r->seed, t->position));
    return write_pixels(r, t, data, size);
}

/* zeros:FORMAT:WxHxD, empty:..., random:... */
static int fill_by(msl_run *r, msl_texture *t, const char *rest)
{
    const char *colon = strchr(rest, ':');
    if (!colon) return bad(r, t, "it is to be of the form zeros:FORMAT:WIDTHxHEIGHT");
    t->format = cli_pool_text(&r->c->pool, rest, (size_t)(colon - rest));
    int64_t sides[4];
    size_t ndim = 0;
    for (const char *at = colon + 1; ndim < 4; at++) {
        size_t size = strcspn(at, "x");
        uint64_t side;
        if (!cli_parse_count(cli_pool_text(&r->c->pool, at, size), 1, UINT32_MAX, &side)) return bad(r, t, "the size is not of the form WIDTHxHEIGHT");
        memmove(sides + 1, sides, ndim * sizeof *sides); /* the width comes first here, last in an array */
        sides[0] = (int64_t)side;
        ndim++;
        at += size;
        if (!*at) break;
    }
    if (!set_sides(t, sides, ndim)) return bad(r, t, "its dimensions are not those of the texture");
    int code = make(r, t);
    ingot_error error = {INGOT_OK, 0, 0, ""};
    if (code == CLI_GOOD && *t->what == 'r') code = fill_random(r, t);
    if (code == CLI_GOOD && *t->what == 'e' && ingot_metal_texture_forget(t->texture, &error) != INGOT_OK)
        code = cli_library_error(r->c, NULL, &error);
    return code;
}

static int fill_one(msl_run *r, msl_texture *t)
{
    static const char *const fills[] = {"zeros:", "random:", "empty:"};
    t->descriptor = (ingot_metal_texture_descriptor)INGOT_METAL_TEXTURE_DESCRIPTOR_INIT;
    for (size_t i = 0; i < sizeof fills / sizeof fills[0]; i++) {
        if (strncmp(t->what, fills[i], strlen(fills[i])) == 0) return fill_by(r, t, t->what + strlen(fills[i]));
    }
    const char *end = strstr(t->what, ".npy");
    if (!end || (end[4] && end[4] != ':')) return bad(r, t, "it is no .npy file, nor zeros, random or empty");
    return fill_file(r, t);
}

/* "linear,repeat,pixel": words of samplers. */
static int fill_sampler(msl_run *r, msl_sampler *s)
{
    static const struct {
        const char *word;
        int mode;
    } modes[] = {{"clamp_to_edge", 0}, {"mirror_clamp_to_edge", 1}, {"repeat", 2}, {"mirrored_repeat", 3}, {"clamp_to_zero", 4}, {"clamp_to_border", 5}};
    ingot_metal_sampler_descriptor d = INGOT_METAL_SAMPLER_DESCRIPTOR_INIT;
    for (const char *at = s->what; *at;) {
        size_t size = strcspn(at, ",");
        const char *word = cli_pool_text(&r->c->pool, at, size);
        at += size + (at[size] == ',');
        bool known = true;
        size_t m = 0, count = sizeof modes / sizeof modes[0];
        while (m < count && strcmp(modes[m].word, word) != 0) m++;
        if (m < count) d.address_modes[0] = d.address_modes[1] = d.address_modes[2] = modes[m].mode;
        else if (strcmp(word, "nearest") == 0 || strcmp(word, "linear") == 0) d.min_filter = d.mag_filter = *word == 'l';
        else if (strcmp(word, "mip_nearest") == 0 || strcmp(word, "mip_linear") == 0) d.mip_filter = word[4] == 'l' ? 2 : 1;
        else if (strcmp(word, "pixel") == 0) d.normalized = 0;
        else known = strcmp(word, "normalized") == 0;
        if (!known) return cli_usage(r->c, "--sampler %s: '%s' is no word of samplers, such as linear, repeat or pixel", s->info.name, word);
    }
    ingot_error error = {INGOT_OK, 0, 0, ""};
    if (ingot_metal_sampler_create(r->text.device, &d, &s->sampler, &error) == INGOT_OK) return CLI_GOOD;
    return cli_library_error(r->c, s->info.name, &error);
}

int msl_fill_textures(msl_run *r)
{
    int code = CLI_GOOD;
    for (size_t i = 0; code == CLI_GOOD && i < r->texture_count; i++) {
        if (r->textures[i].what) code = fill_one(r, &r->textures[i]);
    }
    for (size_t i = 0; code == CLI_GOOD && i < r->sampler_count; i++) {
        if (r->samplers[i].what) code = fill_sampler(r, &r->samplers[i]);
    }
    return code;
}

/* ---- After the run -------------------------------------------------------------------------- */

static int write_one(msl_run *r, const msl_texture *t)
{
    unsigned channels;
    ingot_error error = {INGOT_OK, 0, 0, ""};
    size_t size = ingot_metal_texture_level_bytes(t->texture, 0);
    char *data = cli_pool_new(&r->c->pool, size + 1, 1);
    if (ingot_metal_texture_read(t->texture, 0, data, size, &error) != INGOT_OK) return cli_library_error(r->c, t->info.name, &error);
    DLDataType type = dtype_of(t->format, &channels);
    const ingot_metal_texture_descriptor *d = &t->descriptor;
    if (type.bits == 0) { /* the bytes of each pixel */
        type = (DLDataType){kDLUInt, 8, 1};
        channels = (unsigned)ingot_metal_pixel_bytes(d->pixel_format);
    }
    int64_t shape[5];
    size_t ndim = 0;
    size_t layers = size / ((size_t)d->width * d->height * channels * (type.bits / 8U));
    if (d->type != INGOT_METAL_TEXTURE_1D && d->type != INGOT_METAL_TEXTURE_2D && d->type != INGOT_METAL_TEXTURE_BUFFER)
        shape[ndim++] = (int64_t)layers;
    if (d->type != INGOT_METAL_TEXTURE_1D && d->type != INGOT_METAL_TEXTURE_1D_ARRAY && d->type != INGOT_METAL_TEXTURE_BUFFER)
        shape[ndim++] = d->height;
    shape[ndim++] = d->width;
    if (channels > 1) shape[ndim++] = channels;
    ingot_text *text = NULL;
    cli_bytes why = {.pool = &r->c->pool};
    if (ingot_array_format(data, type, shape, ndim, &text, &error) != INGOT_OK) return cli_library_error(r->c, t->info.name, &error);
    bool ok = cli_file_write(t->out, ingot_text_data(text), ingot_text_size(text), &why);
    ingot_text_release(text);
    if (!ok) return cli_error(r->c, "--texture-out %s: %s", t->info.name, why.data);
    cli_say(r->c, "wrote %s", t->out);
    return CLI_GOOD;
}

int msl_write_textures(msl_run *r)
{
    int code = CLI_GOOD;
    for (size_t i = 0; code == CLI_GOOD && i < r->texture_count; i++) {
        if (r->textures[i].out) code = write_one(r, &r->textures[i]);
    }
    return code;
}
