/* A line on the terminal that says what a long step is doing. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>

/* All zero is one that shows nothing. Set by cli_progress_begin; one user, and a thread of its
 * own. */
typedef struct cli_progress {
    bool running; /* the thread is there; the rest is guarded by the mutex */
    bool stop, shown;
    char label[96];
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
} cli_progress;

/* From one second on shows `label` and the seconds gone by, on standard error, where that is a
 * terminal. */
void cli_progress_begin(cli_progress *progress, const char *label);

/* Another label for the step under way. */
void cli_progress_label(cli_progress *progress, const char *label);

/* Removes the line and ends the thread; without a begin nothing happens. */
void cli_progress_end(cli_progress *progress);

/* Around other output to the terminal: removes the line, and keeps it away until release. */
void cli_progress_hold(cli_progress *progress);
void cli_progress_release(cli_progress *progress);

#endif
