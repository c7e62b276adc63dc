#define _GNU_SOURCE
#include "probe.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PROCESS(name, number, ...) {name, "processes", number, {__VA_ARGS__}, 0, 0}

/// The clock that stands for the processor time of process 1.
#define CLOCK_OF_INIT (-2L * 8 + 2)

/// A child that comes to be ends at once.
static int child(long result) {
    if (result == 0) _exit(0);
    return result < 0 ? errno : 0;
}

static int fork_by_clone(void) { return child(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }

static int clone_into_namespace(void) {
    return child(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
}

#ifdef SYS_fork
static int plain_fork(void) { return child(syscall(SYS_fork)); }
static int plain_vfork(void) { return child(syscall(SYS_vfork)); }
#endif

static const struct probe probes[] = {
#ifdef SYS_fork
    {"fork", "processes", 0, {0}, plain_fork, 0},
    {"vfork", "processes", 0, {0}, plain_vfork, 0},
    PROCESS("alarm", SYS_alarm, 0),
    PROCESS("arch-prctl", SYS_arch_prctl, 0x1001, 0),
#endif
    {"clone-process", "processes", 0, {0}, fork_by_clone, 0},
    {"clone-namespace", "processes", 0, {0}, clone_into_namespace, 0},
    // Its flags are behind a pointer, which a filter cannot follow; the C library then uses `clone`.
    {"clone3", "processes", SYS_clone3, {PAGE, 0}, 0, ENOSYS},
    PROCESS("execve", SYS_execve, TEXT("/nonexistent"), 0, 0),
    PROCESS("execveat", SYS_execveat, -100, TEXT("/nonexistent"), 0, 0, 0),
    PROCESS("unshare", SYS_unshare, CLONE_NEWUSER),
    PROCESS("setns", SYS_setns, 0, 0),
    PROCESS("ptrace", SYS_ptrace, 0, 0, 0, 0),
    PROCESS("process-vm-readv", SYS_process_vm_readv, 1, 0, 0, 0, 0, 0),
    PROCESS("process-vm-writev", SYS_process_vm_writev, 1, 0, 0, 0, 0, 0),
    PROCESS("kcmp", SYS_kcmp, 1, 1, 0, 0, 0),
    PROCESS("kill", SYS_kill, 1, 0),
    PROCESS("tkill", SYS_tkill, 1, 0),
    PROCESS("tgkill", SYS_tgkill, 1, 1, 0),
    PROCESS("sigqueue", SYS_rt_sigqueueinfo, 1, 0, PAGE),
#ifdef SYS_pidfd_open
    PROCESS("pidfd-open", SYS_pidfd_open, 1, 0),
    PROCESS("pidfd-getfd", SYS_pidfd_getfd, 0, 0, 0),
    PROCESS("pidfd-signal", SYS_pidfd_send_signal, 0, 0, 0, 0),
#endif
    PROCESS("getppid", SYS_getppid),
    PROCESS("wait4", SYS_wait4, -1, 0, 1, 0),
    PROCESS("setuid", SYS_setuid, 0),
    PROCESS("setgid", SYS_setgid, 0),
    PROCESS("setresuid", SYS_setresuid, 0, 0, 0),
    PROCESS("setgroups", SYS_setgroups, 0, 0),
    PROCESS("capset", SYS_capset, PAGE, PAGE),
    PROCESS("prlimit", SYS_prlimit64, 0, RLIMIT_DATA, 0, PAGE),
    PROCESS("setrlimit", SYS_setrlimit, RLIMIT_CORE, PAGE),
    PROCESS("prctl-dumpable", SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0),
    PROCESS("prctl-death", SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0),
    PROCESS("prctl-seccomp", SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0),
    PROCESS("personality", SYS_personality, 0x0400000),
    PROCESS("setsid", SYS_setsid),
    PROCESS("setpriority", SYS_setpriority, 0, 0, 0),
    PROCESS("sched-setaffinity", SYS_sched_setaffinity, 0, 8, PAGE),
    PROCESS("sched-setscheduler", SYS_sched_setscheduler, 0, 0, PAGE),
    // Whether a process exists, and how busy it is.
    {"affinity-of-others", "processes", SYS_sched_getaffinity, {1, 128, PAGE}, 0, ENOSYS},
    PROCESS("clock-of-others", SYS_clock_gettime, CLOCK_OF_INIT, PAGE),
    PROCESS("clock-sleep-on-others", SYS_clock_nanosleep, CLOCK_OF_INIT, 0, PAGE, 0),
    PROCESS("futex-lends-priority", SYS_futex, PAGE, FUTEX_TRYLOCK_PI, 0, 0, 0, 0),
    PROCESS("timer-create", SYS_timer_create, CLOCK_OF_INIT, 0, PAGE),
};

const struct probe_list process_probes = LIST(probes);
