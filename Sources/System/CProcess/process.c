#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Newer than the headers of the oldest system that this builds on.
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

int nervous_process_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

pid_t nervous_process_fork(int *handle) {
    pid_t child = fork();
    if (child <= 0) return child;
    // Until it is waited for, its number is nobody else's.
    *handle = nervous_process_open(child);
    if (*handle >= 0) return child;
    int failure = errno;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    errno = failure;
    return -1;
}

int nervous_process_signal(int handle, int signal) {
    return syscall(SYS_pidfd_send_signal, handle, signal, NULL, 0) == 0 ? 0 : errno;
}

int nervous_process_wait(int descriptor, int signal) {
    sigset_t mask;
    if (sigprocmask(SIG_SETMASK, NULL, &mask) != 0) return -1;
    sigdelset(&mask, signal);
    struct pollfd entry = {.fd = descriptor, .events = POLLIN};
    int ready = ppoll(&entry, 1, NULL, &mask);
    if (ready < 0 && errno == EINTR) return 0;
    return ready;
}

int nervous_process_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

void nervous_process_trim(void) { malloc_trim(0); }

int nervous_process_yield(pid_t thread) {
    const struct sched_param none = {0};
    return sched_setscheduler(thread, SCHED_IDLE, &none) == 0 ? 0 : errno;
}
