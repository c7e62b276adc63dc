#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

/// A C.UTF-8 locale, or null where the machine has none.
static inline locale_t nervous_new_utf8_locale(void)
{
    return newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
}
