import Foundation
import TestSupport
import Testing

@testable import Backup

@Suite(.blocking)
struct TarTests {
    private let folder: BackupFolder

    init() throws {
        folder = try BackupFolder()
    }

    private static func entry(_ path: String, _ size: Int64) -> TarEntry {
        TarEntry(path: path, size: size, mode: 0o640, modified: 1_700_000_000)
    }

    private func write(_ files: [(String, [UInt8])]) throws {
        let tar = TarWriter(try OpenFile.creating(folder.backup))
        for (name, bytes) in files { try tar.add(Self.entry(name, Int64(bytes.count)), bytes) }
        try tar.end()
    }

    private static let names = [
        "a", String(repeating: "n", count: 100), String(repeating: "n", count: 101),
        "d/" + String(repeating: "ä", count: 90), String(repeating: "x/", count: 500) + "y",
    ]

    @Test(arguments: [0, 1, 511, 512, 513, 2_000_000])
    func `files of any size and name are read as they were written`(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try write(Self.names.map { ($0, bytes) })
        var reader = TarReader(try OpenFile.reading(folder.backup))
        for name in Self.names {
            #expect(try reader.next() == Self.entry(name, Int64(size)))
            var found: [UInt8] = []
            while true {
                let block = try reader.read()
                guard !block.isEmpty else { break }
                found += block
            }
            #expect(found == bytes)
        }
        #expect(try reader.next() == nil)
    }

    @Test func `the program tar reads the archive`() throws {
        try write([("a/b", Array("text".utf8)), ("a/" + String(repeating: "ä", count: 90), [1])])
        let tar = try Program(
            "/usr/bin/tar", ["-xf", folder.backup, "-C", folder.root], environment: [:])
        #expect(try tar.wait() == 0)
        #expect(try String(contentsOfFile: "\(folder.root)/a/b", encoding: .utf8) == "text")
        let long = "\(folder.root)/a/" + String(repeating: "ä", count: 90)
        #expect(try Data(contentsOf: URL(filePath: long)) == Data([1]))
    }

    /// Archives of the program `tar` with what a backup never contains.
    @Test(arguments: ["link", "folder", "hard link", "sparse name"])
    func `other kinds of entries are refused`(kind: String) throws {
        try folder.make("in")
        try folder.write("x", to: "in/a")
        switch kind {
        case "link": symlink("/etc/passwd", "\(folder.root)/in/0")
        case "folder": try folder.make("in/0")
        case "hard link": link("\(folder.root)/in/a", "\(folder.root)/in/b")
        default: try folder.write("x", to: "in/" + String(repeating: "l", count: 200))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.root)/in")
            .sorted()
        let tar = try Program(
            "/usr/bin/tar",
            ["--format=gnu", "-cf", folder.backup, "-C", "\(folder.root)/in"] + names,
            environment: [:])
        #expect(try tar.wait() == 0)
        var reader = TarReader(try OpenFile.reading(folder.backup))
        #expect(throws: TarReader.Fault.self) {
            while try reader.next() != nil { while try !reader.read().isEmpty {} }
        }
    }
}
