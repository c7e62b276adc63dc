/* Lets a host run under Valgrind 3.19, which writes into the read-only mask that libdispatch passes to sigsuspend(2),
   and does not know process descriptors. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

enum { SIGSUSPEND = 130, PIDFD_SEND_SIGNAL = 424, PIDFD_OPEN = 434 };

static long call(long number, const long arguments[6]) {
    register long r10 __asm__("r10") = arguments[3], r8 __asm__("r8") = arguments[4], r9 __asm__("r9") = arguments[5];
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)call(SIGSUSPEND, (long[6]){(long)&copy, _NSIG / 8});
}

/* A folder of /proc, in the place of a process descriptor. */
static long open_process(pid_t process) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d", process);
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The process of such a folder, or of a process descriptor that another process has sent. */
static pid_t process_of(int handle) {
    char path[48], text[256];
    snprintf(path, sizeof path, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(path, text, sizeof text - 1);
    int process = -1;
    if (length > 0 && (text[length] = 0, sscanf(text, "/proc/%d", &process) == 1)) return process;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", handle);
    FILE *file = fopen(path, "re");
    while (file && fgets(text, sizeof text, file) && sscanf(text, "Pid: %d", &process) != 1) {}
    if (file) fclose(file);
    return process;
}

long syscall(long number, ...) {
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int index = 0; index < 6; index++) arguments[index] = va_arg(list, long);
    va_end(list);
    if (number == PIDFD_OPEN) return open_process((pid_t)arguments[0]);
    if (number != PIDFD_SEND_SIGNAL) return call(number, arguments);
    pid_t process = process_of((int)arguments[0]);
    if (process > 0) return kill(process, (int)arguments[1]);
    errno = ESRCH;
    return -1;
}
