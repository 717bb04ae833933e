/* One diagnostic as the public header tells it. */
#include "api/diagnostic.h"

static const ingot_severity severities[] = {[DIAG_ERROR] = INGOT_SEVERITY_ERROR,
                                            [DIAG_WARNING] = INGOT_SEVERITY_WARNING,
                                            [DIAG_NOTE] = INGOT_SEVERITY_NOTE};

bool diagnostic_report(const diag_list *diags, const diag *d, const ingot_allocator *mem, const diagnostic_hook *hook)
{
    if (hook->fn == NULL) return true;
    source_pos at = source_locate(diags->sources, d->at);
    buf text = buf_make(mem), file = buf_make(mem);
    diag_render(diags, d, hook->colour, &text);
    buf_char(&text, '\0');
    buf_str(&file, at.file);
    buf_char(&file, '\0');
    bool whole = !text.failed && !file.failed;
    ingot_diagnostic out = {.severity = severities[d->severity],
                            .file = file.p,
                            .line = at.line,
                            .column = at.column,
                            .length = d->at.end > d->at.begin ? d->at.end - d->at.begin : 0,
                            .message = d->message.p,
                            .text = text.p};
    if (whole) hook->fn(hook->user, &out);
    buf_free(&text);
    buf_free(&file);
    return whole;
}
