/* The simplifier, intervals, modular sets and proofs: chosen cases, and random ones against brute
 * force. */
/* labels: full */
#include "base/buf.h"
#include "ir/fold.h"
#include "ir/simplify.h"
#include "ir/walk.h"
#include "test.h"

/* ---- A plain text of expressions, fully parenthesised ------------------------------------------
 */

static void text_of(buf *out, const ir_node *n);

static void text_list(buf *out, ir_list list)
{
    for (size_t i = 0; i < list.n; ++i) {
        if (i != 0) buf_text(out, ", ");
        text_of(out, list.at[i]);
    }
}

static void text_bin(buf *out, const ir_bin *b)
{
    buf_char(out, '(');
    text_of(out, b->a);
    buf_printf(out, " %s ", ir_ops[b->op].script);
    text_of(out, b->b);
    buf_char(out, ')');
}

static void text_of(buf *out, const ir_node *n)
{
    switch ((int)n->kind) {
    case IR_INT_IMM: buf_printf(out, "%lld", (long long)ir_as_int_imm(n)->value); break;
    case IR_FLOAT_IMM: buf_printf(out, "%g", ir_as_float_imm(n)->value); break;
    case IR_VAR: buf_str(out, ir_as_var_ref(n)->var->name); break;
    case IR_BIN: text_bin(out, ir_as_bin(n)); break;
    case IR_NOT:
        buf_char(out, '!');
        text_of(out, ir_as_not(n)->a);
        break;
    case IR_SELECT:
        buf_text(out, "select(");
        text_list(out, (ir_list){&ir_as_select(n)->cond, 3});
        buf_char(out, ')');
        break;
    case IR_CAST:
        buf_text(out, "cast(");
        text_of(out, ir_as_cast(n)->a);
        buf_char(out, ')');
        break;
    case IR_LOAD:
        buf_str(out, ir_as_load(n)->buffer->name);
        buf_char(out, '[');
        text_list(out, ir_as_load(n)->index);
        buf_char(out, ']');
        break;
    case IR_RAMP:
        buf_text(out, "ramp(");
        text_list(out, (ir_list){&ir_as_ramp(n)->base, 2});
        buf_printf(out, ", %u)", n->type.lanes);
        break;
    case IR_BROADCAST:
        buf_text(out, "broadcast(");
        text_of(out, ir_as_broadcast(n)->a);
        buf_printf(out, ", %u)", n->type.lanes);
        break;
    case IR_CALL:
        buf_printf(out, "%s(", ir_builtins[ir_as_call(n)->fn].name);
        text_list(out, ir_as_call(n)->args);
        buf_char(out, ')');
        break;
    default: buf_text(out, "?"); break;
    }
}

static const char *show(arena *mem, const ir_node *n)
{
    ingot_allocator hook = arena_hook(mem);
    buf b = buf_make(&hook);
    text_of(&b, n);
    return str_copy(mem, buf_view(&b)).p;
}

/* ---- Chosen cases ------------------------------------------------------------------------------
 */

typedef struct world {
    arena mem;
    ir_analyzer *az;
    const ir_var *bx, *tx, *ty, *i, *n, *x, *y;
    const ir_buffer *A;
    void (*body)(struct world *w);
} world;

static const ir_node *ref(world *w, const ir_var *v)
{
    return ir_ref(&w->mem, v, (span){0});
}

static const ir_node *num(world *w, int64_t v)
{
    return ir_i32(&w->mem, v);
}

static const ir_var *int_var(world *w, const char *name)
{
    return ir_var_new(&w->mem, str_of(name), IR_I32, (span){0});
}

static const ir_node *bin(world *w, ir_op op, const ir_node *a, const ir_node *b)
{
    return ir_bin_new(&w->mem, op, a, b);
}

/* bx in [0, 32), tx in [0, 32), ty in [0, 4), i in [0, n), n >= 0; x and y: nothing known. */
static void open_world(void *user)
{
    world *w = user;
    w->az = ir_analyzer_new(&w->mem);
    w->bx = int_var(w, "bx");
    w->tx = int_var(w, "tx");
    w->ty = int_var(w, "ty");
    w->i = int_var(w, "i");
    w->n = int_var(w, "n");
    w->x = int_var(w, "x");
    w->y = int_var(w, "y");
    ir_buffer *a = arena_new(&w->mem, ir_buffer);
    *a = (ir_buffer){.name = STR("A"),
                     .type = IR_I32,
                     .shape = ir_list_one(&w->mem, num(w, 64)),
                     .data = ir_var_pointer(&w->mem, STR("A"), IR_I32, IR_SCOPE_GLOBAL, (span){0})};
    w->A = a;
    ir_analyzer_bind(w->az, w->bx, num(w, 0), num(w, 32));
    ir_analyzer_bind(w->az, w->tx, num(w, 0), num(w, 32));
    ir_analyzer_bind(w->az, w->ty, num(w, 0), num(w, 4));
    ir_analyzer_bind_range(w->az, w->n, 0, IR_POS_INF);
    ir_analyzer_bind(w->az, w->i, num(w, 0), ref(w, w->n));
    w->body(w);
}

static void in_world(void (*body)(world *w))
{
    world w = {.body = body};
    arena_init(&w.mem, NULL);
    assert_true(arena_guard(&w.mem, open_world, &w));
    arena_free(&w.mem);
}

static void expect(world *w, const ir_node *n, const char *text)
{
    const ir_node *simple = ir_simplify(w->az, n);
    const char *got = show(&w->mem, simple);
    if (strcmp(got, text) != 0) fail_msg("%s became %s, not %s", show(&w->mem, n), got, text);
    if (!ir_equal(ir_simplify(w->az, simple), simple)) fail_msg("%s is not stable", got);
}

#define ADD(a, b) bin(w, IR_ADD, a, b)
#define SUB(a, b) bin(w, IR_SUB, a, b)
#define MUL(a, b) bin(w, IR_MUL, a, b)
#define DIV(a, b) bin(w, IR_FLOORDIV, a, b)
#define MOD(a, b) bin(w, IR_FLOORMOD, a, b)
#define LT(a, b)  bin(w, IR_LT, a, b)
#define N(v)      num(w, v)
#define V(name)   ref(w, w->name)

static void sums_body(world *w)
{
    const ir_node *flat = ADD(MUL(V(bx), N(32)), V(tx));
    expect(w, flat, "((bx * 32) + tx)");
    expect(w, ADD(ADD(V(x), N(1)), N(2)), "(x + 3)");
    expect(w, SUB(ADD(V(x), V(y)), V(x)), "y");
    expect(w, MUL(ADD(MUL(V(bx), N(4)), V(ty)), N(8)), "((bx * 32) + (ty * 8))");
    expect(w, SUB(N(5), V(x)), "(5 - x)");
    expect(w, SUB(SUB(N(0), V(x)), N(3)), "((x * -1) - 3)");
    expect(w, SUB(V(x), V(x)), "0");
    expect(w, bin(w, IR_SHL, V(x), N(3)), "(x * 8)");
    expect(w, ADD(MUL(DIV(V(x), N(7)), N(7)), MOD(V(x), N(7))), "x");
    expect(w, ADD(MUL(MOD(DIV(V(x), N(8)), N(4)), N(8)), MOD(V(x), N(8))), "(x % 32)");
    const ir_node *index = SUB(ADD(V(x), N(1)), N(1));
    const ir_node *load = ir_load_new(&w->mem, w->A, ir_list_one(&w->mem, index), (span){0});
    expect(w, ADD(load, N(0)), "A[x]");
}

static void test_sums(void **state)
{
    (void)state;
    in_world(sums_body);
}

static void divisions_body(world *w)
{
    const ir_node *flat = ADD(MUL(V(bx), N(32)), V(tx));
    expect(w, DIV(flat, N(32)), "bx");
    expect(w, MOD(flat, N(32)), "tx");
    expect(w, DIV(flat, N(64)), "(bx // 2)");
    expect(w, MOD(flat, N(64)), "(((bx % 2) * 32) + tx)");
    expect(w, DIV(flat, N(8)), "((bx * 4) + (tx // 8))");
    expect(w, MOD(flat, N(8)), "(tx % 8)");
    expect(w, DIV(flat, N(1024)), "0");
    expect(w, MOD(flat, N(1024)), "((bx * 32) + tx)");
    expect(w, DIV(ADD(flat, N(37)), N(32)), "((bx + ((tx + 5) // 32)) + 1)");
    expect(w, DIV(DIV(V(x), N(4)), N(8)), "(x // 32)");
    expect(w, DIV(MOD(V(x), N(32)), N(8)), "((x // 8) % 4)");
    expect(w, MOD(MOD(V(x), N(32)), N(8)), "(x % 8)");
    expect(w, DIV(ADD(MUL(V(tx), N(4)), V(ty)), N(4)), "tx");
    expect(w, MOD(ADD(MUL(V(tx), N(4)), V(ty)), N(8)), "(((tx % 2) * 4) + ty)");
    /* Nothing is known of x: x * 32 + tx may wrap, so the quotient stays and the remainder goes. */
    const ir_node *wild = ADD(MUL(V(x), N(32)), V(tx));
    expect(w, DIV(wild, N(32)), "(((x * 32) + tx) // 32)");
    expect(w, MOD(wild, N(32)), "tx");
    expect(w, MOD(wild, N(3)), "(((x * 32) + tx) % 3)");
    /* i is a loop variable up to an unknown n: index arithmetic. */
    expect(w, DIV(ADD(MUL(V(i), N(32)), V(tx)), N(32)), "i");
    expect(w, DIV(ADD(MUL(V(bx), V(n)), V(i)), V(n)), "(((bx * n) + i) // n)");
    expect(w, bin(w, IR_TRUNCDIV, flat, N(32)), "bx");
    expect(w, bin(w, IR_TRUNCDIV, V(x), N(32)), "(x truncdiv 32)");
    expect(w, DIV(V(x), N(0)), "(x // 0)");
}

static void test_divisions(void **state)
{
    (void)state;
    in_world(divisions_body);
}

static void symbolic_body(world *w)
{
    /* Where n is known to be positive, (bx * n + i) // n is bx. */
    ir_analyzer_mark mark = ir_analyzer_save(w->az);
    ir_analyzer_bind_range(w->az, w->n, 1, IR_POS_INF);
    expect(w, DIV(ADD(MUL(V(bx), V(n)), V(i)), V(n)), "bx");
    expect(w, MOD(ADD(MUL(V(bx), V(n)), V(i)), V(n)), "i");
    expect(w, MOD(V(i), V(n)), "i");
    ir_analyzer_restore(w->az, mark);
    assert_true(ir_prove(w->az, LT(V(i), V(n))));
    assert_true(ir_prove(w->az, LT(ADD(MUL(V(i), N(4)), V(ty)), MUL(V(n), N(4)))));
    assert_false(ir_prove(w->az, LT(ADD(V(i), N(1)), V(n))));
    expect(w, bin(w, IR_MIN, V(i), V(n)), "i");
    expect(w, bin(w, IR_MAX, SUB(V(i), V(n)), N(0)), "0");
    const ir_node *tail = bin(w, IR_MIN, SUB(V(n), MUL(V(bx), N(32))), N(32));
    assert_true(ir_prove(w->az, bin(w, IR_LE, tail, N(32))));
    assert_true(ir_prove(w->az, bin(w, IR_LE, ADD(MUL(V(bx), N(32)), tail), V(n))));
}

static void test_symbolic(void **state)
{
    (void)state;
    in_world(symbolic_body);
}

static void conditions_body(world *w)
{
    const ir_node *flat = ADD(MUL(V(bx), N(32)), V(tx));
    expect(w, LT(flat, N(1024)), "1");
    expect(w, LT(flat, N(1000)), "(((bx * 32) + tx) < 1000)");
    expect(w, LT(flat, N(512)), "(bx < 16)");
    expect(w, LT(ADD(MUL(V(bx), N(32)), V(tx)), ADD(MUL(V(bx), N(32)), N(16))), "(tx < 16)");
    expect(w, bin(w, IR_GE, V(tx), N(0)), "1");
    expect(w, bin(w, IR_GT, MUL(V(tx), N(4)), N(10)), "(tx > 2)");
    expect(w, bin(w, IR_EQ, MUL(V(tx), N(4)), N(10)), "0");
    expect(w, bin(w, IR_EQ, MUL(V(tx), N(4)), N(12)), "(tx == 3)");
    expect(w, LT(V(x), ADD(V(x), N(1))), "(x < (x + 1))"); /* may wrap */
    expect(w, bin(w, IR_EQ, V(x), ADD(V(x), N(1))), "0");
    expect(w, bin(w, IR_AND, LT(V(tx), N(8)), LT(V(tx), N(16))), "(tx < 8)");
    expect(w, bin(w, IR_AND, LT(V(tx), N(16)), LT(V(tx), N(8))), "(tx < 8)");
    expect(w, bin(w, IR_OR, LT(V(tx), N(8)), LT(V(tx), N(16))), "(tx < 16)");
    expect(w, ir_not_new(&w->mem, LT(V(x), N(8))), "(x >= 8)");
    const ir_node *args[] = {LT(V(tx), N(99)), V(x), V(y)};
    expect(
        w,
        ir_call_new(&w->mem, IR_FN_IF_THEN_ELSE, IR_I32, ir_list_copy(&w->mem, args, 3), (span){0}),
        "x");
    args[0] = LT(V(x), N(4));
    args[1] = bin(w, IR_MIN, V(x), N(5));
    expect(
        w,
        ir_call_new(&w->mem, IR_FN_IF_THEN_ELSE, IR_I32, ir_list_copy(&w->mem, args, 3), (span){0}),
        "if_then_else((x < 4), x, y)");
    /* Both arms of a select are evaluated: an index must not lean on the condition. */
    const ir_node *safe =
        ir_load_new(&w->mem, w->A, ir_list_one(&w->mem, bin(w, IR_MIN, V(tx), N(5))), (span){0});
    const ir_node *select = ir_fold_select(&w->mem, LT(V(tx), N(4)), safe, N(0));
    expect(w, select, "select((tx < 4), A[(tx min 5)], 0)");
}

static void test_conditions(void **state)
{
    (void)state;
    in_world(conditions_body);
}

static void float_body(world *w)
{
    const ir_node *f = ref(w, ir_var_new(&w->mem, STR("f"), IR_F32, (span){0}));
    const ir_node *zero = ir_float_new(&w->mem, IR_F32, 0.0, (span){0});
    expect(w, bin(w, IR_EQ, f, f), "(f == f)");
    expect(w, bin(w, IR_SUB, f, f), "(f - f)");
    expect(w, bin(w, IR_MUL, f, zero), "(f * 0)");
    expect(w, bin(w, IR_ADD, f, zero), "(f + 0)");
    expect(w, bin(w, IR_SUB, f, zero), "f");
    expect(w, ir_not_new(&w->mem, bin(w, IR_LT, f, zero)), "!(f < 0)");
}

static void test_floats_keep_their_meaning(void **state)
{
    (void)state;
    in_world(float_body);
}

static void cast_body(world *w)
{
    const ir_node *by_four = ir_make(&w->mem, CAST, cast, (span){0}, IR_U32, .a = MUL(V(tx), N(4)));
    const ir_node *four = ir_int_new(&w->mem, IR_U32, 4, (span){0}), *sum = ir_make(&w->mem, CAST, cast, (span){0}, IR_U32, .a = ADD(V(tx), V(bx)));
    expect(w, MUL(by_four, four), "(cast(tx) * 16)");
    expect(w, ADD(MUL(by_four, four), four), "((cast(tx) * 16) + 4)");
    expect(w, ADD(by_four, four), "(cast((tx * 4)) + 4)");
    expect(w, MUL(sum, four), "(cast((tx + bx)) * 4)");
}

static void test_casts(void **state)
{
    (void)state;
    in_world(cast_body);
}

static const ir_node *ramp(world *w, const ir_node *base, int64_t stride, uint32_t lanes)
{
    return ir_make(&w->mem, RAMP, ramp, (span){0}, ir_type_lanes(IR_I32, lanes), .base = base,
                   .stride = num(w, stride));
}

static void vector_body(world *w)
{
    const ir_node *base = MUL(V(tx), N(4));
    const ir_node *four = ir_broadcast_new(&w->mem, N(4), 4),
                  *many = ir_broadcast_new(&w->mem, V(bx), 4);
    expect(w, ADD(ramp(w, base, 1, 4), many), "ramp(((tx * 4) + bx), 1, 4)");
    expect(w, MUL(ramp(w, V(tx), 1, 4), four), "ramp((tx * 4), 4, 4)");
    expect(w, SUB(ramp(w, V(tx), 1, 4), ramp(w, V(x), 1, 4)), "broadcast((tx - x), 4)");
    expect(w, DIV(ramp(w, base, 1, 4), four), "broadcast(tx, 4)");
    expect(w, MOD(ramp(w, base, 1, 4), four), "ramp(0, 1, 4)");
    expect(w, DIV(ramp(w, V(tx), 4, 4), four), "ramp((tx // 4), 1, 4)");
    expect(w, LT(ramp(w, base, 1, 4), ir_broadcast_new(&w->mem, N(128), 4)), "broadcast(1, 4)");
    expect(w, LT(ramp(w, base, 1, 4), ir_broadcast_new(&w->mem, N(127), 4)),
           "(ramp((tx * 4), 1, 4) < broadcast(127, 4))");
}

static void test_vectors(void **state)
{
    (void)state;
    in_world(vector_body);
}

static void bound_body(world *w)
{
    const ir_node *flat = ADD(MUL(V(bx), N(32)), V(tx));
    ir_interval b = ir_bound(w->az, flat);
    assert_int_equal(b.min, 0);
    assert_int_equal(b.max, 1023);
    b = ir_bound(w->az, SUB(V(tx), V(ty)));
    assert_int_equal(b.min, -3);
    assert_int_equal(b.max, 31);
    b = ir_bound(w->az, ADD(V(x), N(1)));
    assert_int_equal(b.min, INT32_MIN);
    assert_int_equal(b.max, INT32_MAX);
    b = ir_bound(w->az, ADD(V(n), N(1)));
    assert_int_equal(b.min, 1);
    assert_true(b.max == IR_POS_INF);
    ir_modular_set m = ir_modular(w->az, ADD(MUL(V(tx), N(12)), ADD(MUL(V(bx), N(8)), N(3))));
    assert_int_equal(m.coeff, 4);
    assert_int_equal(m.base, 3);
    /* x * 12 may wrap, which keeps 4 and loses 3. */
    m = ir_modular(w->az, MUL(V(x), N(12)));
    assert_int_equal(m.coeff, 4);
    assert_int_equal(m.base, 0);
    assert_true(ir_divisible(w->az, MUL(V(i), N(16)), 8));
    assert_false(ir_divisible(w->az, ADD(MUL(V(i), N(16)), N(4)), 8));
    ir_analyzer_mark mark = ir_analyzer_save(w->az);
    ir_analyzer_assume(w->az, LT(V(x), N(10)));
    ir_analyzer_assume_not(w->az, LT(V(x), N(-2)));
    b = ir_bound(w->az, MUL(V(x), N(2)));
    assert_int_equal(b.min, -4);
    assert_int_equal(b.max, 18);
    ir_analyzer_restore(w->az, mark);
    assert_int_equal(ir_bound(w->az, V(x)).max, INT32_MAX);
}

static void test_bounds(void **state)
{
    (void)state;
    in_world(bound_body);
}

/* ---- Random expressions against brute force ----------------------------------------------------
 */

enum { VARS = 3 };

typedef struct fuzz {
    arena mem;
    uint64_t seed;
    ir_type type;
    const ir_var *vars[VARS];
    int64_t least[VARS], most[VARS];
    int64_t now[VARS];
    unsigned rounds;
} fuzz;

static uint32_t roll(fuzz *f, uint32_t n)
{
    f->seed = f->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(f->seed >> 33) % n;
}

/* An evaluator of its own, in the plainest terms; false: no answer (division by zero). */
static bool eval(fuzz *f, const ir_node *n, int64_t *out);

static int64_t wrap(ir_type t, int64_t v)
{
    if (t.code == IR_BOOL) return v;
    uint64_t low = (uint64_t)v & (((uint64_t)1 << (t.bits - 1) << 1) - 1);
    if (t.code == IR_INT && low >= (uint64_t)1 << (t.bits - 1))
        return (int64_t)low - ((int64_t)1 << t.bits);
    return (int64_t)low;
}

static bool eval_bin(fuzz *f, const ir_bin *n, int64_t *out)
{
    int64_t a, b;
    if (!eval(f, n->a, &a)) return false;
    if ((n->op == IR_AND && a == 0) || (n->op == IR_OR && a != 0)) {
        *out = a != 0;
        return true;
    }
    if (!eval(f, n->b, &b)) return false;
    int64_t floor_div = 0;
    if (n->op >= IR_FLOORDIV && n->op <= IR_TRUNCMOD) {
        if (b == 0) return false;
        floor_div = a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
    }
    switch ((int)n->op) {
    case IR_ADD: *out = a + b; break;
    case IR_SUB: *out = a - b; break;
    case IR_MUL: *out = (int64_t)((uint64_t)a * (uint64_t)b); break;
    case IR_FLOORDIV: *out = floor_div; break;
    case IR_FLOORMOD: *out = a - floor_div * b; break;
    case IR_TRUNCDIV: *out = a / b; break;
    case IR_TRUNCMOD: *out = a % b; break;
    case IR_MIN: *out = a < b ? a : b; break;
    case IR_MAX: *out = a > b ? a : b; break;
    case IR_EQ: *out = a == b; break;
    case IR_NE: *out = a != b; break;
    case IR_LT: *out = a < b; break;
    case IR_LE: *out = a <= b; break;
    case IR_GT: *out = a > b; break;
    case IR_GE: *out = a >= b; break;
    case IR_AND:
    case IR_OR: *out = b != 0; break;
    case IR_BITAND: *out = a & b; break;
    case IR_SHR: *out = a < 0 ? -((-a - 1) / ((int64_t)1 << b)) - 1 : a / ((int64_t)1 << b); break;
    default: fail_msg("operator %s", ir_ops[n->op].script);
    }
    *out = wrap(n->node.type, *out);
    return true;
}

static bool eval(fuzz *f, const ir_node *n, int64_t *out)
{
    int64_t c;
    switch ((int)n->kind) {
    case IR_INT_IMM: *out = ir_as_int_imm(n)->value; return true;
    case IR_VAR:
        for (int i = 0; i < VARS; ++i) {
            if (ir_as_var_ref(n)->var == f->vars[i]) *out = f->now[i];
        }
        return true;
    case IR_BIN: return eval_bin(f, ir_as_bin(n), out);
    case IR_NOT:
        if (!eval(f, ir_as_not(n)->a, out)) return false;
        *out = !*out;
        return true;
    case IR_SELECT:
        if (!eval(f, ir_as_select(n)->cond, &c)) return false;
        return eval(f, c ? ir_as_select(n)->yes : ir_as_select(n)->no, out);
    case IR_CALL:
        if (!eval(f, ir_as_call(n)->args.at[0], &c)) return false;
        return eval(f, ir_as_call(n)->args.at[c ? 1 : 2], out);
    case IR_CAST:
        if (!eval(f, ir_as_cast(n)->a, &c)) return false;
        *out = wrap(n->type, c);
        return true;
    default: fail_msg("kind %d", (int)n->kind); return false;
    }
}

static const ir_node *random_cond(fuzz *f, int depth);

static const ir_node *random_constant(fuzz *f)
{
    static const int64_t common[] = {0, 1, 2, 3, 4, 7, 8, 16, -1, -4, 5, 12};
    return ir_int_new(&f->mem, f->type, common[roll(f, 12)], (span){0});
}

static const ir_node *random_int(fuzz *f, int depth);

/* Computed with the other sign, and cast. */
static const ir_node *random_cast(fuzz *f, int depth)
{
    ir_type own = f->type;
    f->type.code = own.code == IR_INT ? IR_UINT : IR_INT;
    const ir_node *n = random_int(f, depth);
    f->type = own;
    return ir_make(&f->mem, CAST, cast, (span){0}, own, .a = n);
}

static const ir_node *random_int(fuzz *f, int depth)
{
    static const ir_op ops[] = {IR_ADD,      IR_ADD,      IR_SUB,      IR_MUL,      IR_MUL,
                                IR_FLOORDIV, IR_FLOORDIV, IR_FLOORMOD, IR_FLOORMOD, IR_MIN,
                                IR_MAX,      IR_TRUNCDIV, IR_TRUNCMOD, IR_BITAND};
    uint32_t what = roll(f, 12);
    if (depth == 0 || what < 2) {
        if (what % 4 == 0) return random_constant(f);
        const ir_node *v = ir_ref(&f->mem, f->vars[roll(f, VARS)], (span){0});
        return ir_type_eq(v->type, f->type) ? v : ir_make(&f->mem, CAST, cast, (span){0}, f->type, .a = v);
    }
    if (roll(f, 12) == 0) return random_cast(f, depth - 1);
    if (what == 2) {
        const ir_node *c = random_cond(f, depth - 1), *a = random_int(f, depth - 1),
                      *b = random_int(f, depth - 1);
        return ir_make(&f->mem, SELECT, select, (span){0}, f->type, .cond = c, .yes = a, .no = b);
    }
    if (what == 3) {
        const ir_node *args[] = {random_cond(f, depth - 1), random_int(f, depth - 1),
                                 random_int(f, depth - 1)};
        return ir_call_new(&f->mem, IR_FN_IF_THEN_ELSE, f->type, ir_list_copy(&f->mem, args, 3),
                           (span){0});
    }
    ir_op op = ops[roll(f, 14)];
    const ir_node *a = random_int(f, depth - 1);
    bool constant = roll(f, 3) != 0 && op != IR_ADD && op != IR_MIN;
    const ir_node *b = constant ? random_constant(f) : random_int(f, depth - 1);
    if (roll(f, 16) == 0) {
        return ir_bin_new(&f->mem, IR_SHR, a, ir_int_new(&f->mem, f->type, roll(f, 5), (span){0}));
    }
    return ir_bin_new(&f->mem, op, a, b);
}

static const ir_node *random_cond(fuzz *f, int depth)
{
    static const ir_op ops[] = {IR_LT, IR_LE, IR_GT, IR_GE, IR_EQ, IR_NE};
    uint32_t what = depth == 0 ? 5 : roll(f, 8);
    if (what == 0) return ir_not_new(&f->mem, random_cond(f, depth - 1));
    if (what < 3) {
        const ir_node *a = random_cond(f, depth - 1), *b = random_cond(f, depth - 1);
        return ir_bin_new(&f->mem, what == 1 ? IR_AND : IR_OR, a, b);
    }
    const ir_node *a = random_int(f, depth == 0 ? 0 : depth - 1);
    const ir_node *b = roll(f, 2) ? random_constant(f) : random_int(f, depth == 0 ? 0 : depth - 1);
    return ir_bin_new(&f->mem, ops[roll(f, 6)], a, b);
}

static void check_point(fuzz *f, const ir_node *old, const ir_node *fresh, ir_interval b,
                        ir_modular_set m)
{
    int64_t x, y;
    if (!eval(f, old, &x)) return; /* no answer to keep */
    bool answered = eval(f, fresh, &y);
    bool modular = m.coeff == 0 ? x == m.base : ((x - m.base) % m.coeff) == 0;
    if (answered && x == y && b.min <= x && x <= b.max && modular) return;
    fail_msg("at (%lld, %lld, %lld): %s = %lld became %s = %lld; in [%lld, %lld], %lld k + %lld",
             (long long)f->now[0], (long long)f->now[1], (long long)f->now[2], show(&f->mem, old),
             (long long)x, show(&f->mem, fresh), answered ? (long long)y : -99999, (long long)b.min,
             (long long)b.max, (long long)m.coeff, (long long)m.base);
}

static void check_everywhere(fuzz *f, const ir_node *old, const ir_node *fresh,
                             const ir_node *given, ir_interval b, ir_modular_set m)
{
    int64_t holds;
    for (f->now[0] = f->least[0]; f->now[0] <= f->most[0]; ++f->now[0]) {
        for (f->now[1] = f->least[1]; f->now[1] <= f->most[1]; ++f->now[1]) {
            for (f->now[2] = f->least[2]; f->now[2] <= f->most[2]; ++f->now[2]) {
                if (given != NULL && (!eval(f, given, &holds) || !holds)) continue;
                check_point(f, old, fresh, b, m);
            }
        }
    }
}

/* Ranges: small ones near 0, or at an end of the type, or all that the (narrow) type has. */
static void random_range(fuzz *f, int i, bool bound)
{
    int64_t size = 1 + roll(f, 12), low = (int64_t)roll(f, 9) - (roll(f, 2) ? 4 : 0);
    if (f->type.code == IR_UINT && low < 0) low = 0;
    if (roll(f, 5) == 0) low = ir_type_max(f->type) - size + 1;
    if (roll(f, 8) == 0) low = ir_type_min(f->type);
    f->least[i] = low;
    f->most[i] = low + size - 1;
    if (bound) return;
    f->least[i] = ir_type_min(f->type);
    f->most[i] = ir_type_max(f->type);
}

/* The last variable in [0, extent), the extent an expression over the others. */
static const ir_node *bind_below(fuzz *f, ir_analyzer *az)
{
    const ir_node *v = ir_ref(&f->mem, f->vars[VARS - 1], (span){0}),
                  *zero = ir_int_new(&f->mem, f->type, 0, (span){0});
    const ir_node *b = ir_ref(&f->mem, f->vars[1], (span){0}),
                  *a = ir_ref(&f->mem, f->vars[0], (span){0});
    const ir_node *sum =
        ir_bin_new(&f->mem, IR_ADD,
                   ir_bin_new(&f->mem, IR_MUL, b, ir_int_new(&f->mem, f->type, 2, (span){0})), a);
    const ir_node *extent = roll(f, 2) ? b : sum;
    ir_analyzer_bind(az, f->vars[VARS - 1], zero, extent);
    return ir_bin_new(&f->mem, IR_AND, ir_bin_new(&f->mem, IR_GE, v, zero),
                      ir_bin_new(&f->mem, IR_LT, v, extent));
}

/* Index arithmetic with unknown ends is taken not to overflow, so there it must not. */
static bool may_be_symbolic(const fuzz *f)
{
    return f->type.bits < 32 ||
           (f->most[0] < 100 && f->most[1] < 100 && f->least[0] > -100 && f->least[1] > -100);
}

static void fuzz_round(fuzz *f, bool wild)
{
    ir_analyzer *az = ir_analyzer_new(&f->mem);
    static const char *const names[VARS] = {"a", "b", "c"};
    const ir_node *given = NULL;
    for (int i = 0; i < VARS; ++i) {
        f->vars[i] = ir_var_new(&f->mem, str_of(names[i]), f->type, (span){0});
        bool bound = !wild || i != 0;
        random_range(f, i, bound);
        bool symbolic = i == VARS - 1 && may_be_symbolic(f) && roll(f, 3) == 0;
        if (symbolic)
            given = bind_below(f, az);
        else if (bound)
            ir_analyzer_bind_range(az, f->vars[i], f->least[i], f->most[i]);
    }
    if (given == NULL && roll(f, 2)) {
        given = random_cond(f, 1);
        ir_analyzer_assume(az, given);
    }
    const ir_node *old = roll(f, 3) == 0
                             ? random_cond(f, 3)
                             : random_int(f, given != NULL && f->type.bits == 32 ? 3 : 4);
    const ir_node *fresh = ir_simplify(az, old);
    assert_true(ir_type_eq(old->type, fresh->type));
    check_everywhere(f, old, fresh, given, ir_bound(az, old), ir_modular(az, old));
}

static void fuzz_body(void *user)
{
    fuzz *f = user;
    for (unsigned i = 0; i < f->rounds; ++i) {
        arena_mark mark = arena_save(&f->mem);
        fuzz_round(f, f->type.bits == 8 && i % 2 == 0);
        arena_restore(&f->mem, mark);
    }
}

static void run_fuzz(ir_type type, uint64_t seed, unsigned rounds)
{
    fuzz f = {.type = type, .seed = seed, .rounds = rounds};
    arena_init(&f.mem, NULL);
    assert_true(arena_guard(&f.mem, fuzz_body, &f));
    arena_free(&f.mem);
}

static void test_fuzz_int32(void **state)
{
    (void)state;
    run_fuzz(IR_I32, 1, 6000);
}

static void test_fuzz_int8(void **state)
{
    (void)state;
    run_fuzz(IR_TYPE(IR_INT, 8), 2, 1500);
}

static void test_fuzz_unsigned(void **state)
{
    (void)state;
    run_fuzz(IR_TYPE(IR_UINT, 8), 3, 1500);
    run_fuzz(IR_U32, 4, 3000);
}

static void test_fuzz_int16(void **state)
{
    (void)state;
    run_fuzz(IR_TYPE(IR_INT, 16), 5, 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_divisions),
        cmocka_unit_test(test_symbolic),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_floats_keep_their_meaning),
        cmocka_unit_test(test_vectors),     cmocka_unit_test(test_casts),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_fuzz_int32),
        cmocka_unit_test(test_fuzz_int8),
        cmocka_unit_test(test_fuzz_unsigned),
        cmocka_unit_test(test_fuzz_int16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
