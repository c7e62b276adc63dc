#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "no filter for this architecture"
#endif

/// Calls whose number carries this bit are those of the x32 interface.
#define X32_BIT 0x40000000U

/// What `pthread_create` asks for; a process would lack most of it.
#define THREAD_FLAGS                                                                       \
    (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |    \
     CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

/// Clocks with a smaller number are the system's or the caller's own. The others stand for processor
/// time of any process, by its number.
#define CLOCKS 16

enum { MOST = 256 };

struct program {
    struct sock_filter code[MOST];
    unsigned short length;
};

static void add(struct program *program, struct sock_filter instruction) {
    if (program->length < MOST) program->code[program->length] = instruction;
    program->length++;
}

static void load(struct program *program, size_t offset) {
    add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void finish(struct program *program, uint32_t action) {
    add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/// Skips `count` instructions unless what was loaded equals `value`.
static void unless_equal(struct program *program, uint32_t value, uint8_t count) {
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count));
}

static void answer(struct program *program, long number, uint32_t action) {
    unless_equal(program, (uint32_t)number, 1);
    finish(program, action);
}

static void allow(struct program *program, long number) {
    answer(program, number, SECCOMP_RET_ALLOW);
}

static size_t argument(int index, int upper_half) {
    return offsetof(struct seccomp_data, args) + 8 * (size_t)index + (upper_half ? 4 : 0);
}

/// Allows a call when both halves of an argument are exactly `value`, and kills otherwise.
static void allow_when_equal(struct program *program, long number, int index, uint32_t value) {
    unless_equal(program, (uint32_t)number, 6);
    load(program, argument(index, 1));
    unless_equal(program, 0, 3);
    load(program, argument(index, 0));
    unless_equal(program, value, 1);
    finish(program, SECCOMP_RET_ALLOW);
    finish(program, SECCOMP_RET_KILL_PROCESS);
}

/// Allows a call when an argument has none of `bits`, and kills otherwise.
static void allow_without(struct program *program, long number, int index, uint32_t bits) {
    unless_equal(program, (uint32_t)number, 4);
    load(program, argument(index, 0));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0));
    finish(program, SECCOMP_RET_ALLOW);
    finish(program, SECCOMP_RET_KILL_PROCESS);
}

/// Allows a call when what `mask` leaves of an argument is one of `values`, and kills otherwise.
static void allow_one_of(
    struct program *program, long number, int index, uint32_t mask, const uint32_t *values,
    uint8_t count
) {
    unless_equal(program, (uint32_t)number, (uint8_t)(2 * count + 3));
    load(program, argument(index, 0));
    add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    for (uint8_t i = 0; i < count; i++)
        answer(program, values[i], SECCOMP_RET_ALLOW);
    finish(program, SECCOMP_RET_KILL_PROCESS);
}

/// Allows a call when an argument is less than `limit`, and kills otherwise.
static void allow_below(struct program *program, long number, int index, uint32_t limit) {
    unless_equal(program, (uint32_t)number, 4);
    load(program, argument(index, 0));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, limit, 1, 0));
    finish(program, SECCOMP_RET_ALLOW);
    finish(program, SECCOMP_RET_KILL_PROCESS);
}

/// Allows a call when an argument is 0, and answers `ENOSYS` otherwise.
static void allow_when_zero(struct program *program, long number, int index) {
    unless_equal(program, (uint32_t)number, 4);
    load(program, argument(index, 0));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1));
    finish(program, SECCOMP_RET_ALLOW);
    finish(program, SECCOMP_RET_ERRNO | ENOSYS);
}

/// Advice about memory of its own. The rest would make the kernel treat pages as faulty, share equal
/// ones with other processes, or change what a child gets.
static const uint32_t advice[] = {
    MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED, MADV_FREE,
    MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP, MADV_DODUMP,
    20, 21, 22, 23,  // cold, page out, populate for reading and writing (Linux 5.4, 5.14)
    102, 103,        // guard pages of stacks (Linux 6.13)
};

/// Waiting and waking. Locks that lend priority take the number of any thread of the machine and tell
/// whether there is one.
static const uint32_t waits[] = {
    FUTEX_WAIT, FUTEX_WAKE, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_WAIT_BITSET,
    FUTEX_WAKE_BITSET,
};

/// Calls that only touch what the process already has.
static const long plain[] = {
    // The descriptors that are open; none can be opened or received.
    SYS_read, SYS_write, SYS_writev, SYS_pread64, SYS_close, SYS_ppoll,
#ifdef SYS_poll
    SYS_poll,
#endif
    // Memory; `mmap`, `mprotect` and `madvise` are looked at more closely.
    SYS_munmap, SYS_mremap, SYS_brk,
    // Threads; the allocator ends its own when idle and starts it anew.
    SYS_sched_yield, SYS_set_robust_list, SYS_rseq, SYS_exit, SYS_exit_group, SYS_gettid,
    SYS_getpid, SYS_restart_syscall,
    // Its own signals.
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
    // The time and random numbers.
    SYS_nanosleep, SYS_gettimeofday, SYS_getrandom, SYS_setitimer,
#ifdef SYS_time
    SYS_time,
#endif
};

static void build(struct program *program) {
    program->length = 0;
    load(program, offsetof(struct seccomp_data, arch));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    finish(program, SECCOMP_RET_KILL_PROCESS);

    const size_t number = offsetof(struct seccomp_data, nr);
    load(program, number);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1));
    finish(program, SECCOMP_RET_KILL_PROCESS);

    // The checks below leave the call's number only when they skip, so it stays loaded.
    for (size_t index = 0; index < sizeof plain / sizeof *plain; index++)
        allow(program, plain[index]);
    allow_without(program, SYS_mmap, 2, PROT_EXEC);
    allow_without(program, SYS_mprotect, 2, PROT_EXEC);
    allow_one_of(program, SYS_madvise, 2, ~0U, advice, sizeof advice / sizeof *advice);
    allow_one_of(
        program, SYS_futex, 1, (uint32_t)FUTEX_CMD_MASK, waits, sizeof waits / sizeof *waits);
    allow_below(program, SYS_clock_gettime, 0, CLOCKS);
    allow_below(program, SYS_clock_getres, 0, CLOCKS);
    allow_below(program, SYS_clock_nanosleep, 0, CLOCKS);
    // With a number it would tell which processes there are. The C library asks for its own thread
    // by number, and goes on without an answer.
    allow_when_zero(program, SYS_sched_getaffinity, 0);
    allow_when_equal(program, SYS_clone, 0, THREAD_FLAGS);
    // Its flags are behind a pointer, which a filter cannot follow; glibc then uses `clone`.
    answer(program, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    allow_when_equal(program, SYS_prctl, 0, PR_SET_NAME);
    // `abort` sends the process itself a signal.
    allow_when_equal(program, SYS_tgkill, 0, (uint32_t)getpid());
    finish(program, SECCOMP_RET_KILL_PROCESS);
}

int nervous_sandbox_syscalls(void) {
    struct program program;
    build(&program);
    if (program.length > MOST) return E2BIG;
    struct sock_fprog filter = {.len = program.length, .filter = program.code};
    long result = syscall(
        SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    // A positive result is a thread that could not follow.
    if (result > 0) return EBUSY;
    return result == 0 ? 0 : errno;
}
