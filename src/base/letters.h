/* Characters that names may consist of, as Python has them. */
#ifndef BASE_LETTERS_H
#define BASE_LETTERS_H

#include "base/str.h"

/* Bytes of the first character of `text` where a name may begin with it, or go on with it; 0 where it may not. The
 * text must be UTF-8. Characters that Python would replace by others (NFKC) are none. Any thread. */
size_t letters_begin(str text);
size_t letters_continue(str text);

#endif
