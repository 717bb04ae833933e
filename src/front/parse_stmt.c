/* Statements, and the parser's cursor: errors end a statement, and parsing goes on at the next one.
 */
#include "front/parser.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- Cursor ---------------------------------------------------------------------------------- */

token parser_peek_after(const parser *p, size_t ahead)
{
    size_t i = p->at + ahead, last = p->tokens.n - 1;
    if (p->failed) {
        token end = p->tokens.at[p->at < last ? p->at : last];
        end.kind = TOKEN_END;
        return end;
    }
    return p->tokens.at[i < last ? i : last];
}

token parser_peek(const parser *p)
{
    return parser_peek_after(p, 0);
}

bool parser_is(const parser *p, token_kind kind)
{
    return parser_peek(p).kind == kind;
}

token parser_take(parser *p)
{
    token t = parser_peek(p);
    if (!p->failed && p->at + 1 < p->tokens.n) p->at++;
    return t;
}

bool parser_accept(parser *p, token_kind kind)
{
    if (!parser_is(p, kind)) return false;
    parser_take(p);
    return true;
}

void parser_fail(parser *p, span at, const char *format, ...)
{
    if (p->failed) return;
    p->failed = true;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_error(p->diags, at, "%s", text);
}

void parser_expected(parser *p, const char *what)
{
    token t = parser_peek(p);
    bool by_text = t.kind == TOKEN_NAME || t.kind == TOKEN_NUMBER;
    if (by_text) {
        parser_fail(p, t.at, "expected %s, found '%.*s'", what,
                    (int)(t.text.n < 60 ? t.text.n : 60), t.text.p);
    } else {
        parser_fail(p, t.at, "expected %s, found %s", what, token_name(t.kind));
    }
}

token parser_expect(parser *p, token_kind kind)
{
    if (!parser_is(p, kind)) parser_expected(p, token_name(kind));
    return parser_take(p);
}

bool parser_enter(parser *p)
{
    if (p->failed) return false;
    if (p->depth == PARSE_DEPTH) {
        parser_fail(p, parser_peek(p).at, "this is nested too deeply (more than %d levels)",
                    PARSE_DEPTH);
        return false;
    }
    p->depth++;
    return true;
}

void parser_leave(parser *p)
{
    p->depth--;
}

span parser_since(const parser *p, span begin)
{
    if (p->at == 0) return begin;
    return span_join(begin, p->tokens.at[p->at - 1].at);
}

const ast *parser_keep(parser *p, const void *node)
{
    const ast *n = node;
    if (n->height > AST_HEIGHT) {
        parser_fail(p, n->at, "this expression has too many levels (more than %d): split it up",
                    AST_HEIGHT);
    }
    return n;
}

/* Skips a whole indented block; the cursor is on its INDENT. */
static void skip_block(parser *p)
{
    int depth = 0;
    do {
        token_kind kind = parser_take(p).kind;
        if (kind == TOKEN_INDENT) depth++;
        if (kind == TOKEN_DEDENT) depth--;
        if (kind == TOKEN_END) return;
    } while (depth > 0);
}

/* After an error: on to the next statement, past the body of a lost one. */
static void recover(parser *p)
{
    p->failed = false;
    while (!parser_is(p, TOKEN_NEWLINE) && !parser_is(p, TOKEN_END) &&
           !parser_is(p, TOKEN_INDENT) && !parser_is(p, TOKEN_DEDENT)) {
        parser_take(p);
    }
    parser_accept(p, TOKEN_NEWLINE);
    if (parser_is(p, TOKEN_INDENT)) skip_block(p);
}

/* ---- Simple statements ----------------------------------------------------------------------- */

static void parse_statement(parser *p, ast_vec *out);

static bool is_augmented(token_kind kind)
{
    return kind >= TOKEN_PLUS_ASSIGN && kind <= TOKEN_POWER_ASSIGN;
}

static const ast *parse_assignment(parser *p, const ast *first)
{
    ast_vec targets = {0};
    ast_vec_push(p->mem, &targets, first);
    const ast *value = NULL;
    while (parser_accept(p, TOKEN_ASSIGN)) {
        if (value != NULL) ast_vec_push(p->mem, &targets, value);
        value = parse_expr_list(p);
    }
    return ast_make(p, ASSIGN, assign, parser_since(p, first->at), 0,
                    .targets = ast_list_of(targets), .value = value);
}

static const ast *parse_expression_statement(parser *p)
{
    const ast *first = parse_expr_list(p);
    token_kind next = parser_peek(p).kind;
    if (next == TOKEN_ASSIGN) return parse_assignment(p, first);
    if (is_augmented(next)) {
        parser_take(p);
        const ast *value = parse_expr_list(p);
        return ast_make(p, AUGMENTED, augmented, parser_since(p, first->at), 0, .op = next,
                        .target = first, .value = value);
    }
    if (parser_accept(p, TOKEN_COLON)) {
        const ast *annotation = parse_expr(p);
        const ast *value = parser_accept(p, TOKEN_ASSIGN) ? parse_expr_list(p) : NULL;
        return ast_make(p, ANNOTATED, annotated, parser_since(p, first->at), 0, .target = first,
                        .annotation = annotation, .value = value);
    }
    return ast_make(p, EXPRESSION, expression, first->at, 0, .value = first);
}

static const ast *parse_assert(parser *p)
{
    span at = parser_take(p).at;
    const ast *cond = parse_expr(p);
    const ast *message = parser_accept(p, TOKEN_COMMA) ? parse_expr(p) : NULL;
    return ast_make(p, ASSERT, assert, parser_since(p, at), 0, .cond = cond, .message = message);
}

static const ast *parse_return(parser *p)
{
    span at = parser_take(p).at;
    bool bare = parser_is(p, TOKEN_NEWLINE) || parser_is(p, TOKEN_SEMICOLON);
    const ast *value = bare ? NULL : parse_expr_list(p);
    return ast_make(p, RETURN, return, parser_since(p, at), 0, .value = value);
}

static str parse_dotted(parser *p)
{
    token first = parser_peek(p);
    while (parser_accept(p, TOKEN_DOT) || parser_accept(p, TOKEN_ELLIPSIS)) continue;
    if (!parser_is(p, TOKEN_IMPORT)) parser_expect(p, TOKEN_NAME);
    while (parser_accept(p, TOKEN_DOT)) parser_expect(p, TOKEN_NAME);
    token last = p->tokens.at[p->at > 0 ? p->at - 1 : 0];
    if (p->failed) return STR("");
    return (str){first.text.p, (size_t)(last.text.p + last.text.n - first.text.p)};
}

static void parse_import(parser *p, ast_vec *out)
{
    span at = parser_take(p).at;
    do {
        str module = parse_dotted(p);
        str alias = parser_accept(p, TOKEN_AS) ? parser_expect(p, TOKEN_NAME).text : STR("");
        ast_vec_push(
            p->mem, out,
            ast_make(p, IMPORT, import, parser_since(p, at), 0, .module = module, .alias = alias));
    } while (parser_accept(p, TOKEN_COMMA));
}

static void parse_from(parser *p, ast_vec *out)
{
    span at = parser_take(p).at;
    str module = parse_dotted(p);
    parser_expect(p, TOKEN_IMPORT);
    if (parser_accept(p, TOKEN_STAR)) return;
    bool round = parser_accept(p, TOKEN_OPEN_ROUND);
    do {
        if (round && parser_is(p, TOKEN_CLOSE_ROUND)) break;
        str name = parser_expect(p, TOKEN_NAME).text;
        str alias = parser_accept(p, TOKEN_AS) ? parser_expect(p, TOKEN_NAME).text : name;
        ast_vec_push(p->mem, out,
                     ast_make(p, IMPORT, import, parser_since(p, at), 0, .module = module,
                              .name = name, .alias = alias, .is_from = true));
    } while (parser_accept(p, TOKEN_COMMA));
    if (round) parser_expect(p, TOKEN_CLOSE_ROUND);
}

/* A statement that only code around the functions may hold: its words are passed over. */
static const ast *parse_other_line(parser *p)
{
    token t = parser_peek(p);
    while (!parser_is(p, TOKEN_NEWLINE) && !parser_is(p, TOKEN_SEMICOLON) &&
           !parser_is(p, TOKEN_END))
        parser_take(p);
    return ast_make(p, OTHER, other, parser_since(p, t.at), 0, .word = t.text);
}

static bool is_other_line(token_kind kind)
{
    return kind == TOKEN_DEL || kind == TOKEN_GLOBAL || kind == TOKEN_NONLOCAL ||
           kind == TOKEN_RAISE || kind == TOKEN_YIELD;
}

static void parse_simple(parser *p, ast_vec *out)
{
    token t = parser_peek(p);
    if (t.kind == TOKEN_IMPORT) {
        parse_import(p, out);
        return;
    }
    if (t.kind == TOKEN_FROM) {
        parse_from(p, out);
        return;
    }
    const ast *n;
    if (parser_accept(p, TOKEN_PASS)) {
        n = ast_make(p, PASS, pass, t.at, 0, );
    } else if (parser_accept(p, TOKEN_BREAK)) {
        n = ast_make(p, BREAK, break, t.at, 0, );
    } else if (parser_accept(p, TOKEN_CONTINUE)) {
        n = ast_make(p, CONTINUE, continue, t.at, 0, );
    } else if (t.kind == TOKEN_ASSERT) {
        n = parse_assert(p);
    } else if (t.kind == TOKEN_RETURN) {
        n = parse_return(p);
    } else if (is_other_line(t.kind)) {
        n = parse_other_line(p);
    } else {
        n = parse_expression_statement(p);
    }
    ast_vec_push(p->mem, out, n);
}

/* Simple statements of one line, separated by semicolons. */
static void parse_line(parser *p, ast_vec *out)
{
    do {
        if (parser_is(p, TOKEN_NEWLINE)) break;
        parse_simple(p, out);
    } while (parser_accept(p, TOKEN_SEMICOLON));
    parser_expect(p, TOKEN_NEWLINE);
}

/* ---- Compound statements --------------------------------------------------------------------- */

/* ": body", on the same line or as an indented block. */
static ast_list parse_suite(parser *p)
{
    ast_vec body = {0};
    parser_expect(p, TOKEN_COLON);
    if (p->failed) return ast_list_of(body);
    if (!parser_accept(p, TOKEN_NEWLINE)) {
        parse_line(p, &body);
        return ast_list_of(body);
    }
    parser_expect(p, TOKEN_INDENT);
    if (p->failed) return ast_list_of(body);
    while (!parser_is(p, TOKEN_DEDENT) && !parser_is(p, TOKEN_END)) parse_statement(p, &body);
    parser_accept(p, TOKEN_DEDENT);
    return ast_list_of(body);
}

static ast_list parse_else(parser *p)
{
    return parser_accept(p, TOKEN_ELSE) ? parse_suite(p) : (ast_list){0};
}

static const ast *parse_if(parser *p)
{
    span at = parser_take(p).at;
    const ast *cond = parse_expr(p);
    span head = parser_since(p, at);
    ast_list body = parse_suite(p), otherwise = {0};
    if (!p->failed && parser_is(p, TOKEN_ELIF)) {
        if (parser_enter(p)) {
            ast_vec nested = {0};
            ast_vec_push(p->mem, &nested, parse_if(p));
            otherwise = ast_list_of(nested);
            parser_leave(p);
        }
    } else {
        otherwise = parse_else(p);
    }
    return ast_make(p, IF, if, head, 0, .cond = cond, .body = body, .otherwise = otherwise);
}

static const ast *parse_for(parser *p)
{
    span at = parser_take(p).at;
    const ast *target = parse_target_list(p);
    parser_expect(p, TOKEN_IN);
    const ast *iterable = parse_expr_list(p);
    span head = parser_since(p, at);
    ast_list body = parse_suite(p), otherwise = parse_else(p);
    return ast_make(p, FOR, for, head, 0, .target = target, .iterable = iterable, .body = body,
                    .otherwise = otherwise);
}

static const ast *parse_while(parser *p)
{
    span at = parser_take(p).at;
    const ast *cond = parse_expr(p);
    span head = parser_since(p, at);
    ast_list body = parse_suite(p), otherwise = parse_else(p);
    return ast_make(p, WHILE, while, head, 0, .cond = cond, .body = body, .otherwise = otherwise);
}

/* Is "(" here the bracket around all items: "with (A as a, B):"? */
static bool items_in_brackets(const parser *p)
{
    int depth = 0;
    for (size_t i = 0;; ++i) {
        token_kind kind = parser_peek_after(p, i).kind;
        if (kind == TOKEN_END || kind == TOKEN_NEWLINE) return false;
        if (kind == TOKEN_OPEN_ROUND || kind == TOKEN_OPEN_SQUARE || kind == TOKEN_OPEN_CURLY)
            depth++;
        if (kind == TOKEN_CLOSE_ROUND || kind == TOKEN_CLOSE_SQUARE || kind == TOKEN_CLOSE_CURLY)
            depth--;
        if (depth == 0) return parser_peek_after(p, i + 1).kind == TOKEN_COLON;
    }
}

static const ast *parse_with(parser *p)
{
    span at = parser_take(p).at;
    bool round = parser_is(p, TOKEN_OPEN_ROUND) && items_in_brackets(p);
    if (round) parser_take(p);
    ast_vec items = {0};
    do {
        if (round && parser_is(p, TOKEN_CLOSE_ROUND)) break;
        const ast *context = parse_expr(p), *target = NULL;
        if (parser_accept(p, TOKEN_AS)) target = parse_expr(p);
        ast_vec_push(p->mem, &items,
                     ast_make(p, WITH_ITEM, with_item, parser_since(p, context->at), 0,
                              .context = context, .target = target));
    } while (parser_accept(p, TOKEN_COMMA));
    if (round) parser_expect(p, TOKEN_CLOSE_ROUND);
    span head = parser_since(p, at);
    ast_list body = parse_suite(p);
    return ast_make(p, WITH, with, head, 0, .items = ast_list_of(items), .body = body);
}

static const ast *parse_param(parser *p, bool annotated)
{
    span at = parser_peek(p).at;
    int stars = parser_accept(p, TOKEN_STAR) ? 1 : parser_accept(p, TOKEN_POWER) ? 2 : 0;
    bool bare =
        (stars == 1 && !parser_is(p, TOKEN_NAME)) || (stars == 0 && parser_accept(p, TOKEN_SLASH));
    if (bare) return ast_make(p, PARAM, param, parser_since(p, at), 0, .stars = 3);
    str name = parser_expect(p, TOKEN_NAME).text;
    const ast *annotation = annotated && parser_accept(p, TOKEN_COLON) ? parse_expr(p) : NULL;
    const ast *initial = parser_accept(p, TOKEN_ASSIGN) ? parse_expr(p) : NULL;
    return ast_make(p, PARAM, param, parser_since(p, at), 0, .name = name, .annotation = annotation,
                    .initial = initial, .stars = stars);
}

ast_list parse_params(parser *p, token_kind close, bool annotated)
{
    ast_vec params = {0};
    while (!parser_is(p, close) && !p->failed) {
        ast_vec_push(p->mem, &params, parse_param(p, annotated));
        if (!parser_accept(p, TOKEN_COMMA)) break;
    }
    return ast_list_of(params);
}

/* "[n, m: int]" of a function: names only. */
static ast_list parse_type_params(parser *p)
{
    ast_vec names = {0};
    if (!parser_accept(p, TOKEN_OPEN_SQUARE)) return ast_list_of(names);
    do {
        token t = parser_expect(p, TOKEN_NAME);
        if (parser_accept(p, TOKEN_COLON)) parse_expr(p);
        ast_vec_push(p->mem, &names, ast_make(p, NAME, name, t.at, 0, .id = t.text));
    } while (parser_accept(p, TOKEN_COMMA));
    parser_expect(p, TOKEN_CLOSE_SQUARE);
    return ast_list_of(names);
}

static const ast *parse_def(parser *p, ast_list decorators)
{
    span at = parser_take(p).at;
    token name = parser_expect(p, TOKEN_NAME);
    ast_list type_params = parse_type_params(p);
    parser_expect(p, TOKEN_OPEN_ROUND);
    ast_list params = parse_params(p, TOKEN_CLOSE_ROUND, true);
    parser_expect(p, TOKEN_CLOSE_ROUND);
    const ast *result = parser_accept(p, TOKEN_ARROW) ? parse_expr(p) : NULL;
    span head = parser_since(p, at);
    ast_list body = parse_suite(p);
    return ast_make(p, DEF, def, head, 0, .name = name.text, .name_at = name.at, .params = params,
                    .result = result, .body = body, .decorators = decorators,
                    .type_params = type_params);
}

static const ast *parse_class(parser *p, ast_list decorators)
{
    span at = parser_take(p).at;
    token name = parser_expect(p, TOKEN_NAME);
    ast_vec bases = {0};
    if (parser_accept(p, TOKEN_OPEN_ROUND)) {
        while (!parser_is(p, TOKEN_CLOSE_ROUND) && !p->failed) {
            if (parser_is(p, TOKEN_NAME) && parser_peek_after(p, 1).kind == TOKEN_ASSIGN) {
                parser_take(p);
                parser_take(p);
            }
            ast_vec_push(p->mem, &bases, parse_expr(p));
            if (!parser_accept(p, TOKEN_COMMA)) break;
        }
        parser_expect(p, TOKEN_CLOSE_ROUND);
    }
    span head = parser_since(p, at);
    ast_list body = parse_suite(p);
    return ast_make(p, CLASS, class, head, 0, .name = name.text, .name_at = name.at,
                    .bases = ast_list_of(bases), .body = body, .decorators = decorators);
}

static const ast *parse_decorated(parser *p)
{
    ast_vec decorators = {0};
    while (parser_accept(p, TOKEN_AT)) {
        ast_vec_push(p->mem, &decorators, parse_expr(p));
        parser_expect(p, TOKEN_NEWLINE);
    }
    if (parser_is(p, TOKEN_CLASS)) return parse_class(p, ast_list_of(decorators));
    parser_accept(p, TOKEN_ASYNC);
    if (parser_is(p, TOKEN_DEF)) return parse_def(p, ast_list_of(decorators));
    parser_expected(p, "a class or a function after its decorator");
    return NULL;
}

static void append(parser *p, ast_vec *all, ast_list more)
{
    for (size_t i = 0; i < more.n; ++i) ast_vec_push(p->mem, all, more.at[i]);
}

/* try with all its clauses: their bodies one after another. */
static const ast *parse_try(parser *p)
{
    token t = parser_take(p);
    ast_vec body = {0};
    append(p, &body, parse_suite(p));
    while (!p->failed && (parser_is(p, TOKEN_EXCEPT) || parser_is(p, TOKEN_ELSE) ||
                          parser_is(p, TOKEN_FINALLY))) {
        parser_take(p);
        parser_accept(p, TOKEN_STAR);
        if (!parser_is(p, TOKEN_COLON)) {
            parse_expr_list(p);
            if (parser_accept(p, TOKEN_AS)) parser_expect(p, TOKEN_NAME);
        }
        append(p, &body, parse_suite(p));
    }
    return ast_make(p, OTHER, other, t.at, 0, .word = t.text, .body = ast_list_of(body));
}

static const ast *parse_async(parser *p)
{
    token t = parser_take(p);
    ast_vec body = {0};
    parse_statement(p, &body);
    return ast_make(p, OTHER, other, t.at, 0, .word = t.text, .body = ast_list_of(body));
}

static const ast *parse_compound(parser *p)
{
    token_kind kind = parser_peek(p).kind;
    if (kind == TOKEN_IF) return parse_if(p);
    if (kind == TOKEN_FOR) return parse_for(p);
    if (kind == TOKEN_WHILE) return parse_while(p);
    if (kind == TOKEN_WITH) return parse_with(p);
    if (kind == TOKEN_DEF) return parse_def(p, (ast_list){0});
    if (kind == TOKEN_CLASS) return parse_class(p, (ast_list){0});
    if (kind == TOKEN_AT) return parse_decorated(p);
    if (kind == TOKEN_TRY) return parse_try(p);
    if (kind == TOKEN_ASYNC) return parse_async(p);
    return NULL;
}

static void parse_statement(parser *p, ast_vec *out)
{
    token t = parser_peek(p);
    if (t.kind == TOKEN_INDENT) {
        parser_fail(p, t.at, "unexpected indentation");
    } else if (parser_enter(p)) {
        const ast *n = parse_compound(p);
        if (n != NULL) {
            ast_vec_push(p->mem, out, n);
        } else {
            parse_line(p, out);
        }
        parser_leave(p);
    }
    if (p->failed) recover(p);
}

/* ---- Entry points ---------------------------------------------------------------------------- */

ast_list parse_module(arena *mem, diag_list *diags, lex_input input)
{
    unsigned errors = diags->errors;
    arena *work = arena_scratch(mem);
    parser p = {.mem = mem, .diags = diags, .tokens = lex(work, diags, input)};
    ast_vec all = {0};
    /* An unclosed bracket or string makes nonsense of the rest: the lexer's errors come first. */
    bool readable = diags->errors == errors;
    while (readable && !parser_is(&p, TOKEN_END)) {
        size_t before = p.at;
        parse_statement(&p, &all);
        if (p.at == before) parser_take(&p); /* a stray DEDENT, reported already */
    }
    arena_free(work);
    return ast_list_of(all);
}

const ast *parse_expression(arena *mem, diag_list *diags, lex_input input)
{
    unsigned errors = diags->errors;
    input.inside = true;
    parser p = {.mem = mem, .diags = diags, .tokens = lex(mem, diags, input)};
    if (diags->errors != errors) return NULL;
    const ast *n = parse_expr_list(&p);
    if (!p.failed && !parser_is(&p, TOKEN_END)) parser_expected(&p, "the end of the expression");
    return p.failed ? NULL : n;
}
