import Foundation
import Glibc

/// A folder of one command, for its owner alone.
struct TemporaryFolder {
    let path: String

    /// - Throws: `CommandFailure` when none can be made.
    init() throws {
        var template = Array(
            "\(FileManager.default.temporaryDirectory.path)/nervous-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                .cannotCreate, "No temporary folder can be made.",
                hint: "Set TMPDIR to a folder of yours.")
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
