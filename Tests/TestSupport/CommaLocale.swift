import Foundation
import Testing

/// A locale with a decimal comma, for the thread of a test.
///
/// Most machines lack one, so it is compiled from its source, which glibc includes.
public enum CommaLocale {
    /// Runs the body in the locale; the test fails if it does not exist.
    public static func use(_ body: () throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("locale-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let place = folder.appendingPathComponent("da_DK.UTF-8").path
        try Program("/usr/bin/localedef", ["-c", "-i", "da_DK", "-f", "UTF-8", place]).wait()
        setenv("LOCPATH", folder.path, 1)
        let locale = newlocale(Int32(1) << LC_NUMERIC, "da_DK.UTF-8", nil)
        unsetenv("LOCPATH")
        // The result is null without such a locale, whatever its type says.
        try #require(Int(bitPattern: locale) != 0, "no locale with a comma")
        let before = uselocale(locale)
        defer {
            uselocale(before)
            freelocale(locale)
        }
        try body()
    }
}
