import Foundation
import JSApps
import TestSupport
import Testing

/// Installations whose process `strace` kills at a system call: one at the first `write`, one at
/// the second and so on, until one succeeds; likewise for the other calls.
@Suite(.blocking, .enabled(if: ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"))
struct KilledInstallTests {
    /// The system calls by which an installation uses the disk and the unpacker.
    private static let calls = [
        "openat2", "mkdirat", "write", "fchmod", "fsync", "renameat2", "unlinkat", "flock",
        "memfd_create", "pipe2", "getdents64", "kill", "wait4", "openat", "read", "close", "poll",
    ]

    private let folder: TemporaryFolder
    private let apps: URL
    private let package: URL

    init() throws {
        folder = try TemporaryFolder()
        apps = folder.url.appending(path: "apps")
        let new = ZipForge.good(version: "2.0.0").with(.deflated("my-app/lib/deep/a.js", "new"))
        package = try folder.write("new.zip", new.bytes)
    }

    /// Runs the installation.
    ///
    /// - Returns: whether it succeeded.
    private func installs(killedAt call: String, number: Int) async throws -> Bool {
        try await Program(
            "/usr/bin/strace",
            [
                "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "signal=none",
                "-e", "inject=\(call):signal=KILL:when=\(number)",
                BuiltProgram.path("package-updater"), apps.path(), package.path(),
                BuiltProgram.path("nervous-unpacker"),
            ], output: .inherited
        ).wait() == 0
    }

    /// Opens the library again, and checks that its apps are intact and that no other files are
    /// left.
    ///
    /// - Returns: the installed version.
    private func version(_ moment: String) async throws -> String? {
        let library = try await AppLibrary.open(at: apps, unpacker: .built)
        #expect(try await library.damagedApps().isEmpty, "\(moment)")
        let found = try await library.apps()
        let names = try FileManager.default.contentsOfDirectory(atPath: apps.path())
        #expect(names == found.map(\.name.text), "\(moment)")
        for app in found {
            for file in app.index.files {
                #expect(throws: Never.self, "\(moment)") { try app.contents(of: file.path) }
            }
            let content = try TemporaryFolder.tree(
                at: apps.appending(path: "\(app.name)/content"))
            let files = content.keys.filter { $0.contains(".") }.sorted()
            #expect(files == app.index.files.map(\.path), "\(moment)")
        }
        return found.first?.manifest.version
    }

    @Test(arguments: [nil, "1.0.0"])
    func `an update killed at any system call leaves the old or the new version complete`(
        old: String?
    ) async throws {
        var seen: [String?: Int] = [:]
        for call in Self.calls {
            var number = 1
            while true {
                let library = try await AppLibrary.open(at: apps, unpacker: .built)
                try? await library.uninstall("my-app")
                if let old {
                    try await library.install(archive: ZipForge.good(version: old).bytes)
                }
                let hasSucceeded = try await installs(killedAt: call, number: number)
                let found = try await version("\(call) \(number)")
                #expect(found == old || found == "2.0.0", "\(call) \(number)")
                if hasSucceeded {
                    #expect(found == "2.0.0")
                    break
                }
                seen[found, default: 0] += 1
                number += 1
                try #require(number < 500, "no installation succeeds with \(call)")
            }
            #expect(number > 1, "an installation does not call \(call)")
        }
        print("killed \(seen.values.reduce(0, +)) times: \(seen)")
        #expect(seen[old] ?? 0 > 20)
        #expect(seen["2.0.0"] ?? 0 > 0)
    }
}
