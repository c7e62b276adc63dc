#define _GNU_SOURCE
#include "probe.h"

#include <fcntl.h>
#include <sys/syscall.h>

/// A path that does not exist, so that a call that is not blocked does no harm.
#define NOWHERE TEXT("/nonexistent/place")
#define FILES(name, number, ...) {name, "files", number, {__VA_ARGS__}, 0, 0}

static const struct probe probes[] = {
#ifdef SYS_open
    FILES("open", SYS_open, TEXT("/etc/passwd"), O_RDONLY),
    FILES("creat", SYS_creat, NOWHERE, 0600),
    FILES("stat", SYS_stat, TEXT("/"), PAGE),
    FILES("access", SYS_access, TEXT("/"), 0),
    FILES("readlink", SYS_readlink, TEXT("/proc/self/exe"), PAGE, 4096),
    FILES("getdents", SYS_getdents, 0, PAGE, 4096),
    FILES("rename", SYS_rename, NOWHERE, NOWHERE),
    FILES("unlink", SYS_unlink, NOWHERE),
    FILES("mkdir", SYS_mkdir, NOWHERE, 0700),
    FILES("symlink", SYS_symlink, NOWHERE, NOWHERE),
    FILES("chmod", SYS_chmod, NOWHERE, 0700),
    FILES("inotify", SYS_inotify_init),
#endif
    FILES("openat", SYS_openat, AT_FDCWD, TEXT("/dev/null"), O_RDONLY),
#ifdef SYS_openat2
    FILES("openat2", SYS_openat2, AT_FDCWD, TEXT("/"), PAGE, 24),
#endif
    FILES("open-by-handle", SYS_open_by_handle_at, AT_FDCWD, PAGE, O_RDONLY),
    FILES("fstat", SYS_fstat, 0, PAGE),
    FILES("newfstatat", SYS_newfstatat, AT_FDCWD, TEXT("/"), PAGE, 0),
    FILES("statx", SYS_statx, AT_FDCWD, TEXT("/"), 0, 0, PAGE),
    FILES("statfs", SYS_statfs, TEXT("/"), PAGE),
    FILES("faccessat", SYS_faccessat, AT_FDCWD, TEXT("/"), 0),
    FILES("readlinkat", SYS_readlinkat, AT_FDCWD, TEXT("/proc/self/exe"), PAGE, 4096),
    FILES("getdents64", SYS_getdents64, 0, PAGE, 4096),
    FILES("getcwd", SYS_getcwd, PAGE, 4096),
    FILES("chdir", SYS_chdir, NOWHERE),
    FILES("fchdir", SYS_fchdir, 0),
    FILES("chroot", SYS_chroot, NOWHERE),
    FILES("pivot-root", SYS_pivot_root, NOWHERE, NOWHERE),
    FILES("mount", SYS_mount, NOWHERE, NOWHERE, TEXT("none"), 0, 0),
    FILES("umount", SYS_umount2, NOWHERE, 0),
#ifdef SYS_open_tree
    FILES("open-tree", SYS_open_tree, AT_FDCWD, NOWHERE, 0),
    FILES("fsopen", SYS_fsopen, TEXT("none"), 0),
#endif
    FILES("renameat2", SYS_renameat2, AT_FDCWD, NOWHERE, AT_FDCWD, NOWHERE, 0),
    FILES("unlinkat", SYS_unlinkat, AT_FDCWD, NOWHERE, 0),
    FILES("mkdirat", SYS_mkdirat, AT_FDCWD, NOWHERE, 0700),
    FILES("mknodat", SYS_mknodat, AT_FDCWD, NOWHERE, 0600, 0),
    FILES("symlinkat", SYS_symlinkat, NOWHERE, AT_FDCWD, NOWHERE),
    FILES("linkat", SYS_linkat, AT_FDCWD, NOWHERE, AT_FDCWD, NOWHERE, 0),
    FILES("fchmodat", SYS_fchmodat, AT_FDCWD, NOWHERE, 0700),
    FILES("fchownat", SYS_fchownat, AT_FDCWD, NOWHERE, 0, 0, 0),
    FILES("truncate", SYS_truncate, NOWHERE, 0),
    FILES("ftruncate", SYS_ftruncate, 0, 0),
    FILES("utimensat", SYS_utimensat, AT_FDCWD, NOWHERE, 0, 0),
    FILES("setxattr", SYS_setxattr, NOWHERE, TEXT("user.x"), PAGE, 1, 0),
    FILES("inotify-init1", SYS_inotify_init1, 0),
    FILES("fanotify", SYS_fanotify_init, 0, 0),
    FILES("dup", SYS_dup, 0),
    FILES("fcntl-owner", SYS_fcntl, 3, F_SETOWN, 1),
    FILES("sendfile", SYS_sendfile, 1, 0, 0, 16),
    FILES("splice", SYS_splice, 0, 0, 1, 0, 16, 0),
};

const struct probe_list file_probes = LIST(probes);
