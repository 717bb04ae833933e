/* Macro calls: arguments, substitution, # and ##. */
#include "mslfront/preproc.h"

#include <stdio.h>

typedef struct call {
    mf_tokens *raw;      /* an argument each, as written */
    mf_tokens *expanded; /* expanded when first asked for */
    bool *done;
    size_t n;
} call;

static bool made_too_many(mf_preproc *pp, size_t n, span at)
{
    pp->made += n;
    if (pp->made <= MF_MACRO_TOKENS || pp->stopped) return pp->stopped;
    diag_error(pp->diags, at, "macros expand to more than %d tokens", MF_MACRO_TOKENS);
    pp->stopped = true;
    return true;
}

static mf_token made_token(mf_preproc *pp, str text, span at)
{
    mf_tokens one = mf_pp_lex_text(pp, text, at);
    return one.n != 0 ? one.at[0] : (mf_token){.kind = MF_TOK_UNKNOWN, .at = at};
}

static mf_token special_token(mf_preproc *pp, const mf_token *name)
{
    source_pos pos = source_locate(pp->sources, name->at);
    switch (name->ident->macro->special) {
    case MF_SPECIAL_LINE: return made_token(pp, str_format(pp->mem, "%u", pos.line + pp->numbering.shift), name->at);
    case MF_SPECIAL_FILE: {
        str file = pp->numbering.file.p != NULL ? pp->numbering.file : pos.file;
        return made_token(pp, str_format(pp->mem, "\"%.*s\"", STR_ARG(file)), name->at);
    }
    case MF_SPECIAL_COUNTER:
        return made_token(pp, str_format(pp->mem, "%u", pp->counter++), name->at);
    case MF_NOT_SPECIAL: break;
    }
    return *name;
}

/* Reads one argument up to its "," or ")", which is given. */
static mf_token_kind read_argument(mf_preproc *pp, mf_tokens *out, bool takes_commas)
{
    unsigned depth = 0;
    for (;;) {
        bool from_file = pp->top == NULL;
        mf_token t = mf_pp_raw(pp);
        if (t.kind == MF_TOK_END) return MF_TOK_END;
        if (from_file && t.kind == MF_TOK_HASH && (t.flags & MF_AT_LINE) != 0) {
            diag_unsupported(pp->diags, t.at,
                             "a directive inside the arguments of a macro is not supported");
            pp->stopped = true;
            return MF_TOK_END;
        }
        if (depth == 0 && (t.kind == MF_TOK_R_PAREN || (t.kind == MF_TOK_COMMA && !takes_commas))) {
            return t.kind;
        }
        if (t.kind == MF_TOK_L_PAREN) ++depth;
        if (t.kind == MF_TOK_R_PAREN) --depth;
        if (t.kind == MF_TOK_IDENT && t.ident->macro != NULL && t.ident->macro->busy) {
            t.flags |= MF_PAINTED;
        }
        mf_tokens_push(pp->mem, out, t);
    }
}

/* After "(": the arguments of a call of `m`. */
static bool read_arguments(mf_preproc *pp, const mf_macro *m, const mf_token *name, call *c)
{
    size_t cap = m->param_count + 1;
    c->raw = arena_array(pp->mem, mf_tokens, cap);
    c->expanded = arena_array(pp->mem, mf_tokens, cap);
    c->done = arena_array(pp->mem, bool, cap);
    size_t given = 0;
    mf_token_kind end;
    do {
        mf_tokens extra = mf_tokens_none();
        mf_tokens *into = given < m->param_count ? &c->raw[given] : &extra;
        end = read_argument(pp, into, m->variadic && given + 1 == m->param_count);
        if (end == MF_TOK_END) {
            if (!pp->stopped) {
                diag_error(pp->diags, name->at, "the call of macro '%.*s' is not closed",
                           STR_ARG(m->name->text));
            }
            return false;
        }
        bool nothing = given == 0 && end == MF_TOK_R_PAREN && into->n == 0 && m->param_count == 0;
        if (!nothing) ++given;
    } while (end != MF_TOK_R_PAREN);
    c->n = m->param_count;
    size_t least = m->variadic ? m->param_count - 1 : m->param_count;
    if (given >= least && given <= m->param_count) return true;
    diag_error(pp->diags, name->at, "macro '%.*s' takes %zu argument%s, not %zu",
               STR_ARG(m->name->text), m->param_count, m->param_count == 1 ? "" : "s", given);
    if (m->at.file != 0) diag_note(pp->diags, m->at, "it is defined here");
    return false;
}

static int param_index(const mf_macro *m, const mf_token *t)
{
    for (size_t i = 0; t->ident != NULL && i < m->param_count; ++i) {
        if (m->params[i] == t->ident) return (int)i;
    }
    return -1;
}

static mf_token stringize(mf_preproc *pp, const mf_tokens *tokens, span at)
{
    ingot_allocator hook = arena_hook(pp->mem);
    buf out = buf_make(&hook);
    buf_char(&out, '"');
    for (size_t i = 0; i < tokens->n; ++i) {
        const mf_token *t = &tokens->at[i];
        if (i != 0 && (t->flags & MF_AT_SPACE) != 0) buf_char(&out, ' ');
        bool quoted = t->kind == MF_TOK_STRING || t->kind == MF_TOK_CHAR;
        for (uint32_t k = 0; k < t->n; ++k) {
            if (quoted && (t->p[k] == '"' || t->p[k] == '\\')) buf_char(&out, '\\');
            buf_char(&out, t->p[k]);
        }
    }
    buf_char(&out, '"');
    str text = str_copy(pp->mem, buf_view(&out));
    return (mf_token){.kind = MF_TOK_STRING, .at = at, .p = text.p, .n = (uint32_t)text.n};
}

/* Joins the last token of `out` with `right`. */
static void paste(mf_preproc *pp, mf_tokens *out, const mf_token *right, span at)
{
    if (out->n == 0) {
        mf_tokens_push(pp->mem, out, *right);
        return;
    }
    mf_token left = out->at[out->n - 1];
    str text = str_format(pp->mem, "%.*s%.*s", (int)left.n, left.p, (int)right->n, right->p);
    mf_tokens made = mf_pp_lex_text(pp, text, at);
    bool shift = made.n == 2 && left.kind == MF_TOK_GREATER; /* ">" and ">" stay two by design */
    if (made.n != 1 && !shift) {
        diag_error(pp->diags, at, "pasting '%.*s' and '%.*s' does not give a token", (int)left.n,
                   left.p, (int)right->n, right->p);
        return;
    }
    --out->n;
    for (size_t i = 0; i < made.n; ++i) {
        made.at[i].flags = i == 0 ? left.flags & MF_AT_SPACE : 0;
        mf_tokens_push(pp->mem, out, made.at[i]);
    }
}

static const mf_tokens *expanded_argument(mf_preproc *pp, call *c, size_t i)
{
    if (!c->done[i]) c->expanded[i] = mf_pp_expand(pp, c->raw[i].at, c->raw[i].n);
    c->done[i] = true;
    return &c->expanded[i];
}

static void push_all(mf_preproc *pp, mf_tokens *out, const mf_tokens *from, size_t first,
                     uint8_t space)
{
    for (size_t i = first; i < from->n; ++i) {
        mf_token t = from->at[i];
        t.flags &= (uint8_t)~MF_AT_LINE;
        if (i == 0) t.flags = (uint8_t)((t.flags & ~MF_AT_SPACE) | space);
        mf_tokens_push(pp->mem, out, t);
    }
}

/* The operand of ## at body[i], to the right of what `out` holds. */
static void paste_operand(mf_preproc *pp, const mf_macro *m, const call *c, size_t i,
                          mf_tokens *out, span at)
{
    mf_token t = m->body.at[i];
    int p = c != NULL ? param_index(m, &t) : -1;
    bool swallowed_comma = p >= 0 && m->variadic && (size_t)p + 1 == m->param_count &&
                           out->n != 0 && out->at[out->n - 1].kind == MF_TOK_COMMA;
    if (p < 0) {
        t.at = at;
        paste(pp, out, &t, at);
    } else if (swallowed_comma) { /* ", ## __VA_ARGS__": the comma goes when nothing was given */
        if (c->raw[p].n == 0) --out->n;
        push_all(pp, out, &c->raw[p], 0, 0);
    } else if (c->raw[p].n != 0) {
        paste(pp, out, &c->raw[p].at[0], at);
        push_all(pp, out, &c->raw[p], 1, 0);
    }
}

/* The body with arguments in place of parameters; all it gives itself stands at the macro's use. */
static mf_tokens substitute(mf_preproc *pp, const mf_macro *m, call *c, span at)
{
    mf_tokens out = mf_tokens_none();
    const mf_tokens *body = &m->body;
    for (size_t i = 0; i < body->n && !pp->stopped; ++i) {
        mf_token t = body->at[i];
        int p = c != NULL ? param_index(m, &t) : -1;
        bool pasted = i + 1 < body->n && body->at[i + 1].kind == MF_TOK_HASH_HASH;
        size_t before = out.n;
        if (c != NULL && t.kind == MF_TOK_HASH && i + 1 < body->n) {
            int q = param_index(m, &body->at[i + 1]);
            if (q >= 0) {
                mf_tokens_push(pp->mem, &out, stringize(pp, &c->raw[q], at));
                ++i;
                continue;
            }
        }
        if (t.kind == MF_TOK_HASH_HASH && i != 0 && i + 1 < body->n) {
            paste_operand(pp, m, c, ++i, &out, at);
        } else if (p >= 0 && pasted) {
            push_all(pp, &out, &c->raw[p], 0, t.flags & MF_AT_SPACE);
        } else if (p >= 0) {
            push_all(pp, &out, expanded_argument(pp, c, (size_t)p), 0, t.flags & MF_AT_SPACE);
        } else {
            t.at = at;
            t.flags &= (uint8_t)~MF_AT_LINE;
            mf_tokens_push(pp->mem, &out, t);
        }
        if (made_too_many(pp, out.n > before ? out.n - before : 0, at)) break;
    }
    return out;
}

bool mf_pp_replace(mf_preproc *pp, const mf_token *name)
{
    mf_macro *m = name->ident->macro;
    mf_tokens out;
    if (m->special != MF_NOT_SPECIAL) {
        mf_token t = special_token(pp, name);
        mf_pp_push(pp, (mf_frame){.tokens = arena_copy(pp->mem, &t, sizeof t), .n = 1});
        return !made_too_many(pp, 1, name->at);
    }
    if (m->library_text != NULL) {
        m->body = mf_pp_lex_text(pp, str_of(m->library_text), (span){0});
        m->library_text = NULL;
    }
    if (m->function_like) {
        mf_token open = mf_pp_raw(pp);
        if (open.kind != MF_TOK_L_PAREN) {
            if (open.kind == MF_TOK_END && pp->top != NULL) return false;
            if (pp->top == NULL) {
                mf_pp_unread(pp, open);
            } else {
                mf_pp_push(pp,
                           (mf_frame){.tokens = arena_copy(pp->mem, &open, sizeof open), .n = 1});
            }
            return false;
        }
        call c = {0};
        if (!read_arguments(pp, m, name, &c)) return true;
        out = substitute(pp, m, &c, name->at);
    } else {
        out = substitute(pp, m, NULL, name->at);
    }
    if (out.n != 0) {
        out.at[0].flags = (uint8_t)((out.at[0].flags & ~MF_AT_SPACE) | (name->flags & MF_AT_SPACE));
    }
    mf_pp_push(pp, (mf_frame){.tokens = out.at, .n = out.n, .macro = m});
    return true;
}
