import Foundation
import JSApps
import Testing

@Suite struct HostilePackageTests {
    @Test(arguments: HostilePackage.all)
    func `a hostile package is rejected with the reason and leaves nothing behind`(
        _ package: HostilePackage
    ) async throws {
        let folder = try TemporaryFolder()
        let library = try await AppLibrary.open(
            at: folder.url.appending(path: "apps"), unpacker: .built)
        let file = try folder.write("hostile.zip", package.bytes)
        let before = try folder.tree()
        let error = try await #require(throws: JSAppsError.self) {
            try await library.install(from: file)
        }
        #expect(error.code == package.code, "\(error)")
        #expect(error.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202e}" })
        #expect(!error.message.contains(folder.url.path()))
        #expect(try folder.tree() == before)
        #expect(try await library.apps().isEmpty)
    }

    @Test func `no hostile package changes an installed app`() async throws {
        let folder = try TemporaryFolder()
        let library = try await AppLibrary.open(
            at: folder.url.appending(path: "apps"), unpacker: .built)
        try await library.install(archive: ZipForge.good().bytes)
        let before = try folder.tree()
        for package in HostilePackage.all {
            let error = try await #require(throws: JSAppsError.self) {
                try await library.install(archive: package.bytes)
            }
            #expect(error.code == package.code, "\(package.testDescription): \(error)")
        }
        #expect(try folder.tree() == before)
        #expect(try await library.damagedApps().isEmpty)
    }

    @Test func `there are many hostile packages, all different`() {
        #expect(HostilePackage.all.count >= 60)
        #expect(Set(HostilePackage.all.map(\.testDescription)).count == HostilePackage.all.count)
    }

    @Test func `a package truncated anywhere is not installed`() async throws {
        let folder = try TemporaryFolder()
        let library = try await AppLibrary.open(at: folder.url, unpacker: .built)
        let data = ForgedEntry.stored("my-app/data", String(repeating: "x", count: 3000))
        let whole = ZipForge.good().with(data).bytes
        for end in Array(stride(from: 0, to: whole.count, by: 64)) + [whole.count - 1] {
            await #expect(throws: JSAppsError.self, "\(end)") {
                try await library.install(archive: Array(whole[..<end]))
            }
        }
        #expect(try folder.tree().isEmpty)
    }

    @Test func `the error for a folder of the Finder has a hint`() async throws {
        let folder = try TemporaryFolder()
        let library = try await AppLibrary.open(at: folder.url, unpacker: .built)
        let bytes = ZipForge.good().with(.stored("__MACOSX/my-app/._app.js")).bytes
        let error = try await #require(throws: JSAppsError.self) {
            try await library.install(archive: bytes)
        }
        #expect(error.hint?.contains("Finder") == true)
    }

    @Test func `a file that is not a ZIP archive is rejected`() async throws {
        let folder = try TemporaryFolder()
        let library = try await AppLibrary.open(
            at: folder.url.appending(path: "apps"), unpacker: .built)
        let text = try folder.write("app.txt", ZipForge.good().bytes)
        for (url, code) in [
            (text, JSAppsError.Code.notAnArchive),
            (folder.url.appending(path: "missing.zip"), .inputMissing),
            (URL(filePath: "/dev/null"), .notAnArchive),
        ] {
            let error = try await #require(throws: JSAppsError.self) {
                try await library.install(from: url)
            }
            #expect(error.code == code)
        }
    }
}
