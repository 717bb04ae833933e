/* Inside the analyzer: what bound, modular, prove and simplify share. */
#ifndef IR_ANALYZER_H
#define IR_ANALYZER_H

#include "base/map.h"
#include "ir/bound.h"
#include "ir/linear.h"

/* `assumed`: an infinite end is one that index arithmetic is taken not to overflow at. */
typedef struct ir_span {
    int64_t min, max;
    bool assumed;
} ir_span;

/* Is it a single number? An end at infinity is none, also where both are. */
static inline bool ir_span_is_one(ir_span s)
{
    return s.min == s.max && s.min != IR_POS_INF && s.min != IR_NEG_INF;
}

/* What is known of one variable. */
typedef struct ir_known {
    const ir_var *var;
    ir_span range;
    ir_modular_set modular;
    const ir_node *value;   /* what it stands for; NULL where unknown or where that reads memory */
    struct ir_known *older; /* of the same variable */
} ir_known;

/* form <= 0 (NULL: not linear), or a condition kept as it is. */
typedef struct ir_fact {
    const ir_linear *form;
    const ir_node *cond;
    bool negated;
} ir_fact;

VEC_DECLARE(ir_known_vec, ir_known *)
VEC_DECLARE(ir_fact_vec, ir_fact)

struct ir_analyzer {
    arena *mem;
    ir_known_vec order; /* of binding */
    map vars;           /* variable -> its newest ir_known */
    ir_fact_vec facts;
    unsigned depth; /* of recursion so far: past a limit the answer is "not known" */
    unsigned fuel;  /* nodes that the question under way may still look at: as above */
    unsigned steps; /* of the proof so far */
};

enum {
    IR_ANALYZER_DEPTH = 200,
    IR_ANALYZER_FUEL = 200000,
    IR_PROOF_STEPS = 200,
    IR_FACTS_SEEN = 64
};

/* A question from outside begins. */
static inline void ir_analyzer_begin(ir_analyzer *az)
{
    if (az->depth == 0) az->fuel = IR_ANALYZER_FUEL;
}
/* One more node to look at: false where the answer must be "not known". */
static inline bool ir_analyzer_enter(ir_analyzer *az)
{
    if (az->depth >= IR_ANALYZER_DEPTH || az->fuel == 0) return false;
    ++az->depth;
    --az->fuel;
    return true;
}
/* The first fact that is looked at: the newest ones say most, and there may be very many. */
static inline size_t ir_analyzer_facts(const ir_analyzer *az)
{
    return az->facts.n > IR_FACTS_SEEN ? az->facts.n - IR_FACTS_SEEN : 0;
}

const ir_known *ir_known_of(const ir_analyzer *az, const ir_var *var);

/* The interval of a value; of the mathematical value of a form; and whether an interval shows that
 * arithmetic of the type did not wrap. */
ir_span ir_span_of(ir_analyzer *az, const ir_node *n);
ir_span ir_span_of_linear(ir_analyzer *az, const ir_linear *l);
bool ir_span_fits(ir_span s, ir_type type);
/* Both: the form of an expression, its number being the value. */
bool ir_linear_exact(ir_analyzer *az, const ir_node *expr, ir_linear *out);
/* Is a product's value that of its factors, multiplied as numbers? */
bool ir_product_exact(ir_analyzer *az, const ir_bin *n);

ir_modular_set ir_modular_of_linear(ir_analyzer *az, const ir_linear *l);

/* Also for conditions that read memory, for use where no store can come between. */
void ir_assume_here(ir_analyzer *az, const ir_node *cond, bool holds);

/* Is form <= 0 (as a number) proved? */
bool ir_prove_form(ir_analyzer *az, const ir_linear *form);

/* 1: the comparison a op b always holds, 0: it never does, -1: not known. For integers of one type.
 */
int ir_decide_compare(ir_analyzer *az, ir_op op, const ir_node *a, const ir_node *b);
/* The same for any bool expression, by its structure and the facts. */
int ir_decide(ir_analyzer *az, const ir_node *cond);

#endif
