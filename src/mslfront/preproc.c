/* The preprocessor's main loop: the file, the directives in it, the macros' bodies above it. */
#include "base/buf.h"
#include "mslfront/preproc.h"

mf_macro *mf_library_macro(arena *mem, mf_ident *name, const char *text)
{
    mf_macro *m = arena_new(mem, mf_macro);
    m->name = name;
    m->library_text = text;
    return m;
}

mf_tokens mf_pp_lex_text(mf_preproc *pp, str text, span at)
{
    mf_lexer x = {.mem = pp->mem,
                  .idents = pp->idents,
                  .diags = pp->diags,
                  .text = text.p,
                  .end = (uint32_t)text.n,
                  .file = at.file};
    mf_tokens out = mf_tokens_none();
    for (;;) {
        mf_token t = mf_lex(&x);
        if (t.kind == MF_TOK_END) return out;
        t.at = at;
        mf_tokens_push(pp->mem, &out, t);
    }
}

void mf_pp_push(mf_preproc *pp, mf_frame frame)
{
    mf_frame *f = arena_copy(pp->mem, &frame, sizeof frame);
    f->below = pp->top;
    pp->top = f;
    if (f->macro != NULL) f->macro->busy = true;
}

mf_token mf_pp_file(mf_preproc *pp)
{
    for (;;) {
        mf_token t = pp->has_ahead ? pp->ahead : mf_lex(&pp->file);
        pp->has_ahead = false;
        mf_including *outer = pp->including;
        if (t.kind != MF_TOK_END || outer == NULL) return t;
        bool quiet = pp->file.quiet;
        pp->file = outer->file;
        pp->file.quiet = quiet;
        pp->ahead = outer->ahead;
        pp->has_ahead = outer->has_ahead;
        pp->including = outer->outer;
        pp->numbering = outer->numbering;
        --pp->include_depth;
    }
}

static void open_file(mf_preproc *pp, uint32_t file)
{
    str text = pp->sources->files[file - 1].text;
    pp->file = (mf_lexer){.mem = pp->mem,
                          .idents = pp->idents,
                          .diags = pp->diags,
                          .text = text.p,
                          .end = (uint32_t)text.n,
                          .file = file};
    if (text.n >= 3 && memcmp(text.p, "\xEF\xBB\xBF", 3) == 0)
        pp->file.at = 3; /* a byte order mark */
}

void mf_pp_enter_file(mf_preproc *pp, uint32_t file)
{
    mf_including *outer = arena_new(pp->mem, mf_including);
    *outer = (mf_including){.outer = pp->including,
                            .file = pp->file,
                            .numbering = pp->numbering,
                            .ahead = pp->ahead,
                            .has_ahead = pp->has_ahead};
    pp->including = outer;
    pp->numbering = (mf_numbering){0};
    pp->has_ahead = false;
    ++pp->include_depth;
    open_file(pp, file);
}

void mf_pp_unread(mf_preproc *pp, mf_token t)
{
    pp->ahead = t;
    pp->has_ahead = true;
}

mf_token mf_pp_raw(mf_preproc *pp)
{
    while (pp->top != NULL) {
        mf_frame *f = pp->top;
        if (pp->stopped) return (mf_token){.kind = MF_TOK_END};
        if (f->at < f->n) return f->tokens[f->at++];
        if (f->floor) return (mf_token){.kind = MF_TOK_END};
        if (f->macro != NULL) f->macro->busy = false;
        pp->top = f->below;
    }
    if (pp->stopped) return (mf_token){.kind = MF_TOK_END};
    return mf_pp_file(pp);
}

/* _Pragma("text"): true when it was one; a loop pragma is put in front of what follows. */
static bool pragma_operator(mf_preproc *pp, mf_token name)
{
    mf_token open = mf_pp_raw(pp);
    mf_token text = open.kind == MF_TOK_L_PAREN ? mf_pp_raw(pp) : open;
    mf_token close = text.kind == MF_TOK_STRING ? mf_pp_raw(pp) : text;
    if (close.kind != MF_TOK_R_PAREN || text.kind != MF_TOK_STRING || text.n < 2) {
        diag_error(pp->diags, name.at, "_Pragma takes a string in parentheses");
        return true;
    }
    mf_tokens words = mf_pp_lex_text(pp, (str){text.p + 1, text.n - 2}, name.at);
    mf_token loop = mf_pp_pragma(pp, words, name.at);
    if (loop.kind == MF_TOK_END) return true;
    mf_pp_push(pp, (mf_frame){.tokens = arena_copy(pp->mem, &loop, sizeof loop), .n = 1});
    return true;
}

mf_token mf_pp_next(mf_preproc *pp)
{
    for (;;) {
        mf_token t = mf_pp_raw(pp);
        bool from_file = pp->top == NULL; /* only now: a macro used up was still there before */
        if (from_file && t.kind == MF_TOK_HASH && (t.flags & MF_AT_LINE) != 0) {
            mf_token loop = mf_pp_directive(pp, t);
            if (loop.kind != MF_TOK_END) return loop;
            continue;
        }
        if (t.kind != MF_TOK_IDENT) return t;
        if (t.ident->macro == NULL) {
            if (str_is(t.ident->text, "_Pragma") && pragma_operator(pp, t)) continue;
            return t;
        }
        if (t.ident->macro->busy) t.flags |= MF_PAINTED;
        if ((t.flags & MF_PAINTED) != 0 || !mf_pp_replace(pp, &t)) return t;
    }
}

mf_tokens mf_pp_expand(mf_preproc *pp, const mf_token *tokens, size_t n)
{
    mf_tokens out = mf_tokens_none();
    if (n == 0 || pp->stopped) return out;
    if (++pp->depth > MF_MACRO_DEPTH) {
        diag_error(pp->diags, tokens[0].at, "macro calls are nested more than %d deep",
                   MF_MACRO_DEPTH);
        pp->stopped = true;
        --pp->depth;
        return out;
    }
    mf_frame *outside = pp->top;
    mf_pp_push(pp, (mf_frame){.tokens = tokens, .n = n, .floor = true});
    for (mf_token t = mf_pp_next(pp); t.kind != MF_TOK_END; t = mf_pp_next(pp)) {
        mf_tokens_push(pp->mem, &out, t);
    }
    while (pp->top != outside) { /* only after a stop is there more than the floor */
        if (pp->top->macro != NULL) pp->top->macro->busy = false;
        pp->top = pp->top->below;
    }
    --pp->depth;
    return out;
}

static void define(mf_preproc *pp, str name, str value)
{
    mf_ident *id = mf_intern(pp->mem, pp->idents, name);
    id->macro = arena_new(pp->mem, mf_macro);
    id->macro->name = id;
    id->macro->body = mf_pp_lex_text(pp, value, (span){0});
}

static void define_special(mf_preproc *pp, const char *name, mf_special special)
{
    mf_ident *id = mf_intern(pp->mem, pp->idents, str_of(name));
    id->macro = arena_new(pp->mem, mf_macro);
    id->macro->name = id;
    id->macro->special = special;
}

static void start(mf_preproc *pp, uint32_t file, const mf_options *options)
{
    pp->options = options;
    open_file(pp, file);
    uint32_t version = options->version != 0 ? options->version : MF_VERSION;
    define(pp, STR("__METAL_VERSION__"), str_format(pp->mem, "%u", version));
    if (version < 310) mf_intern(pp->mem, pp->idents, STR("__HAVE_BFLOAT__"))->macro = NULL;
    if (version < 230) mf_intern(pp->mem, pp->idents, STR("__HAVE_SIMDGROUP_MATRIX__"))->macro = NULL;
    define_special(pp, "__LINE__", MF_SPECIAL_LINE);
    define_special(pp, "__FILE__", MF_SPECIAL_FILE);
    define_special(pp, "__COUNTER__", MF_SPECIAL_COUNTER);
    for (size_t i = 0; i < options->define_count; ++i) {
        define(pp, options->defines[i].name, options->defines[i].value);
    }
}

/* The library's own text, in front of the user's. */
static uint32_t read_library(mf_preproc *pp, const char *const *lines, size_t n, mf_tokens *out)
{
    ingot_allocator hook = arena_hook(pp->mem);
    buf text = buf_make(&hook);
    for (size_t i = 0; i < n; ++i) {
        buf_text(&text, lines[i]);
        buf_char(&text, '\n');
    }
    str all = buf_view(&text);
    mf_lexer x = {.mem = pp->mem, .idents = pp->idents, .diags = pp->diags, .text = all.p, .end = (uint32_t)all.n};
    x.file = source_add(pp->mem, pp->sources, STR("metal_stdlib"), all);
    for (mf_token t = mf_lex(&x); t.kind != MF_TOK_END; t = mf_lex(&x)) mf_tokens_push(pp->mem, out, t);
    return x.file;
}

static void read_prelude(mf_preproc *pp, mf_tokens *out)
{
    static const char *const lines[] = {
#define MF_PRELUDE(line) line,
#include "mslfront/library/prelude.def"
#undef MF_PRELUDE
    };
    (void)read_library(pp, lines, sizeof lines / sizeof lines[0], out);
}

/* Parts of it that few texts use go between the rest and a text that names them. */
static uint32_t insert_library(mf_preproc *pp, const char *const *lines, size_t count, size_t before, mf_tokens *out)
{
    mf_tokens library = mf_tokens_none();
    const uint32_t file = read_library(pp, lines, count, &library);
    const size_t n = out->n - before;
    for (size_t i = 0; i < library.n; ++i) mf_tokens_push(pp->mem, out, library.at[i]);
    memmove(out->at + before + library.n, out->at + before, n * sizeof *out->at);
    memcpy(out->at + before, library.at, library.n * sizeof *out->at);
    return file;
}

/* Such a part: what it says, and how the names begin that ask for it. */
typedef struct library_part {
    const char *const *lines;
    size_t count;
    const char *words[11];
} library_part;

static bool is_named(const mf_idents *set, const library_part *part)
{
    for (size_t i = 0; i < set->slot_count; ++i) {
        for (size_t k = 0; set->slots[i] != NULL && part->words[k] != NULL; ++k)
            if (str_starts(set->slots[i]->text, str_of(part->words[k]))) return true;
    }
    return false;
}

static void read_parts(mf_preproc *pp, size_t before, mf_tokens *out)
{
#define MF_PRELUDE(line) line,
    static const char *const textures[] = {
#include "mslfront/library/textures.def"
    };
    static const char *const tensors[] = {
#include "mslfront/library/tensors.def"
    };
    static const char *const logging[] = {
#include "mslfront/library/logging.def"
    };
    static const char *const copies[] = {
#include "mslfront/library/copies.def"
    };
    static const char *const packing[] = {
#include "mslfront/library/packing.def"
    };
#undef MF_PRELUDE
#define PART(lines) lines, sizeof lines / sizeof lines[0]
    static const library_part parts[MF_PARTS] = {
        {PART(textures), {"texture1d", "texture2d", "texture3d", "texturecube", "texture_buffer", "depth2d", "depthcube", "sampler"}},
        {PART(tensors), {"tensor_ops"}},
        {PART(logging), {"os_log"}},
        {PART(copies), {"__asm", "asm"}},
        {PART(packing), {"pack_half_to_snorm2x16", "pack_half_to_unorm2x16", "unpack_snorm2x16_to_half", "unpack_unorm2x16_to_half",
                         "pack_float_to_srgb", "pack_half_to_srgb", "unpack_unorm4x8_srgb", "pack_float_to_unorm10", "pack_half_to_unorm10",
                         "unpack_unorm10"}}};
#undef PART
    bool named[MF_PARTS];
    for (size_t i = 0; i < MF_PARTS; ++i) named[i] = is_named(pp->idents, &parts[i]); /* by the text, not by another part */
    for (size_t i = 0; i < MF_PARTS; ++i)
        if (named[i]) pp->part_files[i] = insert_library(pp, parts[i].lines, parts[i].count, before, out);
}

/* "and" and its like: names to the preprocessor, marks to the parser. */
static void spell_out(mf_token *t)
{
    static const struct {
        const char *word;
        mf_token_kind kind;
    } words[] = {{"and", MF_TOK_AMP_AMP},    {"or", MF_TOK_PIPE_PIPE}, {"not", MF_TOK_BANG},
                 {"not_eq", MF_TOK_BANG_EQ}, {"bitand", MF_TOK_AMP},   {"bitor", MF_TOK_PIPE},
                 {"xor", MF_TOK_CARET},      {"compl", MF_TOK_TILDE}};
    for (size_t i = 0; t->kind == MF_TOK_IDENT && t->n <= 6 && i < sizeof words / sizeof words[0]; ++i) {
        if (str_is(t->ident->text, words[i].word)) t->kind = words[i].kind;
    }
}

mf_tokens mf_preprocess(mf_preproc *pp, uint32_t file, const mf_options *options)
{
    start(pp, file, options);
    mf_tokens out = {.cap = pp->file.end / 4 + 8000};
    out.at = arena_array(pp->mem, mf_token, out.cap);
    read_prelude(pp, &out);
    const size_t prelude = out.n;
    for (;;) {
        mf_token t = mf_pp_next(pp);
        if (t.kind == MF_TOK_END) break;
        spell_out(&t);
        mf_tokens_push(pp->mem, &out, t);
    }
    mf_pp_finish(pp);
    read_parts(pp, prelude, &out);
    span end = {file, pp->file.end, pp->file.end};
    mf_tokens_push(pp->mem, &out, (mf_token){.kind = MF_TOK_END, .flags = MF_AT_LINE, .at = end});
    return out;
}
