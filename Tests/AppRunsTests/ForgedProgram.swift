import Foundation
import TestSupport

/// The program that simulates a compromised runner.
enum ForgedProgram {
    static let path = BuiltProgram.path("forging-runner")

    /// A copy of the program in a folder with the packets that it sends as a zygote.
    static func zygote(
        in folder: TemporaryFolder, named name: String, packets: String
    ) throws -> String {
        let link = folder.url.appending(path: name)
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: URL(filePath: path))
        try folder.write("\(name).packets", packets)
        return link.path(percentEncoded: false)
    }
}

/// A folder that is removed with the value that names it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "runs-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Writes a file.
    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: url.appending(path: name))
    }
}
