import Foundation
import JSApps
import Samples
import TestSupport
import Testing

@Suite struct AppLibraryTests {
    private let folder: TemporaryFolder
    private let library: AppLibrary

    init() async throws {
        folder = try TemporaryFolder()
        library = try await AppLibrary.open(
            at: folder.url.appending(path: "apps"), unpacker: .built,
            time: ManualTime(at: Timestamp(microseconds: 1_500_000_000_999_999)))
    }

    @Test func `all apps together have a limit, and an update that is not larger is installed`()
        async throws
    {
        var limits = PackageLimits()
        limits.installedBytes = 60_000
        let library = try await AppLibrary.open(
            at: folder.url.appending(path: "apps"), limits: limits, unpacker: .built)
        let first = try folder.writeApp("first-app")
        try folder.write("first-app/data", [UInt8](repeating: 1, count: 40_000))
        try await library.install(from: first)
        let second = try folder.writeApp("second-app")
        try folder.write("second-app/data", [UInt8](repeating: 1, count: 40_000))
        let error = await #expect(throws: JSAppsError.self) {
            try await library.install(from: second)
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.hint?.contains("budgets.total.diskMiB") == true)
        #expect(try await library.apps().map(\.name.text) == ["first-app"])
        // The version that is replaced does not count.
        _ = try folder.writeApp("first-app", version: "1.1.0")
        #expect(try await library.install(from: first).manifest.version == "1.1.0")
    }

    private static let variants: [(String, ZipForge)] = [
        ("plain", .good()),
        (
            "streamed",
            ZipForge.good().changed { forge in
                forge.entries = forge.entries.map { $0.streamed() }
            }
        ),
        (
            "streamed without signatures",
            ZipForge.good().changed { forge in
                forge.entries = forge.entries.map { $0.streamed(signed: false) }
            }
        ),
        (
            "UTF-8 names with their flag",
            ZipForge.good().with(
                .stored("my-app/bilder/grün 名前 😀.txt", "x").changedBoth { $0.flags |= 1 << 11 })
        ),
        ("UTF-8 names without it", ZipForge.good().with(.deflated("my-app/e\u{301}", "x"))),
        (
            "folders, times and a comment",
            ZipForge.good().with(.folder("my-app/")).with(.folder("my-app/lib/"))
                .with(
                    .stored("my-app/lib/a.js").changedBoth {
                        $0.extra = [0x55, 0x54, 5, 0, 1, 0, 0, 0, 0]
                    }
                ).changed {
                    $0.comment = Array("made by hand".utf8)
                    $0.entries[0].comment = Array("hello".utf8)
                }
        ),
        (
            "a long comment",
            ZipForge.good().changed { $0.comment = [UInt8](repeating: 0x20, count: 16_000) }
        ),
        (
            "no modes, as Python's writestr and Windows leave them",
            ZipForge.good().changed { forge in
                forge.entries[0].attributes = 0o600 << 16
                forge.entries[1].attributes = 0
                forge.entries[1].madeBy = 0
            }
        ),
        (
            "a large file",
            ZipForge.good().with(
                .deflated("my-app/data", String(repeating: "0123456789", count: 20_000)))
        ),
    ]

    @Test(arguments: variants)
    func `a good package is installed byte for byte`(
        _ name: String, _ forge: ZipForge
    ) async throws {
        let file = try folder.write("package.nervous", forge.bytes)
        let app = try await library.install(from: file)
        #expect(app.name.text == "my-app")
        #expect(app.manifest.version == "1.0.0")
        #expect(app.index.installed == Date(timeIntervalSince1970: 1.5e9))
        let files = forge.entries.filter { $0.central.name.last != UInt8(ascii: "/") }
        #expect(app.index.files.count == files.count)
        for entry in files {
            let path = String(decoding: entry.central.name, as: UTF8.self).dropFirst(7)
            let content = try app.contents(of: String(path))
            #expect(CRC32.of(content) == entry.central.crc)
            #expect(content.count == Int(entry.central.size))
        }
        let tree = try folder.tree()
        #expect(tree["apps/my-app/content/app.js"]?.hasPrefix("\(0o444) ") == true)
        #expect(try await library.apps().map(\.name.text) == ["my-app"])
        #expect(try await library.app(named: "my-app").index == app.index)
    }

    @Test func `installed files are read-only, whatever modes the archive has`() async throws {
        let entry = ForgedEntry.stored("my-app/lib/run.sh").changed {
            $0.attributes = 0o100777 << 16
        }
        let app = ZipForge.good().with(entry)
        try await library.install(archive: app.bytes)
        let modes = try folder.tree().mapValues { $0.split(separator: " ")[0] }
        #expect(modes["apps/my-app"] == "\(0o555)")
        for (path, mode) in modes where path.hasPrefix("apps/my-app/") {
            let isFolder = path.hasSuffix("content") || path.hasSuffix("lib")
            #expect(mode == (isFolder ? "\(0o555)" : "\(0o444)"), "\(path)")
        }
        try await library.install(archive: app.bytes)
        try await library.uninstall("my-app")
        #expect(try folder.tree().keys.sorted() == ["apps"])
    }

    @Test func `an archive within a package is a file like any other`() async throws {
        let inner = ZipForge.good(name: "inner").with(.stored("../evil")).bytes
        let app = try await library.install(
            archive: ZipForge.good().with(.stored(Array("my-app/inner.zip".utf8), inner)).bytes)
        #expect(try app.contents(of: "inner.zip") == inner)
        #expect(app.index.files.count == 4)
    }

    @Test func `a package at the limits is installed, and one above is not`()
        async throws
    {
        let forge = ZipForge.good().with(.deflated("my-app/a/b/c.js", "0123456789"))
        let bytes = forge.bytes
        let sizes = forge.entries.map { Int($0.central.size) }
        var exact = PackageLimits()
        exact.archiveBytes = bytes.count
        exact.unpackedBytes = sizes.reduce(0, +)
        exact.fileBytes = sizes.max() ?? 0
        exact.entries = 4
        exact.pathBytes = "my-app/package.json".utf8.count
        exact.depth = 4
        func code(_ change: (inout PackageLimits) -> Void) async throws -> JSAppsError.Code? {
            var limits = exact
            change(&limits)
            let library = try await AppLibrary.open(
                at: folder.url.appending(path: "apps"), limits: limits, unpacker: .built)
            do {
                try await library.install(archive: bytes)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(try await code { _ in } == nil)
        #expect(try await code { $0.archiveBytes -= 1 } == .tooLarge)
        #expect(try await code { $0.unpackedBytes -= 1 } == .tooLarge)
        #expect(try await code { $0.fileBytes -= 1 } == .tooLarge)
        #expect(try await code { $0.entries -= 1 } == .tooLarge)
        #expect(try await code { $0.pathBytes -= 1 } == .unsafePath)
        #expect(try await code { $0.depth -= 1 } == .unsafePath)
    }

    @Test func `only installed files can be read`() async throws {
        let app = try await library.install(archive: ZipForge.good().bytes)
        try folder.write("apps/my-app/content/planted.js", "evil")
        for path in [
            "", ".", "..", "/", "../index.json", "content/app.js", "/app.js", "./app.js", "APP.JS",
            "app.js/", "app.js\0", "planted.js", String(repeating: "e\u{301}\u{301}", count: 9999),
        ] {
            let error = try #require(throws: JSAppsError.self) { try app.contents(of: path) }
            #expect(error.code == .missingFile)
        }
    }

    @Test func `files that were changed or added on the disk are not served`()
        async throws
    {
        let app = try await library.install(archive: ZipForge.good().bytes)
        let script = folder.url.appending(path: "apps/my-app/content/app.js")
        let original = try app.contents(of: "app.js")
        for change: (URL) throws -> Void in [
            { try Data(original.map { $0 ^ 1 }).write(to: $0) },
            { try Data(original + [0]).write(to: $0) },
            { try Data().write(to: $0) },
            { _ in },
            {
                try FileManager.default.createSymbolicLink(
                    atPath: $0.path(), withDestinationPath: "package.json")
            },
        ] {
            try? FileManager.default.removeItem(at: script)
            try change(script)
            let error = try #require(throws: JSAppsError.self) { try app.contents(of: "app.js") }
            #expect(error.code == .damaged)
        }
        #expect(try await library.apps().count == 1)
        try FileManager.default.removeItem(
            at: folder.url.appending(path: "apps/my-app/content/package.json"))
        #expect(try await library.apps().isEmpty)
        #expect(try await library.damagedApps().map(\.text) == ["my-app"])
        try await library.install(archive: ZipForge.good().bytes)
        #expect(try await library.damagedApps().isEmpty)
    }

    @Test func `an app that a later version installed is named with its format`() async throws {
        try await library.install(archive: ZipForge.good().bytes)
        let app = folder.url.appending(path: "apps/my-app")
        chmod(app.path(), 0o700)
        let index = app.appending(path: "index.json")
        try FileManager.default.removeItem(at: index)
        try Data(#"{"format": 2, "other": "members"}"#.utf8).write(to: index)
        let error = await #expect(throws: JSAppsError.self) {
            try await library.app(named: "my-app")
        }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("its index has format 2, and this version reads 1") == true)
    }

    @Test func `an update replaces all of the old version`() async throws {
        let old = try await library.install(
            archive: ZipForge.good().with(.stored("my-app/old.js")).bytes)
        let new = try await library.install(archive: ZipForge.good(version: "2.0.0").bytes)
        #expect(new.manifest.version == "2.0.0")
        #expect(try await library.apps().map(\.manifest.version) == ["2.0.0"])
        #expect(throws: JSAppsError.self) { try old.contents(of: "old.js") }
        #expect(try folder.tree().keys.allSatisfy { !$0.contains("old") && !$0.contains("stag") })
    }

    @Test func `a failed update leaves the old version`() async throws {
        try await library.install(archive: ZipForge.good().bytes)
        let before = try folder.tree()
        for hostile in HostilePackage.structure {
            await #expect(throws: JSAppsError.self) {
                try await library.install(archive: hostile.bytes)
            }
        }
        #expect(try folder.tree() == before)
    }

    @Test func `apps are installed and removed independently`() async throws {
        for name in ["b", "a-2", "c"] {
            try await library.install(archive: ZipForge.good(name: name).bytes)
        }
        #expect(try await library.apps().map(\.name.text) == ["a-2", "b", "c"])
        try await library.uninstall("b")
        #expect(try await library.apps().map(\.name.text) == ["a-2", "c"])
        #expect(try folder.tree().keys.allSatisfy { !$0.contains("apps/b") })
        for name in ["b", "", "..", "../apps", "a-2/content", ".staging-1"] {
            let removing = try await #require(throws: JSAppsError.self) {
                try await library.uninstall(name)
            }
            let asking = try await #require(throws: JSAppsError.self) {
                try await library.app(named: name)
            }
            #expect(removing.code == .notInstalled && asking.code == .notInstalled)
        }
    }

    /// One that finds a later version installed is refused, and so the last version remains.
    @Test func `concurrent installations are complete`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for version in 0..<12 {
                let bytes = ZipForge.good(version: "1.0.\(version)").bytes
                group.addTask {
                    do {
                        try await library.install(archive: bytes)
                    } catch let error as JSAppsError where error.code == .downgrade {}
                }
            }
            try await group.waitForAll()
        }
        let app = try await library.app(named: "my-app")
        #expect("\(app.manifest.version)" == "1.0.11")
        let script = "console.log('\(app.manifest.version)')\n"
        #expect(try app.contents(of: "app.js") == Array(script.utf8))
    }
}
