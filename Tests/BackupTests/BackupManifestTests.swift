import Foundation
import Samples
import Testing

@testable import Backup

struct BackupManifestTests {
    private static let hash = String(repeating: "a", count: 64)

    /// A manifest with this list of files and folders.
    private static func text(
        files: [String] = [], folders: [String] = [], version: String = "1", size: String = "1",
        mode: String = "600", hash: String = hash
    ) -> [UInt8] {
        let listed = files.map {
            #"{"path": "\#($0)", "size": \#(size), "sha256": "\#(hash)", "mode": "\#(mode)"}"#
        }
        let made = folders.map { #"{"path": "\#($0)", "mode": "700"}"# }
        return Array(
            """
            {"format": "nervous-backup", "version": \(version), "program": "1.0.0",
            "created": "2026-01-01T00:00:00Z", "folders": [\(made.joined(separator: ","))],
            "files": [\(listed.joined(separator: ","))]}
            """.utf8)
    }

    @Test func `a manifest is read as it was written`() throws {
        let manifest = BackupManifest(
            program: "1.0.0", created: Timestamp(microseconds: 1_700_000_000_000_001),
            folders: [.init(path: "data/apps", mode: 0o555)],
            files: [
                .init(path: "data/apps/a \"b\"\n名", size: 1 << 40, sha256: Self.hash, mode: 0o600),
                .init(path: "config/config.json", size: 0, sha256: Self.hash, mode: 0o644),
            ])
        #expect(try BackupManifest(parsing: manifest.encoded(), of: "x") == manifest)
    }

    @Test(arguments: [
        "data/../x", "../x", "/etc/passwd", "data//x", "data/./x", "data", "config", "x", "",
        "other/x", "config/bashrc", "config/config.json/x", "data/no-folder/x", "data/a\\u0000b",
        "data/x/", "manifest.json",
    ])
    func `a name outside of the listed folders is refused`(path: String) throws {
        #expect(try BackupManifest(parsing: Self.text(files: [path]), of: "x") == nil)
        #expect(try BackupManifest(parsing: Self.text(folders: [path]), of: "x") == nil)
    }

    @Test(arguments: [
        text(files: ["data/x", "data/x"]), text(files: ["data/x"], folders: ["data/x"]),
        text(folders: ["data/x", "data/x"]), text(folders: ["data/x/y", "data/x"]),
        text(files: ["data/x"], size: "-1"), text(files: ["data/x"], size: "1e30"),
        text(files: ["data/x"], mode: "4755"), text(files: ["data/x"], mode: "rw"),
        text(files: ["data/x"], hash: "abc"), Array("{}".utf8), Array("[]".utf8), [],
    ])
    func `an inconsistent manifest is refused`(bytes: [UInt8]) throws {
        #expect(try BackupManifest(parsing: bytes, of: "x") == nil)
    }

    @Test func `a valid list is accepted`() throws {
        let bytes = Self.text(files: ["data/x", "data/a/b/y"], folders: ["data/a", "data/a/b"])
        #expect(try BackupManifest(parsing: bytes, of: "x")?.files.count == 2)
    }

    @Test func `the error for a newer manifest names its version and the program that wrote it`()
        throws
    {
        let error = #expect(throws: BackupError.self) {
            try BackupManifest(parsing: Self.text(version: "2"), of: "/b.tar")
        }
        #expect(error?.code == .newer)
        #expect(error?.message.contains("/b.tar has version 2") == true)
        #expect(error?.hint?.contains("1.0.0") == true)
    }
}
