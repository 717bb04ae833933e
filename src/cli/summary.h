/* What a buffer holds, in a few numbers. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "cli/element.h"

/* NaN takes no part in least, greatest and mean; infinity does. */
typedef struct cli_summary {
    size_t count; /* elements */
    size_t nans, infinities;
    size_t least, greatest; /* where they are; meaningless where numbers is 0 */
    size_t numbers;         /* elements that are no NaN */
    double mean;
} cli_summary;

cli_summary cli_summarize(const cli_element *e, const void *data, size_t count);

#endif
