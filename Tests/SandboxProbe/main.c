// Does one thing within the sandbox, named by the only argument: what must go on working, or what one
// layer alone refuses. It applies the layers with the functions that the runner uses, so that what holds
// here holds there; it is no part of the runner. The ways out are tried by the runner itself.
//
// Exits with 0 when the attempt went through, with its `errno` when it was refused; when the
// attempt is fatal, it dies of it.
#define _GNU_SOURCE
#include "CSandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static char page[4096] __attribute__((aligned(4096)));

static long try(long result) { return result < 0 ? errno : 0; }

// What must go on working.
static long nothing(void) { return 0; }
static long name_thread(void) { return try(prctl(PR_SET_NAME, "x")); }
static long newer_clone(void) { return try(syscall(SYS_clone3, page, 0)); }
static long own_affinity(void) { return try(syscall(SYS_sched_getaffinity, 0, 4096, page)); }
static long own_clock(void) {
    return try(syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, page));
}
static long forget_page(void) { return try(madvise(page, 4096, MADV_DONTNEED)); }
static long wake_nobody(void) { return try(syscall(SYS_futex, page, FUTEX_WAKE, 1, 0, 0, 0)); }
static void *run(void *argument) { return argument; }

static long start_thread(void) {
    pthread_t thread;
    int failed = pthread_create(&thread, NULL, run, NULL);
    return failed ? failed : pthread_join(thread, NULL);
}

static long grow(void) {
    for (int piece = 0; piece < 40; piece++) {
        char *memory = mmap(
            NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return errno;
    }
    return 0;
}

// With the first stage of landlock only.
static long read_password(void) { return try(open("/etc/passwd", O_RDONLY)); }
static long write_file(void) { return try(open("/tmp/probe", O_WRONLY | O_CREAT, 0600)); }
static long read_random(void) { return try(open("/dev/urandom", O_RDONLY)); }
static long write_random(void) { return try(open("/dev/urandom", O_WRONLY)); }
static long list_root(void) { return try(open("/", O_RDONLY | O_DIRECTORY)); }

static long connect_tcp(void) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(9)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    return try(connect(descriptor, (struct sockaddr *)&place, sizeof place));
}

static long signal_parent(void) { return try(kill(getppid(), 0)); }

static const struct probe {
    const char *name;
    long (*attempt)(void);
    int filtered;
} probes[] = {
    {"nothing", nothing, 1}, {"name", name_thread, 1},
    {"clone3", newer_clone, 1}, {"thread", start_thread, 1}, {"grow", grow, 1},
    {"affinity", own_affinity, 1}, {"clock", own_clock, 1}, {"forget", forget_page, 1},
    {"wake", wake_nobody, 1},
    {"read-file", read_password, 0}, {"write-file", write_file, 0},
    {"read-random", read_random, 0}, {"write-random", write_random, 0},
    {"list-root", list_root, 0}, {"connect-tcp", connect_tcp, 0},
    {"signal-parent", signal_parent, 0},
};

static void demand(int failed, const char *layer) {
    if (!failed) return;
    fprintf(stderr, "%s: %s\n", layer, strerror(failed));
    _exit(200);
}

int main(int count, char **arguments) {
    const char *readable[] = {"/dev/urandom", "/proc/self"};
    int abi = 0;
    for (size_t index = 0; count == 2 && index < sizeof probes / sizeof *probes; index++) {
        if (strcmp(probes[index].name, arguments[1]) != 0) continue;
        demand(nervous_sandbox_own_process(getppid()), "process");
        demand(nervous_sandbox_limit_resources(), "limits");
        demand(nervous_sandbox_no_new_privileges(), "no_new_privs");
        demand(nervous_sandbox_no_capabilities(), "capabilities");
        demand(nervous_sandbox_landlock(readable, 2, &abi), "landlock");
        if (probes[index].filtered) {
            demand(nervous_sandbox_limit_growth(128 << 20), "growth");
            demand(nervous_sandbox_landlock(NULL, 0, &abi), "landlock");
            demand(nervous_sandbox_syscalls(), "seccomp");
        }
        _exit((int)probes[index].attempt());
    }
    return 201;
}
