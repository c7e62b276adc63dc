#define _GNU_SOURCE
#include "probe.h"

#include <errno.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define MEMORY(name, number, ...) {name, "memory", number, {__VA_ARGS__}, 0, 0}

static int map_executable(void) {
    void *memory = mmap(
        NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? errno : 0;
}

static int map_all(void) {
    void *memory = mmap(
        NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? errno : 0;
}

static const struct probe probes[] = {
    {"mmap-exec", "memory", 0, {0}, map_executable, 0},
    {"mmap-write-exec", "memory", 0, {0}, map_all, 0},
    MEMORY("mprotect-exec", SYS_mprotect, PAGE, 4096, PROT_READ | PROT_EXEC),
    MEMORY("pkey-mprotect", SYS_pkey_mprotect, PAGE, 4096, PROT_READ | PROT_EXEC, -1),
    MEMORY("pkey-alloc", SYS_pkey_alloc, 0, 0),
    MEMORY("remap-file-pages", SYS_remap_file_pages, PAGE, 4096, 0, 0, 0),
    MEMORY("madvise-poison", SYS_madvise, 0, 0, 100),
    MEMORY("madvise-offline", SYS_madvise, 0, 0, 101),
    MEMORY("madvise-merge", SYS_madvise, PAGE, 4096, 12),
    MEMORY("madvise-remove", SYS_madvise, PAGE, 4096, 9),
#ifdef SYS_process_madvise
    MEMORY("process-madvise", SYS_process_madvise, 0, PAGE, 0, 0, 0),
#endif
    MEMORY("mlock", SYS_mlock, PAGE, 4096),
    MEMORY("mlockall", SYS_mlockall, 1),
    MEMORY("mincore", SYS_mincore, PAGE, 4096, PAGE),
    MEMORY("shmget", SYS_shmget, IPC_PRIVATE, 4096, 0600),
    MEMORY("shmat", SYS_shmat, 0, 0, 0),
    MEMORY("semget", SYS_semget, IPC_PRIVATE, 0, 0),
    MEMORY("msgget", SYS_msgget, 1, 0),
    MEMORY("mq-open", SYS_mq_open, TEXT("nonexistent"), 0, 0, 0),
    MEMORY("memfd-create", SYS_memfd_create, TEXT("x"), 0),
#ifdef SYS_memfd_secret
    MEMORY("memfd-secret", SYS_memfd_secret, 0),
#endif
    MEMORY("userfaultfd", SYS_userfaultfd, 0),
    MEMORY("membarrier", SYS_membarrier, 0, 0, 0),
    MEMORY("move-pages", SYS_move_pages, 1, 0, 0, 0, 0, 0),
};

const struct probe_list memory_probes = LIST(probes);
