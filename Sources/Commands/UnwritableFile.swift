import Foundation
import Host

extension CommandFailure {
    /// The failure for an output file that could not be created, with the reason.
    ///
    /// - Parameter path: the path as you typed it.
    static func cannotWrite(_ path: String) -> Self {
        let files = FileManager.default
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let reason: String? =
            if files.fileExists(atPath: path) {
                ": it already exists"
            } else if !files.fileExists(atPath: folder) {
                ": there is no folder \(folder)"
            } else if !files.isWritableFile(atPath: folder) {
                ": you may not write in \(folder)"
            } else {
                nil
            }
        return Self(
            .cannotCreate, "Cannot write \(path)\(reason ?? "").",
            hint: "Choose another path with --output.")
    }
}
