/* An unpacker that an attacker has taken over. The archive is its script: a line that says how to
   behave, then the bytes to send. It applies no layer, so that only the host stands in its way. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int main(void) {
    size_t length = 0;
    ssize_t got;
    while ((got = read(ARCHIVE, script + length, sizeof script - length)) > 0)
        length += (size_t)got;
    char *end = memchr(script, '\n', length);
    if (end == NULL) return 2;
    *end = 0;
    const char *frames = end + 1;
    size_t count = length - (size_t)(frames - script);
    if (strcmp(script, "endless") == 0)
        for (;;) send_all(frames, count);
    send_all(frames, count);
    if (strcmp(script, "silent") == 0)
        for (;;) pause();
    if (strcmp(script, "hang-up") == 0) {
        close(FRAMES);
        for (;;) pause();
    }
    if (strcmp(script, "drip") == 0)
        for (;;) {
            usleep(20000);
            send_all("", 1);
        }
    if (strcmp(script, "segfault") == 0) raise(SIGSEGV);
    if (strcmp(script, "abort") == 0) raise(SIGABRT);
    if (strcmp(script, "kill") == 0) raise(SIGKILL);
    if (strcmp(script, "syscall") == 0) raise(SIGSYS);
    if (strcmp(script, "status") == 0) return 3;
    return 0;
}
