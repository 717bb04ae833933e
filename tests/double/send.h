/* Messages: from the registers of the caller to a method of the tables. */
#ifndef DOUBLE_SEND_H
#define DOUBLE_SEND_H

#include <stddef.h>

/* Every entry point of the library is between the two. */
void enter(void);
void leave(void);

/* Zeroed memory; never NULL. */
void *grab(size_t count, size_t size);

/* A copy of a text, to be freed. */
char *copy_text(const char *text);

/* The text of what sel_registerName gave. */
const char *selector_text(const void *selector);

/* Forgets how often each selector was sent. */
void reset_counts(void);

#endif
