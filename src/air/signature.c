/* Decoding of air.* metadata: key and value pairs, in any order, by name. */
#include "air/signature.h"

#include "base/error.h"

enum { MOST_OPERANDS = 4096 };

/* The operands of a metadata node; none of a value that is none. */
typedef struct node {
    LLVMValueRef *at;
    unsigned n;
} node;

static node operands(arena *mem, LLVMValueRef v)
{
    node r = {NULL, 0};
    if (v == NULL || LLVMIsAMDNode(v) == NULL) return r;
    const unsigned n = LLVMGetMDNodeNumOperands(v);
    if (n == 0 || n > MOST_OPERANDS) return r;
    r.at = arena_array(mem, LLVMValueRef, n);
    LLVMGetMDNodeOperands(v, r.at);
    r.n = n;
    return r;
}

static node named(arena *mem, LLVMModuleRef module, const char *name)
{
    node r = {NULL, LLVMGetNamedMetadataNumOperands(module, name)};
    r.at = arena_array(mem, LLVMValueRef, r.n + 1);
    if (r.n != 0) LLVMGetNamedMetadataOperands(module, name, r.at);
    return r;
}

static bool number(LLVMValueRef v, uint64_t *out)
{
    if (v == NULL || LLVMIsAConstantInt(v) == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64) return false;
    *out = LLVMConstIntGetZExtValue(v);
    return true;
}

static uint32_t small_number(LLVMValueRef v)
{
    uint64_t n;
    return number(v, &n) && n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static mf_input input_of(str what)
{
    static const char *const names[MF_INPUTS] = {
#define MF_INPUT(ID, attribute, dimensions) [MF_INPUT_##ID] = "air." #attribute,
#include "mslfront/inputs.def"
#undef MF_INPUT
    };
    for (int i = 0; i < MF_INPUTS; ++i)
        if (names[i] != NULL && str_is(what, names[i])) return (mf_input)i;
    return MF_INPUT_NONE;
}

/* One key and what follows it. */
static void read_pair(air_param *p, const node *n, unsigned i)
{
    const str key = air_md_string(n->at[i]);
    uint64_t v = 0;
    if (key.p == NULL) return;
    if (str_is(key, "air.read") || str_is(key, "air.write") || str_is(key, "air.read_write")) p->access = key;
    if (i + 1 >= n->n) return;
    if (str_is(key, "air.location_index")) {
        p->slot = small_number(n->at[i + 1]);
        p->count = i + 2 < n->n && number(n->at[i + 2], &v) && v != 0 && v < UINT32_MAX ? (uint32_t)v : 1;
    }
    if (str_is(key, "air.address_space")) p->space = small_number(n->at[i + 1]);
    if (str_is(key, "air.arg_type_size") && number(n->at[i + 1], &v)) p->size = v;
    if (str_is(key, "air.arg_type_align_size") && number(n->at[i + 1], &v)) p->align = v;
    if (str_is(key, "air.buffer_size") && number(n->at[i + 1], &v)) p->least = v;
    if (str_is(key, "air.arg_type_name")) p->type = air_md_string(n->at[i + 1]);
    if (str_is(key, "air.arg_name")) p->name = air_md_string(n->at[i + 1]);
}

static bool is_pointer(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMPointerTypeKind;
}

/* False where the node says what its parameter cannot be. */
static bool read_param(arena *mem, const air_signature *s, LLVMValueRef v, uint64_t *done)
{
    const node n = operands(mem, v);
    uint64_t index = 0;
    if (n.n < 2 || !number(n.at[0], &index) || index >= s->param_count) return false;
    air_param *p = &s->params[index];
    if (p->what.p != NULL) return false; /* said twice */
    ++*done;
    const LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(s->function, (unsigned)index));
    p->space = is_pointer(type) ? LLVMGetPointerAddressSpace(type) : 0;
    unsigned first = 1;
    for (; first < n.n; ++first) { /* air.function_constant and the like may come first */
        const str key = air_md_string(n.at[first]);
        if (key.p == NULL) continue;
        if (str_is(key, "air.function_constant")) continue;
        p->what = key;
        break;
    }
    if (p->what.p == NULL) return false;
    for (unsigned i = first + 1; i < n.n; ++i) read_pair(p, &n, i);
    p->input = input_of(p->what);
    p->kind = AIR_PARAM_OTHER;
    if (str_is(p->what, "air.buffer")) {
        if (!is_pointer(type) || p->slot == UINT32_MAX) return false;
        p->kind = p->space == 3 ? AIR_PARAM_THREADGROUP : AIR_PARAM_BUFFER;
    } else if (str_is(p->what, "air.texture") || str_is(p->what, "air.sampler")) {
        if (p->slot == UINT32_MAX) return false;
        p->kind = str_is(p->what, "air.texture") ? AIR_PARAM_TEXTURE : AIR_PARAM_SAMPLER;
    } else if (p->input != MF_INPUT_NONE) {
        if (is_pointer(type)) return false;
        p->kind = AIR_PARAM_INPUT;
    }
    return true;
}

static uint32_t max_threads(const node *root)
{
    for (unsigned i = 3; i < root->n; ++i) {
        LLVMValueRef pair[2];
        if (LLVMIsAMDNode(root->at[i]) == NULL || LLVMGetMDNodeNumOperands(root->at[i]) != 2) continue;
        LLVMGetMDNodeOperands(root->at[i], pair);
        if (str_is(air_md_string(pair[0]), "air.max_work_group_size")) return small_number(pair[1]);
    }
    return 0;
}

static const char *const stages[] = {"kernel", "vertex", "fragment", "mesh", "object", "visible", "intersection"};

const air_signature *air_signature_read(arena *mem, LLVMModuleRef module, str name, ingot_error *error)
{
    air_signature *s = arena_new(mem, air_signature);
    node root = {NULL, 0};
    for (size_t k = 0; k < sizeof stages / sizeof *stages && root.n == 0; ++k) {
        const node all = named(mem, module, str_format(mem, "air.%s", stages[k]).p);
        for (unsigned i = 0; i < all.n && root.n == 0; ++i) {
            const node one = operands(mem, all.at[i]);
            if (one.n < 1 || one.at[0] == NULL || LLVMIsAFunction(one.at[0]) == NULL) continue;
            if (!str_eq(air_name(one.at[0]), name)) continue;
            root = one;
            s->stage = str_of(stages[k]);
        }
    }
    if (root.n < 3) {
        error_set(error, INGOT_FORMAT, "its module says nothing of a function '%.*s' (no air.kernel)", STR_ARG(name));
        return NULL;
    }
    s->name = name;
    s->function = root.at[0];
    s->param_count = LLVMCountParams(s->function);
    s->params = arena_array(mem, air_param, s->param_count + 1);
    s->max_threads = max_threads(&root);
    const node args = operands(mem, root.at[2]);
    uint64_t done = 0;
    for (unsigned i = 0; i < args.n; ++i) {
        if (read_param(mem, s, args.at[i], &done)) continue;
        error_set(error, INGOT_FORMAT, "the metadata of '%.*s': entry %u does not fit its parameters", STR_ARG(name), i);
        return NULL;
    }
    if (done == s->param_count) return s;
    error_set(error, INGOT_FORMAT, "the metadata of '%.*s' describes %u of its %u parameters", STR_ARG(name), (unsigned)done,
              (unsigned)s->param_count);
    return NULL;
}

air_function_constant *air_constants_read(arena *mem, LLVMModuleRef module, size_t *count)
{
    const node all = named(mem, module, "air.function_constants");
    air_function_constant *out = arena_array(mem, air_function_constant, all.n + 1);
    *count = 0;
    for (unsigned i = 0; i < all.n; ++i) {
        const node one = operands(mem, all.at[i]);
        uint64_t active = 0;
        if (one.n < 4 || one.at[0] == NULL || LLVMIsAGlobalVariable(one.at[0]) == NULL) continue;
        out[(*count)++] = (air_function_constant){.global = one.at[0],
                                                  .type = air_md_string(one.at[1]),
                                                  .name = air_md_string(one.at[2]),
                                                  .index = small_number(one.at[3]),
                                                  .active = one.n > 4 && number(one.at[4], &active) && active != 0};
    }
    return out;
}

void air_numbers(LLVMModuleRef module, const char *name, unsigned first, unsigned out[3])
{
    out[0] = out[1] = out[2] = 0;
    LLVMValueRef root[1], ops[8];
    if (LLVMGetNamedMetadataNumOperands(module, name) != 1) return;
    LLVMGetNamedMetadataOperands(module, name, root);
    if (LLVMIsAMDNode(root[0]) == NULL) return;
    const unsigned n = LLVMGetMDNodeNumOperands(root[0]);
    if (n > 8) return;
    LLVMGetMDNodeOperands(root[0], ops);
    for (unsigned i = 0; i < 3 && first + i < n; ++i) out[i] = small_number(ops[first + i]);
}
