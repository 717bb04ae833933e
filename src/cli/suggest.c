/* "Did you mean ...?": the nearest of some names by edit distance. */
#include "cli/options.h"

#include <string.h>

enum { LONGEST = 40 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. Both at most
 * LONGEST long. */
static size_t distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t rows[3][LONGEST + 1];
    size_t *older = rows[0], *old = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_size; j++) old[j] = older[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t best = least(old[j] + 1, row[j - 1] + 1);
            best = least(best, old[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = least(best, older[j - 2] + 1);
            row[j] = best;
        }
        size_t *spare = older;
        older = old;
        old = row;
        row = spare;
    }
    return old[b_size];
}

const char *cli_suggest(const char *word, const char *const *names, size_t count)
{
    size_t size = strlen(word);
    if (size == 0 || size > LONGEST) return NULL;
    const char *nearest = NULL;
    size_t best = size < 4 ? 2 : 2 + size / 4; /* as far as this is another word */
    for (size_t i = 0; i < count; i++) {
        size_t name_size = strlen(names[i]);
        if (name_size > LONGEST) continue;
        size_t d = distance(word, size, names[i], name_size);
        if (d >= best || d >= size) continue;
        best = d;
        nearest = names[i];
    }
    return nearest;
}
