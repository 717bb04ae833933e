/* A stand-in for libtvm_ffi: the few functions of its ABI that the bridge calls, with faults on request. One thread. */
#include "standin/tvm_ffi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))
#define API SHOWN extern

typedef struct function_object {
    ffi_object head;
    void *self;
    ffi_call_fn call;
    void (*drop)(void *self);
} function_object;

typedef struct array_object {
    ffi_object head;
    ffi_any *items;
    size_t count;
} array_object;

typedef struct row {
    char name[64];
    function_object *function;
} row;

enum { ROWS = 64 };
static row rows[ROWS];
static size_t row_count;
static void *slot;

static ffi_any make_array(const ffi_any *items, size_t count);
static ffi_any make_text(int32_t tag, const char *data, size_t size);
SHOWN standin_controls standin = {.make_array = make_array, .make_text = make_text};

static int fails(int *countdown)
{
    return *countdown > 0 && --*countdown == 0;
}

static void *object(int32_t tag, size_t size)
{
    ffi_object *o = calloc(1, size);
    if (o == NULL) abort();
    *o = (ffi_object){.counts = 1, .tag = tag};
    ++standin.objects;
    return o;
}

API int TVMFFIObjectDecRef(void *any);
int TVMFFIObjectDecRef(void *any)
{
    ffi_object *o = any;
    if (--o->counts != 0) return 0;
    if (o->tag == FFI_FUNCTION) {
        function_object *f = any;
        if (f->drop != NULL) f->drop(f->self);
    } else if (o->tag == FFI_ARRAY || o->tag == FFI_LIST) {
        array_object *a = any;
        for (size_t i = 0; i < a->count; ++i) {
            if (a->items[i].tag >= FFI_FIRST_OBJECT) TVMFFIObjectDecRef(a->items[i].as.pointer);
        }
        free(a->items);
    } else if (o->tag == FFI_ERROR) {
        ffi_error_object *e = any;
        free((void *)(uintptr_t)e->kind.data);
        free((void *)(uintptr_t)e->message.data);
    } else if (o->tag == FFI_STR || o->tag == FFI_BYTES) {
        free((void *)(uintptr_t)((ffi_text_object *)any)->text.data);
    }
    free(o);
    --standin.objects;
    return 0;
}

/* ---- Errors ------------------------------------------------------------------------------------ */

API void TVMFFIErrorMoveFromRaised(void **out);
void TVMFFIErrorMoveFromRaised(void **out)
{
    *out = slot;
    slot = NULL;
}

API void TVMFFIErrorSetRaised(void *error);
void TVMFFIErrorSetRaised(void *error)
{
    if (error != NULL) ++((ffi_object *)error)->counts;
    if (slot != NULL) TVMFFIObjectDecRef(slot);
    slot = error;
}

API void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);
void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message)
{
    ffi_error_object *e = object(FFI_ERROR, sizeof *e);
    e->kind = (ffi_bytes){strdup(kind), strlen(kind)};
    e->message = (ffi_bytes){strdup(message), strlen(message)};
    TVMFFIErrorSetRaised(e);
    TVMFFIObjectDecRef(e);
}

static int fail(const char *message)
{
    if (!standin.fail_without_error) TVMFFIErrorSetRaisedFromCStr("RuntimeError", message);
    return -1;
}

/* ---- Texts and arrays --------------------------------------------------------------------------- */

static ffi_any make_text(int32_t tag, const char *data, size_t size)
{
    ffi_any out = {.tag = tag};
    if (size <= 7) { /* the small forms follow the tags of the others in the same order */
        out.tag = tag == FFI_STR ? FFI_SMALL_STR : FFI_SMALL_BYTES;
        out.small_size = (uint32_t)size;
        memcpy(out.as.bytes, data, size);
        return out;
    }
    ffi_text_object *o = object(tag, sizeof *o);
    char *copy = malloc(size + 1);
    if (copy == NULL) abort();
    memcpy(copy, data, size);
    copy[size] = '\0';
    o->text = (ffi_bytes){copy, size};
    out.as.pointer = o;
    return out;
}

API int TVMFFIStringFromByteArray(const ffi_bytes *text, ffi_any *out);
int TVMFFIStringFromByteArray(const ffi_bytes *text, ffi_any *out)
{
    if (fails(&standin.fail_text)) return fail("no text");
    *out = make_text(FFI_STR, text->data, text->size);
    return 0;
}

API int TVMFFIBytesFromByteArray(const ffi_bytes *bytes, ffi_any *out);
int TVMFFIBytesFromByteArray(const ffi_bytes *bytes, ffi_any *out)
{
    if (fails(&standin.fail_text)) return fail("no bytes");
    *out = make_text(FFI_BYTES, bytes->data, bytes->size);
    return 0;
}

static ffi_any make_array(const ffi_any *items, size_t count)
{
    array_object *a = object(FFI_ARRAY, sizeof *a);
    a->items = calloc(count + 1, sizeof *a->items);
    if (a->items == NULL) abort();
    for (size_t i = 0; i < count; ++i) a->items[i] = items[i];
    a->count = count;
    return (ffi_any){.tag = FFI_ARRAY, .as.pointer = a};
}

static ffi_any shared(ffi_any value)
{
    if (value.tag >= FFI_FIRST_OBJECT) ++((ffi_object *)value.as.pointer)->counts;
    return value;
}

static int array_call(void *self, const ffi_any *args, int32_t count, ffi_any *result)
{
    (void)self;
    *result = make_array(args, (size_t)count);
    for (int32_t i = 0; i < count; ++i) shared(args[i]);
    return 0;
}

static int size_call(void *self, const ffi_any *args, int32_t count, ffi_any *result)
{
    (void)self, (void)count;
    *result = (ffi_any){.tag = FFI_INT, .as.integer = (int64_t)((array_object *)args[0].as.pointer)->count};
    return 0;
}

static int item_call(void *self, const ffi_any *args, int32_t count, ffi_any *result)
{
    (void)self, (void)count;
    *result = shared(((array_object *)args[0].as.pointer)->items[args[1].as.integer]);
    return 0;
}

/* ---- Functions --------------------------------------------------------------------------------- */

API int TVMFFIFunctionCreate(void *self, ffi_call_fn call, void (*drop)(void *self), void **out);
int TVMFFIFunctionCreate(void *self, ffi_call_fn call, void (*drop)(void *self), void **out)
{
    if (fails(&standin.fail_create)) return fail("no function");
    function_object *f = object(FFI_FUNCTION, sizeof *f);
    f->self = self;
    f->call = call;
    f->drop = drop;
    *out = f;
    return 0;
}

API int TVMFFIFunctionCall(void *function, const ffi_any *args, int32_t count, ffi_any *result);
int TVMFFIFunctionCall(void *function, const ffi_any *args, int32_t count, ffi_any *result)
{
    function_object *f = function;
    return f->call(f->self, args, count, result);
}

static row *find(const ffi_bytes *name)
{
    for (size_t i = 0; i < row_count; ++i) {
        if (strlen(rows[i].name) == name->size && memcmp(rows[i].name, name->data, name->size) == 0) return &rows[i];
    }
    return NULL;
}

API int TVMFFIFunctionSetGlobal(const ffi_bytes *name, void *function, int override);
int TVMFFIFunctionSetGlobal(const ffi_bytes *name, void *function, int override)
{
    row *r = find(name);
    if (fails(&standin.fail_set)) return fail("no room");
    if (r != NULL && !override) return fail("already registered");
    if (r == NULL) {
        if (row_count == ROWS || name->size >= sizeof r->name) abort();
        r = &rows[row_count++];
        memset(r, 0, sizeof *r);
        memcpy(r->name, name->data, name->size);
    }
    function_object *old = r->function;
    r->function = function;
    ++r->function->head.counts;
    if (old != NULL) TVMFFIObjectDecRef(old);
    return 0;
}

static int remove_call(void *self, const ffi_any *args, int32_t count, ffi_any *result)
{
    (void)self, (void)count;
    ffi_bytes name = {args[0].as.text, strlen(args[0].as.text)};
    row *r = find(&name);
    *result = (ffi_any){.tag = FFI_BOOL, .as.integer = r != NULL};
    if (r == NULL) return 0;
    function_object *gone = r->function;
    *r = rows[--row_count];
    TVMFFIObjectDecRef(gone);
    return 0;
}

static int name_call(void *self, const ffi_any *args, int32_t count, ffi_any *result)
{
    (void)self, (void)count;
    int64_t i = args[0].as.integer;
    if (i < 0) {
        *result = (ffi_any){.tag = FFI_INT, .as.integer = (int64_t)row_count};
    } else {
        *result = make_text(FFI_STR, rows[i].name, strlen(rows[i].name));
    }
    return 0;
}

static int list_call(void *self, const ffi_any *args, int32_t count, ffi_any *result)
{
    (void)self, (void)args, (void)count;
    result->tag = FFI_FUNCTION;
    return TVMFFIFunctionCreate(NULL, name_call, NULL, &result->as.pointer);
}

/* The functions that the real library registers when it is loaded, made at the first look-up. */
static void builtin(const char *name, ffi_call_fn call)
{
    ffi_bytes key = {name, strlen(name)};
    if (find(&key) != NULL) return;
    void *f;
    TVMFFIFunctionCreate(NULL, call, NULL, &f);
    TVMFFIFunctionSetGlobal(&key, f, 0);
    TVMFFIObjectDecRef(f);
}

__attribute__((constructor)) static void start(void)
{
    builtin("ffi.Array", array_call);
    builtin("ffi.ArraySize", size_call);
    builtin("ffi.ArrayGetItem", item_call);
    builtin("ffi.FunctionRemoveGlobal", remove_call);
    builtin("ffi.FunctionListGlobalNamesFunctor", list_call);
}

API int TVMFFIFunctionGetGlobal(const ffi_bytes *name, void **out);
int TVMFFIFunctionGetGlobal(const ffi_bytes *name, void **out)
{
    *out = NULL;
    if (fails(&standin.fail_get)) return fail("no look-up");
    row *r = find(name);
    if (r == NULL) return 0;
    ++r->function->head.counts;
    *out = r->function;
    return 0;
}

#ifndef STANDIN_PARTIAL /* a release that lacks one */
API const ffi_type_info *TVMFFIGetTypeInfo(int32_t tag);
const ffi_type_info *TVMFFIGetTypeInfo(int32_t tag)
{
    static const ffi_type_info thing = {.tag = 200, .depth = 1, .key = {"test.Thing", 10}};
    return tag == 200 ? &thing : NULL;
}
#endif
