import CArchive

/// A UTF-8 locale for one thread; elsewhere libarchive gives no name that is not ASCII.
enum UTF8Locale {
    /// Runs `body` in such a locale; the rest of the process keeps its own.
    static func use<Result: ~Copyable>(
        _ body: () throws(JSAppsError) -> Result
    ) throws(JSAppsError) -> Result {
        guard let locale = nervous_new_utf8_locale() else { return try body() }
        let before = uselocale(locale)
        defer {
            uselocale(before)
            freelocale(locale)
        }
        return try body()
    }
}
