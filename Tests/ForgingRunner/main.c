/* A runner that an attacker has taken over: it says it is ready, then sends whatever bytes the
   script "app.js" spells in hexadecimal, and waits until the host hangs up. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SOCKET = 3 };

static void read_exactly(void *buffer, size_t count) {
    uint8_t *bytes = buffer;
    while (count > 0) {
        ssize_t got = read(SOCKET, bytes, count);
        if (got <= 0) exit(0);
        bytes += got;
        count -= (size_t)got;
    }
}

static void write_exactly(const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t put = write(SOCKET, bytes, count);
        if (put <= 0) exit(0);
        bytes += put;
        count -= (size_t)put;
    }
}

static int digit(uint8_t letter) {
    return letter <= '9' ? letter - '0' : letter - 'a' + 10;
}

static void send_spelled(const uint8_t *text, uint32_t length) {
    uint8_t *bytes = malloc(length / 2 + 1);
    if (bytes == NULL) exit(1);
    for (uint32_t i = 0; i + 1 < length; i += 2)
        bytes[i / 2] = (uint8_t)(digit(text[i]) << 4 | digit(text[i + 1]));
    write_exactly(bytes, length / 2);
    free(bytes);
}

int main(void) {
    /* Else it would keep open, for as long as it lives, what other tests wait for to close. */
    syscall(SYS_close_range, SOCKET + 1, ~0U, 0);
    const uint8_t ready[] = {5, 0, 0, 0, 1, 0, 0, 0, 0};
    write_exactly(ready, sizeof ready);
    for (;;) {
        uint32_t length;
        read_exactly(&length, sizeof length);
        uint8_t *frame = malloc(length);
        if (frame == NULL) return 1;
        read_exactly(frame, length);
        uint32_t name;
        memcpy(&name, frame + 1, sizeof name);
        if (frame[0] == 1 && name == 6 && memcmp(frame + 5, "app.js", 6) == 0) {
            uint32_t source;
            memcpy(&source, frame + 11, sizeof source);
            send_spelled(frame + 15, source);
        }
        free(frame);
    }
}
