#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <locale.h>
#include <sys/syscall.h>
#include <unistd.h>

// What Swift cannot import: variadic functions, GNU extensions, function-like macros and flexible arrays.

/// openat2(2), which glibc does not wrap. Returns -1 and sets errno as open(2) does.
static inline int nervous_openat2(
    int folder, const char *path, unsigned long long flags, unsigned long long mode,
    unsigned long long resolve)
{
    struct open_how how = {.flags = flags, .mode = mode, .resolve = resolve};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

/// renameat2(2) within one folder, failing with EEXIST where the new name is taken.
static inline int nervous_rename_to_free(int folder, const char *name, const char *other)
{
    return (int)syscall(SYS_renameat2, folder, name, folder, other, RENAME_NOREPLACE);
}

/// renameat2(2) within one folder: the two entries change names in one step.
static inline int nervous_rename_exchange(int folder, const char *name, const char *other)
{
    return (int)syscall(SYS_renameat2, folder, name, folder, other, RENAME_EXCHANGE);
}

/// A C.UTF-8 locale, or null where the machine has none.
static inline locale_t nervous_new_utf8_locale(void)
{
    return newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
}

/// The name of a folder's entry; valid as long as the entry is.
static inline const char *nervous_entry_name(const struct dirent *entry)
{
    return entry->d_name;
}
