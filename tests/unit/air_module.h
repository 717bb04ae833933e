/* Modules of LLVM text, assembled by llvm-as (INGOT_LLVM_AS names it) and put in a library of one kernel, k. */
#ifndef TESTS_UNIT_AIR_MODULE_H
#define TESTS_UNIT_AIR_MODULE_H

#include <stdlib.h>
#include <unistd.h>

#include "test.h"

#include "air/air.h"
#include "pack/metallib_write.h"
#include "rt/component.h"

#define AIR_MODULE_HEAD                                                                                                 \
    "target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-"   \
    "v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32\"\n" \
    "target triple = \"air64_v26-apple-macosx14.0.0\"\n"

static inline buf air_assemble(const buf *text)
{
    char folder[] = "/tmp/air-module-XXXXXX", command[400];
    buf out = buf_make(&mem_default);
    assert_non_null(mkdtemp(folder));
    (void)snprintf(command, sizeof command, "%s/t.ll", folder);
    FILE *f = fopen(command, "w");
    assert_non_null(f);
    fprintf(f, "%.*s", (int)text->n, (const char *)text->p);
    assert_int_equal(fclose(f), 0);
    (void)snprintf(command, sizeof command, "%s %s/t.ll -o %s/t.bc", getenv("INGOT_LLVM_AS"), folder, folder);
    assert_int_equal(system(command), 0);
    (void)snprintf(command, sizeof command, "%s/t.bc", folder);
    f = fopen(command, "rb");
    assert_non_null(f);
    for (int c; (c = getc(f)) != EOF;) buf_u8(&out, (uint8_t)c);
    (void)fclose(f);
    while (out.n % 16 != 0) buf_u8(&out, 0);
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return out;
}

/* The bytes of the library. Frees the text. */
static inline buf air_library_of(buf *text)
{
    ingot_error error;
    buf module = air_assemble(text), file = buf_make(&mem_default);
    pool memory = pool_make(&mem_default);
    metallib_function f = {.name = STR("k"), .type = METALLIB_KERNEL, .module = buf_view(&module), .air = {2, 6}, .language = {3, 1}};
    metallib m = {.format_major = 1, .format_minor = 2, .format_patch = 7, .is_macos = true, .is_64_bit = true, .platform = 1, .os_major = 14,
                  .functions = &f, .function_count = 1};
    assert_int_equal(metallib_seal(&memory, &m, &error), INGOT_OK);
    metallib_write(&m, &file);
    pool_free(&memory);
    buf_free(&module);
    buf_free(text);
    return file;
}

/* Frees the text. */
static inline ingot_status air_load_text(const air_component *air, buf *text, air_kernel **k, ingot_error *error)
{
    buf file = air_library_of(text);
    const air_source source = {.bytes = buf_view(&file), .kernel = "k"};
    const ingot_status status = air->load(&mem_default, &source, k, error);
    buf_free(&file);
    return status;
}

/* The component as the tests' state; NULL where it or llvm-as is missing. */
static inline int air_find_component(void **state)
{
    ingot_error error;
    const air_component *air = rt_component(&error);
    if (air != NULL && getenv("INGOT_LLVM_AS") == NULL) printf("skipped: INGOT_LLVM_AS names no llvm-as\n");
    else if (air == NULL) printf("skipped: %s\n", error.message);
    const void *found = getenv("INGOT_LLVM_AS") != NULL ? air : NULL;
    memcpy(state, &found, sizeof found);
    return 0;
}

#endif
