import Foundation
import TestSupport

/// The program that speaks the protocol as an attacker would.
enum ForgedProgram {
    static let path = BuiltProgram.path("forging-runner")

    /// The same under a name of its own, beside what it is to say as a zygote.
    static func zygote(
        in folder: TemporaryFolder, named name: String, packets: String
    ) throws -> String {
        let place = folder.url.appending(path: name)
        try FileManager.default.createSymbolicLink(
            at: place, withDestinationURL: URL(filePath: path))
        try folder.write("\(name).packets", packets)
        return place.path(percentEncoded: false)
    }
}
