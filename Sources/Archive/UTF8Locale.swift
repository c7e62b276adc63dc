import CArchive

/// A UTF-8 locale for one thread; elsewhere libarchive gives no name that is not ASCII.
public enum UTF8Locale {
    /// Runs `body` in such a locale; the rest of the process keeps its own.
    ///
    /// The locale is read from files, so this comes before a process gives up reading files.
    public static func use<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let locale = nervous_new_utf8_locale() else { return try body() }
        let before = uselocale(locale)
        defer {
            uselocale(before)
            freelocale(locale)
        }
        return try body()
    }
}
