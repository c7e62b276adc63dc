import Auth
import Foundation
import Testing

@testable import JSApps

@Suite struct FolderPackageTests {
    private let folder: TemporaryFolder
    private let library: AppLibrary

    init() async throws {
        folder = try TemporaryFolder()
        library = try await AppLibrary.open(
            at: folder.url.appending(path: "library"), unpacker: .built)
    }

    private func code(of url: URL) async throws -> JSAppsError.Code {
        try await #require(throws: JSAppsError.self) { try await library.install(from: url) }.code
    }

    @Test func `a folder installs like the package created from it`() async throws {
        let source = try folder.writeApp("my-app")
        try folder.write("my-app/images/grün.txt", "x")
        let installed = try await library.install(from: source)
        #expect(installed.index.archiveSHA256 == nil)
        let packed = try await library.install(archive: try Packer().pack(source))
        #expect(packed.index.archiveSHA256?.count == 64)
        #expect(packed.index.files == installed.index.files)
        #expect(packed.index.contentSHA256 == installed.index.contentSHA256)
        #expect(try packed.contents(of: "images/grün.txt") == Array("x".utf8))
    }

    @Test(arguments: ReservedNames.all)
    func `a folder with a reserved name is neither installed nor packed`(name: String) async throws
    {
        let source = try folder.writeApp(name)
        #expect(try await code(of: source) == .nameTaken)
        let error = #expect(throws: JSAppsError.self) { try Packer().pack(source) }
        #expect(error?.code == .nameTaken)
        #expect(error?.message.contains("‘\(name)’") == true)
        #expect(try await library.apps().isEmpty)
        _ = try await library.install(from: try folder.writeApp("my-\(name)"))
    }

    @Test func `a folder that was read installs without an archive`() async throws {
        let source = try folder.writeApp("my-app")
        try folder.write("my-app/images/grün.txt", "x")
        let read = try AppFolder(reading: source)
        #expect(read.name == "my-app")
        // Later changes of the folder have no effect.
        try FileManager.default.removeItem(at: source)
        let dryRun = try await library.install(read, with: InstallOptions(isDryRun: true))
        #expect(dryRun.updateCheck.kind == .first)
        #expect(try await library.apps().isEmpty)
        let installed = try await library.install(read)
        #expect(installed.app.index.archiveSHA256 == nil)
        #expect(installed.app.index.files == read.package.files)
        #expect(try installed.app.contents(of: "images/grün.txt") == Array("x".utf8))
        #expect(try await library.install(read).updateCheck.kind == .unchanged)
        let other = try AppFolder(reading: try folder.writeApp("other-app", version: "2.0.0"))
        let options = InstallOptions(isDryRun: true)
        let check = try await library.install(other, with: options)
        #expect(check.app.manifest.version == "2.0.0")
        #expect(try await library.apps().map(\.name.text) == ["my-app"])
        let second = try await library.install(other, with: InstallOptions())
        #expect(second.updateCheck.kind == .first)
    }

    @Test func `files that another process read are checked like an archive`() async throws {
        let read = try AppFolder(reading: try folder.writeApp("my-app"))
        let received = try AppFolder(named: read.name, files: read.files)
        #expect(received.package.files == read.package.files)
        #expect(try await library.install(received).app.name.text == "my-app")
        func code(
            _ name: String, adding paths: [String], _ limits: PackageLimits = PackageLimits()
        ) -> JSAppsError.Code? {
            let error = #expect(throws: JSAppsError.self) {
                try AppFolder(
                    named: name, files: read.files + paths.map { ($0, [1]) }, limits: limits)
            }
            return error?.code
        }
        for path in ["../x", "/x", "a/../x", "", "a//b", "\u{202e}x", "a\\b", "./x"] {
            #expect(code("my-app", adding: [path]) == .unsafePath, "\(path)")
        }
        for path in ["APP.js", "app.js", "app.js/x"] {
            #expect(code("my-app", adding: [path]) == .duplicateName, "\(path)")
        }
        #expect(code("..", adding: []) == .unsafePath)
        #expect(code("", adding: []) == .unsafePath)
        #expect(code("other", adding: []) == .wrongFolderName)
        #expect(code("my-app/sub", adding: []) == .missingFile)
        var limits = PackageLimits()
        limits.entries = 3
        #expect(code("my-app", adding: ["x"], limits) == .tooLarge)
        limits = PackageLimits()
        limits.fileBytes = 4
        #expect(code("my-app", adding: [], limits) == .tooLarge)
    }

    @Test
    func `a folder that was read under higher limits is checked against the library's limits`()
        async throws
    {
        let source = try folder.writeApp("my-app")
        var limits = PackageLimits()
        limits.unpackedBytes = 50
        let strict = try await AppLibrary.open(
            at: folder.url.appending(path: "strict"), limits: limits, unpacker: .built)
        let read = try AppFolder(reading: source)
        let error = await #expect(throws: JSAppsError.self) { try await strict.install(read) }
        #expect(error?.code == .tooLarge)
        #expect(try await strict.apps().isEmpty)
    }

    @Test func `hidden files are skipped`() async throws {
        let source = try folder.writeApp("my-app")
        try folder.write("my-app/.env", "SECRET=1")
        try folder.write("my-app/.git/config", "x")
        try folder.write("my-app/lib/.DS_Store", "x")
        let app = try await library.install(from: source)
        #expect(app.index.files.map(\.path) == ["app.html", "app.js", "package.json"])
    }

    @Test func `links and special files are refused`() async throws {
        let source = try folder.writeApp("my-app")
        let path = source.appending(path: "other.js").path()
        let targets = ["app.js", "/etc/passwd", "nowhere", "."]
        for target in targets {
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: target)
            #expect(try await code(of: source) == .unsafeEntry)
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(mkfifo(path, 0o644) == 0)
        #expect(try await code(of: source) == .unsafeEntry)
        try FileManager.default.removeItem(atPath: path)
        try folder.write("my-app/other.js", "x")
        #expect(chmod(path, 0o4755) == 0)
        #expect(try await code(of: source) == .unsafeEntry)
        #expect(chmod(path, 0o644) == 0)
        #expect(throws: Never.self) { try Packer().pack(source) }
    }

    @Test func `a folder is checked by the rules for packages`() async throws {
        #expect(try await code(of: try folder.writeApp("MyApp")) == .wrongFolderName)
        let other = try folder.writeApp("other")
        try folder.write("other/package.json", ZipForge.manifest(name: "my-app"))
        #expect(try await code(of: other) == .wrongFolderName)
        let cases = try folder.writeApp("cases")
        try folder.write("cases/APP.js", "x")
        #expect(try await code(of: cases) == .duplicateName)
        let bidi = try folder.writeApp("bidi")
        try folder.write("bidi/\u{202e}x", "x")
        #expect(try await code(of: bidi) == .unsafePath)
        let missing = try folder.writeApp("missing")
        try FileManager.default.removeItem(at: missing.appending(path: "app.js"))
        #expect(try await code(of: missing) == .missingFile)
        let large = try folder.writeApp("large")
        let file = try folder.write("large/data", "")
        #expect(truncate(file.path(), 17 << 20) == 0)
        #expect(try await code(of: large) == .tooLarge)
        #expect(try await library.apps().isEmpty)
    }

    @Test func `each configured limit is enforced`() async throws {
        let source = try folder.writeApp("my-app")
        try folder.write("my-app/a/b/c.js", "12345")
        func code(_ change: (inout PackageLimits) -> Void) throws -> JSAppsError.Code? {
            var limits = PackageLimits()
            change(&limits)
            do {
                _ = try Packer(limits: limits).pack(source)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(try code { _ in } == nil)
        #expect(try code { $0.entries = 6 } == nil)
        #expect(try code { $0.entries = 5 } == .tooLarge)
        #expect(try code { $0.depth = 3 } == .unsafePath)
        #expect(try code { $0.pathBytes = 15 } == .unsafePath)
        #expect(try code { $0.fileBytes = 20 } == .tooLarge)
        #expect(try code { $0.unpackedBytes = 100 } == .tooLarge)
        #expect(try code { $0.archiveBytes = 200 } == .tooLarge)
    }

    @Test func `packing is reproducible`() throws {
        let first = try Packer().pack(try folder.writeApp("my-app"))
        let elsewhere = try TemporaryFolder()
        try elsewhere.write("my-app/app.html", "")
        let source = try elsewhere.writeApp("my-app")
        #expect(chmod(source.appending(path: "app.js").path(), 0o755) == 0)
        #expect(try Packer().pack(source) == first)
        // 1980-01-01 00:00 is day 1 of month 1 of year 0: in every time zone.
        #expect(Array(first[10..<14]) == [0, 0, 0x21, 0])
        #expect(!first.isEmpty)
    }
}
