/* Status texts and the library's version. */
#include "ingot/ingot.h"

const char *ingot_status_text(ingot_status status)
{
    switch (status) {
#define ROW(NAME, text)                                                                            \
    case INGOT_##NAME: return text;
        INGOT_STATUS_LIST(ROW)
#undef ROW
    }
    return "unknown status";
}

const char *ingot_version(void)
{
    return INGOT_VERSION;
}
