/* What may be meant by a name that is not known: one that is, a letter or two away. */
#include "mslfront/library.h"
#include "mslfront/parser.h"

enum { LONGEST_NAME = 64, MOST_SUGGESTED = 50 };

/* Letters to change, add, leave out or swap with their neighbour to make one of the other; more than `most` counts as most + 1. */
static unsigned distance(str a, str b, unsigned most)
{
    unsigned rows[3][LONGEST_NAME + 1];
    if (a.n > LONGEST_NAME || b.n > LONGEST_NAME || (a.n > b.n ? a.n - b.n : b.n - a.n) > most) return most + 1;
    for (unsigned j = 0; j <= b.n; ++j) rows[0][j] = j;
    for (unsigned i = 1; i <= a.n; ++i) {
        unsigned *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3], least = i;
        now[0] = i;
        for (unsigned j = 1; j <= b.n; ++j) {
            unsigned d = before[j - 1] + (a.p[i - 1] != b.p[j - 1]);
            if (before[j] + 1 < d) d = before[j] + 1;
            if (now[j - 1] + 1 < d) d = now[j - 1] + 1;
            const bool swapped = i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1];
            if (swapped && earlier[j - 2] + 1 < d) d = earlier[j - 2] + 1;
            now[j] = d;
            if (d < least) least = d;
        }
        if (least > most) return most + 1;
    }
    const unsigned d = rows[a.n % 3][b.n];
    return d <= most ? d : most + 1;
}

bool mf_is_nearer(str wanted, str name, mf_nearest *best)
{
    const unsigned most = wanted.n < 3 ? 0 : wanted.n < 6 ? 1 : wanted.n < 12 ? 2 : 3;
    if (name.n == 0 || (name.n > 1 && name.p[0] == '_' && name.p[1] == '_')) return false; /* the library's own */
    const unsigned d = distance(wanted, name, most);
    if (d == 0 || d > most || (best->name.n != 0 && d >= best->distance)) return false;
    *best = (mf_nearest){name, d};
    return true;
}

static bool is_declared(const mf_parser *p, const mf_ident *id)
{
    if (id->type != NULL && !id->type_in_metal) return true;
    for (const mf_scope *s = p->scope; s != NULL; s = s->parent) {
        if (mf_find(s, id) != NULL) return true;
        if (s->is_metal && (id->builtin >= 0 || id->type != NULL || (p->metal != NULL && mf_find(p->metal, id) != NULL))) return true;
    }
    return false;
}

str mf_suggest_name(mf_parser *p, str name)
{
    if (p->diags->errors >= MOST_SUGGESTED) return (str){0}; /* each looks through all names */
    mf_nearest best = {0};
    for (size_t i = 0; i < p->idents->slot_count; ++i) {
        const mf_ident *id = p->idents->slots[i];
        if (id == NULL) continue;
        const mf_nearest before = best;
        if (mf_is_nearer(name, id->text, &best) && !is_declared(p, id)) best = before;
    }
    bool metal = false;
    for (const mf_scope *s = p->scope; s != NULL; s = s->parent) metal = metal || s->is_metal;
    for (int i = 0; metal && i < MF_BUILTINS; ++i) (void)mf_is_nearer(name, str_of(mf_builtin_name((mf_builtin)i)), &best);
    return best.name;
}
