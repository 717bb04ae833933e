/* Minimum, maximum and mean of a buffer in one pass. */
#include "cli/summary.h"

#include <math.h>

/* Integers are compared as such: a double cannot tell large neighbours apart. */
static bool less(const cli_element *e, const void *data, size_t a, size_t b)
{
    if (e->class == CLI_ELEMENT_INT)
        return cli_element_int(e, data, a) < cli_element_int(e, data, b);
    if (e->class == CLI_ELEMENT_UINT)
        return cli_element_uint(e, data, a) < cli_element_uint(e, data, b);
    return cli_element_real(e, data, a) < cli_element_real(e, data, b);
}

cli_summary cli_summarize(const cli_element *e, const void *data, size_t count)
{
    cli_summary s = {.count = count};
    double sum = 0, lost = 0; /* Neumaier's sum: 16 Mi additions must not eat the mean's digits */
    for (size_t i = 0; i < count; i++) {
        double value = cli_element_real(e, data, i);
        if (isnan(value)) {
            s.nans++;
            continue;
        }
        if (isinf(value)) s.infinities++;
        if (s.numbers == 0 || less(e, data, i, s.least)) s.least = i;
        if (s.numbers == 0 || less(e, data, s.greatest, i)) s.greatest = i;
        s.numbers++;
        double next = sum + value;
        lost += fabs(sum) >= fabs(value) ? (sum - next) + value : (value - next) + sum;
        sum = next;
    }
    if (s.infinities)
        s.mean = sum / (double)s.numbers; /* `lost` is NaN by now */
    else if (s.numbers)
        s.mean = (sum + lost) / (double)s.numbers;
    return s;
}
