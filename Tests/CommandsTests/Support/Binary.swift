import Foundation
import TestSupport

/// The programs as they were built beside the tests.
enum Binary {
    static let nervous = BuiltProgram.path("nervous")

    /// The root of the repository, from which the bundled apps are taken.
    static var repository: String {
        URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
            .replacingOccurrences(of: "//", with: "/")
    }
}
