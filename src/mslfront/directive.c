/* Preprocessing directives: macros, conditions, includes, pragmas. */
#include "mslfront/literal.h"
#include "mslfront/preproc.h"

bool mf_pp_known_header(str name)
{
    static const char *const known[] = {
#define MF_HEADER(name) name,
#include "mslfront/library/headers.def"
#undef MF_HEADER
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (str_is(name, known[i])) return true;
    }
    return false;
}

mf_tokens mf_pp_line(mf_preproc *pp)
{
    mf_tokens out = mf_tokens_none();
    for (;;) {
        mf_token t = mf_pp_file(pp);
        if (t.kind == MF_TOK_END || (t.flags & MF_AT_LINE) != 0) {
            mf_pp_unread(pp, t);
            return out;
        }
        mf_tokens_push(pp->mem, &out, t);
    }
}

static span line_span(const mf_tokens *words, span otherwise)
{
    return words->n != 0 ? span_join(words->at[0].at, words->at[words->n - 1].at) : otherwise;
}

static bool same_body(const mf_macro *a, const mf_macro *b)
{
    if (a->function_like != b->function_like || a->param_count != b->param_count ||
        a->body.n != b->body.n || a->library_text != NULL) {
        return false;
    }
    for (size_t i = 0; i < a->param_count; ++i) {
        if (a->params[i] != b->params[i]) return false;
    }
    for (size_t i = 0; i < a->body.n; ++i) {
        if (!str_eq(mf_token_text(&a->body.at[i]), mf_token_text(&b->body.at[i]))) return false;
    }
    return true;
}

/* The parameter list after "NAME("; gives the index after ")", or 0 after a complaint. */
static size_t read_params(mf_preproc *pp, const mf_tokens *words, mf_macro *m)
{
    m->params = arena_array(pp->mem, mf_ident *, words->n);
    size_t i = 2;
    if (i < words->n && words->at[i].kind == MF_TOK_R_PAREN) return i + 1;
    while (i < words->n) {
        const mf_token *t = &words->at[i];
        if (t->kind == MF_TOK_ELLIPSIS) {
            m->variadic = true;
            m->params[m->param_count++] = mf_intern(pp->mem, pp->idents, STR("__VA_ARGS__"));
        } else if (t->ident != NULL) {
            m->params[m->param_count++] = t->ident;
        } else {
            break;
        }
        if (++i >= words->n) break;
        if (words->at[i].kind == MF_TOK_R_PAREN) return i + 1;
        if (words->at[i].kind != MF_TOK_COMMA || m->variadic) break;
        ++i;
    }
    span at = i < words->n ? words->at[i].at : line_span(words, words->at[0].at);
    diag_error(pp->diags, at,
               "expected a parameter name, ',' or ')' in the parameters of macro '%.*s'",
               STR_ARG(m->name->text));
    return 0;
}

static void define(mf_preproc *pp, span at)
{
    mf_tokens words = mf_pp_line(pp);
    if (words.n == 0 || words.at[0].ident == NULL || str_is(words.at[0].ident->text, "defined")) {
        diag_error(pp->diags, line_span(&words, at), "#define needs a macro name");
        return;
    }
    mf_ident *name = words.at[0].ident;
    mf_macro *m = arena_new(pp->mem, mf_macro);
    m->name = name;
    m->at = words.at[0].at;
    size_t body = 1;
    if (words.n > 1 && words.at[1].kind == MF_TOK_L_PAREN &&
        (words.at[1].flags & MF_AT_SPACE) == 0) {
        m->function_like = true;
        body = read_params(pp, &words, m);
        if (body == 0) return;
    }
    m->body = (mf_tokens){.at = words.at + body, .n = words.n - body, .cap = words.n - body};
    if (name->macro != NULL && !same_body(name->macro, m)) {
        diag_warning(pp->diags, m->at, "macro '%.*s' is defined again", STR_ARG(name->text));
        if (name->macro->at.file != 0) diag_note(pp->diags, name->macro->at, "it was defined here");
    }
    name->macro = m;
}

static void undefine(mf_preproc *pp, span at)
{
    mf_tokens words = mf_pp_line(pp);
    if (words.n != 1 || words.at[0].ident == NULL) {
        diag_error(pp->diags, line_span(&words, at), "#undef needs a macro name and nothing else");
        return;
    }
    words.at[0].ident->macro = NULL;
}

/* Metal's headers of what is not here. */
static bool is_unsupported_header(str name)
{
    static const char *const headers[] = {"MetalPerformancePrimitives/", "metal_cooperative_tensor", "metal_curves", "metal_imageblocks",
                                          "metal_mesh", "metal_raytracing", "metal_tensor", "metal_visible_function_table"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; ++i)
        if (str_starts(name, str_of(headers[i]))) return true;
    return false;
}

/* A file's name without "." and "name/..": the same for each way that leads to it, but for links. */
static str plain_path(arena *mem, str path)
{
    char *out = arena_array(mem, char, path.n + 1);
    size_t n = 0;
    for (size_t at = 0; at < path.n;) {
        size_t end = at;
        while (end < path.n && path.p[end] != '/') ++end;
        const str part = {path.p + at, end - at};
        size_t before = n > 0 ? n - 1 : 0; /* where the part before begins: what there is ends with "/" */
        while (before > 0 && out[before - 1] != '/') --before;
        const str previous = {out + before, n > before ? n - 1 - before : 0};
        if (str_is(part, "..") && previous.n != 0 && !str_is(previous, "..")) {
            n = before;
        } else if (!str_is(part, ".") && (part.n != 0 || at == 0)) {
            for (size_t i = 0; i < part.n; ++i) out[n++] = part.p[i];
            if (end < path.n) out[n++] = '/';
        }
        at = end + 1;
    }
    return (str){out, n};
}

/* A header that the options' reader finds. */
static void include_file(mf_preproc *pp, str name, bool angled, span at)
{
    str path = {0}, text = {0};
    str from = pp->sources->files[at.file - 1].name;
    const mf_options *o = pp->options;
    if (o->include == NULL || !o->include(o->include_user, name, from, angled, &path, &text)) {
        if (is_unsupported_header(name)) {
            diag_unsupported(pp->diags, at, "what '%.*s' has is not supported", STR_ARG(name));
            return;
        }
        diag_error(pp->diags, at,
                   o->include == NULL ? "cannot include '%.*s': only Metal's own headers are there"
                                      : "cannot include '%.*s': it is not found",
                   STR_ARG(name));
        return;
    }
    if (map_get(&pp->once, plain_path(pp->mem, path)) != NULL) return;
    if (pp->include_depth >= MF_INCLUDE_DEPTH || ++pp->includes > MF_INCLUDES || text.n >= UINT32_MAX - 2) {
        diag_error(pp->diags, at, "files include each other more than %d deep, or there are too many",
                   MF_INCLUDE_DEPTH);
        pp->stopped = true;
        return;
    }
    mf_pp_enter_file(pp, source_add(pp->mem, pp->sources, str_copy(pp->mem, path), text));
}

/* The header's name as written, between its marks. */
static void include(mf_preproc *pp, span at)
{
    mf_lexer *x = &pp->file;
    uint32_t begin = x->at;
    while (begin < x->end && (x->text[begin] == ' ' || x->text[begin] == '\t')) ++begin;
    char close = begin < x->end && x->text[begin] == '<' ? '>' : '"';
    uint32_t end = begin + 1;
    while (end < x->end && x->text[end] != close && x->text[end] != '\n') ++end;
    bool whole = begin < x->end && (x->text[begin] == '<' || x->text[begin] == '"') &&
                 end < x->end && x->text[end] == close;
    if (!whole) {
        mf_tokens words = mf_pp_line(pp);
        diag_error(pp->diags, line_span(&words, at), "#include needs <name> or \"name\"");
        return;
    }
    str name = {x->text + begin + 1, end - begin - 1};
    x->at = end + 1;
    span where = {x->file, begin, end + 1};
    mf_tokens rest = mf_pp_line(pp);
    if (rest.n != 0)
        diag_warning(pp->diags, line_span(&rest, at), "words after #include are ignored");
    if (!mf_pp_known_header(name)) include_file(pp, name, close == '>', where);
}

static void begin_condition(mf_preproc *pp, span at, bool holds)
{
    if (pp->conditions.n >= MF_IF_DEPTH) {
        diag_error(pp->diags, at, "conditions are nested more than %d deep", MF_IF_DEPTH);
        pp->stopped = true;
        return;
    }
    mf_conditions_push(pp->mem, &pp->conditions,
                       (mf_condition){.at = at, .active = holds, .taken = holds});
}

static bool is_defined(mf_preproc *pp, span at, const char *directive)
{
    mf_tokens words = mf_pp_line(pp);
    if (words.n == 0 || words.at[0].ident == NULL) {
        diag_error(pp->diags, line_span(&words, at), "#%s needs a macro name", directive);
        return false;
    }
    return words.at[0].ident->macro != NULL;
}

typedef enum condition_word { NO_CONDITION, IF, IFDEF, IFNDEF, ELIF, ELSE, ENDIF } condition_word;

static condition_word condition_of(str word)
{
    static const char *const words[] = {[IF] = "if",     [IFDEF] = "ifdef", [IFNDEF] = "ifndef",
                                        [ELIF] = "elif", [ELSE] = "else",   [ENDIF] = "endif"};
    for (size_t i = IF; i <= ENDIF; ++i) {
        if (str_is(word, words[i])) return (condition_word)i;
    }
    return NO_CONDITION;
}

static void continue_condition(mf_preproc *pp, condition_word word, mf_token name)
{
    if (pp->conditions.n == 0) {
        mf_pp_line(pp);
        diag_error(pp->diags, name.at, "#%.*s without #if", STR_ARG(name.ident->text));
        return;
    }
    mf_condition *c = &pp->conditions.at[pp->conditions.n - 1];
    if (word == ENDIF) {
        --pp->conditions.n;
        mf_pp_line(pp);
        return;
    }
    if (c->has_else) diag_error(pp->diags, name.at, "#%.*s after #else", STR_ARG(name.ident->text));
    c->has_else |= word == ELSE;
    mf_tokens words = mf_pp_line(pp);
    bool holds = !c->taken && (word == ELSE || mf_pp_condition(pp, words, name.at));
    c->active = holds;
    c->taken |= holds;
}

/* Passes over a group that does not hold, up to the directive that ends it, which is obeyed. */
static void skip_group(mf_preproc *pp)
{
    unsigned depth = 0;
    while (!pp->stopped && pp->conditions.n != 0 &&
           !pp->conditions.at[pp->conditions.n - 1].active) {
        pp->file.quiet = true;
        mf_token t = mf_pp_file(pp);
        bool directive = t.kind == MF_TOK_HASH && (t.flags & MF_AT_LINE) != 0;
        mf_token name = directive ? mf_pp_file(pp) : t;
        pp->file.quiet = false;
        if (t.kind == MF_TOK_END) {
            mf_pp_unread(pp, t);
            return;
        }
        if (!directive) continue;
        if (name.ident == NULL || (name.flags & MF_AT_LINE) != 0) {
            mf_pp_unread(pp, name);
            continue;
        }
        condition_word word = condition_of(name.ident->text);
        if (word == IF || word == IFDEF || word == IFNDEF) ++depth;
        if (depth == 0 && (word == ELIF || word == ELSE || word == ENDIF))
            continue_condition(pp, word, name);
        else if (word == ENDIF)
            --depth;
    }
}

static void condition(mf_preproc *pp, condition_word word, mf_token name)
{
    switch (word) {
    case IF: {
        mf_tokens words = mf_pp_line(pp);
        begin_condition(pp, name.at, mf_pp_condition(pp, words, name.at));
        break;
    }
    case IFDEF: begin_condition(pp, name.at, is_defined(pp, name.at, "ifdef")); break;
    case IFNDEF: begin_condition(pp, name.at, !is_defined(pp, name.at, "ifndef")); break;
    case ELIF:
    case ELSE:
    case ENDIF: continue_condition(pp, word, name); break;
    case NO_CONDITION: break;
    }
    skip_group(pp);
}

/* A number among the words of a pragma, or -1. */
static long word_number(const mf_tokens *words, size_t at)
{
    if (at >= words->n || words->at[at].kind != MF_TOK_NUMBER || words->at[at].n > 6) return -1;
    long v = 0;
    for (uint32_t i = 0; i < words->at[at].n; ++i) {
        char c = words->at[at].p[i];
        if (c < '0' || c > '9') return -1;
        v = v * 10 + (c - '0');
    }
    return v;
}

static bool word_is(const mf_tokens *words, size_t at, const char *text)
{
    return at < words->n && str_is(mf_token_text(&words->at[at]), text);
}

static mf_token loop_pragma(mf_preproc *pp, const mf_tokens *words, size_t number_at, span at)
{
    mf_token t = {.kind = MF_TOK_UNROLL, .at = at, .n = (uint32_t)MF_UNROLL_FULL, .p = ""};
    if (number_at >= words->n) return t;
    mf_tokens args = mf_pp_expand(pp, words->at + number_at, words->n - number_at);
    size_t i = args.n != 0 && args.at[0].kind == MF_TOK_L_PAREN ? 1 : 0;
    long factor = word_number(&args, i);
    if (factor >= 0) {
        t.n = factor == 0 ? 1 : (uint32_t)factor;
    } else if (word_is(&args, i, "disable")) {
        t.n = MF_UNROLL_NONE;
    } else if (!word_is(&args, i, "full") && !word_is(&args, i, "enable")) {
        diag_warning(pp->diags, at,
                     "the loop is unrolled as the compiler sees fit: no constant factor");
        t.n = MF_UNROLL_DEFAULT;
    }
    return t;
}

mf_token mf_pp_pragma(mf_preproc *pp, mf_tokens words, span at)
{
    static const struct {
        const char *first, *second;
    } ignored[] = {
#define MF_PRAGMA(first, second) {first, second},
#include "mslfront/library/pragmas.def"
#undef MF_PRAGMA
    };
    mf_token none = {.kind = MF_TOK_END};
    if (words.n == 0) return none;
    if (word_is(&words, 0, "once") && pp->file.file != 0) {
        str name = pp->sources->files[pp->file.file - 1].name;
        map_put(pp->mem, &pp->once, plain_path(pp->mem, name), pp->sources);
    }
    if (word_is(&words, 0, "unroll")) return loop_pragma(pp, &words, 1, at);
    if (word_is(&words, 0, "nounroll")) {
        return (mf_token){.kind = MF_TOK_UNROLL, .at = at, .n = MF_UNROLL_NONE, .p = ""};
    }
    if (word_is(&words, 0, "clang") && word_is(&words, 1, "loop")) {
        bool unroll = word_is(&words, 2, "unroll") || word_is(&words, 2, "unroll_count");
        return unroll ? loop_pragma(pp, &words, 3, at) : none;
    }
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; ++i) {
        bool second = ignored[i].second[0] == '\0' || word_is(&words, 1, ignored[i].second);
        if (word_is(&words, 0, ignored[i].first) && second) return none;
    }
    diag_warning(pp->diags, line_span(&words, at), "unknown #pragma '%.*s' is ignored",
                 STR_ARG(mf_token_text(&words.at[0])));
    return none;
}

static void message(mf_preproc *pp, mf_token name, bool error)
{
    mf_tokens words = mf_pp_line(pp);
    span at = line_span(&words, name.at);
    str text = {pp->file.text + at.begin, words.n != 0 ? at.end - at.begin : 0};
    if (error) {
        diag_error(pp->diags, at, "#error %.*s", STR_ARG(text));
    } else {
        diag_warning(pp->diags, at, "#warning %.*s", STR_ARG(text));
    }
}

/* "#line 7 "name"", and "# 7 "name" 1" as preprocessed texts have it: what the next line is called. */
static void number_lines(mf_preproc *pp, span at)
{
    mf_tokens line = mf_pp_line(pp);
    mf_tokens words = mf_pp_expand(pp, line.at, line.n);
    mf_literal n;
    bool number = words.n != 0 && words.at[0].kind == MF_TOK_NUMBER && mf_read_number(mf_token_text(&words.at[0]), &n) == NULL &&
                  n.type == MF_INT;
    bool file = words.n > 1 && words.at[1].kind == MF_TOK_STRING;
    if (!number || (words.n > 1 && !file)) {
        diag_error(pp->diags, line_span(&line, at), "#line needs the number of the next line, and may have the name of a file in quotes");
        return;
    }
    pp->numbering.shift = (uint32_t)n.value.i - (source_locate(pp->sources, at).line + 1);
    str name = mf_token_text(&words.at[file ? 1 : 0]);
    if (file) pp->numbering.file = (str){name.p + 1, name.n - 2};
}

mf_token mf_pp_directive(mf_preproc *pp, mf_token hash)
{
    mf_token none = {.kind = MF_TOK_END};
    mf_token name = mf_pp_file(pp);
    if (name.kind == MF_TOK_END || (name.flags & MF_AT_LINE) != 0) { /* "#" alone */
        mf_pp_unread(pp, name);
        return none;
    }
    if (name.kind == MF_TOK_NUMBER) {
        mf_pp_unread(pp, name);
        number_lines(pp, name.at);
        return none;
    }
    str word = name.ident != NULL ? name.ident->text : (str){0};
    condition_word c = condition_of(word);
    if (c != NO_CONDITION) {
        condition(pp, c, name);
    } else if (str_is(word, "define")) {
        define(pp, name.at);
    } else if (str_is(word, "undef")) {
        undefine(pp, name.at);
    } else if (str_is(word, "include") || str_is(word, "import")) {
        include(pp, name.at);
    } else if (str_is(word, "pragma")) {
        return mf_pp_pragma(pp, mf_pp_line(pp), name.at);
    } else if (str_is(word, "error") || str_is(word, "warning")) {
        message(pp, name, str_is(word, "error"));
    } else if (str_is(word, "line")) {
        number_lines(pp, name.at);
    } else {
        mf_pp_line(pp);
        diag_error(pp->diags, span_join(hash.at, name.at), "unknown directive '#%.*s'",
                   STR_ARG(mf_token_text(&name)));
    }
    return none;
}

void mf_pp_finish(mf_preproc *pp)
{
    for (size_t i = pp->conditions.n; i-- != 0 && !pp->stopped;) {
        diag_error(pp->diags, pp->conditions.at[i].at, "no #endif closes this condition");
    }
}
