#define _GNU_SOURCE

/* A runner, or with --zygote a process that makes them, that an attacker has taken over.

   The runner says it is ready, then sends whatever bytes the script "app.js" spells in hexadecimal,
   and waits until the host hangs up. The zygote sends the packets that the file beside it spells,
   one a line. "P" attaches a descriptor to the next bytes, and "W" waits for a packet first. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
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

/* Sends bytes together with a descriptor that nobody else in a test has open. */
static void send_with_descriptor(const uint8_t *bytes, size_t count) {
    int descriptor = open("/dev/full", O_RDWR);
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    if (sendmsg(SOCKET, &message, MSG_NOSIGNAL) <= 0) exit(0);
    close(descriptor);
}

static size_t spelled(const uint8_t *text, size_t length, uint8_t *bytes) {
    size_t count = 0;
    for (size_t i = 0; i + 1 < length; i += 2)
        bytes[count++] = (uint8_t)(digit(text[i]) << 4 | digit(text[i + 1]));
    return count;
}

static void send_spelled(const uint8_t *text, uint32_t length) {
    uint8_t *bytes = malloc(length / 2 + 1);
    if (bytes == NULL) exit(1);
    while (length > 0) {
        const uint8_t *mark = memchr(text, 'P', length);
        size_t before = mark == NULL ? length : (size_t)(mark - text);
        write_exactly(bytes, spelled(text, before, bytes));
        if (mark == NULL) break;
        text += before + 1;
        length -= (uint32_t)before + 1;
        if (length < 2) break;
        send_with_descriptor(bytes, spelled(text, 2, bytes));
        text += 2;
        length -= 2;
    }
    free(bytes);
}

static int run(void) {
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

static int fork_runners(const char *program) {
    static uint8_t line[1 << 16], bytes[1 << 15], order[1 << 12];
    char path[4096];
    snprintf(path, sizeof path, "%s.packets", program);
    FILE *packets = fopen(path, "r");
    if (packets == NULL) return 1;
    while (fgets((char *)line, sizeof line, packets) != NULL) {
        uint8_t *text = line;
        size_t length = strcspn((char *)line, "\n");
        if (length > 0 && *text == 'W') {
            if (recv(SOCKET, order, sizeof order, 0) <= 0) return 0;
            text++, length--;
        }
        int attaches = length > 0 && *text == 'P';
        if (attaches) text++, length--;
        size_t count = spelled(text, length, bytes);
        if (attaches)
            send_with_descriptor(bytes, count);
        else if (send(SOCKET, bytes, count, MSG_NOSIGNAL) < 0)
            return 0;
    }
    return 0;
}

int main(int count, char **words) {
    /* Else it would keep open, for as long as it lives, what other tests wait for to close. */
    syscall(SYS_close_range, SOCKET + 1, ~0U, 0);
    if (count > 1 && strcmp(words[1], "--zygote") == 0) return fork_runners(words[0]);
    return run();
}
