/// Starting programs for tests, with what Swift does not see of `spawn.h`.
#pragma once

#include <stddef.h>
#include <sys/types.h>

/// Starts a program that has these descriptors and no others, and every signal as it is by default.
///
/// - Parameters:
///   - variables: its environment; NULL for that of this process.
///   - directory: where it works; NULL for where this process does.
///   - terminal: NULL, and it leads a process group of its own. Else it leads a session of its own at
///     this terminal, which is its standard streams, and gets no other descriptor.
///   - descriptors: what it has as 0, 1 and so on. One below `count` stands only at its own place.
/// - Returns: 0, or what `errno` would be.
int test_spawn(
    pid_t *child, const char *program, char *const words[], char *const variables[],
    const char *directory, const char *terminal, const int descriptors[], size_t count);
