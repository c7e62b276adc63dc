import Foundation
import Testing

/// A locale that writes 1,5, for the thread of a test.
///
/// Machines seldom have one, so it is compiled from its source, which comes with glibc.
enum CommaLocale {
    /// Runs the body under the locale; the test fails where there is none.
    static func use(_ body: () throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("locale-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/localedef")
        compiler.arguments = [
            "-c", "-i", "da_DK", "-f", "UTF-8", folder.appendingPathComponent("da_DK.UTF-8").path,
        ]
        compiler.standardOutput = FileHandle.nullDevice
        compiler.standardError = FileHandle.nullDevice
        try compiler.run()
        compiler.waitUntilExit()
        setenv("LOCPATH", folder.path, 1)
        let locale = newlocale(Int32(1) << LC_NUMERIC, "da_DK.UTF-8", nil)
        unsetenv("LOCPATH")
        // It is null where there is no such locale, whatever its type says.
        try #require(Int(bitPattern: locale) != 0, "no locale with a comma")
        let before = uselocale(locale)
        defer {
            uselocale(before)
            freelocale(locale)
        }
        try body()
    }
}
