import Foundation
import Testing

@testable import JSApps

/// Which packages may replace an installed app, and what they inherit from it.
@Suite struct UpdateCheckTests {
    private let folder: TemporaryFolder
    private let library: AppLibrary

    init() async throws {
        folder = try TemporaryFolder()
        library = try await AppLibrary.open(
            at: folder.url.appending(path: "apps"), unpacker: .built)
    }

    private enum Signer: Sendable {
        case none, one, other
    }

    private func archive(
        _ version: String, _ signer: Signer = .none, name: String = "my-app", script: String = ""
    ) throws -> [UInt8] {
        var package = SignedPackage.vector
        package.folder = name
        package.files["package.json"] = Array(ZipForge.manifest(name: name, version: version).utf8)
        package.files["app.js"] = Array(script.utf8)
        switch signer {
        case .none: return package.archive
        case .one: return try package.signed().archive
        case .other: return try package.signed(by: SignedPackage.otherSecret).archive
        }
    }

    @discardableResult
    private func install(
        _ archive: [UInt8], allowsDowngrade: Bool = false, isDryRun: Bool = false
    ) async throws -> Installation {
        try await library.install(
            archive: archive,
            with: InstallOptions(allowsDowngrade: allowsDowngrade, isDryRun: isDryRun))
    }

    private func refusal(_ archive: [UInt8], allowsDowngrade: Bool = false) async throws
        -> JSAppsError.Code?
    {
        let before = try folder.tree()
        let error = await #expect(throws: JSAppsError.self) {
            try await install(archive, allowsDowngrade: allowsDowngrade)
        }
        #expect(try folder.tree() == before)
        return error?.code
    }

    @Test func `a signed app is updated only by its own key`() async throws {
        let first = try await install(archive("1.0.0", .one))
        #expect(first.updateCheck.kind == .first)
        #expect(first.app.signer != nil)
        for version in ["0.9.0", "1.0.0", "1.1.0"] {
            for signer in [Signer.other, .none] {
                let package = try archive(version, signer)
                #expect(try await refusal(package) == .signerChanged)
                #expect(try await refusal(package, allowsDowngrade: true) == .signerChanged)
            }
        }
        let update = try await install(archive("1.1.0", .one))
        #expect(update.updateCheck == .init(.update, from: "1.0.0"))
        #expect(update.app.identity == first.app.identity)
        #expect(update.app.index.updatedFrom == "1.0.0")
        #expect(update.app.signer == first.app.signer)
    }

    @Test func `an unsigned app that becomes a signed one is another app`() async throws {
        let first = try await install(archive("1.0.0"))
        #expect(first.app.signer == nil)
        let signed = try await install(archive("1.1.0", .one))
        #expect(signed.updateCheck == .init(.update, from: "1.0.0", reset: .signed))
        #expect(signed.app.identity != first.app.identity)
        #expect(signed.app.index.updatedFrom == nil)
        #expect(try await refusal(archive("1.2.0")) == .signerChanged)
    }

    @Test func `an unsigned update keeps the identity`() async throws {
        let first = try await install(archive("1.0.0"))
        let update = try await install(archive("1.0.1"))
        #expect(update.updateCheck == .init(.update, from: "1.0.0"))
        let replaced = try await install(archive("1.0.1", script: "1"))
        #expect(replaced.updateCheck == .init(.replaced, from: "1.0.1"))
        #expect(replaced.app.index.updatedFrom == "1.0.0")
        #expect(Set([first, update, replaced].map(\.app.identity)).count == 1)
    }

    @Test(arguments: [
        ("2.0.0", "1.9.9"), ("1.0.0", "1.0.0-rc.1"), ("1.0.10", "1.0.9"), ("1.10.0", "1.9.0"),
    ])
    func `an older version is rejected unless allowed, and inherits nothing`(
        new: String, old: String
    ) async throws {
        for signer in [Signer.none, .one] {
            let first = try await install(archive(new, signer))
            let older = try archive(old, signer)
            #expect(try await refusal(older) == .downgrade)
            let installed = try await install(older, allowsDowngrade: true)
            #expect(installed.updateCheck == .init(.downgrade, from: new, reset: .downgrade))
            #expect(installed.app.identity != first.app.identity)
            #expect(installed.app.index.updatedFrom == nil)
            try await library.uninstall("my-app")
        }
    }

    @Test(arguments: [("1", "2"), ("1.0.0", "latest"), ("2", "1.0.0")])
    func `versions that cannot be compared inherit nothing`(
        old: String, new: String
    ) async throws {
        let first = try await install(archive(old))
        let second = try await install(archive(new))
        #expect(second.updateCheck == .init(.unordered, from: old, reset: .unordered))
        #expect(second.app.identity != first.app.identity)
    }

    @Test func `an app inherits nothing from a removed app or from one of another name`()
        async throws
    {
        let first = try await install(archive("1.0.0", .one))
        let renamed = try await install(archive("1.0.0", .one, name: "other"))
        #expect(renamed.updateCheck.kind == .first)
        try await library.uninstall("my-app")
        let again = try await install(archive("1.0.0", .one))
        #expect(again.updateCheck.kind == .first)
        #expect(Set([first, renamed, again].map(\.app.identity)).count == 3)
    }

    @Test func `the same package changes nothing`() async throws {
        let package = try archive("1.0.0", .one)
        let first = try await install(package)
        let before = try folder.tree()
        let dates = try modificationDates()
        let again = try await install(package)
        #expect(again.updateCheck == .init(.unchanged, from: "1.0.0"))
        #expect(again.app.index == first.app.index)
        #expect(try again.app.contents(of: "app.html") == first.app.contents(of: "app.html"))
        #expect(try folder.tree() == before)
        #expect(try modificationDates() == dates)
    }

    @Test func `the same package repairs a damaged app`() async throws {
        let package = try archive("1.0.0", script: "good")
        let first = try await install(package)
        let script = folder.url.appending(path: "apps/my-app/content/app.js")
        try FileManager.default.removeItem(at: script)
        let again = try await install(package)
        #expect(try again.app.contents(of: "app.js") == Array("good".utf8))
        #expect(again.app.identity == first.app.identity)
    }

    @Test func `a dry run reports the result and changes nothing`() async throws {
        try await install(archive("1.0.0"))
        let before = try folder.tree()
        let update = try await install(archive("1.1.0", .one), isDryRun: true)
        #expect(update.updateCheck == .init(.update, from: "1.0.0", reset: .signed))
        #expect(update.app.manifest.version == "1.1.0")
        #expect(update.previous?.version == "1.0.0")
        #expect(try folder.tree() == before)
        await #expect(throws: JSAppsError.self) {
            try await install(archive("0.9.0"), isDryRun: true)
        }
        #expect(try folder.tree() == before)
    }

    @Test func `an app installed by an earlier version keeps its identity in an update`()
        async throws
    {
        try await install(archive("1.0.0"))
        let file = folder.url.appending(path: "apps/my-app/index.json")
        let index = try String(contentsOf: file, encoding: .utf8)
        let older = index.split(separator: "\n").filter { !$0.contains("\"identity\"") }
        try FileManager.default.removeItem(at: file)
        try older.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        #expect(try await library.app(named: "my-app").identity.isEmpty)
        let update = try await install(archive("1.1.0"))
        #expect(update.app.identity.isEmpty)
        let signed = try await install(archive("1.2.0", .one))
        #expect(!signed.app.identity.isEmpty)
    }

    @Test func `two processes that share the library agree on who may update`() async throws {
        let other = try await AppLibrary.open(
            at: folder.url.appending(path: "apps"), unpacker: .built)
        try await install(archive("1.0.0", .one))
        let foreign = try archive("1.1.0", .other)
        let error = await #expect(throws: JSAppsError.self) {
            try await other.install(archive: foreign)
        }
        #expect(error?.code == .signerChanged)
    }

    private func modificationDates() throws -> [Date?] {
        let root = folder.url.path(percentEncoded: false) + "/apps/my-app"
        return try FileManager.default.subpathsOfDirectory(atPath: root).sorted().map { name in
            try FileManager.default.attributesOfItem(atPath: root + "/" + name)[.modificationDate]
                as? Date
        }
    }
}

extension UpdateCheck {
    fileprivate init(_ kind: Kind, from previous: String, reset: Reset? = nil) {
        self.init(kind: kind, previousVersion: previous, reset: reset)
    }
}
