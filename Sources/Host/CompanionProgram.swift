import Foundation

/// A program that this one starts, found beside it where installing and building put it.
enum CompanionProgram: String, CaseIterable {
    case runner = "nervous-runner"

    /// - Throws: `unavailable` when it is not there.
    func path() throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = (own as NSString).deletingLastPathComponent
        let candidates = ["\(folder)/\(rawValue)", "\(folder)/../libexec/nervous/\(rawValue)"]
        guard let found = candidates.first(where: FileManager.default.isExecutableFile) else {
            throw CommandFailure(
                .unavailable, "\(rawValue) is not beside \(own).",
                hint: "Build it with: swift build --product \(rawValue)")
        }
        return found
    }
}
