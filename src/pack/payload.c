/* What a payload looks like, judged by its bytes. */
#include "pack/payload.h"

#include <stdio.h>

#include "pack/container.h"
#include "pack/reader.h"

typedef struct magic {
    const char *bytes;
    size_t size;
    payload_kind kind;
} magic;

#define MAGIC(literal, kind) {literal, sizeof(literal) - 1, PAYLOAD_##kind}
static const magic magics[] = {
    MAGIC("MTLB", METALLIB),
    MAGIC("\xDE\xC0\x17\x0B", BITCODE), /* the wrapper of Darwin */
    MAGIC("BC\xC0\xDE", BITCODE),
    MAGIC("\xCB\xFE\xBA\xBE", FAT), /* both byte orders */
    MAGIC("\xBE\xBA\xFE\xCB", FAT),
    MAGIC("\xCA\xFE\xBA\xBE", MACHO), /* of several machines */
    MAGIC("\xFE\xED\xFA\xCE", MACHO),
    MAGIC("\xFE\xED\xFA\xCF", MACHO),
    MAGIC("\xCE\xFA\xED\xFE", MACHO),
    MAGIC("\xCF\xFA\xED\xFE", MACHO),
    MAGIC("\x7F" "ELF", ELF),
    MAGIC("!<arch>\n", ARCHIVE),
    MAGIC("\x1F\x8B", GZIP),
    MAGIC("PK\x03\x04", ZIP),
    MAGIC("PK\x05\x06", ZIP),
    MAGIC("BZh", BZIP2),
    MAGIC("\xFD" "7zXZ", XZ),
    MAGIC("\x28\xB5\x2F\xFD", ZSTD),
    MAGIC("\x03\x02\x23\x07", SPIRV),
    MAGIC(PACK_MAGIC, INGOT),
};
#undef MAGIC

/* Printable text with blanks: no control byte in the first 4096. Bytes past 127 may be UTF-8. */
static bool is_text(str s)
{
    size_t n = s.n < 4096 ? s.n : 4096;
    for (size_t i = 0; i < n; ++i) {
        unsigned char c = (unsigned char)s.p[i];
        if ((c < 32 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v') || c == 127) return false;
    }
    return true;
}

static bool has(str s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= s.n; ++i) {
        if (memcmp(s.p + i, word, n) == 0) return true;
    }
    return false;
}

static bool has_any(str s, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (has(s, words[i])) return true;
    }
    return false;
}

static payload_kind look_at_text(str s)
{
    static const char *const msl[] = {"metal_stdlib", "[[kernel]]", "[[ kernel ]]", "kernel void",
                                      "using namespace metal", "[[buffer(", "[[ buffer("};
    static const char *const llvm[] = {"; ModuleID", "source_filename =", "target triple", "target datalayout",
                                       "define void @", "declare void @"};
    str head = {s.p, s.n < 65536 ? s.n : 65536};
    if (has_any(head, llvm, sizeof llvm / sizeof llvm[0])) return PAYLOAD_LLVM;
    if (has_any(head, msl, sizeof msl / sizeof msl[0])) return PAYLOAD_MSL;
    bool one_line = s.n < 4096 && memchr(s.p, '\n', s.n) == NULL;
    bool path = one_line && (str_ends(s, STR(".metallib")) || str_ends(s, STR(".air")) || str_ends(s, STR(".metal")));
    return path ? PAYLOAD_PATH : PAYLOAD_TEXT;
}

payload_kind payload_look(str bytes)
{
    if (bytes.n == 0) return PAYLOAD_EMPTY;
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; ++i) {
        if (str_starts(bytes, (str){magics[i].bytes, magics[i].size})) return magics[i].kind;
    }
    /* A UTF-8 byte order mark does not make it less of a text. */
    if (str_starts(bytes, STR("\xEF\xBB\xBF"))) bytes = (str){bytes.p + 3, bytes.n - 3};
    return is_text(bytes) ? look_at_text(bytes) : PAYLOAD_UNKNOWN;
}

typedef struct kind_info {
    const char *text, *advice;
} kind_info;

static const kind_info kinds[] = {
#define PAYLOAD_KIND(NAME, text, advice) [PAYLOAD_##NAME] = {text, advice},
#include "pack/payload_kinds.def"
#undef PAYLOAD_KIND
};

const char *payload_text(payload_kind kind)
{
    return kinds[kind].text;
}

const char *payload_advice(payload_kind kind)
{
    return kinds[kind].advice;
}

bool payload_is_metallib(str bytes, char *why)
{
    if (!str_starts(bytes, STR("MTLB"))) {
        snprintf(why, PAYLOAD_WHY, "it does not begin with MTLB");
        return false;
    }
    if (bytes.n < 24) {
        snprintf(why, PAYLOAD_WHY, "it is cut short: %zu bytes do not hold its size field", bytes.n);
        return false;
    }
    reader r = reader_of(bytes.p, bytes.n);
    r.at = 16;
    uint64_t size = reader_u64(&r);
    if (size == bytes.n) return true;
    snprintf(why, PAYLOAD_WHY, "its size field says %llu bytes, and it has %zu", (unsigned long long)size, bytes.n);
    return false;
}
