/* labels: full plain */
/* Fuzz target: any bytes as the module of a kernel "k" of a metallib with right hashes, through the AIR component: described,
 * and where it loads run in small. What crashes LLVM does so in a child. Without the component it does nothing. */
#include <stdlib.h>
#include <string.h>

#include "air/air.h"
#include "pack/metallib_write.h"
#include "rt/component.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { THREADS = 8, BYTES = 256 };

/* Textures of which one pixel is like the other; those from 100 on are not bound. */
static const char *read_texel(const void *bound, const air_texel *at, uint32_t out[4])
{
    (void)bound;
    for (int i = 0; i < 4; ++i) out[i] = (uint32_t)at->xy + (uint32_t)at->zl;
    return at->texture < 100 ? NULL : "where nothing is bound";
}

static const char *write_texel(const void *bound, const air_texel *at, const uint32_t in[4])
{
    (void)bound;
    (void)in;
    return at->texture < 100 ? NULL : "where nothing is bound";
}

static const char *change_texel(const void *bound, const air_texel *at, uint32_t what, uint64_t words, uint32_t *old)
{
    (void)bound;
    *old = what + (uint32_t)words;
    return at->texture < 100 ? NULL : "where nothing is bound";
}

static uint32_t query(const void *bound, uint64_t texture, uint32_t what, uint32_t level)
{
    (void)bound;
    (void)level;
    return texture < 100 && what < 7 ? 4 : 0;
}

static uint64_t sampler(const void *bound, uint64_t s)
{
    (void)bound;
    return s;
}

/* A watch that believes nothing it is told. */
static void began(void *user, const uint32_t group[3], const void *memory, size_t size)
{
    (void)user;
    if (group == NULL || (memory == NULL && size != 0)) abort();
}

static void touched(void *user, const air_where *at, const void *p, uint64_t size, air_touch how)
{
    (void)user;
    if (at->thread >= THREADS || at->file == NULL || p == NULL || size == 0 || how > AIR_TOUCH_ATOMIC) abort();
}

static void met(void *user, uint32_t flags, uint32_t simdgroup)
{
    (void)user;
    (void)flags;
    if (simdgroup != 0 && simdgroup != UINT32_MAX) abort();
}

static void parted(void *user, air_parting how, const air_where *at, const air_where *other)
{
    (void)user;
    (void)how;
    if (at->thread >= THREADS || other->thread >= THREADS) abort();
}

static void failed(void *user, bool bounds, const air_where *at, const char *text)
{
    (void)user;
    (void)bounds;
    if (at->file == NULL || text[0] == '\0') abort();
}

/* One threadgroup, every slot bound to the same memory. */
static void run(const air_component *air, air_kernel *k, bool watched)
{
    static const air_texels texels = {read_texel, write_texel, change_texel, query, sampler};
    air_watch watch = {.began = began, .touched = touched, .met = met, .parted = parted, .failed = failed};
    _Alignas(256) unsigned char memory[BYTES];
    air_binding buffers[RT_MAX_BUFFERS];
    size_t lengths[AIR_MAX_GROUP_SLOTS];
    memset(memory, 1, sizeof memory);
    for (size_t i = 0; i < RT_MAX_BUFFERS; ++i) buffers[i] = (air_binding){memory, sizeof memory};
    for (size_t i = 0; i < AIR_MAX_GROUP_SLOTS; ++i) lengths[i] = 64;
    const air_launch launch = {.kernel = k,
                               .texels = &texels,
                               .watch = watched ? &watch : NULL,
                               .buffers = buffers,
                               .buffer_count = RT_MAX_BUFFERS,
                               .threadgroup_lengths = lengths,
                               .threadgroup_count = AIR_MAX_GROUP_SLOTS,
                               .groups = {1, 1, 1},
                               .threads = {THREADS, 1, 1}};
    ingot_error error;
    const ingot_status status = air->run(&launch, &error);
    if (status != INGOT_OK && status != INGOT_DEVICE && status != INGOT_LIMIT && status != INGOT_OUT_OF_MEMORY && status != INGOT_UNSUPPORTED) abort();
}

static void load(const air_component *air, str file, bool describe_only)
{
    ingot_error error;
    air_kernel *k = NULL;
    const air_constant one = {0, 1};
    const air_source source = {.bytes = file, .kernel = "k", .constants = &one, .constant_count = 1, .describe_only = describe_only};
    const ingot_status status = air->load(NULL, &source, &k, &error);
    if ((status == INGOT_OK) != (k != NULL) || status == INGOT_INVALID_ARGUMENT) abort();
    air_argument a;
    for (size_t i = 0; k != NULL && air->argument(k, i, &a); ++i)
        if (a.name == NULL || a.type == NULL) abort();
    if (k != NULL && !describe_only) run(air, k, false);
    if (k != NULL && !describe_only) run(air, k, true);
    air->free(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ingot_error error;
    const air_component *air = rt_component(&error);
    if (air == NULL) return 0;
    pool memory = pool_make(NULL);
    const size_t padded = (size + 15) / 16 * 16;
    char *bytes = pool_alloc(&memory, padded + 16, 16);
    buf file = buf_make(NULL);
    if (bytes != NULL) {
        memset(bytes, 0, padded + 16);
        if (size != 0) memcpy(bytes, data, size);
        metallib_function f = {.name = STR("k"), .type = METALLIB_KERNEL, .module = {bytes, padded}, .air = {2, 6}, .language = {3, 1}};
        metallib m = {.format_major = 1, .format_minor = 2, .format_patch = 7, .is_macos = true, .is_64_bit = true, .platform = 1,
                      .os_major = 14, .functions = &f, .function_count = 1};
        if (metallib_seal(&memory, &m, &error) == INGOT_OK) {
            metallib_write(&m, &file);
            load(air, buf_view(&file), true);
            load(air, buf_view(&file), false);
        }
    }
    buf_free(&file);
    pool_free(&memory);
    return 0;
}
