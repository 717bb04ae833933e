/* Blocks, their axes and regions; `with` and the frames that it opens. */
#include "front/script_inner.h"
#include "ir/fold.h"
#include "ir/walk.h"

/* ---- Blocks ---------------------------------------------------------------------------------- */

value fn_block(script *s, const call *c)
{
    frame f = {.kind = FRAME_BLOCK, .at = c->at};
    if (value_is_given(c->args[0]) &&
        !to_str(s, c->args[0], c->spans[0], "the name of a block", &f.name))
        return value_poison();
    if (value_is_given(c->args[1]) && value_truth(c->args[1]))
        return script_error(s, c->at, "no_realize is not supported");
    return value_frame(arena_copy(s->mem, &f, sizeof f));
}

value fn_init(script *s, const call *c)
{
    frame f = {.kind = FRAME_INIT, .at = c->at};
    return value_frame(arena_copy(s->mem, &f, sizeof f));
}

/* The explicit block around; NULL: reported. */
static block_state *inside_block(script *s, const call *c)
{
    if (s->func != NULL && s->block != NULL && s->block != &s->func->root) return s->block;
    script_error(s, c->at, "T.%s%s belongs into a block (with T.sblock)",
                 c->row->space == SPACE_AXIS ? "axis." : "", c->row->name);
    return NULL;
}

static ir_type axis_type(value dom, value bound)
{
    if (bound.kind == VALUE_EXPR) return ir_type_element(bound.as.expr->type);
    if (dom.kind == VALUE_EXPR) return ir_type_element(dom.as.expr->type);
    return IR_I32;
}

static value add_iter(script *s, block_state *b, ir_iter iter)
{
    iter_vec_push(s->mem, &b->iters, iter);
    return value_fresh(value_expr(ir_ref(s->mem, iter.var, iter.at)));
}

value fn_axis(script *s, const call *c)
{
    block_state *b = inside_block(s, c);
    if (b == NULL) return value_poison();
    value dom = c->args[0], bound = c->args[1];
    if (bound.kind == VALUE_THREAD || bound.kind == VALUE_SCALAR)
        bound = value_expr(to_expr(s, bound, c->spans[1]));
    value first = value_int(0), last = dom;
    bool pair = dom.kind == VALUE_TUPLE && dom.as.list.n == 2;
    if (dom.kind == VALUE_TUPLE && !pair)
        return script_error(s, c->spans[0], "the domain of an axis is an extent or (begin, end)");
    if (pair) {
        first = dom.as.list.at[0];
        last = dom.as.list.at[1];
    }
    ir_type type = axis_type(last, bound);
    if (value_is_given(c->args[2]) && !to_dtype(s, c->args[2], c->spans[2], &type))
        return value_poison();
    if (!ir_type_is_int(type)) return script_error(s, c->at, "an axis is an integer");
    ir_iter iter = {.kind = (ir_iter_kind)c->row->info, .at = c->at};
    iter.min = to_type(s, first, type, c->spans[0]);
    const ir_node *stop = to_type(s, last, type, c->spans[0]);
    iter.binding = to_type(s, bound, type, c->spans[1]);
    if (iter.min == NULL || stop == NULL || iter.binding == NULL) return value_poison();
    iter.extent = range_extent(s, iter.min, stop);
    if (iter.extent == NULL) return value_poison();
    iter.var = ir_var_new(s->mem, call_hint(c, "v"), type, c->at);
    return add_iter(s, b, iter);
}

static bool remap_kind(char letter, ir_iter_kind *out)
{
    if (letter == 'S') *out = IR_SPATIAL;
    if (letter == 'R') *out = IR_REDUCE;
    return letter == 'S' || letter == 'R';
}

value fn_remap(script *s, const call *c)
{
    block_state *b = inside_block(s, c);
    str kinds;
    if (b == NULL || !to_str(s, c->args[0], c->spans[0], "the kinds of axes", &kinds))
        return value_poison();
    value list = c->args[1];
    if (list.kind != VALUE_TUPLE || list.as.list.n != kinds.n || kinds.n == 0) {
        return script_error(
            s, c->at, "T.axis.remap takes one letter (S or R) for each loop variable of its list");
    }
    value *vars = arena_array(s->mem, value, kinds.n);
    for (size_t i = 0; i < kinds.n; ++i) {
        ir_iter iter = {.at = c->at};
        if (!remap_kind(kinds.p[i], &iter.kind))
            return script_error(s, c->spans[0], "'%c' is no kind of axis: S or R", kinds.p[i]);
        value v = list.as.list.at[i];
        if (v.kind == VALUE_THREAD) v = value_expr(to_expr(s, v, c->spans[1]));
        bool var = v.kind == VALUE_EXPR && v.as.expr->kind == IR_VAR;
        const loop_domain *domain =
            var ? map_get_id(&s->func->loops, ir_as_var_ref(v.as.expr)->var) : NULL;
        if (domain == NULL)
            return script_error(s, c->spans[1], "T.axis.remap takes loop variables");
        str name = c->hints.n == kinds.n
                       ? c->hints.at[i]
                       : str_format(s->mem, "%.*s_%zu", STR_ARG(call_hint(c, "v")), i);
        iter.min = domain->min;
        iter.extent = domain->extent;
        iter.binding = v.as.expr;
        iter.var = ir_var_new(s->mem, name, v.as.expr->type, c->at);
        vars[i] = add_iter(s, b, iter);
    }
    return kinds.n == 1 ? vars[0] : value_fresh(value_tuple((value_list){vars, kinds.n}));
}

value fn_regions(script *s, const call *c)
{
    block_state *b = inside_block(s, c);
    if (b == NULL) return value_poison();
    bool list = c->rest_count == 1 && c->rest[0].kind == VALUE_TUPLE;
    value_list items = list ? c->rest[0].as.list : (value_list){c->rest, c->rest_count};
    b->regions_given = true;
    for (size_t i = 0; i < items.n; ++i) {
        ir_region r;
        if (!to_region(s, items.at[i], list ? c->rest_spans[0] : c->rest_spans[i], &r))
            return value_poison();
        region_vec_push(s->mem, c->row->info == 1 ? &b->writes : &b->reads, r);
    }
    return value_none();
}

value fn_where(script *s, const call *c)
{
    block_state *b = inside_block(s, c);
    if (b == NULL) return value_poison();
    const ir_node *cond = to_bool(s, c->args[0], c->spans[0]);
    if (cond == NULL) return value_poison();
    if (b->predicate != NULL) return script_error(s, c->at, "a second T.where in this block");
    /* A predicate stands outside of the block: where it names the block's variables, their bindings
     * are meant. */
    map bindings = {0};
    for (size_t i = 0; i < b->iters.n; ++i)
        map_put_id(s->mem, &bindings, b->iters.at[i].var, b->iters.at[i].binding);
    b->predicate = ir_substitute(s->mem, cond, &bindings);
    return value_none();
}

/* Older keys with their new prefix. */
static void rename_keys(script *s, attr_vec *entries)
{
    for (size_t i = 0; i < entries->n; ++i) {
        str key = entries->at[i].key;
        if (str_starts(key, STR("tir.")))
            entries->at[i].key = str_format(s->mem, "tirx.%.*s", (int)key.n - 4, key.p + 4);
    }
}

value fn_block_attr(script *s, const call *c)
{
    block_state *b = inside_block(s, c);
    if (b == NULL || !to_attrs(s, c->args[0], c->spans[0], &b->annotations)) return value_poison();
    rename_keys(s, &b->annotations);
    return value_none();
}

/* ---- with ------------------------------------------------------------------------------------ */

static void with_items(script *s, const ast_with *n, size_t item);

static void with_block(script *s, const ast_with *n, size_t item, const frame *f)
{
    block_state b = {.outer = s->block, .name = f->name, .at = f->at};
    suite body;
    s->block = &b;
    suite_begin(s, &body);
    with_items(s, n, item);
    const ir_node *node = suite_end(s, n->node.at);
    s->block = b.outer;
    const ir_node *always = ir_int_new(s->mem, IR_B1, 1, f->at);
    suite_emit(s, ir_make(s->mem, BLOCK, block, f->at, IR_VOID, .name = b.name,
                          .iters = {b.iters.at, b.iters.n},
                          .predicate = b.predicate != NULL ? b.predicate : always,
                          .reads = {b.reads.at, b.reads.n}, .writes = {b.writes.at, b.writes.n},
                          .regions_given = b.regions_given, .allocs = {b.allocs.at, b.allocs.n},
                          .matches = {b.matches.at, b.matches.n},
                          .annotations = {b.annotations.at, b.annotations.n}, .init = b.init,
                          .body = node));
}

static void with_init(script *s, const ast_with *n, size_t item, const frame *f)
{
    block_state *b = s->block;
    bool good = b != &s->func->root && b->init == NULL;
    if (!good) script_error(s, f->at, "T.init() belongs into a block, once");
    suite body;
    suite_begin(s, &body);
    with_items(s, n, item);
    const ir_node *node = suite_end(s, n->node.at);
    if (good) b->init = node;
}

static hints target_names(script *s, const ast *target)
{
    if (target == NULL || target->kind != AST_NAME) return (hints){0};
    str *name = arena_new(s->mem, str);
    *name = ast_as_name(target)->id;
    return (hints){name, 1};
}

/* What follows in the suite stands inside of these. */
static void wrap_all(script *s, const frame *f)
{
    for (; f != NULL; f = f->inner) suite_wrap(s, f->node);
}

/* Opens the item's frame around the rest of the items and the body. */
static void with_frame(script *s, const ast_with *n, size_t item, const frame *f)
{
    if (f->kind == FRAME_BLOCK) {
        with_block(s, n, item, f);
    } else if (f->kind == FRAME_INIT) {
        with_init(s, n, item, f);
    } else if (f->kind == FRAME_THREAD || f->kind == FRAME_ATTR) {
        suite body;
        suite_begin(s, &body);
        wrap_all(s, f->inner);
        with_items(s, n, item);
        const ir_node *node = suite_end(s, n->node.at);
        suite_emit(s, script_with_body(s, f->node, node));
    } else {
        if (f->kind == FRAME_LOOPS)
            script_error(s, f->at, "a loop is written with 'for', not 'with'");
        with_items(s, n, item);
    }
}

static void with_items(script *s, const ast_with *n, size_t item)
{
    if (item == n->items.n) {
        exec_list(s, n->body);
        return;
    }
    const ast_with_item *one = ast_as_with_item(n->items.at[item]);
    if (!script_nest(s, 1, one->node.at)) {
        script_unnest(s, 1);
        return;
    }
    value v = eval_named(s, one->context, target_names(s, one->target));
    /* Older scripts: with T.allocate(...) as X, with T.decl_buffer(...) as B, with T.LetStmt(...)
     * as v. */
    bool named = v.kind == VALUE_BUFFER || v.is_fresh;
    value as = v.kind == VALUE_FRAME ? v.as.frame->as : named ? v : value_poison();
    if (v.kind == VALUE_FRAME && as.kind == VALUE_ABSENT && one->target != NULL) {
        script_error(s, one->target->at, "this gives nothing to name with 'as'");
        as = value_poison();
    }
    if (one->target != NULL) bind_target(s, one->target, as);
    if (v.kind == VALUE_FRAME) {
        with_frame(s, n, item + 1, v.as.frame);
        script_unnest(s, 1);
        return;
    }
    if (!named && v.kind != VALUE_POISON)
        script_error(s, one->context->at, "'with' cannot take %s", value_what(v));
    with_items(s, n, item + 1);
    script_unnest(s, 1);
}

void exec_with(script *s, const ast_with *n)
{
    scope inner;
    scope_push(s, SCOPE_INNER, &inner);
    with_items(s, n, 0);
    scope_pop(s);
}

value frame_open(script *s, const frame *f, span at)
{
    if (f->kind == FRAME_THREAD || f->kind == FRAME_ATTR) {
        wrap_all(s, f);
        return f->as.kind == VALUE_ABSENT ? value_none() : f->as;
    }
    if (f->kind == FRAME_DONE) return value_none();
    return script_error(s, at,
                        f->kind == FRAME_LOOPS ? "a loop needs 'for'" : "a block needs 'with'");
}
