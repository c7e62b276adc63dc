// Preloaded into a program: records what of a folder would survive a power cut, and can make its disk full.
//
// POWER_CUT_FOLDER  the folder that is watched, without its subfolders
// POWER_CUT_STATE   where what was synced is recorded: `files/INODE` has the content of a file when it was
//                   synced last, `names` the names and inodes that the folder had when it was synced last
// POWER_CUT_FULL    while this file exists, no file of the folder can grow, except into the space of files
//                   that are removed meanwhile
//
// The model is strict: neither a file nor its name survives unless it was synced, the one by syncing the
// file and the other by syncing the folder.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long long room;

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static ssize_t real_write_all(int to, const char *bytes, size_t count) {
    REAL(ssize_t, "write", int, const void *, size_t);
    size_t done = 0;
    while (done < count) {
        ssize_t written = real(to, bytes + done, count - done);
        if (written <= 0) return -1;
        done += (size_t)written;
    }
    return (ssize_t)done;
}

/// Whether a path is in the watched folder itself.
static int is_watched(const char *path) {
    const char *folder = getenv("POWER_CUT_FOLDER");
    if (!folder) return 0;
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/'
        && !strchr(path + length + 1, '/');
}

static int path_of(int descriptor, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return 1;
}

static int is_watched_file(int descriptor) {
    int before = errno;
    char path[PATH_MAX];
    int result = path_of(descriptor, path) && is_watched(path);
    errno = before;
    return result;
}

/// Moves a complete record into place, so that a killed program leaves no half of one.
static void publish(const char *draft, const char *name) {
    char target[PATH_MAX];
    snprintf(target, sizeof target, "%s/%s", getenv("POWER_CUT_STATE"), name);
    rename(draft, target);
}

static void record_file(int descriptor, ino_t inode) {
    char path[PATH_MAX], draft[PATH_MAX], name[64], buffer[65536];
    if (!path_of(descriptor, path)) return;
    snprintf(draft, sizeof draft, "%s/draft", getenv("POWER_CUT_STATE"));
    // Closing another descriptor of a database would drop the locks that the program has on it.
    int can_read = (fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_WRONLY;
    int from = can_read ? descriptor : open(path, O_RDONLY | O_CLOEXEC);
    int to = open(draft, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    off_t place = 0;
    ssize_t count;
    while (from >= 0 && to >= 0 && (count = pread(from, buffer, sizeof buffer, place)) > 0) {
        if (real_write_all(to, buffer, (size_t)count) < 0) break;
        place += count;
    }
    if (from >= 0 && !can_read) close(from);
    if (to >= 0) close(to);
    snprintf(name, sizeof name, "files/%llu", (unsigned long long)inode);
    publish(draft, name);
}

static void record_names(const char *folder) {
    char draft[PATH_MAX], line[PATH_MAX];
    snprintf(draft, sizeof draft, "%s/draft", getenv("POWER_CUT_STATE"));
    int to = open(draft, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    DIR *names = opendir(folder);
    struct dirent *entry;
    while (to >= 0 && names && (entry = readdir(names))) {
        if (entry->d_type != DT_REG) continue;
        int length = snprintf(
            line, sizeof line, "%llu %s\n", (unsigned long long)entry->d_ino, entry->d_name);
        real_write_all(to, line, (size_t)length);
    }
    if (names) closedir(names);
    if (to >= 0) close(to);
    publish(draft, "names");
}

static void record(int descriptor) {
    const char *folder = getenv("POWER_CUT_FOLDER");
    struct stat information;
    char path[PATH_MAX];
    if (!folder || !getenv("POWER_CUT_STATE") || fstat(descriptor, &information) != 0) return;
    if (!path_of(descriptor, path)) return;
    int before = errno;
    pthread_mutex_lock(&lock);
    if (S_ISDIR(information.st_mode) && strcmp(path, folder) == 0) record_names(folder);
    if (S_ISREG(information.st_mode) && is_watched(path))
        record_file(descriptor, information.st_ino);
    pthread_mutex_unlock(&lock);
    errno = before;
}

int fsync(int descriptor) {
    REAL(int, "fsync", int);
    int result = real(descriptor);
    if (result == 0) record(descriptor);
    return result;
}

int fdatasync(int descriptor) {
    REAL(int, "fdatasync", int);
    int result = real(descriptor);
    if (result == 0) record(descriptor);
    return result;
}

// MARK: - A full disk

/// Whether a file may grow to a size; takes the room for it.
static int may_grow(int descriptor, long long end) {
    const char *full = getenv("POWER_CUT_FULL");
    struct stat information;
    if (!full || access(full, F_OK) != 0 || !is_watched_file(descriptor)) return 1;
    if (fstat(descriptor, &information) != 0 || end <= information.st_size) return 1;
    pthread_mutex_lock(&lock);
    long long need = end - information.st_size;
    int fits = need <= room;
    if (fits) room -= need;
    pthread_mutex_unlock(&lock);
    if (!fits) errno = ENOSPC;
    return fits;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t place) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    return may_grow(descriptor, place + (long long)count) ? real(descriptor, bytes, count, place) : -1;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t place) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    return may_grow(descriptor, place + (long long)count) ? real(descriptor, bytes, count, place) : -1;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(ssize_t, "write", int, const void *, size_t);
    int before = errno;
    off_t place = lseek(descriptor, 0, SEEK_CUR);
    errno = before;
    if (place >= 0 && !may_grow(descriptor, place + (long long)count)) return -1;
    return real(descriptor, bytes, count);
}

int ftruncate(int descriptor, off_t size) {
    REAL(int, "ftruncate", int, off_t);
    return may_grow(descriptor, size) ? real(descriptor, size) : -1;
}

int ftruncate64(int descriptor, off64_t size) {
    REAL(int, "ftruncate64", int, off64_t);
    return may_grow(descriptor, size) ? real(descriptor, size) : -1;
}

int posix_fallocate(int descriptor, off_t place, off_t count) {
    REAL(int, "posix_fallocate", int, off_t, off_t);
    return may_grow(descriptor, place + count) ? real(descriptor, place, count) : ENOSPC;
}

int posix_fallocate64(int descriptor, off64_t place, off64_t count) {
    REAL(int, "posix_fallocate64", int, off64_t, off64_t);
    return may_grow(descriptor, place + count) ? real(descriptor, place, count) : ENOSPC;
}

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    const char *full = getenv("POWER_CUT_FULL");
    struct stat information;
    int counts = full && access(full, F_OK) == 0 && is_watched(path) && stat(path, &information) == 0;
    int result = real(path);
    if (result == 0 && counts) {
        pthread_mutex_lock(&lock);
        room += information.st_size;
        pthread_mutex_unlock(&lock);
    }
    return result;
}
