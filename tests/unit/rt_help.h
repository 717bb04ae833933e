/* What the runtime's tests share: a module put together by hand, and an allocator that fails on demand. */
#ifndef TESTS_RT_HELP_H
#define TESTS_RT_HELP_H

#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "host/module.h"
#include "rt/null.h"
#include "rt/program.h"

#define HANDLE {kDLOpaqueHandle, 64, 1}
#define I64 {kDLInt, 64, 1}
#define I32 {kDLInt, 32, 1}
#define F32 {kDLFloat, 32, 1}
#define NOTHING {kDLOpaqueHandle, 0, 0}
#define NO_OFFSET {.kind = HOST_DIM_CONST, .text = {"0", 1}, .shown = {"", 0}}

/* Puts host functions and kernels into a module; fails the test where they do not fit together. */
static inline ingot_module *module_of(const host_program *host, const pack_device_module *device)
{
    ingot_error error = {.status = INGOT_OK};
    ingot_module *m = module_create(NULL);
    buf bytes = buf_make(NULL);
    host_encode(host, &bytes);
    ingot_status status = host_decode(&m->memory, buf_view(&bytes), &m->host, &error);
    if (status == INGOT_OK) status = pack_device_module_make(&m->memory, device, &m->device, &error);
    if (status == INGOT_OK) status = module_finish(m, &error);
    buf_free(&bytes);
    if (status != INGOT_OK) fail_msg("%s", error.message);
    return m;
}

/* Counts what it holds, and fails the fail_at-th request (0: none). */
typedef struct ledger {
    size_t calls, fail_at, held;
} ledger;

static inline void *ledger_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    ledger *l = user;
    if (new_size == 0) {
        l->held -= old_size;
        free(ptr);
        return NULL;
    }
    if (++l->calls == l->fail_at) return NULL;
    void *p = realloc(ptr, new_size);
    if (p == NULL) abort();
    l->held += new_size - old_size;
    return p;
}

#endif
