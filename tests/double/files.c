/* Archives and captures of the double. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"
#include "send.h"
#include "tables.h"

/* ---- Archives: a file of this line, then a name a line ------------------------------------------------------------ */

static const char head[] = "an archive of the test double\n";

static value set_url(message *m)
{
    hold(&m->self->held[HELD_URL], m->args[0].o);
    return (value){0};
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) return NULL;
    char *text = grab(1 << 16, 1);
    size_t n = fread(text, 1, (1 << 16) - 1, f);
    text[n] = '\0';
    fclose(f);
    return text;
}

value new_archive(message *m)
{
    const object *url = m->args[0].o->held[HELD_URL];
    char *text = url != NULL ? read_file(url->text) : copy_text(head);
    if (text == NULL || strncmp(text, head, sizeof head - 1) != 0) {
        if (m->args[1].out != NULL) *m->args[1].out = make_error(1, "Invalid file");
        free(text);
        return (value){0};
    }
    object *o = make("MTLBinaryArchive");
    hold(&o->held[HELD_DEVICE], m->self);
    o->text = text;
    return (value){.o = o};
}

static bool holds(const object *archive, const char *name)
{
    char line[300];
    snprintf(line, sizeof line, "\n%s\n", name);
    return strstr(archive->text, line) != NULL;
}

bool archives_hold(const object *array, const char *name)
{
    for (size_t i = 0; i < array->size; ++i) {
        if (!is_a(array->items[i], "MTLBinaryArchive")) complain("an archive that is a %s", array->items[i]->class->name);
        else if (holds(array->items[i], name)) return true;
    }
    return false;
}

static value add_functions(message *m)
{
    const object *function = m->args[0].o->held[HELD_FUNCTION];
    if (function == NULL || fails(DOUBLE_ARCHIVE_ERROR)) {
        if (m->args[1].out != NULL) *m->args[1].out = make_error(3, "the function cannot be archived");
        return (value){0};
    }
    if (!holds(m->self, function->text)) {
        size_t n = strlen(m->self->text), more = strlen(function->text) + 2;
        m->self->text = realloc(m->self->text, n + more);
        if (m->self->text == NULL) abort();
        snprintf(m->self->text + n, more, "%s\n", function->text);
    }
    return (value){.u = 1};
}

static value serialize(message *m)
{
    FILE *f = fails(DOUBLE_WRITE_ERROR) ? NULL : fopen(m->args[0].o->text, "wb");
    if (f == NULL) {
        if (m->args[1].out != NULL) *m->args[1].out = make_error(2, "You don't have permission to save the file.");
        return (value){0};
    }
    fputs(m->self->text, f);
    fclose(f);
    return (value){.u = 1};
}

/* ---- Captures -------------------------------------------------------------------------------------------------------- */

static value shared_manager(message *m)
{
    for (object *o = state.objects; o != NULL; o = o->next) {
        if (o->class == m->self->class && !o->is_class) return (value){.o = o};
    }
    object *o = make("MTLCaptureManager");
    o->is_immortal = true;
    return (value){.o = o};
}

static value supports_destination(message *m)
{
    return (value){.u = m->args[0].u == 1 || state.options.may_capture};
}

static value set_capture_object(message *m)
{
    hold(&m->self->held[HELD_TARGET], m->args[0].o);
    return (value){0};
}

static value set_destination(message *m)
{
    m->self->number[NUMBER_DESTINATION] = (int64_t)m->args[0].u;
    return (value){0};
}

static value start_capture(message *m)
{
    const object *d = m->args[0].o, *target = d->held[HELD_TARGET];
    if (target == NULL || !is_a(target, "MTLDevice")) complain("a capture of nothing");
    if (d->number[NUMBER_DESTINATION] != 2 || d->held[HELD_URL] == NULL) complain("a capture to no file");
    if (m->self->flag[FLAG_CAPTURING]) complain("a capture while another runs");
    if (fails(DOUBLE_CAPTURE_ERROR)) {
        if (m->args[1].out != NULL) *m->args[1].out = make_error(3, "Capturing is not supported.");
        return (value){0};
    }
    m->self->flag[FLAG_CAPTURING] = true;
    ++state.captures;
    return (value){.u = 1};
}

static value stop_capture(message *m)
{
    if (!m->self->flag[FLAG_CAPTURING]) complain("stopCapture and none runs");
    else --state.captures;
    m->self->flag[FLAG_CAPTURING] = false;
    return (value){0};
}

static const method archive_methods[] = {
    {"- (void)setLabel:(NSString *)label", set_label, true},
    {"- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor *)descriptor error:(NSError **)error", add_functions,
     true},
    {"- (BOOL)serializeToURL:(NSURL *)url error:(NSError **)error", serialize, true},
};
static const method archive_descriptor_methods[] = {{"- (void)setUrl:(NSURL *)url", set_url, true}};
static const method manager_methods[] = {
    {"+ (MTLCaptureManager *)sharedCaptureManager", shared_manager, true},
    {"- (BOOL)supportsDestination:(MTLCaptureDestination)destination", supports_destination, true},
    {"- (BOOL)startCaptureWithDescriptor:(MTLCaptureDescriptor *)descriptor error:(NSError **)error", start_capture, true},
    {"- (void)stopCapture", stop_capture, true},
};
static const method capture_methods[] = {
    {"- (void)setCaptureObject:(id)captureObject", set_capture_object, true},
    {"- (void)setDestination:(MTLCaptureDestination)destination", set_destination, true},
    {"- (void)setOutputURL:(NSURL *)outputURL", set_url, true},
};

#define ROWS(TABLE) TABLE, sizeof(TABLE) / sizeof(TABLE)[0]
const class_info archive_class = {"MTLBinaryArchive", ROWS(archive_methods), false, true};
const class_info archive_descriptor_class = {"MTLBinaryArchiveDescriptor", ROWS(archive_descriptor_methods), true, true};
const class_info manager_class = {"MTLCaptureManager", ROWS(manager_methods), true, true};
const class_info capture_class = {"MTLCaptureDescriptor", ROWS(capture_methods), true, true};
