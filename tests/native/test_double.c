/* The stand-in itself: what it would not let pass. Every message here is wrong on purpose. */
#include "native_test.h"

#include "metal/objc.h"

static metal_objc o;

static void begin(double_options options)
{
    ingot_error error = {0};
    set_up(options);
    check(metal_objc_open(&o, &error), &error);
}

/* The report has these words, and next to them nothing: as many lines as are expected. */
static void complains(const char *words, size_t lines)
{
    const char *report = double_report();
    size_t n = 0;
    for (const char *c = report; *c != '\0'; ++c) n += *c == '\n';
    if (strstr(report, words) == NULL || n != lines) fail_msg("\"%s\", expected %zu lines with \"%s\"", report, lines, words);
    metal_objc_close(&o);
    double_setup(NULL);
}

static void test_references(void **state)
{
    (void)state;
    begin((double_options){0});
    metal_id string = metal_string_new(&o, "text", 4);
    complains("alive at the end, with 1 references: a NSString", 1);
    begin((double_options){0});
    string = metal_string_new(&o, "text", 4);
    o.objc_release(string);
    o.objc_release(string);
    complains("objc_release: a NSString (no label) is used after its last release", 1);
    begin((double_options){0});
    string = metal_string_new(&o, "text", 4);
    o.objc_release(string);
    assert_null(metal_utf8(&o, string));
    complains("UTF8String: a NSString (no label) is used after its last release", 1);
    begin((double_options){0});
    int nothing = 0;
    o.objc_release((metal_id)(void *)&nothing);
    complains("is no object", 1);
}

static void test_pools(void **state)
{
    (void)state;
    begin((double_options){0});
    (void)metal_string(&o, o.classes[METAL_CLASS_NSString], "text");
    complains("a NSString is autoreleased with no pool in place", 2); /* and so it is left over */
    begin((double_options){0});
    void *pool = o.objc_autoreleasePoolPush();
    metal_id string = metal_string(&o, o.classes[METAL_CLASS_NSString], "text");
    assert_string_equal(metal_text(&o, string), "text");
    assert_non_null(strstr(double_report(), "1 pools are not drained"));
    o.objc_autoreleasePoolPop(pool);
    (void)metal_utf8(&o, string);
    complains("UTF8String: a NSString (no label) is used after its last release", 1);
    begin((double_options){0});
    pool = o.objc_autoreleasePoolPush();
    (void)o.objc_autoreleasePoolPush();
    o.objc_autoreleasePoolPop(pool);
    complains("an outer pool is drained before an inner one", 1);
    begin((double_options){0});
    o.objc_autoreleasePoolPop(&o);
    complains("a pool is drained that this thread has not got", 1);
}

static void test_messages(void **state)
{
    (void)state;
    begin((double_options){0});
    (void)o.sel_registerName("newBufferWithLength:option:");
    complains("no class has a method for the selector newBufferWithLength:option:", 1);
    begin((double_options){0});
    metal_id device = o.MTLCreateSystemDefaultDevice();
    assert_int_equal(metal_length(&o, device), 0);
    complains("-[MTLDevice length]: the class has no such method", 1);
    begin((double_options){0});
    assert_null(metal_name(&o, NULL));
    complains("name is sent to nil", 1);
    begin((double_options){0});
    device = o.MTLCreateSystemDefaultDevice();
    assert_null(metal_new_library_text(&o, device, device, NULL, NULL));
    complains("argument 1 is declared NSString * and is a MTLDevice", 1);
    begin((double_options){0});
    assert_null(o.objc_getClass("MTLCompileOption"));
    complains("there is no class MTLCompileOption", 1);
    begin((double_options){0});
    device = o.MTLCreateSystemDefaultDevice();
    metal_id buffer = metal_new_buffer(&o, device, 0, 0);
    assert_null(buffer);
    complains("a buffer of 0 bytes", 1);
}

/* Sends MTLSize's message as one that returns a number, and the other way about. */
static void test_results(void **state)
{
    (void)state;
#if defined(__x86_64__)
    begin((double_options){0});
    metal_id device = o.MTLCreateSystemDefaultDevice();
    (void)((uint64_t(*)(metal_id, metal_sel))o.objc_msgSend)(device, o.selectors[METAL_SEL_max_threads]);
    complains("-[MTLDevice maxThreadsPerThreadgroup] returns MTLSize, and was sent as if otherwise", 1);
    begin((double_options){0});
    device = o.MTLCreateSystemDefaultDevice();
    (void)((metal_size(*)(metal_id, metal_sel))o.objc_msgSend_stret)(device, o.selectors[METAL_SEL_max_buffer]);
    complains("-[MTLDevice maxBufferLength] returns NSUInteger, and was sent as if otherwise", 1);
#endif
    begin((double_options){0});
    metal_size size = metal_max_threads(&o, o.MTLCreateSystemDefaultDevice());
    assert_int_equal(size.width, 1024);
    assert_int_equal(size.depth, 1024);
    complains("", 0);
}

/* A command buffer with an encoder open, in a pool. */
typedef struct bench {
    void *pool;
    metal_id device, queue, commands, encoder;
} bench;

static bench open_bench(void)
{
    begin((double_options){0});
    bench b = {.pool = o.objc_autoreleasePoolPush()};
    b.device = o.MTLCreateSystemDefaultDevice();
    b.queue = metal_new_queue(&o, b.device);
    b.commands = metal_commands(&o, b.queue);
    metal_label(&o, b.commands, "bench");
    b.encoder = metal_compute_encoder(&o, b.commands);
    return b;
}

static void close_bench(bench *b, const char *words, size_t lines)
{
    o.objc_autoreleasePoolPop(b->pool);
    o.objc_release(b->queue);
    complains(words, lines);
}

static void test_commands(void **state)
{
    (void)state;
    bench b = open_bench();
    metal_end_encoding(&o, b.encoder);
    metal_commit(&o, b.commands);
    metal_wait(&o, b.commands);
    assert_int_equal(metal_command_status(&o, b.commands), 4);
    close_bench(&b, "", 0);
    b = open_bench();
    metal_commit(&o, b.commands);
    metal_end_encoding(&o, b.encoder);
    metal_wait(&o, b.commands);
    close_bench(&b, "commit with an encoder open", 1);
    b = open_bench();
    close_bench(&b, "an encoder is released without endEncoding", 1);
    b = open_bench();
    metal_end_encoding(&o, b.encoder);
    metal_commit(&o, b.commands);
    close_bench(&b, "a command buffer was committed and never waited for", 1);
    b = open_bench();
    metal_end_encoding(&o, b.encoder);
    metal_set_buffer(&o, b.encoder, NULL, 0, 0);
    close_bench(&b, "setBuffer:offset:atIndex: after endEncoding", 1);
    b = open_bench();
    metal_dispatch(&o, b.encoder, (metal_size){1, 1, 1}, (metal_size){1, 1, 1});
    metal_end_encoding(&o, b.encoder);
    close_bench(&b, "a dispatch without a pipeline", 1);
    b = open_bench();
    metal_end_encoding(&o, b.encoder);
    metal_wait(&o, b.commands);
    close_bench(&b, "waitUntilCompleted before commit", 1);
    b = open_bench();
    char bytes[4097] = "";
    metal_set_bytes(&o, b.encoder, bytes, sizeof bytes, 0);
    metal_set_threadgroup(&o, b.encoder, 8, 0);
    assert_null(metal_blit_encoder(&o, NULL));
    metal_end_encoding(&o, b.encoder);
    close_bench(&b, "setBytes of 4097 bytes at index 0\nsetThreadgroupMemoryLength:8 atIndex:0\nblitCommandEncoder is sent to nil", 3);
}

static void test_blits(void **state)
{
    (void)state;
    bench b = open_bench();
    metal_end_encoding(&o, b.encoder);
    metal_id blit = metal_blit_encoder(&o, b.commands), buffer = metal_new_buffer(&o, b.device, 64, 0);
    metal_copy_buffer(&o, blit, buffer, 0, buffer, 32, 36);
    metal_copy_buffer(&o, blit, buffer, 2, buffer, 32, 4);
    metal_copy_buffer(&o, blit, buffer, 0, buffer, 8, 16);
    metal_end_encoding(&o, blit);
    o.objc_release(buffer);
    close_bench(&b, "a copy outside of its buffers\na copy of other than whole words\na copy between ranges that overlap", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references), cmocka_unit_test(test_pools),    cmocka_unit_test(test_messages),
        cmocka_unit_test(test_results),    cmocka_unit_test(test_commands), cmocka_unit_test(test_blits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
