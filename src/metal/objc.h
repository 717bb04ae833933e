/* The Objective-C runtime from plain C: libraries opened at run time, and one typed function a message.
 *
 * objc_msgSend has no type of its own: it is to be called as if it were the method that the message ends at. Each row of
 * selectors.def becomes a function that casts it to that method's exact type, so that arguments and results travel as
 * the platform's ABI says:
 *  - arm64: integers, pointers and doubles in registers; MTLSize (24 bytes) as an argument by the address of a copy, as a
 *    result through the address in x8. One objc_msgSend serves all.
 *  - x86-64: MTLSize as an argument on the stack; as a result through a hidden first argument, which shifts receiver and
 *    selector, so that objc_msgSend_stret is the one to call. Results of 16 bytes and less, and double, come from
 *    objc_msgSend (objc_msgSend_fpret is for long double alone).
 * No method used here takes a block, and none is variadic. */
#ifndef METAL_OBJC_H
#define METAL_OBJC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingot/ingot.h"
#include "metal/libraries.h"

typedef struct metal_object *metal_id;
typedef const struct metal_selector *metal_sel;

/* Objective-C's BOOL. */
#if defined(__APPLE__) && !defined(__aarch64__)
typedef signed char metal_bool;
#else
typedef bool metal_bool;
#endif

/* MTLSize: https://developer.apple.com/documentation/metal/mtlsize */
typedef struct metal_size {
    uint64_t width, height, depth;
} metal_size;

typedef enum metal_selector_name {
#define METAL_ROW(NAME, TEXT) METAL_SEL_##NAME,
#include "metal/selectors_list.def"
    METAL_SEL_COUNT
} metal_selector_name;

typedef enum metal_class_name {
#define METAL_CLASS(NEED, NAME) METAL_CLASS_##NAME,
#include "metal/classes.def"
#undef METAL_CLASS
    METAL_CLASS_COUNT
} metal_class_name;

/* All that was looked up. Immutable once open; any thread. */
typedef struct metal_objc {
    void *libraries[METAL_LIBRARY_COUNT];
#define METAL_SYMBOL(NEED, LIBRARY, NAME, RETURN, ARGUMENTS) RETURN(*NAME) ARGUMENTS;
#include "metal/symbols.def"
#undef METAL_SYMBOL
    metal_sel selectors[METAL_SEL_COUNT];
    metal_id classes[METAL_CLASS_COUNT];  /* NULL: this system has none */
    metal_id encoder_info_key;            /* MTLCommandBufferEncoderInfoErrorKey; NULL on older systems */
} metal_objc;

/* Opens the libraries and looks everything up. INGOT_UNSUPPORTED, naming what is missing, where this is no system with
 * Metal; nothing is held then. */
ingot_status metal_objc_open(metal_objc *o, ingot_error *error);
void metal_objc_close(metal_objc *o);

/* True where the object (or class) has a method for the selector. */
bool metal_has(const metal_objc *o, metal_id object, metal_selector_name selector);

/* An NSString of bytes that are UTF-8 (else NULL): the caller's reference. */
metal_id metal_string_new(const metal_objc *o, const char *text, size_t size);

/* The text of an NSString, "" for NULL. Lives as long as the string, and at most until the pool is drained. */
const char *metal_text(const metal_objc *o, metal_id string);

/* The localised description of an NSError: as metal_text; "no reason given" for NULL. */
const char *metal_reason(const metal_objc *o, metal_id nserror);

/* Gives an object a label, formatted. */
void metal_label(const metal_objc *o, metal_id object, const char *format, ...) __attribute__((format(printf, 3, 4)));

static inline void metal_release(const metal_objc *o, metal_id object)
{
    if (object != NULL) o->objc_release(object);
}

/* ---- One function a message ---------------------------------------------------------------------------- */

#define METAL_SEND(T) ((T)o->objc_msgSend)
#define METAL_NAMED(NAME) o->selectors[METAL_SEL_##NAME]
#if defined(__x86_64__)
#define METAL_SEND_SIZE(T) ((T)o->objc_msgSend_stret)
#else
#define METAL_SEND_SIZE(T) ((T)o->objc_msgSend)
#endif

#define METAL_GET0(T, NAME, TEXT)                                                                                             \
    static inline T metal_##NAME(const metal_objc *o, metal_id to)                                                            \
    {                                                                                                                         \
        return METAL_SEND(T(*)(metal_id, metal_sel))(to, METAL_NAMED(NAME));                                                  \
    }
#define METAL_GET1(T, NAME, TEXT, A)                                                                                          \
    static inline T metal_##NAME(const metal_objc *o, metal_id to, A a)                                                       \
    {                                                                                                                         \
        return METAL_SEND(T(*)(metal_id, metal_sel, A))(to, METAL_NAMED(NAME), a);                                            \
    }
#define METAL_GET2(T, NAME, TEXT, A, B)                                                                                       \
    static inline T metal_##NAME(const metal_objc *o, metal_id to, A a, B b)                                                  \
    {                                                                                                                         \
        return METAL_SEND(T(*)(metal_id, metal_sel, A, B))(to, METAL_NAMED(NAME), a, b);                                      \
    }
#define METAL_GET3(T, NAME, TEXT, A, B, C)                                                                                    \
    static inline T metal_##NAME(const metal_objc *o, metal_id to, A a, B b, C c)                                             \
    {                                                                                                                         \
        return METAL_SEND(T(*)(metal_id, metal_sel, A, B, C))(to, METAL_NAMED(NAME), a, b, c);                                \
    }
#define METAL_GET4(T, NAME, TEXT, A, B, C, D)                                                                                 \
    static inline T metal_##NAME(const metal_objc *o, metal_id to, A a, B b, C c, D d)                                        \
    {                                                                                                                         \
        return METAL_SEND(T(*)(metal_id, metal_sel, A, B, C, D))(to, METAL_NAMED(NAME), a, b, c, d);                          \
    }
#define METAL_SIZE(NAME, TEXT)                                                                                                \
    static inline metal_size metal_##NAME(const metal_objc *o, metal_id to)                                                   \
    {                                                                                                                         \
        return METAL_SEND_SIZE(metal_size(*)(metal_id, metal_sel))(to, METAL_NAMED(NAME));                                    \
    }
#define METAL_DO0(NAME, TEXT)                                                                                                 \
    static inline void metal_##NAME(const metal_objc *o, metal_id to)                                                         \
    {                                                                                                                         \
        METAL_SEND(void (*)(metal_id, metal_sel))(to, METAL_NAMED(NAME));                                                     \
    }
#define METAL_DO1(NAME, TEXT, A)                                                                                              \
    static inline void metal_##NAME(const metal_objc *o, metal_id to, A a)                                                    \
    {                                                                                                                         \
        METAL_SEND(void (*)(metal_id, metal_sel, A))(to, METAL_NAMED(NAME), a);                                               \
    }
#define METAL_DO2(NAME, TEXT, A, B)                                                                                           \
    static inline void metal_##NAME(const metal_objc *o, metal_id to, A a, B b)                                               \
    {                                                                                                                         \
        METAL_SEND(void (*)(metal_id, metal_sel, A, B))(to, METAL_NAMED(NAME), a, b);                                         \
    }
#define METAL_DO3(NAME, TEXT, A, B, C)                                                                                        \
    static inline void metal_##NAME(const metal_objc *o, metal_id to, A a, B b, C c)                                          \
    {                                                                                                                         \
        METAL_SEND(void (*)(metal_id, metal_sel, A, B, C))(to, METAL_NAMED(NAME), a, b, c);                                   \
    }
#define METAL_DO5(NAME, TEXT, A, B, C, D, E)                                                                                  \
    static inline void metal_##NAME(const metal_objc *o, metal_id to, A a, B b, C c, D d, E e)                                \
    {                                                                                                                         \
        METAL_SEND(void (*)(metal_id, metal_sel, A, B, C, D, E))(to, METAL_NAMED(NAME), a, b, c, d, e);                       \
    }
#include "metal/selectors.def"
#include "metal/selectors_undef.def"
#undef METAL_SEND
#undef METAL_SEND_SIZE
#undef METAL_NAMED

#endif
