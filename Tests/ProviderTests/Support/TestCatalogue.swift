import Foundation
import JSApps
import TestSupport

/// A folder of small real packages with a signed index.
struct TestCatalogue {
    private let folder: URL
    /// The public key, as text.
    let key: String
    /// The path of the folder.
    var path: String { folder.path(percentEncoded: false) }

    /// - Parameters:
    ///   - apps: the names of its apps.
    ///   - signer: the name of its key.
    ///   - place: the folder of the test.
    init(
        of apps: [String], version: String = "1.0.0", sequence: Int64 = 1, signer: String = "ann",
        in place: URL
    ) throws {
        let name = "catalogue-\(UUID().uuidString)"
        folder = place.appending(path: name, directoryHint: .notDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let secret = try TestPackage.key(signer, in: place)
        key = secret.signer.text
        for app in apps {
            try write("\(app).zip", try TestPackage.bytes(app, version: version, in: place))
        }
        let made = try CatalogueMaker(
            unpacker: ArchiveUnpacker(program: BuiltProgram.path("nervous-unpacker"))
        ).make(folder, named: AppName("example"), sequence: sequence, signingWith: secret)
        try write("index.json", made.index)
        try write("index.json.sig", made.signature)
    }

    /// The bytes of a file.
    func bytes(_ file: String) -> [UInt8] {
        FileManager.default.contents(atPath: "\(path)/\(file)").map { Array($0) } ?? []
    }

    func write(_ file: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: folder.appending(path: file))
    }
}
