/* Passing over tokens that are read later, or never. */
#include "mslfront/template.h"

static mf_token_kind kind_at(const mf_parser *p, size_t at)
{
    return p->tokens[at < p->token_count ? at : p->token_count - 1].kind;
}

static bool opens(mf_token_kind k)
{
    return k == MF_TOK_L_PAREN || k == MF_TOK_L_SQUARE || k == MF_TOK_L_BRACE;
}

static bool closes(mf_token_kind k)
{
    return k == MF_TOK_R_PAREN || k == MF_TOK_R_SQUARE || k == MF_TOK_R_BRACE;
}

size_t mf_skip_balanced(const mf_parser *p, size_t at)
{
    size_t depth = 0;
    for (;; ++at) {
        mf_token_kind k = kind_at(p, at);
        if (k == MF_TOK_END) return at;
        if (opens(k)) ++depth;
        if (closes(k) && --depth == 0) return at + 1;
    }
}

size_t mf_skip_angles(const mf_parser *p, size_t at)
{
    size_t depth = 0;
    for (;; ++at) {
        mf_token_kind k = kind_at(p, at);
        if (opens(k)) {
            at = mf_skip_balanced(p, at) - 1;
            continue;
        }
        if (k == MF_TOK_END || closes(k) || k == MF_TOK_SEMI) return at;
        if (k == MF_TOK_LESS) ++depth;
        if (k == MF_TOK_GREATER && --depth == 0) return at + 1;
    }
}

size_t mf_skip_arg(const mf_parser *p, size_t at)
{
    for (;;) {
        mf_token_kind k = kind_at(p, at);
        if (opens(k)) {
            at = mf_skip_balanced(p, at);
        } else if (k == MF_TOK_LESS && at != 0 && kind_at(p, at - 1) == MF_TOK_IDENT) {
            at = mf_skip_angles(p, at);
        } else if (k == MF_TOK_COMMA || k == MF_TOK_GREATER || k == MF_TOK_GREATER_EQ ||
                   k == MF_TOK_END || closes(k) || k == MF_TOK_SEMI) {
            return at;
        } else {
            ++at;
        }
    }
}

/* ": a(x), b{y}" up to the "{" of the body. */
static size_t skip_initializers(const mf_parser *p, size_t at)
{
    do {
        ++at;
        while (kind_at(p, at) == MF_TOK_IDENT || kind_at(p, at) == MF_TOK_SCOPE ||
               kind_at(p, at) == MF_TOK_LESS) {
            at = kind_at(p, at) == MF_TOK_LESS ? mf_skip_angles(p, at) : at + 1;
        }
        if (!opens(kind_at(p, at))) return at;
        at = mf_skip_balanced(p, at);
    } while (kind_at(p, at) == MF_TOK_COMMA);
    return at;
}

size_t mf_skip_function(const mf_parser *p, size_t paren)
{
    return mf_skip_body(p, mf_skip_balanced(p, paren));
}

size_t mf_skip_body(const mf_parser *p, size_t at)
{
    for (;;) {
        mf_token_kind k = kind_at(p, at);
        if (k == MF_TOK_COLON) {
            at = skip_initializers(p, at);
            continue;
        }
        if (k == MF_TOK_L_BRACE) return mf_skip_balanced(p, at);
        if (k == MF_TOK_SEMI) return at + 1;
        if (k == MF_TOK_END || k == MF_TOK_R_BRACE) return at;
        at = opens(k) ? mf_skip_balanced(p, at) : at + 1;
    }
}

/* A simple statement or declaration: behind its ";". */
static size_t skip_simple(const mf_parser *p, size_t at)
{
    for (;;) {
        mf_token_kind k = kind_at(p, at);
        if (k == MF_TOK_SEMI) return at + 1;
        if (k == MF_TOK_END || k == MF_TOK_R_BRACE) return at;
        at = opens(k) ? mf_skip_balanced(p, at) : at + 1;
    }
}

size_t mf_skip_statement(const mf_parser *p, size_t at)
{
    size_t open_ifs = 0; /* those that an "else" may still belong to */
    for (;;) {
        switch ((int)kind_at(p, at)) {
        case MF_TOK_L_BRACE: at = mf_skip_balanced(p, at); break;
        case MF_TOK_UNROLL: ++at; continue;
        case MF_KW_IF:
            ++open_ifs;
            if (kind_at(p, at + 1) == MF_KW_CONSTEXPR) ++at;
            if (kind_at(p, at + 1) == MF_TOK_L_PAREN) at = mf_skip_balanced(p, at + 1) - 1;
            ++at;
            continue;
        case MF_KW_FOR:
        case MF_KW_WHILE:
        case MF_KW_SWITCH:
            ++at;
            if (kind_at(p, at) == MF_TOK_L_PAREN) at = mf_skip_balanced(p, at);
            continue;
        case MF_KW_DO: /* a body in braces: others are told by their "while" being a statement */
            ++at;
            if (kind_at(p, at) == MF_TOK_L_BRACE)
                at = mf_skip_balanced(p, at);
            else
                at = skip_simple(p, at);
            at = skip_simple(p, at);
            break;
        default: at = skip_simple(p, at); break;
        }
        if (open_ifs == 0 || kind_at(p, at) != MF_KW_ELSE) return at;
        --open_ifs;
        ++at;
    }
}
