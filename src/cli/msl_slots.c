/* What a kernel takes: its buffers, textures and samplers, and those that structures in buffers point at. */
#include "cli/literal.h"
#include "cli/msl_run.h"

#include <string.h>

/* ---- Describing ----------------------------------------------------------------------------- */

static void add_texture(msl_run *r, const ingot_metal_argument *a, msl_place at)
{
    for (uint32_t k = 0; k < a->count; k++) {
        msl_texture *t = &r->textures[r->texture_count++];
        *t = (msl_texture){.info = *a, .at = at, .position = r->buffer_count + r->texture_count};
        t->info.index = a->index + k;
        cli_bytes name = {.pool = &r->c->pool};
        cli_bytes_print(&name, a->count > 1 ? "%s[%u]" : "%s", a->name, k);
        t->info.name = name.data;
    }
}

static void add_slot(msl_run *r, const ingot_metal_argument *a, msl_place at)
{
    switch (a->kind) {
    case INGOT_METAL_ARGUMENT_DEVICE:
    case INGOT_METAL_ARGUMENT_CONSTANT:
    case INGOT_METAL_ARGUMENT_VALUE:
        r->buffers[r->buffer_count] = (msl_buffer){.info = *a, .at = at, .position = r->buffer_count};
        r->buffer_count++;
        break;
    case INGOT_METAL_ARGUMENT_TEXTURE: add_texture(r, a, at); break;
    case INGOT_METAL_ARGUMENT_SAMPLER:
        for (uint32_t k = 0; k < a->count; k++) {
            msl_sampler *s = &r->samplers[r->sampler_count++];
            *s = (msl_sampler){.info = *a, .at = at};
            s->info.index = a->index + k;
        }
        break;
    case INGOT_METAL_ARGUMENT_THREADGROUP: break;
    }
}

static void add_members(msl_run *r, size_t index, msl_buffer *of)
{
    ingot_metal_member m;
    for (size_t k = 0; ingot_metal_function_member(r->function, index, k, &m) == INGOT_OK; k++) {
        cli_bytes name = {.pool = &r->c->pool};
        cli_bytes_print(&name, "%s.%s", of->info.name, m.info.name);
        m.info.name = name.data;
        add_slot(r, &m.info, (msl_place){of, m.offset});
    }
}

void msl_describe(msl_run *r)
{
    size_t count = ingot_metal_function_argument_count(r->function), most = 1;
    ingot_metal_argument a;
    ingot_metal_member m;
    for (size_t i = 0; ingot_metal_function_argument(r->function, i, &a) == INGOT_OK; i++) {
        most += a.count;
        for (size_t k = 0; ingot_metal_function_member(r->function, i, k, &m) == INGOT_OK; k++) most++;
    }
    r->buffers = cli_pool_new(&r->c->pool, most, sizeof *r->buffers);
    r->textures = cli_pool_new(&r->c->pool, most, sizeof *r->textures);
    r->samplers = cli_pool_new(&r->c->pool, most, sizeof *r->samplers);
    for (size_t i = 0; i < count; i++) {
        if (ingot_metal_function_argument(r->function, i, &a) == INGOT_OK) add_slot(r, &a, (msl_place){0});
    }
    for (size_t i = 0; i < count; i++) { /* behind all arguments, whose random values do not depend on them */
        if (ingot_metal_function_argument(r->function, i, &a) != INGOT_OK) continue;
        for (size_t k = 0; k < r->buffer_count; k++) {
            msl_buffer *b = &r->buffers[k];
            bool is = !b->at.of && b->info.kind == a.kind && b->info.index == a.index;
            if (is) add_members(r, i, b);
        }
    }
}

/* ---- Finding -------------------------------------------------------------------------------- */

/* Is the word the slot's name or number: "x", "3", "args.x", "0.1"? */
static bool is_named(const ingot_metal_argument *info, msl_place at, const char *word)
{
    uint64_t index;
    if (strcmp(word, info->name) == 0) return true;
    if (!at.of) return cli_parse_count(word, 0, UINT32_MAX, &index) && index == info->index;
    const char *dot = strchr(word, '.');
    if (!dot || !cli_parse_count(dot + 1, 0, UINT32_MAX, &index) || index != info->index) return false;
    char owner[64];
    size_t size = (size_t)(dot - word);
    if (size >= sizeof owner) return false;
    memcpy(owner, word, size);
    owner[size] = '\0';
    return is_named(&at.of->info, at.of->at, owner);
}

/* The word before '=' of an option's text, and what stands behind (NULL: no '='). */
static char *split(msl_run *r, const char *text, const char **value)
{
    const char *equals = strchr(text, '=');
    *value = equals ? equals + 1 : NULL;
    return cli_pool_text(&r->c->pool, text, equals ? (size_t)(equals - text) : strlen(text));
}

static void no_slot(msl_run *r, const char *option, const char *word, const char *what, const cli_bytes *list)
{
    cli_usage(r->c, "--%s %s: kernel '%s' has no such %s; there is %s", option, word, ingot_metal_function_name(r->function), what,
              list->size ? list->data : "none");
}

/* One more of what there is. */
static void list_slot(cli_bytes *list, const ingot_metal_argument *info, msl_place at)
{
    cli_bytes_text(list, list->size ? ", " : "");
    if (at.of) cli_bytes_print(list, "'%s'", info->name);
    else cli_bytes_print(list, "%u ('%s')", info->index, info->name);
}

#define FIND(type, plural, what)                                                                                       \
    cli_bytes list = {.pool = &r->c->pool};                                                                            \
    const char *word = split(r, text, value);                                                                          \
    for (size_t i = 0; i < r->type##_count; i++) {                                                                     \
        if (is_named(&r->plural[i].info, r->plural[i].at, word)) return &r->plural[i];                                 \
        list_slot(&list, &r->plural[i].info, r->plural[i].at);                                                         \
    }                                                                                                                  \
    no_slot(r, option, word, what, &list);                                                                             \
    return NULL;

msl_buffer *msl_find_buffer(msl_run *r, const char *option, const char *text, const char **value)
{
    FIND(buffer, buffers, "buffer")
}

msl_texture *msl_find_texture(msl_run *r, const char *option, const char *text, const char **value)
{
    FIND(texture, textures, "texture")
}

msl_sampler *msl_find_sampler(msl_run *r, const char *option, const char *text, const char **value)
{
    FIND(sampler, samplers, "sampler")
}
#undef FIND

/* ---- Filling structures --------------------------------------------------------------------- */

static void put(const msl_buffer *of, size_t offset, const void *bytes, size_t size)
{
    char *data = ingot_metal_buffer_contents(of->buffer);
    if (offset + size <= of->bytes) memcpy(data + offset, bytes, size);
}

/* A structure whose member is given is there too. */
static void need(msl_place at, const char *what)
{
    if (what && at.of && !at.of->what) at.of->what = at.of->info.is_reference ? "zeros" : "zeros:1";
}

void msl_need_structures(msl_run *r)
{
    for (size_t i = 0; i < r->buffer_count; i++) need(r->buffers[i].at, r->buffers[i].what);
    for (size_t i = 0; i < r->texture_count; i++) need(r->textures[i].at, r->textures[i].what);
    for (size_t i = 0; i < r->sampler_count; i++) need(r->samplers[i].at, r->samplers[i].what);
}

int msl_put_members(msl_run *r)
{
    for (size_t i = 0; i < r->buffer_count; i++) {
        const msl_buffer *b = &r->buffers[i];
        if (!b->at.of || !b->buffer) continue;
        if (b->info.kind == INGOT_METAL_ARGUMENT_VALUE) {
            if (b->bytes > b->info.size)
                return cli_usage(r->c, "--buffer %s=%s: %zu bytes, and a %s has %zu", b->info.name, b->what, b->bytes, b->info.type,
                                 b->info.size);
            put(b->at.of, b->at.offset, ingot_metal_buffer_contents(b->buffer), b->bytes);
            continue;
        }
        uint64_t address = ingot_metal_buffer_gpu_address(b->buffer);
        put(b->at.of, b->at.offset, &address, sizeof address);
    }
    for (size_t i = 0; i < r->texture_count; i++) {
        const msl_texture *t = &r->textures[i];
        if (!t->at.of || !t->texture) continue;
        uint64_t number = ingot_metal_texture_gpu_resource_id(t->texture);
        put(t->at.of, t->at.offset, &number, sizeof number);
    }
    for (size_t i = 0; i < r->sampler_count; i++) {
        const msl_sampler *s = &r->samplers[i];
        if (!s->at.of || !s->sampler) continue;
        uint64_t bits = ingot_metal_sampler_gpu_resource_id(s->sampler);
        put(s->at.of, s->at.offset, &bits, sizeof bits);
    }
    return CLI_GOOD;
}
