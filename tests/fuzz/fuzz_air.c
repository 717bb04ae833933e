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

/* One threadgroup, every slot bound to the same memory. */
static void run(const air_component *air, air_kernel *k)
{
    _Alignas(256) unsigned char memory[BYTES];
    air_binding buffers[RT_MAX_BUFFERS];
    size_t lengths[AIR_MAX_GROUP_SLOTS];
    memset(memory, 1, sizeof memory);
    for (size_t i = 0; i < RT_MAX_BUFFERS; ++i) buffers[i] = (air_binding){memory, sizeof memory};
    for (size_t i = 0; i < AIR_MAX_GROUP_SLOTS; ++i) lengths[i] = 64;
    const air_launch launch = {.kernel = k,
                               .buffers = buffers,
                               .buffer_count = RT_MAX_BUFFERS,
                               .threadgroup_lengths = lengths,
                               .threadgroup_count = AIR_MAX_GROUP_SLOTS,
                               .groups = {1, 1, 1},
                               .threads = {THREADS, 1, 1}};
    ingot_error error;
    const ingot_status status = air->run(&launch, &error);
    if (status != INGOT_OK && status != INGOT_DEVICE && status != INGOT_LIMIT && status != INGOT_OUT_OF_MEMORY) abort();
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
    if (k != NULL && !describe_only) run(air, k);
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
