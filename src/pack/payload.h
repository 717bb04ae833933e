/* What a payload looks like, judged by its bytes. */
#ifndef PACK_PAYLOAD_H
#define PACK_PAYLOAD_H

#include "base/str.h"

typedef enum payload_kind {
#define PAYLOAD_KIND(NAME, text, advice) PAYLOAD_##NAME,
#include "pack/payload_kinds.def"
#undef PAYLOAD_KIND
} payload_kind;

payload_kind payload_look(str bytes);

/* "MSL text", ... as it stands in the middle of a sentence. */
const char *payload_text(payload_kind kind);

/* What a compile callback that meant a compiled payload should return instead: a whole clause that follows
 * "...;". Never NULL; empty for a metallib. */
const char *payload_advice(payload_kind kind);

/* True for bytes that begin with MTLB and whose size field is their size: what passes for a metallib
 * before its inside is read. Else *why (of at least PAYLOAD_WHY bytes) says what is wrong. */
enum { PAYLOAD_WHY = 160 };
bool payload_is_metallib(str bytes, char *why);

#endif
