#pragma once

#include <stddef.h>
#include <stdint.h>

/// One way out: a system call with its arguments, or a function where that is not enough.
struct probe {
    const char *name;
    const char *family;
    long number;
    long arguments[6];
    /// 0 or an `errno`; in place of the call.
    int (*attempt)(void);
    /// The `errno` that the filter answers by design; 0 when the attempt has to be fatal.
    int answer;
};

/// The probes of one file.
struct probe_list {
    const struct probe *probes;
    size_t count;
};

extern const struct probe_list file_probes, network_probes, process_probes, memory_probes,
    kernel_probes, interface_probes;

/// Memory for what a call wants to read or write.
extern char nervous_probe_page[4096];

#define PAGE ((long)(intptr_t)nervous_probe_page)
#define TEXT(text) ((long)(intptr_t)(text))
#define LIST(probes) {probes, sizeof probes / sizeof *probes}
