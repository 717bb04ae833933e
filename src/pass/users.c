/* Users of memories, noted by the pointer. */
#include "pass/users.h"

typedef struct users_walk {
    ir_walk w;
    arena *mem;
    map *by_data;
    size_t at; /* the statement being walked */
} users_walk;

static void visit_node(ir_walk *w, const ir_node *n)
{
    ir_walk_children(w, n);
}

static void visit_var(ir_walk *w, const ir_var *v)
{
    users_walk *u = (users_walk *)(void *)w;
    if (!ir_type_is_pointer(v->type)) return;
    index_vec *seen = map_get_id(u->by_data, v);
    if (seen == NULL) {
        seen = arena_new(u->mem, index_vec);
        map_put_id(u->mem, u->by_data, v, seen);
    }
    if (seen->n == 0 || seen->at[seen->n - 1] != u->at) index_vec_push(u->mem, seen, u->at);
}

static void visit_buffer(ir_walk *w, const ir_buffer *b)
{
    visit_var(w, b->data);
}

seq_users seq_users_of(arena *mem, ir_list statements)
{
    seq_users users = {0};
    users_walk u = {.w = {.node = visit_node,
                          .use_var = visit_var,
                          .use_buffer = visit_buffer,
                          .def_buffer = visit_buffer},
                    .mem = mem,
                    .by_data = &users.by_data};
    for (u.at = 0; u.at < statements.n; ++u.at) visit_node(&u.w, statements.at[u.at]);
    return users;
}

const index_vec *seq_users_find(const seq_users *u, const ir_var *data)
{
    return map_get_id(&u->by_data, data);
}
