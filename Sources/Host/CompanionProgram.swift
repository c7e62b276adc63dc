import AppRuns
import Foundation
import JSApps
package import RunnerProtocol

/// A program that the host starts, installed beside `nervous` or in `libexec`.
package enum CompanionProgram: String, CaseIterable, Sendable {
    case runner = "nervous-runner"
    case unpacker = "nervous-unpacker"

    /// - Throws: `CommandFailure` with code `unavailable` if the program is missing.
    package func path() throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = (own as NSString).deletingLastPathComponent
        let candidates = ["\(folder)/\(rawValue)", "\(folder)/../libexec/nervous/\(rawValue)"]
        guard let found = candidates.first(where: FileManager.default.isExecutableFile) else {
            throw CommandFailure(
                .unavailable, "\(rawValue) is not installed beside \(own).",
                hint: "Build it with: swift build --product \(rawValue)")
        }
        return found
    }

    /// The folder of the program of this process.
    package static var ownFolder: String? {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .map { ($0 as NSString).deletingLastPathComponent }
    }
}

/// A script that the build bundles for headless apps, beside `nervous` or in `libexec`.
package enum CompanionScript {
    /// The build folder of the resources of this module.
    private static let built = "nervous_Host.resources"

    /// The path of a library; `nil` if it was not built.
    package static func path(of library: RunnerLibrary) -> String? {
        guard let folder = CompanionProgram.ownFolder else { return nil }
        return ["\(folder)/\(built)", "\(folder)/../libexec/nervous"]
            .map { "\($0)/\(library).js" }
            .first(where: FileManager.default.isReadableFile)
    }

    /// All libraries that were built.
    static var libraries: RunLibraries {
        RunLibraries(
            files: RunnerLibrary.allCases.compactMap { library in
                path(of: library).map { (library, $0) }
            })
    }
}
