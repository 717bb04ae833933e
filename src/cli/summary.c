/* Minimum, maximum and mean of a buffer in one pass. */
#include "cli/summary.h"

#include <math.h>

/* Integers are compared as such: a double cannot tell large neighbours apart. */
static bool less(const cli_element *e, const void *data, size_t a, size_t b)
{
    if (e->class == CLI_ELEMENT_INT)
        return cli_element_int(e, data, a) < cli_element_int(e, data, b);
    return cli_element_uint(e, data, a) < cli_element_uint(e, data, b);
}

/* Notes where the least and the greatest number are; `values` are those of floats, kept between
 * calls. */
static void note(const cli_element *e, const void *data, size_t i, double value, cli_summary *s,
                 double values[2])
{
    bool real = e->class == CLI_ELEMENT_FLOAT, first = s->numbers == 0;
    if (first || (real ? value < values[0] : less(e, data, i, s->least))) {
        s->least = i;
        values[0] = value;
    }
    if (first || (real ? value > values[1] : less(e, data, s->greatest, i))) {
        s->greatest = i;
        values[1] = value;
    }
    s->numbers++;
}

cli_summary cli_summarize(const cli_element *e, const void *data, size_t count)
{
    cli_summary s = {.count = count};
    double range[2] = {0, 0};
    double sum = 0, lost = 0; /* Neumaier's sum: 16 Mi additions must not eat the mean's digits */
    for (size_t i = 0; i < count; i++) {
        double value = cli_element_real(e, data, i);
        if (isnan(value)) {
            s.nans++;
            continue;
        }
        if (isinf(value)) s.infinities++;
        note(e, data, i, value, &s, range);
        double next = sum + value;
        lost += fabs(sum) >= fabs(value) ? (sum - next) + value : (value - next) + sum;
        sum = next;
    }
    if (isinf(sum) || isnan(sum))
        s.mean = sum / (double)s.numbers; /* `lost` is NaN by now */
    else if (s.numbers)
        s.mean = (sum + lost) / (double)s.numbers;
    return s;
}
