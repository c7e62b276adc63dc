/// What Swift cannot say on its own: forking, and passing descriptors over a socket.
#pragma once

#include <stddef.h>
#include <sys/types.h>

/// Copies this process, which must have one thread.
///
/// - Parameter handle: in the parent, a descriptor that stands for the child also after its number
///   was given to another process.
/// - Returns: the child's number, 0 in the child, or -1 with `errno`.
pid_t nervous_process_fork(int *handle);

/// Sends a signal to the process that a descriptor stands for; 0, or `errno`.
int nervous_process_signal(int handle, int signal);

/// Gives a thread only processor time that no other program needs (`SCHED_IDLE`); 0, or `errno`.
int nervous_process_yield(pid_t thread);

/// Waits until a descriptor can be read or a signal that is blocked otherwise has come.
///
/// - Returns: 1 when it can be read, 0 after a signal, or -1 with `errno`.
int nervous_process_wait(int descriptor, int signal);

/// Sends one packet, with `count` descriptors; the number of bytes, or -1 with `errno`.
ssize_t nervous_packet_send(
    int socket, const void *bytes, size_t size, const int *descriptors, size_t count);

/// Receives one packet and at most `count` descriptors, which are closed on `exec`.
///
/// - Parameter count: how many there is room for; then how many came. What does not fit is closed.
/// - Returns: the number of bytes, 0 at the end, or -1 with `errno`.
ssize_t nervous_packet_receive(
    int socket, void *bytes, size_t size, int *descriptors, size_t *count);

/// A descriptor that stands for a process, closed on `exec`; -1 with `errno`.
int nervous_process_open(pid_t process);

/// A pipe whose ends, the one to read from first, are closed on `exec`; 0, or `errno`.
int nervous_process_pipe(int ends[2]);

/// Gives a forked process descriptors of its own in place of those that a library opened before the fork.
///
/// Of the descriptors from `first` on, counters of events, random devices and the file with the size of the
/// process are opened anew under their numbers; all others are closed. So no process can reach another
/// one through a descriptor that both have inherited.
///
/// - Returns: 0 or an `errno`.
int nervous_process_own_descriptors(int first);

/// A descriptor of a file in memory with these bytes, at its start, closed on `exec`; -1 with `errno`.
int nervous_process_content(const void *bytes, size_t size);

/// Returns free memory of the C library to the kernel.
void nervous_process_trim(void);
