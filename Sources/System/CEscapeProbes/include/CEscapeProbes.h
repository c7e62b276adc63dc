/// Ways out of the sandbox, to be tried by a process that is confined as one that runs an app.
///
/// A probe that is not blocked does no harm: it asks for something that does not exist, or passes
/// arguments that the kernel refuses.
#pragma once

#include <stddef.h>

/// How many there are on this architecture.
size_t nervous_probe_count(void);

/// The name of a probe, such as `openat`.
const char *nervous_probe_name(size_t index);

/// What it belongs to: `files`, `network`, `processes`, `memory`, `kernel` or `interface`.
const char *nervous_probe_family(size_t index);

/// The `errno` that the filter answers by design; 0 when the attempt has to be fatal.
int nervous_probe_answer(size_t index);

/// Tries it.
///
/// - Returns: 0 when it went through, else its `errno`; not at all when it was fatal.
int nervous_probe_attempt(size_t index);
