/* Kernels ready to run: made once for each payload and device, described by Metal's reflection, kept for the next load. */
#include <string.h>

#include "base/error.h"
#include "base/sha256.h"
#include "metal/metal.h"

/* MTLPipelineOption: https://developer.apple.com/documentation/metal/mtlpipelineoption */
enum { BINDING_INFO = 1, BUFFER_TYPE_INFO = 2 };
/* MTLBindingType and MTLBindingAccess; MTLArgumentType and MTLArgumentAccess have the same numbers. */
enum { BINDING_BUFFER = 0, BINDING_THREADGROUP = 1, ACCESS_READ_ONLY = 0 };

/* ---- Making one -------------------------------------------------------------------------------------------- */

static void free_pipeline(metal_device *d, metal_pipeline *p)
{
    metal_release(&d->objc, p->state);
    for (size_t i = 0; i < p->info.slot_count; ++i) {
        union {
            const char *from;
            char *to;
        } name = {.from = p->slots[i].name}; /* made here, read only to others */
        mem_free(d->mem, name.to, strlen(name.to) + 1);
    }
    if (p->name != NULL) mem_free(d->mem, p->name, strlen(p->name) + 1);
    mem_free(d->mem, p, sizeof *p);
}

/* One [[buffer(n)]] parameter. Metal tells access, not address space: what is only read can be given as constant bytes. */
static bool add_slot(metal_device *d, metal_pipeline *p, metal_id binding)
{
    const metal_objc *o = &d->objc;
    if (p->info.slot_count == RT_MAX_BUFFERS) return true;
    const char *text = metal_text(o, metal_name(o, binding));
    char *name = mem_copy(d->mem, text, strlen(text) + 1);
    if (name == NULL) return false;
    bool read_only = metal_binding_access(o, binding) == ACCESS_READ_ONLY;
    rt_slot slot = {.kind = read_only ? RT_SLOT_CONSTANT : RT_SLOT_DEVICE,
                    .index = (uint32_t)metal_binding_index(o, binding),
                    .name = name,
                    .type = "type",
                    .bytes = (size_t)metal_binding_size(o, binding),
                    .read_only = read_only};
    size_t at = p->info.slot_count++;
    for (; at > 0 && p->slots[at - 1].index > slot.index; --at) p->slots[at] = p->slots[at - 1];
    p->slots[at] = slot;
    return true;
}

/* What the kernel takes, by Metal's own reading of it. */
static bool reflect(metal_device *d, metal_pipeline *p, metal_id reflection)
{
    const metal_objc *o = &d->objc;
    if (reflection == NULL) return true;
    metal_id all = metal_has(o, reflection, METAL_SEL_bindings) ? metal_bindings(o, reflection) : metal_arguments(o, reflection);
    uint64_t total = all != NULL ? metal_count(o, all) : 0;
    for (uint64_t i = 0; i < total; ++i) {
        metal_id one = metal_object_at(o, all, i);
        int64_t type = metal_binding_type(o, one);
        uint64_t index = metal_binding_index(o, one);
        if (type == BINDING_THREADGROUP && index >= p->info.dynamic_count) p->info.dynamic_count = (uint32_t)index + 1;
        if (type == BINDING_BUFFER && !add_slot(d, p, one)) return false;
    }
    return true;
}

/* Puts a pipeline into the archive, if there is one. */
static void archive_pipeline(metal_device *d, metal_id descriptor)
{
    metal_id nserror = NULL;
    pthread_mutex_lock(&d->lock);
    if (d->archive != NULL && !metal_archive_add(&d->objc, d->archive, descriptor, &nserror)) d->archive_failed = true;
    pthread_mutex_unlock(&d->lock);
}

static metal_id new_descriptor(metal_device *d, const char *name, metal_id function)
{
    const metal_objc *o = &d->objc;
    metal_id descriptor = metal_new_object(o, o->classes[METAL_CLASS_MTLComputePipelineDescriptor]);
    metal_set_function(o, descriptor, function);
    metal_label(o, descriptor, "%s", name);
    pthread_mutex_lock(&d->lock);
    if (d->archive != NULL) metal_set_archives(o, descriptor, metal_array_of(o, o->classes[METAL_CLASS_NSArray], d->archive));
    pthread_mutex_unlock(&d->lock);
    return descriptor;
}

static ingot_status make_state(metal_device *d, metal_pipeline *p, metal_id function, ingot_error *error)
{
    const metal_objc *o = &d->objc;
    metal_id descriptor = new_descriptor(d, p->name, function), reflection = NULL, nserror = NULL;
    p->state = metal_new_pipeline(o, d->device, descriptor, BINDING_INFO | BUFFER_TYPE_INFO, &reflection, &nserror);
    ingot_status status = INGOT_OK;
    if (p->state == NULL) {
        status = error_set(error, INGOT_RUNTIME, "Metal makes no pipeline of it: %.800s", metal_reason(o, nserror));
    } else if (!reflect(d, p, reflection)) {
        status = error_no_memory(error);
    } else {
        archive_pipeline(d, descriptor);
    }
    metal_release(o, descriptor);
    return status;
}

static ingot_status make_pipeline(metal_device *d, const rt_source *source, metal_pipeline **out, ingot_error *error)
{
    const metal_objc *o = &d->objc;
    metal_pipeline *p = mem_zeroed(d->mem, 1, sizeof *p);
    if (p == NULL) return error_no_memory(error);
    p->name = mem_copy(d->mem, source->kernel, strlen(source->kernel) + 1);
    metal_id function = NULL;
    ingot_status status = p->name != NULL ? metal_function_load(d, source, &function, error) : error_no_memory(error);
    if (status == INGOT_OK) status = make_state(d, p, function, error);
    metal_release(o, function);
    if (status != INGOT_OK) {
        free_pipeline(d, p);
        return status;
    }
    uint64_t threads = metal_pipeline_threads(o, p->state);
    p->info.name = p->name;
    p->info.slots = p->slots;
    p->info.max_threads = threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
    p->info.threadgroup_bytes = metal_has(o, p->state, METAL_SEL_pipeline_memory) ? (size_t)metal_pipeline_memory(o, p->state) : 0;
    *out = p;
    return INGOT_OK;
}

/* ---- Keeping them ------------------------------------------------------------------------------------------ */

static void add_number(sha256 *h, uint64_t n)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < 8; ++i) bytes[i] = (unsigned char)(n >> (8 * i));
    sha256_add(h, bytes, sizeof bytes);
}

static void make_key(const rt_source *source, unsigned char key[32])
{
    sha256 h;
    sha256_init(&h);
    add_number(&h, source->format);
    add_number(&h, source->math);
    add_number(&h, source->language);
    add_number(&h, strlen(source->kernel));
    sha256_add(&h, source->kernel, strlen(source->kernel));
    sha256_add(&h, source->text, source->size);
    sha256_finish(&h, key);
}

/* Under the lock: the pipeline of that key, moved to the front and with a user more; NULL where there is none. */
static metal_pipeline *find(metal_device *d, const unsigned char key[32])
{
    for (metal_pipeline **at = &d->pipelines; *at != NULL; at = &(*at)->next) {
        metal_pipeline *p = *at;
        if (memcmp(p->key, key, sizeof p->key) != 0) continue;
        *at = p->next;
        p->next = d->pipelines;
        d->pipelines = p;
        ++p->users;
        return p;
    }
    return NULL;
}

/* Under the lock: a new one, with one user. */
static void add(metal_device *d, metal_pipeline *p)
{
    p->users = 1;
    p->next = d->pipelines;
    d->pipelines = p;
}

/* Under the lock: takes the one out that has been idle for longest, where too many are; NULL else. */
static metal_pipeline *take_idle(metal_device *d)
{
    size_t idle = 0;
    metal_pipeline **last = NULL;
    for (metal_pipeline **at = &d->pipelines; *at != NULL; at = &(*at)->next) {
        if ((*at)->users != 0) continue;
        ++idle;
        last = at;
    }
    if (last == NULL || idle <= METAL_IDLE) return NULL;
    metal_pipeline *p = *last;
    *last = p->next;
    return p;
}

void metal_pipeline_retain(metal_device *d, metal_pipeline *p)
{
    pthread_mutex_lock(&d->lock);
    ++p->users;
    pthread_mutex_unlock(&d->lock);
}

void metal_pipeline_release(metal_device *d, metal_pipeline *p)
{
    pthread_mutex_lock(&d->lock);
    metal_pipeline *gone = --p->users == 0 ? take_idle(d) : NULL;
    pthread_mutex_unlock(&d->lock);
    if (gone != NULL) free_pipeline(d, gone);
}

void metal_pipelines_free(metal_device *d)
{
    while (d->pipelines != NULL) {
        metal_pipeline *next = d->pipelines->next;
        free_pipeline(d, d->pipelines);
        d->pipelines = next;
    }
}

/* ---- As the runtime asks for them ---------------------------------------------------------------------------- */

ingot_status metal_kernel_load(void *device, const rt_source *source, void **out, ingot_error *error)
{
    metal_device *d = device;
    unsigned char key[32];
    *out = NULL;
    make_key(source, key);
    pthread_mutex_lock(&d->lock);
    metal_pipeline *p = find(d, key);
    pthread_mutex_unlock(&d->lock);
    if (p != NULL) {
        *out = p;
        return INGOT_OK;
    }
    /* Compiling takes long: the lock is free meanwhile, and of two threads that make the same one, the second to end
     * gives its own back. */
    void *pool = d->objc.objc_autoreleasePoolPush();
    ingot_status status = make_pipeline(d, source, &p, error);
    if (status == INGOT_OK && p != NULL) {
        memcpy(p->key, key, sizeof key);
        pthread_mutex_lock(&d->lock);
        metal_pipeline *theirs = find(d, key);
        if (theirs == NULL) add(d, p);
        pthread_mutex_unlock(&d->lock);
        if (theirs != NULL) {
            free_pipeline(d, p);
            p = theirs;
        }
        *out = p;
    }
    d->objc.objc_autoreleasePoolPop(pool);
    return status;
}

void metal_kernel_free(void *device, void *kernel)
{
    metal_device *d = device;
    void *pool = d->objc.objc_autoreleasePoolPush();
    metal_pipeline_release(d, kernel);
    d->objc.objc_autoreleasePoolPop(pool);
}

const rt_kernel_info *metal_kernel_info(void *device, void *kernel)
{
    (void)device;
    const metal_pipeline *p = kernel;
    return &p->info;
}
