// Tries to leave the sandbox in one way, named by the only argument. It applies the layers with the
// functions that the runner uses, so that what holds here holds there; it is no part of the runner.
//
// Exits with 0 when the attempt went through, with its `errno` when it was refused; when the
// attempt is fatal, it dies of it.
#define _GNU_SOURCE
#include "CSandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
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

static long raw_open(void) { return try(syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY)); }
static long raw_stat(void) { return try(syscall(SYS_statx, AT_FDCWD, "/", 0, 0, page)); }
static long raw_socket(void) { return try(syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0)); }
static long raw_connect(void) { return try(syscall(SYS_connect, 3, page, 16)); }
static long raw_receive(void) { return try(syscall(SYS_recvmsg, 3, page, 0)); }
static long raw_execute(void) { return try(syscall(SYS_execve, "/bin/true", NULL, NULL)); }
static long raw_fork(void) { return try(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }
static long raw_namespace(void) { return try(syscall(SYS_unshare, CLONE_NEWUSER)); }
static long raw_trace(void) { return try(syscall(SYS_ptrace, 0, 0, 0, 0)); }
static long raw_peek(void) {
    return try(syscall(SYS_process_vm_readv, getppid(), 0, 0, 0, 0, 0));
}
static long raw_kill(void) { return try(syscall(SYS_kill, getppid(), 0)); }
static long raw_thread_kill(void) { return try(syscall(SYS_tgkill, 1, 1, 0)); }
static long raw_ring(void) { return try(syscall(SYS_io_uring_setup, 1, page)); }
static long raw_memory_file(void) { return try(syscall(SYS_memfd_create, "x", 0)); }
static long raw_keys(void) { return try(syscall(SYS_keyctl, 0, 0, 0, 0, 0)); }
static long raw_bpf(void) { return try(syscall(SYS_bpf, 0, page, 0)); }
static long raw_perf(void) { return try(syscall(SYS_perf_event_open, page, 0, -1, -1, 0)); }
static long raw_faults(void) { return try(syscall(SYS_userfaultfd, 0)); }
static long raw_limits(void) { return try(syscall(SYS_prlimit64, 0, RLIMIT_DATA, 0, page)); }
static long raw_dumpable(void) { return try(syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0)); }
static long raw_control(void) { return try(syscall(SYS_ioctl, 0, 0, 0)); }
static long raw_duplicate(void) { return try(syscall(SYS_dup, 0)); }
static long raw_personality(void) { return try(syscall(SYS_personality, 0x0400000)); }

static long map_executable(void) {
    void *memory = mmap(
        NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? errno : 0;
}

static long make_executable(void) { return try(mprotect(page, 4096, PROT_READ | PROT_EXEC)); }

static long other_interface(void) {
#if defined(__x86_64__)
    return try(syscall(0x40000000 | SYS_getpid));
#else
    return try(syscall(100000));
#endif
}

static long other_architecture(void) {
#if defined(__x86_64__)
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
    return result < 0 ? -result : 0;
#else
    return raw_open();
#endif
}

static long unknown_call(void) { return try(syscall(9999)); }

// What must go on working.
static long nothing(void) { return 0; }
static long name_thread(void) { return try(prctl(PR_SET_NAME, "x")); }
static long newer_clone(void) { return try(syscall(SYS_clone3, page, 0)); }
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
    {"open", raw_open, 1}, {"stat", raw_stat, 1}, {"socket", raw_socket, 1},
    {"connect", raw_connect, 1}, {"recvmsg", raw_receive, 1}, {"execve", raw_execute, 1},
    {"fork", raw_fork, 1}, {"unshare", raw_namespace, 1}, {"ptrace", raw_trace, 1},
    {"process_vm_readv", raw_peek, 1}, {"kill", raw_kill, 1}, {"tgkill", raw_thread_kill, 1},
    {"io_uring", raw_ring, 1}, {"memfd", raw_memory_file, 1}, {"keyctl", raw_keys, 1},
    {"bpf", raw_bpf, 1}, {"perf", raw_perf, 1}, {"userfaultfd", raw_faults, 1},
    {"prlimit", raw_limits, 1}, {"dumpable", raw_dumpable, 1}, {"ioctl", raw_control, 1},
    {"dup", raw_duplicate, 1}, {"personality", raw_personality, 1},
    {"mmap-exec", map_executable, 1}, {"mprotect-exec", make_executable, 1},
    {"other-interface", other_interface, 1}, {"other-architecture", other_architecture, 1},
    {"unknown", unknown_call, 1}, {"nothing", nothing, 1}, {"name", name_thread, 1},
    {"clone3", newer_clone, 1}, {"thread", start_thread, 1}, {"grow", grow, 1},
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
