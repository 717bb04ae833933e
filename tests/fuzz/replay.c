/* Replays a fuzz corpus through a fuzz target, so that any compiler and sanitizer runs it as an
 * ordinary test. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs one input from a block of exactly its size, so that a read past its end is seen. */
static void run_bytes(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (!copy) abort();
    if (size > 0) memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Runs `count` damaged copies: cut short, one bit flipped, one byte replaced, or a stretch doubled;
 * the same each time. */
static void run_damaged(const uint8_t *data, size_t size, unsigned count)
{
    uint8_t *copy = malloc(size * 2 + 1);
    if (!copy) abort();
    uint32_t state = 2463534242u;
    for (unsigned i = 0; i < count && size > 0; i++) {
        size_t at = next_random(&state) % size;
        size_t length = size;
        memcpy(copy, data, size);
        switch (next_random(&state) % 4) {
        case 0: length = at; break;
        case 1: copy[at] = (uint8_t)(copy[at] ^ (1u << (next_random(&state) % 8))); break;
        case 2: copy[at] = (uint8_t)next_random(&state); break;
        case 3:
            memmove(copy + size, copy + at, size - at);
            length = size + (size - at);
            break;
        }
        run_bytes(copy, length);
    }
    free(copy);
}

static void run_file(const char *path, unsigned damaged)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "replay: cannot open %s\n", path);
        exit(1);
    }
    uint8_t *data = NULL;
    size_t size = 0, room = 0;
    for (;;) {
        if (size == room) {
            room = room ? room * 2 : 65536;
            data = realloc(data, room);
            if (!data) abort();
        }
        size_t got = fread(data + size, 1, room - size, file);
        if (got == 0) break;
        size += got;
    }
    fclose(file);
    /* Named before it runs, so that the input of a crash is the last line. */
    printf("%s\n", path);
    fflush(stdout);
    run_bytes(data, size);
    run_damaged(data, size, damaged);
    free(data);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Runs the files of a folder in the order of their names; returns how many. */
static unsigned run_folder(const char *folder, unsigned damaged)
{
    DIR *dir = opendir(folder);
    if (!dir) return 0;
    char **paths = NULL;
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        size_t length = strlen(folder) + strlen(entry->d_name) + 2;
        char *path = malloc(length);
        paths = realloc(paths, (count + 1) * sizeof *paths);
        if (!path || !paths) abort();
        snprintf(path, length, "%s/%s", folder, entry->d_name);
        paths[count++] = path;
    }
    closedir(dir);
    if (count > 0) qsort(paths, count, sizeof *paths, by_name);
    for (unsigned i = 0; i < count; i++) {
        run_file(paths[i], damaged);
        free(paths[i]);
    }
    free(paths);
    return count;
}

/* usage: fuzz_<x> [--damage N] FILE_OR_FOLDER...; N damaged copies of each input run too */
int main(int argc, char **argv)
{
    unsigned damaged = 0, count = 0;
    run_bytes(NULL, 0);
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (strcmp(argv[i], "--damage") == 0 && i + 1 < argc) {
            damaged = (unsigned)strtoul(argv[++i], NULL, 10);
        } else if (stat(argv[i], &info) == 0 && S_ISREG(info.st_mode)) {
            run_file(argv[i], damaged);
            count++;
        } else {
            count += run_folder(argv[i], damaged);
        }
    }
    printf("%u inputs replayed\n", count);
    return count > 0 ? 0 : 1;
}
