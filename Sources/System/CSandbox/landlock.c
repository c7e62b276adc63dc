#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel's interface as of ABI 7, spelled out because the system's header may be older.
// https://docs.kernel.org/userspace-api/landlock.html
struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scoped;
};

struct beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

enum {
    CREATE_RULESET_VERSION = 1,
    RULE_PATH_BENEATH = 1,
    READ_FILE = 1 << 2,
    READ_DIRECTORY = 1 << 3,
    NETWORK_TCP = 3,  // bind and connect
    SCOPED_ALL = 3,   // abstract Unix sockets and signals
};

/// All rights over files that a version knows: a right that it does not know is refused.
static uint64_t file_rights(int abi) {
    if (abi >= 5) return (1 << 16) - 1;  // ioctl on devices
    if (abi >= 3) return (1 << 15) - 1;  // truncate
    if (abi >= 2) return (1 << 14) - 1;  // refer
    return (1 << 13) - 1;
}

/// The kernel takes a shorter structure for an older version.
static size_t ruleset_size(int abi) {
    if (abi >= 6) return 3 * sizeof(uint64_t);
    if (abi >= 4) return 2 * sizeof(uint64_t);
    return sizeof(uint64_t);
}

static int allow_reading(int ruleset, const char *path) {
    int parent = open(path, O_PATH | O_CLOEXEC);
    if (parent < 0) return errno == ENOENT ? 0 : errno;
    int failed = 0;
    struct stat found;
    if (fstat(parent, &found) != 0) {
        failed = errno;
    } else {
        struct beneath rule = {.allowed = READ_FILE, .parent = parent};
        if (S_ISDIR(found.st_mode)) rule.allowed |= READ_DIRECTORY;
        if (syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0) != 0)
            failed = errno;
    }
    close(parent);
    return failed;
}

int nervous_sandbox_landlock(const char *const *readable, size_t count, int *abi) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
    if (version < 0) return errno;
    *abi = (int)version;
    struct ruleset handled = {
        .files = file_rights(*abi),
        .network = NETWORK_TCP,
        .scoped = SCOPED_ALL,
    };
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, ruleset_size(*abi), 0);
    if (ruleset < 0) return errno;
    int failed = 0;
    for (size_t index = 0; index < count && !failed; index++)
        failed = allow_reading(ruleset, readable[index]);
    if (!failed && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) failed = errno;
    close(ruleset);
    return failed;
}
