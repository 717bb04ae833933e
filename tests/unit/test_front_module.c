/* Whole files: imports, definitions, the choice of a module, signatures, blocks, and the older
 * spelling. */
#include "front_help.h"

#include <math.h>

#define T_IMPORT "from tvm.script import ir as I, tirx as T\n"

static reading *good(const char *text)
{
    return script_good(str_of(text), (front_options){0});
}

static const ir_func *only_func(const reading *r)
{
    assert_int_equal(r->module->func_count, 1);
    return r->module->funcs[0];
}

static int64_t shape_at(const ir_buffer *b, size_t i)
{
    int64_t n = -1;
    assert_true(ir_const_value(b->shape.at[i], &n));
    return n;
}

/* ---- Definitions ----------------------------------------------------------------------------- */

static const char sized[] = T_IMPORT
    "n = 16\nm = n * 2\n@T.prim_func\ndef f(A: T.Buffer((n, m), \"float32\")):\n    A[0, 0] = n\n";

static void test_constants_of_the_file(void **state)
{
    (void)state;
    reading *r = good(sized);
    const ir_buffer *A = only_func(r)->params[0].buffer;
    assert_int_equal(shape_at(A, 0), 16);
    assert_int_equal(shape_at(A, 1), 32);
    script_free(r);
}

/* A definition goes before the file's own assignment, and what is computed from it follows. */
static void test_definitions(void **state)
{
    (void)state;
    front_definition d[] = {{STR("n"), ingot_int(64)}, {STR("unused"), ingot_float(1.5)}};
    reading *r =
        script_good(str_of(sized), (front_options){.definitions = d, .definition_count = 2});
    const ir_buffer *A = only_func(r)->params[0].buffer;
    assert_int_equal(shape_at(A, 0), 64);
    assert_int_equal(shape_at(A, 1), 128);
    assert_string_equal(r->messages.p,
                        "warning: the definition of 'unused' is not used by this program\n");
    script_free(r);
}

static void test_definition_kinds(void **state)
{
    (void)state;
    const char *text = T_IMPORT
        "@T.prim_func\ndef f(A: T.Buffer(shape, dtype)):\n    A[0, 0] = value if flag else 0\n";
    ingot_value items[] = {ingot_int(2), ingot_int(3)};
    front_definition d[] = {{STR("shape"), ingot_tuple(items, 2)},
                            {STR("dtype"), ingot_str("float16", 7)},
                            {STR("value"), ingot_float(-HUGE_VAL)},
                            {STR("flag"), ingot_bool(1)}};
    reading *r =
        script_good(str_of(text), (front_options){.definitions = d, .definition_count = 4});
    const ir_buffer *A = only_func(r)->params[0].buffer;
    assert_int_equal(shape_at(A, 1), 3);
    assert_true(ir_type_eq(A->type, IR_F16));
    const ir_node *value = ir_as_store(only_func(r)->body)->value;
    assert_true(ir_as_float_imm(value)->value == -HUGE_VAL);
    script_free(r);
}

static void test_later_constants_do_not_count(void **state)
{
    (void)state;
    reading *r = good(T_IMPORT "n = 8\n@I.ir_module\nclass M:\n    @T.prim_func\n    def f(A: "
                               "T.Buffer((n,))):\n        A[0] = 1\nn = 9\n");
    assert_int_equal(shape_at(only_func(r)->params[0].buffer, 0), 8);
    script_free(r);
    r = script_read(T_IMPORT "@T.prim_func\ndef f(A: T.Buffer((n,))):\n    A[0] = 1\nn = 9\n");
    assert_non_null(strstr(r->messages.p, "x.py:3:20: error: 'n' is not defined yet"));
    assert_non_null(strstr(r->messages.p, "x.py:5:1: note: it is only assigned here"));
    script_free(r);
}

static void test_what_is_not_known(void **state)
{
    (void)state;
    reading *r = script_read(T_IMPORT "import numpy as np\nn = np.prod((2, 3))\n@T.prim_func\ndef "
                                      "f(A: T.Buffer((n,))):\n    A[0] = 1\n");
    assert_non_null(strstr(r->messages.p, "x.py:5:20: error: 'n' has no value that is known here"));
    assert_non_null(strstr(r->messages.p,
                           "x.py:3:1: note: 'n' is defined here; -D n=VALUE can give it a value"));
    script_free(r);
}

/* ---- The choice of a module --------------------------------------------------------------------
 */

#define CLASS(name, value)                                                                         \
    "@I.ir_module\nclass " name                                                                    \
    ":\n    @T.prim_func\n    def f(A: T.Buffer((4,))):\n        A[0] = " value "\n"

static void test_several_modules(void **state)
{
    (void)state;
    const char *text = T_IMPORT CLASS("P", "1") CLASS("Q", "2");
    reading *r = script_read(text);
    assert_null(r->module);
    assert_non_null(strstr(r->messages.p, "this file holds several modules"));
    assert_non_null(strstr(r->messages.p, "class 'P'"));
    assert_non_null(strstr(r->messages.p, "class 'Q'"));
    script_free(r);
    r = script_good(str_of(text), (front_options){.module = STR("Q")});
    assert_true(ir_as_float_imm(ir_as_store(only_func(r)->body)->value)->value == 2.0);
    script_free(r);
    r = script_read_with(str_of(text), (front_options){.module = STR("R")});
    assert_non_null(strstr(r->messages.p, "this file has no module 'R'"));
    script_free(r);
}

static void test_functions_of_a_file(void **state)
{
    (void)state;
    reading *r =
        good(T_IMPORT "@T.prim_func\ndef f(A: T.Buffer((4,))):\n    A[0] = 1\n"
                      "@T.prim_func(private=True)\ndef g(A: T.Buffer((4,))):\n    A[0] = 2\n");
    assert_int_equal(r->module->func_count, 2);
    assert_true(str_is(r->module->funcs[0]->name, "f"));
    assert_true(r->module->funcs[1]->is_private);
    script_free(r);
}

/* As test files have it: the module within a plain function, whose own names count. */
static void test_module_in_a_function(void **state)
{
    (void)state;
    const char *text =
        "import pytest\nimport tvm\nimport tvm.testing\nfrom tvm.script import ir as I\nfrom "
        "tvm.script import tirx as T\n"
        "@pytest.mark.parametrize('k', [1, 2])\ndef test_other(k):\n    assert k\n"
        "def test_it(n=8, target='metal'):\n    dtype = 'float16'\n    one = tvm.tirx.const(1.5, "
        "dtype=dtype)\n"
        "    try:\n        import foo\n    except ImportError:\n        raise\n"
        "    @I.ir_module\n    class Module:\n        @T.prim_func\n        def main(A: "
        "T.Buffer((n,), dtype)):\n"
        "            A[0] = one\n    f = tvm.compile(Module, target=target)\n    print(f'{f}')\n"
        "if __name__ == '__main__':\n    tvm.testing.main()\n";
    reading *r = good(text);
    const ir_func *f = only_func(r);
    assert_int_equal(shape_at(f->params[0].buffer, 0), 8);
    assert_true(ir_as_float_imm(ir_as_store(f->body)->value)->value == 1.5);
    script_free(r);
    front_definition d = {STR("n"), ingot_int(5)};
    r = script_good(
        str_of(text),
        (front_options){.definitions = &d, .definition_count = 1, .module = STR("test_it.Module")});
    assert_int_equal(shape_at(only_func(r)->params[0].buffer, 0), 5);
    script_free(r);
}

static void test_text_without_imports(void **state)
{
    (void)state;
    script_free(good("# from tvm.script import tirx as T\n@T.prim_func\ndef f(A: T.Buffer((4,), "
                     "\"float32\")):\n    A[0] = 1\n"));
}

static void test_module_body(void **state)
{
    (void)state;
    reading *r = good(T_IMPORT "@T.prim_func\ndef g(A: T.Buffer((4,))):\n    A[0] = 1\n"
                               "@I.ir_module(check_well_formed=False)\nclass M:\n    "
                               "\"\"\"doc\"\"\"\n    I.module_attrs({\"k\": 1})\n    h = g\n");
    assert_true(str_is(only_func(r)->name, "g"));
    assert_true(ir_is_const(ir_attrs_get(r->module->attrs, "k"), 1));
    script_free(r);
    r = script_read(T_IMPORT
                    "@I.ir_module\nclass M:\n    @T.prim_func\n    def f(A: T.Buffer((4,))):\n     "
                    "   M.f(A.data)\n    def g(): pass\n    x = 3\n");
    assert_non_null(
        strstr(r->messages.p,
               "x.py:6:9: error: 'f' calls itself"));
    assert_non_null(strstr(r->messages.p, "'g' is no @T.prim_func function"));
    assert_non_null(
        strstr(r->messages.p, "in a module only functions of the program can be named"));
    script_free(r);
}

/* ---- Signatures and blocks ---------------------------------------------------------------------
 */

static void test_symbolic_shapes(void **state)
{
    (void)state;
    reading *r =
        good(T_IMPORT "@T.prim_func\ndef f(a: T.handle, B: T.Buffer((\"n\", \"n + 1\"), "
                      "\"float32\"), m: T.int64, "
                      "C: T.Buffer((\"m\",), \"float32\", strides=[\"s\"], offset_factor=4)):\n"
                      "    n = T.int32()\n    k = T.int32()\n    A = T.match_buffer(a, (k, n))\n   "
                      " A[0, 0] = C[0]\n");
    const ir_func *f = only_func(r);
    assert_int_equal(f->param_count, 4);
    const ir_buffer *A = f->params[0].buffer, *B = f->params[1].buffer, *C = f->params[3].buffer;
    assert_true(str_is(f->params[0].var->name, "a"));
    assert_true(str_is(A->name, "A"));
    const ir_var *n = ir_as_var_ref(B->shape.at[0])->var;
    assert_ptr_equal(ir_as_var_ref(A->shape.at[1])->var, n);
    assert_ptr_equal(ir_as_var_ref(ir_as_bin(B->shape.at[1])->a)->var, n);
    assert_true(ir_type_eq(n->type, IR_I32));
    /* "m" is the scalar parameter, with its type */
    assert_ptr_equal(ir_as_var_ref(C->shape.at[0])->var, f->params[2].var);
    assert_true(ir_type_eq(f->params[2].var->type, IR_I64));
    assert_int_equal(C->strides.n, 1);
    assert_int_equal(C->elem_offset->kind, IR_VAR);
    assert_int_equal(C->offset_factor, 4);
    script_free(r);
    /* the parameter may come after the shape */
    r = good(T_IMPORT "@T.prim_func\ndef f(C: T.Buffer((\"m\",)), m: T.int64):\n    C[0] = 1\n");
    f = only_func(r);
    assert_ptr_equal(ir_as_var_ref(f->params[0].buffer->shape.at[0])->var, f->params[1].var);
    assert_true(ir_type_eq(f->params[1].var->type, IR_I64));
    script_free(r);
}

static void test_parameters(void **state)
{
    (void)state;
    reading *r = good(
        T_IMPORT
        "@T.prim_func\ndef f(p: T.handle, q: T.handle(\"float16\", \"shared\"), A: T.Buffer[(8,), "
        "\"int8x4\"], "
        "s: T.Buffer((), \"bool\"), u: T.u16, v: T.f64, w: T.boolean) -> T.int32:\n    return 3\n");
    const ir_func *f = only_func(r);
    assert_null(f->params[0].buffer);
    assert_true(ir_type_is_pointer(f->params[0].var->type));
    assert_true(ir_type_eq(f->params[1].var->pointee, IR_F16));
    assert_int_equal(f->params[1].var->scope, IR_SCOPE_SHARED);
    assert_int_equal(f->params[2].buffer->type.lanes, 4);
    assert_int_equal(f->params[3].buffer->shape.n, 0);
    assert_true(ir_type_eq(f->params[4].var->type, IR_TYPE(IR_UINT, 16)));
    assert_true(ir_type_eq(f->params[6].var->type, IR_B1));
    assert_true(ir_type_eq(f->result, IR_I32));
    script_free(r);
}

static void test_blocks(void **state)
{
    (void)state;
    reading *r = good(
        T_IMPORT
        "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((16, 8)), B: T.Buffer((16,))):\n"
        "    S = T.sblock_alloc_buffer((16,), scope=\"shared\")\n"
        "    for i, k in T.grid(16, 8):\n        with T.sblock(\"sum\"):\n"
        "            vi, vk = T.axis.remap(\"SR\", [i, k])\n            T.where(i < 12)\n"
        "            T.reads(A[vi, 0:8])\n            T.writes(B[vi])\n            "
        "T.sblock_attr({\"tir.x\": 1})\n"
        "            with T.init():\n                B[vi] = 0\n            B[vi] += A[vi, vk]\n");
    const ir_block *root = ir_as_block(only_func(r)->body);
    assert_true(str_is(root->name, "root"));
    assert_int_equal(root->iters.n, 0);
    assert_int_equal(root->allocs.n, 1);
    const ir_for *outer = ir_as_for(root->body), *inner = ir_as_for(outer->body);
    const ir_block *b = ir_as_block(inner->body);
    assert_true(str_is(b->name, "sum"));
    assert_int_equal(b->iters.n, 2);
    assert_int_equal(b->iters.at[0].kind, IR_SPATIAL);
    assert_int_equal(b->iters.at[1].kind, IR_REDUCE);
    assert_true(ir_is_const(b->iters.at[0].extent, 16));
    assert_ptr_equal(ir_as_var_ref(b->iters.at[1].binding)->var, inner->var);
    assert_true(b->regions_given);
    assert_int_equal(b->reads.n, 1);
    assert_true(ir_is_const(b->reads.at[0].ranges[1].extent, 8));
    assert_true(ir_is_const(b->writes.at[0].ranges[0].extent, 1));
    assert_int_equal(ir_as_bin(b->predicate)->op, IR_LT);
    assert_true(ir_is_const(ir_attrs_get(b->annotations, "tirx.x"), 1));
    assert_int_equal(b->init->kind, IR_STORE);
    assert_int_equal(b->body->kind, IR_STORE);
    script_free(r);
}

/* ---- The older spelling
 * -------------------------------------------------------------------------- */

static void test_older_spelling(void **state)
{
    (void)state;
    reading *r = good("import tvm\nfrom tvm.script import tir as T\n@tvm.script.ir_module\nclass "
                      "M:\n    @T.prim_func\n"
                      "    def f(a: T.handle, B: T.Buffer[(16,), \"float32\"]) -> None:\n"
                      "        T.func_attr({\"global_symbol\": \"kern\", \"tir.noalias\": True})\n"
                      "        A = T.match_buffer(a, [16], dtype=\"float32\")\n        C = "
                      "T.alloc_buffer([16], scope=\"shared\")\n"
                      "        for i in T.serial(0, 16):\n            with T.block(\"x\"):\n       "
                      "         vi = T.axis.spatial(16, i)\n"
                      "                t = A[vi] * 2.0\n                u = t + 1.0\n              "
                      "  u = u * u\n                C[vi] = u\n");
    const ir_func *f = only_func(r);
    assert_true(str_is(f->name, "kern"));
    assert_true(ir_is_const(ir_attrs_get(f->attrs, "tirx.noalias"), 1));
    const ir_block *root = ir_as_block(f->body);
    assert_int_equal(root->allocs.n, 1); /* an allocation belongs to its block */
    ir_list body = ir_as_seq(ir_as_block(ir_as_for(root->body)->body)->body)->body;
    assert_int_equal(body.at[0]->kind, IR_BIND);  /* assigned once: bound */
    assert_int_equal(body.at[1]->kind, IR_ALLOC); /* assigned twice: a variable */
    script_free(r);
    r = good(
        "from tvm.script import tir as T\n@T.prim_func\ndef f(A: T.Buffer((16,), \"float32\")):\n"
        "    tx = T.env_thread(\"threadIdx.x\")\n    T.launch_thread(tx, 16)\n"
        "    X = T.allocate([16], \"float32\", \"shared\")\n    X_1 = T.Buffer((16,), data=X, "
        "scope=\"shared\")\n"
        "    with T.LetStmt(A[0]) as q:\n        X_1[tx] = q\n");
    const ir_thread *t = ir_as_thread(only_func(r)->body);
    ir_list inner = ir_as_seq(t->body)->body;
    assert_int_equal(inner.at[0]->kind, IR_ALLOC);
    assert_int_equal(inner.at[1]->kind, IR_DECL);
    assert_ptr_equal(ir_as_decl(inner.at[1])->buffer->data, ir_as_alloc(inner.at[0])->buffer->data);
    assert_int_equal(inner.at[2]->kind, IR_BIND);
    script_free(r);
}

static void test_inline_functions(void **state)
{
    (void)state;
    reading *r = good(
        T_IMPORT
        "def half(n):\n    return n // 2\n@T.inline\ndef put(dst, i, v=1.0):\n    dst[i] = v\n"
        "@T.prim_func\ndef f(A: T.Buffer((half(8),))):\n    put(A, 0)\n    put(A, 1, v=2.0)\n");
    assert_int_equal(shape_at(only_func(r)->params[0].buffer, 0), 4);
    ir_list body = ir_as_seq(only_func(r)->body)->body;
    assert_int_equal(body.n, 2);
    assert_true(ir_as_float_imm(ir_as_store(body.at[1])->value)->value == 2.0);
    script_free(r);
}

static void test_kernels_and_hosts(void **state)
{
    (void)state;
    reading *r =
        good(T_IMPORT
             "@I.ir_module\nclass M:\n    @T.prim_func\n    def main(A: T.Buffer((64,))):\n"
             "        T.func_attr({\"calling_conv\": 1})\n        T.call_packed(\"main_kernel\", "
             "A.data, 2, 32)\n"
             "    @T.prim_func\n    def main_kernel(A_ptr: T.handle(\"float32\")):\n"
             "        T.func_attr({\"calling_conv\": 2, \"tirx.kernel_launch_params\": "
             "[\"blockIdx.x\", \"threadIdx.x\", "
             "\"tirx.use_dyn_shared_memory\"], \"tirx.dyn_shared_bytes\": 128})\n"
             "        with T.launch_thread(\"blockIdx.x\", 2) as bx, "
             "T.launch_thread(\"threadIdx.x\", 32) as tx:\n"
             "            A = T.decl_buffer((64,), data=A_ptr)\n            A[bx * 32 + tx] = 1\n");
    assert_int_equal(r->module->funcs[0]->kind, IR_FUNC_HOST);
    const ir_func *k = r->module->funcs[1];
    assert_int_equal(k->kind, IR_FUNC_KERNEL);
    assert_int_equal(k->launch_tag_count, 2);
    assert_true(str_is(k->launch_tags[1], "threadIdx.x"));
    assert_true(ir_is_const(k->dyn_shared_bytes, 128));
    script_free(r);
}

/* As deep as it goes: what is accepted prints to a text that is accepted. */
static void test_deep_nesting(void **state)
{
    (void)state;
    char text[16384], *end = text;
    end += sprintf(end, "%s", T_IMPORT "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n");
    for (int i = 0; i < 90; ++i) end += sprintf(end, "    T.attr(None, \"k\", %d)\n", i);
    sprintf(end, "    A[((((((((((((0))))))))))))] = 1\n");
    reading *r = good(text);
    const ir_node *n = only_func(r)->body;
    for (int i = 0; i < 90; ++i) n = ir_as_attr(n)->body;
    assert_int_equal(n->kind, IR_STORE);
    script_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants_of_the_file),
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_definition_kinds),
        cmocka_unit_test(test_later_constants_do_not_count),
        cmocka_unit_test(test_what_is_not_known),
        cmocka_unit_test(test_several_modules),
        cmocka_unit_test(test_functions_of_a_file),
        cmocka_unit_test(test_module_in_a_function),
        cmocka_unit_test(test_text_without_imports),
        cmocka_unit_test(test_module_body),
        cmocka_unit_test(test_symbolic_shapes),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_older_spelling),
        cmocka_unit_test(test_inline_functions),
        cmocka_unit_test(test_kernels_and_hosts),
        cmocka_unit_test(test_deep_nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
