/* The classes, each defined where its methods are. */
#ifndef DOUBLE_TABLES_H
#define DOUBLE_TABLES_H

#include "object.h"

/* device.c */
extern const class_info device_class, options_class, library_class, function_class, descriptor_class, pipeline_class,
    reflection_class, binding_class, buffer_class;
/* commands.c */
extern const class_info queue_class, how_class, commands_class, compute_class, blit_class, info_class;
/* files.c */
extern const class_info archive_class, archive_descriptor_class, manager_class, capture_class;

/* -[X setLabel:], for the classes that have it. */
value set_label(message *m);
/* -[MTLDevice newCommandQueue] and newBinaryArchiveWithDescriptor:error:, made where their classes are. */
value new_queue(message *m);
value new_archive(message *m);
/* True where one of the archives holds a function of that name; notes that it was asked. */
bool archives_hold(const object *array, const char *name);

#endif
