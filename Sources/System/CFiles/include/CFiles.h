/// Calls of the kernel that keep a path beneath a folder, and that Swift cannot make by itself:
/// variadic functions, GNU extensions, function-like macros and flexible arrays. Also `struct stat`, where the
/// module in which Swift finds it differs between builds.
#pragma once

#include <dirent.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// openat2(2), which glibc does not wrap. Returns -1 and sets errno as open(2) does.
int nervous_openat2(
    int folder, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve);

/// renameat2(2) within one folder, failing with EEXIST where the new name is taken.
int nervous_rename_to_free(int folder, const char *name, const char *other);

/// renameat2(2) within one folder: the two entries change names in one step.
int nervous_rename_exchange(int folder, const char *name, const char *other);

/// Whether a descriptor is open on the file of this device and inode number.
bool nervous_is_open_on(int file, uint64_t device, uint64_t inode);

/// The name of a folder's entry; valid as long as the entry is.
const char *nervous_entry_name(const struct dirent *entry);

/// A file in memory that holds `bytes`, is read from its start and can never be changed.
///
/// Returns its descriptor, which closes on exec, or -1 and sets errno.
int nervous_sealed_memory(const void *bytes, size_t count);
