/* Expressions, by recursive descent with binding strengths for the binary operators. */
#include "front/parser.h"

static const ast *parse_unary(parser *p);

static unsigned height_of(const ast *n)
{
    return n != NULL ? n->height : 0;
}

unsigned ast_list_height(ast_list list)
{
    unsigned height = 0;
    for (size_t i = 0; i < list.n; ++i) height = ast_higher(height, height_of(list.at[i]));
    return height;
}

static const ast *make_constant(parser *p, token t)
{
    return ast_make(p, CONSTANT, constant, t.at, 0, .word = t.kind);
}

/* What stands where an expression is missing; the statement has failed by then. */
static const ast *make_missing(parser *p)
{
    return ast_make(p, CONSTANT, constant, parser_peek(p).at, 0, .word = TOKEN_NONE);
}

/* ---- Displays: ( ) [ ] { } ------------------------------------------------------------------- */

static const ast *parse_star_expr(parser *p)
{
    span at = parser_peek(p).at;
    if (!parser_accept(p, TOKEN_STAR)) return parse_expr(p);
    const ast *value = parse_expr(p);
    return ast_make(p, STAR, star, parser_since(p, at), value->height + 1, .value = value);
}

static ast_list parse_clauses(parser *p)
{
    ast_vec clauses = {0};
    while (parser_is(p, TOKEN_FOR)) {
        span at = parser_take(p).at;
        const ast *target = parse_target_list(p);
        parser_expect(p, TOKEN_IN);
        const ast *iterable = parse_unary(p);
        ast_vec conditions = {0};
        while (parser_accept(p, TOKEN_IF)) ast_vec_push(p->mem, &conditions, parse_unary(p));
        ast_vec_push(p->mem, &clauses,
                     ast_make(p, CLAUSE, clause, parser_since(p, at), iterable->height + 1,
                              .target = target, .iterable = iterable,
                              .conditions = ast_list_of(conditions)));
    }
    return ast_list_of(clauses);
}

static const ast *finish_comprehension(parser *p, span at, char shape, const ast *item,
                                       const ast *key)
{
    ast_list clauses = parse_clauses(p);
    token_kind close = shape == '['   ? TOKEN_CLOSE_SQUARE
                       : shape == '(' ? TOKEN_CLOSE_ROUND
                                      : TOKEN_CLOSE_CURLY;
    parser_expect(p, close);
    unsigned height = ast_higher(item->height, ast_list_height(clauses));
    return ast_make(p, COMPREHENSION, comprehension, parser_since(p, at), height + 1,
                    .shape = shape, .item = item, .key = key, .clauses = clauses);
}

static const ast *parse_round(parser *p)
{
    span at = parser_expect(p, TOKEN_OPEN_ROUND).at;
    ast_vec items = {0};
    bool comma = false;
    while (!parser_is(p, TOKEN_CLOSE_ROUND) && !p->failed) {
        const ast *item = parse_star_expr(p);
        if (items.n == 0 && parser_is(p, TOKEN_FOR))
            return finish_comprehension(p, at, '(', item, NULL);
        ast_vec_push(p->mem, &items, item);
        if (!parser_accept(p, TOKEN_COMMA)) break;
        comma = true;
    }
    parser_expect(p, TOKEN_CLOSE_ROUND);
    if (items.n == 1 && !comma) return items.at[0];
    ast_list list = ast_list_of(items);
    return ast_make(p, TUPLE, tuple, parser_since(p, at), ast_list_height(list) + 1, .items = list);
}

static const ast *parse_square(parser *p)
{
    span at = parser_expect(p, TOKEN_OPEN_SQUARE).at;
    ast_vec items = {0};
    while (!parser_is(p, TOKEN_CLOSE_SQUARE) && !p->failed) {
        const ast *item = parse_star_expr(p);
        if (items.n == 0 && parser_is(p, TOKEN_FOR))
            return finish_comprehension(p, at, '[', item, NULL);
        ast_vec_push(p->mem, &items, item);
        if (!parser_accept(p, TOKEN_COMMA)) break;
    }
    parser_expect(p, TOKEN_CLOSE_SQUARE);
    ast_list list = ast_list_of(items);
    return ast_make(p, TUPLE, tuple, parser_since(p, at), ast_list_height(list) + 1, .items = list,
                    .is_list = true);
}

/* A dict or a set, which its first item tells. */
static const ast *parse_curly(parser *p)
{
    span at = parser_expect(p, TOKEN_OPEN_CURLY).at;
    ast_vec keys = {0}, values = {0};
    bool is_set = false;
    while (!parser_is(p, TOKEN_CLOSE_CURLY) && !p->failed) {
        const ast *key = NULL, *value;
        if (parser_accept(p, TOKEN_POWER)) {
            value = parse_expr(p);
        } else {
            value = parse_star_expr(p);
            if (values.n == 0 && !parser_is(p, TOKEN_COLON)) is_set = true;
            if (!is_set) {
                key = value;
                parser_expect(p, TOKEN_COLON);
                value = parse_expr(p);
            }
        }
        if (values.n == 0 && parser_is(p, TOKEN_FOR)) {
            return finish_comprehension(p, at, is_set ? '{' : ':', value, key);
        }
        ast_vec_push(p->mem, &keys, key);
        ast_vec_push(p->mem, &values, value);
        if (!parser_accept(p, TOKEN_COMMA)) break;
    }
    parser_expect(p, TOKEN_CLOSE_CURLY);
    ast_list list = ast_list_of(values), names = ast_list_of(keys);
    unsigned height = ast_higher(ast_list_height(list), ast_list_height(names)) + 1;
    if (is_set) return ast_make(p, SET, set, parser_since(p, at), height, .items = list);
    return ast_make(p, DICT, dict, parser_since(p, at), height, .keys = names, .values = list);
}

/* ---- Atoms and what follows them ------------------------------------------------------------- */

static const ast *parse_number(parser *p)
{
    token t = parser_take(p);
    number_literal value;
    const char *wrong = literal_number(t.text, &value);
    if (wrong != NULL) parser_fail(p, t.at, "%s: '%.*s'", wrong, STR_ARG(t.text));
    return ast_make(p, NUMBER, number, t.at, 0, .value = value);
}

static const ast *parse_atom(parser *p)
{
    token t = parser_peek(p);
    if (t.kind == TOKEN_NAME) {
        parser_take(p);
        return ast_make(p, NAME, name, t.at, 0, .id = t.text);
    }
    if (t.kind == TOKEN_NUMBER) return parse_number(p);
    if (t.kind == TOKEN_STRING) return parse_strings(p);
    if (t.kind == TOKEN_OPEN_ROUND) return parse_round(p);
    if (t.kind == TOKEN_OPEN_SQUARE) return parse_square(p);
    if (t.kind == TOKEN_OPEN_CURLY) return parse_curly(p);
    bool constant = t.kind == TOKEN_TRUE || t.kind == TOKEN_FALSE || t.kind == TOKEN_NONE ||
                    t.kind == TOKEN_ELLIPSIS;
    if (constant) return make_constant(p, parser_take(p));
    parser_expected(p, "an expression");
    return make_missing(p);
}

static const ast *parse_argument(parser *p)
{
    span at = parser_peek(p).at;
    bool twice = parser_is(p, TOKEN_POWER);
    if (twice || parser_is(p, TOKEN_STAR)) {
        parser_take(p);
        const ast *value = parse_expr(p);
        return ast_make(p, STAR, star, parser_since(p, at), value->height + 1, .value = value,
                        .is_double = twice);
    }
    if (parser_is(p, TOKEN_NAME) && parser_peek_after(p, 1).kind == TOKEN_ASSIGN) {
        str name = parser_take(p).text;
        parser_take(p);
        const ast *value = parse_expr(p);
        return ast_make(p, KEYWORD, keyword, parser_since(p, at), value->height + 1, .name = name,
                        .value = value);
    }
    const ast *value = parse_expr(p);
    if (!parser_is(p, TOKEN_FOR)) return value;
    ast_list clauses = parse_clauses(p);
    unsigned height = ast_higher(value->height, ast_list_height(clauses));
    return ast_make(p, COMPREHENSION, comprehension, parser_since(p, at), height + 1, .shape = '(',
                    .item = value, .clauses = clauses);
}

static const ast *finish_call(parser *p, const ast *callee)
{
    parser_expect(p, TOKEN_OPEN_ROUND);
    ast_vec args = {0};
    while (!parser_is(p, TOKEN_CLOSE_ROUND) && !p->failed) {
        ast_vec_push(p->mem, &args, parse_argument(p));
        if (!parser_accept(p, TOKEN_COMMA)) break;
    }
    parser_expect(p, TOKEN_CLOSE_ROUND);
    ast_list list = ast_list_of(args);
    unsigned height = ast_higher(callee->height, ast_list_height(list));
    return ast_make(p, CALL, call, parser_since(p, callee->at), height + 1, .callee = callee,
                    .args = list);
}

static bool ends_slice(const parser *p)
{
    return parser_is(p, TOKEN_COLON) || parser_is(p, TOKEN_COMMA) ||
           parser_is(p, TOKEN_CLOSE_SQUARE);
}

static const ast *parse_slice(parser *p)
{
    span at = parser_peek(p).at;
    const ast *part[3] = {NULL, NULL, NULL};
    if (!parser_is(p, TOKEN_COLON)) part[0] = parse_star_expr(p);
    if (!parser_is(p, TOKEN_COLON)) return part[0] != NULL ? part[0] : make_missing(p);
    for (int i = 1; i < 3 && parser_accept(p, TOKEN_COLON); ++i) {
        if (!ends_slice(p)) part[i] = parse_expr(p);
    }
    unsigned height =
        ast_higher(height_of(part[0]), ast_higher(height_of(part[1]), height_of(part[2])));
    return ast_make(p, SLICE, slice, parser_since(p, at), height + 1, .lower = part[0],
                    .upper = part[1], .step = part[2]);
}

static const ast *finish_subscript(parser *p, const ast *object)
{
    parser_expect(p, TOKEN_OPEN_SQUARE);
    span at = parser_peek(p).at;
    ast_vec items = {0};
    bool comma = false;
    do {
        if (comma && parser_is(p, TOKEN_CLOSE_SQUARE)) break;
        ast_vec_push(p->mem, &items, parse_slice(p));
        comma = comma || parser_is(p, TOKEN_COMMA);
    } while (parser_accept(p, TOKEN_COMMA));
    span inside = parser_since(p, at);
    parser_expect(p, TOKEN_CLOSE_SQUARE);
    const ast *index = items.at[0];
    if (comma) {
        ast_list list = ast_list_of(items);
        index = ast_make(p, TUPLE, tuple, inside, ast_list_height(list) + 1, .items = list);
    }
    unsigned height = ast_higher(object->height, index->height);
    return ast_make(p, SUBSCRIPT, subscript, parser_since(p, object->at), height + 1,
                    .object = object, .index = index);
}

static const ast *parse_primary(parser *p)
{
    const ast *n = parse_atom(p);
    for (;;) {
        if (parser_is(p, TOKEN_OPEN_ROUND)) {
            n = finish_call(p, n);
        } else if (parser_is(p, TOKEN_OPEN_SQUARE)) {
            n = finish_subscript(p, n);
        } else if (parser_accept(p, TOKEN_DOT)) {
            token name = parser_expect(p, TOKEN_NAME);
            n = ast_make(p, ATTRIBUTE, attribute, parser_since(p, n->at), n->height + 1,
                         .object = n, .name = name.text, .name_at = name.at);
        } else {
            return n;
        }
    }
}

/* ---- Operators ------------------------------------------------------------------------------- */

static const ast *make_binary(parser *p, token_kind op, const ast *a, const ast *b)
{
    return ast_make(p, BINARY, binary, span_join(a->at, b->at),
                    ast_higher(a->height, b->height) + 1, .op = op, .a = a, .b = b);
}

/* Unary signs and the power, which binds tighter on its left and looser on its right. */
static const ast *parse_power(parser *p)
{
    token t = parser_peek(p);
    if (t.kind == TOKEN_MINUS || t.kind == TOKEN_PLUS || t.kind == TOKEN_TILDE) {
        if (!parser_enter(p)) return make_missing(p);
        parser_take(p);
        const ast *a = parse_power(p);
        parser_leave(p);
        return ast_make(p, UNARY, unary, parser_since(p, t.at), a->height + 1, .op = t.kind,
                        .a = a);
    }
    if (t.kind == TOKEN_AWAIT) parser_fail(p, t.at, "'await' is not supported");
    const ast *a = parse_primary(p);
    if (!parser_accept(p, TOKEN_POWER)) return a;
    if (!parser_enter(p)) return a;
    const ast *b = parse_power(p);
    parser_leave(p);
    return make_binary(p, TOKEN_POWER, a, b);
}

/* Python's binding strengths of the arithmetic operators; 0: none of them. */
static int strength(token_kind kind)
{
    if (kind == TOKEN_BAR) return 1;
    if (kind == TOKEN_CARET) return 2;
    if (kind == TOKEN_AMPERSAND) return 3;
    if (kind == TOKEN_LEFT_SHIFT || kind == TOKEN_RIGHT_SHIFT) return 4;
    if (kind == TOKEN_PLUS || kind == TOKEN_MINUS) return 5;
    bool product = kind == TOKEN_STAR || kind == TOKEN_SLASH || kind == TOKEN_FLOOR ||
                   kind == TOKEN_PERCENT || kind == TOKEN_AT;
    return product ? 6 : 0;
}

static const ast *parse_binary(parser *p, int least)
{
    const ast *a = parse_power(p);
    for (;;) {
        token_kind op = parser_peek(p).kind;
        int level = strength(op);
        if (level == 0 || level < least) return a;
        parser_take(p);
        a = make_binary(p, op, a, parse_binary(p, level + 1));
    }
}

VEC_DECLARE(op_vec, compare_op)

static bool take_compare(parser *p, compare_op *out)
{
    token_kind kind = parser_peek(p).kind;
    *out = (compare_op){.word = kind};
    if (kind == TOKEN_NOT && parser_peek_after(p, 1).kind == TOKEN_IN) {
        parser_take(p);
        parser_take(p);
        *out = (compare_op){TOKEN_IN, true};
        return true;
    }
    bool sign = kind == TOKEN_LESS || kind == TOKEN_GREATER || kind == TOKEN_LESS_EQUAL ||
                kind == TOKEN_GREATER_EQUAL || kind == TOKEN_EQUAL || kind == TOKEN_NOT_EQUAL;
    if (!sign && kind != TOKEN_IN && kind != TOKEN_IS) return false;
    parser_take(p);
    if (kind == TOKEN_IS) out->negated = parser_accept(p, TOKEN_NOT);
    return true;
}

static const ast *parse_compare(parser *p)
{
    const ast *first = parse_binary(p, 1);
    op_vec ops = {0};
    ast_vec rest = {0};
    compare_op op;
    while (take_compare(p, &op)) {
        op_vec_push(p->mem, &ops, op);
        ast_vec_push(p->mem, &rest, parse_binary(p, 1));
    }
    if (ops.n == 0) return first;
    ast_list list = ast_list_of(rest);
    unsigned height = ast_higher(first->height, ast_list_height(list));
    return ast_make(p, COMPARE, compare, parser_since(p, first->at), height + 1, .first = first,
                    .ops = ops.at, .rest = list);
}

static const ast *parse_not(parser *p)
{
    token t = parser_peek(p);
    if (t.kind != TOKEN_NOT) return parse_compare(p);
    if (!parser_enter(p)) return make_missing(p);
    parser_take(p);
    const ast *a = parse_not(p);
    parser_leave(p);
    return ast_make(p, UNARY, unary, parser_since(p, t.at), a->height + 1, .op = TOKEN_NOT, .a = a);
}

static const ast *parse_logic(parser *p, token_kind op)
{
    const ast *first = op == TOKEN_OR ? parse_logic(p, TOKEN_AND) : parse_not(p);
    if (!parser_is(p, op)) return first;
    ast_vec items = {0};
    ast_vec_push(p->mem, &items, first);
    while (parser_accept(p, op)) {
        ast_vec_push(p->mem, &items, op == TOKEN_OR ? parse_logic(p, TOKEN_AND) : parse_not(p));
    }
    ast_list list = ast_list_of(items);
    /* A chain becomes a tree as high as it is long. */
    unsigned height = ast_list_height(list) + (unsigned)(list.n < AST_HEIGHT ? list.n : AST_HEIGHT);
    return ast_make(p, LOGIC, logic, parser_since(p, first->at), height, .op = op, .items = list);
}

/* Without a conditional: what stands after 'in' and 'if' of a comprehension. */
static const ast *parse_unary(parser *p)
{
    if (!parser_enter(p)) return make_missing(p);
    const ast *n = parse_logic(p, TOKEN_OR);
    parser_leave(p);
    return n;
}

static const ast *parse_lambda(parser *p)
{
    span at = parser_expect(p, TOKEN_LAMBDA).at;
    ast_list params = parse_params(p, TOKEN_COLON, false);
    parser_expect(p, TOKEN_COLON);
    const ast *body = parse_expr(p);
    return ast_make(p, LAMBDA, lambda, parser_since(p, at), body->height + 1, .params = params,
                    .body = body);
}

static const ast *parse_choice(parser *p)
{
    if (parser_is(p, TOKEN_LAMBDA)) return parse_lambda(p);
    token t = parser_peek(p);
    if (t.kind == TOKEN_NAME && parser_peek_after(p, 1).kind == TOKEN_WALRUS) {
        parser_take(p);
        parser_take(p);
        const ast *value = parse_expr(p);
        return ast_make(p, WALRUS, walrus, parser_since(p, t.at), value->height + 1, .name = t.text,
                        .value = value);
    }
    const ast *yes = parse_logic(p, TOKEN_OR);
    if (!parser_accept(p, TOKEN_IF)) return yes;
    const ast *cond = parse_logic(p, TOKEN_OR);
    parser_expect(p, TOKEN_ELSE);
    const ast *no = parse_expr(p);
    unsigned height = ast_higher(yes->height, ast_higher(cond->height, no->height));
    return ast_make(p, CHOICE, choice, parser_since(p, yes->at), height + 1, .cond = cond,
                    .yes = yes, .no = no);
}

const ast *parse_expr(parser *p)
{
    if (!parser_enter(p)) return make_missing(p);
    const ast *n = parse_choice(p);
    parser_leave(p);
    return n;
}

/* Does a list of expressions end here? */
static bool ends_list(const parser *p)
{
    token_kind kind = parser_peek(p).kind;
    return kind == TOKEN_NEWLINE || kind == TOKEN_ASSIGN || kind == TOKEN_END ||
           kind == TOKEN_SEMICOLON || kind == TOKEN_COLON || kind == TOKEN_IN;
}

static const ast *parse_items(parser *p, const ast *(*item)(parser *p))
{
    span at = parser_peek(p).at;
    const ast *first = item(p);
    if (!parser_is(p, TOKEN_COMMA)) return first;
    ast_vec items = {0};
    ast_vec_push(p->mem, &items, first);
    while (parser_accept(p, TOKEN_COMMA) && !ends_list(p)) ast_vec_push(p->mem, &items, item(p));
    ast_list list = ast_list_of(items);
    return ast_make(p, TUPLE, tuple, parser_since(p, at), ast_list_height(list) + 1, .items = list);
}

const ast *parse_expr_list(parser *p)
{
    return parse_items(p, parse_star_expr);
}

static const ast *parse_target(parser *p)
{
    span at = parser_peek(p).at;
    if (!parser_accept(p, TOKEN_STAR)) return parse_binary(p, 1);
    const ast *value = parse_binary(p, 1);
    return ast_make(p, STAR, star, parser_since(p, at), value->height + 1, .value = value);
}

const ast *parse_target_list(parser *p)
{
    return parse_items(p, parse_target);
}
