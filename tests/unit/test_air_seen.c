/* Every air.* function that Apple-made files were seen to declare: those that run are called in one module that has to
 * load, the others are refused by their names; docs/air.md says how many. Needs llvm-as, named by INGOT_LLVM_AS. */
#define _GNU_SOURCE /* mkdtemp */
#include "air_module.h"

typedef struct seen {
    bool runs;
    const char *declaration;
} seen;

static const seen rows[] = {
#define AIR_SEEN(runs, declaration) {runs, declaration},
#include "air_seen.def"
#undef AIR_SEEN
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char head[] =
    AIR_MODULE_HEAD
    "%struct._simdgroup_event_t = type opaque\n%struct._texture_2d_t = type opaque\n%struct._texture_cube_t = type opaque\n"
    "%struct._sampler_t = type opaque\n%struct._visible_function_table_t = type opaque\n"
    "@group = internal addrspace(3) global [4096 x i8] undef, align 16\n@fixed = internal addrspace(2) constant [64 x i8] zeroinitializer, align 16\n";

static const char tail[] =
    "!air.kernel = !{!0}\n!0 = !{void (i8 addrspace(1)*)* @k, !1, !2}\n!1 = !{}\n!2 = !{!3}\n"
    "!3 = !{i32 0, !\"air.buffer\", !\"air.location_index\", i32 0, i32 1, !\"air.read_write\", !\"air.address_space\", i32 1, "
    "!\"air.arg_type_size\", i32 1, !\"air.arg_type_align_size\", i32 1, !\"air.arg_type_name\", !\"char\", !\"air.arg_name\", !\"a\"}\n";

/* The next argument's type: to a comma that stands in no brackets, or the closing one. */
static str next_type(const char **at)
{
    const char *begin = *at, *p = begin;
    for (int depth = 0; depth > 0 || (*p != ',' && *p != ')'); ++p) depth += (*p == '<' || *p == '(') - (*p == '>' || *p == ')');
    *at = *p == ',' ? p + 2 : p;
    return (str){begin, (size_t)(p - begin)};
}

/* A value of the type, loaded or pointed at, as %v<n>; flags (i1, and integers, which often have to be constant) are written out. */
static void put_argument(buf *body, buf *call, str type, unsigned n)
{
    const bool pointer = type.p[type.n - 1] == '*';
    const char *space = pointer ? memchr(type.p, 'a', type.n) : NULL;
    while (space != NULL && strncmp(space, "addrspace(", 10) != 0) space = memchr(space + 1, 'a', type.n - (size_t)(space + 1 - type.p));
    buf_printf(call, "%s%.*s ", call->n != 0 ? ", " : "", STR_ARG(type));
    if (type.p[0] == 'i' && !pointer) {
        buf_text(call, str_is(type, "i1") ? "false" : "1");
        return;
    }
    buf_printf(call, "%%v%u", n);
    if (space != NULL && space[10] == '1') {
        buf_printf(body, "  %%v%u = bitcast i8 addrspace(1)* %%a to %.*s\n", n, STR_ARG(type));
    } else if (space != NULL) {
        const char *from = space[10] == '3' ? "[4096 x i8] addrspace(3)* @group" : "[64 x i8] addrspace(2)* @fixed";
        buf_printf(body, "  %%v%u = bitcast %s to %.*s\n", n, from, STR_ARG(type));
    } else if (pointer) {
        buf_printf(body, "  %%v%u = alloca %.*s\n", n, (int)type.n - 1, type.p);
    } else {
        buf_printf(body, "  %%p%u = bitcast i8 addrspace(1)* %%a to %.*s addrspace(1)*\n", n, STR_ARG(type));
        buf_printf(body, "  %%v%u = load %.*s, %.*s addrspace(1)* %%p%u, align 1\n", n, STR_ARG(type), STR_ARG(type), n);
    }
}

static str name_of(const char *declaration)
{
    const char *begin = strchr(declaration, '@') + 1;
    return (str){begin, (size_t)(strchr(begin, '(') - begin)};
}

/* Functions of one name and several types cannot stand in one module. */
static bool is_again(size_t row)
{
    for (size_t i = 0; i < row; ++i)
        if (str_eq(name_of(rows[i].declaration), name_of(rows[row].declaration))) return true;
    return false;
}

static void put_call(buf *text, buf *declarations, const char *declaration, unsigned *n)
{
    const str name = name_of(declaration);
    const char *at = name.p + name.n + 1;
    const int result = (int)(name.p - 2 - declaration);
    buf call = buf_make(&mem_default);
    buf_printf(declarations, "declare %s\n", declaration);
    while (*at != ')') put_argument(text, &call, next_type(&at), (*n)++);
    const bool is_void = strncmp(declaration, "void", 4) == 0;
    if (is_void) buf_printf(text, "  call void @%.*s(%.*s)\n", STR_ARG(name), (int)call.n, call.p);
    else buf_printf(text, "  %%v%u = call %.*s @%.*s(%.*s)\n", (*n)++, result, declaration, STR_ARG(name), (int)call.n, call.p);
    buf_free(&call);
}

/* The text of a module whose kernel k calls the chosen ones: those of one row, or all that run (row ROWS). */
static buf module_of(size_t row)
{
    buf body = buf_make(&mem_default), declarations = buf_make(&mem_default), out = buf_make(&mem_default);
    unsigned n = 0;
    for (size_t i = 0; i < ROWS; ++i)
        if (row == ROWS ? rows[i].runs && !is_again(i) : i == row) put_call(&body, &declarations, rows[i].declaration, &n);
    buf_printf(&out, "%s%.*s\ndefine void @k(i8 addrspace(1)* %%a) {\n%.*s  ret void\n}\n%s", head, (int)declarations.n, (const char *)declarations.p,
               (int)body.n, (const char *)body.p, tail);
    buf_free(&body);
    buf_free(&declarations);
    return out;
}

static ingot_status load(const air_component *air, size_t row, ingot_error *error)
{
    air_kernel *k = NULL;
    buf text = module_of(row);
    const ingot_status status = air_load_text(air, &text, &k, error);
    air->free(k);
    return status;
}

static void all_that_run_load(void **state)
{
    const air_component *air = *state;
    ingot_error error;
    if (air == NULL) skip();
    if (load(air, ROWS, &error) != INGOT_OK) fail_msg("%s", error.message);
}

static void others_are_refused_by_name(void **state)
{
    const air_component *air = *state;
    ingot_error error;
    if (air == NULL) skip();
    for (size_t i = 0; i < ROWS; ++i) {
        if (rows[i].runs) continue;
        assert_int_equal(load(air, i, &error), INGOT_UNSUPPORTED);
        const str name = name_of(rows[i].declaration);
        char whole[200];
        (void)snprintf(whole, sizeof whole, "'%.*s'", STR_ARG(name));
        if (strstr(error.message, whole) == NULL) fail_msg("%s is not named: %s", whole, error.message);
    }
}

/* As a damaged module could declare them: refused by name, whatever is wrong. */
static void declared_otherwise(void **state)
{
    static const char *const wrong[][2] = {
        {"air.wg.barrier", "declare void @air.wg.barrier(i32)\ndefine void @k() {\n  call void @air.wg.barrier(i32 1)"},
        {"air.wg.barrier", "declare void @air.wg.barrier(i64, i64)\ndefine void @k() {\n  call void @air.wg.barrier(i64 1, i64 1)"},
        {"air.simd_sum.f32", "declare float @air.simd_sum.f32(i32)\ndefine void @k() {\n  %v = call float @air.simd_sum.f32(i32 1)"},
        {"air.simd_shuffle.f32", "declare float @air.simd_shuffle.f32(float, float)\ndefine void @k() {\n  %v = call float @air.simd_shuffle.f32(float 1.0, float 1.0)"},
        {"air.simd_ballot.i64", "declare i64 @air.simd_ballot.i64(i64)\ndefine void @k() {\n  %v = call i64 @air.simd_ballot.i64(i64 1)"},
        {"air.atomic.global.add.u.i32",
         "declare i32 @air.atomic.global.add.u.i32(i32)\ndefine void @k() {\n  %v = call i32 @air.atomic.global.add.u.i32(i32 1)"},
        {"air.simdgroup_matrix_8x8_init_filled.v64f32.f32",
         "declare <64 x float> @air.simdgroup_matrix_8x8_init_filled.v64f32.f32(half)\ndefine void @k() {\n"
         "  %v = call <64 x float> @air.simdgroup_matrix_8x8_init_filled.v64f32.f32(half 1.0)"},
        {"air.simdgroup_async_copy_1d.p3i8.p1i8",
         "declare i8* @air.simdgroup_async_copy_1d.p3i8.p1i8(i64, i64)\ndefine void @k() {\n  %v = call i8* @air.simdgroup_async_copy_1d.p3i8.p1i8(i64 1, i64 1)"},
    };
    const air_component *air = *state;
    if (air == NULL) skip();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        ingot_error error;
        air_kernel *k = NULL;
        buf text = buf_make(&mem_default);
        buf_text(&text, AIR_MODULE_HEAD);
        buf_text(&text, wrong[i][1]);
        buf_text(&text, "\n  ret void\n}\n!air.kernel = !{!0}\n!0 = !{void ()* @k, !1, !1}\n!1 = !{}\n"
                        "!air.version = !{!2}\n!2 = !{i32 2, i32 6, i32 0}\n!air.language_version = !{!3}\n!3 = !{!\"Metal\", i32 3, i32 1, i32 0}\n");
        const ingot_status status = air_load_text(air, &text, &k, &error);
        if (status == INGOT_OK) fail_msg("%s is not refused", wrong[i][0]);
        char want[200];
        (void)snprintf(want, sizeof want, "'%s' is declared with other arguments", wrong[i][0]);
        if (strstr(error.message, want) == NULL) fail_msg("%s: %s", wrong[i][0], error.message);
        air->free(k);
    }
}

static void the_page_counts_them(void **state)
{
    (void)state;
    char want[100];
    unsigned run = 0;
    for (size_t i = 0; i < ROWS; ++i) run += rows[i].runs;
    (void)snprintf(want, sizeof want, "%u of the %u functions", run, (unsigned)ROWS);
    buf page = buf_make(&mem_default);
    FILE *f = fopen("docs/air.md", "rb");
    assert_non_null(f);
    for (int c; (c = getc(f)) != EOF;) buf_char(&page, (char)c);
    (void)fclose(f);
    buf_char(&page, '\0');
    if (strstr(page.p, want) == NULL) fail_msg("docs/air.md does not say '%s'", want);
    buf_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_run_load),
        cmocka_unit_test(others_are_refused_by_name),
        cmocka_unit_test(declared_otherwise),
        cmocka_unit_test(the_page_counts_them),
    };
    return cmocka_run_group_tests(tests, air_find_component, NULL);
}
