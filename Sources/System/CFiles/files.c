#define _GNU_SOURCE
#include "CFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Newer than the headers of the oldest system that this builds on.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int nervous_openat2(
    int folder, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve) {
    struct open_how how = {.flags = flags, .mode = mode, .resolve = resolve};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

int nervous_rename_to_free(int folder, const char *name, const char *other) {
    return (int)syscall(SYS_renameat2, folder, name, folder, other, RENAME_NOREPLACE);
}

int nervous_rename_exchange(int folder, const char *name, const char *other) {
    return (int)syscall(SYS_renameat2, folder, name, folder, other, RENAME_EXCHANGE);
}

const char *nervous_entry_name(const struct dirent *entry) {
    return entry->d_name;
}

bool nervous_is_open_on(int file, uint64_t device, uint64_t inode) {
    struct stat facts;
    return fstat(file, &facts) == 0 && facts.st_dev == device && facts.st_ino == inode;
}

static int write_all(int file, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return -1;
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

int nervous_sealed_memory(const void *bytes, size_t count) {
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int file = memfd_create("archive", flags | MFD_NOEXEC_SEAL);
    // Kernels before 6.3 do not know that a file can be closed to execution.
    if (file < 0 && errno == EINVAL) file = memfd_create("archive", flags);
    if (file < 0) return -1;
    const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
    if (write_all(file, bytes, count) != 0 || lseek(file, 0, SEEK_SET) != 0
        || fcntl(file, F_ADD_SEALS, seals) != 0) {
        int failed = errno;
        close(file);
        errno = failed;
        return -1;
    }
    return file;
}
