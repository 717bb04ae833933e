/* The classes of Foundation that are used, and the list of all classes. Declarations:
 * https://developer.apple.com/documentation/foundation, https://developer.apple.com/documentation/objectivec */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"
#include "send.h"
#include "tables.h"

object *make_string(const char *text, size_t size)
{
    object *o = make("NSString");
    o->text = grab(size + 1, 1);
    memcpy(o->text, text, size);
    o->size = size;
    return o;
}

object *make_array(object *const *items, size_t count)
{
    object *o = make("NSArray");
    o->items = grab(count, sizeof *o->items);
    o->size = count;
    for (size_t i = 0; i < count; ++i) o->items[i] = retain(items[i]);
    return o;
}

object *make_error(int64_t code, const char *text)
{
    object *o = autorelease(make("NSError"));
    o->text = copy_text(text);
    o->number[NUMBER_CODE] = code;
    return o;
}

static value new_object(message *m)
{
    return (value){.o = make(m->self->class->name)};
}

static value responds(message *m)
{
    return (value){.u = find_method(m->self, selector_text(m->args[0].p)) != NULL};
}

static bool is_utf8(const unsigned char *s, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        size_t more = s[i] < 0x80 ? 0 : s[i] >= 0xF0 ? 3 : s[i] >= 0xE0 ? 2 : s[i] >= 0xC2 ? 1 : 4;
        if (more == 4 || more > n - i - 1) return false;
        for (; more > 0; --more) {
            if ((s[++i] & 0xC0) != 0x80) return false;
        }
    }
    return true;
}

/* Takes the allocated object over; nil, and the object gone, for bytes that are none of the encoding. */
static value init_bytes(message *m)
{
    object *o = m->self;
    if (m->args[2].u != 4) complain("initWithBytes: encoding %llu is not UTF-8", (unsigned long long)m->args[2].u);
    if (o->text != NULL) complain("a string is initialised twice");
    if (!is_utf8(m->args[0].p, (size_t)m->args[1].u)) {
        release(o);
        return (value){0};
    }
    o->size = (size_t)m->args[1].u;
    o->text = grab(o->size + 1, 1);
    memcpy(o->text, m->args[0].p, o->size);
    return (value){.o = o};
}

static value string_of(message *m)
{
    const char *text = m->args[0].p;
    if (!is_utf8((const unsigned char *)text, strlen(text))) return (value){0};
    return (value){.o = make_string(text, strlen(text))};
}

static value text(message *m)
{
    return (value){.p = m->self->text};
}

/* A string over what the object has as text. */
static value text_object(message *m)
{
    const char *t = m->self->text != NULL ? m->self->text : "";
    return (value){.o = make_string(t, strlen(t))};
}

static value error_code(message *m)
{
    return (value){.u = (uint64_t)m->self->number[NUMBER_CODE]};
}

static value error_info(message *m)
{
    return (value){.o = retain(m->self->held[HELD_USER_INFO])};
}

static value object_for_key(message *m)
{
    return (value){.o = m->args[0].o == m->self->held[HELD_KEY] ? retain(m->self->held[HELD_VALUE]) : NULL};
}

static value count(message *m)
{
    return (value){.u = m->self->size};
}

static value object_at(message *m)
{
    if (m->args[0].u < m->self->size) return (value){.o = retain(m->self->items[m->args[0].u])};
    complain("objectAtIndex: %llu of %zu", (unsigned long long)m->args[0].u, m->self->size);
    return (value){0};
}

static value array_of(message *m)
{
    return (value){.o = make_array(&m->args[0].o, 1)};
}

static value file_url(message *m)
{
    object *o = make("NSURL");
    o->text = copy_text(m->args[0].o->text);
    return (value){.o = o};
}

static const method object_methods[] = {
    {"+ (instancetype)new", new_object, false},
    {"+ (instancetype)alloc", new_object, false},
    {"- (BOOL)respondsToSelector:(SEL)aSelector", responds, false},
};
static const method string_methods[] = {
    {"+ (instancetype)stringWithUTF8String:(const char *)nullTerminatedCString", string_of, false},
    {"- (instancetype)initWithBytes:(const void *)bytes length:(NSUInteger)len encoding:(NSStringEncoding)encoding", init_bytes, false},
    {"- (const char *)UTF8String", text, false},
};
static const method error_methods[] = {
    {"- (NSString *)localizedDescription", text_object, false},
    {"- (NSInteger)code", error_code, false},
    {"- (NSDictionary<NSErrorUserInfoKey, id> *)userInfo", error_info, false},
};
static const method dictionary_methods[] = {{"- (id)objectForKey:(id)aKey", object_for_key, false}};
static const method array_methods[] = {
    {"+ (instancetype)arrayWithObject:(id)anObject", array_of, false},
    {"- (NSUInteger)count", count, false},
    {"- (id)objectAtIndex:(NSUInteger)index", object_at, false},
};
static const method url_methods[] = {{"+ (NSURL *)fileURLWithPath:(NSString *)path", file_url, false}};

#define ROWS(TABLE) TABLE, sizeof(TABLE) / sizeof(TABLE)[0]
static const class_info object_class = {"NSObject", ROWS(object_methods), false, false};
static const class_info string_class = {"NSString", ROWS(string_methods), true, false};
static const class_info error_class = {"NSError", ROWS(error_methods), false, false};
static const class_info dictionary_class = {"NSDictionary", ROWS(dictionary_methods), false, false};
static const class_info array_class = {"NSArray", ROWS(array_methods), true, false};
static const class_info url_class = {"NSURL", ROWS(url_methods), true, false};
static const class_info data_class = {"dispatch_data_t", NULL, 0, false, false};

const class_info *const classes[] = {
    &object_class,   &string_class,     &error_class,     &dictionary_class, &array_class,     &url_class,
    &data_class,     &device_class,     &options_class,   &library_class,    &function_class,  &descriptor_class,
    &pipeline_class, &reflection_class, &binding_class,   &buffer_class,     &queue_class,     &how_class,
    &commands_class, &compute_class,    &blit_class,      &info_class,       &archive_class,   &archive_descriptor_class,
    &manager_class,  &capture_class,
};
const size_t class_count = sizeof classes / sizeof classes[0];

/* ---- libdispatch ------------------------------------------------------------------------------------------------ */

DOUBLE_API object *dispatch_data_create(const void *bytes, size_t size, object *queue, void *destructor);
DOUBLE_API object *dispatch_data_create(const void *bytes, size_t size, object *queue, void *destructor)
{
    enter();
    if (queue != NULL || destructor != NULL) complain("dispatch_data_create with a queue or a destructor");
    object *o = make("dispatch_data_t");
    o->bytes = grab(size, 1);
    memcpy(o->bytes, bytes, size);
    o->size = size;
    leave();
    return o;
}

DOUBLE_API void dispatch_release(object *o);
DOUBLE_API void dispatch_release(object *o)
{
    enter();
    if (o == NULL || !is_alive(o, "dispatch_release")) complain("dispatch_release of nothing");
    else if (!is_a(o, "dispatch_data_t")) complain("dispatch_release of a %s", o->class->name);
    else release(o);
    leave();
}
