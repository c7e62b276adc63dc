import Foundation

/// The program that speaks the protocol as an attacker would.
enum ForgedProgram {
    /// Beside the tests.
    static var path: String { get throws { try folder + "/forging-runner" } }

    static var folder: String {
        get throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return (own as NSString).deletingLastPathComponent
        }
    }

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
