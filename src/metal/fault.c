/* What a command buffer's error means, and which kernel it was. */
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "metal/metal.h"

/* MTLCommandEncoderErrorState: https://developer.apple.com/documentation/metal/mtlcommandencodererrorstate */
enum { ENCODER_FAULTED = 4 };

static const char *fault_text(int64_t code)
{
    switch (code) {
#define METAL_FAULT(NUMBER, TEXT)                                                                                             \
    case NUMBER: return TEXT;
#include "metal/faults.def"
#undef METAL_FAULT
    default: return NULL;
    }
}

/* The kernel that the GPU was at: each launch is marked with its name before it, and the error holds the marks that were
 * reached. "" where the system does not say. */
static const char *reached(const metal_objc *o, metal_id nserror)
{
    metal_id info = nserror != NULL && o->encoder_info_key != NULL ? metal_user_info(o, nserror) : NULL;
    metal_id encoders = info != NULL ? metal_object_for_key(o, info, o->encoder_info_key) : NULL;
    uint64_t total = encoders != NULL ? metal_count(o, encoders) : 0;
    for (uint64_t i = 0; i < total; ++i) {
        metal_id one = metal_object_at(o, encoders, i);
        if (metal_error_state(o, one) != ENCODER_FAULTED) continue;
        metal_id marks = metal_signposts(o, one);
        uint64_t count = marks != NULL ? metal_count(o, marks) : 0;
        if (count != 0) return metal_text(o, metal_object_at(o, marks, count - 1));
    }
    return "";
}

static bool is_first(const metal_batch *b, size_t i)
{
    for (size_t k = 0; k < i; ++k) {
        if (strcmp(b->launched[k]->name, b->launched[i]->name) == 0) return false;
    }
    return true;
}

/* kernel "a", or: one of the kernels "a", "b" and 3 more. */
static void name_kernels(const metal_batch *b, buf *out)
{
    enum { MOST = 4 };
    size_t kinds = 0;
    for (size_t i = 0; i < b->count; ++i) kinds += is_first(b, i);
    buf_text(out, kinds == 1 ? "kernel " : "one of the kernels ");
    size_t said = 0;
    for (size_t i = 0; i < b->count && said < MOST; ++i) {
        if (!is_first(b, i)) continue;
        buf_printf(out, "%s\"%.100s\"", said != 0 ? ", " : "", b->launched[i]->name);
        ++said;
    }
    if (kinds > said) buf_printf(out, " and %zu more", kinds - said);
}

void metal_fault_report(const metal_device *d, const metal_batch *batch, ingot_error *error)
{
    const metal_objc *o = &d->objc;
    metal_id nserror = metal_command_error(o, batch->commands);
    buf text = buf_make(d->mem);
    const char *kernel = reached(o, nserror);
    if (kernel[0] != '\0') buf_printf(&text, "kernel \"%.100s\"", kernel);
    else name_kernels(batch, &text);
    const char *known = nserror != NULL ? fault_text(metal_code(o, nserror)) : NULL;
    buf_printf(&text, ": %s%sthe GPU reports: %.600s", known != NULL ? known : "", known != NULL ? "; " : "", metal_reason(o, nserror));
    buf_char(&text, '\0');
    if (text.failed) error_set(error, INGOT_DEVICE, "a kernel failed on the GPU");
    else error_set(error, INGOT_DEVICE, "%s", text.p);
    buf_free(&text);
}
