/* Fuzz target: any bytes as MSL text, compiled, and every kernel of it run over a tiny grid with small buffers and few
 * instructions to spend. Whatever the kernel does, it ends, and stays inside its buffers. */
#include <stdlib.h>
#include <string.h>

#include "emu/emu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BYTES = 512, SLOTS = 6, FENCE = 64 };

static void run(const emu_kernel *kernel, uint32_t threads)
{
    uint8_t memory[SLOTS][BYTES + FENCE];
    emu_binding buffers[SLOTS];
    size_t lengths[4] = {256, 256, 256, 256};
    memset(memory, 0, sizeof memory);
    for (int i = 0; i < SLOTS; ++i) {
        memset(memory[i] + BYTES, 0x5a, FENCE);
        buffers[i] = (emu_binding){memory[i], BYTES};
    }
    const emu_launch launch = {.kernel = kernel, .buffers = buffers, .buffer_count = SLOTS, .threadgroup_lengths = lengths,
                               .threadgroup_count = 4, .groups = {3, 1, 2}, .threads = {threads, 2, 1}, .budget = 20000};
    ingot_error error;
    const ingot_status status = emu_run(&launch, &error);
    if (status == INGOT_INTERNAL || (status != INGOT_OK && error.message[0] == 0)) abort();
    for (int i = 0; i < SLOTS; ++i)
        for (int b = 0; b < FENCE; ++b)
            if (memory[i][BYTES + b] != 0x5a) abort(); /* written outside */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    emu_library *library = NULL;
    ingot_error error;
    const str text = {(const char *)data, size};
    const ingot_status status = emu_library_compile(NULL, text, STR("fuzz.metal"), &library, NULL, &error);
    if ((status == INGOT_OK) != (library != NULL) || (status != INGOT_OK && error.message[0] == 0)) abort();
    if (library == NULL) return 0;
    for (size_t k = 0; k < emu_library_kernel_count(library) && k < 4; ++k) {
        run(emu_library_kernel(library, k), 5);
        run(emu_library_kernel(library, k), 16);
    }
    emu_library_free(library);
    return 0;
}
