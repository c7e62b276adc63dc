/// Starting threads later than a library asks for, so that its process can be forked.
#pragma once

/// From now on, threads that are created in this process wait before their first instruction.
///
/// A waiting thread holds no lock, so a copy of the process has no lock that nobody will release. The
/// program defines `pthread_create` itself for this; libraries that it loads find that definition.
void nervous_threads_hold(void);

/// Starts, in a forked process, the threads that waited in the process that it was forked from.
///
/// They have default attributes, and other identifiers than those that were returned when they were created.
///
/// - Returns: 0 or an `errno`.
int nervous_threads_release(void);
