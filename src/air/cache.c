/* Files of compiled kernels: a hash of the rest, then what the child sends. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "air/cache.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"

enum { MOST_BYTES = 64 << 20, MOST_PATH = 4096 };

static const char *folder(void)
{
    const char *path = getenv("INGOT_NATIVE_CACHE");
    return path != NULL && path[0] != '\0' && strlen(path) < MOST_PATH - 128 ? path : NULL;
}

/* This user's, and no one else may change it. */
static bool is_own(const struct stat *s)
{
    return s->st_uid == geteuid() && (s->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static void add_text(sha256 *h, str s)
{
    const uint64_t n = s.n;
    sha256_add(h, &n, sizeof n);
    sha256_add(h, s.p, s.n);
}

/* The file that this code is in, as it is now. False where it is not known. */
static bool add_component(sha256 *h)
{
    Dl_info info;
    struct stat s;
    static const char here = 0;
    if (dladdr(&here, &info) == 0 || stat(info.dli_fname, &s) != 0) return false;
    const int64_t what[4] = {(int64_t)s.st_size, (int64_t)s.st_mtim.tv_sec, (int64_t)s.st_mtim.tv_nsec, (int64_t)s.st_ino};
    sha256_add(h, what, sizeof what);
    add_text(h, str_of(air_llvm_version()));
    return true;
}

static void add_processor(sha256 *h)
{
    char *name = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
    add_text(h, str_of(name));
    add_text(h, str_of(features));
    LLVMDisposeMessage(name);
    LLVMDisposeMessage(features);
}

/* Every member of the job goes in but `name`, which messages alone have. */
air_cache_key air_cache_key_of(const air_job *job)
{
    air_cache_key key = {""};
    struct stat s;
    sha256 h;
    const char *path = folder();
    if (path == NULL || job->describe_only || stat(path, &s) != 0 || !S_ISDIR(s.st_mode) || !is_own(&s)) return key;
    sha256_init(&h);
    if (!add_component(&h)) return key;
    add_processor(&h);
    const uint32_t how[4] = {(uint32_t)job->form, job->watched, job->unchecked, job->bitcode.p != NULL};
    sha256_add(&h, how, sizeof how);
    add_text(&h, job->kernel);
    add_text(&h, job->bitcode.p != NULL ? job->bitcode : job->text);
    for (size_t i = 0; i < job->constant_count; ++i) {
        const uint64_t pair[2] = {job->constants[i].index, job->constants[i].bits};
        sha256_add(&h, pair, sizeof pair);
    }
    unsigned char hash[32];
    sha256_finish(&h, hash);
    for (size_t i = 0; i < sizeof hash; ++i) (void)snprintf(key.text + 2 * i, 3, "%02x", hash[i]);
    return key;
}

static bool read_all(int file, char *to, size_t size)
{
    while (size != 0) {
        const ssize_t n = read(file, to, size);
        if (n <= 0) return false;
        to += n;
        size -= (size_t)n;
    }
    return true;
}

bool air_cache_get(const air_cache_key *key, buf *out)
{
    char path[MOST_PATH];
    unsigned char hash[32];
    struct stat s;
    if (key->text[0] == '\0') return false;
    (void)snprintf(path, sizeof path, "%s/%s", folder(), key->text);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return false;
    bool good = fstat(file, &s) == 0 && S_ISREG(s.st_mode) && is_own(&s) && s.st_size > 32 && s.st_size <= MOST_BYTES;
    const size_t size = good ? (size_t)s.st_size : 0;
    char *bytes = good ? mem_alloc(&mem_default, size) : NULL;
    good = bytes != NULL && read_all(file, bytes, size);
    (void)close(file);
    if (good) {
        sha256_of(bytes + 32, size - 32, hash);
        good = memcmp(hash, bytes, 32) == 0;
    }
    if (good) buf_bytes(out, bytes + 32, size - 32);
    mem_free(&mem_default, bytes, size);
    return good;
}

static bool write_all(int file, const void *from, size_t size)
{
    const char *p = from;
    while (size != 0) {
        const ssize_t n = write(file, p, size);
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

/* Under a name of its own first: nobody sees a part of it. */
void air_cache_put(const air_cache_key *key, str compiled)
{
    char path[MOST_PATH], part[MOST_PATH];
    unsigned char hash[32];
    if (key->text[0] == '\0' || compiled.n == 0 || compiled.n > MOST_BYTES - 32) return;
    (void)snprintf(path, sizeof path, "%s/%s", folder(), key->text);
    (void)snprintf(part, sizeof part, "%s/.%s.%ld", folder(), key->text, (long)getpid());
    const int file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (file < 0) return;
    sha256_of(compiled.p, compiled.n, hash);
    const bool written = write_all(file, hash, sizeof hash) && write_all(file, compiled.p, compiled.n);
    if (close(file) != 0 || !written || rename(part, path) != 0) (void)unlink(part);
}
