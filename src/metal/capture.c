/* Captures of what the GPU does, as a .gputrace file for Xcode. */
#include "base/error.h"
#include "metal/metal.h"

/* MTLCaptureDestination: https://developer.apple.com/documentation/metal/mtlcapturedestination */
enum { DESTINATION_FILE = 2 };

static ingot_status start(metal_device *d, metal_id manager, const char *path, ingot_error *error)
{
    const metal_objc *o = &d->objc;
    if (!metal_supports_capture(o, manager, DESTINATION_FILE)) {
        return error_set(error, INGOT_UNSUPPORTED,
                         "this process may not capture to a file: set METAL_CAPTURE_ENABLED=1 in its environment, or "
                         "MetalCaptureEnabled in the Info.plist of the app");
    }
    metal_id text = metal_string(o, o->classes[METAL_CLASS_NSString], path), nserror = NULL;
    metal_id url = text != NULL ? metal_file_url(o, o->classes[METAL_CLASS_NSURL], text) : NULL;
    if (url == NULL) return error_set(error, INGOT_VALUE, "\"%.400s\" is no path in UTF-8", path);
    metal_id descriptor = metal_new_object(o, o->classes[METAL_CLASS_MTLCaptureDescriptor]);
    metal_set_capture_object(o, descriptor, d->device);
    metal_set_destination(o, descriptor, DESTINATION_FILE);
    metal_set_output_url(o, descriptor, url);
    bool started = metal_start_capture(o, manager, descriptor, &nserror);
    metal_release(o, descriptor);
    if (started) return INGOT_OK;
    return error_set(error, INGOT_RUNTIME, "%.400s: the capture does not start: %.500s", path, metal_reason(o, nserror));
}

ingot_status metal_capture_start(void *device, const char *path, ingot_error *error)
{
    metal_device *d = device;
    const metal_objc *o = &d->objc;
    if (o->classes[METAL_CLASS_MTLCaptureManager] == NULL || o->classes[METAL_CLASS_MTLCaptureDescriptor] == NULL) {
        return error_set(error, INGOT_UNSUPPORTED, "this system cannot capture to a file (macOS 10.15 and iOS 13 can)");
    }
    void *pool = o->objc_autoreleasePoolPush();
    metal_id manager = metal_capture_manager(o, o->classes[METAL_CLASS_MTLCaptureManager]);
    pthread_mutex_lock(&d->lock);
    ingot_status status = d->capture == NULL ? start(d, manager, path, error)
                                             : error_set(error, INGOT_EXISTS, "a capture of this device runs already");
    if (status == INGOT_OK) d->capture = manager; /* the one of the process, which stays */
    pthread_mutex_unlock(&d->lock);
    o->objc_autoreleasePoolPop(pool);
    return status;
}

ingot_status metal_capture_stop(void *device, ingot_error *error)
{
    metal_device *d = device;
    const metal_objc *o = &d->objc;
    void *pool = o->objc_autoreleasePoolPush();
    pthread_mutex_lock(&d->lock);
    ingot_status status = INGOT_OK;
    if (d->capture != NULL) metal_stop_capture(o, d->capture);
    else status = error_set(error, INGOT_NOT_FOUND, "no capture of this device runs");
    d->capture = NULL;
    pthread_mutex_unlock(&d->lock);
    o->objc_autoreleasePoolPop(pool);
    return status;
}
