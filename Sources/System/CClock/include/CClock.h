/// How the kernel keeps the clock: `struct timex` and its constants, which the C library of Swift does not export.
#pragma once

#include <stdbool.h>

/// The state of the clock that an NTP client disciplines: adjtimex(2), RFC 5905, appendix A.
struct nervous_clock_state {
    /// Whether a client keeps it right: the kernel withdraws this when the error may be above 16 s.
    bool is_synchronised;
    /// What is still to be added to the clock, in seconds: positive if it is behind.
    double offset;
    /// The error that the client expects, and the largest possible one, in seconds.
    double estimated_error, maximum_error;
    /// How much faster the clock is made to run, in parts per million.
    double frequency;
};

/// Reads the state; changes nothing and needs no privilege. Returns 0, or -1 and sets errno.
int nervous_read_clock(struct nervous_clock_state *state);
