/* Fails every single allocation of a compile, of a module's life and of a run, one after the other:
 * each time the status must be INGOT_OUT_OF_MEMORY, nothing may be handed out and nothing may stay
 * allocated. */
#define _POSIX_C_SOURCE 200809L
#include "ingot/tvm_ffi.h"

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEFINITION_LIMIT = 16, PARAM_LIMIT = 16, PATH_LIMIT = 1024 };

/* ---- The allocator that fails on demand ---- */

typedef struct ledger {
    pthread_mutex_t lock;
    size_t calls;         /* allocations and growths asked for so far */
    size_t fail_at;       /* the call that fails, from 1; 0 = none */
    bool fail_after;      /* whether all later calls fail too */
    size_t blocks, bytes; /* held now */
    size_t wrong_sizes;   /* blocks given back with another size than they were asked with */
} ledger;

/* Stands before each block, so that the old size which the library passes can be checked. */
typedef union header {
    size_t size;
    max_align_t align;
} header;

static void *ledger_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    ledger *l = user;
    header *old = ptr ? (header *)ptr - 1 : NULL;
    header *result = NULL;
    pthread_mutex_lock(&l->lock);
    if ((old ? old->size : 0) != old_size) l->wrong_sizes++;
    if (new_size > old_size) l->calls++;
    bool fails = l->fail_at != 0 && new_size > old_size &&
                 (l->fail_after ? l->calls >= l->fail_at : l->calls == l->fail_at);
    if (new_size == 0) {
        if (old) {
            l->blocks--;
            l->bytes -= old->size;
            free(old);
        }
    } else if (!fails) {
        /* Always a new place, so that a pointer kept across a growth is found by the sanitizer. */
        result = malloc(sizeof *result + new_size);
        if (!result) abort();
        result->size = new_size;
        memset(result + 1, 0xa5, new_size);
        if (old) memcpy(result + 1, old + 1, old->size < new_size ? old->size : new_size);
        l->bytes = l->bytes + new_size - (old ? old->size : 0);
        l->blocks += old ? 0 : 1;
        free(old);
    }
    pthread_mutex_unlock(&l->lock);
    return result ? result + 1 : NULL;
}

/* ---- An input program ---- */

typedef struct input {
    const char *path;
    char *text;
    size_t size;
    ingot_definition definitions[DEFINITION_LIMIT];
    size_t definition_count;
    char *words; /* text of x.args; the definitions point into it */
    const char *target;
    ingot_allocator allocator;
} input;

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    size_t room = 1 << 20;
    char *text = malloc(room);
    if (!text) abort();
    *size = fread(text, 1, room - 1, file);
    text[*size] = '\0';
    fclose(file);
    return text;
}

static ingot_value parse_value(const char *text)
{
    char *end = NULL;
    long long integer = strtoll(text, &end, 10);
    if (*text && !*end) return ingot_int(integer);
    double real = strtod(text, &end);
    if (*text && !*end) return ingot_float(real);
    return ingot_str(text, strlen(text));
}

/* Takes "-D NAME=VALUE" and "--target X" from x.args; false where it holds anything else. */
static bool parse_words(input *in)
{
    char *rest = NULL;
    for (char *word = strtok_r(in->words, " \n", &rest); word;
         word = strtok_r(NULL, " \n", &rest)) {
        char *next = strtok_r(NULL, " \n", &rest);
        if (!next) return false;
        if (strcmp(word, "--target") == 0) {
            in->target = next;
            continue;
        }
        char *equals = strchr(next, '=');
        if (strcmp(word, "-D") != 0 || !equals || in->definition_count == DEFINITION_LIMIT)
            return false;
        *equals = '\0';
        in->definitions[in->definition_count++] = (ingot_definition){next, parse_value(equals + 1)};
    }
    return true;
}

/* Returns (source, "metal"), as a user's callback would. */
static ingot_status keep_source(void *user, const ingot_value *args, size_t count,
                                ingot_result *result, ingot_error *error)
{
    (void)user;
    (void)error;
    ingot_value pair[2] = {args[0], ingot_str("metal", 5)};
    return count == 2 ? ingot_result_set(result, ingot_tuple(pair, 2)) : INGOT_INVALID_ARGUMENT;
}

static void take_diagnostic(void *user, const ingot_diagnostic *diagnostic)
{
    (void)user;
    (void)diagnostic;
}

static ingot_compile_options options_of(const input *in)
{
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.file_name = in->path;
    options.target = in->target;
    options.definitions = in->definitions;
    options.definition_count = in->definition_count;
    options.allocator = &in->allocator;
    options.compile_kernel = keep_source;
    options.on_diagnostic = take_diagnostic;
    return options;
}

/* ---- What is swept: each returns the first status that is not OK ---- */

static ingot_status emit(const input *in, ingot_emit what, ingot_error *error)
{
    ingot_compile_options options = options_of(in);
    ingot_text *text = NULL;
    ingot_status status = ingot_compile_emit(in->text, in->size, what, &options, &text, error);
    if (status != INGOT_OK && text) return INGOT_INTERNAL;
    ingot_text_release(text);
    return status;
}

static ingot_status work_tir(const input *in, ingot_error *e)
{
    return emit(in, INGOT_EMIT_TIR, e);
}
static ingot_status work_lowered(const input *in, ingot_error *e)
{
    return emit(in, INGOT_EMIT_LOWERED, e);
}
static ingot_status work_metal(const input *in, ingot_error *e)
{
    return emit(in, INGOT_EMIT_METAL, e);
}
static ingot_status work_tvm(const input *in, ingot_error *e)
{
    return emit(in, INGOT_EMIT_TVM_METAL, e);
}

static ingot_status compile(const input *in, ingot_module **out, ingot_error *error)
{
    ingot_compile_options options = options_of(in);
    ingot_status status = ingot_compile(in->text, in->size, &options, out, error);
    return status != INGOT_OK && *out ? INGOT_INTERNAL : status;
}

/* Compile, save, read back, save again: the bytes must be the same. */
static ingot_status work_file(const input *in, ingot_error *error)
{
    ingot_module *made = NULL, *read = NULL;
    ingot_text *first = NULL, *second = NULL, *source = NULL;
    ingot_status status = compile(in, &made, error);
    if (status == INGOT_OK) status = ingot_module_save(made, &first, error);
    if (status == INGOT_OK) {
        status = ingot_module_load(ingot_text_data(first), ingot_text_size(first), &in->allocator,
                                   &read, error);
    }
    if (status == INGOT_OK) status = ingot_module_save(read, &second, error);
    if (status == INGOT_OK) status = ingot_module_source(read, &source, error);
    if (status == INGOT_OK &&
        (ingot_text_size(first) != ingot_text_size(second) ||
         memcmp(ingot_text_data(first), ingot_text_data(second), ingot_text_size(first)) != 0)) {
        status = INGOT_INTERNAL;
    }
    ingot_text_release(source);
    ingot_text_release(second);
    ingot_text_release(first);
    ingot_module_release(read);
    ingot_module_release(made);
    return status;
}

/* The device part alone, in the layout that it is exchanged in. */
static ingot_status work_device_part(const input *in, ingot_error *error)
{
    ingot_module *made = NULL, *read = NULL;
    ingot_text *bytes = NULL;
    ingot_status status = compile(in, &made, error);
    if (status == INGOT_OK) status = ingot_module_device_save(made, &bytes, error);
    if (status == INGOT_OK) {
        status = ingot_module_device_load(ingot_text_data(bytes), ingot_text_size(bytes),
                                          &in->allocator, &read, error);
    }
    ingot_text_release(bytes);
    ingot_module_release(read);
    ingot_module_release(made);
    return status;
}

/* Every form that others load; a metallib is left out, which another library makes. */
static ingot_status work_exports(const input *in, ingot_error *error)
{
    static const ingot_export forms[] = {INGOT_EXPORT_C, INGOT_EXPORT_METAL, INGOT_EXPORT_SIDECAR};
    ingot_module *made = NULL;
    ingot_status status = compile(in, &made, error);
    for (size_t i = 0; status == INGOT_OK && i <= sizeof forms / sizeof forms[0]; i++) {
        ingot_text *text = NULL;
        status = i < sizeof forms / sizeof forms[0] ? ingot_module_export(made, forms[i], &text, error)
                                                    : ingot_module_export_tvm(made, &text, error);
        if (status != INGOT_OK && text) status = INGOT_INTERNAL;
        ingot_text_release(text);
    }
    ingot_module_release(made);
    return status;
}

/* The arguments of one call: a buffer for each tensor, 1 for each scalar. */
typedef struct call {
    ingot_value values[PARAM_LIMIT];
    DLTensor tensors[PARAM_LIMIT];
    int64_t shapes[PARAM_LIMIT][8];
    ingot_buffer *buffers[PARAM_LIMIT];
    size_t count;
} call;

static ingot_status add_tensor(call *c, const ingot_param_info *info, ingot_device *device,
                               ingot_error *error)
{
    size_t i = c->count;
    size_t size = (size_t)(info->dtype.bits * info->dtype.lanes + 7u) / 8;
    for (size_t d = 0; d < info->ndim && d < 8; d++) {
        c->shapes[i][d] =
            strtoll(info->shape[d], NULL, 10); /* the inputs run here have constant shapes */
        size *= (size_t)c->shapes[i][d];
    }
    ingot_status status = ingot_buffer_create(device, size, &c->buffers[i], error);
    if (status != INGOT_OK) return status;
    c->tensors[i] = (DLTensor){.data = c->buffers[i],
                               .device = {kDLMetal, 0},
                               .ndim = (int32_t)info->ndim,
                               .dtype = info->dtype,
                               .shape = c->shapes[i]};
    c->values[i] = ingot_tensor(&c->tensors[i]);
    c->count++;
    return INGOT_OK;
}

static ingot_status make_call(call *c, const ingot_module *module, ingot_device *device,
                              ingot_error *error)
{
    size_t count = ingot_module_param_count(module, NULL);
    for (size_t i = 0; i < count && i < PARAM_LIMIT; i++) {
        ingot_param_info info;
        ingot_status status = ingot_module_param(module, NULL, i, &info);
        if (status != INGOT_OK) return status;
        if (info.kind == INGOT_PARAM_TENSOR) {
            status = add_tensor(c, &info, device, error);
            if (status != INGOT_OK) return status;
        } else {
            c->values[c->count++] = info.dtype.code == kDLFloat ? ingot_float(1) : ingot_int(1);
        }
    }
    return INGOT_OK;
}

/* Compile, load onto the software device, call, wait. */
static ingot_status work_run(const input *in, ingot_error *error)
{
    ingot_module *module = NULL;
    ingot_device *device = NULL;
    ingot_stream *stream = NULL;
    ingot_program *program = NULL;
    call c = {.count = 0};
    ingot_status status = compile(in, &module, error);
    if (status == INGOT_OK) status = ingot_device_open("emu", 0, 1, &in->allocator, &device, error);
    if (status == INGOT_OK) status = ingot_stream_create(device, &stream, error);
    if (status == INGOT_OK) status = ingot_program_load(module, device, &program, error);
    if (status == INGOT_OK) status = make_call(&c, module, device, error);
    if (status == INGOT_OK)
        status = ingot_program_call(program, NULL, c.values, c.count, stream, NULL, error);
    if (status == INGOT_OK) status = ingot_stream_sync(stream, error);
    void *handed = NULL; /* the first tensor, as another library would take it */
    if (status == INGOT_OK && c.count > 0 && c.values[0].kind == INGOT_VALUE_TENSOR)
        status = ingot_buffer_export(c.buffers[0], &c.tensors[0], 1, &handed, error);
    if (handed) ((DLManagedTensorVersioned *)handed)->deleter(handed);
    for (size_t i = 0; i < PARAM_LIMIT; i++) ingot_buffer_release(c.buffers[i]);
    ingot_program_release(program);
    ingot_stream_release(stream);
    ingot_device_release(device);
    ingot_module_release(module);
    return status;
}

/* ---- The sweep ---- */

typedef struct work {
    const char *name;
    ingot_status (*run)(const input *in, ingot_error *error);
    bool runs; /* needs --run */
} work;

static const work works[] = {
    {"tir", work_tir, false},     {"lowered", work_lowered, false},
    {"metal", work_metal, false}, {"tvm-metal", work_tvm, false},
    {"file", work_file, false},   {"device part", work_device_part, false},
    {"exports", work_exports, true}, {"run", work_run, true},
};

static unsigned passed, failed;

static bool complain(const input *in, const work *w, const ledger *l, const char *what,
                     const ingot_error *error)
{
    printf("FAIL %s: %s, allocation %zu%s: %s (%s)\n", in->path, w->name, l->fail_at,
           l->fail_after ? " and all after it" : "", what, error->message);
    return false;
}

/* One run with the ledger's failure; true when it ended as it must. */
static bool one_trial(input *in, const work *w, ledger *l, ingot_status expected)
{
    ingot_error error;
    memset(&error, 0, sizeof error);
    in->allocator = (ingot_allocator){ledger_resize, l};
    ingot_status status = w->run(in, &error);
    if (l->blocks != 0) return complain(in, w, l, "memory is still held", &error);
    if (l->wrong_sizes != 0)
        return complain(in, w, l, "a block came back with another size", &error);
    if (status != expected) return complain(in, w, l, ingot_status_text(status), &error);
    if (status != INGOT_OK && error.status != status)
        return complain(in, w, l, "error->status differs", &error);
    return true;
}

static void sweep(input *in, const work *w)
{
    ledger l = {.lock = PTHREAD_MUTEX_INITIALIZER};
    ingot_error error;
    memset(&error, 0, sizeof error);
    in->allocator = (ingot_allocator){ledger_resize, &l};
    ingot_status plain = w->run(in, &error); /* an input with errors keeps its status */
    size_t total = l.calls;
    bool good = one_trial(in, w, &(ledger){.lock = PTHREAD_MUTEX_INITIALIZER}, plain);
    if (plain == INGOT_OUT_OF_MEMORY || plain == INGOT_INTERNAL || total == 0) {
        good = complain(in, w, &l, "does not work even with memory", &error);
    }
    for (size_t n = 1; good && n <= total; n++) {
        for (int after = 0; good && after < 2; after++) {
            ledger failing = {.lock = PTHREAD_MUTEX_INITIALIZER, .fail_at = n, .fail_after = after};
            good = one_trial(in, w, &failing, INGOT_OUT_OF_MEMORY);
        }
    }
    if (good) {
        passed++;
        printf("ok   %s: %s, %zu allocations\n", in->path, w->name, total);
    } else {
        failed++;
    }
}

static void sweep_file(const char *path, bool runs)
{
    char args[PATH_LIMIT];
    input in = {.path = path};
    in.text = read_file(path, &in.size);
    if (!in.text) {
        printf("FAIL %s: cannot be read\n", path);
        failed++;
        return;
    }
    size_t unused;
    snprintf(args, sizeof args, "%.*s.args", (int)(strlen(path) - 3), path);
    in.words = read_file(args, &unused);
    if (in.words && !parse_words(&in)) {
        printf("     %s: left out, for its command-line words\n", path);
    } else {
        for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
            if (runs || !works[i].runs) sweep(&in, &works[i]);
        }
    }
    free(in.words);
    free(in.text);
}

static int is_script(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 3 && strcmp(entry->d_name + length - 3, ".py") == 0;
}

/* usage: sweep [--run] FILE_OR_FOLDER...; with --run the programs are also called, on the software
 * device */
int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* so that a sanitizer that ends the program loses no line */
    bool runs = false;
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (strcmp(argv[i], "--run") == 0) {
            runs = true;
        } else if (stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode)) {
            struct dirent **names = NULL;
            int count = scandir(argv[i], &names, is_script, alphasort);
            for (int k = 0; k < count; k++) {
                char path[PATH_LIMIT];
                snprintf(path, sizeof path, "%s/%s", argv[i], names[k]->d_name);
                sweep_file(path, runs);
                free(names[k]);
            }
            free(names);
        } else {
            sweep_file(argv[i], runs);
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
