/* Compiled pipelines on disk: an MTLBinaryArchive that pipelines are looked up in and added to. */
#define _POSIX_C_SOURCE 200809L /* access */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "metal/metal.h"

static metal_id file_url(const metal_objc *o, const char *path)
{
    metal_id text = metal_string(o, o->classes[METAL_CLASS_NSString], path);
    return text != NULL ? metal_file_url(o, o->classes[METAL_CLASS_NSURL], text) : NULL;
}

/* The archive at `path`, or an empty one where no file is. */
static ingot_status open_archive(metal_device *d, const char *path, metal_id *out, ingot_error *error)
{
    const metal_objc *o = &d->objc;
    metal_id url = file_url(o, path), nserror = NULL;
    if (url == NULL) return error_set(error, INGOT_VALUE, "\"%.400s\" is no path in UTF-8", path);
    metal_id descriptor = metal_new_object(o, o->classes[METAL_CLASS_MTLBinaryArchiveDescriptor]);
    if (access(path, F_OK) == 0) metal_set_url(o, descriptor, url);
    *out = metal_new_archive(o, d->device, descriptor, &nserror);
    metal_release(o, descriptor);
    if (*out != NULL) return INGOT_OK;
    return error_set(error, INGOT_FORMAT, "%.400s: Metal does not take it as an archive: %.500s", path, metal_reason(o, nserror));
}

ingot_status metal_archive_open(void *device, const char *path, ingot_error *error)
{
    metal_device *d = device;
    const metal_objc *o = &d->objc;
    if (o->classes[METAL_CLASS_MTLBinaryArchiveDescriptor] == NULL) {
        return error_set(error, INGOT_UNSUPPORTED, "this system has no binary archives (macOS 11 and iOS 14 have)");
    }
    char *copy = mem_copy(d->mem, path, strlen(path) + 1);
    if (copy == NULL) return error_no_memory(error);
    void *pool = o->objc_autoreleasePoolPush();
    metal_id archive = NULL;
    ingot_status status = open_archive(d, path, &archive, error);
    pthread_mutex_lock(&d->lock);
    if (status == INGOT_OK && d->archive != NULL) status = error_set(error, INGOT_EXISTS, "the device has an archive already");
    if (status == INGOT_OK) {
        metal_label(o, archive, "ingot archive");
        d->archive = archive;
        d->archive_path = copy;
    }
    pthread_mutex_unlock(&d->lock);
    if (status != INGOT_OK) {
        metal_release(o, archive);
        mem_free(d->mem, copy, strlen(copy) + 1);
    }
    o->objc_autoreleasePoolPop(pool);
    return status;
}

/* Under the lock: writes beside the file and renames, so that a reader never sees half of it. */
static ingot_status save_archive(metal_device *d, ingot_error *error)
{
    const metal_objc *o = &d->objc;
    if (d->archive_failed) return error_set(error, INGOT_RUNTIME, "Metal could not put every pipeline into the archive");
    char beside[1024];
    int n = snprintf(beside, sizeof beside, "%s.new", d->archive_path);
    if (n < 0 || n >= (int)sizeof beside) return error_set(error, INGOT_IO, "the archive's path is too long");
    metal_id nserror = NULL, url = file_url(o, beside);
    if (url == NULL || !metal_archive_write(o, d->archive, url, &nserror)) {
        return error_set(error, INGOT_IO, "%.400s: Metal cannot write the archive: %.500s", beside, metal_reason(o, nserror));
    }
    if (rename(beside, d->archive_path) == 0) return INGOT_OK;
    int why = errno;
    (void)remove(beside);
    return error_set(error, INGOT_IO, "%.400s: %s", d->archive_path, strerror(why));
}

ingot_status metal_archive_save(void *device, ingot_error *error)
{
    metal_device *d = device;
    void *pool = d->objc.objc_autoreleasePoolPush();
    pthread_mutex_lock(&d->lock);
    ingot_status status = d->archive != NULL ? save_archive(d, error) : error_set(error, INGOT_NOT_FOUND, "the device has no archive");
    pthread_mutex_unlock(&d->lock);
    d->objc.objc_autoreleasePoolPop(pool);
    return status;
}

void metal_archive_close(metal_device *d)
{
    metal_release(&d->objc, d->archive);
    if (d->archive_path != NULL) mem_free(d->mem, d->archive_path, strlen(d->archive_path) + 1);
}
