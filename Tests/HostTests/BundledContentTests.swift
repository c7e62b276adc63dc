import Foundation
import TestSupport
import Testing

@testable import Host

/// Where a program looks for the apps and sensor packs that come with it.
@Suite(.blocking)
struct BundledContentTests {
    /// Runs `body` with an empty folder, and removes it afterwards.
    private static func withFolder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/bundled-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private static func write(_ text: String, to path: String) throws {
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func fill(_ root: String) throws {
        try write(
            #"{"name": "clock", "title": "A clock", "version": "1.2"}"#,
            to: "\(root)/jsapps/clock/package.json")
        try write("{}", to: "\(root)/jsapps/axe/package.json")
        try write(
            #"{"id": "radiation.tube", "title": "A tube"}"#,
            to: "\(root)/sensorpacks/tube/sensor.json")
    }

    @Test func `an installed program finds them in share`() throws {
        try Self.withFolder { prefix in
            try Self.fill("\(prefix)/share/nervous")
            let content = BundledContent(ofProgramIn: "\(prefix)/bin")
            let apps = content.items(.app)
            #expect(apps.map(\.name) == ["axe", "clock"])
            #expect(apps.last?.title == "A clock")
            #expect(apps.last?.version == "1.2")
            #expect(apps.last?.path == "\(prefix)/share/nervous/jsapps/clock")
            #expect(content.items(.sensorPack).map(\.sensor) == ["radiation.tube"])
        }
    }

    @Test func `a program in the build folder of a clone finds those of the clone`() throws {
        try Self.withFolder { clone in
            try Self.fill(clone)
            let folder = "\(clone)/.build/x86_64-unknown-linux-gnu/debug"
            #expect(BundledContent(ofProgramIn: folder).items(.app).isEmpty)
            try Self.write("", to: "\(clone)/Package.swift")
            #expect(BundledContent(ofProgramIn: folder).items(.app).count == 2)
            #expect(BundledContent(ofProgramIn: "\(clone)/elsewhere").items(.app).isEmpty)
        }
    }

    @Test func `an installation inside a clone uses only its own content`() throws {
        try Self.withFolder { clone in
            try Self.fill(clone)
            try Self.write("", to: "\(clone)/Package.swift")
            let prefix = "\(clone)/.build/installed"
            try Self.write("{}", to: "\(prefix)/share/nervous/jsapps/other/package.json")
            #expect(
                BundledContent(ofProgramIn: "\(prefix)/bin").items(.app).map(\.name) == ["other"])
        }
    }

    @Test(arguments: ["no JSON", "[]", #"{"title": 3}"#])
    func `a folder without a readable manifest is left out`(text: String) throws {
        try Self.withFolder { prefix in
            let root = "\(prefix)/share/nervous"
            try Self.fill(root)
            try Self.write(text, to: "\(root)/jsapps/broken/package.json")
            try Self.write("", to: "\(root)/jsapps/README.md")
            mkdir("\(root)/jsapps/empty", 0o700)
            let names = BundledContent(ofProgramIn: "\(prefix)/bin").items(.app).map(\.name)
            #expect(names == ["axe", "clock"])
        }
    }

    @Test func `without bundled content the lists are empty`() throws {
        try Self.withFolder { prefix in
            let content = BundledContent(ofProgramIn: "\(prefix)/bin")
            #expect(BundledContent.Kind.allCases.allSatisfy { content.items($0).isEmpty })
        }
    }
}
