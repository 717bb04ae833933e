/* The stable C ABI of tvm-ffi as Ingot needs it, declared afresh; the sizes and offsets are its documented ones, the same
 * from release 0.1.0 on. */
#ifndef FFI_ABI_H
#define FFI_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "ingot/dlpack.h"

enum ffi_tag {
#define FFI_TAG(NAME, number, text) FFI_##NAME = (number),
#include "ffi/tags.def"
#undef FFI_TAG
    FFI_FIRST_OBJECT = 64 /* values with this tag or a higher one hold a reference */
};

/* A value. As an argument it borrows; as a result it owns what it points to. Bytes that are not used are zero. */
typedef struct ffi_any {
    int32_t tag;
    uint32_t small_size; /* of SMALL_STR and SMALL_BYTES, else 0 */
    union {
        int64_t integer;
        double real;
        void *pointer;
        const void *view;
        const char *text;
        DLDataType dtype;
        char bytes[8];
    } as;
} ffi_any;

typedef struct ffi_bytes {
    const char *data;
    size_t size;
} ffi_bytes;

/* What every object begins with; what is of its type follows. */
typedef struct ffi_object {
    uint64_t counts;
    int32_t tag;
    int32_t unused;
    void (*deleter)(void *self, int flags);
} ffi_object;

typedef struct ffi_text_object { /* STR and BYTES */
    ffi_object head;
    ffi_bytes text;
} ffi_text_object;

typedef struct ffi_tensor_object {
    ffi_object head;
    DLTensor tensor;
} ffi_tensor_object;

typedef struct ffi_error_object { /* only its first fields: later ones differ between releases */
    ffi_object head;
    ffi_bytes kind, message;
} ffi_error_object;

typedef struct ffi_type_info { /* likewise */
    int32_t tag, depth;
    ffi_bytes key;
} ffi_type_info;

/* Returns 0, or -1 with an error in the thread's slot. */
typedef int (*ffi_call_fn)(void *self, const ffi_any *args, int32_t count, ffi_any *result);

_Static_assert(sizeof(ffi_any) == 16, "a value is two words");
_Static_assert(offsetof(ffi_any, small_size) == 4, "the tag is followed by the small size");
_Static_assert(offsetof(ffi_any, as) == 8, "the payload is the second word");
_Static_assert(sizeof(ffi_object) == 24, "the header has three words");
_Static_assert(offsetof(ffi_object, tag) == 8, "the counts come first");
_Static_assert(offsetof(ffi_object, deleter) == 16, "the deleter comes last");
_Static_assert(offsetof(ffi_text_object, text) == 24, "a text follows its header");
_Static_assert(offsetof(ffi_tensor_object, tensor) == 24, "a tensor follows its header");
_Static_assert(offsetof(ffi_error_object, kind) == 24, "an error begins with its kind");
_Static_assert(offsetof(ffi_error_object, message) == 40, "the message follows");
_Static_assert(offsetof(ffi_type_info, depth) == 4, "the depth follows the tag");
_Static_assert(offsetof(ffi_type_info, key) == 8, "a type's name follows its numbers");
_Static_assert(sizeof(DLTensor) == 48, "DLPack's tensor");
_Static_assert(offsetof(DLTensor, device) == 8 && offsetof(DLTensor, ndim) == 16, "DLPack's tensor");
_Static_assert(offsetof(DLTensor, dtype) == 20 && offsetof(DLTensor, shape) == 24, "DLPack's tensor");
_Static_assert(offsetof(DLTensor, strides) == 32 && offsetof(DLTensor, byte_offset) == 40, "DLPack's tensor");

#endif
