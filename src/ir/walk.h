/* Walking, rewriting, comparing and substituting IR: all made from nodes.def. */
#ifndef IR_WALK_H
#define IR_WALK_H

#include "base/map.h"
#include "ir/ir.h"

/* ---- Visiting -------------------------------------------------------------------------------- */

/* Embed as the first member of a visitor's own state. Any hook may be NULL. `node` sees each direct
 * child and decides itself whether to go on with ir_walk_children. Shapes, strides and offsets of
 * buffers are children where the buffer is defined, not where it is used. */
typedef struct ir_walk ir_walk;
struct ir_walk {
    void (*node)(ir_walk *w, const ir_node *child);
    void (*use_var)(ir_walk *w, const ir_var *v);
    void (*def_var)(ir_walk *w, const ir_var *v);
    void (*use_buffer)(ir_walk *w, const ir_buffer *b);
    void (*def_buffer)(ir_walk *w, const ir_buffer *b);
};

/* Visits the fields of `n` in the order of the table. */
void ir_walk_children(ir_walk *w, const ir_node *n);

/* Visits shape, strides and elem_offset of a buffer with the `node` hook. */
void ir_walk_buffer(ir_walk *w, const ir_buffer *b);

/* Calls visit(user, n) on `root` and everything below it, parents first. */
void ir_each(const ir_node *root, void (*visit)(void *user, const ir_node *n), void *user);

/* ---- Rewriting -------------------------------------------------------------------------------- */

/* Embed as the first member of a pass's state. `node` returns what stands in the child's place (the
 * child itself for "no change"); a statement of a sequence may be replaced by ir_nop. `var` and
 * `buffer` replace identities wherever they are used or defined; NULL hooks keep them. */
typedef struct ir_rewrite ir_rewrite;
struct ir_rewrite {
    arena *mem;
    const ir_node *(*node)(ir_rewrite *r, const ir_node *child);
    const ir_var *(*var)(ir_rewrite *r, const ir_var *v);
    const ir_buffer *(*buffer)(ir_rewrite *r, const ir_buffer *b);
};

/* The node with its fields rewritten; the same pointer where nothing changed. Sequences are
 * flattened. Types are kept: a hook that changes the type of an operand makes the parent itself. */
const ir_node *ir_rewrite_children(ir_rewrite *r, const ir_node *n);

/* The list with each item passed through `node`. */
ir_list ir_rewrite_list(ir_rewrite *r, ir_list list);

/* ---- Comparing and substituting ---------------------------------------------------------------- */

/* The same structure, with variables and buffers compared as identities. Spans do not count. NaN
 * equals itself, -0.0 differs from 0.0. */
bool ir_equal(const ir_node *a, const ir_node *b);

/* Each use of a variable (map: const ir_var * -> const ir_node *) replaced, also inside the shapes of
 * buffers that are defined below `root`, which become new buffers there. */
const ir_node *ir_substitute(arena *mem, const ir_node *root, const map *var_to_node);

/* One variable replaced. */
const ir_node *ir_substitute_one(arena *mem, const ir_node *root, const ir_var *var, const ir_node *by);

/* Has `root`, seen as a tree (shared parts counted each time), at most `nodes` nodes and `depth` levels? What
 * looks at all of an expression takes that long. */
bool ir_is_moderate(const ir_node *root, size_t nodes, unsigned depth);

/* Does `root` use the variable (definitions do not count)? */
bool ir_uses_var(const ir_node *root, const ir_var *var);

/* Does evaluating the expression read memory, or have an effect? */
bool ir_reads_memory(const ir_node *expr);
bool ir_has_effect(const ir_node *expr);

#endif
