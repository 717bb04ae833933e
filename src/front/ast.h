/* The syntax tree of the Python subset, made from ast.def. */
#ifndef FRONT_AST_H
#define FRONT_AST_H

#include "front/lex.h"
#include "front/literal.h"

#include <assert.h>

typedef enum ast_kind {
#define AST_NODE(KIND, name, fields) AST_##KIND,
#include "front/ast.def"
#undef AST_NODE
} ast_kind;

typedef struct ast {
    ast_kind kind;
    unsigned height; /* levels of expressions below */
    span at;
} ast;

typedef struct ast_list {
    const ast *const *at;
    size_t n;
} ast_list;

/* One link of a chain of comparisons: "<", "in", "not in", "is", "is not". */
typedef struct compare_op {
    token_kind word;
    bool negated;
} compare_op;

#define A_NODE(f)     const ast *f;
#define A_OPT(f)      const ast *f;
#define A_LIST(f)     ast_list f;
#define A_TEXT(f)     str f;
#define A_PLAIN(T, f) T f;
#define AST_NODE(KIND, name, fields)                                                               \
    typedef struct ast_##name {                                                                    \
        ast node;                                                                                  \
        fields                                                                                     \
    } ast_##name;
#include "front/ast.def"
#undef AST_NODE
#undef A_NODE
#undef A_OPT
#undef A_LIST
#undef A_TEXT
#undef A_PLAIN

/* ast_as_name(n) and its like: n must be of that kind. */
#define AST_NODE(KIND, name, fields)                                                               \
    static inline const ast_##name *ast_as_##name(const ast *n)                                    \
    {                                                                                              \
        assert(n->kind == AST_##KIND);                                                             \
        return (const ast_##name *)(const void *)n;                                                \
    }
#include "front/ast.def"
#undef AST_NODE

VEC_DECLARE(ast_vec, const ast *)

static inline ast_list ast_list_of(ast_vec v)
{
    return (ast_list){(const ast *const *)v.at, v.n};
}

/* Calls visit(user, n) on every node below and including `n`, parents first. */
void ast_each(const ast *n, void (*visit)(void *user, const ast *n), void *user);

#endif
