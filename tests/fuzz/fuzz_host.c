/* Fuzz target: any bytes as host code. What is accepted must write to bytes that read to the same, bind arguments and
 * run without harm. */
#include <stdlib.h>
#include <string.h>

#include "host/args.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARGS = 8, DIMS = 64 };

static char memory[4096];

static ingot_status launch(void *user, const host_frame *frame, size_t index, ingot_error *error)
{
    (void)error;
    int64_t *sum = user;
    const host_launch *l = &frame->function->launches[index];
    for (size_t i = 0; i < l->arg_count; ++i) *sum ^= frame->regs[l->args[i]].i;
    for (size_t i = 0; i < l->extent_count; ++i) *sum ^= frame->regs[l->extents[i]].i;
    return INGOT_OK;
}

static ingot_status give(void *user, uint64_t bytes, void **out, ingot_error *error)
{
    (void)user;
    (void)error;
    *out = malloc(bytes < 64 ? 64 : 65);
    return *out != NULL ? INGOT_OK : INGOT_OUT_OF_MEMORY;
}

static void take(void *user, void *block)
{
    (void)user;
    free(block);
}

static void *find(void *user, const void *at, size_t *size)
{
    (void)user;
    *size = sizeof memory;
    return at == memory ? memory : NULL;
}

/* A call with arguments of the right kinds: tensors of the extents that are asked for, else 2. */
static void call(const host_function *f)
{
    static int64_t shapes[ARGS][DIMS];
    DLTensor tensors[ARGS];
    ingot_value values[ARGS];
    if (f->param_count > ARGS) return;
    for (size_t k = 0; k < f->param_count; ++k) {
        const host_param *p = &f->params[k];
        values[k] = ingot_int((int64_t)k);
        if (p->kind == INGOT_PARAM_SCALAR) continue;
        for (size_t d = 0; d < p->ndim; ++d) shapes[k][d] = p->shape[d].kind == HOST_DIM_CONST ? p->shape[d].value : 2;
        tensors[k] = (DLTensor){.data = memory, .device = {kDLMetal, 0}, .ndim = (int32_t)p->ndim, .dtype = p->dtype, .shape = shapes[k]};
        values[k] = ingot_tensor(&tensors[k]);
    }
    int64_t sum = 0;
    host_device device = {.find = find};
    host_env env = {.user = &sum, .launch = launch, .alloc = give, .free = take, .budget = 10000};
    host_storage storage;
    host_frame frame;
    ingot_error error;
    if (host_frame_begin(&frame, f, &storage, NULL, &error) != INGOT_OK) return;
    ingot_status status = host_bind(&frame, values, f->param_count, &device, &error);
    if (status != INGOT_OK && error.message[0] == '\0') abort();
    /* Registers are sound whether or not the arguments were: the body may run in any case. */
    host_value result;
    (void)host_run(&frame, &env, &result, &error);
    host_frame_end(&frame, &storage, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pool mem = pool_make(NULL);
    const host_program *program, *again;
    ingot_error error;
    str bytes = {size != 0 ? (const char *)data : "", size};
    if (host_decode(&mem, bytes, &program, &error) == INGOT_OK) {
        buf out = buf_make(NULL);
        host_encode(program, &out);
        if (!str_eq(buf_view(&out), bytes)) abort();
        if (host_decode(&mem, buf_view(&out), &again, &error) != INGOT_OK) abort();
        for (size_t i = 0; i < program->function_count; ++i) call(&program->functions[i]);
        buf_free(&out);
    }
    pool_free(&mem);
    return 0;
}
