#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Newer than the headers of the oldest system that this builds on.
#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif
#ifndef PR_MDWE_REFUSE_EXEC_GAIN
#define PR_MDWE_REFUSE_EXEC_GAIN (1UL << 0)
#endif

/// The niceness of what must not keep others from the processor.
enum { LATER = 5 };

int nervous_sandbox_own_process(pid_t parent) {
    // A group leader cannot start a session; it then has what a session would give or a terminal
    // that it never reads.
    if (setsid() < 0 && errno != EPERM) return errno;
    // Where the processor is short, whoever started this goes first.
    if (getpriority(PRIO_PROCESS, 0) < LATER && setpriority(PRIO_PROCESS, 0, LATER) != 0)
        return errno;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
    if (parent != 0 && getppid() != parent) return ESRCH;
    return 0;
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
