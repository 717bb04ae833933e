/* Lambdas: refused by name. */
#include "mslfront/parser.h"

mf_expr *mf_parse_lambda(mf_parser *p)
{
    span at = mf_cur(p)->at;
    mf_syntax(p, at, "lambdas are not supported");
    return mf_error(p, at);
}
