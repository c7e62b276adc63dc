#define _GNU_SOURCE
#include "probe.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INTERFACE(name, number, ...) {name, "interface", number, {__VA_ARGS__}, 0, 0}

#if defined(__x86_64__)
/// The calls of 32-bit programs have other numbers: 20 is `getpid` there and `writev` here.
static int by_interrupt(void) {
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
    return result < 0 ? (int)-result : 0;
}
#endif

static const struct probe probes[] = {
#if defined(__x86_64__)
    {"interrupt-0x80", "interface", 0, {0}, by_interrupt, 0},
    INTERFACE("x32", 0x40000000 | SYS_getpid),
    INTERFACE("x32-own", 0x40000000 | 520),
#endif
    INTERFACE("unknown", 9999),
    INTERFACE("negative", -1),
    INTERFACE("high-half", SYS_prctl, 15L | 1L << 32, TEXT("x")),
};

const struct probe_list interface_probes = LIST(probes);
