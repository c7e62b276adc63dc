/// What confines a process, one function a layer.
///
/// Every function returns 0 or the `errno` of what failed. Nothing here decides what a missing
/// layer means: the caller does. The process cannot remove any of these layers.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// A session of its own, a low priority, no core dump, no other process of the user may look inside,
/// and the kernel kills it when the thread that started it ends.
///
/// - Parameter parent: the process that must still be the parent, so that a parent which died
///   before the request for its death signal is noticed (`ESRCH`); 0 to skip the check.
int nervous_sandbox_own_process(pid_t parent);

/// The same for a process that was forked from one that has called it, and stays in its session: the kernel
/// shares out the processor by sessions before it does by processes.
int nervous_sandbox_own_fork(pid_t parent);

/// Lets the session of this process have a tenth of the processor while another one needs it, however many
/// processes are in it (Linux with `CONFIG_SCHED_AUTOGROUP`; `ENOENT` elsewhere).
int nervous_sandbox_yield_processor(void);

/// Makes the kernel end this process and those that it forks before others if memory runs out.
int nervous_sandbox_end_first(void);

/// Disables speculation past stores and of indirect branches for good, where the processor needs that, also in
/// processes that are forked; `ENXIO` if the kernel does not allow it.
int nervous_sandbox_no_speculation(void);

/// Lets no other process run on a thread of the same core at the same time (Linux 5.14 with
/// `CONFIG_SCHED_CORE`; `ENODEV` if cores have one thread, `EINVAL` without support).
int nervous_sandbox_own_core(void);

/// Closes every descriptor from `first` on.
int nervous_sandbox_close_from(unsigned first);

/// No core file, no growing of files, at most 16 descriptors, no locked memory, no message queues.
///
/// The number of processes is not limited here: that limit counts all processes of the user.
int nervous_sandbox_limit_resources(void);

/// Lets the process use so much processor time in all; then it gets `SIGXCPU`.
int nervous_sandbox_limit_processor(uint32_t seconds);

/// Lets the data segment grow by `bytes` beyond what it is now.
///
/// An absolute limit would count the address space that the engine reserves and never touches.
int nervous_sandbox_limit_growth(uint64_t bytes);

/// No program that is executed from here on gains privileges; landlock and seccomp require it.
int nervous_sandbox_no_new_privileges(void);

/// Drops every capability, which matters when root is the user: the allowed calls could do more with
/// them. Threads that start later have none either.
int nervous_sandbox_no_capabilities(void);

/// Memory that was once writable can never become executable (Linux 6.3; `EINVAL` before).
int nervous_sandbox_no_executable_memory(void);

/// Denies files, and TCP, abstract sockets and signals to others where the kernel can.
///
/// Called again, it narrows further.
/// - Parameters:
///   - readable: paths that stay readable with all that is below them; one that does not exist is
///     skipped.
///   - abi: set to the version of landlock that was applied.
int nervous_sandbox_landlock(const char *const *readable, size_t count, int *abi);

/// Allows only the system calls that a running engine needs; any other ends the process with
/// `SIGSYS`. Applies to all threads.
int nervous_sandbox_syscalls(void);
