#define _GNU_SOURCE
#include "probe.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>

#define KERNEL(name, number, ...) {name, "kernel", number, {__VA_ARGS__}, 0, 0}

static const struct probe probes[] = {
    KERNEL("io-uring", SYS_io_uring_setup, 0, PAGE),
    KERNEL("io-setup", SYS_io_setup, 0, PAGE),
    KERNEL("perf-event", SYS_perf_event_open, PAGE, 0, -1, -1, 0),
    KERNEL("bpf", SYS_bpf, 0, PAGE, 0),
    KERNEL("keyctl", SYS_keyctl, 0, 0, 0, 0, 0),
    KERNEL("add-key", SYS_add_key, TEXT("user"), TEXT("x"), PAGE, 0, 0),
    KERNEL("request-key", SYS_request_key, TEXT("user"), TEXT("x"), 0, 0),
    KERNEL("seccomp", SYS_seccomp, 2, 0, PAGE),
#ifdef SYS_landlock_create_ruleset
    KERNEL("landlock", SYS_landlock_create_ruleset, 0, 0, 1),
#endif
    KERNEL("ioctl", SYS_ioctl, 0, 0, 0),
    KERNEL("ioctl-type-ahead", SYS_ioctl, 0, TIOCSTI, PAGE),
    KERNEL("eventfd", SYS_eventfd2, 0, 0),
    KERNEL("signalfd", SYS_signalfd4, -1, PAGE, 8, 0),
    KERNEL("timerfd", SYS_timerfd_create, 0, 0),
    KERNEL("epoll", SYS_epoll_create1, 0),
    KERNEL("pipe", SYS_pipe2, PAGE, 0),
    // None of these says what it would need to do harm.
    KERNEL("reboot", SYS_reboot, 0, 0, 0, 0),
    KERNEL("swapon", SYS_swapon, 0, 0),
    KERNEL("swapoff", SYS_swapoff, 0),
    KERNEL("init-module", SYS_init_module, 0, 0, 0),
    KERNEL("finit-module", SYS_finit_module, -1, 0, 0),
    KERNEL("delete-module", SYS_delete_module, TEXT("nonexistent"), 0),
    KERNEL("kexec", SYS_kexec_load, 0, 99, 0, 0),
    KERNEL("settimeofday", SYS_settimeofday, 0, 0),
    KERNEL("clock-settime", SYS_clock_settime, 99, 0),
    KERNEL("adjtimex", SYS_adjtimex, 0),
    KERNEL("sethostname", SYS_sethostname, 0, -1),
    KERNEL("setdomainname", SYS_setdomainname, 0, -1),
    KERNEL("uname", SYS_uname, PAGE),
    KERNEL("sysinfo", SYS_sysinfo, PAGE),
    KERNEL("syslog", SYS_syslog, 10, 0, 0),
    KERNEL("acct", SYS_acct, TEXT("/nonexistent/place")),
    KERNEL("quotactl", SYS_quotactl, 0, 0, 0, 0),
    KERNEL("vhangup", SYS_vhangup),
#ifdef SYS_ioperm
    KERNEL("ioperm", SYS_ioperm, 0, 0, 0),
    KERNEL("iopl", SYS_iopl, 0),
    KERNEL("modify-ldt", SYS_modify_ldt, 0, PAGE, 0),
#endif
};

const struct probe_list kernel_probes = LIST(probes);
