/* The verifier's rules about properties: each bit that a module has set must be true of it. */
#include "ir/verify_inner.h"

bool verify_tag(str tag)
{
    static const char *const tags[] = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z", "threadIdx.x",
                                       "threadIdx.y", "threadIdx.z", "vthread",    "vthread.x",
                                       "vthread.y",   "vthread.z",   "cthread"};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; ++i) {
        if (str_is(tag, tags[i])) return true;
    }
    return false;
}

static bool is_virtual(str tag)
{
    return str_starts(tag, STR("vthread")) || str_is(tag, "cthread");
}

static bool set(const verifier *v, ir_property p)
{
    return (v->module->properties & (unsigned)p) != 0;
}

static void broken(verifier *v, ir_property p, const ir_node *n, const char *rule)
{
    if (set(v, p)) verify_fail(v, n->at, "%s", rule);
}

/* ---- By kind of node ------------------------------------------------------------------------- */

static void check_loop(verifier *v, const ir_for *n)
{
    if (!ir_is_const(n->min, 0) && !set(v, IR_NO_BLOCKS))
        broken(v, IR_UNIT_LOOPS, &n->node, "a loop that does not begin at 0");
    if (n->loop == IR_VECTORIZED)
        broken(v, IR_NO_VECTOR_LOOPS, &n->node, "a vectorized loop is left");
    if (n->loop == IR_UNROLLED) broken(v, IR_NO_UNROLL, &n->node, "a loop to be unrolled is left");
    if (n->loop != IR_THREAD_BOUND) return;
    if (is_virtual(n->tag))
        broken(v, IR_NO_VTHREAD, &n->node, "a virtual thread is left");
    else
        broken(v, IR_ONE_THREAD_VAR, &n->node, "a thread-bound loop is left");
}

typedef struct tag_search {
    verifier *v;
    const ir_thread *outer;
} tag_search;

static void find_same_tag(void *user, const ir_node *n)
{
    tag_search *s = user;
    if (n->kind != IR_THREAD || !str_eq(ir_as_thread(n)->tag, s->outer->tag)) return;
    verify_fail(s->v, n->at, "two variables run along thread axis '%.*s'", STR_ARG(s->outer->tag));
}

static void check_thread(verifier *v, const ir_thread *n)
{
    if (is_virtual(n->tag)) broken(v, IR_NO_VTHREAD, &n->node, "a virtual thread is left");
    if (set(v, IR_SPLIT) && v->func->kind == IR_FUNC_HOST)
        verify_fail(v, n->node.at, "the host part has threads");
    if (!set(v, IR_ONE_THREAD_VAR) || is_virtual(n->tag)) return;
    tag_search s = {v, n};
    ir_each(n->body, find_same_tag, &s);
}

static void check_block(verifier *v, const ir_block *n)
{
    if (n->init != NULL) broken(v, IR_NO_INIT, &n->node, "a block with an init is left");
    if (n->iters.n != 0) broken(v, IR_OPAQUE_BLOCKS, &n->node, "a block with variables is left");
    if (n->matches.n != 0) broken(v, IR_NO_MATCH, &n->node, "a match_buffer is left");
    broken(v, IR_NO_BLOCKS, &n->node, "a block is left");
}

static void check_flat(verifier *v, const ir_buffer *b, const ir_node *n)
{
    bool flat = b->shape.n == 1 && b->strides.n == 0 &&
                (b->elem_offset == NULL || ir_is_const(b->elem_offset, 0));
    if (!flat) broken(v, IR_FLAT_BUFFERS, n, "an access to a buffer that is not flat");
}

static void check_call(verifier *v, const ir_call *n)
{
    if (n->fn == IR_FN_ALLREDUCE) broken(v, IR_NO_ALLREDUCE, &n->node, "an allreduce is left");
}

/* What a kernel may hold when MSL is to be written. */
static void check_ready(verifier *v, const ir_node *n)
{
    if (!set(v, IR_MSL_READY) || v->func->kind != IR_FUNC_KERNEL) return;
    if (n->type.lanes > 4 && !ir_type_is_void(n->type))
        verify_fail(v, n->at, "a vector of more than 4 lanes is left");
    if (ir_type_is_small_float(n->type)) verify_fail(v, n->at, "a float8 is left");
    bool no_loop = n->kind == IR_FOR && ir_as_for(n)->loop != IR_SERIAL;
    bool never = n->kind == IR_BLOCK || n->kind == IR_REDUCER || n->kind == IR_ASSERT;
    if (no_loop || never) verify_fail(v, n->at, "a statement that MSL has no words for is left");
}

void verify_properties(verifier *v, const ir_node *n)
{
    if (v->module->properties == 0) return;
    check_ready(v, n);
    switch ((int)n->kind) {
    case IR_FOR: check_loop(v, ir_as_for(n)); break;
    case IR_THREAD: check_thread(v, ir_as_thread(n)); break;
    case IR_BLOCK: check_block(v, ir_as_block(n)); break;
    case IR_LOAD: check_flat(v, ir_as_load(n)->buffer, n); break;
    case IR_STORE: check_flat(v, ir_as_store(n)->buffer, n); break;
    case IR_ALLOC: check_flat(v, ir_as_alloc(n)->buffer, n); break;
    case IR_CALL: check_call(v, ir_as_call(n)); break;
    case IR_SELECT:
        /* By a vector of conditions all lanes of both arms are evaluated, as the program says. */
        if (ir_as_select(n)->cond->type.lanes == 1 &&
            (ir_reads_memory(ir_as_select(n)->yes) || ir_reads_memory(ir_as_select(n)->no))) {
            broken(v, IR_SAFE_SELECT, n, "a select's arm reads memory");
        }
        break;
    default: break;
    }
}

/* Pointers come before scalars, each sorted by name. */
static bool in_order(const ir_param *a, const ir_param *b)
{
    bool first = ir_type_is_pointer(a->var->type), second = ir_type_is_pointer(b->var->type);
    return first == second ? str_cmp(a->var->name, b->var->name) <= 0 : first;
}

void verify_func_properties(verifier *v, const ir_func *f)
{
    if (!set(v, IR_SPLIT)) return;
    if (f->kind == IR_FUNC_WHOLE)
        verify_fail(v, f->at, "a function that is neither host part nor kernel");
    for (size_t i = 1; f->kind == IR_FUNC_KERNEL && i < f->param_count; ++i) {
        if (in_order(&f->params[i - 1], &f->params[i])) continue;
        verify_fail(v, f->at, "parameter '%.*s' is out of order", STR_ARG(f->params[i].var->name));
    }
}
