#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Newer than the headers of the oldest system that this builds on.
#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif
#ifndef PR_MDWE_REFUSE_EXEC_GAIN
#define PR_MDWE_REFUSE_EXEC_GAIN (1UL << 0)
#endif

#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#define PR_SCHED_CORE_CREATE 1
#endif
#ifndef PR_SCHED_CORE_SCOPE_THREAD_GROUP
#define PR_SCHED_CORE_SCOPE_THREAD_GROUP 1
#endif

/// The niceness of what must not keep others from the processor.
enum { LATER = 5 };

int nervous_sandbox_own_process(pid_t parent) {
    // A group leader cannot start a session; it then has what a session would give or a terminal
    // that it never reads.
    if (setsid() < 0 && errno != EPERM) return errno;
    return nervous_sandbox_own_fork(parent);
}

int nervous_sandbox_own_fork(pid_t parent) {
    // Where the processor is short, whoever started this goes first.
    if (getpriority(PRIO_PROCESS, 0) < LATER && setpriority(PRIO_PROCESS, 0, LATER) != 0)
        return errno;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
    if (parent != 0 && getppid() != parent) return ESRCH;
    return 0;
}

/// Writes a text to a file of the kernel.
static int tell(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return errno;
    int failed = write(file, text, strlen(text)) < 0 ? errno : 0;
    close(file);
    return failed;
}

int nervous_sandbox_yield_processor(void) {
    // The kernel accepts one change in a tenth of a second from all users together.
    const struct timespec wait = {.tv_nsec = 100 * 1000 * 1000};
    int failed = tell("/proc/self/autogroup", "10");
    for (int attempt = 0; failed == EAGAIN && attempt < 5; attempt++) {
        nanosleep(&wait, NULL);
        failed = tell("/proc/self/autogroup", "10");
    }
    return failed;
}

int nervous_sandbox_end_first(void) { return tell("/proc/self/oom_score_adj", "1000"); }

static int disable_speculation(unsigned long kind) {
    int now = prctl(PR_GET_SPECULATION_CTRL, kind, 0, 0, 0);
    if (now < 0) return errno;
    if (now == PR_SPEC_NOT_AFFECTED || now == PR_SPEC_DISABLE || now & PR_SPEC_FORCE_DISABLE) return 0;
    return prctl(PR_SET_SPECULATION_CTRL, kind, PR_SPEC_FORCE_DISABLE, 0, 0) == 0 ? 0 : errno;
}

int nervous_sandbox_no_speculation(void) {
    int stores = disable_speculation(PR_SPEC_STORE_BYPASS);
    int branches = disable_speculation(PR_SPEC_INDIRECT_BRANCH);
    return stores ? stores : branches;
}

int nervous_sandbox_own_core(void) {
    return prctl(PR_SCHED_CORE, PR_SCHED_CORE_CREATE, 0, PR_SCHED_CORE_SCOPE_THREAD_GROUP, 0) == 0
               ? 0
               : errno;
}

int nervous_sandbox_close_from(unsigned first) {
    return syscall(SYS_close_range, first, ~0U, 0) == 0 ? 0 : errno;
}

/// Sets a limit, or leaves the lower one that whoever started this has set.
static int limit_both(int resource, rlim_t soft, rlim_t hard) {
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) return errno;
    struct rlimit both = {.rlim_cur = soft, .rlim_max = hard};
    if (both.rlim_max > now.rlim_max) both.rlim_max = now.rlim_max;
    if (both.rlim_cur > both.rlim_max) both.rlim_cur = both.rlim_max;
    return setrlimit(resource, &both) == 0 ? 0 : errno;
}

static int limit(int resource, rlim_t value) { return limit_both(resource, value, value); }

int nervous_sandbox_limit_resources(void) {
    int failed = limit(RLIMIT_CORE, 0);
    if (!failed) failed = limit(RLIMIT_FSIZE, 0);
    if (!failed) failed = limit(RLIMIT_NOFILE, 16);
    if (!failed) failed = limit(RLIMIT_MEMLOCK, 0);
    if (!failed) failed = limit(RLIMIT_MSGQUEUE, 0);
    return failed;
}

int nervous_sandbox_limit_processor(uint32_t seconds) {
    // The soft limit sends SIGXCPU, which shows the reason; the SIGKILL a second later would not.
    return limit_both(RLIMIT_CPU, seconds, (rlim_t)seconds + 1);
}

int nervous_sandbox_limit_growth(uint64_t bytes) {
    FILE *status = fopen("/proc/self/status", "re");
    if (!status) return errno;
    char line[256];
    unsigned long long kilobytes = 0;
    int found = 0;
    while (!found && fgets(line, sizeof line, status))
        found = sscanf(line, "VmData: %llu kB", &kilobytes) == 1;
    fclose(status);
    if (!found) return ENODATA;
    return limit(RLIMIT_DATA, (rlim_t)kilobytes * 1024 + bytes);
}

int nervous_sandbox_no_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
}

int nervous_sandbox_no_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return syscall(SYS_capset, &header, none) == 0 ? 0 : errno;
}

int nervous_sandbox_no_executable_memory(void) {
    return prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) == 0 ? 0 : errno;
}
