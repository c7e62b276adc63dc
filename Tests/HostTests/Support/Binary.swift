import Foundation

/// The programs as they were built beside the tests.
enum Binary {
    static var folder: String {
        get throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return (own as NSString).deletingLastPathComponent
        }
    }

    static var nervous: String { get throws { try folder + "/nervous" } }

    /// The root of the repository, from which the bundled apps are taken.
    static var repository: String {
        URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
            .replacingOccurrences(of: "//", with: "/")
    }
}
