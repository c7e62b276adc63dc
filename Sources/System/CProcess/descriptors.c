#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/// Opens what the descriptor stands for once more; -1 with `errno` 0 if it is of another kind.
static int open_anew(const char *target, int flags) {
    if (strcmp(target, "anon_inode:[eventfd]") == 0)
        return eventfd(0, EFD_CLOEXEC | (flags & O_NONBLOCK ? EFD_NONBLOCK : 0));
    if (strcmp(target, "/dev/urandom") == 0) return open(target, O_RDONLY | O_CLOEXEC);
    if (strncmp(target, "/proc/", 6) == 0 && ends_with(target, "/statm"))
        return open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    errno = 0;
    return -1;
}

int nervous_process_own_descriptors(int first) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return errno;
    for (int number = first; number < (int)limit.rlim_cur; number++) {
        int flags = fcntl(number, F_GETFL);
        if (flags < 0) continue;
        char link[32], target[PATH_MAX];
        snprintf(link, sizeof link, "/proc/self/fd/%d", number);
        ssize_t length = readlink(link, target, sizeof target - 1);
        if (length < 0) return errno;
        target[length] = 0;
        int own = open_anew(target, flags);
        if (own < 0 && errno != 0) return errno;
        if (own < 0) {
            close(number);
        } else {
            if (dup3(own, number, O_CLOEXEC) < 0) return errno;
            close(own);
        }
    }
    return 0;
}

int nervous_process_content(const void *bytes, size_t size) {
    int file = memfd_create("content", MFD_CLOEXEC);
    if (file < 0) return -1;
    size_t written = 0;
    while (written < size) {
        ssize_t count = write(file, (const char *)bytes + written, size - written);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            int failed = errno;
            close(file);
            errno = failed;
            return -1;
        }
        written += (size_t)count;
    }
    return lseek(file, 0, SEEK_SET) == 0 ? file : -1;
}
