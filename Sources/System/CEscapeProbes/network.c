#define _GNU_SOURCE
#include "probe.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NETWORK(name, number, ...) {name, "network", number, {__VA_ARGS__}, 0, 0}

/// Hands a descriptor to the host over the socket of the protocol.
static int pass_descriptor(void) {
    char byte = 0;
    struct iovec piece = {.iov_base = &byte, .iov_len = 1};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {
        .msg_iov = &piece,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    return sendmsg(3, &message, 0) < 0 ? errno : 0;
}

/// Takes a descriptor that somebody may have sent.
static int receive_descriptor(void) {
    char space[64];
    struct iovec piece = {.iov_base = nervous_probe_page, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &piece,
        .msg_iovlen = 1,
        .msg_control = space,
        .msg_controllen = sizeof space,
    };
    return recvmsg(3, &message, MSG_DONTWAIT) < 0 ? errno : 0;
}

static const struct probe probes[] = {
    NETWORK("socket-unix", SYS_socket, AF_UNIX, SOCK_STREAM, 0),
    NETWORK("socket-inet", SYS_socket, AF_INET, SOCK_STREAM, 0),
    NETWORK("socket-netlink", SYS_socket, AF_NETLINK, SOCK_RAW, 0),
    NETWORK("socket-packet", SYS_socket, AF_PACKET, SOCK_RAW, 0),
    NETWORK("socketpair", SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, PAGE),
    NETWORK("connect", SYS_connect, 3, PAGE, 16),
    NETWORK("bind", SYS_bind, 3, PAGE, 2),
    NETWORK("listen", SYS_listen, 3, 1),
    NETWORK("accept", SYS_accept4, 3, 0, 0, 0),
    NETWORK("sendto", SYS_sendto, 3, PAGE, 0, 0, 0, 0),
    NETWORK("recvfrom", SYS_recvfrom, 3, PAGE, 0, MSG_DONTWAIT, 0, 0),
    {"sendmsg-rights", "network", 0, {0}, pass_descriptor, 0},
    {"recvmsg-rights", "network", 0, {0}, receive_descriptor, 0},
    NETWORK("sendmmsg", SYS_sendmmsg, 3, PAGE, 0, 0),
    NETWORK("getsockopt", SYS_getsockopt, 3, SOL_SOCKET, SO_PEERCRED, PAGE, PAGE),
    NETWORK("setsockopt", SYS_setsockopt, 3, SOL_SOCKET, SO_PASSCRED, PAGE, 4),
    NETWORK("getpeername", SYS_getpeername, 3, PAGE, PAGE),
    NETWORK("shutdown", SYS_shutdown, 99, SHUT_RDWR),
};

const struct probe_list network_probes = LIST(probes);
