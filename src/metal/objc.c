/* Opening Apple's libraries and looking up what the native device needs of them. */
#include "metal/objc.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { MAY, MUST, UTF8 = 4 /* NSUTF8StringEncoding */ };

static ingot_status absent(ingot_error *error, const char *what, const char *name)
{
    return error_set(error, INGOT_UNSUPPORTED, "no native Metal device: %s %s is not there", what, name);
}

static ingot_status open_libraries(metal_objc *o, ingot_error *error)
{
    for (size_t i = 0; i < METAL_LIBRARY_COUNT; ++i) {
        const metal_library *library = &metal_libraries[i];
        o->libraries[i] = dlopen(library->path, RTLD_NOW | RTLD_LOCAL);
        if (o->libraries[i] == NULL && !library->optional) return absent(error, "the library", library->path);
    }
    return INGOT_OK;
}

/* dlsym's pointer to an object as the pointer to a function that it is. */
static bool look_up(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static ingot_status find_symbols(metal_objc *o, ingot_error *error)
{
#define METAL_SYMBOL(NEED, LIBRARY, NAME, RETURN, ARGUMENTS)                                                                  \
    if (!look_up(o->libraries[METAL_LIBRARY_##LIBRARY], #NAME, &o->NAME) && NEED == MUST)                                     \
        return absent(error, "the function", #NAME);
#include "metal/symbols.def"
#undef METAL_SYMBOL
#if defined(__x86_64__)
    if (o->objc_msgSend_stret == NULL) return absent(error, "the function", "objc_msgSend_stret");
#endif
    /* The symbol is the variable that holds the string. */
    const metal_id *key = dlsym(o->libraries[METAL_LIBRARY_METAL], "MTLCommandBufferEncoderInfoErrorKey");
    o->encoder_info_key = key != NULL ? *key : NULL;
    return INGOT_OK;
}

static void register_selectors(metal_objc *o)
{
    static const char *const texts[] = {
#define METAL_ROW(NAME, TEXT) [METAL_SEL_##NAME] = TEXT,
#include "metal/selectors_list.def"
    };
    for (size_t i = 0; i < METAL_SEL_COUNT; ++i) o->selectors[i] = o->sel_registerName(texts[i]);
}

static ingot_status find_classes(metal_objc *o, ingot_error *error)
{
#define METAL_CLASS(NEED, NAME)                                                                                               \
    o->classes[METAL_CLASS_##NAME] = o->objc_getClass(#NAME);                                                                 \
    if (o->classes[METAL_CLASS_##NAME] == NULL && NEED == MUST) return absent(error, "the class", #NAME);
#include "metal/classes.def"
#undef METAL_CLASS
    return INGOT_OK;
}

ingot_status metal_objc_open(metal_objc *o, ingot_error *error)
{
    *o = (metal_objc){0};
    ingot_status status = open_libraries(o, error);
    if (status == INGOT_OK) status = find_symbols(o, error);
    if (status == INGOT_OK) {
        register_selectors(o);
        status = find_classes(o, error);
    }
    if (status != INGOT_OK) metal_objc_close(o);
    return status;
}

void metal_objc_close(metal_objc *o)
{
    for (size_t i = METAL_LIBRARY_COUNT; i-- > 0;) {
        if (o->libraries[i] != NULL) dlclose(o->libraries[i]);
    }
    *o = (metal_objc){0};
}

bool metal_has(const metal_objc *o, metal_id object, metal_selector_name selector)
{
    return object != NULL && metal_responds(o, object, o->selectors[selector]);
}

metal_id metal_string_new(const metal_objc *o, const char *text, size_t size)
{
    return metal_init_bytes(o, metal_alloc(o, o->classes[METAL_CLASS_NSString]), text, size, UTF8);
}

const char *metal_text(const metal_objc *o, metal_id string)
{
    const char *text = string != NULL ? metal_utf8(o, string) : NULL;
    return text != NULL ? text : "";
}

const char *metal_reason(const metal_objc *o, metal_id nserror)
{
    const char *text = nserror != NULL ? metal_text(o, metal_description(o, nserror)) : "";
    return text[0] != '\0' ? text : "no reason given";
}

void metal_label(const metal_objc *o, metal_id object, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    metal_id label = metal_string(o, o->classes[METAL_CLASS_NSString], text);
    if (label != NULL) metal_set_label(o, object, label);
}
