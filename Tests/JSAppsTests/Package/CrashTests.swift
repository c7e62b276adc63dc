import Foundation
import Scheduling
import Synchronization
import Testing

@testable import JSApps

@Suite struct CrashTests {
    /// Copies of a folder, each as a crash at one moment would leave it.
    private final class Snapshots: Sendable {
        private let copies = Mutex<[(AppsFolder.Step, URL)]>([])
        private let folder: URL

        init(in folder: URL) {
            self.folder = folder
        }

        var all: [(AppsFolder.Step, URL)] { copies.withLock { $0 } }

        func take(_ step: AppsFolder.Step, of apps: URL) {
            let copy = folder.appending(path: "crash-\(step)")
            do {
                try FileManager.default.copyItem(at: apps, to: copy)
            } catch {
                Issue.record(error)
            }
            copies.withLock { $0.append((step, copy)) }
        }
    }

    private let folder: TemporaryFolder
    private let apps: URL

    init() throws {
        folder = try TemporaryFolder()
        apps = folder.url.appending(path: "apps")
    }

    private func crashing(_ snapshots: Snapshots) -> AppsFolder {
        let apps = apps
        return AppsFolder(
            path: apps.path(), limits: PackageLimits(), unpacker: .built, time: .system,
            reached: { snapshots.take($0, of: apps) })
    }

    @Test func `an installation killed at any step leaves the whole app or none`() async throws {
        let snapshots = Snapshots(in: folder.url)
        let library = try await AppLibrary.open(crashing(snapshots))
        try await library.install(archive: ZipForge.good().bytes)
        #expect(snapshots.all.map(\.0) == AppsFolder.Step.allCases)
        for (step, copy) in snapshots.all {
            let library = try await AppLibrary.open(at: copy, unpacker: .built)
            let isThere = [.renamed, .oldRemoved].contains(step)
            #expect(try await library.apps().count == (isThere ? 1 : 0), "\(step)")
            let names = try FileManager.default.contentsOfDirectory(atPath: copy.path())
            #expect(names == (isThere ? ["my-app"] : []), "\(step)")
        }
    }

    @Test func `an update killed at any step leaves the old version or the new`() async throws {
        try await AppLibrary.open(at: apps, unpacker: .built).install(
            archive: ZipForge.good().bytes)
        let snapshots = Snapshots(in: folder.url)
        let library = try await AppLibrary.open(crashing(snapshots))
        try await library.install(archive: ZipForge.good(version: "2.0.0").bytes)
        #expect(snapshots.all.count == AppsFolder.Step.allCases.count)
        for (step, copy) in snapshots.all {
            let app = try await AppLibrary.open(at: copy, unpacker: .built).app(named: "my-app")
            let isNew = [.renamed, .oldRemoved].contains(step)
            #expect(app.manifest.version == (isNew ? "2.0.0" : "1.0.0"), "\(step)")
            for file in app.index.files {
                #expect(throws: Never.self) { try app.contents(of: file.path) }
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: copy.path())
            #expect(names == ["my-app"], "\(step)")
        }
    }

    @Test func `an update killed at any step leaves each version with its own identity`()
        async throws
    {
        let old = try await AppLibrary.open(at: apps, unpacker: .built).install(
            archive: SignedPackage.vector.archive)
        let snapshots = Snapshots(in: folder.url)
        let library = try await AppLibrary.open(crashing(snapshots))
        let new = try await library.install(archive: SignedPackage.vector.signed().archive)
        #expect(old.identity != new.identity)
        for (step, copy) in snapshots.all {
            let app = try await AppLibrary.open(at: copy, unpacker: .built).app(named: "my-app")
            let isNew = [.renamed, .oldRemoved].contains(step)
            #expect(app.identity == (isNew ? new : old).identity, "\(step)")
            #expect(app.signer == (isNew ? new : old).signer, "\(step)")
        }
    }

    @Test func `opening the library does not remove the staging folder of another process`()
        async throws
    {
        let library = try await AppLibrary.open(at: apps, unpacker: .built)
        try folder.write("apps/.staging-1/content/app.js", "half")
        var other = try Folder.open(apps.path())
        #expect(try other.lock(waiting: false))
        _ = try await AppLibrary.open(at: apps, unpacker: .built)
        #expect(try !folder.tree().isEmpty)
        #expect(try await library.apps().isEmpty)
    }

    @Test func `a released lock is free, also while a program is starting`() throws {
        try folder.write("apps/index", "x")
        func locked() throws -> Int32 {
            var first = try Folder.open(apps.path())
            #expect(try first.lock(waiting: false))
            // A forked process holds the descriptors of its parent until it calls exec.
            return dup(first.descriptor)
        }
        let copy = try locked()
        defer { close(copy) }
        var second = try Folder.open(apps.path())
        #expect(try second.lock(waiting: false))
    }
}
