/* Walking the syntax tree, made from ast.def. */
#include "front/ast.h"

static void each_opt(const ast *n, void (*visit)(void *user, const ast *n), void *user)
{
    if (n != NULL) ast_each(n, visit, user);
}

static void each_list(ast_list list, void (*visit)(void *user, const ast *n), void *user)
{
    for (size_t i = 0; i < list.n; ++i) each_opt(list.at[i], visit, user);
}

void ast_each(const ast *n, void (*visit)(void *user, const ast *n), void *user)
{
    visit(user, n);
    switch (n->kind) {
#define A_NODE(f) ast_each(self->f, visit, user);
#define A_OPT(f)  each_opt(self->f, visit, user);
#define A_LIST(f) each_list(self->f, visit, user);
#define A_TEXT(f)
#define A_PLAIN(T, f)
#define AST_NODE(KIND, name, fields)                                                               \
    case AST_##KIND: {                                                                             \
        const ast_##name *self = ast_as_##name(n);                                                 \
        (void)self;                                                                                \
        fields                                                                                     \
    } break;
#include "front/ast.def"
#undef AST_NODE
#undef A_NODE
#undef A_OPT
#undef A_LIST
#undef A_TEXT
#undef A_PLAIN
    }
}
