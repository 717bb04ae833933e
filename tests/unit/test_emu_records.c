/* Packed records of shared memory: what is put is what is found, as runs, in units, over launches and when epochs are numbered anew. */
#include "emu/records.h"

#include <stdlib.h>

#include "emu/emu.h"
#include "test.h"

/* A record as the machine makes them. */
static int64_t record(int64_t tag, int64_t clock, int64_t lane, int64_t site)
{
    return tag << SHADOW_TAG | clock << SHADOW_CLOCK | lane << SHADOW_LANE | site;
}

typedef struct fixture {
    emu_records *r;
    emu_epoch_cache cache;
} fixture;

static fixture open_records(size_t lines, uint32_t threads)
{
    fixture f = {.r = emu_records_make(&mem_default)};
    assert_non_null(f.r);
    assert_true(emu_records_open(f.r, lines, threads));
    return f;
}

/* Threads from that of `rec` on touch the granules, 1 << spread each. */
static void put(fixture *f, size_t line, unsigned slot, uint32_t granules, uint8_t spread, int64_t rec)
{
    const emu_stretch run = {granules, emu_records_pack(f->r, &f->cache, rec, slot == 0), spread};
    assert_int_not_equal(run.first, 0);
    emu_records_put(f->r, &f->r->lines[line], slot, &run);
}

static int64_t found(const fixture *f, size_t line, unsigned slot, unsigned granule)
{
    uint32_t words[RECORD_SLOTS];
    const emu_stretch run = {.granules = 1u << granule};
    bool writes;
    assert_true(emu_records_get(f->r, &f->r->lines[line], &run, words));
    return emu_records_unpack(f->r, words[slot], &writes);
}

static void test_run(void **state)
{
    (void)state;
    fixture f = open_records(2, 256);
    put(&f, 1, 0, 0xffff, 0, record(7, 3, 32, 500));
    for (unsigned j = 0; j < 16; ++j) assert_int_equal(found(&f, 1, 0, j), record(7, 3, 32 + j, 500));
    for (unsigned j = 0; j < 16; ++j) assert_int_equal(found(&f, 0, 0, j), 0);
    assert_int_equal(f.r->units.used, 1); /* 16 records in the line alone */
    emu_records_free(f.r);
}

/* A run that begins in the midst of a line, and the next one, which fills it up: one run. */
static void test_pieces(void **state)
{
    (void)state;
    fixture f = open_records(1, 256);
    put(&f, 0, 0, 0x7fff, 0, record(1, 1, 1, 9));
    assert_int_equal(found(&f, 0, 0, 15), 0);
    put(&f, 0, 0, 0x8000, 0, record(1, 1, 16, 9));
    for (unsigned j = 0; j < 16; ++j) assert_int_equal(found(&f, 0, 0, j), record(1, 1, j + 1, 9));
    assert_int_equal(f.r->units.used, 1);
    emu_records_free(f.r);
}

/* The very first epoch's thread 0 in the last granule: granule 0's word would lie below all of the epoch's. */
static void test_below(void **state)
{
    (void)state;
    fixture f = open_records(1, 32);
    put(&f, 0, 0, 0x8000, 0, record(1, 1, 0, 2));
    assert_int_equal(found(&f, 0, 0, 15), record(1, 1, 0, 2));
    assert_int_equal(found(&f, 0, 0, 14), 0);
    emu_records_free(f.r);
}

/* Threads with four granules each. */
static void test_spread(void **state)
{
    (void)state;
    fixture f = open_records(1, 64);
    put(&f, 0, 0, 0xffff, 2, record(5, 1, 8, 1));
    for (unsigned j = 0; j < 16; ++j) assert_int_equal(found(&f, 0, 0, j), record(5, 1, 8 + j / 4, 1));
    put(&f, 0, 0, 0x0010, 0, record(5, 1, 60, 1)); /* another in between: all as they were but that */
    for (unsigned j = 0; j < 16; ++j) assert_int_equal(found(&f, 0, 0, j), record(5, 1, j == 4 ? 60 : 8 + j / 4, 1));
    assert_int_equal(f.r->units.used, 2);
    emu_records_free(f.r);
}

static void test_scattered(void **state)
{
    (void)state;
    fixture f = open_records(1, 1024);
    for (unsigned j = 0; j < 16; ++j) put(&f, 0, 0, 1u << j, 0, record(j * 37 + 1, 2, j * 7919 % 1024, j));
    for (unsigned j = 0; j < 16; ++j) assert_int_equal(found(&f, 0, 0, j), record(j * 37 + 1, 2, j * 7919 % 1024, j));
    emu_records_free(f.r);
}

static void test_slots(void **state)
{
    (void)state;
    fixture f = open_records(1, 256);
    put(&f, 0, 0, 0xffff, 0, record(1, 1, 0, 1));
    put(&f, 0, 1, 0x00ff, 0, record(2, 1, 16, 2));
    put(&f, 0, 2, 0x0100, 0, record(3, 1, 5, 3));
    put(&f, 0, 2, 0x0001, 0, record(4, 1, 200, 4));
    for (unsigned j = 0; j < 16; ++j) {
        assert_int_equal(found(&f, 0, 0, j), record(1, 1, j, 1));
        assert_int_equal(found(&f, 0, 1, j), j < 8 ? record(2, 1, 16 + j, 2) : 0);
        assert_int_equal(found(&f, 0, 2, j), j == 0 ? record(4, 1, 200, 4) : j == 8 ? record(3, 1, 5, 3) : 0);
    }
    const emu_stretch none = {.granules = 0x0003};
    emu_records_put(f.r, &f.r->lines[0], 1, &none);
    emu_records_put(f.r, &f.r->lines[0], 2, &none);
    assert_int_equal(found(&f, 0, 1, 1), 0);
    assert_int_equal(found(&f, 0, 1, 2), record(2, 1, 18, 2));
    assert_int_equal(found(&f, 0, 2, 0), 0);
    assert_int_equal(found(&f, 0, 2, 8), record(3, 1, 5, 3));
    emu_records_free(f.r);
}

/* One answer for several granules only where there is one. */
static void test_alike(void **state)
{
    (void)state;
    fixture f = open_records(2, 32);
    uint32_t words[RECORD_SLOTS];
    const emu_stretch all = {.granules = 0xffff};
    put(&f, 0, 0, 0x00ff, 0, record(1, 1, 24, 1)); /* the end of one threadgroup */
    assert_false(emu_records_get(f.r, &f.r->lines[0], &all, words));
    put(&f, 0, 0, 0xff00, 0, record(2, 1, 0, 1)); /* and the next one, of the following epoch: words side by side */
    for (unsigned j = 0; j < 16; ++j) assert_int_equal(found(&f, 0, 0, j), j < 8 ? record(1, 1, 24 + j, 1) : record(2, 1, j - 8, 1));
    assert_false(emu_records_get(f.r, &f.r->lines[0], &all, words));
    put(&f, 1, 0, 0xffff, 0, record(1, 1, 0, 1));
    assert_true(emu_records_get(f.r, &f.r->lines[1], &all, words));
    const emu_stretch pairs = {.granules = 0xffff, .spread = 1};
    assert_false(emu_records_get(f.r, &f.r->lines[1], &pairs, words));
    emu_records_free(f.r);
}

static void test_launches(void **state)
{
    (void)state;
    fixture f = open_records(2, 256);
    for (int launch = 0; launch < 20000; ++launch) { /* until the numbers of epochs have run out */
        for (int64_t site = 0; site < 4; ++site) put(&f, 0, 0, 0xffff, 0, record(1, 1, launch % 200, site));
        if (launch % 3 == 0) put(&f, 1, 1, 0x0010, 0, record(1, 1, 3, 0));
        assert_int_equal(found(&f, 0, 0, 2), record(1, 1, launch % 200 + 2, 3));
        f.r->floor += 1000;
        f.r->generation += 1;
        assert_true(emu_records_open(f.r, 2, 256));
        for (unsigned j = 0; j < 16; ++j) assert_int_equal(found(&f, 0, 0, j) | found(&f, 1, 1, j), 0);
    }
    emu_records_free(f.r);
}

/* Of many epochs two are in use: they keep their meaning under other numbers. */
static void test_collect(void **state)
{
    (void)state;
    fixture f = open_records(3, 256);
    put(&f, 0, 0, 0xffff, 0, record(1, 1, 100, 1));
    for (int64_t tag = 2; tag < 1000; ++tag) put(&f, 1, 0, 0xffff, 0, record(tag, 1, 0, 1));
    put(&f, 1, 1, 0x0001, 0, record(1, 5, 9, 7));
    put(&f, 1, 0, 0x0004, 0, record(77, 1, 200, 3));
    assert_int_equal(f.r->epochs.used, 1002);
    emu_records_collect(f.r);
    assert_int_equal(f.r->epochs.used, 5);
    for (unsigned j = 0; j < 16; ++j) {
        assert_int_equal(found(&f, 0, 0, j), record(1, 1, 100 + j, 1));
        assert_int_equal(found(&f, 1, 0, j), j == 2 ? record(77, 1, 200, 3) : record(999, 1, j, 1));
        assert_int_equal(found(&f, 1, 1, j), j == 0 ? record(1, 5, 9, 7) : 0);
        assert_int_equal(found(&f, 2, 0, j), 0);
    }
    put(&f, 2, 0, 0xffff, 0, record(999, 1, 0, 1)); /* what the cache knew has another number now */
    assert_int_equal(found(&f, 2, 0, 3), record(999, 1, 3, 1));
    emu_records_free(f.r);
}

static void test_age(void **state)
{
    (void)state;
    fixture f = open_records(1, 256);
    put(&f, 0, 0, 0x00ff, 0, record(3, 900, 0, 1));
    put(&f, 0, 0, 0xff00, 0, record(4, 900, 0, 1));
    emu_records_age(f.r, 4, 5);
    assert_int_equal(found(&f, 0, 0, 0), record(3, 900, 0, 1));
    assert_int_equal(found(&f, 0, 0, 8), record(4, 0, 0, 1));
    put(&f, 0, 0, 0x8000, 0, record(4, 900, 7, 1));
    assert_int_equal(found(&f, 0, 0, 15), record(4, 900, 7, 1));
    assert_int_equal(found(&f, 0, 0, 14), record(4, 0, 6, 1));
    emu_records_free(f.r);
}

/* Bytes that are held, and the most that were. */
typedef struct held {
    size_t now, most;
} held;
static void *count_bytes(void *user, void *at, size_t old_size, size_t new_size)
{
    held *h = user;
    h->now += new_size - old_size;
    h->most = h->now > h->most ? h->now : h->most;
    if (new_size != 0) return realloc(at, new_size);
    free(at);
    return NULL;
}

enum { BUFFER = 16 << 20 };

/* The most that a run of the kernel's body over so many threads holds, with all checks, beside its buffer of BUFFER bytes. */
static size_t most_held(float *a, const char *body, uint32_t threads)
{
    held h = {0, 0};
    const ingot_allocator counting = {count_bytes, &h};
    char text[512];
    (void)snprintf(text, sizeof text, "using namespace metal;\nkernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { %s }\n",
                   body);
    emu_library *l = NULL;
    ingot_error error;
    assert_int_equal(emu_library_compile(&counting, str_of(text), STR("test.metal"), &l, NULL, &error), INGOT_OK);
    const size_t before = h.now;
    h.most = before;
    emu_findings found = emu_findings_make(NULL, 0);
    const emu_binding buffer = {a, BUFFER};
    const emu_launch launch = {.kernel = emu_library_kernel(l, 0), .buffers = &buffer, .buffer_count = 1, .groups = {threads / 256, 1, 1},
                               .threads = {256, 1, 1}, .checks = EMU_CHECK_ALL, .findings = &found};
    assert_int_equal(emu_run(&launch, &error), INGOT_OK);
    assert_int_equal(found.n, 0);
    emu_findings_free(&found);
    emu_library_free(l);
    assert_int_equal(h.now, 0);
    return h.most - before;
}

/* Twelve bytes for each 16 elements of 4, a little for each threadgroup; as much again where several threads read them. */
static void test_memory(void **state)
{
    (void)state;
    float *a = calloc(BUFFER, 1);
    assert_non_null(a);
    assert_true(most_held(a, "a[i] = a[i] * 2 + 1;", BUFFER / 4) < BUFFER / 3);
    assert_true(a[BUFFER / 4 - 1] == 1);
    assert_true(most_held(a, "const uint n = 2097152; a[n + i] = a[i] + a[(i + 1) % n] + a[(i + 2) % n];", BUFFER / 8) < BUFFER);
    assert_true(a[BUFFER / 4 - 1] == 3);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),    cmocka_unit_test(test_pieces), cmocka_unit_test(test_below),
        cmocka_unit_test(test_spread), cmocka_unit_test(test_scattered), cmocka_unit_test(test_slots),
        cmocka_unit_test(test_alike),  cmocka_unit_test(test_launches), cmocka_unit_test(test_collect),
        cmocka_unit_test(test_age),    cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
