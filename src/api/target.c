/* Targets: "metal", a tag, or a JSON object. */
#include "api/target.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/json.h"

/* A row an attribute: its name and limits. */
typedef struct attr_info {
    const char *name;
    int64_t value, least, most;
} attr_info;

static const attr_info attrs[] = {
#define INGOT_TARGET_ATTR(name, value, least, most) {#name, value, least, most},
#include "api/target.def"
#undef INGOT_TARGET_ATTR
};

enum { ATTR_COUNT = sizeof attrs / sizeof attrs[0] };

/* Attributes that describe the target to people or belong to other parts of a build; they are kept in the
 * text and change nothing here. */
static const char *const described[] = {"host", "keys", "tag", "device", "model", "libs", "mtriple", "mcpu"};

typedef struct tag_info {
    const char *name;
    int64_t threads_per_block, warp;
} tag_info;

static const tag_info tags[] = {
    {"apple/m1-gpu", 1024, 32}, {"apple/m1-gpu-restricted", 256, 32}, {"apple/m2-gpu", 1024, 32}};

struct ingot_target {
    atomic_size_t references;
    int64_t values[ATTR_COUNT];
    bool given[ATTR_COUNT];
    bool fast_math;
    char *text;
    size_t text_size;
};

static size_t attr_index(str name)
{
    size_t i = 0;
    while (i < ATTR_COUNT && !str_is(name, attrs[i].name)) ++i;
    return i;
}

static bool is_described(str key)
{
    for (size_t i = 0; i < sizeof described / sizeof described[0]; ++i) {
        if (str_is(key, described[i])) return true;
    }
    return false;
}

static ingot_status apply_tag(ingot_target *t, str tag, ingot_error *error)
{
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; ++i) {
        if (!str_is(tag, tags[i].name)) continue;
        size_t threads = attr_index(STR("max_threads_per_block")), warp = attr_index(STR("thread_warp_size"));
        t->values[threads] = tags[i].threads_per_block;
        t->values[warp] = tags[i].warp;
        t->given[threads] = t->given[warp] = true;
        return INGOT_OK;
    }
    return error_set(error, INGOT_VALUE,
                     "unknown target \"%.*s\": expected \"metal\", a tag (apple/m1-gpu, apple/m1-gpu-restricted, "
                     "apple/m2-gpu) or a JSON object with \"kind\": \"metal\"",
                     STR_ARG(tag));
}

static ingot_status apply_member(ingot_target *t, const json *m, ingot_error *error)
{
    size_t i = attr_index(m->key);
    int64_t value;
    if (i < ATTR_COUNT) {
        if (!json_int(m, &value)) {
            return error_set(error, INGOT_VALUE, "target attribute \"%s\" must be an integer", attrs[i].name);
        }
        if (value < attrs[i].least || value > attrs[i].most) {
            return error_set(error, INGOT_VALUE, "target attribute \"%s\" is %lld, must be from %lld to %lld",
                             attrs[i].name, (long long)value, (long long)attrs[i].least, (long long)attrs[i].most);
        }
        t->values[i] = value;
        t->given[i] = true;
        return INGOT_OK;
    }
    if (str_is(m->key, "math_mode")) {
        t->fast_math = m->kind == JSON_STRING && str_is(m->text, "fast");
        if (t->fast_math || (m->kind == JSON_STRING && str_is(m->text, "safe"))) return INGOT_OK;
        return error_set(error, INGOT_VALUE, "target attribute \"math_mode\" must be \"safe\" or \"fast\"");
    }
    if (str_is(m->key, "kind") || is_described(m->key)) return INGOT_OK;
    return error_set(error, INGOT_VALUE, "target of kind \"metal\" has no attribute \"%.*s\"", STR_ARG(m->key));
}

static ingot_status apply_object(ingot_target *t, const json *root, ingot_error *error)
{
    const json *kind = json_member(root, "kind"), *tag = json_member(root, "tag");
    if (kind != NULL && (kind->kind != JSON_STRING || !str_is(kind->text, "metal"))) {
        return error_set(error, INGOT_VALUE, "unknown target kind \"%.*s\": only \"metal\" is built here",
                         STR_ARG(kind->text));
    }
    if (kind == NULL && tag == NULL) return error_set(error, INGOT_VALUE, "the target has no \"kind\"");
    if (tag != NULL && tag->kind != JSON_STRING) {
        return error_set(error, INGOT_VALUE, "target attribute \"tag\" must be a string");
    }
    if (tag != NULL) {
        ingot_status s = apply_tag(t, tag->text, error);
        if (s != INGOT_OK) return s;
    }
    for (const json *m = root->first; m != NULL; m = m->next) {
        ingot_status s = apply_member(t, m, error);
        if (s != INGOT_OK) return s;
    }
    return INGOT_OK;
}

typedef struct parse_job {
    arena memory;
    ingot_target *target;
    str text;
    ingot_error *error;
    ingot_status status;
} parse_job;

static void parse_object(void *user)
{
    parse_job *job = user;
    const char *what;
    size_t at;
    const json *root = json_parse(&job->memory, job->text, &what, &at);
    if (root == NULL) {
        job->status = error_set(job->error, INGOT_VALUE, "the target is no valid JSON: %s at byte %zu", what, at);
    } else {
        job->status = apply_object(job->target, root, job->error);
    }
}

static ingot_status parse(ingot_target *t, str text, ingot_error *error)
{
    if (str_is(text, "metal")) return INGOT_OK;
    if (text.n == 0 || text.p[0] != '{') return apply_tag(t, text, error);
    parse_job job = {.target = t, .text = text, .error = error};
    arena_init(&job.memory, NULL);
    bool whole = arena_guard(&job.memory, parse_object, &job);
    arena_free(&job.memory);
    return whole ? job.status : error_no_memory(error);
}

static bool print(ingot_target *t)
{
    buf out = buf_make(&mem_default);
    buf_text(&out, "{\"kind\": \"metal\"");
    for (size_t i = 0; i < ATTR_COUNT; ++i) {
        buf_printf(&out, ", \"%s\": %lld", attrs[i].name, (long long)t->values[i]);
    }
    if (t->fast_math) buf_text(&out, ", \"math_mode\": \"fast\"");
    buf_text(&out, "}");
    buf_char(&out, '\0');
    if (out.failed) {
        buf_free(&out);
        return false;
    }
    t->text = out.p;
    t->text_size = out.cap;
    return true;
}

ingot_status ingot_target_parse(const char *text, ingot_target **out, ingot_error *error)
{
    *out = NULL;
    if (text == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "no target given");
    ingot_target *t = mem_zeroed(&mem_default, 1, sizeof *t);
    if (t == NULL) return error_no_memory(error);
    atomic_init(&t->references, 1);
    for (size_t i = 0; i < ATTR_COUNT; ++i) t->values[i] = attrs[i].value;
    size_t skip = strspn(text, " \t\r\n");
    ingot_status s = parse(t, str_of(text + skip), error);
    if (s == INGOT_OK && !print(t)) s = error_no_memory(error);
    if (s != INGOT_OK) {
        ingot_target_release(t);
        return s;
    }
    *out = t;
    return error_none(error);
}

void ingot_target_release(ingot_target *target)
{
    if (target == NULL || atomic_fetch_sub(&target->references, 1) != 1) return;
    mem_free(&mem_default, target->text, target->text_size);
    mem_free(&mem_default, target, sizeof *target);
}

const char *ingot_target_kind(const ingot_target *target)
{
    (void)target;
    return "metal";
}

const char *ingot_target_text(const ingot_target *target)
{
    return target->text;
}

int ingot_target_attr(const ingot_target *target, const char *name, int64_t *value)
{
    size_t i = attr_index(str_of(name));
    if (i == ATTR_COUNT) return 0;
    *value = target->values[i];
    return 1;
}

static int64_t value_of(const ingot_target *t, const char *name)
{
    return t->values[attr_index(str_of(name))];
}

pass_target target_limits(const ingot_target *t)
{
    pass_target limits = PASS_TARGET_DEFAULT;
    limits.max_num_threads = value_of(t, "max_num_threads");
    limits.max_threads_per_block = value_of(t, "max_threads_per_block");
    limits.max_shared_memory_per_block = value_of(t, "max_shared_memory_per_block");
    limits.max_function_args = value_of(t, "max_function_args");
    /* The default width that TVM states is half of every Apple GPU's; only a width that was asked for
     * counts, otherwise the real one does. */
    size_t warp = attr_index(STR("thread_warp_size"));
    if (t->given[warp]) limits.thread_warp_size = t->values[warp];
    return limits;
}

bool target_is_fast_math(const ingot_target *t)
{
    return t->fast_math;
}
