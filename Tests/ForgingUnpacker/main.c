/* An unpacker that an attacker has taken over. The archive is its script: a line that says how to
   behave, then the bytes to send. It applies no layer, so that only the host stands in its way. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ARCHIVE = 0, FRAMES = 1 };

static char script[1 << 20];

static void send_all(const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t put = write(FRAMES, bytes, count);
        if (put <= 0) exit(0);
        bytes += put;
        count -= (size_t)put;
    }
}

/* Becomes the real program on a kernel that has not a layer: one system call is not there. */
static int run_without(long call, char **arguments) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    if (length < 0) return 2;
    path[length] = 0;
    strcpy(strrchr(path, '/'), "/nervous-unpacker");
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 2;
    execv(path, arguments);
    return 2;
}

int main(int count_of_arguments, char **arguments) {
    (void)count_of_arguments;
    /* Else it would keep open, for as long as it lives, what other tests wait for to close. */
    syscall(SYS_close_range, FRAMES + 2, ~0U, 0);
    size_t length = 0;
    ssize_t got;
    while ((got = read(ARCHIVE, script + length, sizeof script - length)) > 0)
        length += (size_t)got;
    char *end = memchr(script, '\n', length);
    if (end == NULL) return 2;
    *end = 0;
    const char *frames = end + 1;
    size_t count = length - (size_t)(frames - script);
    if (strcmp(script, "without landlock") == 0)
        return run_without(SYS_landlock_create_ruleset, arguments);
    if (strcmp(script, "without seccomp") == 0) return run_without(SYS_seccomp, arguments);
    if (strcmp(script, "endless") == 0)
        for (;;) send_all(frames, count);
    send_all(frames, count);
    if (strcmp(script, "endless last frame") == 0)
        for (;;) send_all(frames + count - 6, 6);
    if (strcmp(script, "drip") == 0)
        for (;;) {
            usleep(20000);
            send_all("", 1);
        }
    if (strcmp(script, "hang up") == 0) close(FRAMES);
    if (strcmp(script, "hang up") == 0 || strcmp(script, "silent") == 0)
        for (;;) pause();
    if (strncmp(script, "signal ", 7) == 0) raise(atoi(script + 7));
    if (strncmp(script, "status ", 7) == 0) return atoi(script + 7);
    return 0;
}
